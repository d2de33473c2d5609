// SPDX-License-Identifier: BSD-3-Clause
/* Truncated singular value decompositions: identities on matrices of known singular values, every method on every host
 * backend, signs, masks, non-negative factors; errors.
 */
#include "api.h"
#include <math.h>

/* Largest |x - y|. */
static double apart(const hed_array *x, const hed_array *y)
{
  double d = NAN;
  HED_SCOPE
  {
    hed_array *m = hed_max(hed_abs(hed_subtract(x, y)), NULL);
    hed_item(m, &d);
  }
  return d;
}

static hed_array *adjoint(const hed_array *x)
{
  hed_array *c = hed_conj(x);
  return hed_transpose(c, NULL);
}

static hed_array *product(const hed_array *u, const hed_array *s, const hed_array *vh)
{
  return hed_matmul(s ? hed_multiply(u, s) : hed_copy(u), vh);
}

/* Rows by columns with the singular values 9, 4, 1, 0.001 and bases from a decomposition of random numbers. */
static hed_array *known(int64_t rows, int64_t columns, hed_dtype t)
{
  const hed_random five = { .seed = 5, .seeded = true }, six = { .seed = 6, .seeded = true };
  hed_array *u = NULL, *vh = NULL, *re = hed_random_normal(HED_SHAPE(rows, columns), HED_FLOAT64, &five);
  hed_array *im = hed_random_normal(HED_SHAPE(rows, columns), HED_FLOAT64, &six);
  hed_array *z = hed_dtype_kind(t) == HED_KIND_COMPLEX ? hed_add(re, hed_multiply(im, hed_scalar_complex(0, 1))) : re;
  if (hed_svd(z, false, &u, NULL, &vh) != HED_OK)
    bail("known: %s", hed_error_text());
  hed_slice_range four[2] = { HED_ALL, HED_RANGE(0, 4, 1) };
  hed_array *s = API_VECTOR(HED_FLOAT64, 9, 4, 1, 0.001);
  return hed_astype(product(hed_slice(u, 2, four), s, hed_slice(vh, 1, four + 1)), t);
}

static void methods(const char *backend)
{
  static const int64_t shapes[][2] = { { 12, 7 }, { 6, 15 }, { 8, 8 } };
  static hed_dtype const types[] = { &hed_dtype_float64, &hed_dtype_complex128, &hed_dtype_float32 };
  diag("methods on %s", backend);
  for (int k = 0; k < 9; k++)
    for (int method = HED_SVD_TRUNCATED; method <= HED_SVD_RANDOMIZED; method++)
      HED_SCOPE
      {
        hed_dtype t = types[k / 3];
        double tolerance = t == HED_FLOAT32 ? 2e-5 : 1e-9;
        hed_array *a = known(shapes[k % 3][0], shapes[k % 3][1], t), *u = NULL, *s = NULL, *vh = NULL;
        hed_svd_options o = { .n = 3, .method = (hed_svd_method)method, .flip = (hed_svd_signs)(k % 3),
                              .random = { .seed = 3, .seeded = true } };
        is_int(hed_svd_interface(a, &o, &u, &s, &vh), HED_OK, "method %d of %s", method, hed_dtype_name(t));
        hed_array *want = API_VECTOR(HED_FLOAT64, 9, 4, 1), *eye = hed_eye(3, 3, 0, t);
        ok(apart(s, want) < tolerance, "its singular values (%g)", apart(s, want));
        ok(apart(hed_matmul(adjoint(u), u), eye) < 10 * tolerance, "u has orthonormal columns");
        ok(apart(hed_matmul(vh, adjoint(vh)), eye) < 10 * tolerance, "vh has orthonormal rows");
        ok(apart(product(u, s, vh), a) < 0.0011 + tolerance, "the product is near (%g)", apart(product(u, s, vh), a));
        if (o.flip == HED_SVD_AS_IT_IS)
          continue;
        hed_array *f = o.flip == HED_SVD_FLIP_U ? u : adjoint(vh);
        hed_array *most = hed_max(hed_abs(f), &(hed_reduce){ .axes = HED_AXES(0) });
        hed_array *real = hed_max(hed_real(f), &(hed_reduce){ .axes = HED_AXES(0) });
        ok(apart(most, real) < 10 * tolerance, "the largest entries are positive");
      }
}

