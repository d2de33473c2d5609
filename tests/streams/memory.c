// SPDX-License-Identifier: BSD-3-Clause
/* Memory of a device with streams: blocks handed out again before they are free, what is kept, large blocks. L5. */
#include "arrays.h"
#include "streams.h"
#include <sys/wait.h>

enum { MIB = 1 << 20, BIG = 3 * MIB / 4 * 4 / 4 }; /* of four floats in a block of 12 MiB */

static hed_memory_info now(void) { return memory_of("faulty"); }

static void synchronize(void)
{
  is_int(hed_synchronize("faulty"), HED_OK, "synchronize");
  (void)hed_trim("faulty", SIZE_MAX, HED_TRIM_BLOCKS);
}

/* A chain in one stream: each link takes the block of the one before the last, which is not over yet. */
static void test_own_stream(void)
{
  job j = { .n = BIG, .value = 1 };
  on(1, make, &j);
  control("hold=1");
  hed_memory_info before = now(), after;
  int64_t waits = query("waits");
  for (int k = 0; k < 20; k++) {
    on(1, negate, &j);
    on(1, drop, &j);
    j.x = j.y;
  }
  after = now();
  is_uint(after.n_alloc - before.n_alloc, 20, "twenty results in one stream");
  is_uint(after.n_hit - before.n_hit, 19, "all but one in a block that the stream is still to use");
  is_int(query("waits") - waits, 0, "without waiting");
  control("hold=0");
  ok(all_are(j.x, 1), "values are right");
  hed_release(j.x);
  is_in_order("a chain in one stream");
  synchronize();
}

static int64_t mixed_hits(int reader)
{
  job a = { .n = BIG, .value = 1 }, r, c = { .n = BIG, .value = 9 };
  on(0, make, &a);
  (void)hed_wait(a.x);
  control("hold=1");
  r = a;
  on(reader, negate, &r);
  on(reader, drop, &a);
  hed_memory_info before = now();
  on(2, make, &c);
  uint64_t hits = now().n_hit - before.n_hit;
  control("hold=0");
  ok(all_are(r.y, -1), "the reader on stream %d sees what was there", reader);
  ok(all_are(c.x, 9), "and what was made since is there");
  RELEASE(r.y, c.x);
  is_in_order("a released block");
  synchronize();
  return (int64_t)hits;
}

/* Of another stream: while there is memory, it is left alone; when there is none, the device waits and not the thread. */
static void test_other_streams(void)
{
  is_int(mixed_hits(1), 0, "a block that another stream is to read is not handed out");
  is_int(mixed_hits(2), 1, "but to that stream");
  job fill[2] = { { .n = 6 * MIB, .value = 0 }, { .n = 6 * MIB, .value = 0 } };
  hed_memory_info start = now();
  for (int k = 0; k < 2; k++) /* of 64 MiB, 8 are left: for the array and what is computed from it */
    on(0, make, &fill[k]);
  hed_array *more = NULL;
  HED_BACKEND_CONTEXT("faulty")
    more = hed_empty(HED_SHAPE(2 * MIB), HED_FLOAT32);
  int64_t waits = query("waits");
  uint64_t retries = now().n_oom_retry;
  job a = { .n = MIB, .value = 1 }, r, c = { .n = MIB, .value = 9 };
  on(0, make, &a);
  control("hold=1");
  r = a;
  on(1, negate, &r);
  on(1, drop, &a);
  on(2, make, &c);
  is_int(query("waits") - waits, 0, "without memory it is: no thread waited");
  ok(now().n_oom_retry > retries, "it was short");
  control("hold=0");
  ok(all_are(r.y, -1) && all_are(c.x, 9), "values are right");
  for (int k = 0; k < 2; k++)
    hed_release(fill[k].x);
  RELEASE(more, r.y, c.x);
  is_in_order("a block of another stream");
  synchronize();
  is_uint(now().in_use, start.in_use, "nothing is left");
}

/* A block that several streams use lands when all of them are over it. */
static void test_several(void)
{
  job a = { .n = BIG, .value = 1 }, r[3];
  on(0, make, &a);
  (void)hed_wait(a.x);
  control("hold=1");
  for (int k = 0; k < 3; k++) {
    r[k] = a;
    on(k, negate, &r[k]);
  }
  hed_release(a.x);
  ok(now().in_flight >= BIG * sizeof(float), "what three streams are to read flies");
  control("hold=0");
  is_int(hed_synchronize("faulty"), HED_OK, "synchronize waits for all of them");
  is_uint(now().in_flight, 0, "then nothing does");
  for (int k = 0; k < 3; k++) {
    ok(all_are(r[k].y, -1), "stream %d", k);
    hed_release(r[k].y);
  }
  synchronize();
}

