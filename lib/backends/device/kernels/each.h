// SPDX-License-Identifier: BSD-3-Clause
/* Kernels of a formula: four layouts for each row, of one, two or three operands (args.h says what the host fills in). L1.
 *
 *   ROW(count, name, r, P, first, expression in a, b, c)    with the first n of them
 *
 * R says what the formula gives: T the compute type, B bool, R its real component, Z the complex type of a real one. FIRST is the
 * number of operand 0's type: the compute type's, or bool's of a condition. P names the parameters, *q: params_P, and READ_P, which
 * takes them from arguments.
 * A row is a function name_of, which takes values and gives what is stored, and name_flat, name_rows, name_strided and
 * name_strided64. NAME has its underscore here: without, it may be a macro of the compiler.
 */
#define RESULT_T HED_COMPUTE
#define RESULT_B 0
#define RESULT_R HED_REAL
#if HED_COMPUTE == 12
#define RESULT_Z 14
#else
#define RESULT_Z 13
#endif
#ifdef HED_OUT
#define OUT(r) HED_OUT
#else
#define OUT(r) RESULT_##r
#endif
#define OUT_TYPE(r) STORED(OUT(r))

#ifdef HED_IN0
#define IN0(first) HED_IN0
#else
#define IN0(first) first
#endif
#ifndef HED_IN1
#define HED_IN1 HED_COMPUTE
#endif
#ifndef HED_IN2
#define HED_IN2 HED_COMPUTE
#endif

#define VALUE_B(e) ((e) ? true : false)
#if COMPUTES == IS_C
#define VALUE_T(e) (e)
#else
#define VALUE_T(e) ((T)(e))
#endif
#define VALUE_R(e) ((R)(e))
#define VALUE_Z(e) (e)

/* A stored element of type FROM as a value of type TO. */
#define TAKE(from, to, s) GIVEN(to, CONVERT(from, to, GIVEN(from, s)))

typedef struct params_void {
  int32_t none;
} params_void;
#define READ_void { 0 }

/* ---- the function ---- */

