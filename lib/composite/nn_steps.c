// SPDX-License-Identifier: BSD-3-Clause
/* Steps of recurrent cells: by a kernel of the device's own, or by operations one after the other. L3. */
#include "composite/nn.h"
#include "base/shape.h"
#include "core/record/body.h"
#include "core/record/record.h"

enum { MOST_IN = 6, MOST_PLANES = 6 };

/* What all have in common: operands in the type that is computed in, rows in one piece each. */
typedef struct frame {
  composed c;
  int op, id, n;
  hed_array *in[MOST_IN];
  int64_t rows, units;
} frame;

static bool in_rows(const hed_array *x)
{
  const hed_view *v = &x->view;
  const int64_t size = hed__id_size(v->dtype);
  return v->dim[v->ndim - 1] <= 1 || v->stride[v->ndim - 1] == size;
}

/* Is operand K of the shape WANT? The sentence has both. */
static hed_status wanted(const frame *f, const char *arg, const hed_array *x, hed_shape want)
{
  const hed_shape s = hed__shape_of(x);
  return hed__shape_equal(s.ndim, s.dim, want.ndim, want.dim)
             ? HED_OK
             : hed_fail(HED_E_SHAPE, "%s: %s has shape %s; wanted is %s", hed__op_rows[f->op].name, arg, HED__TEXT(&s),
                        HED__TEXT(&want));
}

/* WHOLE: operand K has to lie in C order, not only its rows. */
static hed_status begin(frame *f, int op, int n, const hed_array *const *in, const char *const *args, const hed_shape *want,
                        unsigned whole)
{
  hed_status status = HED_OK;
  f->op = op;
  f->n = n;
  for (int k = 0; k < n && status == HED_OK; k++)
    status = wanted(f, args[k], in[k], want[k]);
  if (status == HED_OK && (f->id = hed__infer_operands(op, n, in, args)) < 0)
    status = hed_error();
  if (status != HED_OK || (status = composed_begin(&f->c, op, n, in)) != HED_OK)
    return status;
  for (int k = 0; k < n; k++) {
    const hed_dtype work = hed__dtypes[hed__compute_of(f->id)];
    hed_array *x = hed_array_dtype(f->c.ex.in[k]) == work ? (hed_array *)f->c.ex.in[k] : hed_astype(f->c.ex.in[k], work);
    f->in[k] = x && !(whole >> k & 1 ? hed__is_c_contiguous(&x->view) : in_rows(x)) ? hed_copy(x) : x;
    if (!f->in[k]) {
      (void)composed_end(&f->c, NULL);
      return hed_error();
    }
  }
  return HED_OK;
}

static hed_array *end(frame *f, hed_array *out)
{
  return composed_end(&f->c, out && out->view.dtype != f->id ? hed_astype(out, hed__dtypes[f->id]) : out);
}

/* By a kernel, where there is one, and nobody asks for the derivative of a derivative, which only parts have: *OUT of the shape
 * WANT, NULL after an error. */
static bool at_once(const frame *f, hed_shape want, hed_array **out)
{
  const int work = hed__compute_of(f->id);
  if (hed__recording() || !hed__native(&f->c.ex, f->op, work))
    return false;
  hed_array *made = hed__array_new(f->c.ex.device, work, want.ndim, want.dim);
  const hed__launch l = { .n_out = 1, .n_in = f->n, .out = &made, .in = (const hed_array *const *)f->in, .compute = work };
  *out = made && (hed_array_size(made) == 0 || hed__run(&f->c.ex, &l) == HED_OK) ? made : NULL;
  return true;
}

/* Columns K U to (K + N) U, and plane K. */
static hed_array *columns(const frame *f, const hed_array *x, int k, int n)
{
  const hed_slice_range r[2] = { HED_ALL, HED_RANGE(k * f->units, (k + n) * f->units, 1) };
  return x ? hed_slice(x, 2, r) : NULL;
}

static hed_array *plane(const hed_array *x, int k) { return hed_index(x, 0, k); }

/* x (1 - x), and 1 - x^2 */
static hed_array *of_sigmoid(const hed_array *y) { return hed_multiply(y, hed_scalar_subtract(1, y)); }
static hed_array *of_tanh(const hed_array *y) { return hed_scalar_subtract(1, hed_square(y)); }

static hed_array *stacked(int n, hed_array *const *x) { return hed_stack(n, (const hed_array *const *)x, 0); }
static hed_array *beside(int n, hed_array *const *x) { return hed_concatenate(n, (const hed_array *const *)x, 1); }

/* Rows and units of X, (.., rows, units). */
static void sizes(frame *f, const hed_array *x)
{
  const hed_shape s = hed__shape_of(x);
  f->rows = s.ndim > 1 ? s.dim[s.ndim - 2] : 1;
  f->units = s.ndim > 0 ? s.dim[s.ndim - 1] : 1;
}

static bool given(int op, int n, const hed_array *const *in, const char *const *args)
{
  for (int k = 0; k < n; k++)
    if (!hed__given(in[k], hed__op_rows[op].name, args[k]))
      return false;
  return true;
}

