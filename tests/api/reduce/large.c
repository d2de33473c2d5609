// SPDX-License-Identifier: BSD-3-Clause
/* Reductions of large lanes, some of them backwards or with gaps, by one and more threads, against loops written out. */
#include "api.h"
#include "gen.h"
#include <math.h>

static gen g;

/* X, or the same elements with gaps between them, backwards, or both: steps of 1, 2, -1, -2. */
static hed_array *laid_out(const hed_array *x, int64_t step)
{
  const int64_t n = hed_array_size(x), gap = step < 0 ? -step : step;
  hed_array *room = hed_zeros(HED_SHAPE(n * gap), hed_array_dtype(x));
  const hed_slice_range r = step > 0 ? HED_RANGE(0, n * gap, step) : HED_RANGE((n - 1) * gap, HED_SLICE_END, step);
  hed_array *view = hed_slice(room, 1, &r);
  if (!view || hed_copy_into(view, x) != HED_OK)
    bail("cannot lay out: %s", hed_error_text());
  hed_release(room);
  return view;
}

/* ---- any, all, count_nonzero: one element decides, or none does ---- */

static void truth(const char *backend)
{
  const hed_dtype types[] = { HED_BOOL, HED_INT32, HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64 };
  int wrong = 0;
  for (int trial = 0; trial < scaled(60); trial++) {
    const int64_t n = gen_int(&g, 1, trial % 3 ? 400000 : 3000);
    const int64_t at = gen_chance(&g, 30) ? n - 1 : (int64_t)gen_below(&g, (uint64_t)n);
    const int odd = gen_chance(&g, 80), usual = gen_chance(&g, 50);
    bool *values = malloc((size_t)n);
    memset(values, usual, (size_t)n);
    if (odd)
      values[at] = !usual;
    hed_array *b = hed_from_host(values, HED_SHAPE(n), HED_BOOL);
    hed_array *t = hed_astype(b, types[gen_below(&g, 5)]);
    hed_array *x = laid_out(t, (int64_t[]){ 1, 1, 2, -1, -2 }[gen_below(&g, 5)]);
    const int64_t count = (usual ? n : 0) + (odd ? usual ? -1 : 1 : 0);
    wrong += api_number(hed_any(x, NULL)) != (count > 0);
    wrong += api_number(hed_all(x, NULL)) != (count == n);
    wrong += api_number(hed_count_nonzero(x, NULL)) != (double)count;
    RELEASE(x, t, b);
    free(values);
  }
  is_int(wrong, 0, "%s, %d threads: any, all, count_nonzero", backend, api_threads);
}

/* ---- products: partial ones may be far outside of float64's range ---- */

/* Multiplies M 2^*E by V. */
static double times(double m, int64_t *e, double v)
{
  int a = 0, b = 0;
  m *= frexp(v, &a);
  m = frexp(m, &b);
  *e += isfinite(m) ? a + b : 0;
  return m;
}

/* Infinities, NaN and signs are the same, other numbers within REL. */
static bool near_to(double got, double want, double rel)
{
  if (got != got || want != want || isinf(got) || isinf(want))
    return got == want || (got != got && want != want);
  return !signbit(got) == !signbit(want) && fabs(got - want) <= rel * fabs(want) + 5e-324;
}

