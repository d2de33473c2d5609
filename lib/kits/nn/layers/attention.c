// SPDX-License-Identifier: BSD-3-Clause
/* Softmax of products, by blocks of queries.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/layers/layers.h"
#include <math.h>

enum { BLOCK = 1024 };

static hed_array *queries(const hed_array *x, int64_t from, int64_t to)
{
  hed_slice_range r[HED_MAX_NDIM];
  const int n = hed_array_ndim(x) - 1;
  for (int k = 0; k < n; k++)
    r[k] = k == n - 1 ? HED_RANGE(from, to, 1) : HED_ALL;
  return hed_slice(x, n, r);
}

/* Where queries FROM to TO may read M keys: NULL, everywhere. */
static hed_array *may_read(const hed_nn_attention_options *o, int64_t from, int64_t to, int64_t m)
{
  hed_array *mask = NULL;
  if (o->causal)
    mask = hed_tri(to - from, m, from, HED_BOOL);
  if (o->mask) {
    const int n = hed_array_ndim(o->mask);
    hed_array *given = n > 1 && hed_array_shape(o->mask).dim[n - 2] > 1 ? queries(o->mask, from, to) : (hed_array *)o->mask;
    mask = o->causal ? hed_logical_and(mask, given) : given;
  }
  return mask;
}

/* Weights of keys that may not be read are those of a score that no other comes near; then they are 0 by choice, so that a query
 * without any has 0 and no NaN. */
static hed_array *block(const hed_array *q, const hed_array *kt, const hed_array *v, const hed_nn_attention_options *o, double scale,
                        int64_t from, int64_t to)
{
  const int n = hed_array_ndim(kt);
  if (!kt)
    return NULL;
  const hed_array *mask = may_read(o, from, to, hed_array_shape(kt).dim[n - 1]);
  const hed_array *scores = hed_multiply_scalar(hed_matmul(queries(q, from, to), kt), scale);
  if ((o->causal || o->mask) && !mask)
    return NULL;
  if (mask)
    scores = hed_where(mask, scores, hed_scalar(-1e30));
  const hed_array *w = hed_softmax(scores, -1);
  return hed_matmul(mask ? hed_where(mask, w, hed_scalar(0)) : w, v);
}

static bool check(const char *op, const hed_array *q, const hed_array *k, const hed_array *v, const hed_nn_attention_options *o)
{
  const hed_array *x[3] = { q, k, v };
  int64_t d[3], n[3];
  for (int i = 0; i < 3; i++) {
    const hed_shape s = hed_array_shape(x[i]);
    if (s.ndim < 2) {
      (void)hed_fail(HED_E_SHAPE, "%s: %c has %d axes; at least 2 are wanted", op, "qkv"[i], (int)s.ndim);
      return false;
    }
    d[i] = s.dim[s.ndim - 1];
    n[i] = s.dim[s.ndim - 2];
  }
  if (d[0] != d[1] || n[1] != n[2] || d[0] < 1 || n[1] < 1) {
    (void)hed_fail(HED_E_SHAPE, "%s: q has %lld columns, k has %lld; k has %lld rows, v has %lld", op, (long long)d[0],
                   (long long)d[1],
                   (long long)n[1], (long long)n[2]);
    return false;
  }
  if (o->mask && hed_array_dtype(o->mask) != HED_BOOL) {
    (void)hed_fail(HED_E_DTYPE, "%s: mask is %s; it has to be bool", op, hed_dtype_name(hed_array_dtype(o->mask)));
    return false;
  }
  if (!(o->scale >= 0) || isinf(o->scale)) {
    (void)hed_fail(HED_E_INVAL, "%s: scale is %g", op, o->scale);
    return false;
  }
  return true;
}

static bool all_given(const char *op, const hed_array *q, const hed_array *k, const hed_array *v)
{
  return hed__operand_given(op, "q", q) && hed__operand_given(op, "k", k) && hed__operand_given(op, "v", v);
}

static hed_array *attend(const hed_array *q, const hed_array *k, const hed_array *v, const hed_nn_attention_options *o)
{
  enum { MOST = 64 };
  const hed_array *parts[MOST], *kt = hed_matrix_transpose(k);
  const int axes = hed_array_ndim(q);
  const int64_t n = hed_array_shape(q).dim[axes - 2], size = n > (int64_t)MOST * BLOCK ? (n + MOST - 1) / MOST : BLOCK;
  const double scale = o->scale != 0 ? o->scale : 1 / sqrt((double)hed_array_shape(q).dim[axes - 1]);
  int m = 0;
  if (n <= size)
    return block(q, kt, v, o, scale, 0, n);
  for (int64_t from = 0; from < n; from += size)
    parts[m++] = block(q, kt, v, o, scale, from, from + size < n ? from + size : n);
  return hed_concatenate(m, parts, -2);
}

