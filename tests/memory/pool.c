// SPDX-License-Identifier: BSD-3-Clause
/* The pool of host memory: reuse, exact numbers, alignment, what threads keep and leave, trimming, meters; and with the
 * setting at 0 no pool at all. L5.
 */
#include "arrays.h"
#include "memory.h"
#include <sys/wait.h>

enum { MIB = 1 << 20 };

static void test_numbers(void)
{
  (void)hed_free_cache();
  hed_memory_info a = memory_of(NULL), b;
  is_str(a.space, "host", "the space of a host backend");
  is_uint(a.cached, 0, "nothing is kept after free_cache");
  is_uint(a.pool_limit, 64 * MIB, "the bound is the setting");
  hed_array *x = bytes(1000), *y = bytes(3 * MIB);
  b = memory_of(NULL);
  is_uint(b.in_use - a.in_use, 1000 + 3 * MIB, "in use is what was asked for");
  is_uint(b.n_alloc - a.n_alloc, 2, "two requests");
  is_uint(b.n_hit - a.n_hit, 0, "none from the pool");
  ok(b.peak >= b.in_use, "the peak is no less");
  ok((uintptr_t)hed_array_data(x) % 64 == 0 && (uintptr_t)hed_array_data(y) % 64 == 0, "elements are aligned");
  void *px = hed_array_data(x), *py = hed_array_data(y);
  memset(py, 7, 3 * MIB);
  RELEASE(x, y);
  b = memory_of(NULL);
  is_uint(b.in_use, a.in_use, "released");
  ok(b.cached >= 1000 + 3 * MIB && b.cached < 5 * MIB, "and kept (%zu bytes)", b.cached);
  ok(b.largest_free >= 3 * MIB && b.largest_free <= b.cached, "the largest block is the large one");
  x = bytes(990);
  y = bytes(3 * MIB + 5000);
  ok(hed_array_data(x) == px && hed_array_data(y) == py, "a request of the same class gets the same block");
  is_uint(memory_of(NULL).n_hit - b.n_hit, 2, "which counts as found");
  is_uint(memory_of(NULL).cached, 0, "nothing more is kept");
  RELEASE(x, y);

  uint64_t trims = memory_of(NULL).n_trim;
  size_t got = hed_trim(NULL, 1, HED_TRIM_BLOCKS);
  ok(got >= 1, "trim gives back at least what is asked for (%zu)", got);
  got = hed_free_cache();
  is_uint(memory_of(NULL).cached, 0, "free_cache all of it (%zu)", got);
  is_uint(memory_of(NULL).n_trim - trims, 2, "two blocks went");
  is_uint(hed_free_cache(), 0, "there is nothing more");

  hed_array *many[40];
  for (int k = 0; k < 40; k++)
    many[k] = bytes(2 * MIB);
  for (int k = 0; k < 40; k++)
    hed_release(many[k]);
  b = memory_of(NULL);
  ok(b.cached <= 64 * MIB && b.cached > 48 * MIB, "no more is kept than the bound (%zu)", b.cached);
  x = bytes(60 * MIB);
  hed_release(x);
  b = memory_of(NULL);
  ok(b.cached <= 64 * MIB && b.largest_free >= 60 * MIB, "what lies longest makes room");
  (void)hed_free_cache();
}

static void test_views(void)
{
  uint64_t before = memory_of(NULL).n_alloc;
  int64_t live = hed_test_alloc_live();
  hed_array *x = hed_arange(0, 16, 1, HED_FLOAT32), *v = hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(8, HED_SLICE_END, 1) });
  double d = 0;
  is_uint(memory_of(NULL).n_alloc - before, 1, "a view takes no storage");
  hed_release(x);
  hed_array *other = hed_full(HED_SHAPE(16), 99, HED_FLOAT32); /* would take x's block */
  hed_array *e = hed_index(v, 0, 0);
  ok(hed_item(e, &d) == HED_OK && d == 8, "a view keeps the block when the array it came from has gone");
  RELEASE(e, v, other);
  is_int(hed_test_alloc_live() - live, 0, "nothing is left, whatever is kept");
}

