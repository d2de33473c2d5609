// SPDX-License-Identifier: BSD-3-Clause
/* Convolution as the sum that defines it, over any number of axes, zeros outside. Floats and complex numbers are summed in
 * double, integers in 64 bits that wrap; bool: some product is not 0. L1.
 *
 * For each element of the second operand the part of the result that it reaches is a box; its rows take one multiple of
 * a row of the first operand each.
 */
#include "backends/reference/number.h"
#include "base/dtype.h"

#include <string.h>

typedef struct sum {
  int32_t ndim;
  const int64_t *dim, *a_dim, *b_dim; /* of the result and of the operands */
  const int64_t *start;
  int wide;
  char *a, *b, *out;                  /* dense, of the type WIDE */
} sum;

static void add_row(const sum *s, int64_t n, int64_t out, int64_t a, int64_t b)
{
  if (s->wide == HED_ID_FLOAT64) {
    double *to = (double *)(void *)s->out + out;
    const double *x = (const double *)(const void *)s->a + a, f = ((const double *)(const void *)s->b)[b];
    for (int64_t k = 0; k < n; k++)
      to[k] += f * x[k];
  } else if (s->wide == HED_ID_COMPLEX128) {
    ref_complex *to = (ref_complex *)(void *)s->out + out;
    const ref_complex *x = (const ref_complex *)(const void *)s->a + a, f = ((const ref_complex *)(const void *)s->b)[b];
    for (int64_t k = 0; k < n; k++) {
      to[k].re += f.re * x[k].re - f.im * x[k].im;
      to[k].im += f.re * x[k].im + f.im * x[k].re;
    }
  } else {
    uint64_t *to = (uint64_t *)(void *)s->out + out;
    const uint64_t *x = (const uint64_t *)(const void *)s->a + a, f = ((const uint64_t *)(const void *)s->b)[b];
    for (int64_t k = 0; k < n; k++)
      to[k] += f * x[k];
  }
}

/* Everything that element J of the second operand, at FLAT, contributes. */
static void add_box(const sum *s, const int64_t *j, int64_t flat)
{
  int64_t low[HED_MAX_NDIM], high[HED_MAX_NDIM], at[HED_MAX_NDIM];
  for (int32_t k = 0; k < s->ndim; k++) { /* 0 <= at + start - j < a_dim */
    low[k] = j[k] - s->start[k] > 0 ? j[k] - s->start[k] : 0;
    high[k] = s->a_dim[k] + j[k] - s->start[k];
    if (high[k] > s->dim[k])
      high[k] = s->dim[k];
    if (low[k] >= high[k])
      return;
    at[k] = low[k];
  }
  const int32_t last = s->ndim - 1;
  for (;;) {
    int64_t out = 0, a = 0;
    for (int32_t k = 0; k < s->ndim; k++) {
      out = out * s->dim[k] + at[k];
      a = a * s->a_dim[k] + at[k] + s->start[k] - j[k];
    }
    add_row(s, high[last] - low[last], out, a, flat);
    int32_t k = last - 1;
    for (; k >= 0 && ++at[k] == high[k]; k--)
      at[k] = low[k];
    if (k < 0)
      return;
  }
}

REF_KERNEL(convolve_direct)
{
  const hed_convolve_params *p = call->params;
  const hed_view *a = call->in[0], *b = call->in[1], *out = call->out[0];
  const int kind = hed__id_kind(call->compute);
  const int wide = kind == HED_KIND_COMPLEX ? HED_ID_COMPLEX128 : kind == HED_KIND_FLOAT ? HED_ID_FLOAT64 : HED_ID_UINT64;
  const int64_t size = hed__id_size(wide), count = ref_size(b);
  sum s = { out->ndim, out->dim, a->dim, b->dim, p->start, wide, NULL, NULL, NULL };
  int64_t j[HED_MAX_NDIM] = { 0 };
  int32_t status = HED_E_NOMEM;
  s.a = ref_alloc(state, "convolve_direct", ref_size(a), (size_t)size);
  s.b = ref_alloc(state, "convolve_direct", count, (size_t)size);
  s.out = ref_alloc(state, "convolve_direct", ref_size(out), (size_t)size);
  if (!s.a || !s.b || !s.out)
    goto end;
  ref_gather(s.a, wide, size, a);
  ref_gather(s.b, wide, size, b);
  memset(s.out, 0, (size_t)(ref_size(out) * size));
  for (int64_t flat = 0; flat < count; flat++) {
    add_box(&s, j, flat);
    for (int32_t k = s.ndim - 1; k >= 0 && ++j[k] == s.b_dim[k]; k--)
      j[k] = 0;
  }
  ref_scatter(out, s.out, wide, size);
  status = HED_OK;
end:
  ref_free(state, s.a);
  ref_free(state, s.b);
  ref_free(state, s.out);
  return status;
}
