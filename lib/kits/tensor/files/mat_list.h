// SPDX-License-Identifier: BSD-3-Clause
/* What readers of .mat files of all versions share.
 *
 * Layer: L4, tensor kit, internal.
 */
#ifndef HEDDLE_KITS_TENSOR_MAT_LIST_H
#define HEDDLE_KITS_TENSOR_MAT_LIST_H
#include "kits/tensor/files/mat_source.h"

#define HED__MAT "hed_load_mat"

/* Variables of a file, for sentences. */
typedef struct hed__mat_list {
  int n;
  bool found;    /* NAME is among them */
  char text[240];
} hed__mat_list;

void hed__mat_list_add(hed__mat_list *l, const char *name, const char *class);
/* Whether NAME says which variable is meant; NULL: there is one. HED_E_NOTFOUND, HED_E_INVAL. */
hed_status hed__mat_list_expect(const hed__mat_list *l, const char *path, const char *name);
/* Control characters of a name as '?': it stands in sentences. */
void hed__mat_printable(char *name);

/* The error for variable NAME of a class that holds no numbers, HED_E_DTYPE. */
hed_status hed__mat_no_numbers(const char *path, const char *name, const char *class);
/* VALUES in MATLAB's order, the first axis fastest, as an array in C order where the context works; it is kept. */
hed_array *hed__mat_in_c_order(void *values, hed_shape s, hed_dtype t);

/* The variable NAME of a file of version 7.3, which is one of HDF5, of BYTES; kept. */
hed_array *hed__mat_load_hdf5(hed__mat_source *s, const char *name, uint64_t bytes);

#endif
