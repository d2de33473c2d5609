// SPDX-License-Identifier: BSD-3-Clause
/* A sequence that goes on from its own output, and cells that look at a sequence at several strides.
 *
 * Layer: L4, nn kit. Both are made of hed_nn_sequence().
 */
#include "kits/nn/cells/kinds.h"
#include "kits/nn/layers/layers.h"
#include "kits/nn/lists.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- forecasts ---- */

static const char forecast_op[] = "hed_nn_forecast";

typedef struct forecast {
  const hed_nn_cell *c;
  hed_nn_sequence_options o;
  const hed_nn_params *p;
  const char *prefix, *readout;
  const hed_array *x, *dt;
  int64_t steps;
} forecast;

static hed_status check_forecast(const forecast *f)
{
  if (f->steps < 1)
    return hed_fail(HED_E_INVAL, "%s: steps is %lld; it has to be at least 1", forecast_op, (long long)f->steps);
  if (f->o.bidirectional)
    return hed_fail(HED_E_INVAL, "%s: bidirectional is true; what comes after a forecast is not known", forecast_op);
  if (f->dt && hed_array_ndim(f->dt) > 0)
    return hed__nn_wants_shape(forecast_op, "argument", "dt_ahead", f->dt, HED_SHAPE(f->steps));
  return HED_OK;
}

/* What step K is fed with, after a check that it can be. */
static hed_array *fed_back(const forecast *f, const hed_array *y)
{
  const int64_t has = hed_array_shape(y).dim[1];
  if (has == f->c->input)
    return hed_expand_dims(y, f->o.time_first ? 0 : 1);
  (void)hed_fail(HED_E_SHAPE, "%s: the %s has %lld elements, the cell has %lld inputs", forecast_op, f->readout ? "readout" : "output",
                 (long long)has, (long long)f->c->input);
  return NULL;
}

/* The steps in the scope, at Y, and the state that the last one came from, in LAST. */
static hed_status run_forecast(forecast *f, hed_array **y, hed_array **last)
{
  const hed_array *out = hed_nn_sequence(f->c, &f->o, f->p, f->prefix, f->x, last);
  f->o.lengths = f->o.mask = NULL;
  for (int64_t k = 0; out; k++) {
    y[k] = f->readout ? hed_nn_linear(f->p, f->readout, out) : (hed_array *)out;
    if (!y[k] || k + 1 == f->steps)
      return y[k] ? HED_OK : hed_error();
    const hed_array *next = fed_back(f, y[k]);
    hed_array *state[HED_NN_STATES] = { last[0], last[1], last[2] };
    f->o.state = (const hed_array *const *)state;
    f->o.dt = f->dt && hed_array_ndim(f->dt) > 0 ? hed_index(f->dt, 0, k) : f->dt;
    out = next ? hed_nn_sequence(f->c, &f->o, f->p, f->prefix, next, last) : NULL;
    f->o.state = NULL;
  }
  return hed_error();
}

hed_array *hed_nn_forecast(const hed_nn_cell *c, const hed_nn_sequence_options *opt, const hed_nn_params *p, const char *prefix,
                           const char *readout, const hed_array *x, int64_t steps, const hed_array *dt_ahead, hed_array **last)
{
  forecast f = { .c = c, .p = p, .prefix = prefix, .readout = readout, .x = x, .dt = dt_ahead, .steps = steps };
  hed_array *made[HED_NN_STATES + 1] = { NULL }, *out[HED_NN_STATES + 1] = { NULL };
  hed_status status = hed__nn_cell_check(forecast_op, c);
  const int n = status == HED_OK ? hed__nn_states(c) : 0;
  for (int k = 0; last && k < n; k++)
    last[k] = NULL;
  if (status != HED_OK || !hed__operand_given(forecast_op, "x", x))
    return NULL;
  if (opt)
    f.o = *opt;
  f.o.last_only = true;
  status = check_forecast(&f);
  hed_array **y = status == HED_OK ? calloc((size_t)steps, sizeof *y) : NULL;
  if (status == HED_OK && !y)
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %lld steps", forecast_op, (long long)steps);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *now[HED_NN_STATES] = { NULL };
      status = run_forecast(&f, y, now);
      if (status == HED_OK)
        made[0] = hed_keep(hed_stack((int)steps, (const hed_array *const *)y, f.o.time_first ? 0 : 1));
      for (int k = 0; k < n && status == HED_OK; k++)
        made[k + 1] = hed_keep(now[k]);
    }
  free(y);
  for (int k = 0; k <= n && status == HED_OK; k++)
    status = made[k] ? HED_OK : hed_error();
  status = hed__nn_hand_on(n + 1, made, out, status);
  for (int k = 0; k < n; k++)
    if (last)
      last[k] = out[k + 1];
    else
      hed_release(out[k + 1]);
  return out[0];
}

/* ---- strides ---- */

static hed_status check_strides(const char *op, int n, const int64_t *strides)
{
  if (n < 1 || !strides)
    return hed_fail(HED_E_INVAL, "%s: there are %d strides%s; at least 1 is needed", op, n, strides ? "" : ", NULL");
  for (int k = 0; k < n; k++)
    if (strides[k] < 1)
      return hed_fail(HED_E_INVAL, "%s: strides[%d] is %lld; it has to be at least 1", op, k, (long long)strides[k]);
  return HED_OK;
}

