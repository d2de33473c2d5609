// SPDX-License-Identifier: BSD-3-Clause
/* The cpu module's loops for QR factors, eigenvalues and singular values of batches of small matrices, of every instruction set
 * that this processor has: products give the matrices back, factors are orthonormal, signs are those of base/dense.h, columns far
 * smaller than others keep their digits in QR, lanes know nothing of each other, levels agree bit for bit, and just those matrices
 * are left that are not finite, or have no vectors to divide by.
 */
#include "batch.h"
#include "sets.h"

static cpu_batch batch(const cpu_batch_loops *f, bool is_square)
{
  const int64_t n = gen_chance(&g, 40) ? gen_int(&g, 1, 4) : gen_int(&g, 1, MOST);
  return (cpu_batch){ .count = gen_chance(&g, 40) ? f->lanes : gen_int(&g, 1, f->lanes), .n = n,
                      .m = is_square || gen_chance(&g, 40) ? n : gen_int(&g, 1, MOST), .want = { true, true, true }, .room = work };
}

/* Real numbers of the type's precision, N of them. */
static void load_real(const cpu_batch_side *s, int64_t lane, int64_t n, double *x)
{
  const bool pairs = paired;
  paired = false;
  for (int64_t i = 0; i < n; i++)
    x[i] = creal(get(element(s, lane, i, 0)));
  paired = pairs;
}

static void adjoint(int64_t rows, int64_t cols, square x, square out)
{
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++)
      out[j][i] = conj(x[i][j]);
}

/* Largest element of |x^H x - 1|, X of ROWS x COLS. */
static double not_orthonormal(int64_t rows, int64_t cols, square x)
{
  square turned, one;
  memset(one, 0, sizeof one);
  for (int64_t j = 0; j < cols; j++)
    one[j][j] = 1;
  adjoint(rows, cols, x, turned);
  return apart(cols, rows, cols, turned, x, one);
}

/* Is the leading component of each column real and positive. */
static bool turned(int64_t rows, int64_t cols, square x)
{
  bool good = true;
  for (int64_t j = 0; j < cols; j++) {
    double most = 0;
    int64_t i = 0;
    for (int64_t k = 0; k < rows; k++)
      most = fmax(most, cabs(x[k][j]));
    while (cabs(x[i][j]) < (0.999 - 4 * eps()) * most)
      i++;
    good &= creal(x[i][j]) > 0 && cimag(x[i][j]) == 0;
  }
  return good;
}

/* A lane with NaN or an infinite number, or none (-1). */
static int64_t spoil(const cpu_batch *b)
{
  if (!gen_chance(&g, 30))
    return -1;
  const int64_t lane = gen_int(&g, 0, b->count - 1), i = gen_int(&g, 0, b->m - 1), j = gen_int(&g, 0, CPU_BATCH_ORDER) % b->n;
  const double wrong = gen_chance(&g, 50) ? NAN : INFINITY;
  set(element(&b->in[0], lane, i > j ? i : j, i > j ? j : i), wrong); /* of a square matrix, in the lower triangle */
  return lane;
}

/* Is just the lane SPOILT left. */
static bool left_is(int64_t left, int64_t spoilt) { return left == (spoilt < 0 ? 0 : 1 << spoilt); }

/* ---- qr ---- */

static bool qr_lane(const cpu_batch *b, int64_t l, int64_t k, int64_t columns)
{
  square a, q, r;
  bool good = true;
  load(&b->in[0], l, b->m, b->n, a);
  load(&b->out[0], l, b->m, columns, q);
  load(&b->out[1], l, columns, b->n, r);
  for (int64_t j = 0; j < b->n; j++) { /* by columns, whose sizes differ */
    square column, factor;
    for (int64_t i = 0; i < b->m; i++)
      column[i][0] = a[i][j];
    for (int64_t i = 0; i < columns; i++) {
      factor[i][0] = r[i][j];
      good &= i <= j || r[i][j] == 0;
    }
    const double size = norm(b->m, 1, column) * sqrt((double)b->m) * 2;
    good &= apart(b->m, columns, 1, q, factor, column) <= 8 * (double)(b->m + 2) * eps() * size;
  }
  for (int64_t i = 0; i < k; i++)
    good &= creal(r[i][i]) >= 0 && !signbit(creal(r[i][i])) && cimag(r[i][i]) == 0;
  return good && not_orthonormal(b->m, columns, q) <= 8 * (double)(b->m + 2) * eps();
}

