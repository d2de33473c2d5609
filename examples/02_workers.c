// SPDX-License-Identifier: BSD-3-Clause
/* A pool whose workers each hold a context of their own and share tasks: which backend does a task is
 * chance, what it computes is not. Random numbers belong to the task, so the sums are the same in every
 * run, on every backend, with any number of workers.
 *
 *   cc 02_workers.c -o workers $(pkg-config --cflags --libs heddle) -pthread
 *   ./workers reference cpu
 */
#include <heddle.h>

#include <stdatomic.h>
#include <stdio.h>

enum { TASKS = 16, MOST = 8 };

static hed_snapshot *from;   /* what every task starts from: here, the key of the random numbers */
static atomic_int next_task;
static double result[TASKS];

static void *worker(void *spec)
{
  for (int i; (i = atomic_fetch_add(&next_task, 1)) < TASKS;)
    HED_ADOPT(from, i) {                /* the task's own random key */
      HED_BACKEND_CONTEXT(spec) {       /* this worker's backend */
        HED_SCOPE {
          hed_array *x = hed_random_uniform(HED_SHAPE(1000), HED_FLOAT64, NULL);
          if (hed_item(hed_max(x, NULL), &result[i]) != HED_OK)
            fprintf(stderr, "task %d on %s: %s\n", i, (const char *)spec, hed_error_text());
        }
      }
    }
  return NULL;
}

int main(int argc, char **argv)
{
  const char *specs[MOST] = { "reference", "reference;threads=1" };
  int n = argc > 1 ? argc - 1 : 2;
  pthread_t thread[MOST];
  double sum = 0;

  if (n > MOST || hed_backend_context_push(";seed=7", NULL) != HED_OK || hed_capture(&from) != HED_OK) {
    fprintf(stderr, "%s\n", n > MOST ? "too many workers" : hed_error_text());
    return 1;
  }
  for (int i = 0; i < n && argc > 1; i++)
    specs[i] = argv[i + 1];
  for (int i = 0; i < n; i++)
    if (hed_thread_create(&thread[i], NULL, worker, (void *)specs[i]) != 0)
      return 1;
  for (int i = 0; i < n; i++)
    pthread_join(thread[i], NULL);
  hed_snapshot_release(from);
  for (int i = 0; i < TASKS; i++)
    sum += result[i];
  printf("%d workers, sum of maxima %.17g\n", n, sum);
  return 0;
}
