// SPDX-License-Identifier: BSD-3-Clause
/* Rules of factorisations and of what singular and eigenvalues decide. L3. H is the adjoint.
 *
 * Vectors are unique but for their phase, which the operations fix (hed_svd): of complex ones the derivative has a term for it.
 * Where two values are equal the vectors have no derivative: a numerator over their difference that is not exactly 0 gives NaN.
 * Functions of the whole decomposition (svd_thresholding, polar_unitary) have rules without that difference.
 */
#include "core/record/body.h"
#include "grad/back.h"
#include <float.h>
#include <math.h>

static hed_array *conj_of(const hed_array *x) { return hed__conj_of(x); }
static hed_array *adjoint(const hed_array *x) { return hed__adjoint(x); }
static int64_t rows(const hed_array *x) { return x->view.dim[x->view.ndim - 2]; }
static int64_t columns(const hed_array *x) { return x->view.dim[x->view.ndim - 1]; }

static bool is_complex(const hed_array *x) { return hed__id_kind(x->view.dtype) == HED_KIND_COMPLEX; }

/* Vectors (.., n) as columns or rows, to be multiplied with matrices. */
static hed_array *column(const hed_array *s) { return hed_expand_dims(s, -1); }
static hed_array *row(const hed_array *s) { return hed_expand_dims(s, -2); }

static hed_array *diagonal(const hed_array *x) { return hed_diagonal(x, 0, -2, -1); }
static hed_array *eye(int64_t n) { return hed_eye(n, n, 0, HED_BOOL); }
/* Vectors as diagonals of matrices. */
static hed_array *diagonals(const hed_array *s) { return s ? hed_where_scalar(eye(columns(s)), column(s), 0) : NULL; }

/* X + Y, either of which may be NONE; NULL is one that could not be made. */
#define NONE (&hed__nothing)
static hed_array *sum(hed_array *x, hed_array *y) { return x == NONE ? y : y == NONE ? x : hed_add(x, y); }

static hed_array *product(const hed_array *a, const hed_array *b, const hed_array *c) { return hed_matmul(hed_matmul(a, b), c); }

/* x - x^H, x + x^H. */
static hed_array *skew(const hed_array *x) { return hed_subtract(x, adjoint(x)); }
static hed_array *twice_hermitian(const hed_array *x) { return hed_add(x, adjoint(x)); }

/* Differences of values, s_j - s_i at (i, j); NaN where they count as equal. */
static hed_array *differences(const hed_array *s, int64_t n)
{
  const hed_array *d = hed_subtract(row(s), column(s));
  if (!d)
    return NULL;
  const int real = hed__real_of(s->view.dtype);
  const double epsilon = real == HED_ID_FLOAT64 ? DBL_EPSILON : (double)FLT_EPSILON;
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  const hed_array *least = hed_multiply_scalar(column(hed_max(hed_abs(s), &last)), 8 * (double)n * epsilon);
  return hed_where_scalar(hed_greater(hed_abs(d), least), d, NAN);
}

/* 0 on the diagonal, X elsewhere. */
static hed_array *beside(const hed_array *x) { return x ? hed_scalar_where(eye(columns(x)), 0, x) : NULL; }

/* Where the operations have made the columns of V real: the first component within 0.999 of the largest. */
static hed_array *leads(const hed_array *v)
{
  const hed_reduce down = { .axes = HED_AXES(-2), .keepdims = true };
  const hed_array *size = hed_abs(v), *large = hed_greater_equal(size, hed_multiply_scalar(hed_max(size, &down), 0.999));
  const hed_array *first = hed_argmax(hed_astype(large, HED_INT32), &down);
  return first ? hed_equal(hed__places(rows(v), v->view.ndim, v->view.ndim - 2), first) : NULL;
}

/* G of columns V less what only turns them: TURN (.., 1, n) is the sum of Im(conj(v) g). */
static hed_array *fixed_phase(const hed_array *v, const hed_array *g, const hed_array *turn)
{
  const hed_array *back = hed_multiply_complex(hed_divide(turn, hed_real(v)), 0, 1);
  return hed_subtract(g, hed_where_scalar(leads(v), back, 0));
}

