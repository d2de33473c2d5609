// SPDX-License-Identifier: BSD-3-Clause
/* Layers: embedding, dropout and its masks, norms in use, attention under masks and in blocks, lists of layers; a step of training
 * by calls and as a program.
 */
#include "arrays.h"
#include "nn.h"
#include <heddle/kits/nn_layers.h>
#include <heddle/kits/nn_rbm.h>
#include <string.h>

static hed_array *normal(hed_shape s, hed_dtype t, uint64_t seed)
{
  return hed_random_normal(s, t, &(hed_random){ .seed = seed, .seeded = true });
}

static hed_random seed(uint64_t k) { return (hed_random){ .seed = k, .seeded = true }; }

static double distance(const hed_array *a, const hed_array *b)
{
  double d = NAN;
  (void)hed_item(hed_max(hed_abs(hed_subtract(a, b)), NULL), &d);
  return d;
}

static hed_nn_params *tree(void)
{
  hed_nn_params *p = NULL;
  is_int(hed_nn_params_create(&p), HED_OK, "a tree");
  return p;
}

static void embedding(void)
{
  const int64_t at[2][2] = { { 2, 0 }, { 2, 1 } }, far[1] = { 3 };
  hed_nn_params *p = tree();
  const hed_random r = seed(1);
  HED_SCOPE {
    is_int(hed_nn_embedding_init(p, "e", 3, 4, HED_FLOAT32, &r), HED_OK, "three rows");
    const hed_array *y = hed_nn_embedding(p, "e", hed_from_host(at, HED_SHAPE(2, 2), HED_INT64)), *w = hed_nn_params_get(p,
        "e.weight");
    ok(same_array(hed_index(hed_index(y, 0, 1), 0, 0), hed_index(w, 0, 2)), "the row of its number");
    ok(!hed_nn_embedding(p, "e", hed_from_host(far, HED_SHAPE(1), HED_INT64)) && hed_status_is(hed_error(), HED_E_INVAL),
       "beyond the rows");
    is_int(hed_nn_linear_init(p, "e", 3, 2, true, HED_FLOAT32, &r), HED_E_INVAL, "a name that is there");
    is_int(hed_nn_params_count(p), 1, "nothing is added");
    is_int(hed_nn_linear_init(p, "l", 3, 2, false, HED_FLOAT32, &r), HED_OK, "without bias");
    ok(!hed_nn_linear(p, "l", hed_zeros(HED_SHAPE(5, 4), HED_FLOAT32)), "another extent");
    has_str(hed_error_text(), "4 elements, weight has 3", "both numbers");
  }
  hed_nn_params_release(p);
}

/* ---- dropout ---- */

/* A hash of where X is not 0. */
static uint64_t pattern(const hed_array *x)
{
  static double v[4096];
  uint64_t h = 0;
  if (hed_tolist(x, v, hed_array_size(x)) == HED_OK)
    for (int64_t k = 0; k < hed_array_size(x); k++)
      h = h * 31 + (v[k] != 0);
  return h;
}

static void dropout(void)
{
  static const char *const backends[] = { "reference", "cpu", "cpu;threads=1" };
  const hed_nn_dropout_options o = { .random = seed(5), .step = 3, .layer = 1, .name = "a" };
  uint64_t first = 0;
  for (int k = 0; k < 3; k++)
    HED_BACKEND_CONTEXT(backends[k]) HED_SCOPE {
      const hed_array *x = hed_ones(HED_SHAPE(8, 16, 32), HED_FLOAT32), *y = hed_nn_dropout(x, 0.25, &o);
      first = k ? first : pattern(y);
      ok(first && pattern(y) == first, "%s: one mask", backends[k]);
      double mean = 0, most = 0;
      (void)hed_item(hed_mean(y, NULL), &mean);
      (void)hed_item(hed_max(y, NULL), &most);
      ok(fabs(mean - 1) < 0.04 && fabs(most - 4.0 / 3) < 1e-6, "a mean of %g, %g where kept", mean, most);
      hed_nn_dropout_options other = o;
      other.step = 4;
      ok(pattern(hed_nn_dropout(x, 0.25, &other)) != first, "another step, another mask");
      other = o, other.layer = 2;
      ok(pattern(hed_nn_dropout(x, 0.25, &other)) != first, "another layer");
      other = o, other.name = "b";
      ok(pattern(hed_nn_dropout(x, 0.25, &other)) != first, "another name");
      other = o, other.same_along = 2;
      y = hed_nn_dropout(x, 0.25, &other);
      ok(same_array(hed_index(y, 1, 0), hed_index(y, 1, 9)) && !same_array(hed_index(y, 0, 0), hed_index(y, 0, 1)),
         "the same for all steps");
      ok(pattern(hed_nn_dropout(x, 1, &o)) == 0 && same_array(hed_nn_dropout(x, 0, &o), x), "all and none");
      ok(!hed_nn_dropout(x, 1.5, &o) && hed_error() == HED_E_INVAL, "no share");
    }
}

