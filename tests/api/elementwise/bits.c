// SPDX-License-Identifier: BSD-3-Clause
/* Packed bits bit by bit, majorities by counting, Hamming distances; phases against the C library; unitary factors by what
 * defines them; isotonic sequences by the formula of maxima of minima.
 */
#include "api.h"
#include "gen.h"

#include <math.h>

enum { MOST = 1 << 14 };

static bool read_out(hed_array *x, hed_dtype t, void *to, size_t bytes)
{
  const bool good = x && hed_array_dtype(x) == t && hed_array_size(x) * (int64_t)hed_dtype_size(t) == (int64_t)bytes
                    && hed_to_host(x, to, bytes) == HED_OK;
  if (!good)
    diag("%s", x ? "another dtype or size" : hed_error_text());
  hed_release(x);
  return good;
}

static int bit(const uint64_t *row, int64_t i) { return row[i / 64] >> i % 64 & 1; }

/* The last axis of X reversed twice by copies: values as before, strides that are not C order's. */
static hed_array *spread_out(const hed_array *x)
{
  hed_array *flipped = hed_flip(x, NULL), *copy = hed_copy(flipped), *back = hed_flip(copy, NULL);
  RELEASE(flipped, copy);
  return back;
}

/* ---- packed bits ---- */

static void packs(gen *g, int64_t rows, int64_t n)
{
  const int64_t w = (n + 63) / 64;
  unsigned char *bits = calloc((size_t)(rows * n + 1), 1), *back = calloc((size_t)(rows * n + 1), 1);
  int16_t *numbers = calloc((size_t)(rows * n + 1), sizeof *numbers);
  uint64_t *words = calloc((size_t)(rows * w + 1), sizeof *words), *again = calloc((size_t)(rows * w + 1), sizeof *again);
  int bad = 0;
  for (int64_t k = 0; k < rows * n; k++) {
    bits[k] = gen_chance(g, 50);
    numbers[k] = bits[k] ? (int16_t)(gen_below(g, 2) ? -256 : 3) : 0;
  }
  hed_array *x = hed_from_host(bits, HED_SHAPE(rows, n), HED_BOOL), *i16 = hed_from_host(numbers, HED_SHAPE(rows, n), HED_INT16);
  hed_array *odd = spread_out(x);
  if (read_out(hed_pack_bits(x), HED_UINT64, words, (size_t)(rows * w) * 8)) {
    for (int64_t r = 0; r < rows; r++)
      for (int64_t i = 0; i < 64 * w; i++)
        bad += bit(words + r * w, i) != (i < n && bits[r * n + i]);
  } else {
    bad++;
  }
  bad += !read_out(hed_pack_bits(i16), HED_UINT64, again, (size_t)(rows * w) * 8) || memcmp(words, again, (size_t)(rows * w) * 8) != 0;
  bad += !read_out(hed_pack_bits(odd), HED_UINT64, again, (size_t)(rows * w) * 8) || memcmp(words, again, (size_t)(rows * w) * 8) != 0;
  hed_array *p = hed_from_host(words, HED_SHAPE(rows, w), HED_UINT64), *strange = spread_out(p);
  bad += !read_out(hed_unpack_bits(p, n), HED_BOOL, back, (size_t)(rows * n)) || memcmp(bits, back, (size_t)(rows * n)) != 0;
  bad += !read_out(hed_unpack_bits(strange, n), HED_BOOL, back, (size_t)(rows * n)) || memcmp(bits, back, (size_t)(rows * n)) != 0;
  is_int(bad, 0, "%d rows of %d bits", (int)rows, (int)n);
  hed_array *all[] = { x, i16, odd, p, strange };
  for (int k = 0; k < 5; k++)
    hed_release(all[k]);
  free(bits);
  free(back);
  free(numbers);
  free(words);
  free(again);
}

