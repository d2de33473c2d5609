// SPDX-License-Identifier: BSD-3-Clause
/* Norms, inner products and what is made of them against sums in long double: random shapes, layouts, types and orders;
 * numbers at the ends of the range, infinities and NaN; lanes in pieces, whose values are the same with any number of threads.
 */
#include "api.h"
#include "gen.h"
#include <complex.h>
#include <math.h>
#include <string.h>

typedef long double complex exact;

static gen g;

enum { MOST = 1 << 20 };
static double complex left[MOST], right[MOST];
static double got[2 * MOST];

static bool is_complex(hed_dtype t) { return hed_dtype_kind(t) == HED_KIND_COMPLEX; }

/* The precision of results, and the smallest number above 0. */
static double unit_of(hed_dtype t)
{
  return t == HED_FLOAT16 ? 0x1p-10 : t == HED_BFLOAT16 ? 0x1p-7 : t == HED_FLOAT32 || t == HED_COMPLEX64 ? 0x1p-23 : 0x1p-52;
}

static double least_of(hed_dtype t)
{
  return t == HED_FLOAT16 ? 0x1p-24 : t == HED_BFLOAT16 ? 0x1p-133 : t == HED_FLOAT32 || t == HED_COMPLEX64 ? 0x1p-149 : 0x1p-1074;
}

static double largest_of(hed_dtype t)
{
  return t == HED_FLOAT16 ? 65504 : t == HED_BFLOAT16 ? 0x1.fep127 : t == HED_FLOAT32 || t == HED_COMPLEX64 ? 0x1.fffffep127
                                                                                                     : 0x1.fffffffffffffp1023;
}

/* An infinite part counts, whatever is beside it. */
static long double size_of(double complex z) { return hypotl(creal(z), cimag(z)); }

/* The norm of N numbers, STEP apart. */
static long double norm_of(int64_t n, const double complex *x, int64_t step, double order)
{
  long double most = 0, least = INFINITY, count = 0, sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const long double v = size_of(x[i * step]);
    count += v != 0;
    most = v != v || most != most ? (long double)NAN : fmaxl(most, v);
    least = v != v || least != least ? (long double)NAN : fminl(least, v);
  }
  const long double scale = order > 0 ? most : least;
  if (order == 0)
    return count;
  if (isinf(order) || scale == 0 || !isfinite((double)scale))
    return scale;
  for (int64_t i = 0; i < n; i++)
    sum += powl(size_of(x[i * step]) / scale, order);
  return scale * powl(sum, 1 / (long double)order);
}

/* V, as a result of type T of N numbers, is WANT but for what REL, in units, allows. */
static bool near(double v, long double want, double rel, int64_t n, hed_dtype t)
{
  if (want != want)
    return v != v;
  if (fabsl(want) > (long double)largest_of(t))
    return isinf(v) || fabs(v) >= largest_of(t) * (1 - rel * unit_of(t));
  return fabsl((long double)v - want) <= rel * unit_of(t) * fabsl(want) + (double)(n + 2) * least_of(t);
}

/* The only element of X, in a scope. */
static double number(const hed_array *x)
{
  double v = -1;
  if (!x || hed_item(x, &v) != HED_OK)
    diag("%s", hed_error_text());
  return v;
}

/* ---- norms ---- */

/* What numbers are like. */
typedef enum character { USUAL, LARGE, TINY, NOTHING, ODD, CHARACTERS } character;

static double part(character c, hed_dtype t)
{
  static const double odd[] = { 0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN };
  const double v = gen_double(&g, -4, 4);
  const bool wide = t == HED_FLOAT64 || t == HED_COMPLEX128, small = hed_dtype_size(t) == 2;
  switch (c) {
  case LARGE: return v * (wide ? 0x1p1015 : t == HED_FLOAT16 ? 0x1p8 : 0x1p120);
  case TINY: return v * (wide ? 0x1p-1066 : small ? 0x1p-20 : 0x1p-144);
  case NOTHING: return 0;
  case ODD: return gen_chance(&g, 10) ? odd[gen_below(&g, 5)] : v;
  default: return v;
  }
}

