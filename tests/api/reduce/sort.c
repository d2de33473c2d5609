// SPDX-License-Identifier: BSD-3-Clause
/* sort, argsort, topk and partitions of lists of many lengths and patterns against qsort of (value, place): every real dtype,
 * both directions, lanes along either axis, side by side too.
 */
#include "api.h"
#include "gen.h"
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 150007 };

typedef struct item {
  double f;
  int64_t i;
  uint64_t u;
  int64_t place;
} item;

static hed_kind kind;
static bool descending, quiet, all_right = true; /* quiet: in a child, which says at the end whether all was right */
static gen source;

static int by_value(const void *left, const void *right)
{
  const item *a = left, *b = right;
  bool na = a->f != a->f, nb = b->f != b->f;
  int order = 0;
  if (kind == HED_KIND_FLOAT && (na || nb))
    return na && nb ? (a->place > b->place) - (a->place < b->place) : na - nb;
  switch (kind) {
  case HED_KIND_FLOAT: order = (a->f > b->f) - (a->f < b->f); break;
  case HED_KIND_INT: order = (a->i > b->i) - (a->i < b->i); break;
  default: order = (a->u > b->u) - (a->u < b->u);
  }
  if (descending)
    order = -order;
  return order ? order : (a->place > b->place) - (a->place < b->place);
}

static double half(uint16_t b, bool brain)
{
  const uint32_t wide = (uint32_t)b << 16;
  float f;
  memcpy(&f, &wide, sizeof f);
  const int e = b >> 10 & 31, m = b & 1023;
  const double v = e == 31 ? (m ? (double)NAN : (double)INFINITY) : ldexp(e ? 1024 + m : m, (e ? e : 1) - 25);
  return brain ? (double)f : b >> 15 ? -v : v;
}

/* Element K of DATA as an item. */
static item item_of(hed_dtype t, const char *data, int64_t k)
{
  item x = { 0, 0, 0, k };
#define GET(T, member)                            \
  {                                               \
    T v;                                          \
    memcpy(&v, data + k * (int64_t)sizeof v, sizeof v); \
    x.member = v;                                 \
  }
  if (t == HED_FLOAT32) GET(float, f)
  else if (t == HED_FLOAT64) GET(double, f)
  else if (t == HED_INT8) GET(int8_t, i)
  else if (t == HED_INT16) GET(int16_t, i)
  else if (t == HED_INT32) GET(int32_t, i)
  else if (t == HED_INT64) GET(int64_t, i)
  else if (t == HED_UINT8) GET(uint8_t, u)
  else if (t == HED_UINT16) GET(uint16_t, u)
  else if (t == HED_UINT32) GET(uint32_t, u)
  else if (t == HED_BOOL) GET(uint8_t, u)
  else if (t == HED_FLOAT16 || t == HED_BFLOAT16) {
    GET(uint16_t, u)
    x.f = half((uint16_t)x.u, t == HED_BFLOAT16);
    x.u = 0;
  }
  else GET(uint64_t, u)
  return x;
}

static void put(hed_dtype t, char *data, int64_t k, uint64_t word, double number)
{
  size_t size = hed_dtype_size(t);
  float narrow = (float)number;
  if (t == HED_BOOL)
    word &= 1;
  if (t == HED_FLOAT32)
    memcpy(data + k * 4, &narrow, 4);
  else if (t == HED_FLOAT64)
    memcpy(data + k * 8, &number, 8);
  else if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    memcpy(data + (size_t)k * size, &word, size);
  else
    memcpy(data + (size_t)k * size, (char *)&word + 8 - size, size);
}

static const char *const patterns[] = { "random", "few values", "ascending", "descending", "one value", "NaN, inf and zeros",
                                        "close together", "even", "even, upper and lowest bits alone",
                                        "even, every 61st", "near 0, a few large ones each beside a NaN" };

