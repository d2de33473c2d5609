// SPDX-License-Identifier: BSD-3-Clause
/* Loops over one lane of every instruction set that this processor has, against plain ones: truth, products, sorting, search.
 * Lanes end at guard pages.
 */
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/sort/sort.h"
#include "base/dtype.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gen g;

typedef struct level { const char *name; const cpu_kernels *k; const cpu_sort_kernels *sort; } level;

/* Lengths round vectors and blocks, and some long ones. */
static int64_t length(void)
{
  return gen_chance(&g, 10) ? gen_int(&g, 1, 40000) : gen_chance(&g, 50) ? gen_int(&g, 1, 70) : gen_int(&g, 1, 2200);
}

/* ---- truth ---- */

static bool is_true(int type, const char *x)
{
  switch (type) {
  case HED_ID_FLOAT16: case HED_ID_BFLOAT16: { uint16_t v; memcpy(&v, x, 2); return v & 0x7fff; }
  case HED_ID_FLOAT32: { float v; memcpy(&v, x, 4); return v != 0; }
  case HED_ID_FLOAT64: { double v; memcpy(&v, x, 8); return v != 0; }
  case HED_ID_COMPLEX64: { float v[2]; memcpy(v, x, 8); return v[0] != 0 || v[1] != 0; }
  case HED_ID_COMPLEX128: { double v[2]; memcpy(v, x, 16); return v[0] != 0 || v[1] != 0; }
  default:
    for (int k = 0; k < hed__id_size(type); k++)
      if (x[k])
        return true;
    return false;
  }
}

/* False (zeros of either sign) or true (one bit, a NaN, anything). */
static void put_truth(int type, char *x, bool value)
{
  const int size = hed__id_size(type), part = hed__id_kind(type) == HED_KIND_COMPLEX ? size / 2 : size;
  const bool real = hed__id_kind(type) >= HED_KIND_FLOAT;
  do {
    memset(x, 0, (size_t)size);
    for (int k = part - 1; real && k < size; k += part)
      if (gen_chance(&g, 50))
        x[k] = (char)0x80;
    if (value && type == HED_ID_BOOL)
      x[0] = 1;
    else if (value && gen_chance(&g, 50))
      x[gen_below(&g, (uint64_t)size)] = (char)(1 << gen_below(&g, 7));
    else if (value)
      gen_bytes(&g, x, (size_t)size);
  } while (is_true(type, x) != value);
}

static void truth(const level *l)
{
  for (int type = 0; type < HED_ID_CONCRETE_COUNT_; type++) {
    const int size = hed__id_size(type), align = hed__id_kind(type) == HED_KIND_COMPLEX ? size / 2 : size;
    int wrong = 0;
    for (int trial = 0; trial < scaled(150); trial++) {
      const int64_t n = length();
      char *x = guard_alloc((size_t)(n * size), (size_t)align);
      /* all false but for some, all true but for some, or a mixture */
      const int usual = (int)gen_below(&g, 3);
      int64_t count = 0;
      for (int64_t i = 0; i < n; i++)
        put_truth(type, x + i * size, usual == 2 ? gen_chance(&g, 50) : usual);
      for (int odd = gen_chance(&g, 30) ? 0 : 1; odd > 0; odd--)
        put_truth(type, x + (gen_chance(&g, 30) ? n - 1 : (int64_t)gen_below(&g, (uint64_t)n)) * size, !usual);
      for (int64_t i = 0; i < n; i++)
        count += is_true(type, x + i * size);
      const cpu_bool_loops *t = &l->k->boolean[type];
      wrong += t->any(n, x) != (count > 0);
      wrong += t->all(n, x) != (count == n);
      wrong += t->count(n, x) != count;
      guard_free(x);
    }
    is_int(wrong, 0, "%s: truth of %s", l->name, hed__dtypes[type]->name);
  }
}

