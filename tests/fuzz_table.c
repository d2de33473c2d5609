// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target: hed_table_read().
 */
#include "fuzz.h"
#include <heddle/kits/table.h>
#include <math.h>
#include <string.h>

static const char *const words[] = {"\t", "\n", "\r\n", "#", "z\ty\tx", "id\t", "score",
                                    "phi\ttheta\tpsi", "1e308", "-0", "nan", "9007199254740993",
                                    NULL};
const fuzz_info fuzz_target = {"fuzz_table", words};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hed_table t;
  hed_error_clear();
  hed_status status = hed_table_read(fuzz_file(data, size), &t);
  if (status == HED_OK) {
    if (t.n > size)
      fuzz_wrong("more rows than bytes");
    for (size_t i = 0; i < t.n; i++)
      if (!isfinite(t.row[i].position[0]) || !isfinite(t.row[i].score))
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
  return 0;
}