hed_array *hed_nn_attention(const hed_array *q, const hed_array *k, const hed_array *v, const hed_nn_attention_options *opt)
{
  const hed_nn_attention_options none = { .heads = 0 }, *o = opt ? opt : &none;
  hed_array *kept = NULL;
  if (!all_given("hed_nn_attention", q, k, v) || !check("hed_nn_attention", q, k, v, o))
    return NULL;
  HED_SCOPE kept = hed_keep(attend(q, k, v, o));
  return hed__nn_out(kept);
}

/* ---- heads ---- */

hed_status hed_nn_multihead_init(hed_nn_params *p, const char *prefix, int64_t size, hed_dtype t, const hed_random *r)
{
  const double in = size > 0 ? sqrt(6 / (4 * (double)size)) : 1, out = size > 0 ? 1 / sqrt((double)size) : 1;
  const hed__nn_new list[4] = { { .name = "in_proj_weight", .shape = HED_SHAPE(3 * size, size), .drawn = true, .limit = in },
                                { .name = "in_proj_bias", .shape = HED_SHAPE(3 * size) },
                                { .name = "out_proj.weight", .shape = HED_SHAPE(size, size), .drawn = true, .limit = out },
                                { .name = "out_proj.bias", .shape = HED_SHAPE(size) } };
  return hed__nn_layer_init("hed_nn_multihead_init", p, prefix, 4, list, t, r);
}

/* Part K of the projections of X (B, N, E), by heads: (B, H, N, E / H). */
static hed_array *project(const hed_array *w, const hed_array *b, const hed_array *x, int64_t k, int64_t heads)
{
  const hed_shape s = hed_array_shape(x);
  const int64_t e = s.dim[2];
  const hed_array *flat = hed_reshape(x, HED_SHAPE(s.dim[0] * s.dim[1], e));
  const hed_array *y = hed__nn_affine(flat, hed__nn_rows(w, k * e, (k + 1) * e), hed__nn_rows(b, k * e, (k + 1) * e));
  return hed_swapaxes(hed_reshape(y, HED_SHAPE(s.dim[0], s.dim[1], heads, e / heads)), 1, 2);
}

static bool check_heads(const char *op, const hed_array *const *x, int64_t e, int64_t heads)
{
  for (int i = 0; i < 3; i++) {
    const hed_shape s = hed_array_shape(x[i]);
    if (s.ndim != 3 || s.dim[2] != e) {
      (void)hed_fail(HED_E_SHAPE, "%s: %c has %d axes, the last of %lld; wanted are 3, the last of %lld", op, "qkv"[i], (int)s.ndim,
                     s.ndim ? (long long)s.dim[s.ndim - 1] : 0LL, (long long)e);
      return false;
    }
  }
  if (heads >= 1 && heads <= e && e % heads == 0)
    return true;
  (void)hed_fail(HED_E_INVAL, "%s: heads is %lld, no divisor of %lld", op, (long long)heads, (long long)e);
  return false;
}

hed_array *hed_nn_multihead(const hed_nn_params *p, const char *prefix, const hed_array *q, const hed_array *k, const hed_array *v,
                            const hed_nn_attention_options *opt)
{
  static const char *const op = "hed_nn_multihead";
  const hed_nn_attention_options none = { .heads = 0 }, *o = opt ? opt : &none;
  const int64_t heads = o->heads ? o->heads : 1;
  const hed_array *x[3] = { q, k, v }, *w[4];
  static const char *const names[] = { "in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias" };
  hed_array *kept = NULL;
  if (!all_given(op, q, k, v))
    return NULL;
  for (int i = 0; i < 4; i++)
    if (!(w[i] = hed__nn_layer_weight(op, p, prefix, names[i], false)))
      return NULL;
  const int64_t e = hed_array_shape(w[2]).dim[0];
  const hed_shape want[4] = { HED_SHAPE(3 * e, e), HED_SHAPE(3 * e), HED_SHAPE(e, e), HED_SHAPE(e) };
  for (int i = 0; i < 4; i++)
    if (hed__nn_wants_shape(op, "parameter", names[i], w[i], want[i]) != HED_OK)
      return NULL;
  if (!check_heads(op, x, e, heads))
    return NULL;
  HED_SCOPE {
    const hed_array *by_head[3];
    for (int i = 0; i < 3; i++)
      by_head[i] = project(w[0], w[1], x[i], i, heads);
    const hed_array *y = by_head[0] && by_head[1] && by_head[2] && check(op, by_head[0], by_head[1], by_head[2], o)
                             ? attend(by_head[0], by_head[1], by_head[2], o) : NULL;
    const hed_shape s = hed_array_shape(q);
    const hed_array *flat = hed_reshape(hed_swapaxes(y, 1, 2), HED_SHAPE(s.dim[0] * s.dim[1], e));
    kept = hed_keep(hed_reshape(hed__nn_affine(flat, w[2], w[3]), s));
  }
  return hed__nn_out(kept);
}
