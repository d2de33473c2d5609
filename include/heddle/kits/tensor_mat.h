// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_mat.h: arrays of MATLAB's files.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h>.
 */
#ifndef HEDDLE_KITS_TENSOR_MAT_H
#define HEDDLE_KITS_TENSOR_MAT_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The variable NAME of the .mat file PATH as an array in C order with MATLAB's axes, where the current context works: numbers of any
 * class, complex ones, logical ones as bool. NAME may be NULL where the file has one variable. Of versions 5 to 7, which save()
 * writes by default, and 7.3, which is HDF5: without its library, as MATLAB and others write it for its first versions (groups by
 * symbol tables, or links in their headers; numbers in one piece, or in chunks of a tree, deflated, shuffled). A member of the root of
 * any such HDF5 file is taken, its axes turned as MATLAB turns them. A file is believed only as far as the bytes it holds can be what
 * it says, before anything is allocated, and links to other places and files are not followed. Errors: HED_E_INVAL (PATH is NULL;
 * several variables and no NAME; these are listed), HED_E_IO (PATH is not a regular file, or cannot be read), HED_E_NOTFOUND (no such
 * variable; those there are, are listed), HED_E_DTYPE (cells, structures, text, sparse matrices, objects, links, complex integers),
 * HED_E_FORMAT (no .mat file, of version 4, with what only later versions of HDF5 have, or a broken one), HED_E_UNAVAILABLE
 * (compressed variables without zlib), HED_E_NOMEM. Thread-safety: may run in several threads at once. (MathWorks, MAT-File Format,
 * 2021; The HDF Group, HDF5 File Format Specification, version 3.0.) */
HED_NEW hed_array *hed_load_mat(const char *path, const char *name);

#ifdef __cplusplus
}
#endif
#endif