static hed_array *turn_of(const hed_array *v, const hed_array *g)
{
  const hed_reduce down = { .axes = HED_AXES(-2), .keepdims = true };
  return hed_sum(hed_imag(hed_multiply(hed_conj(v), g)), &down);
}

/* ---- singular values ---- */

typedef struct factors {
  const hed_array *u, *s, *vh, *v, *uh;
} factors;

/* The factors of A, those of a call where it has made them; U, S, VH may be NULL. */
static bool decomposed(const hed_array *a, const hed_array *u, const hed_array *s, const hed_array *vh, factors *f)
{
  hed_array *made[3] = { NULL, NULL, NULL };
  if ((!u || !s || !vh) && hed_svd(a, false, &made[0], &made[1], &made[2]) != HED_OK)
    return false;
  f->u = u && s && vh ? u : made[0];
  f->s = u && s && vh ? s : made[1];
  f->vh = u && s && vh ? vh : made[2];
  f->v = adjoint(f->vh);
  f->uh = adjoint(f->u);
  return f->v && f->uh;
}

/* g less its part within the columns of U. */
static hed_array *outside(const hed_array *u, const hed_array *uh, const hed_array *g)
{
  return hed_subtract(g, hed_matmul(u, hed_matmul(uh, g)));
}

static hed_array *svd_back(const factors *f, const hed_array *gu, const hed_array *gs, const hed_array *gvh)
{
  const int64_t m = rows(f->u), n = rows(f->v), k = columns(f->s);
  const bool turns = (gu || gvh) && is_complex(f->u), of_u = gu || turns;
  const hed_array *gv = gvh ? adjoint(gvh) : NULL;
  hed_array *x = gs ? diagonals(gs) : NONE;
  if (turns) {
    const hed_array *turn = sum(gu ? turn_of(f->u, gu) : NONE, gvh ? turn_of(f->v, gv) : NONE);
    gu = fixed_phase(f->u, gu ? gu : hed_zeros_like(f->u), turn);
  }
  hed_array *a = of_u ? skew(hed_matmul(f->uh, gu)) : NONE, *b = gvh ? skew(hed_matmul(adjoint(f->v), gv)) : NONE;
  if (of_u || gvh) {
    const hed_array *plus = sum(a, b), *minus = of_u && gvh ? hed_subtract(a, b) : of_u ? a : hed_negative(b);
    hed_array *apart = beside(hed__over(plus, differences(f->s, m > n ? m : n)));
    hed_array *near = beside(hed__over(minus, hed_add(row(f->s), column(f->s))));
    x = sum(x, hed_multiply_scalar(hed_add(apart, near), 0.5));
    if (turns) /* i Im(u^H g) / s on the diagonal */
      x = sum(x, diagonals(hed__over(hed_multiply_scalar(a ? diagonal(a) : NULL, 0.5), f->s)));
  }
  hed_array *d = product(f->u, x, f->vh);
  if (of_u && m > k)
    d = sum(d, hed_matmul(hed__over(outside(f->u, f->uh, gu), row(f->s)), f->vh));
  if (gvh && n > k)
    d = sum(d, hed_matmul(f->u, adjoint(hed__over(outside(f->v, f->vh, gv), row(f->s)))));
  return d;
}

hed_status hed__back_svd(hed__back *b)
{
  const hed__args_svd *a = b->step->args;
  const hed__entry *e = b->of[0];
  const int64_t m = e->dim[e->ndim - 2], n = e->dim[e->ndim - 1], k = m < n ? m : n;
  const hed_array *gu = b->g[0], *gvh = b->g[2], *u = b->out[0], *vh = b->out[2];
  factors f;
  if (m == 0 || n == 0)
    return HED_OK;
  if (a->full_matrices && m != n) { /* the further vectors are free */
    if ((m > n && gu) || (m < n && gvh))
      return hed_fail(HED_E_GRADIENT, "svd has no rule for the vectors of full_matrices that belong to no singular value");
    u = u ? hed__stretch(u, e->ndim - 1, 0, k, 1) : NULL;
    vh = vh ? hed__stretch(vh, e->ndim - 2, 0, k, 1) : NULL;
  }
  if (!decomposed(b->in[0], u, b->out[1], vh, &f))
    return hed_error();
  return hed__give(b, 0, svd_back(&f, gu, b->g[1], gvh));
}

