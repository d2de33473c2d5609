// SPDX-License-Identifier: BSD-3-Clause
/* Tensors of few entries: against sums over all elements, their decompositions against those of the full tensor, files. */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/tensor_sparse.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 60 };

static hed_dtype real_type(void) { return hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32; }

/* N entries at random places, some of them twice; V gets the full tensor. */
static hed_coo sample(gen *g, hed_shape s, int64_t n, hed_dtype t, double complex **v)
{
  int64_t at[MOST * HED_MAX_NDIM];
  double complex *values = tensor_values(g, n, hed_dtype_kind(t) == HED_KIND_COMPLEX);
  hed_coo x = { 0 };
  *v = calloc((size_t)elements_of(s), sizeof **v);
  for (int64_t i = 0; i < n; i++) {
    const int64_t place = i > 2 && gen_chance(g, 10) ? 0 : gen_int(g, 0, elements_of(s) - 1);
    tensor_place(s, place, at + i * s.ndim);
    (*v)[place] += values[i];
  }
  hed_array *indices = hed_from_host(at, HED_SHAPE(n, s.ndim), HED_INT64), *list = tensor_array(values, HED_SHAPE(n), t);
  if (hed_coo_from(s, indices, list, &x) != HED_OK)
    bail("%s", hed_error_text());
  RELEASE(indices, list);
  free(values);
  return x;
}

static void is_tensor(const hed_array *x, const double complex *want, int64_t n, double e, const char *what)
{
  double complex *got = x && hed_array_size(x) == n ? tensor_elements(x) : NULL;
  if (!ok(got && tensor_distance(got, want, n) < e, "%s", what))
    diag("%g; %s", got ? tensor_distance(got, want, n) : INFINITY, hed_error_text());
  free(got);
}

static void products(gen *g, const char *backend, hed_dtype t)
{
  const hed_shape s = HED_SHAPE(4, 3, 5, 2);
  const int64_t rank = 3, n = elements_of(s);
  const double e = tensor_tolerance(t);
  double complex *v, *f[4], squares = 0, dot = 0;
  double norm = 0, parts[2] = { 0, 0 };
  hed_coo x = sample(g, s, MOST, t, &v), again = { 0 };
  hed_cp c = { .order = 4, .rank = rank };
  int64_t at[4];
  for (int k = 0; k < 4; k++) {
    f[k] = tensor_values(g, s.dim[k] * rank, hed_dtype_kind(t) == HED_KIND_COMPLEX);
    c.factor[k] = tensor_array(f[k], HED_SHAPE(s.dim[k], rank), t);
  }
  double complex *model = tensor_of_factors(s, rank, f, NULL);
  for (int64_t i = 0; i < n; i++) {
    squares += v[i] * conj(v[i]);
    dot += conj(model[i]) * v[i];
  }
  diag("%s, %s", backend, hed_dtype_name(t));
  hed_array *full = hed_coo_full(&x);
  is_tensor(full, v, n, e, "entries in any order, some twice, are the full tensor");
  ok(hed_array_size(x.values) < MOST, "each place is listed once");
  ok(hed_coo_from_dense(full, &again) == HED_OK, "back from there");
  bool same = false;
  HED_SCOPE ok(hed_array_size(again.values) > 0 && hed_allclose(again.indices, x.indices, NULL, &same) == HED_OK && same,
               "the places are in C order");
  is_near((hed_coo_norm(&x, &norm), norm), sqrt(creal(squares)), e, e, "the norm");
  ok(hed_coo_inner_cp(&x, &c, parts) == HED_OK && cabs(parts[0] + parts[1] * I - dot) < e * (10 + cabs(dot)), "an inner product");
  for (int mode = 0; mode < 4; mode++) {
    double complex *want = calloc((size_t)(s.dim[mode] * rank), sizeof *want);
    for (int64_t i = 0; i < n; i++) {
      tensor_place(s, i, at);
      for (int64_t r = 0; r < rank; r++) {
        double complex p = v[i];
        for (int k = 0; k < 4; k++)
          p *= k == mode ? 1 : conj(f[k][at[k] * rank + r]);
        want[at[mode] * rank + r] += p;
      }
    }
    hed_array *m = hed_coo_mttkrp(&x, 4, (const hed_array *const *)c.factor, mode - (mode > 1 ? 4 : 0));
    is_tensor(m, want, s.dim[mode] * rank, 10 * e, "times a Khatri-Rao product");
    hed_release(m);
    free(want);
  }
  /* modes 0 and 3 with a factor, 1 and 2 without */
  double complex *want = calloc((size_t)(rank * 3 * 5 * rank), sizeof *want);
  for (int64_t i = 0; i < n; i++) {
    tensor_place(s, i, at);
    for (int64_t a = 0; a < rank; a++)
      for (int64_t b = 0; b < rank; b++)
        want[((a * 3 + at[1]) * 5 + at[2]) * rank + b] += v[i] * conj(f[0][at[0] * rank + a]) * conj(f[3][at[3] * rank + b]);
  }
  hed_array *p = hed_coo_project(&x, 4, (const hed_array *const[]){ c.factor[0], NULL, NULL, c.factor[3] });
  ok(p && hed_array_ndim(p) == 4 && hed_array_shape(p).dim[1] == 3, "projected modes are where they were");
  is_tensor(p, want, rank * 15 * rank, 10 * e, "times two factors");
  hed_array *all = hed_coo_project(&x, 4, (const hed_array *const *)c.factor);
  ok(all && hed_array_size(all) == 81, "times all of them");
  RELEASE(all, p, full);
  hed_coo_clear(&again);
  hed_coo_clear(&x);
  hed_cp_clear(&c);
  for (int k = 0; k < 4; k++)
    free(f[k]);
  free(model);
  free(want);
  free(v);
}

