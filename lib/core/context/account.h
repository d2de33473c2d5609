// SPDX-License-Identifier: BSD-3-Clause
/* Limits of memory that contexts bring, and what counts towards them. L2. */
#ifndef HED_CORE_ACCOUNT_H
#define HED_CORE_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Memory that arrays made under one memory= option share; nests. */
typedef struct hed__account {
  atomic_long refs;
  struct hed__account *outer;
  size_t limit;
  atomic_size_t used, kept;
} hed__account;

/* Charge BYTES to A and those round it; false, with nothing charged, and the one that has not the room. */
bool hed__account_charge(hed__account *a, size_t bytes, hed__account **refused);
void hed__account_refund(hed__account *a, size_t bytes);
/* BYTES in use are from now on kept, and are kept no more. */
void hed__account_keep(hed__account *a, size_t bytes);
void hed__account_unkeep(hed__account *a, size_t bytes);
/* Does what counts towards A count towards OUTER? Neither is NULL, or A is. */
bool hed__account_within(const hed__account *a, const hed__account *outer);
/* What A and those round it leave, kept blocks given back. */
size_t hed__account_room(const hed__account *a);
hed__account *hed__account_retain(hed__account *a);
void hed__account_release(hed__account *a);

#endif