static void shapes_and_seeds(const char *backend)
{
  diag("shapes and seeds on %s", backend);
  HED_SCOPE
  {
    hed_array *a = known(5, 8, HED_FLOAT64), *u, *s, *vh, *again;
    is_int(hed_partial_svd(a, 0, &u, &s, &vh), HED_OK, "all");
    ok(hed_array_shape(u).dim[1] == 5 && hed_array_size(s) == 5 && hed_array_shape(vh).dim[0] == 5, "the lesser extent");
    is_int(hed_truncated_svd(a, 7, &u, &s, &vh), HED_OK, "more than there are");
    ok(hed_array_shape(u).dim[1] == 5 && hed_array_size(s) == 5 && hed_array_shape(vh).dim[0] == 7, "a larger basis");
    ok(apart(hed_matmul(vh, adjoint(vh)), hed_eye(7, 7, 0, HED_FLOAT64)) < 1e-12, "which is orthonormal");
    is_int(hed_truncated_svd(a, 99, NULL, NULL, &vh), HED_OK, "far more");
    is_int(hed_array_shape(vh).dim[0], 8, "no more than columns");
    is_int(hed_symeig_svd(a, 99, &u, &s, &vh), HED_OK, "from the Gram matrix");
    is_int(hed_array_size(s), 5, "no more than there are");
    const hed_random seed = { .seed = 11, .seeded = true };
    is_int(hed_randomized_svd(a, 2, &seed, &u, &s, NULL), HED_OK, "with a seed");
    is_int(hed_randomized_svd(a, 2, &seed, &again, NULL, NULL), HED_OK, "and again");
    ok(apart(u, again) == 0, "the same bits");
    hed_array *zero = hed_zeros(HED_SHAPE(4, 3), HED_FLOAT32);
    is_int(hed_symeig_svd(zero, 2, &u, &s, &vh), HED_OK, "of zeros");
    ok(apart(s, hed_zeros(HED_SHAPE(2), HED_FLOAT32)) == 0 && apart(u, hed_zeros(HED_SHAPE(4, 2), HED_FLOAT32)) == 0, "no NaN");
  }
}

static void made_of_them(const char *backend)
{
  diag("what is made of them, on %s", backend);
  HED_SCOPE
  {
    hed_array *a = known(6, 9, HED_FLOAT64), *u, *s, *vh, *u2, *vh2;
    is_int(hed_svd(a, false, &u, &s, &vh), HED_OK, "svd");
    is_int(hed_svd_flip(u, vh, true, &u2, &vh2), HED_OK, "flip by vh");
    ok(apart(hed_matmul(u, vh), hed_matmul(u2, vh2)) < 1e-12, "the product stays");
    hed_array *soft = hed_svd_thresholding(a, 2), *t = NULL, *two = API_VECTOR(HED_FLOAT64, 7, 2, 0, 0, 0, 0);
    hed_svd(soft, false, NULL, &t, NULL);
    ok(apart(t, two) < 1e-12, "thresholding takes from the singular values");
    hed_array *p = hed_procrustes(a);
    ok(apart(hed_matmul(p, adjoint(p)), hed_eye(6, 6, 0, HED_FLOAT64)) < 1e-11, "procrustes is orthonormal");
    hed_array *x = hed_reshape(hed_arange(1, 31, 1, HED_FLOAT64), HED_SHAPE(5, 6));
    is_int(hed_svd_interface(x, &(hed_svd_options){ .n = 1, .non_negative = HED_SVD_NNDSVD }, &u, &s, &vh), HED_OK, "NNDSVD");
    hed_svd(x, false, &u2, &t, &vh2);
    hed_slice_range one[2] = { HED_ALL, HED_RANGE(0, 1, 1) };
    hed_array *best = product(hed_slice(u2, 2, one), hed_slice(t, 1, one + 1), hed_slice(vh2, 1, one + 1));
    ok(apart(hed_matmul(u, vh), best) < 1e-10, "of rank 1 it is the best approximation");
    is_int(hed_svd_interface(x, &(hed_svd_options){ .n = 3, .non_negative = HED_SVD_NNDSVD }, &u, NULL, &vh), HED_OK, "rank 3");
    double low[2];
    hed_item(hed_min(u, NULL), &low[0]);
    hed_item(hed_min(vh, NULL), &low[1]);
    ok(low[0] >= 0 && low[1] >= 0, "nothing is negative");
    is_int(hed_svd_interface(x, &(hed_svd_options){ .n = 3, .non_negative = HED_SVD_NNDSVDA }, &u, NULL, &vh), HED_OK, "NNDSVDa");
    hed_item(hed_min(u, NULL), &low[0]);
    hed_item(hed_min(vh, NULL), &low[1]);
    ok(low[0] > 0 && low[1] > 0, "nothing is zero");
  }
}

