// SPDX-License-Identifier: BSD-3-Clause
/* .npy files mapped into memory: hed_map_npy, hed_create_npy. L3.
 *
 * The mapping lives as long as the array's storage. The file is checked as hed_load_npy checks it before anything is
 * mapped; what another process does to the file afterwards is beyond control, as with every mapping.
 */
#include "api/file/file.h"
#include "api/file/npy_stream.h"

#include "api/call/check.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include <errno.h>
#include <fcntl.h>
#include <heddle/io.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct mapping {
  void *address;
  size_t bytes;
} mapping;

static void unmap(void *arg)
{
  mapping *m = arg;
  if (m->bytes)
    munmap(m->address, m->bytes);
  hed__free(m);
}

static hed_status from_file(hed__source *s, void *to, size_t n)
{
  return hed__io_read(s->op, s->name, *(int *)s->handle, to, n);
}

/* The array of HEAD whose elements begin at byte OFFSET of the file. */
static hed_array *map_elements(const char *op, const char *path, int fd, const hed__npy *head, size_t offset, size_t bytes,
                               hed_map_mode mode)
{
  hed__device *host = hed__reference();
  hed_view v = { .dtype = head->id, .ndim = head->shape.ndim };
  int64_t size = hed__id_size(head->id), stride = size;
  memcpy(v.dim, head->shape.dim, sizeof v.dim);
  hed__c_strides(v.ndim, v.dim, size, v.stride);
  for (int k = 0; k < v.ndim && head->fortran; k++) {
    v.stride[k] = stride;
    stride *= v.dim[k];
  }
  mapping *m = hed__calloc(1, sizeof *m);
  if (!m) {
    hed_fail(HED_E_NOMEM, "%s: %s: no memory for a record", op, path);
    return NULL;
  }
  if (bytes) {
    int prot = mode == HED_MAP_READ ? PROT_READ : PROT_READ | PROT_WRITE;
    void *p = mmap(NULL, offset + bytes, prot, mode == HED_MAP_WRITE ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
      hed__io_fail(op, path, errno);
      hed__free(m);
      return NULL;
    }
    *m = (mapping){ p, offset + bytes };
    v.data = (char *)p + offset;
  }
  hed_array *x = hed__array_wrap(host, &v, unmap, m);
  if (!x)
    unmap(m);
  else
    x->read_only = mode == HED_MAP_READ;
  return x;
}

hed_array *hed_map_npy(const char *path, hed_map_mode mode)
{
  HED__UNCANCELLED;
  hed__source s = { .op = "map_npy", .name = path, .read = from_file };
  hed__npy head = { .id = 0 };
  size_t bytes, size;
  hed_array *x = NULL;
  if (!path || mode < HED_MAP_READ || mode > HED_MAP_WRITE) {
    if (path)
      hed_fail(HED_E_INVAL, "map_npy: mode is %d, HED_MAP_READ (%d) to HED_MAP_WRITE (%d) are possible", (int)mode, HED_MAP_READ,
               HED_MAP_WRITE);
    else
      hed_fail(HED_E_INVAL, "map_npy: path is NULL");
    return NULL;
  }
  int fd = hed__io_open("map_npy", path, &s.left);
  if (fd < 0)
    return NULL;
  size = s.left;
  s.handle = &fd;
  if (hed__npy_read_head(&s, &head, &bytes) != HED_OK)
    goto done;
  size_t offset = size - s.left, one = (size_t)hed__dtypes[head.id]->bits / 8;
  if (one > 1 && head.big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
    hed_fail(HED_E_FORMAT, "map_npy: %s: the elements are in the other byte order; hed_load_npy converts them", path);
    goto done;
  }
  if (offset % one != 0) {
    hed_fail(HED_E_FORMAT, "map_npy: %s: the elements begin at byte %zu, not aligned to %zu; hed_load_npy reads them",
             path, offset, one);
    goto done;
  }
  if (mode == HED_MAP_WRITE) {
    int writable = open(path, O_RDWR | O_CLOEXEC);
    if (writable < 0) {
      hed__io_fail("map_npy", path, errno);
      goto done;
    }
    close(fd);
    fd = writable;
  }
  x = map_elements("map_npy", path, fd, &head, offset, bytes, mode);

done:
  close(fd);
  return x;
}

hed_array *hed_create_npy(const char *path, hed_shape shape, hed_dtype t)
{
  HED__UNCANCELLED;
  hed_file *f;
  hed__size_guard guard;
  char text[1024];
  size_t bytes;
  hed_array *x = NULL;
  if (!path || !t) {
    hed_fail(HED_E_INVAL, "create_npy: %s is NULL", path ? "dtype" : "path");
    return NULL;
  }
  int id = hed__dtype_concrete(t, hed__reference(), "create_npy");
  if (id < 0 || hed__check_shape("create_npy", "shape", &shape, id) != HED_OK)
    return NULL;
  int n = hed__npy_format(id, &shape, text);
  hed__npy head = { .id = id, .shape = shape };
  if (n < 0 || hed_file_create("create_npy", path, &f) != HED_OK)
    return NULL;
  hed__mul_size((size_t)hed__shape_size(shape.ndim, shape.dim), (size_t)hed__id_size(id), &bytes);
  hed_status status = hed_file_write(f, text, (size_t)n);
  /* Blocks are reserved now: a full disk is an error here, not a signal while the array is written. */
  hed__size_guard_begin(&guard);
  int error = status == HED_OK && bytes ? posix_fallocate(f->fd, n, (off_t)bytes) : 0;
  hed__size_guard_end(&guard);
  if (error)
    status = hed__io_fail("create_npy", path, error);
  if (status == HED_OK) {
    x = map_elements("create_npy", path, f->fd, &head, (size_t)n, bytes, HED_MAP_WRITE);
    status = x ? HED_OK : hed_error();
  }
  if (hed_file_close(f, status) != HED_OK) {
    hed_release(x);
    x = NULL;
  }
  return x;
}
