// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fourier transforms, lines by FFTW and columns by loops of our own or FFTW. L1.
 *
 * A transform of large arrays is a few passes (fft_stage.h): the last axis or two, by lines or slabs that fit into the
 * cache, and the other axes, by blocks of columns. Several axes at once are a piece where there are many transforms
 * that each fit into the cache. FFTW's c2r destroys its input: it reads what columns left in scratch memory, or a copy of
 * its piece. The scale is applied where columns are written, or to each piece right after it is made.
 */
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_stage.h"
#include "base/nest.h"
#include "base/shape.h"
#include <string.h>

typedef cpu_fft_stage stage;
typedef cpu_fft_held held;
typedef cpu_fft_job job;

/* Results that are not contiguous: one more pass. */
static void scale_view(const hed_view *v, int64_t rsize, double scale)
{
  hed_view parts = *v;
  hed__nest nest;
  hed__walk w;
  const hed_view *one[1] = { &parts };
  int64_t per = hed__id_size(v->dtype) / rsize;
  hed__nest_init(&nest, 1, one, HED__NEST_REORDER);
  hed__walk_init(&w, &nest, 0, hed__nest_rows(&nest));
  int64_t n = nest.dim[nest.ndim - 1], step = nest.stride[0][nest.ndim - 1];
  while (hed__walk_next(&w)) {
    for (int64_t i = 0; i < n; i++)
      for (int64_t k = 0; k < per; k++) {
        char *at = w.ptr[0] + i * step + k * rsize;
        if (rsize == 4)
          *(float *)(void *)at *= (float)scale;
        else
          *(double *)(void *)at *= scale;
      }
  }
}

/* C-contiguous view of V's shape and DTYPE in fresh scratch memory. */
static bool scratch_view(const hed_view *v, int dtype, hed_view *out)
{
  *out = *v;
  out->dtype = dtype;
  hed__c_strides(v->ndim, v->dim, hed__id_size(dtype), out->stride);
  out->data = cpu_scratch_get((size_t)hed__view_size(v) * (size_t)hed__id_size(dtype));
  return out->data != NULL;
}

static int32_t convert(const job *j, const hed_view *dst, const hed_view *src)
{
  return j->make ? HED_OK : cpu_convert(j->call, dst, src);
}

/* FFTW counts strides in elements. With three axes or more of which the result goes through one backwards its planner
 * (3.3.10) may call itself without end. */
static bool usable(const hed_view *v, int dtype, bool out)
{
  if (v->dtype != dtype || (uintptr_t)v->data % (uintptr_t)(hed__id_size(hed__real_of(dtype))))
    return false;
  for (int32_t k = 0; k < v->ndim; k++)
    if (v->stride[k] % hed__id_size(dtype) || (out && v->ndim > 2 && v->stride[k] < 0))
      return false;
  return true;
}

/* Points: of transforms that are not cut; of a slab whose two axes are one plan; of one of several transforms that is a
 * piece by itself. */
enum { SMALL = 16384, SLAB = 1 << 19, CACHED = 1 << 17, SEVERAL = 4 };

/* Bytes of a real result up to which a thread alone had better copy the input, and up to which there had better be a second
 * spectrum: with both in its cache. */
enum { COPIED = 6 << 20, SECOND = 12 << 20 };

typedef struct passes {
  stage s[3];
  int n;
  hed_view mid; /* where columns of c2r go; its data is scratch memory or NULL */
} passes;

/* How many of the last axes are one stage. */
static int inner_axes(const hed_fft_params *p, const hed_view *real)
{
  int32_t n = p->n_axes;
  return n > 2 && real->dim[p->axis[n - 1]] * real->dim[p->axis[n - 2]] <= SLAB ? 2 : 1;
}

static bool one_piece(int64_t cells, int64_t points)
{
  return points < SMALL || (cells <= CACHED && points / cells >= SEVERAL);
}

/* Complex to real by one plan for all axes: each piece is copied for FFTW to destroy. In one axis FFTW can do without,
 * slower. */