static bool reflects(const cpu_batch_loops *f, const cpu_batch_loops *base)
{
  cpu_batch b = batch(f, false);
  b.complete = gen_chance(&g, 50);
  const int64_t k = b.m < b.n ? b.m : b.n, columns = b.complete ? b.m : k;
  bool good = true;
  room ra = side(&b.in[0], b.count, b.m, b.n, width()), rq = side(&b.out[0], b.count, b.m, columns, width());
  room rr = side(&b.out[1], b.count, columns, b.n, width());
  for (int64_t l = 0; l < b.count; l++) {
    const bool scales = gen_chance(&g, 40);
    fill(&b.in[0], l, b.m, b.n, gen_chance(&g, 30), 1);
    for (int64_t j = 0; scales && j < b.n; j++) {
      const double scale = gen_chance(&g, 15) ? 0 : ldexp(1, (int)gen_int(&g, wide ? -900 : -90, wide ? 900 : 90));
      for (int64_t i = 0; i < b.m; i++)
        set(element(&b.in[0], l, i, j), get(element(&b.in[0], l, i, j)) * scale);
    }
  }
  const int64_t spoilt = b.m == b.n ? spoil(&b) : -1, left = f->qr(&b);
  good = left_is(left, spoilt);
  for (int64_t l = 0; l < b.count; l++)
    if (l != spoilt && !qr_lane(&b, l, k, columns))
      diag("qr of %d x %d, lane %d", (int)b.m, (int)b.n, (int)l), good = false;
  if (spoilt < 0) {
    good &= alone_too(f->qr, 0, &b, 1, 0, b.m, columns, width()) && alone_too(f->qr, 0, &b, 1, 1, columns, b.n, width());
    good &= alone_too(base->qr, 0, &b, 1, 1, columns, b.n, width());
  }
  return (int)leave(&ra) & (int)leave(&rq) & (int)leave(&rr) & (int)good;
}

/* ---- eigh ---- */

/* A Hermitian matrix in lane L, of which one triangle may be read: of any elements, of low rank, or with equal eigenvalues. */
static void hermitian(const cpu_batch *b, int64_t l, double scale)
{
  const int64_t rank = gen_chance(&g, 50) ? b->n : gen_int(&g, 0, b->n), equal = gen_chance(&g, 20);
  square x;
  for (int64_t i = 0; i < b->n; i++)
    for (int64_t k = 0; k < b->n; k++)
      x[i][k] = any(1);
  for (int64_t i = 0; i < b->n; i++)
    for (int64_t j = 0; j <= i; j++) {
      double complex sum = equal ? 3 * (i == j) : 0;
      for (int64_t k = 0; k < rank && !equal; k++)
        sum += (k % 2 ? -1 : 1) * x[i][k] * conj(x[j][k]);
      sum = i == j ? CMPLX(creal(sum), NAN) : sum;
      set(element(&b->in[0], l, b->upper ? j : i, b->upper ? i : j),
          CMPLX(creal(sum) * scale, (b->upper ? -1 : 1) * cimag(sum) * scale));
    }
}

static bool eigh_lane(const cpu_batch *b, int64_t l)
{
  square a, v, scaled;
  double w[MOST];
  bool good = true;
  load(&b->in[0], l, b->n, b->n, a);
  load(&b->out[1], l, b->n, b->n, v);
  load_real(&b->out[0], l, b->n, w);
  for (int64_t i = 0; i < b->n; i++) {
    a[i][i] = creal(a[i][i]);
    for (int64_t j = 0; j < i; j++)
      if (b->upper)
        a[i][j] = conj(a[j][i]);
      else
        a[j][i] = conj(a[i][j]);
    for (int64_t j = 0; j < b->n; j++)
      scaled[i][j] = v[i][j] * w[j];
    good &= i == 0 || w[i] >= w[i - 1];
  }
  return good && apart(b->n, b->n, b->n, a, v, scaled) <= 8 * (double)b->n * eps() * norm(b->n, b->n, a)
         && not_orthonormal(b->n, b->n, v) <= 16 * (double)b->n * eps() && turned(b->n, b->n, v);
}

