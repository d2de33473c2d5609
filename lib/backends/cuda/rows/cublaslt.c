// SPDX-License-Identifier: BSD-3-Clause
/* cuda: matrix products by cuBLASLt: those that may use TF32, and all where there is no cuBLAS. L1.
 *
 * cuBLASLt is asked once for the best algorithm of a product, which takes longer than a small product: the last products of each
 * stream are kept with it. A stream's work space has a fixed size, so that equal products give equal bits.
 */
#include "backends/cuda/port/handles.h"

enum { WORK_BYTES = 32 << 20, KEPT = 16, MOST_ALIGNMENT = 256 };

typedef struct product {
  cuda_gemm_spec spec;         /* with addresses reduced to their alignments */
  void *desc, *layout[3];      /* of the product; b, a, c */
  cuda_algorithm algorithm;
} product;

typedef struct lt_handle {
  cuda_handle of;
  cublasLtHandle_t handle;
  void *work;
  product kept[KEPT];          /* DESC NULL: none */
  int oldest;
} lt_handle;

static int32_t status_of(const cuda_device *d, unsigned error, const char *what)
{
  return cuda_blas_status(d, error, "cuBLASLt", what);
}

static void forget(const cuda_cublaslt *lib, product *p)
{
  for (int k = 0; k < 3; k++)
    if (p->layout[k])
      (void)lib->cublasLtMatrixLayoutDestroy(p->layout[k]);
  if (p->desc)
    (void)lib->cublasLtMatmulDescDestroy(p->desc);
  *p = (product){ 0 };
}

static void drop(cuda_device *d, void *handle)
{
  const cuda_cublaslt *lib = cuda_cublaslt_get();
  lt_handle *l = handle;
  for (int k = 0; k < KEPT; k++)
    forget(lib, &l->kept[k]);
  if (l->handle)
    (void)lib->cublasLtDestroy(l->handle);
  cuda_free(d, l->work);
}

static int32_t make(cuda_device *d, void *handle)
{
  lt_handle *l = handle;
  int32_t status = status_of(d, cuda_cublaslt_get()->cublasLtCreate(&l->handle), "cublasLtCreate");
  return status == HED_OK ? cuda_alloc(d, WORK_BYTES, &l->work) : status;
}

/* ---- products ---- */

static bool is_wide(int32_t dtype) { return dtype == HED_ID_FLOAT64 || dtype == HED_ID_COMPLEX128; }

/* Of alpha, beta and the sum. */
static unsigned scale_of(int32_t dtype)
{
  return dtype == HED_ID_COMPLEX64 || is_wide(dtype) ? (unsigned)cuda_type(dtype) : NV_CUDA_R_32F;
}

static unsigned compute_of(const cuda_gemm_spec *s)
{
  return is_wide(s->dtype) ? NV_CUBLAS_COMPUTE_64F : s->tf32 ? NV_CUBLAS_COMPUTE_32F_FAST_TF32 : NV_CUBLAS_COMPUTE_32F;
}

/* The largest power of two, up to MOST_ALIGNMENT, that the address is a multiple of, in the place of it. */
static void *alignment_of(const void *p) { return (void *)(((uintptr_t)p | MOST_ALIGNMENT) & -((uintptr_t)p | MOST_ALIGNMENT)); }

