// SPDX-License-Identifier: BSD-3-Clause
/* Passes of Fourier transforms: fft_stage.h. L1. */
#include "backends/cpu/fft_stage.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/parallel.h"
#include "base/shape.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Elements of a piece, about: a call of FFTW does not show beside its time. Columns are read some cache lines at a time:
 * NARROW bytes at least, WIDE columns at most. */
enum { PIECE = 8192, NARROW = 512, WIDE = 256 };

/* Bytes of a block of columns, and of a row of it. */
enum { TILE = 256 << 10, ROW = 512 };

/* Rows that are a multiple of these bytes apart share few sets of the cache. */
enum { CONFLICT = 1024 };

/* Of a single execution that FFTW's threads are not used for. */
#define SERIAL_WORK (20 * 0x1p18)

static int64_t item(const cpu_fft_job *j, bool complex_side)
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

static void remove_loop(cpu_plan_key *k, int at)
{
  memmove(k->loop + at, k->loop + at + 1, (size_t)(k->loops - at - 1) * sizeof *k->loop);
  k->loop[--k->loops] = (cpu_fft_dim){ 0, 0, 0 };
}

/* Width of about TARGET, a multiple of STEP: one that divides N, or leaves a last piece as large as can be. */
static int64_t choose_width(int64_t n, int64_t target, int64_t step)
{
  if (target >= n)
    return n;
  int64_t best = 0;
  double quality = -1;
  target = CPU_MAX(target / step, 1) * step;
  for (int64_t w = target; w >= CPU_MAX(target / 2, step); w -= step)
    for (int up = 0; up < 2; up++) {
      int64_t width = up ? 2 * target - w : w;
      if (width >= n)
        continue;
      double q = n % width ? (double)(n % width) / (double)width : 2;
      if (q > quality) {
        quality = q;
        best = width;
      }
    }
  return best ? best : CPU_MIN(target, n);
}

/* What the plan for K reads or writes, in elements of that side. */
static int64_t touched(const cpu_plan_key *k, bool out)
{
  bool halved = k->kind != CPU_FFT_C2C && (k->kind == CPU_FFT_R2C) == out;
  int64_t n = 1;
  for (int i = 0; i < k->rank; i++)
    n *= halved && i == k->rank - 1 ? k->dim[i].n / 2 + 1 : k->dim[i].n;
  for (int i = 0; i < k->loops; i++)
    n *= k->loop[i].n;
  return n;
}

static int64_t far_side(const cpu_fft_dim *l)
{
  return CPU_MAX(l->is < 0 ? -l->is : l->is, l->os < 0 ? -l->os : l->os);
}

/* Cuts the loops of S's key: TOTAL points. */
static void cut(cpu_fft_stage *s, int64_t ib, int64_t ob, int64_t total)
{
  cpu_plan_key *k = &s->key[0];
  int big = -1, outer = -1;
  if (!k->loops || total < 2 * PIECE)
    return;
  for (int i = 0; i < k->loops; i++)
    if (big < 0 || k->loop[i].n > k->loop[big].n)
      big = i;
  for (int i = 0; i < k->loops; i++)
    if (i != big && (outer < 0 || far_side(&k->loop[i]) > far_side(&k->loop[outer])))
      outer = i;
  if (outer >= 0 && total / k->loop[outer].n >= 2 * PIECE) {
    const cpu_fft_dim *l = &k->loop[outer];
    s->groups = l->n;
    s->group_is = l->is * ib;
    s->group_os = l->os * ob;
    total /= l->n;
    remove_loop(k, outer);
    big -= big > outer;
  }
  cpu_fft_dim *l = &k->loop[big];
  int64_t each = total / l->n, width, step = 1;
  while (step < 4 && (step * l->is * ib % 16 || step * l->os * ob % 16))
    step *= 2;
  bool columns = far_side(l) < far_side(&k->dim[0]), neighbours = l->is == 1 || l->os == 1;
  if (columns && neighbours) {
    int64_t least = NARROW / CPU_MIN(ib, ob), eighth = l->n / 8; /* for pieces enough, but not cut too fine */
    width = CPU_MAX(CPU_MIN(CPU_MIN(PIECE / each, WIDE), eighth), least);
    step = CPU_MAX(step, 64 / CPU_MAX(ib, ob));
  } else {
    width = CPU_MAX(PIECE / each, 1);
  }
  width = choose_width(l->n, width, step);
  s->width = width;
  s->is = width * l->is * ib;
  s->os = width * l->os * ob;
  s->count = (l->n + width - 1) / width;
  int64_t rest = l->n % width;
  s->tail = rest != 0;
  l->n = width;
  s->key[1] = s->key[0];
  s->key[1].loop[big].n = rest;
  if (rest == 1)
    remove_loop(&s->key[1], big);
  if (width == 1)
    remove_loop(k, big);
}

