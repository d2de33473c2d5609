// SPDX-License-Identifier: BSD-3-Clause
/* Hard situations of inheritance: creators that change or end at once, a root that changes, creations that fail,
 * pools whose tasks leak frames or never run, random numbers that must not depend on who starts first. L5.
 */
#include "scenario.h"
#include <errno.h>
#include <stdatomic.h>

/* ---- 9: the creator goes on and ends ---- */

static atomic_int seen;

static void *late_look(void *arg)
{
  (void)arg;
  sleep_ms(50);
  atomic_store(&seen, here());
  return NULL;
}

typedef struct creator { pthread_t child; bool made; } creator;

static void *create_and_change(void *arg)
{
  creator *c = arg;
  hed_frame x, y;
  if (push_tag(21, &x) != HED_OK)
    return NULL;
  c->made = hed_thread_create(&c->child, NULL, late_look, NULL) == 0;
  if (hed_context_pop(x) != HED_OK || push_tag(22, &y) != HED_OK)
    c->made = false;
  return NULL; /* with a frame open */
}

static void test_creator_ends(void)
{
  int64_t live = 0;
  for (int round = 0; round < 2; round++) { /* the first one pays for what is allocated once */
    creator c = { .made = false };
    live = hed_test_alloc_live();
    in_thread(create_and_change, &c);
    ok(c.made, "a child was made under X");
    if (c.made)
      pthread_join(c.child, NULL);
    is_int(atomic_load(&seen), 21, "it runs under X although its creator changed and ended");
  }
  is_int(hed_test_alloc_live(), live, "X is freed once both have ended");
}

/* ---- 10: followers have followers ---- */

static pthread_barrier_t gate;

static void *look_twice(void *arg)
{
  int *look = arg;
  look[0] = here();
  pthread_barrier_wait(&gate);
  pthread_barrier_wait(&gate);
  look[1] = here();
  return NULL;
}

static void test_follow(void)
{
  int look[2] = { 0, 0 };
  pthread_t t;
  pthread_barrier_init(&gate, NULL, 2);
  is_int(hed_set_default_backend(";threads=31"), HED_OK, "a root");
  is_int(hed_thread_create(&t, NULL, look_twice, look), 0, "a child of a thread that follows it");
  pthread_barrier_wait(&gate);
  is_int(hed_set_default_backend(";threads=32"), HED_OK, "another root");
  pthread_barrier_wait(&gate);
  pthread_join(t, NULL);
  is_int(look[0], 31, "the child follows the root");
  is_int(look[1], 32, "and does not keep a copy of it");
  pthread_barrier_destroy(&gate);
}

/* ---- 11: creations that fail ---- */

static atomic_int children, orphans;

static void *count_child(void *arg)
{
  (void)arg;
  atomic_fetch_add(&children, 1);
  atomic_fetch_add(&orphans, here() != 41);
  return NULL;
}

static void test_failures(void)
{
  enum { BATCH = 8 };
  int n = scaled(1000), made = 0, refused = 0, odd = 0, too_big = 0, no_memory = 0;
  hed_frame f;
  pthread_attr_t huge;
  pthread_attr_init(&huge);
  pthread_attr_setstacksize(&huge, (size_t)1 << 60); /* more than any address space, of 57 bits too */
  if (push_tag(41, &f) != HED_OK)
    bail("push: %s", hed_error_text());
  in_thread(count_child, NULL);
  atomic_store(&children, 0);
  int64_t live = hed_test_alloc_live();
  for (int k = 0; k < n; k += BATCH) {
    pthread_t t[BATCH];
    int in_batch = 0;
    for (int j = k; j < k + BATCH; j++) {
      bool big = j % 3 == 0, poor = j % 7 == 0;
      if (poor)
        hed_test_fail_alloc_at(1);
      int e = hed_thread_create(&t[in_batch], big ? &huge : NULL, count_child, NULL);
      hed_test_fail_alloc_at(0);
      in_batch += e == 0;
      made += e == 0;
      refused += e == EAGAIN;
      odd += e != 0 && e != EAGAIN;
      too_big += big && e == 0;
      no_memory += poor && e == 0;
    }
    for (int j = 0; j < in_batch; j++)
      pthread_join(t[j], NULL);
  }
  ok(made > 0 && refused > 0, "%d children were made, %d refused", made, refused);
  is_int(odd, 0, "every refusal is EAGAIN");
  is_int(too_big, 0, "no child with an impossible stack");
  is_int(no_memory, 0, "no child without memory for its snapshot");
  is_int(atomic_load(&children), made, "every child that was made ran");
  is_int(atomic_load(&orphans), 0, "none without its creator's context");
  is_int(hed_test_alloc_live(), live, "nothing stays of those that were refused");
  is_int(hed_context_pop(f), HED_OK, "the creator's frame is there");
  pthread_attr_destroy(&huge);
}

