// SPDX-License-Identifier: BSD-3-Clause
/* The bytes of one element, or chunk, of a .mat file, as they are or inflated.
 *
 * Layer: L4, tensor kit, internal. Nothing is allocated by what a file says: zlib's own state is all.
 */
#ifndef HEDDLE_KITS_TENSOR_MAT_SOURCE_H
#define HEDDLE_KITS_TENSOR_MAT_SOURCE_H
#include <heddle.h>
#include <stdio.h>
#ifdef HED_HAVE_ZLIB
#include <zlib.h>
#endif

typedef struct hed__mat_source {
  const char *op, *path;
  FILE *f;
  bool swap;       /* numbers are of the other byte order                    */
  bool packed;     /* what follows is deflated                               */
  uint64_t held;   /* bytes of the element in the file                       */
  uint64_t stored; /* those that were not yet read                           */
  uint64_t inside; /* bytes of the matrix that were not yet taken            */
#ifdef HED_HAVE_ZLIB
  const struct hed__zlib *lib;
  z_stream z;
  unsigned char in[4096];
#endif
} hed__mat_source;

/* S->f stands behind the tag of an element of S->stored bytes. HED_E_UNAVAILABLE where it is deflated and there is no zlib. */
hed_status hed__mat_begin(hed__mat_source *s, bool packed);
/* After the last byte was taken: HED_E_FORMAT where what was deflated has another checksum. */
hed_status hed__mat_check(hed__mat_source *s);
void hed__mat_end(hed__mat_source *s);
/* The next N bytes into OUT; NULL: they are passed over. HED_E_FORMAT where the element has fewer. */
hed_status hed__mat_take(hed__mat_source *s, void *out, uint64_t n);
/* N numbers of SIZE bytes in the other byte order. */
void hed__mat_swap(unsigned char *at, size_t n, int size);

#endif
