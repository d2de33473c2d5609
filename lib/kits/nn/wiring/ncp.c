// SPDX-License-Identifier: BSD-3-Clause
/* Neural circuit policies: sensory to inter to command (with recurrence) to motor neurons.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/wiring/wiring.h"
#include <stdlib.h>

/* Neurons FIRST to FIRST + N - 1 of the units, or, where FIRST is below 0, the inputs. */
typedef struct layer {
  int64_t first, n;
} layer;

static int8_t *synapse(const hed_nn_wiring *w, layer from, int64_t i, layer to, int64_t j)
{
  return from.first < 0 ? hed__wiring_from(w, i, to.first + j) : hed__wiring_at(w, from.first + i, to.first + j);
}

static bool reached(const hed_nn_wiring *w, layer from, layer to, int64_t j)
{
  for (int64_t i = 0; i < from.n; i++)
    if (*synapse(w, from, i, to, j))
      return true;
  return false;
}

static bool reaches(const hed_nn_wiring *w, layer from, int64_t i, layer to)
{
  for (int64_t j = 0; j < to.n; j++)
    if (*synapse(w, from, i, to, j))
      return true;
  return false;
}

static int64_t between(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* FAN synapses from each neuron of FROM; those of TO that none has chosen get as many as the others have on average. */
static void fan_out(hed_nn_wiring *w, layer from, layer to, int64_t fan, hed__wiring_draws *d, int64_t *room)
{
  for (int64_t i = 0; i < from.n; i++) {
    hed__wiring_some(d, to.n, fan, room);
    for (int64_t k = 0; k < fan; k++)
      *synapse(w, from, i, to, room[k]) = hed__wiring_sign(d);
  }
  if (from.n == 0)
    return;
  const int64_t mean = between(from.n * fan / to.n, 1, from.n);
  for (int64_t j = 0; j < to.n; j++) {
    if (reached(w, from, to, j))
      continue;
    hed__wiring_some(d, from.n, mean, room);
    for (int64_t k = 0; k < mean; k++)
      *synapse(w, from, room[k], to, j) = hed__wiring_sign(d);
  }
}

/* The same for FAN synapses to each neuron of TO. */
static void fan_in(hed_nn_wiring *w, layer from, layer to, int64_t fan, hed__wiring_draws *d, int64_t *room)
{
  for (int64_t j = 0; j < to.n; j++) {
    hed__wiring_some(d, from.n, fan, room);
    for (int64_t k = 0; k < fan; k++)
      *synapse(w, from, room[k], to, j) = hed__wiring_sign(d);
  }
  const int64_t mean = between(to.n * fan / from.n, 1, to.n);
  for (int64_t i = 0; i < from.n; i++) {
    if (reaches(w, from, i, to))
      continue;
    hed__wiring_some(d, to.n, mean, room);
    for (int64_t k = 0; k < mean; k++)
      *synapse(w, from, i, to, room[k]) = hed__wiring_sign(d);
  }
}

static hed_status check(const hed_nn_ncp *o)
{
  const struct {
    const char *name, *of;
    int64_t value, least, most;
  } rows[] = {
    { "inter", NULL, o->inter, 1, 0 },
    { "command", NULL, o->command, 1, 0 },
    { "motor", NULL, o->motor, 1, 0 },
    { "recurrent", NULL, o->recurrent, 0, 0 },
    { "sensory_fanout", "inter neurons", o->sensory_fanout, 1, o->inter },
    { "inter_fanout", "command neurons", o->inter_fanout, 1, o->command },
    { "motor_fanin", "command neurons", o->motor_fanin, 1, o->command },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    if (rows[k].value < rows[k].least)
      return hed_fail(HED_E_INVAL, "hed_nn_wiring_ncp: %s is %lld, %lld at least is needed", rows[k].name, (long long)rows[k].value,
                      (long long)rows[k].least);
    if (rows[k].of && rows[k].value > rows[k].most)
      return hed_fail(HED_E_INVAL, "hed_nn_wiring_ncp: %s is %lld, there are %lld %s", rows[k].name, (long long)rows[k].value,
                      (long long)rows[k].most, rows[k].of);
  }
  return HED_OK;
}

static void build(hed_nn_wiring *w, const hed_nn_ncp *o, uint64_t key, int64_t *room)
{
  const layer sensory = { -1, o->inputs }, motor = { 0, o->motor }, command = { o->motor, o->command },
              inter = { o->motor + o->command, o->inter };
  hed__wiring_draws d = { hed_fold_key(key, 2), 0 };
  for (int64_t k = 0; k < w->units; k++) {
    w->type[k] = k < command.first ? HED_NN_MOTOR : k < inter.first ? HED_NN_COMMAND : HED_NN_INTER;
    w->layer[k] = k < command.first ? 2 : k < inter.first ? 1 : 0;
  }
  fan_out(w, sensory, inter, o->sensory_fanout, &d, room);
  fan_out(w, inter, command, o->inter_fanout, &d, room);
  for (int64_t k = 0; k < o->recurrent; k++) {
    const int64_t from = hed__wiring_below(&d, command.n), to = hed__wiring_below(&d, command.n);
    *synapse(w, command, from, command, to) = hed__wiring_sign(&d);
  }
  fan_in(w, command, motor, o->motor_fanin, &d, room);
}

hed_status hed_nn_wiring_ncp(const hed_nn_ncp *o, uint64_t key, hed_nn_wiring **out)
{
  if (!o || !out)
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_ncp: %s is NULL", o ? "out" : "the sizes");
  *out = NULL;
  hed_status status = check(o);
  /* sums of sizes beyond what a wiring has do not fit a wiring either */
  const int64_t most = INT32_MAX, units = o->inter > most || o->command > most || o->motor > most ? most + 1
                                                                                                    : o->inter + o->command + o->motor;
  if (status == HED_OK)
    status = hed__wiring_create("hed_nn_wiring_ncp", units, o->inputs, o->motor, out);
  if (status != HED_OK)
    return status;
  int64_t *room = hed__train_room("hed_nn_wiring_ncp", units + o->inputs, sizeof *room);
  if (!room) {
    hed_nn_wiring_release(*out);
    *out = NULL;
    return hed_error();
  }
  build(*out, o, key, room);
  free(room);
  return HED_OK;
}

static int64_t share(int64_t n, double of) { return between((int64_t)((double)n * of), 1, n); }

hed_status hed_nn_wiring_auto(int64_t units, int64_t inputs, int64_t outputs, double sparsity, uint64_t key, hed_nn_wiring **out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_auto: out is NULL");
  *out = NULL;
  if (outputs < 1 || outputs >= units - 2)
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_auto: outputs is %lld, in [1, units - 2) is needed, units being %lld",
                    (long long)outputs, (long long)units);
  if (!(sparsity > 0 && sparsity < 1))
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_auto: sparsity is %g, not in (0, 1)", sparsity);
  const int64_t hidden = units - outputs, command = share(hidden, 0.4), inter = hidden - command;
  const double density = 1 - sparsity;
  const hed_nn_ncp o = { .inputs = inputs, .inter = inter, .command = command, .motor = outputs,
                         .sensory_fanout = share(inter, density), .inter_fanout = share(command, density),
                         .recurrent = share(2 * command, density), .motor_fanin = share(command, density) };
  return hed_nn_wiring_ncp(&o, key, out);
}
