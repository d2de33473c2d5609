// SPDX-License-Identifier: BSD-3-Clause
/* Boltzmann machines against sums over all states, forecasts and strides against what they are made of, curves and wirings as files.
 */
#include "train.h"
#include <heddle/grad.h>
#include <heddle/io.h>
#include <heddle/kits/nn_layers.h>
#include <heddle/kits/nn_rbm.h>
#include <heddle/kits/nn_train.h>
#include <heddle/kits/nn_wiring.h>
#include <unistd.h>

enum { V = 4, H = 3, B = 5 };

static hed_random seeded(uint64_t seed) { return (hed_random){ .seed = seed, .seeded = true }; }

static hed_nn_params *machine(double *w, double *b, double *c)
{
  hed_nn_params *p = NULL;
  for (int k = 0; k < V * H; k++)
    w[k] = 0.3 * (k % 5) - 0.5;
  for (int k = 0; k < V; k++)
    b[k] = 0.2 * k - 0.3;
  for (int k = 0; k < H; k++)
    c[k] = 0.4 - 0.25 * k;
  is_int(hed_nn_params_create(&p), HED_OK, "a tree");
  is_int(hed_nn_params_set(p, "m.weight", train_array(HED_SHAPE(H, V), w)), HED_OK, "weights");
  is_int(hed_nn_params_set(p, "m.visible_bias", train_array(HED_SHAPE(V), b)), HED_OK, "biases");
  is_int(hed_nn_params_set(p, "m.hidden_bias", train_array(HED_SHAPE(H), c)), HED_OK, "of both");
  return p;
}

static double energy(const double *w, const double *b, const double *c, int v, int h)
{
  double e = 0;
  for (int i = 0; i < V; i++)
    e -= (v >> i & 1) * b[i];
  for (int j = 0; j < H; j++) {
    e -= (h >> j & 1) * c[j];
    for (int i = 0; i < V; i++)
      e -= (h >> j & 1) * w[j * V + i] * (v >> i & 1);
  }
  return e;
}

static hed_array *all_visible(void)
{
  double x[16 * V];
  for (int k = 0; k < 16 * V; k++)
    x[k] = k / V >> k % V & 1;
  return train_array(HED_SHAPE(16, V), x);
}

static void boltzmann(const char *backend)
{
  double w[V * H], b[V], c[H], want[16], share[16], sum = 0, hidden[16 * H];
  hed_nn_params *p = machine(w, b, c);
  const hed_array *v = all_visible();
  for (int k = 0; k < 16; k++) {
    double z = 0;
    for (int h = 0; h < 8; h++)
      z += exp(-energy(w, b, c, k, h));
    want[k] = -log(z);
    sum += share[k] = z;
    for (int j = 0; j < H; j++) {
      hidden[k * H + j] = 0;
      for (int h = 0; h < 8; h++)
        hidden[k * H + j] += (h >> j & 1) * exp(-energy(w, b, c, k, h)) / z;
    }
  }
  ok(train_far(hed_nn_rbm_free_energy(p, "m", v), want, 16) < train_within(1e-12), "%s: free energy sums over all states",
     backend);
  ok(train_far(hed_nn_rbm_hidden(p, "m", v), hidden, 16 * H) < train_within(1e-12), "%s: and so are probabilities", backend);

  /* How often each state is there after a long time. */
  const hed_random r = seeded(7);
  const hed_array *many = hed_tile(v, HED_SHAPE(250, 1));
  const hed_array *end = hed_nn_rbm_gibbs(p, "m", many, 20, &r);
  const hed_array *number = hed_matmul(end, VECTOR(1, 2, 4, 8));
  double far = 0;
  for (int k = 0; k < 16; k++)
    far = fmax(far, fabs(train_item(hed_mean(hed_astype(hed_equal_scalar(number, k), train_type()), NULL)) - share[k] / sum));
  ok(far < 0.025, "%s: Gibbs sampling is off by %g in the share of a state", backend, far);
  ok(same_array(end, hed_nn_rbm_gibbs(p, "m", many, 20, &r)), "%s: draws follow from the seed", backend);
  hed_nn_params_release(p);
}

