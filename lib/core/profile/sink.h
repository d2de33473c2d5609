// SPDX-License-Identifier: BSD-3-Clause
/* A file of text, plain or compressed by libz, which is opened when it is wanted. L2. */
#ifndef HED_CORE_PROFILE_SINK_H
#define HED_CORE_PROFILE_SINK_H

#include <heddle/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct hed__sink {
  FILE *file;
  void *gz;
  bool failed;
  size_t used;
  char text[64 * 1024];
} hed__sink;

/* HED_E_UNSUPPORTED: PATH ends in .gz and there is no libz. */
hed_status hed__writer_ready(const char *path);
bool hed__sink_open(hed__sink *s, const char *path);
void hed__sink_put(hed__sink *s, const char *format, ...) HED_PRINTF(2, 3);
/* TEXT as the inside of a string of JSON. */
void hed__sink_quote(hed__sink *s, const char *text);
/* False: something could not be written, and errno says why. */
bool hed__sink_close(hed__sink *s);

#endif
