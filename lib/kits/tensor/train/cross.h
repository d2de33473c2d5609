// SPDX-License-Identifier: BSD-3-Clause
/* What cross approximation needs of maxvol.c.
 *
 * Layer: L4, tensor kit.
 */
#ifndef HED_KITS_TENSOR_CROSS_H
#define HED_KITS_TENSOR_CROSS_H
#include <heddle.h>

/* B (n, r), n >= r, becomes B times the inverse of its rows ROWS (r of them), whose volume is nearly the largest.
 * HED_E_SINGULAR, HED_E_NOMEM. */
hed_status hed__maxvol(int64_t n, int64_t r, double *b, int64_t *rows);

/* Rows of indices, each once, and values that belong to them; all zero is empty. */
typedef struct hed__seen {
  int64_t n, room, *index, *table;
  double *value;
} hed__seen;

/* The number of ROW, WIDTH indices that are always as many, which is behind all others where it is new: its value is to be set then.
 * -1 where there is no memory. */
int64_t hed__seen_find(hed__seen *s, int width, const int64_t *row);
void hed__seen_clear(hed__seen *s);

#endif
