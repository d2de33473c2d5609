// SPDX-License-Identifier: BSD-3-Clause
/* The dtype rules made of what ops.def says about an operation. L3.
 *
 * The element type an operation computes in comes from its operands: strong ones promote; weak scalars take the
 * strong type when that can hold their kind, and lift it to the context's REAL or COMPLEX when it cannot.
 */
#ifndef HED_API_INFER_H
#define HED_API_INFER_H

#include "core/array/array.h"
#include "core/ops/op_rows.h"

/* The type that the N operands agree on: promoted, weak scalars applied, a weak scalar's value checked against an
 * integer type that has to hold it. ARGS are their names. Not yet checked against a domain. */
int hed__infer_common(const char *op, int n, const hed_array *const *in, const char *const *args);

/* Does the value of weak scalar W, an integer, fit integer type ID? 0, or -1 below and 1 above its range. Other types, and values
 * elsewhere than in host memory, are trusted. */
int hed__weak_side(const hed_array *w, int id);

/* The same, checked against the operation's domain; for rules FLOAT and FLOAT_REALPART bool and integers become the
 * context's REAL. This is what the kernel computes in, but for hed__compute_of. */
int hed__infer_operands(int op, int n, const hed_array *const *in, const char *const *args);

/* The result's dtype, by the operation's rule, when operands are of type ID (as hed__infer_operands gave it). */
int hed__infer_result(int op, int id);

/* ID can be made on DEVICE: HED_E_DTYPE when the backend cannot represent it; a narrower id under dtype=relaxed. */
int hed__infer_on(const char *op, int id, hed__device *device);

#endif
