// SPDX-License-Identifier: BSD-3-Clause
/* What a reader of tables may make of SIZE bytes; T is cleared. */
#ifndef HED_TESTS_FUZZ_TABLE_H
#define HED_TESTS_FUZZ_TABLE_H
#include "fuzz.h"
#include <heddle/kits/table.h>
#include <math.h>

static inline void fuzz_table_judge(hed_status status, hed_table *t, size_t size)
{
  if (status != HED_OK)
    FUZZ_REFUSED(status, t->n || t->row, HED_E_FORMAT, HED_E_NOMEM);
  else if (t->n > size)
    fuzz_wrong("more rows than bytes");
  for (size_t i = 0; status == HED_OK && i < t->n; i++)
    if (!isfinite(t->row[i].position[0]) || !isfinite(t->row[i].euler[0]) || !isfinite(t->row[i].score))
      fuzz_wrong("a row that is not finite");
  hed_table_clear(t);
}

#endif
