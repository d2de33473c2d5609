// SPDX-License-Identifier: BSD-3-Clause
/* PARAFAC2: slices, norms and files against products written out here; planted factors found again from slices of any number of rows,
 * with gaps, without negative entries, complex; errors that never rise; bad input.
 */
#include "arrays.h"
#include "dense.h"
#include <heddle/kits/parafac2.h>
#include <heddle/kits/tensor_metrics.h>
#include <unistd.h>

enum { SLICES = 6, K = 7 };

/* Orthonormal columns by Gram and Schmidt, rows where there are fewer. */
static void orthonormal(cplx *v, int rows, int columns)
{
  const bool by_rows = rows < columns;
  const int n = by_rows ? rows : columns, m = by_rows ? columns : rows, step = by_rows ? 1 : columns, next = by_rows ? columns : 1;
  for (int i = 0; i < n; i++)
    for (int pass = 0; pass < 2; pass++) {
      double norm = 0;
      for (int j = 0; j < i; j++) {
        cplx dot = 0;
        for (int k = 0; k < m; k++)
          dot += conj(v[j * next + k * step]) * v[i * next + k * step];
        for (int k = 0; k < m; k++)
          v[i * next + k * step] -= dot * v[j * next + k * step];
      }
      for (int k = 0; k < m; k++)
        norm += creal(v[i * next + k * step] * conj(v[i * next + k * step]));
      for (int k = 0; k < m; k++)
        v[i * next + k * step] /= sqrt(norm);
    }
}

/* Random parts; A has no negative entries, with POSITIVE C neither. */
static hed_parafac2 planted(gen *g, int rank, hed_dtype t, const int *rows, bool weights, bool positive)
{
  hed_parafac2 p = { .n_slices = SLICES, .rank = rank, .projection = calloc(SLICES, sizeof *p.projection) };
  const bool is_complex = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  cplx *a = tensor_values(g, SLICES * rank, is_complex), *c = tensor_values(g, K * rank, is_complex);
  for (int i = 0; i < SLICES * rank; i++)
    a[i] = exp(creal(a[i]));
  for (int i = 0; positive && i < K * rank; i++)
    c[i] = cabs(c[i]);
  p.a = tensor_array(a, HED_SHAPE(SLICES, rank), t);
  cplx *b = tensor_values(g, rank * rank, is_complex);
  for (int i = 0; i < rank * rank; i++)
    b[i] = 0.2 * b[i] + (i % (rank + 1) == 0);
  p.b = tensor_array(b, HED_SHAPE(rank, rank), t);
  free(b);
  p.c = tensor_array(c, HED_SHAPE(K, rank), t);
  p.weights = weights ? random_array(g, HED_SHAPE(rank), t) : NULL;
  for (int i = 0; i < SLICES; i++) {
    cplx *v = tensor_values(g, rows[i] * rank, is_complex);
    orthonormal(v, rows[i], rank);
    p.projection[i] = tensor_array(v, HED_SHAPE(rows[i], rank), t);
    free(v);
  }
  free(a);
  free(c);
  return p;
}

/* The definition, slice I. */
static cplx *slice_by_hand(const hed_parafac2 *p, int i)
{
  const int rows = (int)hed_array_shape(p->projection[i]).dim[0], r = (int)p->rank;
  cplx *pr = tensor_elements(p->projection[i]), *a = tensor_elements(p->a), *b = tensor_elements(p->b), *c = tensor_elements(p->c);
  cplx *w = p->weights ? tensor_elements(p->weights) : NULL, *out = calloc((size_t)(rows * K), sizeof *out);
  for (int j = 0; j < rows; j++)
    for (int k = 0; k < K; k++)
      for (int s = 0; s < r; s++)
        for (int q = 0; q < r; q++)
          out[j * K + k] += pr[j * r + q] * b[q * r + s] * a[i * r + s] * (w ? w[s] : 1) * conj(c[k * r + s]);
  free(pr);
  free(a);
  free(b);
  free(c);
  free(w);
  return out;
}

