// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: hed_npz_open() and hed_npz_load() of every member. */
#include "fuzz.h"
#include <heddle.h>
#include <string.h>

static const char *const words[] = { "PK\3\4", "PK\1\2", "PK\5\6", "PK\6\6", ".npy", "../", "\x93NUMPY", "'<f8'", "(1,)",
                                     "\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\x7f", NULL };
const fuzz_info fuzz_target = { "fuzz_npz", words };

static void is_told(hed_status status)
{
  if (status != HED_E_FORMAT && status != HED_E_DTYPE && status != HED_E_IO && status != HED_E_NOMEM && status != HED_E_SHAPE)
    fuzz_wrong("a status that is not documented");
  if (!hed_error_text()[0])
    fuzz_wrong("a failure without a sentence");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hed_npz *z = NULL;
  hed_error_clear();
  hed_status status = hed_npz_open(fuzz_file(data, size), &z);
  if (status == HED_E_UNAVAILABLE)
    return 0;
  if (status != HED_OK) {
    is_told(status);
    if (z)
      fuzz_wrong("a handle came out of a file that was refused");
  }
  for (int k = 0; k < hed_npz_count(z); k++) {
    hed_error_clear();
    hed_array *x = hed_npz_load(z, hed_npz_name(z, k));
    if (!x)
      is_told(hed_error());
    else if (hed_array_nbytes(x) / 1032 > size)
      fuzz_wrong("more elements than the bytes can hold");
    hed_release(x);
  }
  hed_npz_close(z);
  return 0;
}
