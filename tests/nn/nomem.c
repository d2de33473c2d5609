// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory: every allocation of the nn kit, and of the library below it, fails once, in turn. Each time the function must say
 * HED_E_NOMEM and give nothing; leaks are for valgrind and AddressSanitizer to find.
 */
#include "arrays.h"
#include "failing.h"
#include "nn.h"
#include <heddle/kits/nn_layers.h>
#include <heddle/kits/nn_rbm.h>

static hed_nn_params *p, *other;        /* the tree of the moment; another one with the same names */
static hed_array *x, *dt, *lengths, *index_, *q;
static hed_nn_cell cell;
static hed_nn_sequence_options options;
static const hed_random seed = { .seed = 1, .seeded = true };

static hed_status given(hed_array *a)
{
  hed_release(a);
  return a ? HED_OK : hed_error();
}

static hed_status tree(hed_status status, hed_nn_params *made)
{
  hed_nn_params_release(made);
  return status;
}

/* ---- trees ---- */

static hed_status create(void)
{
  hed_nn_params *made = NULL;
  const hed_status status = hed_nn_params_create(&made);
  return tree(status, made);
}

static hed_status set(void)
{
  hed_nn_params *made = NULL;
  hed_status status = hed_nn_params_create(&made);
  if (status == HED_OK)
    status = hed_nn_params_set(made, "a", x);
  if (status == HED_OK)
    status = hed_nn_params_set_text(made, "k", "v");
  if (status == HED_OK)
    status = hed_nn_params_merge(made, "b", p);
  return tree(status, made);
}

static hed_status below(void)
{
  hed_nn_params *made = NULL;
  const hed_status status = hed_nn_params_below(p, "m", &made);
  return tree(status, made);
}

static hed_status copy(void)
{
  hed_nn_params *made = NULL;
  const hed_status status = hed_nn_params_copy(p, HED_FLOAT64, &made);
  return tree(status, made);
}

static hed_status assign(void) { return hed_nn_params_assign(p, other); }

static hed_status gradients(void)
{
  hed_nn_params *v = NULL, *g = NULL;
  hed_record_scope record;
  hed_scope scope;
  hed_status status = hed_record_begin(&record);
  if (status != HED_OK)
    return status;
  if ((status = hed_scope_begin(&scope)) == HED_OK) {
    status = hed_nn_params_variables(p, &v);
    const hed_array *y = status == HED_OK ? hed_nn_sequence(&cell, &options, v, "m", x, NULL) : NULL, *sum = hed_sum(y, NULL);
    if (status == HED_OK)
      status = sum ? hed_nn_params_grad(sum, v, &g) : hed_error();
    hed_scope_end(&scope);
  }
  hed_record_end(&record);
  hed_nn_params_release(v);
  return tree(status, g);
}

static hed_status save(void) { return hed_nn_params_save(p, "nn-nomem.safetensors"); }
static hed_status save_npz(void) { return hed_nn_params_save(p, "nn-nomem.npz"); }

static hed_status load(void)
{
  hed_nn_params *made = NULL;
  const hed_status status = hed_nn_params_load("nn-kept.safetensors", &made);
  return tree(status, made);
}

static hed_status load_npz(void)
{
  hed_nn_params *made = NULL;
  const hed_status status = hed_nn_params_load("nn-kept.npz", &made);
  return tree(status, made);
}

/* ---- cells ---- */

static hed_status init(void)
{
  hed_nn_params *made = NULL;
  hed_status status = hed_nn_params_create(&made);
  if (status == HED_OK)
    status = hed_nn_sequence_init(&cell, &options, made, "m", HED_FLOAT32, &seed);
  if (status == HED_OK)
    status = hed_nn_cell_init(&cell, made, "n", HED_FLOAT32, &seed);
  return tree(status, made);
}

/* In a closed loop of two steps, without a readout: its inputs are as many as its outputs. */
static hed_status forecast(void)
{
  const hed_nn_cell c = { .kind = HED_NN_GRU, .input = 3, .units = 3 };
  hed_nn_params *made = NULL;
  hed_array *last[HED_NN_STATES] = { NULL };
  hed_status status = hed_nn_params_create(&made);
  if (status == HED_OK)
    status = hed_nn_sequence_init(&c, NULL, made, "m", HED_FLOAT32, &seed);
  if (status == HED_OK)
    status = given(hed_nn_forecast(&c, NULL, made, "m", NULL, x, 2, NULL, last));
  hed_release(last[0]);
  return tree(status, made);
}

static hed_status strided(void)
{
  static const int64_t strides[] = { 1, 2 };
  const hed_nn_cell c = { .kind = HED_NN_RNN, .input = 3, .units = 2 };
  const hed_nn_sequence_options o = { .dt = dt };
  hed_nn_params *made = NULL;
  hed_status status = hed_nn_params_create(&made);
  if (status == HED_OK)
    status = hed_nn_strided_init(&c, NULL, 2, strides, made, "m", HED_FLOAT32, &seed);
  if (status == HED_OK)
    status = given(hed_nn_strided(&c, &o, 2, strides, made, "m", x));
  return tree(status, made);
}

