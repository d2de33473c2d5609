// SPDX-License-Identifier: BSD-3-Clause
/* What the numerical kernels of the reference backend share: the host's services, walks over axes, and lines of
 * elements read and written as double, complex double or 64-bit integers. Header only, private to this folder. L1.
 *
 * The kernels compute in double (integers: 64 bits) whatever the operands' dtype and convert once at the end: they are
 * what the other backends are measured against. STATE of every kernel is the host's table of services.
 */
#ifndef HED_REFERENCE_NUMBER_H
#define HED_REFERENCE_NUMBER_H

#include "backends/reference/reference.h"
#include "base/cast.h"

#include <stddef.h>

typedef struct ref_complex {
  double re, im;
} ref_complex;

/* N elements of SIZE bytes for operation OP; NULL after a report when there is no memory. At least one byte. */
static inline void *ref_alloc(void *state, const char *op, int64_t n, size_t size)
{
  void *p = NULL;
  if (n >= 0 && (uint64_t)n <= (uint64_t)(PTRDIFF_MAX / (ptrdiff_t)size))
    p = ref_host(state)->scratch(n ? (size_t)n * size : 1);
  if (!p)
    ref_host(state)->fail(HED_E_NOMEM, "%s: no memory for %lld elements of %zu bytes of work space", op, (long long)n,
                          size);
  return p;
}

static inline void ref_free(void *state, void *p) { ref_host(state)->scratch_free(p); }

/* Elements of a view; work space is asked for by this count, so an overflow shows there. */
static inline int64_t ref_size(const hed_view *v)
{
  int64_t n = 1;
  for (int32_t k = 0; k < v->ndim; k++)
    n *= v->dim[k];
  return n;
}

/* ---- walking over some axes of up to four views ---- */

enum { REF_MAX_VIEWS = 4 };

typedef struct ref_walk {
  int32_t ndim, n;
  int64_t left;                  /* positions still to come */
  int64_t dim[HED_MAX_NDIM], index[HED_MAX_NDIM];
  int64_t stride[REF_MAX_VIEWS][HED_MAX_NDIM];
  char *ptr[REF_MAX_VIEWS];      /* each view's element at the position */
} ref_walk;

/* Walk in C order over the axes of VIEWS[0] that are not in SKIP. A view of extent 1 where VIEWS[0] has more is
 * repeated; NULL views keep a NULL pointer. All views have as many axes. */
static inline void ref_walk_init(ref_walk *w, int32_t n, const hed_view *const *views, uint32_t skip)
{
  *w = (ref_walk){ .n = n, .left = 1 };
  for (int32_t k = 0; k < views[0]->ndim; k++) {
    if (skip >> k & 1)
      continue;
    for (int32_t v = 0; v < n; v++)
      w->stride[v][w->ndim] = !views[v] || (views[v]->dim[k] == 1 && views[0]->dim[k] != 1) ? 0 : views[v]->stride[k];
    w->dim[w->ndim++] = views[0]->dim[k];
    w->left *= views[0]->dim[k];
  }
  for (int32_t v = 0; v < n; v++)
    w->ptr[v] = views[v] ? views[v]->data : NULL;
}

static inline void ref_walk_next(ref_walk *w)
{
  w->left--;
  for (int32_t k = w->ndim - 1; k >= 0; k--) {
    w->index[k]++;
    for (int32_t v = 0; v < w->n; v++)
      if (w->ptr[v])
        w->ptr[v] += w->stride[v][k];
    if (w->index[k] < w->dim[k])
      return;
    for (int32_t v = 0; v < w->n; v++)
      if (w->ptr[v])
        w->ptr[v] -= w->stride[v][k] * w->dim[k];
    w->index[k] = 0;
  }
}

/* ---- whole views from and to dense C-order work space of dtype WIDE, rows along the last axis ---- */

static inline uint32_t ref_last_axis(const hed_view *v) { return v->ndim ? 1u << (v->ndim - 1) : 0; }

static inline void ref_gather(void *work, int wide, int64_t wide_size, const hed_view *v)
{
  const int64_t n = v->ndim ? v->dim[v->ndim - 1] : 1, step = v->ndim ? v->stride[v->ndim - 1] : 0;
  hed__cast_fn cast = hed__cast(v->dtype, wide);
  char *to = work;
  ref_walk w;
  for (ref_walk_init(&w, 1, &v, ref_last_axis(v)); w.left > 0; ref_walk_next(&w), to += n * wide_size)
    cast(n, to, wide_size, w.ptr[0], step);
}

static inline void ref_scatter(const hed_view *v, const void *work, int wide, int64_t wide_size)
{
  const int64_t n = v->ndim ? v->dim[v->ndim - 1] : 1, step = v->ndim ? v->stride[v->ndim - 1] : 0;
  hed__cast_fn cast = hed__cast(wide, v->dtype);
  const char *from = work;
  ref_walk w;
  for (ref_walk_init(&w, 1, &v, ref_last_axis(v)); w.left > 0; ref_walk_next(&w), from += n * wide_size)
    cast(n, w.ptr[0], step, from, wide_size);
}

#endif