/* COUNT numbers of type T, as it rounds them, to VALUES. */
static hed_array *numbers(hed_shape shape, int64_t count, hed_dtype t, character c, double complex *values)
{
  for (int64_t i = 0; i < count; i++)
    values[i] = CMPLX(part(c, t), is_complex(t) ? part(c, t) : 0);
  hed_array *x = hed_from_host(values, shape, HED_COMPLEX128), *y = hed_astype(is_complex(t) ? x : hed_real(x), t);
  hed_array *back = hed_astype(y, HED_COMPLEX128);
  if (!back || hed_to_host(back, values, (size_t)count * sizeof *values) != HED_OK)
    bail("cannot make numbers: %s", hed_error_text());
  return y;
}

/* ROWS x N numbers by rows, in memory that lies otherwise. */
static hed_array *lying(hed_array *x)
{
  switch (gen_below(&g, 4)) {
  case 0: return x;
  case 1: return hed_transpose(hed_copy(hed_transpose(x, NULL)), NULL);
  case 2: return hed_flip(hed_copy(hed_flip(x, NULL)), NULL);
  default: {
    hed_array *twice = hed_repeat(x, 2, &HED_AXES(1));
    return hed_slice(twice, 2, (hed_slice_range[]){ HED_ALL, HED_RANGE(0, HED_SLICE_END, 2) });
  }
  }
}

static void norms(const char *name)
{
  static const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128, HED_FLOAT16, HED_BFLOAT16, HED_INT16 };
  static const double orders[] = { 0, 1, 2, INFINITY, -INFINITY, 3, 2.5, 0.5, -1, 7 };
  for (int k = 0; k < 10; k++) {
    int wrong[7] = { 0 };
    for (int trial = 0; trial < scaled(42); trial++)
      HED_SCOPE {
        const int type = trial % 7;
        const hed_dtype t = types[type];
        const bool small = hed_dtype_size(t) == 2, extreme = type < 4;
        const character c = gen_chance(&g, 60) || !extreme ? USUAL : (character)gen_below(&g, CHARACTERS);
        const int64_t rows = gen_int(&g, 1, gen_chance(&g, 20) ? 400 : 40), n = gen_int(&g, 1, gen_chance(&g, 20) ? 900 : 40);
        hed_array *x = lying(numbers(HED_SHAPE(rows, n), rows * n, t, c, left)), *r;
        const int axes = (int)gen_below(&g, 3); /* columns, rows, all */
        r = hed_vector_norm(x, orders[k], axes < 2 ? &(hed_reduce){ .axes = HED_AXES(axes) } : NULL);
        const int64_t results = axes == 0 ? n : axes == 1 ? rows : 1, count = rows * n / results;
        hed_array *d = hed_astype(r, HED_FLOAT64);
        if (!d || hed_array_size(r) != results || hed_to_host(d, got, (size_t)results * sizeof *got) != HED_OK) {
          wrong[type]++;
          continue;
        }
        for (int64_t i = 0; i < results; i++) {
          const long double want = axes == 0 ? norm_of(rows, left + i, n, orders[k])
                                   : norm_of(count, axes == 1 ? left + i * n : left, 1, orders[k]);
          const bool good = near(got[i], want, small ? 2 : orders[k] < 1 ? 200 : 40, orders[k] < 1 ? count * count : count,
                                 hed_array_dtype(r));
          if (!good && !wrong[type])
            diag("%s, order %g, character %d, result %lld of %lld x %lld: %.17g, not %.17Lg", hed_dtype_name(t), orders[k], (int)c,
                 (long long)i, (long long)rows, (long long)n, got[i], want);
          wrong[type] += !good;
        }
      }
    for (int type = 0; type < 7; type++)
      is_int(wrong[type], 0, "%s: norms of order %g of %s", name, orders[k], hed_dtype_name(types[type]));
  }
}