/* u f(s) vh by its singular values: F, and F' where they are equal (NULL: 0). */
static hed_array *spectral_back(const factors *f, const hed_array *values, const hed_array *slopes, const hed_array *g)
{
  const int64_t m = rows(f->u), n = rows(f->v), k = columns(f->s);
  const hed_array *gv = hed_matmul(g, f->v), *inner = hed_matmul(f->uh, gv);
  const hed_array *even = hed__over(hed_add(row(values), column(values)), hed_add(row(f->s), column(f->s)));
  hed_array *x = hed_multiply(skew(inner), even);
  if (slopes) {
    const hed_array *d = differences(f->s, m > n ? m : n);
    const hed_array *odd = hed_divide(hed_subtract(row(values), column(values)), d);
    odd = hed_where(hed_isnan(d), row(slopes), odd);
    x = hed_add(x, hed_multiply(twice_hermitian(inner), odd));
  }
  hed_array *d = product(f->u, hed_multiply_scalar(x, 0.5), f->vh);
  const hed_array *share = hed__over(values, f->s);
  if (m > k)
    d = sum(d, hed_matmul(hed_multiply(hed_subtract(gv, hed_matmul(f->u, inner)), row(share)), f->vh));
  if (n > k) {
    const hed_array *rest = hed_subtract(hed_matmul(f->uh, g), hed_matmul(inner, f->vh));
    d = sum(d, hed_matmul(f->u, hed_multiply(column(share), rest)));
  }
  return d;
}

hed_status hed__back_svd_thresholding(hed__back *b)
{
  const hed__args_svd_thresholding *a = b->step->args;
  factors f;
  if (!decomposed(b->in[0], NULL, NULL, NULL, &f))
    return hed_error();
  const hed_array *left = hed_subtract_scalar(f.s, a->threshold);
  const hed_array *kept = hed_astype(hed_greater_scalar(left, 0), hed_array_dtype(f.s));
  return hed__give(b, 0, spectral_back(&f, hed_maximum_scalar(left, 0), kept, b->g[0]));
}

hed_status hed__back_polar(hed__back *b)
{
  factors f;
  return decomposed(b->in[0], NULL, NULL, NULL, &f) ? hed__give(b, 0, spectral_back(&f, hed_ones_like(f.s), NULL, b->g[0]))
                                                    : hed_error();
}

/* Along the last axis the products of all other elements. */
static hed_array *others(const hed_array *x)
{
  const hed_scan from_one = { .axis = HED_AXES(-1), .initial = true };
  const int32_t last = x ? x->view.ndim - 1 : 0;
  const int64_t n = x ? columns(x) : 0;
  const hed_array *before = hed__stretch(hed_cumprod(x, &from_one), last, 0, n, 1);
  const hed_array *behind = hed__stretch(hed_cumprod(hed_flip(x, &HED_AXES(-1)), &from_one), last, 0, n, 1);
  return hed_multiply(before, hed_flip(behind, &HED_AXES(-1)));
}

/* The adjugate's adjoint in the constant bases of A's singular vectors, to the first order in m = u^H a v around the values s: with
 * the products p_ij of all but values i and j, p_ii + sum_k p_ik (conj(m_kk) - s_k) on the diagonal, else -conj(m_ji) p_ij. */
