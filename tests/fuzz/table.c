// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: hed_table_read(). */
#include "table.h"

static const char *const words[] = {"\t", "\n", "\r\n", "#", "z\ty\tx", "id\t", "score",
                                    "phi\ttheta\tpsi", "1e308", "-0", "nan", "9007199254740993",
                                    NULL};
const fuzz_info fuzz_target = {"fuzz_table", words};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hed_table t;
  hed_error_clear();
  fuzz_table_judge(hed_table_read(fuzz_file(data, size), &t), &t, size);
  return 0;
}
