// SPDX-License-Identifier: BSD-3-Clause
/* Host memory that a device copies without staging: where it comes from, that it is an array like others, how it ends. L5. */
#include "arrays.h"
#include "memory.h"
#include <pthread.h>
#include <sys/wait.h>

enum { N = 1000 };

static bool all_are(const hed_array *x, float want)
{
  float v[N];
  bool good = x && hed_to_host(x, v, sizeof v) == HED_OK;
  for (int k = 0; k < N && good; k++)
    good = v[k] == want;
  return good;
}

static void set(hed_array *x, float value)
{
  float *v = hed_array_data(x);
  for (int k = 0; k < N && v; k++)
    v[k] = value;
}

static void test_copies(void)
{
  const int64_t pins = query("pins"), unpins = query("unpins");
  hed_array *x = hed_empty_pinned(HED_SHAPE(N), HED_FLOAT32, "faulty");
  ok(x != NULL, "an array: %s", hed_error_text());
  is_int(query("pins") - pins, 1, "of the device's pinned memory");
  is_str(hed_array_space(x), "host", "is in host memory");
  ok(hed_array_is_contiguous(x) && (uintptr_t)hed_array_data(x) % 64 == 0, "in C order, aligned");
  set(x, 3);
  const int64_t unstaged = query("unstaged");
  hed_array *there = hed_to(x, "faulty");
  set(x, 4); /* what is written from here on is not part of it */
  is_int(query("unstaged") - unstaged, N * 4, "it travels without staging");
  ok(all_are(there, 3), "as it was");
  hed_array *twice = hed_add(x, x), *back = hed_slice(x, 1, &HED_RANGE(0, N, 2));
  ok(all_are(twice, 8), "operations take it as any other");
  hed_release(twice);
  unsigned char *to = hed_array_data(x);
  is_int(hed_to_host(there, to, N * 4), HED_OK, "back into it");
  is_int(query("unstaged") - unstaged, 2 * N * 4, "without staging too");
  ok(all_are(x, 3), "right values");
  hed_release(x);
  is_int(query("unpins") - unpins, 0, "a view keeps it");
  hed_release(back);
  is_int(query("unpins") - unpins, 1, "with the last reference it goes back to the device");
  hed_release(there);
}

/* Every wait for the copy that the device needs is in it: its destination is still to be read. */
static void test_order(void)
{
  HED_BACKEND_CONTEXT("faulty;mix=copy") {
    hed_array *x = hed_empty_pinned(HED_SHAPE(N), HED_FLOAT32, NULL), *d = hed_full(HED_SHAPE(N), 1, HED_FLOAT32);
    set(x, 7);
    hed_array *y = hed_negative(d);
    is_int(hed_copy_into(d, x), HED_OK, "into an array that is still to be read");
    set(x, 0);
    ok(all_are(y, -1) && all_are(d, 7), "everybody sees what the program's order says");
    is_int(query("violations"), 0, "all is in order");
    RELEASE(x, y, d);
  }
}

static void test_others(void)
{
  const int64_t pins = query("pins");
  hed_array *x = hed_empty_pinned(HED_SHAPE(N), HED_FLOAT64, "reference");
  ok(x && hed_array_data(x), "a backend in host memory has ordinary memory to give");
  hed_release(x);
  x = hed_empty_pinned(HED_SHAPE(3, 0), HED_FLOAT32, "faulty");
  ok(x && hed_array_size(x) == 0, "no elements need none");
  is_int(query("pins") - pins, 0, "neither asks the device");
  hed_release(x);
  x = hed_empty_pinned(HED_SHAPE(4), HED_FLOAT64, "faulty:1");
  ok(x && hed_array_dtype(x) == HED_FLOAT64, "any type of the host's, also what the device lacks");
  hed_release(x);
  control("fail_pinned=1");
  ok(!hed_empty_pinned(HED_SHAPE(4), HED_FLOAT32, "faulty") && hed_error() == HED_E_NOMEM, "when there is none, an error");
  has_str(hed_error_text(), "no 16 bytes of pinned memory", "with the device's words");
  ok(!hed_empty_pinned(HED_SHAPE(-4), HED_FLOAT32, "faulty") && hed_error() == HED_E_SHAPE, "no shape: %s", hed_error_text());
  ok(!hed_empty_pinned(HED_SHAPE(4), NULL, "faulty") && hed_error() == HED_E_INVAL, "no dtype: %s", hed_error_text());
  ok(!hed_empty_pinned(HED_SHAPE(4), HED_FLOAT32, "nobody") && hed_error() == HED_E_NOTFOUND, "no backend: %s", hed_error_text());
  hed_error_clear();
}

static void *release_it(void *x)
{
  hed_release(x);
  return NULL;
}

static void test_ends(void)
{
  pthread_t t;
  int64_t unpins = query("unpins");
  hed_array *x = hed_empty_pinned(HED_SHAPE(N), HED_FLOAT32, "faulty");
  if (pthread_create(&t, NULL, release_it, x) == 0)
    pthread_join(t, NULL);
  is_int(query("unpins") - unpins, 1, "released by another thread");
  x = hed_empty_pinned(HED_SHAPE(N), HED_FLOAT32, "faulty");
  set(x, 1);
  unpins = query("unpins");
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    const bool good = all_are(x, 1);
    hed_release(x);
    _exit(good && query("unpins") == unpins ? 0 : 2);
  }
  waitpid(child, &status, 0);
  is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0, "a child reads it, and asks nothing of the device");
  HED_BACKEND_CONTEXT("faulty") {
    control("sticky=1");
    hed_array *d = hed_ones(HED_SHAPE(4), HED_FLOAT32);
    ok(hed_wait(d) < 0, "the device dies: %s", hed_error_text());
    hed_release(d);
  }
  ok(all_are(x, 1), "it outlives the device");
  hed_release(x);
  is_int(query("unpins") - unpins, 0, "which is asked for nothing when it is gone");
  ok(!hed_empty_pinned(HED_SHAPE(4), HED_FLOAT32, "faulty"), "and has none to give: %s", hed_error_text());
}

/* A module that has none: in a process of its own, as it says so when it is loaded. */
static int without(void)
{
  setenv("HEDDLE_TEST_FAULTY", "pinned=0", 1);
  hed_array *x = hed_empty_pinned(HED_SHAPE(N), HED_FLOAT32, "faulty"), *there = NULL;
  if (!x)
    return 2;
  set(x, 5);
  there = hed_to(x, "faulty");
  const bool good = all_are(there, 5) && query("pins") == 0;
  RELEASE(there, x);
  return good ? 0 : 3;
}

int main(void)
{
  int status = 0;
  setenv("HEDDLE_TEST_FAULTY", "jitter_us=200", 1);
  pid_t child = fork();
  if (child == 0)
    _exit(without());
  waitpid(child, &status, 0);
  is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0, "ordinary memory where the device has none");
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend");
  test_copies();
  test_order();
  test_others();
  test_ends();
  return done();
}