/* ROWS by COLUMNS as the vendor sees them, by columns, COUNT of them STRIDE elements apart. */
static unsigned lay_out(const cuda_cublaslt *lib, void **layout, unsigned type, int64_t rows, int64_t columns, int64_t ld,
                        int64_t count, int64_t stride)
{
  const int32_t batch = (int32_t)count;
  unsigned error = lib->cublasLtMatrixLayoutCreate(layout, type, (uint64_t)rows, (uint64_t)columns, ld);
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lib->cublasLtMatrixLayoutSetAttribute(*layout, NV_CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lib->cublasLtMatrixLayoutSetAttribute(*layout, NV_CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
  return error;
}

/* Rows of ours are columns there, so that C^T = B^T A^T is what is described. */
static unsigned describe(const cuda_cublaslt *lib, product *p)
{
  const cuda_gemm_spec *s = &p->spec;
  const int32_t first = s->transpose_b ? NV_CUBLAS_OP_T : NV_CUBLAS_OP_N;
  const int32_t second = s->transpose_a ? NV_CUBLAS_OP_T : NV_CUBLAS_OP_N;
  const unsigned type = (unsigned)cuda_type(s->dtype);
  unsigned error = lib->cublasLtMatmulDescCreate(&p->desc, compute_of(s), scale_of(s->dtype));
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lib->cublasLtMatmulDescSetAttribute(p->desc, NV_CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first);
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lib->cublasLtMatmulDescSetAttribute(p->desc, NV_CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second);
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lay_out(lib, &p->layout[0], type, s->transpose_b ? s->k : s->n, s->transpose_b ? s->n : s->k, s->ldb, s->batch,
                    s->stride_b);
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lay_out(lib, &p->layout[1], type, s->transpose_a ? s->m : s->k, s->transpose_a ? s->k : s->m, s->lda, s->batch,
                    s->stride_a);
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lay_out(lib, &p->layout[2], type, s->n, s->m, s->ldc, s->batch, s->stride_c);
  return error;
}

static unsigned choose(const cuda_cublaslt *lib, cublasLtHandle_t handle, product *p)
{
  static const unsigned attributes[] = {
    NV_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, NV_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
    NV_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, NV_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES
  };
  const void *aligned[] = { p->spec.b, p->spec.a, p->spec.c, p->spec.c };
  const uint64_t bytes = WORK_BYTES;
  void *preference = NULL;
  int n = 0;
  unsigned error = lib->cublasLtMatmulPreferenceCreate(&preference);
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lib->cublasLtMatmulPreferenceSetAttribute(preference, NV_CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
  for (int k = 0; k < 4 && error == NV_CUBLAS_STATUS_SUCCESS; k++) {
    const uint32_t alignment = (uint32_t)(uintptr_t)aligned[k];
    error = lib->cublasLtMatmulPreferenceSetAttribute(preference, attributes[k], &alignment, sizeof alignment);
  }
  if (error == NV_CUBLAS_STATUS_SUCCESS)
    error = lib->cublasLtMatmulAlgoGetHeuristic(handle, p->desc, p->layout[0], p->layout[1], p->layout[2], p->layout[2], preference, 1,
                                                &p->algorithm, &n);
  if (error == NV_CUBLAS_STATUS_SUCCESS && n < 1)
    error = NV_CUBLAS_STATUS_NOT_SUPPORTED;
  if (preference)
    (void)lib->cublasLtMatmulPreferenceDestroy(preference);
  return error;
}

static bool same(const cuda_gemm_spec *a, const cuda_gemm_spec *b)
{
  return a->dtype == b->dtype && a->tf32 == b->tf32 && a->m == b->m && a->n == b->n && a->k == b->k && a->batch == b->batch &&
         a->transpose_a == b->transpose_a && a->transpose_b == b->transpose_b && a->lda == b->lda && a->ldb == b->ldb &&
         a->ldc == b->ldc && a->stride_a == b->stride_a && a->stride_b == b->stride_b && a->stride_c == b->stride_c && a->a == b->a &&
         a->b == b->b && a->c == b->c;
}

/* What L has kept for S, or else in the place of the oldest. */
static int32_t product_of(const cuda_device *d, const cuda_cublaslt *lib, lt_handle *l, const cuda_gemm_spec *s,
                          const product **out)
{
  cuda_gemm_spec key = *s;
  key.a = alignment_of(s->a);
  key.b = alignment_of(s->b);
  key.c = alignment_of(s->c);
  for (int k = 0; k < KEPT; k++)
    if (l->kept[k].desc && same(&l->kept[k].spec, &key)) {
      *out = &l->kept[k];
      return HED_OK;
    }
  product *p = &l->kept[l->oldest];
  forget(lib, p);
  p->spec = key;
  int32_t status = status_of(d, describe(lib, p), "the description of a product");
  if (status == HED_OK)
    status = status_of(d, choose(lib, l->handle, p), "an algorithm for a product");
  if (status != HED_OK) {
    forget(lib, p);
    return status;
  }
  l->oldest = (l->oldest + 1) % KEPT;
  *out = p;
  return HED_OK;
}

int32_t cuda_lt_gemm(void *dev, void *to, const cuda_gemm_spec *s)
{
  cuda_device *d = dev;
  cuda_stream *stream = to;
  const cuda_cublaslt *lib = cuda_cublaslt_get();
  const bool wide = is_wide(s->dtype);
  const product *p = NULL;
  lt_handle *l;
  bool pushed;
  if (!lib || s->batch > INT32_MAX)
    return HED_E_UNSUPPORTED;
  int32_t status = cuda_enter(d, &pushed);
  if (status != HED_OK)
    return status;
  l = cuda_handle_of(d, &stream->lt, stream, sizeof *l, "cuBLASLt", make, drop, &status);
  if (status == HED_OK)
    status = product_of(d, lib, l, s, &p);
  CUevent begun = status == HED_OK ? cuda_time_begin(d, stream) : NULL;
  if (status == HED_OK)
    status = status_of(d, lib->cublasLtMatmul(l->handle, p->desc, cuda_constant(true, wide), s->b, p->layout[0], s->a,
                                              p->layout[1], cuda_constant(false, wide), s->c, p->layout[2], s->c,
                                              p->layout[2], p->algorithm.algorithm, l->work, WORK_BYTES, stream->of),
                       "a product");
  cuda_time_end(d, stream, begun, "cublasLtMatmul");
  cuda_leave(d, pushed);
  return status;
}
