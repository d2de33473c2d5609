// SPDX-License-Identifier: BSD-3-Clause
/* Truncated singular value decompositions and what is made of them. L3.
 *
 * Three ways to the N largest: the whole decomposition cut off; the eigenvectors of the smaller Gram matrix (half the
 * digits of small singular values are lost, of float64); a random projection with power iterations (N. Halko, P. G. Martinsson,
 * J. A. Tropp, "Finding structure with randomness", SIAM Review 53(2), 2011, algorithms 4.4 and 5.1). A Gram matrix is
 * Hermitian and positive, so its singular vectors are its eigenvectors. Projections use the library's random numbers,
 * which are the same on every backend. Bool and integers are computed in the context's REAL, halves in float32.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "composite/composed.h"
#include "composite/products.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

typedef struct factors { hed_array *u, *s, *vh; } factors;

/* X as dtype ID. */
static hed_array *as(const hed_array *x, int id) { return hed_astype(x, hed__dtypes[id]); }

static hed_array *adjoint(const hed_array *x) { return x ? hed_transpose(hed__conjugate(x), NULL) : NULL; }

static hed_array *first(const hed_array *x, int32_t axis, int64_t n)
{
  hed_slice_range r[2] = { HED_ALL, HED_ALL };
  r[axis] = HED_RANGE(0, n, 1);
  return hed_slice(x, axis + 1, r);
}

static hed_status done_or_error(bool done) { return done ? HED_OK : hed_error(); }

/* The first N of what DO of A has; more than min(m, n) only where the basis is full. */
static hed_status by_svd(const hed_array *a, int64_t n, factors *f)
{
  int64_t rows = a->view.dim[0], columns = a->view.dim[1], least = rows < columns ? rows : columns;
  factors all = { NULL, NULL, NULL };
  hed_status status = hed_svd(a, n > least, &all.u, &all.s, &all.vh);
  if (status != HED_OK)
    return status;
  f->u = first(all.u, 1, n);
  f->s = first(all.s, 0, n);
  f->vh = first(all.vh, 0, n);
  return done_or_error(f->u && f->s && f->vh);
}

/* What X has to be divided by to have columns of length 1: 0 stays 0. */
static hed_array *inverse(const hed_array *s)
{
  hed_array *positive = hed_greater_scalar(s, 0);
  return hed_where(positive, hed_reciprocal(hed_where(positive, s, hed_ones_like(s))), hed_zeros_like(s));
}

/* In float64 where there is one: the squares of what float32 tells apart need twice as many digits. */
static hed_status by_gram(const hed_array *a, int64_t n, factors *f)
{
  if (hed__wide_float(hed__current_device()) == HED_FLOAT64)
    a = as(a, hed__id_kind(a->view.dtype) == HED_KIND_COMPLEX ? HED_ID_COMPLEX128 : HED_ID_FLOAT64);
  if (!a)
    return hed_error();
  int64_t rows = a->view.dim[0], columns = a->view.dim[1], least = rows < columns ? rows : columns;
  n = n < least ? n : least;
  bool wide = rows < columns;
  const hed_array *t = adjoint(a);
  factors g = { NULL, NULL, NULL };
  hed_array *gram = wide ? hed_matmul(a, t) : hed_matmul(t, a);
  hed_status status = gram ? hed_svd(gram, false, &g.u, &g.s, NULL) : hed_error();
  if (status != HED_OK)
    return status;
  hed_array *basis = first(g.u, 1, n);
  f->s = hed_sqrt(first(g.s, 0, n));
  hed_array *scale = inverse(f->s);
  if (wide) {
    f->u = basis;
    f->vh = hed_multiply(hed_expand_dims(scale, 1), hed_matmul(adjoint(basis), a));
  } else {
    f->u = hed_multiply(hed_matmul(a, basis), scale);
    f->vh = adjoint(basis);
  }
  return done_or_error(f->u && f->s && f->vh);
}

static hed_array *orthonormal(const hed_array *x)
{
  hed_array *q = NULL;
  return x && hed_qr(x, HED_QR_REDUCED, &q, NULL) == HED_OK ? q : NULL;
}