/* Sweeps of the list are those of the full tensor, with constraints and steps beyond them, too. */
static void fits(gen *g, const char *backend, hed_dtype t)
{
  const hed_shape s = HED_SHAPE(5, 4, 6);
  double complex *v;
  hed_coo x = sample(g, s, 40, t, &v);
  hed_array *full = hed_coo_full(&x);
  const bool complex_ = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  for (int how = 0; how < 3; how++) {
    hed_cp start = { 0 }, c = { 0 }, d = { 0 };
    hed_fit fit = { 0 }, other = { 0 };
    double error = 0;
    if (hed_cp_random(s, 2, t, true, &(hed_random){ .seed = 4, .seeded = true }, &start) != HED_OK)
      bail("%s", hed_error_text());
    const hed_cp_options o = { .start = &start, .sweeps = { .max = 6, .tol = -1 },
                               .acceleration = how == 1 ? HED_ACCELERATE_ANDERSON : HED_ACCELERATE_NONE,
                               .nonnegative_modes = { .n = how == 2 && !complex_ ? 1 : 0, .axis = { 1 } } };
    const hed_status one = hed_coo_cp_als(&x, 2, &o, &c, &fit), two = hed_cp_als(full, 2, &o, &d, &other);
    double off = one == HED_OK && two == HED_OK ? 0 : INFINITY;
    for (int64_t i = 0; i < fit.n_sweeps && i < other.n_sweeps; i++)
      off = fmax(off, fabs(fit.errors[i] - other.errors[i]));
    if (!ok(fit.n_sweeps == 6 && off < 100 * tensor_tolerance(t), "%s, %s: the errors of sweeps are those of the full tensor (%d)",
            backend, hed_dtype_name(t), how))
      diag("%g after %d; %s", off, (int)fit.n_sweeps, hed_error_text());
    ok(hed_cp_error(&c, full, NULL, &error) == HED_OK && fabs(error - fit.error) < 100 * tensor_tolerance(t), "and of the result");
    hed_cp_clear(&start);
    hed_cp_clear(&c);
    hed_cp_clear(&d);
    hed_fit_clear(&fit);
    hed_fit_clear(&other);
  }
  hed_tucker u = { 0 };
  hed_fit fit = { 0 };
  const hed_coo_tucker_options o = { .sweeps = { .max = 8, .tol = -1 }, .random = { .seed = 1, .seeded = true } };
  double norm = 0, core = 0;
  bool falls = hed_coo_tucker(&x, &HED_SHAPE(2, 9, 3), &o, &u, &fit) == HED_OK && fit.n_sweeps == 8;
  for (int64_t i = 1; falls && i < fit.n_sweeps; i++)
    falls = fit.errors[i] <= fit.errors[i - 1] + 10 * tensor_tolerance(t);
  if (!ok(falls && hed_array_shape(u.core).dim[1] == 4, "%s: a core of ranks that are possible, the error never rises", backend))
    diag("%s", hed_error_text());
  has_str(fit.note, "(2, 4, 3)", "which is said");
  /* the error by differences */
  hed_array *all = hed_tucker_full(&u), *rest = hed_subtract(full, all), *size = hed_vector_norm(rest, 2, NULL);
  ok(size && hed_item(size, &core) == HED_OK && hed_coo_norm(&x, &norm) == HED_OK && fabs(core / norm - fit.error) < 1e-3,
     "and is that of the result");
  hed_array *list[] = { all, rest, size, full };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
    hed_release(list[i]);
  hed_tucker_clear(&u);
  hed_fit_clear(&fit);
  hed_coo_clear(&x);
  free(v);
}

