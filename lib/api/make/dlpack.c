// SPDX-License-Identifier: BSD-3-Clause
/* DLPack 1.x: hed_to_dlpack, hed_from_dlpack, and both with streams. L3.
 *
 * An exported tensor holds a view of its own on the storage, outside of every scope, so that its deleter needs nothing
 * of the exporting thread. Imported sizes are checked before they are multiplied.
 */
#include "api/make/dlpack_abi.h"

#include "api/call/check.h"
#include "api/call/exchange.h"
#include "base/alloc.h"
#include "core/array/settle.h"
#include <heddle/dlpack.h>
#include <heddle/ops.h>
#include <heddle/runtime.h>
#include <heddle/backend.h>
#include <string.h>

typedef struct export {
  struct DLManagedTensorVersioned managed; /* first: its address is the block's */
  int64_t shape[HED_MAX_NDIM], stride[HED_MAX_NDIM];
} export;

static dl_type type_of(int id)
{
  static const uint8_t code[] = { [HED_KIND_BOOL] = DL_BOOL, [HED_KIND_UINT] = DL_UINT, [HED_KIND_INT] = DL_INT,
                                  [HED_KIND_FLOAT] = DL_FLOAT, [HED_KIND_COMPLEX] = DL_COMPLEX };
  return (dl_type){ .code = id == HED_ID_BFLOAT16 ? DL_BFLOAT : code[hed_dtype_kind(hed__dtypes[id])],
                    .bits = (uint8_t)(hed__id_size(id) * 8), .lanes = 1 };
}

static int id_of(dl_type t)
{
  for (int id = 0; id < HED_ID_CONCRETE_COUNT_ && t.lanes == 1; id++) {
    dl_type s = type_of(id);
    if (s.code == t.code && s.bits == t.bits)
      return id;
  }
  return -1;
}

/* ---- out ---- */

/* DLPack's device type of X's memory, 0 when it has none. */
static int32_t device_type_of(const hed_array *x)
{
  const hed__device *d = x->storage->device;
  return d->host ? DL_CPU : d->plugin->dlpack_device;
}

static bool strides_fit(const hed_view *v)
{
  for (int k = 0; k < v->ndim; k++)
    if (v->stride[k] % hed__id_size(v->dtype) != 0)
      return false;
  return true;
}

static bool repeats(const hed_view *v)
{
  for (int k = 0; k < v->ndim; k++)
    if (v->stride[k] == 0 && v->dim[k] > 1)
      return true;
  return false;
}

static void delete_export(struct DLManagedTensorVersioned *m)
{
  if (!m)
    return;
  hed_release(m->manager_ctx);
  hed__free(m);
}

/* STREAM NULL: the host waits. */
static hed_status export_to(const hed_array *x, hed_copy_policy copy, const intptr_t *stream,
                            struct DLManagedTensorVersioned **out)
{
  hed_array *kept = NULL;
  export *e = NULL;
  hed_status status;
  if (!out)
    return hed_fail(HED_E_INVAL, "to_dlpack: out is NULL");
  *out = NULL;
  if (!hed__given(x, "to_dlpack", "x"))
    return hed_error();
  if (copy != HED_COPY_IF_NEEDED && copy != HED_COPY_ALWAYS && copy != HED_COPY_NEVER)
    return hed_fail(HED_E_INVAL, "to_dlpack: copy is %d, HED_COPY_IF_NEEDED (%d) to HED_COPY_NEVER (%d) are possible", (int)copy,
                    HED_COPY_IF_NEEDED, HED_COPY_NEVER);
  int32_t type = device_type_of(x);
  if (!type)
    return hed_fail(HED_E_UNSUPPORTED, "to_dlpack: DLPack has no device type for memory of %s",
                    x->storage->device->space);
  bool copied = copy == HED_COPY_ALWAYS || !strides_fit(&x->view);
  if (copied && copy == HED_COPY_NEVER)
    return hed_fail(HED_E_INVAL, "to_dlpack: a stride is no multiple of the %d bytes of an element, and copy is never",
                    hed__id_size(x->view.dtype));
  kept = hed_keep(copied ? hed_copy(x) : hed__array_view(x, &x->view));
  if (!kept || (status = stream ? hed__export(kept, *stream) : hed__array_settle(kept)) != HED_OK)
    goto failed;
  e = hed__calloc(1, sizeof *e);
  if (!e) {
    hed_fail(HED_E_NOMEM, "to_dlpack: no memory for a tensor");
    goto failed;
  }
  const hed_view *v = &kept->view;
  for (int k = 0; k < v->ndim; k++) {
    e->shape[k] = v->dim[k];
    e->stride[k] = v->stride[k] / hed__id_size(v->dtype);
  }
  e->managed = (struct DLManagedTensorVersioned){
    .major = DL_MAJOR, .minor = DL_MINOR,
    .manager_ctx = kept, .deleter = delete_export,
    .flags = (uint64_t)(copied ? DL_IS_COPIED : kept->read_only || repeats(v) ? DL_READ_ONLY : 0),
    .tensor = { .data = hed__view_size(v) ? v->data : NULL, .device_type = type,
                .device_id = kept->storage->device->host ? 0 : kept->storage->device->index,
                .ndim = v->ndim, .dtype = type_of(v->dtype), .shape = e->shape, .strides = e->stride },
  };
  *out = &e->managed;
  return HED_OK;

failed:
  hed_release(kept);
  return hed_error();
}

