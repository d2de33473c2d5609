// SPDX-License-Identifier: BSD-3-Clause
/*
 * lu, solve, solve_triangular, cholesky and qr by LAPACK: getrf, trtrs, potrf, geqrf and orgqr; qr of tall real
 * matrices by lapack_tall.c, many right-hand sides by lapack_blocks.c; lu and solve of real matrices by lapack_lu.c where
 * that is ahead. L1.
 *
 * Matrices are handed over by columns, but for cholesky: there rows serve as they are, since the conjugate of a Hermitian
 * matrix is its transpose and its factor comes out transposed as well.
 */
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/kernels/linalg/lu.h"
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

static bool is_zero(const lapack *l, const char *x)
{
  double re, im = 0;
  switch (l->type) {
  case 0: re = *(const float *)(const void *)x; break;
  case 1: re = *(const double *)(const void *)x; break;
  case 2:
    re = ((const float *)(const void *)x)[0];
    im = ((const float *)(const void *)x)[1];
    break;
  default:
    re = ((const double *)(const void *)x)[0];
    im = ((const double *)(const void *)x)[1];
  }
  return re == 0 && im == 0;
}

static void set_real(const lapack *l, char *x, double value)
{
  memset(x, 0, (size_t)l->size);
  if (l->type & 1)
    *(double *)(void *)x = value;
  else
    *(float *)(void *)x = (float)value;
}

static int leading_dimension(int64_t n) { return (int)CPU_MAX(n, 1); }

/* ---- lu ---- */

/* What became of the order of rows by exchanges of row i with pivot[i], and its parity. */
static double permute(const lapack *l, const int64_t *pivot, int64_t *perm)
{
  double parity = 1;
  for (int64_t i = 0; i < l->m; i++)
    perm[i] = i;
  for (int64_t i = 0; i < l->k; i++) {
    const int64_t other = pivot[i], row = perm[i];
    perm[i] = perm[other];
    perm[other] = row;
    parity = other == i ? parity : -parity;
  }
  return parity;
}

/* By rows, with products of our own. */
static int own_lu(const lapack *l, int64_t at, char *space)
{
  const hed_view *const *out = l->call->out;
  const int64_t m = l->m, n = l->n, k = l->k, size = l->size;
  char *a = cpu_lapack_piece(&space, m * n * size), *part = cpu_lapack_piece(&space, CPU_MAX(k * (m + n), m * CPU_LU_WIDE) * size);
  int64_t *pivot = (int64_t *)(void *)cpu_lapack_piece(&space, k * (int64_t)sizeof *pivot), *perm = (int64_t *)(void *)space, zero;
  cpu_lapack_get(l, l->call->in[0], at, 2, false, a);
  if (!cpu_lapack_own_lu(l, m, n, a, pivot, part, &zero))
    return LAPACK_NO_MEMORY;
  const double parity = permute(l, pivot, perm);
  cpu_lapack_put(l, out[0], at, 1, false, HED_ID_INT64, (const char *)perm, 1);
  if (l->call->n_out > 3)
    cpu_lapack_put(l, out[3], at, 0, false, HED_ID_FLOAT64, (const char *)&parity, 1);
  for (int64_t i = 0; out[1] && i < m; i++) {
    char *row = part + i * k * size;
    memset(row, 0, (size_t)(k * size));
    memcpy(row, a + i * n * size, (size_t)(CPU_MIN(i, k) * size));
    if (i < k)
      set_real(l, row + i * size, 1);
  }
  cpu_lapack_put(l, out[1], at, 2, false, l->dtype, part, k);
  for (int64_t i = 0; out[2] && i < k; i++) {
    char *row = part + i * n * size;
    memset(row, 0, (size_t)(i * size));
    memcpy(row + i * size, a + (i * n + i) * size, (size_t)((n - i) * size));
  }
  cpu_lapack_put(l, out[2], at, 2, false, l->dtype, part, n);
  return 0;
}

