// SPDX-License-Identifier: BSD-3-Clause
/* The end of a result.
 *
 * Layer: L4, match kit.
 */
#include <heddle/kits/match.h>
#include <stdlib.h>

void hed_match_result_clear(hed_match_result *r)
{
  if (!r)
    return;
  hed_release(r->scores);
  hed_release(r->rotations);
  free(r->worker);
  *r = (hed_match_result){ 0 };
}