/* Columns that are neighbours are taken by rows of a few cache lines into a block that fits into the cache and whose rows
 * are no power of two apart. FFTW by itself goes through memory column by column when it does not work in place, and rows
 * a power of two apart meet in a few sets of the cache. Otherwise the copies would cost more than they save. */
static bool cut_tiles(cpu_fft_stage *s, int64_t size, int64_t total)
{
  cpu_plan_key *k = &s->key[0];
  if (k->kind != CPU_FFT_C2C || k->rank != 1 || k->loops < 1 || k->loops > 2 || total < 2 * PIECE)
    return false;
  int at = k->loop[0].is == 1 && k->loop[0].os == 1 ? 0 : 1;
  const cpu_fft_dim *d = &k->dim[0], u = k->loop[at];
  const int64_t unit = 64 / size;
  if (at == k->loops || u.is != 1 || u.os != 1 || d->n < 2 || d->n > TILE / 64 || u.n < 2 * unit)
    return false;
  if (s->in == s->out && d->is * size % CONFLICT && d->os * size % CONFLICT)
    return false;
  if (k->loops == 2) {
    const cpu_fft_dim *g = &k->loop[1 - at];
    s->groups = g->n;
    s->group_is = g->is * size;
    s->group_os = g->os * size;
  }
  int64_t width = CPU_MAX(CPU_MIN(TILE / (d->n * size), ROW / size), unit);
  width = choose_width(u.n, width, unit);
  s->rows = d->n;
  s->row_is = d->is * size;
  s->row_os = d->os * size;
  s->width = width;
  s->is = s->os = width * size;
  s->count = (u.n + width - 1) / width;
  s->tail = u.n % width != 0;
  s->tile_row = ((width * size + 63) / 64 | 1) * 64;
  const int64_t row = s->tile_row / size;
  k->dim[0] = (cpu_fft_dim){ s->rows, row, row };
  memset(k->loop, 0, sizeof k->loop);
  k->loops = 1;
  k->loop[0] = (cpu_fft_dim){ width, 1, 1 };
  s->key[1] = s->key[0];
  s->key[1].loop[0].n = u.n % width;
  for (int i = 0; i < 2; i++)
    s->key[i].in_place = s->key[i].aligned = 1;
  return true;
}

/* Pieces that follow each other without gaps on one side. */
static void find_slabs(const cpu_fft_job *j, cpu_fft_stage *s, const hed_view *v, bool out)
{
  bool complex_side = s->key[0].kind == CPU_FFT_C2C || (s->key[0].kind == CPU_FFT_R2C) == out;
  int64_t size = item(j, complex_side), *slab = out ? s->slab_out : s->slab_in;
  int64_t whole = touched(&s->key[0], out) * size;
  if (s->groups > 1 || !hed__is_c_contiguous(v) || (s->count > 1 && (out ? s->os : s->is) != whole))
    return;
  slab[0] = whole;
  slab[1] = s->tail ? touched(&s->key[1], out) * size : 0;
  for (int i = 0; i < 2 && out; i++)
    s->block[i] = slab[i] / j->rsize;
}

