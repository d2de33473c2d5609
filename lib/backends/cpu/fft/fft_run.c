// SPDX-License-Identifier: BSD-3-Clause
/* Passes of Fourier transforms, their execution: fft_stage.h. L1. */
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_stage.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/fft/lines.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/team.h"
#include <string.h>

/* Of a single execution that FFTW's threads are not used for. */
#define SERIAL_WORK (20 * 0x1p18)

/* HOMES: at most. APART: bytes between the memories of two threads. On processors without a common cache they slow one
 * another down when they are neighbours; 4 KiB between them were not enough (bench/findings). */
enum { HOMES = 32, APART = 16 << 10 };

typedef struct runner {
  cpu_fft_stage *s;
  cpu_home home[HOMES];
  int32_t homes;
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
static void gather(const cpu_fft_stage *s, int64_t at, const char *in, char *to, int64_t bytes)
{
  const int64_t z = s->key[0].single ? 8 : 16, full = s->line + z, lines = bytes / full;
  const char *side = s->side + at * (s->slab_in[0] / full) * z;
  for (int64_t i = 0; i < lines; i++) {
    memcpy(to + i * full, in + i * s->line, (size_t)s->line);
    memcpy(to + i * full + s->line, side + i * z, (size_t)z);
  }
}

static void copy_rows(int64_t n, int64_t bytes, char *to, int64_t to_step, const char *from, int64_t from_step)
{
  for (int64_t i = 0; i < n; i++)
    memcpy(to + i * to_step, from + i * from_step, (size_t)bytes);
}

/* Columns of PLANES, in place or from elsewhere. */
static void run_across(const cpu_fft_stage *s, int64_t planes, const char *in, char *out, void *tile)
{
  for (int64_t i = 0; i < planes; i++)
    cpu_columns_k[!s->key[0].single](cpu_plan_columns(s->across), s->across_count, s->back, in + i * s->plane, s->across_row,
                                     out + i * s->plane, s->across_row, s->scale, tile);
}

/* Bytes of memory that a thread wants for columns of planes. */
static int64_t across_bytes(const cpu_fft_stage *s) { return s->planes ? cpu_columns_tile(s->across_key.dim[0].n) : 0; }

/* Piece AT, whose plan has lines. */
static void run_lines(const cpu_fft_stage *s, int64_t at, int last, char *in, char *out, char *work)
{
  const int64_t planes = s->planes && last ? s->planes_left : s->planes;
  const bool before = planes && s->kind == CPU_FFT_C2R;
  char *from = in, *lines = work + across_bytes(s), *room = lines + s->line_work;
  if (s->staged && s->side)
    gather(s, at, in, room, s->slab_in[last]);
  else if (s->staged && !before)
    memcpy(room, in, (size_t)s->slab_in[last]);
  if (s->staged)
    from = room;
  if (before)
    run_across(s, planes, s->side ? from : in, from, work);
  if (s->lined[0])
    cpu_lines_k->fn[!s->key[0].single](cpu_plan_lines(s->plan[0]), s->lined[last], s->back, from, s->line_is, out, s->line_os,
                                       planes ? 1 : s->scale, lines);
  else
    cpu_plan_execute(s->plan[last], from, out);
  if (planes && !before)
    run_across(s, planes, out, out, work);
  if (s->lined[0])
    return;
  if (s->scale == 1 || planes || !s->block[last])
    return;
  if (s->key[0].single)
    cpu_k->scale_f32(s->block[last], (float *)(void *)out, (float)s->scale);
  else
    cpu_k->scale_f64(s->block[last], (double *)(void *)out, s->scale);
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
  } else if (s->own) {
    cpu_columns_k[!s->key[0].single](cpu_plan_columns(s->plan[0]), at == s->count - 1 ? s->rest : s->width, s->back, in,
                                     s->row_is, out, s->row_os, s->scale, work);
  } else if (s->tile_row) {
    int64_t bytes = s->key[last].loop[0].n * (s->key[0].single ? 8 : 16);
    copy_rows(s->rows, bytes, work, s->tile_row, in, s->row_is);
    cpu_plan_execute(s->plan[last], work, work);
    copy_rows(s->rows, bytes, out, s->row_os, work, s->tile_row);
  } else {
    run_lines(s, at, last, in, out, work);
  }
}

