// SPDX-License-Identifier: BSD-3-Clause
/* The heads of a CFC, of one cell or of one group of a wired one. Layer: L4, nn kit. */
#ifndef HED_KITS_NN_CFC_H
#define HED_KITS_NN_CFC_H
#include "kits/nn/cells/cell.h"

/* How many heads read the features: ff1, and but for PURE ff2, time_a, time_b. */
int hed__nn_cfc_heads(const hed_nn_cell *c);
/* Parameters of heads of UNITS on FEATURES, their names behind PREFIX. */
void hed__nn_cfc_list(const hed_nn_cell *c, hed__nn_specs *s, const char *prefix, int64_t features, int64_t units);
/* All weights (features, heads UNITS) and biases of parameters W, as listed, together; MASK (features, UNITS) of ff1 and ff2 or
 * NULL. */
hed_array *hed__nn_cfc_weights(const hed_nn_cell *c, const hed_array *const *w, const hed_array *mask);
hed_array *hed__nn_cfc_biases(const hed_nn_cell *c, const hed_array *const *w);
/* The new state from the heads' numbers (B, heads units). */
hed_array *hed__nn_cfc_state(const hed_nn_cell *c, const hed_array *const *w, const hed_array *heads, const hed_array *dt);

#endif
