// SPDX-License-Identifier: BSD-3-Clause
/*
 * Inner products of integers of one width, signed or not, which wrap; dot.c includes this once per width with T (the
 * unsigned type) and S (its suffix) defined. L1.
 *
 * Sums that wrap may be added in any order: the compiler makes vectors of these loops.
 * Every instruction set; rows of contiguous elements.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)

/* Narrow types would be multiplied as int, which may overflow. */
ALWAYS T F(times)(T a, T b) { return (T)(sizeof(T) < 4 ? (T)((unsigned)a * (unsigned)b) : a * b); }

ALWAYS void F(lanes)(const cpu_dot *d, const int64_t n)
{
  const char *a = d->a, *b = d->b;
  char *c = d->c;
  for (int64_t q = 0; q < d->count; q++, a += d->a_step, b += d->b_step, c += d->c_step) {
    const T *x = (const T *)(const void *)a, *y = (const T *)(const void *)b;
    T sum = 0;
    for (int64_t i = 0; i < n; i++)
      sum = (T)(sum + F(times)(x[i], y[i]));
    *(T *)(void *)c = sum;
  }
}

static void F(rows)(const cpu_dot *d)
{
  switch (d->n) {
  case 2: F(lanes)(d, 2); break;
  case 3: F(lanes)(d, 3); break;
  case 4: F(lanes)(d, 4); break;
  default: F(lanes)(d, d->n);
  }
}

static void F(columns)(const cpu_dot *d, void *sum_)
{
  T *restrict sum = sum_;
  for (int64_t r = 0; r < d->n; r++) {
    const T *a = (const T *)(const void *)(d->a + r * d->a_step), *b = (const T *)(const void *)(d->b + r * d->b_step);
    for (int64_t i = 0; i < d->count; i++)
      sum[i] = (T)(sum[i] + F(times)(a[i], b[i]));
  }
}

static void F(ends)(const cpu_dot *d, const void *sum)
{
  const T *s = sum;
  for (int64_t i = 0; i < d->count; i++)
    *(T *)(void *)(d->c + i * d->c_step) = s[i];
}

#undef NAME_
#undef NAME__
#undef F
#undef T
#undef S
