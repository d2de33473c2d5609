// SPDX-License-Identifier: BSD-3-Clause
/*
 * Singular values by LAPACK's gesdd (divide and conquer). L1.
 *
 * A row-major matrix is the transpose of what LAPACK sees, whose decomposition has the same values and u and vh in
 * exchanged roles, so a C-order matrix is handed over as it is and only copied because gesdd destroys it. Of a tall real
 * matrix, gesdd gets the triangle of its QR factors (lapack_tall.c). Other long ones of float32 and complex64 are computed in the
 * wider type.
 */
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/runtime/parallel.h"
#include <math.h>

typedef struct pieces {
  char *a, *u, *vt, *s, *work, *rwork;
  char *r1, *r2, *r, *ur; /* of a tall matrix: its triangles, their product, left vectors of that */
  int *iwork;
} pieces;

static bool wants_vectors(const lapack *l) { return l->call->out[0] || l->call->out[2]; }
static bool is_full(const lapack *l) { return ((const hed_svd_params *)l->call->params)->full_matrices; }

/* Columns of LAPACK's u, rows of its vt; m, n and k are those of the operand. */
static int64_t u_columns(const lapack *l) { return is_full(l) ? l->n : l->k; }
static int64_t vt_rows(const lapack *l) { return is_full(l) ? l->m : l->k; }

static bool goes_by_qr(const lapack *l) { return !is_full(l) && cpu_lapack_is_tall(l, l->m, l->n); }

static pieces divide(const lapack *l, char *at)
{
  const int64_t long_side = CPU_MAX(l->m, l->n);
  /* sizes of the work arrays: the manual page of gesdd */
  const int64_t rwork = CPU_MAX(5 * l->k * l->k + 7 * l->k, 2 * long_side * l->k + 2 * l->k * l->k + l->k);
  pieces p;
  p.a = cpu_lapack_piece(&at, l->m * l->n * l->size);
  p.work = cpu_lapack_piece(&at, l->lwork * l->size);
  p.s = cpu_lapack_piece(&at, l->k * l->real_size);
  p.rwork = cpu_lapack_piece(&at, l->type >= 2 ? rwork * l->real_size : 0);
  p.iwork = (int *)(void *)cpu_lapack_piece(&at, 8 * l->k * (int64_t)sizeof(int));
  p.u = cpu_lapack_piece(&at, wants_vectors(l) ? l->n * u_columns(l) * l->size : 0);
  p.vt = cpu_lapack_piece(&at, wants_vectors(l) ? vt_rows(l) * l->m * l->size : 0);
  const int64_t square = goes_by_qr(l) ? l->n * l->n * l->size : 0;
  p.r1 = cpu_lapack_piece(&at, square);
  p.r2 = cpu_lapack_piece(&at, square);
  p.r = cpu_lapack_piece(&at, square);
  p.ur = at;
  return p;
}

static int call_gesdd(const lapack *l, const pieces *p, int lwork)
{
  const cpu_blas *b = l->blas;
  const int m = (int)l->n, n = (int)l->m, ldvt = (int)CPU_MAX(vt_rows(l), 1), one = CPU_MAX(m, 1);
  const char job = !wants_vectors(l) ? 'N' : is_full(l) ? 'A' : 'S';
  int info = 0;
  switch (l->type) {
  case 0:
    b->sgesdd(&job, &m, &n, p->a, &one, p->s, p->u, &one, p->vt, &ldvt, p->work, &lwork, p->iwork, &info, 1);
    break;
  case 1:
    b->dgesdd(&job, &m, &n, p->a, &one, p->s, p->u, &one, p->vt, &ldvt, p->work, &lwork, p->iwork, &info, 1);
    break;
  case 2:
    b->cgesdd(&job, &m, &n, p->a, &one, p->s, p->u, &one, p->vt, &ldvt, p->work, &lwork, p->rwork, p->iwork, &info, 1);
    break;
  default:
    b->zgesdd(&job, &m, &n, p->a, &one, p->s, p->u, &one, p->vt, &ldvt, p->work, &lwork, p->rwork, p->iwork, &info, 1);
  }
  return info;
}

/* The signs of COLUMNS side by side as hed__phase has them, each column's first element of 0.999 of the largest size
 * positive, and what is not so turned. SIGN is for them too. */
