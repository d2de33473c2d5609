// SPDX-License-Identifier: BSD-3-Clause
/* Proximal operators: each result is feasible, and nothing that feasible directions, subgradients or every other candidate offer is
 * nearer; least squares without negative entries by their optimality conditions; CP decompositions under constraints.
 */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/proximal.h>
#include <stdio.h>

/* |x - v|^2 / 2 + f(x), f as hed_prox_value() knows it; INFINITY outside the set. */
static double objective(const hed_prox_options *o, const double *x, const double *v, hed_shape s)
{
  hed_array *a = hed_from_doubles(x, s, HED_FLOAT64);
  double value = INFINITY, off = 0;
  if (hed_prox_value(o, a, 1e-9, &value) != HED_OK)
    bail("prox_value: %s", hed_error_text());
  for (int64_t i = 0; i < elements_of(s); i++)
    off += (x[i] - v[i]) * (x[i] - v[i]) / 2;
  hed_release(a);
  return value + off;
}

/* Written anew, without the library: whether X (rows, columns) is in the set, and the penalty. */
static double plain(const hed_prox_options *o, const double *x, int64_t rows, int64_t columns)
{
  double f = 0, all = 0;
  int64_t entries = 0;
  for (int64_t i = 0; i < rows * columns; i++) {
    if ((o->nonnegative || o->kind == HED_PROX_NONNEGATIVE) && x[i] < -1e-9)
      return INFINITY;
    if (o->kind == HED_PROX_BOX && (x[i] < o->low - 1e-9 || x[i] > o->high + 1e-9))
      return INFINITY;
    all += x[i] * x[i];
    entries += x[i] != 0;
    f += o->kind == HED_PROX_L1 ? fabs(x[i]) : 0;
  }
  for (int64_t i = 0; i < rows && o->kind == HED_PROX_GROUP; i++) {
    double n = 0;
    for (int64_t c = 0; c < columns; c++)
      n += x[i * columns + c] * x[i * columns + c];
    f += sqrt(n);
  }
  for (int64_t c = 0; c < columns; c++) {
    double sum = 0, sizes = 0;
    bool falls = false;
    for (int64_t i = 0; i < rows; i++) {
      const double here = x[i * columns + c], before = i ? x[(i - 1) * columns + c] : 0;
      sum += here;
      sizes += fabs(here);
      if (o->kind == HED_PROX_SIMPLEX && here < -1e-9)
        return INFINITY;
      if (i && ((o->kind == HED_PROX_INCREASING && here < before - 1e-9) || (o->kind == HED_PROX_DECREASING && here > before + 1e-9)))
        return INFINITY;
      falls = falls || (i && here < before - 1e-9);
      if (i && o->kind == HED_PROX_UNIMODAL && falls && here > before + 1e-9)
        return INFINITY;
      if (o->kind == HED_PROX_SMOOTH)
        f += (here - before) * (here - before) / 2 + (i + 1 == rows ? here * here / 2 : 0);
    }
    if (o->kind == HED_PROX_SIMPLEX && fabs(sum - o->parameter) > 1e-8)
      return INFINITY;
    if (o->kind == HED_PROX_L1_BALL && sizes > o->parameter + 1e-8)
      return INFINITY;
  }
  if (o->kind == HED_PROX_L2_BALL && sqrt(all) > o->parameter + 1e-8)
    return INFINITY;
  if (o->kind == HED_PROX_SPARSE && entries > (int64_t)o->parameter)
    return INFINITY;
  if (o->kind == HED_PROX_SPARSE_UNIT && (entries > (int64_t)o->parameter || fabs(all - 1) > 1e-8))
    return INFINITY;
  f += o->kind == HED_PROX_L2 ? sqrt(all) : o->kind == HED_PROX_L2_SQUARE ? all : 0;
  return o->parameter * f;
}

