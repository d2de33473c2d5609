// SPDX-License-Identifier: BSD-3-Clause
/* Operations of lanes/lanes.h on reals against loops over lanes; a body of lanes_level.c. Each function counts what is wrong. */
INLINE bool N(is_same)(T a, T b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Lanes of V that are not as WANT has them; NaN is NaN. */
static int N(wrong)(V v, const T *want)
{
  T got[LANES];
  int bad = 0;
  N(put)(got, v);
  for (int k = 0; k < LANES; k++)
    bad += !(N(is_same)(got[k], want[k]) || (got[k] != got[k] && want[k] != want[k]));
  return bad;
}

static int N(memory)(const T *a)
{
  T want[LANES], got[LANES + 2] = { 0 };
  int bad = N(wrong)(N(get)(a), a);
  N(put)(got + 1, N(get)(a)); /* at any address */
  for (int k = 0; k < LANES; k++) {
    bad += !N(is_same)(got[k + 1], a[k]);
    want[k] = a[0];
  }
  return bad + (got[0] != 0) + (got[LANES + 1] != 0) + N(wrong)(N(each)(a[0]), want);
}

static int N(sizes)(const T *a)
{
  T want[LANES];
  for (int k = 0; k < LANES; k++)
    want[k] = (T)fabs((double)a[k]);
  return N(wrong)(N(magnitude)(N(get)(a)), want);
}

/* The second where the two are equal, or one is NaN. */
static int N(larger)(const T *b, const T *a)
{
  T most[LANES], least[LANES];
  for (int k = 0; k < LANES; k++) {
    most[k] = b[k] > a[k] ? b[k] : a[k];
    least[k] = b[k] < a[k] ? b[k] : a[k];
  }
  return N(wrong)(N(most)(N(get)(b), N(get)(a)), most) + N(wrong)(N(least)(N(get)(b), N(get)(a)), least);
}

/* Of all lanes; of numbers, as callers look for NaN first. */
static int N(largest)(const T *a)
{
  T n[LANES], most, least;
  for (int k = 0; k < LANES; k++)
    n[k] = a[k] == a[k] ? a[k] : (T)k;
  most = least = n[0];
  for (int k = 1; k < LANES; k++) {
    most = n[k] > most ? n[k] : most;
    least = n[k] < least ? n[k] : least;
  }
  return (N(most_of)(N(get)(n)) != most) + (N(least_of)(N(get)(n)) != least);
}

static int N(masks)(const T *a, const T *b)
{
  uint64_t same = 0, unlike = 0;
  int bad = 0;
  for (int k = 0; k < LANES; k++) {
    same |= (uint64_t)(a[k] == b[k]) << k;
    unlike |= (uint64_t)(a[k] != a[k]) << k;
  }
  const M s = N(same)(N(get)(a), N(get)(b)), u = N(unlike)(N(get)(a));
  bad += N(bits)(s) != same;
  bad += N(bits)(u) != unlike;
  bad += N(bits)(N(either)(s, u)) != (same | unlike);
  return bad + (N(is_any)(s) != (same != 0)) + (N(is_any)(u) != (unlike != 0));
}

/* NaN of two vectors at a time, and of those before; where one came by, there is NaN. */
static int N(nans)(const T *a, const T *b, const T *c)
{
  T want[LANES];
  bool some = false;
  M k = N(no_nan)();
  int bad = N(has_nan)(k);
  k = N(note_nan)(k, N(get)(a), N(get)(b));
  k = N(note_nan)(k, N(get)(c), N(get)(c));
  for (int i = 0; i < LANES; i++) {
    const bool nan = (a[i] != a[i]) | (b[i] != b[i]) | (c[i] != c[i]);
    some |= nan;
    want[i] = nan ? (T)NAN : (T)i;
  }
  T count[LANES];
  for (int i = 0; i < LANES; i++)
    count[i] = (T)i;
  return bad + (N(has_nan)(k) != some) + N(wrong)(N(spoil)(N(get)(count), k), want);
}

static int N(real_lanes)(int op, const T *a, const T *b, const T *c)
{
  switch (op) {
  case 0: return N(memory)(a + 1);
  case 1: return N(sizes)(a);
  case 2: return N(larger)(a, b);
  case 3: return N(largest)(a);
  case 4: return N(masks)(a, b);
  default: return N(nans)(a, b, c);
  }
}

/* Numbers of which few differ, both zeros, infinities, the least and the greatest, and NaN among some. */
static int N(lanes_wrong)(int op)
{
  static const double special[] = { 0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 2, -3 };
  T x[3][LANES + 1];
  uint32_t state = 1;
  int bad = 0;
  for (int round = 0; round < 400; round++) {
    const unsigned kinds = round % 3 ? 9 : 6; /* without NaN */
    for (int v = 0; v < 3; v++)
      for (int k = 0; k <= LANES; k++) {
        state = state * 1664525u + 1013904223u;
        x[v][k] = round % 3 == 2 && k % 2 ? (T)((double)(state >> 8) - 0x1p23) : (T)special[(state >> 16) % kinds];
      }
    bad += N(real_lanes)(op, x[0], x[1], x[2]);
  }
  return bad;
}