#define ROW_OF(name, r, P, first, expression)                                                                          \
  FN OUT_TYPE(r) name##of(COMPUTED(first) a, T b, T c, const params_##P *q)                                           \
  {                                                                                                                    \
    const COMPUTED(first) x = a;                                                                                       \
    (void)x, (void)b, (void)c, (void)q; /* some formulas are constants */                                              \
    const COMPUTED(RESULT_##r) v = VALUE_##r(expression);                                                              \
    return CONVERT(RESULT_##r, OUT(r), v);                                                                             \
  }

/* ---- operands: X, Y, Z, each at an index of its own, or the one element that it has ---- */

/* Values of operands that a row does not have. */
#if COMPUTES == IS_C
#define NO_VALUE COMPLEX_OF(HED_COMPUTE)(0, 0)
#else
#define NO_VALUE ((T)0)
#endif

#define SINGLE(k, from, to, p)                                                                                         \
  const bool one##k = (args.single >> k & 0x101) != 0;                                                                 \
  COMPUTED(to) same##k = GIVEN(to, BITS(to, args.value[k][0], args.value[k][1]));                                      \
  if (args.single >> k & 1)                                                                                            \
    same##k = TAKE(from, to, *(p));
#define EITHER(k, from, to, s) (one##k ? same##k : TAKE(from, to, s))

#define POINTERS1(r, first) PTR(OUT_TYPE(r), out), PTR(STORED(IN0(first)), x)
#define POINTERS2(r, first) POINTERS1(r, first), PTR(STORED(HED_IN1), y)
#define POINTERS3(r, first) POINTERS2(r, first), PTR(STORED(HED_IN2), z)
#define SINGLES1(first) SINGLE(0, IN0(first), first, AT(x))
#define SINGLES2(first) SINGLES1(first) SINGLE(1, HED_IN1, HED_COMPUTE, AT(y))
#define SINGLES3(first) SINGLES2(first) SINGLE(2, HED_IN2, HED_COMPUTE, AT(z))
#define X_IS(first, s) EITHER(0, IN0(first), first, s)
#define Y_IS(s) EITHER(1, HED_IN1, HED_COMPUTE, s)
#define Z_IS(s) EITHER(2, HED_IN2, HED_COMPUTE, s)
#define ELEMENTS1(first, i, j, k) X_IS(first, AT(x)[i]), NO_VALUE, NO_VALUE
#define ELEMENTS2(first, i, j, k) X_IS(first, AT(x)[i]), Y_IS(AT(y)[j]), NO_VALUE
#define ELEMENTS3(first, i, j, k) X_IS(first, AT(x)[i]), Y_IS(AT(y)[j]), Z_IS(AT(z)[k])

/* ---- flat: in accesses of 16 bytes where all pointers are aligned to them ---- */

#define WIDE(k, from, p, four)                                                                                         \
  FOUR(from) four;                                                                                                     \
  if (!one##k)                                                                                                         \
    four = *(GLOBAL FOUR(from) *)((p) + i);
#define WIDES1(first) WIDE(0, IN0(first), AT(x), four_x)
#define WIDES2(first) WIDES1(first) WIDE(1, HED_IN1, AT(y), four_y)
#define WIDES3(first) WIDES2(first) WIDE(2, HED_IN2, AT(z), four_z)
#define FOURTHS1(first, u) X_IS(first, four_x.v[u]), NO_VALUE, NO_VALUE
#define FOURTHS2(first, u) X_IS(first, four_x.v[u]), Y_IS(four_y.v[u]), NO_VALUE
#define FOURTHS3(first, u) X_IS(first, four_x.v[u]), Y_IS(four_y.v[u]), Z_IS(four_z.v[u])

/* Where no operand is one element the loop is one of its own: PoCL makes better vector code of it. */
#if PER_ITEM == 1 || defined(DEVICE_CPU)
#define OWN1(first, i) TAKE(IN0(first), first, AT(x)[i]), NO_VALUE, NO_VALUE
#define OWN2(first, i) TAKE(IN0(first), first, AT(x)[i]), TAKE(HED_IN1, HED_COMPUTE, AT(y)[i]), NO_VALUE
#define OWN3(first, i)                                                                                                 \
  TAKE(IN0(first), first, AT(x)[i]), TAKE(HED_IN1, HED_COMPUTE, AT(y)[i]), TAKE(HED_IN2, HED_COMPUTE, AT(z)[i])
#define FLAT(count, name, r, first)                                                                                    \
  if (args.single & 0x707) {                                                                                           \
    RUN(i, args.n)                                                                                                     \
      AT(out)[i] = name##of(ELEMENTS##count(first, i, i, i), &q);                                                      \
    RUN_END                                                                                                            \
  } else {                                                                                                             \
    RUN(i, args.n)                                                                                                     \
      AT(out)[i] = name##of(OWN##count(first, i), &q);                                                                 \
    RUN_END                                                                                                            \
  }
#else
#define FLAT(count, name, r, first)                                                                                        \
  const idx i = ITEM_X * 4;                                                                                            \
  if ((args.single >> 16 & 1) && i + 4 <= args.n) {                                                                    \
    WIDES##count(first)                                                                                                    \
    FOUR(OUT(r)) four;                                                                                                 \
    four.v[0] = name##of(FOURTHS##count(first, 0), &q);                                                                   \
    four.v[1] = name##of(FOURTHS##count(first, 1), &q);                                                                   \
    four.v[2] = name##of(FOURTHS##count(first, 2), &q);                                                                   \
    four.v[3] = name##of(FOURTHS##count(first, 3), &q);                                                                   \
    *(GLOBAL FOUR(OUT(r)) *)(AT(out) + i) = four;                                                                      \
  } else {                                                                                                             \
    for (idx j = i; j < i + 4 && j < args.n; j++)                                                                      \
      AT(out)[j] = name##of(ELEMENTS##count(first, j, j, j), &q);                                                         \
  }
#endif

/* ---- rows and strided: x from the items (of rows PER_ITEM, a group apart), y and z from the groups ---- */

#define ROW_AT(k) (GROUP_Y * args.stride[k][0] + GROUP_Z * args.stride[k][1])
#define ROWS(count, name, first)                                                                                       \
  const idx at0 = ROW_AT(0), at1 = ROW_AT(1), at2 = ROW_AT(2), at3 = ROW_AT(3);                                        \
  (void)at2, (void)at3;                                                                                                \
  RUN(i, args.n[0])                                                                                                    \
    AT(out)[at0 + i] = name##of(ELEMENTS##count(first, at1 + i, at2 + i, at3 + i), &q);                                \
  RUN_END

/* Z counts two axes. */
#define PLACE(I, k)                                                                                                    \
  (i * (I)args.stride[k][0] + (I)GROUP_Y * (I)args.stride[k][1] + inner * (I)args.stride[k][2] + outer * (I)args.stride[k][3])
#define STRIDED(count, name, first, I)                                                                                     \
  const I i = (I)ITEM_X, outer = (I)((uint32_t)GROUP_Z / (uint32_t)args.n[2]);                                         \
  const I inner = (I)GROUP_Z - outer * (I)args.n[2];                                                                   \
  if (i < (I)args.n[0])                                                                                                \
    AT(out)[PLACE(I, 0)] = name##of(ELEMENTS##count(first, PLACE(I, 1), PLACE(I, 2), PLACE(I, 3)), &q);

#define KERNELS(count, name, r, P, first)                                                                                  \
  KERNEL name##flat(POINTERS##count(r, first), const hed__map_flat_args args)                                             \
  {                                                                                                                    \
    const params_##P q = READ_##P;                                                                                     \
    SINGLES##count(first)                                                                                                  \
    FLAT(count, name, r, first)                                                                                            \
  }                                                                                                                    \
  KERNEL name##rows(POINTERS##count(r, first), const hed__map_rows_args args)                                             \
  {                                                                                                                    \
    const params_##P q = READ_##P;                                                                                     \
    SINGLES##count(first)                                                                                                  \
    ROWS(count, name, first)                                                                                               \
  }                                                                                                                    \
  KERNEL name##strided(POINTERS##count(r, first), const hed__map_strided_args args)                                       \
  {                                                                                                                    \
    const params_##P q = READ_##P;                                                                                     \
    SINGLES##count(first)                                                                                                  \
    STRIDED(count, name, first, int32_t)                                                                                   \
  }                                                                                                                    \
  KERNEL name##strided64(POINTERS##count(r, first), const hed__map_strided_args args)                                     \
  {                                                                                                                    \
    const params_##P q = READ_##P;                                                                                     \
    SINGLES##count(first)                                                                                                  \
    STRIDED(count, name, first, idx)                                                                                       \
  }

#define ROW(count, name, r, P, first, expression) ROW_OF(name, r, P, first, expression) KERNELS(count, name, r, P, first)
