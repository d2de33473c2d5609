// SPDX-License-Identifier: BSD-3-Clause
/* What layers share. Layer: L4, nn kit. */
#ifndef HED_KITS_NN_LAYERS_H
#define HED_KITS_NN_LAYERS_H
#include "kits/nn/cells/cell.h"
#include "kits/nn/lists.h"
#include <heddle/kits/nn_layers.h>

/* "PREFIX.NAME" into FULL, of HED__NN_NAME_ROOM bytes. */
hed_status hed__nn_name(const char *op, const char *prefix, const char *name, char *full);
/* The parameter of that name, borrowed; NULL and an error, or with OPTIONAL NULL and none. */
hed_array *hed__nn_layer_weight(const char *op, const hed_nn_params *p, const char *prefix, const char *name, bool optional);

/* One that is to be made: uniform in [-limit, limit), normal for a limit below 0; a number where DRAWN is false. */
typedef struct hed__nn_new {
  const char *name;
  hed_shape shape;
  bool drawn;
  double limit;              /* or the number */
  bool count;                /* int64, a buffer; BUFFER: of dtype T, no parameter */
  bool buffer;
} hed__nn_new;
/* N of them into P, all or none. */
hed_status hed__nn_layer_init(const char *op, hed_nn_params *p, const char *prefix, int n, const hed__nn_new *list, hed_dtype t,
                              const hed_random *r);

#endif