static hed_array *adjugate_near(const hed_array *a, const factors *f)
{
  const hed_array *m = adjoint(product(f->uh, a, f->v)), *nothing = hed_scalar_where(eye(columns(f->s)), 1, row(f->s));
  const hed_array *p = others(nothing), *off = beside(p);
  const hed_array *moved = hed_subtract(diagonal(m), f->s);
  const hed_array *on = hed_add(diagonal(p), hed_squeeze(hed_matmul(off, column(moved)), &HED_AXES(-1)));
  return product(f->u, hed_subtract(diagonals(on), hed_multiply(m, off)), f->vh);
}

/* The adjugate's adjoint times g: det a^-H, where a derivative of it may follow and the matrix is far from singular; else by
 * singular values. */
hed_status hed__back_det(hed__back *b)
{
  const hed_array *a = b->in[0], *fixed = hed_stop_gradient(a), *g = column(column(b->g[0]));
  factors f;
  if (!decomposed(fixed, NULL, NULL, NULL, &f))
    return hed_error();
  if (columns(f.s) == 0)
    return HED_OK;
  const hed_array *phase = column(column(conj_of(hed_multiply(hed_det(f.u), hed_det(f.vh)))));
  if (!hed__recording())
    return hed__give(b, 0, hed_multiply(hed_multiply(g, phase), product(f.u, diagonals(others(f.s)), f.vh)));
  const double epsilon = hed__real_of(f.s->view.dtype) == HED_ID_FLOAT64 ? DBL_EPSILON : (double)FLT_EPSILON;
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  const hed_array *far = column(hed_greater(hed_min(f.s, &last), hed_multiply_scalar(hed_max(f.s, &last), sqrt(epsilon))));
  const hed_array *inverse = adjoint(hed_inv(hed_where(far, a, hed_astype(eye(columns(f.s)), hed_array_dtype(a)))));
  const hed_array *by = hed_multiply(column(column(conj_of(hed_det(a)))), inverse);
  return hed__give(b, 0, hed_multiply(g, hed_where(far, by, hed_multiply(phase, adjugate_near(a, &f)))));
}

/* -p^H g p^H + (1 - a p) g^H p p^H + p^H p g^H (1 - p a), of constant rank. */
static hed_array *pinv_back(const hed_array *a, const hed_array *p, const hed_array *g)
{
  const hed_array *ph = adjoint(p), *gh = adjoint(g);
  const hed_array *left = hed_matmul(gh, hed_matmul(p, ph)), *right = product(ph, p, gh);
  hed_array *d = hed_subtract(hed_subtract(left, product(a, p, left)), product(ph, g, ph));
  return hed_add(d, hed_subtract(right, product(right, p, a)));
}

hed_status hed__back_pinv(hed__back *b) { return hed__give(b, 0, pinv_back(b->in[0], b->out[0], b->g[0])); }

/* z = p^H g; b: z; a: -z x^H + r (p z)^H + p^H x (g - a^H z)^H with r = b - a x; of the residuals 2 r g and -2 r g x^H. */
hed_status hed__back_lstsq(hed__back *b)
{
  const hed__args_lstsq *args = b->step->args;
  const bool vector = b->of[1]->ndim == 1;
  const hed_array *a = b->in[0], *right = vector ? column(b->in[1]) : b->in[1], *p = hed_pinv(a, args->rcond);
  const hed_array *x = hed_matmul(p, right), *r = hed_subtract(right, hed_matmul(a, x)), *g = b->g[0];
  hed_array *da = NONE, *db = NONE;
  if (!r)
    return hed_error();
  if (g) {
    g = vector ? column(g) : g;
    const hed_array *ph = adjoint(p), *z = hed_matmul(ph, g);
    db = (hed_array *)(uintptr_t)z;
    da = hed_subtract(hed_matmul(r, adjoint(hed_matmul(p, z))), hed_matmul(z, adjoint(x)));
    da = hed_add(da, product(ph, x, adjoint(hed_subtract(g, hed_matmul(adjoint(a), z)))));
  }
  if (b->g[1] && b->g[1]->size > 0) {
    const hed_array *each = hed_multiply(r, hed_multiply_scalar(row(b->g[1]), 2));
    db = sum(db, (hed_array *)(uintptr_t)each);
    da = sum(da, hed_negative(hed_matmul(each, adjoint(x))));
  }
  if (b->g[3]) {
    factors f;
    if (!decomposed(a, NULL, NULL, NULL, &f))
      return hed_error();
    da = sum(da, svd_back(&f, NULL, b->g[3], NULL));
  }
  hed_status status = b->wanted[0] && da != NONE ? hed__give(b, 0, da) : HED_OK;
  if (status == HED_OK && b->wanted[1] && db != NONE)
    status = hed__give(b, 1, vector && db ? hed_squeeze(db, &HED_AXES(-1)) : db);
  return status;
}