static double any_scale(void)
{
  return gen_chance(&g, 70) ? 1 : ldexp(1, (int)gen_int(&g, wide ? -900 : -90, wide ? 900 : 90));
}

/* Some values and vectors of B are to the bit what all of them have. */
static bool some_too(cpu_batch_fn eigh, const cpu_batch *b)
{
  cpu_batch some = *b;
  bool good = true;
  some.first = gen_int(&g, 0, b->n - 1);
  some.k = gen_int(&g, 1, b->n - some.first);
  room rw = side(&some.out[0], b->count, some.k, 1, wide ? 8 : 4), rv = side(&some.out[1], b->count, b->n, some.k, width());
  const int64_t left = eigh(&some);
  for (int64_t l = 0; l < b->count && !left; l++)
    for (int64_t j = 0; j < some.k; j++) {
      good &= !memcmp(element(&some.out[0], l, j, 0), element(&b->out[0], l, some.first + j, 0), wide ? 8 : 4);
      for (int64_t i = 0; i < b->n; i++)
        good &= !memcmp(element(&some.out[1], l, i, j), element(&b->out[1], l, i, some.first + j), (size_t)width());
    }
  if (!good)
    diag("%d values of order %d from %d on", (int)some.k, (int)b->n, (int)some.first);
  return (int)leave(&rw) & (int)leave(&rv) & (int)(good && !left);
}

static bool diagonalises(const cpu_batch_loops *f, const cpu_batch_loops *base)
{
  cpu_batch b = batch(f, true);
  b.upper = gen_chance(&g, 50);
  b.k = b.n;
  bool good = true;
  room ra = side(&b.in[0], b.count, b.n, b.n, width()), rw = side(&b.out[0], b.count, b.n, 1, wide ? 8 : 4);
  room rv = side(&b.out[1], b.count, b.n, b.n, width());
  for (int64_t l = 0; l < b.count; l++)
    hermitian(&b, l, any_scale());
  const int64_t spoilt = b.upper ? -1 : spoil(&b), left = f->eigh(&b);
  good = left_is(left, spoilt);
  for (int64_t l = 0; l < b.count; l++)
    if (l != spoilt && !eigh_lane(&b, l))
      diag("eigh of order %d, lane %d", (int)b.n, (int)l), good = false;
  if (spoilt < 0) {
    good &= alone_too(f->eigh, 0, &b, 1, 0, b.n, 1, wide ? 8 : 4) && alone_too(f->eigh, 0, &b, 1, 1, b.n, b.n, width());
    good &= alone_too(base->eigh, 0, &b, 1, 1, b.n, b.n, width()) && some_too(f->eigh, &b);
  }
  return (int)leave(&ra) & (int)leave(&rw) & (int)leave(&rv) & (int)good;
}

/* ---- svd ---- */

static bool svd_lane(const cpu_batch *b, int64_t l, int64_t k)
{
  square a, u, vh, v, us;
  double s[MOST];
  bool good = true;
  load(&b->in[0], l, b->m, b->n, a);
  load(&b->out[0], l, b->m, k, u);
  load_real(&b->out[1], l, k, s);
  load(&b->out[2], l, k, b->n, vh);
  adjoint(k, b->n, vh, v);
  for (int64_t i = 0; i < b->m; i++)
    for (int64_t j = 0; j < k; j++)
      us[i][j] = u[i][j] * s[j];
  for (int64_t j = 0; j < k; j++)
    good &= s[j] >= 0 && (j == 0 || s[j] <= s[j - 1]);
  return good && apart(b->m, k, b->n, us, vh, a) <= 16 * (double)(b->m + b->n) * eps() * s[0]
         && not_orthonormal(b->m, k, u) <= 16 * (double)(b->m + 2) * eps()
         && not_orthonormal(b->n, k, v) <= 16 * (double)(b->n + 2) * eps() && turned(b->m, k, u);
}

/* Any matrix, or one of low rank, whose last columns may come to be zeros, and whose rows and columns may be of all sizes, so that
 * ratios of them have no square in range: whether it is that. */