static hed_status by_projection(const hed_array *a, int64_t n, const hed_svd_options *opt, factors *f)
{
  int64_t rows = a->view.dim[0], columns = a->view.dim[1], least = rows < columns ? rows : columns;
  int64_t extra = opt->oversample ? opt->oversample : 5;
  n = n < least ? n : least;
  int64_t width = n + extra < least ? n + extra : least;
  int iterations = opt->iterations < 0 ? 0 : opt->iterations ? opt->iterations : 2;
  hed_dtype real = hed__dtypes[hed__real_of(a->view.dtype)];
  const hed_array *t = adjoint(a);
  hed_array *random = hed_random_normal(HED_SHAPE(columns, width), real, &opt->random);
  hed_array *q = orthonormal(hed_matmul(a, random));
  for (int k = 0; k < iterations && q; k++)
    q = orthonormal(hed_matmul(a, orthonormal(hed_matmul(t, q))));
  if (!q)
    return hed_error();
  factors small = { NULL, NULL, NULL };
  hed_array *b = hed_matmul(adjoint(q), a);
  hed_status status = b ? hed_svd(b, false, &small.u, &small.s, &small.vh) : hed_error();
  if (status != HED_OK)
    return status;
  f->u = hed_matmul(q, first(small.u, 1, n));
  f->s = first(small.s, 0, n);
  f->vh = first(small.vh, 0, n);
  return done_or_error(f->u && f->s && f->vh);
}

/* ---- signs ---- */

/* For each column of X, the phase of its entry of largest absolute value; 1 where that is 0. */
static hed_array *phases(const hed_array *x)
{
  if (!x)
    return NULL;
  if (x->view.dim[0] == 0)
    return hed_ones(HED_SHAPE(x->view.dim[1]), hed_array_dtype(x));
  hed_array *at = hed_argmax(hed_abs(x), &(hed_reduce){ .axes = HED_AXES(0) });
  hed_array *rows = hed_expand_dims(hed_arange(0, (double)x->view.dim[0], 1, HED_INT64), 1);
  hed_array *picked = hed_where(hed_equal(rows, at), x, hed_zeros_like(x));
  hed_array *sign = hed_sign(hed_sum(picked, &(hed_reduce){ .axes = HED_AXES(0) }));
  return hed_where(hed_equal_scalar(sign, 0), hed_ones_like(sign), sign);
}

/* The first N of K phases. A full basis has more vectors than the other factor has phases: those stay as they are. */
static hed_array *fitted(const hed_array *p, int64_t n, int64_t k)
{
  if (n <= k)
    return first(p, 0, n);
  return hed_concatenate(2, (const hed_array *const[]){ p, hed_ones(HED_SHAPE(n - k), hed_array_dtype(p)) }, 0);
}

static hed_status flip(factors *f, bool by_vh)
{
  hed_array *p = by_vh ? phases(adjoint(f->vh)) : phases(f->u);
  const hed_array *back = p ? hed__conjugate(p) : NULL;
  int64_t k = hed_array_size(p), un = f->u->view.dim[1], vn = f->vh->view.dim[0];
  if (!back)
    return hed_error();
  f->u = hed_multiply(f->u, fitted(back, un, k));
  f->vh = hed_multiply(hed_expand_dims(fitted(p, vn, k), 1), f->vh);
  return done_or_error(f->u && f->vh);
}

/* ---- non-negative factors ---- */

static hed_array *positive(const hed_array *x, bool part)
{
  return hed_maximum_scalar(part ? x : hed_negative(x), 0);
}

/* C. Boutsidis, E. Gallopoulos, "SVD based initialization: a head start for nonnegative matrix factorization", Pattern
 * Recognition 41(4), 2008: of each pair of singular vectors the part, positive or negative, with the larger product of
 * norms. W = u' s, H = vh'. */
