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

/* How far T's innermost scope is filled; 0: not at all. */
typedef struct hed__scope_mark {
  const hed__scope_block *block;
  int used;
} hed__scope_mark;
hed__scope_mark hed__scope_now(const hed__tls *t);

/* Has T's innermost scope X, entered since MARK? */
bool hed__scope_has(const hed__tls *t, hed__scope_mark mark, const hed_array *x);

/* Of N arrays of a function, or NULL, the references that are its caller's are released, and all are NULL then. Of what the innermost
 * scope has got since MARK one is the scope's. */
void hed__scope_refuse(const hed__tls *t, hed__scope_mark mark, int n, hed_array **x);

/* Release everything that T's scopes hold (the thread ends). */
void hed__scope_drop_all(hed__tls *t);

#endif
