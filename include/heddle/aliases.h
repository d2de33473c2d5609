// SPDX-License-Identifier: BSD-3-Clause
/* Other names of operations: hed_asin is hed_arcsin, hed_pow_scalar is hed_power_scalar. The list is at the end of ops.def.
 *
 * An alias is a declaration of the same symbol, not a macro and not a second function: its type follows the operation's,
 * it works in C and C++ alike, and it cannot disturb other uses of a word. Only comparing the two addresses in one
 * expression means nothing: a compiler takes them for two functions. The library exports the name too, for those who look
 * symbols up while they run (dlsym).
 */
#ifndef HEDDLE_ALIASES_H
#define HEDDLE_ALIASES_H

#include <heddle/ops.h>

HED_BEGIN_DECLS

#ifndef HED_PLAIN_HEADERS
#define HED_SAME_(alias, name) extern HED_API __typeof__(hed_##name) hed_##alias __asm__("hed_" #name);
#define HED_ALIAS(alias, name) HED_SAME_(alias, name)
#define HED_ALIAS_INTO(alias, name) HED_SAME_(alias, name) HED_SAME_(alias##_into, name##_into)
#define HED_ALIAS_BINARY(alias, name)                          \
  HED_ALIAS_INTO(alias, name)                                  \
  HED_SAME_(alias##_scalar, name##_scalar)                     \
  HED_SAME_(scalar_##alias, scalar_##name)                     \
  HED_SAME_(alias##_scalar_into, name##_scalar_into)           \
  HED_SAME_(scalar_##alias##_into, scalar_##name##_into)
#include <heddle/ops.def>
#undef HED_SAME_
#endif

HED_END_DECLS

#endif
