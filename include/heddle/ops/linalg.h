// SPDX-License-Identifier: BSD-3-Clause
/* Linear algebra. The last two axes are the matrix, the axes before them a batch. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_LINALG_H
#define HEDDLE_OPS_LINALG_H

#include <heddle/array.h>
#include <heddle/ops/random.h>

HED_BEGIN_DECLS

struct hed_reduce; /* options of reductions, in <heddle/ops.h> */

HED_NEW hed_array *hed_matmul(const hed_array *a, const hed_array *b);
HED_API hed_status hed_matmul_into(hed_array *out, const hed_array *a, const hed_array *b);
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
HED_NEW hed_array *hed_solve(const hed_array *a, const hed_array *b);
HED_API hed_status hed_solve_into(hed_array *out, const hed_array *a, const hed_array *b);

typedef enum hed_matrix_form { HED_AS_IS, HED_TRANSPOSED, HED_ADJOINT } hed_matrix_form;
typedef struct hed_triangular {
  bool upper;         /* read the upper triangle of a; the other side is never looked at */
  bool unit_diagonal; /* the diagonal counts as ones and is not looked at */
  int32_t form;       /* hed_matrix_form: solve a x = b, a^T x = b or a^H x = b */
} hed_triangular;
HED_NEW hed_array *hed_solve_triangular(const hed_array *a, const hed_array *b, const hed_triangular *opt);
HED_API hed_status hed_solve_triangular_into(hed_array *out, const hed_array *a, const hed_array *b,
                                             const hed_triangular *opt);

/* Least squares by singular values, those above rcond times the largest; rcond < 0: the type's precision times
 * max(m, n). Where all are above both of these, by QR factors, which give the same but for rounding. a (.., m, n),
 * b (m) or (.., m, k); x (n) or (.., n, k); residuals (.., k): |b - a x|^2 by columns, an empty array when m <= n or
 * when a rank is below n; rank (..) int64; s (.., min(m, n)). */
HED_API hed_status hed_lstsq(const hed_array *a, const hed_array *b, double rcond, hed_array **x, hed_array **residuals,
                             hed_array **rank, hed_array **s);

HED_NEW hed_array *hed_inv(const hed_array *a);
HED_API hed_status hed_inv_into(hed_array *out, const hed_array *a);

HED_NEW hed_array *hed_det(const hed_array *a); /* shape (..); 1 for a matrix without elements */

/* sign (..) of absolute value 1, or 0; logdet (..) real */
HED_API hed_status hed_slogdet(const hed_array *a, hed_array **sign, hed_array **logdet);

/* perm (.., m) int64, l (.., m, k), u (.., k, n): a[perm[i], :] is row i of l u */
HED_API hed_status hed_lu(const hed_array *a, hed_array **perm, hed_array **l, hed_array **u);

/* Only the triangle that is asked for is read; the diagonal's imaginary part is taken as 0. */
HED_NEW hed_array *hed_cholesky(const hed_array *a, bool upper);
HED_API hed_status hed_cholesky_into(hed_array *out, const hed_array *a, bool upper);

typedef enum hed_qr_mode { HED_QR_REDUCED, HED_QR_COMPLETE } hed_qr_mode;
/* q (.., m, k), r (.., k, n); complete: q (.., m, m), r (.., m, n). r alone: q = NULL. The diagonal of r is real and not
 * negative, which makes q and r unique for a matrix of full rank; columns of a complete q beyond n stay free. */
HED_API hed_status hed_qr(const hed_array *a, hed_qr_mode mode, hed_array **q, hed_array **r);

/* w (.., n) real, ascending; v (.., n, n) with orthonormal columns, each turned as u of hed_svd. One triangle is read.
 * HED_E_INVAL when an element of it is not finite. */
HED_API hed_status hed_eigh(const hed_array *a, bool upper, hed_array **w, hed_array **v);

/* Those of hed_eigh from number FIRST on, COUNT of them: w (.., count), v (.., n, count). FIRST below 0 counts from the end: -k and k
 * are the k largest. HED_E_INDEX when first is not one of -n to n, HED_E_INVAL when count is below 0 or beyond the last one. Where
 * some of equal values are left out, which vectors of theirs are given is free. */
HED_API hed_status hed_eigh_range(const hed_array *a, int64_t first, int64_t count, bool upper, hed_array **w, hed_array **v);

HED_NEW hed_array *hed_eigvalsh(const hed_array *a, bool upper);

/* w (.., n), v (.., n, n), always complex: columns of norm 1 turned as u of hed_svd. Ascending real parts; where these
 * agree within 16 n eps max|w|, ascending imaginary parts. HED_E_INVAL when an element is not finite. */
HED_API hed_status hed_eig(const hed_array *a, hed_array **w, hed_array **v);

HED_NEW hed_array *hed_eigvals(const hed_array *a);

