// SPDX-License-Identifier: BSD-3-Clause
/* Rows of `heddle bench`: the list, inputs, samples, quartiles.
 *
 * Layer: L5. A sample is the mean over a batch that lasts about a millisecond, or one call that lasts longer. Samples of
 * ours and of the floor alternate. Rows that are measured together take turns too: what the machine does in the meantime
 * meets all of them.
 */
#include "bench.h"
#include <math.h>
#include <time.h>
#include <unistd.h>

double bench_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- the list ---- */

void bench_id(const bench_spec *s, char *buf, size_t cap)
{
  snprintf(buf, cap, "%s/%s%s%s%s%s/t%d", s->suite, s->name, s->dtype ? "/" : "", s->dtype ? hed_dtype_name(s->dtype) : "",
           *s->size ? "/" : "", s->size, s->threads);
}

void bench_add(bench *b, const bench_spec *s, bool single)
{
  for (int i = 0; i < b->n_threads && !b->failed; i++) {
    bench_spec one = *s;
    char id[160];
    one.threads = single ? 1 : b->threads[i];
    bench_id(&one, id, sizeof id);
    if (b->pattern && regexec(b->pattern, id, 0, NULL, 0) != 0)
      ;
    else if (b->n_specs == b->room_specs) {
      int room = b->room_specs ? 2 * b->room_specs : 256;
      bench_spec *more = realloc(b->specs, (size_t)room * sizeof *more);
      if (more) {
        b->specs = more;
        b->room_specs = room;
      }
      b->failed = !more;
    }
    if (b->n_specs < b->room_specs && (!b->pattern || regexec(b->pattern, id, 0, NULL, 0) == 0))
      b->specs[b->n_specs++] = one;
    if (single)
      break;
  }
}

/* ---- inputs ---- */

hed_array *bench_values(const bench_spec *s, hed_shape shape)
{
  const hed_random opt = { .seed = 1, .seeded = true, .low = 0.5, .high = 1.5 };
  if (s->dtype == HED_COMPLEX64 || s->dtype == HED_COMPLEX128)
    return bench_normal(s, shape);
  if (s->dtype == HED_INT32 || s->dtype == HED_INT64)
    return hed_random_integers(shape, 1, 1000, s->dtype, &(hed_random){ .seed = 1, .seeded = true });
  return hed_random_uniform(shape, s->dtype, &opt);
}

hed_array *bench_normal(const bench_spec *s, hed_shape shape)
{
  const hed_random opt = { .seed = 2, .seeded = true };
  if (s->dtype == HED_COMPLEX64 || s->dtype == HED_COMPLEX128)
    return hed_random_complex_normal(shape, s->dtype, &opt);
  return hed_random_normal(shape, s->dtype, &opt);
}

void bench_say_shape(bench_work *w, const hed_array *x)
{
  hed_shape s = hed_array_shape(x);
  size_t used = 0;
  for (int i = 0; i < s.ndim && used < sizeof w->shape; i++)
    used += (size_t)snprintf(w->shape + used, sizeof w->shape - used, "%s%lld", i ? "x" : "", (long long)s.dim[i]);
}

hed_status bench_have(const bench_work *w, int n)
{
  for (int i = 0; i < n; i++)
    if (!w->a[i])
      return hed_error();
  return HED_OK;
}

/* ---- one row ---- */

static void drop(bench_work *w)
{
  if (w->drop)
    w->drop(w);
  if (w->floor.drop)
    w->floor.drop(w->floor.state);
  for (int i = 0; i < BENCH_ARRAYS; i++)
    hed_release(w->a[i]);
  *w = (bench_work){ .spec = w->spec };
}

hed_status bench_open(const bench *b, const bench_spec *s, bench_work *w, hed_frame *frame)
{
  char spec[256];
  *w = (bench_work){ .spec = s, .read = NAN, .written = NAN, .flops = NAN, .floor = { .fixed_ns = NAN } };
  snprintf(spec, sizeof spec, "%s;threads=%d;fft=measure", b->backend, s->threads);
  hed_status status = hed_backend_context_push(spec, frame);
  if (status != HED_OK)
    return status;
  status = s->prepare(w);
  if (status != HED_OK) {
    drop(w);
    hed_context_unwind(*frame);
  } else if (!*w->backend)
    snprintf(w->backend, sizeof w->backend, "%s", b->backend);
  return status;
}

