// SPDX-License-Identifier: BSD-3-Clause
/* A file from its beginning to its end, unpacked on the way where it is compressed with gzip.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_STREAM_H
#define HEDDLE_KITS_MATCH_FILES_STREAM_H
#include <heddle.h>

typedef struct hed__stream hed__stream;

/* Opens a regular file. HED_E_UNSUPPORTED: it is compressed and there is no zlib. */
hed_status hed__stream_open(const char *op, const char *path, hed__stream **out);
void hed__stream_close(hed__stream *s);

/* The first bytes, 1024 or as many as there are, which stay to be read. */
const uint8_t *hed__stream_head(const hed__stream *s, size_t *n);
/* Bytes of the contents: exactly where the file is not compressed, else the most that they can be. */
uint64_t hed__stream_size(const hed__stream *s, bool *exact);
/* The next N bytes, or as many as there are: *GOT. */
hed_status hed__stream_read(hed__stream *s, void *to, size_t n, size_t *got);
/* The next N bytes into TO (NULL: over them); HED_E_FORMAT where the file ends before. */
hed_status hed__stream_take(hed__stream *s, void *to, uint64_t n);

/* A whole file of at most MOST bytes, with a NUL added behind it; free() releases it. */
hed_status hed__file_load(const char *op, const char *path, uint64_t most, char **text, size_t *n);

#endif
