// SPDX-License-Identifier: BSD-3-Clause
/*
 * Eigenvalues by LAPACK: syevd and heevd (divide and conquer) for Hermitian matrices, syevr and heevr for some of the values, geev
 * for others. L1.
 *
 * geev returns the vectors of a real matrix's conjugate pairs as real and imaginary parts in two columns; they are put
 * together here. Order and phase are those of base/dense.h.
 */
#include "backends/cpu/linalg/lapack.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Place in a matrix of order n of the first bad element, as a negative number; the batch's report reads it back. */
static int bad_place(int64_t row, int64_t column, int64_t n) { return -1 - (int)(row * n + column); }

static int32_t report(const lapack *l, int64_t at, int info)
{
  char text[HED__MATRIX_TEXT];
  if (info < 0)
    return cpu_host->fail(HED_E_INVAL, "%s: row %lld, column %lld of %s is not finite", l->op,
                          (-1 - (long long)info) / l->n, (-1 - (long long)info) % l->n,
                          hed__matrix_text(at, l->batch_axes, text));
  return cpu_host->fail(HED_E_INTERNAL, "%s: no convergence for %s", l->op, hed__matrix_text(at, l->batch_axes, text));
}

/* ---- eigh, eigh_range ---- */

typedef struct hermitian {
  char *a, *w, *z, *work, *rwork; /* z: vectors that do not take the matrix's place */
  int *iwork, *isuppz;
} hermitian;

static const hed_eigh_params *params_of(const lapack *l) { return l->call->params; }

/* Are the vectors of so few values wanted that these alone, by bisection and inverse iteration, are less work than all of them? */
static bool is_few(const lapack *l) { return l->call->out[1] && 3 * params_of(l)->count <= l->n; }

static hermitian divide_eigh(const lapack *l, char *at)
{
  const int64_t few = is_few(l) ? params_of(l)->count : 0;
  hermitian p;
  p.a = cpu_lapack_piece(&at, l->n * l->n * l->size);
  p.w = cpu_lapack_piece(&at, l->n * l->real_size);
  p.z = cpu_lapack_piece(&at, few * l->n * l->size);
  p.isuppz = (int *)(void *)cpu_lapack_piece(&at, 2 * few * (int64_t)sizeof(int));
  p.work = cpu_lapack_piece(&at, l->lwork * l->size);
  p.rwork = cpu_lapack_piece(&at, l->lrwork * l->real_size);
  p.iwork = (int *)(void *)at;
  return p;
}

static int call_eigh(const lapack *l, const hermitian *p, int lwork, int lrwork, int liwork)
{
  const char *job = l->call->out[1] ? "V" : "N", *uplo = params_of(l)->upper ? "U" : "L";
  const int n = (int)l->n, ld = CPU_MAX(n, 1);
  int info = 0;
  if (l->type < 2)
    l->blas->syevd[l->type](job, uplo, &n, p->a, &ld, p->w, p->work, &lwork, p->iwork, &liwork, &info, 1, 1);
  else
    l->blas->heevd[l->type - 2](job, uplo, &n, p->a, &ld, p->w, p->work, &lwork, p->rwork, &lrwork, p->iwork, &liwork,
                                &info, 1, 1);
  return info;
}

/* Those of the call's range alone; not 0 where LAPACK finds others, or a vector does not converge. */
static int call_few(const lapack *l, const hermitian *p, int lwork, int lrwork, int liwork)
{
  const hed_eigh_params *range = params_of(l);
  const char *uplo = range->upper ? "U" : "L";
  const int n = (int)l->n, from = (int)range->first + 1, to = (int)(range->first + range->count);
  const double unused[2] = { 0, 0 }; /* a tolerance of 0: as exact as can be */
  int info = 0, found = (int)range->count;
  if (l->type < 2)
    l->blas->syevr[l->type]("V", "I", uplo, &n, p->a, &n, unused, unused, &from, &to, unused, &found, p->w, p->z, &n, p->isuppz,
                            p->work, &lwork, p->iwork, &liwork, &info, 1, 1, 1);
  else
    l->blas->heevr[l->type - 2]("V", "I", uplo, &n, p->a, &n, unused, unused, &from, &to, unused, &found, p->w, p->z, &n, p->isuppz,
                                p->work, &lwork, p->rwork, &lrwork, p->iwork, &liwork, &info, 1, 1, 1);
  return info != 0 || (lwork >= 0 && found != range->count);
}

/* N numbers of L's real type times SCALE. */
static void times(const lapack *l, int64_t n, char *x, double scale)
{
  for (int64_t i = 0; i < n; i++)
    if (l->real_size == 4)
      ((float *)(void *)x)[i] = (float)(scale * (double)((float *)(void *)x)[i]);
    else
      ((double *)(void *)x)[i] *= scale;
}

/* The power of two that brings the largest component of a triangle near 1: bounds of syevr and heevr have constants in them, and
 * values that are equal would have other vectors in another unit. */
