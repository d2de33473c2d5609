// SPDX-License-Identifier: BSD-3-Clause
/* Memory that operations take for themselves, kernels and the library: it counts in the statistics, towards the limits of the
 * context, and comes back. Of each operation the need is found by halving; below it the failure is the limit's, with its
 * numbers. L5.
 */
#include "arrays.h"
#include "memory.h"

enum { KIB = 1 << 10, MIB = 1 << 20, N = 100000 };

static hed_array *x, *square, *places, *points;

typedef struct job {
  const char *name;
  hed_array *(*run)(void);
  size_t result;            /* bytes of the results */
  size_t least;             /* bytes beside them that it cannot do without, on both backends */
} job;

static hed_array *pair_of(hed_status s, hed_array **r)
{
  hed_release(r[1]);
  return s == HED_OK ? r[0] : NULL;
}

static hed_array *run_argsort(void) { return hed_argsort(x, NULL); }
static hed_array *run_quantile(void) { return hed_quantile(x, 1, &(double){ 0.3 }, NULL); }
static hed_array *run_logspace(void) { return hed_logspace(0, 1, N, 10, HED_FLOAT32); }
static hed_array *run_solve(void) { return hed_solve(square, square); }
static hed_array *run_ravel(void) { return hed_ravel_multi_index(1, (const hed_array *const[]){ places }, HED_SHAPE(N)); }
static hed_array *run_filter(void) { return hed_filter_points_indices(points, 0.5, NULL); }
static hed_array *run_unique(void)
{
  hed_array *r[2] = { NULL, NULL };
  return pair_of(hed_unique(square, &HED_AXES(0), &r[0], &r[1], NULL, NULL), r);
}
static hed_array *run_tolist(void)
{
  static double list[N];
  return hed_tolist(x, list, N) == HED_OK ? hed_zeros(HED_SHAPE(1), HED_FLOAT32) : NULL;
}

static const job jobs[] = {
  { "quantile", run_quantile, 4, 4 * N / 2 },
  { "logspace", run_logspace, 4 * N, 8 * N },
  { "solve", run_solve, 4 * 256 * 256, 4 * 256 * 256 },
  { "ravel_multi_index", run_ravel, 8 * N, 8 * N },
  { "filter_points_indices", run_filter, 8 * 2000, 16 * 2000 },
  { "unique", run_unique, 4 * 256 * 256, 40 * 256 },
  { "tolist", run_tolist, 0, 4 * N },
  { "argsort", run_argsort, 8 * N, 0 },
};

/* J under a limit of BYTES: HED_OK or what went wrong. */
static hed_status within(const job *j, size_t bytes)
{
  hed_status s = HED_E_INTERNAL;
  char spec[64];
  snprintf(spec, sizeof spec, ";memory=%zu", bytes);
  hed_error_clear();
  HED_BACKEND_CONTEXT(spec) {
    hed_array *y = j->run();
    s = y ? HED_OK : hed_error();
    hed_release(y);
  }
  return s;
}

static size_t need_of(const job *j)
{
  size_t low = 1, high = 64 * MIB;
  while (high - low > high / 64) {
    size_t middle = (low + high) / 2;
    if (within(j, middle) == HED_OK)
      high = middle;
    else
      low = middle;
  }
  return high;
}

static void test(const char *backend, const job *j)
{
  hed_memory_meter m;
  hed_memory_reading r = { .struct_size = sizeof r };
  hed_array *warm = j->run();
  ok(warm != NULL, "%s: %s (%s)", backend, j->name, hed_error_text());
  hed_release(warm);
  const size_t before = memory_of(NULL).in_use, need = need_of(j);
  ok(need >= j->result + j->least && need < 64 * MIB, "... needs %zu bytes, %zu of them for the result", need, j->result);
  if (hed_memory_meter_begin(NULL, &m) != HED_OK)
    bail("meter: %s", hed_error_text());
  hed_array *y = j->run();
  if (hed_memory_meter_read(&m, &r) != HED_OK)
    bail("meter: %s", hed_error_text());
  hed_memory_meter_end(&m);
  hed_release(y);
  ok(r.peak - r.start >= j->result + j->least && r.peak - r.start <= need + need / 32,
     "... which is what the statistics say: %zu", r.peak - r.start);
  hed_memory_failure f = { .struct_size = sizeof f };
  const size_t less = need - need / 16;
  const hed_status s = within(j, less);
  is_int(s, HED_E_LIMIT, "... with less it is the limit that fails");
  ok(hed_error_memory(&f) == HED_OK && f.status == HED_E_LIMIT && f.limit == less && f.requested > 0 &&
       f.requested > f.largest_free, "... with its numbers (%s)", hed_error_text());
  has_str(hed_error_text(), "memory limit", "... and a sentence");
  is_int(within(j, need + need / 32), HED_OK, "... and it works again");
  is_uint(memory_of(NULL).in_use, before, "... all is back");
}

/* Two threads within limits of their own: neither takes from the other's. */
static void *worker(void *arg)
{
  bool *good = arg;
  *good = true;
  for (int k = 0; k < 20; k++)
    *good = *good && within(&jobs[0], MIB) == HED_OK && within(&jobs[0], 64) == HED_E_LIMIT && within(&jobs[1], 2 * MIB) == HED_OK;
  return NULL;
}

int main(void)
{
  static const char *const backends[] = { "reference;threads=1", "cpu;threads=1" }; /* helpers have no limits */
  setenv("HEDDLE_POOL", "512", 1);
  for (int b = 0; b < 2; b++) {
    if (hed_set_default_backend(backends[b]) != HED_OK) {
      skip(1, "%s", hed_error_text());
      continue;
    }
    x = hed_random_uniform(HED_SHAPE(N), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
    hed_array *noise = hed_random_uniform(HED_SHAPE(256, 256), HED_FLOAT32, &(hed_random){ .seed = 2, .seeded = true });
    hed_array *one = hed_eye(256, 256, 0, HED_FLOAT32);
    square = hed_add(noise, one);
    RELEASE(noise, one);
    places = hed_arange(0, N, 1, HED_INT64);
    points = hed_random_uniform(HED_SHAPE(2000, 2), HED_FLOAT64, &(hed_random){ .seed = 3, .seeded = true });
    if (!x || !square || !places || !points)
      bail("setting up: %s", hed_error_text());
    for (size_t k = 0; k < sizeof jobs / sizeof jobs[0]; k++)
      test(backends[b], &jobs[k]);
    pthread_t t[2];
    bool good[2];
    for (int k = 0; k < 2; k++)
      if (pthread_create(&t[k], NULL, worker, &good[k]) != 0)
        bail("no thread");
    for (int k = 0; k < 2; k++)
      pthread_join(t[k], NULL);
    ok(good[0] && good[1], "%s: two threads with limits of their own", backends[b]);
    hed_array *all[] = { x, square, places, points };
    for (int k = 0; k < 4; k++)
      hed_release(all[k]);
    hed_free_cache(); /* LeakSanitizer does not see accounts that mapped blocks have */
  }
  return done();
}
