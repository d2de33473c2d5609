// SPDX-License-Identifier: BSD-3-Clause
/* Files, shared memory and DLPack with every allocation failing in turn: see fault.h. L5.
 */
#include "dlpack.h"
#include "fault.h"

struct DLManagedTensor { /* what the deleter is found by */
  int64_t tensor[6];
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
};

static hed_array *x, *turned;
static char npy[64], npz[64], other[64];

static result do_read_only(void) { return given(hed_read_only(x)); }
static result do_load_npy(void) { return given(hed_load_npy(npy)); }
static result do_save_npy(void) { return status(hed_save_npy(other, turned)); }
static result do_map_npy(void) { return given(hed_map_npy(npy, HED_MAP_COPY)); }
static result do_create_npy(void) { return given(hed_create_npy(other, HED_SHAPE(2, 2), HED_INT8)); }

static result do_file(void)
{
  hed_file *f;
  hed_status s = hed_file_create("test", other, &f);
  if (s == HED_OK && !hed_file_temporary(f))
    fail("file: no temporary name");
  if (s == HED_OK && (s = hed_file_write(f, "a", 1)) == HED_OK)
    s = hed_file_print(f, "%600d", 1);
  return status(hed_file_close(f, s));
}

static result do_to_text(void)
{
  char *s = hed_to_text(turned, NULL);
  free(s);
  return s ? DONE : FAILED;
}
static result do_print(void)
{
  FILE *f = fopen("/dev/null", "w");
  hed_status s = hed_print(turned, f);
  fclose(f);
  return status(s);
}

static const char *const names[] = { "a", "b" };
static result do_save_npz(void) { return status(hed_save_npz_with(other, 2, names, (const hed_array *[]){ x, turned }, NULL)); }
static result do_load_npz(void) { return given(hed_load_npz(npz, "b")); }
static result do_npz_open(void)
{
  hed_npz *z;
  hed_status s = hed_npz_open(npz, &z);
  if (s != HED_OK && z)
    fail("npz_open: a handle with an error");
  hed_npz_close(z);
  return status(s);
}

static result do_npz_load(void)
{
  hed_npz *z;
  if (hed_npz_open(npz, &z) != HED_OK)
    return FAILED;
  hed_array *a = hed_npz_load(z, "b");
  hed_npz_close(z);
  return given(a);
}

static result do_to_shared(void)
{
  char token[HED_SHARED_TOKEN];
  return given(hed_to_shared(turned, NULL, token));
}
static result do_from_shared(void)
{
  static char token[HED_SHARED_TOKEN];
  static hed_array *made;
  if (!made) /* kept for all calls */
    made = hed_shared_new(HED_SHAPE(3), HED_FLOAT32, NULL, token);
  return given(hed_from_shared(token, true));
}

#define TO_DLPACK(name, type, ...)                                   \
  static result do_##name(void)                                      \
  {                                                                  \
    struct type *m;                                                  \
    hed_status s = hed_##name(turned, HED_COPY_ALWAYS, __VA_ARGS__); \
    if (s == HED_OK)                                                 \
      m->deleter(m);                                                 \
    return status(s);                                                \
  }
TO_DLPACK(to_dlpack, DLManagedTensorVersioned, &m)
TO_DLPACK(to_dlpack_stream, DLManagedTensorVersioned, HED_STREAM_NONE, &m)
TO_DLPACK(to_dlpack_unversioned, DLManagedTensor, &m)

#define FROM_DLPACK(name, type, from, ...)           \
  static result do_##name(void)                      \
  {                                                  \
    struct type *m;                                  \
    if (hed_##from(x, HED_COPY_NEVER, &m) != HED_OK) \
      return FAILED;                                 \
    hed_array *y = hed_##name(__VA_ARGS__);          \
    if (!y)                                          \
      m->deleter(m); /* it stayed ours */            \
    return given(y);                                 \
  }
FROM_DLPACK(from_dlpack, DLManagedTensorVersioned, to_dlpack, m)
FROM_DLPACK(from_dlpack_stream, DLManagedTensorVersioned, to_dlpack, m, HED_STREAM_NONE)
FROM_DLPACK(from_dlpack_unversioned, DLManagedTensor, to_dlpack_unversioned, m)

static result do_wrap_device(void)
{
  static float v[2];
  return given(hed_wrap_device("reference", v, HED_SHAPE(2), NULL, HED_FLOAT32, HED_STREAM_NONE, NULL, NULL));
}

static result do_empty_pinned(void) { return given(hed_empty_pinned(HED_SHAPE(4), HED_FLOAT32, "faulty")); }

static hed_context *device;
static void *stream;
static result do_stream_native(void)
{
  void *handle;
  return status(hed_stream_native("faulty", &handle));
}
static result do_context_with_stream(void)
{
  hed_context *c;
  hed_status s = hed_context_with_stream(device, stream, &c);
  hed_context_release(c);
  return status(s);
}

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(read_only), E(load_npy), E(save_npy), E(map_npy), E(create_npy), E(to_shared), E(from_shared), E(to_dlpack),
  E(from_dlpack), E(to_dlpack_stream), E(from_dlpack_stream), E(to_dlpack_unversioned), E(from_dlpack_unversioned),
  E(wrap_device), E(stream_native), E(empty_pinned),
  E(context_with_stream), E(to_text), E(print), E(file),
#undef E
}, archives[] = {
#define E(f) { #f, do_##f }
  E(npz_open), E(npz_load), E(load_npz), E(save_npz),
#undef E
};

int main(void)
{
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  snprintf(npy, sizeof npy, "/tmp/heddle-fault-%d.npy", (int)getpid());
  snprintf(npz, sizeof npz, "/tmp/heddle-fault-%d.npz", (int)getpid());
  snprintf(other, sizeof other, "/tmp/heddle-fault-%d.out", (int)getpid());
  x = hed_arange(0, 6, 1, HED_FLOAT32);
  hed_array *square = hed_reshape(x, HED_SHAPE(2, 3));
  turned = hed_transpose(square, NULL);
  if (!turned || hed_save_npy(npy, x) != HED_OK || hed_context_derive(NULL, "faulty", &device) != HED_OK ||
      hed_stream_native("faulty", &stream) != HED_OK)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k]);
  if (hed_save_npz(npz, 2, names, (const hed_array *[]){ x, turned }, false) == HED_OK) {
    for (size_t k = 0; k < sizeof archives / sizeof archives[0]; k++)
      storm(&archives[k]);
  } else {
    is_int(hed_error(), HED_E_UNAVAILABLE, "no archives: %s", hed_error_text());
  }
  hed_context_release(device);
  hed_release(square);
  unlink(npy);
  unlink(npz);
  unlink(other);
  return done();
}
