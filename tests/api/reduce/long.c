// SPDX-License-Identifier: BSD-3-Clause
/* Lanes so long that loops read them from several places at a time, and in pieces: one element that decides lies anywhere; the
 * value is the same, to the last bit, with any number of threads and however often it is asked for. Many lanes.
 */
#include "api.h"
#include "gen.h"
#include <math.h>
#include <string.h>

static gen g;

/* A length: near those from which the loops differ, or far beyond. */
static int64_t some_length(size_t size)
{
  const int64_t near = (1 << 17) / (int64_t)size;
  switch (gen_below(&g, 3)) {
  case 0: return near / 2 + gen_int(&g, -3, 3);
  case 1: return near + gen_int(&g, -3, 300);
  default: return gen_int(&g, near, 700000);
  }
}

/* Small whole numbers, whose sums are exact; then a largest and a least one, or a NaN. */
static void one_decides(const char *name)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_INT16, HED_INT32, HED_UINT8, HED_FLOAT16, HED_INT64 };
  int sums = 0, counts = 0, extremes = 0, places = 0, spreads = 0;
  for (int trial = 0; trial < scaled(70); trial++) {
    const hed_dtype t = types[trial % 7];
    const bool real = t == HED_FLOAT32 || t == HED_FLOAT64;
    const int64_t n = some_length(hed_dtype_size(t)), at = gen_int(&g, 0, n - 1), other = gen_int(&g, 0, n - 1);
    double *v = malloc((size_t)n * sizeof *v);
    double sum = 0, square = 0, count = 0;
    for (int64_t i = 0; i < n; i++)
      v[i] = (double)gen_int(&g, 0, 3);
    v[at] = 100;
    if (other != at && t != HED_UINT8)
      v[other] = -50;
    for (int64_t i = 0; i < n; i++) {
      sum += v[i];
      square += v[i] * v[i];
      count += v[i] != 0;
    }
    hed_array *d = hed_from_host(v, HED_SHAPE(n), HED_FLOAT64), *x = hed_astype(d, t);
    if (t != HED_FLOAT16)
      sums += api_number(hed_sum(x, NULL)) != sum;
    counts += api_number(hed_count_nonzero(x, NULL)) != count;
    extremes += api_number(hed_max(x, NULL)) != 100 || (other != at && t != HED_UINT8 && api_number(hed_min(x, NULL)) != -50);
    places += api_number(hed_argmax(x, NULL)) != (double)at;
    if (real) {
      const double want = (square - sum / (double)n * sum) / (double)n;
      spreads += !(fabs(api_number(hed_var(x, NULL)) - want) <= 1e-6 * want);
      v[other] = (double)NAN;
      hed_array *again = hed_from_host(v, HED_SHAPE(n), HED_FLOAT64), *y = hed_astype(again, t);
      const double most = api_number(hed_max(y, NULL)), least = api_number(hed_min(y, NULL)), all = api_number(hed_sum(y, NULL));
      extremes += most == most || least == least || api_number(hed_argmin(y, NULL)) != (double)other;
      sums += all == all;
      RELEASE(y, again);
    }
    RELEASE(x, d);
    free(v);
  }
  is_int(sums, 0, "%s: sums", name);
  is_int(counts, 0, "%s: counts", name);
  is_int(extremes, 0, "%s: largest and least", name);
  is_int(places, 0, "%s: places", name);
  is_int(spreads, 0, "%s: variances", name);
}