/* Threads that make and release at random, across streams. */
typedef struct storm {
  uint64_t state;
  bool good;
} storm;

static void run_storm(void *p)
{
  storm *s = p;
  s->good = true;
  for (int k = 0; k < scaled(60); k++) {
    s->state = s->state * 6364136223846793005u + 1442695040888963407u;
    job j = { .n = 1000 << (s->state >> 33) % 5, .value = (float)(s->state >> 40) };
    make(&j);
    for (int i = 0; i < (int)(s->state >> 50) % 4; i++) {
      negate(&j);
      drop(&j);
      j.x = j.y;
      j.value = -j.value;
    }
    s->good &= all_are(j.x, j.value);
    hed_release(j.x);
  }
}

static void test_storm(void)
{
  storm s[WORKERS];
  bool good = true;
  control("delay_us=0;jitter_us=200");
  for (int k = 0; k < WORKERS; k++) {
    s[k].state = tap_seed() + (uint64_t)k;
    begin(k, run_storm, &s[k]);
  }
  for (int k = 0; k < WORKERS; k++) {
    finish(k);
    good &= s[k].good;
  }
  ok(good, "blocks go from thread to thread");
  is_in_order("blocks go from thread to thread");
  control("reset");
  synchronize();
}

/* ---- in processes of their own, as settings are read once ---- */

static int large(void)
{
  enum { UNIT = 2 * MIB };
  setenv("HEDDLE_TEST_FAULTY", "memory=1073741824", 1);
  unsetenv("HEDDLE_POOL");
  setenv("HEDDLE_DEVICE_POOL", "512", 1);
  if (hed_set_backend("faulty") != HED_OK || now().pool_limit != (size_t)512 * MIB)
    return 2;
  hed_array *x = bytes(65 * MIB), *y = bytes((int64_t)71 * MIB - 1);
  hed_release(x);
  if (hed_synchronize(NULL) != HED_OK || now().cached != 66 * MIB)
    return 3;
  hed_release(y);
  if (hed_synchronize(NULL) != HED_OK || now().cached != (66 + 72) * MIB || now().largest_free != 72 * MIB)
    return 4;
  uint64_t hits = now().n_hit;
  x = bytes(62 * MIB); /* the smaller of two that would do */
  if (now().n_hit != hits + 1 || now().cached != 72 * MIB)
    return 5;
  y = bytes(62 * MIB); /* the other is too large by more than an eighth */
  if (now().n_hit != hits + 1 || now().cached != 72 * MIB)
    return 6;
  hed_release(y);
  y = bytes(63 * MIB);
  if (hed_synchronize(NULL) != HED_OK || now().n_hit != hits + 2 || now().cached != 62 * MIB)
    return 7;
  hed_release(y);
  y = bytes(32 * MIB); /* up to there, classes as elsewhere */
  hed_release(y);
  return hed_synchronize(NULL) == HED_OK && now().cached == (62 + 72 + 32) * MIB ? 0 : 8;
}

static int usual_bound(void)
{
  unsetenv("HEDDLE_DEVICE_POOL");
  setenv("HEDDLE_POOL", "64", 1);
  if (hed_set_backend("faulty") != HED_OK || now().pool_limit != 64 * MIB - 64 * MIB / 10)
    return 2;
  return memory_of("reference").pool_limit == 64 * MIB ? 0 : 3;
}

static int none_kept(void)
{
  unsetenv("HEDDLE_DEVICE_POOL");
  setenv("HEDDLE_POOL", "0", 1);
  setenv("HEDDLE_TEST_FAULTY", "streams=1", 1);
  if (hed_set_backend("faulty") != HED_OK || now().pool_limit != 0)
    return 2;
  control("hold=1");
  job j = { .n = 1000, .value = 2 };
  make(&j);
  negate(&j);
  int64_t frees = query("frees");
  drop(&j);
  if (query("frees") != frees) /* it is still to be read */
    return 3;
  control("hold=0");
  if (!all_are(j.y, -2) || hed_synchronize(NULL) != HED_OK || query("frees") != frees + 1)
    return 4;
  hed_release(j.y);
  return query("violations") == 0 && now().in_use == 0 && now().cached == 0 && now().in_flight == 0 ? 0 : 5;
}

