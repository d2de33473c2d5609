// SPDX-License-Identifier: BSD-3-Clause
/* Normalisation by a norm, cosine similarity, distances. L3. */
#include "composite/nn.h"
#include "core/record/body.h"

hed_array *HED_BODY(normalize)(const hed_array *x, const hed_normalize_options *opt)
{
  static const hed_normalize_options defaults;
  uint32_t mask;
  if (!hed__given(x, "normalize", "x"))
    return NULL;
  if (!opt)
    opt = &defaults;
  int id = hed__infer_operands(HED_OP_NORMALIZE, 1, &x, (const char *const[]){ "x" });
  if (id < 0 || hed__check_axes("normalize", &opt->axes, x->view.ndim, &mask) != HED_OK)
    return NULL;
  if (!(opt->ord >= 0) || !(opt->eps >= 0)) {
    hed_fail(HED_E_INVAL, "normalize: ord %g and eps %g have to be 0 or more", opt->ord, opt->eps);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, HED_OP_NORMALIZE, 1, &x) != HED_OK)
    return NULL;
  hed_reduce o = { .axes = opt->axes, .keepdims = true };
  hed_array *wide = hed_astype(c.ex.in[0], nn_wide(id)), *y = wide;
  if (wide && hed__view_size(&wide->view) > 0)
    y = hed_divide(wide, hed_add_scalar(hed_vector_norm(wide, opt->ord > 0 ? opt->ord : 2, &o), opt->eps > 0 ? opt->eps : 1e-12));
  return composed_end(&c, y ? hed_astype(y, hed__dtypes[id]) : NULL);
}

hed_array *HED_BODY(normalize_vector)(const hed_array *x, const hed_axes *axes)
{
  uint32_t mask;
  if (!hed__given(x, "normalize_vector", "x"))
    return NULL;
  int id = hed__infer_operands(HED_OP_NORMALIZE_VECTOR, 1, &x, (const char *const[]){ "x" });
  if (id < 0 || hed__check_axes("normalize_vector", axes, x->view.ndim, &mask) != HED_OK)
    return NULL;
  composed c;
  if (composed_begin(&c, HED_OP_NORMALIZE_VECTOR, 1, &x) != HED_OK)
    return NULL;
  hed_reduce o = { .axes = axes ? *axes : (hed_axes){ 0 }, .keepdims = true };
  hed_array *wide = hed_astype(c.ex.in[0], nn_wide(id)), *size = hed_vector_norm(wide, 2, &o);
  hed_array *y = hed_divide(wide, hed_where_scalar(hed_not_equal_scalar(size, 0), size, 1));
  return composed_end(&c, y ? hed_astype(y, hed__dtypes[id]) : NULL);
}

hed_array *HED_BODY(cosine_similarity)(const hed_array *a, const hed_array *b, int32_t axis)
{
  int id = nn_pair(HED_OP_COSINE_SIMILARITY, a, b, "a", "b");
  if (id < 0)
    return NULL;
  int ndim = a->view.ndim > b->view.ndim ? a->view.ndim : b->view.ndim;
  int at = hed__check_axis("cosine_similarity", "axis", axis, ndim);
  composed c;
  if (at < 0 || composed_begin(&c, HED_OP_COSINE_SIMILARITY, 2, (const hed_array *const[]){ a, b }) != HED_OK)
    return NULL;
  hed_shape s = hed__shape_of(a), t = hed__shape_of(b), both;
  const int back = ndim - at; /* counted from the end, for both */
  hed_reduce o = { .axes = HED_AXES(-back) };
  hed_array *x = hed_astype(c.ex.in[0], nn_wide(id)), *y = hed_astype(c.ex.in[1], nn_wide(id));
  if (s.ndim < back || t.ndim < back || s.dim[s.ndim - back] != t.dim[t.ndim - back]) {
    hed__broadcast(&s, &t, &both);
    x = hed_broadcast_to(x, both);
    y = hed_broadcast_to(y, both);
  }
  /* norms are divided one after the other: their product could overflow or vanish */
  hed_array *nx = hed_vector_norm(x, 2, &o), *ny = hed_vector_norm(y, 2, &o), *dot = hed_real(hed_vecdot(x, y, -back));
  hed_array *both_there = hed_logical_and(nx, ny);
  hed_array *cosine = hed_divide_where(both_there, hed_divide_where(both_there, dot, nx, 0), ny, 0);
  cosine = hed_clip(cosine, -1, 1);
  return composed_end(&c, cosine ? hed_astype(cosine, hed__dtypes[hed__real_of(id)]) : NULL);
}

hed_array *HED_BODY(euclidean_distance)(const hed_array *a, const hed_array *b, const hed_reduce *opt)
{
  int id = nn_pair(HED_OP_EUCLIDEAN_DISTANCE, a, b, "a", "b");
  composed c;
  if (id < 0 || composed_begin(&c, HED_OP_EUCLIDEAN_DISTANCE, 2, (const hed_array *const[]){ a, b }) != HED_OK)
    return NULL;
  hed_array *x = hed_astype(c.ex.in[0], nn_wide(id)), *y = hed_astype(c.ex.in[1], nn_wide(id));
  hed_array *d = hed_vector_norm(hed_subtract(x, y), 2, opt);
  return composed_end(&c, d ? hed_astype(d, hed__dtypes[hed__real_of(id)]) : NULL);
}

hed_array *HED_BODY(hamming_distance)(const hed_array *a, const hed_array *b, const hed_reduce *opt)
{
  if (nn_pair(HED_OP_HAMMING_DISTANCE, a, b, "a", "b") < 0)
    return NULL;
  composed c;
  if (composed_begin(&c, HED_OP_HAMMING_DISTANCE, 2, (const hed_array *const[]){ a, b }) != HED_OK)
    return NULL;
  return composed_end(&c, hed_count_nonzero(hed_not_equal(c.ex.in[0], c.ex.in[1]), opt));
}
