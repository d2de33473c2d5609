// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: hed_table_read_as(), in every format that begins to make sense of the bytes. */
#include "table.h"

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
    fuzz_table_judge(hed_table_read_as(path, format, &frame, &t), &t, size);
  }
  return 0;
}