/* ---- eigenvalues ---- */

/* From values W, vectors V and the cotangents GW and G of both, each of which may be NULL. */
static hed_status eigh_back(hed__back *b, const hed_array *w, const hed_array *v, const hed_array *gw, const hed_array *g)
{
  hed_array *x = gw ? diagonals(gw) : NONE;
  if (g) {
    g = is_complex(v) ? fixed_phase(v, g, turn_of(v, g)) : g;
    x = sum(x, beside(hed__over(hed_matmul(adjoint(v), g), differences(w, columns(v)))));
  }
  const hed_array *d = product(v, x, adjoint(v));
  return hed__give(b, 0, hed_multiply_scalar(twice_hermitian(d), 0.5));
}

hed_status hed__back_eigh(hed__back *b)
{
  const hed__args_eigh *a = b->step->args;
  const bool vectors = b->n_out > 1;
  const hed_array *w = b->out[0], *v = vectors ? b->out[1] : NULL;
  hed_array *made[2] = { NULL, NULL };
  if ((!w || !v) && hed_eigh(b->in[0], a->upper, &made[0], &made[1]) != HED_OK)
    return hed_error();
  return eigh_back(b, made[0] ? made[0] : w, made[1] ? made[1] : v, b->g[0], vectors ? b->g[1] : NULL);
}

/* X (.., count) in its place, from FIRST on, among the N columns of ALL, or among zeros where ALL is NULL. */
static hed_array *amid(const hed_array *x, const hed_array *all, int64_t first, int64_t n)
{
  const int32_t last = x->view.ndim - 1;
  const int64_t end = first + columns(x);
  if (all)
    return hed_concatenate(3, (const hed_array *const[]){ hed__stretch(all, last, 0, first, 1), x,
                                                          hed__stretch(all, last, end, n, 1) }, -1);
  hed_shape before = { .ndim = last + 1 }, after = before;
  before.dim[last] = first;
  after.dim[last] = n - end;
  return hed_pad(x, before, after, 0);
}

/* The values' cotangents ask for their vectors alone; those of vectors for what is outside of their span, so for all vectors. */
hed_status hed__back_eigh_range(hed__back *b)
{
  const hed__args_eigh_range *a = b->step->args;
  const int64_t n = columns(b->in[0]), first = a->first + (a->first < 0 ? n : 0);
  const hed_array *w = b->out[0], *v = b->out[1], *g = b->g[1];
  hed_array *made[2] = { NULL, NULL };
  if (a->count == 0)
    return HED_OK;
  if ((!w || !v) && hed_eigh_range(b->in[0], first, a->count, a->upper, &made[0], &made[1]) != HED_OK)
    return hed_error();
  w = made[0] ? made[0] : w;
  v = made[1] ? made[1] : v;
  if (!g || a->count == n)
    return eigh_back(b, w, v, b->g[0], g);
  hed_array *all[2] = { NULL, NULL };
  if (hed_eigh(b->in[0], a->upper, &all[0], &all[1]) != HED_OK)
    return hed_error();
  w = amid(w, all[0], first, n);
  v = amid(v, all[1], first, n);
  g = amid(g, NULL, first, n);
  const hed_array *gw = b->g[0] ? amid(b->g[0], NULL, first, n) : NULL;
  return w && v && g && (gw || !b->g[0]) ? eigh_back(b, w, v, gw, g) : hed_error();
}