static void test_meters(void)
{
  hed_memory_meter a, b;
  hed_memory_reading r = { .struct_size = sizeof r };
  hed_array *x = bytes(MIB);
  is_int(hed_memory_meter_begin(NULL, &a), HED_OK, "a meter");
  hed_array *y = bytes(2 * MIB);
  hed_release(y);
  is_int(hed_memory_meter_begin(NULL, &b), HED_OK, "a later one");
  y = bytes(1000);
  is_int(hed_memory_meter_read(&a, &r), HED_OK, "is read");
  ok(r.peak - r.start == 2 * MIB && r.now - r.start == 1000 && r.n_alloc == 2, "the first saw the large array");
  is_int(hed_memory_meter_read(&b, &r), HED_OK, "the other as well");
  ok(r.peak - r.start == 1000 && r.now - r.start == 1000 && r.n_alloc == 1, "which did not");
  hed_memory_meter_end(&b);
  is_int(hed_memory_meter_read(&b, &r), HED_E_INVAL, "not after its end");
  has_str(hed_error_text(), "not running", "says so");
  hed_memory_meter_end(&b);
  hed_memory_meter_end(&a);
  RELEASE(x, y);
  hed_memory_meter all[65];
  int n = 0;
  while (n < 65 && hed_memory_meter_begin(NULL, &all[n]) == HED_OK)
    n++;
  is_int(n, 64, "64 at a time");
  is_int(hed_error(), HED_E_LIMIT, "then it is an error");
  while (n > 0)
    hed_memory_meter_end(&all[--n]);
  is_int(hed_memory_meter_begin(NULL, &a), HED_OK, "and they can be used again");
  hed_memory_meter_end(&a);
  is_int(hed_memory_meter_begin("no-such-backend", &a), HED_E_NOTFOUND, "a backend that is not there");
  is_int(hed_memory_meter_begin(NULL, NULL), HED_E_INVAL, "nowhere to write");
  hed_memory_info i = { .struct_size = 0 };
  is_int(hed_memory_query(NULL, &i), HED_E_INVAL, "no size");
  is_int(hed_memory_query(NULL, NULL), HED_E_INVAL, "no struct");
  is_uint(hed_trim("no-such-backend", 1, HED_TRIM_BLOCKS), 0, "trim of a backend that is not there");
  is_int(hed_synchronize(NULL), HED_OK, "host memory has nothing to wait for");
  is_int(hed_synchronize("no-such-backend"), HED_E_NOTFOUND, "a backend that is not there");
}

static void *use_and_end(void *arg)
{
  for (int k = 0; k < 10; k++) {
    hed_array *x = bytes(4000), *y = bytes(200);
    RELEASE(x, y);
  }
  *(hed_memory_info *)arg = memory_of(NULL);
  return NULL;
}

static void *idle(void *arg)
{
  pthread_barrier_t *b = arg;
  hed_array *x = bytes(4000);
  hed_release(x);
  pthread_barrier_wait(b); /* something is kept here */
  pthread_barrier_wait(b); /* the other has trimmed */
  x = bytes(300);
  hed_release(x);
  pthread_barrier_wait(b);
  pthread_barrier_wait(b);
  return NULL;
}

static void test_threads(void)
{
  hed_memory_info inside, after;
  (void)hed_free_cache();
  in_thread(use_and_end, &inside);
  after = memory_of(NULL);
  ok(inside.cached > 4200, "a thread keeps what it releases");
  is_uint(after.cached, inside.cached, "and leaves it to the others when it ends");
  uint64_t hits = after.n_hit;
  hed_array *x = bytes(4000);
  is_uint(memory_of(NULL).n_hit - hits, 1, "who find it");
  hed_release(x);
  (void)hed_free_cache();

  pthread_barrier_t b;
  pthread_t t;
  pthread_barrier_init(&b, NULL, 2);
  if (hed_thread_create(&t, NULL, idle, &b) != 0)
    bail("no thread");
  pthread_barrier_wait(&b);
  (void)hed_free_cache();
  ok(memory_of(NULL).cached > 4000, "small blocks of another thread stay until its next call");
  pthread_barrier_wait(&b);
  pthread_barrier_wait(&b);
  ok(memory_of(NULL).cached < 4000, "then they go");
  pthread_barrier_wait(&b);
  pthread_join(t, NULL);
  pthread_barrier_destroy(&b);

  for (int k = 0; k < 3; k++) { /* many more than a magazine takes */
    hed_array *many[200];
    for (int i = 0; i < 200; i++)
      many[i] = bytes(9000);
    for (int i = 0; i < 200; i++)
      hed_release(many[i]);
  }
  hed_memory_info i = memory_of(NULL);
  ok(i.cached >= 200 * 9000 && i.cached < 300 * 9000, "what is too much for a thread goes to the shared lists, none is lost");
  (void)hed_free_cache();
  is_uint(memory_of(NULL).cached, 0, "and goes with the rest");
}

