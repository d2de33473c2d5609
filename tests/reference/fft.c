// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend's Fourier transforms against sums in long double, one axis at a time. */
#include "kernel.h"

int32_t ref_fft(void *state, const hed_call *call);

typedef struct number {
  long double re, im;
} number;

/* One axis of X (C order) by the definition. */
static void slow_axis(number *x, int ndim, const int64_t *dim, int axis, int sign)
{
  const long double tau = 8 * atanl(1.0L);
  int64_t n = dim[axis], inner = 1, outer = 1;
  for (int k = 0; k < ndim; k++)
    *(k > axis ? &inner : &outer) *= k == axis ? 1 : dim[k];
  number *line = malloc((size_t)n * sizeof *line), *root = malloc((size_t)n * sizeof *root);
  for (int64_t k = 0; k < n; k++)
    root[k] = (number){ cosl(tau * k / n), sign * sinl(tau * k / n) };
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++) {
      number *at = x + o * n * inner + i;
      for (int64_t k = 0; k < n; k++) {
        line[k] = (number){ 0, 0 };
        for (int64_t j = 0; j < n; j++) {
          number w = root[j * k % n], a = at[j * inner];
          line[k].re += a.re * w.re - a.im * w.im;
          line[k].im += a.re * w.im + a.im * w.re;
        }
      }
      for (int64_t k = 0; k < n; k++)
        at[k * inner] = line[k];
    }
  free(line);
  free(root);
}

/* Largest error of O against X (C order, times SCALE), relative to X's root mean square. */
static double error_of(const operand *o, const number *x, double scale)
{
  long double worst = 0, power = 0;
  for (int64_t k = 0; k < o->n; k++) {
    double re, im;
    operand_get(o, k, &re, &im);
    long double a = re - x[k].re * scale, b = o->view.dtype >= HED_ID_COMPLEX64 ? im - x[k].im * scale : 0;
    worst = fmaxl(worst, sqrtl(a * a + b * b));
    power += (x[k].re * x[k].re + x[k].im * x[k].im) * scale * scale;
  }
  return o->n && power > 0 ? (double)(worst / sqrtl(power / o->n)) : (double)worst;
}

static int32_t transform(operand *out, operand *in, const hed_fft_params *p)
{
  return kernel_call(ref_fft, HED_OP_FFT, HED_ID_COMPLEX128, p, 1, &out, 1, &in);
}

static double limit_of(const operand *o)
{
  return o->view.dtype == HED_ID_FLOAT64 || o->view.dtype == HED_ID_COMPLEX128 ? 2e-14 : 2e-6;
}

static void one_dimension(gen *g)
{
  static const int64_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 24, 25, 30, 31, 32, 37, 41, 49,
                                   60, 64, 81, 97, 101, 125, 128, 143, 210, 256, 331, 360, 512, 625, 961, 1009, 1024 };
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      int64_t n = sizes[s];
      operand x = operand_new(NULL, HED_ID_COMPLEX128, 1, &n), y = operand_new(NULL, HED_ID_COMPLEX128, 1, &n);
      number *want = malloc((size_t)n * sizeof *want);
      operand_random(g, &x);
      for (int64_t k = 0; k < n; k++) {
        double *e = operand_at(&x, k);
        want[k] = (number){ e[0], e[1] };
      }
      slow_axis(want, 1, &n, 0, sign);
      hed_fft_params p = { .n_axes = 1, .axis = { 0 }, .sign = sign, .scale = 1 };
      is_int(transform(&y, &x, &p), HED_OK, "length %d, sign %d", (int)n, sign);
      double e = error_of(&y, want, 1);
      ok(e < 1e-14, "length %d, sign %d: largest error %.2g of the root mean square", (int)n, sign, e);
      transform(&x, &x, &p);
      is_mem(x.memory, y.memory, (uint64_t)n * 16, "in place");
      ok(operand_free(&x) && operand_free(&y), "nothing else written");
      free(want);
    }
}

