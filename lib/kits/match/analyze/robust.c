// SPDX-License-Identifier: BSD-3-Clause
/* Medians by counting, which need no copy of a volume.
 *
 * Layer: L4, match kit. Bits of a float32 order like its value once negative ones are turned round: the upper 16 bits are
 * counted first, then the lower 16 of the values that share the median's upper ones.
 */
#include "kits/match/analyze/robust.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits_of(float value)
{
  uint32_t u;
  memcpy(&u, &value, sizeof u);
  return u;
}

static float value_of(uint32_t u)
{
  float value;
  memcpy(&value, &u, sizeof value);
  return value;
}

void hed__spread_add(hed__spread *s, float value)
{
  if (value > 0)
    s->count[bits_of(value) >> 15]++;
}

double hed__spread_median(const hed__spread *s, double least)
{
  size_t top = 65536, first;
  uint64_t total = 0, seen = 0;
  while (top > 0 && !s->count[top - 1])
    top--;
  if (top == 0)
    return 0;
  first = bits_of((float)(least * (double)value_of((uint32_t)(top - 1) << 15))) >> 15;
  for (size_t i = first; i < top; i++)
    total += s->count[i];
  for (size_t i = first; i < top; i++)
    if ((seen += s->count[i]) * 2 >= total)
      return (double)value_of((uint32_t)i << 15);
  return 0;
}

uint64_t hed__spread_below(const hed__spread *s, double limit)
{
  uint64_t n = 0;
  for (size_t i = 0; i < bits_of((float)limit) >> 15; i++)
    n += s->count[i];
  return n;
}

/* What is ordered: a value, or its distance from a centre. */
typedef struct measure { bool distance; double centre; } measure;

static bool key_of(const measure *m, float value, uint32_t *key)
{
  const float x = m->distance ? (float)fabs((double)value - m->centre) : value;
  const uint32_t u = bits_of(x);
  *key = u & 0x80000000U ? ~u : u | 0x80000000U;
  return !m->distance || x > 0;
}

/* The bin that holds element RANK, which becomes its rank in there. */
static uint32_t bin_of(const uint64_t *count, uint64_t *rank)
{
  uint32_t bin = 0;
  while (bin < 65535 && *rank >= count[bin])
    *rank -= count[bin++];
  return bin;
}

static hed_status median(const measure *m, const float *v, size_t n, double *out)
{
  uint64_t *count = calloc(65536, sizeof *count), total = 0;
  uint32_t key, high, low;
  *out = 0;
  if (!count)
    return hed_fail(HED_E_NOMEM, "match: no memory for a median");
  for (size_t i = 0; i < n; i++)
    if (key_of(m, v[i], &key)) {
      count[key >> 16]++;
      total++;
    }
  if (total > 0) {
    uint64_t rank = (total - 1) / 2;
    high = bin_of(count, &rank);
    memset(count, 0, 65536 * sizeof *count);
    for (size_t i = 0; i < n; i++)
      if (key_of(m, v[i], &key) && key >> 16 == high)
        count[key & 0xffff]++;
    low = bin_of(count, &rank);
    key = high << 16 | low;
    *out = (double)value_of(key & 0x80000000U ? key & 0x7fffffffU : ~key);
  }
  free(count);
  return HED_OK;
}

hed_status hed__median(const float *v, size_t n, double *out)
{
  return median(&(measure){ false, 0 }, v, n, out);
}

hed_status hed__median_distance(const float *v, size_t n, double centre, double *out)
{
  return median(&(measure){ true, centre }, v, n, out);
}

static int ascending(const void *a, const void *b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

double hed__median_sorted(double *v, size_t n)
{
  qsort(v, n, sizeof *v, ascending);
  return n ? v[(n - 1) / 2] : 0;
}
