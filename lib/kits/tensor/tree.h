// SPDX-License-Identifier: BSD-3-Clause
/* A tensor times the Khatri-Rao products of all factors but one, for every mode, by a tree of two halves.
 *
 * Layer: L4, tensor kit. The modes 0 .. split - 1 are the rows of a matrix, the others its columns; in C order that is a view.
 * Contracting all modes of one half costs one pass over the tensor and leaves a small array (R, extents of the other half), from
 * which each mode of that half follows without the tensor (A.-H. Phan, P. Tichavsky, A. Cichocki, IEEE Trans. Signal Processing
 * 61 (2013) 4834-4846).
 */
#ifndef HEDDLE_KITS_TENSOR_TREE_H
#define HEDDLE_KITS_TENSOR_TREE_H
#include <heddle.h>

typedef struct hed__tree {
  int order, split;
  hed_shape shape;
  int64_t rows, columns;
  const hed_array *x;  /* borrowed: in C order */
} hed__tree;

/* X, of 2 to 15 axes in C order, as a tree. X has to live as long as it. Of a shape alone: without x; one axis has one column. */
void hed__tree_plant(const hed_array *x, hed__tree *t);
void hed__tree_shape(hed_shape s, hed__tree *t);

/* X itself in C order (a new handle), else a copy that is; in the caller's scope. */
hed_array *hed__in_c_order(const hed_array *x);

/* What to do with M (I_n, R) of MODE; it may change factor MODE, and lives until it returns. */
typedef hed_status (*hed__tree_visit)(void *arg, int mode, const hed_array *m);

/* VISIT the modes whose bit is set in WANTED, in ascending order, each with what the factors are by then. FACTORS are read as they
 * are in the moment: slots that VISIT changes. */
hed_status hed__tree_sweep(const hed__tree *t, hed_array *const *factors, uint32_t wanted, hed__tree_visit visit, void *arg);

/* A visit that only keeps a copy of M, the caller's: ARG is an array of slots, one per mode. */
hed_status hed__tree_collect(void *arg, int mode, const hed_array *m);

/* The Khatri-Rao product of the factors of one half: (rows, R) or (columns, R). */
hed_array *hed__tree_half(const hed__tree *t, hed_array *const *factors, bool right);

#endif