static hed_status drop_program(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  y[0] = hed_nn_dropout(x[0], 0.5, NULL);
  return y[0] ? HED_OK : hed_error();
}

/* From the stream each run of a program has masks of its own, the same as calls have. */
static void dropout_program(void)
{
  hed_program *program = NULL;
  HED_SCOPE {
    const hed_array *x = hed_ones(HED_SHAPE(64), HED_FLOAT32);
    hed_array *y[3] = { NULL };
    (void)hed_set_seed(11);
    is_int(hed_program_create(drop_program, NULL, 1, &x, 1, &y[0], NULL, &program), HED_OK, "a program: %s", hed_error_text());
    for (int k = 1; k < 3 && program; k++)
      is_int(hed_program_run(program, 1, &x, 1, &y[k]), HED_OK, "run");
    (void)hed_set_seed(11);
    for (int k = 0; k < 3; k++)
      ok(same_array(hed_nn_dropout(x, 0.5, NULL), y[k]), "mask %d is that of a call", k);
    ok(!same_array(y[1], y[2]), "not always the same");
  }
  hed_program_release(program);
}

/* ---- norms ---- */

static void norms(void)
{
  hed_nn_params *p = tree();
  HED_SCOPE {
    const hed_shape last = HED_SHAPE(4, 5);
    is_int(hed_nn_batch_norm_init(p, "b", 5, HED_FLOAT64), HED_OK, "a batch norm");
    is_int(hed_nn_layer_norm_init(p, "l", &last, HED_FLOAT64), HED_OK, "a layer norm");
    is_int(hed_nn_params_size(p, HED_NN_LEARNT), 10 + 40, "statistics are not learnt");
    const hed_array *x = hed_add_scalar(hed_multiply_scalar(normal(HED_SHAPE(6, 4, 5), HED_FLOAT64, 2), 3), 7);
    const hed_nn_norm_options training = { .training = true, .momentum = 1, .biased_running = true };
    const hed_array *y = hed_nn_batch_norm(p, "b", x, &training), *again = hed_nn_batch_norm(p, "b", x, NULL);
    ok(distance(y, again) < 1e-12, "in use with the statistics of training: %s", hed_error_text());
    const hed_nn_norm_options middle = { .training = true, .axis = -2 };
    ok(!hed_nn_batch_norm(p, "b", x, &middle) && hed_error() == HED_E_SHAPE, "another number of channels");
    const hed_array *z = hed_nn_layer_norm(p, "l", x, NULL);
    double mean = NAN, var = NAN;
    (void)hed_item(hed_mean(hed_index(z, 0, 3), NULL), &mean);
    (void)hed_item(hed_var(hed_index(z, 0, 3), NULL), &var);
    ok(fabs(mean) < 1e-12 && fabs(var - 1) < 1e-5, "over both axes: mean %g, variance %g", mean, var);
    ok(!hed_nn_layer_norm(p, "l", hed_index(x, 1, 0), NULL) && hed_error() == HED_E_SHAPE, "other axes");
  }
  hed_nn_params_release(p);
}

/* ---- attention ---- */

static void attention(void)
{
  HED_SCOPE {
    const hed_array *q = normal(HED_SHAPE(2, 1500, 4), HED_FLOAT64, 1), *k = normal(HED_SHAPE(2, 30, 4), HED_FLOAT64, 2);
    const hed_array *v = normal(HED_SHAPE(2, 30, 3), HED_FLOAT64, 3);
    const hed_array *y = hed_nn_attention(q, k, v, NULL);
    const hed_array *plain = hed_matmul(hed_softmax(hed_multiply_scalar(hed_matmul(q, hed_matrix_transpose(k)), 0.5), -1), v);
    ok(distance(y, plain) < 1e-13, "in blocks: %s", hed_error_text());
    const hed_array *few = hed_slice(q, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(0, 40, 1) });
    const hed_nn_attention_options causal = { .causal = true };
    const hed_array *c = hed_nn_attention(few, k, v, &causal);
    ok(distance(hed_index(c, 1, 0), hed_index(v, 1, 0)) < 1e-14, "the first reads the first alone");
    ok(distance(hed_index(c, 1, 35), hed_index(y, 1, 35)) < 1e-13, "those beyond all");
    const hed_array *allowed = hed_less_scalar(hed_reshape(hed_arange_int(0, 40, 1, HED_INT64), HED_SHAPE(40, 1)), 20);
    const hed_nn_attention_options masked = { .mask = hed_broadcast_to(allowed, HED_SHAPE(40, 30)) };
    const hed_array *m = hed_nn_attention(few, k, v, &masked);
    double sum = NAN;
    (void)hed_item(hed_sum(hed_abs(hed_slice(m, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(20, 40, 1) })), NULL), &sum);
    ok(sum == 0 && distance(hed_index(m, 1, 3), hed_index(y, 1, 3)) < 1e-13, "those that may read nothing have 0");
    ok(!hed_nn_attention(q, v, v, NULL) && hed_error() == HED_E_SHAPE, "other columns");
    has_str(hed_error_text(), "q has 4 columns, k has 3", "both numbers");
  }
}

