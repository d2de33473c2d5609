// SPDX-License-Identifier: BSD-3-Clause
/*
 * cross.h: what cross approximation needs of maxvol.c.
 *
 * Layer: L4, tensor kit.
 */
#ifndef HED_KITS_TENSOR_CROSS_H
#define HED_KITS_TENSOR_CROSS_H
#include <heddle.h>

/* B (n, r), n >= r, becomes B times the inverse of its rows ROWS (r of them), whose volume is nearly the largest.
 * HED_E_SINGULAR, HED_E_NOMEM. */
hed_status hed__maxvol(int64_t n, int64_t r, double *b, int64_t *rows);

#endif