static void fill(hed_dtype t, char *data, int64_t n, int pattern)
{
  for (int64_t k = 0; k < n; k++) {
    uint64_t word = gen_u64(&source);
    double number = gen_normal(&source);
    static const double odd[] = { 0, -0.0, INFINITY, -INFINITY, NAN, 1, -1 };
    switch (pattern) {
    case 1: word %= 3, number = (double)(word % 3); break;
    case 2: word = (uint64_t)k * 3, number = (double)k; break;
    case 3: word = (uint64_t)(n - k), number = (double)(n - k); break;
    case 4: word = 7, number = 7; break;
    case 5: number = odd[word % 7], word = word % 2 ? UINT64_MAX : word % 3 ? (uint64_t)1 << 63 : 0; break;
    case 6: number = 1 + (double)(word % 4096) * 0x1p-52, word = ((word >> 60) << 50) | (word & 1023); break;
    case 7: number = gen_double(&source, 0.5, 1.5); break;
    case 8: word &= 0xffff000000000003u, number = (double)(word >> 48) + (double)(word & 3) * 0x1p-30; break;
    case 9: /* the others close together */
      number = k % 61 ? 1 + (double)(word % 4096) * 0x1p-52 : gen_double(&source, 0.5, 1.5);
      word = k % 61 ? ((uint64_t)5 << 61) + word % 4096 : word;
      break;
    case 10: /* far apart, so that there is nothing for a long while */
      number = k % 2971 == 2000 ? (double)NAN
               : k % 2971 == 2005 ? (k % 2 ? 10 + (double)k : -10 - (double)k) : gen_double(&source, -1, 1);
      break;
    default: break;
    }
    put(t, data, k, word, number);
  }
}

/* Places in the order of a partition about the element that ORDERED has at KTH: see hed_partition(). */
static void divided_places(int64_t n, const item *ordered, int64_t kth, int64_t *places)
{
  static item list[MOST];
  item word = ordered[kth];
  for (int64_t k = 0; k < n; k++)
    list[ordered[k].place] = ordered[k];
  for (int part = -1; part <= 1; part++)
    for (int64_t k = 0; k < n; k++) {
      item x = list[k];
      x.place = word.place = 0;
      const int order = by_value(&x, &word);
      if ((order > 0) - (order < 0) == part)
        *places++ = k;
    }
}

static bool same(hed_dtype t, const char *data, int64_t k, const item *want)
{
  item got = item_of(t, data, k);
  return (got.f == want->f || (got.f != got.f && want->f != want->f)) && got.i == want->i && got.u == want->u;
}

static void one(hed_dtype t, int64_t n, int pattern)
{
  static char data[MOST * 8], got[MOST * 8];
  static item want[MOST];
  static int64_t places[MOST];
  size_t bytes = (size_t)n * hed_dtype_size(t);
  kind = hed_dtype_kind(t);
  fill(t, data, n, pattern);
  for (int64_t k = 0; k < n; k++)
    want[k] = item_of(t, data, k);
  qsort(want, (size_t)n, sizeof *want, by_value);
  hed_array *x = hed_from_host(data, HED_SHAPE(n), t), *v, *i;
  hed_sort_options opt = { .descending = descending };

  v = hed_sort(x, &opt);
  bool good = hed_to_host(v, got, bytes) == HED_OK;
  for (int64_t k = 0; k < n && good; k++)
    good = same(t, got, k, &want[k]);
  hed_release(v);
  bool right = good;

  i = hed_argsort(x, &opt);
  good = hed_to_host(i, places, (size_t)n * 8) == HED_OK;
  for (int64_t k = 0; k < n && good; k++)
    good = places[k] == want[k].place;
  hed_release(i);
  right = right && good;

  opt.descending = !descending; /* of topk: the least */
  const int64_t wanted[] = { n > 40 ? n / 40 : n, 10 };
  for (int few = 0; few < (n > 1000 ? 2 : 1); few++) {
    const int64_t k = wanted[few];
    good = hed_topk(x, k, &opt, &v, &i) == HED_OK && hed_to_host(i, places, (size_t)k * 8) == HED_OK &&
           hed_to_host(v, got, (size_t)k * hed_dtype_size(t)) == HED_OK;
    for (int64_t j = 0; j < k && good; j++)
      good = places[j] == want[j].place && same(t, got, j, &want[j]);
    RELEASE(v, i);
    right = right && good;
  }
  opt.descending = descending;
  const int64_t kths[] = { n / 2, 0, n - 1, n > 0 ? gen_int(&source, 0, n - 1) : 0 };
  for (int which = 0; which < (n == 0 ? 0 : n > 4097 ? 2 : 4) && right; which++) {
    static int64_t should[MOST];
    const int64_t kth = kths[which];
    divided_places(n, want, kth, should);
    v = hed_partition(x, kth, &opt);
    i = hed_argpartition(x, kth - n, &opt);
    good = hed_to_host(v, got, bytes) == HED_OK && hed_to_host(i, places, (size_t)n * 8) == HED_OK;
    for (int64_t k = 0; k < n && good; k++) {
      const item x_k = item_of(t, data, should[k]);
      good = places[k] == should[k] && same(t, got, k, &x_k);
    }
    if (!good && !quiet)
      diag("partition of %lld about %lld", (long long)n, (long long)kth);
    RELEASE(v, i);
    right = right && good;
  }
  hed_release(x);
  all_right = all_right && right;
  if (!quiet && (!right || n >= 1000))
    ok(right, "%lld of %s, %s, %s", (long long)n, hed_dtype_name(t), patterns[pattern],
       descending ? "descending" : "ascending");
}