/* The gradient is that of the free energies, whose chain is known afterwards. */
static void divergence(const char *backend)
{
  double w[V * H], b[V], c[H];
  hed_nn_params *p = machine(w, b, c), *g = NULL, *v = NULL, *d = NULL;
  const hed_array *x = hed_slice(all_visible(), 1, &HED_RANGE(3, 3 + B, 1));
  hed_array *chain = hed_copy(hed_slice(all_visible(), 1, &HED_RANGE(0, 8, 1))), *before = hed_copy(chain);
  const hed_random r = seeded(3);
  is_int(hed_nn_rbm_gradient(p, "m", x, 2, chain, &r, &g), HED_OK, "%s: a gradient: %s", backend, hed_error_text());
  ok(same_array(chain, hed_nn_rbm_gibbs(p, "m", before, 2, &r)), "%s: the chain went on", backend);
  HED_RECORD HED_SCOPE {
    is_int(hed_nn_params_variables(p, &v), HED_OK, "variables");
    const hed_array *more = hed_subtract(hed_mean(hed_nn_rbm_free_energy(v, "m", x), NULL),
                                         hed_mean(hed_nn_rbm_free_energy(v, "m", chain), NULL));
    is_int(hed_nn_params_grad(more, v, &d), HED_OK, "the derivative: %s", hed_error_text());
    for (int64_t k = 0; k < 3; k++)
      ok(train_item(hed_max(hed_abs(hed_subtract(hed_nn_params_at(d, k), hed_nn_params_get(g, hed_nn_params_name(d, k)))), NULL))
         < train_within(1e-13), "%s: %s by divergence and by derivative", backend, hed_nn_params_name(d, k));
    hed_nn_params_release(v);
  }
  hed_nn_params_release(d);
  hed_nn_params_release(g);
  BAD(hed_nn_rbm_gradient(p, "m", x, 0, NULL, &r, &g), HED_E_INVAL, "steps is 0", "no step");
  BAD(hed_nn_rbm_gradient(p, "m", x, 1, hed_zeros(HED_SHAPE(2, 3), train_type()), &r, &g), HED_E_SHAPE, "chain has shape (2, 3)",
      "another chain");
  BAD(hed_nn_rbm_gradient(p, "m", NULL, 1, NULL, &r, &g), HED_E_INVAL, "v is NULL", "no samples");
  BAD(hed_nn_rbm_gradient(p, "m", hed_zeros(HED_SHAPE(-2), HED_FLOAT32), 1, NULL, &r, &g), HED_E_SHAPE, "-2", "samples that failed");
  NONE(hed_nn_rbm_hidden(p, "m", hed_zeros(HED_SHAPE(2, 3), train_type())), HED_E_SHAPE, "wanted is (2, 4)", "other units");
  NONE(hed_nn_rbm_free_energy(p, "n", x), HED_E_NOTFOUND, "n.weight", "no parameters");
  hed_nn_params_release(p);
}

/* ---- sequences ---- */

static hed_nn_params *made(const hed_nn_cell *c)
{
  hed_nn_params *p = NULL;
  const hed_random r = seeded(4);
  is_int(hed_nn_params_create(&p), HED_OK, "a tree");
  is_int(hed_nn_sequence_init(c, NULL, p, "m", train_type(), &r), HED_OK, "a cell");
  is_int(hed_nn_linear_init(p, "out", c->units, c->input, true, train_type(), &r), HED_OK, "a readout");
  return p;
}

