// SPDX-License-Identifier: BSD-3-Clause
/* max_score_over_rotations and max_correlation: a step of template matching that never leaves the device. L1. */
#include "backends/device/rows/fft.h"
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_match.h"
#include "base/dtype.h"
#include <string.h>

/* The running maximum, updated in place: dense, or by way of dense copies. */
typedef struct running {
  dev_pack in[2], out[2];      /* of best scores, of indices */
  hed__score_args args;
  void *entry;
  size_t bytes;
} running;

static int32_t prepare_running(dev_device *d, running *r, const hed_call *c, int32_t pair)
{
  dev_spec spec = dev_spec_of("match", pair);
  int32_t status = HED_OK;
  spec.out = c->out[0]->dtype;
  r->bytes = 0;
  for (int k = 0; k < 2 && status == HED_OK; k++) {
    const int32_t dtype = k ? HED_ID_INT32 : c->out[0]->dtype;
    status = dev_pack_dense(d, &r->in[k], c->out[k], dtype, false, false);
    if (status == HED_OK)
      status = dev_pack_dense(d, &r->out[k], c->out[k], dtype, false, true);
    r->bytes += r->in[k].bytes;
  }
  r->args = (hed__score_args){ .batch = 1, .n = hed__view_size(c->out[0]) };
  return status == HED_OK ? dev_kernel(d, &spec, "match_score", &r->entry) : status;
}

/* SCORES, and what they are normalised by, which others stand for where they are not. */
static int32_t submit_running(dev_submit *q, running *r, void *scores, void *sums, void *squares, char **scratch)
{
  int32_t status = HED_OK;
  for (int k = 0; k < 2 && status == HED_OK; k++) {
    status = dev_pack_in(q, &r->in[k], scratch);
    r->out[k].data = r->in[k].data;
  }
  if (status == HED_OK)
    status = dev_submit_items(q, r->entry, (uint64_t)r->args.n, 7,
                              (void *[]){ r->in[0].data, r->in[1].data, scores, sums, squares, r->in[1].data, scores }, &r->args,
                              sizeof r->args);
  for (int k = 0; k < 2 && status == HED_OK; k++)
    status = dev_pack_finish(q, &r->out[k]);
  return status;
}

static bool is_float(const hed_view *v) { return hed__id_kind(v->dtype) == HED_KIND_FLOAT; }

typedef struct scored {
  dev_pack scores;
  running r;
} scored;

static int32_t submit_scores(dev_device *d, scored *s, const hed_call *c)
{
  const bool wide = c->in[0]->dtype == HED_ID_FLOAT64;
  dev_submit q;
  void *scratch = NULL;
  int32_t status = dev_pack_dense(d, &s->scores, c->in[0], wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32, false, false);
  if (status == HED_OK)
    status = prepare_running(d, &s->r, c, wide ? HED_ID_COMPLEX128 : HED_ID_COMPLEX64);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  s->r.args.index = ((const hed_maxscore_params *)c->params)->index;
  if (s->scores.bytes + s->r.bytes > 0)
    status = dev_submit_scratch(&q, s->scores.bytes + s->r.bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &s->scores, &at);
  if (status == HED_OK)
    status = submit_running(&q, &s->r, s->scores.data, s->scores.data, s->scores.data, &at);
  return dev_submit_end(&q, status, c->ticket);
}

int32_t dev_max_score_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  if ((c->host_in & 1) || !is_float(c->in[0]) || !is_float(c->out[0]) || c->out[1]->dtype != HED_ID_INT32)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(c->out[0]) == 0)
    return dev_nothing_call(state, c);
  scored *s = d->host->alloc(sizeof *s, 0);
  if (!s)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  const int32_t status = submit_scores(d, s, c);
  d->host->free(s);
  return status;
}

/* ---- max_correlation ---- */

enum { AXES = 3 };

typedef struct step {
  dev_fft_job there, back;
  hed__pad_args pad;
  hed__multiply_args multiply;
  dev_pack x, mask, spectrum[2];
  running best;
  void *pad_entry, *multiply_entry;
  size_t real, half;           /* bytes of a volume, of a spectrum */
  bool normalise;
} step;

static int32_t prepare_transforms(dev_device *d, step *s, const hed_view *best, int32_t pair)
{
  dev_fft_shape f = { .ndim = best->ndim, .dim = best->dim, .axes = (1u << best->ndim) - 1, .dtype = pair, .sign = -1, .real = true,
                      .forward = true, .scale = 1 };
  const dev_spec spec = dev_spec_of("match", pair);
  int32_t status = dev_fft_prepare(d, &s->there, &f);
  f.sign = 1;
  f.forward = false;
  if (status == HED_OK)
    status = dev_fft_prepare(d, &s->back, &f);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "match_pad", &s->pad_entry);
  return status == HED_OK ? dev_kernel(d, &spec, "match_multiply", &s->multiply_entry) : status;
}