/* Another head on the same tensor: the versioned one goes with it. */
typedef struct unversioned {
  struct DLManagedTensor managed; /* first: its address is the block's */
  struct DLManagedTensorVersioned *whole;
} unversioned;

static void delete_unversioned(struct DLManagedTensor *m)
{
  if (!m)
    return;
  unversioned *u = (unversioned *)m;
  u->whole->deleter(u->whole);
  hed__free(u);
}

hed_status hed_to_dlpack_unversioned(const hed_array *x, hed_copy_policy copy, struct DLManagedTensor **out)
{
  struct DLManagedTensorVersioned *whole = NULL;
  if (!out)
    return hed_fail(HED_E_INVAL, "to_dlpack: out is NULL");
  *out = NULL;
  hed_status status = export_to(x, copy, NULL, &whole);
  if (status == HED_OK && (whole->flags & DL_READ_ONLY)) {
    whole->deleter(whole);
    whole = NULL;
    status = copy == HED_COPY_NEVER ? hed_fail(HED_E_INVAL, "to_dlpack: the array cannot be written, which a tensor of before "
                                               "DLPack 1 cannot say, and copy is never")
                                    : export_to(x, HED_COPY_ALWAYS, NULL, &whole);
  }
  if (status != HED_OK)
    return status;
  unversioned *u = hed__calloc(1, sizeof *u);
  if (!u) {
    whole->deleter(whole);
    return hed_fail(HED_E_NOMEM, "to_dlpack: no memory for a tensor");
  }
  *u = (unversioned){ .managed = { .tensor = whole->tensor, .manager_ctx = u, .deleter = delete_unversioned }, .whole = whole };
  *out = &u->managed;
  return HED_OK;
}

hed_status hed_to_dlpack(const hed_array *x, hed_copy_policy copy, struct DLManagedTensorVersioned **out)
{
  return export_to(x, copy, NULL, out);
}

hed_status hed_to_dlpack_stream(const hed_array *x, hed_copy_policy copy, intptr_t stream,
                                struct DLManagedTensorVersioned **out)
{
  return export_to(x, copy, &stream, out);
}

/* ---- in ---- */

static void delete_import(void *arg)
{
  struct DLManagedTensorVersioned *m = arg;
  if (m->deleter)
    m->deleter(m);
}

/* The device whose memory it is: a loaded one, or for the types that belong to a backend by name, that one. */
static hed__device *device_of(int32_t type, int32_t index)
{
  const char *names[64];
  if (type == DL_CPU || type == DL_CUDA_HOST || type == DL_ROCM_HOST)
    return hed__reference();
  const char *by_name = type == DL_CUDA ? "cuda" : type == DL_OPENCL ? "opencl" : NULL;
  if (by_name)
    return hed__device_get(by_name, strlen(by_name), index);
  int n = hed_backend_list(names, 64);
  for (int k = 0; k < n && k < 64; k++) {
    hed_backend_info b = { .struct_size = sizeof b };
    if (hed_backend_query(names[k], &b) != HED_OK || b.state != HED_BACKEND_READY)
      continue;
    if (index < 0 || index >= b.devices)
      continue;
    hed__device *d = hed__device_get(names[k], strlen(names[k]), index);
    if (d && !d->host && d->plugin->dlpack_device == type)
      return d;
  }
  hed_fail(HED_E_UNAVAILABLE, "from_dlpack: no loaded backend has memory of DLPack device type %d, number %d", (int)type,
           (int)index);
  return NULL;
}

