// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: checkpoints of searches, hed_match_checkpoint_read() and hed_match_merge_partial(). The checksum at the end is made
 * right first, so that what lies behind it is reached. What is read must be consistent; what is refused must leave a sentence and
 * nothing else.
 */
#include "fuzz.h"
#include <heddle/kits/match.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = { "heddle-match 2\n", "ndim = ", "extent0 = ", "parts0 = ", "n_parts = ", "part = ", "shares = ",
                                     "n_rotations = ", "allowed = ", "ended = ", "lowest = ", "flat = ", "n_flat = ",
                                     "hash0 = ", "options = ", "99999999", NULL };
const fuzz_info fuzz_target = { "fuzz_checkpoint", words };

/* FNV-1a from two starts over all but the last 16 bytes. */
static void sign(uint8_t *data, size_t size)
{
  uint64_t sum[2] = { UINT64_C(0xcbf29ce484222325), UINT64_C(0x9ae16a3b2f90404f) };
  for (size_t i = 0; i + sizeof sum < size; i++)
    for (int k = 0; k < 2; k++)
      sum[k] = (sum[k] ^ data[i]) * UINT64_C(0x100000001b3);
  memcpy(data + size - sizeof sum, sum, sizeof sum);
}

static void refused(hed_status status)
{
  if (status != HED_E_FORMAT && status != HED_E_NOMEM && status != HED_E_IO && status != HED_E_INVAL)
    fuzz_wrong("a status that is not documented");
  if (hed_error_text()[0] == '\0' || hed_error() != status)
    fuzz_wrong("a failure without a sentence");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hed_match_checkpoint c;
  hed_match_result r;
  size_t missing = 0;
  uint8_t *own = malloc(size + 1);
  if (!own)
    return 0;
  memcpy(own, data, size);
  if (size > 4096)
    sign(own, size);
  const char *path = fuzz_file(own, size);
  hed_error_clear();
  hed_status status = hed_match_checkpoint_read(path, &c);
  if (status == HED_OK && (c.n_rotations == 0 || c.n_parts == 0 || c.done > c.n_rotations * c.n_parts))
    fuzz_wrong("more is done than there is");
  if (status != HED_OK)
    refused(status);
  if (status != HED_OK && (c.n_rotations || c.done))
    fuzz_wrong("something came out of a file that was refused");
  hed_error_clear();
  const hed_status merged = hed_match_merge_partial(1, &path, &r, &missing);
  if (merged != HED_OK)
    refused(merged);
  else if (status != HED_OK || !r.scores || !r.rotations || missing > c.n_rotations * c.n_parts)
    fuzz_wrong("a result of a file that was refused, or none of one that was read");
  hed_match_result_clear(&r);
  free(own);
  return 0;
}
