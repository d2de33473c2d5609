// SPDX-License-Identifier: BSD-3-Clause
/* The last uses of a storage, one of a stream: what a writer comes after (array/submit.h), what a released block waits for. L2. */
#ifndef HED_CORE_USES_H
#define HED_CORE_USES_H

#include "core/memory/storage.h"

/* Held for a few instructions; nothing is called. */
void hed__uses_lock(hed__storage *s);
void hed__uses_unlock(hed__storage *s);

void hed__uses_copy(hed__storage *s, uint64_t use[HED__USES]);

/* USE goes, unless it is another one by now. */
void hed__uses_forget(hed__storage *s, uint64_t use);

/* All are over: does not wait, and forgets those that are. */
bool hed__uses_over(hed__storage *s);
/* Waits until they are. */
int32_t hed__uses_wait(hed__storage *s);

#endif
