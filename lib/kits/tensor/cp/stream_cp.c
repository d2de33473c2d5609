// SPDX-License-Identifier: BSD-3-Clause
/* A CP decomposition that follows a growing tensor.
 *
 * Layer: L4, tensor kit. For each mode but the growing one, P = sum of unfoldings times Khatri-Rao products and Q = sum of their Gram
 * matrices, over all slices so far, each with the factors of its time; then A = P Q^-1.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"

void hed_cp_stream_clear(hed_cp_stream *s)
{
  if (!s)
    return;
  hed_cp_clear(&s->cp);
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    hed_release(s->product[k]);
    hed_release(s->gram[k]);
  }
  *s = (hed_cp_stream){ 0 };
}

/* The elementwise product of A^H A of all factors of C but that of MODE. */
static hed_array *grams_but(const hed_cp *c, int mode)
{
  hed_array *all = NULL;
  for (int k = 0, n = 0; k < c->order; k++)
    if (k != mode) {
      hed_array *gram = hed__wide_gram(c->factor[k], c->factor[k]);
      all = n++ ? hed_multiply(all, gram) : gram;
    }
  return all;
}

typedef struct adding {
  hed_cp_stream *s;       /* what becomes of it */
  hed_cp *slices;         /* the factors, with the rows of new slices alone; slots for the sweep */
  double epsilon;
  bool first;             /* X and its decomposition are known: factors stay */
} adding;

static hed_status solve_rows(void *arg, int mode, const hed_array *m)
{
  adding *d = arg;
  hed_array *g = grams_but(d->slices, mode);
  return g ? hed__put(&d->slices->factor[mode], hed__solve_gram(g, m, d->epsilon)) : hed_error();
}

static hed_status solve_factor(void *arg, int mode, const hed_array *m)
{
  adding *d = arg;
  hed_cp_stream *s = d->s;
  hed_array *g = grams_but(d->slices, mode), *wide = hed_astype(m, hed__tensor_wide(hed_array_dtype(m)));
  if (!d->first) {
    g = hed_add(hed_multiply_scalar(s->gram[mode], s->forgetting), g);
    wide = hed_add(hed_multiply_scalar(s->product[mode], s->forgetting), wide);
  }
  hed_status status = hed__put(&s->gram[mode], g);
  if (status == HED_OK)
    status = hed__put(&s->product[mode], wide ? hed_copy(wide) : NULL);
  if (status == HED_OK && !d->first)
    status = hed__put(&d->slices->factor[mode], hed_astype(hed__solve_gram(g, wide, d->epsilon), hed_array_dtype(m)));
  return status;
}

/* The factors of C, weights in that of MODE, kept. */
static hed_status take_factors(const hed_cp *c, int mode, hed_dtype t, hed_cp *out)
{
  hed_status status = HED_OK;
  *out = (hed_cp){ .order = c->order, .rank = c->rank };
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k < c->order && status == HED_OK; k++) {
      hed_array *f = hed_asarray(c->factor[k], t);
      if (k == mode && c->weights && f)
        f = hed_multiply(f, hed_asarray(c->weights, t));
      status = hed__put(&out->factor[k], f);
    }
  }
  return status;
}

/* X over 2^EXPONENT as a tree of the context's, in FLAT, kept. FIRST: the exponent is that of X. */
static hed_status take_slices(const char *op, const hed_array *x, bool first, int32_t *exponent, hed_array **flat)
{
  int e = 0;
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *typed = hed__tensor_operand(op, "x", x), *here = typed ? hed_asarray(typed, hed_array_dtype(typed)) : NULL;
    status = here ? hed__put(flat, hed__in_c_order(here)) : hed_error();
  }
  if (status == HED_OK)
    status = hed__tensor_exponent(op, "x", *flat, &e);
  if (first)
    *exponent = hed__tensor_exponent_needed(e);
  return status == HED_OK ? hed__tensor_rescale(flat, -*exponent) : status;
}