/* The result against many other points: near it, from it towards random ones and proxes of others, and from an exhaustive grid. */
static void optimal(gen *g, const hed_prox_options *o, int tries)
{
  int infeasible = 0, beaten = 0, differ = 0;
  double by = 0;
  for (int k = 0; k < tries; k++) {
    const int64_t rows = gen_int(g, 1, 5), columns = gen_int(g, 1, 3), n = rows * columns;
    const hed_shape s = HED_SHAPE(rows, columns);
    double v[15], x[15], y[15], w[15];
    for (int64_t i = 0; i < n; i++)
      v[i] = gen_chance(g, 10) ? 0 : gen_normal(g) * 2;
    if (o->kind == HED_PROX_SPARSE_UNIT) /* zero stays zero */
      v[gen_below(g, (uint64_t)n)] = 1;
    hed_array *a = hed_from_doubles(v, s, HED_FLOAT64), *p = hed_prox(o, a, 1);
    if (!p || hed_tolist(p, x, n) != HED_OK)
      bail("%s: %s", hed_prox_name((int)o->kind), hed_error_text());
    double off = 0;
    for (int64_t i = 0; i < n; i++)
      off += (x[i] - v[i]) * (x[i] - v[i]) / 2;
    const bool matrix = o->kind == HED_PROX_NUCLEAR || o->kind == HED_PROX_ORTHONORMAL;
    const double best = off + (matrix ? objective(o, x, v, s) - off : plain(o, x, rows, columns));
    infeasible += !isfinite(best);
    if (!matrix && o->kind != HED_PROX_SPARSE_UNIT)
      differ += fabs(objective(o, x, v, s) - best) > 1e-8;
    for (int other = 0; other < 60 && isfinite(best); other++) {
      for (int64_t i = 0; i < n; i++) {
        const double noise = gen_normal(g) * (other % 3 == 0 ? 2 : other % 3 == 1 ? 0.1 : 1e-3);
        w[i] = (other % 2 ? x[i] : v[i]) + (gen_chance(g, 50) ? noise : 0);
      }
      hed_array *b = hed_from_doubles(w, s, HED_FLOAT64), *q = hed_prox(o, b, 1);
      if (!q || hed_tolist(q, y, n) != HED_OK)
        bail("%s: %s", hed_prox_name((int)o->kind), hed_error_text());
      RELEASE(b, q);
      const bool penalised = o->kind == HED_PROX_L1 || o->kind == HED_PROX_L2 || o->kind == HED_PROX_L2_SQUARE ||
                             o->kind == HED_PROX_GROUP || o->kind == HED_PROX_SMOOTH || o->kind == HED_PROX_NUCLEAR;
      for (int64_t i = 0; i < n && penalised && !o->nonnegative && other % 4 == 0; i++)
        y[i] = w[i]; /* every point is feasible */
      double there = 0;
      for (int64_t i = 0; i < n; i++)
        there += (y[i] - v[i]) * (y[i] - v[i]) / 2;
      there += matrix ? objective(o, y, v, s) - there : plain(o, y, rows, columns);
      if (there < best - 1e-8) {
        beaten++;
        by = fmax(by, best - there);
      }
    }
    RELEASE(a, p);
  }
  if (!ok(!infeasible && !beaten && !differ, "%s%s (%g): feasible, and no other point is nearer", hed_prox_name((int)o->kind),
          o->nonnegative ? " and non-negative" : "", o->parameter))
    diag("%d not feasible, %d times beaten, by %g at most, %d other values", infeasible, beaten, by, differ);
}

/* Every vector of five grid values: the nearest feasible one is no nearer than what is returned. */
static void exhaustive(gen *g, const hed_prox_options *o)
{
  int beaten = 0;
  for (int k = 0; k < 40; k++) {
    double v[4], x[4];
    for (int i = 0; i < 4; i++)
      v[i] = (double)gen_int(g, -4, 4) / 2;
    hed_array *a = hed_from_doubles(v, HED_SHAPE(4), HED_FLOAT64), *p = hed_prox(o, a, 1);
    if (!p || hed_tolist(p, x, 4) != HED_OK)
      bail("%s: %s", hed_prox_name((int)o->kind), hed_error_text());
    double best = plain(o, x, 4, 1);
    for (int i = 0; i < 4; i++)
      best += (x[i] - v[i]) * (x[i] - v[i]) / 2;
    for (int code = 0; code < 9 * 9 * 9 * 9; code++) {
      double y[4] = { (double)(code % 9 - 4) / 2, (double)(code / 9 % 9 - 4) / 2, (double)(code / 81 % 9 - 4) / 2,
                      (double)(code / 729 - 4) / 2 }, there = plain(o, y, 4, 1);
      for (int i = 0; i < 4; i++)
        there += (y[i] - v[i]) * (y[i] - v[i]) / 2;
      beaten += there < best - 1e-8;
    }
    RELEASE(a, p);
  }
  is_int(beaten, 0, "%s%s: no point of a grid is nearer", hed_prox_name((int)o->kind), o->nonnegative ? " and non-negative" : "");
}