static void sorting(const char *backend)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_INT8, HED_INT16, HED_INT32, HED_INT64,
                              HED_UINT8, HED_UINT16, HED_UINT32, HED_UINT64, HED_FLOAT16, HED_BFLOAT16, HED_BOOL };
  const int64_t sizes[] = { 0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 48, 63, 64, 65, 100, 127, 128, 129, 130, 200, 255, 256, 257,
                            258, 300, 511, 513, 1000, 4097, 20000 };
  diag("sorting on %s", backend);
  gen_seed(&source, 20);
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (int p = 0; p < 7; p++) {
        if (sizes[s] == 20000 && p % 5 != 0)
          continue;
        descending = p % 2 ^ (int)(s % 2);
        one(types[t], sizes[s], p);
      }
}

/* Lanes along the first axis, and from the end of the memory: each is what it is alone. */
/* Lists that go into buckets, and that threads share. */
static void large(void)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_UINT64, HED_INT32, HED_INT16, HED_UINT8, HED_BFLOAT16 };
  const int64_t sizes[] = { 33000, MOST };
  const int used[] = { 0, 4, 5, 6, 7, 8, 9, 10 };
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (size_t p = 0; p < sizeof used / sizeof *used; p++) {
        descending = (p + s + t) % 2;
        if (scaled(3) == 3 || thorough((int)(p + s + t)))
          one(types[t], sizes[s], used[p]);
      }
}

/* Lanes side by side, of many lengths and numbers: how many arrays of them are not what they are end to end. */
static int wrong_columns(void)
{
  static const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_INT32, HED_UINT64, HED_INT64 };
  static const int64_t heights[] = { 1, 2, 3, 4, 5, 7, 8, 9, 25, 31, 32, 33, 47, 48, 49, 64, 100, 112, 113, 200, 256, 257, 512, 513 };
  int wrong = 0;
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
      const int64_t rows = heights[h], cols = gen_int(&source, 2, 40);
      const hed_random noise = { .seed = (uint64_t)gen_int(&source, 0, 1 << 30), .seeded = true, .low = -9, .high = 9 };
      const bool real = t < 2;
      hed_array *x = real ? hed_random_normal(HED_SHAPE(rows, cols), types[t], &noise)
                          : hed_random_integers(HED_SHAPE(rows, cols), h % 2 ? 0 : 1 << 20, h % 2 ? 5 : 1 << 30, types[t], &noise);
      for (int k = 0; x && real && k < 6; k++) {
        const int64_t at[] = { gen_int(&source, 0, rows - 1), gen_int(&source, 0, cols - 1) };
        const double odd[] = { NAN, -INFINITY, INFINITY, 0, -0.0, -NAN };
        const int64_t place = at[0] * cols + at[1];
        if (types[t] == HED_FLOAT32)
          ((float *)hed_array_data(x))[place] = (float)odd[k];
        else
          ((double *)hed_array_data(x))[place] = odd[k];
      }
      hed_array *turned = hed_transpose(x, NULL), *lying = hed_copy(turned);
      for (int way = 0; way < 4; way++) { /* sorted and divided, in both directions */
        const hed_sort_options first = { .axis = HED_AXES(0), .descending = way % 2 }, last = { .descending = way % 2 };
        hed_array *y = way < 2 ? hed_sort(x, &first) : hed_partition(x, rows / 3, &first);
        hed_array *each = way < 2 ? hed_sort(lying, &last) : hed_partition(lying, rows / 3, &last);
        hed_array *back = hed_transpose(each, NULL), *want = hed_copy(back);
        wrong += !y || !want || memcmp(hed_array_data(y), hed_array_data(want), hed_array_nbytes(want)) != 0;
        hed_array *const all[] = { y, each, back, want };
        for (int k = 0; k < 4; k++)
          hed_release(all[k]);
      }
      RELEASE(turned, lying, x);
    }
  return wrong;
}