hed_status hed__back_eig(hed__back *b)
{
  const bool vectors = b->n_out > 1;
  const hed_array *w = b->out[0], *v = vectors ? b->out[1] : NULL, *g = vectors ? b->g[1] : NULL;
  hed_array *made[2] = { NULL, NULL };
  if ((!w || !v) && hed_eig(b->in[0], &made[0], &made[1]) != HED_OK)
    return hed_error();
  w = w && v ? w : made[0];
  v = made[1] ? made[1] : v;
  const hed_array *vh = adjoint(v);
  hed_array *x = b->g[0] ? diagonals(b->g[0]) : NONE;
  if (g) {
    g = fixed_phase(v, g, turn_of(v, g));
    const hed_array *inner = hed_matmul(vh, g), *along = hed_real(diagonal(inner)); /* norms of 1 */
    const hed_array *n = hed_subtract(inner, hed_multiply(hed_matmul(vh, v), row(along)));
    x = sum(x, beside(hed__over(n, differences(w, columns(v)))));
  }
  return hed__give(b, 0, hed_solve(vh, hed_matmul(x, vh)));
}

/* ---- triangles ---- */

static hed_array *solve(const hed_array *a, const hed_array *b, bool upper, int32_t form, bool unit)
{
  return hed_solve_triangular(a, b, &(hed_triangular){ .upper = upper, .form = form, .unit_diagonal = unit });
}

/* x a^-H, for a triangle. */
static hed_array *divided(const hed_array *x, const hed_array *a, bool upper)
{
  return adjoint(solve(a, adjoint(x), upper, HED_AS_IS, false));
}

/* z by the adjoint form; b: z; a: -z y^H, of the transposed form its transpose, of the adjoint one its adjoint; its triangle. */
hed_status hed__back_solve_triangular(hed__back *b)
{
  static const hed_triangular defaults;
  const hed__args_solve_triangular *args = b->step->args;
  const hed_triangular *opt = args->opt ? args->opt : &defaults;
  const bool vector = b->of[1]->ndim == 1;
  const hed_array *a = b->in[0], *g = vector ? column(b->g[0]) : b->g[0], *z;
  if (opt->form == HED_TRANSPOSED)
    z = conj_of(solve(a, conj_of(g), opt->upper, HED_AS_IS, opt->unit_diagonal));
  else
    z = solve(a, g, opt->upper, opt->form == HED_AS_IS ? HED_ADJOINT : HED_AS_IS, opt->unit_diagonal);
  hed_status status = HED_OK;
  if (b->wanted[0]) {
    const hed_array *y = vector ? column(b->out[0]) : b->out[0];
    hed_array *d = opt->form == HED_AS_IS        ? hed_matmul(z, adjoint(y))
                   : opt->form == HED_TRANSPOSED ? hed_matmul(conj_of(y), hed_matrix_transpose(z))
                                                 : hed_matmul(y, adjoint(z));
    d = opt->upper ? hed_triu(d, opt->unit_diagonal) : hed_tril(d, -(int64_t)opt->unit_diagonal);
    status = hed__give(b, 0, hed_negative(d));
  }
  if (b->wanted[1] && status == HED_OK)
    status = hed__give(b, 1, vector ? hed_squeeze(z, &HED_AXES(-1)) : (hed_array *)(uintptr_t)z);
  return status;
}

static hed_array *zeros_for(const hed_array *g, const hed_array *like) { return g ? (hed_array *)(uintptr_t)g : hed_zeros_like(like); }

