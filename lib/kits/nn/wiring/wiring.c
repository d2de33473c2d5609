// SPDX-License-Identifier: BSD-3-Clause
/* The object: what is asked of it, what is added to it, its file.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/wiring/wiring.h"
#include "kits/member.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_UNITS = 1 << 20 };

/* ---- draws ---- */

static uint64_t draw(hed__wiring_draws *d) { return hed_fold_key(d->key, d->n++); }

int64_t hed__wiring_below(hed__wiring_draws *d, int64_t n)
{
  const uint64_t range = (uint64_t)n, rest = (UINT64_MAX % range + 1) % range;
  uint64_t x = draw(d);
  while (x > UINT64_MAX - rest)
    x = draw(d);
  return (int64_t)(x % range);
}

int8_t hed__wiring_sign(hed__wiring_draws *d) { return draw(d) >> 63 ? 1 : -1; }
bool hed__wiring_chance(hed__wiring_draws *d, double p) { return (double)(draw(d) >> 11) * 0x1p-53 < p; }

void hed__wiring_some(hed__wiring_draws *d, int64_t n, int64_t k, int64_t *out)
{
  for (int64_t i = 0; i < n; i++)
    out[i] = i;
  for (int64_t i = 0; i < k; i++) {
    const int64_t j = i + hed__wiring_below(d, n - i), x = out[i];
    out[i] = out[j];
    out[j] = x;
  }
}

/* ---- the object ---- */

hed_status hed__wiring_create(const char *op, int64_t units, int64_t inputs, int64_t outputs, hed_nn_wiring **out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = NULL;
  if (units < 1 || units > MOST_UNITS || inputs < 0 || inputs > MOST_UNITS)
    return hed_fail(HED_E_INVAL, "%s: units is %lld, inputs %lld: units in [1, %d] and inputs in [0, %d] are needed", op,
                    (long long)units, (long long)inputs, MOST_UNITS, MOST_UNITS);
  if (outputs < 0 || outputs > units)
    return hed_fail(HED_E_INVAL, "%s: outputs is %lld, units %lld: outputs are among the units", op, (long long)outputs,
                    (long long)units);
  hed_nn_wiring *w = hed__train_room(op, 1, sizeof *w);
  if (!w)
    return hed_error();
  w->units = units;
  w->inputs = inputs;
  w->outputs = outputs;
  w->adjacency = hed__train_room(op, units * units, 1);
  w->sensory = hed__train_room(op, inputs * units, 1);
  w->type = hed__train_room(op, units, 1);
  w->layer = hed__train_room(op, units, sizeof *w->layer);
  if (!w->adjacency || !w->sensory || !w->type || !w->layer) {
    hed_nn_wiring_release(w);
    return hed_error();
  }
  for (int64_t k = 0; k < units; k++)
    w->type[k] = k < outputs ? HED_NN_MOTOR : HED_NN_INTER;
  *out = w;
  return HED_OK;
}

hed_status hed_nn_wiring_create(int64_t units, int64_t inputs, int64_t outputs, hed_nn_wiring **out)
{
  return hed__wiring_create("hed_nn_wiring_create", units, inputs, outputs, out);
}

void hed_nn_wiring_release(hed_nn_wiring *w)
{
  if (!w)
    return;
  free(w->adjacency);
  free(w->sensory);
  free(w->type);
  free(w->layer);
  free(w);
}

static hed_status check(const char *op, const hed_nn_wiring *w, const char *what, int64_t k, int64_t n)
{
  if (!w)
    return hed_fail(HED_E_INVAL, "%s: the wiring is NULL", op);
  return k < 0 || k >= n ? hed_fail(HED_E_INDEX, "%s: %s is %lld, there are %lld", op, what, (long long)k, (long long)n) : HED_OK;
}

/* A synapse from a neuron, or from an input (SENSORY). */
static hed_status add(const char *op, hed_nn_wiring *w, bool sensory, int64_t from, int64_t to, int polarity)
{
  const int64_t sources = !w ? 0 : sensory ? w->inputs : w->units;
  hed_status status = check(op, w, sensory ? "input" : "from", from, sources);
  if (status == HED_OK)
    status = check(op, w, "to", to, w->units);
  if (status == HED_OK && polarity != 1 && polarity != -1)
    status = hed_fail(HED_E_INVAL, "%s: polarity is %d, not 1 or -1", op, polarity);
  if (status == HED_OK)
    *(sensory ? hed__wiring_from(w, from, to) : hed__wiring_at(w, from, to)) = (int8_t)polarity;
  return status;
}

