// SPDX-License-Identifier: BSD-3-Clause
/* .npy files: hed_load_npy, hed_save_npy. L3. */
#include "api/file/file.h"
#include "base/cancel.h"
#include "api/file/npy_stream.h"

#include <heddle/io.h>
#include <unistd.h>

static hed_status from_file(hed__source *s, void *to, size_t n)
{
  return hed__io_read(s->op, s->name, *(int *)s->handle, to, n);
}

static hed_status to_file(hed__sink *s, const void *from, size_t n)
{
  return hed_file_write(s->handle, from, n);
}

hed_array *hed_load_npy(const char *path)
{
  HED__UNCANCELLED;
  hed__source s = { .op = "load_npy", .name = path, .read = from_file };
  if (!path) {
    hed_fail(HED_E_INVAL, "load_npy: path is NULL");
    return NULL;
  }
  int fd = hed__io_open("load_npy", path, &s.left);
  if (fd < 0)
    return NULL;
  s.handle = &fd;
  hed_array *x = hed__npy_read(&s);
  close(fd);
  return x;
}

hed_status hed_save_npy(const char *path, const hed_array *x)
{
  HED__UNCANCELLED;
  hed_file *f;
  if (!hed__given(x, "save_npy", "x"))
    return hed_error();
  if (!path)
    return hed_fail(HED_E_INVAL, "save_npy: path is NULL");
  if (!hed__npy_size(x))
    return hed_error();
  hed_status status = hed_file_create("save_npy", path, &f);
  if (status != HED_OK)
    return status;
  hed__sink s = { .op = "save_npy", .name = path, .write = to_file, .handle = f };
  return hed_file_close(f, hed__npy_write(&s, x));
}
