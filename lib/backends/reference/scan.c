// SPDX-License-Identifier: BSD-3-Clause
/* Scans along one axis: cumsum, cumprod, cummax, cummin. L1.
 *
 * A lane is read in blocks through the compute type into the widest type of the kind (as reductions do), each element
 * becomes the result up to it, and the block is written out rounded; so a lane may be scanned in place.
 */
#include "backends/reference/lanes.h"
#include "backends/reference/reference.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"

#include <string.h>

enum { BLOCK = 128, WIDEST = 16 };

/* What the elements so far came to. */
typedef struct carry {
  int64_t seen;
  union { int64_t i; uint64_t u; double f[2]; } value;
} carry;

typedef void (*step_fn)(carry *c, int64_t n, void *values);

#define SCAN(name, type, field, start, update)                                                    \
  static void name(carry *c, int64_t n, void *values)                                             \
  {                                                                                               \
    type *x = values;                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                             \
      type v = c->seen++ ? c->value.field : (start);                                              \
      update;                                                                                     \
      c->value.field = x[i] = v;                                                                  \
    }                                                                                             \
  }
/* integers wrap, so words serve both signs */
SCAN(sum_word, uint64_t, u, 0, v += x[i])
SCAN(prod_word, uint64_t, u, 1, v *= x[i])
/* -0 changes nothing that it is added to */
SCAN(sum_real, double, f[0], -0.0, v += x[i])
SCAN(prod_real, double, f[0], 1, v *= x[i])
SCAN(max_int, int64_t, i, x[i], v = x[i] > v ? x[i] : v)
SCAN(min_int, int64_t, i, x[i], v = x[i] < v ? x[i] : v)
SCAN(max_word, uint64_t, u, x[i], v = x[i] > v ? x[i] : v)
SCAN(min_word, uint64_t, u, x[i], v = x[i] < v ? x[i] : v)
SCAN(max_real, double, f[0], x[i], v = x[i] > v || x[i] != x[i] ? x[i] : v)
SCAN(min_real, double, f[0], x[i], v = x[i] < v || x[i] != x[i] ? x[i] : v)

static void sum_complex(carry *c, int64_t n, void *values)
{
  double *x = values, *v = c->value.f; /* pairs */
  for (int64_t i = 0; i < n; i++) {
    v[0] = c->seen ? v[0] + x[2 * i] : x[2 * i];
    v[1] = c->seen ? v[1] + x[2 * i + 1] : x[2 * i + 1];
    memcpy(x + 2 * i, v, 2 * sizeof *v);
    c->seen++;
  }
}

static void prod_complex(carry *c, int64_t n, void *values)
{
  double *x = values, *v = c->value.f; /* pairs */
  for (int64_t i = 0; i < n; i++) {
    double re = c->seen ? v[0] * x[2 * i] - v[1] * x[2 * i + 1] : x[2 * i];
    double im = c->seen ? v[0] * x[2 * i + 1] + v[1] * x[2 * i] : x[2 * i + 1];
    x[2 * i] = v[0] = re;
    x[2 * i + 1] = v[1] = im;
    c->seen++;
  }
}

enum { KINDS = HED_KIND_COMPLEX + 1 };
static const int32_t widest[KINDS] = { HED_ID_UINT64, HED_ID_UINT64, HED_ID_INT64, HED_ID_FLOAT64, HED_ID_COMPLEX128 };

static int32_t scan(void *state, const hed_call *call, const char *name, const step_fn steps[KINDS])
{
  const hed_scan_params *p = call->params;
  const hed_view *x = call->in[0], *out = call->out[0];
  int compute = hed__compute_of(call->compute), wide = widest[hed__id_kind(compute)];
  step_fn step = steps[hed__id_kind(compute)];
  if (!step)
    return ref_host(state)->fail(HED_E_DTYPE, "%s: cannot compute in %s", name, hed__dtypes[compute]->name);
  hed__cast_fn to_compute = hed__cast(x->dtype, compute), to_wide = hed__cast(compute, wide);
  hed__cast_fn deliver = hed__cast(wide, out->dtype);
  int32_t bytes = hed__id_size(compute), wide_bytes = hed__id_size(wide);
  int64_t n = x->dim[p->axis], from_step = x->stride[p->axis], to_step = out->stride[p->axis];

  lanes at;
  lanes_init(&at, 2, (const hed_view *const[]){ x, out }, p->axis);
  while (lanes_next(&at)) {
    const char *from = at.head[0];
    char *to = at.head[1];
    carry c = { .seen = 0 };
    for (int64_t done = 0; done < n; done += BLOCK) {
      _Alignas(16) char narrow[BLOCK * WIDEST], block[BLOCK * WIDEST];
      int64_t m = n - done < BLOCK ? n - done : BLOCK;
      to_compute(m, narrow, bytes, from + done * from_step, from_step);
      to_wide(m, block, wide_bytes, narrow, bytes);
      step(&c, m, block);
      deliver(m, to + done * to_step, to_step, block, wide_bytes);
    }
  }
  return HED_OK;
}

#define KERNEL(name, ...)                                                                         \
  REF_KERNEL(name)                                                                               \
  {                                                                                               \
    static const step_fn steps[KINDS] = { __VA_ARGS__ };                                          \
    return scan(state, call, #name, steps);                                                       \
  }
KERNEL(cumsum, sum_word, sum_word, sum_word, sum_real, sum_complex)
KERNEL(cumprod, prod_word, prod_word, prod_word, prod_real, prod_complex)
KERNEL(cummax, max_word, max_word, max_int, max_real, NULL)
KERNEL(cummin, min_word, min_word, min_int, min_real, NULL)
