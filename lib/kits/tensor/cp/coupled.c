// SPDX-License-Identifier: BSD-3-Clause
/* A tensor and a matrix with one factor in common.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/solve/solve.h"
#include "kits/tensor/sweeps.h"
#include <heddle/kits/tensor_robust.h>
#include <math.h>

typedef struct coupled {
  const char *op;
  hed_array *x, *y; /* kept */
  hed_cp t;         /* of X, and V, kept */
  hed_array *v;
  int mode, exponent; /* the data are those of both over 2^exponent */
  double weight, squares; /* squares of the weight; of both sides */
} coupled;

static void take(hed_array **slot, hed_array *x)
{
  hed_release(*slot);
  *slot = hed_keep(x);
}

static hed_array *gram(const hed_array *a) { return hed_matmul(hed__tensor_conj(hed_matrix_transpose(a)), a); }

/* F with F conj(G) = M. */
static hed_array *solved(const hed_array *g, const hed_array *m)
{
  return m ? hed__solve_gram(g, m, hed__tensor_epsilon(hed_array_dtype(m))) : NULL;
}

/* The elementwise product of the Gram matrices of all factors but that of MODE. */
static hed_array *grams(const coupled *f, int mode)
{
  hed_array *g = NULL;
  for (int k = 0, n = 0; k < f->t.order; k++)
    if (k != mode)
      g = n++ ? hed_multiply(g, gram(f->t.factor[k])) : gram(f->t.factor[k]);
  return g;
}

static hed_array *mttkrp(const coupled *f, int mode)
{
  return hed_unfolding_dot_khatri_rao(f->x, NULL, f->t.order, (const hed_array *const *)f->t.factor, mode);
}

/* |x - ..|^2 + w |y - ..|^2 from the differences. */
static hed_status exact(const coupled *f, double *squares)
{
  double of_x = 0, of_y = 0;
  hed_array *full = hed_cp_full(&f->t), *dy = hed_subtract(f->y, hed_matmul(f->t.factor[f->mode], hed_matrix_transpose(f->v)));
  hed_status status = full && dy ? hed__tensor_squares(f->op, "the difference", hed_subtract(f->x, full), &of_x) : hed_error();
  if (status == HED_OK)
    status = hed__tensor_squares(f->op, "the difference", dy, &of_y);
  *squares = of_x + f->weight * of_y;
  return status;
}

/* V, the factors of the other modes, and last the common one, from which the error comes. */
static hed_status sweep(coupled *f, double *error)
{
  double cross = 0, own = 0, squares;
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *a = f->t.factor[f->mode];
    take(&f->v, solved(gram(a), hed_matmul(hed_matrix_transpose(f->y), hed__tensor_conj(a))));
    for (int k = f->t.order; k-- > 0 && f->v;)
      if (k != f->mode) {
        hed_array *next = solved(grams(f, k), mttkrp(f, k));
        if (!next)
          return hed_error();
        take(&f->t.factor[k], next);
      }
    if (!f->v)
      return hed_error();
    hed_array *g = hed_add(grams(f, f->mode), hed_multiply_scalar(gram(f->v), f->weight));
    hed_array *m = hed_add(mttkrp(f, f->mode), hed_multiply_scalar(hed_matmul(f->y, hed__tensor_conj(f->v)), f->weight));
    hed_array *next = solved(g, m);
    if (!next || hed__real_dot(m, next, &cross) != HED_OK ||
        hed__real_dot(next, hed_matmul(next, hed__tensor_conj(g)), &own) != HED_OK)
      return hed_error();
    take(&f->t.factor[f->mode], next);
    squares = fmax(f->squares - 2 * cross + own, 0);
    if (sqrt(squares) < 30 * sqrt(hed__tensor_epsilon(hed_array_dtype(f->x)) * f->squares)) {
      const hed_status status = exact(f, &squares);
      if (status != HED_OK)
        return status;
    }
  }
  *error = f->squares > 0 ? sqrt(squares / f->squares) : 0;
  return HED_OK;
}

