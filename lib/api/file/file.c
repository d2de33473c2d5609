// SPDX-License-Identifier: BSD-3-Clause
/* Whole reads of regular files. L3. */
#include "api/file/file.h"

#include "base/regular.h"

enum { PIECE_BYTES = 1 << 18 }; /* what one call of read is asked for */

hed_status hed__io_fail(const char *op, const char *path, int error)
{
  return hed_fail(HED_E_IO, "%s: %s: %s", op, path, strerror(error));
}

int hed__io_open(const char *op, const char *path, size_t *size)
{
  const char *why = NULL;
  uint64_t bytes = 0;
  const int fd = hed__regular_open(path, &bytes, &why);
  if (fd < 0)
    return hed_fail(HED_E_IO, "%s: %s: %s", op, path, why);
  *size = (size_t)bytes;
  return fd;
}

hed_status hed__io_read(const char *op, const char *path, int fd, void *to, size_t n)
{
  char *p = to;
  while (n) {
    ssize_t got = read(fd, p, n < PIECE_BYTES ? n : PIECE_BYTES);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return hed__io_fail(op, path, errno);
    if (got == 0)
      return hed_fail(HED_E_FORMAT, "%s: %s: the file ends %zu bytes early", op, path, n);
    p += got;
    n -= (size_t)got;
  }
  return HED_OK;
}
