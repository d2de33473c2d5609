// SPDX-License-Identifier: BSD-3-Clause
/* Liquid time constants: neurons with conductances, synapses whose strength is a sigmoid of the neuron before.
 *
 * Layer: L4, nn kit. cm dv/dt = gleak (vleak - v) + sum over synapses of w s(v_pre) (erev - v), s(v) = sigmoid(sigma (v - mu)); the
 * semi-implicit step of R. Hasani et al., arXiv:2006.04439, takes the sums at the old v and v itself at the new one. Arrays of
 * synapses are turned so that both sums are over the last axis, in one pass with the sigmoids.
 */
#include "kits/nn/cells/ltc.h"

enum { GLEAK, VLEAK, CM, SIGMA, MU, W, EREV, S_SIGMA, S_MU, S_W, S_EREV, MASK, S_MASK, MAPPINGS };
/* Positive gleak and cm, gleak vleak; of synapses, then of those of the input: sigma and mu by target, w, w erev. */
enum { G, C, GV, SYNAPSES, SENSORY = SYNAPSES + 4, READY = SENSORY + 4 };

static int64_t outputs(const hed_nn_cell *c) { return c->outputs ? c->outputs : c->units; }
static bool has_weight(int32_t mapping) { return mapping != HED_NN_MAP_NONE; }
static bool has_bias(int32_t mapping) { return mapping == HED_NN_MAP_AFFINE; }

static void list(const hed_nn_cell *c, hed__nn_specs *s)
{
  const hed_shape u = HED_SHAPE(c->units), uu = HED_SHAPE(c->units, c->units), iu = HED_SHAPE(c->input, c->units);
  (void)hed__nn_add(s, "gleak", u, HED__NN_UNIFORM, 0.001, 1);
  (void)hed__nn_add(s, "vleak", u, HED__NN_UNIFORM, -0.2, 0.2);
  (void)hed__nn_add(s, "cm", u, HED__NN_UNIFORM, 0.4, 0.6);
  (void)hed__nn_add(s, "sigma", uu, HED__NN_UNIFORM, 3, 8);
  (void)hed__nn_add(s, "mu", uu, HED__NN_UNIFORM, 0.3, 0.8);
  (void)hed__nn_add(s, "w", uu, HED__NN_UNIFORM, 0.001, 1);
  hed__nn_add(s, "erev", uu, c->adjacency ? HED__NN_GIVEN : HED__NN_POLARITY, 0, 0)->given = c->adjacency;
  (void)hed__nn_add(s, "sensory_sigma", iu, HED__NN_UNIFORM, 3, 8);
  (void)hed__nn_add(s, "sensory_mu", iu, HED__NN_UNIFORM, 0.3, 0.8);
  (void)hed__nn_add(s, "sensory_w", iu, HED__NN_UNIFORM, 0.001, 1);
  hed__nn_add(s, "sensory_erev", iu, c->sensory ? HED__NN_GIVEN : HED__NN_POLARITY, 0, 0)->given = c->sensory;
  hed__nn_add(s, "sparsity_mask", uu, HED__NN_MASK, 0, 0)->given = c->adjacency;
  hed__nn_add(s, "sensory_sparsity_mask", iu, HED__NN_MASK, 0, 0)->given = c->sensory;
  if (has_weight(c->input_mapping))
    (void)hed__nn_add(s, "input_w", HED_SHAPE(c->input), HED__NN_CONSTANT, 1, 1);
  if (has_bias(c->input_mapping))
    (void)hed__nn_add(s, "input_b", HED_SHAPE(c->input), HED__NN_CONSTANT, 0, 0);
  if (has_weight(c->output_mapping))
    (void)hed__nn_add(s, "output_w", HED_SHAPE(outputs(c)), HED__NN_CONSTANT, 1, 1);
  if (has_bias(c->output_mapping))
    (void)hed__nn_add(s, "output_b", HED_SHAPE(outputs(c)), HED__NN_CONSTANT, 0, 0);
}

static hed_array *positive(const hed__nn_plan *p, const hed_array *x)
{
  return p->c->positive == HED_NN_AS_IS ? (hed_array *)x : hed_softplus(x);
}

static hed_array *by_target(const hed_array *x) { return hed_copy(hed_matrix_transpose(x)); }

/* sigma, mu, w, erev and mask of synapses (pre, post) to D, by (post, pre). */
static hed_status synapses_ready(const hed__nn_plan *p, const hed_array **d, const hed_array *const *w, const hed_array *mask)
{
  const hed_array *strength = hed_multiply(positive(p, w[2]), mask);
  d[HED__NN_SIGMA] = by_target(w[0]);
  d[HED__NN_MU] = by_target(w[1]);
  d[HED__NN_W] = by_target(strength);
  d[HED__NN_WE] = by_target(hed_multiply(strength, w[3]));
  return d[HED__NN_SIGMA] && d[HED__NN_MU] && d[HED__NN_W] && d[HED__NN_WE] ? HED_OK : hed_error();
}

static hed_status prepare(hed__nn_plan *p)
{
  p->d[G] = positive(p, p->w[GLEAK]);
  p->d[C] = positive(p, p->w[CM]);
  p->d[GV] = hed_multiply(p->d[G], p->w[VLEAK]);
  hed_status status = p->d[G] && p->d[C] && p->d[GV] ? HED_OK : hed_error();
  if (status == HED_OK)
    status = synapses_ready(p, p->d + SYNAPSES, p->w + SIGMA, p->w[MASK]);
  return status == HED_OK ? synapses_ready(p, p->d + SENSORY, p->w + S_SIGMA, p->w[S_MASK]) : status;
}