static void counts(gen *g, int64_t q, int64_t n, int64_t w)
{
  static uint64_t a[MOST], b[MOST];
  static int32_t got[MOST];
  int bad = 0;
  for (int64_t k = 0; k < q * w; k++)
    a[k] = gen_u64(g);
  for (int64_t k = 0; k < n * w; k++)
    b[k] = gen_chance(g, 20) ? a[k % (q * w)] : gen_u64(g) & gen_u64(g);
  hed_array *x = hed_from_host(a, HED_SHAPE(q, w), HED_UINT64), *y = hed_from_host(b, HED_SHAPE(n, w), HED_UINT64);
  bad = !read_out(hed_hamming_matrix(x, y), HED_INT32, got, (size_t)(q * n) * 4);
  for (int64_t i = 0; i < q && !bad; i++)
    for (int64_t j = 0; j < n; j++) {
      int32_t want = 0;
      for (int64_t k = 0; k < 64 * w; k++)
        want += bit(a + i * w, k) != bit(b + j * w, k);
      bad += got[i * n + j] != want;
    }
  is_int(bad, 0, "distances of %d and %d rows of %d words", (int)q, (int)n, (int)w);
  RELEASE(x, y);
}

static void majorities(gen *g, int64_t batch, int64_t n, int64_t w)
{
  static uint64_t x[MOST], ties[64], got[MOST];
  int bad = 0, level = 0;
  for (int64_t k = 0; k < batch * n * w; k++)
    x[k] = gen_u64(g);
  for (int64_t k = 0; k < w; k++)
    ties[k] = gen_u64(g);
  hed_array *a = hed_from_host(x, HED_SHAPE(batch, n, w), HED_UINT64), *t = hed_from_host(ties, HED_SHAPE(w), HED_UINT64);
  for (int tied = 0; tied < 2; tied++) {
    bad += !read_out(hed_majority_bits(a, tied ? t : NULL), HED_UINT64, got, (size_t)(batch * w) * 8);
    for (int64_t r = 0; r < batch && !bad; r++)
      for (int64_t i = 0; i < 64 * w; i++) {
        int64_t ones = 0;
        for (int64_t k = 0; k < n; k++)
          ones += bit(x + (r * n + k) * w, i);
        level += 2 * ones == n;
        bad += bit(got + r * w, i) != (2 * ones == n ? tied && bit(ties, i) : 2 * ones > n);
      }
  }
  ok(bad == 0 && (n % 2 == 1 || level > 0), "majorities of %d x %d rows of %d words: %d wrong, %d ties", (int)batch, (int)n,
     (int)w, bad, level);
  RELEASE(a, t);
}

/* Weights up to MOST: sums of 16, 32 and 64 bits. */
static void weighed(gen *g, int64_t q, int64_t n, int64_t w, int64_t most)
{
  static uint64_t x[MOST], ties[64], got[MOST];
  static int32_t weight[MOST];
  int bad = 0, level = 0;
  for (int64_t k = 0; k < n * w; k++)
    x[k] = gen_u64(g);
  for (int64_t k = 0; k < w; k++)
    ties[k] = gen_u64(g);
  for (int64_t k = 0; k < q * n; k++)
    weight[k] = most == 1 && k < n ? 0 : (int32_t)gen_int(g, -most, most); /* the first row is all ties */
  hed_array *a = hed_from_host(x, HED_SHAPE(n, w), HED_UINT64), *t = hed_from_host(ties, HED_SHAPE(w), HED_UINT64);
  hed_array *by = hed_from_host(weight, HED_SHAPE(q, n), HED_INT32), *odd = spread_out(a), *strange = spread_out(by);
  for (int form = 0; form < 4; form++) {
    const bool tied = form & 1;
    hed_array *out = hed_weighted_majority_bits(form & 2 ? odd : a, form & 2 ? strange : by, tied ? t : NULL);
    bad += !read_out(out, HED_UINT64, got, (size_t)(q * w) * 8);
    for (int64_t r = 0; r < q && !bad; r++)
      for (int64_t i = 0; i < 64 * w; i++) {
        int64_t more = 0;
        for (int64_t k = 0; k < n; k++)
          more += bit(x + k * w, i) ? (int64_t)weight[r * n + k] : -(int64_t)weight[r * n + k];
        level += more == 0;
        bad += bit(got + r * w, i) != (more == 0 ? tied && bit(ties, i) : more > 0);
      }
  }
  ok(bad == 0 && (most > 1 || level > 0), "%d rows of %d weights up to %lld, %d words: %d wrong, %d ties", (int)q, (int)n,
     (long long)most, (int)w, bad, level);
  hed_array *all[] = { a, t, by, odd, strange };
  for (int k = 0; k < 5; k++)
    hed_release(all[k]);
}