/* What others get wrong, or say in another way. */
static void known(void)
{
  struct { hed_prox_options o; double v[4], x[4]; int n; } c[] = {
    { { .kind = HED_PROX_INCREASING }, { -3, -2, -1 }, { -3, -2, -1 }, 3 },
    { { .kind = HED_PROX_INCREASING }, { 3, 1, 2 }, { 2, 2, 2 }, 3 },
    { { .kind = HED_PROX_UNIMODAL }, { 1, 3, 2, 4 }, { 1, 2.5, 2.5, 4 }, 4 },
    { { .kind = HED_PROX_L2, .parameter = 1 }, { 0, 0 }, { 0, 0 }, 2 },
    { { .kind = HED_PROX_SPARSE_UNIT, .parameter = 1 }, { 0, 0 }, { 0, 0 }, 2 },
    { { .kind = HED_PROX_SPARSE_UNIT, .parameter = 1 }, { 0.5, -2, 1 }, { 0, -1, 0 }, 3 },
    { { .kind = HED_PROX_MAX_UNIT }, { 0, 0 }, { 0, 0 }, 2 },
    { { .kind = HED_PROX_MAX_UNIT }, { 1, -4, 2 }, { 0.25, -1, 0.5 }, 3 },
    { { .kind = HED_PROX_SPARSE, .parameter = 2 }, { 1, -1, 1, 0.5 }, { 1, -1, 0, 0 }, 4 },
    { { .kind = HED_PROX_SIMPLEX, .parameter = 1 }, { 1, 1, 0 }, { 0.5, 0.5, 0 }, 3 },
    { { .kind = HED_PROX_L1_BALL, .parameter = 5 }, { 1, -2, 1 }, { 1, -2, 1 }, 3 },
    { { .kind = HED_PROX_SMOOTH, .parameter = 1 }, { 2, 3 }, { 9.0 / 8, 11.0 / 8 }, 2 },
  };
  for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
    double x[4];
    hed_array *v = hed_from_doubles(c[i].v, HED_SHAPE(c[i].n), HED_FLOAT64), *p = hed_prox(&c[i].o, v, 0);
    bool same = p && hed_tolist(p, x, c[i].n) == HED_OK;
    for (int k = 0; same && k < c[i].n; k++)
      same = fabs(x[k] - c[i].x[k]) < 1e-14;
    ok(same, "a known value of %s (%d)", hed_prox_name((int)c[i].o.kind), (int)i);
    RELEASE(v, p);
  }
}