static void products(const char *backend)
{
  enum { KINDS = 5 };
  int wrong[KINDS] = { 0 };
  for (int trial = 0; trial < scaled(24 * KINDS); trial++) {
    const int kind = trial % KINDS, axis = (int)gen_below(&g, 2), wide = gen_chance(&g, 50);
    const int64_t rows = gen_int(&g, 1, axis ? 6 : trial % 3 ? 300 : 60000);
    const int64_t n = gen_int(&g, 1, axis ? trial % 3 ? 900 : 70000 : trial % 3 ? 40 : 12);
    const int64_t results = axis ? rows : n, count = axis ? n : rows;
    const double spread = wide ? 300 : 40;
    double *v = malloc((size_t)(rows * n) * sizeof *v), *got = malloc((size_t)results * sizeof *got);
    for (int64_t i = 0; i < rows * n; i++) /* up and down again in turn, so that the whole stays within the range */
      v[i] = (gen_chance(&g, 50) ? 1 : -1) * (kind < 2 ? 1 + gen_unit(&g) / 1e3 : exp(gen_double(&g, -spread, spread)));
    for (int64_t r = 0; kind >= 2 && r < results; r++)
      for (int64_t k = 0; k + 1 < count; k += 2) {
        double *const a = &v[axis ? r * n + k : k * n + r];
        double *const b = &v[axis ? r * n + count - 1 - k : (count - 1 - k) * n + r];
        if (a < b)
          *b = 1 / *a;
      }
    if (kind >= 3) {
      const double odd[] = { 0, (double)INFINITY, (double)NAN, -0.0, 5e-324 };
      for (int k = 0; k < kind - 2; k++)
        v[gen_below(&g, (uint64_t)(rows * n))] = odd[gen_below(&g, wide ? 5 : 4)];
    }
    hed_array *d = hed_from_host(v, HED_SHAPE(rows, n), HED_FLOAT64), *x = hed_astype(d, wide ? HED_FLOAT64 : HED_FLOAT32);
    hed_array *back = hed_astype(x, HED_FLOAT64);
    hed_array *y = hed_prod(x, &(hed_reduce){ .axes = HED_AXES(axis), .dtype = HED_FLOAT64 });
    if (!y || hed_to_host(back, v, (size_t)(rows * n) * sizeof *v) != HED_OK
        || hed_to_host(y, got, (size_t)results * sizeof *got) != HED_OK)
      bail("prod: %s", hed_error_text());
    for (int64_t r = 0; r < results; r++) {
      int64_t e = 0;
      double m = 1;
      for (int64_t k = 0; k < count; k++)
        m = times(m, &e, v[axis ? r * n + k : k * n + r]);
      const double want = ldexp(m, e > 5000 ? 5000 : e < -5000 ? -5000 : (int)e);
      wrong[kind] += !near_to(got[r], want, (double)count * 0x1p-52);
    }
    RELEASE(y, back, x, d);
    free(got);
    free(v);
  }
  for (int k = 0; k < KINDS; k++)
    is_int(wrong[k], 0, "%s, %d threads: products of kind %d", backend, api_threads, k);
}

/* Runs of factors that take partial products towards an end of the range, or beyond, and back again: lengths fit the steps of
 * all widths of vectors. Now and then a zero and an infinity on the way. */
static void dips(const char *backend)
{
  enum { TRIALS = 400 };
  int wrong = 0;
  for (int trial = 0; trial < scaled(TRIALS); trial++) {
    const int axis = trial % 2, wide = gen_chance(&g, 50);
    const int64_t count = gen_int(&g, 8, trial % 4 < 2 ? 200 : 4000), lanes = gen_int(&g, 1, axis ? 3 : 40);
    const int64_t step = axis ? 1 : lanes, next = axis ? count : 1;
    double *v = malloc((size_t)(count * lanes) * sizeof *v), got[40];
    for (int64_t r = 0; r < lanes; r++) {
      double *lane = v + r * next;
      for (int64_t k = 0; k < count; k++)
        lane[k * step] = 1 + floor(gen_unit(&g) * 1024) * 0x1p-20;
      const int64_t most = count / 4, run = (int64_t)1 << gen_below(&g, 10), size = run < most ? run : most;
      const int64_t first = (int64_t)gen_below(&g, (uint64_t)(count - 4 * size) + 1);
      const int down = gen_chance(&g, 70) ? -1 : 1, least = wide ? 100 : 40, limit = wide ? 1020 : 125;
      const int way[2] = { down * (int)gen_int(&g, least, limit), down * (int)gen_int(&g, least, limit) };
      for (int64_t k = 0; k < 4 * size; k++)
        lane[(first + k) * step] = ldexp(lane[(first + k) * step], k / size < 2 ? way[k / size] : -way[k / size - 2]);
      if (gen_chance(&g, 10))
        lane[(int64_t)gen_below(&g, (uint64_t)count) * step] = gen_chance(&g, 50) ? 0 : -(double)INFINITY;
      if (gen_chance(&g, 10))
        lane[(first + (int64_t)gen_below(&g, 2)) * step] = gen_chance(&g, 50) ? -0.0 : (double)INFINITY;
    }
    hed_array *d = hed_from_host(v, axis ? HED_SHAPE(lanes, count) : HED_SHAPE(count, lanes), HED_FLOAT64);
    hed_array *x = hed_astype(d, wide ? HED_FLOAT64 : HED_FLOAT32);
    hed_array *y = hed_prod(x, &(hed_reduce){ .axes = HED_AXES(axis), .dtype = HED_FLOAT64 });
    if (!y || hed_to_host(y, got, (size_t)lanes * sizeof *got) != HED_OK)
      bail("prod: %s", hed_error_text());
    for (int64_t r = 0; r < lanes; r++) {
      int64_t e = 0;
      double m = 1;
      for (int64_t k = 0; k < count; k++)
        m = times(m, &e, v[r * next + k * step]);
      wrong += !near_to(got[r], ldexp(m, (int)e), (double)count * 0x1p-52);
    }
    RELEASE(y, x, d);
    free(v);
  }
  is_int(wrong, 0, "%s, %d threads: products that leave the range and come back", backend, api_threads);
}

