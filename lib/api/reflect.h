// SPDX-License-Identifier: BSD-3-Clause
/* The interface as data, from inside. L3. */
#ifndef HED_API_REFLECT_H
#define HED_API_REFLECT_H

#include <heddle/reflect.h>

/* What EXPRESSION (hed_api_argument.length) says of a call of F: as hed_api_results. */
int64_t hed__api_length(const hed_api_function *f, const char *expression, const void *const *arguments);

#endif
