// SPDX-License-Identifier: BSD-3-Clause
/*
 * The BLAS and LAPACK that the module uses. L1.
 *
 * They are opened at the first use into a linker namespace of their own, with one thread and, where
 * the library does not know this processor and falls back to kernels of 2006, told which kernels to
 * take. The program's own copy, its threads and its environment stay as they are. Where a namespace
 * cannot be had there is no BLAS: one that is shared with the program would make threads, and OpenMP's
 * end the program where they cannot be made.
 */
#ifndef HED_BACKENDS_CPU_BLAS_LOAD_H
#define HED_BACKENDS_CPU_BLAS_LOAD_H

#include <stdbool.h>
#include <stddef.h>

enum { BLAS_ROW_MAJOR = 101, BLAS_NO_TRANS = 111, BLAS_TRANS = 112 }; /* CBLAS's numbers */

typedef struct cpu_blas {
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
  /* s, d; Fortran's calling sequence; NULL: not there */
  void (*syrk[2])(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha, const void *a,
                  const int *lda, const void *beta, void *c, const int *ldc, size_t uplo_len, size_t trans_len);
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
  /* The rest of LAPACK, by type: s, d, c, z. Lengths of character arguments come last. LAPACK is there when all are. */
  bool lapack;
  void (*getrf[4])(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);
  void (*getrs[4])(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda, const int *ipiv,
                   void *b, const int *ldb, int *info, size_t trans_len);
  void (*trtrs[4])(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs, const void *a,
                   const int *lda, void *b, const int *ldb, int *info, size_t uplo_len, size_t trans_len,
                   size_t diag_len);
  void (*laswp[4])(const int *n, void *a, const int *lda, const int *first, const int *last, const int *ipiv,
                   const int *step);
  void (*trsm[4])(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
                  const void *alpha, const void *a, const int *lda, void *b, const int *ldb, size_t side_len,
                  size_t uplo_len, size_t trans_len, size_t diag_len);
  void (*potrf[4])(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_len);
  void (*geqrf[4])(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork,
                   int *info);
  void (*orgqr[4])(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
                   const int *lwork, int *info);
  /* s, d; c, z */
  void (*syevd[2])(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                   const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_len, size_t uplo_len);
  void (*heevd[2])(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                   const int *lwork, void *rwork, const int *lrwork, int *iwork, const int *liwork, int *info,
                   size_t jobz_len, size_t uplo_len);
  /* The same for some of the values */
  void (*syevr[2])(const char *jobz, const char *range, const char *uplo, const int *n, void *a, const int *lda, const void *vl,
                   const void *vu, const int *il, const int *iu, const void *abstol, int *m, void *w, void *z, const int *ldz,
                   int *isuppz, void *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_len,
                   size_t range_len, size_t uplo_len);
  void (*heevr[2])(const char *jobz, const char *range, const char *uplo, const int *n, void *a, const int *lda, const void *vl,
                   const void *vu, const int *il, const int *iu, const void *abstol, int *m, void *w, void *z, const int *ldz,
                   int *isuppz, void *work, const int *lwork, void *rwork, const int *lrwork, int *iwork, const int *liwork,
                   int *info, size_t jobz_len, size_t range_len, size_t uplo_len);
  void (*geev_real[2])(const char *jobvl, const char *jobvr, const int *n, void *a, const int *lda, void *wr, void *wi,
                       void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork, int *info,
                       size_t jobvl_len, size_t jobvr_len);
  void (*geev_complex[2])(const char *jobvl, const char *jobvr, const int *n, void *a, const int *lda, void *w,
                          void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork,
                          void *rwork, int *info, size_t jobvl_len, size_t jobvr_len);
} cpu_blas;

/* NULL when there is none; *why then is a sentence, static. Any thread. */
const cpu_blas *cpu_blas_get(const char **why);

#endif