static hed_array *input(const hed__nn_plan *p, const hed_array *x)
{
  const int32_t mapping = p->c->input_mapping;
  hed_array *y = has_weight(mapping) ? hed_multiply(x, p->w[MAPPINGS]) : (hed_array *)x;
  return has_bias(mapping) ? hed_add(y, p->w[MAPPINGS + 1]) : y;
}

/* Sums over synapses of what V (B, pre) opens: of w erev and of w, (B, post). */
static void currents(const hed_array *const *d, const hed_array *v, hed_array **pull, hed_array **open)
{
  const hed_array *sums = hed_synapses(v, d[HED__NN_SIGMA], d[HED__NN_MU], d[HED__NN_W], d[HED__NN_WE]);
  *pull = hed_index(sums, 0, 1);
  *open = hed_index(sums, 0, 0);
}

typedef struct cell_step {
  const hed__nn_plan *p;
  const hed_array *pull, *open;   /* of the input, (B, U): with gleak vleak, and with gleak */
} cell_step;

/* cm dv/dt at V, over cm. */
static hed_array *slope(const cell_step *s, const hed_array *v)
{
  hed_array *pull, *open;
  currents(s->p->d + SYNAPSES, v, &pull, &open);
  return hed_divide(hed_subtract(hed_add(pull, s->pull), hed_multiply(hed_add(open, s->open), v)), s->p->d[C]);
}

static hed_array *advance(const hed_array *v, const hed_array *rate, const hed_array *dt)
{
  return hed_add(v, hed_multiply(rate, dt));
}

static double epsilon(const hed_nn_cell *c) { return c->epsilon != 0 ? c->epsilon : 1e-8; }

/* One unfold, of the time DT. */
static hed_array *unfold(const cell_step *s, const hed_array *v, const hed_array *dt, const hed_array *c_over_dt)
{
  const hed_nn_cell *c = s->p->c;
  if (c->solver == HED_NN_SEMI_IMPLICIT) {
    hed_array *pull, *open;
    currents(s->p->d + SYNAPSES, v, &pull, &open);
    const hed_array *above = hed_add(hed_add(hed_multiply(c_over_dt, v), s->pull), pull);
    const hed_array *below = hed_add(hed_add(c_over_dt, s->open), open);
    return hed_divide(above, hed_add_scalar(below, epsilon(c)));
  }
  const hed_array *k1 = slope(s, v);
  if (c->solver == HED_NN_EXPLICIT)
    return advance(v, k1, dt);
  const hed_array *half = hed_multiply_scalar(dt, 0.5);
  const hed_array *k2 = slope(s, advance(v, k1, half)), *k3 = slope(s, advance(v, k2, half)), *k4 = slope(s, advance(v, k3, dt));
  const hed_array *sum = hed_add(hed_add(k1, k4), hed_multiply_scalar(hed_add(k2, k3), 2));
  return advance(v, sum, hed_multiply_scalar(dt, 1.0 / 6));
}

static hed_array *output(const hed__nn_plan *p, const hed_array *v)
{
  const int32_t mapping = p->c->output_mapping;
  const int at = MAPPINGS + has_weight(p->c->input_mapping) + has_bias(p->c->input_mapping);
  hed_array *y = outputs(p->c) < p->c->units ? hed__nn_cols(v, 0, outputs(p->c)) : (hed_array *)v;
  y = has_weight(mapping) ? hed_multiply(y, p->w[at]) : y;
  return has_bias(mapping) ? hed_add(y, p->w[at + 1]) : y;
}

static hed_array *step(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next)
{
  const int64_t n = p->c->unfolds ? p->c->unfolds : 6;
  hed_array *pull, *open;
  currents(p->d + SENSORY, m->x, &pull, &open);
  const cell_step s = { p, hed_add(pull, p->d[GV]), hed_add(open, p->d[G]) };
  const hed_array *dt = m->dt ? hed_divide_scalar(m->dt, (double)n) : hed_scalar(1 / (double)n), *c_over_dt = hed_divide(p->d[C], dt);
  if (p->by_hand && p->c->solver == HED_NN_SEMI_IMPLICIT) {
    const hed_array *const *d = p->d + SYNAPSES;
    const hed__nn_unfolds u = { state[0], s.pull, s.open, c_over_dt, { d[0], d[1], d[2], d[3] }, epsilon(p->c), n };
    if (hed__nn_ltc_records(&u)) {
      next[0] = hed__nn_ltc_solve(&u);
      return output(p, next[0]);
    }
  }
  hed_array *v = hed_retain((hed_array *)state[0]);
  for (int64_t k = 0; k < n && v; k++) {
    hed_array *was = v;
    v = NULL;
    HED_SCOPE v = hed_retain(unfold(&s, was, dt, c_over_dt)); /* what it takes is gone before v is read */
    hed_release(was);
  }
  next[0] = hed__nn_out(v);
  return output(p, next[0]);
}

const hed__nn_family hed__nn_ltc = { "LTC", 1, false, list, prepare, input, step, 0, 0 };
