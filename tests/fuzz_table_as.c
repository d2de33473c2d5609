// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target: hed_table_read_as(), in every format that begins to make sense of the bytes.
 */
#include "fuzz.h"
#include <heddle/kits/table.h>
#include <math.h>
#include <string.h>

static const char *const words[] = { "data_\nloop_\n", "_rlnCoordinateX\n", "_rlnCoordinateY\n", "_rlnCoordinateZ\n", "_orig_x\n", "'",
                                     "_rlnCenteredCoordinateXAngst\n", "<marker_set>", "<marker x=\"1\" y=\"2\" z=\"3\"/>",
                                     "index,axis-0,axis-1,axis-2\n", "x\ty\tz\n", " 1e308", "#", NULL };
const fuzz_info fuzz_target = { "fuzz_table_as", words };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const hed_table_frame frame = { .voxel = { 2, 2, 2 }, .extent = { 10, 20, 30 } };
  const char *path = fuzz_file(data, size);
  for (int format = HED_TABLE_RELION; format <= HED_TABLE_CHIMERAX; format++) {
    hed_table t;
    hed_error_clear();
    const hed_status status = hed_table_read_as(path, format, &frame, &t);
    if (status == HED_OK) {
      if (t.n > size)
        fuzz_wrong("more rows than bytes");
      for (size_t i = 0; i < t.n; i++)
        if (!isfinite(t.row[i].euler[0]) || !isfinite(t.row[i].score))
          fuzz_wrong("a row that is not finite");
    } else {
      if (status != HED_E_FORMAT && status != HED_E_NOMEM)
        fuzz_wrong("a status that is not documented");
      if (hed_error_text()[0] == '\0' || hed_error() != status)
        fuzz_wrong("a failure without a sentence");
      if (t.n || t.row)
        fuzz_wrong("something came out of a file that was refused");
    }
    hed_table_clear(&t);
  }
  return 0;
}