HED_NEW hed_array *hed_svdvals(const hed_array *a);

/* The unitary factor of the polar decomposition of a (.., m, n), u vh of hed_svd without full_matrices: of all matrices
 * with orthonormal columns (m < n: rows) the nearest to a. Where a is singular, what is free is chosen by the backend.
 * HED_E_INVAL when an element is not finite. */
HED_NEW hed_array *hed_polar_unitary(const hed_array *a);

/* rcond < 0: the type's precision times max(m, n) */
HED_NEW hed_array *hed_pinv(const hed_array *a, double rcond);

/* shape (..); rcond < 0: the type's precision times max(m, n) */
HED_NEW hed_array *hed_matrix_rank(const hed_array *a, double rcond);

/* The same with an rcond for each matrix, which broadcasts to the batch. */
HED_NEW hed_array *hed_pinv_each(const hed_array *a, const hed_array *rcond);
HED_NEW hed_array *hed_matrix_rank_each(const hed_array *a, const hed_array *rcond);

typedef enum hed_cond_norm { HED_COND_2, HED_COND_1, HED_COND_INF, HED_COND_FROBENIUS } hed_cond_norm;
/* HED_COND_2 takes any shape, the others square matrices */
HED_NEW hed_array *hed_cond(const hed_array *a, hed_cond_norm norm);

/* integers stay integers for n >= 0 and wrap */
HED_NEW hed_array *hed_matrix_power(const hed_array *a, int64_t n);

/* N. J. Higham, SIAM J. Matrix Anal. Appl. 26, 2005, 1179-1193: theta_13 = 5.371920351148152 */
HED_NEW hed_array *hed_expm(const hed_array *a);

/* Rows are shape[0], columns the product of the rest (at least two axes): gain times a matrix with orthonormal columns, or
 * orthonormal rows when there are more columns. From random normal numbers by qr, whose rule for r's diagonal makes it
 * uniform (F. Mezzadri, Notices AMS 54, 2007); seed and stream of OPT count, the rest does not. */
HED_NEW hed_array *hed_orthogonal(hed_shape shape, double gain, hed_dtype t, const hed_random *opt);

/* Both need rows >= columns; a's columns in their order by Gram-Schmidt's rule, so orthonormal ones stay. */
HED_NEW hed_array *hed_orthogonalize_nonsquare(const hed_array *a);
HED_NEW hed_array *hed_complete_orthogonal_basis(const hed_array *a);

/* ---- products, norms and truncated factorisations ----
 * No product but vdot and vecdot (and mode_dot with TRANSPOSE, and unfolding_dot_khatri_rao) conjugates. Sums are
 * matmul's: integers wrap in their type, bool is "some product is not 0". Shapes that do not fit are HED_E_SHAPE with
 * both values; lists of fewer or more arrays than 16 HED_E_INVAL. */

/* pairs of axes, a_axes[k] with b_axes[k]; none (NULL or n = 0) gives the outer product: a's other axes, then b's */
HED_NEW hed_array *hed_tensordot(const hed_array *a, const hed_array *b, const hed_axes *a_axes,
                                 const hed_axes *b_axes);
/* without an intermediate result where OUT's axes can be seen as those of a matrix */
HED_API hed_status hed_tensordot_into(hed_array *out, const hed_array *a, const hed_array *b, const hed_axes *a_axes,
                                      const hed_axes *b_axes);
/* the last N axes of a with the first N of b */
HED_NEW hed_array *hed_tensordot_n(const hed_array *a, const hed_array *b, int n);

typedef struct hed_tensordot_options {
  hed_axes a_axes, b_axes;   /* summed, pair by pair; n = 0: none */
  hed_axes a_batch, b_batch; /* paired but kept: they stay where they are in a */
} hed_tensordot_options;
HED_NEW hed_array *hed_tensordot_batched(const hed_array *a, const hed_array *b, const hed_tensordot_options *opt);

/* NumPy's dot: a 0-d operand multiplies; b 1-D: the last axes; else the last of a with the one before last of b */
HED_NEW hed_array *hed_dot(const hed_array *a, const hed_array *b);
HED_API hed_status hed_dot_into(hed_array *out, const hed_array *a, const hed_array *b);
HED_NEW hed_array *hed_inner(const hed_array *a, const hed_array *b);
/* conj(a) . b of the flattened arrays, which have as many elements; 0-d */
HED_NEW hed_array *hed_vdot(const hed_array *a, const hed_array *b);
/* conj(a) . b along AXIS, which both have with the same extent; negative axes count from the end of each, others in the
 * broadcast shape */