/* ---- LSTM ---- */

static hed_array *lstm_parts(const frame *f)
{
  hed_array *out[6];
  for (int k = 0; k < 4; k++) {
    const hed_array *x = hed_add(columns(f, f->in[0], k, 1), columns(f, f->in[1], k, 1));
    out[k] = k == 2 ? hed_tanh(x) : hed_sigmoid(x);
  }
  out[4] = hed_add(hed_multiply(out[1], f->in[2]), hed_multiply(out[0], out[2]));
  out[5] = hed_multiply(out[3], hed_tanh(out[4]));
  return stacked(6, out);
}

hed_array *HED_BODY(lstm_step)(const hed_array *x, const hed_array *y, const hed_array *state)
{
  static const char *const args[] = { "x", "y", "state" };
  const hed_array *const in[] = { x, y, state };
  frame f = { .op = HED_OP_LSTM_STEP };
  hed_array *out = NULL;
  if (!given(f.op, 3, in, args))
    return NULL;
  sizes(&f, state);
  const hed_shape gates = HED_SHAPE(f.rows, 4 * f.units), one = HED_SHAPE(f.rows, f.units);
  if (begin(&f, f.op, 3, in, args, (const hed_shape[]){ gates, gates, one }, 0) != HED_OK)
    return NULL;
  if (!at_once(&f, HED_SHAPE(6, f.rows, f.units), &out))
    out = lstm_parts(&f);
  return end(&f, out);
}

static hed_array *lstm_back_parts(const frame *f)
{
  hed_array *i = plane(f->in[0], 0), *forget = plane(f->in[0], 1), *g = plane(f->in[0], 2), *o = plane(f->in[0], 3);
  const hed_array *c = f->in[1], *dh = f->in[2], *t = hed_tanh(plane(f->in[0], 4));
  const hed_array *dc = hed_add(f->in[3], hed_multiply(hed_multiply(dh, o), of_tanh(t)));
  hed_array *const out[5] = { hed_multiply(hed_multiply(dc, g), of_sigmoid(i)), hed_multiply(hed_multiply(dc, c), of_sigmoid(forget)),
                              hed_multiply(hed_multiply(dc, i), of_tanh(g)), hed_multiply(hed_multiply(dh, t), of_sigmoid(o)),
                              hed_multiply(dc, forget) };
  return beside(5, out);
}

hed_array *HED_BODY(lstm_step_back)(const hed_array *step, const hed_array *state, const hed_array *dh, const hed_array *dc)
{
  static const char *const args[] = { "step", "state", "dh", "dc" };
  const hed_array *const in[] = { step, state, dh, dc };
  frame f = { .op = HED_OP_LSTM_STEP_BACK };
  hed_array *out = NULL;
  if (!given(f.op, 4, in, args))
    return NULL;
  sizes(&f, state);
  const hed_shape one = HED_SHAPE(f.rows, f.units);
  if (begin(&f, f.op, 4, in, args, (const hed_shape[]){ HED_SHAPE(6, f.rows, f.units), one, one, one }, 1) != HED_OK)
    return NULL;
  if (!at_once(&f, HED_SHAPE(f.rows, 5 * f.units), &out))
    out = lstm_back_parts(&f);
  return end(&f, out);
}

/* ---- GRU ---- */

static hed_array *gru_parts(const frame *f)
{
  const hed_array *x = f->in[0], *y = f->in[1], *h = f->in[3];
  hed_array *out[5];
  for (int k = 0; k < 2; k++)
    out[k] = hed_sigmoid(hed_add(columns(f, x, k, 1), columns(f, y, k, 1)));
  out[3] = hed_add(columns(f, y, 2, 1), f->in[2]);
  out[2] = hed_tanh(hed_add(columns(f, x, 2, 1), hed_multiply(out[0], out[3])));
  out[4] = hed_add(out[2], hed_multiply(out[1], hed_subtract(h, out[2])));
  return stacked(5, out);
}

hed_array *HED_BODY(gru_step)(const hed_array *x, const hed_array *y, const hed_array *b, const hed_array *h)
{
  static const char *const args[] = { "x", "y", "b", "h" };
  const hed_array *const in[] = { x, y, b, h };
  frame f = { .op = HED_OP_GRU_STEP };
  hed_array *out = NULL;
  if (!given(f.op, 4, in, args))
    return NULL;
  sizes(&f, h);
  const hed_shape gates = HED_SHAPE(f.rows, 3 * f.units), state = HED_SHAPE(f.rows, f.units);
  if (begin(&f, f.op, 4, in, args, (const hed_shape[]){ gates, gates, HED_SHAPE(f.units), state }, 0) != HED_OK)
    return NULL;
  if (!at_once(&f, HED_SHAPE(5, f.rows, f.units), &out))
    out = gru_parts(&f);
  return end(&f, out);
}

