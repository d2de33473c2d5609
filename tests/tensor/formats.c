// SPDX-License-Identifier: BSD-3-Clause
/* CP and Tucker tensors against sums over all elements in double precision, of random shapes, ranks and types, on every backend;
 * products with all factors, Gram matrices and moments against their definitions; what is refused, and how.
 */
#include "arrays.h"
#include "tensor.h"
#include <stdio.h>
#include <unistd.h>

typedef struct sample {
  hed_shape s;
  int64_t rank;
  hed_dtype t;
  double complex *f[HED_MAX_NDIM], *w, *full;
  hed_cp cp;
} sample;

static void sample_make(sample *x, gen *g, hed_shape s, int64_t rank, hed_dtype t, bool weighted)
{
  const bool c = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  *x = (sample){ .s = s, .rank = rank, .t = t, .cp = { .order = s.ndim, .rank = rank } };
  for (int k = 0; k < s.ndim; k++) {
    x->f[k] = tensor_values(g, s.dim[k] * rank, c);
    x->cp.factor[k] = tensor_array(x->f[k], HED_SHAPE(s.dim[k], rank), t);
  }
  if (weighted) {
    x->w = tensor_values(g, rank, c);
    x->cp.weights = tensor_array(x->w, HED_SHAPE(rank), t);
  }
  x->full = tensor_of_factors(s, rank, x->f, x->w);
}

static void sample_clear(sample *x)
{
  for (int k = 0; k < x->s.ndim; k++)
    free(x->f[k]);
  free(x->w);
  free(x->full);
  hed_cp_clear(&x->cp);
}

/* Distance of an array from N numbers; the array is released. */
static double distance(hed_array *x, const double complex *want, int64_t n)
{
  if (!x || hed_array_size(x) != n) {
    diag("%s", x ? "another size" : hed_error_text());
    hed_release(x);
    return INFINITY;
  }
  double complex *got = tensor_elements(x);
  const double d = tensor_distance(got, want, n);
  free(got);
  hed_release(x);
  return d;
}

static double cp_distance(const hed_cp *c, const double complex *want, int64_t n)
{
  return distance(hed_cp_full(c), want, n);
}

static double complex dot(const double complex *a, const double complex *b, int64_t n)
{
  double complex sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += conj(a[i]) * b[i];
  return sum;
}

