// SPDX-License-Identifier: BSD-3-Clause
/* Losses of generalised CP decompositions.
 *
 * Layer: L4, tensor kit. gcp_loss.c has the losses, gcp.c the decomposition.
 */
#ifndef HEDDLE_KITS_TENSOR_GCP_H
#define HEDDLE_KITS_TENSOR_GCP_H
#include <heddle/kits/gcp.h>

/* LOSS is one, and *P its parameter or 0, which becomes the usual one. */
hed_status hed__gcp_parameter(const char *op, hed_gcp_loss loss, double *p);
/* Whether models are not negative. */
bool hed__gcp_is_positive(hed_gcp_loss loss);
/* HED_E_RANGE with the first place where X is not what the loss is for. */
hed_status hed__gcp_check_values(const char *op, hed_gcp_loss loss, const hed_array *x);
/* The sum over entries where MASK (NULL: all) is true, and (NULL: not wanted) the derivatives by M, 0 elsewhere, of the caller's
 * scope. */
hed_status hed__gcp_loss(hed_gcp_loss loss, double p, const hed_array *x, const hed_array *mask, const hed_array *m, double *sum,
                         hed_array **slope);

#endif
