// SPDX-License-Identifier: BSD-3-Clause
/* One row of the conversion table: the loops from one dtype to all, and the array of them.
 *
 * Included by cast.c once per source dtype, with FROM its name in dtypes.def, FROM_BYTES its size, LOAD(p) the element at
 * an address, WHOLE(v) the element as something that C converts to every integer type but uint64, WHOLEU(v) the same
 * for uint64. All are undefined at the end. That C converts complex to real by dropping the imaginary part is used.
 */
#define JOIN_(from, to) from##_to_##to
#define JOIN(from, to) JOIN_(from, to)

#define LOOP(type, put, step_to, step_from)                                            \
  _Pragma("GCC ivdep")                                                                 \
  for (int64_t i = 0; i < n; i++)                                                      \
    *(type *)(dst + i * (step_to)) = (type)put(LOAD(src + i * (step_from)));

#define LOOPS(to, type, put)                                                           \
  static void JOIN(FROM, to)(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss) \
  {                                                                                    \
    const int64_t bytes = sizeof(type);                                                \
    if (ds == bytes && ss == FROM_BYTES) {                                             \
      LOOP(type, put, bytes, FROM_BYTES)                                               \
    } else {                                                                           \
      LOOP(type, put, ds, ss)                                                          \
    }                                                                                  \
  }

LOOPS(BOOL, bool, NOT_ZERO)
LOOPS(INT8, int8_t, WHOLE)
LOOPS(INT16, int16_t, WHOLE)
LOOPS(INT32, int32_t, WHOLE)
LOOPS(INT64, int64_t, WHOLE)
LOOPS(UINT8, uint8_t, WHOLE)
LOOPS(UINT16, uint16_t, WHOLE)
LOOPS(UINT32, uint32_t, WHOLE)
LOOPS(UINT64, uint64_t, WHOLEU)
LOOPS(FLOAT16, uint16_t, HALF)
LOOPS(BFLOAT16, uint16_t, BFLOAT)
LOOPS(FLOAT32, float, )
LOOPS(FLOAT64, double, )
LOOPS(COMPLEX64, float _Complex, )
LOOPS(COMPLEX128, double _Complex, )

static const hed__cast_fn JOIN(FROM, ANY)[HED_ID_CONCRETE_COUNT_] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) [HED_ID_##ID] = JOIN(FROM, ID),
#include <heddle/dtypes.def>
#undef HED_DTYPE
};

#undef LOOPS
#undef LOOP
#undef JOIN
#undef JOIN_
#undef FROM
#undef FROM_BYTES
#undef LOAD
#undef WHOLE
#undef WHOLEU
