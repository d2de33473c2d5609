// SPDX-License-Identifier: BSD-3-Clause
/* Whole reads of regular files. L3. */
#include "api/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 18 }; /* what one call of read is asked for */

hed_status hed__io_fail(const char *op, const char *path, int error)
{
  return hed_fail(HED_E_IO, "%s: %s: %s", op, path, strerror(error));
}

int hed__io_open(const char *op, const char *path, size_t *size)
{
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not make it wait */
  if (fd < 0)
    return hed__io_fail(op, path, errno);
  hed_status status = HED_OK;
  if (fstat(fd, &st) != 0)
    status = hed__io_fail(op, path, errno);
  else if (!S_ISREG(st.st_mode))
    status = hed_fail(HED_E_IO, "%s: %s: not a regular file", op, path);
  if (status != HED_OK) {
    close(fd);
    return status;
  }
  *size = (size_t)st.st_size;
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
