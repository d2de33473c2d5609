// SPDX-License-Identifier: BSD-3-Clause
/* Values and gradients of cells and layers against those that PyTorch and ncps gave in float64 (tests/data/nn_values.py), which are
 * in a file that PyTorch's own library wrote.
 */
#include "nn.h"
#include <heddle/kits/nn_layers.h>

typedef struct row {
  const char *name;
  hed_nn_cell c;
  hed_nn_sequence_options o;
  int64_t lengths[2];
  int64_t groups[3];
} row;

static row rows[] = {
  { .name = "rnn", .c = { .kind = HED_NN_RNN } },
  { .name = "rnn_relu", .c = { .kind = HED_NN_RNN, .activation = HED_NN_RELU } },
  { .name = "gru", .c = { .kind = HED_NN_GRU } },
  { .name = "gru_nobias", .c = { .kind = HED_NN_GRU, .no_bias = true } },
  { .name = "gru_packed", .c = { .kind = HED_NN_GRU }, .o = { .bidirectional = true }, .lengths = { 5, 2 } },
  { .name = "lstm", .c = { .kind = HED_NN_LSTM } },
  { .name = "lstm_deep", .c = { .kind = HED_NN_LSTM }, .o = { .layers = 2, .bidirectional = true } },
  { .name = "lstm_proj", .c = { .kind = HED_NN_LSTM, .projection = 2 } },
  { .name = "lstm_packed", .c = { .kind = HED_NN_LSTM }, .o = { .layers = 2, .bidirectional = true }, .lengths = { 3, 5 } },
  { .name = "cfc", .c = { .kind = HED_NN_CFC, .backbone_units = 6 } },
  { .name = "cfc_deep", .c = { .kind = HED_NN_CFC, .backbone_units = 6, .backbone_layers = 2, .projection = 2,
                               .activation = HED_NN_SILU } },
  { .name = "cfc_bare", .c = { .kind = HED_NN_CFC, .backbone_layers = -1 } },
  { .name = "cfc_pure", .c = { .kind = HED_NN_CFC, .backbone_units = 6, .mode = HED_NN_CFC_PURE } },
  { .name = "cfc_no_gate", .c = { .kind = HED_NN_CFC, .backbone_units = 6, .mode = HED_NN_CFC_NO_GATE, .activation = HED_NN_GELU } },
  { .name = "cfc_mixed", .c = { .kind = HED_NN_CFC, .backbone_units = 6, .mixed_memory = true } },
  { .name = "cfc_wired", .c = { .kind = HED_NN_CFC, .units = 9, .n_groups = 3, .ncps_compatible = true }, .groups = { 4, 3, 2 } },
  { .name = "ltc", .c = { .kind = HED_NN_LTC, .outputs = 2 } },
  { .name = "ltc_ncp", .c = { .kind = HED_NN_LTC, .units = 9, .outputs = 2 } },
  { .name = "ltc_mixed", .c = { .kind = HED_NN_LTC, .mixed_memory = true, .unfolds = 3 } },
  { .name = "ltc_as_is", .c = { .kind = HED_NN_LTC, .positive = HED_NN_AS_IS, .input_mapping = HED_NN_MAP_LINEAR,
                                .output_mapping = HED_NN_MAP_NONE } },
};

/* The array CASE.PART of the file, NULL when it is not there. */
static hed_array *given(const hed_nn_params *file, const char *name, const char *part)
{
  char full[200];
  (void)snprintf(full, sizeof full, "%s.%s", name, part);
  return hed_nn_params_find(file, full) < 0 ? NULL : hed_nn_params_get(file, full);
}

static void near(const char *backend, const char *name, const char *part, const hed_array *got, const hed_array *want)
{
  const hed_shape a = hed_array_shape(got), b = hed_array_shape(want);
  double d = NAN;
  if (got && want && a.ndim == b.ndim && memcmp(a.dim, b.dim, (size_t)a.ndim * sizeof a.dim[0]) == 0)
    (void)hed_item(hed_max(hed_divide(hed_abs(hed_subtract(got, want)), hed_add_scalar(hed_abs(want), 1)), NULL), &d);
  ok(d < 1e-12, "%s, %s: %s is off by %g: %s", backend, name, part, d, got ? "" : hed_error_text());
}

static hed_nn_params *variables(const hed_nn_params *file, const char *name)
{
  char full[100];
  hed_nn_params *p = NULL, *v = NULL;
  (void)snprintf(full, sizeof full, "%s.p", name);
  is_int(hed_nn_params_below(file, full, &p), HED_OK, "parameters of %s", name);
  is_int(hed_nn_params_variables(p, &v), HED_OK, "as variables");
  hed_nn_params_release(p);
  return v;
}

/* Gradients of what came out by X and all of V, against those of the file. */
static void gradients(const char *backend, const hed_nn_params *file, const char *name, const hed_array *y, const hed_array *x,
                      const hed_nn_params *v)
{
  const hed_array *by[40], *c = given(file, name, "c");
  const char *called[40];
  hed_array *g[40];
  char part[200];
  int n = 0;
  by[n++] = x;
  for (int64_t k = 0; k < hed_nn_params_count(v); k++) {
    (void)snprintf(part, sizeof part, "g.%s", hed_nn_params_name(v, k));
    called[n] = hed_nn_params_name(v, k);
    if (given(file, name, part))
      by[n++] = hed_nn_params_at(v, k);
  }
  is_int(hed_vjp(1, &y, &c, n, by, g, NULL), HED_OK, "%s, %s: gradients: %s", backend, name, hed_error_text());
  near(backend, name, "gx", g[0], given(file, name, "gx"));
  for (int k = 1; k < n; k++) {
    (void)snprintf(part, sizeof part, "g.%s", called[k]);
    near(backend, name, part, g[k], given(file, name, part));
  }
  for (int k = 0; k < n; k++)
    hed_release(g[k]);
}