/* Phases as numbers that grow and shrink again; integers that wrap. */
static void other_products(const char *backend)
{
  int wrong = 0, wrapped = 0;
  for (int trial = 0; trial < 30; trial++) {
    const int64_t n = 2 * gen_int(&g, 1, trial % 3 ? 300 : 80000);
    double *v = malloc((size_t)n * 2 * sizeof *v), got[2] = { 0, 0 };
    int64_t *w = malloc((size_t)n * sizeof *w), product = 0;
    uint64_t want = 1;
    double phase = 0;
    for (int64_t i = 0; i < n; i++) {
      const double turn = gen_double(&g, -3, 3), size = exp(i % 2 ? -200 : 200) * (i < n / 2 ? 1e9 : 1e-9);
      v[2 * i] = size * cos(turn);
      v[2 * i + 1] = size * sin(turn);
      phase = fmod(phase + turn, 2 * 3.14159265358979323846);
      w[i] = (int64_t)(gen_u64(&g) | 1);
      want *= (uint64_t)w[i];
    }
    hed_array *z = hed_from_host(v, HED_SHAPE(n), HED_COMPLEX128), *y = hed_prod(z, NULL);
    hed_array *i64 = hed_from_host(w, HED_SHAPE(n), HED_INT64), *p = hed_prod(i64, NULL);
    hed_array *i16 = hed_astype(i64, HED_INT16), *p16 = hed_prod(i16, NULL);
    uint64_t want16 = 1;
    int64_t product16 = 0;
    for (int64_t i = 0; i < n; i++)
      want16 *= (uint64_t)(int64_t)(int16_t)w[i];
    if (!y || !p || !p16 || hed_to_host(y, got, sizeof got) != HED_OK || hed_to_host(p, &product, sizeof product) != HED_OK
        || hed_to_host(p16, &product16, sizeof product16) != HED_OK)
      bail("prod: %s", hed_error_text());
    const double off = 1e-14 * (double)n + 1e-12;
    wrong += !(fabs(got[0] - cos(phase)) <= off && fabs(got[1] - sin(phase)) <= off);
    wrapped += (uint64_t)product != want || (uint64_t)product16 != want16;
    RELEASE(p16, i16, p, i64, y, z);
    free(w);
    free(v);
  }
  is_int(wrong, 0, "%s, %d threads: products of complex numbers", backend, api_threads);
  is_int(wrapped, 0, "%s, %d threads: products of integers", backend, api_threads);
}

/* ---- whole numbers side by side ---- */