static int one_lu(const lapack *l, int64_t at, char *space)
{
  const hed_view *const *out = l->call->out;
  const int m = (int)l->m, n = (int)l->n, lda = leading_dimension(l->m);
  int info = 0;
  char *a = cpu_lapack_piece(&space, l->m * l->n * l->size), *part = cpu_lapack_piece(&space, l->k * (l->m + l->n) * l->size);
  int *pivot = (int *)(void *)cpu_lapack_piece(&space, l->k * (int64_t)sizeof *pivot);
  int64_t *row = (int64_t *)(void *)cpu_lapack_piece(&space, l->k * (int64_t)sizeof *row), *perm = (int64_t *)(void *)space;
  cpu_lapack_get(l, l->call->in[0], at, 2, true, a);
  if (l->k > 0)
    l->blas->getrf[l->type](&m, &n, a, &lda, pivot, &info);
  for (int64_t i = 0; i < l->k; i++)
    row[i] = pivot[i] - 1;
  const double parity = permute(l, row, perm);
  cpu_lapack_put(l, out[0], at, 1, false, HED_ID_INT64, (const char *)perm, 1);
  if (l->call->n_out > 3)
    cpu_lapack_put(l, out[3], at, 0, false, HED_ID_FLOAT64, (const char *)&parity, 1);
  if (out[1])
    memset(part, 0, (size_t)(l->k * l->m * l->size));
  for (int64_t j = 0; out[1] && j < l->k; j++) {
    set_real(l, part + (j * l->m + j) * l->size, 1);
    memcpy(part + (j * l->m + j + 1) * l->size, a + (j * l->m + j + 1) * l->size, (size_t)((l->m - j - 1) * l->size));
  }
  cpu_lapack_put(l, out[1], at, 2, true, l->dtype, part, l->m);
  if (!out[2])
    return 0;
  memset(part, 0, (size_t)(l->k * l->n * l->size));
  for (int64_t j = 0; j < l->n; j++)
    memcpy(part + j * l->k * l->size, a + j * l->m * l->size, (size_t)(CPU_MIN(j + 1, l->k) * l->size));
  cpu_lapack_put(l, out[2], at, 2, true, l->dtype, part, l->k);
  return 0;
}

int32_t cpu_lu(void *state, const hed_call *call)
{
  (void)state;
  lapack l;
  int32_t status;
  if (cpu_lapack_batch(call, "lu", &status) || (status = cpu_lapack_begin(&l, call, "lu")) != HED_OK)
    return status;
  l.bytes = (l.m * l.n + CPU_MAX(l.k * (l.m + l.n), l.m * CPU_LU_WIDE)) * l.size + 2 * (l.k + l.m) * 8 + 512;
  l.work = (double)l.m * (double)l.n * (double)l.k;
  l.shares = cpu_lapack_is_own(&l);
  l.one = l.shares ? own_lu : one_lu;
  l.report = cpu_lapack_report_singular;
  return cpu_lapack_run(&l);
}

/* ---- solve, solve_triangular; k is the number of right-hand sides ---- */

static int own_solve(const lapack *l, int64_t at, char *space)
{
  const int64_t n = l->n, k = l->k;
  char *a = cpu_lapack_piece(&space, n * n * l->size), *b = cpu_lapack_piece(&space, n * k * l->size);
  char *work = cpu_lapack_piece(&space, n * CPU_LU_WIDE * l->size);
  int64_t *pivot = (int64_t *)(void *)space, zero;
  cpu_lapack_get(l, l->call->in[0], at, 2, false, a);
  cpu_lapack_get(l, l->call->in[1], at, 2, false, b);
  if (!cpu_lapack_own_lu(l, n, n, a, pivot, work, &zero))
    return LAPACK_NO_MEMORY;
  if (zero >= 0)
    return (int)zero + 1;
  if (!cpu_lapack_own_solve(l, n, k, a, n, pivot, b))
    return LAPACK_NO_MEMORY;
  cpu_lapack_put(l, l->call->out[0], at, 2, false, l->dtype, b, k);
  return 0;
}

static int one_solve(const lapack *l, int64_t at, char *space)
{
  const int n = (int)l->n, k = (int)l->k, ld = leading_dimension(l->n);
  int info = 0;
  char *a = cpu_lapack_piece(&space, l->n * l->n * l->size), *b = cpu_lapack_piece(&space, l->n * l->k * l->size);
  int *pivot = (int *)(void *)space;
  cpu_lapack_get(l, l->call->in[0], at, 2, true, a);
  cpu_lapack_get(l, l->call->in[1], at, 2, true, b);
  l->blas->getrf[l->type](&n, &n, a, &ld, pivot, &info);
  if (info != 0)
    return info;
  cpu_lapack_lu_solve(l, n, k, a, pivot, b);
  cpu_lapack_put(l, l->call->out[0], at, 2, true, l->dtype, b, l->n);
  return info;
}

