// SPDX-License-Identifier: BSD-3-Clause
/* A stranger's program that uses a kit: the angle of a quarter turn, in a thread that inherits its backend. */
#include <heddle/kits/rotation.h>

#include <pthread.h>
#include <stdio.h>

static void *work(void *arg)
{
  const double quarter[3] = { 90, 0, 0 }, none[3] = { 0, 0, 0 };
  double turned[9], still[9];
  (void)arg;
  hed_rotation_from_euler(quarter, turned);
  hed_rotation_from_euler(none, still);
  printf("%.0f on %s\n", hed_rotation_angle(still, turned), hed_get_backend());
  return NULL;
}

int main(void)
{
  pthread_t child;
  HED_BACKEND_CONTEXT("reference") {
    if (pthread_create(&child, NULL, work, NULL) != 0)
      return 1;
  }
  return pthread_join(child, NULL);
}