hed_status hed_nn_wiring_add(hed_nn_wiring *w, int64_t from, int64_t to, int polarity)
{
  return add("hed_nn_wiring_add", w, false, from, to, polarity);
}

hed_status hed_nn_wiring_add_sensory(hed_nn_wiring *w, int64_t input, int64_t to, int polarity)
{
  return add("hed_nn_wiring_add_sensory", w, true, input, to, polarity);
}

hed_status hed_nn_wiring_place(hed_nn_wiring *w, int64_t neuron, hed_nn_neuron type, int64_t layer)
{
  static const char op[] = "hed_nn_wiring_place";
  const hed_status status = check(op, w, "neuron", neuron, w ? w->units : 0);
  if (status != HED_OK)
    return status;
  if (hed__expect_member(op, "type", (int)type, HED_NN_INTER, HED_NN_MOTOR, "hed_nn_neuron") != HED_OK)
    return hed_error();
  if (layer < 0)
    return hed_fail(HED_E_INVAL, "%s: layer is %lld, below 0", op, (long long)layer);
  w->type[neuron] = (int8_t)type;
  w->layer[neuron] = layer;
  return HED_OK;
}

int64_t hed_nn_wiring_units(const hed_nn_wiring *w) { return w ? w->units : 0; }
int64_t hed_nn_wiring_inputs(const hed_nn_wiring *w) { return w ? w->inputs : 0; }
int64_t hed_nn_wiring_outputs(const hed_nn_wiring *w) { return w ? w->outputs : 0; }

static int64_t count(const int8_t *x, int64_t n)
{
  int64_t c = 0;
  for (int64_t k = 0; k < n; k++)
    c += x[k] != 0;
  return c;
}

int64_t hed_nn_wiring_synapses(const hed_nn_wiring *w) { return w ? count(w->adjacency, w->units * w->units) : 0; }
int64_t hed_nn_wiring_sensory_synapses(const hed_nn_wiring *w) { return w ? count(w->sensory, w->inputs * w->units) : 0; }

const char *hed_nn_neuron_name(int type)
{
  static const char *const names[] = { "inter", "command", "motor" };
  return type >= HED_NN_INTER && type <= HED_NN_MOTOR ? names[type] : NULL;
}

/* ---- arrays ---- */

static bool given(const char *op, const hed_nn_wiring *w)
{
  if (!w)
    (void)hed_fail(HED_E_INVAL, "%s: the wiring is NULL", op);
  return w != NULL;
}

hed_array *hed_nn_wiring_adjacency(const hed_nn_wiring *w)
{
  return given("hed_nn_wiring_adjacency", w) ? hed_from_host(w->adjacency, HED_SHAPE(w->units, w->units), HED_INT8) : NULL;
}

hed_array *hed_nn_wiring_sensory(const hed_nn_wiring *w)
{
  return given("hed_nn_wiring_sensory", w) ? hed_from_host(w->sensory, HED_SHAPE(w->inputs, w->units), HED_INT8) : NULL;
}

static hed_array *mask(hed_array *adjacency, hed_dtype t)
{
  return adjacency ? hed_astype(hed_not_equal_scalar(adjacency, 0), t) : NULL;
}

hed_array *hed_nn_wiring_mask(const hed_nn_wiring *w, hed_dtype t)
{
  hed_array *out = NULL;
  HED_SCOPE out = hed_keep(mask(hed_nn_wiring_adjacency(w), t));
  return hed__train_out(out);
}

hed_array *hed_nn_wiring_sensory_mask(const hed_nn_wiring *w, hed_dtype t)
{
  hed_array *out = NULL;
  HED_SCOPE out = hed_keep(mask(hed_nn_wiring_sensory(w), t));
  return hed__train_out(out);
}

hed_array *hed_nn_wiring_types(const hed_nn_wiring *w)
{
  return given("hed_nn_wiring_types", w) ? hed_from_host(w->type, HED_SHAPE(w->units), HED_INT8) : NULL;
}

hed_array *hed_nn_wiring_layers(const hed_nn_wiring *w)
{
  return given("hed_nn_wiring_layers", w) ? hed_from_host(w->layer, HED_SHAPE(w->units), HED_INT64) : NULL;
}

hed_array *hed_nn_wiring_layer(const hed_nn_wiring *w, int64_t layer)
{
  if (!given("hed_nn_wiring_layer", w))
    return NULL;
  int64_t n = 0, *in = hed__train_room("hed_nn_wiring_layer", w->units, sizeof *in);
  for (int64_t k = 0; in && k < w->units; k++)
    if (w->layer[k] == layer)
      in[n++] = k;
  hed_array *out = in ? hed_from_host(in, HED_SHAPE(n), HED_INT64) : NULL;
  free(in);
  return out;
}

