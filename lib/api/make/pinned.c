// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in host memory that a device copies from and to without staging. L3. */
#include "api/call/check.h"

#include "base/alloc.h"
#include "base/cancel.h"
#include "base/shape.h"
#include "core/dispatch/dispatch.h"
#include <heddle/backend.h>
#include <heddle/error.h>

typedef struct pin {
  hed__device *device;
  void *memory;
  int fork_depth;
} pin;

/* In a child of fork, and where the device is gone, nothing is asked of it: the memory is abandoned. */
static void unpin(void *p)
{
  HED__UNCANCELLED;
  pin *own = p;
  hed__device *d = own->device;
  if (own->fork_depth == hed__fork_depth() && !atomic_load(&d->gone))
    d->plugin->pinned_free(d->state, own->memory);
  hed__free(own);
}

static hed_array *pinned(hed__device *d, int id, const hed_shape *shape, size_t bytes)
{
  HED__UNCANCELLED;
  hed_view v = { .dtype = id, .ndim = shape->ndim };
  for (int32_t k = 0; k < shape->ndim; k++)
    v.dim[k] = shape->dim[k];
  hed__c_strides(v.ndim, v.dim, hed__id_size(id), v.stride);
  pin *own = hed__malloc(sizeof *own);
  if (!own) {
    hed_fail(HED_E_NOMEM, "empty_pinned: no memory for a record");
    return NULL;
  }
  *own = (pin){ .device = d, .fork_depth = hed__fork_depth() };
  hed_array *x = NULL;
  if (d->plugin->pinned_alloc(d->state, bytes, &own->memory) == HED_OK) {
    v.data = own->memory;
    x = hed__array_wrap(hed__reference(), &v, unpin, own);
    if (!x)
      d->plugin->pinned_free(d->state, own->memory);
  }
  if (!x)
    hed__free(own);
  return x;
}

hed_array *hed_empty_pinned(hed_shape shape, hed_dtype t, const char *spec)
{
  hed_context *c = spec ? NULL : hed_context_retain((hed_context *)(uintptr_t)hed__context());
  if (spec ? hed_context_derive(NULL, spec, &c) != HED_OK : !c)
    return NULL;
  hed__device *d = c->device;
  hed_context_release(c);
  const int id = hed__dtype_concrete(t, hed__reference(), "empty_pinned");
  if (id < 0 || hed__check_shape("empty_pinned", "shape", &shape, id) != HED_OK)
    return NULL;
  const size_t bytes = (size_t)hed__shape_size(shape.ndim, shape.dim) * (size_t)hed__id_size(id);
  if (d->host || !d->plugin->pinned_alloc || bytes == 0)
    return hed__array_new(hed__reference(), id, shape.ndim, shape.dim);
  if (atomic_load(&d->gone)) {
    hed__device_gone(d);
    return NULL;
  }
  return pinned(d, id, &shape, bytes);
}