/* More than a counter of 16 bits, or of 8, can hold. */
static void long_count(const level *l)
{
  const int64_t n = 9000000;
  const int types[] = { HED_ID_UINT8, HED_ID_UINT16, HED_ID_FLOAT16 };
  char *x = malloc((size_t)n * 2);
  memset(x, 1, (size_t)n * 2);
  for (int k = 0; k < 3; k++)
    is_int(l->k->boolean[types[k]].count(n, x), n, "%s: %lld of %s are not 0", l->name, (long long)n, hed__dtypes[types[k]]->name);
  free(x);
}

/* ---- products ---- */

/* A factor times 2^POWER into X, float64 or float32, and into what all of them should make; or one of the odd ones. */
static void put_factor(char *x, bool wide, bool odd, double spread, int power, hed__product *want)
{
  static const double odds[] = { 0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 0x1p-149, 0x1p-1074 };
  const double v = odd ? odds[gen_below(&g, 7)] : (gen_chance(&g, 50) ? 1 : -1) * ldexp(exp(gen_double(&g, -spread, spread)), power);
  const float f = (float)v;
  int e = 0, more = 0;
  memcpy(x, wide ? (const void *)&v : (const void *)&f, wide ? 8 : 4);
  want->part[0] *= frexp(wide ? v : (double)f, &e);
  want->part[0] = frexp(want->part[0], &more);
  want->exponent += e + more;
}

/* The same but for the roundings of N multiplications; of products far outside of the range too. */
static bool same_product(hed__product got, hed__product want, int64_t n)
{
  double a[2], b[2];
  got.exponent -= want.exponent;
  want.exponent = 0;
  if (want.part[0] == 0 || !isfinite(want.part[0]))
    got.exponent = 0;
  hed__product_value(&got, a);
  hed__product_value(&want, b);
  if (isfinite(a[0]) && isfinite(b[0]))
    return !signbit(a[0]) == !signbit(b[0]) && fabs(a[0] - b[0]) <= 4e-16 * (double)n * fabs(b[0]);
  return a[0] == b[0] || (a[0] != a[0] && b[0] != b[0]);
}

static void products(const level *l)
{
  for (int wide = 0; wide < 2; wide++) {
    int wrong = 0;
    for (int trial = 0; trial < scaled(300); trial++) {
      const int64_t n = gen_chance(&g, 2) ? gen_int(&g, 40000, 900000) : length();
      const size_t size = wide ? 8 : 4;
      const double spread = gen_chance(&g, 50) ? 1 : wide ? 300 : 40;
      char *x = guard_alloc((size_t)n * size, size);
      hed__product want = hed__product_one, got = hed__product_one;
      const int odds = gen_chance(&g, 30) ? (int)gen_int(&g, 1, 3) : 0;
      for (int64_t i = 0; i < n; i++)
        put_factor(x + (size_t)i * size, wide, odds && gen_below(&g, (uint64_t)n) < (uint64_t)odds, spread, 0, &want);
      l->k->reduce[wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32].prod(n, x, &got);
      wrong += !same_product(got, want, n);
      guard_free(x);
    }
    is_int(wrong, 0, "%s: products of %d bits", l->name, wide ? 64 : 32);
  }
  for (int type = 0; type < HED_ID_CONCRETE_COUNT_; type++) {
    int wrong = 0;
    if (!l->k->reduce[type].prod_int)
      continue;
    for (int trial = 0; trial < scaled(100); trial++) {
      const int64_t n = length();
      const size_t size = (size_t)hed__id_size(type);
      char *x = guard_alloc((size_t)n * size, size);
      uint64_t want = 3, got = 3;
      for (int64_t i = 0; i < n; i++) {
        uint64_t v = type == HED_ID_BOOL ? gen_chance(&g, 99) : gen_u64(&g) | 1;
        const int spare = 64 - 8 * (int)size;
        memcpy(x + (size_t)i * size, &v, size); /* the low bytes come first */
        v = hed__id_kind(type) == HED_KIND_INT ? (uint64_t)((int64_t)(v << spare) >> spare) : v << spare >> spare;
        want *= v;
      }
      l->k->reduce[type].prod_int(n, x, &got);
      wrong += got != want;
      guard_free(x);
    }
    is_int(wrong, 0, "%s: products of %s", l->name, hed__dtypes[type]->name);
  }
}

