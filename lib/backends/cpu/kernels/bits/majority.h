// SPDX-License-Identifier: BSD-3-Clause
/*
 * What most rows have in the bits of one vector V of words, whose functions are called by SUFFIX S. Included by bits.c alone.
 *
 * Counters are bit-sliced: plane k holds bit k of the count of every bit. Eight rows go into the lowest three planes by
 * carry-save adders, whose carry ripples through the others; the counts are compared with half of the rows from the top.
 * BOTH(a, b, c) is their sum, MOST(a, b, c) their carry.
 */

/* A takes in X and Y; what carries. */
INLINE V CPU_JOIN(add_, S)(V *a, V x, V y)
{
  const V was = *a;
  *a = BOTH(was, x, y);
  return MOST(was, x, y);
}

INLINE void CPU_JOIN(ripple_, S)(V *plane, int planes, V carry)
{
  for (int k = 0; k < planes; k++) {
    const V was = plane[k];
    plane[k] = was ^ carry;
    carry &= was;
  }
}

INLINE V CPU_JOIN(row_, S)(const char *x)
{
  V v;
  memcpy(&v, x, sizeof v);
  return v;
}

#define ROW CPU_JOIN(row_, S)
#define ADD CPU_JOIN(add_, S)
static void CPU_JOIN(majority_, S)(int64_t n, uint64_t *out, const uint64_t *x_, int64_t step, const uint64_t *ties)
{
  const int planes = 64 - __builtin_clzll((unsigned long long)n);
  const char *x = (const char *)x_;
  V plane[64], ones = { 0 }, twos = { 0 }, fours = { 0 };
  for (int k = 0; k < planes; k++)
    plane[k] = ones;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8, x += 8 * step) {
    V a = ADD(&ones, ROW(x), ROW(x + step)), b = ADD(&ones, ROW(x + 2 * step), ROW(x + 3 * step));
    const V c = ADD(&twos, a, b);
    a = ADD(&ones, ROW(x + 4 * step), ROW(x + 5 * step));
    b = ADD(&ones, ROW(x + 6 * step), ROW(x + 7 * step));
    const V d = ADD(&twos, a, b);
    CPU_JOIN(ripple_, S)(plane + 3, planes - 3, ADD(&fours, c, d));
  }
  if (n >= 8) {
    plane[0] = ones;
    plane[1] = twos;
    plane[2] = fours;
  }
  for (; i < n; i++, x += step)
    CPU_JOIN(ripple_, S)(plane, planes, ROW(x));
  V more = { 0 }, even = ~more;
  for (int k = planes - 1; k >= 0; k--)
    if (n / 2 >> k & 1) {
      even &= plane[k];
    } else {
      more |= even & plane[k];
      even &= ~plane[k];
    }
  if (ties && n % 2 == 0)
    more |= even & ROW((const char *)ties);
  memcpy(out, &more, sizeof more);
}
#undef ROW
#undef ADD
#undef V
#undef S
#undef BOTH
#undef MOST