static void columns(const char *backend)
{
  const hed_dtype types[] = { HED_BOOL, HED_INT8, HED_UINT8, HED_INT16, HED_UINT16, HED_INT32, HED_UINT32, HED_INT64, HED_UINT64 };
  int wrong = 0;
  for (int trial = 0; trial < scaled(90); trial++) {
    const hed_dtype t = types[trial % 9];
    const int64_t rows = gen_int(&g, 1, 40), n = gen_int(&g, 8, trial % 4 ? 60 : 2500);
    int64_t *v = malloc((size_t)(rows * n) * sizeof *v), *sum = calloc((size_t)n, sizeof *sum), *got = malloc((size_t)n * sizeof *got);
    uint64_t *product = malloc((size_t)n * sizeof *product);
    for (int64_t k = 0; k < n; k++)
      product[k] = 1;
    for (int64_t i = 0; i < rows * n; i++) {
      v[i] = gen_int(&g, trial % 2 && t != HED_BOOL ? 1 : 0, t == HED_BOOL ? 1 : 100);
      if (v[i] && (t == HED_INT8 || t == HED_INT16 || t == HED_INT32 || t == HED_INT64) && gen_chance(&g, 50))
        v[i] = -v[i];
      sum[i % n] += v[i];
      product[i % n] *= (uint64_t)v[i];
    }
    hed_array *wide = hed_from_host(v, HED_SHAPE(rows, n), HED_INT64), *x = hed_astype(wide, t);
    for (int op = 0; op < (t == HED_BOOL ? 3 : 2); op++) {
      hed_array *(*const f)(const hed_array *, const hed_reduce *) = op == 0 ? hed_sum : op == 1 ? hed_prod : hed_count_nonzero;
      hed_array *y = f(x, &(hed_reduce){ .axes = HED_AXES(0) });
      if (!y || hed_to_host(y, got, (size_t)n * sizeof *got) != HED_OK)
        bail("%s", hed_error_text());
      for (int64_t k = 0; k < n; k++)
        wrong += op == 1 ? (uint64_t)got[k] != product[k] : got[k] != sum[k];
      hed_release(y);
    }
    RELEASE(x, wide);
    free(product);
    free(got);
    free(sum);
    free(v);
  }
  is_int(wrong, 0, "%s, %d threads: sums and products of integers side by side", backend, api_threads);
}

/* ---- running sums ---- */

static void running(const char *backend)
{
  int wrong = 0, whole = 0, signs = 0;
  for (int trial = 0; trial < 20; trial++) { /* -0 until the first 0 */
    const int64_t n = gen_int(&g, 1, 70), at = gen_int(&g, 0, n);
    double v[70], got[70];
    for (int64_t k = 0; k < n; k++)
      v[k] = k == at ? 0.0 : -0.0;
    hed_array *d = hed_from_host(v, HED_SHAPE(n), HED_FLOAT64), *x = hed_astype(d, trial % 2 ? HED_FLOAT64 : HED_FLOAT32);
    hed_array *y = hed_cumsum(x, NULL), *z = hed_astype(y, HED_FLOAT64);
    if (!z || hed_to_host(z, got, (size_t)n * sizeof *got) != HED_OK)
      bail("cumsum: %s", hed_error_text());
    for (int64_t k = 0; k < n; k++)
      signs += got[k] != 0 || !signbit(got[k]) != (k >= at);
    RELEASE(z, y, x, d);
  }
  for (int trial = 0; trial < 40; trial++) {
    const int64_t rows = gen_int(&g, 1, 4), n = gen_int(&g, 1, trial % 4 ? 70 : 30000);
    const bool wide = gen_chance(&g, 50);
    const int odd = trial % 5 == 0; /* infinities of one sign: what comes before them stays as it is */
    double *v = malloc((size_t)(rows * n) * sizeof *v), *got = malloc((size_t)(rows * n) * sizeof *got);
    for (int64_t i = 0; i < rows * n; i++)
      v[i] = trial % 3 ? (double)gen_int(&g, -9, 9) : (double)(float)gen_normal(&g);
    if (odd)
      v[gen_below(&g, (uint64_t)(rows * n))] = (double)INFINITY;
    hed_array *d = hed_from_host(v, HED_SHAPE(rows, n), HED_FLOAT64), *x = hed_astype(d, wide ? HED_FLOAT64 : HED_FLOAT32);
    hed_array *y = hed_cumsum(x, &(hed_scan){ .axis = HED_AXES(1) }), *z = hed_astype(y, HED_FLOAT64);
    if (!z || hed_to_host(z, got, (size_t)(rows * n) * sizeof *got) != HED_OK)
      bail("cumsum: %s", hed_error_text());
    for (int64_t r = 0; r < rows; r++) {
      long double sum = 0, size = 0;
      for (int64_t k = 0; k < n; k++) {
        sum += (long double)v[r * n + k];
        size += fabsl((long double)v[r * n + k]);
        const double off = isinf((double)sum) ? got[r * n + k] != (double)sum : fabs(got[r * n + k] - (double)sum);
        wrong += !(off <= (wide ? 1e-13 : 1e-7) * (double)(isinf((double)sum) ? 0 : size));
        whole += trial % 3 && !odd && off != 0; /* sums of small integers are exact */
      }
    }
    RELEASE(z, y, x, d);
    free(got);
    free(v);
  }
  is_int(wrong, 0, "%s, %d threads: running sums", backend, api_threads);
  is_int(whole, 0, "%s, %d threads: running sums of integers in floats", backend, api_threads);
  is_int(signs, 0, "%s, %d threads: running sums of zeros", backend, api_threads);
}