/* An infinite part decides, also beside a NaN; a NaN elsewhere does before it. */
static void beside(const char *name)
{
  const double complex z[] = { 3, CMPLX(INFINITY, NAN), 4 }, n[] = { CMPLX(1, NAN), CMPLX(INFINITY, NAN), 4 };
  for (int type = 0; type < 2; type++)
    for (int k = 0; k < 3; k++)
      HED_SCOPE {
        const double order = k == 0 ? 1 : k == 1 ? 2 : (double)INFINITY;
        const hed_dtype t = type ? HED_COMPLEX128 : HED_COMPLEX64;
        const double a = number(hed_vector_norm(hed_astype(hed_from_host(z, HED_SHAPE(3), HED_COMPLEX128), t), order, NULL));
        const double b = number(hed_vector_norm(hed_astype(hed_from_host(n, HED_SHAPE(3), HED_COMPLEX128), t), order, NULL));
        ok(isinf(a) && isnan(b), "%s: order %g of %s with infinities and NaN: %g, %g", name, order, hed_dtype_name(t), a, b);
      }
}

/* ---- inner products ---- */

static void dots(const char *name)
{
  static const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  int wrong[4] = { 0 }, flat[4] = { 0 };
  for (int trial = 0; trial < scaled(80); trial++)
    HED_SCOPE {
      const int type = trial % 4;
      const hed_dtype t = types[type];
      const bool once = gen_chance(&g, 20); /* one vector for all */
      const int64_t rows = gen_int(&g, 1, gen_chance(&g, 20) ? 600 : 30), n = gen_int(&g, 1, gen_chance(&g, 20) ? 1200 : 40);
      hed_array *x = lying(numbers(HED_SHAPE(rows, n), rows * n, t, USUAL, left));
      hed_array *y = numbers(once ? HED_SHAPE(1, n) : HED_SHAPE(rows, n), once ? n : rows * n, t, USUAL, right);
      const bool columns = !once && gen_chance(&g, 40);
      hed_array *r = hed_astype(hed_vecdot(x, once ? y : lying(y), columns ? 0 : 1), HED_COMPLEX128);
      const int64_t results = columns ? n : rows, count = columns ? rows : n;
      if (!r || hed_array_size(r) != results || hed_to_host(r, got, (size_t)results * 2 * sizeof *got) != HED_OK)
        wrong[type]++;
      exact all = 0;
      long double all_sizes = 0;
      for (int64_t i = 0; r && i < results; i++) {
        exact want = 0;
        long double sizes = 0;
        for (int64_t j = 0; j < count; j++) {
          const int64_t at = columns ? j * n + i : i * n + j;
          const double complex a = left[at], b = right[once ? j : at];
          want += conjl((exact)a) * (exact)b;
          sizes += size_of(a) * size_of(b);
        }
        all += want;
        all_sizes += sizes;
        const long double off = fabsl(got[2 * i] - creall(want)) + fabsl(got[2 * i + 1] - cimagl(want));
        wrong[type] += !(off <= 20 * unit_of(t) * sizes);
      }
      if (!once) {
        double v[2] = { 0, 0 };
        hed_array *one = hed_astype(hed_vdot(x, y), HED_COMPLEX128);
        flat[type] += !one || hed_to_host(one, v, sizeof v) != HED_OK
                      || !(fabsl(v[0] - creall(all)) + fabsl(v[1] - cimagl(all)) <= 20 * unit_of(t) * all_sizes);
      }
    }
  for (int type = 0; type < 4; type++) {
    is_int(wrong[type], 0, "%s: inner products of %s along axes", name, hed_dtype_name(types[type]));
    is_int(flat[type], 0, "%s: of all %s", name, hed_dtype_name(types[type]));
  }
}

/* ---- long lanes ---- */

