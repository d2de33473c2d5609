// SPDX-License-Identifier: BSD-3-Clause
/* Scopes of arrays: what was made in a block is released at its end. L2.
 *
 * A scope is a growing list of slots; an array knows its slot, so keeping or releasing it early is one store. The list
 * belongs to one thread; an array may be released by another thread while its scope is open only after hed_keep.
 */
#ifndef HED_CORE_SCOPE_H
#define HED_CORE_SCOPE_H

#include "core/process/tls.h"

typedef struct hed__scope_block {
  struct hed__scope_block *next;
  int used;
  hed_array *slot[62];
} hed__scope_block;

/* Enter X into the calling thread's innermost scope, if there is one. False when out of memory. */
bool hed__scope_add(hed_array *x);

/* Release everything that T's scopes hold (the thread ends). */
void hed__scope_drop_all(hed__tls *t);

#endif