static double unit_of(const lapack *l, const char *a, bool upper)
{
  const int64_t n = l->n, parts = l->size / l->real_size;
  double most = 0;
  for (int64_t j = 0; j < n; j++) {
    const int64_t first = (j * n + (upper ? 0 : j)) * parts, count = (upper ? j + 1 : n - j) * parts;
    for (int64_t i = first; i < first + count; i++)
      most = fmax(most, fabs(l->real_size == 4 ? (double)((const float *)(const void *)a)[i] : ((const double *)(const void *)a)[i]));
  }
  int exponent;
  (void)frexp(most, &exponent);
  return ldexp(1, -CPU_MAX(-1000, CPU_MIN(exponent, 1000)));
}

static void measure_eigh(lapack *l)
{
  char query[16] = { 0 }, real[16] = { 0 };
  int whole[4] = { 0 };
  hermitian p = { query, query, query, query, real, whole, whole };
  call_eigh(l, &p, -1, -1, -1);
  l->lwork = cpu_lapack_count(l, query);
  l->lrwork = l->type < 2 ? 0 : cpu_lapack_count(l, real);
  l->liwork = whole[0] + 1;
  if (is_few(l)) {
    (void)call_few(l, &p, -1, -1, -1);
    l->lwork = CPU_MAX(l->lwork, cpu_lapack_count(l, query));
    l->lrwork = l->type < 2 ? 0 : CPU_MAX(l->lrwork, cpu_lapack_count(l, real));
    l->liwork = CPU_MAX(l->liwork, whole[0] + 1);
  }
  p = divide_eigh(l, NULL);
  l->bytes = (int64_t)(uintptr_t)p.iwork + l->liwork * (int64_t)sizeof(int);
}

static int one_eigh(const lapack *l, int64_t at, char *space)
{
  const hed_eigh_params *range = params_of(l);
  const bool upper = range->upper, few = is_few(l);
  const hermitian p = divide_eigh(l, space);
  const int64_t n = l->n;
  double factor[2];
  cpu_lapack_get(l, l->call->in[0], at, 2, true, p.a);
  for (int64_t j = 0; j < n; j++) { /* column by column: the side that is read */
    const int64_t from = upper ? 0 : j, count = upper ? j + 1 : n - j;
    const int64_t bad = cpu_lapack_not_finite(l, p.a + (j * n + from) * l->size, count);
    if (bad >= 0)
      return bad_place(from + bad, j, n);
  }
  const double unit = few ? unit_of(l, p.a, upper) : 1;
  char *w = p.w, *v = p.z;
  if (few)
    times(l, n * n * l->size / l->real_size, p.a, unit);
  if (!few || call_few(l, &p, l->lwork, l->lrwork, l->liwork) != 0) {
    if (few)
      cpu_lapack_get(l, l->call->in[0], at, 2, true, p.a);
    if (call_eigh(l, &p, l->lwork, l->lrwork, l->liwork) != 0)
      return 1;
    w = p.w + range->first * l->real_size;
    v = p.a + range->first * n * l->size;
  } else
    times(l, range->count, w, 1 / unit);
  cpu_lapack_put(l, l->call->out[0], at, 1, false, hed__real_of(l->dtype), w, 1);
  if (!l->call->out[1])
    return 0;
  for (int64_t j = 0; j < range->count; j++) {
    char *column = v + j * n * l->size;
    const int64_t leading = hed__phase(l->dtype, n, column, l->size, factor);
    hed__rotate_phase(l->dtype, n, column, l->size, factor, 0, leading);
  }
  cpu_lapack_put(l, l->call->out[1], at, 2, true, l->dtype, v, n);
  return 0;
}

static int32_t eigh(const hed_call *call, const char *name)
{
  lapack l;
  int32_t status = cpu_lapack_begin(&l, call, name);
  if (status != HED_OK)
    return status;
  if (l.n == 0 || cpu_lapack_lanes(&l))
    return HED_OK;
  measure_eigh(&l);
  l.work = 4.0 * (double)l.n * (double)l.n * (double)l.n;
  l.one = one_eigh;
  l.report = report;
  return cpu_lapack_run(&l);
}

int32_t cpu_eigh(void *state, const hed_call *call)
{
  (void)state;
  return eigh(call, "eigh");
}

int32_t cpu_eigh_range(void *state, const hed_call *call)
{
  (void)state;
  return eigh(call, "eigh_range");
}

/* ---- eig ---- */

typedef struct general {
  char *a, *values, *vectors, *work, *rwork; /* values: wr, then wi, or w */
  char *sorted;                              /* complex vectors in order */
  double *w;                                 /* values as pairs */
  int64_t *order;
} general;

static general divide_eig(const lapack *l, char *at)
{
  const int64_t n = l->n, vectors = l->call->out[1] ? n * n : 1, both = 2 * l->real_size;
  general p;
  p.a = cpu_lapack_piece(&at, n * n * l->size);
  p.values = cpu_lapack_piece(&at, n * both);
  p.vectors = cpu_lapack_piece(&at, vectors * l->size);
  p.work = cpu_lapack_piece(&at, l->lwork * l->size);
  p.rwork = cpu_lapack_piece(&at, 2 * n * l->real_size);
  p.sorted = cpu_lapack_piece(&at, CPU_MAX(vectors, n) * both);
  p.w = (double *)(void *)cpu_lapack_piece(&at, 2 * n * (int64_t)sizeof(double));
  p.order = (int64_t *)(void *)at;
  return p;
}