/* Everything that keeps the shape of the problem. */
static void one_cp(gen *g, hed_shape s, int64_t rank, hed_dtype t, const char *name)
{
  sample x, y;
  const double tol = tensor_tolerance(t) * 10;
  const int64_t n = elements_of(s);
  double worst = 0, norm = 0, parts[2];
  hed_cp made = { 0 };
  sample_make(&x, g, s, rank, t, gen_chance(g, 50));
  sample_make(&y, g, s, 1 + (int64_t)gen_below(g, 3), t, gen_chance(g, 50));
  worst = fmax(worst, cp_distance(&x.cp, x.full, n));

  const double complex own = dot(x.full, x.full, n), both = dot(x.full, y.full, n);
  const double scale = sqrt(creal(own)) * sqrt(creal(dot(y.full, y.full, n)));
  worst = fmax(worst, hed_cp_norm(&x.cp, &norm) == HED_OK ? fabs(norm - sqrt(creal(own))) / (1 + sqrt(creal(own))) : INFINITY);
  worst = fmax(worst, hed_cp_inner(&x.cp, &y.cp, parts) == HED_OK ? cabs(parts[0] + parts[1] * I - both) / (1 + scale) : INFINITY);
  hed_array *dense = tensor_array(y.full, s, t);
  const hed_status dotted = hed_cp_inner_dense(&x.cp, dense, parts);
  worst = fmax(worst, dotted == HED_OK ? cabs(parts[0] + parts[1] * I - both) / (1 + scale) : INFINITY);
  double error = 0, want = 0, size = 0;
  for (int64_t i = 0; i < n; i++) {
    want += pow(cabs(x.full[i] - y.full[i]), 2);
    size += pow(cabs(y.full[i]), 2);
  }
  want = sqrt(want / size);
  worst = fmax(worst, hed_cp_error(&x.cp, dense, NULL, &error) == HED_OK ? fabs(error - want) / (1 + want) : INFINITY);
  hed_release(dense);

  /* sums and products by element */
  double complex *sum = malloc((size_t)n * sizeof *sum);
  for (int64_t i = 0; i < n; i++)
    sum[i] = x.full[i] + y.full[i];
  worst = fmax(worst, hed_cp_add(&x.cp, &y.cp, &made) == HED_OK ? cp_distance(&made, sum, n) : INFINITY);
  hed_cp_clear(&made);
  for (int64_t i = 0; i < n; i++)
    sum[i] = x.full[i] * y.full[i];
  worst = fmax(worst, hed_cp_hadamard(&x.cp, &y.cp, &made) == HED_OK ? cp_distance(&made, sum, n) : INFINITY);
  hed_cp_clear(&made);
  for (int64_t i = 0; i < n; i++)
    sum[i] = -1.5 * x.full[i];
  worst = fmax(worst, hed_cp_scale(&x.cp, -1.5, &made) == HED_OK ? cp_distance(&made, sum, n) : INFINITY);
  hed_cp_clear(&made);
  free(sum);

  /* other factors of the same tensor */
  hed_status status = hed_cp_copy(&x.cp, &made);
  status = status == HED_OK ? hed_cp_normalise(&made) : status;
  worst = fmax(worst, status == HED_OK ? cp_distance(&made, x.full, n) : INFINITY);
  status = status == HED_OK ? hed_cp_arrange(&made) : status;
  status = status == HED_OK ? hed_cp_fix_signs(&made) : status;
  worst = fmax(worst, status == HED_OK ? cp_distance(&made, x.full, n) : INFINITY);
  double complex *weights = status == HED_OK ? tensor_elements(made.weights) : NULL;
  bool falls = weights != NULL;
  for (int64_t r = 0; falls && r < rank; r++)
    falls = cimag(weights[r]) == 0 && creal(weights[r]) >= (r + 1 < rank ? creal(weights[r + 1]) : 0);
  free(weights);
  /* the original finds its components again */
  double *congruence = malloc((size_t)rank * sizeof *congruence);
  status = status == HED_OK ? hed_cp_align(&made, &x.cp, congruence) : status;
  worst = fmax(worst, status == HED_OK ? cp_distance(&made, x.full, n) : INFINITY);
  for (int64_t r = 0; r < rank && status == HED_OK; r++)
    worst = fmax(worst, fabs(congruence[r] - 1));
  free(congruence);
  hed_cp_clear(&made);
  if (!ok(worst <= tol && falls, "%s: a CP tensor of %d modes and rank %d", name, (int)s.ndim, (int)rank))
    diag("%s: worst difference %g, weights fall: %d; %s", hed_dtype_name(t), worst, falls, hed_error_text());
  sample_clear(&x);
  sample_clear(&y);
}

