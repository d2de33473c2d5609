// SPDX-License-Identifier: BSD-3-Clause
/* Template for formulas_each.h: loops of two operands, for one compute type. A repeated operand (stride 0) has a loop of its
 * own: that is the scalar form. L0. */
#define HED_MAP2(op, kind, result, expression) KEEP(kind, LOOPS(FN(op), CTYPE_##result, expression))
#define LOOP(type, expression, to, from_a, from_b)                                                \
  _Pragma("GCC ivdep")                                                                            \
  for (int64_t i = 0; i < n; i++) {                                                               \
    const T a = LOAD(p[1] + i * (from_a));                                                        \
    const T b = LOAD(p[2] + i * (from_b));                                                        \
    (void)a; /* some formulas are constants */                                                    \
    (void)b;                                                                                      \
    *(type *)(p[0] + i * (to)) = (type)(expression);                                              \
  }
#define DENSE(type) ((int64_t)sizeof(type))
#define LOOPS(fn, type, expression)                                                               \
  static void fn(int64_t n, char *const *p, const int64_t *s, const void *params)                 \
  {                                                                                               \
    (void)params;                                                                                 \
    if (s[0] == DENSE(type) && s[1] == DENSE(T) && s[2] == DENSE(T)) {                            \
      LOOP(type, expression, DENSE(type), DENSE(T), DENSE(T))                                     \
    } else if (s[0] == DENSE(type) && s[1] == DENSE(T) && s[2] == 0) {                            \
      LOOP(type, expression, DENSE(type), DENSE(T), 0)                                            \
    } else if (s[0] == DENSE(type) && s[1] == 0 && s[2] == DENSE(T)) {                            \
      LOOP(type, expression, DENSE(type), 0, DENSE(T))                                            \
    } else {                                                                                      \
      LOOP(type, expression, s[0], s[1], s[2])                                                    \
    }                                                                                             \
  }
#include "base/formulas/formulas.def"
#undef LOOPS
#undef DENSE
#undef LOOP
