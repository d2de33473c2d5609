// SPDX-License-Identifier: BSD-3-Clause
/* power by what its exponents are; a body of power.h. */
/* sqrt differs from the power at -0 and minus infinity, which + 0 and the selection repair. */
INLINE T N(power_half)(T a)
{
  const T r = PICK(__builtin_sqrtf, __builtin_sqrt)(a) + 0;
  return a == -(T)HUGE_VAL ? (T)HUGE_VAL : r;
}
INLINE T N(power_2)(T a) { return a * a; }
INLINE T N(power_1)(T a) { return a; }
INLINE T N(power_minus_1)(T a) { return 1 / a; }
INLINE T N(power_3)(T a) { return a * a * a; }
INLINE T N(power_4)(T a) { return a * a * (a * a); }

static void N(power_same)(int64_t n, T *o, const T *x, int kind)
{
  switch (kind) {
  case 1: N(each1)(n, o, x, N(power_2)); return;
  case 2: N(each1)(n, o, x, N(power_1)); return;
  case 3: N(each1)(n, o, x, N(power_minus_1)); return;
  case 5: N(each1)(n, o, x, N(power_3)); return;
  case 6: N(each1)(n, o, x, N(power_4)); return;
  default: N(each1)(n, o, x, N(power_half)); return;
  }
}

/* Of the mantissa, named exponents have the first bit at most. */
INLINE bool N(may_be_named)(T y) { return (OF(bits)(y) & PICK(0x3fffff, 0x7ffffffffffff)) == 0; }

static void N(power_each)(int64_t n, T *o, const T *x, const T *y)
{
  const int64_t steps[3] = { sizeof(T), sizeof(T), sizeof(T) };
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    T a[MATH_BLOCK], b[MATH_BLOCK], *const to = o + i;
    int named = 0;
    for (int64_t j = 0; j < m; j++)
      named |= N(may_be_named)(y[i + j]);
    if (named) { /* the result may be an operand */
      memcpy(a, x + i, (size_t)m * sizeof *a);
      memcpy(b, y + i, (size_t)m * sizeof *b);
    }
    N(power_pairs)(m, (char *[]){ (char *)to, (char *)(uintptr_t)(x + i), (char *)(uintptr_t)(y + i) }, steps, NULL);
    if (named)
      IVDEP for (int64_t j = 0; j < m; j++) {
        const T u = a[j], v = b[j], root = N(power_half)(u);
        const T odd = v == 1 ? u : v == -1 ? 1 / u : v == 3 ? u * u * u : to[j];
        to[j] = v == 2 ? u * u : v == 4 ? u * u * (u * u) : v == (T)0.5 ? root : odd;
      }
  }
}
STRIDED2(N(power_any), S, N(power_each))

static void N(power)(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const int kind = s[2] == 0 && n > 0 ? power_kind((double)*(const T *)(const void *)p[2]) : 0;
  if (!kind && s[2] == 0)
    N(power_pairs)(n, p, s, params);
  else if (!kind || s[0] != (int64_t)sizeof(T) || s[1] != (int64_t)sizeof(T))
    N(power_any)(n, p, s, params);
  else
    N(power_same)(n, (T *)(void *)p[0], (const T *)(const void *)p[1], kind);
}
