// SPDX-License-Identifier: BSD-3-Clause
/* Order across the streams of a device: readers and writers of one array on several threads, without a wait on the host.
 * The faulty device fails a job that finds its operands in another version than the program's order says. L5. */
#include "arrays.h"
#include "streams.h"
#include <math.h>

static int64_t waits;

/* While the device stands still, what waits for it is a wait of the host's. */
static void stand_still(void)
{
  control("hold=1");
  waits = query("waits");
}

static void go_on(const char *what)
{
  is_int(query("waits") - waits, 0, "%s: no thread waited for the device", what);
  control("hold=0");
}

static void test_writer_after_readers(int readers)
{
  job a = { .n = COUNT, .value = 1 }, r[WORKERS], s = { .value = 2 };
  on(0, make, &a);
  (void)hed_wait(a.x);
  stand_still();
  for (int k = 1; k <= readers; k++) {
    r[k] = a;
    on(k, negate, &r[k]);
  }
  s.x = a.x;
  on(0, scale, &s);
  go_on("a writer after readers");
  is_int(s.n, HED_OK, "%d readers, then the writer", readers);
  bool good = true;
  for (int k = 1; k <= readers; k++) {
    good &= all_are(r[k].y, -1);
    hed_release(r[k].y);
  }
  ok(good, "%d readers on streams of their own see what was there", readers);
  ok(all_are(a.x, 2), "and the writer's comes after them");
  hed_release(a.x);
  is_in_order("a writer after readers");
}

/* Readers before, between and after writers that are not in the same stream twice running. */
static void test_many(void)
{
  enum { ROUNDS = 60 };
  job a = { .n = COUNT, .value = 1 }, r[ROUNDS], s = { .value = -1 };
  on(0, make, &a);
  s.x = a.x;
  stand_still();
  for (int k = 0; k < ROUNDS; k++) {
    r[k] = a;
    on(k * 7 % WORKERS, negate, &r[k]);
    if (k % 4 == 3)
      on(k % WORKERS, scale, &s);
  }
  go_on("readers and writers in turn");
  bool good = true;
  for (int k = 0; k < ROUNDS; k++) {
    good &= all_are(r[k].y, k / 4 % 2 ? 1 : -1);
    hed_release(r[k].y);
  }
  ok(good, "readers see what was written before them");
  ok(all_are(a.x, ROUNDS / 4 % 2 ? -1 : 1), "the last writer's stays");
  hed_release(a.x);
  is_in_order("readers and writers in turn");
}

static void test_chain(void)
{
  job j = { .n = COUNT, .value = 3 };
  on(0, make, &j);
  stand_still();
  for (int k = 1; k <= 50; k++) {
    on(k % WORKERS, negate, &j);
    hed_release(j.x);
    j.x = j.y;
  }
  go_on("a chain across streams");
  ok(all_are(j.x, 3), "a chain across streams, each link released as soon as the next one is asked for");
  hed_release(j.x);
  is_in_order("a chain across streams");
}

static void test_overlap(void)
{
  job j[2] = { { .n = COUNT, .value = 1 }, { .n = COUNT, .value = 1 } };
  control("reset;hold=1;delay_us=1000");
  for (int k = 0; k < 2; k++) {
    on(k, make, &j[k]);
    for (int i = 0; i < 4; i++) {
      on(k, negate, &j[k]);
      hed_release(j[k].x);
      j[k].x = j[k].y;
    }
  }
  control("hold=0");
  ok(all_are(j[0].x, 1) && all_are(j[1].x, 1), "two threads' jobs");
  ok(query("overlap") >= 2, "run at the same time");
  RELEASE(j[0].x, j[1].x);
  control("reset");
}

/* ---- threads that are in no order ---- */

enum { ROUNDS = 40, TIMES = 5 };

typedef struct race {
  hed_array *x, *part[2], **failing;
  pthread_barrier_t *barrier;
  int number;
  bool good;
} race;

static void hold_together(race *r) { pthread_barrier_wait(r->barrier); }

static void read_and_write(void *p)
{
  race *r = p;
  r->good = true;
  for (int k = 0; k < scaled(ROUNDS); k++) {
    hed_array *y[TIMES];
    for (int i = 0; i < TIMES; i++)
      y[i] = hed_negative(r->x);
    hold_together(r);
    if (k % WORKERS == r->number)
      r->good &= hed_add_scalar_into(r->x, r->x, 1) == HED_OK;
    hold_together(r);
    for (int i = 0; i < TIMES; i++) {
      if (i == k % TIMES)
        r->good &= all_are(y[i], -(float)(k + 1));
      hed_release(y[i]);
    }
  }
}

static void write_parts(void *p)
{
  race *r = p;
  r->good = true;
  for (int k = 0; k < scaled(ROUNDS); k++) {
    if (r->number < 2)
      r->good &= hed_add_scalar_into(r->part[r->number], r->part[r->number], 1) == HED_OK;
    hold_together(r);
    if (r->number >= 2 || k % 2) {
      hed_array *y = hed_negative(r->x);
      r->good &= all_are(y, -(float)(k + 1));
      hed_release(y);
    }
    hold_together(r);
  }
}