/* V with its last AXES axes backwards. */
static hed_view backwards(const hed_view *v, int axes)
{
  hed_view turned = *v;
  for (int32_t k = v->ndim - 2; k < v->ndim - 2 + axes; k++) {
    turned.data = (char *)turned.data + (v->dim[k] - 1) * v->stride[k];
    turned.stride[k] = -v->stride[k];
  }
  return turned;
}

/* The last two axes of V exchanged. */
static hed_view transposed(const hed_view *v)
{
  hed_view turned = *v;
  turned.stride[v->ndim - 1] = v->stride[v->ndim - 2];
  turned.stride[v->ndim - 2] = v->stride[v->ndim - 1];
  return turned;
}

/* Lower triangles backwards are upper ones; those with a unit diagonal go the other way. */
static int own_triangular(const lapack *l, int64_t at, char *space)
{
  const hed_triangular_params *p = l->call->params;
  const int64_t n = l->n, k = l->k;
  hed_view a = *l->call->in[0], b = *l->call->in[1], x = *l->call->out[0];
  bool turned = p->upper == p->unit;
  if (p->form != HED_AS_IS) {
    a = transposed(&a);
    turned = !turned;
  }
  if (turned) {
    a = backwards(&a, 2);
    b = backwards(&b, 1);
    x = backwards(&x, 1);
  }
  char *matrix = cpu_lapack_piece(&space, n * n * l->size), *sides = cpu_lapack_piece(&space, n * k * l->size);
  cpu_lapack_get(l, &a, at, 2, false, matrix);
  for (int64_t i = 0; i < n && !p->unit; i++)
    if (is_zero(l, matrix + (turned ? n - 1 - i : i) * (n + 1) * l->size))
      return (int)i + 1;
  cpu_lapack_get(l, &b, at, 2, false, sides);
  if (!cpu_lapack_own_triangle(l, n, k, matrix, p->unit, sides))
    return LAPACK_NO_MEMORY;
  cpu_lapack_put(l, &x, at, 2, false, l->dtype, sides, k);
  return 0;
}

static int one_triangular(const lapack *l, int64_t at, char *space)
{
  const hed_triangular_params *p = l->call->params;
  const int n = (int)l->n, k = (int)l->k, ld = leading_dimension(l->n);
  int info = 0;
  const bool blocks = cpu_lapack_blocks_pay(n, k) && (p->form != HED_ADJOINT || l->type < 2);
  const bool turns = blocks && p->form != HED_AS_IS;
  const hed_view other = transposed(l->call->in[0]);
  char *a = cpu_lapack_piece(&space, l->n * l->n * l->size), *b = cpu_lapack_piece(&space, l->n * l->k * l->size);
  cpu_lapack_get(l, turns ? &other : l->call->in[0], at, 2, true, a);
  cpu_lapack_get(l, l->call->in[1], at, 2, true, b);
  for (int64_t i = 0; i < l->n && !p->unit; i++)
    if (is_zero(l, a + i * (l->n + 1) * l->size))
      return (int)i + 1;
  if (blocks)
    cpu_lapack_triangle_solve(l, p->upper != turns, p->unit, n, k, a, b);
  else
    l->blas->trtrs[l->type](p->upper ? "U" : "L", p->form == HED_AS_IS ? "N" : p->form == HED_ADJOINT ? "C" : "T",
                            p->unit ? "U" : "N", &n, &k, a, &ld, b, &ld, &info, 1, 1, 1);
  cpu_lapack_put(l, l->call->out[0], at, 2, true, l->dtype, b, l->n);
  return info;
}

typedef int (*one_fn)(const lapack *l, int64_t at, char *space);

/* OWN is ONE by products of our own, for LEAST right-hand sides and more. */
static int32_t solve(const hed_call *call, const char *op, one_fn one, one_fn own, int64_t least, double factor)
{
  lapack l;
  int32_t status = cpu_lapack_begin(&l, call, op);
  const hed_view *b = call->in[1];
  if (status != HED_OK)
    return status;
  l.k = b->dim[b->ndim - 1];
  if ((double)l.k * (double)l.n > 0x1p29)
    return HED_E_UNSUPPORTED;
  l.bytes = (l.n * l.n + l.n * l.k + l.n * CPU_LU_WIDE) * l.size + l.n * (int64_t)sizeof(int64_t) + 256;
  l.work = (double)l.n * (double)l.n * (factor * (double)l.n + (double)l.k);
  l.shares = cpu_lapack_is_own(&l) && l.k >= least;
  l.one = l.shares ? own : one;
  l.report = cpu_lapack_report_singular;
  return cpu_lapack_run(&l);
}

