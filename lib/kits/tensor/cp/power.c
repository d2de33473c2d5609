// SPDX-License-Identifier: BSD-3-Clause
/* CP decompositions component by component, of symmetric tensors too.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>

typedef struct search {
  const char *op;
  const hed_cp_power_options *opt;
  hed_generator random;
  hed_array *left;   /* X less the components so far */
  double squares;
  int exponent;      /* X over 2^exponent, that is */
} search;

/* One component of what is left; OUT of rank 1 with weights. */
typedef hed_status (*find_fn)(const search *s, hed_generator *random, hed_cp *out);

static hed_status find_any(const search *s, hed_generator *random, hed_cp *out)
{
  hed_cp_options o = { .sweeps = s->opt->sweeps, .start_by = HED_START_NORMAL, .restarts = s->opt->repeats > 0 ? s->opt->repeats : 10,
                       .random = { .generator = random }, .normalise = true };
  o.sweeps.progress = NULL;
  o.sweeps.keep_partial = false;
  return hed_cp_als(s->left, 1, &o, out, NULL);
}

/* X v^(d - times), from the last mode: an array of TIMES axes. */
static hed_array *contracted(const hed_array *x, const hed_array *v, int times)
{
  hed_array *now = hed__tensor_same(x);
  for (int k = hed_array_ndim(x) - 1; k >= times && now; k--)
    now = hed_mode_dot(now, v, k, false);
  return now;
}

/* From V, of norm 1, to a vector where SIGN X v^d is largest nearby, and that value. The shift is above what the form's curvature can
 * be: d - 1 times the norm of X. */
static hed_status climb(const search *s, double sign, hed_array **v, double *value)
{
  const int order = hed_array_ndim(s->left);
  const double tol = s->opt->sweeps.tol == 0 ? 1e-8 : s->opt->sweeps.tol;
  const int64_t most = s->opt->sweeps.max > 0 ? s->opt->sweeps.max : 100;
  double before = -INFINITY, shift = 0;
  hed_status status = HED_OK;
  for (int64_t i = 0; i < most && status == HED_OK; i++) {
    double dot[2] = { 0, 0 };
    if (s->opt->sweeps.cancel && __atomic_load_n(s->opt->sweeps.cancel, __ATOMIC_RELAXED))
      return hed_fail(HED_E_CANCELLED, "%s: cancelled", s->op);
    HED_SCOPE_OR(return hed_error()) {
      hed_array *g = contracted(s->left, *v, 1);
      status = g ? hed__dot(*v, g, dot) : hed_error();
      if (status == HED_OK && sign * dot[0] < before - 1e-12 * fabs(before)) /* it fell: a larger shift */
        shift = shift > 0 ? 2 * shift : fabs(before) * (order - 1);
      hed_array *next = hed_add(hed_multiply_scalar(g, sign), hed_multiply_scalar(*v, shift + fmax(0, -sign * dot[0])));
      if (status == HED_OK)
        status = hed__put(v, hed_normalize_vector(next, &HED_AXES(0)));
    }
    *value = dot[0];
    if (status == HED_OK && fabs(sign * dot[0] - before) <= tol * fabs(dot[0]))
      break;
    before = sign * dot[0];
  }
  HED_SCOPE_OR(return hed_error()) {
    double dot[2] = { 0, 0 };
    hed_array *g = status == HED_OK ? contracted(s->left, *v, 1) : NULL;
    status = status == HED_OK ? (g ? hed__dot(*v, g, dot) : hed_error()) : status;
    *value = dot[0];
  }
  return status;
}

static hed_status find_symmetric(const search *s, hed_generator *random, hed_cp *out)
{
  const int order = hed_array_ndim(s->left);
  const int64_t n = hed_array_shape(s->left).dim[0], repeats = s->opt->repeats > 0 ? s->opt->repeats : 10;
  hed_array *best = NULL;
  double most = 0;
  hed_status status = HED_OK;
  *out = (hed_cp){ 0 };
  for (int64_t k = 0; k < repeats && status == HED_OK; k++)
    for (int side = 0; side < (order % 2 ? 1 : 2) && status == HED_OK; side++) {
      hed_array *v = NULL;
      double value = 0;
      HED_SCOPE_OR(return hed_error()) {
        const hed_random draw = { .generator = random };
        hed_array *start = hed_random_normal(HED_SHAPE(n), hed_array_dtype(s->left), &draw);
        status = hed__put(&v, start ? hed_normalize_vector(start, &HED_AXES(0)) : NULL);
      }
      if (status == HED_OK)
        status = climb(s, side ? -1 : 1, &v, &value);
      if (status == HED_OK && (!best || fabs(value) > fabs(most))) {
        hed_release(best);
        best = hed_retain(v);
        most = value;
      }
      hed_release(v);
    }
  HED_SCOPE_OR(status = hed_error()) {
    hed_cp made = { .order = order, .rank = 1 };
    for (int k = 0; k < order && status == HED_OK; k++)
      made.factor[k] = hed_expand_dims(best, 1);
    made.weights = status == HED_OK ? hed_full_like(hed_slice(best, 1, &HED_RANGE(0, 1, 1)), most) : NULL;
    status = hed__cp_hand_out(status, &made, true, out);
  }
  hed_release(best);
  return status;
}

