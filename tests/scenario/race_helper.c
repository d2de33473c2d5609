// SPDX-License-Identifier: BSD-3-Clause
/* Run by scenario/race.t: two threads that race on a variable, made by plain pthread_create with the interposer linked.
 * L5. */
#include <heddle.h>
#include <stdio.h>

static int shared;

static void *race(void *arg)
{
  for (int k = 0; k < 1000; k++)
    shared++;
  return arg;
}

int main(void)
{
  pthread_t t[2];
  HED_BACKEND_CONTEXT("reference") {
    for (int k = 0; k < 2; k++)
      if (pthread_create(&t[k], NULL, race, NULL) != 0)
        return 2;
    for (int k = 0; k < 2; k++)
      pthread_join(t[k], NULL);
  }
  printf("%d\n", shared);
  return 0;
}
