// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise rows: from a call to a loop, one of this processor's instruction set (kernels.c, functions.c) or of
 * lib/base/formulas/formulas.def for operations and types that have none there. L1.
 *
 * Few elements that are contiguous and of the loop's types go to it at once: this is the path of small arrays, which costs a few
 * nanoseconds. Everything else goes by layout.c.
 */
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/formulas/formulas.h"
#include "base/shape.h"
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

/* The loop of kernels.c or functions.c for an operation and type, where there is one. */
static const int8_t map_index[HED_OP_COUNT_] = {
#define X(ID) [HED_OP_##ID] = 1 + CPU_MAP_##ID,
  CPU_MAP_OPS(X)
#undef X
}, function_index[HED_OP_COUNT_] = {
#define X(ID) [HED_OP_##ID] = 1 + CPU_FN_##ID,
  CPU_FUNCTION_OPS(X)
#undef X
};

static inline hed__map_fn special(int op, int32_t t)
{
  hed__map_fn fn = map_index[op] ? cpu_k->map[map_index[op] - 1][t] : NULL;
  return !fn && function_index[op] ? (*cpu_k->functions)[function_index[op] - 1][t] : fn;
}

/* Few elements, everything contiguous and of the loop's types: the loop at once. RESULT: type of the result. */
static inline void run_short(const hed_call *call, hed__map_fn fn, int32_t result, int32_t first)
{
  const int64_t size = hed__id_size(call->compute);
  const int32_t n = call->n_in;
  char *const p[4] = { call->out[0]->data, call->in[0]->data, call->in[n > 1]->data, call->in[n - 1]->data };
  const int64_t s[4] = { hed__id_size(result), first < 0 ? size : hed__id_size(first), size, size };
  fn(call->flat, p, s, call->params);
}

/* Cost of one element, roughly: arithmetic waits for memory, functions do not. */
static const float cost_of[HED_OP_COUNT_] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = cost,
#include <heddle/ops.def>
};

hed__map_fn cpu_map_loop(int op, int32_t t, int32_t *result)
{
  const hed__formula *formula = hed__formulas[op] ? &hed__formulas[op][t] : NULL;
  hed__map_fn fn = formula && formula->fn ? special(op, t) : NULL;
  *result = formula ? formula->result : -1;
  return fn ? fn : formula ? formula->fn : NULL;
}

/* The loop of kernels.c for 16-bit floats of type T, where operand SINGLE (0: none) is one float32; NULL: there is none. */
static hed__map_fn half_loop(int op, int32_t t, int32_t single)
{
  return map_index[op] ? cpu_k->half[t == HED_ID_BFLOAT16][single][map_index[op] - 1] : NULL;
}

static bool is_half(int32_t t) { return t == HED_ID_FLOAT16 || t == HED_ID_BFLOAT16; }

hed__map_fn cpu_map_half(int op, int32_t t)
{
  return is_half(t) && hed__formulas[op][HED_ID_FLOAT32].result == HED_ID_FLOAT32 ? half_loop(op, t, 0) : NULL;
}

double cpu_map_cost(int op) { return (double)cost_of[op]; }

/* An operand of which one element is repeated. */
static bool is_one(const hed_view *v)
{
  for (int32_t k = 0; k < v->ndim; k++)
    if (v->dim[k] != 1 && v->stride[k] != 0)
      return false;
  return true;
}

/* Of 16-bit floats to their own type or booleans: a loop that takes them as they are, where there is one, beside one
 * float32 that is repeated too. TYPES: of result and operands. */
static hed__map_fn loop_of_half(const hed_call *call, int op, int32_t *types)
{
  const int32_t first = hed__formula_first(op) >= 0, n = call->n_in;
  int32_t half = -1, single = 0;
  types[0] = call->out[0]->dtype;
  for (int32_t k = 0; k < n; k++) {
    const int32_t t = types[1 + k] = call->in[k]->dtype;
    if (k < first && t != HED_ID_BOOL)
      return NULL;
    if (k < first || t == half)
      continue;
    if (is_half(t) && half < 0)
      half = t;
    else if (t == HED_ID_FLOAT32 && single == 0 && n == 2 && is_one(call->in[k]))
      single = 1 + k;
    else
      return NULL;
  }
  const int32_t result = hed__formulas[op][HED_ID_FLOAT32].result == HED_ID_BOOL ? HED_ID_BOOL : half;
  return half < 0 || types[0] != result ? NULL : half_loop(op, half, single);
}