static int call_eig(const lapack *l, const general *p, int lwork)
{
  const char *job = l->call->out[1] ? "V" : "N";
  const int n = (int)l->n, ld = CPU_MAX(n, 1), one = 1;
  int info = 0;
  char unused[16];
  if (l->type < 2)
    l->blas->geev_real[l->type]("N", job, &n, p->a, &ld, p->values, p->values + l->n * l->real_size, unused, &one,
                                p->vectors, &ld, p->work, &lwork, &info, 1, 1);
  else
    l->blas->geev_complex[l->type - 2]("N", job, &n, p->a, &ld, p->values, unused, &one, p->vectors, &ld, p->work,
                                       &lwork, p->rwork, &info, 1, 1);
  return info;
}

static double real_at(const lapack *l, const char *x, int64_t k)
{
  return l->type & 1 ? ((const double *)(const void *)x)[k] : ((const float *)(const void *)x)[k];
}

/* Element K of an array of complex numbers of L's width. */
static void set_complex(const lapack *l, char *x, int64_t k, double re, double im)
{
  if (l->type & 1) {
    ((double *)(void *)x)[2 * k] = re;
    ((double *)(void *)x)[2 * k + 1] = im;
  } else {
    ((float *)(void *)x)[2 * k] = (float)re;
    ((float *)(void *)x)[2 * k + 1] = (float)im;
  }
}

/* Vector FROM of LAPACK's to column TO of the result. */
static void take_vector(const lapack *l, const general *p, int64_t from, int64_t to)
{
  const int64_t n = l->n, width = 2 * l->real_size;
  char *column = p->sorted + to * n * width;
  const int id = hed__complex_of(l->dtype);
  const double imaginary = p->w[2 * from + 1];
  double factor[2];
  if (l->type >= 2) {
    memcpy(column, p->vectors + from * n * width, (size_t)(n * width));
  } else if (imaginary == 0) {
    for (int64_t i = 0; i < n; i++)
      set_complex(l, column, i, real_at(l, p->vectors, from * n + i), 0);
  } else { /* the first of a pair has the positive imaginary part */
    const int64_t first = imaginary > 0 ? from : from - 1;
    for (int64_t i = 0; i < n; i++) {
      const double im = real_at(l, p->vectors, (first + 1) * n + i);
      set_complex(l, column, i, real_at(l, p->vectors, first * n + i), imaginary > 0 ? im : -im);
    }
  }
  const int64_t leading = hed__phase(id, n, column, width, factor);
  hed__rotate_phase(id, n, column, width, factor, 0, leading);
}

static int one_eig(const lapack *l, int64_t at, char *space)
{
  const general p = divide_eig(l, space);
  const int64_t n = l->n;
  const int id = hed__complex_of(l->dtype);
  cpu_lapack_get(l, l->call->in[0], at, 2, true, p.a);
  const int64_t bad = cpu_lapack_not_finite(l, p.a, n * n);
  if (bad >= 0)
    return bad_place(bad % n, bad / n, n);
  if (call_eig(l, &p, l->lwork) != 0)
    return 1;
  for (int64_t k = 0; k < n; k++) {
    p.w[2 * k] = real_at(l, p.values, l->type < 2 ? k : 2 * k);
    p.w[2 * k + 1] = real_at(l, p.values, l->type < 2 ? n + k : 2 * k + 1);
  }
  hed__order_eigenvalues(n, p.w, l->type & 1 ? DBL_EPSILON : (double)FLT_EPSILON, p.order);
  for (int64_t k = 0; k < n; k++)
    set_complex(l, p.sorted, k, p.w[2 * p.order[k]], p.w[2 * p.order[k] + 1]);
  cpu_lapack_put(l, l->call->out[0], at, 1, false, id, p.sorted, 1);
  if (!l->call->out[1])
    return 0;
  for (int64_t k = 0; k < n; k++)
    take_vector(l, &p, p.order[k], k);
  cpu_lapack_put(l, l->call->out[1], at, 2, true, id, p.sorted, n);
  return 0;
}

int32_t cpu_eig(void *state, const hed_call *call)
{
  (void)state;
  lapack l;
  int32_t status = cpu_lapack_begin(&l, call, "eig");
  if (status != HED_OK)
    return status;
  if (l.n == 0)
    return HED_OK;
  char query[32] = { 0 };
  general p = { .a = query, .values = query, .vectors = query, .work = query, .rwork = query };
  call_eig(&l, &p, -1);
  l.lwork = cpu_lapack_count(&l, query);
  p = divide_eig(&l, NULL);
  l.bytes = (int64_t)(uintptr_t)p.order + l.n * (int64_t)sizeof(int64_t);
  l.work = 15.0 * (double)l.n * (double)l.n * (double)l.n;
  l.one = one_eig;
  l.report = report;
  return cpu_lapack_run(&l);
}