/* Columns of more than caches hold: in each the largest and the least are somewhere, in some a NaN too. */
static void columns(const char *name)
{
  enum { LARGE = 26 << 20 /* bytes */ };
  int wrong = 0;
  for (int trial = 0; trial < 4; trial++) {
    const bool single = trial % 2;
    const int64_t n = gen_int(&g, 1000, 4200), rows = LARGE / (single ? 4 : 8) / n + 1;
    double *v = malloc((size_t)(rows * n) * sizeof *v), *got = malloc((size_t)n * sizeof *got);
    bool *odd = calloc((size_t)n, sizeof *odd);
    for (int64_t i = 0; i < rows * n; i++)
      v[i] = (double)(i % 97);
    for (int64_t k = 0; k < n; k++) {
      const int64_t at = gen_int(&g, 0, rows - 1), other = (at + gen_int(&g, 1, rows - 1)) % rows;
      v[at * n + k] = 100 + (double)k;
      v[other * n + k] = -1 - (double)k;
      odd[k] = gen_chance(&g, 10);
      if (odd[k])
        v[gen_int(&g, 0, rows - 1) * n + k] = (double)NAN;
    }
    hed_array *d = hed_from_host(v, HED_SHAPE(rows, n), HED_FLOAT64), *x = hed_astype(d, single ? HED_FLOAT32 : HED_FLOAT64);
    for (int least = 0; least < 2; least++) {
      const hed_reduce how = { .axes = HED_AXES(0) };
      hed_array *y = least ? hed_min(x, &how) : hed_max(x, &how), *made = hed_astype(y, HED_FLOAT64);
      if (!made || hed_to_host(made, got, (size_t)n * sizeof *got) != HED_OK)
        bail("%s", hed_error_text());
      for (int64_t k = 0; k < n; k++)
        wrong += odd[k] ? got[k] == got[k] : got[k] != (least ? -1 - (double)k : 100 + (double)k);
      RELEASE(made, y);
    }
    RELEASE(x, d);
    free(odd);
    free(got);
    free(v);
  }
  is_int(wrong, 0, "%s: largest and least of columns", name);
}

/* Powers of two that go a way down or up and come back: products are exact. Now and then a factor that makes it 0, or an
 * infinity. */
static void products(const char *name)
{
  int wrong = 0;
  for (int trial = 0; trial < scaled(40); trial++) {
    const bool wide = trial % 2;
    const int64_t n = some_length(wide ? 8 : 4);
    const int deep = trial % 4 < 2 ? 1 : wide ? 900 : 120;
    double *v = malloc((size_t)n * sizeof *v), want = 1;
    for (int64_t i = 0; i < n; i++)
      v[i] = 1;
    for (int k = 0; k < 3000; k++) {
      const int64_t a = gen_int(&g, 0, n / 2 - 1), b = gen_int(&g, n / 2, n - 1);
      const int by = (int)gen_int(&g, -deep, deep);
      if (v[a] == 1 && v[b] == 1) {
        v[a] = ldexp(gen_chance(&g, 50) ? -1 : 1, by);
        v[b] = ldexp(1, -by);
        want *= v[a] < 0 ? -1 : 1;
      }
    }
    v[gen_below(&g, (uint64_t)n)] *= 2;
    want *= 2;
    if (trial % 5 == 0) {
      const double odd = trial % 10 ? (double)INFINITY : 0;
      v[gen_below(&g, (uint64_t)n)] = odd;
      want = odd;
    }
    hed_array *d = hed_from_host(v, HED_SHAPE(n), HED_FLOAT64), *x = hed_astype(d, wide ? HED_FLOAT64 : HED_FLOAT32);
    const double got = api_number(hed_prod(x, &(hed_reduce){ .dtype = HED_FLOAT64 }));
    wrong += trial % 5 ? got != want : fabs(got) != want;
    RELEASE(x, d);
    free(v);
  }
  is_int(wrong, 0, "%s: products", name);
}

/* The bits of several reductions of the same values, asked for four times. */
enum { OPS = 6, LANES = 3 };

static double reduced(int op, const hed_array *x)
{
  hed_array *(*const ops[])(const hed_array *, const hed_reduce *) = { hed_sum, hed_mean, hed_var, hed_std, hed_prod, hed_max };
  return api_number(ops[op](x, &(hed_reduce){ .dtype = op < 5 ? HED_FLOAT64 : NULL }));
}

