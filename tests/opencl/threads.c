// SPDX-License-Identifier: BSD-3-Clause
/* Threads on one OpenCL device, each with a queue of its own: they read what others make, memory goes round among them, and
 * nothing is read before it is there or written while somebody reads it.
 */
#include "tap.h"

#include <heddle.h>
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 60, N = 5000 };

static hed_array *shared[THREADS];
static pthread_barrier_t together;

/* Each round: a new array from the neighbour's, and sums that must be what arithmetic says. */
static void *work(void *arg)
{
  const int me = (int)(intptr_t)arg, next = (me + 1) % THREADS;
  intptr_t bad = 0;
  double total;
  for (int r = 0; r < ROUNDS; r++) {
    HED_SCOPE
    {
      hed_array *theirs = shared[next];
      hed_array *mine = hed_retain(hed_add_scalar(hed_multiply_scalar(theirs, 1), 1));
      hed_array *sum = hed_sum(hed_subtract(mine, theirs), NULL);
      bad += hed_item(sum, &total) != HED_OK || total != N;
      pthread_barrier_wait(&together); /* everybody has read what was there */
      hed_release(shared[me]);
      shared[me] = mine;
      pthread_barrier_wait(&together);
    }
  }
  return (void *)bad;
}

int main(void)
{
  pthread_t thread[THREADS];
  if (hed_backend_require("opencl") != HED_OK) {
    skip(1, "%s", hed_error_text());
    return done();
  }
  pthread_barrier_init(&together, NULL, THREADS);
  HED_BACKEND_CONTEXT("opencl")
  {
    for (int k = 0; k < THREADS; k++)
      shared[k] = hed_full(HED_SHAPE(N), k, HED_FLOAT32);
    for (int k = 0; k < THREADS; k++)
      if (hed_thread_create(&thread[k], NULL, work, (void *)(intptr_t)k) != 0)
        bail("a thread was not made");
    for (int k = 0; k < THREADS; k++) {
      void *bad;
      pthread_join(thread[k], &bad);
      is_int((intptr_t)bad, 0, "thread %d reads what its neighbour made", k);
    }
    for (int k = 0; k < THREADS; k++) {
      double low, high;
      HED_SCOPE
      ok(hed_item(hed_min(shared[k], NULL), &low) == HED_OK && hed_item(hed_max(shared[k], NULL), &high) == HED_OK && low == high &&
           low == ROUNDS + (k + ROUNDS) % THREADS, "array %d has gone round", k);
      hed_release(shared[k]);
    }
  }
  return done();
}