/* ---- the file ---- */

static const char *const members[] = { "adjacency", "sensory", "types", "layers", "outputs" };
enum { MEMBERS = 5 };

hed_status hed_nn_wiring_save(const hed_nn_wiring *w, const char *path)
{
  if (!w || !path)
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_save: %s is NULL", w ? "path" : "the wiring");
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *const x[MEMBERS] = { hed_nn_wiring_adjacency(w), hed_nn_wiring_sensory(w), hed_nn_wiring_types(w),
                                          hed_nn_wiring_layers(w), hed_from_host(&w->outputs, HED_SHAPE0, HED_INT64) };
    for (int k = 0; k < MEMBERS; k++)
      status = status == HED_OK && !x[k] ? hed_error() : status;
    if (status == HED_OK)
      status = hed_save_npz(path, MEMBERS, members, x, true);
  }
  return status;
}

static hed_status wrong(const char *path, const char *member, const char *what)
{
  return hed_fail(HED_E_FORMAT, "hed_nn_wiring_load: %s: %s %s", path, member, what);
}

static hed_status check_values(const char *path, const hed_nn_wiring *w)
{
  for (int64_t k = 0; k < w->units * w->units; k++)
    if (w->adjacency[k] < -1 || w->adjacency[k] > 1)
      return wrong(path, members[0], "has a value that is not -1, 0 or 1");
  for (int64_t k = 0; k < w->inputs * w->units; k++)
    if (w->sensory[k] < -1 || w->sensory[k] > 1)
      return wrong(path, members[1], "has a value that is not -1, 0 or 1");
  for (int64_t k = 0; k < w->units; k++)
    if (w->type[k] < HED_NN_INTER || w->type[k] > HED_NN_MOTOR || w->layer[k] < 0)
      return wrong(path, w->layer[k] < 0 ? members[3] : members[2], "has a value that is none");
  return HED_OK;
}

static hed_status filled(const char *path, hed_array *const *x, hed_nn_wiring **out)
{
  const hed_dtype types[MEMBERS] = { HED_INT8, HED_INT8, HED_INT8, HED_INT64, HED_INT64 };
  const int32_t axes[MEMBERS] = { 2, 2, 1, 1, 0 };
  int64_t outputs = 0;
  for (int k = 0; k < MEMBERS; k++)
    if (hed_array_dtype(x[k]) != types[k] || hed_array_ndim(x[k]) != axes[k])
      return wrong(path, members[k], "is of another type or number of axes");
  const hed_shape a = hed_array_shape(x[0]), s = hed_array_shape(x[1]);
  const int64_t n = a.dim[0];
  if (a.dim[1] != n || s.dim[1] != n || hed_array_size(x[2]) != n || hed_array_size(x[3]) != n)
    return wrong(path, "the arrays", "are not of one number of units");
  if (hed_item_int(x[4], &outputs) != HED_OK)
    return hed_error();
  if (n < 1 || n > MOST_UNITS || outputs < 0 || outputs > n)
    return wrong(path, "outputs", "is not among the units");
  hed_status status = hed__wiring_create("hed_nn_wiring_load", n, s.dim[0], outputs, out);
  void *const to[] = { status == HED_OK ? (*out)->adjacency : NULL, status == HED_OK ? (*out)->sensory : NULL,
                       status == HED_OK ? (*out)->type : NULL, status == HED_OK ? (void *)(*out)->layer : NULL };
  for (int k = 0; k < 4 && status == HED_OK; k++)
    status = hed_to_host(x[k], to[k], hed_array_nbytes(x[k]));
  return status == HED_OK ? check_values(path, *out) : status;
}

hed_status hed_nn_wiring_load(const char *path, hed_nn_wiring **out)
{
  hed_npz *z = NULL;
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_load: %s is NULL", path ? "out" : "path");
  *out = NULL;
  hed_status status = hed_npz_open(path, &z);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *x[MEMBERS] = { NULL };
      for (int k = 0; k < MEMBERS && status == HED_OK; k++)
        status = (x[k] = hed_npz_load(z, members[k])) ? HED_OK : hed_error();
      if (status == HED_OK)
        status = filled(path, x, out);
    }
  hed_npz_close(z);
  if (status != HED_OK) {
    hed_nn_wiring_release(*out);
    *out = NULL;
  }
  return status;
}
