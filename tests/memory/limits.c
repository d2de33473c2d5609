// SPDX-License-Identifier: BSD-3-Clause
/* Limits of contexts: nested, replaced, imposed; their error with its numbers; what is to be had in host memory under a
 * resource limit; memory that is really out. L5.
 */
#include "arrays.h"
#include "memory.h"
#include <sys/resource.h>
#include <sys/wait.h>

enum { KIB = 1 << 10, MIB = 1 << 20 };

static hed_memory_failure failure(void)
{
  hed_memory_failure f = { .struct_size = sizeof f };
  if (hed_error_memory(&f) != HED_OK)
    f.status = HED_OK;
  return f;
}

static void test_failure(void)
{
  hed_memory_failure f = { .struct_size = sizeof f };
  hed_error_clear();
  is_int(hed_error_memory(&f), HED_E_NOTFOUND, "no failure, no numbers");
  is_int(hed_error(), HED_OK, "and that is no error");
  HED_BACKEND_CONTEXT(";memory=1M") {
    hed_array *x = bytes(600 * KIB), *y = bytes(500 * KIB);
    ok(x && !y && hed_error() == HED_E_LIMIT, "more than the limit leaves");
    f = failure();
    is_int(f.status, HED_E_LIMIT, "the numbers: status,");
    is_uint(f.requested, 500 * KIB, "requested,");
    is_uint(f.in_use, 600 * KIB, "in use,");
    is_uint(f.cached, 0, "kept,");
    is_uint(f.limit, MIB, "limit,");
    is_uint(f.largest_free, MIB - 600 * KIB, "largest that is free,");
    is_str(f.space, "host", "space");
    char text[64];
    const size_t number[5] = { 500 * KIB, 600 * KIB, 0, MIB, MIB - 600 * KIB };
    for (int k = 0; k < 5; k++) {
      snprintf(text, sizeof text, " %zu", number[k]);
      has_str(hed_error_text(), text, "the sentence has number %d", k);
    }
    hed_fail(HED_E_LIMIT, "another one");
    is_int(hed_error_memory(&f), HED_E_NOTFOUND, "a later failure has no numbers");
    y = bytes(424 * KIB);
    ok(y != NULL, "what is left to the byte can be had");
    ok(!bytes(1) && failure().largest_free == 0, "then nothing");
    hed_release(x);
    x = bytes(500 * KIB);
    ok(x != NULL, "what was released, though kept, can be used in another size");
    is_int(hed_get_available_memory(), MIB - 924 * KIB, "what the limit leaves is available");
    RELEASE(x, y);
    is_int(hed_get_available_memory(), MIB, "kept blocks as well");
    hed_error_clear();
    is_int(hed_error_memory(&f), HED_E_NOTFOUND, "cleared");
  }
  f.struct_size = 0;
  is_int(hed_error_memory(&f), HED_E_INVAL, "no size");
}

static bool has(size_t n)
{
  hed_array *x = bytes((int64_t)n);
  hed_release(x);
  return x != NULL;
}

static void test_nesting(void)
{
  HED_BACKEND_CONTEXT(";memory=4M") {
    hed_array *x = bytes(MIB), *y = NULL;
    HED_BACKEND_CONTEXT(";memory=2M") {
      y = bytes(2 * MIB);
      ok(y && !has(1), "the inner limit");
      is_uint(failure().limit, 2 * MIB, "is the one that is named");
    }
    ok(has(MIB) && !has(MIB + 1), "what is used inside counts outside");
    is_uint(failure().limit, 4 * MIB, "whose limit is named then");
    HED_BACKEND_CONTEXT(";memory=8M") {
      ok(has(MIB) && !has(MIB + 1), "a wider inner limit lifts nothing");
      is_int(hed_get_available_memory(), MIB, "nor does it promise more");
    }
    RELEASE(x, y);
    ok(has(4 * MIB), "all of it is back");
  }
}

static void *child(void *arg)
{
  bool *good = arg;
  *good = !has(3 * MIB) && hed_set_available_memory(8 * MIB) == HED_OK && !has(3 * MIB) &&
          hed_set_backend(";threads=1") == HED_OK && hed_set_available_memory(0) == HED_OK && !has(3 * MIB) &&
          hed_set_available_memory(MIB) == HED_OK && !has(2 * MIB) && hed_set_available_memory(0) == HED_OK && has(2 * MIB);
  return NULL;
}

static void test_set(void)
{
  HED_BACKEND_CONTEXT(";threads=3") {
    is_int(hed_set_available_memory(MIB), HED_OK, "a limit for this frame");
    ok(has(MIB) && !has(MIB + 1), "holds");
    is_int(here(), 3, "the rest of the context stays");
    is_int(hed_set_available_memory(2 * MIB), HED_OK, "another in its place");
    ok(has(2 * MIB) && !has(2 * MIB + 1), "is not nested in it");
    HED_BACKEND_CONTEXT(";threads=4") {
      is_int(hed_set_available_memory(0), HED_OK, "no limit of this frame");
      ok(!has(2 * MIB + 1), "leaves the outer one");
      is_int(hed_set_available_memory(3 * MIB), HED_OK, "a wider one");
      ok(!has(2 * MIB + 1), "too");
      is_int(hed_set_backend(";memory=3M"), HED_OK, "as set_backend says it");
      ok(!has(2 * MIB + 1), "too");
    }
    bool good = false;
    in_thread(child, &good);
    ok(good, "a child cannot lift what it inherited, only what it set");
    hed_snapshot *s = NULL;
    if (hed_capture(&s) != HED_OK)
      bail("capture: %s", hed_error_text());
    HED_ADOPT(s, 1) {
      is_int(hed_set_available_memory(0), HED_OK, "nor can a task");
      ok(!has(2 * MIB + 1) && hed_set_available_memory(MIB) == HED_OK && !has(MIB + 1), "it can set a tighter one");
      ok(hed_set_available_memory(0) == HED_OK && has(2 * MIB) && !has(2 * MIB + 1), "and take that away");
    }
    hed_snapshot_release(s);
    is_int(hed_set_available_memory(0), HED_OK, "taken away");
    ok(has(8 * MIB), "it is gone");
  }
  is_int(hed_set_available_memory(SIZE_MAX), HED_E_INVAL, "more than there can be");
}