/* Many columns, of which a NaN is the first extreme wherever others follow, and many rows: places and sums. */
static void many(const char *name)
{
  enum { ROWS = 3001, N = 502 };
  double *v = malloc(sizeof *v * ROWS * N), *sums = malloc(sizeof *sums * ROWS);
  int64_t *rows = malloc(sizeof *rows * ROWS), down[N], wrong = 0, below = 0;
  for (int64_t i = 0; i < (int64_t)ROWS * N; i++)
    v[i] = i % N % 3 && gen_below(&g, 1000) < 3 ? (double)NAN : (double)gen_int(&g, 0, 5000);
  hed_array *x = hed_from_host(v, HED_SHAPE(ROWS, N), HED_FLOAT64);
  hed_array *y[3] = { hed_argmax(x, &(hed_reduce){ .axes = HED_AXES(0) }), hed_argmin(x, &(hed_reduce){ .axes = HED_AXES(1) }),
                      hed_sum(x, &(hed_reduce){ .axes = HED_AXES(1) }) };
  if (!y[0] || !y[1] || !y[2] || hed_to_host(y[0], down, sizeof down) != HED_OK
      || hed_to_host(y[1], rows, sizeof *rows * ROWS) != HED_OK || hed_to_host(y[2], sums, sizeof *sums * ROWS) != HED_OK)
    bail("places: %s", hed_error_text());
  for (int64_t c = 0; c < N; c++) {
    int64_t at = 0;
    for (int64_t r = 1; r < ROWS; r++) {
      const double a = v[at * N + c], b = v[r * N + c];
      at = a == a && (b != b || b > a) ? r : at;
    }
    wrong += down[c] != at;
  }
  for (int64_t r = 0; r < ROWS; r++) {
    int64_t at = 0;
    double sum = v[r * N];
    for (int64_t c = 1; c < N; c++) {
      const double a = v[r * N + at], b = v[r * N + c];
      at = a == a && (b != b || b < a) ? c : at;
      sum += b;
    }
    below += rows[r] != at || !(sums[r] == sum || (sum != sum && sums[r] != sums[r]));
  }
  is_int(wrong, 0, "%s: places in columns", name);
  is_int(below, 0, "%s: places and sums of many rows", name);
  for (int k = 0; k < 3; k++)
    hed_release(y[k]);
  hed_release(x);
  free(v);
  free(sums);
  free(rows);
}

int main(void)
{
  static const char *const specs[] = { "reference", "cpu;threads=1", "cpu;threads=2", "cpu;threads=3" };
  double first[LANES][OPS] = { { 0 } };
  const uint64_t seed = tap_seed();
  gen_seed(&g, seed);
  for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
    char name[16] = "";
    memcpy(name, specs[s], strcspn(specs[s], ";"));
    if (hed_backend_require(name) != HED_OK) {
      skip(1, "backend %s: %s", name, hed_error_text());
      hed_error_clear();
      continue;
    }
    HED_BACKEND_CONTEXT(specs[s]) {
      columns(specs[s]);
      one_decides(specs[s]);
      products(specs[s]);
      many(specs[s]);
      int differ = 0;
      for (int lane = 0; lane < LANES && s > 0; lane++) {
        static const int64_t length[LANES] = { 150001, 999999, 5000003 };
        gen same;
        gen_seed(&same, seed + (uint64_t)lane);
        double *v = malloc((size_t)length[lane] * sizeof *v);
        for (int64_t i = 0; i < length[lane]; i++)
          v[i] = gen_double(&same, 0.5, 1.99);
        hed_array *d = hed_from_host(v, HED_SHAPE(length[lane]), HED_FLOAT64);
        hed_array *x = hed_astype(d, lane % 2 ? HED_FLOAT64 : HED_FLOAT32);
        for (int k = 0; k < 4 * OPS; k++) {
          const double got = reduced(k % OPS, x);
          if (s == 1 && k < OPS)
            first[lane][k] = got;
          differ += memcmp(&got, &first[lane][k % OPS], sizeof got) != 0;
        }
        RELEASE(x, d);
        free(v);
      }
      if (s > 0)
        is_int(differ, 0, "%s: the same bits as on one thread, each time", specs[s]);
    }
  }
  done_testing();
  return done();
}
