// SPDX-License-Identifier: BSD-3-Clause
/* Files, for the readers and writers of arrays: errors in words, whole reads; what writers look into. L3.
 *
 * OP is the public function's name without its prefix and PATH the file, both for the sentence of a failure.
 */
#ifndef HED_API_FILE_H
#define HED_API_FILE_H

#include <heddle/error.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

hed_status hed__io_fail(const char *op, const char *path, int error);

/* A regular file for reading: descriptor and size; a negative status else. */
int hed__io_open(const char *op, const char *path, size_t *size);

/* Exactly N bytes; HED_E_FORMAT when the file ends before. */
hed_status hed__io_read(const char *op, const char *path, int fd, void *to, size_t n);

/* ---- writing: hed_file_create and the rest of <heddle/io.h> ---- */

struct hed_file {
  const char *op, *path; /* in WORDS */
  int fd;
  int cause;             /* errno of the first write that failed */
  char name[PATH_MAX], temporary[PATH_MAX];
  size_t filled;
  char buffer[1 << 15];
  char words[];
};

/* While the calling thread makes files longer, SIGXFSZ stays away, and the call fails with EFBIG. */
typedef struct hed__size_guard {
  sigset_t set, before;
  bool foreign; /* one was pending already */
} hed__size_guard;
void hed__size_guard_begin(hed__size_guard *g);
void hed__size_guard_end(const hed__size_guard *g);

#endif