/* ---- places ---- */

static void places(const char *backend)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_INT32, HED_UINT8, HED_INT64 };
  int wrong = 0;
  for (int trial = 0; trial < scaled(100); trial++) {
    const hed_dtype t = types[trial % 5];
    const int64_t rows = gen_int(&g, 1, 5), n = gen_int(&g, 1, trial % 4 ? 300 : 12000);
    double *v = malloc((size_t)(rows * n) * sizeof *v);
    int64_t got[2][5];
    for (int64_t i = 0; i < rows * n; i++)
      v[i] = (double)gen_int(&g, 0, trial % 3 ? 200 : 3);
    if (trial % 5 < 2 && trial % 2)
      for (int k = 0; k < 3; k++)
        v[gen_below(&g, (uint64_t)(rows * n))] = k ? (double)NAN : (double)INFINITY;
    hed_array *d = hed_from_host(v, HED_SHAPE(rows, n), HED_FLOAT64), *x = hed_astype(d, t);
    hed_array *most = hed_argmax(x, &(hed_reduce){ .axes = HED_AXES(1) });
    hed_array *least = hed_argmin(x, &(hed_reduce){ .axes = HED_AXES(1) });
    if (!most || !least || hed_to_host(most, got[0], (size_t)rows * 8) != HED_OK
        || hed_to_host(least, got[1], (size_t)rows * 8) != HED_OK)
      bail("argmax: %s", hed_error_text());
    for (int64_t r = 0; r < rows; r++)
      for (int side = 0; side < 2; side++) {
        int64_t at = 0;
        for (int64_t k = 1; k < n; k++) {
          const double a = v[r * n + at], b = v[r * n + k];
          if (a == a && (b != b || (side ? b < a : b > a)))
            at = k;
        }
        wrong += got[side][r] != at;
      }
    RELEASE(least, most, x, d);
    free(v);
  }
  is_int(wrong, 0, "%s, %d threads: places of the largest and the least", backend, api_threads);
}

/* ---- quantiles ---- */

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Values of KIND: spread evenly, few different ones, in order, one value alone, with infinities, with steep tails. */
static double value(int kind, int64_t i)
{
  switch (kind) {
  case 0: return gen_unit(&g);
  case 1: return (double)gen_int(&g, 0, 5);
  case 2: return (double)i;
  case 3: return 2.5;
  case 4: return gen_chance(&g, 60) ? gen_chance(&g, 50) ? (double)INFINITY : -(double)INFINITY : gen_normal(&g);
  default: return exp(20 * gen_normal(&g));
  }
}

