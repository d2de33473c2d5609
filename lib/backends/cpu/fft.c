// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fourier transforms by FFTW. L1.
 *
 * A transform is one or two stages, and a stage is one serial FFTW plan executed several times at
 * steps through memory. The executions of a stage are what threads share: no plan depends on how many
 * threads were granted, and FFTW's own threads are used for a single long transform only.
 * Real transforms of three and more axes treat slabs of the last two axes while they are in the
 * cache, then the other axes; several-axes c2r first goes out of place into scratch memory, because
 * FFTW's own would destroy its input. Slabs of zeros, as padding makes them, are transformed by
 * looking at them. The scale is applied to each piece right after it is made.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft_plan.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/parallel.h"
#include "base/shape.h"
#include <string.h>

typedef struct stage {
  cpu_plan_key key;
  int64_t count, is, os;  /* executions; byte steps between them */
  char *in, *out;
  double scale;           /* of the result of this stage; 1 = none */
  int64_t block;          /* components to scale after each execution, 0: OUT is not contiguous */
  int64_t slab_in, slab_out; /* bytes of the contiguous slabs that an execution reads and writes, or 0 */
  cpu_plan *plan;
} stage;

/* Plans that a plan object holds: at most two stages. Immutable once made. */
typedef struct held {
  int n;
  cpu_plan *plan[2];
} held;

typedef struct job {
  const hed_call *call;
  const hed_fft_params *p;
  bool single;
  int64_t csize, rsize;   /* bytes of a complex and of a real */
  held *make;             /* plan only, into this; nothing is read or written */
} job;

static int64_t item(const job *j, bool complex_side)
{
  return complex_side ? j->csize : j->rsize;
}

/* Neighbours that both sides can walk as one loop are merged. */
static int merge_loops(int n, cpu_fft_dim *d)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      if (i != k && d[i].is == d[k].is * d[k].n && d[i].os == d[k].os * d[k].n) {
        d[k].n *= d[i].n;
        memmove(d + i, d + i + 1, (size_t)(n - i - 1) * sizeof *d);
        return merge_loops(n - 1, d);
      }
  return n;
}

/* How many executions a loop of L becomes: enough pieces for threads, small enough for the cache, at
 * aligned addresses; 1 when the work is too small to be cut. */
static int64_t pieces(const job *j, int64_t per_loop, const cpu_fft_dim *l, int64_t ib, int64_t ob,
                      double total)
{
  if (total < 0x1p16)
    return 1;
  int64_t first = per_loop >= 4096 ? l->n : 16, fallback = 1;
  for (int64_t c = CPU_MIN(first, l->n); c <= l->n && c <= 8192; c++) {
    if (l->n % c)
      continue;
    int64_t w = l->n / c;
    if (w * l->is * ib % 16 == 0 && w * l->os * ob % 16 == 0)
      return c;
    if (fallback == 1)
      fallback = c;
  }
  return j->call->max_threads > 1 ? fallback : 1;
}

/* Fills in S for KIND over AXES of the views. EXTENT: real extents of the axes where SRC or DST has
 * halved ones are those of the real side. */
static void plan_stage(const job *j, stage *s, cpu_fft_kind kind, const hed_view *src,
                       const hed_view *dst, int n_axes, const int32_t *axes)
{
  const hed_view *whole = kind == CPU_FFT_C2R ? dst : src;
  int64_t ib = item(j, kind != CPU_FFT_R2C), ob = item(j, kind != CPU_FFT_C2R);
  memset(s, 0, sizeof *s);
  cpu_plan_key *k = &s->key;
  k->single = j->single;
  k->kind = kind;
  k->sign = kind == CPU_FFT_C2C ? j->p->sign : 0;
  k->effort = j->p->effort;
  k->threads = 1;
  uint32_t used = 0;
  int64_t inner = 1;
  double total = 1;
  for (int i = 0; i < n_axes; i++) {
    int32_t a = axes[i];
    used |= 1u << a;
    k->dim[k->rank++] = (cpu_fft_dim){ whole->dim[a], src->stride[a] / ib, dst->stride[a] / ob };
    inner *= whole->dim[a];
  }
  total = (double)inner;
  for (int32_t a = 0; a < src->ndim; a++)
    if (!(used >> a & 1) && src->dim[a] > 1) {
      k->loop[k->loops++] = (cpu_fft_dim){ src->dim[a], src->stride[a] / ib, dst->stride[a] / ob };
      total *= (double)src->dim[a];
    }
  k->loops = merge_loops(k->loops, k->loop);
  s->in = src->data;
  s->out = dst->data;
  s->count = 1;
  s->scale = 1;
  int big = -1;
  for (int i = 0; i < k->loops; i++)
    if (big < 0 || k->loop[i].n > k->loop[big].n)
      big = i;
  if (big >= 0) {
    cpu_fft_dim *l = &k->loop[big];
    s->count = pieces(j, (int64_t)(total / (double)l->n), l, ib, ob, total);
    l->n /= s->count;
    s->is = l->n * l->is * ib;
    s->os = l->n * l->os * ob;
    if (l->n == 1) {
      memmove(l, l + 1, (size_t)(k->loops - big - 1) * sizeof *l);
      k->loops--;
    }
  }
  for (int i = k->loops; i < HED_MAX_NDIM; i++)
    k->loop[i] = (cpu_fft_dim){ 0, 0, 0 };
  k->in_place = s->in == s->out;
  bool steps_aligned = s->count == 1 || (s->is % 16 == 0 && s->os % 16 == 0);
  k->aligned = steps_aligned && cpu_fft_aligned(s->in, j->single) && cpu_fft_aligned(s->out, j->single);
}