/* ---- lists, and a program ---- */

enum { LAYERS = 6 };
static const hed_nn_cell gru = { .kind = HED_NN_GRU, .input = 5, .units = 6 };
static const hed_nn_layer layers[LAYERS] = { { .kind = HED_NN_LAYER_LINEAR, .input = 3, .output = 5 },
                                             { .kind = HED_NN_LAYER_ACTIVATION, .activation = HED_NN_MISH },
                                             { .kind = HED_NN_LAYER_DROPOUT, .rate = 0.3 },
                                             { .kind = HED_NN_LAYER_SEQUENCE, .cell = &gru },
                                             { .kind = HED_NN_LAYER_LAYER_NORM, .input = 6 },
                                             { .kind = HED_NN_LAYER_LINEAR, .input = 6, .output = 1 } };

static void lists(void)
{
  hed_nn_params *p = tree();
  const hed_random r = seed(2);
  HED_SCOPE {
    is_int(hed_nn_sequential_init(LAYERS, layers, p, "net", HED_FLOAT64, &r), HED_OK, "a list: %s", hed_error_text());
    is_int(hed_nn_params_count(p), 2 + 4 + 2 + 2, "all parameters");
    ok(hed_nn_params_find(p, "net.3.weight_hh_l0") >= 0 && hed_nn_params_find(p, "net.5.bias") >= 0, "below their numbers");
    const hed_array *x = normal(HED_SHAPE(2, 7, 3), HED_FLOAT64, 4), *y = hed_nn_sequential(LAYERS, layers, p, "net", x, NULL);
    const hed_array *hand = hed_nn_activate(hed_nn_linear(p, "net.0", x), HED_NN_MISH, 0);
    hand = hed_nn_layer_norm(p, "net.4", hed_nn_sequence(&gru, NULL, p, "net.3", hand, NULL), NULL);
    ok(same_array(y, hed_nn_linear(p, "net.5", hand)), "as by hand");
    const hed_nn_sequential_options training = { .training = true, .random = seed(6) };
    const hed_array *t = hed_nn_sequential(LAYERS, layers, p, "net", x, &training);
    ok(distance(t, y) > 1e-3 && same_array(t, hed_nn_sequential(LAYERS, layers, p, "net", x, &training)),
       "in training something is dropped");
    const hed_nn_layer bad = { .kind = 99 };
    ok(!hed_nn_sequential(1, &bad, p, NULL, x, NULL) && hed_error() == HED_E_INVAL, "no such layer");
  }
  hed_nn_params_release(p);
}

typedef struct job {
  hed_nn_params *p;
} job;

/* A step of descent in place; gives the loss. x, dt, lengths, target. */
static hed_status step(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  const job *j = arg;
  static const hed_nn_cell cell = { .kind = HED_NN_LSTM, .input = 3, .units = 4 };
  const hed_nn_sequence_options o = { .lengths = x[2], .dt = x[1], .last_only = true, .unchecked = true };
  hed_nn_params *v = NULL, *g = NULL;
  hed_status status = HED_OK;
  (void)n, (void)m;
  HED_RECORD HED_SCOPE_OR(return hed_error()) {
    status = hed_nn_params_variables(j->p, &v);
    const hed_array *out = status == HED_OK ? hed_nn_sequence(&cell, &o, v, NULL, x[0], NULL) : NULL;
    hed_array *loss = hed_mean(hed_square(hed_subtract(out, x[3])), NULL);
    status = loss ? hed_nn_params_grad(loss, v, &g) : hed_error();
    HED_UNRECORDED
      for (int64_t k = 0; k < hed_nn_params_count(g) && status == HED_OK; k++) {
        hed_array *w = hed_nn_params_at(j->p, k);
        status = hed_subtract_into(w, w, hed_multiply_scalar(hed_nn_params_at(g, k), 0.5));
      }
    y[0] = hed_keep(hed_stop_gradient(loss));
  }
  hed_nn_params_release(g);
  hed_nn_params_release(v);
  return status;
}

