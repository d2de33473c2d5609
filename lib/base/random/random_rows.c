// SPDX-License-Identifier: BSD-3-Clause
/* Random rows: categories, shares and orthonormal matrices, each row from its operands and the draw alone. L0.
 *
 * Sums run in one fixed order and elementary functions are those of random_math.h, so results are equal bit by bit
 * everywhere, as those of single elements are.
 */
#include "base/random/random_rows.h"

#include "base/cast.h"
#include "base/dtype.h"
#include "base/random/random.h"
#include "base/random/random_math.h"
#include "base/shape.h"
#include "base/random/variates.h"

enum { CHOICES = 128, SEARCHES = 16, TOGETHER = 512 /* shares of short rows, numbers of small matrices */ };

/* Of each of COUNT numbers U, at most CHOICES, the first of K sums, which do not fall, that is above it, or the last. SEARCHES
 * side by side, as each step of one waits for what it reads. */
static void first_above(const double *sum, int64_t k, const double *u, int64_t count, int64_t *out)
{
  for (int64_t done = 0; done < count; done += SEARCHES) {
    const int some = count - done < SEARCHES ? (int)(count - done) : SEARCHES;
    const double *at[SEARCHES];
    for (int i = 0; i < some; i++)
      at[i] = sum;
    int64_t left = k; /* what is looked for is one of so many from AT on, or behind them all */
    for (; left > 1; left -= left / 2)
      for (int i = 0; i < some; i++)
        at[i] += at[i][left / 2 - 1] > u[done + i] ? 0 : left / 2;
    for (int i = 0; i < some; i++) {
      int64_t low = at[i] - sum;
      while (low > 0 && !(sum[low] > sum[low - 1])) /* U rounded up to the last sum: the last weight may be 0 */
        low--;
      out[done + i] = low;
    }
  }
}

/* N categories, from element FIRST on. False when the weights have no positive finite sum or one is negative. */
static bool categorical_row(const hed_random_rows_params *p, const double *row, int64_t k, int64_t first, int64_t n,
                            int64_t *out, double *work)
{
  const hed_random_params uniform = { .kind = HED_RANDOM_UNIFORM, .key = p->key, .draw = p->draw, .b = 1 };
  double largest = -INFINITY, total = 0, u[CHOICES];
  for (int64_t j = 0; j < k; j++) {
    if (isnan(row[j]) || (p->weights && row[j] < 0) || (isinf(row[j]) && row[j] > 0))
      return false;
    largest = row[j] > largest ? row[j] : largest;
  }
  if (k == 0 || isinf(largest))
    return false;
  for (int64_t j = 0; j < k; j++)
    work[j] = total += p->weights ? row[j] : hed__rexp(row[j] - largest);
  if (!(total > 0) || isinf(total))
    return false;
  for (int64_t done = 0; done < n; done += CHOICES) {
    const int64_t count = n - done < CHOICES ? n - done : CHOICES;
    hed__random_fill(&uniform, HED_ID_FLOAT64, first + done, count, u);
    for (int64_t i = 0; i < count; i++)
      u[i] *= total;
    first_above(work, k, u, count, out + done);
  }
  return true;
}

/* Can K numbers be shapes? */
static bool usable_shapes(const double *alpha, int64_t k)
{
  for (int64_t j = 0; j < k; j++)
    if (!(alpha[j] > 0) || isinf(alpha[j]))
      return false;
  return true;
}

HOT static void exponentials(int64_t n, double *restrict x)
{
  for (int64_t i = 0; i < n; i++)
    x[i] = hed__rexp(x[i]);
}

/* ROWS of K logarithms become shares that add up to 1. */
static void shares_of_logs(int64_t rows, int64_t k, double *logs)
{
  for (double *x = logs; x < logs + rows * k; x += k) {
    double largest = -INFINITY;
    for (int64_t j = 0; j < k; j++)
      largest = x[j] > largest ? x[j] : largest;
    for (int64_t j = 0; j < k; j++)
      x[j] -= largest;
  }
  exponentials(rows * k, logs);
  for (double *x = logs; x < logs + rows * k; x += k) {
    double total = 0;
    for (int64_t j = 0; j < k; j++)
      total += x[j];
    for (int64_t j = 0; j < k; j++)
      x[j] /= total;
  }
}

