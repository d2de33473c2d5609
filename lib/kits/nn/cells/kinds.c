// SPDX-License-Identifier: BSD-3-Clause
/* What cells are, by their kinds: checks and families.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/cells/kinds.h"
#include <math.h>
#include <string.h>

static const hed__nn_family *const families[] = {
  [HED_NN_RNN] = &hed__nn_rnn, [HED_NN_GRU] = &hed__nn_gru, [HED_NN_LSTM] = &hed__nn_lstm, [HED_NN_CFC] = &hed__nn_cfc,
  [HED_NN_LTC] = &hed__nn_ltc, [HED_NN_CTRNN] = &hed__nn_ctrnn, [HED_NN_CTGRU] = &hed__nn_ctgru,
  [HED_NN_CTGRU_TRACES] = &hed__nn_traces, [HED_NN_LEAKY_LSTM] = &hed__nn_leaky };
enum { KINDS = sizeof families / sizeof families[0] };

const hed__nn_family *hed__nn_family_of(const hed_nn_cell *c)
{
  return c->kind == HED_NN_CFC && c->n_groups ? &hed__nn_wired : families[c->kind];
}

/* ---- checks ---- */

/* VALUE of FIELD in [LEAST, MOST]? */
static hed_status within(const char *op, const char *field, int64_t value, int64_t least, int64_t most)
{
  if (value >= least && value <= most)
    return HED_OK;
  return hed_fail(HED_E_INVAL, "%s: the cell's %s is %lld, not in [%lld, %lld]", op, field, (long long)value, (long long)least,
                  (long long)most);
}

typedef struct limit {
  const char *field;
  int64_t value, least, most;
} limit;

static hed_status check_wires(const char *op, const char *name, const hed_array *x, int64_t rows, int64_t cols)
{
  const hed_shape s = hed_array_shape(x);
  if (!x)
    return HED_OK;
  if (s.ndim != 2 || s.dim[0] != rows || s.dim[1] != cols)
    return hed_fail(HED_E_SHAPE, "%s: %s has %d axes (%lld, %lld); wanted is (%lld, %lld)", op, name, (int)s.ndim,
                    s.ndim > 0 ? (long long)s.dim[0] : 1LL, s.ndim > 1 ? (long long)s.dim[1] : 1LL, (long long)rows, (long long)cols);
  return hed_array_dtype(x) == HED_INT8 ? HED_OK
                                        : hed_fail(HED_E_DTYPE, "%s: %s is %s; wanted is int8", op, name,
                                                   hed_dtype_name(hed_array_dtype(x)));
}

static hed_status check_groups(const char *op, const hed_nn_cell *c)
{
  int64_t sum = 0;
  if (!c->n_groups)
    return !c->adjacency && !c->sensory
               ? HED_OK
               : hed_fail(HED_E_INVAL, "%s: a CFC with a wiring needs groups of neurons; n_groups is 0", op);
  if (!c->groups || !c->adjacency || !c->sensory)
    return hed_fail(HED_E_INVAL, "%s: n_groups is %d, %s is NULL", op, (int)c->n_groups,
                    !c->groups ? "groups" : !c->adjacency ? "adjacency" : "sensory");
  for (int g = 0; g < c->n_groups; g++) {
    if (c->groups[g] < 1 || c->groups[g] > c->units)
      return hed_fail(HED_E_INVAL, "%s: group %d has %lld neurons of %lld", op, g, (long long)c->groups[g], (long long)c->units);
    sum += c->groups[g];
  }
  if (sum != c->units)
    return hed_fail(HED_E_INVAL, "%s: the groups have %lld neurons, the cell has %lld", op, (long long)sum, (long long)c->units);
  if (c->outputs && c->outputs != c->groups[c->n_groups - 1])
    return hed_fail(HED_E_INVAL, "%s: outputs is %lld, the last group has %lld neurons", op, (long long)c->outputs,
                    (long long)c->groups[c->n_groups - 1]);
  return HED_OK;
}