/* Of a single execution that FFTW's threads are not used for. */
#define SERIAL_WORK (6 * 0x1p18)

static double stage_work(const stage *s)
{
  double n = (double)s->count;
  for (int i = 0; i < s->key.rank; i++)
    n *= (double)s->key.dim[i].n;
  for (int i = 0; i < s->key.loops; i++)
    n *= (double)s->key.loop[i].n;
  return 6 * n;
}

/* When one execution writes a contiguous block of the output, its scale can be applied on the spot. */
static void find_block(const job *j, stage *s, const hed_view *dst)
{
  if (!hed__is_c_contiguous(dst))
    return;
  int64_t bytes = hed__view_size(dst) * hed__id_size(dst->dtype) / s->count;
  if (s->count == 1 || s->os == bytes)
    s->block = bytes / j->rsize;
}

/* The transform of zeros is zeros. Slabs that are not end the look at their first bytes. */
static bool all_zero(const char *p, int64_t bytes)
{
  static const char zeros[64];
  return bytes >= 64 && memcmp(p, zeros, 64) == 0 && memcmp(p, p + 64, (size_t)bytes - 64) == 0;
}

static void find_slabs(stage *s, const hed_view *src, const hed_view *dst)
{
  if (s->count < 2 || !hed__is_c_contiguous(src) || !hed__is_c_contiguous(dst))
    return;
  int64_t in = hed__view_size(src) * hed__id_size(src->dtype) / s->count;
  int64_t out = hed__view_size(dst) * hed__id_size(dst->dtype) / s->count;
  if (s->is == in && s->os == out) {
    s->slab_in = in;
    s->slab_out = out;
  }
}

static void run_stage(void *arg, int64_t begin, int64_t end)
{
  const stage *s = arg;
  for (int64_t i = begin; i < end; i++) {
    char *out = s->out + i * s->os;
    if (s->slab_in && all_zero(s->in + i * s->is, s->slab_in)) {
      memset(out, 0, (size_t)s->slab_out);
      continue;
    }
    cpu_plan_execute(s->plan, s->in + i * s->is, out);
    if (s->scale == 1 || !s->block)
      continue;
    if (s->key.single)
      cpu_k->scale_f32(s->block, (float *)(void *)out, (float)s->scale);
    else
      cpu_k->scale_f64(s->block, (double *)(void *)out, s->scale);
  }
}

/* The plan for S among those that the caller holds; NULL when it is made for something else. */
static cpu_plan *find_held(const job *j, const stage *s)
{
  const held *h = j->p->plan;
  for (int i = 0; h && i < h->n; i++)
    if (!memcmp(cpu_plan_of(h->plan[i]), &s->key, sizeof s->key))
      return h->plan[i];
  return NULL;
}

static int32_t execute(const job *j, stage *s)
{
  if (j->make) {
    int32_t status = cpu_plan_get(&s->key, true, &j->make->plan[j->make->n]);
    j->make->n += status == HED_OK;
    return status;
  }
  double work = stage_work(s);
  int32_t granted = 1;
  /* One long transform: FFTW's threads, which do not exist in a forked child. */
  if (s->count == 1 && s->key.loops == 0 && work > SERIAL_WORK && !cpu_host->forked()) {
    granted = cpu_acquire(j->call, 64, work);
    s->key.threads = granted;
  }
  int32_t status = HED_OK;
  cpu_plan *kept = find_held(j, s);
  if (kept)
    s->plan = kept;
  else
    status = cpu_plan_get(&s->key, j->p->plan != NULL, &s->plan);
  if (status == HED_OK && s->count == 1)
    run_stage(s, 0, 1);
  else if (status == HED_OK)
    cpu_parallel_for(j->call, s->count, 1, work, run_stage, s);
  if (!kept)
    cpu_plan_put(s->plan);
  cpu_release(granted);
  return status;
}

