// SPDX-License-Identifier: BSD-3-Clause
/*
 * The BLAS and LAPACK that the module uses. L1.
 *
 * They are opened at the first use into a linker namespace of their own, with one thread and, where
 * the library does not know this processor and falls back to kernels of 2006, told which kernels to
 * take. The program's own copy, its threads and its environment stay as they are. Where a namespace
 * cannot be had the library is opened in the ordinary way, PRIVATE is false, and products are cut
 * into pieces so small that OpenBLAS runs each on the calling thread.
 */
#ifndef HED_BACKENDS_CPU_BLAS_LOAD_H
#define HED_BACKENDS_CPU_BLAS_LOAD_H

#include <stdbool.h>
#include <stddef.h>

enum { BLAS_ROW_MAJOR = 101, BLAS_NO_TRANS = 111, BLAS_TRANS = 112 }; /* CBLAS's numbers */

typedef struct cpu_blas {
  bool private;
  char core[32];        /* kernels in use, "" when the library does not say */
  char detected[32];    /* what the library would have taken by itself */
  void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                const float *b, int ldb, float beta, float *c, int ldc);
  void (*dgemm)(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                const double *b, int ldb, double beta, double *c, int ldc);
  void (*cgemm)(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda,
                const void *b, int ldb, const void *beta, void *c, int ldc);
  void (*zgemm)(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda,
                const void *b, int ldb, const void *beta, void *c, int ldc);
  void (*sgemv)(int order, int ta, int m, int n, float alpha, const float *a, int lda, const float *x,
                int incx, float beta, float *y, int incy);
  void (*dgemv)(int order, int ta, int m, int n, double alpha, const double *a, int lda,
                const double *x, int incx, double beta, double *y, int incy);
  /* LAPACK's gesdd in Fortran's calling sequence; the last argument is the length of JOBZ. */
  void (*sgesdd)(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                 const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork,
                 int *info, size_t jobz_len);
  void (*dgesdd)(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                 const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork,
                 int *info, size_t jobz_len);
  void (*cgesdd)(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                 const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *rwork,
                 int *iwork, int *info, size_t jobz_len);
  void (*zgesdd)(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                 const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *rwork,
                 int *iwork, int *info, size_t jobz_len);
} cpu_blas;

/* NULL when there is none; *why then is a sentence, static. Any thread. */
const cpu_blas *cpu_blas_get(const char **why);

#endif
