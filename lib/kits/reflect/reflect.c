// SPDX-License-Identifier: BSD-3-Clause
/* The kits' interfaces as data. L4.
 *
 * The tables are made from the headers (build-aux/gen-api.awk). The compiler holds each prototype against its row.
 */
#include <heddle/kits/reflect.h>
#include <stddef.h>
#include <string.h>

#define SAME_(function, returned, arguments) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(function), returned arguments), "the row of " #function)
#include "kits/reflect/kit_rows.inc"

#define AT(list, k) ((k) < 0 || (k) >= (int)(sizeof (list) / sizeof *(list)) ? NULL : &(list)[k])

const hed_api_function *hed_kit_function_at(int k)
{
  return AT(functions, k);
}

const hed_api_struct *hed_kit_struct_at(int k)
{
  return AT(structs, k);
}

const hed_api_enum *hed_kit_enum_at(int k)
{
  return AT(enums, k);
}

const char *hed_kit_of_header(const char *header)
{
  for (size_t k = 0; header && k < sizeof headers / sizeof *headers; k++)
    if (strcmp(headers[k][0], header) == 0)
      return headers[k][1];
  return NULL;
}