void bench_close(bench_work *w, hed_frame frame)
{
  drop(w);
  hed_context_unwind(frame);
}

/* Samples of ours and of the floor take turns: what is left of the other one's threads is waited for. The threads of the
 * one that comes next are then asleep, its memory is out of the caches, or in those of the processor that it ran on before:
 * calls that are not timed change that, unless a call is so long that it does not matter.  A last cache that many processors
 * share may keep what is read for the second or third time only: so there are some calls, within a limit. */
enum { WARM_NS = 1000000, WARM_MOST_NS = 6000000, WARM_CALLS = 3, LONG_NS = 20000000 };

/* Is one more call of those that are not timed to come, after CALLS since START? */
static bool is_cold(double start, int calls)
{
  const double ns = bench_now() - start;
  return ns < WARM_NS || (calls < WARM_CALLS && ns < WARM_MOST_NS);
}

hed_status bench_time(bench_work *w, int64_t n, double *ns)
{
  int64_t least = w->least > 1 ? w->least : 1;
  hed_status status = HED_OK;
  if (w->settled && (w->spec->threads > 1 || w->spec->together))
    bench_settle();
  double start = bench_now();
  if (w->settled && !w->is_long)
    for (int calls = 0; status == HED_OK && is_cold(start, calls); calls++)
      status = w->run(w, least);
  if (status != HED_OK)
    return status;
  start = bench_now();
  w->counted_ns = 0;
  status = w->run(w, n);
  *ns = (w->counted_ns > 0 ? w->counted_ns : bench_now() - start) / (double)n;
  return status;
}

double bench_time_floor(bench_work *w, int64_t n)
{
  if (w->settled && (w->spec->threads > 1 || w->spec->together))
    bench_settle();
  double start = bench_now();
  if (w->settled && !w->is_long)
    for (int calls = 0; is_cold(start, calls); calls++)
      w->floor.run(w->floor.state, 1);
  start = bench_now();
  w->floor.run(w->floor.state, n);
  return (bench_now() - start) / (double)n;
}

double bench_floor_ns(const bench_work *w, double measured)
{
  double ns = fmax(measured, w->floor.fixed_ns); /* the other one when one is NaN */
  return w->floor.repeat > 0 ? ns * w->floor.repeat : ns;
}

enum { BATCH_NS = 1000000, CALLS_MOST = 1 << 24 };

hed_status bench_batch(bench_work *w, int64_t *ours, int64_t *bare)
{
  double ns;
  *bare = 1;
  *ours = w->least > 1 ? w->least : 1;
  hed_status status = bench_time(w, *ours, &ns); /* plans, first pages */
  for (; status == HED_OK && *ours < CALLS_MOST; *ours *= 4)
    if ((status = bench_time(w, *ours, &ns)) != HED_OK || ns * (double)*ours > BATCH_NS / 4)
      break;
  if (status == HED_OK && ns * (double)*ours < BATCH_NS)
    *ours = (int64_t)(BATCH_NS / ns) + 1;
  w->is_long = ns * (double)*ours > LONG_NS;
  if (status != HED_OK || !w->floor.run)
    return status; /* nothing beside it: nothing to wait for */
  bench_time_floor(w, 1);
  for (; *bare < CALLS_MOST; *bare *= 4)
    if ((ns = bench_time_floor(w, *bare)) * (double)*bare > BATCH_NS / 4)
      break;
  if (ns * (double)*bare < BATCH_NS)
    *bare = (int64_t)(BATCH_NS / ns) + 1;
  if (*bare < w->least && w->floor.same)
    *bare = w->least;
  w->settled = true;
  return HED_OK;
}

