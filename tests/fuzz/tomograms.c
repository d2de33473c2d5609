// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: hed_tomograms_read(). What is read must have a name and a file for each tomogram, no name twice, and finite numbers;
 * what is refused must leave a sentence and nothing else.
 */
#include "fuzz.h"
#include <heddle/kits/tomograms.h>
#include <math.h>
#include <string.h>

static const char *const words[] = { "name\t", "target\t", "target_mask\t", "tilts\t", "ctf\t", "defocus\t", "voxel\t", "kilovolt\t",
                                     "cs\t", "amplitude\t", "hand\n", "a.mrc", "-60,60", "\t-\t", "\n", "data_global\n", "loop_\n",
                                     "_rlnTomoName #1\n", "_rlnTomoReconstructedTomogram #2\n", "_rlnTomoTiltSeriesStarFile\n",
                                     "_rlnTomoTiltSeriesPixelSize\n", "_rlnTomoTomogramBinning\n", "_rlnTomoSizeX\n", "_rlnVoltage\n",
                                     "_rlnTomoHand\n", "1e999", "nan", NULL };
const fuzz_info fuzz_target = { "fuzz_tomograms", words };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hed_tomograms t;
  hed_error_clear();
  const hed_status status = hed_tomograms_read(fuzz_file(data, size), &t);
  if (status == HED_OK) {
    if (t.n == 0)
      fuzz_wrong("a list without tomograms");
    for (size_t i = 0; i < t.n; i++) {
      const hed_tomogram *r = &t.row[i];
      const double v[] = { r->voxel, r->defocus, r->kilovolt, r->cs_mm, r->amplitude_contrast, r->binning };
      if (!r->name || !*r->name || !r->target || !*r->target)
        fuzz_wrong("a tomogram without a name or a file");
      for (size_t k = 0; k < sizeof v / sizeof v[0]; k++)
        if (!isfinite(v[k]))
          fuzz_wrong("a number that is not finite");
      for (size_t k = 0; k < i && i < 100; k++)
        if (strcmp(t.row[k].name, r->name) == 0)
          fuzz_wrong("a name twice");
      for (int k = 0; k < 3; k++)
        if (r->unbinned[k] < 0)
          fuzz_wrong("extents below 0");
    }
  } else {
    FUZZ_REFUSED(status, t.n || t.row, HED_E_FORMAT, HED_E_NOMEM, HED_E_IO);
  }
  hed_tomograms_clear(&t);
  return 0;
}
