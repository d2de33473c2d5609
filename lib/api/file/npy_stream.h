// SPDX-License-Identifier: BSD-3-Clause
/* An array in .npy form as a stream of bytes: a file, or a member of an archive. L3. */
#ifndef HED_API_NPY_STREAM_H
#define HED_API_NPY_STREAM_H

#include "api/file/npy_header.h"
#include "core/array/array.h"

/* Bytes to be had, in order. READ delivers exactly N or a status. LEFT is what the stream promises; nothing that needs
 * more is believed. OP and NAME are for the sentence. */
typedef struct hed__source {
  const char *op, *name;
  size_t left;
  hed_status (*read)(struct hed__source *s, void *to, size_t n);
  void *handle;
} hed__source;

typedef struct hed__sink {
  const char *op, *name;
  hed_status (*write)(struct hed__sink *s, const void *from, size_t n);
  void *handle;
} hed__sink;

/* The head, checked against what is left: BYTES is the size of the elements that follow. */
hed_status hed__npy_read_head(hed__source *s, hed__npy *head, size_t *bytes);

/* Head and elements, as a new array in the current context. */
hed_array *hed__npy_read(hed__source *s);

/* Head and elements of X, in C order, little-endian. Delivers failures of pending work on X. */
hed_status hed__npy_write(hed__sink *s, const hed_array *x);

/* X's elements alone, in C order, little-endian, into TO: hed_array_nbytes(X) bytes of host memory. */
hed_status hed__npy_elements(const hed_array *x, void *to);

/* Bytes that hed__npy_write will write; 0 with the error set for dtypes that the format cannot name. */
size_t hed__npy_size(const hed_array *x);

#endif
