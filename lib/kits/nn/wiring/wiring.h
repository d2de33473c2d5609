// SPDX-License-Identifier: BSD-3-Clause
/* A wiring on the host, and choices by key.
 *
 * Layer: L4, nn kit, internal. wiring.c is the object, make.c plain ones, ncp.c circuit policies, circuit.c named ones.
 */
#ifndef HED_KITS_NN_WIRING_H
#define HED_KITS_NN_WIRING_H
#include "kits/nn/lists.h"
#include <heddle/kits/nn_wiring.h>

struct hed_nn_wiring {
  int64_t units, inputs, outputs;
  int8_t *adjacency, *sensory, *type;
  int64_t *layer;
};

/* Draws: the n-th block of the key. */
typedef struct hed__wiring_draws {
  uint64_t key, n;
} hed__wiring_draws;

/* Sizes are looked at, and fit into memory. Every neuron but the outputs is an inter neuron of layer 0. */
hed_status hed__wiring_create(const char *op, int64_t units, int64_t inputs, int64_t outputs, hed_nn_wiring **out);
/* Uniform in [0, n), n at least 1; 1 or -1; with probability P. */
int64_t hed__wiring_below(hed__wiring_draws *d, int64_t n);
int8_t hed__wiring_sign(hed__wiring_draws *d);
bool hed__wiring_chance(hed__wiring_draws *d, double p);
/* K of [0, n), each once, into OUT of room for N, whose first K are they. */
void hed__wiring_some(hed__wiring_draws *d, int64_t n, int64_t k, int64_t *out);
/* As it is called where the sizes are known to fit. */
static inline int8_t *hed__wiring_at(const hed_nn_wiring *w, int64_t from, int64_t to) { return &w->adjacency[from * w->units + to]; }
static inline int8_t *hed__wiring_from(const hed_nn_wiring *w, int64_t input, int64_t to)
{
  return &w->sensory[input * w->units + to];
}

#endif
