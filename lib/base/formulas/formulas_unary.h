// SPDX-License-Identifier: BSD-3-Clause
/* Template for formulas_each.h: loops of one operand, for one compute type. L0. */
#define HED_MAP1(op, kind, result, expression) KEEP(kind, LOOPS(FN(op), CTYPE_##result, expression))
#define LOOP(type, expression, to, from)                                                          \
  _Pragma("GCC ivdep")                                                                            \
  for (int64_t i = 0; i < n; i++) {                                                               \
    const T x = LOAD(p[1] + i * (from));                                                          \
    (void)x; /* some formulas are constants */                                                    \
    *(type *)(p[0] + i * (to)) = (type)(expression);                                              \
  }
#define LOOPS(fn, type, expression)                                                               \
  static void fn(int64_t n, char *const *p, const int64_t *s, const void *params)                 \
  {                                                                                               \
    (void)params;                                                                                 \
    if (s[0] == sizeof(type) && s[1] == sizeof(T)) {                                              \
      LOOP(type, expression, (int64_t)sizeof(type), (int64_t)sizeof(T))                           \
    } else {                                                                                      \
      LOOP(type, expression, s[0], s[1])                                                          \
    }                                                                                             \
  }
#include "base/formulas/formulas.def"
#undef LOOPS
#undef LOOP