/* ---- 12: a pool ---- */

enum { WORKERS = 3, KINDS = 4 };

typedef struct task { hed_snapshot *snapshot; int kind; bool leaks, cancelled; } task;

static struct {
  pthread_mutex_t lock;
  task *tasks;
  int n, next;
  atomic_int wrong, unclean, ran, failed;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void run_task(const task *t, int index)
{
  hed_frame f;
  if (hed_adopt(t->snapshot, (uint64_t)index, &f) != HED_OK) {
    atomic_fetch_add(&pool.failed, 1);
    return;
  }
  atomic_fetch_add(&pool.ran, 1);
  atomic_fetch_add(&pool.wrong, here() != 50 + t->kind);
  if (t->leaks)
    for (int k = 0; k < 3; k++)
      atomic_fetch_add(&pool.failed, push_tag(90 + k, NULL) != HED_OK);
  atomic_fetch_add(&pool.failed, hed_context_unwind(f) != HED_OK);
  atomic_fetch_add(&pool.unclean, hed_context_depth() != 0);
}

static void *worker(void *arg)
{
  (void)arg;
  for (;;) {
    pthread_mutex_lock(&pool.lock);
    int k = pool.next < pool.n ? pool.next++ : -1;
    pthread_mutex_unlock(&pool.lock);
    if (k < 0)
      return NULL;
    if (!pool.tasks[k].cancelled)
      run_task(&pool.tasks[k], k);
    hed_snapshot_release(pool.tasks[k].snapshot);
  }
}

static void test_pool(void)
{
  pthread_t w[WORKERS];
  hed_context *context[KINDS];
  int expected = 0;
  in_thread(worker, NULL); /* with nothing to do */
  pool.n = scaled(10000);
  pool.tasks = calloc((size_t)pool.n, sizeof *pool.tasks);
  if (!pool.tasks)
    bail("out of memory");
  for (int k = 0; k < KINDS; k++)
    context[k] = tagged(50 + k);
  int64_t live = hed_test_alloc_live();
  for (int k = 0; k < pool.n; k++) {
    task *t = &pool.tasks[k];
    *t = (task){ NULL, k % KINDS, k % 7 == 0, k % 11 == 0 };
    expected += !t->cancelled;
    HED_CONTEXT(context[t->kind]) {
      if (hed_capture(&t->snapshot) != HED_OK)
        bail("capture: %s", hed_error_text());
    }
  }
  for (int k = 0; k < WORKERS; k++)
    if (hed_thread_create(&w[k], NULL, worker, NULL) != 0)
      bail("no thread");
  for (int k = 0; k < WORKERS; k++)
    pthread_join(w[k], NULL);
  is_int(atomic_load(&pool.ran), expected, "%d of %d tasks ran, the rest was cancelled", expected, pool.n);
  is_int(atomic_load(&pool.wrong), 0, "each under the context in which it was made");
  is_int(atomic_load(&pool.unclean), 0, "one that leaked frames left none to the next");
  is_int(atomic_load(&pool.failed), 0, "adopt and unwind succeed");
  is_int(hed_test_alloc_live(), live, "no snapshot stays");
  for (int k = 0; k < KINDS; k++)
    hed_context_release(context[k]);
  free(pool.tasks);
  hed_snapshot_release(NULL);
}

/* ---- 15: random numbers of siblings ---- */

enum { SIBLINGS = 4, DRAWS = 2, LENGTH = 33 };
typedef float drawn[DRAWS][LENGTH];

typedef struct sibling { int delay; drawn values; bool good; } sibling;

static bool draw(drawn out)
{
  bool good = true;
  for (int k = 0; k < DRAWS; k++) {
    hed_array *x = hed_random_uniform(HED_SHAPE(LENGTH), HED_FLOAT32, NULL);
    good &= hed_to_host(x, out[k], sizeof out[k]) == HED_OK;
    hed_release(x);
  }
  return good;
}

static void *draw_later(void *arg)
{
  sibling *s = arg;
  sleep_ms(s->delay);
  s->good = draw(s->values);
  return NULL;
}

/* Siblings started in order, each after its delay; together or one after the other. */
static bool family(sibling *s, const int *delay, bool serial)
{
  pthread_t t[SIBLINGS];
  bool good = true;
  HED_BACKEND_CONTEXT(";seed=77") {
    for (int k = 0; k < SIBLINGS; k++) {
      s[k] = (sibling){ .delay = delay[k] };
      if (hed_thread_create(&t[k], NULL, draw_later, &s[k]) != 0)
        bail("no thread");
      if (serial)
        pthread_join(t[k], NULL);
    }
    for (int k = 0; k < SIBLINGS && !serial; k++)
      pthread_join(t[k], NULL);
  }
  for (int k = 0; k < SIBLINGS; k++)
    good &= s[k].good;
  return good;
}

static struct { hed_snapshot *snapshot; drawn values[SIBLINGS]; int delay[SIBLINGS], next; bool good; } draw_pool;
static pthread_mutex_t draw_lock = PTHREAD_MUTEX_INITIALIZER;

static void *draw_worker(void *arg)
{
  for (;;) {
    pthread_mutex_lock(&draw_lock);
    int k = draw_pool.next < SIBLINGS ? draw_pool.next++ : -1;
    pthread_mutex_unlock(&draw_lock);
    if (k < 0)
      return arg;
    bool good = false;
    sleep_ms(draw_pool.delay[k]);
    HED_ADOPT(draw_pool.snapshot, k) good = draw(draw_pool.values[k]);
    pthread_mutex_lock(&draw_lock);
    draw_pool.good &= good;
    pthread_mutex_unlock(&draw_lock);
  }
}

static bool run_draw_pool(int workers, const int *delay, drawn *out)
{
  pthread_t t[SIBLINGS];
  draw_pool.next = 0;
  draw_pool.good = true;
  memcpy(draw_pool.delay, delay, sizeof draw_pool.delay);
  memset(draw_pool.values, 0, sizeof draw_pool.values);
  for (int k = 0; k < workers; k++)
    if (hed_thread_create(&t[k], NULL, draw_worker, NULL) != 0)
      bail("no thread");
  for (int k = 0; k < workers; k++)
    pthread_join(t[k], NULL);
  memcpy(out, draw_pool.values, sizeof draw_pool.values);
  return draw_pool.good;
}

static void *nothing(void *arg)
{
  return arg;
}

static void test_random(void)
{
  static const int none[SIBLINGS] = { 0, 0, 0, 0 }, up[SIBLINGS] = { 0, 8, 16, 24 }, down[SIBLINGS] = { 24, 16, 8, 0 };
  static sibling serial[SIBLINGS], first[SIBLINGS], last[SIBLINGS];
  ok(family(serial, none, true), "siblings draw one after the other");
  in_thread(nothing, NULL); /* children outside the block with the seed are numbered apart */
  ok(family(first, up, false), "together, the first one first");
  ok(family(last, down, false), "together, the last one first");
  for (int k = 0; k < SIBLINGS; k++) {
    is_mem(first[k].values, serial[k].values, sizeof(drawn), "sibling %d: same numbers, first first", k);
    is_mem(last[k].values, serial[k].values, sizeof(drawn), "sibling %d: same numbers, last first", k);
    for (int j = 0; j < k; j++)
      ok(memcmp(serial[j].values, serial[k].values, sizeof(drawn)) != 0, "siblings %d and %d differ", j, k);
    ok(memcmp(serial[k].values[0], serial[k].values[1], sizeof serial[k].values[0]) != 0, "two draws differ");
  }

  static drawn one[SIBLINGS], three[SIBLINGS];
  HED_BACKEND_CONTEXT(";seed=78") {
    if (hed_capture(&draw_pool.snapshot) != HED_OK)
      bail("capture: %s", hed_error_text());
  }
  ok(run_draw_pool(1, none, one), "tasks draw in a pool of one");
  ok(run_draw_pool(3, down, three), "and in a pool of three");
  is_mem(three, one, sizeof one, "same numbers for any mapping of tasks to workers");
  ok(memcmp(one[0], one[1], sizeof one[0]) != 0, "tasks differ");
  hed_snapshot_release(draw_pool.snapshot);
}

int main(void)
{
  if (hed_set_default_backend(usual_backend()) != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_creator_ends();
  test_follow();
  test_failures();
  test_pool();
  test_random();
  return done();
}
