// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops over operands of which every other element is wanted (slices of step 2, real and imaginary parts), or
 * that lie backwards. L1.
 *
 * Loops walk such operands one element at a time; packed into a block in the cache by vectors they are contiguous.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels_copy.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/move/fill.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"

enum { MOST = 3, BLOCK = 512, WIDEST = 8, FEW = 32 }; /* operands, elements, bytes of one; fewer elements are not worth it */
/* bytes; of operands that do not come from the second cache; blocks a page apart would hold each other up, see map.c */
enum { LINE = 64, FAR = 1 << 20, AHEAD = 4096, APART = 17 * LINE };

typedef struct packed {
  hed__map_fn fn;
  const void *params;
  int32_t n;            /* operands, without the result */
  int64_t size[MOST];
  bool far, streamed;   /* operands are asked for ahead; the result goes past the caches */
} packed;

static inline bool packable(int64_t stride, int64_t size)
{
  return (stride == 2 * size || stride == -size) && size <= WIDEST;
}

static void pack(int64_t n, char *to, const char *from, int64_t stride, int64_t size)
{
  if (stride > 0)
    cpu_copy_k->every_other[__builtin_ctzll((uint64_t)size)](n, to, from);
  else
    cpu_copy_loop(size)(n, (char *[]){ to, (char *)from }, (int64_t[]){ size, stride }, NULL);
}

/* Where the result goes past the caches, operands are read from two places in turn, see run_streamed() in map.c. */
static void packed_loop(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const packed *w = params;
  _Alignas(LINE) char block[1 + MOST][BLOCK * WIDEST + APART];
  const bool streamed = w->streamed && n >= BLOCK && (uintptr_t)p[0] % LINE == 0;
  const int64_t most = w->far ? BLOCK / 4 : BLOCK, pairs = streamed ? n / most / 2 : 0;
  for (int64_t b = 0; b * most < n; b++) {
    const int64_t i = (b < 2 * pairs ? b % 2 * pairs + b / 2 : b) * most, m = CPU_MIN(most, n - i);
    char *const to = p[0] + i * s[0], *at[1 + MOST] = { streamed ? block[MOST] : to };
    int64_t step[1 + MOST] = { s[0] };
    for (int32_t k = 0; k < w->n; k++) {
      const int64_t size = w->size[k];
      at[1 + k] = p[1 + k] + i * s[1 + k];
      step[1 + k] = s[1 + k];
      if (!packable(s[1 + k], size))
        continue;
      if (k > 0 && p[1 + k] == p[k] && s[1 + k] == s[k] && size == w->size[k - 1]) { /* the one before again */
        at[1 + k] = at[k];
        step[1 + k] = size;
        continue;
      }
      const int64_t way = s[1 + k] < 0 ? -1 : 1;
      for (int64_t c = 0; c < m * s[1 + k] * way && w->far; c += LINE)
        __builtin_prefetch(at[1 + k] + (c + AHEAD) * way);
      pack(m, block[k], at[1 + k], s[1 + k], size);
      at[1 + k] = block[k];
      step[1 + k] = size;
    }
    w->fn(m, at, step, w->params);
    if (streamed)
      cpu_stream(to, block[MOST], (size_t)(m * s[0]));
  }
  if (streamed)
    cpu_stream_end();
}

bool cpu_map_packed(const hed_call *call, hed__map_fn fn, const int32_t *types, double work)
{
  const int32_t last = call->out[0]->ndim - 1;
  const int64_t n = hed__view_size(call->out[0]);
  int64_t bytes = 0;
  bool any = false, apart = true;
  packed w = { .fn = fn, .params = call->params, .n = call->n_in };
  if (w.n > MOST || last < 0 || call->out[0]->dim[last] < FEW)
    return false;
  for (int32_t k = 0; k < w.n; k++) {
    const hed_view *v = call->in[k];
    w.size[k] = hed__id_size(types[1 + k]);
    any = any || (v->dtype == types[1 + k] && packable(v->stride[last], w.size[k]));
    apart = apart && v->data != call->out[0]->data;
    bytes += n * w.size[k];
  }
  if (!any)
    return false;
  const int64_t size = hed__id_size(types[0]);
  w.far = bytes > FAR;
  w.streamed = apart && call->out[0]->dtype == types[0] && size <= WIDEST && hed__is_c_contiguous(call->out[0]) &&
               cpu_stream_pays(call->out[0]->data, (size_t)CPU_MAX(n * size, (n * size + bytes) / 2));
  hed_call c = *call;
  c.params = &w;
  return cpu_map_run(&c, packed_loop, types, work) == HED_OK;
}