/* Square: p^T l^-H (tril(l^H g_l, -1) + triu(g_u u^H)) u^-H. Rows below l's square part, or columns beside u's, come first. */
hed_status hed__back_lu(hed__back *b)
{
  const hed_array *perm = b->out[0], *l = b->out[1], *u = b->out[2];
  hed_array *made[3] = { NULL, NULL, NULL };
  if (!perm || !l || !u) {
    if (hed_lu(b->in[0], &made[0], &made[1], &made[2]) != HED_OK)
      return hed_error();
    perm = made[0], l = made[1], u = made[2];
  }
  const int64_t m = rows(l), n = columns(u), k = columns(l);
  const int32_t last = l->view.ndim - 1;
  const hed_array *gl = zeros_for(b->g[1], l), *gu = zeros_for(b->g[2], u), *rest = NULL;
  if (m > k) {
    const hed_array *below = hed__stretch(l, last - 1, k, m, 1);
    rest = divided(hed__stretch(gl, last - 1, k, m, 1), u, true);
    gu = hed_subtract(gu, hed_triu(hed_matmul(adjoint(below), rest), 0));
    gl = hed__stretch(gl, last - 1, 0, k, 1);
    l = hed__stretch(l, last - 1, 0, k, 1);
  } else if (n > k) {
    const hed_array *beside_ = hed__stretch(u, last, k, n, 1);
    rest = solve(l, hed__stretch(gu, last, k, n, 1), false, HED_ADJOINT, true);
    gl = hed_subtract(gl, hed_tril(hed_matmul(rest, adjoint(beside_)), -1));
    gu = hed__stretch(gu, last, 0, k, 1);
    u = hed__stretch(u, last, 0, k, 1);
  }
  const hed_array *inner = hed_add(hed_tril(hed_matmul(adjoint(l), gl), -1), hed_triu(hed_matmul(gu, adjoint(u)), 0));
  const hed_array *d = divided(solve(l, inner, false, HED_ADJOINT, true), u, true);
  if (m != n)
    d = rest ? hed_concatenate(2, (const hed_array *const[]){ d, rest }, m > n ? -2 : -1) : NULL;
  return hed__give(b, 0, hed_take_along_axis(d, column(hed_argsort(perm, NULL)), last - 1));
}

/* x = triu(g_r r^H - q^H g_q), M = x + x^H with the real diagonal of x: (g_q + q M) r^-H. Columns beyond the square part of r:
 * q g_r. */
hed_status hed__back_qr(hed__back *b)
{
  const hed__args_qr *args = b->step->args;
  const hed__entry *e = b->of[0];
  const int64_t m = e->dim[e->ndim - 2], n = e->dim[e->ndim - 1];
  const int32_t last = e->ndim - 1;
  const hed_array *q = b->out[0], *r = b->out[1], *gq = b->g[0], *gr = b->g[1], *rest = NULL;
  hed_array *made[2] = { NULL, NULL };
  if (args->mode == HED_QR_COMPLETE && m > n) {
    if (gq)
      return hed_fail(HED_E_GRADIENT, "qr has no rule for the free columns of a complete q");
    q = r = NULL;
    gr = gr ? hed__stretch(gr, last - 1, 0, n, 1) : NULL;
  }
  if ((!q || !r) && hed_qr(b->in[0], HED_QR_REDUCED, &made[0], &made[1]) != HED_OK)
    return hed_error();
  q = made[0] ? made[0] : q;
  r = made[1] ? made[1] : r;
  gq = zeros_for(gq, q);
  gr = zeros_for(gr, r);
  if (m < n) {
    const hed_array *right = hed__stretch(gr, last, m, n, 1);
    rest = hed_matmul(q, right);
    gq = hed_add(gq, hed_matmul(hed__stretch(b->in[0], last, m, n, 1), adjoint(right)));
    gr = hed__stretch(gr, last, 0, m, 1);
    r = hed__stretch(r, last, 0, m, 1);
  }
  const hed_array *x = hed_triu(hed_subtract(hed_matmul(gr, adjoint(r)), hed_matmul(adjoint(q), gq)), 0);
  const hed_array *both = x ? hed_where(eye(columns(x)), hed_real(x), twice_hermitian(x)) : NULL;
  hed_array *d = divided(hed_add(gq, hed_matmul(q, both)), r, true);
  if (m < n)
    d = rest && d ? hed_concatenate(2, (const hed_array *const[]){ d, rest }, -1) : NULL;
  return hed__give(b, 0, d);
}