static void pieces(void)
{
  static const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  static const double orders[] = { 0, 1, 2, INFINITY, -INFINITY, 3, 2.5 };
  for (int type = 0; type < 4; type++)
    HED_SCOPE {
      const hed_dtype t = types[type], real = is_complex(t) ? (t == HED_COMPLEX64 ? HED_FLOAT32 : HED_FLOAT64) : t;
      const int64_t n = gen_int(&g, 300000, MOST / 2);
      hed_array *x = numbers(HED_SHAPE(2, n), 2 * n, t, USUAL, left);
      int wrong = 0, apart = 0;
      for (int k = 0; k < 7; k++) {
        hed_array *r[4] = { NULL };
        if (scaled(3) < 3 && !thorough(type + k))
          continue;
        for (int threads = 1; threads < 4; threads++) {
          char spec[32];
          snprintf(spec, sizeof spec, "cpu;threads=%d", threads);
          HED_BACKEND_CONTEXT(spec)
            r[threads] = hed_vector_norm(x, orders[k], &(hed_reduce){ .axes = HED_AXES(1) });
          apart += !r[threads] || !same_array(r[1], r[threads]);
        }
        hed_array *d = hed_astype(r[1], HED_FLOAT64);
        if (hed_to_host(d, got, 2 * sizeof *got) != HED_OK)
          wrong++;
        for (int i = 0; i < 2; i++)
          wrong += !near(got[i], norm_of(n, left + i * n, 1, orders[k]), 100, n, real);
      }
      hed_array *one = NULL, *more = NULL;
      HED_BACKEND_CONTEXT("cpu;threads=1")
        one = hed_vecdot(x, x, 1);
      HED_BACKEND_CONTEXT("cpu;threads=3")
        more = hed_vecdot(x, x, 1);
      apart += !one || !more || !same_array(one, more);
      hed_array *d = hed_astype(one, HED_COMPLEX128);
      if (!d || hed_to_host(d, got, 4 * sizeof *got) != HED_OK)
        wrong++;
      for (int i = 0; i < 2; i++) {
        const long double norm = norm_of(n, left + i * n, 1, 2);
        wrong += !(fabsl(got[2 * i] - norm * norm) + fabs(got[2 * i + 1]) <= 100 * unit_of(t) * norm * norm);
      }
      is_int(wrong, 0, "long lanes of %s", hed_dtype_name(t));
      is_int(apart, 0, "the same with any number of threads");
    }
}

/* ---- what is made of them ---- */