hed_status hed_cp_stream_begin(const hed_array *x, const hed_cp *start, int32_t mode, double forgetting, hed_cp_stream *out)
{
  static const char *const op = "hed_cp_stream_begin";
  hed_cp_stream s = { .forgetting = forgetting };
  hed_array *flat = NULL;
  int axis = 0;
  if (!out || !x)
    return out ? hed__tensor_missing(op, "x") : hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_cp_stream){ 0 };
  hed_status status = hed__cp_fits(op, start, x);
  if (status == HED_OK && start->order < 2)
    status = hed_fail(HED_E_SHAPE, "%s: x has one axis", op);
  if (status == HED_OK)
    status = hed__mode_of(op, mode, start->order, &axis);
  if (status == HED_OK && !(forgetting > 0 && forgetting <= 1))
    status = hed_fail(HED_E_INVAL, "%s: forgetting %g is not in (0, 1]", op, forgetting);
  s.mode = axis;
  if (status == HED_OK)
    status = take_slices(op, x, true, &s.exponent, &flat);
  if (status == HED_OK)
    status = take_factors(start, axis, hed_array_dtype(flat), &s.cp);
  if (status == HED_OK)
    status = hed__tensor_rescale(&s.cp.factor[axis], -s.exponent);
  if (status == HED_OK) {
    adding d = { .s = &s, .slices = &s.cp, .epsilon = hed__tensor_epsilon(hed_array_dtype(flat)), .first = true };
    hed__tree t;
    hed__tree_plant(flat, &t);
    status = hed__tree_sweep(&t, s.cp.factor, ((1U << s.cp.order) - 1) & ~(1U << axis), solve_factor, &d);
  }
  hed_release(flat);
  if (status == HED_OK)
    status = hed__tensor_rescale(&s.cp.factor[axis], s.exponent);
  if (status == HED_OK)
    *out = s;
  else
    hed_cp_stream_clear(&s);
  return status;
}

/* Other handles on all of S. */
static hed_cp_stream other(const hed_cp_stream *s)
{
  hed_cp_stream copy = *s;
  for (int k = 0; k < s->cp.order; k++) {
    hed_retain(copy.cp.factor[k]);
    hed_retain(copy.product[k]);
    hed_retain(copy.gram[k]);
  }
  return copy;
}

hed_status hed_cp_stream_add(hed_cp_stream *s, const hed_array *x)
{
  static const char *const op = "hed_cp_stream_add";
  hed_array *flat = NULL, *rows = NULL;
  char text[160], want[160];
  if (!s || s->cp.order < 2)
    return hed_fail(HED_E_INVAL, "%s: %s", op, s ? "the stream has not begun" : "s is NULL");
  if (!x)
    return hed__tensor_missing(op, "x");
  hed_shape shape = hed_cp_shape(&s->cp);
  const hed_shape given = hed_array_shape(x);
  shape.dim[s->mode] = given.ndim == shape.ndim ? given.dim[s->mode] : 0;
  if (!hed__same_shape(given, shape) || given.dim[s->mode] < 1)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s, the stream %s, growing along mode %d", op, hed__shape_words(given, text),
                    hed__shape_words(hed_cp_shape(&s->cp), want), (int)s->mode);
  hed_cp_stream next = other(s);
  hed_status status = take_slices(op, x, false, &next.exponent, &flat);
  if (status == HED_OK && hed_array_dtype(flat) != hed_array_dtype(s->cp.factor[0]))
    status = hed_fail(HED_E_DTYPE, "%s: x is %s, the stream %s", op, hed_dtype_name(hed_array_dtype(flat)),
                      hed_dtype_name(hed_array_dtype(s->cp.factor[0])));
  if (status == HED_OK) {
    adding d = { .s = &next, .slices = &next.cp, .epsilon = hed__tensor_epsilon(hed_array_dtype(flat)) };
    hed__tree t;
    hed__tree_plant(flat, &t);
    status = hed__tree_sweep(&t, next.cp.factor, 1U << s->mode, solve_rows, &d);
    if (status == HED_OK) {
      rows = hed_retain(next.cp.factor[s->mode]);
      status = hed__tree_sweep(&t, next.cp.factor, ((1U << s->cp.order) - 1) & ~(1U << s->mode), solve_factor, &d);
    }
    if (status == HED_OK)
      status = hed__tensor_rescale(&rows, next.exponent);
  }
  HED_SCOPE_OR(status = hed_error())
    if (status == HED_OK)
      status = hed__put(&next.cp.factor[s->mode],
                        hed_concatenate(2, (const hed_array *const[]){ s->cp.factor[s->mode], rows }, 0));
  hed_release(flat);
  hed_release(rows);
  hed_cp_stream old = status == HED_OK ? *s : next;
  if (status == HED_OK)
    *s = next;
  hed_cp_stream_clear(&old);
  return status;
}
