// SPDX-License-Identifier: BSD-3-Clause
/* Subscripts of einsum: text to labels per axis. L3.
 *
 * The text is UTF-8. Letters, and all characters from '{' on, are symbols, one per axis. A label is a small number: the
 * rank of its symbol's code point among those that occur (so that ascending labels are in the order in which an implicit
 * output lists them), then one for each axis that an ellipsis can stand for, counted from the right.
 */
#ifndef HED_COMPOSITE_EINSUM_PARSE_H
#define HED_COMPOSITE_EINSUM_PARSE_H

#include <heddle/array.h>

enum { HED__EINSUM_OPERANDS = 32, HED__EINSUM_LETTERS = 104, HED__EINSUM_LABELS = HED__EINSUM_LETTERS + HED_MAX_NDIM };

typedef struct hed__subscript {
  int n;                       /* axes */
  int8_t label[HED_MAX_NDIM];
} hed__subscript;

typedef struct hed__subscripts {
  int symbols;
  uint32_t symbol[HED__EINSUM_LETTERS]; /* code points, ascending */
  hed__subscript in[HED__EINSUM_OPERANDS], out;
} hed__subscripts;

/* Subscripts of N operands with these numbers of axes. Accepts any text: HED_E_INVAL, HED_E_SHAPE with the position. */
hed_status hed__einsum_parse(const char *text, int n, const int32_t *ndim, hed__subscripts *out);

/* The label as written, "..." for an axis of an ellipsis. */
const char *hed__einsum_label(const hed__subscripts *s, int label, char buf[8]);

#endif
