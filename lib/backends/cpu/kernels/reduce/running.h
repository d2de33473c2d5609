// SPDX-License-Identifier: BSD-3-Clause
/*
 * Running extremes, along contiguous elements and across rows; a body of reduce.c for words of 32 and 64 bits, after extreme.h or
 * extreme_whole.h. A NaN stays once it has come: vectors end there. MOST, a constant, says which extreme.
 * Every instruction set; cumulative max and min.
 */
/* Of each lane and those before it: the extreme of lanes 2^k apart, or of the first, for each k. */
INLINE V N(within)(const bool most, V v)
{
  UNROLL for (int k = 0; 1 << k < LANES; k++) {
    const void *earlier = sizeof(T) == 4 ? (const void *)earlier_32[k] : (const void *)earlier_64[k];
    v = N(pick)(most, v, SHUFFLE(V, v, *(const WORDS *)earlier));
  }
  return v;
}

INLINE T N(next)(const bool most, T v, T x) { return (most ? x > v : x < v) | (x != x) ? x : v; }

INLINE void N(along)(int64_t n, T *out, const T *x, T *carry, const bool most)
{
  HED__ASSERT(n >= 0 && (out == x || out + n <= x || x + n <= out));
  const WORDS last = (WORDS){ 0 } + (LANES - 1);
  T v = *carry;
  int64_t i = 0;
  V c = N(each)(v);
  for (; v == v && i + 2 * LANES <= n; i += 2 * LANES) {
    V a = N(get)(x + i), b = N(get)(x + i + LANES);
    if (N(is_nan_in)(a, b))
      break;
    a = N(within)(most, a);
    b = N(within)(most, b);
    N(put)(out + i, N(pick)(most, a, c));
    c = N(pick)(most, SHUFFLE(V, a, last), c);
    N(put)(out + i + LANES, N(pick)(most, b, c));
    c = N(pick)(most, SHUFFLE(V, b, last), c);
  }
  v = v == v ? c[0] : v;
  for (; i < n && v == v; i++)
    out[i] = v = N(next)(most, v, x[i]);
  for (; i < n; i++)
    out[i] = v;
  *carry = v;
}

INLINE void N(across)(int64_t n, T *out, const T *x, T *c, const bool most)
{
  HED__ASSERT(n >= 0 && c != x);
  IVDEP for (int64_t i = 0; i < n; i++) {
    const T v = N(next)(most, c[i], x[i]);
    c[i] = v;
    out[i] = v;
  }
}

static void N(max_along)(int64_t n, void *out, const void *x, void *carry) { N(along)(n, out, x, carry, true); }
static void N(min_along)(int64_t n, void *out, const void *x, void *carry) { N(along)(n, out, x, carry, false); }
static void N(max_across)(int64_t n, void *out, const void *x, void *carry) { N(across)(n, out, x, carry, true); }
static void N(min_across)(int64_t n, void *out, const void *x, void *carry) { N(across)(n, out, x, carry, false); }