hed_status hed__nn_cell_check(const char *op, const hed_nn_cell *c)
{
  enum { MOST = 1 << 24 };
  if (!c)
    return hed_fail(HED_E_INVAL, "%s: the cell is NULL", op);
  const bool cfc = c->kind == HED_NN_CFC, ltc = c->kind == HED_NN_LTC;
  const limit limits[] = {
    { "kind", c->kind, 0, KINDS - 1 },          { "input", c->input, 1, MOST },
    { "units", c->units, 1, MOST },             { "activation", c->activation, 0, HED_NN_MISH },
    { "projection", c->projection, 0, MOST },   { "scales", c->scales, 0, 64 },
    { "mode", cfc ? c->mode : 0, 0, HED_NN_CFC_NO_GATE },
    { "backbone_layers", cfc ? c->backbone_layers : 0, -1, HED__NN_BACKBONE - 1 },
    { "backbone_units", cfc ? c->backbone_units : 0, 0, MOST },
    { "unfolds", ltc ? c->unfolds : 0, 0, 1000 }, { "solver", ltc ? c->solver : 0, 0, HED_NN_RK4 },
    { "positive", ltc ? c->positive : 0, 0, HED_NN_AS_IS },
    { "input_mapping", ltc ? c->input_mapping : 0, 0, HED_NN_MAP_NONE },
    { "output_mapping", ltc ? c->output_mapping : 0, 0, HED_NN_MAP_NONE },
    { "outputs", c->outputs, 0, c->units },     { "n_groups", cfc ? c->n_groups : 0, 0, HED__NN_GROUPS } };
  hed_status status = HED_OK;
  for (size_t k = 0; k < sizeof limits / sizeof limits[0] && status == HED_OK; k++)
    status = within(op, limits[k].field, limits[k].value, limits[k].least, limits[k].most);
  if (status == HED_OK && !(c->backbone_dropout >= 0 && c->backbone_dropout <= 1))
    return hed_fail(HED_E_INVAL, "%s: the cell's backbone_dropout is %g, not in [0, 1]", op, c->backbone_dropout);
  if (status == HED_OK && (!isfinite(c->forget_bias) || !isfinite(c->slope) || !(c->epsilon >= 0) || !(c->first_scale >= 0)))
    return hed_fail(HED_E_INVAL, "%s: the cell's forget_bias is %g, slope %g, epsilon %g, first_scale %g", op, c->forget_bias,
                    c->slope,
                    c->epsilon, c->first_scale);
  if (status == HED_OK)
    status = check_wires(op, "adjacency", c->adjacency, c->units, c->units);
  if (status == HED_OK)
    status = check_wires(op, "sensory", c->sensory, c->input, c->units);
  return status == HED_OK && cfc ? check_groups(op, c) : status;
}

/* ---- sizes ---- */

static bool has_memory(const hed_nn_cell *c) { return c->mixed_memory && (c->kind == HED_NN_CFC || c->kind == HED_NN_LTC); }

int32_t hed_nn_cell_states(const hed_nn_cell *c)
{
  const hed_status status = hed__nn_cell_check("hed_nn_cell_states", c);
  return status == HED_OK ? hed__nn_states(c) : (int32_t)status;
}

int32_t hed__nn_states(const hed_nn_cell *c) { return hed__nn_family_of(c)->states + has_memory(c); }

hed_shape hed__nn_state_shape(const hed_nn_cell *c, int64_t batch, int32_t k)
{
  if (k == 0 && c->kind == HED_NN_CTGRU_TRACES)
    return HED_SHAPE(batch, c->units, c->scales ? c->scales : 8);
  return HED_SHAPE(batch, k == 0 && c->kind == HED_NN_LSTM && c->projection ? c->projection : c->units);
}

hed_status hed_nn_cell_state_shape(const hed_nn_cell *c, int64_t batch, int32_t k, hed_shape *out)
{
  static const char *const op = "hed_nn_cell_state_shape";
  hed_status status = hed__nn_cell_check(op, c);
  if (status == HED_OK && (!out || batch < 0))
    status = hed_fail(HED_E_INVAL, "%s: %s", op, out ? "batch is negative" : "out is NULL");
  if (status == HED_OK)
    status = within(op, "array of the state", k, 0, hed__nn_states(c) - 1);
  if (status == HED_OK)
    *out = hed__nn_state_shape(c, batch, k);
  return status;
}

int64_t hed__nn_output(const hed_nn_cell *c)
{
  switch (c->kind) {
  case HED_NN_LSTM: return c->projection ? c->projection : c->units;
  case HED_NN_CFC: return c->projection ? c->projection : hed__nn_before_projection(c);
  case HED_NN_LTC: return c->outputs ? c->outputs : c->units;
  default: return c->units;
  }
}

int64_t hed__nn_before_projection(const hed_nn_cell *c) { return c->n_groups ? c->groups[c->n_groups - 1] : c->units; }

int64_t hed_nn_cell_output(const hed_nn_cell *c)
{
  const hed_status status = hed__nn_cell_check("hed_nn_cell_output", c);
  return status == HED_OK ? hed__nn_output(c) : (int64_t)status;
}

/* ---- lists ---- */

void hed__nn_list(const hed_nn_cell *c, hed__nn_specs *s)
{
  hed__nn_family_of(c)->list(c, s);
  if (has_memory(c)) {
    const double g = sqrt(6 / (double)(c->input + 4 * c->units));
    hed__nn_add(s, "lstm.input_map.weight", HED_SHAPE(4 * c->units, c->input), HED__NN_UNIFORM, -g, g)->beside = true;
    hed__nn_add(s, "lstm.input_map.bias", HED_SHAPE(4 * c->units), HED__NN_UNIFORM, -0.1, 0.1)->beside = true;
    hed__nn_add(s, "lstm.recurrent_map.weight", HED_SHAPE(4 * c->units, c->units), HED__NN_ORTHOGONAL, 0, 0)->beside = true;
  }
  if (c->kind == HED_NN_CFC && c->projection) {
    const double l = 1 / sqrt((double)hed__nn_before_projection(c));
    hed__nn_add(s, "fc.weight", HED_SHAPE(c->projection, hed__nn_before_projection(c)), HED__NN_UNIFORM, -l, l)->beside = true;
    hed__nn_add(s, "fc.bias", HED_SHAPE(c->projection), HED__NN_UNIFORM, -l, l)->beside = true;
  }
}
