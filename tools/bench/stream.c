// SPDX-License-Identifier: BSD-3-Clause
/* Floors of memory traffic and of arithmetic.
 *
 * Layer: L5. Traffic: the loop whose mix of reads and writes is nearest to the row's (1:0, 3:1, 2:1, 1:1, 1:2 or 0:1) over as
 * many bytes as the row moves, with ordinary or streaming stores and on one or all threads, whichever is fastest here: mixes
 * differ, writes alone take half as long again as copies. Arithmetic: flops over the peak of multiply-adds, measured once per
 * type and number of threads.
 */
#include "bench.h"
#include "loops.h"
#include <math.h>
#include <stdint.h>
#include <sys/mman.h>

enum { ALL_THREADS = 1 << 20, ONE_THREAD = 1 << 17, LOOK_BYTES = 1 << 23 /* bytes */ };

typedef struct stream {
  bench_team *team;
  bench_loop loop;
  char *at[BENCH_STREAMS], *base[BENCH_STREAMS]; /* what is written comes first */
  size_t bytes, room;     /* of one stream; mapped */
  int streams, threads;
  bool reads_only, streaming, alone;
  int64_t n;
  char sink[64][BENCH_BLOCK] __attribute__((aligned(BENCH_BLOCK)));
} stream;

static void part_of(void *arg, int part, int parts)
{
  stream *s = arg;
  size_t blocks = s->bytes / BENCH_BLOCK, first = blocks * (size_t)part / (size_t)parts * BENCH_BLOCK;
  size_t bytes = blocks * (size_t)(part + 1) / (size_t)parts * BENCH_BLOCK - first;
  void *at[BENCH_STREAMS];
  for (int k = 0; k < BENCH_STREAMS; k++)
    at[k] = s->at[k] + first;
  if (s->reads_only)
    at[0] = s->sink[part];
  for (int64_t i = 0; i < s->n; i++)
    s->loop(at, bytes, s->streaming);
}

static void stream_run(void *state, int64_t n)
{
  stream *s = state;
  s->n = n;
  if (s->alone)
    part_of(s, 0, 1);
  else
    bench_team_run(s->team, part_of, s);
}

static void stream_drop(void *state)
{
  stream *s = state;
  bench_team_close(s->team);
  for (int k = 0; k < BENCH_STREAMS; k++)
    if (s->base[k])
      munmap(s->base[k], s->room);
  free(s);
}

/* The fastest of ordinary stores, streaming stores or the string instruction, or of reads as they come and reads that are asked
 * for ahead, on one thread or all: three looks at each. What is large gains from all threads, so that one disturbed look must not
 * say otherwise; what is small does not, as threads have to meet. */
static void choose(stream *s, bench_content content)
{
  const bench_loops *loops = bench_loops_best();
  bench_loop loop = s->loop, plain = loop;
  double best = INFINITY;
  bool streaming = false, alone = false;
  int64_t n = (int64_t)(1 + LOOK_BYTES / s->bytes);
  size_t all = s->bytes * (size_t)s->streams;
  int kinds = loop == loops->write && loops->fill && content != BENCH_VALUES ? 3 : 2;
  int first = s->threads > 1 && all > ALL_THREADS ? kinds : 0, last = s->threads > 1 && all > ONE_THREAD ? 2 * kinds : kinds;
  for (int k = first; k < last; k++) {
    s->loop = k % kinds == 2 ? loops->fill : plain;
    s->streaming = k % kinds == 2 ? content == BENCH_ZERO : k % kinds == 1;
    s->alone = k < kinds;
    for (int i = 0; i < 4; i++) {
      double start = bench_now();
      stream_run(s, n);
      double ns = bench_now() - start;
      if (i > 0 && ns < best) {
        best = ns;
        loop = s->loop;
        streaming = s->streaming;
        alone = s->alone;
      }
    }
  }
  s->loop = loop;
  s->streaming = streaming;
  s->alone = alone;
}

hed_status bench_stream_open(double read, double written, int threads, bench_content content, bench_floor *out)
{
  const bench_loops *best = bench_loops_best();
  stream *s = NULL;
  if (posix_memalign((void **)&s, BENCH_BLOCK, sizeof *s) != 0)
    return hed_fail(HED_E_NOMEM, "no memory for a floor");
  memset(s, 0, sizeof *s);
  s->reads_only = written < read / 5; /* nearer to no writes at all than to a quarter */
  if (s->reads_only)
    s->loop = best->read, s->streams = 1;
  else if (read < written / 8)
    s->loop = best->write, s->streams = 1;
  else if (read < 0.7 * written)
    s->loop = best->twice, s->streams = 3;
  else if (read < 1.4 * written)
    s->loop = best->copy, s->streams = 2;
  else if (read < 2.4 * written)
    s->loop = best->triad, s->streams = 3;
  else
    s->loop = best->quad, s->streams = 4;
  s->bytes = (size_t)((read + written) / s->streams + BENCH_BLOCK - 1) / BENCH_BLOCK * BENCH_BLOCK;
  s->room = s->bytes + 8 * 4096;
  s->threads = threads;
  s->team = bench_team_open(threads);
  bool ok = s->team != NULL;
  for (int k = 0; k < BENCH_STREAMS && ok; k++) {
    /* Offsets that differ: equal ones modulo 4096 would make loads wait for stores. */
    s->base[k] = mmap(NULL, s->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s->base[k] == MAP_FAILED) {
      s->base[k] = NULL;
      ok = false;
      break;
    }
    madvise(s->base[k], s->room, MADV_HUGEPAGE);
    s->at[k] = s->base[k] + k * 1280;
  }
  if (!ok) {
    stream_drop(s);
    return hed_fail(HED_E_NOMEM, "no memory for a floor of %.0f bytes", read + written);
  }
  /* Rows move values: some processors write zeros in half the time. The byte makes a normal number of every float. */
  for (int k = 0; k < BENCH_STREAMS; k++)
    if (k == 0 ? !s->reads_only : k < s->streams + s->reads_only)
      memset(s->at[k], 0x3f, s->bytes);
  choose(s, content);
  *out = (bench_floor){ "bandwidth", stream_run, s, stream_drop, NAN, 0, false };
  return HED_OK;
}

/* ---- arithmetic ---- */

static double peak_flops(double (*fn)(long n))
{
  double best = 0;
  fn(100000); /* the clock settles */
  for (int i = 0; i < 5; i++) {
    double start = bench_now(), flops = fn(300000);
    best = fmax(best, flops / (bench_now() - start));
  }
  return best;
}

double bench_peak(hed_dtype t, int threads)
{
  static double known[2];
  const bench_loops *best = bench_loops_best();
  int k = t == HED_FLOAT64 || t == HED_COMPLEX128;
  if (!best->peak32)
    return 0;
  if (known[k] == 0)
    known[k] = peak_flops(k ? best->peak64 : best->peak32);
  return known[k] * threads;
}

hed_status bench_floor_stream(bench_work *w)
{
  hed_status status = bench_stream_open(w->read, w->written, w->spec->threads, w->content, &w->floor);
  double peak = bench_peak(w->spec->dtype, w->spec->threads);
  if (status == HED_OK && w->flops > 0 && peak > 0)
    w->floor.fixed_ns = w->flops / peak;
  return status;
}