/* Products with all factors but one, the Gram matrix of the unfolding, and elements, rows and modes of CP and Tucker tensors. */
static void one_product(gen *g, hed_shape s, int64_t rank, hed_dtype t, const char *name)
{
  sample x;
  const bool is_complex = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  const int64_t n = elements_of(s);
  const double tol = tensor_tolerance(t) * 10;
  double worst = 0;
  sample_make(&x, g, s, rank, t, false);
  double complex *v = tensor_values(g, n, is_complex);
  hed_array *dense = tensor_array(v, s, t), *out[HED_MAX_NDIM] = { NULL };
  const int skip = (int)gen_below(g, (uint64_t)s.ndim);
  const hed_axes skipped = HED_AXES(skip);
  const bool all = gen_chance(g, 50);
  if (hed_mttkrp_all(dense, s.ndim, (const hed_array *const *)x.cp.factor, all ? NULL : &skipped, out) != HED_OK)
    worst = INFINITY;
  for (int k = 0; k < s.ndim && worst < INFINITY; k++) {
    if (!all && k == skip) {
      worst = out[k] ? INFINITY : worst;
      continue;
    }
    double complex *want = calloc((size_t)(s.dim[k] * rank), sizeof *want);
    int64_t at[HED_MAX_NDIM];
    for (int64_t i = 0; i < n; i++) {
      tensor_place(s, i, at);
      for (int64_t r = 0; r < rank; r++) {
        double complex p = v[i];
        for (int j = 0; j < s.ndim; j++)
          p *= j == k ? 1 : conj(x.f[j][at[j] * rank + r]);
        want[at[k] * rank + r] += p;
      }
    }
    worst = fmax(worst, distance(out[k], want, s.dim[k] * rank));
    free(want);
  }
  for (int k = 0; k < s.ndim; k++) {
    const int64_t extent = s.dim[k];
    double complex *want = calloc((size_t)(extent * extent), sizeof *want);
    int64_t at[HED_MAX_NDIM], to[HED_MAX_NDIM];
    for (int64_t i = 0; i < n; i++)
      for (int64_t e = 0; e < extent; e++) {
        tensor_place(s, i, at);
        memcpy(to, at, sizeof to);
        to[k] = e;
        int64_t j = 0;
        for (int q = 0; q < s.ndim; q++)
          j = j * s.dim[q] + to[q];
        want[at[k] * extent + e] += v[i] * conj(v[j]);
      }
    worst = fmax(worst, distance(hed_mode_gram(dense, k - (gen_chance(g, 50) ? s.ndim : 0)), want, extent * extent));
    free(want);
  }
  hed_release(dense);

  /* some elements; a slice of a mode; the modes in another order */
  enum { FEW = 7 };
  int64_t places[FEW * HED_MAX_NDIM];
  double complex want[FEW];
  for (int i = 0; i < FEW; i++) {
    const int64_t e = (int64_t)gen_below(g, (uint64_t)n);
    tensor_place(s, e, places + i * s.ndim);
    want[i] = x.full[e];
    const int back = (int)gen_below(g, (uint64_t)s.ndim);
    places[i * s.ndim + back] -= s.dim[back];
  }
  hed_array *indices = hed_from_host(places, HED_SHAPE(FEW, s.ndim), HED_INT64);
  hed_tucker tucker = { 0 }, other = { 0 };
  hed_cp part = { 0 };
  worst = fmax(worst, distance(hed_cp_entries(&x.cp, indices), want, FEW));
  if (hed_cp_to_tucker(&x.cp, &tucker) != HED_OK) {
    worst = INFINITY;
  } else {
    double norm = 0, same = 0, parts[2];
    worst = fmax(worst, distance(hed_tucker_full(&tucker), x.full, n));
    worst = fmax(worst, distance(hed_tucker_entries(&tucker, indices), want, FEW));
    hed_status status = hed_cp_norm(&x.cp, &norm);
    status = status == HED_OK ? hed_tucker_norm(&tucker, &same) : status;
    worst = fmax(worst, status == HED_OK ? fabs(norm - same) / (1 + norm) : INFINITY);
    status = hed_tucker_orthogonalise(&tucker);
    status = status == HED_OK ? hed_tucker_normalise(&tucker) : status;
    worst = fmax(worst, status == HED_OK ? distance(hed_tucker_full(&tucker), x.full, n) : INFINITY);
    hed_tucker half = { 0 };
    status = status == HED_OK ? hed_tucker_scale(&tucker, -0.5, &half) : status;
    status = status == HED_OK ? hed_tucker_add(&tucker, &half, &other) : status;
    for (int64_t i = 0; i < n; i++)
      v[i] = x.full[i] / 2;
    worst = fmax(worst, status == HED_OK ? distance(hed_tucker_full(&other), v, n) : INFINITY);
    hed_tucker_clear(&half);
    hed_tucker_clear(&other);
    status = hed_tucker_inner(&tucker, &tucker, parts);
    worst = fmax(worst, status == HED_OK ? fabs(parts[0] - norm * norm) / (1 + norm * norm) : INFINITY);
  }
  const int mode = (int)gen_below(g, (uint64_t)s.ndim);
  const hed_slice_range range = HED_RANGE((int64_t)gen_below(g, (uint64_t)s.dim[mode]), HED_SLICE_END, 2);
  hed_slice_range ranges[HED_MAX_NDIM];
  for (int k = 0; k <= mode; k++)
    ranges[k] = k == mode ? range : HED_ALL;
  hed_array *full = hed_cp_full(&x.cp), *cut = hed_slice(full, mode + 1, ranges);
  double complex *expected = cut ? tensor_elements(cut) : NULL;
  const int64_t left = hed_array_size(cut);
  worst = fmax(worst, expected && hed_cp_slice(&x.cp, mode, range, &part) == HED_OK ? cp_distance(&part, expected, left) : INFINITY);
  hed_cp_clear(&part);
  worst = fmax(worst, expected && hed_tucker_slice(&tucker, mode, range, &other) == HED_OK
                          ? distance(hed_tucker_full(&other), expected, left) : INFINITY);
  hed_tucker_clear(&other);
  free(expected);
  hed_release(cut);

  /* a matrix and a vector times a mode */
  for (int vector = 0; vector < 2 && (s.ndim > 1 || !vector); vector++) {
    const bool transpose = !vector && gen_chance(g, 50);
    const hed_shape ms = vector ? HED_SHAPE(s.dim[mode]) : transpose ? HED_SHAPE(s.dim[mode], 3) : HED_SHAPE(3, s.dim[mode]);
    double complex *mv = tensor_values(g, elements_of(ms), is_complex);
    hed_array *m = tensor_array(mv, ms, t), *dotted = hed_mode_dot(full, m, mode, transpose);
    expected = dotted ? tensor_elements(dotted) : NULL;
    const int64_t size = hed_array_size(dotted);
    worst = fmax(worst, expected && hed_cp_mode_dot(&x.cp, m, mode, transpose, &part) == HED_OK ? cp_distance(&part, expected, size)
                                                                                                : INFINITY);
    worst = fmax(worst, expected && hed_tucker_mode_dot(&tucker, m, mode, transpose, &other) == HED_OK
                            ? distance(hed_tucker_full(&other), expected, size) : INFINITY);
    hed_cp_clear(&part);
    hed_tucker_clear(&other);
    free(expected);
    free(mv);
    RELEASE(m, dotted);
  }
  hed_release(full);
  if (!ok(worst <= tol, "%s: products with a tensor of %d modes, rank %d", name, (int)s.ndim, (int)rank))
    diag("%s: worst difference %g; %s", hed_dtype_name(t), worst, hed_error_text());
  hed_release(indices);
  hed_tucker_clear(&tucker);
  free(v);
  sample_clear(&x);
}

