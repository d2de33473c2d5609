// SPDX-License-Identifier: BSD-3-Clause
/* Products of several arrays and norms against loops over all indices in long double, random shapes and layouts; closed
 * forms; errors.
 */
#include "api.h"
#include "gen.h"
#include <complex.h>
#include <math.h>

typedef long double _Complex wide;

enum { MOST_LABELS = 26 };

static gen g;

/* Elements in C order; the caller frees. */
static double _Complex *elements(const hed_array *x)
{
  hed_array *c = hed_astype(x, HED_COMPLEX128);
  size_t n = (size_t)hed_array_size(c);
  double _Complex *p = malloc((n + 1) * sizeof *p);
  if (!c || hed_to_host(c, p, n * sizeof *p) != HED_OK)
    bail("elements: %s", hed_error_text());
  hed_release(c);
  return p;
}

/* Whole numbers in a random layout. */
static hed_array *number(hed_dtype t, hed_shape s)
{
  double values[8192];
  int64_t n = 1;
  int order[HED_MAX_NDIM];
  hed_shape mixed = s;
  hed_axes back = { s.ndim, { 0 } };
  gen_permutation(&g, s.ndim, order);
  for (int k = 0; k < s.ndim; k++) {
    mixed.dim[k] = s.dim[order[k]];
    back.axis[order[k]] = k;
    n *= s.dim[k];
  }
  for (int64_t k = 0; k < 2 * n; k++)
    values[k] = (double)gen_int(&g, -4, 4);
  bool is_complex = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  hed_array *d = hed_from_host(values, mixed, is_complex ? HED_COMPLEX128 : HED_FLOAT64), *x = hed_astype(d, t);
  hed_array *y = s.ndim ? hed_transpose(x, &back) : hed_retain(x), *z = gen_chance(&g, 30) ? hed_flip(y, NULL) : hed_retain(y);
  RELEASE(d, x, y);
  if (!z)
    bail("number: %s", hed_error_text());
  return z;
}

/* GOT, which is released, is the sum over TERMS ("ij,jk->ik") of products of X, those in CONJUGATED conjugated; its
 * elements in C order, whatever its shape. */
static bool agrees(hed_array *got, const char *terms, unsigned conjugated, int n, const hed_array *const *x, const char *name)
{
  int64_t extent[MOST_LABELS], total = 1, size = 1;
  const char *out = strstr(terms, "->") + 2;
  double _Complex *values[16];
  bool good = got != NULL;
  if (!got)
    return ok(false, "%s: %s", name, hed_error_text());
  for (int k = 0; k < MOST_LABELS; k++)
    extent[k] = -1;
  for (int k = 0, axis = 0, at = 0; k < n; at++) {
    if (terms[at] == ',' || terms[at] == '-') {
      values[k] = elements(x[k]);
      k++;
      axis = 0;
    } else {
      extent[terms[at] - 'a'] = hed_array_shape(x[k]).dim[axis++];
    }
  }
  for (int k = 0; k < MOST_LABELS; k++)
    total *= extent[k] < 0 ? 1 : extent[k];
  for (const char *p = out; *p; p++)
    size *= extent[*p - 'a'];
  wide *want = calloc((size_t)size + 1, sizeof *want);
  for (int64_t i = 0; i < total; i++) {
    int64_t rest = i, index[MOST_LABELS] = { 0 }, to = 0, from = 0;
    wide product = 1;
    for (int k = MOST_LABELS - 1; k >= 0; k--)
      if (extent[k] >= 0) {
        index[k] = rest % extent[k];
        rest /= extent[k];
      }
    int k = 0;
    for (const char *p = terms; k < n; p++) {
      if (*p == ',' || *p == '-') {
        wide v = (wide)values[k][from];
        product *= conjugated >> k & 1u ? conjl(v) : v;
        from = 0;
        k++;
      } else {
        from = from * extent[*p - 'a'] + index[*p - 'a'];
      }
    }
    for (const char *p = out; *p; p++)
      to = to * extent[*p - 'a'] + index[*p - 'a'];
    want[to] += product;
  }
  double _Complex *have = elements(got);
  good = hed_array_size(got) == size;
  for (int64_t i = 0; i < size && good; i++)
    if (have[i] != (double _Complex)want[i]) {
      diag("element %lld: %g%+gi, %g%+gi expected", (long long)i, creal(have[i]), cimag(have[i]),
           (double)creall(want[i]), (double)cimagl(want[i]));
      good = false;
    }
  for (int k = 0; k < n; k++)
    free(values[k]);
  free(have);
  free(want);
  hed_release(got);
  return ok(good, "%s", name);
}
#define PAIR(a, b) 2, (const hed_array *const[]){ a, b }