static hed_array *gru_back_parts(const frame *f)
{
  hed_array *r = plane(f->in[0], 0), *z = plane(f->in[0], 1), *n = plane(f->in[0], 2), *q = plane(f->in[0], 3);
  const hed_array *h = f->in[1], *dh = f->in[2];
  hed_array *dn = hed_multiply(hed_multiply(dh, hed_scalar_subtract(1, z)), of_tanh(n));
  hed_array *dr = hed_multiply(hed_multiply(dn, q), of_sigmoid(r));
  hed_array *dz = hed_multiply(hed_multiply(dh, hed_subtract(h, n)), of_sigmoid(z));
  hed_array *const out[7] = { dr, dz, dn, dr, dz, hed_multiply(dn, r), hed_multiply(dh, z) };
  return beside(7, out);
}

hed_array *HED_BODY(gru_step_back)(const hed_array *step, const hed_array *h, const hed_array *dh)
{
  static const char *const args[] = { "step", "h", "dh" };
  const hed_array *const in[] = { step, h, dh };
  frame f = { .op = HED_OP_GRU_STEP_BACK };
  hed_array *out = NULL;
  if (!given(f.op, 3, in, args))
    return NULL;
  sizes(&f, h);
  const hed_shape state = HED_SHAPE(f.rows, f.units);
  if (begin(&f, f.op, 3, in, args, (const hed_shape[]){ HED_SHAPE(5, f.rows, f.units), state, state }, 1) != HED_OK)
    return NULL;
  if (!at_once(&f, HED_SHAPE(f.rows, 7 * f.units), &out))
    out = gru_back_parts(&f);
  return end(&f, out);
}

/* ---- synapses ---- */

static hed_array *sum(const hed_array *x, int axis) { return hed_sum(x, &(hed_reduce){ .axes = HED_AXES(axis) }); }

/* s, (B, P, N) */
static hed_array *opened(const frame *f)
{
  return hed_sigmoid(hed_multiply(f->in[1], hed_subtract(hed_expand_dims(f->in[0], 1), f->in[2])));
}

static const char *const synapse_args[] = { "v", "sigma", "mu", "w", "e", "d" };

/* Targets are in F's units. */
static hed_status begin_synapses(frame *f, int op, int n, const hed_array *const *in, int64_t *neurons)
{
  if (!given(op, n, in, synapse_args))
    return hed_error();
  sizes(f, in[0]);
  *neurons = f->units;
  const int64_t rows = f->rows;
  sizes(f, in[1]);
  f->units = f->rows;
  f->rows = rows;
  const hed_shape by = HED_SHAPE(f->units, *neurons);
  const hed_shape want[] = { HED_SHAPE(rows, *neurons), by, by, by, by, HED_SHAPE(2, rows, f->units) };
  return begin(f, op, n, in, synapse_args, want, 0x3e); /* all but v as a whole */
}

hed_array *HED_BODY(synapses)(const hed_array *v, const hed_array *sigma, const hed_array *mu, const hed_array *w, const hed_array *e)
{
  const hed_array *const in[] = { v, sigma, mu, w, e };
  frame f = { .op = HED_OP_SYNAPSES };
  hed_array *out = NULL;
  int64_t neurons;
  if (begin_synapses(&f, f.op, 5, in, &neurons) != HED_OK)
    return NULL;
  if (!at_once(&f, HED_SHAPE(2, f.rows, f.units), &out)) {
    const hed_array *s = opened(&f);
    out = stacked(2, (hed_array *const[]){ sum(hed_multiply(s, f.in[3]), 2), sum(hed_multiply(s, f.in[4]), 2) });
  }
  return end(&f, out);
}

static hed_array *synapses_back_parts(const frame *f)
{
  const hed_array *s = opened(f), *of_w = hed_expand_dims(plane(f->in[5], 0), 2), *of_e = hed_expand_dims(plane(f->in[5], 1), 2);
  const hed_array *of_s = hed_add(hed_multiply(of_e, f->in[4]), hed_multiply(of_w, f->in[3]));
  const hed_array *slope = hed_multiply(of_s, of_sigmoid(s));
  const hed_array *away = hed_subtract(hed_expand_dims(f->in[0], 1), f->in[2]);
  hed_array *const out[5] = { sum(hed_multiply(slope, away), 0), hed_negative(hed_multiply(sum(slope, 0), f->in[1])),
                              sum(hed_multiply(of_w, s), 0), sum(hed_multiply(of_e, s), 0), sum(hed_multiply(slope, f->in[1]), 1) };
  return hed_concatenate(5, (const hed_array *const *)out, 0);
}

hed_array *HED_BODY(synapses_back)(const hed_array *v, const hed_array *sigma, const hed_array *mu, const hed_array *w,
                                   const hed_array *e, const hed_array *d)
{
  const hed_array *const in[] = { v, sigma, mu, w, e, d };
  frame f = { .op = HED_OP_SYNAPSES_BACK };
  hed_array *out = NULL;
  int64_t neurons;
  if (begin_synapses(&f, f.op, 6, in, &neurons) != HED_OK)
    return NULL;
  if (!at_once(&f, HED_SHAPE(4 * f.units + f.rows, neurons), &out))
    out = synapses_back_parts(&f);
  return end(&f, out);
}