static void bits(const char *backend)
{
  static const int64_t lengths[] = { 0, 1, 63, 64, 65, 127, 1003, 10000 }, most[] = { 1, 900, 1000000, INT32_MAX };
  gen g;
  gen_seed(&g, tap_seed());
  diag("packed bits on %s", backend);
  for (int k = 0; k < 8; k++)
    packs(&g, k % 3 + 1, lengths[k]);
  for (int k = 0; k < 8; k++)
    counts(&g, gen_int(&g, 1, 9), gen_int(&g, 1, 20), gen_int(&g, 1, k < 4 ? 20 : 200));
  for (int k = 0; k < 12; k++)
    majorities(&g, gen_int(&g, 1, 3), k < 4 ? k + 1 : gen_int(&g, 4, 70), gen_int(&g, 1, 40));
  for (int k = 0; k < 8; k++)
    weighed(&g, gen_int(&g, 1, 4), gen_int(&g, k < 4 ? 1 : 20, 30), gen_int(&g, 1, 40), most[k % 4]);
}

static void refusals(const char *backend)
{
  diag("what is refused on %s", backend);
  hed_array *a = hed_zeros(HED_SHAPE(2, 3), HED_UINT64), *i32 = hed_zeros(HED_SHAPE(2, 3), HED_INT32);
  hed_array *b = hed_zeros(HED_SHAPE(2, 4), HED_UINT64), *one = hed_zeros(HED_SHAPE0, HED_UINT64);
  hed_array *none = hed_zeros(HED_SHAPE(0, 3), HED_UINT64), *row = hed_zeros(HED_SHAPE(3), HED_UINT64);
  hed_array *f = hed_zeros(HED_SHAPE(3), HED_FLOAT32), *z = hed_zeros(HED_SHAPE(3), HED_COMPLEX64);
  API_NULL(hed_pack_bits(one), HED_E_SHAPE, "pack_bits: x of shape () has 0 axes, at least 1 are needed");
  API_NULL(hed_pack_bits(f), HED_E_DTYPE, "pack_bits");
  API_NULL(hed_pack_bits(NULL), HED_E_INVAL, "pack_bits");
  API_NULL(hed_unpack_bits(a, 193), HED_E_INVAL, "unpack_bits: n is 193, a row of 3 words has 0 to 192 bits");
  API_NULL(hed_unpack_bits(a, -1), HED_E_INVAL, "unpack_bits: n is -1");
  API_NULL(hed_unpack_bits(i32, 1), HED_E_DTYPE, "unpack_bits: words is of dtype int32, packed bits are uint64");
  API_NULL(hed_hamming_matrix(a, b), HED_E_SHAPE, "hamming_matrix: shapes (2, 3) of a and (2, 4) of b do not fit");
  API_NULL(hed_hamming_matrix(a, i32), HED_E_DTYPE, "hamming_matrix: b is of dtype int32");
  API_NULL(hed_hamming_matrix(row, a), HED_E_SHAPE, "hamming_matrix: a of shape (3,) has 1 axes, at least 2 are needed");
  hed_array *wide = hed_broadcast_to(one, HED_SHAPE(1, (int64_t)1 << 25));
  API_NULL(hed_hamming_matrix(wide, wide), HED_E_SHAPE, "hamming_matrix: rows of 33554432 words, at most 33554431 can be counted");
  API_NULL(hed_majority_bits(none, NULL), HED_E_SHAPE, "majority_bits: x of shape (0, 3) has no rows");
  API_NULL(hed_majority_bits(a, b), HED_E_SHAPE, "majority_bits: ties of shape (2, 4) do not broadcast to (3,), the result's");
  API_NULL(hed_majority_bits(row, NULL), HED_E_SHAPE, "at least 2 are needed");
  hed_array *by = hed_zeros(HED_SHAPE(4, 2), HED_INT32), *wide_by = hed_zeros(HED_SHAPE(4, 2), HED_INT64);
  API_NULL(hed_weighted_majority_bits(a, i32, NULL), HED_E_SHAPE, "shapes (2, 3) of weights and (2, 3) of x do not fit");
  API_NULL(hed_weighted_majority_bits(a, wide_by, NULL), HED_E_DTYPE, "weights are of dtype int64, not int32");
  API_NULL(hed_weighted_majority_bits(i32, by, NULL), HED_E_DTYPE, "x is of dtype int32, packed bits are uint64");
  API_NULL(hed_weighted_majority_bits(a, by, b), HED_E_SHAPE, "ties of shape (2, 4) do not broadcast to (4, 3), the result's");
  API_NULL(hed_weighted_majority_bits(a, row, NULL), HED_E_SHAPE, "weights of shape (3,) has 1 axes, at least 2 are needed");
  RELEASE(by, wide_by);
  API_NULL(hed_phasor(z, NULL), HED_E_DTYPE, "phasor");
  API_NULL(hed_phasor(f, b), HED_E_SHAPE, "phasor: shapes (3,) of x and (2, 4) of rate do not broadcast");
  API_NULL(hed_isotonic(f, NULL, 1, false), HED_E_AXIS, "isotonic: axis 1");
  API_NULL(hed_isotonic(f, a, 0, false), HED_E_SHAPE, "isotonic: weights of shape (2, 3) do not broadcast to (3,) of x");
  API_NULL(hed_isotonic(f, z, 0, false), HED_E_DTYPE, "isotonic");
  API_NULL(hed_polar_unitary(f), HED_E_SHAPE, "polar_unitary: a of shape (3,) has no rows and columns");
  hed_array *eye = hed_eye(3, 3, 0, HED_FLOAT32), *bad = hed_divide_scalar(eye, 0);
  API_NULL(hed_polar_unitary(bad), HED_E_INVAL, "polar_unitary: row 0, column 0 of the matrix is not finite");
  hed_array *all[] = { a, i32, b, one, f, none, row, z, wide, eye, bad };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* ---- phases ---- */

static void phases(const char *backend)
{
  static double x[600], rate[700];
  static double got[2 * 600 * 700];
  gen g;
  gen_seed(&g, tap_seed());
  for (int wide = 0; wide < 2; wide++) {
    hed_dtype t = wide ? HED_FLOAT64 : HED_FLOAT32;
    double worst = 0;
    for (int k = 0; k < 600; k++)
      x[k] = k == 3 ? 1e9 : gen_double(&g, -40, 40);
    for (int k = 0; k < 700; k++)
      rate[k] = gen_double(&g, -3, 3);
    hed_array *a = hed_from_doubles(x, HED_SHAPE(600, 1), t), *b = hed_from_doubles(rate, HED_SHAPE(700), t);
    hed_array *z = hed_phasor(a, b), *d = hed_astype(z, HED_COMPLEX128);
    ok(hed_array_dtype(z) == (wide ? HED_COMPLEX128 : HED_COMPLEX64), "%s: dtype of phases of %s", backend, hed_dtype_name(t));
    const bool read = read_out(d, HED_COMPLEX128, got, sizeof got);
    for (int i = 0; i < 600 && read; i++)
      for (int j = 0; j < 700; j++) {
        const double angle = wide ? x[i] * rate[j] : (double)((float)x[i] * (float)rate[j]);
        worst = fmax(worst, fabs(got[2 * (700 * i + j)] - cos(angle)));
        worst = fmax(worst, fabs(got[2 * (700 * i + j) + 1] - sin(angle)));
      }
    ok(read && worst < (wide ? 4e-16 : 2e-7), "%s: phases of %s: off by %.3g", backend, hed_dtype_name(t), worst);
    RELEASE(z, a, b);
  }
  hed_array *whole = hed_arange_int(0, 4, 1, HED_INT32);
  hed_array *none = hed_scalar(0), *z = hed_phasor(whole, NULL), *scaled = hed_phasor(whole, none);
  api_is(hed_real(scaled), HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 1, 1, 1), "integers by a number");
  ok(hed_array_dtype(z) == HED_COMPLEX64, "integers are lifted to the context's real type");
  hed_array *odd = API_VECTOR(HED_FLOAT64, NAN, INFINITY, 0), *turned = hed_phasor(odd, NULL);
  api_is(hed_imag(turned), HED_SHAPE(3), HED_FLOAT64, API_LIST(NAN, NAN, 0), "NaN, infinity and 0");
  hed_array *all[] = { none, whole, z, scaled, odd, turned };
  for (int k = 0; k < 6; k++)
    hed_release(all[k]);
}

