// SPDX-License-Identifier: BSD-3-Clause
/* cuda: cuSOLVER's handles, and a factorisation's memory, copies, turns and ends. L1. See factor.h. */
#include "backends/cuda/factor/factor.h"
#include "backends/device/rows/rows.h"
#include <math.h>

enum { ALIGNMENT = 256 };

typedef struct solver_handle {
  cuda_handle of;
  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
} solver_handle;

/* ---- handles ---- */

static int32_t solver_status(const cuda_device *d, unsigned error, const char *what)
{
  return cuda_library_status(d, error, NV_CUSOLVER_STATUS_ALLOC_FAILED, "cuSOLVER", what);
}

int32_t cuda_factor_solver(const cuda_factor *f, unsigned error, const char *what) { return solver_status(f->dev, error, what); }

int32_t cuda_factor_blas(const cuda_factor *f, unsigned error, const char *what)
{
  return cuda_library_status(f->dev, error, NV_CUBLAS_STATUS_ALLOC_FAILED, "cuBLAS", what);
}

static void drop(cuda_device *d, void *handle)
{
  const cuda_cusolver *lib = cuda_cusolver_get();
  const solver_handle *s = handle;
  (void)d;
  if (s->params)
    (void)lib->cusolverDnDestroyParams(s->params);
  if (s->handle)
    (void)lib->cusolverDnDestroy(s->handle);
}

static int32_t make(cuda_device *d, void *handle)
{
  const cuda_cusolver *lib = cuda_cusolver_get();
  solver_handle *s = handle;
  int32_t status = solver_status(d, lib->cusolverDnCreate(&s->handle), "cusolverDnCreate");
  if (status == HED_OK)
    status = solver_status(d, lib->cusolverDnCreateParams(&s->params), "cusolverDnCreateParams");
  if (status == HED_OK)
    status = solver_status(d, lib->cusolverDnSetStream(s->handle, s->of.stream), "cusolverDnSetStream");
  return status;
}

/* ---- the call ---- */

bool cuda_factor_together(const cuda_factor *f) { return f->batch > 1 && (f->m > f->n ? f->m : f->n) <= CUDA_MOST_SMALL; }

bool cuda_factor_describe(cuda_factor *f, void *state, const hed_call *call, const char *name, bool together)
{
  static const int32_t kinds[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_COMPLEX64, HED_ID_COMPLEX128 };
  const hed_view *a = call->in[0];
  int kind = 0;
  while (kind < 4 && kinds[kind] != call->compute)
    kind++;
  if (kind == 4)
    return false;
  *f = (cuda_factor){ .name = name, .call = call, .d = state, .dev = ((dev_device *)state)->dev, .lib = cuda_cusolver_get(),
                      .blas = cuda_cublas_get(), .dtype = call->compute, .real_dtype = hed__real_of(call->compute),
                      .kind = kind, .type = (unsigned)cuda_type(kinds[kind]),
                      .real_type = (unsigned)cuda_type(kinds[kind % 2]),
                      .size = (size_t)hed__id_size(call->compute), .m = a->dim[a->ndim - 2], .n = a->dim[a->ndim - 1], .batch = 1 };
  f->real_size = (size_t)hed__id_size(f->real_dtype);
  f->k = f->m < f->n ? f->m : f->n;
  for (int32_t k = 0; k < a->ndim - 2; k++)
    f->batch *= a->dim[k];
  return f->lib && f->k > 0 && f->batch > 0 && f->m < INT32_MAX / f->n &&
         (f->batch <= CUDA_MOST_MATRICES || f->k > CUDA_MOST_SMALL || (together && cuda_factor_together(f)));
}

