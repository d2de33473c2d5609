// SPDX-License-Identifier: BSD-3-Clause
/* Are many indices in range? See indices.h. L0. */
#include "base/indices.h"

/* Are N indices in [0, extent)? The sign bit of i | (extent - 1 - i) is set where i is not. */
static inline __attribute__((always_inline)) bool in_range_by_vectors(int64_t n, const int64_t *list, int64_t extent)
{
  typedef uint64_t four __attribute__((vector_size(32), aligned(8), may_alias));
  const uint64_t last = (uint64_t)extent - 1;
  const four all = { last, last, last, last };
  four a = { 0 }, b = { 0 };
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    const four *i = (const void *)(list + k);
    a |= i[0] | (all - i[0]);
    b |= i[1] | (all - i[1]);
  }
  a |= b;
  uint64_t wrong = a[0] | a[1] | a[2] | a[3];
  for (; k < n; k++)
    wrong |= (uint64_t)list[k] | (last - (uint64_t)list[k]);
  return extent > 0 && !(wrong >> 63);
}

static bool in_range_plain(int64_t n, const int64_t *list, int64_t extent) { return in_range_by_vectors(n, list, extent); }

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static bool in_range_avx2(int64_t n, const int64_t *list, int64_t extent)
{
  return in_range_by_vectors(n, list, extent);
}

bool hed__indices_in_range(int64_t n, const int64_t *list, int64_t extent)
{
  return (__builtin_cpu_supports("avx2") ? in_range_avx2 : in_range_plain)(n, list, extent);
}
#else
bool hed__indices_in_range(int64_t n, const int64_t *list, int64_t extent) { return in_range_plain(n, list, extent); }
#endif

/* Negative indices become those that they mean; false, and nothing is changed, when one is out of range. */
static bool count_from_end(int64_t n, int64_t *list, int64_t extent)
{
  const uint64_t more = (uint64_t)extent, last = more - 1;
  uint64_t wrong = 0;
  for (int64_t k = 0; k < n; k++) {
    const uint64_t i = (uint64_t)list[k], up = i + (more & (uint64_t)(list[k] >> 63));
    wrong |= up | (last - up);
  }
  if (extent <= 0 || wrong >> 63)
    return false;
  for (int64_t k = 0; k < n; k++)
    list[k] += extent & (list[k] >> 63);
  return true;
}

int64_t hed__indices_wrap(int64_t n, int64_t *list, int64_t extent)
{
  if (hed__indices_in_range(n, list, extent) || count_from_end(n, list, extent))
    return -1;
  int64_t k = 0;
  for (int64_t i; k < n && (i = list[k] < 0 ? list[k] + extent : list[k]) >= 0 && i < extent; k++)
    ;
  return k < n ? k : -1;
}
