// SPDX-License-Identifier: BSD-3-Clause
/* Uses examples/backend/relay.c: a chain of operations through two threads, each with a stream of its own, where the other
 * one's results and memory are used. Prints what comes out. */
#include <heddle.h>

#include <pthread.h>
#include <stdio.h>

enum { N = 1000, ROUNDS = 200 };

static hed_array *given;       /* by the first thread to the second */
static double total_of_second;

static double total(hed_array *x)
{
  double v = -1;
  hed_array *sum = hed_sum(x, NULL);
  if (hed_item(sum, &v) != HED_OK)
    printf("%s\n", hed_error_text());
  hed_release(sum);
  return v;
}

/* x := x * 1 + 1, ROUNDS times, over blocks that are given back while the device still reads them. */
static hed_array *chain(hed_array *x, const hed_array *one)
{
  for (int k = 0; k < ROUNDS && x; k++) {
    hed_array *y = hed_multiply(x, one), *z = hed_add(y, one);
    hed_release(x);
    hed_release(y);
    x = z;
  }
  return x;
}

static void *second(void *unused)
{
  (void)unused;
  HED_BACKEND_CONTEXT("relay") {
    hed_array *one = hed_full(HED_SHAPE(N), 1, HED_FLOAT32), *x = chain(given, one);
    total_of_second = total(x);
    hed_release(x);
    hed_release(one);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  char text[100];
  float from[N], back[N] = { 0 };
  if (hed_backend_require("relay") != HED_OK) {
    printf("%s\n", hed_error_text());
    return 4;
  }
  if (hed_backend_device("relay", 0, text, sizeof text) == HED_OK)
    printf("relay: %s\n", text);
  for (int k = 0; k < N; k++)
    from[k] = (float)k;
  HED_BACKEND_CONTEXT("relay") {
    hed_array *one = hed_full(HED_SHAPE(N), 1, HED_FLOAT32), *x = hed_from_host(from, HED_SHAPE(N), HED_FLOAT32);
    for (int k = 0; k < N; k++)
      from[k] = -1; /* x has what was there */
    hed_array *y = hed_add(x, one);
    hed_release(x);
    given = chain(hed_full(HED_SHAPE(N), 0, HED_FLOAT32), one); /* nothing has waited for it */
    if (!given || hed_thread_create(&thread, NULL, second, NULL) != 0)
      return 1;
    y = chain(y, one);
    pthread_join(thread, NULL);
    printf("first %g, second %g\n", total(y) / N, total_of_second / N);
    hed_array *view = hed_flip(y, NULL), *root = hed_sqrt(view);
    if (hed_to_host(view, back, sizeof back) == HED_OK)
      printf("flipped: %g to %g\n", (double)back[0], (double)back[N - 1]);
    printf("sqrt by another: %d\n", total(root) > 0);
    hed_array *all[] = { one, y, view, root };
    for (int k = 0; k < 4; k++)
      hed_release(all[k]);
  }
  return hed_error() == HED_OK ? 0 : 1;
}