static int64_t extent(void) { return gen_int(&g, 1, 4); }

static void products(const char *backend)
{
  static hed_dtype const types[] = { &hed_dtype_float64, &hed_dtype_complex128, &hed_dtype_int32, &hed_dtype_float32,
                                     &hed_dtype_complex64 };
  diag("products on %s", backend);
  gen_seed(&g, tap_seed());
  for (int round = 0; round < 10; round++) {
    hed_dtype t = types[round % 5];
    int64_t i = extent(), j = extent(), k = extent(), l = extent(), m = extent();
    HED_SCOPE
    {
      hed_array *v = number(t, HED_SHAPE(k)), *u = number(t, HED_SHAPE(k)), *a = number(t, HED_SHAPE(i, k));
      hed_array *b = number(t, HED_SHAPE(k, j)), *deep = number(t, HED_SHAPE(l, i, k)), *far = number(t, HED_SHAPE(m, k, j));
      agrees(hed_keep(hed_dot(v, u)), "a,a->", 0, PAIR(v, u), "dot of vectors, without conjugation");
      agrees(hed_keep(hed_dot(a, b)), "ab,bc->ac", 0, PAIR(a, b), "dot of matrices");
      agrees(hed_keep(hed_dot(deep, far)), "lab,mbc->lamc", 0, PAIR(deep, far), "dot of more axes");
      agrees(hed_keep(hed_dot(deep, v)), "lab,b->la", 0, PAIR(deep, v), "dot with a vector");
      agrees(hed_keep(hed_inner(deep, a)), "lab,cb->lac", 0, PAIR(deep, a), "inner");
      agrees(hed_keep(hed_vdot(v, u)), "a,a->", 1, PAIR(v, u), "vdot conjugates its first");
      hed_array *row = number(t, HED_SHAPE(1, i, k));
      agrees(hed_keep(hed_vecdot(deep, hed_broadcast_to(row, HED_SHAPE(l, i, k)), -2)), "lab,lab->lb", 1,
             PAIR(deep, hed_broadcast_to(row, HED_SHAPE(l, i, k))), "vecdot along the middle");
      agrees(hed_keep(hed_vecdot(deep, v, -1)), "lab,b->la", 1, PAIR(deep, v), "vecdot broadcasts");
      agrees(hed_keep(hed_outer(2, (const hed_array *const[]){ a, v })), "ab,c->abc", 0, PAIR(a, v), "outer");
      agrees(hed_keep(hed_batched_outer(2, (const hed_array *const[]){ b, v })), "ab,a->ab", 0, PAIR(b, v), "batched outer");
      hed_array *c = number(t, HED_SHAPE(l, m));
      agrees(hed_keep(hed_kron(a, c)), "ij,kl->ikjl", 0, PAIR(a, c), "kron");
      agrees(hed_keep(hed_kron(v, c)), "j,kl->kjl", 0, PAIR(v, c), "kron of a vector and a matrix");
      hed_array *p = number(t, HED_SHAPE(i, m)), *q = number(t, HED_SHAPE(j, m)), *r = number(t, HED_SHAPE(k, m));
      hed_array *weight = number(t, HED_SHAPE(m)), *mask = number(t, HED_SHAPE(i, j));
      const hed_array *const three[4] = { p, q, r, weight };
      agrees(hed_keep(hed_khatri_rao(3, three, NULL)), "ar,br,cr->abcr", 0, 3, three, "khatri_rao");
      agrees(hed_keep(hed_khatri_rao(3, three, &(hed_khatri_rao_options){ .skip = HED_AXES(2), .weights = weight,
                                                                          .mask = mask })),
             "ar,br,r,ab->abr", 0, 4, (const hed_array *const[]){ p, q, weight, mask },
             "khatri_rao with weights, mask and skip");
      agrees(hed_keep(hed_kr(1, three, &(hed_khatri_rao_options){ .weights = weight })), "ar,r->ar", 0, PAIR(p, weight),
             "khatri_rao of one matrix has its weights");
      hed_array *x = number(t, HED_SHAPE(i, j, k));
      const hed_array *const all[4] = { x, p, q, r };
      agrees(hed_keep(hed_unfolding_dot_khatri_rao(x, NULL, 3, three, 0)), "abc,br,cr->ar", 6, 3,
             (const hed_array *const[]){ x, q, r }, "unfolding times khatri_rao, mode 0");
      agrees(hed_keep(hed_unfolding_dot_khatri_rao(x, weight, 3, three, -1)), "abc,ar,br,r->cr", 6, 4,
             (const hed_array *const[]){ x, p, q, weight }, "unfolding times khatri_rao, last mode, weights");
      agrees(hed_keep(hed_mode_dot(x, q, 1, true)), "abc,bm->amc", 2, PAIR(x, q), "mode_dot with a conjugate transpose");
      agrees(hed_keep(hed_mode_dot(x, b, 2, true)), "abc,cm->abm", 2, PAIR(x, b), "mode_dot in the last mode");
      agrees(hed_keep(hed_mode_dot(x, v, 2, false)), "abc,c->ab", 0, PAIR(x, v), "mode_dot with a vector");
      agrees(hed_keep(hed_multi_mode_dot(x, 3, three, &(hed_multi_mode_options){ .transpose = true })),
             "abc,am,bn,co->mno", 14, 4, all, "multi_mode_dot");
      agrees(hed_keep(hed_multi_mode_dot(x, 2, (const hed_array *const[]){ v, p },
                                         &(hed_multi_mode_options){ .modes = HED_AXES(2, 0), .transpose = true })),
             "abc,c,am->mb", 4, 3, (const hed_array *const[]){ x, v, p }, "multi_mode_dot, modes in any order, a vector");
      hed_array *y = number(t, HED_SHAPE(k, m, i));
      agrees(hed_keep(hed_tensordot_batched(x, y, &(hed_tensordot_options){ .a_axes = HED_AXES(0), .b_axes = HED_AXES(2),
                                                                            .a_batch = HED_AXES(2), .b_batch = HED_AXES(0) })),
             "abc,cma->bcm", 0, PAIR(x, y), "tensordot with a batch, which stays in a's place");
      hed_array *factor = number(t, HED_SHAPE0);
      agrees(hed_keep(hed_tensordot_n(deep, factor, 0)), "abc,->abc", 0, PAIR(deep, factor), "tensordot over no axes");
      agrees(hed_keep(hed_multi_dot(3, (const hed_array *const[]){ a, b, hed_transpose(b, NULL) })), "ab,bc,dc->ad", 0, 3,
             (const hed_array *const[]){ a, b, b }, "multi_dot");
      hed_array *out = hed_transpose(hed_empty(HED_SHAPE(m, j, i, l), t), NULL);
      if (hed_tensordot_into(out, deep, hed_transpose(far, NULL), &HED_AXES(2), &HED_AXES(1)) != HED_OK)
        fail("tensordot_into: %s", hed_error_text());
      agrees(hed_keep(hed_copy(out)), "lab,mbc->lacm", 0, PAIR(deep, far),
             "tensordot into a transposed array");
    }
  }
}