static hed_status non_negative(const hed_array *a, bool fill, factors *f)
{
  const hed_reduce down = { .axes = HED_AXES(0), .keepdims = true }, along = { .axes = HED_AXES(1), .keepdims = true };
  hed_array *up = positive(f->u, true), *un = positive(f->u, false), *vp = positive(f->vh, true), *vn = positive(f->vh, false);
  hed_array *upn = hed_vector_norm(up, 2, &down), *unn = hed_vector_norm(un, 2, &down);
  hed_array *vpn = hed_vector_norm(vp, 2, &along), *vnn = hed_vector_norm(vn, 2, &along);
  hed_array *mp = hed_multiply(upn, hed_transpose(vpn, NULL)), *mn = hed_multiply(unn, hed_transpose(vnn, NULL));
  hed_array *take = hed_greater_equal(mp, mn), *down_take = hed_transpose(take, NULL); /* (1, k), (k, 1) */
  hed_array *scale = hed_sqrt(hed_multiply(f->s, hed_maximum(mp, mn)));
  hed_array *w = hed_where(take, hed_multiply(up, inverse(upn)), hed_multiply(un, inverse(unn)));
  hed_array *h = hed_where(down_take, hed_multiply(vp, inverse(vpn)), hed_multiply(vn, inverse(vnn)));
  w = hed_multiply(w, scale);
  h = hed_multiply(h, hed_transpose(scale, NULL));
  if (fill) { /* NNDSVDa: zeros become the mean of A */
    hed_array *mean = hed_mean(a, NULL);
    w = hed_where(hed_equal_scalar(w, 0), mean, w);
    h = hed_where(hed_equal_scalar(h, 0), mean, h);
  }
  f->u = w;
  f->vh = h;
  return done_or_error(w && h);
}

/* ---- the calls ---- */

static const hed_svd_options defaults;

static hed_status decompose(const hed_array *a, const hed_svd_options *opt, int64_t n, factors *f)
{
  bool empty = hed_array_size(a) == 0;
  hed_status status = opt->method == HED_SVD_TRUNCATED || empty ? by_svd(a, n, f)
                      : opt->method == HED_SVD_GRAM             ? by_gram(a, n, f)
                                                                : by_projection(a, n, opt, f);
  return status == HED_OK && opt->flip ? flip(f, opt->flip == HED_SVD_FLIP_VH) : status;
}

static hed_status check(const char *name, const hed_array *a, const hed_svd_options *opt, int64_t *n)
{
  hed_shape s = hed__shape_of(a);
  if (s.ndim != 2)
    return hed_fail(HED_E_SHAPE, "%s: a of shape %s is no matrix", name, HED__TEXT(&s));
  if (opt->n < 0)
    return hed_fail(HED_E_INVAL, "%s: %lld singular values", name, (long long)opt->n);
  if (opt->method < HED_SVD_TRUNCATED || opt->method > HED_SVD_RANDOMIZED)
    return hed_fail(HED_E_INVAL, "%s: method %d, 0 to %d are known", name, (int)opt->method, (int)HED_SVD_RANDOMIZED);
  if (opt->flip < HED_SVD_AS_IT_IS || opt->flip > HED_SVD_FLIP_VH)
    return hed_fail(HED_E_INVAL, "%s: flip %d, 0 to %d are known", name, (int)opt->flip, (int)HED_SVD_FLIP_VH);
  if (opt->non_negative < HED_SVD_ANY_SIGN || opt->non_negative > HED_SVD_NNDSVDA)
    return hed_fail(HED_E_INVAL, "%s: non_negative %d, 0 to %d are known", name, (int)opt->non_negative, (int)HED_SVD_NNDSVDA);
  if (opt->mask_iterations < 0)
    return hed_fail(HED_E_INVAL, "%s: mask_iterations %d is negative", name, (int)opt->mask_iterations);
  if (opt->oversample < 0)
    return hed_fail(HED_E_INVAL, "%s: oversample %lld is negative", name, (long long)opt->oversample);
  int64_t least = s.dim[0] < s.dim[1] ? s.dim[0] : s.dim[1], most = s.dim[0] < s.dim[1] ? s.dim[1] : s.dim[0];
  *n = opt->n == 0 ? least : opt->n < most ? opt->n : most;
  if ((opt->non_negative || opt->method != HED_SVD_TRUNCATED) && *n > least)
    *n = least;
  if (opt->mask && !hed__shape_equal(opt->mask->view.ndim, opt->mask->view.dim, s.ndim, s.dim)) {
    hed_shape m = hed__shape_of(opt->mask);
    return hed_fail(HED_E_SHAPE, "%s: mask has shape %s, a %s", name, HED__TEXT(&m), HED__TEXT(&s));
  }
  if (opt->non_negative && hed_dtype_kind(hed_array_dtype(a)) == HED_KIND_COMPLEX)
    return hed_fail(HED_E_DTYPE, "%s: a has dtype %s; non-negative factors are real", name, hed_dtype_name(hed_array_dtype(a)));
  return HED_OK;
}

