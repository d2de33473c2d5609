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

static inline void hed__cancel_end(const int *was) { hed__cancel_back(*was); }

/* From here to the end of the block, however that is left. */
#define HED__UNCANCELLED __attribute__((cleanup(hed__cancel_end), unused)) const int hed__was_ = hed__cancel_off()

#endif
