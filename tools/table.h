// SPDX-License-Identifier: BSD-3-Clause
/* Tables of numbers, with classes for `heddle vsa', with gaps for `heddle decompose'.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_TABLE_H
#define HEDDLE_TOOLS_TABLE_H
#include <heddle.h>

typedef struct number_table {
  int64_t rows, columns; /* of numbers                           */
  double *x;             /* (rows, columns)                      */
  char **class_of;       /* of each row; NULL: it has none        */
} number_table;

enum { TABLE_OF_NUMBERS = -1, TABLE_WITH_GAPS = -2, TABLE_WITHOUT_CLASSES = -3 };

/* All zero on failure. An .npy of two axes with the classes, whole numbers, in the .npy LABELS (NULL: there are none); or text with
 * commas, a line of names in front (its first field neither is nor begins as a number) or none, where the last column is the class:
 * where COLUMNS (0: not known) says how many numbers there are, it may be missing; where that is TABLE_OF_NUMBERS, it is one that is
 * no number in the first row; of TABLE_WITH_GAPS all are numbers, NaN where a field is empty or says so; of TABLE_WITHOUT_CLASSES all
 * are, and finite. HED_E_FORMAT names line and column. */
hed_status number_table_read(const char *path, const char *labels, int64_t columns, number_table *out);
void number_table_clear(number_table *t);

#endif
