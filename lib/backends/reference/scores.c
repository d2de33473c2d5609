// SPDX-License-Identifier: BSD-3-Clause
/* Running maximum of scores over rotations. L1.
 *
 * Updated in place: out[0] the best scores, out[1] where they came from (int32, -1 for never). A score has to be larger
 * than the best one, or equal and of a lower index than the recorded one. NaN never is.
 */
#include "backends/reference/reference.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/nest.h"

enum { BLOCK = 256 };

/* Scores compare in the dtype in which the best are kept, else a stored one would lose against itself. */
REF_KERNEL(max_score_over_rotations)
{
  (void)state;
  const hed_maxscore_params *params = call->params;
  const hed_view *views[3] = { call->out[0], call->out[1], call->in[0] };
  int kept = views[0]->dtype;
  hed__cast_fn round = hed__cast(views[2]->dtype, kept), widen = hed__cast(kept, HED_ID_FLOAT64);
  hed__cast_fn narrow = hed__cast(HED_ID_FLOAT64, kept);
  int64_t bytes = hed__id_size(kept);
  hed__nest nest;
  hed__walk walk;
  hed__nest_init(&nest, 3, views, HED__NEST_REORDER);
  int32_t last = nest.ndim - 1;
  int64_t best_step = nest.stride[0][last], from_step = nest.stride[1][last], step = nest.stride[2][last];

  hed__walk_init(&walk, &nest, 0, hed__nest_rows(&nest));
  while (hed__walk_next(&walk))
    for (int64_t done = 0; done < nest.dim[last]; done += BLOCK) {
      int64_t n = nest.dim[last] - done < BLOCK ? nest.dim[last] - done : BLOCK;
      char *best_at = walk.ptr[0] + done * best_step, *from_at = walk.ptr[1] + done * from_step;
      _Alignas(double) char rounded[BLOCK * sizeof(double)];
      double score[BLOCK], best[BLOCK];
      round(n, rounded, bytes, walk.ptr[2] + done * step, step);
      widen(n, (char *)score, sizeof score[0], rounded, bytes);
      widen(n, (char *)best, sizeof best[0], best_at, best_step);
      for (int64_t i = 0; i < n; i++) {
        int32_t *from = (int32_t *)(from_at + i * from_step);
        if (score[i] > best[i] || (score[i] == best[i] && params->index < *from)) {
          narrow(1, best_at + i * best_step, bytes, (const char *)&score[i], sizeof score[i]);
          *from = params->index;
        }
      }
    }
  return HED_OK;
}