static void moments(void)
{
  const double v[] = { 1, 2, 3, -1, 0, 4 };
  hed_array *x = hed_from_doubles(v, HED_SHAPE(3, 2), HED_FLOAT64);
  double complex second[4] = { 0 }, third[8] = { 0 }, first[2] = { 0 };
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 2; i++) {
      first[i] += v[2 * k + i] / 3;
      for (int j = 0; j < 2; j++) {
        second[2 * i + j] += v[2 * k + i] * v[2 * k + j] / 3;
        for (int l = 0; l < 2; l++)
          third[4 * i + 2 * j + l] += v[2 * k + i] * v[2 * k + j] * v[2 * k + l] / 3;
      }
    }
  ok(distance(hed_moment(x, 1), first, 2) < 1e-15, "first moment");
  ok(distance(hed_moment(x, 2), second, 4) < 1e-15, "second moment");
  ok(distance(hed_moment(x, 3), third, 8) < 1e-15, "third moment");
  ok(!hed_moment(x, 0) && hed_error() == HED_E_INVAL, "no moment of order 0");
  hed_release(x);
}

/* Components that cancel each other to all digits of their products. */
static void cancelling(void)
{
  const double a[] = { 1, -1, 2, -2, 3, -3 };
  double b[] = { 1, 1, 1, 1 + 1e-9 }, norm = 0;
  hed_cp c = { .order = 2, .rank = 2 };
  c.factor[0] = hed_from_doubles(a, HED_SHAPE(3, 2), HED_FLOAT64);
  c.factor[1] = hed_from_doubles(b, HED_SHAPE(2, 2), HED_FLOAT64);
  is_int(hed_cp_norm(&c, &norm), HED_OK, "norm of a difference of nearly equal tensors");
  is_near(norm, sqrt(14) * 1e-9, 1e-6, 0, "it is what the difference says");
  hed_cp_clear(&c);
}

