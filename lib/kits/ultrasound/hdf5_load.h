// SPDX-License-Identifier: BSD-3-Clause
/* The HDF5 library, opened when the first such file is.
 *
 * Layer: L4, ultrasound kit, internal.
 */
#ifndef HEDDLE_KITS_ULTRASOUND_HDF5_LOAD_H
#define HEDDLE_KITS_ULTRASOUND_HDF5_LOAD_H
#include <heddle/kits/ultrasound.h>

#ifdef HED_HAVE_HDF5
#include <hdf5.h>

/* By names that all versions from 1.10 on have. */
#define HED__HDF5_FUNCTIONS(X)                                                                                  \
  X(H5open) X(H5free_memory) X(H5Eget_auto2) X(H5Eset_auto2) X(H5Fopen) X(H5Fclose) X(H5Fget_filesize)           \
  X(H5Oopen) X(H5Oclose) X(H5Iget_type) X(H5Gget_info) X(H5Lget_name_by_idx) X(H5Lexists) X(H5Lget_val)         \
  X(H5Aexists) X(H5Aopen) X(H5Aclose) X(H5Aget_type) X(H5Aget_space) X(H5Aread)                                \
  X(H5Dget_space) X(H5Dget_type) X(H5Dget_storage_size) X(H5Dget_create_plist) X(H5Dread)                       \
  X(H5Pget_layout) X(H5Pget_chunk) X(H5Pget_external_count) X(H5Pget_nfilters) X(H5Pget_filter2) X(H5Pclose)     \
  X(H5Sclose) X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_npoints)        \
  X(H5Tclose) X(H5Tget_class) X(H5Tget_size) X(H5Tget_sign) X(H5Tget_native_type) X(H5Tis_variable_str)         \
  X(H5Tget_nmembers) X(H5Tget_member_type) X(H5Tget_member_offset)

typedef struct hed__hdf5 {
#define X(name) __typeof__(name) *name;
  HED__HDF5_FUNCTIONS(X)
#undef X
} hed__hdf5;

/* The functions, or NULL with HED_E_UNAVAILABLE set. Any thread; calls of them one at a time. */
const hed__hdf5 *hed__hdf5_get(const char *op);
#endif

#endif
