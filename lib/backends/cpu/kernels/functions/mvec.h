// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions by the vector routines of the C library (libmvec of glibc 2.35 and later), whose names the x86 vector
 * function ABI gives: _ZGV, a letter for the instruction set, N, the lanes, a v per operand, the name. Their errors are
 * below 4 units in the last place, and special operands go to the scalar functions. Included by functions.c alone.
 * x86 with libmvec, every instruction set.
 */
#if defined(__AVX512F__)
#define MVEC_BYTES 64
#define MVEC_F(args, name) _ZGVeN16##args##_##name
#define MVEC_D(args, name) _ZGVeN8##args##_##name
#elif defined(__AVX2__)
#define MVEC_BYTES 32
#define MVEC_F(args, name) _ZGVdN8##args##_##name
#define MVEC_D(args, name) _ZGVdN4##args##_##name
#else
#define MVEC_BYTES 16
#define MVEC_F(args, name) _ZGVbN4##args##_##name
#define MVEC_D(args, name) _ZGVbN2##args##_##name
#endif

typedef float mvec_f __attribute__((vector_size(MVEC_BYTES)));
typedef double mvec_d __attribute__((vector_size(MVEC_BYTES)));

/* The rest of a row is filled up with a value at which no function is special. */
#define MVEC1(NAME, T, V, FN)                                                                    \
  V FN(V);                                                                                       \
  static void NAME##_row(int64_t n, T *o, const T *x)                                            \
  {                                                                                              \
    enum { LANES = sizeof(V) / sizeof(T) };                                                      \
    int64_t i = 0;                                                                               \
    V v;                                                                                         \
    for (; i + LANES <= n; i += LANES) {                                                         \
      memcpy(&v, x + i, sizeof v);                                                               \
      v = FN(v);                                                                                 \
      memcpy(o + i, &v, sizeof v);                                                               \
    }                                                                                            \
    if (i < n) {                                                                                 \
      v = (V){ 0 } + (T)PAD;                                                                     \
      memcpy(&v, x + i, (size_t)(n - i) * sizeof(T));                                            \
      v = FN(v);                                                                                 \
      memcpy(o + i, &v, (size_t)(n - i) * sizeof(T));                                            \
    }                                                                                            \
  }                                                                                              \
  STRIDED1(NAME, T, NAME##_row)

#define MVEC2(NAME, T, V, FN)                                                                    \
  V FN(V, V);                                                                                    \
  static void NAME##_row(int64_t n, T *o, const T *x, const T *y)                                \
  {                                                                                              \
    enum { LANES = sizeof(V) / sizeof(T) };                                                      \
    int64_t i = 0;                                                                               \
    V v, w;                                                                                      \
    for (; i + LANES <= n; i += LANES) {                                                         \
      memcpy(&v, x + i, sizeof v);                                                               \
      memcpy(&w, y + i, sizeof w);                                                               \
      v = FN(v, w);                                                                              \
      memcpy(o + i, &v, sizeof v);                                                               \
    }                                                                                            \
    if (i < n) {                                                                                 \
      v = w = (V){ 0 } + (T)PAD;                                                                 \
      memcpy(&v, x + i, (size_t)(n - i) * sizeof(T));                                            \
      memcpy(&w, y + i, (size_t)(n - i) * sizeof(T));                                            \
      v = FN(v, w);                                                                              \
      memcpy(o + i, &v, (size_t)(n - i) * sizeof(T));                                            \
    }                                                                                            \
  }                                                                                              \
  STRIDED2(NAME, T, NAME##_row)

#define MVEC(NAME, FN) \
  MVEC1(NAME##_f32, float, mvec_f, MVEC_F(v, FN##f)) MVEC1(NAME##_f64, double, mvec_d, MVEC_D(v, FN))

#define PAD 0.5
MVEC1(exp2_f64, double, mvec_d, MVEC_D(v, exp2))
MVEC(arctanh, atanh)
MVEC1(arcsinh_f64, double, mvec_d, MVEC_D(v, asinh))
MVEC(arctan, atan)
#if !defined(__AVX512F__) /* log_512.h, exp.h, cbrt.h */
MVEC(cbrt, cbrt)
MVEC(log1p, log1p)
MVEC(log2, log2)
MVEC(log10, log10)
MVEC1(sinh_f32, float, mvec_f, MVEC_F(v, sinhf))
#endif
MVEC(tan, tan)
MVEC(arcsin, asin)
MVEC(arccos, acos)
MVEC(erf, erf)
MVEC(erfc, erfc)
#if !defined(OWN_ARCTAN2)
MVEC2(arctan2_f32, float, mvec_f, MVEC_F(vv, atan2f))
#endif
MVEC2(arctan2_f64, double, mvec_d, MVEC_D(vv, atan2))
#if !defined(__AVX512F__) /* power_512.h */
MVEC2(power_pairs_f32, float, mvec_f, MVEC_F(vv, powf))
MVEC2(power_pairs_f64, double, mvec_d, MVEC_D(vv, pow))
#endif
#undef PAD
#define PAD 1.5
MVEC1(arccosh_f64, double, mvec_d, MVEC_D(v, acosh))
#undef PAD