/* The device's versions are of blocks: writing two parts at once, which is allowed, looks like a fault there. */
static void run_race(step_fn *step, hed_array *x, hed_array *first, hed_array *second, const char *what)
{
  race r[WORKERS];
  pthread_barrier_t barrier;
  bool good = true;
  pthread_barrier_init(&barrier, NULL, WORKERS);
  control(first ? "delay_us=0;jitter_us=100;check=0" : "delay_us=0;jitter_us=100");
  for (int k = 0; k < WORKERS; k++) {
    r[k] = (race){ .x = x, .part = { first, second }, .barrier = &barrier, .number = k };
    begin(k, step, &r[k]);
  }
  for (int k = 0; k < WORKERS; k++) {
    finish(k);
    good &= r[k].good;
  }
  ok(good, "%s", what);
  is_in_order(what);
  pthread_barrier_destroy(&barrier);
  control("reset");
}

static void test_races(void)
{
  job j = { .n = 64, .value = 1 };
  on(0, make, &j);
  run_race(read_and_write, j.x, NULL, NULL, "threads read at once, then one of them writes");
  hed_release(j.x);
  j.value = 0;
  on(0, make, &j);
  hed_array *first = hed_slice_tensor(j.x, HED_SHAPE(0), HED_SHAPE(32));
  hed_array *second = hed_slice_tensor(j.x, HED_SHAPE(32), HED_SHAPE(32));
  run_race(write_parts, j.x, first, second, "two threads write their parts at once, all read the whole");
  RELEASE(first, second, j.x);
}

/* ---- failures ---- */

static void test_failures(void)
{
  job a = { .n = COUNT, .value = 1 }, r = a, s = { .value = 2 };
  on(0, make, &a);
  (void)hed_wait(a.x);
  r.x = s.x = a.x;
  control("fail=1");
  on(1, negate, &r);
  on(2, scale, &s);
  on(1, wait_y, &r);
  is_int(r.n, HED_E_ASYNC, "a reader fails");
  ok(s.n == HED_OK && all_are(a.x, 2), "which is nothing to the writer after it");
  hed_release(r.y);

  r.n = COUNT;
  control("fail=1");
  on(0, make, &r);
  job b = r;
  on(1, negate, &b);
  job c = { .x = b.y };
  on(2, negate, &c);
  on(3, wait_y, &c);
  is_int(c.n, HED_E_ASYNC, "a writer fails, and who reads what was made of it");
  on(3, wait_y, &b);
  is_int(b.n, HED_E_ASYNC, "wherever it is");
  RELEASE(c.y, b.y, b.x, a.x);
}

/* X fails, and some threads wait for it while others compute with it: all are told. */
static void use_what_fails(void *p)
{
  race *r = p;
  r->good = true;
  for (int k = 0; k < scaled(ROUNDS); k++) {
    if (r->number == 0) {
      control("fail=1");
      hed_release(*r->failing);
      *r->failing = hed_full(HED_SHAPE(64), k, HED_FLOAT32);
    }
    hold_together(r);
    if ((k + r->number) % 2 == 0)
      r->good &= hed_wait(*r->failing) == HED_E_ASYNC;
    hed_array *y = hed_negative(*r->failing);
    r->good &= (y ? hed_wait(y) : hed_error()) == HED_E_ASYNC;
    hed_release(y);
    hold_together(r);
  }
}

static void test_told_at_once(void)
{
  race r[WORKERS];
  pthread_barrier_t barrier;
  hed_array *x = NULL;
  bool good = true;
  pthread_barrier_init(&barrier, NULL, WORKERS);
  control("delay_us=0;jitter_us=100");
  for (int k = 0; k < WORKERS; k++) {
    r[k] = (race){ .barrier = &barrier, .number = k, .failing = &x };
    begin(k, use_what_fails, &r[k]);
  }
  for (int k = 0; k < WORKERS; k++) {
    finish(k);
    good &= r[k].good;
  }
  ok(good, "threads wait for what fails while others compute with it: each is told");
  hed_release(x);
  is_int(query("fates"), 0, "and nothing is kept of it");
  pthread_barrier_destroy(&barrier);
  control("reset");
}

int main(void)
{
  setenv("HEDDLE_POOL", "256", 1);
  setenv("HEDDLE_TEST_FAULTY", "streams=1;queues=5", 1);
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend");
  start_workers();
  for (int readers = 1; readers < WORKERS; readers++)
    test_writer_after_readers(readers);
  test_many();
  test_chain();
  test_overlap();
  test_races();
  test_failures();
  test_told_at_once();
  end_workers();
  is_int(hed_synchronize("faulty"), HED_OK, "all is done");
  is_uint(memory_of("faulty").in_use, 0, "nothing is left");
  return done();
}