/* (i + 1) (j + 1), of rank 1, without the elements (2, 3) and (0, 1). */
static void masks(const char *backend)
{
  diag("masks on %s", backend);
  HED_SCOPE
  {
    hed_array *rows = hed_arange(1, 6, 1, HED_FLOAT64), *columns = hed_arange(1, 7, 1, HED_FLOAT64);
    hed_array *x = hed_outer(2, (const hed_array *const[]){ rows, columns }), *mask = hed_ones(HED_SHAPE(5, 6), HED_BOOL);
    hed_fill(hed_slice(mask, 2, (hed_slice_range[]){ HED_RANGE(2, 3, 1), HED_RANGE(3, 4, 1) }), 0);
    hed_fill(hed_slice(mask, 2, (hed_slice_range[]){ HED_RANGE(0, 1, 1), HED_RANGE(1, 2, 1) }), 0);
    hed_array *holes = hed_multiply(x, mask), *u = NULL, *s = NULL, *vh = NULL;
    for (int method = HED_SVD_TRUNCATED; method <= HED_SVD_RANDOMIZED; method++) {
      hed_svd_options o = { .n = 1, .method = (hed_svd_method)method, .mask = mask, .random = { .seed = 3, .seeded = true } };
      is_int(hed_svd_interface(holes, &o, &u, &s, &vh), HED_OK, "mask, method %d", method);
      /* after five sweeps, by NumPy */
      is_near(apart(product(u, s, vh), x), 0.008362381234249483, 1e-9, 0, "five sweeps");
      o.mask_iterations = 40;
      is_int(hed_svd_interface(holes, &o, &u, &s, &vh), HED_OK, "more sweeps");
      ok(apart(product(u, s, vh), x) < 1e-9, "what is hidden is found (%g)", apart(product(u, s, vh), x));
    }
    hed_svd_options whole = { .n = 1, .mask = hed_ones(HED_SHAPE(5, 6), HED_INT8) };
    is_int(hed_svd_interface(holes, &whole, NULL, &s, NULL), HED_OK, "a mask that hides nothing");
    hed_array *t = NULL;
    is_int(hed_truncated_svd(holes, 1, NULL, &t, NULL), HED_OK, "no mask");
    ok(apart(s, t) < 1e-12, "the same");
  }
}

/* Bool and integers are computed in REAL, halves in float32 and rounded once. */
static void types(const char *backend)
{
  diag("types on %s", backend);
  HED_SCOPE
  {
    const hed_dtype types[] = { HED_BOOL, HED_INT8, HED_UINT64, HED_FLOAT16 };
    for (int k = 0; k < 4; k++) {
      hed_dtype real = types[k] == HED_FLOAT16 ? HED_FLOAT16 : hed_array_dtype(hed_sqrt(hed_ones(HED_SHAPE(1), HED_INT8)));
      double tolerance = real == HED_FLOAT16 ? 2e-3 : 1e-6;
      hed_array *a = hed_eye(4, 3, 0, types[k]), *u = NULL, *s = NULL, *vh = NULL, *u2 = NULL, *vh2 = NULL;
      hed_array *float_eye = hed_eye(4, 3, 0, HED_FLOAT64);
      for (int method = HED_SVD_TRUNCATED; method <= HED_SVD_RANDOMIZED; method++) {
        hed_svd_options o = { .n = 3, .method = (hed_svd_method)method, .random = { .seed = 3, .seeded = true } };
        is_int(hed_svd_interface(a, &o, &u, &s, &vh), HED_OK, "method %d of %s", method, hed_dtype_name(types[k]));
        ok(hed_array_dtype(u) == real && hed_array_dtype(s) == real && hed_array_dtype(vh) == real, "types");
        ok(apart(product(u, s, vh), float_eye) < tolerance, "the product");
      }
      is_int(hed_svd_flip(a, hed_transpose(a, NULL), true, &u2, &vh2), HED_OK, "flip of %s", hed_dtype_name(types[k]));
      ok(hed_array_dtype(u2) == real && hed_array_dtype(vh2) == real, "types");
      hed_array *half = hed_svd_thresholding(a, 0.5), *p = hed_procrustes(a);
      ok(half && p && hed_array_dtype(half) == real && hed_array_dtype(p) == real, "types of thresholding and procrustes");
      ok(apart(half, hed_multiply_scalar(float_eye, 0.5)) < tolerance, "half the values");
      ok(apart(p, float_eye) < tolerance, "itself");
    }
  }
}

