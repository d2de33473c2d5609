// SPDX-License-Identifier: BSD-3-Clause
/* The part of `heddle info` about operations.
 *
 * Layer: L5. An operation is done natively, composed of others, as a view without work, or by another backend;
 * a kernel may be native for some element types of its domain only. NAMES are backends; those that are not ready are
 * left out.
 */
#ifndef HEDDLE_TOOLS_INFO_OPS_H
#define HEDDLE_TOOLS_INFO_OPS_H
#include "tools/emit.h"

/* One line: how many operations NAME does in which way. */
void ops_print_counts(const char *name);

/* A line for each operation and for each backend that differs. */
void ops_print(const char *const *names, int n);

/* Member "operations" of a backend: operation to way, for the types of its domain taken together. */
void ops_emit_ways(emit *e, const char *name);

/* Member "operations" of the document: every row of the list with the native element types per backend. */
void ops_emit(emit *e, const char *const *names, int n);

#endif
