// SPDX-License-Identifier: BSD-3-Clause
/* zlib, opened when the first compressed file is read or written. L0. */
#ifndef HED_BASE_ZLIB_H
#define HED_BASE_ZLIB_H

#include "base/library.h"
#include <pthread.h>
#include <stdbool.h>

#define HED__ZLIB "libz.so.1"

/* As they are since 1.0; a file is a gzFile, a stream a z_stream, whose header not every build has. */
typedef struct hed__zlib {
  void *(*gzdopen)(int fd, const char *mode);
  int (*gzread)(void *file, void *to, unsigned bytes);
  int (*gzwrite)(void *file, const void *from, unsigned bytes);
  int (*gzclose)(void *file);
  int (*inflateInit_)(void *stream, const char *version, int stream_bytes);
  int (*inflate)(void *stream, int flush);
  int (*inflateEnd)(void *stream);
} hed__zlib;

static pthread_once_t hed__zlib_once = PTHREAD_ONCE_INIT;
static hed__zlib hed__zlib_functions;
static bool hed__zlib_ready;

static void hed__zlib_load(void)
{
  static const char *const names[] = { HED__ZLIB, NULL };
  static const char *const symbols[] = {
    "gzdopen", "gzread", "gzwrite", "gzclose", "inflateInit_", "inflate", "inflateEnd", NULL
  };
  hed__zlib_ready = !hed__library_fill(names, symbols, &hed__zlib_functions);
}

/* NULL where it does not load. Any thread. */
static inline const hed__zlib *hed__zlib_get(void)
{
  pthread_once(&hed__zlib_once, hed__zlib_load);
  return hed__zlib_ready ? &hed__zlib_functions : NULL;
}

#endif
