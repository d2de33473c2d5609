// SPDX-License-Identifier: BSD-3-Clause
/* Every kind of cell, in one table: its gradient by everything against central differences; a sequence against its steps; a padded
 * batch against its sequences one by one; time first; what steps that do not count hold.
 */
#include "nn.h"
#include <heddle/kits/nn_cells.h>

enum { B = 3, T = 4, I = 2, U = 5 };

/* Of the wiring in the rows: motor 0, 1, command 2, inter 3, 4; a synapse back from motor 0 to inter 4, one from 2 to itself. */
static const int8_t wires[U][U] = { { 0, 0, 0, 0, -1 }, { 0, 0, 0, 0, 0 }, { 1, -1, 1, 0, 0 }, { 0, 0, 1, 0, 0 }, { 0, 0, -1, 0, 0 } };
static const int8_t inputs[I][U] = { { 0, 0, 0, 1, 0 }, { 0, 0, 0, -1, 1 } };
static const int64_t groups[] = { 2, 1, 2 };
enum { PLAIN, WIRED };

static const struct row { const char *name; hed_nn_cell c; int wiring; } rows[] = {
  { "RNN", { .kind = HED_NN_RNN }, PLAIN },
  { "RNN, softsign, no bias", { .kind = HED_NN_RNN, .activation = HED_NN_SOFTSIGN, .no_bias = true }, PLAIN },
  { "RNN, mish", { .kind = HED_NN_RNN, .activation = HED_NN_MISH }, PLAIN },
  { "GRU", { .kind = HED_NN_GRU }, PLAIN },
  { "GRU, reset before", { .kind = HED_NN_GRU, .reset_before = true }, PLAIN },
  { "GRU, no bias", { .kind = HED_NN_GRU, .no_bias = true }, PLAIN },
  { "LSTM", { .kind = HED_NN_LSTM }, PLAIN },
  { "LSTM, forget bias, peepholes", { .kind = HED_NN_LSTM, .forget_bias = 1, .peepholes = true }, PLAIN },
  { "LSTM, projection", { .kind = HED_NN_LSTM, .projection = 2 }, PLAIN },
  { "LSTM, forget bias, no bias", { .kind = HED_NN_LSTM, .forget_bias = 1, .no_bias = true }, PLAIN },
  { "CFC", { .kind = HED_NN_CFC, .backbone_units = 3 }, PLAIN },
  { "CFC, pure, silu", { .kind = HED_NN_CFC, .mode = HED_NN_CFC_PURE, .backbone_units = 3, .activation = HED_NN_SILU }, PLAIN },
  { "CFC, no gate, two layers", { .kind = HED_NN_CFC, .mode = HED_NN_CFC_NO_GATE, .backbone_units = 3, .backbone_layers = 2 }, PLAIN },
  { "CFC, bare, memory, projection", { .kind = HED_NN_CFC, .backbone_layers = -1, .mixed_memory = true, .projection = 3 }, PLAIN },
  { "CFC, wired", { .kind = HED_NN_CFC }, WIRED },
  { "CFC, wired, pure, as ncps", { .kind = HED_NN_CFC, .mode = HED_NN_CFC_PURE, .ncps_compatible = true }, WIRED },
  { "LTC", { .kind = HED_NN_LTC, .unfolds = 3 }, PLAIN },
  { "LTC, wired, as it is", { .kind = HED_NN_LTC, .positive = HED_NN_AS_IS, .unfolds = 2, .outputs = 2,
                              .input_mapping = HED_NN_MAP_LINEAR },
    WIRED },
  { "LTC, explicit, memory", { .kind = HED_NN_LTC, .solver = HED_NN_EXPLICIT, .mixed_memory = true, .unfolds = 2,
                               .output_mapping = HED_NN_MAP_NONE }, PLAIN },
  { "LTC, Runge-Kutta", { .kind = HED_NN_LTC, .solver = HED_NN_RK4, .unfolds = 2, .input_mapping = HED_NN_MAP_NONE }, PLAIN },
  { "CTRNN", { .kind = HED_NN_CTRNN }, PLAIN },
  { "CTRNN, exact, no bias", { .kind = HED_NN_CTRNN, .exact = true, .no_bias = true }, PLAIN },
  { "CTGRU", { .kind = HED_NN_CTGRU, .exact = true }, PLAIN },
  { "CTGRU_TRACES", { .kind = HED_NN_CTGRU_TRACES, .scales = 3 }, PLAIN },
  { "LEAKY_LSTM", { .kind = HED_NN_LEAKY_LSTM, .forget_bias = 1 }, PLAIN },
  { "LEAKY_LSTM, wired", { .kind = HED_NN_LEAKY_LSTM, .activation = HED_NN_LECUN_TANH }, WIRED },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Row K in full. */
static hed_nn_cell cell(size_t k)
{
  hed_nn_cell c = rows[k].c;
  c.input = I;
  c.units = U;
  if (rows[k].wiring == WIRED) {
    c.adjacency = hed_from_host(wires, HED_SHAPE(U, U), HED_INT8);
    c.sensory = hed_from_host(inputs, HED_SHAPE(I, U), HED_INT8);
    c.n_groups = 3;
    c.groups = groups;
  }
  return c;
}

static hed_array *normal(hed_shape s, hed_dtype t, uint64_t seed)
{
  return hed_random_normal(s, t, &(hed_random){ .seed = seed, .seeded = true });
}

static hed_array *times(hed_dtype t)
{
  return hed_random_uniform(HED_SHAPE(B, T), t, &(hed_random){ .seed = 9, .seeded = true, .low = 0.2, .high = 1.5 });
}

static hed_nn_params *made(const hed_nn_cell *c, const hed_nn_sequence_options *o, hed_dtype t)
{
  hed_nn_params *p = NULL;
  is_int(hed_nn_params_create(&p), HED_OK, "a tree");
  is_int(hed_nn_sequence_init(c, o, p, "m", t, &(hed_random){ .seed = 4, .seeded = true }), HED_OK, "parameters: %s",
         hed_error_text());
  return p;
}

/* ---- gradients ---- */

typedef struct asked {
  const hed_nn_cell *c;
  hed_nn_sequence_options o;
  const hed_nn_params *p;
  int states;
} asked;

/* Output and last states as one list, of x, dt, the states at the beginning and all parameters. */
static hed_status all_of(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  const asked *a = arg;
  hed_nn_params *p = NULL;
  hed_array *last[HED_NN_STATES] = { NULL };
  const hed_array *parts[HED_NN_STATES + 1];
  (void)m;
  hed_nn_sequence_options o = a->o;
  o.dt = x[1];
  o.state = x + 2;
  o.unchecked = true;
  hed_status status = hed_nn_params_create(&p);
  for (int k = 2 + a->states; k < n && status == HED_OK; k++)
    status = hed_nn_params_set(p, hed_nn_params_name(a->p, k - 2 - a->states), x[k]);
  const hed_array *out = status == HED_OK ? hed_nn_sequence(a->c, &o, p, "m", x[0], last) : NULL;
  parts[0] = hed_ravel(out);
  for (int k = 0; k < a->states; k++)
    parts[k + 1] = hed_ravel(last[k]);
  y[0] = out ? hed_concatenate(a->states + 1, parts, 0) : NULL;
  hed_nn_params_release(p);
  return y[0] ? HED_OK : hed_error();
}

static void gradients(const char *backend)
{
  for (size_t k = 0; k < ROWS; k++)
    HED_BACKEND_CONTEXT(backend) HED_SCOPE {
      const hed_array *x[40];
      const int64_t lengths[B] = { 4, 1, 3 };
      const hed_nn_cell c = cell(k);
      asked a = { .c = &c, .states = hed_nn_cell_states(&c) };
      a.o.layers = c.n_groups && c.kind == HED_NN_CFC ? 1 : 2;
      a.o.bidirectional = true;
      a.o.lengths = hed_from_host(lengths, HED_SHAPE(B), HED_INT64);
      hed_nn_params *p = made(&c, &a.o, HED_FLOAT64);
      a.p = p;
      x[0] = normal(HED_SHAPE(B, T, I), HED_FLOAT64, 3);
      x[1] = times(HED_FLOAT64);
      int n = 2;
      for (int i = 0; i < a.states; i++) {
        hed_shape s, full;
        (void)hed_nn_cell_state_shape(&c, B, i, &s);
        full = (hed_shape){ .ndim = s.ndim + 1, .dim = { a.o.layers * 2 } };
        memcpy(full.dim + 1, s.dim, (size_t)s.ndim * sizeof s.dim[0]);
        x[n++] = hed_multiply_scalar(normal(full, HED_FLOAT64, 5), 0.5);
      }
      double worst = NAN;
      hed_status status = HED_OK;
      /* Twenty at a time, others stay as they are. */
      const int64_t params = hed_nn_params_count(p);
      if (n + params > 40) {
        a.o.layers = 1;
        a.o.bidirectional = false;
        hed_nn_params_release(p);
        a.p = p = made(&c, &a.o, HED_FLOAT64);
        for (int i = 0; i < a.states; i++)
          x[2 + i] = hed_slice(x[2 + i], 1, &HED_RANGE(0, 1, 1));
      }
      for (int64_t i = 0; i < hed_nn_params_count(p); i++)
        x[n++] = hed_nn_params_at(p, i);
      status = hed_check_gradient(all_of, &a, n, x, 0, &worst);
      is_int(status, HED_OK, "%s, %s: %s", backend, rows[k].name, hed_error_text());
      ok(worst < 1e-6, "%s, %s: gradient by %d arrays is off by %g", backend, rows[k].name, n, worst);
      hed_nn_params_release(p);
    }
}

/* ---- one by one ---- */

/* Steps FROM to TO of sequence B of (B, T, ..). */
static hed_array *part(const hed_array *x, int64_t b, int64_t from, int64_t to)
{
  const hed_slice_range r[2] = { HED_RANGE(b, b + 1, 1), HED_RANGE(from, to, 1) };
  return hed_slice(x, 2, r);
}

/* X with NaN in the steps that do not count. */
static hed_array *spoilt(const hed_array *x, const int64_t *lengths)
{
  hed_array *y = hed_copy(x);
  for (int64_t b = 0; b < B; b++)
    (void)hed_fill(part(y, b, lengths[b], T), NAN);
  return y;
}

/* In the scope, as what hed_vjp gives is not. */
static hed_array *gradient_of(const hed_array *y, const hed_array *x)
{
  hed_array *g = NULL;
  is_int(hed_vjp(1, &y, (const hed_array *const[]){ hed_ones_like(y) }, 1, &x, &g, NULL), HED_OK, "a gradient: %s", hed_error_text());
  hed_array *out = hed_astype(g, hed_array_dtype(g));
  hed_release(g);
  return out;
}

static void release_all(int n, hed_array **x)
{
  for (int k = 0; k < n; k++)
    hed_release(x[k]);
}

static void padded(void)
{
  static const int64_t lengths[B] = { 4, 1, 3 };
  for (size_t k = 0; k < ROWS; k++)
    for (int last_only = 0; last_only < 2; last_only++)
      HED_BACKEND_CONTEXT("reference") HED_RECORD HED_SCOPE {
        const hed_nn_cell c = cell(k);
        hed_nn_sequence_options o = { .layers = c.n_groups && c.kind == HED_NN_CFC ? 1 : 2, .bidirectional = true,
                                      .last_only = last_only,
                                      .lengths = hed_from_host(lengths, HED_SHAPE(B), HED_INT64) };
        hed_nn_params *p = made(&c, &o, HED_FLOAT32);
        const hed_array *x = hed_variable(spoilt(normal(HED_SHAPE(B, T, I), HED_FLOAT32, 3), lengths));
        const hed_array *dt = spoilt(times(HED_FLOAT32), lengths);
        hed_array *state[HED_NN_STATES], *alone[HED_NN_STATES];
        o.dt = dt;
        const hed_array *y = hed_nn_sequence(&c, &o, p, "m", x, state);
        ok(y != NULL, "%s: padded: %s", rows[k].name, hed_error_text());
        const hed_array *g = gradient_of(y, x);
        o.lengths = NULL;
        for (int64_t b = 0; b < B; b++) {
          const hed_slice_range of_b[2] = { HED_ALL, HED_RANGE(b, b + 1, 1) };
          const hed_array *one = hed_variable(part(x, b, 0, lengths[b]));
          o.dt = part(dt, b, 0, lengths[b]);
          const hed_array *mine = hed_nn_sequence(&c, &o, p, "m", one, alone);
          ok(same_array(mine, last_only ? hed_slice(y, 1, &HED_RANGE(b, b + 1, 1)) : part(y, b, 0, lengths[b])),
             "%s: sequence %d by itself", rows[k].name, (int)b);
          for (int i = 0; i < hed_nn_cell_states(&c); i++)
            ok(same_array(alone[i], hed_slice(state[i], 2, of_b)), "%s: its state %d", rows[k].name, i);
          ok(same_array(gradient_of(mine, one), part(g, b, 0, lengths[b])), "%s: its gradient", rows[k].name);
          double beyond = 0;
          if (lengths[b] < T)
            (void)hed_item(hed_sum(hed_abs(part(g, b, lengths[b], T)), NULL), &beyond);
          ok(beyond == 0, "%s: none beyond", rows[k].name);
          if (lengths[b] < T && !last_only)
            (void)hed_item(hed_sum(hed_abs(part(y, b, lengths[b], T)), NULL), &beyond);
          ok(beyond == 0, "%s: and no output", rows[k].name);
        }
        hed_nn_params_release(p);
      }
}

/* ---- other ways to the same ---- */

static double distance(const hed_array *a, const hed_array *b)
{
  double d = NAN;
  (void)hed_item(hed_max(hed_abs(hed_subtract(a, b)), NULL), &d);
  return d;
}

static void other_ways(void)
{
  for (size_t k = 0; k < ROWS; k++)
    HED_BACKEND_CONTEXT("cpu") HED_SCOPE {
      const hed_nn_cell c = cell(k);
      const int n = hed_nn_cell_states(&c);
      const hed_array *x = normal(HED_SHAPE(B, T, I), HED_FLOAT64, 3), *dt = times(HED_FLOAT64);
      hed_array *last[HED_NN_STATES], *now[HED_NN_STATES] = { NULL }, *next[HED_NN_STATES];
      hed_nn_params *p = made(&c, NULL, HED_FLOAT64), *single = NULL, *renamed = NULL;
      const hed_array *y = hed_nn_sequence(&c, &(hed_nn_sequence_options){ .dt = dt }, p, "m", x, last);

      /* Steps of the cell by itself, whose parameters have other names. */
      is_int(hed_nn_params_create(&single), HED_OK, "a tree");
      is_int(hed_nn_cell_init(&c, single, NULL, HED_FLOAT64, &(hed_random){ .seed = 1, .seeded = true }), HED_OK, "of a cell");
      is_int(hed_nn_params_count(single), hed_nn_params_count(p), "%s: as many parameters", rows[k].name);
      is_int(hed_nn_params_create(&renamed), HED_OK, "another");
      for (int64_t i = 0; i < hed_nn_params_count(p); i++)
        (void)hed_nn_params_set(renamed, hed_nn_params_name(single, i), hed_nn_params_at(p, i));
      is_int(hed_nn_params_assign(single, renamed), HED_OK, "%s: of the same shapes", rows[k].name);
      double far = 0;
      for (int64_t t = 0; t < T; t++) {
        const hed_nn_step_options o = { .dt = hed_index(dt, 1, t) };
        const hed_array *mine = hed_nn_cell_step(&c, single, NULL, hed_index(x, 1, t), (const hed_array *const *)now, next, &o);
        far = fmax(far, mine ? distance(mine, hed_index(y, 1, t)) : NAN);
        memcpy(now, next, sizeof now);
      }
      for (int i = 0; i < n; i++)
        far = fmax(far, distance(now[i], hed_index(last[i], 0, 0)));
      ok(far < 1e-14, "%s: steps are off by %g", rows[k].name, far);

      /* Time first, in two parts. */
      hed_nn_sequence_options o = { .time_first = true, .dt = hed_slice(hed_swapaxes(dt, 0, 1), 1, &HED_RANGE(0, 3, 1)) };
      const hed_array *xt = hed_swapaxes(x, 0, 1), *halves[2];
      halves[0] = hed_nn_sequence(&c, &o, p, "m", hed_slice(xt, 1, &HED_RANGE(0, 3, 1)), now);
      o.state = (const hed_array *const *)now;
      o.dt = hed_slice(hed_swapaxes(dt, 0, 1), 1, &HED_RANGE(3, T, 1));
      halves[1] = hed_nn_sequence(&c, &o, p, "m", hed_slice(xt, 1, &HED_RANGE(3, T, 1)), next);
      far = halves[0] && halves[1] ? distance(hed_concatenate(2, halves, 0), hed_swapaxes(y, 0, 1)) : NAN;
      ok(far < 1e-14, "%s: time first, with the state carried, is off by %g", rows[k].name, far);
      hed_nn_params_release(p);
      hed_nn_params_release(single);
      hed_nn_params_release(renamed);
    }
}

/* ---- derivatives by hand and by steps ---- */

/* Gradients of Y, and of LAST where it is given, by the three of X. */
static hed_status all_gradients(const hed_nn_cell *c, const hed_nn_sequence_options *o, const hed_nn_params *p,
                                const hed_array *const *x,
                                bool record, hed_array **g)
{
  hed_array *last[HED_NN_STATES];
  const hed_array *y = hed_nn_sequence(c, o, p, "m", x[0], last);
  const hed_array *sum = hed_add(hed_sum(hed_square(y), NULL), hed_sum(hed_square(last[0]), NULL));
  return hed_grad(sum, 3, x, g, &(hed_grad_options){ .record = record });
}

static void by_hand(void)
{
  static const size_t which[] = { 3, 5, 6, 9, 16, 17 };
  for (size_t k = 0; k < 6; k++)
    for (int last_only = 0; last_only < 2; last_only++)
      HED_BACKEND_CONTEXT("cpu") HED_RECORD HED_SCOPE {
        const hed_nn_cell c = cell(which[k]);
        hed_nn_params *p = made(&c, NULL, HED_FLOAT64), *v = NULL;
        hed_array *first[3], *second[3];
        is_int(hed_nn_params_variables(p, &v), HED_OK, "variables");
        const hed_array *x[3] = { hed_variable(normal(HED_SHAPE(B, T, I), HED_FLOAT64, 3)), hed_nn_params_at(v, 1),
                                 hed_nn_params_at(v, 0) };
        hed_nn_sequence_options o = { .last_only = last_only };
        is_int(all_gradients(&c, &o, v, x, false, first), HED_OK, "%s: by hand: %s", rows[which[k]].name, hed_error_text());
        o.by_steps = true;
        is_int(all_gradients(&c, &o, v, x, true, second), HED_OK, "%s: by steps: %s", rows[which[k]].name, hed_error_text());
        for (int i = 0; i < 3; i++)
          ok(distance(first[i], second[i]) < 1e-13, "%s: gradient %d is the same", rows[which[k]].name, i);
        hed_array *again = NULL;
        const hed_array *sum = hed_sum(hed_square(second[0]), NULL);
        is_int(hed_grad(sum, 1, x, &again, NULL), HED_OK, "by steps there is a gradient of the gradient: %s", hed_error_text());
        hed_release(again);
        release_all(3, first);
        release_all(3, second);
        o.by_steps = false;
        is_int(all_gradients(&c, &o, v, x, true, first), HED_E_GRADIENT, "by hand there is none");
        has_str(hed_error_text(), "by_steps", "which names the option");
        hed_nn_params_release(v);
        hed_nn_params_release(p);
      }
}

/* Of every kind, with gradients by its first two parameters and x of a part of the output, twice from one recording. */
static void of_a_part(void)
{
  for (size_t k = 0; k < ROWS; k++)
    HED_BACKEND_CONTEXT("cpu") HED_RECORD HED_SCOPE {
      const hed_nn_cell c = cell(k);
      hed_nn_sequence_options o = { .dt = times(HED_FLOAT64), .bidirectional = true };
      hed_nn_params *p = made(&c, &o, HED_FLOAT64), *v = NULL;
      hed_array *g[3][3];
      is_int(hed_nn_params_variables(p, &v), HED_OK, "variables");
      const hed_array *x[3] = { hed_variable(normal(HED_SHAPE(B, T, I), HED_FLOAT64, 3)), NULL, NULL };
      for (int64_t i = 0, n = 1; i < hed_nn_params_count(v) && n < 3; i++)
        if (hed_nn_params_role(v, i) == HED_NN_LEARNT)
          x[n++] = hed_nn_params_at(v, i);
      for (int way = 0; way < 3; way++) {
        static const hed_array *y; /* the third is the second's recording again */
        o.by_steps = way == 0;
        if (way < 2)
          y = hed_sum(hed_square(part(hed_nn_sequence(&c, &o, v, "m", x[0], NULL), 1, 1, 3)), NULL);
        is_int(hed_grad(y, 3, x, g[way], &(hed_grad_options){ .keep = true }), HED_OK, "%s: %s", rows[k].name, hed_error_text());
      }
      for (int i = 0; i < 3; i++)
        ok(distance(g[0][i], g[1][i]) < 1e-13 && same_array(g[1][i], g[2][i]), "%s: gradient %d of a part", rows[k].name, i);
      for (int way = 0; way < 3; way++)
        release_all(3, g[way]);
      hed_nn_params_release(v);
      hed_nn_params_release(p);
    }
}

/* ---- every kind on every backend, in float32 ---- */

enum { MOST = 400 };
typedef struct found {
  int64_t n[3];
  double x[3][MOST];     /* the output, gradients by x and by the first parameter that is learnt */
} found;

/* Of row K with the parameters WIDE, which may lie elsewhere, as T. */
static void find(size_t k, const hed_nn_params *wide, hed_dtype t, found *out)
{
  HED_RECORD HED_SCOPE {
    const hed_nn_cell c = cell(k);
    const hed_nn_sequence_options o = { .dt = hed_astype(times(HED_FLOAT32), t) };
    hed_nn_params *p = made(&c, NULL, t), *v = NULL;
    hed_array *g[2] = { NULL };
    is_int(hed_nn_params_assign(p, wide), HED_OK, "parameters of the type: %s", hed_error_text());
    is_int(hed_nn_params_variables(p, &v), HED_OK, "as variables");
    const hed_array *by[2] = { hed_variable(hed_astype(normal(HED_SHAPE(B, T, I), HED_FLOAT32, 3), t)), NULL };
    for (int64_t i = 0; i < hed_nn_params_count(v) && !by[1]; i++)
      by[1] = hed_nn_params_role(v, i) == HED_NN_LEARNT ? hed_nn_params_at(v, i) : NULL;
    const hed_array *y = hed_nn_sequence(&c, &o, v, "m", by[0], NULL);
    is_int(hed_grad(hed_sum(hed_square(y), NULL), 2, by, g, NULL), HED_OK, "gradients: %s", hed_error_text());
    const hed_array *all[3] = { y, g[0], g[1] };
    for (int i = 0; i < 3; i++) {
      out->n[i] = all[i] && hed_array_size(all[i]) <= MOST ? hed_array_size(all[i]) : -1;
      if (out->n[i] < 0 || hed_tolist(all[i], out->x[i], out->n[i]) != HED_OK)
        out->n[i] = -1;
    }
    release_all(2, g);
    hed_nn_params_release(v);
    hed_nn_params_release(p);
  }
}

static void everywhere(void)
{
  static const char *const backends[] = { "reference", "cpu", "faulty" }, *const what[] = { "the output", "by x", "by a parameter" };
  static found wide, narrow;
  for (size_t k = 0; k < ROWS; k++)
    HED_BACKEND_CONTEXT("reference") HED_SCOPE {
      const hed_nn_cell c = cell(k);
      hed_nn_params *p = made(&c, NULL, HED_FLOAT64);
      find(k, p, HED_FLOAT64, &wide);
      for (int i = 0; i < 3; i++) {
        if (hed_backend_require(backends[i]) != HED_OK) {
          skip(3, "%s: %s", backends[i], hed_error_text());
          continue;
        }
        HED_BACKEND_CONTEXT(backends[i]) find(k, p, HED_FLOAT32, &narrow);
        for (int j = 0; j < 3; j++) {
          double far = narrow.n[j] >= 0 && narrow.n[j] == wide.n[j] ? 0 : INFINITY, most = 1;
          for (int64_t e = 0; e < wide.n[j]; e++) {
            far = fmax(far, isnan(narrow.x[j][e]) ? INFINITY : fabs(narrow.x[j][e] - wide.x[j][e]));
            most = fmax(most, fabs(wide.x[j][e]));
          }
          ok(far < 1e-4 * most, "%s, %s: %s in float32 is off by %g of %g", backends[i], rows[k].name, what[j], far, most);
        }
      }
      hed_nn_params_release(p);
    }
}

/* ---- errors ---- */

static void wrong(const hed_nn_cell *c, const hed_nn_sequence_options *o, const hed_nn_params *p, const hed_array *x,
                  hed_status status,
                  const char *part_of)
{
  hed_error_clear();
  ok(!hed_nn_sequence(c, o, p, "m", x, NULL), "no result");
  is_int(hed_error(), status, "%s", part_of);
  has_str(hed_error_text(), part_of, "says why");
}

static void errors(void)
{
  HED_SCOPE {
    hed_nn_cell c = cell(6), bad = c;
    hed_nn_params *p = made(&c, NULL, HED_FLOAT32), *wide = NULL;
    const hed_array *x = hed_zeros(HED_SHAPE(B, T, I), HED_FLOAT32);
    const int64_t zero[B] = { 4, 0, 1 }, far[B] = { 4, 5, 1 };
    double dt[T] = { 1, 0, -1, 2 };
    wrong(&c, &(hed_nn_sequence_options){ .lengths = hed_from_host(zero, HED_SHAPE(B), HED_INT64) }, p, x, HED_E_INVAL,
          "lengths[1] is 0");
    wrong(&c, &(hed_nn_sequence_options){ .lengths = hed_from_host(far, HED_SHAPE(B), HED_INT64) }, p, x, HED_E_INVAL,
          "lengths[1] is 5");
    wrong(&c, &(hed_nn_sequence_options){ .lengths = hed_ones(HED_SHAPE(B), HED_FLOAT32) }, p, x, HED_E_DTYPE, "lengths are float32");
    wrong(&c, &(hed_nn_sequence_options){ .lengths = hed_ones(HED_SHAPE(2), HED_INT64) }, p, x, HED_E_SHAPE,
          "lengths has shape (2); wanted is (3)");
    wrong(&c, &(hed_nn_sequence_options){ .mask = hed_ones(HED_SHAPE(B, 2), HED_BOOL) }, p, x, HED_E_SHAPE,
          "mask has shape (3, 2); wanted is (3, 4)");
    wrong(&c, &(hed_nn_sequence_options){ .dt = hed_from_doubles(dt, HED_SHAPE(T), HED_FLOAT32) }, p, x, HED_E_INVAL,
          "dt is -1 at element 2 of 4");
    dt[1] = NAN;
    wrong(&c, &(hed_nn_sequence_options){ .dt = hed_from_doubles(dt, HED_SHAPE(T), HED_FLOAT32) }, p, x, HED_E_INVAL,
          "dt is nan at element 1");
    wrong(&c, &(hed_nn_sequence_options){ .layers = 2 }, p, x, HED_E_NOTFOUND, "m.weight_ih_l1");
    wrong(&c, NULL, p, hed_zeros(HED_SHAPE(B, T, 3), HED_FLOAT32), HED_E_SHAPE, "(3, 4, 3); wanted is (B, T, I)");
    wrong(&c, NULL, p, hed_zeros(HED_SHAPE(B, 0, I), HED_FLOAT32), HED_E_SHAPE, "at least 1 step");
    wrong(&c, &(hed_nn_sequence_options){ .state = (const hed_array *const[]){ x, NULL } }, p, x, HED_E_SHAPE,
          "state 0 has shape (3, 4, 2); wanted is (1, 3, 5)");
    bad.units = 0;
    wrong(&bad, NULL, p, x, HED_E_INVAL, "units is 0");
    bad.units = 6;
    wrong(&bad, NULL, p, x, HED_E_SHAPE, "m.weight_ih_l0 has shape (20, 2); wanted is (24, 2)");
    bad = (hed_nn_cell){ .kind = 77, .input = 1, .units = 1 };
    wrong(&bad, NULL, p, x, HED_E_INVAL, "kind is 77");
    bad = cell(14);
    bad.groups = (const int64_t[]){ 1, 1, 2 };
    wrong(&bad, NULL, p, x, HED_E_INVAL, "the groups have 4 neurons, the cell has 5");
    bad = cell(14);
    bad.adjacency = hed_zeros(HED_SHAPE(4, 5), HED_INT8);
    wrong(&bad, NULL, p, x, HED_E_SHAPE, "adjacency");
    is_int(hed_nn_sequence_init(&c, NULL, p, "m", HED_FLOAT32, NULL), HED_E_INVAL, "names that are there");
    is_int(hed_nn_params_count(p), 4, "nothing is added");

    const hed_array *none = hed_nn_sequence(&c, NULL, p, "m", hed_zeros(HED_SHAPE(0, T, I), HED_FLOAT32), NULL);
    ok(none && hed_array_size(none) == 0 && hed_array_ndim(none) == 3, "no batch gives nothing: %s", hed_error_text());
    hed_nn_params_release(p);
    hed_nn_params_release(wide);
  }
}

/* ---- dropout ---- */

static void dropout(void)
{
  hed_array *first = NULL;
  static const char *const backends[] = { "reference", "cpu", "cpu;threads=1" };
  for (int k = 0; k < 3; k++)
    HED_BACKEND_CONTEXT(backends[k]) HED_SCOPE {
      hed_nn_cell c = { .kind = HED_NN_CFC, .input = I, .units = U, .backbone_units = 64, .backbone_dropout = 0.5 };
      hed_nn_sequence_options o = { .training = true, .random = { .seed = 8, .seeded = true } };
      hed_nn_params *p = made(&c, &o, HED_FLOAT64);
      const hed_array *x = normal(HED_SHAPE(B, T, I), HED_FLOAT64, 3), *y = hed_nn_sequence(&c, &o, p, "m", x, NULL);
      o.training = false;
      ok(y && distance(y, hed_nn_sequence(&c, &o, p, "m", x, NULL)) > 1e-3, "%s: dropout changes values: %s", backends[k],
         hed_error_text());
      if (first)
        ok(distance(first, y) < 1e-12, "%s: the same is dropped on every backend", backends[k]);
      else
        first = hed_keep((hed_array *)y);
      hed_nn_params_release(p);
    }
  hed_release(first);
}

int main(void)
{
  gradients("reference");
  gradients("cpu");
  padded();
  other_ways();
  by_hand();
  of_a_part();
  everywhere();
  errors();
  dropout();
  done_testing();
  return done();
}
