// SPDX-License-Identifier: BSD-3-Clause
/* Cells by their kinds, after a check. Layer: L4, nn kit. */
#ifndef HED_KITS_NN_KINDS_H
#define HED_KITS_NN_KINDS_H
#include "kits/nn/cells/cell.h"

hed_status hed__nn_cell_check(const char *op, const hed_nn_cell *c);
const hed__nn_family *hed__nn_family_of(const hed_nn_cell *c);
int32_t hed__nn_states(const hed_nn_cell *c);
hed_shape hed__nn_state_shape(const hed_nn_cell *c, int64_t batch, int32_t k);
int64_t hed__nn_output(const hed_nn_cell *c);
int64_t hed__nn_before_projection(const hed_nn_cell *c);
/* All parameters: the family's, those of mixed memory, those of a projection behind a CFC. */
void hed__nn_list(const hed_nn_cell *c, hed__nn_specs *s);

#endif