void cpu_fft_stage_plan(const cpu_fft_job *j, cpu_fft_stage *s, cpu_fft_kind kind, const hed_view *src, const hed_view *dst,
                        int n_axes, const int32_t *axes)
{
  const hed_view *whole = kind == CPU_FFT_C2R ? dst : src;
  int64_t ib = item(j, kind != CPU_FFT_R2C), ob = item(j, kind != CPU_FFT_C2R), total = 1;
  memset(s, 0, sizeof *s);
  cpu_plan_key *k = &s->key[0];
  k->single = j->single;
  k->kind = kind;
  k->sign = kind == CPU_FFT_C2C ? j->p->sign : 0;
  k->effort = j->p->effort;
  k->threads = 1;
  uint32_t used = 0;
  for (int i = 0; i < n_axes; i++) {
    int32_t a = axes[i];
    used |= 1u << a;
    k->dim[k->rank++] = (cpu_fft_dim){ whole->dim[a], src->stride[a] / ib, dst->stride[a] / ob };
    total *= whole->dim[a];
  }
  for (int32_t a = 0; a < src->ndim; a++)
    if (!(used >> a & 1) && src->dim[a] > 1) {
      k->loop[k->loops++] = (cpu_fft_dim){ src->dim[a], src->stride[a] / ib, dst->stride[a] / ob };
      total *= src->dim[a];
    }
  k->loops = merge_loops(k->loops, k->loop);
  for (int i = k->loops; i < HED_MAX_NDIM; i++)
    k->loop[i] = (cpu_fft_dim){ 0, 0, 0 };
  s->in = src->data;
  s->out = dst->data;
  s->groups = s->count = 1;
  s->scale = 1;
  if (cpu_fft_pairs_plan(s, ib, ob) || cut_tiles(s, ib, total))
    return;
  cut(s, ib, ob, total);
  const int64_t steps[4] = { s->is, s->os, s->group_is, s->group_os };
  bool aligned = cpu_fft_aligned(s->in, j->single) && cpu_fft_aligned(s->out, j->single);
  for (int i = 0; i < 4; i++)
    aligned = aligned && steps[i] % 16 == 0;
  for (int i = 0; i < 2; i++) {
    s->key[i].in_place = s->in == s->out;
    s->key[i].aligned = aligned;
  }
  find_slabs(j, s, src, false);
  find_slabs(j, s, dst, true);
}

/* ---- execution ---- */

typedef struct runner {
  cpu_fft_stage *s;
  _Atomic(int64_t) next;
  int64_t total;
  char *work;         /* of all threads */
  int64_t work_bytes; /* of one */
} runner;

/* The transform of zeros is zeros. Slabs that are not end the look at their first bytes. */
static bool all_zero(const char *p, int64_t bytes)
{
  static const char zeros[64];
  return bytes >= 64 && memcmp(p, zeros, 64) == 0 && memcmp(p, p + 64, (size_t)bytes - 64) == 0;
}

/* Piece AT: lines in two parts put together. */
static void gather(const cpu_fft_stage *s, int64_t at, const char *in, char *work, int64_t bytes)
{
  const int64_t z = s->key[0].single ? 8 : 16, full = s->line + z, lines = bytes / full;
  const char *side = s->side + at * (s->slab_in[0] / full) * z;
  for (int64_t i = 0; i < lines; i++) {
    memcpy(work + i * full, in + i * s->line, (size_t)s->line);
    memcpy(work + i * full + s->line, side + i * z, (size_t)z);
  }
}

static void copy_rows(int64_t n, int64_t bytes, char *to, int64_t to_step, const char *from, int64_t from_step)
{
  for (int64_t i = 0; i < n; i++)
    memcpy(to + i * to_step, from + i * from_step, (size_t)bytes);
}

static void run_piece(const cpu_fft_stage *s, int64_t i, char *work)
{
  if (s->pairs) {
    cpu_fft_pairs_run(s, i, work);
    return;
  }
  int64_t group = i / s->count, at = i % s->count;
  int last = s->tail && at == s->count - 1;
  char *in = s->in + group * s->group_is + at * s->is, *out = s->out + group * s->group_os + at * s->os;
  if (s->skip_zeros && s->slab_in[last] && s->slab_out[last] && all_zero(in, s->slab_in[last])) {
    memset(out, 0, (size_t)s->slab_out[last]);
    return;
  }
  if (s->tile_row) {
    int64_t bytes = s->key[last].loop[0].n * (s->key[0].single ? 8 : 16);
    copy_rows(s->rows, bytes, work, s->tile_row, in, s->row_is);
    cpu_plan_execute(s->plan[last], work, work);
    copy_rows(s->rows, bytes, out, s->row_os, work, s->tile_row);
    return;
  }
  if (s->staged) {
    if (s->side)
      gather(s, at, in, work, s->slab_in[last]);
    else
      memcpy(work, in, (size_t)s->slab_in[last]);
    in = work;
  }
  cpu_plan_execute(s->plan[last], in, out);
  if (s->scale == 1 || !s->block[last])
    return;
  if (s->key[0].single)
    cpu_k->scale_f32(s->block[last], (float *)(void *)out, (float)s->scale);
  else
    cpu_k->scale_f64(s->block[last], (double *)(void *)out, s->scale);
}

