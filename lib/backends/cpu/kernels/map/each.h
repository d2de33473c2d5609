// SPDX-License-Identifier: BSD-3-Clause
/*
 * Drivers of elementwise loops, and how a formula becomes one: by LOOP1, LOOP2 .., a function of an element's addresses which the
 * driver has as a parameter, and which is inlined into it. L1.
 *
 * A driver has a loop for contiguous operands (and for a repeated one), of which the compiler makes vectors, and a general strided
 * one. Operands may be the result itself; other overlap does not reach a kernel, which is what IVDEP tells the compiler. OUT and IN
 * are the bytes of an element, WITH is what formulas have of parameters, as constants of the loop.
 */
#ifndef HED_BACKENDS_CPU_KERNELS_MAP_EACH_H
#define HED_BACKENDS_CPU_KERNELS_MAP_EACH_H
#include "backends/cpu/kernels/variant.h"
#include "base/invariant.h"
#include <stdint.h>
#include <string.h>

#define DRIVER static inline __attribute__((always_inline)) void
#define ENTRY static __attribute__((flatten)) void

typedef void each1_fn(char *o, const char *x, const void *with);
typedef void each2_fn(char *o, const char *x, const char *y, const void *with);
typedef void each3_fn(char *o, const char *x, const char *y, const char *z, const void *with);

DRIVER each1(int64_t n, char *const *p, const int64_t *s, const int64_t out, const int64_t in, const void *with, each1_fn *one)
{
  HED__ASSERT(n >= 0 && (n == 0 || (p[0] && p[1])));
  char *o = p[0];
  const char *x = p[1];
  if (s[0] == out && s[1] == in) {
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * out, x + i * in, with);
    return;
  }
  for (int64_t i = 0; i < n; i++, o += s[0], x += s[1])
    one(o, x, with);
}

DRIVER each2(int64_t n, char *const *p, const int64_t *s, const int64_t out, const int64_t in, const void *with, each2_fn *one)
{
  HED__ASSERT(n >= 0 && (n == 0 || (p[0] && p[1] && p[2])));
  char *o = p[0], repeated[16];
  const char *x = p[1], *y = p[2];
  if (s[0] == out && s[1] == in && s[2] == in) {
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * out, x + i * in, y + i * in, with);
    return;
  }
  if (s[0] == out && s[1] == in && s[2] == 0 && n > 0) {
    memcpy(repeated, y, (size_t)in);
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * out, x + i * in, repeated, with);
    return;
  }
  if (s[0] == out && s[1] == 0 && s[2] == in && n > 0) {
    memcpy(repeated, x, (size_t)in);
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * out, repeated, y + i * in, with);
    return;
  }
  for (int64_t i = 0; i < n; i++, o += s[0], x += s[1], y += s[2])
    one(o, x, y, with);
}

DRIVER each3(int64_t n, char *const *p, const int64_t *s, const int64_t size, each3_fn *one)
{
  HED__ASSERT(n >= 0 && (n == 0 || (p[0] && p[1] && p[2] && p[3])));
  char *o = p[0];
  const char *x = p[1], *y = p[2], *z = p[3];
  if (s[0] == size && s[1] == size && s[2] == size && s[3] == size) {
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * size, x + i * size, y + i * size, z + i * size, NULL);
    return;
  }
  for (int64_t i = 0; i < n; i++, o += s[0], x += s[1], y += s[2], z += s[3])
    one(o, x, y, z, NULL);
}

/* The first operand is a boolean, which does not repeat. */
DRIVER each_where(int64_t n, char *const *p, const int64_t *s, const int64_t size, const void *with, each3_fn *one)
{
  HED__ASSERT(n >= 0 && (n == 0 || (p[0] && p[1] && p[2] && p[3])));
  char *o = p[0], u[16], v[16];
  const char *c = p[1], *x = p[2], *y = p[3];
  if (n <= 0 || s[0] != size || s[1] != 1 || (s[2] != size && s[2] != 0) || (s[3] != size && s[3] != 0)) {
    for (int64_t i = 0; i < n; i++)
      one(o + i * s[0], c + i * s[1], x + i * s[2], y + i * s[3], with);
    return;
  }
  memcpy(u, x, (size_t)size);
  memcpy(v, y, (size_t)size);
  if (s[2] && s[3])
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * size, c + i, x + i * size, y + i * size, with);
  else if (s[2])
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * size, c + i, x + i * size, v, with);
  else if (s[3])
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * size, c + i, u, y + i * size, with);
  else
    IVDEP for (int64_t i = 0; i < n; i++)
      one(o + i * size, c + i, u, v, with);
}

