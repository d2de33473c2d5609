// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rounding, signs, logic, shifts and division with remainder: exact, with the values of lib/base/formulas/formulas.def. Included
 * by functions.c alone; the loops of a type are exact_reals.h, exact_wholes.h and exact_complex.h.
 * Every instruction set; contiguous operands, one of which may be a repeated number, else the general loop.
 */
/* As LOOP2 and LOOP2_WITH in bodies, but one loop, over contiguous operands; others go through blocks. For what takes longer than
 * blocks do. */
#define BLOCKED2(NAME, R, EXPR) BLOCKED2_WITH(NAME, R, void, 0, 0, 0, EXPR)
#define BLOCKED2_WITH(NAME, R, PARAMS, U, V, W, EXPR)                                            \
  INLINE void CPU_JOIN(NAME, _row)(int64_t n, void *to, const T *x, const T *y, const void *params) \
  {                                                                                              \
    const PARAMS *const q = params;                                                              \
    const double u = U, v = V, w = W;                                                            \
    R *const o = to;                                                                             \
    (void)q, (void)u, (void)v, (void)w;                                                          \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const T a = x[i], b = y[i];                                                                \
      o[i] = (R)(EXPR);                                                                          \
    }                                                                                            \
  }                                                                                              \
  APART NAME(int64_t n, char *const *p, const int64_t *s, const void *params)                    \
  {                                                                                              \
    N(blocks2_of)(n, p, s, sizeof(R), params, CPU_JOIN(NAME, _row));                             \
  }

/* Booleans: every byte but 0 is true, whatever wrote it. */
#define BOOLS(NAME, EXPR) LOOP2(NAME##_bool, uint8_t, uint8_t, EXPR)
BOOLS(equal, (a != 0) == (b != 0))
BOOLS(less, (a == 0) & (b != 0))
BOOLS(less_equal, (a == 0) | (b != 0))
BOOLS(greater, (a != 0) & (b == 0))
BOOLS(greater_equal, (a != 0) | (b == 0))

/* One result for whatever there is. */
INLINE void fill(int64_t n, char *o, int64_t step, const void *value, const int size)
{
  for (int64_t i = 0; i < n; i++)
    memcpy(o + i * step, value, (size_t)size);
}
#define FILLED(NAME, T, VALUE)                                                                   \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const T value = VALUE;                                                                       \
    (void)params;                                                                                \
    if (s[0] == (int64_t)sizeof(T))                                                              \
      fill(n, p[0], sizeof(T), &value, sizeof(T));                                               \
    else                                                                                         \
      fill(n, p[0], s[0], &value, sizeof(T));                                                    \
  }
FILLED(one_u8, uint8_t, 1)

/* a = t b + r, and t by the quotient Q: r as fmod, as the modulus has it, and the quotient's floor. */
typedef struct parts { double t, r; } parts;

INLINE double fmod_part(parts p, double b, double q)
{
  (void)b, (void)q;
  return p.r;
}

INLINE double mod_part(parts p, double b, double q)
{
  double r = (p.r < 0) != (b < 0) ? p.r + b : p.r;
  (void)q;
  return p.r == 0 ? __builtin_copysign(0.0, b) : r;
}

INLINE double floor_part(parts p, double b, double q)
{
  double t = (p.r != 0) & ((p.r < 0) != (b < 0)) ? p.t - 1 : p.t;
  return t == 0 ? __builtin_copysign(0.0, q) : t;
}

#define BODY "backends/cpu/kernels/map/exact_reals.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#define BODY "backends/cpu/kernels/map/exact_wholes.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"
#define BODY "backends/cpu/kernels/map/exact_complex.h"
#include "backends/cpu/kernels/lanes/for_complex.h"