static void everything(gen *g, const char *backend)
{
  products(g, backend, real_type());
  products(g, backend, HED_COMPLEX64);
  fits(g, backend, real_type());
  if (is_backend(backend, "cpu"))
    fits(g, backend, HED_COMPLEX128);
}

static void files(void)
{
  char path[] = "/tmp/heddle-XXXXXX";
  const int fd = mkstemp(path);
  static const struct { const char *text, *part; hed_status kind; } bad[] = {
    { "1 2 3.5\n1 2\n", "line 2: 1 coordinates, where lines before have 2", HED_E_FORMAT }, { "1 0 3\n", "'0'", HED_E_FORMAT },
    { "1 1.5 3\n", "'1.5'", HED_E_FORMAT }, { "1 1 nan\n", "'nan'", HED_E_FORMAT }, { "7\n", "line 1", HED_E_FORMAT },
    { "# nothing\n\n", "no entry", HED_E_FORMAT }, { "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", "line 1", HED_E_FORMAT },
    { "1 99999999999999999999 1\n", "'99999999999999999999'", HED_E_FORMAT },
  };
  hed_coo x = { 0 }, y = { 0 };
  if (fd < 0)
    bail("no temporary file");
  FILE *f = fdopen(fd, "w");
  fputs("# a comment\n2 1 4 1e-3\n1 1 1 -2.5\r\n2 1 4 1\n", f);
  fclose(f);
  double v[2] = { 0 };
  ok(hed_coo_load_tns(path, &x) == HED_OK && x.shape.ndim == 3 && x.shape.dim[0] == 2 && x.shape.dim[2] == 4, "a .tns file");
  ok(hed_tolist(x.values, v, 2) == HED_OK && v[0] == -2.5 && fabs(v[1] - 1.001) < 1e-15, "its values, those of one place added");
  ok(hed_coo_save_tns(path, &x) == HED_OK && hed_coo_load_tns(path, &y) == HED_OK, "there and back");
  bool same = false;
  ok(hed_allclose(x.values, y.values, NULL, &same) == HED_OK && same, "gives the same values");
  hed_coo_clear(&y);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    f = fopen(path, "w");
    fputs(bad[i].text, f);
    fclose(f);
    is_int(hed_coo_load_tns(path, &y), bad[i].kind, "refused: %.20s", bad[i].text);
    has_str(hed_error_text(), bad[i].part, "its sentence");
  }
  ok(!y.indices && !y.values && y.shape.ndim == 0, "nothing came out");
  unlink(path);
  is_int(hed_coo_load_tns(path, &y), HED_E_IO, "no file");
  is_int(hed_coo_save_tns(path, &x), HED_OK, "written again");
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){ .rlim_cur = 8, .rlim_max = before.rlim_max });
  const hed_status cut = hed_coo_save_tns(path, &x);
  setrlimit(RLIMIT_FSIZE, &before);
  is_int(cut, HED_E_IO, "a file that may not grow");
  is_int(hed_coo_load_tns(path, &y), HED_OK, "leaves the one that was there");
  hed_coo_clear(&y);
  unlink(path);
  is_int(hed_coo_save_tns("/nowhere/x.tns", &x), HED_E_IO, "no folder");
  hed_coo_clear(&x);
}