static hed_status truncated(int op, const hed_array *a, const hed_svd_options *opt, hed_array **u, hed_array **s,
                            hed_array **vh)
{
  const char *name = hed_op_name(op);
  hed_array **const want[3] = { u, s, vh };
  const hed_array *operands[2] = { a, opt->mask };
  int64_t n = 0;
  composed c;
  for (int k = 0; k < 3; k++)
    if (want[k])
      *want[k] = NULL;
  if (!hed__given(a, name, "a"))
    return hed_error();
  hed_status status = check(name, a, opt, &n);
  if (status != HED_OK)
    return status;
  int id = hed__infer_operands(op, 1, &a, &(const char *){ "a" });
  if (id < 0)
    return (hed_status)id;
  if ((status = composed_begin(&c, op, opt->mask ? 2 : 1, operands)) != HED_OK)
    return status;
  factors f = { NULL, NULL, NULL };
  hed_array *x = NULL, *out[3] = { NULL, NULL, NULL };
  if ((id = hed__infer_on(name, id, c.ex.device)) < 0 || !(x = as(c.ex.in[0], hed__compute_of(id))))
    status = hed_error();
  else
    status = decompose(x, opt, n, &f);
  if (opt->mask && status == HED_OK) { /* entries outside the mask come from the factors of the sweep before */
    int sweeps = opt->mask_iterations ? opt->mask_iterations : 5;
    const hed_array *inside = hed_not_equal_scalar(c.ex.in[1], 0);
    int64_t least = x->view.dim[0] < x->view.dim[1] ? x->view.dim[0] : x->view.dim[1], k = n < least ? n : least;
    for (int sweep = 0; sweep < sweeps && status == HED_OK; sweep++) {
      hed_array *low = hed_matmul(hed_multiply(first(f.u, 1, k), first(f.s, 0, k)), first(f.vh, 0, k));
      hed_array *filled = hed_where(inside, x, low);
      status = filled ? decompose(filled, opt, n, &f) : hed_error();
    }
  }
  if (status == HED_OK && opt->non_negative)
    status = non_negative(x, opt->non_negative == HED_SVD_NNDSVDA, &f);
  if (status == HED_OK) { /* results have memory of their own */
    hed_array *const all[3] = { f.u, f.s, f.vh };
    for (int k = 0; k < 3; k++)
      if (want[k])
        out[k] = hed_copy(as(all[k], k == 1 ? hed__real_of(id) : id));
  }
  hed_status ended = composed_end_all(&c, 3, out, want);
  return status == HED_OK ? ended : status;
}

hed_status HED_BODY(svd_interface)(const hed_array *a, const hed_svd_options *opt, hed_array **u, hed_array **s, hed_array **vh)
{
  return truncated(HED_OP_SVD_INTERFACE, a, opt ? opt : &defaults, u, s, vh);
}

hed_status HED_BODY(truncated_svd)(const hed_array *a, int64_t n, hed_array **u, hed_array **s, hed_array **vh)
{
  return truncated(HED_OP_TRUNCATED_SVD, a, &(hed_svd_options){ .n = n }, u, s, vh);
}

