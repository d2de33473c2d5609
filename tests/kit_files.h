// SPDX-License-Identifier: BSD-3-Clause
/* Files for the tests that write some: a folder of their own that vanishes at
 * the end, whole files as bytes, and limits that make writing fail.
 */
#ifndef HED_TESTS_KIT_FILES_H
#define HED_TESTS_KIT_FILES_H
#include <stddef.h>
#include <stdint.h>

/* Makes a folder under $TMPDIR or /tmp; removed with all in it when the program ends. */
void kit_folder(void);
/* Path of a file in it; the last eight results stay valid. */
const char *kit_path(const char *name);
/* Removes its files. */
void kit_clear(void);
/* How many files the folder holds. */
int kit_count(void);

void kit_write(const char *path, const void *bytes, size_t n);
/* Contents with a NUL behind them; to be freed. */
uint8_t *kit_read(const char *path, size_t *n);

/* From now on no file of this process can grow beyond n bytes; 0: no limit any more. */
void kit_limit_file_size(size_t n);

#endif
