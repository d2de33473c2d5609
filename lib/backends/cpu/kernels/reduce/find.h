// SPDX-License-Identifier: BSD-3-Clause
/*
 * Where a real is: the first of contiguous ones that equals a given one (a NaN equals any other), -1 when there is none; and
 * the first extreme by it. A body of reduce.c, after extreme.h.
 *
 * Four vectors are compared at a time, and which element it was is read off the bits of these four, as every loop that ends
 * somewhere else each time costs the processor a wrong guess.
 * Every instruction set; contiguous slices, for argmax and argmin.
 */
INLINE M N(hits)(const T *v, V all, const bool nan) { return nan ? N(unlike)(N(get)(v)) : N(same)(N(get)(v), all); }

/* At least a vector of elements; NAN and AHEAD are constants. */
INLINE int64_t N(seek)(int64_t n, const T *v, V all, const bool nan, const bool ahead)
{
  HED__ASSERT(n >= LANES);
  int64_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    const T *const p = v + i;
    if (ahead)
      prefetch_ahead(p + n, 4 * CPU_VECTOR); /* of a lane that comes next, maybe */
    const M a = N(hits)(p, all, nan), b = N(hits)(p + LANES, all, nan);
    const M c = N(hits)(p + 2 * LANES, all, nan), d = N(hits)(p + 3 * LANES, all, nan);
    if (N(is_any)(N(either)(N(either)(a, b), N(either)(c, d))))
      return i + __builtin_ctzll(N(bits)(a) | N(bits)(b) << LANES | N(bits)(c) << 2 * LANES | N(bits)(d) << 3 * LANES);
  }
  for (; i < n; i += LANES) { /* the last vector may overlap */
    const int64_t at = i + LANES <= n ? i : n - LANES;
    const M here = N(hits)(v + at, all, nan);
    if (N(is_any)(here))
      return at + __builtin_ctzll(N(bits)(here));
  }
  return -1;
}

static int64_t N(find)(int64_t n, const void *x, const void *m)
{
  const T *v = x, want = *(const T *)m;
  if (n < LANES) {
    for (int64_t i = 0; i < n; i++)
      if ((v[i] == want) | ((v[i] != v[i]) & (want != want)))
        return i;
    return -1;
  }
  const V all = N(each)(want);
  return want != want ? N(seek)(n, v, all, true, false)
         : n * (int64_t)sizeof(T) > FIND_FAR ? N(seek)(n, v, all, false, true)
                                             : N(seek)(n, v, all, false, false);
}

/* An extreme is searched in the page alone that had it: it is looked for page by page. */
INLINE int64_t N(first)(int64_t n, const T *v, void page(int64_t n, const void *x, void *m), const bool most)
{
  HED__ASSERT(n >= 1);
  enum { SOME = 4096 / sizeof(T) };
  int64_t at = 0;
  T best = v[0];
  page(n < SOME ? n : SOME, v, &best);
  for (int64_t i = SOME; i < n && best == best; i += SOME) {
    T next = v[i];
    page(n - i < SOME ? n - i : SOME, v + i, &next);
    if (!N(stays)(most, best, next)) { /* the first of equals stays, a NaN does not */
      best = next;
      at = i;
    }
  }
  return at + N(find)(n - at < SOME ? n - at : SOME, v + at, &best);
}

static int64_t N(argmax)(int64_t n, const void *x) { return N(first)(n, x, N(max), true); }
static int64_t N(argmin)(int64_t n, const void *x) { return N(first)(n, x, N(min), false); }