static bool any_rank(const cpu_batch *b, int64_t l, double scale)
{
  const int64_t k = b->m < b->n ? b->m : b->n, rank = gen_chance(&g, 60) ? k : gen_int(&g, 1, k);
  const int64_t grades = rank < k && gen_chance(&g, 30) ? (wide ? 300 : 30) : 0;
  square x, y;
  for (int64_t i = 0; i < MOST; i++) {
    const double of_row = ldexp(1, -(int)gen_int(&g, 0, grades)), of_column = ldexp(1, -(int)gen_int(&g, 0, grades));
    for (int64_t j = 0; j < MOST; j++)
      x[i][j] = any(of_row), y[i][j] = any(of_column);
  }
  for (int64_t i = 0; i < b->m; i++)
    for (int64_t j = 0; j < b->n; j++) {
      double complex sum = rank == k ? x[i][j] : 0;
      for (int64_t r = 0; rank < k && r < rank; r++)
        sum += x[i][r] * y[j][r];
      set(element(&b->in[0], l, i, j), sum * scale);
    }
  return rank < k;
}

static bool orthogonalises(const cpu_batch_loops *f, const cpu_batch_loops *base)
{
  cpu_batch b = batch(f, false);
  const int64_t k = b.m < b.n ? b.m : b.n;
  const int64_t empty = gen_chance(&g, 20) ? gen_int(&g, 0, b.count - 1) : -1; /* has a column or row of zeros */
  bool good = true;
  room ra = side(&b.in[0], b.count, b.m, b.n, width()), ru = side(&b.out[0], b.count, b.m, k, width());
  room rs = side(&b.out[1], b.count, k, 1, wide ? 8 : 4), rv = side(&b.out[2], b.count, k, b.n, width());
  int64_t low = 0;
  for (int64_t l = 0; l < b.count; l++) {
    low |= any_rank(&b, l, any_scale()) && l != empty ? 1 << l : 0;
    for (int64_t i = 0; l == empty && i < (b.m < b.n ? b.n : b.m); i++)
      set(b.m < b.n ? element(&b.in[0], l, 0, i) : element(&b.in[0], l, i, 0), 0);
  }
  const int64_t spoilt = empty < 0 && b.m == b.n ? spoil(&b) : -1, left = f->svd(&b);
  if (spoilt >= 0)
    low &= ~(1 << spoilt);
  good = left_is(left & ~low, empty < 0 ? spoilt : empty);
  for (int64_t l = 0; l < b.count; l++)
    if (!(left >> l & 1) && !svd_lane(&b, l, k))
      diag("svd of %d x %d, lane %d", (int)b.m, (int)b.n, (int)l), good = false;
  if (spoilt < 0) { /* values alone are for all */
    cpu_batch values = b;
    values.want[0] = values.want[2] = false;
    good &= f->svd(&values) == 0 && alone_too(f->svd, 0, &b, 1, 1, k, 1, wide ? 8 : 4);
    good &= alone_too(base->svd, 0, &b, 1, 1, k, 1, wide ? 8 : 4);
  }
  if (left == 0)
    good &= alone_too(f->svd, 0, &b, 1, 0, b.m, k, width()) && alone_too(base->svd, 0, &b, 1, 2, k, b.n, width());
  return (int)leave(&ra) & (int)leave(&ru) & (int)leave(&rs) & (int)leave(&rv) & (int)good;
}

static int wrong(const cpu_batch_loops *sets, int t, int k)
{
  const cpu_batch_loops *f = &sets[t], *base = &cpu_batch_base[t];
  (void)k;
  return !reflects(f, base) + !diagonalises(f, base) + !orthogonalises(f, base);
}

static void one_level(const char *level, const cpu_batch_loops *sets) { each_type(level, sets, 120, wrong); }

int main(void)
{
  gen_seed(&g, tap_seed());
  one_level("base", cpu_batch_base);
#if defined(HED_HAVE_X86_LEVELS)
  if (cpu_has_avx2())
    one_level("AVX2", cpu_batch_avx2);
  else
    skip(CPU_BATCH_TYPES, "no AVX2");
  if (cpu_has_avx512())
    one_level("AVX-512", cpu_batch_avx512);
  else
    skip(CPU_BATCH_TYPES, "no AVX-512");
#endif
  done_testing();
  return done();
}