static bool plan_back_pieces(const job *j, const hed_view *src, const hed_view *dst, passes *q)
{
  stage *s = &q->s[0];
  q->n = 1;
  if (j->p->n_axes == 1) {
    cpu_fft_stage_plan(j, s, CPU_FFT_C2R, src, dst, 1, j->p->axis);
    if (s->lined[0])
      return true;
  }
  cpu_fft_stage_plan(j, s, CPU_FFT_C2R, &q->mid, dst, j->p->n_axes, j->p->axis);
  s->in = src->data;
  s->staged = s->slab_in[0] && hed__is_c_contiguous(src);
  if (s->staged || (s->pairs && hed__is_c_contiguous(src)))
    return true;
  if (j->p->n_axes > 1)
    return false;
  cpu_fft_stage_plan(j, s, CPU_FFT_C2R, src, dst, 1, j->p->axis);
  s->key[0].preserve = s->key[1].preserve = !s->pairs;
  return true;
}

/* Several axes, large: columns go where the result will be, as far as there is room: without the last of each line, which
 * has a place in MID. Lines are put together in memory of the thread. False when the layout does not allow it. */
static bool plan_back_within(const job *j, const hed_view *src, const hed_view *dst, passes *q)
{
  const hed_fft_params *p = j->p;
  int32_t n = p->n_axes, inner = inner_axes(p, dst), last = dst->ndim - 1;
  int64_t length = dst->dim[last];
  if (p->axis[n - 1] != last || length % 2 || length < 8 || !hed__is_c_contiguous(dst))
    return false;
  hed_view room = *src, from = *src, side = *src, to = *src;
  room.data = dst->data;
  room.dim[last] = from.dim[last] = length / 2;
  hed__c_strides(room.ndim, room.dim, j->csize, room.stride);
  side.data = (char *)src->data + length / 2 * src->stride[last];
  side.dim[last] = to.dim[last] = 1;
  hed__c_strides(to.ndim, to.dim, j->csize, to.stride);
  cpu_fft_stage_plan(j, &q->s[2], CPU_FFT_C2R, &q->mid, dst, inner, p->axis + n - inner);
  if (!q->s[2].slab_in[0] || !q->s[2].slab_out[0])
    return false;
  to.data = q->mid.data = cpu_scratch_get((size_t)(hed__view_size(&to) * j->csize));
  if (!q->mid.data)
    return false;
  cpu_fft_stage_plan(j, &q->s[0], CPU_FFT_C2C, &from, &room, n - inner, p->axis);
  cpu_fft_stage_plan(j, &q->s[1], CPU_FFT_C2C, &side, &to, n - inner, p->axis);
  stage *s = &q->s[2];
  s->staged = true;
  s->side = q->mid.data;
  s->line = length / 2 * j->csize;
  s->in = dst->data;
  s->is = s->os;
  q->n = 3;
  return true;
}

static int32_t plan_passes(const job *j, const hed_view *src, const hed_view *dst, passes *q)
{
  const hed_fft_params *p = j->p;
  bool r2c = hed__id_kind(src->dtype) != HED_KIND_COMPLEX, c2r = hed__id_kind(dst->dtype) != HED_KIND_COMPLEX;
  const hed_view *real = c2r ? dst : src;
  cpu_fft_kind kind = r2c ? CPU_FFT_R2C : CPU_FFT_C2C;
  int64_t cells = 1, points = hed__view_size(real);
  int32_t n = p->n_axes, inner = inner_axes(p, real);
  for (int32_t i = 0; i < n; i++)
    cells *= real->dim[p->axis[i]];
  q->mid = *src;
  q->mid.data = NULL;
  hed__c_strides(src->ndim, src->dim, j->csize, q->mid.stride);
  q->n = 2;
  if (c2r) {
    const bool own = n - inner == 1 && cpu_columns_serve(dst->dim[p->axis[0]], j->single);
    const bool copied = !own && j->call->max_threads < 2 && points * j->rsize <= COPIED;
    const bool together = n == 1 || one_piece(cells, points) || copied, second = own && points * j->rsize <= SECOND;
    if ((together && plan_back_pieces(j, src, dst, q)) || (!second && plan_back_within(j, src, dst, q)))
      return HED_OK;
    q->n = 2;
    q->mid.data = cpu_scratch_get((size_t)(hed__view_size(src) * j->csize));
    if (!q->mid.data)
      return cpu_host->fail(HED_E_NOMEM, "fft: no memory for %lld elements of scratch", (long long)hed__view_size(src));
    cpu_fft_stage_plan(j, &q->s[0], CPU_FFT_C2C, src, &q->mid, n - inner, p->axis);
    cpu_fft_stage_plan(j, &q->s[1], CPU_FFT_C2R, &q->mid, dst, inner, p->axis + n - inner);
  } else if (n == 1 || one_piece(cells, points)) {
    cpu_fft_stage_plan(j, &q->s[0], kind, src, dst, n, p->axis);
    q->n = 1;
  } else {
    cpu_fft_stage_plan(j, &q->s[0], kind, src, dst, inner, p->axis + n - inner);
    q->s[0].skip_zeros = r2c;
    cpu_fft_stage_plan(j, &q->s[1], CPU_FFT_C2C, dst, dst, n - inner, p->axis);
  }
  return HED_OK;
}