/* Derivatives against differences, with weights and with gaps. */
static void gradients(gen *g, bool gaps)
{
  sample c;
  const hed_shape s = HED_SHAPE(3, 2, 4);
  sample_make(&c, g, s, 2, HED_FLOAT64, true);
  double complex *v = tensor_values(g, 24, false);
  double known[24];
  for (int i = 0; i < 24; i++) {
    known[i] = !gaps || i % 4 != 0;
    v[i] = known[i] > 0 ? v[i] : NAN;
  }
  hed_array *x = tensor_array(v, s, HED_FLOAT64), *mask = hed_from_doubles(known, s, HED_BOOL), *out[3];
  double worst = 0;
  hed_status status = hed_cp_gradient(&c.cp, x, gaps ? mask : NULL, out);
  for (int k = 0; k < 3 && status == HED_OK; k++) {
    double complex *d = tensor_elements(out[k]);
    for (int64_t i = 0; i < s.dim[k] * 2; i++) {
      double value[2];
      for (int side = 0; side < 2; side++) {
        const double complex before = c.f[k][i];
        /* weights belong to the last factor's column */
        c.f[k][i] += (side ? 1e-5 : -1e-5) / (k == 2 ? c.w[i % 2] : 1);
        double complex *full = tensor_of_factors(s, 2, c.f, c.w);
        value[side] = 0;
        for (int e = 0; e < 24; e++)
          value[side] += known[e] > 0 ? pow(creal(full[e] - v[e]), 2) / 2 : 0;
        free(full);
        c.f[k][i] = before;
      }
      worst = fmax(worst, fabs((value[1] - value[0]) / 2e-5 - creal(d[i])));
    }
    free(d);
    hed_release(out[k]);
  }
  if (!ok(status == HED_OK && worst < 1e-6, "derivatives%s are differences", gaps ? " with gaps" : ""))
    diag("%g; %s", worst, hed_error_text());
  RELEASE(x, mask);
  free(v);
  sample_clear(&c);
}

static void random_tensors(void)
{
  hed_tucker a = { 0 }, b = { 0 };
  const hed_random seed = { .seed = 3, .seeded = true };
  bool same = false;
  is_int(hed_tucker_random(HED_SHAPE(4, 5), HED_SHAPE(2, 3), HED_FLOAT64, true, &seed, &a), HED_OK, "a random Tucker tensor");
  hed_array *turned = hed_transpose(a.factor[1], NULL), *gram = hed_matmul(turned, a.factor[1]);
  hed_array *eye = hed_identity(3, HED_FLOAT64);
  ok(hed_allclose(gram, eye, NULL, &same) == HED_OK && same, "has orthonormal columns");
  is_int(hed_tucker_random(HED_SHAPE(7, 5), HED_SHAPE(2, 3), HED_FLOAT64, true, &seed, &b), HED_OK, "one of another shape");
  ok(hed_allclose(a.factor[1], b.factor[1], NULL, &same) == HED_OK && same, "has the same second factor");
  hed_tucker_clear(&b);
  is_int(hed_tucker_random(HED_SHAPE(4, 5), HED_SHAPE(2, 6), HED_FLOAT64, true, &seed, &b), HED_E_INVAL, "6 columns of 5 rows");
  has_str(hed_error_text(), "(2, 6)", "are named");
  RELEASE(turned, gram, eye);
  hed_tucker_clear(&a);
}