/* Shape, byte strides and address of T; nothing is trusted. */
static hed_status read_layout(const dl_tensor *t, hed_view *v)
{
  int64_t size = hed__id_size(v->dtype);
  if (t->ndim < 0 || t->ndim > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "from_dlpack: %d dimensions, the limit is %d", (int)t->ndim, HED_MAX_NDIM);
  if (t->ndim > 0 && !t->shape)
    return hed_fail(HED_E_INVAL, "from_dlpack: the tensor has %d dimensions and no shape", (int)t->ndim);
  v->ndim = t->ndim;
  if (t->ndim > 0)
    memcpy(v->dim, t->shape, (size_t)t->ndim * sizeof *t->shape);
  hed_shape shape = { .ndim = v->ndim };
  memcpy(shape.dim, v->dim, sizeof shape.dim);
  hed_status status = hed__check_shape("from_dlpack", "the tensor's shape", &shape, v->dtype);
  if (status != HED_OK)
    return status;
  hed__c_strides(v->ndim, v->dim, size, v->stride);
  for (int k = 0; k < v->ndim && t->strides; k++)
    if (__builtin_mul_overflow(t->strides[k], size, &v->stride[k]))
      return hed_fail(HED_E_SHAPE, "from_dlpack: stride %lld of axis %d with %lld elements is not possible",
                      (long long)t->strides[k], k, (long long)v->dim[k]);
  if (t->data && t->byte_offset > UINTPTR_MAX - (uintptr_t)t->data)
    return hed_fail(HED_E_INVAL, "from_dlpack: byte_offset %llu from data at %p leaves the address space",
                    (unsigned long long)t->byte_offset, t->data);
  v->data = t->data ? (char *)t->data + t->byte_offset : NULL;
  int32_t bad;
  return hed__layout_fits(v, &bad) ? HED_OK : hed__layout_fail("from_dlpack", v, bad);
}

/* T as an array; DONE(ARG) ends it. FROM: the array that it was made of, where that is known, else NULL. */
static hed_array *import_tensor(const dl_tensor *t, intptr_t stream, const hed_array *from, void (*done)(void *), void *arg)
{
  int id = id_of(t->dtype);
  if (id < 0) {
    hed_fail(HED_E_DTYPE, "from_dlpack: elements of type code %d, %d bits, %d lanes", t->dtype.code, t->dtype.bits,
             t->dtype.lanes);
    return NULL;
  }
  hed__device *device = device_of(t->device_type, t->device_id);
  if (!device)
    return NULL;
  hed_view v = { .dtype = id };
  if (read_layout(t, &v) != HED_OK)
    return NULL;
  bool empty = hed__view_size(&v) == 0;
  if (!empty && !t->data) {
    hed_fail(HED_E_INVAL, "from_dlpack: data is NULL");
    return NULL;
  }
  int64_t align = hed__id_size(id) / (hed_dtype_kind(hed__dtypes[id]) == HED_KIND_COMPLEX ? 2 : 1);
  if ((uintptr_t)v.data % (uintptr_t)align != 0) {
    hed_fail(HED_E_INVAL, "from_dlpack: data at %p are not aligned to the %lld bytes that %s needs", v.data,
             (long long)align, hed__dtypes[id]->name);
    return NULL;
  }
  return hed__import("from_dlpack", device, &v, stream, from, done, arg);
}

static void delete_unversioned_import(void *arg)
{
  struct DLManagedTensor *m = arg;
  if (m->deleter)
    m->deleter(m);
}

hed_array *hed_from_dlpack(struct DLManagedTensorVersioned *m) { return hed_from_dlpack_stream(m, HED_STREAM_NONE); }

hed_array *hed_from_dlpack_stream(struct DLManagedTensorVersioned *m, intptr_t stream)
{
  if (!m) {
    hed_fail(HED_E_INVAL, "from_dlpack: the tensor is NULL");
    return NULL;
  }
  if (m->major != DL_MAJOR) {
    hed_fail(HED_E_ABI, "from_dlpack: the tensor is of DLPack %u.%u, version %d is understood", (unsigned)m->major,
             (unsigned)m->minor, DL_MAJOR);
    return NULL;
  }
  const hed_array *from = m->deleter == delete_export ? m->manager_ctx : NULL; /* one of our own comes back */
  hed_array *x = import_tensor(&m->tensor, stream, from, delete_import, m);
  if (x)
    x->read_only = (m->flags & DL_READ_ONLY) != 0;
  return x;
}

hed_array *hed_from_dlpack_unversioned(struct DLManagedTensor *m)
{
  if (!m) {
    hed_fail(HED_E_INVAL, "from_dlpack: the tensor is NULL");
    return NULL;
  }
  return import_tensor(&m->tensor, HED_STREAM_NONE, NULL, delete_unversioned_import, m);
}