static void cells(const char *backend, const hed_nn_params *file)
{
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
    HED_BACKEND_CONTEXT(backend) HED_RECORD HED_SCOPE {
      row *r = &rows[k];
      hed_array *last[HED_NN_STATES] = { NULL };
      hed_nn_params *v = variables(file, r->name);
      const hed_array *x = hed_variable(given(file, r->name, "x"));
      r->c.input = 3;
      r->c.units = r->c.units ? r->c.units : 4;
      r->c.groups = r->groups;
      r->c.adjacency = r->c.n_groups ? given(file, r->name, "adjacency") : NULL;
      r->c.sensory = r->c.n_groups ? given(file, r->name, "sensory") : NULL;
      r->o.lengths = r->lengths[0] ? hed_from_host(r->lengths, HED_SHAPE(2), HED_INT64) : NULL;
      r->o.dt = given(file, r->name, "dt");
      const hed_array *y = hed_nn_sequence(&r->c, &r->o, v, NULL, x, last);
      near(backend, r->name, "y", y, given(file, r->name, "y"));
      for (int i = 0; i < hed_nn_cell_states(&r->c); i++) {
        char part[20];
        (void)snprintf(part, sizeof part, "last.%d", i);
        near(backend, r->name, part, last[i], given(file, r->name, part));
      }
      gradients(backend, file, r->name, y, x, v);
      hed_nn_params_release(v);
    }
}

/* ---- layers ---- */

static hed_array *layer(const char *name, const hed_nn_params *v, const hed_array *x)
{
  const hed_nn_attention_options heads = { .heads = 2 }, causal = { .heads = 2, .causal = true };
  return strcmp(name, "linear") == 0       ? hed_nn_linear(v, NULL, x)
         : strcmp(name, "layer_norm") == 0 ? hed_nn_layer_norm(v, NULL, x, NULL)
         : strcmp(name, "rms_norm") == 0   ? hed_nn_rms_norm(v, NULL, x, NULL)
         : strcmp(name, "batch_norm") == 0 ? hed_nn_batch_norm(v, NULL, x, &(hed_nn_norm_options){ .training = true })
                                           : hed_nn_multihead(v, NULL, x, x, x, strcmp(name, "attention") == 0 ? &heads : &causal);
}

static void layers(const char *backend, const hed_nn_params *file)
{
  static const char *const names[] = { "linear", "layer_norm", "rms_norm", "batch_norm", "attention", "attention_causal" };
  for (int k = 0; k < 6; k++)
    HED_BACKEND_CONTEXT(backend) HED_RECORD HED_SCOPE {
      hed_nn_params *v = variables(file, names[k]);
      const hed_array *x = hed_variable(given(file, names[k], "x"));
      const bool batch = strcmp(names[k], "batch_norm") == 0;
      if (batch) {
        (void)hed_nn_params_set(v, "running_mean", hed_zeros(HED_SHAPE(3), HED_FLOAT64));
        (void)hed_nn_params_set(v, "running_var", hed_ones(HED_SHAPE(3), HED_FLOAT64));
        (void)hed_nn_params_set(v, "num_batches_tracked", hed_full_int(HED_SHAPE0, 0, HED_INT64));
      }
      const hed_array *y = layer(names[k], v, x);
      near(backend, names[k], "y", y, given(file, names[k], "y"));
      gradients(backend, file, names[k], y, x, v);
      if (batch) {
        int64_t n = 0;
        near(backend, names[k], "running_mean", hed_nn_params_get(v, "running_mean"), given(file, names[k], "running_mean"));
        near(backend, names[k], "running_var", hed_nn_params_get(v, "running_var"), given(file, names[k], "running_var"));
        ok(hed_item_int(hed_nn_params_get(v, "num_batches_tracked"), &n) == HED_OK && n == 1, "counted");
      }
      hed_nn_params_release(v);
    }
}

/* 16-bit floats as PyTorch wrote them: thirds, rounded to 8 and 11 bits. */
static void halves(const hed_nn_params *file)
{
  static const struct { const char *part; uint16_t bits; } want[] = { { "bfloat16", 0x3eab }, { "float16", 0x3555 } };
  for (int k = 0; k < 2; k++)
    HED_SCOPE {
      uint16_t bits[7] = { 0 };
      const hed_array *x = given(file, "half", want[k].part);
      is_int(hed_to_host(x, bits, sizeof bits), HED_OK, "seven of them");
      is_str(hed_dtype_name(hed_array_dtype(x)), want[k].part, "the dtype");
      is_uint(bits[4], want[k].bits, "a third");
    }
}

int main(void)
{
  char path[600];
  hed_nn_params *file = NULL;
  (void)snprintf(path, sizeof path, "%s/tests/data/nn_values.safetensors", getenv("HEDDLE_TEST_SRCDIR")
                 ? getenv("HEDDLE_TEST_SRCDIR") : ".");
  if (hed_nn_params_load(path, &file) != HED_OK)
    bail("%s", hed_error_text());
  is_str(hed_nn_params_text(file, "torch"), "2.15.0", "of that version");
  cells("reference", file);
  cells("cpu", file);
  layers("reference", file);
  layers("cpu", file);
  halves(file);
  hed_nn_params_release(file);
  done_testing();
  return done();
}
