// SPDX-License-Identifier: BSD-3-Clause
/* Whether a number is a member of an enumeration.
 *
 * Layer: L4, all kits.
 */
#ifndef HED_KITS_MEMBER_H
#define HED_KITS_MEMBER_H
#include <heddle.h>

/* HED_E_INVAL, with the range, where VALUE, WHAT's, is not among FIRST to LAST, the members of TYPE. */
static inline hed_status hed__expect_member(const char *op, const char *what, int value, int first, int last, const char *type)
{
  return value >= first && value <= last
             ? HED_OK : hed_fail(HED_E_INVAL, "%s: %s is %d; %d to %d, of %s, are expected", op, what, value, first, last, type);
}

#endif