static void files(void)
{
  char path[64];
  sample x;
  gen g;
  hed_cp back = { 0 };
  hed_tucker t = { 0 }, t_back = { 0 };
  gen_seed(&g, tap_seed());
  snprintf(path, sizeof path, "tensor-formats-%ld.npz", (long)getpid());
  if (strcmp(getenv("HEDDLE_TEST_LIBZIP") ? getenv("HEDDLE_TEST_LIBZIP") : "yes", "no") == 0) {
    skip(6, "no libzip");
    return;
  }
  sample_make(&x, &g, HED_SHAPE(3, 4, 2), 2, HED_COMPLEX64, true);
  is_int(hed_cp_save(path, &x.cp), HED_OK, "a CP tensor is written");
  ok(hed_cp_load(path, &back) == HED_OK && cp_distance(&back, x.full, 24) < 1e-5, "and is the same when it is read");
  ok(hed_tucker_load(path, &t) == HED_E_FORMAT && !t.core, "it is no Tucker tensor");
  has_str(hed_error_text(), "tucker", "as the sentence says");
  ok(hed_cp_to_tucker(&x.cp, &t) == HED_OK && hed_tucker_save(path, &t) == HED_OK && hed_tucker_load(path, &t_back) == HED_OK &&
         distance(hed_tucker_full(&t_back), x.full, 24) < 1e-5,
     "a Tucker tensor, there and back");
  hed_cp_clear(&back);
  ok(hed_cp_load("no-such-file.npz", &back) == HED_E_IO && !back.factor[0], "a file that is not there");
  unlink(path);
  hed_tucker_clear(&t);
  hed_tucker_clear(&t_back);
  sample_clear(&x);
}

static void refused(void)
{
  sample x;
  gen g;
  hed_cp out = { 0 };
  double number = 0, parts[2];
  gen_seed(&g, 3);
  sample_make(&x, &g, HED_SHAPE(3, 4), 2, HED_FLOAT64, false);
  is_int(hed_cp_check(NULL), HED_E_INVAL, "NULL is no tensor");
  hed_cp bad = x.cp;
  bad.rank = 0;
  is_int(hed_cp_check(&bad), HED_E_INVAL, "rank 0");
  bad = x.cp;
  bad.rank = 3;
  is_int(hed_cp_check(&bad), HED_E_SHAPE, "a rank that the factors have not");
  has_str(hed_error_text(), "(3, 2)", "the sentence has the factor's shape");
  bad = x.cp;
  bad.weights = bad.factor[0];
  is_int(hed_cp_check(&bad), HED_E_SHAPE, "weights of another shape");
  hed_array *other = hed_zeros(HED_SHAPE(3, 5), HED_FLOAT64);
  is_int(hed_cp_error(&x.cp, other, NULL, &number), HED_E_SHAPE, "x of another shape");
  has_str(hed_error_text(), "(3, 5)", "the sentence has it");
  is_int(hed_cp_inner_dense(&x.cp, other, parts), HED_E_SHAPE, "nor for an inner product");
  is_int(hed_cp_slice(&x.cp, 2, HED_ALL, &out), HED_E_AXIS, "there is no mode 2");
  is_int(hed_cp_permute(&x.cp, &HED_AXES(0, 0), &out), HED_E_AXIS, "(0, 0) is no permutation");
  is_int(hed_cp_random(HED_SHAPE(3, 4), 0, HED_FLOAT32, false, NULL, &out), HED_E_INVAL, "rank 0 of a random one");
  ok(out.order == 0 && !out.factor[0], "nothing came out");
  hed_release(other);
  sample_clear(&x);
}

static void both_formats(gen *g, const char *backend)
{
  const int tries = scaled(is_backend(backend, "faulty") ? 4 : 16);
  for (int k = 0; k < tries; k++) {
    hed_shape s = tensor_shape(g, 2, 5, 6);
    one_cp(g, s, gen_int(g, 1, 8), tensor_dtype(k), backend);
    one_product(g, s, gen_int(g, 1, 5), tensor_dtype(k), backend);
  }
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  on_backends(both_formats);
  gradients(&g, false);
  gradients(&g, true);
  random_tensors();
  moments();
  cancelling();
  files();
  refused();
  done_testing();
  return done();
}
