// SPDX-License-Identifier: BSD-3-Clause
/* Passes of Fourier transforms, how they are cut: fft_stage.h. L1. */
#include "backends/cpu/fft/fft_stage.h"
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/kernels/fft/lines.h"
#include "backends/cpu/cpu.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

/* Elements of a piece, about: a call of FFTW does not show beside its time. Where planes are not many it is less, so that
 * there are MANY_PIECES pieces for many threads, and also for few, or else results would depend on that; lines lose by it. Columns are
 * read some cache lines at a time: NARROW_BYTES bytes at least, WIDE_COLUMNS columns at most. */
enum { PIECE_ELEMENTS = 8192, SHORT_PIECE_ELEMENTS = 2048, MANY_PIECES = 16, NARROW_BYTES = 512, WIDE_COLUMNS = 256 };

/* Bytes of a block of columns, and of a row of it. */
enum { TILE = 256 << 10, ROW = 512 };

/* Rows that are a multiple of these bytes apart share few sets of the cache. */
enum { CONFLICT = 1024 };

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
  const int64_t piece = k->rank > 1 ? CPU_MAX(CPU_MIN(total / MANY_PIECES, PIECE_ELEMENTS), SHORT_PIECE_ELEMENTS) : PIECE_ELEMENTS;
  int big = -1, outer = -1;
  if (!k->loops || total < 2 * PIECE_ELEMENTS)
    return;
  for (int i = 0; i < k->loops; i++)
    if (big < 0 || k->loop[i].n > k->loop[big].n)
      big = i;
  for (int i = 0; i < k->loops; i++)
    if (i != big && (outer < 0 || far_side(&k->loop[i]) > far_side(&k->loop[outer])))
      outer = i;
  if (outer >= 0 && total / k->loop[outer].n >= 2 * PIECE_ELEMENTS) {
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
    int64_t least = NARROW_BYTES / CPU_MIN(ib, ob), eighth = l->n / 8; /* for pieces enough, but not cut too fine */
    width = CPU_MAX(CPU_MIN(CPU_MIN(piece / each, WIDE_COLUMNS), eighth), least);
    step = CPU_MAX(step, 64 / CPU_MAX(ib, ob));
  } else {
    width = CPU_MAX(piece / each, 1);
    if (k->rank == 1 && k->dim[0].is == 1 && k->dim[0].os == 1)
      step = CPU_MAX(step, cpu_lines_at_once((cpu_lines_kind)s->kind, k->dim[0].n, k->single));
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

static void own_key(cpu_plan_key *k, bool single, cpu_fft_kind kind, int64_t n)
{
  memset(k, 0, sizeof *k);
  k->single = single;
  k->kind = kind;
  k->threads = k->rank = 1;
  k->dim[0].n = n;
}

/* Columns that are neighbours, which loops of our own transform: pieces are some cache lines wide. */
static void cut_own(cpu_fft_stage *s, int64_t size, int64_t columns)
{
  const cpu_plan_key *k = &s->key[0];
  const int64_t n = k->dim[0].n, unit = s->row_os % ROW ? 128 / size : ROW / size;
  int64_t width = choose_width(columns, CPU_MAX(CPU_MIN(CPU_MIN(PIECE_ELEMENTS / n, columns / 8), ROW / size), unit), unit);
  s->own = true;
  s->back = k->sign > 0;
  s->rows = n;
  s->width = width;
  s->rest = columns % width ? columns % width : width;
  s->is = s->os = width * size;
  s->count = (columns + width - 1) / width;
  own_key(&s->key[0], k->single, CPU_FFT_COLUMNS, n);
}

/* Columns that are neighbours are taken by rows of a few cache lines into a block that fits into the cache and whose rows
 * are no power of two apart. FFTW by itself goes through memory column by column when it does not work in place, and rows
 * a power of two apart meet in a few sets of the cache. Otherwise the copies would cost more than they save. */
static bool cut_tiles(cpu_fft_stage *s, int64_t size, int64_t total)
{
  cpu_plan_key *k = &s->key[0];
  if (k->kind != CPU_FFT_C2C || k->rank != 1 || k->loops < 1 || k->loops > 2 || total < 2 * PIECE_ELEMENTS)
    return false;
  int at = k->loop[0].is == 1 && k->loop[0].os == 1 ? 0 : 1;
  const cpu_fft_dim *d = &k->dim[0], u = k->loop[at];
  const int64_t unit = 64 / size;
  if (at == k->loops || u.is != 1 || u.os != 1 || d->n < 2 || u.n < 2 * unit)
    return false;
  const bool own = cpu_columns_serve(d->n, k->single);
  if (!own && (d->n > TILE / 64 || (s->in == s->out && d->is * size % CONFLICT && d->os * size % CONFLICT)))
    return false;
  if (k->loops == 2) {
    const cpu_fft_dim *g = &k->loop[1 - at];
    s->groups = g->n;
    s->group_is = g->is * size;
    s->group_os = g->os * size;
  }
  s->row_is = d->is * size;
  s->row_os = d->os * size;
  if (own) {
    cut_own(s, size, u.n);
    return true;
  }
  int64_t width = CPU_MAX(CPU_MIN(TILE / (d->n * size), ROW / size), unit);
  width = choose_width(u.n, width, unit);
  s->rows = d->n;
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

/* Two axes whose first one loops of our own can do: the plan keeps the last one, and its lines are a loop. */
static void split_planes(const cpu_fft_job *j, cpu_fft_stage *s)
{
  cpu_plan_key *k = &s->key[0];
  const bool back = k->kind == CPU_FFT_C2R;
  const cpu_fft_dim down = k->dim[0], line = k->dim[1], plane = k->loop[0];
  if (k->rank != 2 || k->loops > 1 || (back ? line.is : line.os) != 1 || !cpu_columns_serve(down.n, j->single))
    return;
  own_key(&s->across_key, j->single, CPU_FFT_COLUMNS, down.n);
  s->back = back || k->sign > 0;
  s->across_row = (back ? down.is : down.os) * j->csize;
  s->across_count = k->kind == CPU_FFT_C2C ? line.n : line.n / 2 + 1;
  s->plane = (back ? plane.is : plane.os) * j->csize;
  s->planes = k->loops ? plane.n : 1;
  s->planes_left = s->tail && s->key[1].loops ? s->key[1].loop[0].n : 1;
  for (int i = 0; i <= s->tail; i++) {
    k = &s->key[i];
    k->rank = 1;
    k->dim[0] = line;
    k->dim[1] = (cpu_fft_dim){ 0, 0, 0 };
    k->loop[k->loops++] = down;
    k->loops = merge_loops(k->loops, k->loop);
    for (int l = k->loops; l < HED_MAX_NDIM; l++)
      k->loop[l] = (cpu_fft_dim){ 0, 0, 0 };
  }
}

/* Lines that loops of our own can do: one loop over numbers that are neighbours. */
static void take_lines(const cpu_fft_job *j, cpu_fft_stage *s, int64_t ib, int64_t ob)
{
  const cpu_plan_key *k = s->key;
  const cpu_fft_dim d = k->dim[0];
  if (k->rank != 1 || d.is != 1 || d.os != 1)
    return;
  const cpu_lines_way way = cpu_lines_best((cpu_lines_kind)s->kind, d.n, k->loops ? k->loop[0].n : 1, j->single);
  const bool many = way == CPU_LINES_BUNDLES;
  if (way == CPU_LINES_FFTW)
    return;
  for (int i = 0; i <= s->tail; i++)
    if (k[i].loops > 1)
      return;
  for (int i = 0; i <= s->tail; i++)
    s->lined[i] = k[i].loops ? k[i].loop[0].n : 1;
  s->line_is = k->loop[0].is * ib;
  s->line_os = k->loop[0].os * ob;
  s->line_work = CPU_LINES(cpu_lines_work((cpu_lines_kind)s->kind, d.n, many, j->single));
  s->back = s->kind == CPU_FFT_C2R || k->sign > 0;
  own_key(&s->key[0], j->single, (many ? CPU_FFT_MANY : CPU_FFT_LINES) + s->kind, d.n);
}

void cpu_fft_stage_plan(const cpu_fft_job *j, cpu_fft_stage *s, cpu_fft_kind kind, const hed_view *src, const hed_view *dst,
                        int n_axes, const int32_t *axes)
{
  const hed_view *whole = kind == CPU_FFT_C2R ? dst : src;
  int64_t ib = item(j, kind != CPU_FFT_R2C), ob = item(j, kind != CPU_FFT_C2R), total = 1;
  memset(s, 0, sizeof *s);
  cpu_plan_key *k = &s->key[0];
  k->single = j->single;
  s->kind = k->kind = kind;
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
  double n = 1;
  for (int i = 0; i < k->rank; i++)
    n *= (double)k->dim[i].n;
  s->work = (double)total * (2 + log2(n));
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
  split_planes(j, s);
  take_lines(j, s, ib, ob);
}

bool cpu_fft_stage_scales(const cpu_fft_stage *s)
{
  return s->own || s->planes || s->lined[0] || s->block[0];
}
