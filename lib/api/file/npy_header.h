// SPDX-License-Identifier: BSD-3-Clause
/* The head of a .npy file, as bytes. L3.
 *
 * Format: NumPy Enhancement Proposal 1 and numpy.lib.format (versions 1.0, 2.0, 3.0): magic "\x93NUMPY", two bytes of
 * version, the length of the rest (two bytes, from version 2.0 on four; little-endian), a Python dictionary with descr,
 * fortran_order and shape, padded with blanks.
 */
#ifndef HED_API_NPY_HEADER_H
#define HED_API_NPY_HEADER_H

#include <heddle/array.h>

enum {
  HED__NPY_MAGIC = 8,         /* bytes that say which version it is */
  HED__NPY_LONGEST = 1 << 16, /* a longer dictionary is refused: 16 extents need some hundred bytes */
};

typedef struct hed__npy {
  int id;           /* concrete dtype */
  bool big;         /* big-endian elements */
  bool fortran;     /* first axis varies fastest */
  hed_shape shape;
} hed__npy;

/* Bytes of the length field, from the first HED__NPY_MAGIC bytes; negative status. OP and PATH are for the sentence. */
int hed__npy_length_size(const char *op, const char *path, const unsigned char *magic);

/* The dictionary, N bytes at TEXT. HED_E_FORMAT, or HED_E_DTYPE for element types that Heddle does not have. */
hed_status hed__npy_parse(const char *op, const char *path, const char *text, size_t n, hed__npy *out);

/* A complete head of version 1.0, a multiple of 64 bytes, for little-endian elements in C order. Returns its length;
 * negative status for dtypes that the format cannot name. */
int hed__npy_format(int id, const hed_shape *shape, char buf[1024]);

#endif