/* ---- unitary factors ---- */

/* The largest deviation of U^H U from 1, and of U^H A from Hermitian without negative eigenvalues. */
static double polar_error(const hed_array *a)
{
  double off[3] = { 1, 1, -1 };
  HED_SCOPE {
    const hed_shape s = hed_array_shape(a);
    hed_array *u = hed_polar_unitary(a), *uh = hed_conj(hed_matrix_transpose(u));
    const int64_t m = s.dim[s.ndim - 2], n = s.dim[s.ndim - 1];
    hed_array *gram = m < n ? hed_matmul(u, uh) : hed_matmul(uh, u), *h = m < n ? hed_matmul(a, uh) : hed_matmul(uh, a);
    hed_item(hed_max(hed_abs(hed_subtract(gram, hed_eye(m < n ? m : n, m < n ? m : n, 0, HED_FLOAT32))), NULL), &off[0]);
    hed_array *turned = hed_conj(hed_matrix_transpose(h)), *size = hed_max(hed_abs(a), NULL);
    hed_item(hed_divide(hed_max(hed_abs(hed_subtract(h, turned)), NULL), size), &off[1]);
    hed_item(hed_divide(hed_min(hed_eigvalsh(h, false), NULL), size), &off[2]);
    if (!u)
      diag("%s", hed_error_text());
  }
  return fmax(fmax(off[0], off[1]), -off[2]);
}