static int device_kept(void)
{
  setenv("HEDDLE_DEVICE_POOL", "16", 1);
  setenv("HEDDLE_POOL", "0", 1);
  if (hed_set_backend("faulty") != HED_OK || now().pool_limit != 16 * MIB)
    return 2;
  hed_array *x = bytes(3000);
  hed_release(x);
  if (hed_synchronize(NULL) != HED_OK || now().cached < 3000)
    return 3;
  return hed_trim(NULL, SIZE_MAX, HED_TRIM_BLOCKS) >= 3000 && now().cached == 0 ? 0 : 4;
}

static int wrong(void)
{
  setenv("HEDDLE_DEVICE_POOL", "some", 1);
  return hed_get_backend() && strstr(hed_error_text(), "HEDDLE_DEVICE_POOL") ? 0 : 2;
}

/* A block that the device could not give back is lost to everybody, and nothing else is. */
static int free_fails(void)
{
  setenv("HEDDLE_POOL", "64", 1);
  setenv("HEDDLE_TEST_FAULTY", "streams=1", 1);
  if (hed_set_backend("faulty") != HED_OK)
    return 2;
  hed_array *x = bytes(40 * MIB);
  hed_release(x);
  if (!x || hed_synchronize(NULL) != HED_OK)
    return 3;
  control("fail_free=1");
  if (hed_trim("faulty", SIZE_MAX, HED_TRIM_BLOCKS) == 0 || now().in_use != 0 || now().cached != 0)
    return 4;
  hed_memory_failure f = { .struct_size = sizeof f };
  if (bytes(40 * MIB) || hed_error() != HED_E_DEVMEM || hed_error_memory(&f) != HED_OK || f.in_use != 0 ||
      f.largest_free >= (size_t)40 * MIB)
    return 5;
  job j = { .n = 4 * MIB, .value = 3 };
  make(&j);
  bool good = j.x && all_are(j.x, 3);
  hed_release(j.x);
  return good && hed_synchronize(NULL) == HED_OK && query("violations") == 0 ? 0 : 6;
}

/* A device of interface 1.2: one stream, scalars and indices through copies, nothing fused; values are the same. Where the
 * list of operations has grown since, it is refused for that. */
static int of_minor_2(void)
{
  setenv("HEDDLE_TEST_FAULTY", "minor=2", 1);
  if (hed_backend_require("faulty") != HED_OK)
    return hed_error() == HED_E_ABI && strstr(hed_error_text(), "1.2") ? 0 : 2;
  if (hed_set_backend("faulty") != HED_OK)
    return 3;
  job j = { .n = COUNT, .value = 2 };
  make(&j);
  negate(&j);
  hed_array *at = hed_arange(0, 3, 1, HED_INT64), *taken = hed_take(j.y, at, 0), *z = NULL;
  HED_SCOPE {
    HED_FUSED
      z = hed_keep(hed_multiply_scalar(hed_add(j.x, j.x), 3));
  }
  void *handle;
  if (!all_are(j.y, -2) || !all_are(taken, -2) || !all_are(z, 12))
    return 4;
  if (query("fusions") != 0 || hed_stream_native(NULL, &handle) != HED_E_UNSUPPORTED)
    return 5;
  scale(&j);
  if (j.n != HED_OK || !all_are(j.x, 4) || !all_are(j.y, -2))
    return 6;
  RELEASE(at, taken, z, j.x, j.y);
  return hed_synchronize(NULL) == HED_OK && now().in_use == 0 && query("violations") == 0 ? 0 : 7;
}

static void in_child(int (*fn)(void), const char *what)
{
  int status = 0;
  pid_t child = fork();
  if (child == 0)
    _exit(fn());
  waitpid(child, &status, 0);
  is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0, "%s", what);
}

int main(void)
{
  in_child(large, "large blocks are multiples of 2 MiB, of which the best is taken");
  in_child(usual_bound, "nine tenths of a device's memory are kept, whatever the host's bound is");
  in_child(none_kept, "where nothing is kept, a block goes back when its uses are over");
  in_child(device_kept, "a device's pool without the host's");
  in_child(wrong, "a setting that is no number");
  in_child(free_fails, "a block that the device keeps is missing, and no other");
  in_child(of_minor_2, "a device of interface 1.2");
  setenv("HEDDLE_POOL", "256", 1);
  setenv("HEDDLE_TEST_FAULTY", "streams=1;queues=5", 1);
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend");
  start_workers();
  test_own_stream();
  test_other_streams();
  test_several();
  test_storm();
  end_workers();
  return done();
}
