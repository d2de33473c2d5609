// SPDX-License-Identifier: BSD-3-Clause
/* The loops of softmax.h for a type; a body of it. */
/* MATH_BLOCK elements at most; E may be X. That all are near shows while they are computed as if they were. */
INLINE void N(exps_less)(int64_t n, T *e, const T *x, const T *m, const int64_t each)
{
  T less[MATH_BLOCK];
  int far = 0;
  IVDEP for (int64_t i = 0; i < n; i++) {
    const T d = x[i] - m[each ? i : 0];
    far |= !(SIZE_OF(d) <= PICK(86.0f, 700.0));
    less[i] = d;
    e[i] = OF(exp_near)(d);
  }
  if (far)
    IVDEP for (int64_t i = 0; i < n; i++)
      e[i] = OF(exp)(less[i]);
}

/* What is 1 among the elements at E is counted in FOUND, by -1; the others are added to A. */
INLINE void N(add_others)(const T *e, soft_sum *a, N(soft_is) *found)
{
  N(soft) v;
  memcpy(&v, e, sizeof v);
  const N(soft_is) one = v == 1;
  *found += one;
  *a += N(soft_wide)((N(soft))((N(soft_is))v & ~one));
}

static void N(exps)(int64_t n, void *e_, const void *x_, const void *m, double *sum)
{
  T *e = e_;
  const T *x = x_;
  soft_sum a[4] = { { 0 } };
  double some = 0, ones = 0;
  for (; n > 0; n -= MATH_BLOCK, e += MATH_BLOCK, x += MATH_BLOCK) {
    const int64_t block = n < MATH_BLOCK ? n : MATH_BLOCK;
    int64_t i = 0;
    N(soft_is) found[2] = { { 0 } };
    N(exps_less)(block, e, x, m, 0);
    for (; i + 4 * SOFT_LANES <= block; i += 4 * SOFT_LANES)
      UNROLL for (int k = 0; k < 4; k++)
        N(add_others)(e + i + k * SOFT_LANES, &a[k], &found[k % 2]);
    for (; i + SOFT_LANES <= block; i += SOFT_LANES)
      N(add_others)(e + i, &a[0], &found[0]);
    for (; i < block; i++) {
      some += e[i] == 1 ? 0 : (double)e[i];
      ones += e[i] == 1 ? 1 : 0;
    }
    found[0] += found[1];
    for (int k = 0; k < SOFT_LANES; k++)
      ones -= (double)found[0][k];
  }
  a[0] = (a[0] + a[1]) + (a[2] + a[3]);
  for (int k = 0; k < SOFT_LANES; k++)
    some += a[0][k];
  sum[0] += some;
  sum[1] += ones;
}

static void N(exps_each)(int64_t n, void *e_, const void *x, const void *m, double *restrict sum, double *restrict ones)
{
  const T *e = e_;
  N(exps_less)(n, e_, x, m, 1);
  IVDEP for (int64_t i = 0; i < n; i++) {
    sum[i] += (double)(e[i] == 1 ? 0 : e[i]);
    ones[i] += e[i] == 1 ? 1 : 0;
  }
}

static void N(times)(int64_t n, void *out_, const void *x_, const void *by)
{
  T *out = out_, b = *(const T *)by;
  const T *x = x_;
  IVDEP for (int64_t i = 0; i < n; i++)
    out[i] = x[i] * b;
}

static void N(times_each)(int64_t n, void *out_, const void *x_, const void *by)
{
  T *out = out_;
  const T *x = x_, *b = by;
  IVDEP for (int64_t i = 0; i < n; i++)
    out[i] = x[i] * b[i];
}

static void N(less)(int64_t n, void *out_, const void *x_, const void *m_, const void *log)
{
  T *out = out_, m = *(const T *)m_, l = *(const T *)log;
  const T *x = x_;
  IVDEP for (int64_t i = 0; i < n; i++)
    out[i] = (x[i] - m) - l;
}

static void N(less_each)(int64_t n, void *out_, const void *x_, const void *m_, const void *log)
{
  T *out = out_;
  const T *x = x_, *m = m_, *l = log;
  IVDEP for (int64_t i = 0; i < n; i++)
    out[i] = (x[i] - m[i]) - l[i];
}