/* Arrays in C order, large enough that products are taken in pieces. */
static void tensors(const char *backend)
{
  static hed_dtype const types[] = { &hed_dtype_float64, &hed_dtype_complex128, &hed_dtype_float32, &hed_dtype_complex64 };
  static const struct { int64_t dim[4]; const char *terms[4]; } cases[] = {
    { { 3, 20, 32, 1 }, { "abcd,br,cr,dr->ar", "abcd,ar,cr,dr->br", "abcd,ar,br,dr->cr", "abcd,ar,br,cr->dr" } },
    { { 20, 32, 2, 3 }, { "abcd,br,cr,dr->ar", "abcd,ar,cr,dr->br", "abcd,ar,br,dr->cr", "abcd,ar,br,cr->dr" } },
    { { 5, 9, 7, 4 }, { "abcd,br,cr,dr->ar", "abcd,ar,cr,dr->br", "abcd,ar,br,dr->cr", "abcd,ar,br,cr->dr" } },
  };
  static const char *const one_mode[4] = { "abcd,ar->rbcd", "abcd,br->arcd", "abcd,cr->abrd", "abcd,dr->abcr" };
  diag("products of arrays of more axes on %s", backend);
  gen_seed(&g, tap_seed());
  for (size_t round = 0; round < 3 * 4 * 4; round++) {
    const size_t i = round % 3;
    const int mode = (int)(round / 3 % 4);
    hed_dtype t = types[round / 12];
    HED_SCOPE
    {
      const int64_t *dim = cases[i].dim, columns = gen_int(&g, 1, 3);
      hed_array *x = hed_copy(number(t, HED_SHAPE(dim[0], dim[1], dim[2], dim[3]))), *f[4];
      const hed_array *list[4] = { x };
      for (int k = 0, n = 1; k < 4; k++) {
        f[k] = number(t, HED_SHAPE(dim[k], columns));
        if (k != mode)
          list[n++] = f[k];
      }
      hed_array *y = hed_unfolding_dot_khatri_rao(x, NULL, 4, (const hed_array *const[]){ f[0], f[1], f[2], f[3] }, mode);
      agrees(hed_keep(y), cases[i].terms[mode], 14, 4, list, "unfolding times khatri_rao, four axes");
      agrees(hed_keep(hed_mode_dot(x, f[mode], mode, true)), one_mode[mode], 2, PAIR(x, f[mode]), "mode_dot, four axes");
      agrees(hed_keep(hed_mode_dot(x, hed_transpose(f[mode], NULL), mode, false)), one_mode[mode], 0, PAIR(x, f[mode]),
             "mode_dot with rows");
    }
  }
}