HED_NEW hed_array *hed_vecdot(const hed_array *a, const hed_array *b, int32_t axis);
/* shape(array 0) + shape(array 1) + ...; vectors give a matrix. 1 to 16 arrays */
HED_NEW hed_array *hed_outer(int n, const hed_array *const *arrays);
/* the first axis is the same for all and occurs once */
HED_NEW hed_array *hed_batched_outer(int n, const hed_array *const *arrays);
/* vectors along AXIS (of each operand), of 2 or 3 elements, a missing third one being 0; 2 with 2: the axis is gone */
HED_NEW hed_array *hed_cross(const hed_array *a, const hed_array *b, int32_t axis);
/* -2, -1 for a batch of matrices; integers accumulate in 64 bits. (hed_trace records operations.) */
HED_NEW hed_array *hed_matrix_trace(const hed_array *x, int64_t offset, int32_t axis1, int32_t axis2);
HED_NEW hed_array *hed_kron(const hed_array *a, const hed_array *b);

typedef struct hed_list_options {
  hed_axes skip; /* positions in the list that are left out; n = 0: none */
  bool reverse;  /* from the last to the first */
} hed_list_options;
HED_NEW hed_array *hed_kronecker(int n, const hed_array *const *arrays, const hed_list_options *opt);

typedef struct hed_khatri_rao_options {
  hed_axes skip;            /* positions in the list that are left out; n = 0: none */
  const hed_array *weights; /* one per column, NULL = 1 */
  const hed_array *mask;    /* one per row of the result, any shape, NULL = 1 */
} hed_khatri_rao_options;
/* Matrices with as many columns; (product of rows, columns). One matrix gives a copy, with weights and mask. hed_kr is the
 * same function. */
HED_NEW hed_array *hed_khatri_rao(int n, const hed_array *const *matrices, const hed_khatri_rao_options *opt);

/* Axis MODE of x, of extent n, with m (p, n): extent p in its place; m (n): the axis is gone. TRANSPOSE: m (n, p), its
 * conjugate transpose is used. */
HED_NEW hed_array *hed_mode_dot(const hed_array *x, const hed_array *m, int32_t mode, bool transpose);

typedef struct hed_multi_mode_options {
  hed_axes modes; /* axis of x for each array; n = 0: 0, 1, 2, ... */
  hed_axes skip;  /* positions in the list, as given, that are left out */
  bool transpose;
} hed_multi_mode_options;
HED_NEW hed_array *hed_multi_mode_dot(const hed_array *x, int n, const hed_array *const *arrays,
                                      const hed_multi_mode_options *opt);
/* x (n_0, n_1, ..), factor k (n_k, r), weights (r) or NULL; (n_mode, r). The Khatri-Rao product is made only when that is
 * the cheaper order. At most 14 axes. */
HED_NEW hed_array *hed_unfolding_dot_khatri_rao(const hed_array *x, const hed_array *weights, int n,
                                                const hed_array *const *factors, int32_t mode);
/* matrices; the first and the last may be vectors */
HED_NEW hed_array *hed_multi_dot(int n, const hed_array *const *arrays);

/* "ij,jk->ik"; implicit output (labels that occur once, by code point), repeated labels (diagonal), axes of extent 1 that
 * broadcast, and "..." as in NumPy. Labels are letters and all characters of UTF-8 from '{' on, at most 104 different
 * ones; 1 to 32 operands, no intermediate result may have more than 16 axes. No conjugation. */
HED_NEW hed_array *hed_einsum(const char *subscripts, int n, const hed_array *const *operands);
/* makes the result, then copies it */
HED_API hed_status hed_einsum_into(hed_array *out, const char *subscripts, int n, const hed_array *const *operands);

typedef enum hed_einsum_order {
  HED_EINSUM_AUTO,    /* up to 8 operands the cheapest order, for more a good one */
  HED_EINSUM_GREEDY,  /* always the pair whose product adds least */
  HED_EINSUM_GIVEN    /* from the first operand to the last */
} hed_einsum_order;
typedef struct hed_einsum_options {
  hed_einsum_order order;
  uint64_t memory;    /* bytes that one intermediate should not exceed where another order can do it; 0 = no limit */
} hed_einsum_options;
/* the same in an order of the caller's choice; OPT NULL: hed_einsum */
HED_NEW hed_array *hed_einsum_with(const char *subscripts, int n, const hed_array *const *operands,
                                   const hed_einsum_options *opt);

/* Set struct_size before the call. */
typedef struct hed_einsum_order_info {
  uint32_t struct_size;
  int32_t steps;
  int32_t left[32], right[32]; /* positions in the list of operands; a step takes both away and appends their product */
  bool optimal;                /* no order has fewer operations (within the memory limit) */
  double flops_naive, flops;   /* multiplications and additions: one loop over all labels; in this order */
  double largest;              /* elements of the largest intermediate result; 0 when there is none */
} hed_einsum_order_info;
/* The order that hed_einsum_with would take, without computing anything. Orders are kept in a cache of 128
 * ("einsum.paths" in hed_cache_list). */