static void made(const char *name)
{
  static const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64 };
  for (int type = 0; type < 2; type++) {
    const hed_dtype t = types[type];
    const double unit = unit_of(t), far = type ? 0x1p1000 : 0x1p100;
    int units = 0, cosines = 0, averages = 0, losses = 0;
    for (int trial = 0; trial < 12; trial++)
      HED_SCOPE {
        const bool large = trial >= 9;
        const int64_t rows = gen_int(&g, 1, large ? 900 : 30), n = large ? gen_int(&g, 100000, MOST) / rows : gen_int(&g, 1, 50);
        hed_array *x = numbers(HED_SHAPE(rows, n), rows * n, t, USUAL, left), *r;
        hed_array *y = numbers(HED_SHAPE(rows, n), rows * n, t, USUAL, right);
        hed_array *z = hed_multiply_scalar(x, far); /* squares leave the range */
        hed_array *u = hed_astype(hed_normalize_vector(z, &HED_AXES(1)), HED_FLOAT64);
        units += !u || hed_to_host(u, got, (size_t)(rows * n) * sizeof *got) != HED_OK;
        for (int64_t i = 0; i < rows; i++) {
          const long double norm = norm_of(n, left + i * n, 1, 2);
          for (int64_t j = 0; j < n; j++)
            units += !(fabsl(got[i * n + j] - (long double)creal(left[i * n + j]) / norm) <= 10 * unit);
        }
        r = hed_astype(hed_cosine_similarity(x, hed_index(y, 0, 0), 1), HED_FLOAT64);
        cosines += !r || hed_to_host(r, got, (size_t)rows * sizeof *got) != HED_OK;
        for (int64_t i = 0; i < rows; i++) {
          long double sum = 0, mass = norm_of(n, left + i * n, 1, 2) * norm_of(n, right, 1, 2);
          for (int64_t j = 0; j < n; j++)
            sum += (long double)creal(left[i * n + j]) * (long double)creal(right[j]);
          cosines += !(fabsl(got[i] - sum / mass) <= 60 * unit);
        }
        hed_array *w = hed_abs(hed_index(y, 1, 0));
        r = hed_astype(hed_average(x, w, &(hed_reduce){ .axes = HED_AXES(0), .keepdims = trial % 2 }), HED_FLOAT64);
        averages += !r || hed_array_ndim(r) != 1 + trial % 2 || hed_to_host(r, got, (size_t)n * sizeof *got) != HED_OK;
        for (int64_t j = 0; j < n; j++) {
          long double sum = 0, mass = 0;
          for (int64_t i = 0; i < rows; i++) {
            sum += (long double)creal(left[i * n + j]) * fabsl(creal(right[i * n]));
            mass += fabsl(creal(right[i * n]));
          }
          averages += !(fabsl(got[j] - sum / mass) <= 40 * unit);
        }
        r = hed_astype(hed_average(x, hed_full(HED_SHAPE(1), 2, t), &(hed_reduce){ .axes = HED_AXES(0) }), HED_FLOAT64);
        averages += !r || hed_to_host(r, got, (size_t)n * sizeof *got) != HED_OK;
        for (int64_t j = 0; j < n; j++) {
          long double sum = 0;
          for (int64_t i = 0; i < rows; i++)
            sum += (long double)creal(left[i * n + j]);
          averages += !(fabsl(got[j] - sum / (long double)rows) <= 40 * unit);
        }
        const double delta = gen_double(&g, 0.5, 3);
        long double square = 0, absolute = 0, huber = 0;
        for (int64_t i = 0; i < rows * n; i++) {
          const long double e = fabsl(creal(left[i]) - creal(right[i])), q = e < delta ? e : delta;
          square += e * e;
          absolute += e;
          huber += q * q / 2 + delta * (e - q);
        }
        const long double all = (long double)(rows * n);
        losses += !near(number(hed_mse(x, y, NULL)), square / all, 20, rows * n, t);
        losses += !near(number(hed_mean_absolute_error(x, y, NULL)), absolute / all, 20, rows * n, t);
        losses += !near(number(hed_huber_loss(x, y, &(hed_loss){ .delta = delta })), huber / all, 20, rows * n, t);
        for (int64_t i = 0; i < rows; i++)
          ((int64_t *)(void *)got)[i] = (int64_t)gen_below(&g, (uint64_t)n);
        hed_array *labels = hed_from_host(got, HED_SHAPE(rows), HED_INT64);
        long double cross = 0;
        for (int64_t i = 0; i < rows; i++) {
          const double p = creal(left[i * n + ((const int64_t *)(const void *)got)[i]]);
          cross -= logl(p < 1e-7 ? 1e-7L : p > 1 - 1e-7 ? 1 - 1e-7L : (long double)p);
        }
        losses += !(fabsl(number(hed_sparse_categorical_crossentropy(x, labels, NULL)) - cross / (long double)rows)
                    <= 100 * unit + 20 * unit * fabsl(cross) / (long double)rows);
      }
    is_int(units, 0, "%s: unit vectors of %s", name, hed_dtype_name(t));
    is_int(cosines, 0, "%s: cosines of %s with one vector", name, hed_dtype_name(t));
    is_int(averages, 0, "%s: weighted averages of %s", name, hed_dtype_name(t));
    is_int(losses, 0, "%s: losses of %s", name, hed_dtype_name(t));
  }
}

int main(void)
{
  gen_seed(&g, tap_seed());
  api_each_context(norms);
  api_each_context(beside);
  api_each_context(dots);
  api_each_context(made);
  if (hed_backend_require("cpu") == HED_OK)
    HED_BACKEND_CONTEXT("cpu")
      pieces();
  done_testing();
  return done();
}