/* Over axes in the middle of arrays in C order: rows before them are products of their own. */
static void middles(const char *backend)
{
  static hed_dtype const types[] = { &hed_dtype_float64, &hed_dtype_complex64, &hed_dtype_int32 };
  diag("tensordot over axes in the middle on %s", backend);
  gen_seed(&g, tap_seed());
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    HED_SCOPE
    {
      hed_dtype t = types[i];
      const hed_array *halves[] = { number(t, HED_SHAPE(2, 32, 64)), number(t, HED_SHAPE(2, 32, 64)) };
      hed_array *x = hed_concatenate(2, halves, 1), *four = hed_reshape(x, HED_SHAPE(2, 8, 8, 64));
      hed_array *b = number(t, HED_SHAPE(64, 5)), *c = number(t, HED_SHAPE(8, 3, 8)), *out = hed_zeros(HED_SHAPE(2, 64, 5), t);
      hed_array *turned = hed_transpose(hed_zeros(HED_SHAPE(5, 64, 2), t), NULL);
      agrees(hed_keep(hed_tensordot(x, b, &HED_AXES(1), &HED_AXES(0))), "lab,ac->lbc", 0, PAIR(x, b), "one axis");
      agrees(hed_keep(hed_tensordot(four, c, &HED_AXES(1, 2), &HED_AXES(2, 0))), "labd,bca->ldc", 0, PAIR(four, c), "two axes");
      is_int(hed_tensordot_into(out, x, b, &HED_AXES(1), &HED_AXES(0)), HED_OK, "into an array");
      agrees(hed_keep(hed_copy(out)), "lab,ac->lbc", 0, PAIR(x, b), "the same");
      is_int(hed_tensordot_into(turned, x, b, &HED_AXES(1), &HED_AXES(0)), HED_OK, "into a transposed one");
      agrees(hed_keep(hed_copy(turned)), "lab,ac->lbc", 0, PAIR(x, b), "the same");
    }
}