static int32_t prepare(dev_device *d, step *s, const hed_call *c)
{
  const hed_maxcorr_params *p = c->params;
  const hed_view *best = c->out[0], *x = c->in[0];
  const bool wide = hed__id_size(hed__real_of(c->compute)) == 8;
  const int32_t pair = wide ? HED_ID_COMPLEX128 : HED_ID_COMPLEX64, number = wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32;
  s->normalise = p->normalise;
  s->pad = (hed__pad_args){ .batch = 1 };
  for (int32_t k = 0; k < AXES; k++) {
    const int32_t axis = k - AXES + best->ndim;
    s->pad.n[k] = axis >= 0 ? best->dim[axis] : 1;
    s->pad.small[k] = axis >= 0 ? x->dim[axis] : 1;
  }
  s->multiply = (hed__multiply_args){ .batch = 1, .n = hed__view_size(c->in[2]) };
  s->real = dev_part_bytes((size_t)hed__view_size(best) * (size_t)hed__id_size(number));
  s->half = dev_part_bytes((size_t)s->multiply.n * (size_t)hed__id_size(pair));
  int32_t status = prepare_transforms(d, s, best, pair);
  if (status == HED_OK)
    status = dev_pack_dense(d, &s->x, x, number, false, false);
  if (status == HED_OK)
    status = dev_pack_dense(d, &s->spectrum[0], c->in[2], pair, false, false);
  if (status == HED_OK && p->normalise)
    status = dev_pack_dense(d, &s->mask, c->in[1], number, false, false);
  if (status == HED_OK && p->normalise)
    status = dev_pack_dense(d, &s->spectrum[1], c->in[3], pair, false, false);
  if (status == HED_OK)
    status = prepare_running(d, &s->best, c, pair);
  s->best.args.index = p->index;
  s->best.args.n_obs = dev_number_bits(d, p->n_obs);
  s->best.args.eps = dev_number_bits(d, p->eps);
  s->best.args.normalise = p->normalise;
  return status;
}

/* Memory of a step: volumes, spectra, what transforms want. */
typedef struct memory {
  char *padded, *half[2], *result[3], *work;
} memory;

static size_t place(const step *s, memory *m, char *at)
{
  const size_t work = s->there.bytes > s->back.bytes ? s->there.bytes : s->back.bytes;
  char *const from = at;
  m->padded = at;
  at += s->real;
  for (int k = 0; k < (s->normalise ? 2 : 1); at += s->half, k++)
    m->half[k] = at;
  for (int k = 0; k < (s->normalise ? 3 : 1); at += s->real, k++)
    m->result[k] = at;
  m->work = at;
  return (size_t)(at - from) + work;
}

/* Correlations of SMALL: by the first spectrum, and in TO[1], where there is one, by the second. */
static int32_t correlate(dev_submit *q, const step *s, const memory *m, void *small, char *const to[2], int32_t n)
{
  hed__multiply_args a = s->multiply;
  const int64_t volume = s->pad.n[0] * s->pad.n[1] * s->pad.n[2];
  a.two = n > 1;
  int32_t status = dev_submit_items(q, s->pad_entry, (uint64_t)volume, 2, (void *[]){ m->padded, small }, &s->pad, sizeof s->pad);
  if (status == HED_OK)
    status = dev_fft_submit(q, &s->there, m->half[0], m->padded, m->work);
  if (status == HED_OK)
    status = dev_submit_items(q, s->multiply_entry, (uint64_t)a.n, 4,
                              (void *[]){ m->half[0], n > 1 ? m->half[1] : m->half[0], s->spectrum[0].data,
                                          n > 1 ? s->spectrum[1].data : s->spectrum[0].data }, &a, sizeof a);
  for (int32_t k = 0; k < n && status == HED_OK; k++)
    status = dev_fft_submit(q, &s->back, to[k], m->half[k], m->work);
  return status;
}

static int32_t run(dev_submit *q, step *s)
{
  memory m;
  void *scratch;
  const size_t inputs = s->x.bytes + s->spectrum[0].bytes + (s->normalise ? s->mask.bytes + s->spectrum[1].bytes : 0);
  int32_t status = dev_submit_scratch(q, place(s, &m, NULL) + inputs + s->best.bytes + 256, &scratch);
  if (status != HED_OK)
    return status;
  char *at = (char *)scratch + place(s, &m, scratch);
  dev_pack *const packs[] = { &s->x, &s->spectrum[0], &s->mask, &s->spectrum[1] };
  for (int k = 0; k < (s->normalise ? 4 : 2) && status == HED_OK; k++)
    status = dev_pack_in(q, packs[k], &at);
  if (status == HED_OK)
    status = correlate(q, s, &m, s->x.data, m.result, 1);
  if (status == HED_OK && s->normalise)
    status = correlate(q, s, &m, s->mask.data, m.result + 1, 2);
  const int sums = s->normalise ? 1 : 0, squares = s->normalise ? 2 : 0;
  return status == HED_OK ? submit_running(q, &s->best, m.result[0], m.result[sums], m.result[squares], &at) : status;
}

int32_t dev_max_correlation_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_view *best = c->out[0];
  dev_submit q;
  if (c->host_in || best->ndim < 1 || best->ndim > AXES || !is_float(best) || c->out[1]->dtype != HED_ID_INT32)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(best) == 0)
    return dev_nothing_call(state, c);
  step *s = d->host->alloc(sizeof *s, 0);
  if (!s)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  int32_t status = prepare(d, s, c);
  if (status == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, run(&q, s), c->ticket);
  d->host->free(s);
  return status;
}
