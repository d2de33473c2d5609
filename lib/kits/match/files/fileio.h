// SPDX-License-Identifier: BSD-3-Clause
/* What the readers and writers of the match kit share.
 *
 * Layer: L4, match kit, internal. Files are hostile: only regular files are read, sizes are
 * known before anything is allocated. hed_file_create() writes. `op` is the public function
 * that messages name.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_FILEIO_H
#define HEDDLE_KITS_MATCH_FILES_FILEIO_H
#include <heddle.h>
#include <locale.h>

/* Opens a regular file for reading; neither FIFOs nor devices, which could block. */
hed_status hed__file_open(const char *op, const char *path, int *fd, uint64_t *size);

/* Reads exactly n bytes at an offset. */
hed_status hed__file_read_at(const char *op, const char *path, int fd, uint64_t offset,
                             void *dst, size_t n);

/* Numbers in files have a point whatever the program's locale: between enter and leave the
 * calling thread (no other) uses the C locale. */
typedef struct hed__c_locale { locale_t mine, previous; } hed__c_locale;
hed_status hed__c_locale_enter(hed__c_locale *c, const char *op);
void hed__c_locale_leave(hed__c_locale *c);

/* A finite decimal number that fills s[0..n) but for blanks around it; false otherwise.
 * To be called between enter and leave. */
bool hed__parse_number(const char *s, size_t n, double *out);

/* The values of a real array as C-ordered float32, from malloc(); *n their number. */
hed_status hed__host_values(const char *op, const hed_array *x, float **values, size_t *n);

/* Writes at most `room` - 1 characters of s[0..n) that can be shown in a message. */
const char *hed__printable(const char *s, size_t n, char *buf, size_t room);

#endif
