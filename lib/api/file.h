// SPDX-License-Identifier: BSD-3-Clause
/*
 * Files, for the readers and writers of arrays: errors in words, whole reads and writes, results that appear under their
 * name only when they are complete. L3.
 *
 * OP is the public function's name without its prefix and PATH the file, both for the sentence of a failure.
 */
#ifndef HED_API_FILE_H
#define HED_API_FILE_H

#include <heddle/error.h>
#include <stddef.h>

hed_status hed__io_fail(const char *op, const char *path, int error);

/* A regular file for reading: descriptor and size; a negative status else. */
int hed__io_open(const char *op, const char *path, size_t *size);

/* Exactly N bytes; HED_E_FORMAT when the file ends before. */
hed_status hed__io_read(const char *op, const char *path, int fd, void *to, size_t n);
hed_status hed__io_write(const char *op, const char *path, int fd, const void *from, size_t n);

/* A new file beside PATH that takes its place when all is well. */
typedef struct hed__draft {
  const char *op, *path;
  char *temp;            /* the name until it is complete; owned */
  int fd;
} hed__draft;
hed_status hed__draft_open(hed__draft *d, const char *op, const char *path);
/* Somebody else wrote a file of the same temporary name in its place: open that one. */
hed_status hed__draft_replaced(hed__draft *d, hed_status status);
/* STATUS HED_OK: on disk (fsync), then renamed. Otherwise, or when that fails: gone. Returns the status. */
hed_status hed__draft_close(hed__draft *d, hed_status status);

#endif
