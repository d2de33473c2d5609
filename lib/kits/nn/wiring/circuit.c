// SPDX-License-Identifier: BSD-3-Clause
/* Circuits for kinds of tasks: blocks of neurons, dense or sparse among each other.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/wiring/wiring.h"
#include "kits/member.h"

enum { SIZES = 16, LAYERS = 8, MOST = 1 << 20 };

typedef struct plan {
  const int64_t *size; /* SIZES of them */
  int64_t inputs;
  hed__wiring_draws d;
  hed_nn_wiring **out;
} plan;

static hed_status begin(plan *p, int64_t units, int64_t outputs)
{
  return hed__wiring_create("hed_nn_wiring_circuit", units, p->inputs, outputs, p->out);
}

static void excite(hed_nn_wiring *w, int64_t from, int64_t to) { *hed__wiring_at(w, from, to) = 1; }

/* Every synapse from N neurons at FROM to M at TO, but to itself. */
static void dense(hed_nn_wiring *w, int64_t from, int64_t n, int64_t to, int64_t m)
{
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < m; j++)
      if (from + i != to + j)
        excite(w, from + i, to + j);
}

/* From each of N neurons at FROM, with probability P, TIMES synapses to some of M at TO. */
static void sparse(hed_nn_wiring *w, hed__wiring_draws *d, int64_t from, int64_t n, int64_t to, int64_t m, double p, int64_t times)
{
  for (int64_t i = 0; i < n; i++)
    if (p >= 1 || hed__wiring_chance(d, p))
      for (int64_t k = 0; k < times; k++)
        excite(w, from + i, to + hed__wiring_below(d, m));
}

static void lay(hed_nn_wiring *w, int64_t first, int64_t n, int64_t layer)
{
  for (int64_t k = first; k < first + n; k++)
    w->layer[k] = layer;
}

/* Outputs, queries, keys, values. */
static hed_status language(plan *p)
{
  const int64_t hidden = p->size[0], heads = p->size[1];
  if (heads > hidden || hidden % heads)
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_circuit: hidden is %lld, no multiple of the heads, %lld", (long long)hidden,
                    (long long)heads);
  const hed_status status = begin(p, 4 * hidden, hidden);
  if (status != HED_OK)
    return status;
  hed_nn_wiring *w = *p->out;
  const int64_t one = hidden / heads;
  for (int64_t h = 0; h < heads; h++) {
    dense(w, hidden + h * one, one, 2 * hidden + h * one, one);
    dense(w, 2 * hidden + h * one, one, 3 * hidden + h * one, one);
  }
  dense(w, 3 * hidden, hidden, 0, hidden);
  for (int64_t k = 0; k < hidden; k++) { /* each query to its output, every other one to the next, too */
    excite(w, hidden + k, k);
    if (k % 2 == 0 && k + 1 < hidden)
      excite(w, hidden + k, k + 1);
  }
  lay(w, 2 * hidden, hidden, 1);
  lay(w, 3 * hidden, hidden, 2);
  lay(w, 0, hidden, 3);
  return HED_OK;
}

/* Controls, states, sensors. */
static hed_status robotics(plan *p)
{
  const int64_t sensors = p->size[0], states = p->size[1], controls = p->size[2];
  const hed_status status = begin(p, sensors + states + controls, controls);
  if (status != HED_OK)
    return status;
  hed_nn_wiring *w = *p->out;
  sparse(w, &p->d, controls + states, sensors, controls, states, 1, p->size[3]);
  sparse(w, &p->d, controls + states, sensors, 0, controls, 0.2, 1);
  for (int64_t k = 0; k < p->size[4]; k++)
    sparse(w, &p->d, controls + hed__wiring_below(&p->d, states), 1, controls, states, 1, 1);
  for (int64_t k = 0; k < controls; k++)
    for (int64_t i = 0; i < p->size[5]; i++)
      excite(w, controls + hed__wiring_below(&p->d, states), k);
  lay(w, controls, states, 1);
  lay(w, 0, controls, 2);
  return HED_OK;
}

static hed_status signal(plan *p)
{
  const int64_t bands = p->size[0], each = p->size[1], outputs = p->size[2];
  const hed_status status = begin(p, bands * each + outputs, outputs);
  if (status != HED_OK)
    return status;
  for (int64_t b = 0; b < bands; b++) {
    const int64_t first = outputs + b * each;
    dense(*p->out, first, each, first, each);
    if (b + 1 < bands)
      sparse(*p->out, &p->d, first, each, first + each, each, 1, 2);
    dense(*p->out, first, each, 0, outputs);
  }
  lay(*p->out, 0, outputs, 1);
  return HED_OK;
}

/* The first neuron of each frequency is its output: FREQUENCIES motor neurons, then the others of each. */
static hed_status frequency(plan *p)
{
  const int64_t n = p->size[0], each = p->size[1];
  hed_nn_wiring *w;
  const hed_status status = begin(p, n * each, n);
  if (status != HED_OK)
    return status;
  w = *p->out;
  for (int64_t k = 0; k < n; k++) {
    const int64_t first = n + k * (each - 1), rest = each - 1;
    dense(w, first, rest, first, rest);
    dense(w, first, rest, k, 1);
    dense(w, k, 1, first, rest);
    if (k == 0 || rest == 0)
      continue;
    sparse(w, &p->d, n, rest, first, rest, 0.3, 1);
    sparse(w, &p->d, first, rest, n, rest, 0.2, 1);
    for (int64_t other = k + 1; other < n; other++)
      sparse(w, &p->d, first, rest, n + other * rest, rest, 0.1, 1);
  }
  return HED_OK;
}

