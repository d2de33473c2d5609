// SPDX-License-Identifier: BSD-3-Clause
/* Loops over the elements of several operands of one shape: fewest axes, their order, the addresses of rows. L0.
 *
 * A nest's last axis is the row, which callers hand to a loop with one stride per operand. Nothing is allocated, and the steps of
 * preparation keep the set of elements; only HED__NEST_REORDER changes the order in which they come.
 */
#ifndef HED_BASE_NEST_H
#define HED_BASE_NEST_H

#include <heddle/kernel.h>
#include <stdbool.h>

enum { HED__MAX_OPERANDS = 8 };
typedef struct hed__nest {
  int32_t n;            /* operands */
  int32_t ndim;         /* at least 1 */
  int64_t dim[HED_MAX_NDIM];
  char *data[HED__MAX_OPERANDS];
  int64_t stride[HED__MAX_OPERANDS][HED_MAX_NDIM];
} hed__nest;

/* Axes of N operands made as few as may be, outermost first: those of extent 1 go, and neighbours become one where they lie so for
 * all operands and both or none are in the set *KIND, which becomes that of the axes left. In units of any size; returns how many
 * are left, 0 where there is one element. */
int32_t hed__merge_axes(int32_t n, int64_t (*stride)[HED_MAX_NDIM], int32_t ndim, int64_t *dim, uint32_t *kind);

/* Axes of extent 1 are dropped, and neighbours merged where every operand allows. With HED__NEST_REORDER, for operations without
 * order, negative strides of operand 0 are turned first, and its smallest stride comes last. */
enum { HED__NEST_REORDER = 1 };
void hed__nest_init(hed__nest *nest, int32_t n, const hed_view *const *views, unsigned how);
/* The same of the axes in the set AXES alone, of which operand 0 has the extents: those that a reduction keeps, or that go. */
void hed__nest_axes(hed__nest *nest, int32_t n, const hed_view *const *views, uint32_t axes, unsigned how);

/* NEST without its last axis and another one, with an axis of one element instead: a walk meets each of what is left. */
hed__nest hed__nest_outside(const hed__nest *nest, int32_t other);
/* The longest axis and the last change places, where the last is shorter than SHORTEST. */
void hed__nest_longest_last(hed__nest *nest, int64_t shortest);

int64_t hed__nest_rows(const hed__nest *nest);
int64_t hed__nest_elements(const hed__nest *nest);
/* Addresses of element I in the order of the axes, one for each operand. */
void hed__nest_at(const hed__nest *nest, int64_t i, char **at);

/* Walks all but the last axis of a nest from row FIRST for COUNT rows: call next until false; ptr holds each operand's
 * address of the row's first element. */
typedef struct hed__walk {
  const hed__nest *nest;
  int64_t left;
  int64_t index[HED_MAX_NDIM];
  char *ptr[HED__MAX_OPERANDS];
} hed__walk;
void hed__walk_init(hed__walk *w, const hed__nest *nest, int64_t first, int64_t count);
bool hed__walk_next(hed__walk *w); /* first call gives the first row */

#endif