enum { COLUMNS = 16 };
#define ROTATE_COLUMNS(T, S)                                                        \
  static void turn_columns_##S(int64_t m, T *u, int64_t step, double *sign)         \
  {                                                                                 \
    T most[COLUMNS] = { 0 }, factor[COLUMNS];                                       \
    bool turns = false;                                                             \
    for (int64_t i = 0; i < m; i++)                                                 \
      for (int j = 0; j < COLUMNS; j++) {                                           \
        const T x = u[i * step + j], size = x < 0 ? -x : x;                         \
        most[j] = size > most[j] ? size : most[j];                                  \
      }                                                                             \
    for (int j = 0; j < COLUMNS; j++) {                                             \
      const double least = 0.999 * (double)most[j];                                 \
      int64_t i = 0;                                                                \
      while (i < m && !(fabs((double)u[i * step + j]) >= least))                    \
        i++;                                                                        \
      sign[j] = i < m && u[i * step + j] < 0 ? -1 : 1;                              \
      factor[j] = (T)sign[j];                                                       \
      turns |= sign[j] < 0;                                                         \
    }                                                                               \
    for (int64_t i = 0; turns && i < m; i++)                                        \
      for (int j = 0; j < COLUMNS; j++)                                             \
        u[i * step + j] = u[i * step + j] * factor[j] + 0; /* no -0 */              \
  }
ROTATE_COLUMNS(float, f32)
ROTATE_COLUMNS(double, f64)

typedef struct columns {
  const lapack *l;
  const pieces *p;
} columns;

/* Column j of the operand's u is spread over LAPACK's vt, row j of vh is a column of LAPACK's u. */
static void settle_columns(void *arg, int64_t at)
{
  const lapack *l = ((columns *)arg)->l;
  const pieces *p = ((columns *)arg)->p;
  const int64_t step = vt_rows(l), from = at * COLUMNS, to = CPU_MIN(from + COLUMNS, step);
  char *const u = p->vt + from * l->size;
  double factor[2] = { 1, 0 }, sign[COLUMNS];
  const bool all = l->type < 2 && to - from == COLUMNS;
  if (all && l->type == 0)
    turn_columns_f32(l->m, (float *)(void *)u, step, sign);
  else if (all)
    turn_columns_f64(l->m, (double *)(void *)u, step, sign);
  for (int64_t j = from; j < to; j++) {
    if (all) {
      factor[0] = sign[j - from];
    } else {
      const int64_t leading = hed__phase(l->dtype, l->m, p->vt + j * l->size, step * l->size, factor);
      hed__rotate_phase(l->dtype, l->m, p->vt + j * l->size, step * l->size, factor, 0, leading);
    }
    if (j < l->k)
      hed__rotate_phase(l->dtype, l->n, p->u + j * l->n * l->size, l->size, factor, 1, -1);
  }
}

static void settle_phases(const lapack *l, const pieces *p)
{
  double factor[2];
  cpu_parallel_items(l->call, (vt_rows(l) + COLUMNS - 1) / COLUMNS, (double)l->m * (double)vt_rows(l), settle_columns,
                     &(columns){ l, p });
  for (int64_t j = l->k; j < u_columns(l); j++) {
    char *vh = p->u + j * l->n * l->size;
    int64_t leading = hed__phase(l->dtype, l->n, vh, l->size, factor);
    hed__rotate_phase(l->dtype, l->n, vh, l->size, factor, 0, leading);
  }
}

static double real_at(const lapack *l, const char *x, int64_t k)
{
  return l->type & 1 ? ((const double *)(const void *)x)[k] : ((const float *)(const void *)x)[k];
}

static void set_real(const lapack *l, char *x, int64_t k, double value)
{
  if (l->type & 1)
    ((double *)(void *)x)[k] = value;
  else
    ((float *)(void *)x)[k] = (float)value;
}

/* Where the largest singular value is at most this many times the smallest, q1 needs no second step: what it lacks of
 * being orthogonal grows with the square of that. */
static const double mild = 8;

/* u = a r1^-1 ur where r1 = ur s vh; 1: gesdd fails, -1: a is not so well conditioned. */
static int svd_by_triangle(const lapack *l, const lapack *small, const pieces *p)
{
  const int64_t n = l->n;
  double least = INFINITY, most = 0;
  pieces q = *p;
  q.a = p->r;
  q.vt = p->ur;
  for (int64_t i = 0; i < n; i++) { /* the diagonal's are no farther apart than the singular values */
    least = fmin(least, real_at(l, p->r1, i * (n + 1)));
    most = fmax(most, real_at(l, p->r1, i * (n + 1)));
  }
  if (!(most <= mild * least))
    return -1;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      set_real(l, p->r, i * n + j, real_at(l, p->r1, j * n + i));
  if (call_gesdd(small, &q, l->lwork) != 0)
    return 1;
  if (!(real_at(l, p->s, 0) <= mild * real_at(l, p->s, n - 1)))
    return -1;
  if (!wants_vectors(l))
    return 0;
  cpu_lapack_over_triangle(l, true, n, n, p->r1, n, p->ur);
  return cpu_lapack_tall_times(l, l->m, n, p->a, p->ur, p->vt) ? 0 : LAPACK_NO_MEMORY;
}