static void formats(gen *g, const char *backend)
{
  static const int rows[SLICES] = { 5, 3, 8, 1, 4, 6 };
  for (int i = 0; i < 2; i++) {
    const hed_dtype t = tensor_dtype(strcmp(backend, "faulty") == 0 ? i : 2 * i);
    const double e = 10 * tensor_tolerance(t);
    hed_parafac2 p = planted(g, 3, t, rows, true, false), q = planted(g, 2, t, rows, false, false);
    cplx inner = 0, *all = calloc(SLICES * 8 * K, sizeof *all);
    double norm = 0, number[2] = { 0 }, other = 0;
    for (int s = 0; s < SLICES; s++) {
      cplx *v = slice_by_hand(&p, s), *w = slice_by_hand(&q, s);
      hed_array *one = hed_parafac2_slice(&p, s), *want = host_array(v, HED_SHAPE(rows[s], K));
      is_near(distance(one, want), 0, 0, e, "slice %d on %s", s, backend);
      for (int k = 0; k < rows[s] * K; k++) {
        inner += conj(v[k]) * w[k];
        norm += creal(v[k] * conj(v[k]));
        other += creal(w[k] * conj(w[k]));
        all[s * 8 * K + k] = v[k];
      }
      RELEASE(one, want);
      free(v);
      free(w);
    }
    hed_array *full = hed_parafac2_full(&p), *want = host_array(all, HED_SHAPE(SLICES, 8, K));
    is_near(distance(full, want), 0, 0, e, "all slices");
    ok(hed_parafac2_norm(&p, number) == HED_OK, "norm");
    is_near(number[0], sqrt(norm), e, 0, "its value");
    ok(hed_parafac2_inner(&p, &q, number) == HED_OK && cabs(number[0] + number[1] * I - inner) <= e * sqrt(norm * other),
       "inner product");
    hed_release(full);
    ok(hed_parafac2_normalise(&p) == HED_OK, "normalised");
    full = hed_parafac2_full(&p);
    is_near(distance(full, want), 0, 0, e, "is the same");
    hed_array *norms = hed_vector_norm(p.c, 2, &(hed_reduce){ .axes = HED_AXES(0) }), *ones = hed_ones_like(norms);
    is_near(distance(norms, ones), 0, 0, e, "with columns of norm 1");
    RELEASE(norms, ones, full, want);
    free(all);
    hed_parafac2_clear(&p);
    hed_parafac2_clear(&q);
  }
}

static bool falling(const hed_fit *f, double slack)
{
  bool good = f->n_sweeps > 0;
  for (int64_t i = 1; i < f->n_sweeps; i++)
    good &= f->errors[i] <= f->errors[i - 1] * (1 + slack) + slack;
  return good;
}

/* Is the error what the known entries of the slices say of P? */
static void error_of_result(hed_array *const *slice, const int *rows, const hed_parafac2 *p, double error, double tolerance)
{
  double squares = 0, left = 0;
  for (int i = 0; i < SLICES; i++) {
    hed_array *fit = hed_parafac2_slice(p, i);
    cplx *x = tensor_elements(slice[i]), *y = tensor_elements(fit);
    for (int k = 0; k < rows[i] * K; k++)
      if (!isnan(creal(x[k]))) {
        squares += pow(cabs(x[k]), 2);
        left += pow(cabs(x[k] - y[k]), 2);
      }
    hed_release(fit);
    free(x);
    free(y);
  }
  is_near(error, sqrt(left / squares), 1e-6, tolerance, "the error is that of the result");
}

/* Of any problem the error never rises and parts are what they have to be; with REACHED it is one that is known to end at what was
 * planted, which nothing promises. */
