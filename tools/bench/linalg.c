// SPDX-License-Identifier: BSD-3-Clause
/* Suite "linalg". Products and factorisations have the bare BLAS or LAPACK routine as their floor,
 * contractions the larger of their traffic and their flops at the peak.
 *
 * Layer: L5.
 */
#include "bench.h"
#include <math.h>

#define X w->a[0]
#define Y w->a[1]
#define LIST3 (const hed_array *const[]){ w->a[0], w->a[1], w->a[2] }
BENCH_NEW(matmul, hed_matmul(X, Y))
BENCH_STATUS(matmul_out, hed_matmul_into(w->a[2], X, Y))
BENCH_NEW(einsum_bmm, hed_einsum("bij,bjk->bik", 2, LIST3))
BENCH_NEW(mttkrp, hed_einsum("ijk,jr,kr->ir", 3, LIST3))
BENCH_NEW(contract, hed_einsum("ijk,kr->ijr", 2, LIST3))
BENCH_NEW(tensordot, hed_tensordot(X, Y, &HED_AXES(1), &HED_AXES(0)))
BENCH_NEW(khatri_rao, hed_khatri_rao(2, LIST3, NULL))
BENCH_NEW(solve, hed_solve(X, Y))
BENCH_NEW(inv, hed_inv(X))
BENCH_NEW(det, hed_det(X))
BENCH_NEW(cholesky, hed_cholesky(X, false))

/* STATUS, of a call whose results, or NULL, are MADE: they go. */
static hed_status drop_made(hed_status status, hed_array *const made[3])
{
  for (int k = 0; k < 3; k++)
    hed_release(made[k]);
  return status;
}

static hed_status svd_once(const hed_array *x)
{
  hed_array *made[3] = { NULL };
  const hed_status status = hed_svd(x, false, &made[0], &made[1], &made[2]);
  return drop_made(status, made);
}

static hed_status qr_once(const hed_array *x)
{
  hed_array *made[3] = { NULL };
  const hed_status status = hed_qr(x, HED_QR_REDUCED, &made[0], &made[1]);
  return drop_made(status, made);
}

static hed_status eigh_once(const hed_array *x)
{
  hed_array *made[3] = { NULL };
  const hed_status status = hed_eigh(x, false, &made[0], &made[1]);
  return drop_made(status, made);
}

BENCH_STATUS(svd, svd_once(X))
BENCH_STATUS(qr, qr_once(X))
BENCH_STATUS(eigh, eigh_once(X))

/* ---- products ---- */

typedef struct product {
  const char *name, *size;
  bench_fn run;
  int64_t batch, m, n, k; /* c (m, n) = a (m, k) b (k, n) */
} product;

static const product products[] = {
  { "matmul", "4", matmul, 1, 4, 4, 4 },
  { "matmul", "8", matmul, 1, 8, 8, 8 },
  { "matmul", "16", matmul, 1, 16, 16, 16 },
  { "matmul", "32", matmul, 1, 32, 32, 32 },
  { "matmul", "64", matmul, 1, 64, 64, 64 },
  { "matmul", "128", matmul, 1, 128, 128, 128 },
  { "matmul", "256", matmul, 1, 256, 256, 256 },
  { "matmul", "512", matmul, 1, 512, 512, 512 },
  { "matmul", "1024", matmul, 1, 1024, 1024, 1024 },
  { "matmul", "2048", matmul, 1, 2048, 2048, 2048 },
  { "matmul_out", "4", matmul_out, 1, 4, 4, 4 },
  { "matmul_out", "8", matmul_out, 1, 8, 8, 8 },
  { "matmul_out", "16", matmul_out, 1, 16, 16, 16 },
  { "matmul_out", "24", matmul_out, 1, 24, 24, 24 },
  { "matmul_out", "32", matmul_out, 1, 32, 32, 32 },
  { "matmul_out", "512", matmul_out, 1, 512, 512, 512 },
  { "matmul", "1000x10x1000", matmul, 1, 1000, 10, 1000 },
  { "matmul_batched", "64x128", matmul, 64, 128, 128, 128 },
  { "matmul_batched", "10000x4", matmul, 10000, 4, 4, 4 },
  { "matmul_batched", "1000x8", matmul, 1000, 8, 8, 8 },
  { "matmul_batched", "200x16", matmul, 200, 16, 16, 16 },
  { "matmul_batched", "100x32", matmul, 100, 32, 32, 32 },
  { "einsum_bij_bjk_bik", "64x128", einsum_bmm, 64, 128, 128, 128 },
};