static hed_status rbm(void)
{
  hed_nn_params *made = NULL, *g = NULL;
  hed_status status = hed_nn_params_create(&made);
  if (status == HED_OK)
    status = hed_nn_rbm_init(made, NULL, 3, 2, HED_FLOAT32, &seed);
  hed_array *v = status == HED_OK ? hed_index(x, 0, 0) : NULL;
  if (status == HED_OK)
    status = v ? hed_nn_rbm_gradient(made, NULL, v, 1, NULL, &seed, &g) : hed_error();
  if (status == HED_OK)
    status = given(hed_nn_rbm_free_energy(made, NULL, v));
  if (status == HED_OK)
    status = given(hed_nn_rbm_gibbs(made, NULL, v, 1, &seed));
  hed_array *h = status == HED_OK ? hed_nn_rbm_hidden(made, NULL, v) : NULL;
  if (status == HED_OK)
    status = h ? given(hed_nn_rbm_visible(made, NULL, h)) : hed_error();
  RELEASE(h, v);
  hed_nn_params_release(g);
  return tree(status, made);
}

static hed_status sequence(void)
{
  hed_array *last[HED_NN_STATES] = { NULL }, *y = hed_nn_sequence(&cell, &options, p, "m", x, last);
  for (int k = 0; k < HED_NN_STATES; k++) {
    if (!y && last[k])
      fail("a state without a result");
    hed_release(last[k]);
  }
  return given(y);
}

static hed_status step(void)
{
  hed_array *next[HED_NN_STATES] = { NULL };
  const hed_nn_step_options o = { .dt = dt };
  hed_array *y = hed_nn_cell_step(&cell, other, "n", q, NULL, next, &o);
  for (int k = 0; k < HED_NN_STATES; k++)
    hed_release(next[k]);
  return given(y);
}

static hed_status activate(void) { return given(hed_nn_activate(x, HED_NN_MISH, 0)); }

/* ---- layers ---- */

static const hed_nn_layer layers[] = { { .kind = HED_NN_LAYER_EMBEDDING, .input = 4, .output = 4 },
                                       { .kind = HED_NN_LAYER_SELF_ATTENTION, .input = 4,
                                        .attention = { .heads = 2, .causal = true } },
                                       { .kind = HED_NN_LAYER_LAYER_NORM, .input = 4 },
                                       { .kind = HED_NN_LAYER_LINEAR, .input = 4, .output = 3 },
                                       { .kind = HED_NN_LAYER_DROPOUT, .rate = 0.5 },
                                       { .kind = HED_NN_LAYER_BATCH_NORM, .input = 3 },
                                       { .kind = HED_NN_LAYER_RMS_NORM, .input = 3 } };
enum { LAYERS = sizeof layers / sizeof layers[0] };

static hed_status list_init(void)
{
  hed_nn_params *made = NULL;
  hed_status status = hed_nn_params_create(&made);
  if (status == HED_OK)
    status = hed_nn_sequential_init(LAYERS, layers, made, "l", HED_FLOAT32, &seed);
  return tree(status, made);
}

static hed_status list(void)
{
  const hed_nn_sequential_options o = { .training = true, .random = seed };
  return given(hed_nn_sequential(LAYERS, layers, p, "l", index_, &o));
}

static hed_status embedding(void) { return given(hed_nn_embedding(p, "l.0", index_)); }
static hed_status multihead(void) { return given(hed_nn_multihead(p, "l.1", q, q, q, NULL)); }
static hed_status layer_norm(void) { return given(hed_nn_layer_norm(p, "l.2", q, NULL)); }
static hed_status linear(void) { return given(hed_nn_linear(p, "l.3", q)); }
static hed_status dropout(void) { return given(hed_nn_dropout(q, 0.5, &(hed_nn_dropout_options){ .random = seed })); }
static hed_status batch_norm(void) { return given(hed_nn_batch_norm(p, "l.5", x, &(hed_nn_norm_options){ .training = true })); }
static hed_status rms_norm(void) { return given(hed_nn_rms_norm(p, "l.6", x, NULL)); }
static hed_status attention(void) { return given(hed_nn_attention(q, q, q, NULL)); }

static hed_status layers_init(void)
{
  const hed_shape s = { 1, { 3 } };
  hed_nn_params *made = NULL;
  hed_status status = hed_nn_params_create(&made);
  if (status == HED_OK)
    status = hed_nn_linear_init(made, "a", 3, 3, true, HED_FLOAT32, &seed);
  if (status == HED_OK)
    status = hed_nn_embedding_init(made, "b", 3, 3, HED_FLOAT32, &seed);
  if (status == HED_OK)
    status = hed_nn_batch_norm_init(made, "c", 3, HED_FLOAT32);
  if (status == HED_OK)
    status = hed_nn_layer_norm_init(made, "d", &s, HED_FLOAT32);
  if (status == HED_OK)
    status = hed_nn_rms_norm_init(made, "e", &s, HED_FLOAT32);
  if (status == HED_OK)
    status = hed_nn_multihead_init(made, "f", 4, HED_FLOAT32, &seed);
  return tree(status, made);
}