/* Columns of rows with gaps between them, also backwards, in two parts: the second goes on from what the first has made. Rows
 * many and few, near each other and a multiple of 1024 bytes apart. In half of the trials a few factors take each column's product
 * towards an end of the range, or beyond, and as many back. */
static void column_products(const level *l)
{
  enum { MOST = 150 };
  for (int wide = 0; wide < 2; wide++) {
    int wrong = 0;
    for (int trial = 0; trial < scaled(300); trial++) {
      const size_t size = wide ? 8 : 4;
      const int64_t n = gen_int(&g, 1, gen_chance(&g, 50) ? 20 : MOST), rows = gen_int(&g, 1, gen_chance(&g, 80) ? 70 : 900);
      const int64_t gap = gen_chance(&g, 30) ? 1024 - n * (int64_t)size % 1024 : (int64_t)size * gen_int(&g, 0, 3);
      const int64_t row = n * (int64_t)size + gap, step = gen_chance(&g, 80) ? row : -row;
      const bool dips = gen_chance(&g, 50);
      const double spread = dips ? 0.1 : gen_chance(&g, 50) ? 1 : wide ? 300 : 40;
      const int64_t first = gen_int(&g, 0, rows);
      int64_t begin[MOST], run[MOST];
      int power[MOST];
      char *x = guard_alloc((size_t)(rows * row - gap), size), *from = step < 0 ? x + (rows - 1) * row : x;
      hed__product want[MOST];
      double m[MOST + 1], e[MOST + 1], m2[MOST], e2[MOST];
      const int odds = gen_chance(&g, 30) ? (int)gen_int(&g, 1, 3) : 0;
      for (int64_t j = 0; j < n; j++) {
        want[j] = hed__product_one;
        m[j] = 1;
        e[j] = 0;
        begin[j] = gen_int(&g, 0, rows - 1);
        run[j] = gen_int(&g, 0, rows - begin[j] < 32 ? (rows - begin[j]) / 2 : 16);
        power[j] = dips ? (gen_chance(&g, 70) ? -1 : 1) * (int)gen_int(&g, 40, wide ? 1000 : 120) : 0;
      }
      m[n] = e[n] = 77;
      for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
          const int64_t at = i - begin[j];
          put_factor(from + i * step + j * (int64_t)size, wide, odds && gen_below(&g, (uint64_t)(rows * n)) < (uint64_t)odds,
                     spread, at < 0 || at >= 2 * run[j] ? 0 : at < run[j] ? power[j] : -power[j], &want[j]);
        }
      l->k->reduce[wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32].col_prod(first, n, from, step, m, e);
      l->k->reduce[wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32].col_prod(rows - first, n, from + first * step, step, m, e);
      for (int64_t j = 0; j < n; j++) {
        wrong += !same_product((hed__product){ { m[j], 0 }, e[j] }, want[j], rows);
        m2[j] = 1;
        e2[j] = 0;
      }
      const int64_t some = gen_int(&g, 0, n - 1); /* columns by themselves have the same bits */
      l->k->reduce[wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32].col_prod(rows, n - some, from + some * (int64_t)size, step, m2, e2);
      for (int64_t j = some; j < n; j++) {
        const double a = isfinite(e[j]) ? ldexp(m2[j - some], (int)(e2[j - some] - e[j])) : 0;
        wrong += isfinite(e[j]) && !(a == m[j] || (a != a && m[j] != m[j]));
      }
      wrong += m[n] < 77 || m[n] > 77 || e[n] < 77 || e[n] > 77 || !guard_free(x);
    }
    is_int(wrong, 0, "%s: products of columns of %d bits", l->name, wide ? 64 : 32);
  }
}

/* Mantissas that are joined are near 2 each time: joined too often, they would leave the range. */
static void long_product(const level *l)
{
  const int64_t n = 8000000;
  const double v = exp2(0.99 / 480), turns = (double)n / 480 * 0.99;
  double *x = malloc((size_t)n * sizeof *x);
  hed__product got = hed__product_one;
  for (int64_t i = 0; i < n; i++)
    x[i] = v;
  l->k->reduce[HED_ID_FLOAT64].prod(n, x, &got);
  is_near(log2(got.part[0]) + got.exponent, turns, 1e-9, 0, "%s: the product of many that are alike", l->name);
  free(x);
}

