// SPDX-License-Identifier: BSD-3-Clause
/* The best of several templates everywhere.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/job.h"
#include <stdlib.h>

static const char op[] = "hed_match_best";

static hed_status check(size_t n, const hed_match_result *r)
{
  if (!r || n == 0 || n > INT32_MAX)
    return hed_fail(HED_E_INVAL, "%s: %zu results%s", op, n, r ? "" : ", which are NULL");
  for (size_t k = 0; k < n; k++) {
    if (!r[k].scores || !r[k].rotations)
      return hed_fail(HED_E_INVAL, "%s: result %zu is empty", op, k);
    const hed_shape a = hed_array_shape(r[0].scores), b = hed_array_shape(r[k].scores);
    for (int i = 0; i < a.ndim; i++)
      if (a.ndim != b.ndim || a.dim[i] != b.dim[i])
        return hed_fail(HED_E_SHAPE, "%s: result %zu is of a target of %d dimensions, %lld along axis %d, the first of %d, %lld",
                        op, k, (int)b.ndim, (long long)b.dim[i], i, (int)a.ndim, (long long)a.dim[i]);
  }
  return HED_OK;
}

hed_status hed_match_best(size_t n, const hed_match_result *r, hed_array **scores, hed_array **rotations, hed_array **templates)
{
  hed_array **const wanted[] = { scores, rotations, templates };
  const hed_dtype types[] = { HED_FLOAT32, HED_INT32, HED_INT32 };
  hed_array *made[3] = { NULL, NULL, NULL };
  for (int i = 0; i < 3; i++)
    if (wanted[i])
      *wanted[i] = NULL;
  hed_status status = check(n, r);
  for (int i = 0; i < 3 && status == HED_OK; i++)
    if (!(made[i] = hed__host_empty(hed_array_shape(r->scores), types[i])))
      status = hed_error();
  if (status == HED_OK) {
    float *best = hed_array_data(made[0]);
    int32_t *index = hed_array_data(made[1]), *which = hed_array_data(made[2]);
    const size_t voxels = (size_t)hed_array_size(made[0]);
    for (size_t k = 0; k < n; k++) {
      const float *s = hed_array_data(r[k].scores);
      const int32_t *rotation = hed_array_data(r[k].rotations);
      for (size_t i = 0; i < voxels; i++)
        if (k == 0 || (rotation[i] >= 0 && (index[i] < 0 || s[i] > best[i]))) {
          best[i] = s[i];
          index[i] = rotation[i];
          which[i] = rotation[i] < 0 ? -1 : (int32_t)k;
        }
    }
  }
  for (int i = 0; i < 3; i++)
    if (status == HED_OK && wanted[i])
      *wanted[i] = made[i];
    else
      hed_release(made[i]);
  return status;
}
