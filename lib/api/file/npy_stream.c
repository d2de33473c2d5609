// SPDX-License-Identifier: BSD-3-Clause
/* Arrays to and from .npy streams. L3.
 *
 * What a head promises is compared with what the stream has left before memory is asked for. Elements go through blocks:
 * into host arrays in C order directly, otherwise through one buffer on the host.
 */
#include "api/file/npy_stream.h"

#include "api/call/check.h"
#include "base/alloc.h"
#include "base/cast.h"
#include "base/nest.h"
#include "core/memory/memory.h"
#include "core/record/capture.h"
#include "core/array/settle.h"
#include "core/array/transfer.h"
#include <string.h>

enum { BLOCK_BYTES = 1 << 18 };

/* ---- reading ---- */

static void swap_bytes(char *p, size_t n, size_t size)
{
  for (size_t k = 0; k + size <= n; k += size)
    for (size_t j = 0; j < size / 2; j++) {
      char c = p[k + j];
      p[k + j] = p[k + size - 1 - j];
      p[k + size - 1 - j] = c;
    }
}

/* Elements as this machine has them: byte order, and bool as 0 and 1 whatever the file says. */
static void make_native(const hed__npy *head, char *p, size_t n)
{
  size_t size = (size_t)hed__dtypes[head->id]->bits / 8;
  if (head->id == HED_ID_BOOL)
    for (size_t k = 0; k < n; k++)
      p[k] = p[k] != 0;
  else if (size > 1 && head->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
    swap_bytes(p, n, size);
}

static hed_status take(hed__source *s, void *to, size_t n)
{
  if (n > s->left)
    return hed_fail(HED_E_FORMAT, "%s: %s: the file ends %zu bytes early", s->op, s->name, n - s->left);
  s->left -= n;
  return s->read(s, to, n);
}

hed_status hed__npy_read_head(hed__source *s, hed__npy *head, size_t *bytes)
{
  unsigned char magic[HED__NPY_MAGIC + 4];
  size_t whole = s->left, n = 0;
  hed_status status = take(s, magic, HED__NPY_MAGIC);
  int field = status == HED_OK ? hed__npy_length_size(s->op, s->name, magic) : status;
  if (field < 0)
    return (hed_status)field;
  if ((status = take(s, magic + HED__NPY_MAGIC, (size_t)field)) != HED_OK)
    return status;
  for (int k = field; k-- > 0;)
    n = n << 8 | magic[HED__NPY_MAGIC + k];
  if (n > HED__NPY_LONGEST || n > s->left)
    return hed_fail(HED_E_FORMAT, "%s: %s: a head of %zu bytes in a file of %zu", s->op, s->name, n, whole);
  char *text = hed__malloc(n + 1);
  if (!text)
    return hed_fail(HED_E_NOMEM, "%s: %s: no memory for a head of %zu bytes", s->op, s->name, n);
  status = take(s, text, n);
  if (status == HED_OK)
    status = hed__npy_parse(s->op, s->name, text, n, head);
  hed__free(text);
  if (status != HED_OK)
    return status;
  int64_t count = hed__shape_size(head->shape.ndim, head->shape.dim);
  if (count < 0 || !hed__mul_size((size_t)count, (size_t)hed__id_size(head->id), bytes) || *bytes > s->left)
    return hed_fail(HED_E_FORMAT, "%s: %s: shape %s of %s needs more than the %zu bytes that follow", s->op, s->name,
                    HED__TEXT(&head->shape), hed__dtypes[head->id]->name, s->left);
  return HED_OK;
}

static hed_array *read_elements(hed__source *s, const hed__npy *head, size_t bytes, hed__device *device, int id)
{
  hed_array *x = hed__array_new(device, id, head->shape.ndim, head->shape.dim);
  if (!x)
    return NULL;
  bool direct = device->host && id == head->id && !(head->fortran && head->shape.ndim > 1);
  size_t size = (size_t)hed__id_size(head->id), n = bytes / size;
  char *buffer = direct ? x->view.data : hed__buffer_new(bytes, s->op), *other = NULL;
  hed_status status = buffer ? s->read(s, buffer, bytes) : hed_error();
  if (status == HED_OK)
    make_native(head, buffer, bytes);
  if (status == HED_OK && !direct) {
    hed_view v = x->view;
    v.data = buffer;
    if (id != head->id) { /* narrowed, as the context allows */
      size_t small = (size_t)hed__id_size(id);
      other = hed__buffer_new(n * small, s->op);
      if (other)
        hed__cast(head->id, id)((int64_t)n, other, (int64_t)small, buffer, (int64_t)size);
      else
        status = hed_error();
      v.data = other;
    }
    int64_t stride = hed__id_size(id);
    for (int k = 0; k < v.ndim && head->fortran; k++) {
      v.stride[k] = stride;
      stride *= v.dim[k];
    }
    if (status == HED_OK)
      status = hed__copy_in(x, &v);
  }
  if (!direct)
    hed__buffer_free(buffer);
  hed__buffer_free(other);
  if (status != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *hed__npy_read(hed__source *s)
{
  hed__npy head = { .id = 0 };
  size_t bytes;
  hed__device *device = hed__current_device();
  if (!device || hed__npy_read_head(s, &head, &bytes) != HED_OK)
    return NULL;
  int id = hed__dtype_concrete(hed__dtypes[head.id], device, s->op);
  hed_array *x = id >= 0 ? read_elements(s, &head, bytes, device, id) : NULL;
  hed__capture_given(x);
  return x;
}

/* ---- writing ---- */

/* V's elements in C order, little-endian. V is in host memory. */
static hed_status write_elements(hed__sink *s, const hed_view *v)
{
  size_t size = (size_t)hed__id_size(v->dtype), part = (size_t)hed__dtypes[v->dtype]->bits / 8, used = 0;
  bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && part > 1;
  if (hed__view_size(v) == 0)
    return HED_OK;
  if (hed__is_c_contiguous(v) && !swap)
    return s->write(s, v->data, (size_t)hed__view_size(v) * size);
  char *block = hed__buffer_new(BLOCK_BYTES, s->op);
  if (!block)
    return hed_error();
  hed__cast_fn copy = hed__cast(v->dtype, v->dtype);
  hed__nest nest;
  hed__nest_init(&nest, 1, &v, 0);
  hed__walk walk;
  hed__walk_init(&walk, &nest, 0, hed__nest_rows(&nest));
  int64_t row = nest.dim[nest.ndim - 1], step = nest.stride[0][nest.ndim - 1];
  hed_status status = HED_OK;
  while (status == HED_OK && hed__walk_next(&walk))
    for (int64_t k = 0; k < row && status == HED_OK;) {
      int64_t room = (int64_t)((BLOCK_BYTES - used) / size), n = row - k < room ? row - k : room;
      copy(n, block + used, (int64_t)size, walk.ptr[0] + k * step, step);
      used += (size_t)n * size;
      k += n;
      if (BLOCK_BYTES - used < size) {
        if (swap)
          swap_bytes(block, used, part);
        status = s->write(s, block, used);
        used = 0;
      }
    }
  if (status == HED_OK) {
    if (swap)
      swap_bytes(block, used, part);
    status = s->write(s, block, used);
  }
  hed__buffer_free(block);
  return status;
}

static hed_status write_data(hed__sink *s, const hed_array *x)
{
  hed_view v = x->view;
  if (x->storage->device->host) {
    hed_status status = hed__array_settle(x);
    return status == HED_OK ? write_elements(s, &v) : status;
  }
  size_t bytes = (size_t)hed__view_size(&v) * (size_t)hed__id_size(v.dtype);
  char *buffer = hed__buffer_new(bytes, s->op);
  if (!buffer)
    return hed_error();
  v.data = buffer;
  hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
  hed_status status = hed__copy_out(x, &v);
  if (status == HED_OK)
    status = write_elements(s, &v);
  hed__buffer_free(buffer);
  return status;
}

hed_status hed__npy_elements(const hed_array *x, void *to)
{
  hed_view v = x->view;
  size_t part = (size_t)hed__dtypes[v.dtype]->bits / 8;
  v.data = to;
  hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
  hed_status status = hed__copy_out(x, &v);
  if (status == HED_OK && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && part > 1)
    swap_bytes(to, hed_array_nbytes(x), part);
  return status;
}

size_t hed__npy_size(const hed_array *x)
{
  char head[1024];
  hed_shape shape = hed__shape_of(x);
  int n = hed__npy_format(x->view.dtype, &shape, head);
  return n < 0 ? 0 : (size_t)n + hed_array_nbytes(x);
}

hed_status hed__npy_write(hed__sink *s, const hed_array *x)
{
  char head[1024];
  hed_shape shape = hed__shape_of(x);
  int n = hed__npy_format(x->view.dtype, &shape, head);
  if (n < 0)
    return (hed_status)n;
  hed_status status = s->write(s, head, (size_t)n);
  return status == HED_OK ? write_data(s, x) : status;
}