/* Both sides in the transform's own types. */
static int32_t transform(const job *j, const hed_view *src, const hed_view *dst)
{
  passes q;
  int32_t status = plan_passes(j, src, dst, &q);
  if (status != HED_OK)
    return status;
  /* Every step is linear: whichever stage can may scale. */
  stage *last = &q.s[q.n - 1], *first = &q.s[0];
  stage *scaling = cpu_fft_stage_scales(last) ? last : cpu_fft_stage_scales(first) ? first : NULL;
  if (scaling)
    scaling->scale = j->p->scale;
  for (int i = 0; i < q.n && status == HED_OK; i++)
    status = cpu_fft_stage_run(j, &q.s[i]);
  cpu_scratch_put(q.mid.data);
  if (status == HED_OK && !scaling && j->p->scale != 1 && !j->make)
    scale_view(dst, j->rsize, j->p->scale);
  return status;
}

static int32_t run_call(const hed_call *call, held *make)
{
  const hed_view *in = call->in[0], *out = call->out[0];
  job j = { .call = call, .p = call->params, .make = make };
  hed_view src = *in, dst = *out, spare_in = { .data = NULL }, spare_out = { .data = NULL };
  int32_t status = HED_OK;
  if (hed__view_size(out) == 0 || hed__view_size(in) == 0)
    return HED_OK;
  j.single = call->compute == HED_ID_FLOAT32 || call->compute == HED_ID_COMPLEX64;
  j.rsize = j.single ? 4 : 8;
  j.csize = 2 * j.rsize;
  int real = j.single ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
  int complex = j.single ? HED_ID_COMPLEX64 : HED_ID_COMPLEX128;
  int in_type = hed__id_kind(in->dtype) == HED_KIND_COMPLEX ? complex : real;
  int out_type = hed__id_kind(out->dtype) == HED_KIND_COMPLEX ? complex : real;
  bool same = in->data == out->data && in_type == out_type && hed__same_view(in, out);
  if (!usable(in, in_type, false) || (!same && hed__may_overlap(in, out))) {
    if (!scratch_view(in, in_type, &spare_in)) {
      status = cpu_host->fail(HED_E_NOMEM, "fft: no memory to convert the operand");
      goto end;
    }
    status = convert(&j, &spare_in, in);
    if (status != HED_OK)
      goto end;
    src = spare_in;
  }
  if (!usable(out, out_type, true)) {
    if (!scratch_view(out, out_type, &spare_out)) {
      status = cpu_host->fail(HED_E_NOMEM, "fft: no memory to convert the result");
      goto end;
    }
    dst = spare_out;
  }
  status = transform(&j, &src, &dst);
  if (status == HED_OK && spare_out.data)
    status = convert(&j, out, &spare_out);
end:
  cpu_scratch_put(spare_in.data);
  cpu_scratch_put(spare_out.data);
  return status;
}

int32_t cpu_fft(void *state, const hed_call *call)
{
  (void)state;
  return run_call(call, NULL);
}

int32_t cpu_fft_plan_make(void *state, const hed_call *call, void **plan)
{
  held *h = cpu_host->alloc(sizeof *h, 16);
  *plan = NULL;
  if (!h)
    return cpu_host->fail(HED_E_NOMEM, "fft: no memory for a plan object");
  memset(h, 0, sizeof *h);
  int32_t status = run_call(call, h);
  if (status == HED_OK)
    *plan = h;
  else
    cpu_fft_plan_free(state, h);
  return status;
}

void cpu_fft_plan_free(void *state, void *plan)
{
  held *h = plan;
  (void)state;
  for (int i = 0; h && i < h->n; i++)
    cpu_plan_put(h->plan[i]);
  cpu_host->free(h);
}
