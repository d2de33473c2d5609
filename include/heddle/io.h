// SPDX-License-Identifier: BSD-3-Clause
/* Files of arrays: NumPy's .npy (versions 1 to 3) and .npz, read as hostile, written atomically; mapped files; files of any
 * kind that take another's place.
 *
 * Sentences name the file and what was wrong: HED_E_IO for what the system refuses, HED_E_FORMAT for content, HED_E_DTYPE
 * for element types that Heddle does not have.
 */
#ifndef HEDDLE_IO_H
#define HEDDLE_IO_H

#include <heddle/array.h>

HED_BEGIN_DECLS

/* ---- .npy: one array ---- */

/* Read an array into the current context's space, of any byte and element order; text ('<U7') is uint32 (.., 7), of Unicode. */
HED_NEW hed_array *hed_load_npy(const char *path);

/* Write X in C order, little-endian, as hed_file_create() writes. */
HED_API hed_status hed_save_npy(const char *path, const hed_array *x);

typedef enum hed_map_mode {
  HED_MAP_READ,  /* a read-only array */
  HED_MAP_COPY,  /* writing changes the array, not the file */
  HED_MAP_WRITE  /* writing changes the file */
} hed_map_mode;

/* The file's elements as an array in host memory without reading them: pages come when they are touched, and go with the
 * last reference. Either element order. HED_E_FORMAT for the other byte order and for elements that are not aligned:
 * hed_load_npy takes both. A file that is cut while it is mapped makes access a SIGBUS, as with every mapping. */
HED_NEW hed_array *hed_map_npy(const char *path, hed_map_mode mode);

/* A new file of zeros, mapped for writing (HED_MAP_WRITE); it replaces PATH as hed_file_create() does. Its blocks are reserved
 * on disk. */
HED_NEW hed_array *hed_create_npy(const char *path, hed_shape shape, hed_dtype t);

/* ---- .npz: named arrays in a ZIP archive, stored or deflated; HED_E_UNAVAILABLE without libzip ---- */

typedef struct hed_npz hed_npz;

/* Open an archive for reading. One handle is for one thread at a time; close it with hed_npz_close(). */
HED_API hed_status hed_npz_open(const char *path, hed_npz **out);

/* Number of arrays (members whose name ends in ".npy"; others are passed over), and the name of array K without that
 * end; NULL when K is out of range. Valid until the archive is closed. */
HED_API int hed_npz_count(const hed_npz *z);
HED_API const char *hed_npz_name(const hed_npz *z, int k);

/* The array NAME, read into the current context's space; checksums are verified. HED_E_NOTFOUND names what there is. */
HED_NEW hed_array *hed_npz_load(hed_npz *z, const char *name);

/* NULL is fine. */
HED_API void hed_npz_close(hed_npz *z);

/* hed_npz_open, hed_npz_load, hed_npz_close. */
HED_NEW hed_array *hed_load_npz(const char *path, const char *name);

/* N arrays under their names (not empty, each once, without '/' at the start and without ".." as a part), deflated when
 * COMPRESSED. Written as hed_file_create() writes. */
HED_API hed_status hed_save_npz(const char *path, int n, const char *const *names, const hed_array *const *arrays,
                                bool compressed);

typedef struct hed_npz_options {
  int level; /* of deflating, 1 (fast) to 9 (small); 0: stored; -1: zlib's own default, 6 */
} hed_npz_options;
/* The same by options, NULL for level -1. HED_E_INVAL for another level. */
HED_API hed_status hed_save_npz_with(const char *path, int n, const char *const *names, const hed_array *const *arrays,
                                     const hed_npz_options *opt);

/* ---- files that take another's place all at once ---- */

typedef struct hed_file hed_file;

/* A new file, written under a temporary name in PATH's folder until hed_file_close() has it take PATH's place: others see the
 * old file or the new one, whole, after a crash as well. Symbolic links are followed; what is there must be a regular file
 * that may be written; its mode is kept, and its owner and group where the process may. OP, the name of the caller's
 * operation, begins the sentence of a failure. One handle is for one thread at a time.
 * HED_E_INVAL (NULL, an empty name), HED_E_IO, HED_E_NOMEM; *OUT is NULL then. */
HED_API hed_status hed_file_create(const char *op, const char *path, hed_file **out);

/* The temporary name, for those that write by it: they may put another file there. Valid until hed_file_close(). */
HED_API const char *hed_file_temporary(const hed_file *f);

/* Append N bytes, or text as printf() does. A failure is kept, so that it is enough to look at hed_file_close(). A limit on the
 * size of files (RLIMIT_FSIZE) is HED_E_IO, not a signal. */
HED_API hed_status hed_file_write(hed_file *f, const void *bytes, size_t n);
HED_API hed_status hed_file_print(hed_file *f, const char *format, ...) HED_PRINTF(2, 3);

/* With STATUS HED_OK: put the contents on disk, rename, put the folder on disk. With another one, or when something failed,
 * PATH stays as it was, but when only the folder cannot be put on disk: then the file is in its place and the sentence says
 * so. Frees F in any case; NULL is fine. Returns STATUS or what failed. */
HED_API hed_status hed_file_close(hed_file *f, hed_status status);

HED_END_DECLS

#endif
