// SPDX-License-Identifier: BSD-3-Clause
/* Proximal operators of columns on the host.
 *
 * Layer: L4, tensor kit. Vectors are N doubles, changed in place; where one is needed, W is scratch of N or more.
 */
#ifndef HEDDLE_KITS_TENSOR_PROX_H
#define HEDDLE_KITS_TENSOR_PROX_H
#include <heddle/kits/proximal.h>

typedef struct hed__block { double sum, squares; int64_t n; double error; } hed__block; /* error: of this and all before it */

/* The nearest vector that rises (FALLS: that falls); LEAST: and is not below it. W of N blocks. */
void hed__rising(double *v, int64_t n, bool falls, double least, hed__block *w);
/* The nearest one that rises and then falls. ERRORS of 2 (N + 1). */
void hed__unimodal(double *v, int64_t n, double least, hed__block *w, double *errors);
/* The nearest vector of entries that are not negative with sum R. W of N. */
void hed__simplex(double *v, int64_t n, double r, double *w);
/* (1 + r tridiag(-1, 2, -1))^-1 v. W of N. */
void hed__smooth(double *v, int64_t n, double r, double *w);
/* All but the N_KEEP largest absolute values become 0, of equals the last. HED_E_NOMEM. */
hed_status hed__sparsest(double *v, int64_t n, int64_t n_keep);

/* Checks OPT; OP begins the sentence. */
/* hed_prox() of a V that is known to be finite, for callers that look at it themselves. */
hed_array *hed__prox(const hed_prox_options *opt, const hed_array *v, double scale);
hed_status hed__prox_check(const char *op, const hed_prox_options *opt);

#endif
