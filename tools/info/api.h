// SPDX-License-Identifier: BSD-3-Clause
/* The interface as data, for cmd_info.c. Layer: L5. */
#ifndef HEDDLE_TOOLS_INFO_API_H
#define HEDDLE_TOOLS_INFO_API_H
#include "tools/emit.h"

/* The document heddle.api/1 as a member KEY, or with NULL as the whole. */
void api_emit(emit *e, const char *key);

#endif