static void columns(const char *backend)
{
  is_int(wrong_columns(), 0, "columns on %s", backend);
}

/* The best lie where the parts of threads meet, and are equal: the first of them come first. */
static void parts_meet(void)
{
  enum { N = 430007 };
  static float v[N];
  for (int threads = 2; threads <= 3; threads++)
    for (int largest = 0; largest < 2; largest++) {
      char spec[32];
      int64_t want[8], got[8], n = 0;
      for (int64_t k = 0; k < N; k++)
        v[k] = (float)gen_double(&source, -1, 1);
      for (int64_t part = 0; part <= threads; part++)
        for (int64_t k = (int64_t)N * part / threads - 1; k <= (int64_t)N * part / threads; k++)
          if (k >= 0 && k < N) {
            v[k] = largest ? 5 : -5;
            want[n++] = k;
          }
      hed_array *x = hed_from_host(v, HED_SHAPE(N), HED_FLOAT32), *values = NULL, *places = NULL;
      snprintf(spec, sizeof spec, "cpu;threads=%d", threads);
      HED_BACKEND_CONTEXT(spec)
        (void)hed_topk(x, n, &(hed_sort_options){ .descending = !largest }, &values, &places);
      ok(places && hed_to_host(places, got, (size_t)n * sizeof *got) == HED_OK && memcmp(got, want, (size_t)n * sizeof *got) == 0,
         "the best where parts of %d threads meet, %s", threads, largest ? "largest" : "least");
      RELEASE(x, values, places);
    }
}

/* The same by the loops of older processors; a set is chosen when the backend is loaded. */
static void old_processor(const char *level)
{
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    quiet = true;
    setenv("HEDDLE_CPU_LEVEL", level, 1);
    HED_BACKEND_CONTEXT("cpu;threads=3")
    {
      large();
      all_right = wrong_columns() == 0 && all_right;
    }
    _exit(all_right ? 0 : 1);
  }
  int status = 0;
  ok(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "large lists and columns by loops of the level %s", level);
}

static void lanes(const char *backend)
{
  enum { ROWS = 37, COLUMNS = 21 };
  static float data[ROWS][COLUMNS], got[ROWS][COLUMNS];
  (void)backend;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++)
      data[r][c] = (float)gen_normal(&source);
  hed_array *x = hed_from_host(data, HED_SHAPE(ROWS, COLUMNS), HED_FLOAT32), *back = hed_flip(x, NULL);
  hed_array *y = hed_sort(back, &(hed_sort_options){ .axis = HED_AXES(0) });
  bool good = hed_to_host(y, got, sizeof got) == HED_OK;
  for (int c = 0; c < COLUMNS && good; c++)
    for (int r = 0; r < ROWS && good; r++) {
      int below = 0, equal = 0;
      for (int k = 0; k < ROWS; k++) {
        below += data[k][COLUMNS - 1 - c] < got[r][c];
        equal += data[k][COLUMNS - 1 - c] == got[r][c];
      }
      good = equal > 0 && below <= r && r < below + equal;
    }
  ok(good, "columns of a reversed matrix");
  RELEASE(x, back, y);
}

int main(void)
{
  gen_seed(&source, 21);
  old_processor("base");
  old_processor("avx2");
  if (hed_backend_require("cpu") == HED_OK) {
    diag("large lists");
    HED_BACKEND_CONTEXT("cpu;threads=3")
      large();
    parts_meet();
  }
  hed_error_clear();
  api_each_backend(sorting);
  api_each_backend(lanes);
  api_each_backend(columns);
  done_testing();
  return done();
}
