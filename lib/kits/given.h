// SPDX-License-Identifier: BSD-3-Clause
/* Whether an operand is there.
 *
 * Layer: L4, all kits.
 */
#ifndef HED_KITS_GIVEN_H
#define HED_KITS_GIVEN_H
#include <heddle.h>

/* Is X, an operand called NAME, there? Where it is NULL because an earlier call failed, that call's error stays; else HED_E_INVAL. */
static inline bool hed__operand_given(const char *op, const char *name, const hed_array *x)
{
  if (!x && hed_error() == HED_OK)
    (void)hed_fail(HED_E_INVAL, "%s: %s is NULL", op, name);
  return x != NULL;
}

#endif
