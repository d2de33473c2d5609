// SPDX-License-Identifier: BSD-3-Clause
/*
 * Whole reads and writes, and files that replace others atomically. L3.
 *
 * A draft is renamed only after fsync: a crash leaves the old file or the new one, never an empty one.
 */
#include "api/file.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 18 }; /* what one call of read or write is asked for */

hed_status hed__io_fail(const char *op, const char *path, int error)
{
  char text[128];
  return hed_fail(HED_E_IO, "%s: %s: %s", op, path, strerror_r(error, text, sizeof text));
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
    ssize_t got = read(fd, p, n < PIECE ? n : PIECE);
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

hed_status hed__io_write(const char *op, const char *path, int fd, const void *from, size_t n)
{
  const char *p = from;
  while (n) {
    ssize_t put = write(fd, p, n);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return hed__io_fail(op, path, errno);
    p += put;
    n -= (size_t)put;
  }
  return HED_OK;
}

hed_status hed__draft_open(hed__draft *d, const char *op, const char *path)
{
  static atomic_uint counter;
  size_t cap = strlen(path) + 48;
  *d = (hed__draft){ .op = op, .path = path, .temp = hed__malloc(cap), .fd = -1 };
  if (!d->temp)
    return hed_fail(HED_E_NOMEM, "%s: %s: no memory for a name", op, path);
  for (int tries = 0; tries < 100; tries++) {
    snprintf(d->temp, cap, "%s.%ld.%u.tmp", path, (long)getpid(), atomic_fetch_add(&counter, 1));
    d->fd = open(d->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (d->fd >= 0)
      return HED_OK;
    if (errno != EEXIST)
      break;
  }
  hed_status status = hed__io_fail(op, path, errno);
  hed__free(d->temp);
  d->temp = NULL;
  return status;
}

hed_status hed__draft_replaced(hed__draft *d, hed_status status)
{
  if (status != HED_OK)
    return status;
  int fd = open(d->temp, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return hed__io_fail(d->op, d->path, errno);
  close(d->fd);
  d->fd = fd;
  return HED_OK;
}

hed_status hed__draft_close(hed__draft *d, hed_status status)
{
  if (!d->temp)
    return status;
  if (status == HED_OK && fsync(d->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
    status = hed__io_fail(d->op, d->path, errno);
  if (close(d->fd) != 0 && status == HED_OK)
    status = hed__io_fail(d->op, d->path, errno);
  if (status == HED_OK && rename(d->temp, d->path) != 0)
    status = hed__io_fail(d->op, d->path, errno);
  if (status != HED_OK)
    unlink(d->temp);
  hed__free(d->temp);
  d->temp = NULL;
  return status;
}