static void program(const char *backend)
{
  HED_BACKEND_CONTEXT(backend) HED_SCOPE {
    const hed_nn_cell cell = { .kind = HED_NN_LSTM, .input = 3, .units = 4 };
    const int64_t lengths[2] = { 5, 3 };
    const hed_random r = seed(3);
    const hed_array *x[4] = { normal(HED_SHAPE(2, 5, 3), HED_FLOAT32, 1), hed_ones(HED_SHAPE(2, 5), HED_FLOAT32),
                              hed_from_host(lengths, HED_SHAPE(2), HED_INT64), normal(HED_SHAPE(2, 4), HED_FLOAT32, 2) };
    job calls = { tree() }, captured = { tree() };
    hed_program *p = NULL;
    hed_array *loss[2] = { NULL };
    double first = 0, last = 0;
    is_int(hed_nn_sequence_init(&cell, NULL, calls.p, NULL, HED_FLOAT32, &r), HED_OK, "parameters");
    is_int(hed_nn_sequence_init(&cell, NULL, captured.p, NULL, HED_FLOAT32, &r), HED_OK, "the same");
    is_int(hed_program_create(step, &captured, 4, x, 1, &loss[1], NULL, &p), HED_OK, "%s: a program: %s", backend, hed_error_text());
    for (int k = 0; k < 20; k++) {
      hed_release(loss[0]);
      is_int(step(&calls, 4, x, 1, &loss[0]), HED_OK, "by calls");
      if (k && p) {
        hed_release(loss[1]);
        is_int(hed_program_run(p, 4, x, 1, &loss[1]), HED_OK, "a run");
      }
      if (!k)
        (void)hed_item(loss[0], &first);
      ok(same_array(loss[0], loss[1]), "%s: step %d: the same loss", backend, k);
    }
    (void)hed_item(loss[0], &last);
    for (int64_t k = 0; k < hed_nn_params_count(calls.p); k++)
      ok(same_array(hed_nn_params_at(calls.p, k), hed_nn_params_at(captured.p, k)), "%s: the same %s", backend,
          hed_nn_params_name(calls.p, k));
    ok(last < 0.8 * first, "from %g to %g", first, last);
    RELEASE(loss[0], loss[1]);
    hed_program_release(p);
    hed_nn_params_release(calls.p);
    hed_nn_params_release(captured.p);
  }
}

/* No array where something has failed before is the trace of that; a dtype that layers cannot have. */
static void refused(void)
{
  hed_nn_params *p = tree();
  HED_SCOPE {
    const hed_array *a = hed_ones(HED_SHAPE(2, 2), HED_FLOAT32);
    is_int(hed_nn_params_set(p, "weight", a), HED_OK, "a parameter");
    hed_error_clear();
    ok(!hed_nn_linear(p, NULL, NULL) && hed_status_is(hed_error(), HED_E_INVAL) && strstr(hed_error_text(), "x is NULL"), "no array");
    hed_error_clear();
    ok(!hed_nn_linear(p, NULL, hed_matmul(a, hed_ones(HED_SHAPE(3, 2), HED_FLOAT32))) && strstr(hed_error_text(), "matmul"),
       "what failed before is what is told");
    const hed_dtype none[] = { HED_INT32, HED_COMPLEX64 };
    for (int k = 0; k < 2; k++) {
      is_int(hed_nn_linear_init(p, "l", 2, 2, true, none[k], NULL), HED_E_DTYPE, "layers are of real floats");
      is_int(hed_nn_batch_norm_init(p, "b", 2, none[k]), HED_E_DTYPE, "those that are not drawn, too");
      is_int(hed_nn_layer_norm_init(p, "n", &HED_SHAPE(2), none[k]), HED_E_DTYPE, "all of them");
      is_int(hed_nn_rms_norm_init(p, "r", &HED_SHAPE(2), none[k]), HED_E_DTYPE, "all of them");
    }
    is_int(hed_nn_params_count(p), 1, "nothing is added");
  }
  hed_nn_params_release(p);
}

int main(void)
{
  refused();
  embedding();
  dropout();
  dropout_program();
  norms();
  attention();
  lists();
  program("reference");
  program("cpu");
  done_testing();
  return done();
}