static void refused(void)
{
  const int64_t inside[] = { 0, 1, 2, 0 }, outside[] = { 0, 1, 2, 3 };
  hed_array *at = hed_from_host(inside, HED_SHAPE(2, 2), HED_INT64), *off = hed_from_host(outside, HED_SHAPE(2, 2), HED_INT64);
  hed_array *v = hed_ones(HED_SHAPE(2), HED_FLOAT32), *three = hed_ones(HED_SHAPE(3), HED_FLOAT32);
  hed_array *nan = hed_full(HED_SHAPE(2), NAN, HED_FLOAT32), *f = hed_ones(HED_SHAPE(4, 2), HED_FLOAT32);
  hed_coo x = { 0 }, out = { 0 };
  hed_cp c = { 0 };
  hed_tucker u = { 0 };
  const hed_shape s = HED_SHAPE(3, 3);
  is_int(hed_coo_from(s, off, v, &out), HED_E_INDEX, "a coordinate outside");
  has_str(hed_error_text(), "coordinate 3 of axis 1", "is named");
  is_int(hed_coo_from(s, at, three, &out), HED_E_SHAPE, "three values for two places");
  is_int(hed_coo_from(HED_SHAPE(3, 3, 3), at, v, &out), HED_E_SHAPE, "two coordinates for three axes");
  is_int(hed_coo_from(s, at, nan, &out), HED_E_INVAL, "NaN");
  is_int(hed_coo_from(s, v, v, &out), HED_E_SHAPE, "indices of one axis");
  hed_error_clear();
  is_int(hed_coo_from(s, NULL, v, &out), HED_E_INVAL, "no indices");
  is_int(hed_coo_from(s, at, v, NULL), HED_E_INVAL, "no out");
  ok(!out.indices && !out.values, "nothing came out");
  is_int(hed_coo_from(s, at, v, &x), HED_OK, "a good one");
  ok(!hed_coo_mttkrp(&x, 2, (const hed_array *const[]){ f, f }, 0), "a factor of another extent");
  has_str(hed_error_text(), "(4, 2)", "is named");
  ok(!hed_coo_mttkrp(&x, 2, (const hed_array *const[]){ f, NULL }, 0), "a factor that is missing");
  ok(!hed_coo_mttkrp(&x, 2, (const hed_array *const[]){ f, f }, 2), "there is no mode 2");
  ok(!hed_coo_project(&x, 3, (const hed_array *const[]){ f, f, f }), "three factors for two axes");
  is_int(hed_coo_cp_als(NULL, 1, NULL, &c, NULL), HED_E_INVAL, "x is NULL");
  is_int(hed_coo_cp_als(&x, 0, NULL, &c, NULL), HED_E_INVAL, "rank 0");
  is_int(hed_coo_cp_als(&x, 1, &(hed_cp_options){ .nan_is_missing = true }, &c, NULL), HED_E_UNSUPPORTED, "gaps");
  is_int(hed_coo_tucker(&x, &HED_SHAPE(1, 0), NULL, &u, NULL), HED_E_INVAL, "rank 0 of a mode");
  is_int(hed_coo_tucker(&x, &HED_SHAPE(1, 1, 1), NULL, &u, NULL), HED_E_SHAPE, "three ranks for two axes");
  is_int(hed_coo_tucker(&x, &HED_SHAPE(1), NULL, &u, NULL), HED_OK, "one for all");
  ok(hed_array_ndim(u.core) == 2 && hed_array_shape(u.core).dim[1] == 1, "of two");
  hed_tucker_clear(&u);
  int cancel = 1;
  is_int(hed_coo_cp_als(&x, 1, &(hed_cp_options){ .sweeps = { .cancel = &cancel } }, &c, NULL), HED_E_CANCELLED, "cancelled");
  is_int(hed_coo_tucker(&x, &s, &(hed_coo_tucker_options){ .sweeps = { .cancel = &cancel } }, &u, NULL), HED_E_CANCELLED, "too");
  ok(c.order == 0 && u.order == 0, "nothing came out");
  hed_coo_clear(&x);
  /* nothing listed: zero */
  hed_array *none = hed_zeros(HED_SHAPE(0, 2), HED_INT64), *nothing = hed_zeros(HED_SHAPE(0), HED_FLOAT32);
  double norm = 1;
  ok(hed_coo_from(s, none, nothing, &x) == HED_OK && hed_coo_norm(&x, &norm) == HED_OK && norm == 0, "no entry at all is zero");
  hed_fit fit = { 0 };
  ok(hed_coo_cp_als(&x, 2, NULL, &c, &fit) == HED_OK && fit.error == 0, "and decomposed without an error");
  hed_fit_clear(&fit);
  hed_cp_clear(&c);
  hed_coo_clear(&x);
  hed_array *all[] = { at, off, v, three, nan, f, none, nothing };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
}

int main(void)
{
  on_backends(everything);
  files();
  refused();
  done_testing();
  return done();
}
