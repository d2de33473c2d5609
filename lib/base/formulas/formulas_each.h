// SPDX-License-Identifier: BSD-3-Clause
/* Includes the file named by EACH_TYPE once per compute type. L0.
 *
 *   TYPE, T      id in dtypes.def and C type of the compute type
 *   REAL, R      the same for its real component
 *   LOAD(p)      the element at address p
 *   KEEP(K, ...) the rest of its arguments when the compute type is of a kind in the set K (see formulas.def), else nothing
 *
 * Of the 16-bit floats, which else are computed in float32, T has the bits.
 */
#define OPEN(...) __VA_ARGS__
#define IN_BOOL(b, i, u, f, c, h, g) OPEN b
#define IN_INT(b, i, u, f, c, h, g) OPEN i
#define IN_UINT(b, i, u, f, c, h, g) OPEN u
#define IN_FLOAT(b, i, u, f, c, h, g) OPEN f
#define IN_COMPLEX(b, i, u, f, c, h, g) OPEN c
#define IN_FLOAT16(b, i, u, f, c, h, g) OPEN h
#define IN_BFLOAT16(b, i, u, f, c, h, g) OPEN g
#define IN_INTEGER(b, i, u, f, c, h, g) OPEN i OPEN u
#define IN_DISCRETE(b, i, u, f, c, h, g) OPEN b OPEN i OPEN u
#define IN_INEXACT(b, i, u, f, c, h, g) OPEN f OPEN c
#define IN_ORDERED(b, i, u, f, c, h, g) OPEN b OPEN i OPEN u OPEN f
#define IN_ANY(b, i, u, f, c, h, g) OPEN b OPEN i OPEN u OPEN f OPEN c

#define REAL TYPE
#define R T

/* A byte of a bool array may come from anywhere: every value but 0 is true. */
#define LOAD(p) (*(const uint8_t *)(p) != 0)
#define KEEP(K, ...) IN_##K((__VA_ARGS__), (), (), (), (), (), ())
#define TYPE BOOL
#define T bool
#include EACH_TYPE
#undef T
#undef TYPE
#undef KEEP
#undef LOAD

#define LOAD(p) (*(const T *)(p))
#define KEEP(K, ...) IN_##K((), (__VA_ARGS__), (), (), (), (), ())
#define TYPE INT8
#define T int8_t
#include EACH_TYPE
#undef T
#undef TYPE
#define TYPE INT16
#define T int16_t
#include EACH_TYPE
#undef T
#undef TYPE
#define TYPE INT32
#define T int32_t
#include EACH_TYPE
#undef T
#undef TYPE
#define TYPE INT64
#define T int64_t
#include EACH_TYPE
#undef T
#undef TYPE
#undef KEEP

#define KEEP(K, ...) IN_##K((), (), (__VA_ARGS__), (), (), (), ())
#define TYPE UINT8
#define T uint8_t
#include EACH_TYPE
#undef T
#undef TYPE
#define TYPE UINT16
#define T uint16_t
#include EACH_TYPE
#undef T
#undef TYPE
#define TYPE UINT32
#define T uint32_t
#include EACH_TYPE
#undef T
#undef TYPE
#define TYPE UINT64
#define T uint64_t
#include EACH_TYPE
#undef T
#undef TYPE
#undef KEEP

#define KEEP(K, ...) IN_##K((), (), (), (__VA_ARGS__), (), (), ())
#define TYPE FLOAT32
#define T float
#include EACH_TYPE
#undef T
#undef TYPE
#define TYPE FLOAT64
#define T double
#include EACH_TYPE
#undef T
#undef TYPE
#undef KEEP

#define T uint16_t
#define TYPE FLOAT16
#define KEEP(K, ...) IN_##K((), (), (), (), (), (__VA_ARGS__), ())
#include EACH_TYPE
#undef KEEP
#undef TYPE
#define TYPE BFLOAT16
#define KEEP(K, ...) IN_##K((), (), (), (), (), (), (__VA_ARGS__))
#include EACH_TYPE
#undef KEEP
#undef TYPE
#undef T

#undef REAL
#undef R
#define KEEP(K, ...) IN_##K((), (), (), (), (__VA_ARGS__), (), ())
#define TYPE COMPLEX64
#define T float _Complex
#define REAL FLOAT32
#define R float
#include EACH_TYPE
#undef R
#undef REAL
#undef T
#undef TYPE
#define TYPE COMPLEX128
#define T double _Complex
#define REAL FLOAT64
#define R double
#include EACH_TYPE
#undef R
#undef REAL
#undef T
#undef TYPE
#undef KEEP
#undef LOAD

#undef OPEN
#undef IN_BOOL
#undef IN_INT
#undef IN_UINT
#undef IN_FLOAT
#undef IN_COMPLEX
#undef IN_FLOAT16
#undef IN_BFLOAT16
#undef IN_INTEGER
#undef IN_DISCRETE
#undef IN_INEXACT
#undef IN_ORDERED
#undef IN_ANY
