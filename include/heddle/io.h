// SPDX-License-Identifier: BSD-3-Clause
/* Files: NumPy's .npy (versions 1 to 3), read as hostile, written atomically. */
#ifndef HEDDLE_IO_H
#define HEDDLE_IO_H

#include <heddle/array.h>

HED_BEGIN_DECLS

/* Read an array into the current context's space; both byte orders and both element orders. HED_E_IO,
 * HED_E_FORMAT with the path and what was wrong. */
HED_API hed_array *hed_load_npy(const char *path);

/* Write X in C order, little-endian, to a temporary name in the same directory, then rename. */
HED_API hed_status hed_save_npy(const char *path, const hed_array *x);

HED_END_DECLS

#endif
