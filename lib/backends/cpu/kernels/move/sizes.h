// SPDX-License-Identifier: BSD-3-Clause
/*
 * What moves elements of BYTES bytes and asks nothing else of them; a body, included by copy.c for each size.
 * Every instruction set.
 */

/* Plain loops: stores in groups are what compilers make vectors of. */
static void N(interleave)(int64_t n, int32_t k, char *to, const char *const *from)
{
  T *restrict o = (T *)(void *)to;
  const T *a = (const T *)(const void *)from[0], *b = (const T *)(const void *)from[1];
  const T *c = (const T *)(const void *)from[k > 2 ? 2 : 0], *d = (const T *)(const void *)from[k - 1];
  if (k == 2)
    for (int64_t i = 0; i < n; i++) {
      o[2 * i] = a[i];
      o[2 * i + 1] = b[i];
    }
  else if (k == 3)
    for (int64_t i = 0; i < n; i++) {
      o[3 * i] = a[i];
      o[3 * i + 1] = b[i];
      o[3 * i + 2] = c[i];
    }
  else
    for (int64_t i = 0; i < n; i++) {
      o[4 * i] = a[i];
      o[4 * i + 1] = b[i];
      o[4 * i + 2] = c[i];
      o[4 * i + 3] = d[i];
    }
}

static void N(every_other)(int64_t n, char *to, const char *from)
{
  T *restrict o = (T *)(void *)to;
  const T *x = (const T *)(const void *)from;
  for (int64_t i = 0; i < n; i++)
    o[i] = x[2 * i];
}

/* Elements that take turns, dealt to K rows of their own. */
static ALWAYS void N(deal)(int64_t n, const int k, char *to, int64_t to_step, const T *x)
{
  T *row[CPU_DEINTERLEAVE_MOST];
  for (int j = 0; j < k; j++)
    row[j] = (T *)(void *)(to + j * to_step);
  IVDEP for (int64_t i = 0; i < n; i++)
    UNROLL for (int j = 0; j < k; j++)
      row[j][i] = x[i * k + j];
}

/* With a constant number of rows the compiler makes shuffles of 2, 3, 4, 8 and 16 of them; other numbers go one element at a
 * time. */
static void N(deinterleave)(int64_t n, int32_t k, char *to, int64_t to_step, const char *from)
{
  const T *x = (const T *)(const void *)from;
  switch (k) {
  case 2: N(deal)(n, 2, to, to_step, x); break;
  case 3: N(deal)(n, 3, to, to_step, x); break;
  case 4: N(deal)(n, 4, to, to_step, x); break;
  case 5: N(deal)(n, 5, to, to_step, x); break;
  case 6: N(deal)(n, 6, to, to_step, x); break;
  case 7: N(deal)(n, 7, to, to_step, x); break;
  case 8: N(deal)(n, 8, to, to_step, x); break;
  case 16: N(deal)(n, 16, to, to_step, x); break;
  default:
    for (int32_t j = 0; j < k; j++) {
      T *row = (T *)(void *)(to + j * to_step);
      IVDEP for (int64_t i = 0; i < n; i++)
        row[i] = x[i * k + j];
    }
  }
}

/* What a mask chooses, one behind the other: a list by list, or where registers put them together (compress.h), COMPRESS_EACH at a
 * time, as whole vectors: where these would reach behind END or be read from behind the operand, beside it. */
