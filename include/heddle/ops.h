// SPDX-License-Identifier: BSD-3-Clause
/* The operations. Regular families expand from ops.def, where each row states the formula; the others are declared
 * with their meaning in the headers of ops/, one per area, which this one includes.
 *
 * hed_OP(args)            returns a new array (caller releases), or NULL with hed_error() set; a NULL argument
 *                         gives NULL and leaves the error that caused it standing; a NULL with no error standing
 *                         is HED_E_INVAL
 * hed_OP_into(out, args)  writes into an existing array of exactly the result's shape, converting to its dtype;
 *                         allocates nothing where the manual says so; elementwise results of a 16-bit float type
 *                         are rounded to it before they are converted; OUT may be an elementwise operation's operand
 * Options are structs whose all-zero value is the default, passed by pointer, NULL = default.
 * Broadcasting is NumPy's; dtypes promote by hed_dtype_promote; scalars are weak (hed_scalar). Calls of the
 * forms with a number S go by the type of the argument, never by its value: an integer stays whole, as hed_scalar_int, and has to
 * fit the array's type (HED_E_RANGE); a float or double is a weak real, or a weak integer where the operation has no real domain
 * (shifts, bits). See HED_NUMBER; the functions themselves, by pointer, take a double.
 * OUT and an operand that overlap in any other way are HED_E_INVAL.
 * Thread-safe; the context of the calling thread decides the backend (or the operands' space: see the manual).
 */
#ifndef HEDDLE_OPS_H
#define HEDDLE_OPS_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef enum hed_op {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) HED_OP_##ID,
#include <heddle/ops.def>
  HED_OP_COUNT_
} hed_op;

/* ---- the list, as data ---- */

typedef struct hed_op_info {
  uint32_t struct_size;
  int32_t op;
  const char *name, *family, *impl, *domain, *result, *args, *doc; /* static; family: unary, binary, reduce, other */
  int32_t results;
  const char *host; /* what goes through the host when it runs on a device: "", "waits" (a few numbers), "host" (all of it),
                     * "double" (all of it on devices without float64); static */
} hed_op_info;

/* Rows of ops.def, and one of them; set struct_size before the call. */
HED_API int hed_op_count(void);
HED_API hed_status hed_op_query(int op, hed_op_info *out);
HED_API const char *hed_op_name(int op); /* "?" when out of range */
HED_API int hed_op_by_name(const char *name); /* aliases too; -1 when there is none */
HED_API const char *hed_op_alias(int op, int k); /* its other names, k = 0, 1, ...; NULL when there are no more */

/* ---- options ---- */

typedef struct hed_reduce {
  hed_axes axes; /* n = 0: all; HED_NO_AXES: none, each element by itself */
  bool keepdims;
  int32_t ddof;    /* var and std: divisor is n - ddof - correction */
  hed_dtype dtype; /* result and accumulation type, NULL = by rule */
  double correction; /* of var and std: what ddof is, for any real number */
} hed_reduce;

/* ---- regular families ---- */

#define HED_UNARY(ID, name, domain, result, cost, doc)                        \
  HED_NEW hed_array *hed_##name(const hed_array *x);                          \
  HED_API hed_status hed_##name##_into(hed_array *out, const hed_array *x);
#define HED_BINARY(ID, name, domain, result, cost, doc)                                              \
  HED_NEW hed_array *hed_##name(const hed_array *a, const hed_array *b);                             \
  HED_API hed_status hed_##name##_into(hed_array *out, const hed_array *a, const hed_array *b);      \
  HED_NEW hed_array *hed_##name##_scalar(const hed_array *a, double s);                              \
  HED_NEW hed_array *hed_scalar_##name(double s, const hed_array *b);                                \
  HED_API hed_status hed_##name##_scalar_into(hed_array *out, const hed_array *a, double s);         \
  HED_API hed_status hed_scalar_##name##_into(hed_array *out, double s, const hed_array *b);
#define HED_REDUCE(ID, name, domain, result, doc)                                                    \
  HED_NEW hed_array *hed_##name(const hed_array *x, const hed_reduce *opt);                          \
  HED_API hed_status hed_##name##_into(hed_array *out, const hed_array *x, const hed_reduce *opt);
#include <heddle/ops.def>

HED_END_DECLS

/* ---- the others, by area ---- */

#include <heddle/ops/create.h>
#include <heddle/ops/elementwise.h>
#include <heddle/ops/shape.h>
#include <heddle/ops/index.h>
#include <heddle/ops/reduce.h>
#include <heddle/ops/sort.h>
#include <heddle/ops/search.h>
#include <heddle/ops/points.h>
#include <heddle/ops/linalg.h>
#include <heddle/ops/fft.h>
#include <heddle/ops/bits.h>
#include <heddle/ops/random.h>
#include <heddle/ops/nn.h>
#include <heddle/ops/image.h>
#include <heddle/aliases.h>
#include <heddle/scalars.h>

#endif
