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
 * writes by default. A file is believed only as far as the bytes it holds can be what it says, before anything is allocated. Errors:
 * HED_E_INVAL (PATH is NULL; several variables and no NAME; these are listed), HED_E_IO, HED_E_NOTFOUND (no such variable; those
 * there are, are listed), HED_E_DTYPE (cells, structures, text, sparse matrices, objects, complex integers), HED_E_FORMAT (no .mat
 * file, of version 4 or 7.3, or a broken one), HED_E_UNAVAILABLE (compressed variables without zlib), HED_E_NOMEM. Thread-safety: may
 * run in several threads at once. (MathWorks, MAT-File Format, 2021.) */
HED_NEW hed_array *hed_load_mat(const char *path, const char *name);

#ifdef __cplusplus
}
#endif
#endif
