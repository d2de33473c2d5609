// SPDX-License-Identifier: BSD-3-Clause
/* Opens the HDF5 library at run time.
 *
 * Layer: L4, ultrasound kit. Programs that never read such a file do not carry it.
 */
#include "kits/ultrasound/hdf5_load.h"
#include "base/cancel.h"

#ifdef HED_HAVE_HDF5
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hed__hdf5 functions;
static bool ready;
static char reason[256];

static void *any_version(void)
{
  /* 1.10, 1.12, 1.14 and 2.0; distributions that build it several times give the serial one a name of its own. */
  static const char *const names[] = {
    "libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5.so.200", "libhdf5_serial.so.310", "libhdf5.so.310", "libhdf5.so.320"
  };
  void *h = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !h; i++)
    h = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  return h;
}

static void load(void)
{
  HED__UNCANCELLED;
  void *h = any_version();
  const char *missing = h ? NULL : "libhdf5";
#define X(name)                              \
  if (!missing) {                            \
    void *f = dlsym(h, #name);               \
    memcpy(&functions.name, &f, sizeof f);   \
    if (!f)                                  \
      missing = #name;                       \
  }
  HED__HDF5_FUNCTIONS(X)
#undef X
  if (!missing && functions.H5open() < 0)
    missing = "H5open";
  snprintf(reason, sizeof reason, "%s does not load", missing ? missing : "");
  ready = !missing;
}

const hed__hdf5 *hed__hdf5_get(const char *op)
{
  pthread_once(&once, load);
  if (ready)
    return &functions;
  (void)hed_fail(HED_E_UNAVAILABLE, "%s: this file needs the HDF5 library: %s", op, reason);
  return NULL;
}

bool hed_us_hdf5_available(void)
{
  pthread_once(&once, load);
  return ready;
}

#else

bool hed_us_hdf5_available(void)
{
  return false;
}

#endif