/* FN: a loop of EXPR in terms of a, of a and b, or of a, b and c, which are elements T; a result is R. PARAMS: the type of the
 * call's parameters q, of which U, V and W are made, numbers K that EXPR has as u, v and w. */
#define MAP_LOOP(FN) ENTRY FN(int64_t n, char *const *p, const int64_t *s, const void *params)
#define ONE_OF(FN, T, R, K, EXPR)                                                                                      \
  DRIVER CPU_JOIN(FN, _one)(char *o, const char *x, const void *with)                                                  \
  {                                                                                                                    \
    const T a = *(const T *)(const void *)x;                                                                           \
    const K *const k = with, u = k[0], v = k[1], w = k[2];                                                             \
    (void)u, (void)v, (void)w;                                                                                         \
    *(R *)(void *)o = EXPR;                                                                                            \
  }
#define LOOP1_WITH(FN, T, R, PARAMS, K, U, V, W, EXPR)                                                                 \
  ONE_OF(FN, T, R, K, EXPR)                                                                                            \
  MAP_LOOP(FN)                                                                                                         \
  {                                                                                                                    \
    const PARAMS *const q = params;                                                                                    \
    const K with[3] = { U, V, W };                                                                                     \
    (void)q;                                                                                                           \
    each1(n, p, s, sizeof(R), sizeof(T), with, CPU_JOIN(FN, _one));                                                    \
  }
#define LOOP1(FN, T, R, EXPR) LOOP1_WITH(FN, T, R, void, char, 0, 0, 0, EXPR)
#define LOOP2_WITH(FN, T, R, PARAMS, K, U, V, W, EXPR)                                                                 \
  DRIVER CPU_JOIN(FN, _one)(char *o, const char *x, const char *y, const void *with)                                   \
  {                                                                                                                    \
    const T a = *(const T *)(const void *)x, b = *(const T *)(const void *)y;                                          \
    const K *const k = with, u = k[0], v = k[1], w = k[2];                                                             \
    (void)u, (void)v, (void)w;                                                                                         \
    *(R *)(void *)o = EXPR;                                                                                            \
  }                                                                                                                    \
  MAP_LOOP(FN)                                                                                                         \
  {                                                                                                                    \
    const PARAMS *const q = params;                                                                                    \
    const K with[3] = { U, V, W };                                                                                     \
    (void)q;                                                                                                           \
    each2(n, p, s, sizeof(R), sizeof(T), with, CPU_JOIN(FN, _one));                                                    \
  }
#define LOOP2(FN, T, R, EXPR) LOOP2_WITH(FN, T, R, void, char, 0, 0, 0, EXPR)
#define LOOP3(FN, T, EXPR)                                                                                             \
  DRIVER CPU_JOIN(FN, _one)(char *o, const char *x, const char *y, const char *z, const void *with)                    \
  {                                                                                                                    \
    const T a = *(const T *)(const void *)x, b = *(const T *)(const void *)y, c = *(const T *)(const void *)z;         \
    (void)with;                                                                                                        \
    *(T *)(void *)o = EXPR;                                                                                            \
  }                                                                                                                    \
  MAP_LOOP(FN)                                                                                                         \
  {                                                                                                                    \
    (void)params;                                                                                                      \
    each3(n, p, s, sizeof(T), CPU_JOIN(FN, _one));                                                                     \
  }
/* By a boolean c, in terms of a, b and one number u. Both operands are read whatever it is: a selection, where a branch would be
 * guessed wrong half the time. */
#define LOOP_WHERE(FN, T, PARAMS, U, EXPR)                                                                             \
  DRIVER CPU_JOIN(FN, _one)(char *o, const char *x, const char *y, const char *z, const void *with)                    \
  {                                                                                                                    \
    const uint8_t c = *(const uint8_t *)x;                                                                             \
    const T a = *(const T *)(const void *)y, b = *(const T *)(const void *)z, u = *(const T *)with;                    \
    (void)u;                                                                                                           \
    *(T *)(void *)o = EXPR;                                                                                            \
  }                                                                                                                    \
  MAP_LOOP(FN)                                                                                                         \
  {                                                                                                                    \
    const PARAMS *const q = params;                                                                                    \
    const T with = U;                                                                                                  \
    (void)q;                                                                                                           \
    each_where(n, p, s, sizeof(T), &with, CPU_JOIN(FN, _one));                                                         \
  }
#endif
