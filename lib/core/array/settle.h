// SPDX-License-Identifier: BSD-3-Clause
/* Results of asynchronous operations from inside. L2. */
#ifndef HED_CORE_SETTLE_H
#define HED_CORE_SETTLE_H

#include "core/array/array.h"

/* Wait for TICKET, a writer of S, and keep its failure. */
hed_status hed__storage_settle(hed__storage *s, uint64_t ticket);

/* Wait for X's pending writer and deliver its failure (HED_E_ASYNC). */
hed_status hed__array_settle(const hed_array *x);

/* The failure of what computed X where it is known by now, with READER's name in front; HED_OK: none is. */
hed_status hed__poisoned(const hed_array *x, const char *reader);
hed_status hed__storage_poisoned(const hed__storage *s, const char *reader);

#endif
