// SPDX-License-Identifier: BSD-3-Clause
/* Correlations by a given spectrum into a running maximum, in float64 throughout. L1. */
#include "backends/reference/kernels.h"
#include "backends/reference/number.h"

#include "base/dtype.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

typedef struct spaces {
  double *box, *real; /* an operand of the template's extents; elements of the result's extents */
  ref_complex *half, *given;
} spaces;

static hed_view dense_view(void *data, int dtype, const hed_view *like)
{
  hed_view v = *like;
  v.data = data;
  v.dtype = dtype;
  hed__c_strides(v.ndim, v.dim, hed__id_size(dtype), v.stride);
  return v;
}

/* OUT, dense of BEST's extents: the inverse transform, not scaled, of X's transform times SPECTRUM. */
static int32_t correlate(void *state, const spaces *w, const hed_view *x, const hed_view *spectrum, const hed_view *best,
                         double *out)
{
  hed_view real = dense_view(w->real, HED_ID_FLOAT64, best), half = dense_view(w->half, HED_ID_COMPLEX128, spectrum);
  hed_view corner = real, result = dense_view(out, HED_ID_FLOAT64, best);
  const int64_t n = ref_size(&real), n_half = ref_size(&half);
  for (int64_t k = 0; k < n; k++)
    w->real[k] = 0;
  memcpy(corner.dim, x->dim, sizeof corner.dim);
  ref_gather(w->box, HED_ID_FLOAT64, sizeof *w->box, x);
  ref_scatter(&corner, w->box, HED_ID_FLOAT64, sizeof *w->box);

  hed_fft_params p = { .n_axes = best->ndim, .sign = -1, .scale = 1 };
  for (int32_t k = 0; k < best->ndim; k++)
    p.axis[k] = k;
  const hed_view *const there[2] = { &real, &half }, *const back[2] = { &half, &result };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_FFT, .n_in = 1, .n_out = 1, .in = there, .out = there + 1,
                    .params = &p, .compute = HED_ID_COMPLEX128, .max_threads = 1 };
  int32_t status = ref_fft(state, &call);
  if (status != HED_OK)
    return status;
  ref_gather(w->given, HED_ID_COMPLEX128, sizeof *w->given, spectrum);
  for (int64_t k = 0; k < n_half; k++) {
    ref_complex a = w->half[k], b = w->given[k];
    w->half[k] = (ref_complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
  }
  p.sign = 1;
  call.in = back;
  call.out = back + 1;
  return ref_fft(state, &call);
}

REF_KERNEL(max_correlation)
{
  const hed_maxcorr_params *p = call->params;
  const hed_view *x = call->in[0], *best = call->out[0];
  const int64_t n = ref_size(best), n_half = ref_size(call->in[2]);
  int32_t status = HED_E_NOMEM;
  double *scores = NULL, *first = NULL, *second = NULL;
  spaces w = { NULL, NULL, NULL, NULL };
  if (n == 0)
    return HED_OK;
  if (!(w.box = ref_alloc(state, "max_correlation", ref_size(x), sizeof *w.box)) ||
      !(w.real = ref_alloc(state, "max_correlation", n, sizeof *w.real)) ||
      !(w.half = ref_alloc(state, "max_correlation", n_half, sizeof *w.half)) ||
      !(w.given = ref_alloc(state, "max_correlation", n_half, sizeof *w.given)) ||
      !(scores = ref_alloc(state, "max_correlation", n, sizeof *scores)))
    goto out;
  status = correlate(state, &w, x, call->in[2], best, scores);
  if (status == HED_OK && p->normalise) {
    status = HED_E_NOMEM;
    if (!(first = ref_alloc(state, "max_correlation", n, sizeof *first)) ||
        !(second = ref_alloc(state, "max_correlation", n, sizeof *second)))
      goto out;
    status = correlate(state, &w, call->in[1], call->in[2], best, first);
    if (status == HED_OK)
      status = correlate(state, &w, call->in[1], call->in[3], best, second);
    for (int64_t k = 0; k < n && status == HED_OK; k++) {
      double mean = first[k] / p->n_obs, v = second[k] / p->n_obs - mean * mean, s = sqrt(v > 0 ? v : 0);
      scores[k] = s < p->eps ? 0 : scores[k] / (s * p->n_obs);
    }
  }
  if (status == HED_OK) {
    const hed_view view = dense_view(scores, HED_ID_FLOAT64, best), *const in[1] = { &view };
    const hed_maxscore_params index = { p->index };
    hed_call take = *call;
    take.n_in = 1;
    take.in = in;
    take.params = &index;
    status = ref_max_score_over_rotations(state, &take);
  }
out:
  ref_free(state, second);
  ref_free(state, first);
  ref_free(state, scores);
  ref_free(state, w.given);
  ref_free(state, w.half);
  ref_free(state, w.real);
  ref_free(state, w.box);
  return status;
}

size_t ref_workspace(void *state, const hed_call *call)
{
  (void)state;
  if (call->op != HED_OP_MAX_CORRELATION)
    return 0;
  const hed_maxcorr_params *p = call->params;
  const size_t small = (size_t)ref_size(call->in[0]), all = (size_t)ref_size(call->out[0]), half = (size_t)ref_size(call->in[2]);
  const size_t scores = p->normalise ? 3 : 1;
  return sizeof(double) * (small + all + scores * all) + 2 * sizeof(ref_complex) * half + ref_fft_workspace(call->out[0]);
}
