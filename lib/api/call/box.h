// SPDX-License-Identifier: BSD-3-Clause
/* Weak scalars in automatic storage. L3. */
#ifndef HED_API_BOX_H
#define HED_API_BOX_H

#include "base/dtype.h"
#include "core/array/array.h"
#include "core/memory/pool.h"
#include <heddle/number.h>

/* To be an operand of one call. */
typedef struct hed__box {
  hed_array array;
  hed__storage storage;
  union { float f; double d; int64_t i; double z[2]; } value;
} hed__box;

/* Of dtype ID, its value unset. */
static inline const hed_array *hed__box_new(hed__box *b, int id)
{
  atomic_init(&b->storage.refs, 1);
  atomic_init(&b->storage.ticket, 0);
  atomic_init(&b->storage.poison, NULL);
  atomic_init(&b->storage.watched, false);
  b->storage.account = NULL;
  b->storage.owned = b->storage.fused = false;
  b->storage.cls = b->storage.record = HED__CLASS_NONE;
  b->storage.device = hed__reference();
  b->array.producer = b->storage.device->number;
  b->array.tape = b->array.entry = 0;
  b->storage.ptr = b->array.view.data = &b->value;
  b->storage.bytes = (size_t)hed__id_size(id);
  atomic_init(&b->array.refs, 1);
  atomic_init(&b->array.storage, &b->storage);
  b->array.view.dtype = id;
  b->array.view.ndim = 0; /* extents and strides stay unset: there are none */
  b->array.size = 1;
  b->array.flat = b->array.weak = true;
  b->array.scope_slot = NULL;
  return &b->array;
}

const hed_array *hed__box_real(hed__box *b, double value);
const hed_array *hed__box_int(hed__box *b, int64_t value);
const hed_array *hed__box_uint(hed__box *b, uint64_t value);
const hed_array *hed__box_number(hed__box *b, const hed_number *s);
const hed_array *hed__box_complex(hed__box *b, double re, double im);

/* The value of the weak scalar X, in host memory, as type ID: so that kernels see one type. */
const hed_array *hed__box_cast(hed__box *b, const hed_array *x, int id);

#endif
