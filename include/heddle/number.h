// SPDX-License-Identifier: BSD-3-Clause
/* A number as an operand: what hed_add_scalar(x, 2) and its like make of their argument, whose C type decides. Integers stay
 * whole, at any size, and have to fit the array's type (HED_E_RANGE; comparisons answer as ever); floating-point numbers are weak
 * reals.
 */
#ifndef HEDDLE_NUMBER_H
#define HEDDLE_NUMBER_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef struct hed_number {
  hed_kind kind; /* HED_KIND_FLOAT: real; HED_KIND_INT: whole; HED_KIND_UINT: whole, as a uint64_t */
  double real;
  int64_t whole;
} hed_number;

/* hed_OP_scalar and hed_scalar_OP for the binary operation OP, a number of ops.def (another one: HED_E_INVAL). */
HED_NEW hed_array *hed_apply_scalar(int op, const hed_array *a, hed_number s);
HED_NEW hed_array *hed_scalar_apply(int op, hed_number s, const hed_array *b);
HED_API hed_status hed_apply_scalar_into(hed_array *out, int op, const hed_array *a, hed_number s);
HED_API hed_status hed_scalar_apply_into(hed_array *out, int op, hed_number s, const hed_array *b);
/* hed_where with a number on a side, or on both. */
HED_NEW hed_array *hed_where_number(const hed_array *condition, const hed_array *a, hed_number s);
HED_NEW hed_array *hed_number_where(const hed_array *condition, hed_number s, const hed_array *b);
HED_NEW hed_array *hed_numbers_where(const hed_array *condition, hed_number s, hed_number t);

HED_END_DECLS

#ifndef HED_PLAIN_HEADERS
static inline hed_number hed_number_real(double v)
{
  const hed_number n = { HED_KIND_FLOAT, v, 0 };
  return n;
}
static inline hed_number hed_number_int(int64_t v)
{
  const hed_number n = { HED_KIND_INT, (double)v, v };
  return n;
}
static inline hed_number hed_number_uint(uint64_t v)
{
  const hed_number n = { HED_KIND_UINT, (double)v, (int64_t)v };
  return n;
}

/* V, of any real arithmetic type, as a hed_number. */
#  ifdef __cplusplus
extern "C++" {
template <class T> inline hed_number hed_number_of(T v)
{
  return T(0.5) != T(0) ? hed_number_real(double(v)) : T(-1) < T(1) ? hed_number_int(int64_t(v)) : hed_number_uint(uint64_t(v));
}
template <> inline hed_number hed_number_of(bool v) { return hed_number_int(v); }
}
#    define HED_NUMBER(v) hed_number_of(v)
#  else
#    define HED_NUMBER(v)                                                                                             \
       _Generic((v), float: hed_number_real, double: hed_number_real, long double: hed_number_real,                   \
                unsigned char: hed_number_uint, unsigned short: hed_number_uint, unsigned: hed_number_uint,           \
                unsigned long: hed_number_uint, unsigned long long: hed_number_uint, bool: hed_number_int,            \
                char: hed_number_int, signed char: hed_number_int, short: hed_number_int, int: hed_number_int,        \
                long: hed_number_int, long long: hed_number_int)(v)
#  endif
#endif

#endif