/* Bytes that this process has read from files; -1: the system does not count. */
static int64_t bytes_read(void)
{
  char line[64];
  long long n = -1;
  FILE *f = fopen("/proc/self/io", "r");
  if (f && (!fgets(line, sizeof line, f) || sscanf(line, "rchar: %lld", &n) != 1))
    n = -1;
  if (f)
    fclose(f);
  return n;
}

/* More than there is: at once, for nobody's caches, and without asking the system each time how much that would be. */
static void test_hopeless(void)
{
  enum { CALLS = 1000 };
  const size_t all = (size_t)1 << 50;
  hed_array *x = bytes(40 * MIB);
  hed_release(x); /* kept */
  const hed_memory_info before = memory_of(NULL);
  struct timespec pause = { 0, 30000000 };
  nanosleep(&pause, NULL);
  int64_t read = bytes_read();
  (void)hed_get_available_memory();
  const int64_t once = bytes_read() - read;
  const double begin = seconds();
  read = bytes_read();
  int made = 0;
  for (int k = 0; k < CALLS; k++)
    made += bytes(all) != NULL;
  const double looks = 3 + (seconds() - begin) / 0.010;
  if (read < 0 || once <= 0)
    skip(1, "reads are not counted here");
  else
    ok((double)(bytes_read() - read) <= looks * (double)once, "%d requests in vain ask the system %.0f times at most",
       CALLS, looks);
  const hed_memory_failure f = failure();
  const hed_memory_info after = memory_of(NULL);
  is_int(made, 0, "none is granted");
  ok(f.status == HED_E_NOMEM && f.requested == all && f.limit > 0 && f.limit < all, "the numbers say why (%zu)", f.limit);
  ok(after.cached == before.cached && after.n_oom_retry == before.n_oom_retry, "what is kept stays");
  (void)hed_free_cache();
}

/* In a process of its own: 0 or the number of what is wrong. */
static int out_of_memory(void)
{
  enum { ROOM = 200 * MIB };
  struct rlimit l;
  unsigned long kib = 0;
  char line[256];
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f) && sscanf(line, "VmSize: %lu", &kib) != 1)
    ;
  if (f)
    fclose(f);
  (void)hed_free_cache();
  l.rlim_cur = l.rlim_max = ((rlim_t)kib << 10) + ROOM;
  if (!kib || setrlimit(RLIMIT_AS, &l) != 0)
    return 0;
  int64_t n = hed_get_available_memory();
  if (n < ROOM - 20 * MIB || n > ROOM + 20 * MIB)
    return 1;
  for (int k = 0; k < 6; k++) /* each of another class: the pool alone would fill the room */
    if (!has((size_t)(20 + 9 * k) * MIB))
      return 10 + k;
  uint64_t before = memory_of(NULL).n_oom_retry;
  hed_array *x = bytes(150 * MIB);
  if (!x)
    return 2;
  if (memory_of(NULL).n_oom_retry == before)
    return 3;
  size_t in_use = memory_of(NULL).in_use;
  int64_t live = hed_test_alloc_live();
  hed_array *y = bytes(100 * MIB);
  hed_memory_failure e = failure();
  if (y || hed_error() != HED_E_NOMEM || e.status != HED_E_NOMEM || e.requested != 100 * MIB || e.in_use != in_use ||
      e.cached != 0 || e.limit != l.rlim_cur || e.largest_free > 100 * MIB)
    return 4;
  if (hed_test_alloc_live() != live || memory_of(NULL).in_use != in_use)
    return 5;
  hed_release(x);
  return has(100 * MIB) ? 0 : 6;
}

int main(void)
{
  setenv("HEDDLE_POOL", "512", 1);
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_failure();
  test_nesting();
  test_set();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip(1, "the sanitizer needs the address space");
  (void)out_of_memory;
  (void)test_hopeless;
#else
  test_hopeless();
  int status = -1;
  pid_t p = fork();
  if (p == 0)
    _exit(out_of_memory());
  const bool ended = p > 0 && waitpid(p, &status, 0) == p;
  ok(ended && status == 0, "memory is out: the pool is given back first, then the numbers (%d)",
     WIFEXITED(status) ? WEXITSTATUS(status) : -1);
#endif
  int64_t n = hed_get_available_memory();
  hed_memory_info i = memory_of(NULL);
  ok(n > 0 && (size_t)n <= i.total && i.available <= i.total, "what is available is less than all (%lld)", (long long)n);
  return done();
}
