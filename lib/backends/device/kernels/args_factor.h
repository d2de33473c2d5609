// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family factor: vectors of matrices. Element e of vector v of matrix b is x[b * matrix + v * vector + e * step]. L1.
 *
 * A turn is three float64: the factor's parts, and which element becomes exactly real, -1 for none. Columns: for each vector of the
 * result a pair of int64, the column that it is made of, and 0, or the sign of the column after it, which is the imaginary part.
 * Unitary: X has the reflections, TURNS of them in each matrix, and vectors are the result's columns.
 */
#ifndef HED_DEVICE_ARGS_FACTOR_H
#define HED_DEVICE_ARGS_FACTOR_H

#include "args.h"

typedef struct hed__factor_args {
  i64 length, vectors, batch;
  i64 step, vector, matrix;
  i64 turns; /* of a matrix, at least as many as vectors */
  i64 part;  /* turn: 1 by conjugates; strange, triangle: 1 on and below the diagonal, 2 on and above it, 3 (triangle) with ones
              * there; vectors are columns */
} hed__factor_args;

#endif
