// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/reflect.h: the kits' functions, structs and enumerations as data, as <heddle/reflect.h> has the library's.
 *
 * Made from the kits' headers when the library is built, the compiler having compared every type, offset and value. `heddle info
 * --api` writes it as the member "kits" of heddle.api/1. Numbers that are enumerators have the kind enum, lengths of lists may
 * name fields, "n" or "cp.order" beside a field, "to.rank" for an argument. hed_api_results() does not know these structs.
 */
#ifndef HEDDLE_KITS_REFLECT_H
#define HEDDLE_KITS_REFLECT_H
#include <heddle/reflect.h>

HED_BEGIN_DECLS

/* Number K of each, NULL when there are no more. Static; any thread. */
HED_API const hed_api_function *hed_kit_function_at(int k);
HED_API const hed_api_struct *hed_kit_struct_at(int k);
HED_API const hed_api_enum *hed_kit_enum_at(int k);

/* Name of the kit that HEADER, "heddle/kits/map.h", belongs to: "match"; NULL when it is none of theirs. Static. */
HED_API const char *hed_kit_of_header(const char *header);

HED_END_DECLS

#endif