int32_t cpu_solve(void *state, const hed_call *call)
{
  int32_t status;
  (void)state;
  return cpu_lapack_batch(call, "solve", &status) ? status : solve(call, "solve", one_solve, own_solve, 0, 0.5);
}

int32_t cpu_solve_triangular(void *state, const hed_call *call)
{
  (void)state;
  return solve(call, "solve_triangular", one_triangular, own_triangular, 16, 0);
}

/* ---- cholesky ---- */

/* The order of the first leading minor whose pivot is NaN, which libraries' potrf may let through; 0 when there is none. */
static int minor_of_nan(const lapack *l, const char *a, int64_t ld)
{
  const bool is_double = l->dtype == HED_ID_FLOAT64 || l->dtype == HED_ID_COMPLEX128;
  for (int64_t i = 0; i < l->n; i++) {
    const char *pivot = a + i * (ld + 1) * l->size;
    if (is_double ? isnan(*(const double *)(const void *)pivot) : isnan(*(const float *)(const void *)pivot))
      return (int)i + 1;
  }
  return 0;
}

static int one_cholesky(const lapack *l, int64_t at, char *space)
{
  const bool upper = ((const hed_cholesky_params *)l->call->params)->upper;
  const int n = (int)l->n, ld = (int)cpu_lapack_spaced(l, l->n);
  int info = 0;
  cpu_lapack_get_spaced(l, l->call->in[0], at, false, space, ld);
  l->blas->potrf[l->type](upper ? "L" : "U", &n, space, &ld, &info, 1);
  if (info != 0 || (info = minor_of_nan(l, space, ld)) != 0)
    return info;
  for (int64_t i = 0; i < l->n; i++) {
    char *row = space + i * ld * l->size;
    if (upper)
      memset(row, 0, (size_t)(i * l->size));
    else
      memset(row + (i + 1) * l->size, 0, (size_t)((l->n - i - 1) * l->size));
  }
  cpu_lapack_put(l, l->call->out[0], at, 2, false, l->dtype, space, ld);
  return 0;
}

int32_t cpu_cholesky(void *state, const hed_call *call)
{
  (void)state;
  lapack l;
  int32_t status;
  if (cpu_lapack_batch(call, "cholesky", &status) || (status = cpu_lapack_begin(&l, call, "cholesky")) != HED_OK)
    return status;
  l.bytes = cpu_lapack_spaced(&l, l.n) * l.n * l.size;
  l.work = (double)l.n * (double)l.n * (double)l.n / 4;
  l.one = one_cholesky;
  l.report = cpu_lapack_report_minor;
  return cpu_lapack_run(&l);
}

/* ---- qr ---- */

static int64_t q_columns(const lapack *l)
{
  return ((const hed_qr_params *)l->call->params)->complete ? l->m : l->k;
}

static bool qr_is_tall(const lapack *l) { return q_columns(l) == l->n && cpu_lapack_is_tall(l, l->m, l->n); }

/* False when a is too badly conditioned for this way. UPPER has room for three squares. */
static bool tall_qr(const lapack *l, int64_t at, char *a, char *upper)
{
  const int64_t n = l->n;
  char *r1 = upper + n * n * l->size, *r2 = r1 + n * n * l->size;
  cpu_lapack_get(l, l->call->in[0], at, 2, false, a);
  if (!cpu_lapack_tall_triangle(l, l->m, n, a, r1) || !cpu_lapack_tall_again(l, l->m, n, a, r1, r2))
    return false;
  cpu_lapack_gemm(l, true, false, false, n, n, n, r2, n, r1, n, upper, n);
  cpu_lapack_put(l, l->call->out[1], at, 2, true, l->dtype, upper, n);
  if (l->call->out[0]) {
    cpu_lapack_over_triangle(l, false, n, l->m, r2, n, a);
    cpu_lapack_put(l, l->call->out[0], at, 2, false, l->dtype, a, n);
  }
  return true;
}