/* The operation that has the loop for OP beside the real number B; -1: none has. A power of 2 is a square. */
static int beside_real(int op, float b)
{
  const float scaled = b * (1 << CPU_FRACTION_BITS);
  switch (op) {
  case HED_OP_POWER: return b == 2 ? HED_OP_SQUARE : -1;
  case HED_OP_FLOOR_DIVIDE: case HED_OP_MOD: case HED_OP_FMOD: return scaled - scaled == 0 && scaled == floorf(scaled) ? op : -1;
  default: return op;
  }
}

/* Of integers and one real number, which give float32 or booleans: a loop that converts as it goes. */
static hed__map_fn loop_of_int_scalar(const hed_call *call, int op, int32_t *types)
{
  const int32_t from = call->in[0]->dtype, result = hed__formulas[op][HED_ID_FLOAT32].result;
  if (call->n_in != 2 || call->in[1]->dtype != HED_ID_FLOAT32 || call->out[0]->dtype != result || !is_one(call->in[1])
      || hed__view_size(call->out[0]) == 0)
    return NULL;
  const int like = beside_real(op, *(const float *)call->in[1]->data);
  memcpy(types, (int32_t[]){ result, from, HED_ID_FLOAT32 }, 3 * sizeof *types);
  return like >= 0 && map_index[like] ? cpu_k->int_scalar[from][map_index[like] - 1] : NULL;
}

/* That computes in float32 from operands of other types; TYPES of result and operands. */
static hed__map_fn loop_of_mixed(const hed_call *call, int op, int32_t *types)
{
  hed__map_fn fn = loop_of_half(call, op, types);
  return fn ? fn : loop_of_int_scalar(call, op, types);
}

/* By the loop of this processor's set, or else by the plain one, which every type of the domain has. */
static inline int32_t map_call(const hed_call *call, int op)
{
  const int32_t t = call->compute;
  const hed__formula *formula = &hed__formulas[op][t];
  hed__map_fn fn = special(op, t);
  if (!fn)
    fn = formula->fn;
  if (CPU_LIKELY(call->flat > 0 && call->flat <= CPU_GRAIN / 16)) {
    run_short(call, fn, formula->result, hed__formula_first(op));
    return HED_OK;
  }
  const int32_t first = hed__formula_first(op);
  const int32_t types[4] = { formula->result, first < 0 ? t : first, t, t };
  const double parts = hed__id_kind(t) == HED_KIND_COMPLEX ? 3 : 1;
  cpu_map m = { .work = parts * (double)cost_of[op] };
  m.fn = call->n_in == 2 ? hed__formula_apart(op, call->in[0]->dtype, call->in[1]->dtype, m.types) : NULL;
  if (!m.fn && t == HED_ID_FLOAT32)
    m.fn = loop_of_mixed(call, op, m.types);
  if (m.fn)
    return cpu_map_run(call, &m);
  m.fn = fn;
  m.direct = map_index[op] ? cpu_k->direct[map_index[op] - 1][t] : NULL;
  memcpy(m.types, types, sizeof types);
  return cpu_map_run(call, &m);
}

int32_t cpu_map_row(const hed_call *call)
{
  return map_call(call, call->op);
}

#define HED_MAP(ID, name, domain, result, args, params, cost, doc) \
  static int32_t name##_row(void *state, const hed_call *call)       \
  {                                                                  \
    (void)state;                                                     \
    return map_call(call, HED_OP_##ID);                              \
  }
#include <heddle/ops.def>

int cpu_map_rows(hed_op_entry *out)
{
  static const struct { int op; const char *name; hed_op_fn fn; } rows[] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) { HED_OP_##ID, #name, name##_row },
#include <heddle/ops.def>
  };
  int n = 0; /* norm_scores has a row of its own (match.c), which calls cpu_map_row */
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    uint32_t mask = 0;
    if (rows[k].op == HED_OP_NORM_SCORES)
      continue;
    for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
      if (hed__formulas[rows[k].op][t].fn)
        mask |= 1u << t;
    out[n++] = (hed_op_entry){ rows[k].name, rows[k].fn, mask };
  }
  return n;
}
