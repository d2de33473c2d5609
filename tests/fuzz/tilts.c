// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: hed_tilts_read(). What is read must be finite, with as many values as it says; what is refused must leave a
 * sentence and nothing else.
 */
#include "fuzz.h"
#include <heddle/kits/filter.h>
#include <math.h>
#include <string.h>

static const char *const words[] = { "[ZValue = ", "TiltAngle = ", "ExposureDose = ", "Voltage = ", " 2\n", " 3\n", "-60",
                                     "data_\nloop_\n", "_rlnTomoNominalStageTiltAngle\n", "_wrpAngleTilt\n", "_tilt_angle\n",
                                          "_tomo_num\n",
                                     "<TiltSeries>", "<Angles>", "</Angles>", "<Dose>", "<UseTilt>True", "<GridCTF>",
                                     "<Node Z=\"0\" Value=\"3\"/>", "# defocus 1\n", "angles\tdose\n", NULL };
const fuzz_info fuzz_target = { "fuzz_tilts", words };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hed_tilts t;
  hed_error_clear();
  const hed_status status = hed_tilts_read(fuzz_file(data, size), &t);
  if (status == HED_OK) {
    const double *const arrays[] = { t.angle, t.dose, t.defocus_u, t.defocus_v, t.astigmatism, t.phase_shift, t.weight };
    bool known = false; /* of one source the angles, of another the doses: hed_tilts_join() */
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
      known |= arrays[k] != NULL;
    if (t.n == 0 || !known)
      fuzz_wrong("a series without tilts");
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
      for (size_t i = 0; arrays[k] && i < t.n; i++)
        if (!isfinite(arrays[k][i]) || (k == 0 && !(fabs(arrays[k][i]) < 90)))
          fuzz_wrong("a value that no tilt has");
  } else {
    FUZZ_REFUSED(status, t.n || t.angle, HED_E_FORMAT, HED_E_NOMEM, HED_E_IO); /* a list names other files */
  }
  hed_tilts_clear(&t);
  return 0;
}
