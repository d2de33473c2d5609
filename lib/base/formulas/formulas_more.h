// SPDX-License-Identifier: BSD-3-Clause
/* Template for formulas_each.h: loops with more than two operands or with parameters, for one compute type. L0. */

#define CHOOSE                                                                                    \
  static void FN(WHERE)(int64_t n, char *const *p, const int64_t *s, const void *params)          \
  {                                                                                               \
    (void)params;                                                                                 \
    for (int64_t i = 0; i < n; i++)                                                               \
      *(T *)(p[0] + i * s[0]) =                                                                   \
          *(const uint8_t *)(p[1] + i * s[1]) ? LOAD(p[2] + i * s[2]) : LOAD(p[3] + i * s[3]);    \
  }
KEEP(ANY, CHOOSE)
#undef CHOOSE

#define CLIP(low_, high_)                                                                         \
  static void FN(CLIP)(int64_t n, char *const *p, const int64_t *s, const void *params)           \
  {                                                                                               \
    const hed_clip_params *c = params;                                                            \
    const T low = (T)(low_), high = (T)(high_);                                                   \
    for (int64_t i = 0; i < n; i++) {                                                             \
      T x = LOAD(p[1] + i * s[1]);                                                                \
      x = x < low ? low : x;                                                                      \
      *(T *)(p[0] + i * s[0]) = x > high ? high : x;                                              \
    }                                                                                             \
  }
KEEP(BOOL, CLIP(hed__bound_word(ceil(c->low), 0, 1), hed__bound_word(floor(c->high), 1, 1)))
KEEP(INT, CLIP(hed__bound_int(ceil(c->low), -MOST_INT - 1, MOST_INT), hed__bound_int(floor(c->high), MOST_INT, MOST_INT)))
KEEP(UINT, CLIP(hed__bound_word(ceil(c->low), 0, MOST_WORD), hed__bound_word(floor(c->high), MOST_WORD, MOST_WORD)))
KEEP(FLOAT, CLIP(c->low, c->high))
#undef CLIP

#define NORM_SCORES                                                                               \
  static void FN(NORM_SCORES)(int64_t n, char *const *p, const int64_t *s, const void *params)    \
  {                                                                                               \
    const hed_norm_params *o = params;                                                            \
    const T count = (T)o->n_obs, eps = (T)o->eps;                                                 \
    for (int64_t i = 0; i < n; i++) {                                                             \
      const T x = LOAD(p[1] + i * s[1]), mean = LOAD(p[3] + i * s[3]) / count;                    \
      const T variance = LOAD(p[2] + i * s[2]) / count - mean * mean;                             \
      const T sigma = sqrt(variance > 0 ? variance : 0);                                          \
      *(T *)(p[0] + i * s[0]) = !(sigma < eps) ? x / (sigma * count) : o->unit_low ? x / count : 0;\
    }                                                                                             \
  }
KEEP(FLOAT, NORM_SCORES)
#undef NORM_SCORES

#define RATIO(a, b) ((a) / (b))
#define DIVIDE_LOOP(QUOTIENT)                                                                     \
  static void FN(DIVIDE_WHERE)(int64_t n, char *const *p, const int64_t *s, const void *params)   \
  {                                                                                               \
    const T fill = (T)((const hed_divide_params *)params)->fill;                                  \
    for (int64_t i = 0; i < n; i++)                                                               \
      *(T *)(p[0] + i * s[0]) = *(const uint8_t *)(p[1] + i * s[1])                               \
                                    ? QUOTIENT(LOAD(p[2] + i * s[2]), LOAD(p[3] + i * s[3]))      \
                                    : fill;                                                       \
  }
KEEP(FLOAT, DIVIDE_LOOP(RATIO))
KEEP(COMPLEX, DIVIDE_LOOP(quotient))
#undef DIVIDE_LOOP
#undef RATIO

#define HED_MAPP(op, kind, result, operands, parameters, expression)                              \
  KEEP(kind, LOOPS(FN(op), CTYPE_##result, operands, parameters, expression))
#define LOOP(type, expression, operands, to, from_a, from_b, from_c)                              \
  for (int64_t i = 0; i < n; i++) {                                                               \
    const T a = LOAD(p[1] + i * (from_a));                                                        \
    const T b = (operands) > 1 ? LOAD(p[2] + i * (from_b)) : a;                                   \
    const T c = (operands) > 2 ? LOAD(p[3] + i * (from_c)) : a;                                   \
    (void)b;                                                                                      \
    (void)c;                                                                                      \
    *(type *)(p[0] + i * (to)) = (type)(expression);                                              \
  }
#define DENSE(type) ((int64_t)sizeof(type))
#define LOOPS(fn, type, operands, parameters, expression)                                         \
  static void fn(int64_t n, char *const *p, const int64_t *s, const void *params)                 \
  {                                                                                               \
    const parameters *q = params;                                                                 \
    (void)q;                                                                                      \
    if (s[0] == DENSE(type) && s[1] == DENSE(T) && ((operands) < 2 || s[2] == DENSE(T)) &&        \
        ((operands) < 3 || s[3] == DENSE(T))) {                                                   \
      LOOP(type, expression, operands, DENSE(type), DENSE(T), DENSE(T), DENSE(T))                 \
    } else {                                                                                      \
      LOOP(type, expression, operands, s[0], s[1], s[2], s[3])                                    \
    }                                                                                             \
  }
#include "base/formulas/formulas.def"
#undef LOOPS
#undef DENSE
#undef LOOP
