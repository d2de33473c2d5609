// SPDX-License-Identifier: BSD-3-Clause
/* Pieces in which the calling thread is not cancelled: what holds a lock, or what others wait for, ends before. L0. */
#ifndef HED_BASE_CANCEL_H
#define HED_BASE_CANCEL_H

#include <pthread.h>

static inline int hed__cancel_off(void)
{
  int was;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
  return was;
}

/* As it was before, by what hed__cancel_off() gave. */
static inline void hed__cancel_back(int was) { pthread_setcancelstate(was, NULL); }

#endif