int32_t cuda_factor_begin(cuda_factor *f)
{
  solver_handle *s = NULL;
  int32_t status = dev_submit_call(&f->q, f->d, f->call);
  if (status != HED_OK)
    return status;
  cuda_stream *stream = f->q.stream->native;
  status = cuda_enter(f->dev, &f->pushed);
  if (status == HED_OK)
    s = cuda_handle_of(f->dev, &stream->solver, stream, sizeof *s, "cuSOLVER", make, drop, &status);
  if (status == HED_OK && f->blas)
    status = cuda_blas_handle(f->dev, stream, &f->blas_handle);
  if (status != HED_OK)
    return cuda_factor_end(f, status);
  f->handle = s->handle;
  f->params = s->params;
  f->begun = cuda_time_begin(f->dev, stream);
  return HED_OK;
}

size_t cuda_factor_space(cuda_factor *f, int64_t elements, size_t size)
{
  const size_t at = f->scratch;
  f->scratch += ((size_t)elements * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return at;
}

int32_t cuda_factor_needs(cuda_factor *f, unsigned error, size_t device_bytes, size_t host_bytes)
{
  f->work_bytes = device_bytes > f->work_bytes ? device_bytes : f->work_bytes;
  f->host_bytes = host_bytes > f->host_bytes ? host_bytes : f->host_bytes;
  return cuda_factor_solver(f, error, "a work space");
}

int32_t cuda_factor_allocate(cuda_factor *f)
{
  void *memory = NULL;
  f->at_info = cuda_factor_space(f, f->batch, sizeof(int));
  f->at_work = cuda_factor_space(f, 1, f->work_bytes);
  if (f->host_bytes > 0 && !(f->host = f->dev->host->alloc(f->host_bytes, 0)))
    return f->dev->host->fail(HED_E_NOMEM, "%s: no memory for work space", f->name);
  const int32_t status = dev_submit_scratch(&f->q, f->scratch, &memory);
  f->memory = memory;
  f->q.begun = status == HED_OK;
  return status;
}

int32_t cuda_factor_load(cuda_factor *f, cuda_factor_copy *a, size_t at)
{
  const int32_t status = cuda_factor_allocate(f);
  return status == HED_OK ? cuda_factor_copy_submit(f, a, at) : status;
}

int32_t cuda_factor_end(cuda_factor *f, int32_t status)
{
  if (f->begun)
    cuda_time_end(f->dev, f->q.stream->native, f->begun, f->name);
  status = dev_submit_end(&f->q, dev_status(f->d, status), f->call->ticket);
  cuda_leave(f->dev, f->pushed);
  f->dev->host->free(f->host); /* whoever used it was waited for, by the row or when it failed */
  return status;
}

/* ---- small things from and to the host ---- */

int32_t cuda_factor_read(cuda_factor *f, void *to, size_t at, size_t bytes)
{
  return f->d->port->copy(f->dev, f->q.stream->native, to, cuda_factor_at(f, at), bytes, DEV_COPY_OUT, true);
}

int32_t cuda_factor_write(cuda_factor *f, size_t at, const void *from, size_t bytes)
{
  return dev_stage_bytes(&f->q, cuda_factor_at(f, at), from, bytes);
}

int32_t cuda_factor_failed(cuda_factor *f, int64_t *matrix, int *info)
{
  const size_t bytes = (size_t)f->batch * sizeof(int);
  int *all = f->dev->host->alloc(bytes, 0);
  int32_t status = all ? HED_OK : f->dev->host->fail(HED_E_NOMEM, "%s: no memory for %lld numbers", f->name, (long long)f->batch);
  *matrix = -1;
  if (status == HED_OK)
    status = cuda_factor_read(f, all, f->at_info, bytes);
  for (int64_t k = 0; k < f->batch && status == HED_OK && *matrix < 0; k++) {
    if (all[k] < 0)
      status = f->dev->host->fail(HED_E_INTERNAL, "%s: argument %d of the library's function", f->name, -all[k]);
    *matrix = all[k] > 0 ? k : -1;
    *info = all[k] - 1;
  }
  f->dev->host->free(all);
  return status;
}

int32_t cuda_factor_converged(cuda_factor *f)
{
  char text[HED__MATRIX_TEXT];
  int64_t failed = -1;
  int info;
  const int32_t status = cuda_factor_failed(f, &failed, &info);
  return status != HED_OK || failed < 0 ? status
         : f->dev->host->fail(HED_E_INTERNAL, "%s: no convergence for %s", f->name,
                              hed__matrix_text(failed, f->call->in[0]->ndim - 2, text));
}

int32_t cuda_factor_addresses(cuda_factor *f, size_t at, char *x, size_t each)
{
  char **all = f->dev->host->alloc((size_t)f->batch * sizeof *all, 0);
  if (!all)
    return f->dev->host->fail(HED_E_NOMEM, "%s: no memory for %lld addresses", f->name, (long long)f->batch);
  for (int64_t k = 0; k < f->batch; k++)
    all[k] = x + (size_t)k * each;
  const int32_t status = cuda_factor_write(f, at, all, (size_t)f->batch * sizeof *all);
  f->dev->host->free(all);
  return status;
}

/* ---- copies ---- */

hed_view cuda_factor_view(const cuda_factor *f, int32_t dtype, int64_t rows, int64_t columns, int64_t down, int64_t right,
                          int64_t matrix)
{
  const hed_view *a = f->call->in[0];
  const int64_t size = hed__id_size(dtype);
  hed_view v = { .dtype = dtype, .ndim = a->ndim - 2 };
  for (int32_t k = v.ndim - 1; k >= 0; k--) {
    v.dim[k] = a->dim[k];
    v.stride[k] = matrix * size;
    matrix *= a->dim[k];
  }
  if (rows >= 0) {
    v.dim[v.ndim] = rows;
    v.stride[v.ndim++] = down * size;
  }
  if (columns >= 0) {
    v.dim[v.ndim] = columns;
    v.stride[v.ndim++] = right * size;
  }
  return v;
}

int32_t cuda_factor_copy_make(cuda_factor *f, cuda_factor_copy *c, bool result, int32_t k, hed_view inner)
{
  const hed_view *outer = result ? f->call->out[k] : f->call->in[k];
  c->in = !result;
  c->there = outer;
  if (!outer)
    return HED_OK;
  c->outer = *outer;
  c->inner = inner;
  return result ? dev_cast_prepare(f->d, &c->job, &c->outer, &c->inner, false)
                : dev_cast_prepare(f->d, &c->job, &c->inner, &c->outer, false);
}

int32_t cuda_factor_copy_submit(cuda_factor *f, cuda_factor_copy *c, size_t at)
{
  void *inner = cuda_factor_at(f, at), *outer = c->outer.data;
  return !c->there ? HED_OK : c->in ? dev_cast_submit(&f->q, &c->job, inner, outer) : dev_cast_submit(&f->q, &c->job, outer, inner);
}

int32_t cuda_factor_diagonal_make(cuda_factor *f, cuda_factor_diagonal *g, int64_t ld, int64_t matrix)
{
  g->from = cuda_factor_view(f, f->dtype, f->k, -1, ld + 1, 0, matrix);
  g->to = cuda_factor_view(f, f->dtype, f->k, -1, 1, 0, f->k);
  return dev_cast_prepare(f->d, &g->job, &g->to, &g->from, false);
}

int32_t cuda_factor_diagonal_read(cuda_factor *f, cuda_factor_diagonal *g, size_t matrices, size_t at, void *to)
{
  const int32_t status = dev_cast_submit(&f->q, &g->job, cuda_factor_at(f, at), cuda_factor_at(f, matrices));
  return status == HED_OK ? cuda_factor_read(f, to, at, (size_t)(f->batch * f->k) * f->size) : status;
}

/* ---- kernels ---- */

int32_t cuda_factor_kernel(cuda_factor *f, int32_t dtype, int32_t in, const char *name, void **entry)
{
  dev_spec spec = dev_spec_of("factor", dtype);
  spec.in[0] = in == dtype ? DEV_TYPE_NONE : in;
  return dev_kernel(f->d, &spec, name, entry);
}

int32_t cuda_factor_per_vector(cuda_factor *f, void *entry, bool groups, void *turns, void *x, const hed__factor_args *a)
{
  const uint64_t vectors = (uint64_t)(a->vectors * a->batch);
  return dev_submit_items(&f->q, entry, groups ? vectors * f->d->limits.block : vectors, 2, (void *[]){ turns, x }, a, sizeof *a);
}

int32_t cuda_factor_turn(cuda_factor *f, void *entry, void *x, void *turns, const hed__factor_args *a)
{
  return dev_submit_items(&f->q, entry, (uint64_t)(a->length * a->vectors * a->batch), 2, (void *[]){ x, turns }, a, sizeof *a);
}

int32_t cuda_factor_check_make(cuda_factor *f, cuda_factor_check *c)
{
  c->at = cuda_factor_space(f, 1, sizeof(uint32_t));
  return cuda_factor_kernel(f, f->dtype, f->dtype, "strange", &c->entry);
}

static bool is_finite(const cuda_factor *f, const char *x)
{
  const int parts = f->kind < 2 ? 1 : 2;
  bool yes = true;
  for (int k = 0; k < parts; k++)
    yes = yes && isfinite(f->real_size == 8 ? ((const double *)(const void *)x)[k] : (double)((const float *)(const void *)x)[k]);
  return yes;
}

/* Where it is, in matrix K at AT, the first by rows. */
static int32_t report_strange(cuda_factor *f, int64_t k, size_t at, int64_t down, int64_t right, int64_t part)
{
  const size_t bytes = (size_t)(f->m * f->n) * f->size;
  char *x = f->dev->host->alloc(bytes, 0), text[HED__MATRIX_TEXT];
  int32_t status = x ? HED_OK : f->dev->host->fail(HED_E_NOMEM, "%s: no memory for a matrix", f->name);
  if (status == HED_OK)
    status = cuda_factor_read(f, x, at + (size_t)k * bytes, bytes);
  for (int64_t i = 0; i < f->m && status == HED_OK; i++)
    for (int64_t j = 0; j < f->n && status == HED_OK; j++)
      if ((part == 0 || (part == 1 ? i >= j : i <= j)) && !is_finite(f, x + (size_t)(i * down + j * right) * f->size))
        status = f->dev->host->fail(HED_E_INVAL, "%s: row %lld, column %lld of %s is not finite", f->name, (long long)i,
                                    (long long)j, hed__matrix_text(k, f->call->in[0]->ndim - 2, text));
  f->dev->host->free(x);
  return status;
}

int32_t cuda_factor_check_finite(cuda_factor *f, const cuda_factor_check *c, size_t at, int64_t down, int64_t right, int64_t part)
{
  const hed__factor_args a = { .length = f->m, .vectors = f->n, .batch = f->batch, .step = down, .vector = right,
                               .matrix = f->m * f->n, .part = part };
  uint32_t found = 0;
  int32_t status = f->d->port->memset(f->dev, f->q.stream->native, cuda_factor_at(f, c->at), 0, sizeof found);
  if (status == HED_OK)
    status = dev_submit_items(&f->q, c->entry, (uint64_t)(f->m * f->n * f->batch), 2,
                              (void *[]){ cuda_factor_at(f, c->at), cuda_factor_at(f, at) }, &a, sizeof a);
  if (status == HED_OK)
    status = cuda_factor_read(f, &found, c->at, sizeof found);
  return status == HED_OK && found ? report_strange(f, (int64_t)(UINT32_MAX - found), at, down, right, part) : status;
}

int32_t cuda_factor_triangle(cuda_factor *f, void *entry, size_t out, size_t x, int64_t rows, int64_t columns, int64_t ld,
                             int64_t matrix, int64_t part)
{
  const hed__factor_args a = { .length = rows, .vectors = columns, .batch = f->batch, .step = 1, .vector = ld, .matrix = matrix,
                               .part = part };
  return dev_submit_items(&f->q, entry, (uint64_t)(rows * columns * f->batch), 2,
                          (void *[]){ cuda_factor_at(f, out), cuda_factor_at(f, x) }, &a, sizeof a);
}
