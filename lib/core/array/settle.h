// SPDX-License-Identifier: BSD-3-Clause
/* Results of asynchronous operations from inside. L2. */
#ifndef HED_CORE_SETTLE_H
#define HED_CORE_SETTLE_H

#include "core/array/array.h"

/* Wait for TICKET, a writer of S, and keep its failure. */
hed_status hed__storage_settle(hed__storage *s, uint64_t ticket);

/* S was to be written by what failed: operation OP, for the reason in TEXT. A failure that it has already stays. */
void hed__storage_poison(hed__storage *s, int32_t op, const char *text);

/* The failure of the first of N operands (NULL: of no interest) that has one, with READER's name in front: all before it are
 * waited for. For when one of them is known to have failed. */
hed_status hed__first_failure(int32_t n, hed__storage *const *of, const char *reader);

/* Wait for X's pending writer and deliver its failure (HED_E_ASYNC). */
hed_status hed__array_settle(const hed_array *x);

/* The failure of what computed X where it is known by now, with READER's name in front; HED_OK: none is. */
hed_status hed__poisoned(const hed_array *x, const char *reader);
hed_status hed__storage_poisoned(const hed__storage *s, const char *reader);

#endif