static void factors(const char *backend)
{
  hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  gen g;
  gen_seed(&g, tap_seed());
  for (int k = 0; k < 4; k++)
    for (int64_t m = 1; m <= 10; m += 1 + (m > 4)) {
      HED_SCOPE {
        const hed_random opt = { .seed = gen_u64(&g), .seeded = true };
        hed_array *a = k < 2 ? hed_random_normal(HED_SHAPE(5, 7, m, m), types[k], &opt)
                             : hed_random_complex_normal(HED_SHAPE(5, 7, m, m), types[k], &opt);
        hed_array *row = hed_random_normal(HED_SHAPE(2, m, 1), k % 2 ? HED_FLOAT64 : HED_FLOAT32, &opt);
        const double limit = (k % 2 ? 2e-14 : 4e-6) * (double)m;
        is_near(polar_error(a), 0, 0, limit, "%s: factors of %d x %d, %s", backend, (int)m, (int)m, hed_dtype_name(types[k]));
        is_near(polar_error(hed_matmul(row, hed_matrix_transpose(row))), 0, 0, limit, "%s: of rank 1", backend);
        is_near(polar_error(hed_multiply_scalar(a, k % 2 ? 1e200 : 1e-30)), 0, 0, limit, "%s: of odd sizes", backend);
        is_near(polar_error(hed_concatenate(2, (const hed_array *const[]){ a, a }, -1)), 0, 0, 2 * limit, "%s: of wide ones", backend);
      }
    }
  hed_array *zero = hed_zeros(HED_SHAPE(2, 2), HED_FLOAT64), *turn = API_VECTOR(HED_FLOAT64, 0, -3, 2, 0);
  is_near(polar_error(zero), 0, 0, 1e-15, "%s: of zeros", backend);
  hed_array *t = hed_reshape(turn, HED_SHAPE(2, 2)), *u = hed_polar_unitary(t), *near = hed_round(u);
  api_is(hed_copy(near), HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(0, -1, 1, 0), "a turn with a scale for each axis");
  hed_array *all[] = { zero, turn, t, u, near };
  for (int k = 0; k < 5; k++)
    hed_release(all[k]);
}