static hed_status prepare_product(bench_work *w)
{
  const bench_spec *s = w->spec;
  const product *p = s->what;
  double size = (double)hed_dtype_size(s->dtype), batch = (double)p->batch;
  double m = (double)p->m, n = (double)p->n, k = (double)p->k;
  X = bench_values(s, p->batch > 1 ? HED_SHAPE(p->batch, p->m, p->k) : HED_SHAPE(p->m, p->k));
  Y = bench_values(s, p->batch > 1 ? HED_SHAPE(p->batch, p->k, p->n) : HED_SHAPE(p->k, p->n));
  w->a[2] = hed_matmul(X, Y);
  hed_status status = bench_have(w, 3);
  if (status != HED_OK)
    return status;
  snprintf(w->shape, sizeof w->shape, "%s%.0fx%.0fx%.0f", p->batch > 1 ? "batch " : "", m, k, n);
  w->run = p->run;
  w->read = size * batch * (m * k + k * n);
  w->written = size * batch * m * n;
  w->flops = 2 * batch * m * n * k;
  status = bench_floor_blas(w, BENCH_GEMM, p->batch, (int)p->m, (int)p->n, (int)p->k);
  return status == HED_OK && !w->floor.run ? bench_floor_stream(w) : status;
}

/* ---- contractions ---- */

typedef struct contraction {
  const char *name, *size;
  bench_fn run;
  int ndim[3];
  int64_t dim[3][3];
  double written, flops; /* elements, flops */
} contraction;

static const contraction contractions[] = {
  { "einsum_mttkrp", "100^3r10", mttkrp, { 3, 2, 2 }, { { 100, 100, 100 }, { 100, 10 }, { 100, 10 } }, 1e3, 2.02e7 },
  { "einsum_ijk_kr_ijr", "100^3r10", contract, { 3, 2, 2 }, { { 100, 100, 100 }, { 100, 10 }, { 1, 1 } }, 1e5, 2e7 },
  { "tensordot_axis1", "100^3r10", tensordot, { 3, 2, 2 }, { { 100, 100, 100 }, { 100, 10 }, { 1, 1 } }, 1e5, 2e7 },
  { "khatri_rao", "400x50", khatri_rao, { 2, 2, 2 }, { { 400, 50 }, { 400, 50 }, { 1, 1 } }, 8e6, 8e6 },
};

static hed_status prepare_contraction(bench_work *w)
{
  const contraction *c = w->spec->what;
  double size = (double)hed_dtype_size(w->spec->dtype);
  w->read = 0;
  for (int i = 0; i < 3; i++) {
    hed_shape shape = { .ndim = c->ndim[i] };
    memcpy(shape.dim, c->dim[i], sizeof c->dim[i]);
    w->a[i] = bench_values(w->spec, shape);
    w->read += size * (double)hed_array_size(w->a[i]);
  }
  hed_status status = bench_have(w, 3);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, X);
  w->run = c->run;
  w->written = size * c->written;
  w->flops = c->flops;
  return bench_floor_stream(w);
}

/* ---- factorisations ---- */

typedef struct factor {
  const char *name, *size;
  bench_fn run;
  bench_blas_kind lapack;
  int m, n;
  bool definite;  /* symmetric, positive definite */
  double flops;   /* in n^3, or m n^2 */
} factor;

static const factor factors[] = {
  { "svd", "256x256", svd, BENCH_GESDD, 256, 256, false, 22 },
  { "svd", "2000x50", svd, BENCH_GESDD, 2000, 50, false, 6 },
  { "solve", "512", solve, BENCH_GESV, 512, 512, true, 8.0 / 3 },
  { "qr", "512", qr, BENCH_GEQRF, 512, 512, false, 8.0 / 3 },
  { "eigh", "512", eigh, BENCH_SYEVD, 512, 512, true, 9 },
  { "cholesky", "512", cholesky, BENCH_POTRF, 512, 512, true, 1.0 / 3 },
  { "inv", "512", inv, BENCH_GETRI, 512, 512, true, 2 },
  { "det", "512", det, BENCH_GETRF, 512, 512, false, 2.0 / 3 },
};

/* Many small ones: what a call per matrix costs. Bytes are the floor. */
static const factor small_factors[] = {
  { "solve_batched", "10000x4", solve, BENCH_GESV, 10000, 4, true, 8.0 / 3 },
  { "inv_batched", "10000x3", inv, BENCH_GETRI, 10000, 3, true, 2 },
  { "cholesky_batched", "10000x4", cholesky, BENCH_POTRF, 10000, 4, true, 1.0 / 3 },
  { "det_batched", "10000x4", det, BENCH_GETRF, 10000, 4, false, 2.0 / 3 },
  { "solve_batched", "1000x8", solve, BENCH_GESV, 1000, 8, true, 8.0 / 3 },
  { "inv_batched", "1000x8", inv, BENCH_GETRI, 1000, 8, true, 2 },
  { "cholesky_batched", "1000x8", cholesky, BENCH_POTRF, 1000, 8, true, 1.0 / 3 },
  { "det_batched", "1000x8", det, BENCH_GETRF, 1000, 8, false, 2.0 / 3 },
  { "inv_batched", "1000x16", inv, BENCH_GETRI, 1000, 16, true, 2 },
  { "qr_batched", "10000x3", qr, BENCH_GEQRF, 10000, 3, false, 8.0 / 3 },
  { "eigh_batched", "10000x3", eigh, BENCH_SYEVD, 10000, 3, true, 9 },
  { "svd_batched", "10000x3", svd, BENCH_GESDD, 10000, 3, false, 22 },
  { "qr_batched", "1000x8", qr, BENCH_GEQRF, 1000, 8, false, 8.0 / 3 },
  { "eigh_batched", "1000x8", eigh, BENCH_SYEVD, 1000, 8, true, 9 },
  { "svd_batched", "1000x8", svd, BENCH_GESDD, 1000, 8, false, 22 },
  { "qr_batched", "200x16", qr, BENCH_GEQRF, 200, 16, false, 8.0 / 3 },
  { "eigh_batched", "200x16", eigh, BENCH_SYEVD, 200, 16, true, 9 },
  { "svd_batched", "200x16", svd, BENCH_GESDD, 200, 16, false, 22 },
};

