// SPDX-License-Identifier: BSD-3-Clause
/* What quicksort_256.h and quicksort_512.h have by vectors, in plain C; a body, included by sort.c for words of 32 and 64 bits where
 * there are no such vectors. */
static void N(sort)(int64_t n, T *list, T *spare)
{
  const T *sorted = N(cpu_sort)(n, list, spare);
  if (sorted != list)
    memcpy(list, sorted, (size_t)n * sizeof *list);
}

static int64_t N(divide)(const T *from, T *to, int64_t n, T pivot)
{
  int64_t low = 0, high = n - 1;
  for (int64_t i = 0; i < n; i++) { /* to both ends, of which one counts */
    const T x = from[i];
    const bool small = x <= pivot;
    to[low] = to[high] = x;
    low += small;
    high -= !small;
  }
  return low;
}

static T N(pivot)(const T *x, int64_t n)
{
  const T a = x[n / 6], b = x[n / 2], c = x[n - n / 6 - 1];
  return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

static int64_t N(below)(int64_t n, const T *key, T limit, int64_t first, uint64_t *indices)
{
  int64_t found = 0;
  for (int64_t begin = 0; begin < n; begin += 64) {
    const int64_t end = n - begin < 64 ? n : begin + 64;
    T some = 0;
    for (int64_t i = begin; i < end; i++)
      some |= (T)(key[i] < limit);
    if (!some)
      continue;
    for (int64_t i = begin; i < end; i++) {
      indices[found] = (uint64_t)(first + i);
      found += key[i] < limit;
    }
  }
  return found;
}
