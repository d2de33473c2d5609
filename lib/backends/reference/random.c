// SPDX-License-Identifier: BSD-3-Clause
/* Random elements of any view: base/random.c gives runs of logical indices, this puts them where they belong. L1. */
#include "backends/reference/number.h"
#include "base/random.h"

#include <string.h>

enum { RUN = 256 }; /* one chunk of 32-bit quantities, two of 64 bits */

int32_t hed__ref_random(void *state, const hed_call *call)
{
  const hed_view *out = call->out[0];
  const hed_random_params *p = call->params;
  const int64_t total = ref_size(out);
  uint64_t run[RUN];
  int64_t size = 1, dense = 1;
  ref_walk w;

  (void)state;
#define HED_DTYPE(ID, name, ctype, kind, bytes) if (out->dtype == HED_ID_##ID) size = bytes;
#include <heddle/dtypes.def>
#undef HED_DTYPE
  if (total == 0)
    return HED_OK;
  for (int32_t k = out->ndim - 1; k >= 0 && dense > 0; k--)
    dense = out->dim[k] == 1 ? dense : out->stride[k] == dense * size ? dense * out->dim[k] : 0;
  if (dense == total) {
    hed__random_fill(p, out->dtype, 0, total, out->data);
    return HED_OK;
  }
  ref_walk_init(&w, 1, &out, 0);
  for (int64_t first = 0; first < total; first += RUN) {
    const int64_t n = total - first < RUN ? total - first : RUN;
    const char *from = (const char *)run;
    hed__random_fill(p, out->dtype, first, n, run);
    for (int64_t i = 0; i < n; i++, from += size, ref_walk_next(&w))
      memcpy(w.ptr[0], from, (size_t)size);
  }
  return HED_OK;
}