static void recover(gen *g, const char *backend, hed_dtype t, const int *rows, bool positive, int missing, bool reached)
{
  const double e = tensor_tolerance(t);
  hed_parafac2 truth = planted(g, 2, t, rows, false, positive), got;
  hed_array *slice[SLICES];
  hed_fit fit;
  double cosine = 0;
  for (int i = 0; i < SLICES; i++) {
    slice[i] = hed_parafac2_slice(&truth, i);
    if (missing) {
      cplx *v = tensor_elements(slice[i]);
      for (int k = 0; k < rows[i] * K; k++)
        v[k] = gen_chance(g, (unsigned)missing) ? NAN : v[k];
      hed_release(slice[i]);
      slice[i] = tensor_array(v, HED_SHAPE(rows[i], K), t);
      free(v);
    }
  }
  const hed_parafac2_options opt = { .sweeps = { .max = reached ? 300 : 30, .tol = 1e-12 }, .missing_nan = missing > 0,
                                     .normalise = true, .nonnegative_a = positive, .nonnegative_c = positive };
  if (!ok(hed_parafac2_als(SLICES, (const hed_array *const *)slice, 2, &opt, &got, &fit) == HED_OK,
          "planted factors on %s, %d%% missing",
          backend, missing))
    diag("%s", hed_error_text());
  ok(falling(&fit, 50 * e), "the error never rises");
  error_of_result(slice, rows, &got, fit.error, e);
  ok(!reached || fit.error < 1e-2, "%g after %lld sweeps", fit.error, (long long)fit.n_sweeps);
  ok(!reached || (hed_congruence(truth.c, got.c, false, &cosine, NULL) == HED_OK && cosine > 0.99), "C");
  int fewest = rows[0];
  for (int i = 1; i < SLICES; i++)
    fewest = rows[i] < fewest ? rows[i] : fewest;
  if (reached && fewest >= 2) /* a slice of less than RANK rows does not say what its row of A is */
    ok(hed_congruence(truth.a, got.a, false, &cosine, NULL) == HED_OK && cosine > 0.99, "A");
  double skew = 0;
  for (int i = 0; i < SLICES; i++) {
    hed_array *there = on_host(got.projection[i]), *adjoint = hed_matrix_transpose(there), *conjugate = hed_conj(adjoint);
    hed_array *product = rows[i] < 2 ? hed_matmul(there, conjugate) : hed_matmul(conjugate, there);
    hed_array *unit = hed_eye(rows[i] < 2 ? rows[i] : 2, rows[i] < 2 ? rows[i] : 2, 0, HED_FLOAT32), *one = on_host(unit);
    skew = fmax(skew, distance(product, one));
    hed_array *all[] = { there, adjoint, conjugate, product, unit, one };
    for (int k = 0; k < 6; k++)
      hed_release(all[k]);
  }
  is_near(skew, 0, 0, 100 * e, "projections are orthonormal");
  if (positive) {
    cplx *a = tensor_elements(got.a), *c = tensor_elements(got.c);
    bool none = true;
    for (int i = 0; i < SLICES * 2; i++)
      none &= creal(a[i]) >= 0;
    for (int i = 0; i < K * 2; i++)
      none &= creal(c[i]) >= 0;
    ok(none, "no negative entries");
    free(a);
    free(c);
  }
  for (int i = 0; i < SLICES; i++)
    hed_release(slice[i]);
  hed_parafac2_clear(&truth);
  hed_parafac2_clear(&got);
  hed_fit_clear(&fit);
}

static void decompositions(gen *g, const char *backend)
{
  static const int rows[SLICES] = { 5, 3, 8, 6, 4, 6 }, few[SLICES] = { 5, 3, 8, 1, 4, 6 };
  const bool faulty = strcmp(backend, "faulty") == 0;
  gen known;
  gen_seed(&known, 20261120);
  for (int reached = 0; reached < 2; reached++) {
    gen *from = reached ? &known : g;
    recover(from, backend, faulty ? HED_FLOAT32 : HED_FLOAT64, rows, false, 0, reached);
    recover(from, backend, HED_FLOAT32, few, false, 0, reached);
    recover(from, backend, HED_COMPLEX64, rows, false, 0, reached);
    if (!faulty) {
      recover(from, backend, HED_FLOAT64, rows, true, 0, reached);
      recover(from, backend, HED_FLOAT64, rows, false, 10, reached);
    }
  }
}

static int second(void *arg, const hed_sweep *now)
{
  (void)arg;
  return now->sweep == 2;
}

/* Random ones fit, and are the same again. */
static void at_random(void)
{
  const int64_t rows[] = { 5, 1, 3 };
  const hed_random seed = { .seed = 2, .seeded = true };
  for (int k = 0; k < 4; k++) {
    hed_parafac2 p = { 0 }, q = { 0 }, none = { 0 };
    ok(hed_parafac2_random(3, rows, 4, 2, tensor_dtype(k), k > 1, &seed, &p) == HED_OK && hed_parafac2_check(&p) == HED_OK &&
         hed_array_shape(p.projection[1]).dim[0] == 1 && hed_array_dtype(p.c) == tensor_dtype(k), "random slices");
    ok(hed_parafac2_random(3, rows, 4, 2, tensor_dtype(k), k > 1, &seed, &q) == HED_OK, "again");
    hed_array *x = hed_parafac2_full(&p), *y = hed_parafac2_full(&q);
    is_near(distance(y, x), 0, 0, 0, "the same");
    RELEASE(x, y);
    hed_parafac2_clear(&p);
    hed_parafac2_clear(&q);
    refused(hed_parafac2_random(3, (const int64_t[]){ 1, 0, 1 }, 4, 2, HED_FLOAT32, false, NULL, &none), HED_E_INVAL,
            "slice 1 of 0 rows");
    refused(hed_parafac2_random(3, rows, 4, 0, HED_FLOAT32, false, NULL, &none), HED_E_INVAL, "rank 0");
    ok(!none.a && !none.projection, "nothing came out");
  }
}

