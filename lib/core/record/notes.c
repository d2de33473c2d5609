// SPDX-License-Identifier: BSD-3-Clause
/* What rules read, and the notes of elementwise operations and reductions. L2. See rules.def. */
#include "core/record/record.h"
#include <string.h>

enum { N = 0, A = 1, B = 2, C = 4, D = 8, X = A, REST = HED__SAVE_OUT - 2, Y = HED__SAVE_OUT, Y2 = 2 * Y, Y3 = 4 * Y };

typedef struct rule {
  uint32_t saves[3]; /* the last for all further operands */
  hed__rule_kind kind;
} rule;

static const rule rules[HED_OP_COUNT_] = {
#define HED_RULE1(ID, s, x) [HED_OP_##ID] = { { s, s, s }, HED__RULE_FACTOR },
#define HED_RULE2(ID, s, a, t, b) [HED_OP_##ID] = { { s, t, t }, HED__RULE_FACTOR },
#define HED_RULE3(ID, s, a, t, b, u, c) [HED_OP_##ID] = { { s, t, u }, HED__RULE_FACTOR },
#define HED_RULE(ID, s, function) [HED_OP_##ID] = { { s, s, s }, HED__RULE_VJP },
#define HED_RULE_AB(ID, s, t, function) [HED_OP_##ID] = { { s, t, t }, HED__RULE_VJP },
#define HED_PARTS(ID) [HED_OP_##ID] = { { N, N, N }, HED__RULE_PARTS },
#define HED_ZERO(ID) [HED_OP_##ID] = { { N, N, N }, HED__RULE_ZERO },
#include "core/record/rules.def"
};

uint32_t hed__rule_saves(int op, int k) { return rules[op].saves[k < 3 ? k : 2]; }
hed__rule_kind hed__rule_kind_of(int op) { return rules[op].kind; }

/* A pending result is computed again in the sweep, from all its operands. */
static uint32_t saves(const hed__tape *tape, int op, int32_t n, const hed_array *const *in, const hed_array *out)
{
  uint32_t save = 0;
  if (hed__is_pending(out))
    return ((1u << n) - 1) | (rules[op].kind == HED__RULE_NONE ? 0 : (uint32_t)Y);
  for (int32_t k = 0; k < n; k++)
    if (hed__entry_of(tape, in[k]))
      save |= hed__rule_saves(op, k);
  return save;
}

void hed__note_elementwise(hed__tls *t, int op, int32_t n, const hed_array *const *in, hed_array *out, bool in_place,
                           const void *params, size_t size)
{
  const bool zero = rules[op].kind == HED__RULE_ZERO;
  hed__record_note(t, &(hed__note){ .op = op, .n_in = zero ? 0 : n, .n_out = 1, .in = in, .out = &out,
                                    .save = zero ? 0 : saves(t->tape, op, n, in, out), .args = params, .size = params ? size : 0,
                                    .replays = hed__is_pending(out), .in_place = in_place });
}

void hed__note_reduce(hed__tls *t, int op, const hed_array *x, double order, const hed_reduce *opt, hed_array *out, bool in_place)
{
  hed__reduce_args args;
  memset(&args, 0, sizeof args);
  args.order = order;
  if (opt)
    args.opt = *opt;
  hed__record_note(t, &(hed__note){ .op = op, .n_in = 1, .n_out = 1, .in = &x, .out = &out,
                                    .save = saves(t->tape, op, 1, &x, out), .args = &args, .size = sizeof args,
                                    .replays = hed__is_pending(out), .in_place = in_place });
}
