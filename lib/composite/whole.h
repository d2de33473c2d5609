// SPDX-License-Identifier: BSD-3-Clause
/* Composites written as one expression after the other: temporaries go by themselves. L3.
 *
 *   hed__whole w;
 *   if (hed__whole_begin(&w, HED_OP_DOT, 2, operands) != HED_OK) return NULL;
 *   return hed__whole_end(&w, hed_multiply(w.ex.in[0], hed_conj(w.ex.in[1])));
 *
 * Between the two calls the parts run on the device that the whole was planned for, and what they make is released at
 * the end but for the result, which the caller's scope gets as if a single operation had made it. A result must be a
 * handle made in between, not an operand.
 */
#ifndef HED_COMPOSITE_WHOLE_H
#define HED_COMPOSITE_WHOLE_H

#include "core/dispatch.h"

typedef struct hed__whole {
  hed__exec ex;        /* ex.in: the operands where the device can reach them */
  hed__forced forced;
  hed_scope scope;
} hed__whole;

hed_status hed__whole_begin(hed__whole *w, int op, int32_t n, const hed_array *const *operands);

/* RESULT, or NULL with the error set. */
hed_array *hed__whole_end(hed__whole *w, hed_array *result);

/* N results, some of which may be NULL by intent. When STATUS is an error, or becomes one, all are released and set
 * to NULL. */
hed_status hed__whole_end_all(hed__whole *w, hed_status status, int n, hed_array **results);

#endif
