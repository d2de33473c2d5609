// SPDX-License-Identifier: BSD-3-Clause
/* What hed_us_read() is made of.
 *
 * Layer: L4, ultrasound kit, internal.
 */
#ifndef HEDDLE_KITS_ULTRASOUND_READ_H
#define HEDDLE_KITS_ULTRASOUND_READ_H
#include <heddle/kits/ultrasound.h>

#define HED__US_READ "us_read"

/* An object of an HDF5 file, into the current context's space. */
hed_status hed__us_read_hdf5(const char *path, const char *name, hed_us_data *out);

#endif
