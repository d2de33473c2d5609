// SPDX-License-Identifier: BSD-3-Clause
/* Linear algebra. The last two axes are the matrix, the axes before them a batch. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_LINALG_H
#define HEDDLE_OPS_LINALG_H

#include <heddle/array.h>
#include <heddle/ops/random.h>

HED_BEGIN_DECLS

HED_API hed_array *hed_matmul(const hed_array *a, const hed_array *b);
HED_API hed_status hed_matmul_into(hed_array *out, const hed_array *a, const hed_array *b);
/* pairs of axes, a_axes[k] with b_axes[k]; none (NULL or n = 0) gives the outer product */
HED_API hed_array *hed_tensordot(const hed_array *a, const hed_array *b, const hed_axes *a_axes,
                                 const hed_axes *b_axes);
/* "ij,jk->ik"; implicit output, repeated indices (diagonal) and "..." as in NumPy */
HED_API hed_array *hed_einsum(const char *subscripts, int n, const hed_array *const *operands);
/* u (.., m, k) or (.., m, m), s (.., k) real descending, vh (.., k, n) or (.., n, n); any of the three may be NULL. The
 * last is V's adjoint: a = u s vh. Each column of u is turned until its leading component (the first within 0.999 of the
 * largest absolute value) is real and positive, vh's row with it; vectors of equal or zero singular values stay free.
 * HED_E_INVAL when an element is not finite. */
HED_API hed_status hed_svd(const hed_array *a, bool full_matrices, hed_array **u, hed_array **s, hed_array **vh);

/* ---- factorisations and solvers ----
 * Real and complex; bool and integers are computed in the context's REAL, float16 and bfloat16 in float32. All axes but
 * the last two are a batch; operands' batches broadcast. Results may be NULL where they are handed out by pointer: not
 * wanted. A matrix that is singular where that cannot be is HED_E_SINGULAR with its place in the batch. */

/* a (.., n, n), b (n) or (.., n, k): b is a vector only when it has one axis. HED_E_SINGULAR at a pivot of exactly 0. */
HED_API hed_array *hed_solve(const hed_array *a, const hed_array *b);
HED_API hed_status hed_solve_into(hed_array *out, const hed_array *a, const hed_array *b);

typedef enum hed_matrix_form { HED_AS_IS, HED_TRANSPOSED, HED_ADJOINT } hed_matrix_form;
typedef struct hed_triangular {
  bool upper;         /* read the upper triangle of a; the other side is never looked at */
  bool unit_diagonal; /* the diagonal counts as ones and is not looked at */
  int32_t form;       /* hed_matrix_form: solve a x = b, a^T x = b or a^H x = b */
} hed_triangular;
HED_API hed_array *hed_solve_triangular(const hed_array *a, const hed_array *b, const hed_triangular *opt);
HED_API hed_status hed_solve_triangular_into(hed_array *out, const hed_array *a, const hed_array *b,
                                             const hed_triangular *opt);

/* Least squares by singular values, those above rcond times the largest; rcond < 0: the type's precision times
 * max(m, n). a (.., m, n), b (m) or (.., m, k); x (n) or (.., n, k); residuals (.., k): |b - a x|^2 by columns, an empty
 * array when m <= n or when a rank is below n; rank (..) int64; s (.., min(m, n)). */
HED_API hed_status hed_lstsq(const hed_array *a, const hed_array *b, double rcond, hed_array **x, hed_array **residuals,
                             hed_array **rank, hed_array **s);

HED_API hed_array *hed_inv(const hed_array *a);
HED_API hed_status hed_inv_into(hed_array *out, const hed_array *a);

HED_API hed_array *hed_det(const hed_array *a); /* shape (..); 1 for a matrix without elements */

/* sign (..) of absolute value 1, or 0; logdet (..) real */
HED_API hed_status hed_slogdet(const hed_array *a, hed_array **sign, hed_array **logdet);

/* perm (.., m) int64, l (.., m, k), u (.., k, n): a[perm[i], :] is row i of l u */
HED_API hed_status hed_lu(const hed_array *a, hed_array **perm, hed_array **l, hed_array **u);

/* Only the triangle that is asked for is read; the diagonal's imaginary part is taken as 0. */
HED_API hed_array *hed_cholesky(const hed_array *a, bool upper);
HED_API hed_status hed_cholesky_into(hed_array *out, const hed_array *a, bool upper);

typedef enum hed_qr_mode { HED_QR_REDUCED, HED_QR_COMPLETE } hed_qr_mode;
/* q (.., m, k), r (.., k, n); complete: q (.., m, m), r (.., m, n). r alone: q = NULL. The diagonal of r is real and not
 * negative, which makes q and r unique for a matrix of full rank; columns of a complete q beyond n stay free. */
HED_API hed_status hed_qr(const hed_array *a, hed_qr_mode mode, hed_array **q, hed_array **r);

/* w (.., n) real, ascending; v (.., n, n) with orthonormal columns, each turned as u of hed_svd. One triangle is read.
 * HED_E_INVAL when an element of it is not finite. */
HED_API hed_status hed_eigh(const hed_array *a, bool upper, hed_array **w, hed_array **v);

HED_API hed_array *hed_eigvalsh(const hed_array *a, bool upper);

/* w (.., n), v (.., n, n), always complex: columns of norm 1 turned as u of hed_svd. Ascending real parts; where these
 * agree within 16 n eps max|w|, ascending imaginary parts. HED_E_INVAL when an element is not finite. */
HED_API hed_status hed_eig(const hed_array *a, hed_array **w, hed_array **v);

HED_API hed_array *hed_eigvals(const hed_array *a);

HED_API hed_array *hed_svdvals(const hed_array *a);

/* rcond < 0: the type's precision times max(m, n) */
HED_API hed_array *hed_pinv(const hed_array *a, double rcond);

/* shape (..); rcond < 0: the type's precision times max(m, n) */
HED_API hed_array *hed_matrix_rank(const hed_array *a, double rcond);

typedef enum hed_cond_norm { HED_COND_2, HED_COND_1, HED_COND_INF, HED_COND_FROBENIUS } hed_cond_norm;
/* HED_COND_2 takes any shape, the others square matrices */
HED_API hed_array *hed_cond(const hed_array *a, hed_cond_norm norm);

/* integers stay integers for n >= 0 and wrap */
HED_API hed_array *hed_matrix_power(const hed_array *a, int64_t n);

/* N. J. Higham, SIAM J. Matrix Anal. Appl. 26, 2005, 1179-1193: theta_13 = 5.371920351148152 */
HED_API hed_array *hed_expm(const hed_array *a);

/* Rows are shape[0], columns the product of the rest (at least two axes): gain times a matrix with orthonormal columns, or
 * orthonormal rows when there are more columns. From random normal numbers by qr, whose rule for r's diagonal makes it
 * uniform (F. Mezzadri, Notices AMS 54, 2007); seed and stream of OPT count, the rest does not. */
HED_API hed_array *hed_orthogonal(hed_shape shape, double gain, hed_dtype t, const hed_random *opt);

/* Both need rows >= columns; a's columns in their order by Gram-Schmidt's rule, so orthonormal ones stay. */
HED_API hed_array *hed_orthogonalize_nonsquare(const hed_array *a);
HED_API hed_array *hed_complete_orthogonal_basis(const hed_array *a);

HED_END_DECLS

#endif