static int ascending(const void *a, const void *b)
{
  double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

bench_stats bench_quartiles(double *sample, int n)
{
  if (n < 1)
    return (bench_stats){ NAN, NAN, NAN, NAN, 0 };
  qsort(sample, (size_t)n, sizeof *sample, ascending);
  return (bench_stats){ sample[n / 2], sample[0], sample[n / 4], sample[n - 1 - n / 4], n };
}

/* A row of those that are measured together. */
typedef struct lane {
  const bench_spec *spec;
  bench_work work;
  hed_frame frame;
  bool open, failed;
  int64_t n_ours, n_bare;
  double ours[BENCH_SAMPLES], bare[BENCH_SAMPLES];
} lane;

static void fail(bench *b, lane *l)
{
  char id[160];
  bench_id(l->spec, id, sizeof id);
  if (!tool_interrupted)
    fprintf(stderr, "%s%s: %s\n", isatty(STDERR_FILENO) ? "\r" : "", id, hed_error_text());
  l->failed = true;
  b->starved |= tool_code(hed_error()) == STATUS_MEMORY;
}

/* Every other turn of several rows begins with the floor: whoever comes first finds other rows' memory in the caches. */
static void sample_of(bench *b, lane *l, int k, bool floor_first)
{
  if (l->work.floor.run && floor_first)
    l->bare[k] = bench_time_floor(&l->work, l->n_bare);
  if (bench_time(&l->work, l->n_ours, &l->ours[k]) != HED_OK)
    fail(b, l);
  else if (l->work.floor.run && !floor_first)
    l->bare[k] = bench_time_floor(&l->work, l->n_bare);
}

/* Samples of N rows; how many of each. */
static int sample(bench *b, lane *l, int n)
{
  int least = b->few ? 3 : 5, k = 0, left = 0;
  for (int i = 0; i < n; i++) {
    if (!l[i].failed && bench_batch(&l[i].work, &l[i].n_ours, &l[i].n_bare) != HED_OK)
      fail(b, &l[i]);
    left += !l[i].failed;
    if (!b->few && l[i].work.samples > least)
      least = l[i].work.samples;
  }
  for (double end = bench_now() + 1e9 * b->budget * left;
       !tool_interrupted && k < BENCH_SAMPLES && (k < least || bench_now() < end); k++)
    for (int i = 0; i < n && !tool_interrupted; i++)
      if (!l[i].failed)
        sample_of(b, &l[i], k, n > 1 && k % 2 == 1);
  return k;
}

static void record(bench_row *r, lane *l, int samples)
{
  const bench_work *w = &l->work;
  *r = (bench_row){ .spec = *l->spec };
  r->ours = bench_quartiles(l->ours, samples);
  r->bare = bench_quartiles(l->bare, w->floor.run ? samples : 0);
  snprintf(r->backend, sizeof r->backend, "%s", w->backend);
  snprintf(r->shape, sizeof r->shape, "%s", w->shape);
  snprintf(r->floor_kind, sizeof r->floor_kind, "%s", w->floor.kind ? w->floor.kind : "");
  snprintf(r->note, sizeof r->note, "%s", w->note ? w->note : "");
  r->bytes = w->read + w->written;
  r->flops = w->flops;
  r->floor = bench_floor_ns(w, r->bare.median);
  if (w->floor.fixed_ns > r->bare.median)
    snprintf(r->floor_kind, sizeof r->floor_kind, "compute");
}

static bool make_room(bench *b, int n)
{
  int room = b->room_rows;
  while (b->n_rows + n > room)
    room = room ? 2 * room : 256;
  bench_row *more = room > b->room_rows ? realloc(b->rows, (size_t)room * sizeof *more) : b->rows;
  if (more) {
    b->rows = more;
    b->room_rows = room;
  }
  return more;
}

hed_status bench_measure(bench *b, const bench_spec *s, int n)
{
  lane *l = make_room(b, n) ? calloc((size_t)n, sizeof *l) : NULL;
  bench_others beside;
  if (!l)
    return hed_fail(HED_E_NOMEM, "no memory for %d rows", n);
  for (int i = 0; i < n; i++) {
    l[i].spec = &s[i];
    l[i].open = bench_open(b, &s[i], &l[i].work, &l[i].frame) == HED_OK;
    if (!l[i].open)
      fail(b, &l[i]);
  }
  bench_others_begin(&beside);
  const int samples = sample(b, l, n);
  for (int i = 0; i < n && !tool_interrupted; i++)
    if (!l[i].failed) {
      bench_row *r = &b->rows[b->n_rows++];
      record(r, &l[i], samples);
      bench_others_end(&beside, r->note, sizeof r->note);
    }
  for (int i = n - 1; i >= 0; i--)
    if (l[i].open)
      bench_close(&l[i].work, l[i].frame);
  free(l);
  return tool_interrupted ? hed_fail(HED_E_CANCELLED, "interrupted") : HED_OK;
}