/* Steps of the cell, each fed with the readout of the one before. */
static void forecasts(const char *backend)
{
  const hed_nn_cell c = { .kind = HED_NN_LSTM, .input = 2, .units = 4 };
  hed_nn_params *p = made(&c);
  const hed_random r = seeded(5);
  const hed_array *x = hed_random_normal(HED_SHAPE(3, 6, 2), train_type(), &r);
  hed_array *last[HED_NN_STATES], *state[HED_NN_STATES], *end[HED_NN_STATES];
  const hed_array *y = hed_nn_forecast(&c, NULL, p, "m", "out", x, 4, NULL, last);
  ok(y && hed_array_shape(y).dim[1] == 4, "%s: a forecast: %s", backend, hed_error_text());
  const hed_array *now = hed_index(hed_nn_sequence(&c, NULL, p, "m", x, state), 1, 5);
  double far = 0;
  for (int64_t k = 0; k < 4; k++) {
    const hed_array *value = hed_nn_linear(p, "out", now);
    far = fmax(far, train_item(hed_max(hed_abs(hed_subtract(value, hed_index(y, 1, k))), NULL)));
    if (k == 3)
      break;
    const hed_nn_sequence_options o = { .state = (const hed_array *const *)state };
    now = hed_index(hed_nn_sequence(&c, &o, p, "m", hed_expand_dims(value, 1), end), 1, 0);
    state[0] = end[0];
    state[1] = end[1];
  }
  ok(far < train_within(1e-13), "%s: it is off by %g from its steps", backend, far);
  for (int k = 0; k < 2; k++)
    ok(train_item(hed_max(hed_abs(hed_subtract(last[k], state[k])), NULL)) < train_within(1e-13), "%s: its last state %d", backend, k);

  /* Of unequal lengths each goes on from its own end. */
  const int64_t lengths[3] = { 6, 2, 4 };
  const hed_nn_sequence_options o = { .lengths = hed_from_host(lengths, HED_SHAPE(3), HED_INT64) };
  const hed_array *unequal = hed_nn_forecast(&c, &o, p, "m", "out", x, 3, NULL, NULL);
  const hed_slice_range second[2] = { HED_RANGE(1, 2, 1), HED_RANGE(0, 2, 1) };
  const hed_array *alone = hed_nn_forecast(&c, NULL, p, "m", "out", hed_slice(x, 2, second), 3, NULL, NULL);
  ok(train_item(hed_max(hed_abs(hed_subtract(alone, hed_slice(unequal, 1, second))), NULL)) < train_within(1e-13),
     "%s: from its own end", backend);
  NONE(hed_nn_forecast(&c, NULL, p, "m", NULL, x, 2, NULL, NULL), HED_E_SHAPE, "the output has 4 elements, the cell has 2 inputs",
       "no readout");
  NONE(hed_nn_forecast(&c, NULL, p, "m", "out", x, 0, NULL, NULL), HED_E_INVAL, "steps is 0", "no step");
  NONE(hed_nn_forecast(&c, &(hed_nn_sequence_options){ .bidirectional = true }, p, "m", "out", x, 1, NULL, NULL), HED_E_INVAL,
       "bidirectional", "both directions");
  NONE(hed_nn_forecast(&c, NULL, p, "m", "out", x, 2, hed_ones(HED_SHAPE(3), train_type()), NULL), HED_E_SHAPE, "dt_ahead", "times");
  hed_nn_params_release(p);
}

/* Cells over every S-th step, by themselves. */
static void strides(const char *backend)
{
  static const int64_t list[2] = { 1, 3 };
  const hed_nn_cell c = { .kind = HED_NN_CTRNN, .input = 2, .units = 4 };
  hed_nn_params *p = NULL;
  const hed_random r = seeded(5);
  is_int(hed_nn_params_create(&p), HED_OK, "a tree");
  is_int(hed_nn_strided_init(&c, NULL, 2, list, p, "s", train_type(), &r), HED_OK, "two cells: %s", hed_error_text());
  ok(hed_nn_params_find(p, "s.1.weight_ih_l0") > 0, "with names of their own");
  const hed_array *x = hed_random_normal(HED_SHAPE(3, 8, 2), train_type(), &r);
  const hed_array *dt = VECTOR(.5, .1, .2, .3, .4, .25, .15, .35), *sums = VECTOR(.5, .6, .8);
  const hed_nn_sequence_options o = { .dt = dt }, slow = { .dt = sums };
  const hed_array *y = hed_nn_strided(&c, &o, 2, list, p, "s", x);
  const hed_slice_range third[2] = { HED_ALL, HED_RANGE(0, 8, 3) };
  const hed_array *one = hed_nn_sequence(&c, &o, p, "s.0", x, NULL);
  const hed_array *three = hed_nn_sequence(&c, &slow, p, "s.1", hed_slice(x, 2, third), NULL);
  double far = y ? 0 : INFINITY;
  for (int64_t t = 0; t < 8 && y; t++) {
    const hed_array *at = hed_index(y, 1, t), *want[2] = { hed_index(one, 1, t), hed_index(three, 1, t / 3) };
    far = fmax(far, train_item(hed_max(hed_abs(hed_subtract(at, hed_concatenate(2, want, 1))), NULL)));
  }
  ok(far < train_within(1e-13), "%s: strides are off by %g: %s", backend, far, hed_error_text());
  const hed_nn_sequence_options last = { .dt = dt, .last_only = true }, none = { .layers = 0 };
  ok(train_item(hed_max(hed_abs(hed_subtract(hed_nn_strided(&c, &last, 2, list, p, "s", x), hed_index(y, 1, 7))), NULL))
     < train_within(1e-13), "%s: the last alone", backend);
  ok(hed_nn_strided(&c, &none, 2, list, p, "s", x), "%s: without times", backend);
  NONE(hed_nn_strided(&c, NULL, 2, (const int64_t[]){ 1, 0 }, p, "s", x), HED_E_INVAL, "strides[1] is 0", "a stride");
  NONE(hed_nn_strided(&c, &(hed_nn_sequence_options){ .bidirectional = true }, 2, list, p, "s", x), HED_E_UNSUPPORTED, "bidirectional",
       "both directions");
  const int64_t count = hed_nn_params_count(p);
  BAD(hed_nn_strided_init(&c, NULL, 2, list, p, "s", train_type(), &r), HED_E_INVAL, "already", "names that are there");
  is_int(hed_nn_params_count(p), count, "nothing is added");
  hed_nn_params_release(p);
}