static void crosses(const char *backend)
{
  diag("cross and trace on %s", backend);
  hed_array *a = API_VECTOR(HED_FLOAT64, 1, 2, 3), *b = API_VECTOR(HED_FLOAT64, 4, 5, 6), *c = API_VECTOR(HED_FLOAT64, 7, -2);
  hed_array *q = api_iota(HED_SHAPE(3, 4), HED_INT8);
  api_is(hed_cross(a, b, -1), HED_SHAPE(3), HED_FLOAT64, API_LIST(-3, 6, -3), "cross");
  api_is(hed_cross(a, c, -1), HED_SHAPE(3), HED_FLOAT64, API_LIST(6, 21, -16), "3 with 2");
  api_is(hed_cross(c, a, 0), HED_SHAPE(3), HED_FLOAT64, API_LIST(-6, -21, 16), "2 with 3");
  api_is(hed_cross(c, c, 0), HED_SHAPE0, HED_FLOAT64, API_LIST(0), "2 with 2");
  api_is(hed_matrix_trace(q, 0, 0, 1), HED_SHAPE0, HED_INT64, API_LIST(15), "trace");
  api_is(hed_matrix_trace(q, 1, -2, -1), HED_SHAPE0, HED_INT64, API_LIST(18), "of an upper diagonal");
  api_is(hed_matrix_trace(q, -2, 0, 1), HED_SHAPE0, HED_INT64, API_LIST(8), "of a lower one");
  hed_array *other = hed_ones(HED_SHAPE(3, 5), HED_INT8);
  API_NULL(hed_cross(other, q, 0), HED_E_SHAPE, "cross: without the vectors' axis, shapes (5,) of a and (4,) of b");
  hed_release(other);
  API_NULL(hed_cross(a, q, 1), HED_E_AXIS, "cross: axis 1 is out of range");
  API_NULL(hed_cross(q, q, 1), HED_E_SHAPE, "axis 1 has extent 4 in a and 4 in b");
  API_NULL(hed_matrix_trace(q, 0, 0, -2), HED_E_SHAPE, "axis1 0 and axis2 -2 are the same");
  API_NULL(hed_matrix_trace(q, 0, 0, 2), HED_E_AXIS, "axis2 2 is out of range");
  RELEASE(a, b, c, q);
}

static void near(hed_array *x, double want, const char *name)
{
  double got = NAN;
  hed_item(x, &got);
  is_near(got, want, 1e-12, 0, "%s", name);
  hed_release(x);
}