/* ---- isotonic sequences ---- */

/* y_i = max over a <= i of min over b >= i of the weighted mean of x_a .. x_b. */
static void by_formula(int n, const double *x, const double *w, double *y)
{
  for (int i = 0; i < n; i++) {
    y[i] = -INFINITY;
    for (int a = 0; a <= i; a++) {
      double least = INFINITY, sum = 0, total = 0;
      for (int b = a; b < n; b++) {
        sum += w[b] * x[b];
        total += w[b];
        least = b >= i ? fmin(least, sum / total) : least;
      }
      y[i] = fmax(y[i], least);
    }
  }
}

static void sequences(const char *backend)
{
  enum { N = 40, ROWS = 6 };
  static double x[ROWS][N], w[ROWS][N], want[ROWS][N], got[ROWS][N];
  gen g;
  gen_seed(&g, tap_seed());
  for (int form = 0; form < 4; form++) {
    const bool weighted = form & 1, descending = form & 2;
    double worst = 0;
    for (int r = 0; r < ROWS; r++)
      for (int k = 0; k < N; k++) {
        x[r][k] = gen_double(&g, -1, 1) + 0.02 * k * (r - 2);
        w[r][k] = weighted ? gen_double(&g, 0.1, 4) : 1;
      }
    for (int r = 0; r < ROWS; r++) {
      double in[N], weight[N], out[N];
      for (int k = 0; k < N; k++) {
        in[k] = x[r][descending ? N - 1 - k : k];
        weight[k] = w[r][descending ? N - 1 - k : k];
      }
      by_formula(N, in, weight, out);
      for (int k = 0; k < N; k++)
        want[r][k] = out[descending ? N - 1 - k : k];
    }
    hed_array *a = hed_from_host(x, HED_SHAPE(ROWS, N), HED_FLOAT64), *b = hed_from_host(w, HED_SHAPE(ROWS, N), HED_FLOAT64);
    hed_array *at = hed_transpose(a, NULL), *bt = hed_transpose(b, NULL);
    for (int axis = 0; axis < 2; axis++) {
      hed_array *y = axis ? hed_isotonic(a, weighted ? b : NULL, -1, descending)
                          : hed_isotonic(at, weighted ? bt : NULL, 0, descending);
      hed_array *lying = axis ? hed_copy(y) : hed_transpose(y, NULL);
      bool good = read_out(lying, HED_FLOAT64, got, sizeof got);
      for (int k = 0; k < ROWS * N; k++)
        worst = fmax(worst, good ? fabs(got[k / N][k % N] - want[k / N][k % N]) : 1);
      hed_release(y);
    }
    ok(worst < 1e-14, "%s: %s%s: off by %.3g", backend, descending ? "descending" : "ascending", weighted ? ", weighted" : "", worst);
    hed_array *all[] = { a, b, at, bt };
    for (int k = 0; k < 4; k++)
      hed_release(all[k]);
  }
  hed_array *parted = API_VECTOR(HED_FLOAT32, 3, 1, NAN, 2, 0), *y = hed_isotonic(parted, NULL, 0, false);
  api_is(y, HED_SHAPE(5), HED_FLOAT32, API_LIST(2, 2, NAN, 1, 1), "NaN parts");
  hed_array *whole = API_VECTOR(HED_INT32, 1, 3, 2, 4), *light = API_VECTOR(HED_FLOAT64, 1, 1, 0, 1);
  api_is(hed_isotonic(whole, NULL, 0, false), HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 2.5, 2.5, 4), "integers");
  api_is(hed_isotonic(whole, light, 0, false), HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 3, 3, 4), "an element of weight 0 follows");
  RELEASE(parted, whole, light);
}

int main(void)
{
  api_each_context(bits);
  api_each_backend(refusals);
  api_each_context(phases);
  api_each_context(factors);
  api_each_context(sequences);
  return done();
}