static void quantiles(const char *backend)
{
  enum { KINDS = 6, MOST = 5 };
  int wrong[KINDS] = { 0 };
  for (int trial = 0; trial < 8 * KINDS; trial++) {
    const int kind = trial % KINDS, nq = (int)gen_int(&g, 1, MOST), holes = (int)gen_below(&g, 4); /* 3: most are NaN */
    const int64_t n = gen_int(&g, 1, trial % 3 ? 150000 : trial % 2 ? 300 : 600000);
    const bool wide = gen_chance(&g, 50), omit = gen_chance(&g, 70);
    double *v = malloc((size_t)n * sizeof *v), q[MOST], got[MOST];
    for (int k = 0; k < nq; k++)
      q[k] = gen_chance(&g, 30) ? (double)gen_int(&g, 0, 2) / 2 : gen_unit(&g);
    for (int64_t i = 0; i < n; i++)
      v[i] = holes > 1 && gen_chance(&g, holes == 3 ? 80 : 10) ? (double)NAN : (double)(float)value(kind, i);
    hed_array *d = hed_from_host(v, HED_SHAPE(n), HED_FLOAT64), *t = hed_astype(d, wide ? HED_FLOAT64 : HED_FLOAT32);
    hed_array *x = laid_out(t, (int64_t[]){ 1, 1, -2 }[gen_below(&g, 3)]);
    hed_array *y = hed_quantile(x, nq, q, &(hed_quantiles){ .omit_nan = omit, .dtype = HED_FLOAT64 });
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
      if (v[i] == v[i])
        v[m++] = v[i];
    qsort(v, (size_t)m, sizeof *v, compare);
    if (!y || hed_to_host(y, got, (size_t)nq * sizeof *got) != HED_OK)
      bail("quantile: %s", hed_error_text());
    for (int k = 0; k < nq; k++) {
      const double at = q[k] * (double)(m - 1);
      const int64_t low = (int64_t)at, high = low + 1 < m ? low + 1 : low;
      const double rest = at - (double)low;
      double want = (double)NAN;
      if (m > 0 && (m == n || omit))
        want = rest == 0 || v[low] == v[high] ? v[low]
               : isinf(v[low]) || isinf(v[high]) ? v[low] + v[high] : v[low] + (v[high] - v[low]) * rest;
      wrong[kind] += want == 0 ? got[k] != 0 : !near_to(got[k], want, 1e-12);
    }
    RELEASE(y, x, t, d);
    free(v);
  }
  for (int k = 0; k < KINDS; k++)
    is_int(wrong[k], 0, "%s, %d threads: quantiles of values of kind %d", backend, api_threads, k);
}

/* Places of a sample of N as the cpu backend takes it. */
static void sampled(int64_t n, int64_t count, int64_t *place)
{
  uint64_t random = 0x9e3779b97f4a7c15u;
  for (int64_t i = 0; i < count; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    place[i] = i * (n / count) + (int64_t)((random >> 33) % (uint64_t)(n / count));
  }
}

/* The sample ascends; of the others so many are below that each of its values has the wanted rank once. */
static void at_the_edge(const char *backend)
{
  enum { N = 20000, COUNT = 1024 };
  static double v[N];
  static int64_t place[COUNT];
  const double q[] = { 0.5, 0.50002 };
  int wrong = 0;
  sampled(N, COUNT, place);
  for (int64_t below = N / 2 - COUNT - 3; below < N / 2 + 3; below++) {
    int64_t left = below;
    for (int64_t i = 0, k = 0; i < N; i++)
      if (k < COUNT && place[k] == i)
        v[i] = (double)(++k);
      else
        v[i] = left-- > 0 ? 0 : 1e4;
    double got[2];
    hed_array *x = hed_from_host(v, HED_SHAPE(N), HED_FLOAT64), *y = hed_quantile(x, 2, q, NULL);
    if (!y || hed_to_host(y, got, sizeof got) != HED_OK)
      bail("quantile: %s", hed_error_text());
    for (int k = 0; k < 2; k++) {
      const double at = q[k] * (N - 1);
      double two[2];
      for (int side = 0; side < 2; side++) {
        const int64_t rank = (int64_t)at + side - below;
        two[side] = rank < 0 ? 0 : rank < COUNT ? (double)(rank + 1) : 1e4;
      }
      const double want = two[0] + (two[1] - two[0]) * (at - floor(at));
      wrong += want == 0 ? got[k] != 0 : !near_to(got[k], want, 1e-9);
    }
    RELEASE(x, y);
  }
  is_int(wrong, 0, "%s, %d threads: quantiles at the edge of what a sample leaves", backend, api_threads);
}