/* "PREFIX.K" */
static hed_status numbered(const char *op, const char *prefix, int k, char *full)
{
  char number[16];
  (void)snprintf(number, sizeof number, "%d", k);
  return hed__nn_name(op, prefix, number, full);
}

hed_status hed_nn_strided_init(const hed_nn_cell *c, const hed_nn_sequence_options *opt, int n, const int64_t *strides,
                               hed_nn_params *p, const char *prefix, hed_dtype t, const hed_random *r)
{
  static const char *const op = "hed_nn_strided_init";
  char full[HED__NN_NAME_ROOM];
  hed_status status = check_strides(op, n, strides);
  if (status == HED_OK && !p)
    status = hed_fail(HED_E_INVAL, "%s: p is NULL", op);
  const int64_t had = hed_nn_params_count(p);
  for (int k = 0; k < n && status == HED_OK; k++) {
    status = numbered(op, prefix, k, full);
    if (status == HED_OK)
      status = hed_nn_sequence_init(c, opt, p, full, t, r);
  }
  while (status != HED_OK && hed_nn_params_count(p) > had)
    (void)hed_nn_params_remove(p, hed_nn_params_name(p, hed_nn_params_count(p) - 1));
  return status;
}

/* Every S-th step of X, whose steps are axis TIME. */
static hed_array *every(const hed_array *x, int time, int64_t s)
{
  const hed_slice_range r[2] = { time == 0 ? HED_RANGE(0, HED_SLICE_END, s) : HED_ALL, HED_RANGE(0, HED_SLICE_END, s) };
  return hed_slice(x, time + 1, r);
}

/* The time from each S-th step to the next: sums of DT. */
static hed_array *times(const hed_array *dt, int time, int64_t s)
{
  if (!dt)
    return hed_scalar((double)s);
  if (hed_array_ndim(dt) == 0)
    return hed_multiply_scalar(dt, (double)s);
  const int axis = hed_array_ndim(dt) == 1 ? 0 : time;
  const hed_array *sums = hed_cumsum(dt, &(hed_scan){ .axis = HED_AXES(axis), .dtype = hed__train_wide() });
  const hed_array *between = hed_astype(hed_diff(every(sums, axis, s), 1, axis), hed_array_dtype(dt));
  const hed_array *parts[2] = { every(dt, axis, hed_array_shape(dt).dim[axis]), between };
  return hed_concatenate(2, parts, axis);
}

/* The cell of stride S over X: its output stays as it is until its next step. */
static hed_array *at_stride(const hed_nn_cell *c, const hed_nn_sequence_options *opt, const hed_nn_params *p, const char *prefix,
                            const hed_array *x, int64_t s)
{
  hed_nn_sequence_options o = *opt;
  const int time = o.time_first ? 0 : 1;
  const int64_t steps = hed_array_shape(x).dim[time];
  o.dt = times(opt->dt, time, s);
  o.mask = o.mask ? every(o.mask, time, s) : NULL;
  const hed_array *y = o.dt ? hed_nn_sequence(c, &o, p, prefix, every(x, time, s), NULL) : NULL;
  if (!y || o.last_only || s == 1)
    return (hed_array *)y;
  const hed_array *held = hed_repeat(y, s, &HED_AXES(time));
  const hed_slice_range r[2] = { time == 0 ? HED_RANGE(0, steps, 1) : HED_ALL, HED_RANGE(0, steps, 1) };
  return hed_slice(held, time + 1, r);
}

hed_array *hed_nn_strided(const hed_nn_cell *c, const hed_nn_sequence_options *opt, int n, const int64_t *strides,
                          const hed_nn_params *p, const char *prefix, const hed_array *x)
{
  static const char *const op = "hed_nn_strided";
  const hed_nn_sequence_options none = { .layers = 0 }, *o = opt ? opt : &none;
  char full[HED__NN_NAME_ROOM];
  hed_array *kept = NULL;
  hed_status status = check_strides(op, n, strides);
  if (status == HED_OK && (o->bidirectional || o->state || o->lengths))
    status = hed_fail(HED_E_UNSUPPORTED, "%s: %s; cells of several strides have %s", op,
                      o->bidirectional ? "bidirectional is true" : o->state ? "a state is given" : "lengths are given",
                      o->lengths ? "a mask" : "none");
  if (status == HED_OK && !hed__operand_given(op, "x", x))
    status = hed_error();
  if (status == HED_OK && hed_array_ndim(x) != 3)
    status = hed_fail(HED_E_SHAPE, "%s: x has %d axes; wanted are 3", op, (int)hed_array_ndim(x));
  const hed_array **parts = status == HED_OK ? calloc((size_t)n, sizeof *parts) : NULL;
  if (status == HED_OK && !parts)
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %d strides", op, n);
  if (status == HED_OK)
    HED_SCOPE {
      for (int k = 0; k < n && status == HED_OK; k++) {
        status = numbered(op, prefix, k, full);
        parts[k] = status == HED_OK ? at_stride(c, o, p, full, x, strides[k]) : NULL;
        status = parts[k] ? HED_OK : hed_error();
      }
      kept = status == HED_OK ? hed_keep(hed_concatenate(n, parts, -1)) : NULL;
    }
  free(parts);
  return hed__nn_out(kept);
}