/* Results that are not contiguous: one more pass. */
static void scale_view(const hed_view *v, int64_t rsize, double scale)
{
  hed_view parts = *v;
  hed__nest nest;
  hed__walk w;
  const hed_view *one[1] = { &parts };
  int64_t per = hed__id_size(v->dtype) / rsize;
  hed__nest_init(&nest, 1, one, true);
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
  const hed_call *call = j->call;
  if (j->make)
    return HED_OK;
  hed_call c = *call;
  const hed_view *in[1] = { src }, *out[1] = { dst };
  c.n_in = c.n_out = 1;
  c.in = in;
  c.out = out;
  c.params = NULL;
  c.compute = dst->dtype;
  return cpu_astype(NULL, &c);
}

/* FFTW counts strides in elements. */
static bool usable(const hed_view *v, int dtype)
{
  if (v->dtype != dtype || (uintptr_t)v->data % (uintptr_t)(hed__id_size(hed__real_of(dtype))))
    return false;
  for (int32_t k = 0; k < v->ndim; k++)
    if (v->stride[k] % hed__id_size(dtype))
      return false;
  return true;
}

/* Both sides in the transform's own types. */
static int32_t transform(job *j, const hed_view *src, const hed_view *dst)
{
  const hed_fft_params *p = j->p;
  bool r2c = hed__id_kind(src->dtype) != HED_KIND_COMPLEX;
  bool c2r = hed__id_kind(dst->dtype) != HED_KIND_COMPLEX;
  int32_t n = p->n_axes, status;
  stage a, b;
  hed_view mid = { .data = NULL };
  int n_stages = 1;
  if (r2c && n >= 3) {
    plan_stage(j, &a, CPU_FFT_R2C, src, dst, 2, p->axis + n - 2);
    find_slabs(&a, src, dst);
    plan_stage(j, &b, CPU_FFT_C2C, dst, dst, n - 2, p->axis);
    n_stages = 2;
  } else if (c2r && n >= 2 && (j->call->max_threads <= 1 || n == 2)) {
    /* FFTW's transform of all axes, on a copy that it may destroy, needs fewer passes. Several threads would cut the axes of
     * three into better pieces; in two, the halved axis seldom has an extent that can be cut into blocks of columns. */
    if (!scratch_view(src, src->dtype, &mid))
      return cpu_host->fail(HED_E_NOMEM, "fft: no memory for %lld elements of scratch",
                            (long long)hed__view_size(src));
    plan_stage(j, &a, CPU_FFT_C2R, &mid, dst, n, p->axis);
    /* What one thread transforms it copies too: into its own cache. */
    hed_call serial = *j->call;
    job copy = *j;
    serial.max_threads = 1;
    if (a.count == 1 && stage_work(&a) <= SERIAL_WORK)
      copy.call = &serial;
    if ((status = convert(&copy, &mid, src)) != HED_OK) {
      cpu_scratch_put(mid.data);
      return status;
    }
  } else if (c2r && n >= 3) {
    const int last = 2;
    if (!scratch_view(src, src->dtype, &mid))
      return cpu_host->fail(HED_E_NOMEM, "fft: no memory for %lld elements of scratch",
                            (long long)hed__view_size(src));
    plan_stage(j, &a, CPU_FFT_C2C, src, &mid, n - last, p->axis);
    plan_stage(j, &b, CPU_FFT_C2R, &mid, dst, last, p->axis + n - last);
    n_stages = 2;
  } else {
    plan_stage(j, &a, r2c ? CPU_FFT_R2C : c2r ? CPU_FFT_C2R : CPU_FFT_C2C, src, dst, n, p->axis);
    a.key.preserve = a.key.kind == CPU_FFT_C2R;
  }
  stage *final = n_stages == 2 ? &b : &a;
  final->scale = p->scale;
  find_block(j, final, dst);
  if (n_stages == 2 && !final->block && p->scale != 1) {
    /* Every step is linear: the first stage may write in blocks where the last one does not. */
    find_block(j, &a, c2r ? &mid : dst);
    if (a.block) {
      a.scale = p->scale;
      final->scale = 1;
    }
  }
  status = execute(j, &a);
  if (status == HED_OK && n_stages == 2)
    status = execute(j, &b);
  cpu_scratch_put(mid.data);
  if (status == HED_OK && final->scale != 1 && !final->block && !j->make)
    scale_view(dst, j->rsize, final->scale);
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
  if (!usable(in, in_type) || (!same && hed__may_overlap(in, out))) {
    if (!scratch_view(in, in_type, &spare_in)) {
      status = cpu_host->fail(HED_E_NOMEM, "fft: no memory to convert the operand");
      goto end;
    }
    status = convert(&j, &spare_in, in);
    if (status != HED_OK)
      goto end;
    src = spare_in;
  }
  if (!usable(out, out_type)) {
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