static hed_status check(coupled *f, const hed_array *x, const hed_array *y, int64_t rank, const hed_coupled_options *o)
{
  char one[160], other[160];
  double of_x = 0, of_y = 0;
  const hed_shape s = hed_array_shape(x), u = hed_array_shape(y);
  hed_array *ox = hed__tensor_operand(f->op, "x", x), *oy = ox ? hed__tensor_operand(f->op, "y", y) : NULL;
  if (!oy)
    return hed_error();
  if (rank < 1 || !(o->weight >= 0))
    return hed_fail(HED_E_INVAL, "%s: rank %lld, weight %g; 1 or more, and 0 or more, are expected", f->op, (long long)rank,
                    o->weight);
  if (s.ndim < 2 || s.ndim > 15 || u.ndim != 2 || hed_array_size(x) == 0 || hed_array_size(y) == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s, y %s; 2 to 15 axes, and 2, and elements are expected", f->op,
                    hed__shape_words(s, one), hed__shape_words(u, other));
  if (o->mode < -s.ndim || o->mode >= s.ndim)
    return hed_fail(HED_E_AXIS, "%s: mode %d of a tensor of %d axes", f->op, (int)o->mode, (int)s.ndim);
  f->mode = o->mode < 0 ? o->mode + s.ndim : o->mode;
  if (s.dim[f->mode] != u.dim[0])
    return hed_fail(HED_E_SHAPE, "%s: mode %d of x has %lld elements, y %lld rows", f->op, f->mode, (long long)s.dim[f->mode],
                    (long long)u.dim[0]);
  const hed_dtype t = hed_result_type(2, (const hed_array *const[]){ ox, oy }, 0, NULL);
  take(&f->x, t ? hed_astype(ox, t) : NULL);
  take(&f->y, f->x ? hed_astype(oy, t) : NULL);
  int ex = 0, ey = 0;
  hed_status status = f->y ? hed__tensor_exponent(f->op, "x", f->x, &ex) : hed_error();
  if (status == HED_OK)
    status = hed__tensor_exponent(f->op, "y", f->y, &ey);
  f->exponent = ex > ey ? ex : ey;
  if (status == HED_OK)
    status = hed__tensor_rescale(&f->x, -f->exponent);
  if (status == HED_OK)
    status = hed__tensor_rescale(&f->y, -f->exponent);
  if (status == HED_OK)
    status = hed__tensor_squares(f->op, "x", f->x, &of_x);
  if (status == HED_OK)
    status = hed__tensor_squares(f->op, "y", f->y, &of_y);
  f->weight = o->weight > 0 ? o->weight * o->weight : 1;
  f->squares = of_x + f->weight * of_y;
  return status;
}

/* Random factors, whose first columns are the leading vectors of the unfoldings unless all are to be random. */
static hed_status start(coupled *f, int64_t rank, const hed_coupled_options *o)
{
  const hed_shape s = hed_array_shape(f->x);
  hed_status status = hed_cp_random(s, rank, hed_array_dtype(f->x), true, &o->random, &f->t);
  for (int k = 0; status == HED_OK && !o->random_start && k < s.ndim; k++) {
    const int64_t n = s.dim[k] < rank ? s.dim[k] : rank;
    hed_array *g = hed_mode_gram(f->x, k);
    if (k == f->mode && g)
      g = hed_add(g, hed_multiply_scalar(hed_matmul(f->y, hed__tensor_conj(hed_matrix_transpose(f->y))), f->weight));
    const hed_array *both[] = { hed__tensor_leading(g, n), HED_GET(f->t.factor[k], HED_WHOLE, HED_SLICE(n, rank, 1)) };
    hed_array *all = hed_concatenate(2, both, 1);
    if (!all)
      return hed_error();
    take(&f->t.factor[k], all);
  }
  return status;
}

static hed_status hand_out(coupled *f, bool normalise, hed_cp *tensor, hed_cp *matrix)
{
  hed_cp m = { .order = 2, .rank = f->t.rank, .factor = { hed_retain(f->t.factor[f->mode]), f->v } };
  hed_status status = HED_OK;
  f->v = NULL;
  if (normalise && (status = hed_cp_normalise(&f->t)) == HED_OK)
    status = hed_cp_normalise(&m);
  if (status == HED_OK)
    status = hed__tensor_rescale(normalise ? &f->t.weights : &f->t.factor[f->mode], f->exponent);
  if (status == HED_OK)
    status = hed__tensor_rescale(normalise ? &m.weights : &m.factor[0], f->exponent);
  if (status != HED_OK) {
    hed_cp_clear(&m);
    return status;
  }
  *tensor = f->t;
  *matrix = m;
  f->t = (hed_cp){ 0 };
  return HED_OK;
}

hed_status hed_coupled_cp(const hed_array *x, const hed_array *y, int64_t rank, const hed_coupled_options *opt, hed_cp *tensor,
                          hed_cp *matrix, hed_fit *fit)
{
  static const hed_coupled_options defaults;
  const hed_coupled_options *o = opt ? opt : &defaults;
  coupled f = { .op = "hed_coupled_cp" };
  hed__run run;
  double error = 0;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!tensor || !matrix)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", f.op, tensor ? "matrix" : "tensor");
  *tensor = *matrix = (hed_cp){ 0 };
  hed_status status = hed__run_begin(&run, f.op, &o->sweeps, 200, 1e-8);
  HED_SCOPE {
    if (status == HED_OK)
      status = check(&f, x, y, rank, o);
    if (status == HED_OK)
      status = start(&f, rank, o);
  }
  while (status == HED_OK && hed__run_goes_on(&run)) {
    status = sweep(&f, &error);
    if (status == HED_OK)
      status = hed__run_swept(&run, error);
  }
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK)
    status = hand_out(&f, o->normalise, tensor, matrix);
  if (status != HED_OK && fit)
    hed_fit_clear(fit);
  hed_cp_clear(&f.t);
  hed_release(f.v);
  hed_release(f.x);
  hed_release(f.y);
  return status;
}
