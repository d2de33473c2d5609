// SPDX-License-Identifier: BSD-3-Clause
/* Deterministic input for tests: see gen.h.
 *
 * A guarded buffer is one anonymous mapping: guard page, header page (sizes, not accessible to
 * the kernel under test by accident), data pages, guard page.
 */
#include "gen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t rotl(uint64_t x, int k)
{
  return (x << k) | (x >> (64 - k));
}

void gen_seed(gen *g, uint64_t seed)
{
  for (int i = 0; i < 4; i++) {
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    g->s[i] = z ^ (z >> 31);
  }
}

uint64_t gen_u64(gen *g)
{
  uint64_t *s = g->s;
  uint64_t result = rotl(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotl(s[3], 45);
  return result;
}

uint64_t gen_below(gen *g, uint64_t n)
{
  uint64_t reject = -n % n;   /* 2^64 mod n: values below it would make small results likelier */
  uint64_t x;
  do
    x = gen_u64(g);
  while (x < reject);
  return x % n;
}

int64_t gen_int(gen *g, int64_t low, int64_t high)
{
  uint64_t span = (uint64_t)high - (uint64_t)low + 1;
  uint64_t x = span == 0 ? gen_u64(g) : gen_below(g, span);
  return (int64_t)((uint64_t)low + x);
}

bool gen_chance(gen *g, unsigned percent)
{
  return gen_below(g, 100) < percent;
}

double gen_unit(gen *g)
{
  return (double)(gen_u64(g) >> 11) * 0x1p-53;
}

double gen_double(gen *g, double low, double high)
{
  return low + (high - low) * gen_unit(g);
}

double gen_normal(gen *g)
{
  double u = 1.0 - gen_unit(g);
  double v = gen_unit(g);
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void gen_bytes(gen *g, void *out, size_t n)
{
  unsigned char *p = out;
  while (n > 0) {
    uint64_t x = gen_u64(g);
    size_t k = n < sizeof x ? n : sizeof x;
    memcpy(p, &x, k);
    p += k;
    n -= k;
  }
}

void gen_permutation(gen *g, int n, int *out)
{
  for (int i = 0; i < n; i++) {
    int j = (int)gen_below(g, (uint64_t)i + 1);
    out[i] = out[j];
    out[j] = i;
  }
}

int gen_shape(gen *g, int max_ndim, int64_t max_dim, int64_t max_count, bool zeros, int64_t *dim)
{
  int ndim = (int)gen_int(g, 0, max_ndim);
  int64_t count = 1;
  for (int i = 0; i < ndim; i++) {
    int64_t room = max_count / count;
    int64_t most = max_dim < room ? max_dim : room;
    dim[i] = gen_chance(g, 20) || most < 1 ? 1 : gen_int(g, 1, most);
    count *= dim[i];
  }
  if (zeros && ndim > 0 && gen_chance(g, 10))
    dim[gen_below(g, (uint64_t)ndim)] = 0;
  return ndim;
}

/* Lays the axes out from the last of `order` to its first. */
static void lay_out(gen *g, int ndim, const int64_t *dim, const int *order, size_t itemsize,
                    bool pad, bool flip, gen_layout *out)
{
  int64_t step = (int64_t)itemsize, low = 0, high = 0;
  for (int i = ndim - 1; i >= 0; i--) {
    int a = order[i];
    if (pad && gen_chance(g, 30))
      step += (int64_t)itemsize * gen_int(g, 1, 3);
    bool negative = flip && gen_chance(g, 30);
    out->stride[a] = negative ? -step : step;
    if (dim[a] > 0) {
      int64_t reach = step * (dim[a] - 1);
      *(negative ? &low : &high) += reach;
      step *= dim[a];
    }
  }
  out->offset = low;
  out->bytes = (size_t)(low + high) + itemsize;
  for (int i = 0; i < ndim; i++)
    if (dim[i] == 0) {
      out->bytes = 0;
      out->offset = 0;
    }
}

void gen_layout_c(int ndim, const int64_t *dim, size_t itemsize, gen_layout *out)
{
  int order[GEN_MAX_NDIM];
  for (int i = 0; i < ndim; i++)
    order[i] = i;
  lay_out(NULL, ndim, dim, order, itemsize, false, false, out);
}

void gen_layout_any(gen *g, int ndim, const int64_t *dim, size_t itemsize, bool pad, bool flip,
                    gen_layout *out)
{
  int order[GEN_MAX_NDIM];
  gen_permutation(g, ndim, order);
  lay_out(g, ndim, dim, order, itemsize, pad, flip, out);
}

int64_t gen_layout_at(const gen_layout *l, int ndim, const int64_t *dim, int64_t k)
{
  int64_t at = l->offset;
  for (int i = ndim - 1; i >= 0; i--) {
    at += l->stride[i] * (k % dim[i]);
    k /= dim[i];
  }
  return at;
}

enum { PATTERN = 0xa5 };

struct guard_header { unsigned char *map; size_t map_bytes, page, n; };

void *guard_alloc(size_t n, size_t align)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t data = (n + align + page - 1) / page * page;
  size_t total = data + 3 * page;
  unsigned char *map = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED || n > total) {
    fprintf(stderr, "Bail out! guard_alloc(%zu) failed\n", n);
    printf("Bail out! guard_alloc(%zu) failed\n", n);
    exit(255);
  }
  struct guard_header h = { map, total, page, n };
  memcpy(map + page, &h, sizeof h);
  memset(map + 2 * page, PATTERN, data);
  unsigned char *end = map + total - page;
  unsigned char *p = end - n;
  p -= (uintptr_t)p & (align - 1);
  mprotect(map, page, PROT_NONE);
  mprotect(end, page, PROT_NONE);
  mprotect(map + page, page, PROT_READ);
  return p;
}

bool guard_free(void *p)
{
  if (p == NULL)
    return true;
  /* The buffer starts less than align + one page above the first data page, and what lies between
   * is pattern: the first page below that looks like a header is the header. */
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *at = (unsigned char *)((uintptr_t)p & ~(uintptr_t)(page - 1));
  struct guard_header h;
  for (at -= page;; at -= page) {
    memcpy(&h, at, sizeof h);
    if (h.map == at - page && h.page == page)
      break;
  }
  bool clean = true;
  unsigned char *q = p;
  unsigned char *first = h.map + 2 * page, *end = h.map + h.map_bytes - page;
  for (unsigned char *s = first; s < q; s++)
    clean = clean && *s == PATTERN;
  for (unsigned char *s = q + h.n; s < end; s++)
    clean = clean && *s == PATTERN;
  munmap(h.map, h.map_bytes);
  return clean;
}