HED_API hed_status hed_einsum_path(const char *subscripts, int n, const hed_array *const *operands,
                                   const hed_einsum_options *opt, hed_einsum_order_info *out);

/* (sum |x|^order)^(1/order) over opt->axes (none: all, flattened), for any real order; 0: how many are not 0; infinity and
 * -infinity: the largest and the least |x|. Squares neither overflow nor vanish. Of no elements: 0, for negative orders
 * infinity. NaN anywhere gives NaN, but counts for order 0. */
HED_NEW hed_array *hed_vector_norm(const hed_array *x, double order, const struct hed_reduce *opt);
HED_API hed_status hed_vector_norm_into(hed_array *out, const hed_array *x, double order, const struct hed_reduce *opt);
/* vector_norm, also of matrices: 2 is never the spectral norm. Orders above 0 and infinity; others HED_E_INVAL */
HED_NEW hed_array *hed_norm(const hed_array *x, double order, const struct hed_reduce *opt);

typedef enum hed_matrix_norm_kind {
  HED_NORM_FROBENIUS,  /* root of the sum of squares */
  HED_NORM_NUCLEAR,    /* sum of the singular values */
  HED_NORM_ONE,        /* largest sum of absolute values of a column, */
  HED_NORM_MINUS_ONE,  /* least */
  HED_NORM_TWO,        /* largest singular value, */
  HED_NORM_MINUS_TWO,  /* least */
  HED_NORM_INF,        /* largest sum of absolute values of a row, */
  HED_NORM_MINUS_INF   /* least */
} hed_matrix_norm_kind;
/* AXES are rows and columns, NULL = the last two. An empty matrix has the first two norms only (0): HED_E_SHAPE. */
HED_NEW hed_array *hed_matrix_norm(const hed_array *x, hed_matrix_norm_kind kind, const hed_axes *axes, bool keepdims);

/* The N largest singular values of a matrix and their vectors: u (m, n), s (n) descending, vh (n, k); any may be NULL.
 * As everywhere in this family bool and integers become the context's REAL.
 * n = 0: min(m, k). More than that gives further columns of u or rows of vh, an orthonormal basis (by the whole
 * decomposition only), at most max(m, k). hed_partial_svd is the same function. */
HED_API hed_status hed_truncated_svd(const hed_array *a, int64_t n, hed_array **u, hed_array **s, hed_array **vh);
/* from the Gram matrix: in float64; singular values below 1e-8 times the largest are lost */
HED_API hed_status hed_symeig_svd(const hed_array *a, int64_t n, hed_array **u, hed_array **s, hed_array **vh);
/* a random projection on n + 5 dimensions with two power iterations; RANDOM gives the seed, NULL = the context's stream */
HED_API hed_status hed_randomized_svd(const hed_array *a, int64_t n, const hed_random *random, hed_array **u,
                                      hed_array **s, hed_array **vh);

typedef enum hed_svd_method { HED_SVD_TRUNCATED, HED_SVD_GRAM, HED_SVD_RANDOMIZED } hed_svd_method;
typedef enum hed_svd_signs { HED_SVD_AS_IT_IS, HED_SVD_FLIP_U, HED_SVD_FLIP_VH } hed_svd_signs;
typedef enum hed_svd_non_negative { HED_SVD_ANY_SIGN, HED_SVD_NNDSVD, HED_SVD_NNDSVDA } hed_svd_non_negative;
typedef struct hed_svd_options {
  int64_t n;                  /* as above */
  hed_svd_method method;
  hed_svd_signs flip;         /* the largest |entry| of each column of u, or row of vh, becomes positive */
  hed_svd_non_negative non_negative; /* u and vh are factors without negative entries, u vh near a; A: no zeros either */
  const hed_array *mask;      /* of a's shape, 0 = not known: a := a where mask, u s vh elsewhere, and decomposed again,
                               * mask_iterations times; what a has there is where that begins. NULL = all known */
  int32_t mask_iterations;    /* 0 = 5 */
  int64_t oversample;         /* randomized: 0 = 5 */
  int32_t iterations;         /* randomized: 0 = 2, below 0 = none */
  hed_random random;          /* randomized: seed */
} hed_svd_options;
HED_API hed_status hed_svd_interface(const hed_array *a, const hed_svd_options *opt, hed_array **u, hed_array **s,
                                     hed_array **vh);
/* new u and vh with the same product; complex: the largest entry becomes real and positive */
HED_API hed_status hed_svd_flip(const hed_array *u, const hed_array *vh, bool by_vh, hed_array **u_out, hed_array **vh_out);
/* matrices, batched */
HED_NEW hed_array *hed_svd_thresholding(const hed_array *a, double threshold);
HED_NEW hed_array *hed_procrustes(const hed_array *a);

HED_END_DECLS

#endif