static void refused(void)
{
  hed_array *v = hed_ones(HED_SHAPE(3, 2), HED_FLOAT32), *cube = hed_ones(HED_SHAPE(2, 2, 2), HED_FLOAT32);
  hed_array *c = hed_ones(HED_SHAPE(3), HED_COMPLEX64);
  const hed_prox_options none = { 0 }, l1 = { .kind = HED_PROX_L1, .parameter = -1 }, simplex = { .kind = HED_PROX_SIMPLEX };
  const hed_prox_options box = { .kind = HED_PROX_BOX, .low = 2, .high = 1 };
  const hed_prox_options both = { .kind = HED_PROX_NUCLEAR, .parameter = 1, .nonnegative = true }, odd = { .kind = (hed_prox_kind)99 };
  ok(!hed_prox(&none, NULL, 1) && hed_error() == HED_E_INVAL, "v is NULL");
  ok(!hed_prox(&none, cube, 1) && hed_error() == HED_E_SHAPE, "three axes");
  ok(!hed_prox(&none, c, 1) && hed_error() == HED_E_DTYPE, "complex numbers");
  ok(!hed_prox(&l1, v, 1) && hed_error() == HED_E_INVAL, "a negative penalty");
  has_str(hed_error_text(), "-1", "is named");
  HED_SCOPE { /* every kind, and every solver */
    hed_array *hole = hed_full(HED_SHAPE(3, 2), NAN, HED_FLOAT32), *g = hed_eye(2, 2, 0, HED_FLOAT32);
    for (int k = 0; hed_prox_name(k); k++) {
      const hed_prox_options o = { .kind = (hed_prox_kind)k, .parameter = 1, .low = 0, .high = 1 };
      ok(!hed_prox(&o, hole, 1) && hed_error() == HED_E_INVAL && strstr(hed_error_text(), "(0, 0)"), "%s of NaN", hed_prox_name(k));
    }
    for (int k = HED_NNLS_ACTIVE_SET; k <= HED_NNLS_FISTA; k++)
      ok(!hed_nnls(g, hole, (hed_nnls_method)k) && hed_error() == HED_E_INVAL && strstr(hed_error_text(), "m is not finite at (0, 0)"),
         "non-negative least squares of NaN, method %d", k);
  }
  ok(!hed_prox(&simplex, v, 1) && hed_error() == HED_E_INVAL, "a simplex of sum 0");
  ok(!hed_prox(&box, v, 1) && hed_error() == HED_E_INVAL, "a box without a number");
  ok(!hed_prox(&both, v, 1) && hed_error() == HED_E_UNSUPPORTED, "what cannot be combined");
  ok(!hed_prox(&odd, v, 1) && hed_error() == HED_E_INVAL, "no such kind");
  RELEASE(v, cube, c);
}

/* x >= 0, slopes not below 0, and one of them 0 in each place (Karush, Kuhn, Tucker), of variables in units 1e-9 to 1e9 apart; slopes
 * by what rounding leaves of their sums. What goes step by step comes as near as that in its steps where the matrix is well
 * conditioned, and one unit is all that its end knows. */
static void least_squares(gen *g, hed_nnls_method how, int tries)
{
  const bool exact = how == HED_NNLS_ACTIVE_SET;
  double worst = 0;
  for (int k = 0; k < tries; k++) {
    const int64_t n = gen_int(g, 1, 7), rows = gen_int(g, 1, 4), deep = n + (int64_t)gen_below(g, 4);
    double a[7 * 11], gram[49] = { 0 }, m[28], x[28], unit[7];
    for (int64_t i = 0; i < n * deep; i++)
      a[i] = gen_normal(g);
    for (int64_t i = 0; i < n; i++)
      unit[i] = exact && k % 2 ? pow(10, (double)gen_int(g, -9, 9)) : 1;
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) {
        for (int64_t q = 0; q < deep; q++)
          gram[i * n + j] += a[i * deep + q] * a[j * deep + q];
        gram[i * n + j] = (gram[i * n + j] + (!exact && i == j)) * unit[i] * unit[j];
      }
    for (int64_t i = 0; i < n * rows; i++)
      m[i] = gen_normal(g) * unit[i % n];
    hed_array *ga = hed_from_doubles(gram, HED_SHAPE(n, n), HED_FLOAT64), *ma = hed_from_doubles(m, HED_SHAPE(rows, n), HED_FLOAT64);
    hed_array *out = hed_nnls(ga, ma, how);
    if (!out || hed_tolist(out, x, n * rows) != HED_OK)
      bail("nnls: %s", hed_error_text());
    for (int64_t r = 0; r < rows; r++)
      for (int64_t i = 0; i < n; i++) {
        double slope = -m[r * n + i], size = fabs(slope);
        for (int64_t j = 0; j < n; j++) {
          slope += gram[i * n + j] * x[r * n + j];
          size += fabs(gram[i * n + j] * x[r * n + j]);
        }
        worst = fmax(worst, x[r * n + i] < 0 ? INFINITY : (x[r * n + i] > 0 ? fabs(slope) : -slope) / size);
      }
    RELEASE(ga, ma, out);
  }
  ok(worst < (exact ? 1e-12 : 1e-9), "non-negative least squares (%d) is optimal: %g", (int)how, worst);
}