static void measure_qr(lapack *l)
{
  const int64_t columns = q_columns(l), lda = cpu_lapack_spaced(l, l->m);
  const int m = (int)l->m, n = (int)l->n, k = (int)l->k, all = (int)columns, ld = (int)lda, size_only = -1;
  char query[2][16] = { { 0 }, { 0 } };
  int info = 0;
  l->blas->geqrf[l->type](&m, &n, query[0], &ld, query[0], query[0], &size_only, &info);
  l->blas->orgqr[l->type](&m, &all, &k, query[1], &ld, query[1], query[1], &size_only, &info);
  l->lwork = CPU_MAX(cpu_lapack_count(l, query[0]), cpu_lapack_count(l, query[1]));
  l->bytes = (lda * CPU_MAX(l->n, columns) + l->k + l->lwork + columns * l->n * (qr_is_tall(l) ? 3 : 1)) * l->size
             + l->k * 2 * (int64_t)sizeof(double) + 512;
}

static int one_qr(const lapack *l, int64_t at, char *space)
{
  const hed_view *q = l->call->out[0], *r = l->call->out[1];
  const int64_t columns = q_columns(l);
  const int m = (int)l->m, n = (int)l->n, k = (int)l->k, all = (int)columns, lda = (int)cpu_lapack_spaced(l, l->m);
  int info = 0;
  char *a = cpu_lapack_piece(&space, lda * CPU_MAX(l->n, columns) * l->size);
  char *tau = cpu_lapack_piece(&space, l->k * l->size), *work = cpu_lapack_piece(&space, l->lwork * l->size);
  char *upper = cpu_lapack_piece(&space, columns * l->n * l->size * (qr_is_tall(l) ? 3 : 1));
  double (*factor)[2] = (double (*)[2])(void *)space;
  if (qr_is_tall(l) && tall_qr(l, at, a, upper))
    return 0;
  if (qr_is_tall(l) && cpu_lapack_is_long(l))
    return cpu_lapack_widened(l, at, measure_qr);
  cpu_lapack_get_spaced(l, l->call->in[0], at, true, a, lda);
  if (k > 0)
    l->blas->geqrf[l->type](&m, &n, a, &lda, tau, work, &l->lwork, &info);
  if (info != 0)
    return info;
  /* the triangle, its rows turned so that the diagonal is positive */
  memset(upper, 0, (size_t)(columns * l->n * l->size));
  for (int64_t j = 0; j < l->n; j++)
    memcpy(upper + j * columns * l->size, a + j * lda * l->size, (size_t)(CPU_MIN(j + 1, l->k) * l->size));
  for (int64_t i = 0; i < l->k; i++) {
    char *diagonal = upper + i * (columns + 1) * l->size;
    const int64_t leading = hed__phase(l->dtype, 1, diagonal, 0, factor[i]);
    hed__rotate_phase(l->dtype, l->n - i, diagonal, columns * l->size, factor[i], 0, leading);
    if (is_zero(l, diagonal))
      set_real(l, diagonal, 0); /* no -0 */
  }
  cpu_lapack_put(l, r, at, 2, true, l->dtype, upper, columns);
  if (!q || all == 0)
    return 0;
  l->blas->orgqr[l->type](&m, &all, &k, a, &lda, tau, work, &l->lwork, &info);
  for (int64_t i = 0; i < l->k; i++)
    hed__rotate_phase(l->dtype, l->m, a + i * lda * l->size, l->size, factor[i], 1, -1);
  cpu_lapack_put(l, q, at, 2, true, l->dtype, a, lda);
  return info;
}

static int32_t report_internal(const lapack *l, int64_t at, int info)
{
  char text[HED__MATRIX_TEXT];
  return cpu_host->fail(HED_E_INTERNAL, "%s: LAPACK returned %d for %s", l->op, info,
                        hed__matrix_text(at, l->batch_axes, text));
}

int32_t cpu_qr(void *state, const hed_call *call)
{
  (void)state;
  lapack l;
  int32_t status = cpu_lapack_begin(&l, call, "qr");
  if (status != HED_OK)
    return status;
  const int64_t columns = q_columns(&l), widest = CPU_MAX(l.n, columns);
  if ((double)l.m * (double)widest > 0x1p29)
    return HED_E_UNSUPPORTED;
  if (cpu_lapack_lanes(&l))
    return HED_OK;
  if (!qr_is_tall(&l) && columns == l.k && l.m > l.n && cpu_lapack_is_long(&l))
    cpu_lapack_widen(&l);
  measure_qr(&l);
  l.work = 2.0 * (double)l.m * (double)widest * (double)CPU_MAX(l.k, 1);
  l.one = one_qr;
  l.report = report_internal;
  return cpu_lapack_run(&l);
}