static void empty(const char *backend)
{
  diag("without elements, on %s", backend);
  HED_SCOPE
  {
    hed_array *a = hed_zeros(HED_SHAPE(0, 4), HED_FLOAT32), *u = NULL, *s = NULL, *vh = NULL;
    for (int method = HED_SVD_TRUNCATED; method <= HED_SVD_RANDOMIZED; method++)
      for (int flip = HED_SVD_AS_IT_IS; flip <= HED_SVD_FLIP_VH; flip++) {
        hed_svd_options o = { .method = (hed_svd_method)method, .flip = (hed_svd_signs)flip };
        is_int(hed_svd_interface(a, &o, &u, &s, &vh), HED_OK, "method %d, flip %d", method, flip);
        ok(hed_array_size(s) == 0 && hed_array_shape(u).dim[0] == 0 && hed_array_shape(vh).dim[1] == 4, "shapes");
      }
    hed_array *p = hed_procrustes(a);
    ok(p && hed_array_shape(p).dim[0] == 0 && hed_array_shape(p).dim[1] == 4, "procrustes");
  }
}

static void errors(const char *backend)
{
  (void)backend;
  hed_array *a = hed_ones(HED_SHAPE(2, 3, 4), HED_FLOAT32), *m = hed_index(a, 0, 0), *c = hed_astype(m, HED_COMPLEX64);
  hed_array *u = a, *s = a, *vh = a;
  API_FAIL(hed_truncated_svd(a, 2, &u, &s, &vh), HED_E_SHAPE, "truncated_svd: a of shape (2, 3, 4) is no matrix");
  ok(!u && !s && !vh, "no results");
  API_FAIL(hed_symeig_svd(m, -1, NULL, NULL, NULL), HED_E_INVAL, "symeig_svd: -1 singular values");
  API_FAIL(hed_svd_interface(m, &(hed_svd_options){ .flip = (hed_svd_signs)7 }, &u, &s, &vh), HED_E_INVAL, "flip 7");
  API_FAIL(hed_svd_interface(m, &(hed_svd_options){ .non_negative = (hed_svd_non_negative)5 }, &u, &s, &vh), HED_E_INVAL,
           "non_negative 5");
  API_FAIL(hed_svd_interface(m, &(hed_svd_options){ .mask_iterations = -4 }, &u, &s, &vh), HED_E_INVAL, "mask_iterations -4");
  API_FAIL(hed_svd_interface(m, &(hed_svd_options){ .method = (hed_svd_method)9 }, &u, &s, &vh), HED_E_INVAL, "method 9");
  API_FAIL(hed_svd_interface(m, &(hed_svd_options){ .mask = a }, &u, &s, &vh), HED_E_SHAPE, "mask has shape (2, 3, 4), a (3, 4)");
  API_FAIL(hed_svd_interface(m, &(hed_svd_options){ .oversample = -2 }, &u, &s, &vh), HED_E_INVAL, "oversample -2");
  API_FAIL(hed_svd_interface(c, &(hed_svd_options){ .non_negative = HED_SVD_NNDSVD }, &u, &s, &vh), HED_E_DTYPE, "complex64");
  API_FAIL(hed_svd_flip(a, m, false, &u, &vh), HED_E_SHAPE, "svd_flip: shapes (2, 3, 4) of u and (3, 4) of vh");
  hed_array *v = hed_ones(HED_SHAPE(3), HED_FLOAT32);
  API_NULL(hed_procrustes(v), HED_E_SHAPE, "procrustes: a of shape (3,) is no matrix");
  RELEASE(v, a, m, c);
}

int main(void)
{
  api_each_backend(methods);
  api_each_backend(shapes_and_seeds);
  api_each_backend(made_of_them);
  api_each_backend(masks);
  api_each_backend(types);
  api_each_backend(empty);
  api_each_backend(errors);
  done_testing();
  return done();
}
