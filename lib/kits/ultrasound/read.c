// SPDX-License-Identifier: BSD-3-Clause
/* Which format a file has.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/read.h"
#include "base/cancel.h"
#include "base/regular.h"
#include <math.h>

void hed_us_data_clear(hed_us_data *d)
{
  if (!d)
    return;
  hed_array *const all[] = { d->data, d->z, d->x, d->rho, d->theta };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    hed_release(all[i]);
  *d = (hed_us_data){ 0 };
}

hed_status hed_us_read(const char *path, const char *name, hed_us_data *out)
{
  HED__UNCANCELLED;
  static const unsigned char npy[] = { 0x93, 'N', 'U', 'M', 'P', 'Y' }, hdf5[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
  unsigned char first[8] = { 0 };
  if (out)
    *out = (hed_us_data){ 0 };
  if (!path || !out)
    return hed_fail(HED_E_INVAL, HED__US_READ ": %s is NULL", path ? "out" : "path");
  const char *why = NULL;
  uint64_t bytes = 0;
  FILE *f = hed__regular_stream(path, &bytes, &why);
  if (!f)
    return hed_fail(HED_E_IO, HED__US_READ ": cannot open '%s': %s", path, why);
  const size_t n = fread(first, 1, sizeof first, f);
  const bool failed = ferror(f) != 0;
  (void)fclose(f);
  if (failed)
    return hed_fail(HED_E_IO, HED__US_READ ": cannot read '%s'", path);
  *out = (hed_us_data){ .sampling_frequency = NAN, .initial_time = NAN, .sound_speed = NAN, .modulation_frequency = NAN };
  hed_status status;
  if (n == sizeof hdf5 && memcmp(first, hdf5, sizeof hdf5) == 0)
    status = hed__us_read_hdf5(path, name, out);
  else if (n < sizeof npy || memcmp(first, npy, sizeof npy) != 0)
    status = hed_fail(HED_E_FORMAT, HED__US_READ ": '%s' is neither .npy nor HDF5", path);
  else if (name)
    status = hed_fail(HED_E_NOTFOUND, HED__US_READ ": '%s' is one array and has no '%s'", path, name);
  else
    status = (out->data = hed_keep(hed_load_npy(path))) ? HED_OK : hed_error();
  if (status != HED_OK)
    hed_us_data_clear(out);
  return status;
}