/* u s vh of a = q1 (r2^-1 ur) s vh, where r = r2 r1 = ur s vh; -1 when a is not so well conditioned. */
static int svd_by_qr(const lapack *l, const pieces *p)
{
  const int64_t n = l->n;
  lapack small = *l;
  pieces q = *p;
  small.m = n;
  q.a = p->r;
  q.vt = p->ur;
  if (!cpu_lapack_tall_triangle(l, l->m, n, p->a, p->r1))
    return -1;
  int info = svd_by_triangle(l, &small, p);
  if (info >= 0 || info == LAPACK_NO_MEMORY)
    return info;
  if (!cpu_lapack_tall_again(l, l->m, n, p->a, p->r1, p->r2))
    return -1;
  cpu_lapack_gemm(l, true, true, true, n, n, n, p->r1, n, p->r2, n, p->r, n); /* its transpose by columns: r by rows */
  info = call_gesdd(&small, &q, l->lwork);
  if (info != 0 || !wants_vectors(l))
    return info != 0;
  cpu_lapack_over_triangle(l, true, n, n, p->r2, n, p->ur);
  return cpu_lapack_tall_times(l, l->m, n, p->a, p->ur, p->vt) ? 0 : LAPACK_NO_MEMORY;
}

static void measure(lapack *l)
{
  char query[16] = { 0 };
  int none[8] = { 0 };
  pieces p = { .a = query, .u = query, .vt = query, .s = query, .work = query, .rwork = query, .iwork = none };
  call_gesdd(l, &p, -1);
  l->lwork = cpu_lapack_count(l, query);
  if (goes_by_qr(l)) {
    lapack small = *l;
    small.m = l->n;
    call_gesdd(&small, &p, -1);
    l->lwork = CPU_MAX(l->lwork, cpu_lapack_count(l, query));
  }
  p = divide(l, NULL);
  l->bytes = (int64_t)((uintptr_t)p.ur) + (goes_by_qr(l) ? l->n * l->n * l->size : 0);
}

static int one_svd(const lapack *l, int64_t at, char *space)
{
  const pieces p = divide(l, space);
  const hed_view *const *out = l->call->out;
  cpu_lapack_get(l, l->call->in[0], at, 2, false, p.a);
  const int64_t bad = cpu_lapack_not_finite(l, p.a, l->m * l->n);
  if (bad >= 0)
    return -1 - (int)bad;
  int info = goes_by_qr(l) ? svd_by_qr(l, &p) : call_gesdd(l, &p, l->lwork);
  if (info == LAPACK_NO_MEMORY)
    return info;
  if (info < 0) {
    if (cpu_lapack_is_long(l))
      return cpu_lapack_widened(l, at, measure);
    cpu_lapack_get(l, l->call->in[0], at, 2, false, p.a);
    info = call_gesdd(l, &p, l->lwork);
  }
  if (info != 0)
    return 1;
  if (wants_vectors(l))
    settle_phases(l, &p);
  cpu_lapack_put(l, out[1], at, 1, false, hed__real_of(l->dtype), p.s, 1);
  cpu_lapack_put(l, out[2], at, 2, false, l->dtype, p.u, l->n);
  cpu_lapack_put(l, out[0], at, 2, false, l->dtype, p.vt, vt_rows(l));
  return 0;
}

static int32_t report(const lapack *l, int64_t at, int info)
{
  char text[HED__MATRIX_TEXT];
  if (info < 0)
    return cpu_host->fail(HED_E_INVAL, "svd: row %lld, column %lld of %s is not finite", (-1 - (long long)info) / l->n,
                          (-1 - (long long)info) % l->n, hed__matrix_text(at, l->batch_axes, text));
  return cpu_host->fail(HED_E_INTERNAL, "svd: gesdd did not converge for %s",
                        hed__matrix_text(at, l->batch_axes, text));
}

int32_t cpu_svd(void *state, const hed_call *call)
{
  (void)state;
  lapack l;
  int32_t status = cpu_lapack_begin(&l, call, "svd");
  if (status != HED_OK)
    return status;
  /* the square factor of the long side is counted in LAPACK's integers too */
  if (is_full(&l) && (double)CPU_MAX(l.m, l.n) * (double)CPU_MAX(l.m, l.n) > 0x1p29)
    return HED_E_UNSUPPORTED;
  if (l.k == 0 || l.batch == 0 || cpu_lapack_lanes(&l))
    return HED_OK;
  if (!goes_by_qr(&l) && cpu_lapack_is_long(&l))
    cpu_lapack_widen(&l);
  measure(&l);
  l.work = 10.0 * (double)l.m * (double)l.n * (double)l.k;
  l.one = one_svd;
  l.shares = goes_by_qr(&l);
  l.report = report;
  return cpu_lapack_run(&l);
}