/* Any kind, dtype, layout and choice of axes. */
static void many(gen *g, int count)
{
  static const int64_t extents[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 37 };
  for (int c = 0; c < count; c++) {
    int kind = (int)gen_below(g, 3), ndim = (int)gen_int(g, 1, 4), order[4];
    bool single = gen_chance(g, 50);
    int real = single ? HED_ID_FLOAT32 : HED_ID_FLOAT64, cplx = single ? HED_ID_COMPLEX64 : HED_ID_COMPLEX128;
    int64_t dim[4], half[4], total = 1;
    for (int k = 0; k < ndim; k++) {
      dim[k] = extents[gen_below(g, sizeof extents / sizeof *extents)];
      if (total * dim[k] > 3000)
        dim[k] = 1;
      total *= dim[k];
    }
    gen_permutation(g, ndim, order);
    hed_fft_params p = { .n_axes = (int32_t)gen_int(g, 1, ndim), .sign = kind == 2 || gen_chance(g, 50) ? 1 : -1,
                         .scale = gen_chance(g, 50) ? 1 : gen_double(g, 0.1, 2) };
    for (int k = 0; k < p.n_axes; k++)
      p.axis[k] = order[k];
    int last = p.axis[p.n_axes - 1];
    memcpy(half, dim, sizeof half);
    half[last] = dim[last] / 2 + 1;
    operand x = operand_new(gen_chance(g, 70) ? g : NULL, kind == 1 ? real : cplx, ndim, kind == 2 ? half : dim);
    operand y = operand_new(gen_chance(g, 70) ? g : NULL, kind == 2 ? real : cplx, ndim, kind == 1 ? half : dim);
    operand_random(g, &x);

    /* the full complex transform of the (Hermitian extension of the) input */
    number *want = calloc((size_t)total, sizeof *want);
    int64_t inner = 1;
    for (int k = last + 1; k < ndim; k++)
      inner *= dim[k];
    if (kind != 2) {
      for (int64_t k = 0; k < total; k++) {
        double re, im;
        operand_get(&x, k, &re, &im);
        want[k] = (number){ re, im };
      }
      for (int k = 0; k < p.n_axes; k++)
        slow_axis(want, ndim, dim, p.axis[k], p.sign);
      if (kind == 1) /* keep the half */
        for (int64_t k = 0; k < y.n; k++) {
          int64_t i = k % inner, j = k / inner % half[last], o = k / inner / half[last];
          want[k] = want[(o * dim[last] + j) * inner + i];
        }
    } else {
      number *part = calloc((size_t)x.n, sizeof *part);
      for (int64_t k = 0; k < x.n; k++) {
        double re, im;
        operand_get(&x, k, &re, &im);
        part[k] = (number){ re, im };
      }
      for (int k = 0; k + 1 < p.n_axes; k++)
        slow_axis(part, ndim, half, p.axis[k], p.sign);
      for (int64_t k = 0; k < total; k++) {
        int64_t i = k % inner, j = k / inner % dim[last], o = k / inner / dim[last];
        int64_t m = j < half[last] ? j : dim[last] - j;
        number z = part[(o * half[last] + m) * inner + i];
        want[k] = (number){ z.re, m == 0 || 2 * m == dim[last] ? 0 : j < half[last] ? z.im : -z.im };
      }
      slow_axis(want, ndim, dim, last, p.sign);
      free(part);
    }
    int32_t status = transform(&y, &x, &p);
    double e = error_of(&y, want, p.scale);
    ok(status == HED_OK && e < limit_of(&y), "%s, %d axes of %d, %s: error %.2g (%s)",
       kind == 0 ? "c2c" : kind == 1 ? "r2c" : "c2r", (int)p.n_axes, ndim, single ? "single" : "double", e, kernel_text);
    if (kind == 0) {
      transform(&x, &x, &p);
      ok(error_of(&x, want, p.scale) < limit_of(&x), "the same in place");
    }
    ok(operand_free(&x) && operand_free(&y), "nothing else written");
    free(want);
  }
}

static int32_t starved(void *arg)
{
  operand *pair = arg;
  hed_fft_params p = { .n_axes = 2, .axis = { 0, 1 }, .sign = -1, .scale = 1 };
  return transform(&pair[1], &pair[0], &p);
}

static void edges(void)
{
  int64_t none[2] = { 3, 0 }, few[2] = { 3, 5 };
  hed_fft_params p = { .n_axes = 2, .axis = { 0, 1 }, .sign = -1, .scale = 1 };
  operand x = operand_new(NULL, HED_ID_COMPLEX64, 2, none), y = operand_new(NULL, HED_ID_COMPLEX64, 2, none);
  is_int(transform(&y, &x, &p), HED_OK, "an empty array");
  operand_free(&x);
  operand_free(&y);
  x = operand_new(NULL, HED_ID_FLOAT32, 2, few);
  y = operand_new(NULL, HED_ID_COMPLEX64, 2, few);
  is_int(transform(&y, &x, &p), HED_E_SHAPE, "a result that is not halved");
  has_str(kernel_text, "fft: axis 1 has 5 complex elements for 5 real ones, not 3", "sentence");
  operand_free(&x);
  operand_free(&y);

  /* 37 takes the chirp, 5 the radices */
  int64_t dim[2] = { 5, 37 };
  operand pair[2] = { operand_new(NULL, HED_ID_COMPLEX64, 2, dim), operand_new(NULL, HED_ID_COMPLEX64, 2, dim) };
  memset(pair[0].memory, 0, pair[0].layout.bytes);
  kernel_starve(starved, pair, 9);
  operand_free(&pair[0]);
  operand_free(&pair[1]);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  one_dimension(&g);
  many(&g, 150);
  edges();
  return done();
}
