// SPDX-License-Identifier: BSD-3-Clause
/* libzip, opened when the first archive is: programs that never touch one do not carry it. L3. */
#ifndef HED_API_ZIP_LOAD_H
#define HED_API_ZIP_LOAD_H

#include <heddle/error.h>
#include <stdbool.h>

#ifdef HED_HAVE_LIBZIP
#include <zip.h>

/* Functions of libzip, by their own names. */
#define HED__ZIP_FUNCTIONS(X)                                                                                  \
  X(zip_open) X(zip_close) X(zip_discard) X(zip_strerror) X(zip_get_num_entries) X(zip_stat_index)             \
  X(zip_fopen_index) X(zip_fread) X(zip_fclose) X(zip_source_function) X(zip_source_free)                      \
  X(zip_source_make_command_bitmap) X(zip_file_add) X(zip_set_file_compression)                                \
  X(zip_error_init_with_code) X(zip_error_strerror) X(zip_error_fini) X(zip_error_set)

typedef struct hed__zip {
#define X(name) __typeof__(name) *name;
  HED__ZIP_FUNCTIONS(X)
#undef X
} hed__zip;

/* The functions, or NULL with HED_E_UNAVAILABLE set, naming OP and what is missing. Any thread. */
const hed__zip *hed__zip_get(const char *op);
#endif

#endif