static void cells(void)
{
  static const hed_nn_cell kinds[] = { { .kind = HED_NN_LSTM, .input = 3, .units = 2 },
                                       { .kind = HED_NN_CFC, .input = 3, .units = 2, .backbone_units = 2, .mixed_memory = true },
                                       { .kind = HED_NN_LTC, .input = 3, .units = 2, .unfolds = 1, .positive = HED_NN_AS_IS } };
  for (int k = 0; k < 3; k++) {
    cell = kinds[k];
    options = (hed_nn_sequence_options){ .bidirectional = k == 0, .dt = dt, .lengths = lengths };
    if (hed_nn_params_create(&p) != HED_OK || hed_nn_sequence_init(&cell, &options, p, "m", HED_FLOAT32, &seed) != HED_OK ||
        hed_nn_params_copy(p, NULL, &other) != HED_OK || hed_nn_cell_init(&cell, other, "n", HED_FLOAT32, &seed) != HED_OK)
      bail("%s", hed_error_text());
    diag("kind %d", (int)cell.kind);
    every_allocation("hed_nn_sequence_init", init, NULL);
    every_allocation("hed_nn_sequence", sequence, NULL);
    every_allocation("hed_nn_cell_step", step, NULL);
    every_allocation("hed_nn_params_grad", gradients, NULL);
    hed_nn_params_release(p);
    hed_nn_params_release(other);
  }
}

static void files(void)
{
  if (hed_nn_params_save(p, "nn-kept.safetensors") != HED_OK)
    bail("%s", hed_error_text());
  every_allocation("hed_nn_params_save", save, "nn-nomem.safetensors");
  every_allocation("hed_nn_params_load", load, NULL);
  if (hed_nn_params_save(p, "nn-kept.npz") == HED_OK) {
    every_allocation("hed_nn_params_save, npz", save_npz, "nn-nomem.npz");
    every_allocation("hed_nn_params_load, npz", load_npz, NULL);
  } else
    skip(6, "no libzip");
  (void)unlink("nn-kept.safetensors");
  (void)unlink("nn-kept.npz");
}

int main(void)
{
  static const int64_t two[2] = { 2, 1 }, four[2] = { 3, 0 };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("%s", hed_error_text());
  x = hed_full(HED_SHAPE(2, 2, 3), 0.5, HED_FLOAT32);
  q = hed_full(HED_SHAPE(2, 3), 0.5, HED_FLOAT32);
  dt = hed_full(HED_SHAPE(2), 0.5, HED_FLOAT32);
  lengths = hed_from_host(two, HED_SHAPE(2), HED_INT64);
  index_ = hed_from_host(four, HED_SHAPE(1, 2), HED_INT64);
  cells();
  every_allocation("hed_nn_forecast", forecast, NULL);
  every_allocation("hed_nn_strided", strided, NULL);
  every_allocation("hed_nn_rbm_gradient", rbm, NULL);
  hed_release(q);
  q = hed_full(HED_SHAPE(1, 2, 4), 0.5, HED_FLOAT32);
  if (hed_nn_params_create(&p) != HED_OK || hed_nn_sequential_init(LAYERS, layers, p, "l", HED_FLOAT32, &seed) != HED_OK ||
      hed_nn_params_set_text(p, "k", "v") != HED_OK || hed_nn_params_copy(p, NULL, &other) != HED_OK)
    bail("%s", hed_error_text());
  every_allocation("hed_nn_params_create", create, NULL);
  every_allocation("hed_nn_params_set", set, NULL);
  every_allocation("hed_nn_params_below", below, NULL);
  every_allocation("hed_nn_params_copy", copy, NULL);
  every_allocation("hed_nn_params_assign", assign, NULL);
  every_allocation("hed_nn_activate", activate, NULL);
  every_allocation("hed_nn_sequential_init", list_init, NULL);
  every_allocation("hed_nn_sequential", list, NULL);
  every_allocation("hed_nn_embedding", embedding, NULL);
  every_allocation("hed_nn_multihead", multihead, NULL);
  every_allocation("hed_nn_layer_norm", layer_norm, NULL);
  every_allocation("hed_nn_linear", linear, NULL);
  every_allocation("hed_nn_dropout", dropout, NULL);
  every_allocation("hed_nn_batch_norm", batch_norm, NULL);
  every_allocation("hed_nn_rms_norm", rms_norm, NULL);
  every_allocation("hed_nn_attention", attention, NULL);
  every_allocation("layers made", layers_init, NULL);
  files();
  hed_nn_params_release(p);
  hed_nn_params_release(other);
  RELEASE(x, q, dt, lengths, index_);
  done_testing();
  return done();
}
