// SPDX-License-Identifier: BSD-3-Clause
/* matmul, tensordot, einsum, svd, cholesky of NaN: shapes, promotion of 1-D operands, broadcasting, random subscripts against
 * loops. */
#include "api.h"
#include "gen.h"
#include <math.h>

static void products(const char *backend)
{
  diag("products on %s", backend);
  hed_array *a = api_iota(HED_SHAPE(2, 3), HED_FLOAT32), *b = api_iota(HED_SHAPE(3, 2), HED_FLOAT32);
  hed_array *v = API_VECTOR(HED_FLOAT32, 1, 2, 3), *i = api_iota(HED_SHAPE(3, 2), HED_INT16);
  api_is(hed_matmul(a, b), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(10, 13, 28, 40), "matrix times matrix");
  api_is(hed_matmul(a, v), HED_SHAPE(2), HED_FLOAT32, API_LIST(8, 26), "matrix times vector");
  api_is(hed_matmul(v, b), HED_SHAPE(2), HED_FLOAT32, API_LIST(16, 22), "vector times matrix");
  api_is(hed_matmul(v, v), HED_SHAPE0, HED_FLOAT32, API_LIST(14), "vector times vector");
  api_is(hed_matmul(a, i), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(10, 13, 28, 40), "float32 with int16");
  hed_array *ti = hed_transpose(i, NULL);
  api_is(hed_matmul(ti, i), HED_SHAPE(2, 2), HED_INT16, API_LIST(20, 26, 26, 35), "integers");
  hed_release(ti);
  hed_array *batch = api_iota(HED_SHAPE(2, 1, 2, 3), HED_FLOAT64), *other = api_iota(HED_SHAPE(2, 3, 1), HED_FLOAT64);
  api_is(hed_matmul(batch, other), HED_SHAPE(2, 2, 2, 1), HED_FLOAT64, API_LIST(5, 14, 14, 50, 23, 32, 86, 122),
         "batches broadcast");
  api_is(hed_matmul(batch, v), HED_SHAPE(2, 1, 2), HED_FLOAT64, API_LIST(8, 26, 44, 62), "batch times vector");
  hed_array *none = hed_zeros(HED_SHAPE(2, 0), HED_FLOAT32), *none2 = hed_zeros(HED_SHAPE(0, 2), HED_FLOAT32);
  api_is(hed_matmul(none, none2), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(0, 0, 0, 0), "sums of nothing");
  RELEASE(none, none2);
  hed_array *out = hed_zeros(HED_SHAPE(2, 2), HED_FLOAT64);
  is_int(hed_matmul_into(out, a, b), HED_OK, "into float64");
  api_is(hed_copy(out), HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(10, 13, 28, 40), "its values");
  API_FAIL(hed_matmul_into(out, out, out), HED_E_INVAL, "matmul: out and a share memory");
  API_FAIL(hed_matmul_into(out, a, v), HED_E_SHAPE, "matmul: out has shape (2, 2), the result (2,)");
  API_NULL(hed_matmul(a, a), HED_E_SHAPE, "matmul: shapes (2, 3) of a and (2, 3) of b do not fit: the inner extents differ");
  hed_array *zero = hed_zeros(HED_SHAPE0, HED_FLOAT32), *three = hed_zeros(HED_SHAPE(3, 3, 2), HED_FLOAT64);
  API_NULL(hed_matmul(a, zero), HED_E_SHAPE, "both need at least one axis");
  hed_array *pair = hed_zeros(HED_SHAPE(2, 2, 3), HED_FLOAT64);
  API_NULL(hed_matmul(pair, three), HED_E_SHAPE, "the leading axes do not broadcast");
  RELEASE(zero, pair, three);

  api_is(hed_tensordot(a, b, &HED_AXES(1), &HED_AXES(0)), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(10, 13, 28, 40),
         "tensordot as matmul");
  api_is(hed_tensordot(a, b, &HED_AXES(0, 1), &HED_AXES(1, 0)), HED_SHAPE0, HED_FLOAT32, API_LIST(50),
         "tensordot over all axes");
  api_is(hed_tensordot(v, v, NULL, NULL), HED_SHAPE(3, 3), HED_FLOAT32, API_LIST(1, 2, 3, 2, 4, 6, 3, 6, 9),
         "tensordot over no axes");
  API_NULL(hed_tensordot(a, b, &HED_AXES(0), &HED_AXES(0)), HED_E_SHAPE,
           "tensordot: axis 0 of a has extent 2, axis 0 of b 3");
  API_NULL(hed_tensordot(a, b, &HED_AXES(0), NULL), HED_E_SHAPE, "1 axes of a are paired with 0 of b");
  RELEASE(a, b, v, i, out, batch, other);
}

