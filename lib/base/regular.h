// SPDX-License-Identifier: BSD-3-Clause
/* Files given by name. L0. */
#ifndef HED_BASE_REGULAR_H
#define HED_BASE_REGULAR_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PATH, opened to read, and its size; -1 with *WHY. Pipes and devices are refused: they would block, or have no end. */
static inline int hed__regular_open(const char *path, uint64_t *size, const char **why)
{
  struct stat st;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const int got = fd < 0 ? -1 : fstat(fd, &st);
  if (got == 0 && S_ISREG(st.st_mode)) {
    *size = (uint64_t)st.st_size;
    return fd;
  }
  *why = got == 0 ? "not a regular file" : strerror(errno);
  if (fd >= 0)
    close(fd);
  return -1;
}

/* The same as a stream; NULL with *WHY. */
static inline FILE *hed__regular_stream(const char *path, uint64_t *size, const char **why)
{
  const int fd = hed__regular_open(path, size, why);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
  if (fd >= 0 && !f) {
    *why = strerror(errno);
    close(fd);
  }
  return f;
}

#endif
