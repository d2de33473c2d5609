// SPDX-License-Identifier: BSD-3-Clause
/* Scopes of arrays: what was made in a block is released at its end. L2. */
#ifndef HED_CORE_SCOPE_H
#define HED_CORE_SCOPE_H

#include "core/tls.h"

/* Enter X into the calling thread's innermost scope, if there is one. False when out of memory. */
bool hed__scope_add(hed_array *x);

/* Release everything that T's scopes hold (the thread ends). */
void hed__scope_drop_all(hed__tls *t);

#endif
