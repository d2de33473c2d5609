// SPDX-License-Identifier: BSD-3-Clause
/*
 * .npy files: hed_load_npy, hed_save_npy. L3.
 *
 * The size of the file is compared with what its head promises before memory is asked for. Elements go through blocks:
 * into host arrays in C order directly, otherwise through one buffer on the host. Written files appear under their name
 * only when they are complete.
 */
#include "api/npy_header.h"

#include "api/check.h"
#include "base/alloc.h"
#include "base/cast.h"
#include <errno.h>
#include <fcntl.h>
#include <heddle/error.h>
#include <heddle/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 18 };

static hed_status io_fail(const char *op, const char *path, int error)
{
  char text[128];
  return hed_fail(HED_E_IO, "%s: %s: %s", op, path, strerror_r(error, text, sizeof text));
}

/* ---- reading ---- */

static hed_status read_all(const char *path, int fd, void *to, size_t n)
{
  char *p = to;
  while (n) {
    ssize_t got = read(fd, p, n < BLOCK ? n : BLOCK);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return io_fail("load_npy", path, errno);
    if (got == 0)
      return hed_fail(HED_E_FORMAT, "load_npy: %s: the file ends %zu bytes early", path, n);
    p += got;
    n -= (size_t)got;
  }
  return HED_OK;
}

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

static hed_status read_head(const char *path, int fd, hed__npy *head, size_t *left)
{
  struct stat st;
  unsigned char magic[HED__NPY_MAGIC + 4];
  if (fstat(fd, &st) != 0)
    return io_fail("load_npy", path, errno);
  if (!S_ISREG(st.st_mode))
    return hed_fail(HED_E_IO, "load_npy: %s: not a regular file", path);
  hed_status status = read_all(path, fd, magic, HED__NPY_MAGIC);
  int field = status == HED_OK ? hed__npy_length_size(path, magic) : status;
  if (field < 0)
    return (hed_status)field;
  if ((status = read_all(path, fd, magic + HED__NPY_MAGIC, (size_t)field)) != HED_OK)
    return status;
  size_t n = 0;
  for (int k = field; k-- > 0;)
    n = n << 8 | magic[HED__NPY_MAGIC + k];
  size_t before = (size_t)(HED__NPY_MAGIC + field) + n;
  if (n > HED__NPY_LONGEST || st.st_size < 0 || before > (uint64_t)st.st_size)
    return hed_fail(HED_E_FORMAT, "load_npy: %s: a head of %zu bytes in a file of %lld", path, n,
                    (long long)st.st_size);
  char *text = hed__malloc(n + 1);
  if (!text)
    return hed_fail(HED_E_NOMEM, "load_npy: %s: no memory for a head of %zu bytes", path, n);
  status = read_all(path, fd, text, n);
  if (status == HED_OK)
    status = hed__npy_parse(path, text, n, head);
  hed__free(text);
  *left = (size_t)st.st_size - before;
  return status;
}

