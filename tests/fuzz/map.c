// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: hed_map_read(). What is read must be finite and no larger than the file; what
 * is refused must leave a sentence and nothing else.
 */
#include "fuzz.h"
#include <heddle/kits/map.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"MAP ", "DD\0\0", "\x11\x11", "DA", NULL};
const fuzz_info fuzz_target = {"fuzz_map", words};

static void check_read(const hed_map *m, size_t file_bytes) {
  hed_shape s = hed_array_shape(m->data);
  uint64_t n = 1;
  if (s.ndim < 2 || s.ndim > 4)
    fuzz_wrong("a map with a strange number of dimensions");
  for (int i = 0; i < s.ndim; i++)
    n *= (uint64_t)s.dim[i];
  if (n == 0 || n > file_bytes) {
    fuzz_wrong("a map with more voxels than bytes");
    return;
  }
  float *v = malloc(n * sizeof *v);
  if (!v || hed_to_host(m->data, v, n * sizeof *v) != HED_OK)
    fuzz_wrong("a map whose values cannot be had");
  for (uint64_t i = 0; v && i < n; i++)
    if (!isfinite(v[i])) {
      fuzz_wrong("a value that is not finite");
      break;
    }
  for (int a = 0; a < 3; a++)
    if (!isfinite(m->voxel[a]) || m->voxel[a] < 0 || !isfinite(m->origin[a]))
      fuzz_wrong("a geometry that is not finite");
  for (const char *c = m->label; *c; c++)
    if (*c < 32 || *c > 126 || c - m->label > 80)
      fuzz_wrong("a label that cannot be printed");
  free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hed_map m, zero;
  memset(&zero, 0, sizeof zero);
  hed_error_clear();
  hed_status status = hed_map_read(fuzz_file(data, size), &m);
  if (status == HED_OK)
    check_read(&m, size);
  else
    FUZZ_REFUSED(status, m.data || m.voxel[0] != 0 || m.label[0], HED_E_FORMAT, HED_E_UNSUPPORTED, HED_E_NOMEM);
  hed_map_clear(&m);
  return 0;
}