/* What is left less component C, and its squares. */
static hed_status take_out(search *s, const hed_cp *c, double *squares)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *full = hed_cp_full(c);
    status = full ? hed_subtract_into(s->left, s->left, full) : hed_error();
  }
  return status == HED_OK ? hed__tensor_squares(s->op, "the rest", s->left, squares) : status;
}

static hed_status open_search(search *s, const hed_array *x, int64_t rank, bool symmetric)
{
  char text[160];
  hed_status status = HED_OK;
  if (!x || rank < 1 || s->opt->repeats < 0)
    return hed_fail(HED_E_INVAL, "%s: %s%lld", s->op, !x ? "x is NULL, rank " : rank < 1 ? "rank below 1: " : "repeats: ",
                    (long long)(x && rank >= 1 ? s->opt->repeats : rank));
  const hed_shape shape = hed_array_shape(x);
  bool equal = true;
  for (int k = 1; k < shape.ndim; k++)
    equal = equal && shape.dim[k] == shape.dim[0];
  if (shape.ndim < 2 || shape.ndim >= HED_MAX_NDIM || hed_array_size(x) == 0 || (symmetric && !equal))
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s; 2 to %d axes%s and at least an element are needed", s->op,
                    hed__shape_words(shape, text), HED_MAX_NDIM - 1, symmetric ? " of one extent" : "");
  HED_SCOPE_OR(return hed_error()) {
    hed_array *typed = hed__tensor_operand(s->op, "x", x), *here = typed ? hed_asarray(typed, hed_array_dtype(typed)) : NULL;
    if (here && symmetric && hed_dtype_kind(hed_array_dtype(here)) == HED_KIND_COMPLEX)
      return hed_fail(HED_E_DTYPE, "%s: x is %s; it has to be real", s->op, hed_dtype_name(hed_array_dtype(here)));
    status = here ? hed__put(&s->left, hed_copy(here)) : hed_error();
    if (status == HED_OK)
      status = hed__tensor_exponent(s->op, "x", s->left, &s->exponent);
    if (status == HED_OK)
      status = hed__tensor_rescale(&s->left, -s->exponent);
    if (status == HED_OK)
      status = hed__tensor_squares(s->op, "x", s->left, &s->squares);
  }
  return status == HED_OK ? hed_check_random_state(&s->opt->random, &s->random) : status;
}

/* C with the component ONE behind its own. */
static hed_status append(hed_cp *c, hed_cp *one)
{
  hed_cp both = { 0 };
  if (c->order == 0) {
    *c = *one;
    *one = (hed_cp){ 0 };
    return HED_OK;
  }
  hed_status status = hed_cp_add(c, one, &both);
  if (status == HED_OK) {
    hed_cp_clear(c);
    *c = both;
  }
  hed_cp_clear(one);
  return status;
}

static hed_status run_search(const char *op, find_fn find, const hed_array *x, int64_t rank, const hed_cp_power_options *opt,
                             hed_cp *out, hed_fit *fit)
{
  static const hed_cp_power_options defaults;
  search s = { .op = op, .opt = opt ? opt : &defaults };
  hed__run run = { 0 };
  hed_cp made = { 0 };
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_cp){ 0 };
  hed_sweeps components = s.opt->sweeps;
  components.max = rank;
  components.tol = -1;
  hed_status status = open_search(&s, x, rank, find == find_symmetric);
  if (status == HED_OK)
    status = hed__run_begin(&run, op, &components, rank, -1);
  while (status == HED_OK && hed__run_goes_on(&run)) {
    hed_generator child;
    hed_cp one = { 0 };
    double squares = 0;
    status = hed_generator_split(&s.random, 1, &child);
    if (status == HED_OK && (status = find(&s, &child, &one)) == HED_OK)
      status = take_out(&s, &one, &squares);
    if (status == HED_OK)
      status = append(&made, &one);
    else
      hed_cp_clear(&one);
    if (status == HED_OK)
      status = hed__run_swept(&run, s.squares > 0 ? sqrt(squares / s.squares) : 0);
  }
  if (status == HED_OK && made.order > 0)
    status = hed__tensor_rescale(&made.weights, s.exponent);
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK)
    *out = made;
  else
    hed_cp_clear(&made);
  hed_release(s.left);
  return status;
}

hed_status hed_cp_power(const hed_array *x, int64_t rank, const hed_cp_power_options *opt, hed_cp *out, hed_fit *fit)
{
  return run_search("hed_cp_power", find_any, x, rank, opt, out, fit);
}

hed_status hed_cp_symmetric(const hed_array *x, int64_t rank, const hed_cp_power_options *opt, hed_cp *out, hed_fit *fit)
{
  return run_search("hed_cp_symmetric", find_symmetric, x, rank, opt, out, fit);
}
