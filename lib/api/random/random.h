// SPDX-License-Identifier: BSD-3-Clause
/* Random draws below their public forms. L3. */
#ifndef HED_API_RANDOM_H
#define HED_API_RANDOM_H

#include "core/array/array.h"
#include "core/dispatch/dispatch.h"
#include <heddle/ops.h>

extern const hed_random hed__random_defaults;

/* The result's dtype on *DEVICE (NULL: the current one, stored there), checked against the operation's domain; negative
 * status or the id. */
int hed__random_dtype(int op, hed_dtype t, hed__device **device);

/* Key and draw that OPT means, which counts as used. */
hed_status hed__random_take(const char *op, const hed_random *opt, uint64_t *key, uint64_t *draw);

/* Where OPT's stream or generator stood: taken before a call that may fail after its draw, which hed__random_undo() then
 * gives back. */
typedef struct hed__random_mark {
  hed_generator *generator; /* NULL: the context's stream */
  hed_generator at;
  bool moves;               /* false: a seed, or no stream could be had */
} hed__random_mark;
hed__random_mark hed__random_mark_of(const hed_random *opt);
void hed__random_undo(const hed__random_mark *m);

/* An array of the distribution P, of which key and draw are filled in; everything else has been checked. */
hed_array *hed__random_draw_new(int op, const hed_shape *shape, int id, hed__device *device, const hed_random *opt,
                                hed_random_params *p);

/* A new array of SHAPE by the kernel OP of rows (hed_random_rows_params) from IN, converted to float64; IN may be NULL. */
hed_array *hed__random_rows_new(int op, const hed_array *in, const hed_shape *shape, hed_dtype t, bool weights,
                                const hed_random *opt);

/* A parameter is a finite number; else HED_E_INVAL naming it. */
hed_status hed__random_finite(const char *op, const char *arg, double value);

#endif