/* The same of complex numbers. */
static const factor complex_factors[] = {
  { "solve_batched", "1000x8", solve, BENCH_GESV, 1000, 8, true, 4 * 8.0 / 3 },
  { "inv_batched", "1000x8", inv, BENCH_GETRI, 1000, 8, true, 4 * 2 },
};

/* x' x + n: positive definite. */
static hed_array *definite(const hed_array *x, int n, hed_dtype t)
{
  hed_array *turned = hed_moveaxis(x, -1, -2), *p = hed_matmul(turned, x), *e = hed_eye(n, n, 0, t);
  hed_array *s = hed_full(HED_SHAPE0, n, t), *d = hed_multiply(e, s);
  hed_array *r = hed_add(p, d);
  hed_release(turned);
  hed_release(p);
  hed_release(e);
  hed_release(s);
  hed_release(d);
  return r;
}

/* What FACTOR works on: matrices of normal numbers, made definite where it wants them so. */
static hed_status prepare_matrices(bench_work *w, hed_shape shape)
{
  const factor *f = w->spec->what;
  hed_array *x = bench_normal(w->spec, shape);
  X = f->definite ? definite(x, f->n, w->spec->dtype) : hed_retain(x);
  Y = hed_retain(x);
  hed_release(x);
  hed_status status = bench_have(w, 2);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, X);
  w->run = f->run;
  return HED_OK;
}

static hed_status prepare_factor(bench_work *w)
{
  const factor *f = w->spec->what;
  double size = (double)hed_dtype_size(w->spec->dtype), m = f->m, n = f->n;
  hed_status status = prepare_matrices(w, HED_SHAPE(f->m, f->n));
  if (status != HED_OK)
    return status;
  w->read = w->written = size * m * n;
  w->flops = f->flops * m * n * n;
  return bench_floor_blas(w, f->lapack, 1, f->m, f->n, 0);
}

static hed_status prepare_small(bench_work *w)
{
  const factor *f = w->spec->what;
  double size = (double)hed_dtype_size(w->spec->dtype), count = f->m, n = f->n;
  hed_status status = prepare_matrices(w, HED_SHAPE(f->m, f->n, f->n));
  if (status != HED_OK)
    return status;
  w->read = size * count * n * n * (f->run == solve ? 2 : 1);
  w->written = size * count * (f->run == det ? 1 : f->run == qr || f->run == svd ? 2 * n * n : n * n);
  w->flops = f->flops * count * n * n * n;
  return bench_floor_stream(w);
}

static void add(bench *b, const char *name, const char *size, const void *what, hed_status (*prepare)(bench_work *w),
                hed_dtype t)
{
  bench_spec s = { .suite = "linalg", .name = name, .what = what, .prepare = prepare, .dtype = t };
  snprintf(s.size, sizeof s.size, "%s", size);
  bench_add(b, &s, false);
}

static void add_both(bench *b, const char *name, const char *size, const void *what, hed_status (*prepare)(bench_work *w))
{
  add(b, name, size, what, prepare, HED_FLOAT32);
  add(b, name, size, what, prepare, HED_FLOAT64);
}

void bench_list_linalg(bench *b)
{
  for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
    add_both(b, products[i].name, products[i].size, &products[i], prepare_product);
  for (size_t i = 0; i < sizeof contractions / sizeof contractions[0]; i++)
    add_both(b, contractions[i].name, contractions[i].size, &contractions[i], prepare_contraction);
  for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
    add_both(b, factors[i].name, factors[i].size, &factors[i], prepare_factor);
  for (size_t i = 0; i < sizeof small_factors / sizeof small_factors[0]; i++)
    add_both(b, small_factors[i].name, small_factors[i].size, &small_factors[i], prepare_small);
  for (size_t i = 0; i < sizeof complex_factors / sizeof complex_factors[0]; i++) {
    add(b, complex_factors[i].name, complex_factors[i].size, &complex_factors[i], prepare_small, HED_COMPLEX64);
    add(b, complex_factors[i].name, complex_factors[i].size, &complex_factors[i], prepare_small, HED_COMPLEX128);
  }
  bench_list_vectors(b);
}