/* ---- orthonormal rows ---- */

/* sum conj(a_j) b_j, of real numbers in eight interleaved sums, of pairs in four; sums are added in order. */
HOT static double real_product(const double *a, const double *b, int64_t n)
{
  double s[8] = { 0 };
  int64_t j = 0;
  for (; j + 8 <= n; j += 8)
    for (int l = 0; l < 8; l++)
      s[l] += a[j + l] * b[j + l];
  for (int l = 0; j + l < n; l++)
    s[l] += a[j + l] * b[j + l];
  return s[0] + s[1] + (s[2] + s[3]) + (s[4] + s[5] + (s[6] + s[7]));
}

static void pair_product(const double *a, const double *b, int64_t n, double *re, double *im)
{
  double s[4] = { 0 }, t[4] = { 0 };
  for (int64_t j = 0; j < n; j += 4)
    for (int l = 0; l < 4 && j + l < n; l++) {
      const double *x = a + 2 * (j + l), *y = b + 2 * (j + l);
      s[l] += x[0] * y[0] + x[1] * y[1];
      t[l] += x[0] * y[1] - x[1] * y[0];
    }
  *re = s[0] + s[1] + (s[2] + s[3]);
  *im = t[0] + t[1] + (t[2] + t[3]);
}

/* ROW less what it has of OTHER, which has norm 1. */
HOT static void real_rest(const double *restrict other, int64_t n, double *restrict row)
{
  const double re = real_product(other, row, n);
  for (int64_t i = 0; i < n; i++)
    row[i] -= re * other[i];
}

static void pair_rest(const double *restrict other, int64_t n, double *restrict row)
{
  double re, im;
  pair_product(other, row, n, &re, &im);
  /* Of both in one loop GCC 12.2 makes vfmaddsub, which rounds once where -ffp-contract=off says twice. */
  for (int64_t i = 0; i < n; i++)
    row[2 * i] -= re * other[2 * i] - im * other[2 * i + 1];
  for (int64_t i = 0; i < n; i++)
    row[2 * i + 1] -= re * other[2 * i + 1] + im * other[2 * i];
}

/* Rows of a normal matrix Q made orthonormal, each by two passes of Gram and Schmidt: the Q of a factorisation whose R has a
 * positive diagonal, so Haar distributed (Mezzadri, Notices of the AMS 54(5), 2007). COMPLEX_: pairs. */
static void haar_matrix(int64_t n, bool complex_, double *q)
{
  const int64_t width = complex_ ? 2 * n : n;
  for (int64_t k = 0; k < n; k++) {
    double *row = q + k * width, square, none;
    for (int pass = 0; pass < 2; pass++)
      for (int64_t j = 0; j < k; j++)
        (complex_ ? pair_rest : real_rest)(q + j * width, n, row);
    if (complex_)
      pair_product(row, row, n, &square, &none);
    else
      square = real_product(row, row, n);
    const double norm = sqrt(square);
    for (int64_t i = 0; i < width; i++)
      row[i] /= norm;
  }
}

/* ---- rows of views ---- */

static int kept_axes(const hed_call *call) { return call->op == HED_OP_RANDOM_HAAR ? 2 : 1; }

int64_t hed__random_row_count(const hed_call *call)
{
  const hed_view *out = call->out[0];
  int64_t n = 1;
  for (int32_t k = 0; k < out->ndim - kept_axes(call); k++)
    n *= out->dim[k];
  return hed__view_size(out) > 0 ? n : 0;
}

int64_t hed__random_row_work(const hed_call *call)
{
  const hed_view *out = call->out[0];
  const int64_t n = out->dim[out->ndim - 1];
  if (call->op == HED_OP_RANDOM_HAAR) {
    int64_t work;
    return __builtin_mul_overflow(2 * n, n, &work) ? -1 : work < TOGETHER ? TOGETHER : work;
  }
  if (call->op == HED_OP_RANDOM_DIRICHLET)
    return n < TOGETHER ? 2 * TOGETHER : 2 * n;
  const hed_view *in = call->in[0];
  return 2 * in->dim[in->ndim - 1] + n;
}