/* Neighbouring pieces by one thread, the same ones in each stage and call where they can be: they are in its cache. */
static void run_pieces(void *arg, int32_t part, int32_t parts)
{
  runner *r = arg;
  char *work = r->work ? r->work + part * r->work_bytes : NULL;
  (void)parts;
  for (int32_t i; (i = cpu_homes_take(r->home, r->homes, part % r->homes)) >= 0;)
    run_piece(r->s, i, work);
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

/* *PLAN for KEY; *LEASED when it is to be put back. */
static int32_t lease_one(const cpu_fft_job *j, const cpu_plan_key *key, cpu_plan **plan, cpu_plan **leased)
{
  *plan = j->make ? NULL : find_held(j, key);
  if (*plan)
    return HED_OK;
  int32_t status = cpu_plan_get(key, j->make || j->p->plan, plan);
  if (status != HED_OK)
    return status;
  if (j->make)
    j->make->plan[j->make->n++] = *plan;
  else
    *leased = *plan;
  return HED_OK;
}

static int32_t lease(const cpu_fft_job *j, cpu_fft_stage *s, cpu_plan *leased[3])
{
  int32_t status = lease_one(j, &s->key[0], &s->plan[0], &leased[0]);
  if (status == HED_OK && s->tail && !s->own && !s->lined[0])
    status = lease_one(j, &s->key[1], &s->plan[1], &leased[1]);
  if (status == HED_OK && s->planes)
    status = lease_one(j, &s->across_key, &s->across, &leased[2]);
  return status;
}

/* Bytes of memory that a thread wants for itself. */
static int64_t own_bytes(const cpu_fft_stage *s)
{
  if (s->pairs)
    return cpu_fft_pairs_work(s);
  if (s->tile_row)
    return s->rows * s->tile_row;
  if (s->own)
    return cpu_columns_tile(s->rows);
  return across_bytes(s) + s->line_work + (s->staged ? s->slab_in[0] : 0);
}

int32_t cpu_fft_stage_run(const cpu_fft_job *j, cpu_fft_stage *s)
{
  int32_t granted = 1, status;
  cpu_plan *leased[3] = { NULL, NULL, NULL };
  runner r = { .s = s, .total = s->groups * s->count, .work_bytes = CPU_LINES(own_bytes(s)) };
  r.work_bytes += r.work_bytes ? APART : 0;
  /* One long transform: FFTW's threads, which do not exist in a forked child. */
  if (r.total == 1 && s->key[0].loops == 0 && !s->own && !s->lined[0] && s->work > SERIAL_WORK && !cpu_host->forked() && !j->make) {
    granted = cpu_acquire(j->call, 64, s->work);
    s->key[0].threads = granted;
  }
  status = lease(j, s, leased);
  if (status == HED_OK && r.work_bytes && !j->make) {
    r.work = cpu_scratch_get((size_t)(r.work_bytes * CPU_MIN((int64_t)j->call->max_threads, r.total)));
    if (!r.work)
      status = cpu_host->fail(HED_E_NOMEM, "fft: no memory for %lld bytes of scratch", (long long)r.work_bytes);
  }
  if (status == HED_OK && !j->make) {
    r.homes = (int32_t)CPU_MAX(CPU_MIN(CPU_MIN((int64_t)j->call->max_threads, r.total), HOMES), 1);
    cpu_homes_divide(r.home, r.homes, (int32_t)r.total);
    if (r.total == 1)
      run_pieces(&r, 0, 1);
    else
      cpu_parallel_parts(j->call, r.total, s->work, run_pieces, &r);
  }
  cpu_scratch_put(r.work);
  for (int i = 0; i < 3; i++)
    cpu_plan_put(leased[i]);
  cpu_release(granted);
  return status;
}