/* ---- decompositions ---- */

static hed_array *planted(gen *g, hed_shape s, int64_t rank, hed_dtype t)
{
  double complex *f[4];
  for (int k = 0; k < s.ndim; k++) {
    f[k] = tensor_values(g, s.dim[k] * rank, false);
    for (int64_t i = 0; i < s.dim[k] * rank; i++)
      f[k][i] = fmax(0, creal(f[k][i]));
  }
  double complex *full = tensor_of_factors(s, rank, f, NULL);
  hed_array *x = tensor_array(full, s, t);
  free(full);
  for (int k = 0; k < s.ndim; k++)
    free(f[k]);
  return x;
}

static double least_entry(const hed_cp *c)
{
  double least = INFINITY, value = 0;
  for (int k = 0; k < c->order; k++) {
    hed_array *m = hed_min(c->factor[k], NULL);
    if (!m || hed_item(m, &value) != HED_OK)
      return -INFINITY;
    least = fmin(least, value);
    hed_release(m);
  }
  return least;
}

static int rises(const hed_fit *fit, double slack)
{
  int n = 0;
  for (int64_t i = 1; i < fit->n_sweeps; i++)
    n += fit->errors[i] > fit->errors[i - 1] + slack;
  return n;
}

enum { STARTS = 8 };

static void nonnegative(gen *g, const char *backend)
{
  const hed_dtype t = hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
  const int many = strcmp(backend, "faulty") == 0 ? 10 : 400;
  hed_array *x = planted(g, HED_SHAPE(7, 6, 8), 3, t);
  hed_cp c = { 0 };
  hed_fit fit = { 0 };
  /* a start may end where no step is better and yet a planted answer is: so many starts are enough */
  const int64_t starts = many == 10 ? 1 : STARTS;
  hed_status status = HED_OK;
  for (int64_t k = 0; k < starts && status == HED_OK && (k == 0 || fit.error >= 0.05); k++) {
    const hed_cp_hals_options hals = { .cp = { .sweeps = { .max = many, .tol = -1 }, .start_by = k ? HED_START_RANDOM : HED_START_SVD,
                                               .random = { .seed = (uint64_t)k, .seeded = true } } };
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
    status = hed_cp_nn_hals(x, 3, &hals, &c, &fit);
    ok(status == HED_OK && least_entry(&c) >= 0 && rises(&fit, t == HED_FLOAT64 ? 1e-9 : 1e-4) == 0,
       "%s: HALS: %d sweeps to %g, none of them up", backend, (int)fit.n_sweeps, fit.error);
  }
  ok(many == 10 || fit.error < 0.05, "%s: HALS finds what was planted: %g", backend, fit.error);
  fit.error = INFINITY;
  for (int64_t k = 0; k < starts && status == HED_OK && (k == 0 || fit.error >= 0.1); k++) {
    const hed_cp_options mu = { .sweeps = { .max = many, .tol = -1 }, .start_by = k ? HED_START_RANDOM : HED_START_SVD,
                                .random = { .seed = (uint64_t)k, .seeded = true } };
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
    status = hed_cp_nn_mu(x, 3, &mu, &c, &fit);
    ok(status == HED_OK && least_entry(&c) >= 0 && rises(&fit, t == HED_FLOAT64 ? 1e-9 : 1e-4) == 0,
       "%s: multiplicative updates: %d sweeps to %g, none of them up", backend, (int)fit.n_sweeps, fit.error);
  }
  ok(many == 10 || fit.error < 0.1, "%s: multiplicative updates find it: %g", backend, fit.error);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  hed_cp_constrained_options o = { .cp = { .sweeps = { .max = many / 4, .tol = -1 }, .nonnegative_modes = HED_AXES(0, 1, 2) } };
  status = hed_cp_constrained(x, 3, &o, &c, &fit);
  ok(status == HED_OK && least_entry(&c) >= 0 && (many == 10 || fit.error < 0.15), "%s: constrained: %d sweeps to %g", backend,
     (int)fit.n_sweeps, fit.error);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  hed_release(x);
}

