// SPDX-License-Identifier: BSD-3-Clause
/* Opens the HDF5 library at run time.
 *
 * Layer: L4, ultrasound kit. Programs that never read such a file do not carry it.
 */
#include "kits/ultrasound/hdf5_load.h"

#ifdef HED_HAVE_HDF5
#include "base/library.h"
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hed__hdf5 functions;
static const char *missing;

static void load(void)
{
  /* 1.10, 1.12, 1.14 and 2.0; distributions that build it several times give the serial one a name of its own. */
  static const char *const names[] = {
    "libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5.so.200", "libhdf5_serial.so.310", "libhdf5.so.310", "libhdf5.so.320", NULL
  };
#define X(name) #name,
  static const char *const symbols[] = { HED__HDF5_FUNCTIONS(X) NULL };
#undef X
  HED__UNCANCELLED;
  missing = hed__library_fill(names, symbols, &functions);
  if (!missing && functions.H5open() < 0)
    missing = "H5open";
}

const hed__hdf5 *hed__hdf5_get(const char *op)
{
  pthread_once(&once, load);
  if (!missing)
    return &functions;
  (void)hed_fail(HED_E_UNAVAILABLE, "%s: this file needs the HDF5 library: %s does not load", op, missing);
  return NULL;
}

bool hed_us_hdf5_available(void)
{
  pthread_once(&once, load);
  return !missing;
}

#else

bool hed_us_hdf5_available(void)
{
  return false;
}

#endif