/* ---- files ---- */

/* What is in the file PATH, which is removed. */
static const char *text_of(const char *path)
{
  static char text[200000];
  FILE *f = fopen(path, "rb");
  text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
  if (f)
    (void)fclose(f);
  (void)unlink(path);
  return text;
}

static int count(const char *text, const char *part)
{
  int n = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
    n++;
  return n;
}

static const char *named(const char *end)
{
  static char path[64];
  (void)snprintf(path, sizeof path, "nn-more-%ld%s", (long)getpid(), end);
  return path;
}

static void curves(void)
{
  HED_BACKEND_CONTEXT("reference") HED_SCOPE {
    hed_nn_history h = { .epochs = 3, .loss = VECTOR(1, .1, .01), .validation = VECTOR(2, NAN, .5), .rate = VECTOR(.1, .1, .05) };
    is_int(hed_nn_history_save(&h, named(".tsv")), HED_OK, "text: %s", hed_error_text());
    is_str(text_of(named(".tsv")), "epoch\tloss\tvalidation\trate\n1\t1\t2\t0.1\n2\t0.1\t\t0.1\n3\t0.01\t0.5\t0.05\n", "its lines");
    is_int(hed_nn_history_save(&h, named(".npy")), HED_OK, "numbers: %s", hed_error_text());
    ok(FAR(hed_load_npy(named(".npy")), 1, 1, 2, .1, 2, .1, NAN, .1, 3, .01, .5, .05) == 0, "are those");
    (void)unlink(named(".npy"));
    is_int(hed_nn_history_save(&h, named(".svg")), HED_OK, "a picture: %s", hed_error_text());
    const char *svg = text_of(named(".svg"));
    ok(count(svg, "<circle") == 5 && strstr(svg, ">validation<") && strstr(svg, ">0.01<") && strstr(svg, "</svg>"),
       "of five values, on a scale down to the least");
    /* Logarithms: 0.1 is in the middle of 1 and 0.01 without the other curve. */
    h.validation = VECTOR(NAN, NAN, NAN);
    is_int(hed_nn_history_save(&h, named(".svg")), HED_OK, "one curve");
    svg = text_of(named(".svg"));
    ok(strstr(svg, "cy=\"190.00\"") && !strstr(svg, "validation"), "of which the second value is in the middle");
    BAD(hed_nn_history_save(&h, "x.png"), HED_E_INVAL, "\"x.png\"", "another end");
    BAD(hed_nn_history_save(&(hed_nn_history){ .epochs = 0 }, "x.svg"), HED_E_INVAL, "no epoch", "nothing");
    BAD(hed_nn_history_save(&h, "nowhere/x.svg"), HED_E_IO, "nowhere", "no folder");
  }
}

static void pictures(void)
{
  hed_nn_wiring *w = NULL;
  HED_SCOPE {
    is_int(hed_nn_wiring_create(3, 2, 1, &w), HED_OK, "a wiring");
    (void)hed_nn_wiring_place(w, 0, HED_NN_MOTOR, 1);
    (void)hed_nn_wiring_add(w, 1, 0, 1);
    (void)hed_nn_wiring_add(w, 2, 0, -1);
    (void)hed_nn_wiring_add(w, 2, 2, 1);
    (void)hed_nn_wiring_add_sensory(w, 0, 1, 1);
    is_int(hed_nn_wiring_draw(w, named(".svg")), HED_OK, "its picture: %s", hed_error_text());
    const char *svg = text_of(named(".svg"));
    is_int(count(svg, "<line"), 3, "a line for each synapse between two");
    is_int(count(svg, "stroke-dasharray"), 1, "one is inhibitory");
    is_int(count(svg, "<circle"), 6, "five cells and a ring");
    ok(strstr(svg, ">motor<") && strstr(svg, ">inter<") && strstr(svg, ">inputs<"), "columns have names");
    BAD(hed_nn_wiring_draw(w, "x.png"), HED_E_INVAL, "\"x.png\"", "another end");
    BAD(hed_nn_wiring_draw(NULL, "x.svg"), HED_E_INVAL, "the wiring is NULL", "none");
  }
  hed_nn_wiring_release(w);
}

int main(void)
{
  train_on_each(boltzmann);
  train_on_each(divergence);
  train_on_each(forecasts);
  train_on_each(strides);
  curves();
  pictures();
  done_testing();
  return done();
}
