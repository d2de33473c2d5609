// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: hed_model_parse(), and a density from what it gives. */
#include "fuzz.h"
#include <heddle/kits/model.h>
#include <math.h>
#include <string.h>

static const char *const words[] = {"ATOM  ", "HETATM", "MODEL ", "ENDMDL", "END\n", "loop_\n",
                                    "data_x\n", "_atom_site.Cartn_x ", "_atom_site.Cartn_y ",
                                    "_atom_site.Cartn_z ", "_atom_site.type_symbol ", "\n;",
                                    "'", "\"", "#", "?", ". ", "1e308 ", "-1e-320 ",
                                    "9999.999", "1.5(3) ", "\r\n", "\t", NULL};
const fuzz_info fuzz_target = {"fuzz_model", words};

static void check_model(const hed_model *m, size_t bytes) {
  hed_map map;
  if (m->n == 0 || m->n > bytes)
    fuzz_wrong("a strange number of atoms");
  for (size_t i = 0; i < m->n; i++)
    if (!isfinite(m->x[i]) || !isfinite(m->y[i]) || !isfinite(m->z[i]) ||
        !isfinite(m->occupancy[i]) || !isfinite(m->b[i]) || m->atomic_number[i] > 118)
      fuzz_wrong("an atom that is not finite");
  hed_error_clear();
  hed_shape box = HED_SHAPE(16, 16, 16);
  hed_status status = hed_model_to_map(m, 8, 16, &box, &map);
  if (status != HED_OK && status != HED_E_INVAL && status != HED_E_SHAPE)
    fuzz_wrong("a density fails in a way that is not documented");
  if (status != HED_OK && hed_error_text()[0] == '\0')
    fuzz_wrong("a density fails without a sentence");
  hed_map_clear(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hed_model m;
  hed_error_clear();
  hed_status status = hed_model_parse("input", (const char *)data, size, &m);
  if (status == HED_OK)
    check_model(&m, size);
  else
    FUZZ_REFUSED(status, m.n || m.x, HED_E_FORMAT, HED_E_NOMEM);
  hed_model_clear(&m);
  return 0;
}