static void run_pieces(void *arg, int32_t part, int32_t parts)
{
  runner *r = arg;
  char *work = r->work ? r->work + part * r->work_bytes : NULL;
  int64_t chunk = CPU_MAX(r->total / (8 * (int64_t)parts), 1);
  for (int64_t i; (i = atomic_fetch_add_explicit(&r->next, chunk, memory_order_relaxed)) < r->total;)
    for (int64_t k = i; k < CPU_MIN(i + chunk, r->total); k++)
      run_piece(r->s, k, work);
}

/* In units of parallel.h: five flops a point and a doubling, most of them waiting for memory. */
static double stage_work(const cpu_fft_stage *s)
{
  double points = (double)(s->groups * s->count), n = 1;
  const cpu_plan_key *k = &s->key[0];
  for (int i = 0; i < k->rank; i++)
    n *= (double)k->dim[i].n;
  for (int i = 0; i < k->loops; i++)
    points *= (double)k->loop[i].n;
  return points * n * (2 + log2(n));
}

/* The plan for K among those that the caller holds; NULL when it is made for something else. */
static cpu_plan *find_held(const cpu_fft_job *j, const cpu_plan_key *k)
{
  const cpu_fft_held *h = j->p->plan;
  for (int i = 0; h && i < h->n; i++)
    if (!memcmp(cpu_plan_of(h->plan[i]), k, sizeof *k))
      return h->plan[i];
  return NULL;
}

/* The plans of S, of which LEASED are to be put back. */
static int32_t lease(const cpu_fft_job *j, cpu_fft_stage *s, cpu_plan *leased[2])
{
  for (int i = 0; i <= s->tail; i++) {
    cpu_plan *kept = j->make ? NULL : find_held(j, &s->key[i]);
    s->plan[i] = kept;
    if (kept)
      continue;
    int32_t status = cpu_plan_get(&s->key[i], j->make || j->p->plan, &leased[i]);
    if (status != HED_OK)
      return status;
    s->plan[i] = leased[i];
    if (j->make) {
      j->make->plan[j->make->n++] = leased[i];
      leased[i] = NULL;
    }
  }
  return HED_OK;
}

int32_t cpu_fft_stage_run(const cpu_fft_job *j, cpu_fft_stage *s)
{
  double work = stage_work(s);
  int32_t granted = 1, status;
  cpu_plan *leased[2] = { NULL, NULL };
  runner r = { .s = s, .total = s->groups * s->count };
  /* One long transform: FFTW's threads, which do not exist in a forked child. */
  if (r.total == 1 && s->key[0].loops == 0 && work > SERIAL_WORK && !cpu_host->forked() && !j->make) {
    granted = cpu_acquire(j->call, 64, work);
    s->key[0].threads = granted;
  }
  status = lease(j, s, leased);
  if (status == HED_OK && (s->staged || s->tile_row || s->pairs) && !j->make) {
    int64_t bytes = s->pairs ? cpu_fft_pairs_work(s) : s->tile_row ? s->rows * s->tile_row : s->slab_in[0];
    r.work_bytes = (bytes + 63) / 64 * 64;
    r.work = cpu_scratch_get((size_t)(r.work_bytes * CPU_MIN((int64_t)j->call->max_threads, r.total)));
    if (!r.work)
      status = cpu_host->fail(HED_E_NOMEM, "fft: no memory for %lld bytes of scratch", (long long)r.work_bytes);
  }
  if (status == HED_OK && !j->make && r.total == 1)
    run_pieces(&r, 0, 1);
  else if (status == HED_OK && !j->make)
    cpu_parallel_parts(j->call, r.total, work, run_pieces, &r);
  cpu_scratch_put(r.work);
  for (int i = 0; i < 2; i++)
    cpu_plan_put(leased[i]);
  cpu_release(granted);
  return status;
}