/* TensorLy 0.10.0, non_negative_parafac and non_negative_parafac_hals with tol=1e-300, from the same start. */
static void against_others(void)
{
  const int64_t dims[3] = { 5, 6, 7 };
  double x[210], f[3][21];
  for (int k = 0; k < 210; k++)
    x[k] = 0.5 + 0.5 * sin(1.7 * (k + 1) + 0.3 * (k % 7));
  hed_cp start = { .order = 3, .rank = 3 }, c = { 0 };
  hed_fit fit = { 0 };
  for (int m = 0; m < 3; m++) {
    for (int k = 0; k < dims[m] * 3; k++)
      f[m][k] = 0.5 + 0.5 * sin((0.9 + 0.37 * m) * (k + 1) + 0.3 * (k % 7));
    start.factor[m] = hed_from_doubles(f[m], HED_SHAPE(dims[m], 3), HED_FLOAT64);
  }
  hed_array *a = hed_from_doubles(x, HED_SHAPE(5, 6, 7), HED_FLOAT64);
  const hed_cp_options mu = { .start = &start, .sweeps = { .max = 40, .tol = -1 } };
  ok(hed_cp_nn_mu(a, 3, &mu, &c, &fit) == HED_OK && fabs(fit.error - 0.4445989187087173) < 1e-8,
     "40 multiplicative updates give another program's error (%.10f)", fit.error);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  const hed_cp_hals_options hals = { .cp = { .start = &start, .sweeps = { .max = 300, .tol = -1 } } };
  ok(hed_cp_nn_hals(a, 3, &hals, &c, &fit) == HED_OK && fit.error < 0.44228846665124194 + 1e-4,
     "300 sweeps of HALS come as far as another program's (%.10f)", fit.error);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  hed_cp_clear(&start);
  hed_release(a);
}

static double norm_of(const hed_array *x)
{
  hed_array *n = hed_vector_norm(x, 2, NULL);
  double v = NAN;
  hed_item(n, &v);
  hed_release(n);
  return v;
}