hed_status HED_BODY(symeig_svd)(const hed_array *a, int64_t n, hed_array **u, hed_array **s, hed_array **vh)
{
  return truncated(HED_OP_SYMEIG_SVD, a, &(hed_svd_options){ .n = n, .method = HED_SVD_GRAM }, u, s, vh);
}

hed_status HED_BODY(randomized_svd)(const hed_array *a, int64_t n, const hed_random *random, hed_array **u, hed_array **s,
                              hed_array **vh)
{
  hed_svd_options o = { .n = n, .method = HED_SVD_RANDOMIZED };
  if (random)
    o.random = *random;
  return truncated(HED_OP_RANDOMIZED_SVD, a, &o, u, s, vh);
}

hed_status HED_BODY(svd_flip)(const hed_array *u, const hed_array *vh, bool by_vh, hed_array **u_out, hed_array **vh_out)
{
  static const char *const name = "svd_flip";
  static const char *const args[] = { "u", "vh" };
  const hed_array *operands[2] = { u, vh };
  hed_array **const want[2] = { u_out, vh_out };
  composed c;
  for (int k = 0; k < 2; k++)
    if (want[k])
      *want[k] = NULL;
  if (!hed__given(u, name, "u") || !hed__given(vh, name, "vh"))
    return hed_error();
  hed_shape su = hed__shape_of(u), sv = hed__shape_of(vh);
  if (su.ndim != 2 || sv.ndim != 2 || su.dim[0] == 0 || sv.dim[1] == 0)
    return hed_fail(HED_E_SHAPE, "%s: shapes %s of u and %s of vh are not those of two matrices with elements", name,
                    HED__TEXT(&su), HED__TEXT(&sv));
  int id = hed__infer_operands(HED_OP_SVD_FLIP, 2, operands, args);
  if (id < 0)
    return (hed_status)id;
  hed_status status = composed_begin(&c, HED_OP_SVD_FLIP, 2, operands);
  if (status != HED_OK)
    return status;
  factors f = { NULL, NULL, NULL };
  if ((id = hed__infer_on(name, id, c.ex.device)) >= 0) {
    f.u = as(c.ex.in[0], id);
    f.vh = as(c.ex.in[1], id);
  }
  bool good = f.u && f.vh && flip(&f, by_vh) == HED_OK;
  hed_array *const out[2] = { good ? f.u : NULL, good ? f.vh : NULL };
  return composed_end_all(&c, 2, out, want);
}

/* U f(s) Vh of a matrix. */
static hed_array *rebuilt(int op, const hed_array *a, bool keep_values, double threshold)
{
  const char *name = hed_op_name(op);
  hed_array *u = NULL, *s = NULL, *vh = NULL, *out = NULL;
  composed c;
  if (!hed__given(a, name, "a"))
    return NULL;
  if (a->view.ndim < 2) {
    hed_shape shape = hed__shape_of(a);
    hed_fail(HED_E_SHAPE, "%s: a of shape %s is no matrix", name, HED__TEXT(&shape));
    return NULL;
  }
  int id = hed__infer_operands(op, 1, &a, &(const char *){ "a" });
  if (id < 0 || composed_begin(&c, op, 1, &a) != HED_OK)
    return NULL;
  if ((id = hed__infer_on(name, id, c.ex.device)) >= 0 &&
      hed_svd(as(c.ex.in[0], hed__compute_of(id)), false, &u, keep_values ? &s : NULL, &vh) == HED_OK) {
    hed_array *left = u;
    if (keep_values) {
      hed_array *kept = hed_maximum_scalar(hed_subtract_scalar(s, threshold), 0);
      left = hed_multiply(u, hed_expand_dims(kept, -2));
    }
    out = as(hed_matmul(left, vh), id);
  }
  return composed_end(&c, out);
}

hed_array *HED_BODY(svd_thresholding)(const hed_array *a, double threshold)
{
  return rebuilt(HED_OP_SVD_THRESHOLDING, a, true, threshold);
}

hed_array *HED_BODY(procrustes)(const hed_array *a) { return rebuilt(HED_OP_PROCRUSTES, a, false, 0); }