/* Norms of columns against a sum in long double: more rows and columns than are taken at once, axes apart, extremes. */
static void column_norms(const char *backend)
{
  static hed_dtype const types[] = { &hed_dtype_float64, &hed_dtype_complex128, &hed_dtype_float32, &hed_dtype_complex64 };
  static const struct { int64_t dim[3]; hed_axes axes; } cases[] = {
    { { 1, 1030, 9 }, { 1, { 1 } } }, { { 3, 5, 1037 }, { 1, { 0 } } }, { { 7, 6, 31 }, { 2, { 0, 1 } } },
    { { 2, 1500, 40 }, { 2, { 0, 1 } } },
  };
  diag("norms of columns on %s", backend);
  gen_seed(&g, tap_seed());
  for (size_t round = 0; round < 16; round++) {
    const int64_t *d = cases[round % 4].dim, size = d[0] * d[1] * d[2];
    const hed_axes axes = cases[round % 4].axes;
    const bool is_complex = hed_dtype_kind(types[round / 4]) == HED_KIND_COMPLEX, wide_one = round / 4 < 2;
    double *v = malloc((size_t)(2 * size) * sizeof *v);
    for (int64_t k = 0; k < 2 * size; k++)
      v[k] = gen_double(&g, -3, 3) * (wide_one && k % (is_complex ? 2 * d[2] : d[2]) == 4 ? 0x1p700 : 1);
    v[0] = round % 3 ? v[0] : NAN;
    HED_SCOPE
    {
      const hed_shape shape = HED_SHAPE(d[0], d[1], d[2]);
      hed_array *x = hed_astype(hed_from_host(v, shape, is_complex ? HED_COMPLEX128 : HED_FLOAT64), types[round / 4]);
      hed_array *n = hed_vector_norm(x, 2, &(hed_reduce){ .axes = axes });
      double _Complex *values = elements(x), *got = elements(n);
      const int64_t results = hed_array_size(n);
      long double *want = calloc((size_t)results, sizeof *want);
      for (int64_t k = 0; k < size; k++) {
        const int64_t at = k % d[2] + (axes.n == 1 ? (axes.axis[0] == 0 ? k / d[2] % d[1] : k / d[2] / d[1]) * d[2] : 0);
        want[at] += (long double)creal(values[k]) * creal(values[k]) + (long double)cimag(values[k]) * cimag(values[k]);
      }
      int64_t wrong = -1;
      for (int64_t k = 0; k < results; k++) {
        const long double w = sqrtl(want[k]);
        if (isnan(w) ? !isnan(creal(got[k])) : !(fabsl(creal(got[k]) - w) <= w * (wide_one ? 0x1p-48L : 0x1p-22L)))
          wrong = k;
      }
      is_int(wrong, -1, "columns of %s, case %d", hed_dtype_name(types[round / 4]), (int)(round % 4));
      free(values);
      free(got);
      free(want);
    }
    free(v);
  }
}

