// SPDX-License-Identifier: BSD-3-Clause
/* Selections: what a list of keys chooses from an array, for get, set and accumulate. L3.
 *
 * A selection is a view (keys that are not arrays) and, when there are arrays, a list of flat indices on the axes that these
 * choose from. The view has those axes first. Indices are read on the host, checked, and numbered in C order over those
 * axes, so that kernels need one list whatever the number of arrays.
 */
#ifndef HED_API_INDEX_H
#define HED_API_INDEX_H

#include "api/call/check.h"

#include <heddle/ops.h>

enum { HED__MAX_KEYS = 3 * HED_MAX_NDIM };

typedef struct hed__selection {
  hed_view base;          /* axes chosen from by arrays first, then the others */
  int32_t axes;           /* how many come first */
  bool arrays;            /* false: base is the result */
  const hed_array *mask;  /* the only array, when that is a mask and no integers stand beside it: they come on demand */
  int64_t n;              /* flat indices */
  int64_t *flat;          /* hed__buffer_free; NULL with LIST, and with MASK until hed__select_flat */
  const hed_array *list;  /* the only array, when kernels can use it as it is; or MADE */
  hed_array *made;        /* flat indices that the device made */
  /* Or flat indices that are made on demand, N of them from FIRST on, for hed__write; NULL: they are not. */
  void (*number)(const void *arg, int64_t first, int64_t n, int64_t *to);
  const void *arg;
  int32_t at;             /* axis of the result where those of the arrays stand */
  hed_shape index;        /* their shape */
  hed_shape shape;        /* the result's */
} hed__selection;

/* What KEYS choose from X, an operand of EX. Release with hed__selection_free, also after a failure. With a mask alone INDEX and
 * SHAPE have an extent of -1 until the mask is counted. */
hed_status hed__select(const hed__exec *ex, const char *op, const hed_array *x, int n, const hed_key *keys,
                       hed__selection *s);
hed_status hed__select_flat(const hed__exec *ex, const char *op, hed__selection *s);
void hed__select_counted(hed__selection *s, int64_t n);
void hed__selection_free(hed__selection *s);

/* HED_OK when X may be written. */
hed_status hed__check_target(const char *op, const hed_array *x);

/* VALUE, which broadcasts to S, to what S chooses from X, or combined with it. EX is planned with X first; S has its flat indices. */
hed_status hed__write(const hed__exec *ex, const char *op, hed_array *x, const hed__selection *s, const hed_array *value,
                      hed_scatter_op how);

/* X's integers as contiguous int64 in host memory (hed__buffer_free); NULL with the error set. */
int64_t *hed__read_indices(const char *op, const hed_array *x, int64_t *count);

/* HED_OK when X holds integers. */
hed_status hed__check_indices(const char *op, const char *arg, const hed_array *x);

/* N indices of dtype ID as hed__read_indices gave them, into an axis of EXTENT: negatives are counted from the end;
 * HED_E_INDEX names the first that is out of range. */
hed_status hed__wrap_indices(const char *op, int id, int axis, int64_t extent, int64_t n, int64_t *list);

/* Can kernels on DEVICE use INDICES as they are: contiguous int64 in host memory, all in [0, EXTENT)? No error is set. */
bool hed__indices_ready(const hed__device *device, const hed_array *indices, int64_t extent);

/* INDICES of an axis as kernels on EX's device want them: contiguous int64, none negative unless the device checks them; INDICES
 * itself where it is that. To be released; NULL with the error set. */
hed_array *hed__indices_in(const hed__exec *ex, const char *op, const hed_array *indices, int axis, int64_t extent);

/* A new int64 array of shape DIM on DEVICE with the values of LIST in C order. */
hed_array *hed__index_array(hed__device *device, int32_t ndim, const int64_t *dim, const int64_t *list);
/* The same in two steps: its values are written to *AT between them. The end returns X, or NULL with the error set and X gone. */
hed_array *hed__index_array_begin(hed__device *device, int32_t ndim, const int64_t *dim, int64_t **at);
hed_array *hed__index_array_end(hed_array *x, int64_t *at);

/* ---- on a device that checks indices (HED_PLUGIN_CHECKS_INDICES): nothing comes to the host ---- */

/* Does EX's device check these INDICES of an axis of EXTENT, as they are in its memory? */
bool hed__checks_indices(const hed__exec *ex, const hed_array *indices, int64_t extent);

/* Their numbers as contiguous int64, APART (NULL: from nothing) in memory; INDICES itself where it is that. To be released. */
hed_array *hed__indices_given(const hed__exec *ex, const hed_array *indices, const hed_array *apart);

/* One of several indices that make a flat index: int64 numbers of an axis of EXTENT, which errors call AXIS, unchecked, or checked
 * ones already. */
typedef struct hed__index_term {
  const hed_array *index;
  int64_t extent;
  int axis;
  bool checked;
} hed__index_term;

/* In C order over their extents, as a new contiguous array of the shape that they broadcast to. */
hed_array *hed__flat_indices(const hed__exec *ex, int n, const hed__index_term *term);

/* The same of what INDICES of extent DIM[AT] along axis AT, and all of the other axes, name in an array of NDIM axes. */
hed_array *hed__number_along(const hed__exec *ex, const hed_array *indices, int at, int32_t ndim, const int64_t *dim);

/* INDICES from 0 on: negative ones are counted from the end. A new array. */
hed_array *hed__indices_wrapped(const hed__exec *ex, const hed_array *indices, int64_t extent);

/* The numbers of true elements of MASK in C order, (n). */
hed_array *hed__numbers_of_true(const hed__exec *ex, const hed_array *mask);

#endif