#if BYTES < 4 || !defined __AVX2__
static int64_t N(compress)(int64_t n, const uint8_t *flags, const char *from, char *to, const char *end)
{
  int64_t found = 0;
  (void)end;
  for (int64_t begin = 0; begin < n; begin += 64) {
    const int64_t m = least(64, n - begin);
    const T *x = (const T *)(const void *)from + begin;
    T list[65];
    int64_t k = 0;
    for (int64_t i = 0; i < m; i++) {
      list[k] = x[i];
      k += flags[begin + i] != 0;
    }
    memcpy(to + found * (int64_t)sizeof(T), list, (size_t)k * sizeof(T));
    found += k;
  }
  return found;
}
#else
static int64_t N(compress)(int64_t n, const uint8_t *flags, const char *from, char *to, const char *end)
{
  enum { EACH = COMPRESS_EACH(BYTES), ALL = EACH * BYTES };
  const char *const start = to;
  for (; n > 0; n -= EACH, flags += EACH, from += ALL) {
    if (n >= EACH && end - to >= ALL) {
      for (int k = 0; k < ALL; k += LINE)
        __builtin_prefetch(from + COMPRESS_EARLY + k);
      to = choose(BYTES, to, from, flags);
      continue;
    }
    const size_t m = (size_t)least(n, EACH);
    uint8_t there[EACH] = { 0 };
    char part[ALL] = { 0 }, out[ALL];
    memcpy(there, flags, m);
    memcpy(part, from, m * BYTES);
    const size_t bytes = (size_t)(choose(BYTES, out, part, there) - out);
    memcpy(to, out, bytes);
    to += bytes;
  }
  return (to - start) / BYTES;
}
#endif

/* In reverse order, by vectors that fit and one that ends with the last element. */
static void N(reverse)(int64_t n, char *to, const char *from)
{
  int64_t i = 0;
#ifdef REVERSE_V
  enum { EACH = sizeof(REVERSE_V) / BYTES };
  from -= (int64_t)sizeof(REVERSE_V) - BYTES;
  if (n >= EACH) {
    for (; i + EACH <= n; i += EACH) {
      const REVERSE_V v = REVERSE_LOAD(from - i * BYTES);
      REVERSE_STORE(to + i * BYTES, N(REVERSE)(v));
    }
    const REVERSE_V v = REVERSE_LOAD(from - (n - EACH) * BYTES);
    REVERSE_STORE(to + (n - EACH) * BYTES, N(REVERSE)(v));
    return;
  }
  from += (int64_t)sizeof(REVERSE_V) - BYTES;
#endif
  for (; i < n; i++)
    memcpy(to + i * BYTES, from - i * BYTES, BYTES);
}

/* By non-temporal stores, from the last element of the result to the first: what is read then lies forwards, as memory gives it
 * sooner. Lines that are not whole, and elements that lie across the ends of lines, are stored as ever. */
static void N(reverse_stream)(int64_t n, char *to, const char *from)
{
#ifdef REVERSE_V
  enum { WIDTH = sizeof(REVERSE_V), EARLY_READ = 4096 };
  const int64_t end = n - (int64_t)((uintptr_t)(to + n * BYTES) % LINE) / BYTES;
  if ((uintptr_t)to % BYTES == 0 && end >= LINE / BYTES) {
    N(reverse)(n - end, to + end * BYTES, from - end * BYTES);
    for (n = end; n >= LINE / BYTES; n -= LINE / BYTES) {
      const char *p = from - (n - 1) * BYTES;
      __builtin_prefetch(p + EARLY_READ);
      UNROLL for (int k = WIDTH; k <= LINE; k += WIDTH, p += WIDTH) {
        const REVERSE_V v = REVERSE_LOAD(p);
        REVERSE_NT_STORE(to + n * BYTES - k, N(REVERSE)(v));
      }
    }
  }
#endif
  N(reverse)(n, to, from);
}

#if BYTES <= 8
/* Elements FROM STEP bytes apart, each TIMES over by whole vectors: the last may end behind what is wanted. */
static void N(repeat_widely)(int64_t n, int64_t times, char *to, const char *from, int64_t step)
{
  typedef T elements __attribute__((vector_size(CPU_VECTOR), aligned(1), may_alias));
  const int64_t bytes = times * BYTES;
  for (int64_t i = 0; i < n; i++, from += step, to += bytes) {
    T x;
    memcpy(&x, from, sizeof x);
    const elements all = x - (elements){ 0 };
    for (int64_t b = 0; b < bytes; b += CPU_VECTOR)
      *(elements *)(void *)(to + b) = all;
  }
}

/* Integers of this size, unsigned whatever T is promoted to. */
static void N(count)(int32_t n, void *to, uint64_t start, uint64_t step)
{
  T *o = to;
  for (int32_t i = 0; i < n; i++)
    o[i] = (T)((T)start + 1u * (T)i * (T)step);
}
#endif