static void bad_input(void)
{
  static const int rows[SLICES] = { 5, 3, 8, 6, 4, 6 };
  char path[] = "tensor_parafac2.XXXXXX";
  gen g;
  gen_seed(&g, 3);
  hed_parafac2 p = planted(&g, 2, HED_FLOAT64, rows, true, false), out;
  hed_array *a = random_array(&g, HED_SHAPE(4, 3), HED_FLOAT64), *b = random_array(&g, HED_SHAPE(4, 2), HED_FLOAT64);
  hed_array *z = random_array(&g, HED_SHAPE(4, 3), HED_COMPLEX64), *nan = hed_full(HED_SHAPE(4, 3), NAN, HED_FLOAT64);
  const hed_array *two[] = { a, b }, *bad[] = { a, nan }, *same[] = { a, a }, *cz[] = { z, z };
  hed_fit fit;
  refused(hed_parafac2_check(NULL), HED_E_INVAL, "is NULL");
  refused(hed_parafac2_check(&(hed_parafac2){ .rank = 1 }), HED_E_INVAL, "no slices");
  hed_parafac2 broken = p;
  broken.b = p.c;
  refused(hed_parafac2_check(&broken), HED_E_SHAPE, "b of p has shape (7, 2); (2, 2) is expected");
  ok(!hed_parafac2_slice(&p, 6) && hed_error() == HED_E_INDEX, "slice 6 of 6");
  hed_error_clear();
  refused(hed_parafac2_als(2, two, 1, NULL, &out, NULL), HED_E_SHAPE, "slice 1 has 2 columns, slice 0 3");
  refused(hed_parafac2_als(2, bad, 1, NULL, &out, NULL), HED_E_INVAL, "slice 1 is not finite at (0, 0)");
  refused(hed_parafac2_als(2, same, 0, NULL, &out, NULL), HED_E_INVAL, "rank 0");
  refused(hed_parafac2_als(0, same, 1, NULL, &out, NULL), HED_E_INVAL, "0 slices");
  refused(hed_parafac2_als(2, same, 1, &(hed_parafac2_options){ .masks = two }, &out, NULL), HED_E_SHAPE,
          "mask has shape (4, 2), slice 1 (4, 3)");
  refused(hed_parafac2_als(2, cz, 1, &(hed_parafac2_options){ .nonnegative_a = true }, &out, NULL), HED_E_DTYPE, "complex");
  const int stop = 1;
  refused(hed_parafac2_als(2, same, 1, &(hed_parafac2_options){ .sweeps.cancel = &stop }, &out, &fit), HED_E_CANCELLED, "cancelled");
  ok(!out.projection && !fit.errors, "nothing came out");
  const hed_parafac2_options watched = { .sweeps = { .progress = second, .tol = -1 }, .random_start = true, .restarts = 3,
                                         .random = { .seed = 1, .seeded = true } };
  ok(hed_parafac2_als(2, same, 2, &watched, &out, &fit) == HED_OK && fit.n_sweeps == 2 && fit.stopped == HED_STOP_PROGRESS,
     "two sweeps");
  hed_parafac2_clear(&out);
  hed_fit_clear(&fit);

  if (strcmp(getenv("HEDDLE_TEST_LIBZIP") ? getenv("HEDDLE_TEST_LIBZIP") : "yes", "no") != 0) {
    const int fd = mkstemp(path);
    if (fd < 0)
      bail("no temporary file");
    close(fd);
    ok(hed_parafac2_save(path, &p) == HED_OK && hed_parafac2_load(path, &out) == HED_OK, "there and back");
    hed_array *x = hed_parafac2_full(&p), *y = hed_parafac2_full(&out);
    is_near(distance(y, x), 0, 0, 0, "the same");
    RELEASE(x, y);
    hed_parafac2_clear(&out);
    const hed_array *parts[] = { p.a, p.b, p.c, p.projection[0] };
    ok(hed_save_npz(path, 4, (const char *const[]){ "a", "b", "c", "projection1" }, parts, false) == HED_OK, "one that lacks a part");
    refused(hed_parafac2_load(path, &out), HED_E_FORMAT, "holds no projection0");
    ok(hed_save_npz(path, 4, (const char *const[]){ "a", "b", "c", "projection0" }, parts, false) == HED_OK, "one that does not fit");
    refused(hed_parafac2_load(path, &out), HED_E_FORMAT, "a of ");
    ok(!out.a && !out.projection, "nothing came out");
    unlink(path);
  }
  hed_parafac2_clear(&p);
  RELEASE(a, b, z, nan);
}

int main(void)
{
  on_backends(formats);
  on_backends(decompositions);
  at_random();
  bad_input();
  done_testing();
  return done();
}