/* Where the sample is taken, nothing is like the rest of the lane. */
static void unlucky(const char *backend)
{
  enum { COUNT = 1024 };
  const int64_t n = 40000;
  const double q[] = { 0.5, 0.75 };
  double *v = malloc((size_t)n * sizeof *v), got[2];
  int64_t place[COUNT];
  int wrong = 0;
  for (int64_t i = 0; i < n; i++)
    v[i] = gen_double(&g, -1, 1);
  sampled(n, COUNT, place);
  for (int64_t i = 0; i < COUNT; i++)
    v[place[i]] = i % 2 ? 1e6 : -1e6;
  hed_array *x = hed_from_host(v, HED_SHAPE(n), HED_FLOAT64), *y = hed_quantile(x, 2, q, NULL);
  if (!y || hed_to_host(y, got, sizeof got) != HED_OK)
    bail("quantile: %s", hed_error_text());
  qsort(v, (size_t)n, sizeof *v, compare);
  for (int k = 0; k < 2; k++) {
    const double at = q[k] * (double)(n - 1);
    const int64_t low = (int64_t)at;
    wrong += !near_to(got[k], v[low] + (v[low + 1] - v[low]) * (at - (double)low), 1e-12);
  }
  is_int(wrong, 0, "%s, %d threads: quantiles of what no sample shows", backend, api_threads);
  RELEASE(y, x);
  free(v);
}

/* Columns side by side: more rows than a byte counts, widths round those of vectors, one column full and one empty, zeros
 * with a sign and NaN. */
static void truth_of_columns(const char *backend)
{
  enum { ROWS = 601, MOST = 300 };
  static const int64_t widths[] = { 8, 63, 64, 129, MOST };
  const hed_dtype types[] = { HED_BOOL, HED_INT8, HED_UINT16, HED_INT32, HED_INT64, HED_FLOAT16, HED_FLOAT32, HED_FLOAT64,
                              HED_COMPLEX64, HED_COMPLEX128 };
  static double list[ROWS * MOST], got[MOST];
  const hed_reduce rows = { .axes = { 1, { 0 } } };
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
      const int64_t n = widths[w];
      int64_t want[MOST] = { 0 };
      for (int64_t i = 0; i < ROWS * n; i++) {
        const double some = t >= 5 && i % 3 ? (double)NAN : t == 0 ? 1 : 2;
        const bool holds = i % n == 1 || (i % n != 2 && gen_chance(&g, 50));
        list[i] = holds ? some : t >= 5 ? -0.0 : 0;
        want[i % n] += holds;
      }
      hed_array *x = hed_from_doubles(list, HED_SHAPE(ROWS, n), types[t]);
      hed_array *r[3] = { hed_count_nonzero(x, &rows), hed_any(x, &rows), hed_all(x, &rows) };
      int wrong = 0;
      for (int k = 0; k < 3; k++) {
        if (!r[k] || hed_tolist(r[k], got, n) != HED_OK)
          bail("truth of columns: %s", hed_error_text());
        for (int64_t i = 0; i < n; i++)
          wrong += got[i] != (k == 0 ? (double)want[i] : k == 1 ? want[i] > 0 : want[i] == ROWS);
        hed_release(r[k]);
      }
      is_int(wrong, 0, "%s: %s, %d columns", backend, hed_dtype_name(types[t]), (int)n);
      hed_release(x);
    }
}

static void all(const char *backend)
{
  truth(backend);
  truth_of_columns(backend);
  products(backend);
  dips(backend);
  other_products(backend);
  columns(backend);
  running(backend);
  places(backend);
  quantiles(backend);
  unlucky(backend);
  at_the_edge(backend);
}

int main(void)
{
  gen_seed(&g, tap_seed());
  api_each_context(all);
  done_testing();
  return done();
}
