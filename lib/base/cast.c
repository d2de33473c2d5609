// SPDX-License-Identifier: BSD-3-Clause
/* Conversion between all pairs of dtypes: 15 rows of 15 loops, made by cast_row.h. L0.
 *
 * Equal dtypes are copied as bits, so NaN payloads survive.
 */
#include "base/cast.h"
#include "base/cast_values.h"
#include "base/dtype.h"
#include "base/half.h"

#include <string.h>

/* Whoever compiles these loops once more, for wider vectors, gives the function that finds them a name. */
#if !defined(HED__CAST_LOOPS)
#define HED__CAST_LOOPS own_loops
#define HED__CAST_OWN 1
#endif

#define NOT_ZERO(v) ((v) != 0)
#define SHORTEN(v)                                                                     \
  _Generic((v), float: (v), int64_t: to_odd(long_to_odd((int64_t)(v))),                \
           uint64_t: to_odd(word_to_odd((uint64_t)(v))), default: to_odd((double)(v)))
#define HALF(v) hed__float_to_half((float)SHORTEN(v))
#define BFLOAT(v) hed__float_to_bfloat((float)SHORTEN(v))
#define SAME(v) (v)
#define CUT(v) to_int64((double)(v))
#define CUTU(v) to_uint64((double)(v))

/* A byte of a bool array may come from anywhere: every value but 0 is true. */
#define FROM BOOL
#define FROM_BYTES 1
#define LOAD(p) (*(const uint8_t *)(p) != 0)
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM INT8
#define FROM_BYTES 1
#define LOAD(p) (*(const int8_t *)(p))
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM INT16
#define FROM_BYTES 2
#define LOAD(p) (*(const int16_t *)(p))
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM INT32
#define FROM_BYTES 4
#define LOAD(p) (*(const int32_t *)(p))
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM INT64
#define FROM_BYTES 8
#define LOAD(p) (*(const int64_t *)(p))
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM UINT8
#define FROM_BYTES 1
#define LOAD(p) (*(const uint8_t *)(p))
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM UINT16
#define FROM_BYTES 2
#define LOAD(p) (*(const uint16_t *)(p))
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM UINT32
#define FROM_BYTES 4
#define LOAD(p) (*(const uint32_t *)(p))
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM UINT64
#define FROM_BYTES 8
#define LOAD(p) (*(const uint64_t *)(p))
#define WHOLE SAME
#define WHOLEU SAME
#include "base/cast_row.h"

#define FROM FLOAT16
#define FROM_BYTES 2
#define LOAD(p) hed__half_to_float(*(const uint16_t *)(p))
#define WHOLE CUT
#define WHOLEU CUTU
#include "base/cast_row.h"

#define FROM BFLOAT16
#define FROM_BYTES 2
#define LOAD(p) hed__bfloat_to_float(*(const uint16_t *)(p))
#define WHOLE CUT
#define WHOLEU CUTU
#include "base/cast_row.h"

#define FROM FLOAT32
#define FROM_BYTES 4
#define LOAD(p) (*(const float *)(p))
#define WHOLE CUT
#define WHOLEU CUTU
#include "base/cast_row.h"

#define FROM FLOAT64
#define FROM_BYTES 8
#define LOAD(p) (*(const double *)(p))
#define WHOLE CUT
#define WHOLEU CUTU
#include "base/cast_row.h"

#define FROM COMPLEX64
#define FROM_BYTES 8
#define LOAD(p) (*(const float _Complex *)(p))
#define WHOLE CUT
#define WHOLEU CUTU
#include "base/cast_row.h"

#define FROM COMPLEX128
#define FROM_BYTES 16
#define LOAD(p) (*(const double _Complex *)(p))
#define WHOLE CUT
#define WHOLEU CUTU
#include "base/cast_row.h"

/* ---- equal dtypes: memory of the program's may begin anywhere ---- */

typedef struct pair { uint64_t word[2]; } pair;

#define COPY(bytes, type)                                                              \
  static void copy_##bytes(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss) \
  {                                                                                    \
    if (ds == (bytes) && ss == (bytes)) {                                              \
      if (n > 0)                                                                       \
        memmove(dst, src, (size_t)n * (bytes));                                        \
      return;                                                                          \
    }                                                                                  \
    for (; n > 0; n--, dst += ds, src += ss) {                                         \
      type v;                                                                          \
      memcpy(&v, src, sizeof v);                                                       \
      memcpy(dst, &v, sizeof v);                                                       \
    }                                                                                  \
  }
COPY(1, uint8_t)
COPY(2, uint16_t)
COPY(4, uint32_t)
COPY(8, uint64_t)
COPY(16, pair)

static hed__cast_fn HED__CAST_LOOPS(int from, int to)
{
  static const hed__cast_fn copy[] = {
    [1] = copy_1, [2] = copy_2, [4] = copy_4, [8] = copy_8, [16] = copy_16,
  };
  static const hed__cast_fn *const convert[HED_ID_CONCRETE_COUNT_] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) [HED_ID_##ID] = ID##_to_ANY,
#include <heddle/dtypes.def>
#undef HED_DTYPE
  };
  return from == to ? copy[hed__id_size(from)] : convert[from][to];
}

#if defined(HED__CAST_OWN)
static hed__cast_fn (*preferred)(int from, int to) = HED__CAST_LOOPS;

void hed__cast_prefer(hed__cast_fn (*choose)(int from, int to))
{
  preferred = choose;
}

hed__cast_fn hed__cast(int from, int to)
{
  return preferred(from, to);
}
#endif
