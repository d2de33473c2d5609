// SPDX-License-Identifier: BSD-3-Clause
/* What alternating Tucker methods have in common: the tensor, its gaps, products with all factors but one.
 *
 * Layer: L4, tensor kit. Reading order: this file, hooi_data.c (the tensor, ranks, products), hooi.c, tucker_nn.c.
 */
#ifndef HEDDLE_KITS_TENSOR_HOOI_H
#define HEDDLE_KITS_TENSOR_HOOI_H
#include "kits/tensor/sweeps.h"
#include "kits/tensor/tree.h"
#include <heddle/kits/decompose.h>

typedef struct hed__hooi {
  const char *op;
  const hed_tucker_options *opt;
  int order;
  hed_shape shape, rank;   /* rank 0: no factor */
  hed_dtype type;
  double epsilon;
  uint32_t fixed;          /* modes that stay, those without a factor too */
  int last;                /* the last one that does not; -1: all do      */
  hed_array *x, *mask;     /* as hed__als                                  */
  hed_array *work;
  double squares;
  bool free_size;          /* starts have a size of their own: the data get one, too */
  int exponent;            /* x is the data over 2^exponent */
  int split;
  hed_array *factor[HED_MAX_NDIM], *core;
  char note[200];
} hed__hooi;

/* Checks, and X; RANKS NULL leaves the ranks at the extents. */
hed_status hed__hooi_open(hed__hooi *h, const hed_array *x, const hed_shape *ranks);
void hed__hooi_close(hed__hooi *h);
/* Ranks above extents and above products of the others are cut. */
void hed__hooi_cut_ranks(hed__hooi *h);

/* X times the adjoints of all factors but that of MODE; of the scope, as long as the visit. */
typedef hed_status (*hed__hooi_visit)(hed__hooi *h, int mode, const hed_array *y);
hed_status hed__hooi_sweep(hed__hooi *h, uint32_t wanted, hed__hooi_visit visit);

/* Y times the adjoint of factor MODE. */
hed_array *hed__hooi_project(const hed__hooi *h, const hed_array *y, int mode);
/* The error by differences; FILL: gaps of work follow the model. */
hed_status hed__hooi_error(hed__hooi *h, bool fill, double *error);
/* Core and factors as a result. */
hed_status hed__hooi_take_out(hed__hooi *h, hed_status status, hed_tucker *out);

/* hooi.c: orthonormal factors that are not there yet. */
hed_status hed__hooi_random_factors(hed__hooi *h);
/* The end of a run: its result, where STATUS is HED_OK, and its fit; H is closed. */
hed_status hed__hooi_finish(hed__hooi *h, hed__run *run, hed_status status, hed_tucker *out, hed_fit *fit);
/* The N leading eigenvectors of mode AXIS of Y in C order; with DROP >= 0 as few as leave out at most DROP of the squares, at
 * least 1. NULL on failure. */
hed_array *hed__leading(const hed_array *y, int axis, int64_t n, double drop);

#endif