static void norms(const char *backend)
{
  diag("norms on %s", backend);
  hed_array *a = api_array(HED_SHAPE(2, 3), HED_FLOAT64, API_LIST(3, 0, -4, 0, 12, 0));
  api_is(hed_vector_norm(a, 2, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(13), "order 2");
  api_is(hed_vector_norm(a, 1, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(19), "order 1");
  api_is(hed_vector_norm(a, 0, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(3), "order 0");
  api_is(hed_vector_norm(a, INFINITY, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(12), "order infinity");
  api_is(hed_vector_norm(a, -INFINITY, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(0), "order -infinity");
  api_is(hed_vector_norm(a, -2, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(0), "a negative order with a zero");
  api_is(hed_vector_norm(a, 2, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(2), HED_FLOAT64, API_LIST(5, 12), "rows");
  api_is(hed_norm(a, 2, &(hed_reduce){ .axes = HED_AXES(0), .keepdims = true }), HED_SHAPE(1, 3), HED_FLOAT64,
         API_LIST(3, 12, 4), "columns");
  api_is(hed_matrix_norm(a, HED_NORM_FROBENIUS, NULL, true), HED_SHAPE(1, 1), HED_FLOAT64, API_LIST(13), "Frobenius");
  api_is(hed_matrix_norm(a, HED_NORM_ONE, NULL, false), HED_SHAPE0, HED_FLOAT64, API_LIST(12), "largest column");
  api_is(hed_matrix_norm(a, HED_NORM_MINUS_ONE, NULL, false), HED_SHAPE0, HED_FLOAT64, API_LIST(3), "least column");
  api_is(hed_matrix_norm(a, HED_NORM_INF, NULL, false), HED_SHAPE0, HED_FLOAT64, API_LIST(12), "largest row");
  api_is(hed_matrix_norm(a, HED_NORM_MINUS_INF, &HED_AXES(0, 1), false), HED_SHAPE0, HED_FLOAT64, API_LIST(7), "least row");
  near(hed_matrix_norm(a, HED_NORM_TWO, NULL, false), 12, "spectral");
  near(hed_matrix_norm(a, HED_NORM_MINUS_TWO, NULL, false), 5, "its opposite");
  near(hed_matrix_norm(a, HED_NORM_NUCLEAR, NULL, false), 17, "nuclear");
  double got[3];
  for (int k = 0; k < 2; k++) {
    hed_array *far = hed_multiply_scalar(a, k ? 0x1p-1060 : 0x1p1015), *n = hed_vector_norm(far, 2, NULL);
    api_values(n, got);
    ok(got[0] == ldexp(13, k ? -1060 : 1015), "squares that leave the range: %g", got[0]);
    hed_release(n);
    n = hed_vector_norm(far, 7.5, &(hed_reduce){ .axes = HED_AXES(0) });
    api_values(n, got);
    ok(got[0] == ldexp(3, k ? -1060 : 1015), "powers that leave the range: %g", got[0]);
    RELEASE(n, far);
  }
  hed_array *nan = API_VECTOR(HED_FLOAT32, 1, NAN, INFINITY), *none = hed_zeros(HED_SHAPE(0, 2), HED_FLOAT32);
  api_is(hed_vector_norm(nan, 2, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(NAN), "NaN wins");
  api_is(hed_vector_norm(nan, INFINITY, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(NAN), "over infinity too");
  api_is(hed_vector_norm(nan, 0, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(3), "and is not 0");
  api_is(hed_vector_norm(none, 2, &(hed_reduce){ .axes = HED_AXES(0) }), HED_SHAPE(2), HED_FLOAT32, API_LIST(0, 0), "of nothing");
  api_is(hed_vector_norm(none, -1, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(INFINITY), "of nothing, a negative order");
  API_NULL(hed_vector_norm(a, NAN, NULL), HED_E_INVAL, "vector_norm: order is not a number");
  API_NULL(hed_norm(a, 0, NULL), HED_E_INVAL, "norm: order 0, positive ones");
  API_NULL(hed_norm(a, 2, &(hed_reduce){ .axes = HED_AXES(5) }), HED_E_AXIS, "axis 5 is out of range");
  API_NULL(hed_matrix_norm(none, HED_NORM_TWO, NULL, false), HED_E_SHAPE, "0 rows and 2 columns");
  API_NULL(hed_matrix_norm(nan, HED_NORM_TWO, NULL, false), HED_E_SHAPE, "2 axes of an array with 1");
  API_NULL(hed_matrix_norm(a, (hed_matrix_norm_kind)99, NULL, false), HED_E_INVAL, "kind 99");
  hed_array *whole = hed_zeros(HED_SHAPE0, HED_INT32);
  API_FAIL(hed_vector_norm_into(whole, a, 2, &(hed_reduce){ .axes = HED_AXES(0) }), HED_E_SHAPE, "out has shape ()");
  RELEASE(whole, nan, none, a);
}

static void errors(const char *backend)
{
  (void)backend;
  hed_array *a = hed_ones(HED_SHAPE(2, 3), HED_FLOAT32), *v = hed_ones(HED_SHAPE(4), HED_FLOAT32);
  const hed_array *const av[2] = { a, v }, *const aa[2] = { a, a }, *many[17];
  for (int k = 0; k < 17; k++)
    many[k] = a;
  API_NULL(hed_dot(a, a), HED_E_SHAPE, "dot: shapes (2, 3) of a and (2, 3) of b: the last axis of a has extent 3, axis 0 of b 2");
  API_NULL(hed_inner(a, v), HED_E_SHAPE, "inner: shapes (2, 3) of a and (4,) of b");
  API_NULL(hed_dot(a, NULL), HED_E_INVAL, "dot: argument b is NULL");
  API_NULL(hed_vdot(a, v), HED_E_SHAPE, "vdot: a has 6 elements, b 4");
  API_NULL(hed_vecdot(a, v, -1), HED_E_SHAPE, "vecdot: axis -1 has extent 3 in a and 4 in b");
  API_NULL(hed_vecdot(a, v, -2), HED_E_SHAPE, "vecdot: axis -2 is not in both shapes");
  API_NULL(hed_outer(17, many), HED_E_INVAL, "outer: 17 arrays, 1 to 16 are possible");
  API_NULL(hed_outer(16, many), HED_E_SHAPE, "outer: the result would have 32 axes");
  API_NULL(hed_outer(0, NULL), HED_E_INVAL, "outer: 0 arrays");
  API_NULL(hed_batched_outer(2, av), HED_E_SHAPE, "batched_outer: shapes (2, 3) of array 0 and (4,) of array 1");
  API_NULL(hed_kronecker(2, aa, &(hed_list_options){ .skip = HED_AXES(0, 1) }), HED_E_INVAL, "none is left");
  API_NULL(hed_kronecker(2, aa, &(hed_list_options){ .skip = HED_AXES(2) }), HED_E_AXIS, "axis 2 is out of range");
  API_NULL(hed_khatri_rao(2, av, NULL), HED_E_SHAPE, "khatri_rao: array 1 of shape (4,) is no matrix");
  hed_array *t = hed_ones(HED_SHAPE(3, 2), HED_FLOAT32);
  API_NULL(hed_khatri_rao(2, (const hed_array *const[]){ a, t }, NULL), HED_E_SHAPE,
           "khatri_rao: array 1 has 2 columns, array 0 3");
  API_NULL(hed_khatri_rao(2, aa, &(hed_khatri_rao_options){ .weights = v }), HED_E_SHAPE, "weights have shape (4,)");
  API_NULL(hed_khatri_rao(2, aa, &(hed_khatri_rao_options){ .mask = a }), HED_E_SHAPE, "mask has 6 elements, the result 4 rows");
  API_NULL(hed_mode_dot(a, v, 0, false), HED_E_SHAPE, "mode_dot: axis 0 of x has extent 2, axis 0 of array 0 4");
  API_NULL(hed_mode_dot(a, v, 2, false), HED_E_AXIS, "mode_dot: mode 2 is out of range");
  API_NULL(hed_multi_mode_dot(a, 2, av, &(hed_multi_mode_options){ .modes = HED_AXES(1) }), HED_E_INVAL,
           "multi_mode_dot: 2 arrays for 1 modes");
  API_NULL(hed_multi_mode_dot(a, 2, aa, &(hed_multi_mode_options){ .modes = HED_AXES(1, 1) }), HED_E_SHAPE, "listed twice");
  API_NULL(hed_unfolding_dot_khatri_rao(a, NULL, 1, aa, 0), HED_E_INVAL, "1 factors for the 2 axes of x");
  API_NULL(hed_unfolding_dot_khatri_rao(a, NULL, 2, aa, 0), HED_E_SHAPE, "axis 1 of x has extent 3, array 1 has 2 rows");
  API_NULL(hed_multi_dot(1, aa), HED_E_INVAL, "multi_dot: 1 arrays, 2 to 16");
  API_NULL(hed_multi_dot(2, aa), HED_E_SHAPE, "multi_dot: array 0 has 3 columns, array 1 2 rows");
  API_NULL(hed_tensordot_n(a, a, 3), HED_E_SHAPE, "tensordot: 3 axes to sum over, a has 2 and b 2");
  API_NULL(hed_tensordot_n(a, a, 1), HED_E_SHAPE, "tensordot: axis 1 of a has extent 3, axis 0 of b 2");
  API_NULL(hed_tensordot_batched(a, a, &(hed_tensordot_options){ .a_axes = HED_AXES(0), .b_axes = HED_AXES(0),
                                                                 .a_batch = HED_AXES(0), .b_batch = HED_AXES(1) }),
           HED_E_SHAPE, "axis 0 is both summed and a batch");
  API_FAIL(hed_tensordot_into(v, a, a, &HED_AXES(0), &HED_AXES(0)), HED_E_SHAPE, "tensordot: out has shape (4,), the result (3, 3)");
  API_FAIL(hed_dot_into(v, a, a), HED_E_SHAPE, "do not fit");
  RELEASE(a, v, t);
}

int main(void)
{
  api_each_backend(products);
  api_each_backend(tensors);
  api_each_backend(middles);
  api_each_backend(crosses);
  api_each_backend(column_norms);
  api_each_backend(norms);
  api_each_backend(errors);
  done_testing();
  return done();
}
