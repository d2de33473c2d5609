// SPDX-License-Identifier: BSD-3-Clause
/* Arrays as text for people: nested brackets, columns aligned, large arrays shortened. Files for programs: <heddle/io.h>.
 *
 * Numbers have as many digits after the point as the one that needs most, at most PRECISION; all are in exponential form
 * when one is 1e8 or more or one (not zero) is below 1e-4. The text does not depend on the locale.
 */
#ifndef HEDDLE_PRINT_H
#define HEDDLE_PRINT_H

#include <heddle/array.h>
#ifndef HED_PLAIN_HEADERS
#  include <stdio.h>
#endif

HED_BEGIN_DECLS

typedef struct hed_text_options {
  int precision;     /* digits after the point at most, 1 to 17; 0 = 4 */
  int64_t threshold; /* arrays of more elements are shortened; 0 = 1000, negative = never */
  int edge_items;    /* of a shortened axis this many are shown at each end; 0 = 3 */
  int line_width;    /* a row is broken before it would be longer; 0 = 96 */
} hed_text_options;

/* The elements of X, which may be in any space; waits for it. OPT NULL: the defaults. Release the text with free(). NULL
 * with the error set: HED_E_INVAL for an option out of its range, HED_E_NOMEM, what hed_wait reports. */
HED_NEW char *hed_to_text(const hed_array *x, const hed_text_options *opt);

#ifndef HED_PLAIN_HEADERS
/* A line with dtype, shape and space, then the elements, to F (NULL: stdout). HED_E_IO when F takes no more. */
HED_API hed_status hed_print(const hed_array *x, FILE *f);
#endif

HED_END_DECLS

#endif