/* Address of row I of V, whose last KEEP axes are the row. */
static char *row_at(const hed_view *v, int keep, int64_t i)
{
  return (char *)v->data + hed__offset_of(v->ndim - keep, v->dim, v->stride, i);
}

/* Rows [BEGIN, END) of shares; several short ones are drawn at a time. */
static int64_t dirichlet_rows(const hed_call *call, int64_t begin, int64_t end, double *work)
{
  const hed_random_rows_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int64_t k = in->dim[in->ndim - 1], from = in->stride[in->ndim - 1], to = out->stride[out->ndim - 1];
  const hed__cast_fn read = hed__cast(in->dtype, HED_ID_FLOAT64), write = hed__cast(HED_ID_FLOAT64, out->dtype);
  const int64_t several = k < TOGETHER ? TOGETHER / k : 1;
  double *alpha = work, *x = work + (k < TOGETHER ? TOGETHER : k);
  for (int64_t r = begin; r < end; r += several) {
    const int64_t rows = end - r < several ? end - r : several;
    for (int64_t i = 0; i < rows; i++) {
      read(k, (char *)(alpha + i * k), 8, row_at(in, 1, r + i), from);
      if (!usable_shapes(alpha + i * k, k))
        return r + i;
    }
    hed__log_gammas(p->key, p->draw, r * k, rows * k, alpha, x);
    shares_of_logs(rows, k, x);
    for (int64_t i = 0; i < rows; i++)
      write(k, row_at(out, 1, r + i), to, (const char *)(x + i * k), 8);
  }
  return -1;
}

/* Matrices [BEGIN, END); numbers of several small ones are drawn at a time. */
static void haar_rows(const hed_call *call, int64_t begin, int64_t end, double *work)
{
  const hed_random_rows_params *p = call->params;
  const hed_random_params normals = { .kind = HED_RANDOM_NORMAL, .key = p->key, .draw = p->draw, .b = 1 };
  const hed_view *out = call->out[0];
  const int64_t n = out->dim[out->ndim - 1], row = out->stride[out->ndim - 2], step = out->stride[out->ndim - 1];
  const bool complex_ = hed__id_kind(out->dtype) == HED_KIND_COMPLEX;
  const hed__cast_fn cast = hed__cast(complex_ ? HED_ID_COMPLEX128 : HED_ID_FLOAT64, out->dtype);
  const int64_t size = complex_ ? 16 : 8, numbers = n * n * (size / 8), several = numbers < TOGETHER ? TOGETHER / numbers : 1;
  for (int64_t r = begin; r < end; r += several) {
    const int64_t matrices = end - r < several ? end - r : several;
    hed__random_fill(&normals, HED_ID_FLOAT64, r * numbers, matrices * numbers, work);
    for (int64_t i = 0; i < matrices; i++) {
      haar_matrix(n, complex_, work + i * numbers);
      for (int64_t k = 0; k < n; k++)
        cast(n, row_at(out, 2, r + i) + k * row, step, (char *)(work + i * numbers) + k * n * size, size);
    }
  }
}

int64_t hed__random_rows(const hed_call *call, int64_t begin, int64_t end, double *work)
{
  const hed_random_rows_params *p = call->params;
  const hed_view *out = call->out[0];
  const int64_t n = out->dim[out->ndim - 1], step = out->stride[out->ndim - 1];
  if (call->op == HED_OP_RANDOM_HAAR) {
    haar_rows(call, begin, end, work);
    return -1;
  }
  if (call->op == HED_OP_RANDOM_DIRICHLET)
    return dirichlet_rows(call, begin, end, work);
  const hed_view *in = call->in[0];
  const int64_t k = in->dim[in->ndim - 1];
  double *row = work, *sums = row + k;
  int64_t *chosen = (int64_t *)(void *)(sums + k);
  const hed__cast_fn read = hed__cast(in->dtype, HED_ID_FLOAT64), write = hed__cast(HED_ID_INT64, out->dtype);
  for (int64_t r = begin; r < end; r++) {
    read(k, (char *)row, 8, row_at(in, 1, r), in->stride[in->ndim - 1]);
    if (!categorical_row(p, row, k, r * n, n, chosen, sums))
      return r;
    write(n, row_at(out, 1, r), step, (const char *)chosen, 8);
  }
  return -1;
}
