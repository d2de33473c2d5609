// SPDX-License-Identifier: BSD-3-Clause
/* Constraints on the factors of `heddle decompose', mode by mode.
 *
 * Layer: L5.
 */
#include "job.h"
#include <stdlib.h>
#include <string.h>

static const char option[] = "--constraint";

/* How many numbers follow a kind; one that may be left out is 1. */
static const struct { int least, most; } numbers[] = {
  [HED_PROX_NONNEGATIVE] = { 0, 0 }, [HED_PROX_L1] = { 1, 1 }, [HED_PROX_L2] = { 1, 1 }, [HED_PROX_L2_SQUARE] = { 1, 1 },
  [HED_PROX_GROUP] = { 1, 1 }, [HED_PROX_SIMPLEX] = { 0, 1 }, [HED_PROX_L1_BALL] = { 0, 1 }, [HED_PROX_SPARSE] = { 1, 1 },
  [HED_PROX_SPARSE_UNIT] = { 1, 1 }, [HED_PROX_MAX_UNIT] = { 0, 0 }, [HED_PROX_SMOOTH] = { 1, 1 }, [HED_PROX_INCREASING] = { 0, 0 },
  [HED_PROX_DECREASING] = { 0, 0 }, [HED_PROX_UNIMODAL] = { 0, 0 }, [HED_PROX_NUCLEAR] = { 1, 1 },
  [HED_PROX_ORTHONORMAL] = { 0, 0 }, [HED_PROX_BOX] = { 2, 2 }, [HED_PROX_L2_BALL] = { 0, 1 },
};
enum { KINDS = sizeof numbers / sizeof *numbers };

/* "nonnegative,l1,.." */
static const char *kinds(void)
{
  static char all[320];
  for (int k = *all ? KINDS : HED_PROX_NONNEGATIVE; k < KINDS; k++)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? "," : "", hed_prox_name(k));
  return all;
}

/* "2:box:0:1", which is cut at its colons. */
static void parse_one(decompose_job *j, struct argp_state *state, char *text)
{
  enum { PARTS = 5 };
  char *part[PARTS] = { text, NULL };
  int n = 1;
  for (char *p = strchr(text, ':'); p && n < PARTS; p = strchr(p, ':')) {
    *p++ = '\0';
    part[n++] = p;
  }
  if (n == 1 && strspn(text, "0123456789") < strlen(text))
    (void)tool_word(state, option, text, kinds()); /* completion asks so */
  if (n == 1)
    argp_error(state, "%s: '%s' is not MODE:KIND", option, text);
  const int mode = (int)tool_integer(state, option, part[0], 0, HED_MAX_NDIM - 1);
  hed_prox_options *c = &j->constraint[mode];
  if (c->kind != HED_PROX_NONE)
    argp_error(state, "%s: mode %d is named twice", option, mode);
  c->kind = (hed_prox_kind)(1 + tool_word(state, option, n > 1 ? part[1] : "", kinds()));
  if (n - 2 < numbers[c->kind].least || n - 2 > numbers[c->kind].most)
    argp_error(state, "%s: mode %d: %s takes %s, not %d", option, mode, hed_prox_name((int)c->kind),
               numbers[c->kind].least == 2 ? "two numbers" : numbers[c->kind].least == 1 ? "a number"
               : numbers[c->kind].most == 1 ? "a number or none" : "no number", n - 2);
  if (c->kind == HED_PROX_BOX) {
    c->low = tool_number(state, option, part[2], -1e300, 1e300);
    c->high = tool_number(state, option, part[3], c->low, 1e300);
  } else if (numbers[c->kind].most == 1) {
    c->parameter = n > 2 ? tool_number(state, option, part[2], 0, 1e300) : 1;
  }
  j->constrained = mode + 1 > j->constrained ? mode + 1 : j->constrained;
}

void decompose_parse_constraint(decompose_job *j, struct argp_state *state, const char *text)
{
  char *copy = strdup(text), *rest = copy, *one;
  if (!copy)
    argp_error(state, "%s: no memory", option);
  while (copy && (one = strsep(&rest, ",")))
    parse_one(j, state, one);
  free(copy);
}

hed_status decompose_check_constraint(const decompose_job *j, int order)
{
  return j->constrained <= order
             ? HED_OK : hed_fail(HED_E_AXIS, "%s: mode %d of '%s', a tensor of order %d: its modes are 0 to %d", option,
                                 j->constrained - 1, j->path, order, order - 1);
}

bool decompose_keeps_sizes(const decompose_job *j)
{
  bool keeps = false;
  for (int k = 0; k < j->constrained; k++)
    switch (j->constraint[k].kind) {
    case HED_PROX_NONE:
    case HED_PROX_NONNEGATIVE:
    case HED_PROX_SPARSE:
    case HED_PROX_INCREASING:
    case HED_PROX_DECREASING:
    case HED_PROX_UNIMODAL:
    case HED_PROX_ORTHONORMAL: break;
    default: keeps = true;
    }
  return keeps;
}