/* Maps of layers, the last one first: its channels at the first place are the outputs. */
typedef struct maps {
  int n;
  int64_t first[LAYERS], high[LAYERS], wide[LAYERS], channels[LAYERS];
} maps;

static int64_t neuron(const maps *m, int layer, int64_t i, int64_t j)
{
  return m->first[layer] + (i * m->wide[layer] + j) * m->channels[layer];
}

static void fields(hed_nn_wiring *w, const maps *m, int layer, int64_t kernel, int64_t stride)
{
  const int next = layer + 1;
  for (int64_t i = 0; i < m->high[layer]; i += stride)
    for (int64_t j = 0; j < m->wide[layer]; j += stride)
      for (int64_t a = i / stride - kernel / 2; a <= i / stride + kernel / 2; a++)
        for (int64_t b = j / stride - kernel / 2; b <= j / stride + kernel / 2; b++)
          if (a >= 0 && a < m->high[next] && b >= 0 && b < m->wide[next])
            dense(w, neuron(m, layer, i, j), m->channels[layer], neuron(m, next, a, b), m->channels[next]);
}

static void skips(hed_nn_wiring *w, const maps *m, int layer, int64_t step)
{
  for (int64_t i = 0; i < m->high[layer]; i += step)
    for (int64_t j = 0; j < m->wide[layer]; j += step)
      dense(w, neuron(m, layer, i, j), m->channels[layer], neuron(m, layer + 2, i / step, j / step), m->channels[layer + 2]);
}

static hed_status vision(plan *p)
{
  const int64_t kernel = p->size[2], stride = p->size[3];
  int64_t high = p->size[0], wide = p->size[1], units = 0;
  maps m = { .n = 0 };
  while (m.n < LAYERS && p->size[4 + m.n] > 0 && units < MOST) {
    m.high[m.n] = high;
    m.wide[m.n] = wide;
    m.channels[m.n] = p->size[4 + m.n];
    units += high * wide > MOST / m.channels[m.n] ? MOST + 1 : high * wide * m.channels[m.n];
    high = (high - 1) / stride + 1;
    wide = (wide - 1) / stride + 1;
    m.n++;
  }
  const hed_status status = begin(p, units, m.channels[m.n - 1]);
  if (status != HED_OK)
    return status;
  for (int k = m.n - 1, at = 0; k >= 0; k--) {
    m.first[k] = at;
    at += (int)(m.high[k] * m.wide[k] * m.channels[k]);
    lay(*p->out, m.first[k], at - m.first[k], k);
  }
  for (int k = 0; k + 1 < m.n; k++)
    fields(*p->out, &m, k, kernel, stride);
  for (int k = 0; k + 2 < m.n; k++)
    skips(*p->out, &m, k, stride * stride);
  return HED_OK;
}

static const struct {
  hed_status (*make)(plan *p);
  int fixed; /* sizes with a default each; VISION: channels follow, of which the defaults count when there are none */
  int64_t size[SIZES];
} circuits[] = {
  [HED_NN_LANGUAGE] = { language, 2, { 64, 4 } },
  [HED_NN_ROBOTICS] = { robotics, 6, { 32, 32, 8, 4, 3, 4 } },
  [HED_NN_SIGNAL] = { signal, 3, { 4, 16, 1 } },
  [HED_NN_FREQUENCY] = { frequency, 2, { 4, 32 } },
  [HED_NN_VISION] = { vision, 4, { 8, 8, 3, 2, 3, 8, 16 } },
};

hed_status hed_nn_wiring_circuit(hed_nn_circuit kind, int n, const int64_t *sizes, int64_t inputs, uint64_t key, hed_nn_wiring **out)
{
  int64_t size[SIZES] = { 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_circuit: out is NULL");
  *out = NULL;
  if (hed__expect_member("hed_nn_wiring_circuit", "kind", (int)kind, HED_NN_LANGUAGE, HED_NN_VISION, "hed_nn_circuit") != HED_OK)
    return hed_error();
  const int most = kind == HED_NN_VISION ? 4 + LAYERS : circuits[kind].fixed;
  if (n < 0 || n > most || (n > 0 && !sizes))
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_circuit: %d sizes, at most %d are known", n, most);
  for (int k = 0; k < n; k++)
    if (sizes[k] < 0 || sizes[k] > MOST)
      return hed_fail(HED_E_INVAL, "hed_nn_wiring_circuit: size %d is %lld, not in [0, %d]", k, (long long)sizes[k], MOST);
  for (int k = 0; k < SIZES; k++)
    size[k] = k < n && sizes[k] > 0 ? sizes[k] : k < circuits[kind].fixed || n <= circuits[kind].fixed ? circuits[kind].size[k] : 0;
  plan p = { size, inputs, { hed_fold_key(key, 3), 0 }, out };
  return circuits[kind].make(&p);
}
