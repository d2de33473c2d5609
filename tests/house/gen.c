// SPDX-License-Identifier: BSD-3-Clause
/* The generators: known answers, ranges, layouts that touch each byte once, and guards that bite. */
#include "gen.h"
#include "tap.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a child that writes at p[at] ends: 0 or a signal number. */
static int poke(unsigned char *p, ptrdiff_t at)
{
  pid_t pid = fork();
  if (pid < 0)
    bail("fork");
  if (pid == 0) {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    *(volatile unsigned char *)(p + at) = 1;
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_numbers(void)
{
  gen g;
  /* xoshiro256** from the state 1, 2, 3, 4: first outputs by hand from the definition:
   * rotl(2 * 5, 7) * 9 = 11520; then s[1] = 0, so 0. */
  g = (gen){ { 1, 2, 3, 4 } };
  is_uint(gen_u64(&g), 11520, "first output from the definition");
  is_uint(gen_u64(&g), 0, "second output from the definition");
  /* splitmix64 from 0: the first output is a published constant. */
  gen_seed(&g, 0);
  is_uint(g.s[0], UINT64_C(0xe220a8397b1dcdaf), "seeding by splitmix64");

  gen_seed(&g, tap_seed());
  int seen[7] = { 0 };
  bool inside = true;
  for (int i = 0; i < 7000; i++) {
    uint64_t x = gen_below(&g, 7);
    inside = inside && x < 7;
    seen[x % 7]++;
  }
  ok(inside, "below 7");
  int low = 7000;
  for (int i = 0; i < 7; i++)
    low = seen[i] < low ? seen[i] : low;
  ok(low > 800, "all values come up (least: %d of 1000)", low);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; i++) {
    double x = gen_normal(&g);
    sum += x;
    squares += x * x;
  }
  is_near(sum / 20000, 0, 0, 0.05, "mean of normals");
  is_near(squares / 20000, 1, 0, 0.06, "variance of normals");
  is_int(gen_int(&g, -3, -3), -3, "an interval of one");
  inside = true;
  int negative = 0;
  for (int i = 0; i < 1000; i++) {
    negative += gen_int(&g, INT64_MIN, INT64_MAX) < 0;
    double u = gen_unit(&g);
    inside = inside && u >= 0 && u < 1;
  }
  ok(inside, "unit interval");
  is_near(negative, 500, 0, 100, "half of all integers are negative");
}

static void test_layouts(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  int bad = 0, zero = 0, flipped = 0;
  for (int round = 0; round < 300; round++) {
    int64_t dim[GEN_MAX_NDIM], count = 1;
    int ndim = gen_shape(&g, 5, 6, 500, true, dim);
    for (int i = 0; i < ndim; i++)
      count *= dim[i];
    gen_layout l;
    gen_layout_any(&g, ndim, dim, 4, true, true, &l);
    zero += count == 0;
    unsigned char *used = calloc(l.bytes + 1, 1);
    for (int64_t k = 0; k < count; k++) {
      int64_t at = gen_layout_at(&l, ndim, dim, k);
      if (at < 0 || (size_t)at + 4 > l.bytes || used[at] || used[at + 3])
        bad++;
      else
        memset(used + at, 1, 4);
    }
    free(used);
    for (int i = 0; i < ndim; i++)
      flipped += l.stride[i] < 0;
  }
  is_int(bad, 0, "every element of 300 layouts has its own bytes inside the buffer");
  ok(zero > 0, "some shapes are empty (%d)", zero);
  ok(flipped > 0, "some strides are negative (%d)", flipped);
  gen_layout c;
  gen_layout_c(3, (int64_t[]){ 2, 3, 5 }, 8, &c);
  is_int(c.stride[0], 120, "C order, first stride");
  is_int(c.stride[2], 8, "C order, last stride");
  is_uint(c.bytes, 240, "C order, size");
}

static void test_guards(void)
{
  const char *tool = getenv("HEDDLE_TEST_SANITIZERS");
  unsigned char *p = guard_alloc(100, 4);
  memset(p, 1, 100);
  is_int((int)((uintptr_t)p % 4), 0, "aligned");
  if (tool != NULL && strcmp(tool, "no") != 0) {
    skip(2, "a sanitizer catches the signal");
  } else {
    is_int(poke(p, 100), SIGSEGV, "one past the end faults");
    is_int(poke(p, 99), 0, "the last byte does not");
  }
  ok(guard_free(p), "untouched surroundings");
  p = guard_alloc(10, 16);
  p[10] = 0;
  ok(!guard_free(p), "a byte in the slack is noticed");
  p = guard_alloc(10, 1);
  p[-1] = 0;
  ok(!guard_free(p), "a byte below is noticed");
  p = guard_alloc(100000, 64);
  p[0] = p[99999] = 7;
  ok(guard_free(p), "many pages");
  p = guard_alloc(0, 8);
  ok(p != NULL && guard_free(p), "an empty buffer");
  ok(guard_free(NULL), "NULL is fine");
}

int main(void)
{
  test_numbers();
  test_layouts();
  test_guards();
  return done();
}