/* ---- selection ---- */

static int compare_u64(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Many or few different words, in any order or sorted. */
static void words(int64_t n, uint64_t *x, uint64_t most)
{
  const int kind = (int)gen_below(&g, 4);
  const uint64_t range = gen_chance(&g, 30) ? 1 + gen_below(&g, 5) : gen_chance(&g, 30) ? 1 + gen_below(&g, 1000) : 0;
  for (int64_t i = 0; i < n; i++)
    x[i] = (range ? gen_u64(&g) % range + (kind & 1 ? most - range + 1 : 0) : gen_u64(&g)) & most;
  if (kind == 3)
    qsort(x, (size_t)n, sizeof *x, compare_u64);
}

/* The words at places K and K + 1 of N words, whose order SORTED is; false: others. */
static bool selected(const level *l, bool wide, int64_t n, const uint64_t *x, const uint64_t *sorted, int64_t k)
{
  const size_t size = wide ? 8 : 4;
  uint64_t two[2];
  uint32_t narrow[2];
  char *list = guard_alloc((size_t)n * size, size), *spare = guard_alloc((size_t)n * size, size);
  for (int64_t i = 0; i < n; i++)
    memcpy(list + (size_t)i * size, &x[i], size); /* the low bytes come first */
  if (wide) {
    l->sort->select_u64(n, (void *)list, (void *)spare, k, two);
  } else {
    l->sort->select_u32(n, (void *)list, (void *)spare, k, narrow);
    two[0] = narrow[0];
    two[1] = narrow[1];
  }
  guard_free(list);
  guard_free(spare);
  return two[0] == sorted[k] && two[1] == sorted[k + 1 < n ? k + 1 : k];
}

/* Some ranks of lists of any length; of some lists all, as the next word may be in another part than the wanted one. */
static void selection(const level *l)
{
  for (int wide = 0; wide < 2; wide++) {
    int wrong = 0;
    for (int trial = 0; trial < scaled(400); trial++) {
      const bool every = trial % 20 == 0;
      const int64_t n = every ? gen_int(&g, 300, 900) : length();
      uint64_t *x = malloc((size_t)n * sizeof *x), *sorted = malloc((size_t)n * sizeof *x);
      words(n, x, wide ? UINT64_MAX : UINT32_MAX);
      memcpy(sorted, x, (size_t)n * sizeof *x);
      qsort(sorted, (size_t)n, sizeof *sorted, compare_u64);
      int64_t k = gen_chance(&g, 30) ? (gen_chance(&g, 50) ? 0 : n - 1) : (int64_t)gen_below(&g, (uint64_t)n);
      for (int64_t i = 0; i < (every ? n : 1); i++, k = (k + 1) % n)
        wrong += !selected(l, wide, n, x, sorted, k);
      free(sorted);
      free(x);
    }
    is_int(wrong, 0, "%s: selection of %d bits", l->name, wide ? 64 : 32);
  }
}

/* Sorting and division of words, and the places of those in front and of those below a limit. */
static void sorting(const level *l)
{
  enum { BEHIND = 16 }; /* what may be written behind the places below a limit */
  for (int wide = 0; wide < 2; wide++) {
    int unsorted = 0, undivided = 0, misplaced = 0, not_below = 0;
    for (int trial = 0; trial < 500; trial++) {
      const int64_t n = trial % 20 ? length() : gen_int(&g, 4000, trial % 40 ? 20000 : 60000);
      const int64_t first = gen_chance(&g, 40) ? n : gen_int(&g, 1, n);
      const size_t size = wide ? 8 : 4;
      uint64_t *x = malloc((size_t)n * sizeof *x), *sorted = malloc((size_t)n * sizeof *x);
      uint64_t *place = guard_alloc((size_t)n * 8, 8), *order = guard_alloc((size_t)n * 8, 8);
      uint64_t *found = guard_alloc((size_t)(n + BEHIND) * 8, 8);
      char *key = guard_alloc((size_t)n * size, size), *list = guard_alloc((size_t)n * size, size);
      char *to = guard_alloc((size_t)n * size, size);
      words(n, x, wide ? UINT64_MAX : UINT32_MAX);
      for (int64_t i = 0; wide && trial % 3 == 0 && i < n; i++)
        x[i] &= trial % 2 ? 0xff00000000000003u : 0x8000000000000fffu; /* ties of upper parts */
      for (int64_t i = 0; trial % 60 == 40 && i < n; i++)
        x[i] = x[i] / 16 * 9; /* somewhat more than half of the range */
      for (int64_t i = 0; i < n; i++) {
        memcpy(key + (size_t)i * size, &x[i], size); /* the low bytes come first */
        sorted[i] = x[i];
      }
      const uint64_t pivot = x[gen_below(&g, (uint64_t)n)];
      int64_t small = 0, less = 0, k = 0;
      for (int64_t i = 0; i < n; i++) {
        small += x[i] <= pivot;
        less += x[i] < pivot;
      }
      qsort(sorted, (size_t)n, sizeof *sorted, compare_u64);

      memcpy(list, key, (size_t)n * size);
      if (wide)
        l->sort->sort_u64(n, (void *)list, (void *)to);
      else
        l->sort->sort_u32(n, (void *)list, (void *)to);
      for (int64_t i = 0; i < n; i++)
        unsorted += memcmp(list + (size_t)i * size, &sorted[i], size) != 0;

      if (n >= 8) { /* each word is still there, on its side */
        const int64_t low = wide ? l->sort->divide_u64((const void *)key, (void *)to, n, pivot)
                                 : l->sort->divide_u32((const void *)key, (void *)to, n, (uint32_t)pivot);
        memcpy(list, to, (size_t)n * size);
        undivided += low != small;
        if (wide) {
          l->sort->sort_u64(low, (void *)list, (void *)to);
          l->sort->sort_u64(n - low, (void *)(list + (size_t)low * size), (void *)to);
        } else {
          l->sort->sort_u32(low, (void *)list, (void *)to);
          l->sort->sort_u32(n - low, (void *)(list + (size_t)low * size), (void *)to);
        }
        for (int64_t i = 0; i < n; i++)
          undivided += memcmp(list + (size_t)i * size, &sorted[i], size) != 0;
      }

      if (wide)
        l->sort->argsort_u64(n, first, (const void *)key, place, order);
      else
        l->sort->argsort_u32(n, first, (const void *)key, place, order);
      for (int64_t i = 0; i < first; i++)
        misplaced += place[i] >= (uint64_t)n || x[place[i]] != sorted[i]
                     || (i > 0 && sorted[i] == sorted[i - 1] && place[i - 1] >= place[i]);

      const int64_t below = wide ? l->sort->below_u64(n, (const void *)key, pivot, 7, found)
                                 : l->sort->below_u32(n, (const void *)key, (uint32_t)pivot, 7, found);
      not_below += below != less;
      for (int64_t i = 0; i < n; i++)
        if (x[i] < pivot)
          not_below += k >= below || found[k++] != (uint64_t)i + 7;
      guard_free(key);
      guard_free(list);
      guard_free(to);
      guard_free(place);
      guard_free(order);
      guard_free(found);
      free(x);
      free(sorted);
    }
    is_int(unsorted, 0, "%s: sorting of %d bits", l->name, wide ? 64 : 32);
    is_int(undivided, 0, "%s: division of %d bits", l->name, wide ? 64 : 32);
    is_int(misplaced, 0, "%s: places in order of %d bits", l->name, wide ? 64 : 32);
    is_int(not_below, 0, "%s: places below a limit of %d bits", l->name, wide ? 64 : 32);
  }
}

/* Places of queries in ordered lists; sets without loops of their own have none to try. */
#define SEARCHING(S, T)                                                                                                        \
  static void searching_##S(const level *l)                                                                                    \
  {                                                                                                                            \
    int wrong = 0;                                                                                                             \
    for (int trial = 0; trial < scaled(300) && l->sort->search_##S; trial++) {                                                 \
      const int64_t n = length(), m = gen_int(&g, 1, 100), most = gen_chance(&g, 50) ? 20 : 100000;                            \
      T *s = guard_alloc((size_t)n * sizeof *s, sizeof *s), *v = guard_alloc((size_t)m * sizeof *v, sizeof *v);                \
      int64_t *at = guard_alloc((size_t)m * 8, 8), value = -most;                                                              \
      for (int64_t i = 0; i < n; i++)                                                                                          \
        s[i] = (T)(value += gen_int(&g, 0, 2 * most / n + 1));                                                                 \
      for (int64_t i = 0; i < m; i++)                                                                                          \
        v[i] = gen_chance(&g, 50) ? s[gen_below(&g, (uint64_t)n)] : (T)gen_int(&g, -2 * most, 2 * most);                       \
      const bool right = gen_chance(&g, 50);                                                                                   \
      l->sort->search_##S(n, s, m, v, at, right);                                                                              \
      for (int64_t i = 0; i < m; i++) {                                                                                        \
        int64_t want = 0;                                                                                                      \
        while (want < n && (right ? s[want] <= v[i] : s[want] < v[i]))                                                         \
          want++;                                                                                                              \
        wrong += at[i] != want;                                                                                                \
      }                                                                                                                        \
      guard_free(s);                                                                                                           \
      guard_free(v);                                                                                                           \
      guard_free(at);                                                                                                          \
    }                                                                                                                          \
    if (l->sort->search_##S)                                                                                                   \
      is_int(wrong, 0, "%s: search among " #S, l->name);                                                                       \
  }
SEARCHING(f32, float)
SEARCHING(f64, double)
SEARCHING(i32, int32_t)
SEARCHING(i64, int64_t)

static void splitting(const level *l)
{
  static const double odd[] = { 0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 1, 2, 3 };
  for (int wide = 0; wide < 2; wide++) {
    int wrong = 0;
    for (int trial = 0; trial < scaled(300); trial++) {
      const int64_t n = gen_int(&g, 1, trial % 4 ? 100 : 4000), size = wide ? 8 : 4, room = n + 16;
      const double low = gen_chance(&g, 20) ? -(double)INFINITY : (double)gen_int(&g, -3, 3);
      const double high = gen_chance(&g, 20) ? low : gen_chance(&g, 20) ? (double)INFINITY : low + (double)gen_int(&g, 0, 3);
      char *x = guard_alloc((size_t)(n * size), (size_t)size), *out = guard_alloc((size_t)(room * size), (size_t)size);
      double *between = malloc((size_t)n * sizeof *between);
      cpu_split got, want = { 0, 0, 0, 0, 0 };
      for (int64_t i = 0; i < n; i++) {
        const double v = gen_chance(&g, 60) ? odd[gen_below(&g, 8)] : (double)(float)gen_double(&g, -4, 4);
        const float f = (float)v;
        memcpy(x + i * size, wide ? (const void *)&v : (const void *)&f, (size_t)size);
        want.below += v < low;
        want.at_low += v == low;
        want.at_high += v == high && low != high;
        want.nan += v != v;
        if (v > low && v < high)
          between[want.between++] = v;
      }
      if (wide)
        l->sort->split->f64(n, (void *)x, low, high, (void *)out, &got);
      else
        l->sort->split->f32(n, (void *)x, (float)low, (float)high, (void *)out, &got);
      bool same = got.below == want.below && got.at_low == want.at_low && got.between == want.between
                  && got.at_high == want.at_high && got.nan == want.nan;
      for (int64_t i = 0; same && i < want.between; i++)
        same = between[i] == (wide ? ((double *)(void *)out)[i] : (double)((float *)(void *)out)[i]);
      wrong += !same;
      guard_free(x);
      guard_free(out);
      free(between);
    }
    is_int(wrong, 0, "%s: values of %d bits below, between, above", l->name, wide ? 64 : 32);
  }
}

/* ---- partition ---- */

/* Words below, between and above two others, and their places, in order; lists end at guard pages. */
static void dividing(const level *l)
{
  enum { BEHIND = 16 }; /* what may be written behind the last */
  for (int wide = 0; wide < 2; wide++) {
    int wrong = 0, misplaced = 0;
    for (int trial = 0; trial < scaled(400); trial++) {
      const int64_t n = gen_chance(&g, 50) ? gen_int(&g, 1, 70) : gen_int(&g, 1, 1500);
      const size_t size = wide ? 8 : 4, room = (size_t)(n + BEHIND);
      uint64_t *x = malloc((size_t)n * sizeof *x);
      char *key = guard_alloc((size_t)n * size, size), *list[4];
      uint64_t *place[3];
      int64_t count[3][2], found[3] = { 0, 0, 0 }, amid = 0;
      for (int k = 0; k < 4; k++)
        list[k] = guard_alloc(room * size, size);
      for (int k = 0; k < 3; k++)
        place[k] = guard_alloc(room * 8, 8);
      words(n, x, wide ? UINT64_MAX : UINT32_MAX);
      for (int64_t i = 0; i < n; i++)
        memcpy(key + (size_t)i * size, &x[i], size);
      const uint64_t a = x[gen_below(&g, (uint64_t)n)], b = gen_chance(&g, 50) ? a : x[gen_below(&g, (uint64_t)n)];
      const uint64_t low = a < b ? a : b, high = a < b ? b : a;
      if (wide) {
        l->sort->between_u64(n, (void *)key, low, high, (void *)list[3], count[0]);
        l->sort->partition3_u64(n, (void *)key, low, high, (void *)list[0], (void *)list[1], (void *)list[2], count[1]);
        l->sort->partition3_indices_u64(n, (void *)key, low, high, 5, place[0], place[1], place[2], count[2]);
      } else {
        const uint32_t s = (uint32_t)low, t = (uint32_t)high;
        l->sort->between_u32(n, (void *)key, s, t, (void *)list[3], count[0]);
        l->sort->partition3_u32(n, (void *)key, s, t, (void *)list[0], (void *)list[1], (void *)list[2], count[1]);
        l->sort->partition3_indices_u32(n, (void *)key, s, t, 5, place[0], place[1], place[2], count[2]);
      }
      for (int64_t i = 0; i < n; i++) {
        const int which = x[i] < low ? 0 : x[i] > high ? 2 : 1;
        wrong += memcmp(list[which] + (size_t)found[which] * size, &x[i], size) != 0;
        wrong += which == 1 && memcmp(list[3] + (size_t)amid++ * size, &x[i], size) != 0;
        misplaced += place[which][found[which]++] != (uint64_t)i + 5;
      }
      for (int k = 0; k < 3; k++)
        wrong += count[k][0] != found[0] || count[k][1] != found[1];
      for (int k = 0; k < 4; k++)
        guard_free(list[k]);
      for (int k = 0; k < 3; k++)
        guard_free(place[k]);
      guard_free(key);
      free(x);
    }
    is_int(wrong, 0, "%s: words of %d bits about others", l->name, wide ? 64 : 32);
    is_int(misplaced, 0, "%s: places of words of %d bits about others", l->name, wide ? 64 : 32);
  }
}

/* ---- lanes side by side ---- */

static uint64_t word_at(const void *x, int size, int64_t k)
{
  uint64_t w = 0; /* little-endian, as all that has these loops */
  memcpy(&w, (const char *)x + k * size, (size_t)size);
  return w;
}

/* Each lane of words, or of the places of keys, that a network has put in order; many are equal. */
static void networks(const level *l)
{
  for (int places = 0; places < 2; places++)
    for (int log = 0; log < 4; log++) {
      const int size = 1 << log, lanes = CPU_SORT_ROW / (places && size < 8 ? 2 * size : size);
      int wrong = 0;
      for (int64_t n = 1; n <= (places ? CPU_SORT_INDICES : 300); n += n < 40 ? 1 : gen_int(&g, 1, 20)) {
        const int64_t all = n * lanes;
        char *x = guard_alloc((size_t)(all * size), CPU_SORT_ROW), *spare = guard_alloc((size_t)(2 * n * CPU_SORT_ROW), CPU_SORT_ROW);
        char *was = malloc((size_t)(all * size));
        int64_t *place = guard_alloc((size_t)(all * 8), CPU_SORT_ROW);
        gen_bytes(&g, x, (size_t)(all * size));
        for (int64_t k = 0; k < all; k++)
          if (gen_chance(&g, 50)) /* by few bits */
            memset(x + k * size, gen_chance(&g, 50) ? 0 : 0xff, (size_t)(size - 1));
        memcpy(was, x, (size_t)(all * size));
        if (places)
          l->sort->network_indices[log](n, x, place, spare);
        else
          l->sort->network[log](n, x);
        for (int lane = 0; lane < lanes; lane++) {
          uint64_t sum = 0; /* of what came in less what came out */
          for (int64_t i = 0; i < n; i++) {
            const int64_t k = i * lanes + lane, before = k - lanes;
            if (places) {
              const int64_t at = place[k];
              wrong += at < 0 || at >= n;
              sum += (uint64_t)(i - at);
              if (i == 0 || at < 0 || at >= n)
                continue;
              const uint64_t a = word_at(was, size, place[before] * lanes + lane), b = word_at(was, size, at * lanes + lane);
              wrong += a > b || (a == b && place[before] >= at);
            } else {
              sum += word_at(was, size, k) - word_at(x, size, k);
              wrong += i > 0 && word_at(x, size, before) > word_at(x, size, k);
            }
          }
          wrong += sum != 0;
        }
        guard_free(x);
        guard_free(spare);
        guard_free(place);
        free(was);
      }
      is_int(wrong, 0, "%s: lanes of %s of %d bits side by side", l->name, places ? "places of keys" : "words", 8 * size);
    }
}

/* ---- squared distances from the mean ---- */

/* Of slices some way apart, however large the mean is beside them. */
static void slice_squares(const level *l)
{
  for (int wide = 0; wide < 2; wide++) {
    const int type = wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32, size = wide ? 8 : 4;
    int wrong = 0;
    for (int trial = 0; trial < scaled(150); trial++) {
      const int64_t n = gen_int(&g, 1, gen_chance(&g, 50) ? 40 : 2048 / size), slices = gen_int(&g, 1, 9);
      const int64_t step = n + gen_int(&g, 0, 3), all = (slices - 1) * step + n;
      const double mean = gen_chance(&g, 50) ? ldexp(1, (int)gen_int(&g, 0, wide ? 40 : 15)) : 0;
      char *x = guard_alloc((size_t)(all * size), (size_t)size);
      double got[9];
      for (int64_t i = 0; i < all; i++) {
        const double v = mean + gen_double(&g, -1, 1);
        const float f = (float)v;
        memcpy(x + i * size, wide ? (const void *)&v : (const void *)&f, (size_t)size);
      }
      l->k->reduce[type].slice_squares(slices, n, x, step * size, got);
      for (int64_t k = 0; k < slices; k++) {
        long double about = 0, square = 0;
        for (int pass = 0; pass < 2; pass++)
          for (int64_t i = k * step; i < k * step + n; i++) {
            const long double v = wide ? ((const double *)(void *)x)[i] : ((const float *)(void *)x)[i];
            about += pass ? 0 : v / n;
            square += pass ? (v - about) * (v - about) : 0;
          }
        wrong += fabsl(got[k] - square) > 1e-11L * square + 1e-30L * mean * mean;
      }
      guard_free(x);
    }
    is_int(wrong, 0, "%s: squares of short slices of %s", l->name, hed__dtypes[type]->name);
  }
}

static void one_level(const char *name, const cpu_kernels *k, const cpu_sort_kernels *sort)
{
  const level l = { name, k, sort };
  truth(&l);
  slice_squares(&l);
  long_count(&l);
  products(&l);
  column_products(&l);
  long_product(&l);
  selection(&l);
  sorting(&l);
  dividing(&l);
  networks(&l);
  searching_f32(&l);
  searching_f64(&l);
  searching_i32(&l);
  searching_i64(&l);
  splitting(&l);
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_kernels_##set, &cpu_sort_kernels_##set)

int main(void)
{
  gen_seed(&g, tap_seed());
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