static hed_array *read_array(const char *path, int fd, const hed__npy *head, size_t bytes, hed__device *device, int id)
{
  hed_array *x = hed__array_new(device, id, head->shape.ndim, head->shape.dim);
  if (!x)
    return NULL;
  bool direct = device->host && id == head->id && !(head->fortran && head->shape.ndim > 1);
  size_t size = (size_t)hed__id_size(head->id), n = bytes / size;
  char *buffer = direct ? x->view.data : hed__alloc_aligned(bytes, HED__ALIGN), *other = NULL;
  hed_status status = buffer ? read_all(path, fd, buffer, bytes)
                             : hed_fail(HED_E_NOMEM, "load_npy: %s: no memory for %zu bytes", path, bytes);
  if (status == HED_OK)
    make_native(head, buffer, bytes);
  if (status == HED_OK && !direct) {
    hed_view v = x->view;
    v.data = buffer;
    if (id != head->id) { /* narrowed, as the context allows */
      size_t small = (size_t)hed__id_size(id);
      other = hed__alloc_aligned(n * small, HED__ALIGN);
      if (other)
        hed__cast(head->id, id)((int64_t)n, other, (int64_t)small, buffer, (int64_t)size);
      else
        status = hed_fail(HED_E_NOMEM, "load_npy: %s: no memory for %zu elements", path, n);
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
    hed__free(buffer);
  hed__free(other);
  if (status != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *hed_load_npy(const char *path)
{
  if (!path) {
    hed_fail(HED_E_INVAL, "load_npy: path is NULL");
    return NULL;
  }
  hed__device *device = hed__current_device();
  if (!device)
    return NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    io_fail("load_npy", path, errno);
    return NULL;
  }
  hed_array *x = NULL;
  hed__npy head = { .id = 0 };
  size_t left = 0, bytes;
  if (read_head(path, fd, &head, &left) == HED_OK) {
    int64_t n = hed__shape_size(head.shape.ndim, head.shape.dim);
    if (n < 0 || !hed__mul_size((size_t)n, (size_t)hed__id_size(head.id), &bytes) || bytes > left) {
      hed_fail(HED_E_FORMAT, "load_npy: %s: shape %s of %s needs more than the %zu bytes that follow", path,
               HED__TEXT(&head.shape), hed__dtypes[head.id]->name, left);
    } else {
      int id = hed__dtype_concrete(hed__dtypes[head.id], device, "load_npy");
      if (id >= 0)
        x = read_array(path, fd, &head, bytes, device, id);
    }
  }
  close(fd);
  return x;
}

/* ---- writing ---- */

static hed_status write_all(const char *path, int fd, const char *p, size_t n)
{
  while (n) {
    ssize_t put = write(fd, p, n);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return io_fail("save_npy", path, errno);
    p += put;
    n -= (size_t)put;
  }
  return HED_OK;
}

/* V's elements in C order, little-endian. V is in host memory. */
static hed_status write_elements(const char *path, int fd, const hed_view *v)
{
  size_t size = (size_t)hed__id_size(v->dtype), part = (size_t)hed__dtypes[v->dtype]->bits / 8, used = 0;
  bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && part > 1;
  if (hed__view_size(v) == 0)
    return HED_OK;
  if (hed__is_c_contiguous(v) && !swap)
    return write_all(path, fd, v->data, (size_t)hed__view_size(v) * size);
  char *block = hed__alloc_aligned(BLOCK, HED__ALIGN);
  if (!block)
    return hed_fail(HED_E_NOMEM, "save_npy: %s: no memory for %d bytes", path, BLOCK);
  hed__cast_fn copy = hed__cast(v->dtype, v->dtype);
  hed__nest nest;
  hed__nest_init(&nest, 1, &v, false);
  hed__walk walk;
  hed__walk_init(&walk, &nest, 0, hed__nest_rows(&nest));
  int64_t row = nest.dim[nest.ndim - 1], step = nest.stride[0][nest.ndim - 1];
  hed_status status = HED_OK;
  while (status == HED_OK && hed__walk_next(&walk))
    for (int64_t k = 0; k < row && status == HED_OK;) {
      int64_t room = (int64_t)((BLOCK - used) / size), n = row - k < room ? row - k : room;
      copy(n, block + used, (int64_t)size, walk.ptr[0] + k * step, step);
      used += (size_t)n * size;
      k += n;
      if (BLOCK - used < size) {
        if (swap)
          swap_bytes(block, used, part);
        status = write_all(path, fd, block, used);
        used = 0;
      }
    }
  if (status == HED_OK) {
    if (swap)
      swap_bytes(block, used, part);
    status = write_all(path, fd, block, used);
  }
  hed__free(block);
  return status;
}

static hed_status write_data(const char *path, int fd, const hed_array *x)
{
  hed_view v = x->view;
  if (x->storage->device->host) {
    hed_status status = hed__array_settle(x);
    return status == HED_OK ? write_elements(path, fd, &v) : status;
  }
  size_t bytes = (size_t)hed__view_size(&v) * (size_t)hed__id_size(v.dtype);
  char *buffer = hed__alloc_aligned(bytes, HED__ALIGN);
  if (!buffer)
    return hed_fail(HED_E_NOMEM, "save_npy: %s: no memory for %zu bytes", path, bytes);
  v.data = buffer;
  hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
  hed_status status = hed__copy_out(x, &v);
  if (status == HED_OK)
    status = write_elements(path, fd, &v);
  hed__free(buffer);
  return status;
}

/* A new file beside PATH; its name goes to TEMP. */
static int open_temporary(const char *path, char *temp, size_t cap)
{
  static atomic_uint counter;
  for (int tries = 0; tries < 100; tries++) {
    snprintf(temp, cap, "%s.%ld.%u.tmp", path, (long)getpid(), atomic_fetch_add(&counter, 1));
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

hed_status hed_save_npy(const char *path, const hed_array *x)
{
  if (!hed__given(x, "save_npy", "x"))
    return hed_error();
  if (!path)
    return hed_fail(HED_E_INVAL, "save_npy: path is NULL");
  char head[1024];
  hed_shape shape = hed__shape_of(x);
  int n = hed__npy_format(x->view.dtype, &shape, head);
  if (n < 0)
    return (hed_status)n;
  size_t cap = strlen(path) + 48;
  char *temp = hed__malloc(cap);
  if (!temp)
    return hed_fail(HED_E_NOMEM, "save_npy: %s: no memory for a name", path);
  int fd = open_temporary(path, temp, cap);
  if (fd < 0) {
    hed_status status = io_fail("save_npy", path, errno);
    hed__free(temp);
    return status;
  }
  hed_status status = write_all(path, fd, head, (size_t)n);
  if (status == HED_OK)
    status = write_data(path, fd, x);
  if (close(fd) != 0 && status == HED_OK)
    status = io_fail("save_npy", path, errno);
  if (status == HED_OK && rename(temp, path) != 0)
    status = io_fail("save_npy", path, errno);
  if (status != HED_OK)
    unlink(temp);
  hed__free(temp);
  return status;
}