static hed_array *ein(const char *s, const hed_array *a, const hed_array *b, const hed_array *c)
{
  return hed_einsum(s, c ? 3 : b ? 2 : 1, (const hed_array *[]){ a, b, c });
}

static void named(const char *backend)
{
  diag("einsum on %s", backend);
  hed_array *a = api_iota(HED_SHAPE(2, 3), HED_FLOAT32), *q = api_iota(HED_SHAPE(3, 3), HED_INT32);
  hed_array *v = API_VECTOR(HED_FLOAT32, 1, 2, 3), *one = hed_ones(HED_SHAPE(1, 3), HED_FLOAT32);
  api_is(ein("ij->ji", a, NULL, NULL), HED_SHAPE(3, 2), HED_FLOAT32, API_LIST(0, 3, 1, 4, 2, 5), "transpose");
  api_is(ein("ji", a, NULL, NULL), HED_SHAPE(3, 2), HED_FLOAT32, API_LIST(0, 3, 1, 4, 2, 5), "implicit order");
  api_is(ein("ii->i", q, NULL, NULL), HED_SHAPE(3), HED_INT32, API_LIST(0, 4, 8), "diagonal");
  api_is(ein("ii", q, NULL, NULL), HED_SHAPE0, HED_INT32, API_LIST(12), "trace keeps int32");
  api_is(ein("ij->", a, NULL, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(15), "sum");
  api_is(ein(" i j , j -> i ", a, v, NULL), HED_SHAPE(2), HED_FLOAT32, API_LIST(8, 26), "blanks");
  api_is(ein("i,j->ji", v, v, NULL), HED_SHAPE(3, 3), HED_FLOAT32, API_LIST(1, 2, 3, 2, 4, 6, 3, 6, 9), "outer product");
  api_is(ein("ij,ij->ij", a, one, NULL), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "extent 1 broadcasts");
  api_is(ein("...j,j->...", a, v, NULL), HED_SHAPE(2), HED_FLOAT32, API_LIST(8, 26), "ellipsis");
  api_is(ein("...j,...j", a, v, NULL), HED_SHAPE(2), HED_FLOAT32, API_LIST(8, 26), "ellipsis of different lengths");
  api_is(ein("ij,jk,k->i", a, q, v), HED_SHAPE(2), HED_FLOAT32, API_LIST(114, 348), "three operands");
  hed_array *t = hed_ones(HED_SHAPE(2, 2), HED_BOOL);
  api_is(ein("ij,jk->ik", t, t, NULL), HED_SHAPE(2, 2), HED_BOOL, API_LIST(1, 1, 1, 1), "bool");
  api_is(ein("ij->", t, NULL, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "bool sums to bool");
  hed_release(t);
  t = ein("ij->ij", a, NULL, NULL);
  hed_fill(t, 9);
  double w = 0;
  hed_array *s = hed_sum(a, NULL);
  hed_item(s, &w);
  ok(w == 15, "the result has memory of its own");
  RELEASE(s, t);
  API_NULL(ein("ij,jk", a, a, NULL), HED_E_SHAPE, "label j has extent 3 in operand 0 and 2 in operand 1");
  API_NULL(ein("ii", a, NULL, NULL), HED_E_SHAPE, "label i has extents 2 and 3 in operand 0");
  API_NULL(ein("ijk", a, NULL, NULL), HED_E_SHAPE, "term 0 names 3 axes, operand 0 has 2");
  API_NULL(ein("ij->k", a, NULL, NULL), HED_E_INVAL, "output label k is in no operand");
  API_NULL(ein("ij->ii", a, NULL, NULL), HED_E_INVAL, "output label i is there twice");
  API_NULL(ein("ij,jk", a, NULL, NULL), HED_E_INVAL, "have more terms than the 1 operands");
  API_NULL(ein("ij", a, v, NULL), HED_E_INVAL, "have 1 terms for 2 operands");
  API_NULL(ein("i1", a, NULL, NULL), HED_E_INVAL, "character 49 at position 1 is no label");
  API_NULL(ein("i..j", a, NULL, NULL), HED_E_INVAL, "an ellipsis has three dots");
  API_NULL(ein("......", a, NULL, NULL), HED_E_INVAL, "a second ellipsis");
  API_NULL(ein("ij-", a, NULL, NULL), HED_E_INVAL, "'-' without '>'");
  API_NULL(ein("ij->i->j", a, NULL, NULL), HED_E_INVAL, "go on after the output");
  API_NULL(ein("...j->j", a, NULL, NULL), HED_E_INVAL, "the output lacks the ellipsis, which stands for 1 axes");
  API_NULL(ein("abcdefghijklmnopqrstuvwxyz", a, NULL, NULL), HED_E_SHAPE, "more than 16 axes");
  API_NULL(hed_einsum(NULL, 1, (const hed_array *[]){ a }), HED_E_INVAL, "subscripts is NULL");
  API_NULL(hed_einsum("i", 0, (const hed_array *[]){ a }), HED_E_INVAL, "0 operands");
  API_NULL(hed_einsum("i", 1, (const hed_array *[]){ NULL }), HED_E_INVAL, "argument operand 0 is NULL");
  RELEASE(a, q, v, one);
}

/* Random subscripts over labels a to e, with repeated labels; the sum over all labels, index by index. */
static void random_subscripts(const char *backend)
{
  enum { LABELS = 5 };
  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  for (int round = 0; round < 300 && good; round++) {
    int n = (int)gen_int(&g, 1, 4), at[4], len[4], out_len = 0, out[LABELS];
    int64_t extent[LABELS];
    char text[64], *p = text;
    int label[4][3];
    bool there[LABELS] = { false };
    hed_array *x[4];
    double values[4][64], want[1024] = { 0 }, got[1024];
    for (int k = 0; k < LABELS; k++)
      extent[k] = gen_int(&g, 1, 4);
    for (int k = 0; k < n; k++) {
      hed_shape s = { .ndim = (int)gen_int(&g, k == 0, 3) };
      len[k] = s.ndim;
      for (int j = 0; j < s.ndim; j++) {
        label[k][j] = (int)gen_int(&g, 0, LABELS - 1);
        there[label[k][j]] = true;
        s.dim[j] = extent[label[k][j]];
        *p++ = (char)('a' + label[k][j]);
      }
      *p++ = ',';
      for (int j = 0; j < 64; j++)
        values[k][j] = (double)gen_int(&g, -3, 3);
      x[k] = api_array(s, HED_FLOAT64, values[k]);
    }
    p[-1] = '-';
    *p++ = '>';
    int perm[LABELS], total = 1;
    gen_permutation(&g, LABELS, perm);
    for (int k = 0; k < LABELS; k++)
      if (there[perm[k]] && gen_chance(&g, 50)) {
        out[out_len++] = perm[k];
        *p++ = (char)('a' + perm[k]);
      }
    *p = 0;
    int64_t index[LABELS] = { 0 };
    for (int k = 0; k < LABELS; k++)
      total *= there[k] ? (int)extent[k] : 1;
    for (int k = 0; k < total; k++) {
      int rest = k, o = 0;
      double product = 1;
      for (int j = 0; j < LABELS; j++) {
        index[j] = there[j] ? rest % extent[j] : 0;
        rest /= there[j] ? (int)extent[j] : 1;
      }
      for (int j = 0; j < n; j++) {
        at[j] = 0;
        for (int m = 0; m < len[j]; m++)
          at[j] = at[j] * (int)extent[label[j][m]] + (int)index[label[j][m]];
        product *= values[j][at[j]];
      }
      for (int j = 0; j < out_len; j++)
        o = o * (int)extent[out[j]] + (int)index[out[j]];
      want[o] += product;
    }
    int64_t size = 1;
    for (int j = 0; j < out_len; j++)
      size *= extent[out[j]];
    hed_array *y = hed_einsum(text, n, (const hed_array *const *)x);
    good = y && hed_array_ndim(y) == out_len && hed_array_is_contiguous(y) && api_values(y, got) == size;
    for (int64_t k = 0; k < size && good; k++)
      good = got[k] == want[k];
    if (!good)
      diag("round %d: \"%s\": %s", round, text, hed_error_text());
    for (int k = 0; k < n; k++)
      hed_release(x[k]);
    hed_release(y);
  }
  ok(good, "%s: 300 random subscripts of up to four operands", backend);
}

static void singular_values(const char *backend)
{
  diag("svd on %s", backend);
  hed_array *a = api_array(HED_SHAPE(2, 3, 2), HED_FLOAT64, API_LIST(3, 0, 0, -2, 0, 0, 1, 2, 3, 4, 5, 6));
  hed_array *u, *s, *vh;
  is_int(hed_svd(a, false, &u, &s, &vh), HED_OK, "svd");
  ok(hed_array_shape(u).dim[2] == 2 && hed_array_shape(vh).dim[1] == 2, "reduced shapes");
  hed_array *first = hed_index(s, 0, 0);
  double got[64], back[64];
  api_values(first, got);
  is_near(got[0], 3, 1e-12, 0, "largest singular value");
  is_near(got[1], 2, 1e-12, 0, "least");
  hed_array *sv = hed_expand_dims(s, 1), *us = hed_multiply(u, sv), *again = hed_matmul(us, vh);
  api_values(a, got);
  api_values(again, back);
  double worst = 0;
  for (int k = 0; k < 12; k++)
    worst = fmax(worst, fabs(got[k] - back[k]));
  ok(worst < 1e-12, "u s vh is a (%g)", worst);
  RELEASE(first, sv, us, again, u, s, vh);
  is_int(hed_svd(a, true, &u, NULL, NULL), HED_OK, "only u, with a full basis");
  ok(hed_array_shape(u).dim[1] == 3 && hed_array_shape(u).dim[2] == 3, "full shape");
  hed_release(u);
  hed_array *none = hed_zeros(HED_SHAPE(2, 0), HED_FLOAT32);
  is_int(hed_svd(none, true, &u, &s, &vh), HED_OK, "svd of no columns");
  api_is(u, HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(1, 0, 0, 1), "its full basis is the identity");
  ok(hed_array_size(s) == 0 && hed_array_size(vh) == 0, "the rest is empty");
  RELEASE(s, vh, none);
  hed_array *i = hed_astype(a, HED_INT32), *v = hed_reshape(a, HED_SHAPE(12));
  is_int(hed_svd(i, false, NULL, &s, NULL), HED_OK, "svd of integers");
  ok(hed_array_dtype(s) == HED_FLOAT32, "is computed in the context's REAL");
  hed_release(s);
  API_FAIL(hed_svd(v, false, &u, &s, &vh), HED_E_SHAPE, "svd: a of shape (12,) has no rows and columns");
  ok(!u && !s && !vh, "outputs are NULL after a failure");
  RELEASE(i, v, a);
}

/* A pivot that is NaN is not positive: whatever the order and however many matrices, the first such minor is named. */
static void pivots_of_nan(const char *backend)
{
  static const int orders[] = { 1, 2, 3, 5, 8, 17, 40, 100 };
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  gen g;
  int wrong = 0;
  gen_seed(&g, tap_seed());
  for (size_t k = 0; k < 4 * sizeof orders / sizeof *orders; k++)
    for (int turn = 0; turn < 4; turn++)
      HED_SCOPE {
        const int64_t n = orders[k / 4], row = gen_int(&g, 0, n - 1), column = gen_int(&g, 0, row), count = turn & 1 ? 1 : 9;
        char text[80];
        double *v = calloc((size_t)(count * n * n), sizeof *v);
        for (int64_t i = 0; i < count * n; i++)
          v[i * n + i % n] = 1;
        double *last = v + (count - 1) * n * n;
        last[row * n + column] = last[column * n + row] = NAN;
        const hed_array *batch = api_array(HED_SHAPE(count, n, n), types[k % 4], v);
        free(v);
        snprintf(text, sizeof text, "order %d", (int)row + 1);
        const bool refused = !hed_cholesky(batch, turn & 2) && hed_error() == HED_E_SINGULAR && strstr(hed_error_text(), text);
        wrong += !refused;
        if (!refused)
          diag("%s, order %d, %d of %s: NaN at (%d, %d): %s", backend, (int)n, (int)count, hed_dtype_name(types[k % 4]), (int)row,
               (int)column, hed_error_text());
        hed_error_clear();
      }
  is_int(wrong, 0, "%s: cholesky refuses pivots that are NaN", backend);
}

int main(void)
{
  api_each_backend(products);
  api_each_backend(pivots_of_nan);
  api_each_backend(named);
  api_each_backend(random_subscripts);
  api_each_backend(singular_values);
  done_testing();
  return done();
}