typedef struct keeper {
  pthread_barrier_t *step;
  bool second;
  const void *before, *again;
} keeper;

/* Both release, the second one last, and ask again, the first one first. */
static void *release_and_ask(void *arg)
{
  keeper *me = arg;
  hed_array *x = bytes(3 * MIB);
  me->before = hed_array_data(x);
  for (int step = 0; step < 4; step++) {
    pthread_barrier_wait(me->step);
    if (step == me->second)
      hed_release(x);
    if (step == 2 + me->second)
      x = bytes(3 * MIB);
  }
  pthread_barrier_wait(me->step);
  me->again = hed_array_data(x);
  hed_release(x);
  return NULL;
}

static void test_own_blocks_first(void)
{
  pthread_barrier_t step;
  pthread_t thread[2];
  keeper k[2] = { { .step = &step }, { .step = &step, .second = true } };
  (void)hed_free_cache();
  pthread_barrier_init(&step, NULL, 2);
  for (int i = 0; i < 2; i++)
    if (hed_thread_create(&thread[i], NULL, release_and_ask, &k[i]) != 0)
      bail("no thread");
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  pthread_barrier_destroy(&step);
  ok(k[0].again == k[0].before, "a thread is given the block that it released, not the one released last");
  ok(k[1].again == k[1].before, "and so is the other");
  uint64_t hits = memory_of(NULL).n_hit;
  ok(memory_of(NULL).largest_free >= 3 * MIB, "blocks of any thread are in the numbers");
  hed_array *x = bytes(3 * MIB), *y = bytes(3 * MIB);
  is_uint(memory_of(NULL).n_hit - hits, 2, "one that has none of its own finds those of others");
  RELEASE(x, y);
  (void)hed_free_cache();
  is_uint(memory_of(NULL).cached, 0, "a trim finds the blocks of all");
}

/* Another setting needs another process. */
static int without_pool(void)
{
  setenv("HEDDLE_POOL", "0", 1);
  if (hed_set_default_backend("reference") != HED_OK)
    return 1;
  hed_array *x = bytes(1000), *y = bytes(3 * MIB), *v = hed_reshape(x, HED_SHAPE(10, 100));
  hed_release(x);
  if (hed_array_size(v) != 1000)
    return 2;
  RELEASE(v, y);
  hed_memory_info i = memory_of(NULL);
  return i.cached || i.n_hit || i.in_use || i.pool_limit ? 3 : i.n_alloc != 2 ? 4 : hed_test_alloc_live() > 40 ? 5 : 0;
}

/* A result that lies a line behind its operand but for pages would be slower: all begin alike. */
static void test_places(void)
{
  static const int64_t sizes[] = { 70000, 300000, 1100000, 5000000 };
  enum { COUNT = sizeof sizes / sizeof *sizes, EACH = 5, PAGE = 4096 };
  hed_array *x[COUNT * EACH];
  int elsewhere = 0;
  for (int k = 0; k < COUNT * EACH; k++) {
    x[k] = hed_empty(HED_SHAPE(sizes[k % COUNT] + 1000 * k), HED_UINT8);
    elsewhere += (uintptr_t)hed_array_data(x[k]) % PAGE != (uintptr_t)hed_array_data(x[0]) % PAGE;
  }
  is_int(elsewhere, 0, "arrays of 64 KB and more begin at the same place of a page");
  for (int k = 0; k < COUNT * EACH; k++)
    hed_release(x[k]);
}

int main(void)
{
  int status = -1;
  pid_t p = fork();
  if (p == 0)
    _exit(without_pool());
  ok(p > 0 && waitpid(p, &status, 0) == p && status == 0, "pool = 0: nothing is kept (%d)", status);
  setenv("HEDDLE_POOL", "64", 1);
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_numbers();
  test_views();
  test_meters();
  test_threads();
  test_own_blocks_first();
  test_places();
  return done();
}