/* Each constraint on the first mode: the factor meets it, and fits better than one that is constant, which is in every cone here. */
static void constrained(gen *g)
{
  const hed_prox_options list[] = {
    { .kind = HED_PROX_L1, .parameter = 0.1 },     { .kind = HED_PROX_L2, .parameter = 0.1 },
    { .kind = HED_PROX_L2_SQUARE, .parameter = 0.1 }, { .kind = HED_PROX_GROUP, .parameter = 0.1 },
    { .kind = HED_PROX_SIMPLEX, .parameter = 1 },  { .kind = HED_PROX_L1_BALL, .parameter = 2 },
    { .kind = HED_PROX_SPARSE, .parameter = 9 },   { .kind = HED_PROX_SPARSE_UNIT, .parameter = 12 },
    { .kind = HED_PROX_SMOOTH, .parameter = 0.2 }, { .kind = HED_PROX_INCREASING },
    { .kind = HED_PROX_DECREASING, .nonnegative = true }, { .kind = HED_PROX_UNIMODAL, .nonnegative = true },
    { .kind = HED_PROX_NUCLEAR, .parameter = 0.1 }, { .kind = HED_PROX_ORTHONORMAL },
    { .kind = HED_PROX_BOX, .low = -0.5, .high = 1 }, { .kind = HED_PROX_L2_BALL, .parameter = 2 },
  };
  hed_array *x = planted(g, HED_SHAPE(7, 6, 8), 3, HED_FLOAT64);
  hed_array *flat = hed_mean(x, &(hed_reduce){ .axes = HED_AXES(0), .keepdims = true }), *rest = hed_subtract(x, flat);
  const double left = norm_of(rest) / norm_of(x);
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    hed_cp_constrained_options o = { .cp = { .sweeps = { .max = 40 } } };
    hed_cp c = { 0 };
    hed_fit fit = { 0 };
    double value = INFINITY;
    o.constraint[0] = list[i];
    hed_status status = hed_cp_constrained(x, 3, &o, &c, &fit);
    if (status == HED_OK)
      status = hed_prox_value(&list[i], c.factor[0], 1e-9, &value);
    const double most = list[i].nonnegative ? (1 + left) / 2 : left; /* these may end beside the best */
    if (!ok(status == HED_OK && isfinite(value) && fit.error < most, "a factor that is %s: error %g below %g",
            hed_prox_name((int)list[i].kind), fit.error, most))
      diag("value %g; %s", value, hed_error_text());
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
  }
  hed_cp c = { 0 };
  hed_cp_constrained_options bad = { .inner = 0 };
  bad.constraint[1] = (hed_prox_options){ .kind = HED_PROX_SIMPLEX };
  is_int(hed_cp_constrained(x, 3, &bad, &c, NULL), HED_E_INVAL, "a simplex of sum 0 is no constraint");
  hed_cp_hals_options odd = { .inner = -1 };
  is_int(hed_cp_nn_hals(x, 3, &odd, &c, NULL), HED_E_INVAL, "nor -1 inner passes an option");
  hed_array *complex_ = hed_ones(HED_SHAPE(2, 2), HED_COMPLEX64);
  is_int(hed_cp_nn_mu(complex_, 1, NULL, &c, NULL), HED_E_DTYPE, "complex numbers have no sign");
  RELEASE(complex_, x, flat, rest);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  const hed_prox_options list[] = {
    { .kind = HED_PROX_NONE },
    { .kind = HED_PROX_NONNEGATIVE },
    { .kind = HED_PROX_L1, .parameter = 0.7 },
    { .kind = HED_PROX_L1, .parameter = 0.7, .nonnegative = true },
    { .kind = HED_PROX_L2, .parameter = 1.1 },
    { .kind = HED_PROX_L2, .parameter = 1.1, .nonnegative = true },
    { .kind = HED_PROX_L2_SQUARE, .parameter = 0.4 },
    { .kind = HED_PROX_GROUP, .parameter = 0.9 },
    { .kind = HED_PROX_GROUP, .parameter = 0.9, .nonnegative = true },
    { .kind = HED_PROX_SIMPLEX, .parameter = 1.3 },
    { .kind = HED_PROX_SIMPLEX, .parameter = 1.3, .nonnegative = true },
    { .kind = HED_PROX_L1_BALL, .parameter = 1.5 },
    { .kind = HED_PROX_L1_BALL, .parameter = 1.5, .nonnegative = true },
    { .kind = HED_PROX_SPARSE, .parameter = 2 },
    { .kind = HED_PROX_SPARSE, .parameter = 2, .nonnegative = true },
    { .kind = HED_PROX_SPARSE_UNIT, .parameter = 3 },
    { .kind = HED_PROX_SMOOTH, .parameter = 0.8 },
    { .kind = HED_PROX_INCREASING },
    { .kind = HED_PROX_INCREASING, .nonnegative = true },
    { .kind = HED_PROX_DECREASING },
    { .kind = HED_PROX_DECREASING, .nonnegative = true },
    { .kind = HED_PROX_UNIMODAL },
    { .kind = HED_PROX_UNIMODAL, .nonnegative = true },
    { .kind = HED_PROX_NUCLEAR, .parameter = 0.8 },
    { .kind = HED_PROX_ORTHONORMAL },
    { .kind = HED_PROX_BOX, .low = -0.5, .high = 1.2 },
    { .kind = HED_PROX_BOX, .low = -0.5, .high = 1.2, .nonnegative = true },
    { .kind = HED_PROX_L2_BALL, .parameter = 1.4 },
    { .kind = HED_PROX_L2_BALL, .parameter = 1.4, .nonnegative = true },
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    optimal(&g, &list[i], scaled(12));
    if (list[i].kind != HED_PROX_NUCLEAR && list[i].kind != HED_PROX_ORTHONORMAL && list[i].kind != HED_PROX_SPARSE_UNIT &&
        list[i].kind != HED_PROX_SIMPLEX)
      exhaustive(&g, &list[i]);
  }
  known();
  refused();
  for (int how = 0; how < 3; how++)
    least_squares(&g, (hed_nnls_method)how, scaled(60));
  against_others();
  constrained(&g);
  on_backends(nonnegative);
  done_testing();
  return done();
}
