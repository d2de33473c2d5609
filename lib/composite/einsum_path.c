// SPDX-License-Identifier: BSD-3-Clause
/* Orders of contraction: see einsum_path.h. L3. */
#include "composite/einsum_path.h"

#include "base/dtype.h"
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

enum { SEARCHED_TERMS = 8 }; /* subsets of so many terms are searched: 3^8 / 2 splits */

static hed__labels either(hed__labels a, hed__labels b)
{
  return (hed__labels){ { a.bits[0] | b.bits[0], a.bits[1] | b.bits[1] } };
}

static hed__labels both(hed__labels a, hed__labels b)
{
  return (hed__labels){ { a.bits[0] & b.bits[0], a.bits[1] & b.bits[1] } };
}

static bool same(hed__labels a, hed__labels b) { return a.bits[0] == b.bits[0] && a.bits[1] == b.bits[1]; }

static bool none(hed__labels a) { return !(a.bits[0] | a.bits[1]); }

static double size_of(const hed__einsum_problem *p, hed__labels s)
{
  double size = 1;
  for (int w = 0; w < 2; w++)
    for (uint64_t b = s.bits[w]; b; b &= b - 1)
      size *= (double)p->extent[64 * w + __builtin_ctzll(b)];
  return size;
}

/* Multiplications, and additions when something is summed. */
static double flops_of(const hed__einsum_problem *p, hed__labels a, hed__labels b, hed__labels result)
{
  hed__labels all = either(a, b);
  return size_of(p, all) * (same(all, result) ? 1 : 2);
}

/* Cost of a step; beyond the limit anything else is better. */
static double cost_of(const hed__einsum_problem *p, hed__labels a, hed__labels b, hed__labels result, bool last, double size)
{
  double cost = flops_of(p, a, b, result);
  if (!last && p->memory && size * hed__id_size(p->dtype) > (double)p->memory)
    cost += 1e60 * size;
  return cost;
}

/* Labels that anything but the terms of SET needs. */
static hed__labels needed(const hed__einsum_problem *p, int n, const hed__labels *term, uint32_t set)
{
  hed__labels out = p->out;
  for (int k = 0; k < n; k++)
    if (!(set >> k & 1u))
      out = either(out, term[k]);
  return out;
}

/* ---- the best order ---- */

typedef struct subset {
  double cost, written; /* the second decides between equals: elements of intermediate results */
  hed__labels labels; /* of its product */
  uint16_t split;     /* one half of the best split */
} subset;

typedef struct emission {
  hed__einsum_plan *plan;
  int n, held[HED__EINSUM_OPERANDS]; /* what the list holds: sets of terms */
} emission;

static void emit(emission *e, int a, int b)
{
  int i = 0, j = 0;
  while (e->held[i] != a)
    i++;
  while (e->held[j] != b)
    j++;
  e->plan->left[e->plan->steps] = (uint8_t)(i < j ? i : j);
  e->plan->right[e->plan->steps++] = (uint8_t)(i < j ? j : i);
  int n = 0;
  for (int k = 0; k < e->n; k++)
    if (k != i && k != j)
      e->held[n++] = e->held[k];
  e->held[n++] = a | b;
  e->n = n;
}

static void emit_subset(emission *e, const subset *s, int set)
{
  if (!(set & (set - 1)))
    return;
  int half = s[set].split;
  emit_subset(e, s, half);
  emit_subset(e, s, set ^ half);
  emit(e, half, set ^ half);
}

static void best(const hed__einsum_problem *p, const hed__labels *term, hed__einsum_plan *plan)
{
  subset s[1 << SEARCHED_TERMS];
  const int all = (1 << p->n) - 1;
  for (int set = 1; set <= all; set++) {
    hed__labels labels = { { 0, 0 } };
    for (int k = 0; k < p->n; k++)
      if (set >> k & 1)
        labels = either(labels, term[k]);
    s[set] = (subset){ .labels = both(labels, needed(p, p->n, term, (uint32_t)set)) };
    if (!(set & (set - 1)))
      continue;
    const double size = size_of(p, s[set].labels);
    const int low = set & -set; /* each split once: the half with the lowest term */
    for (int half = (set - 1) & set; half; half = (half - 1) & set) {
      if (!(half & low))
        continue;
      const subset *a = &s[half], *b = &s[set ^ half];
      double cost = a->cost + b->cost + cost_of(p, a->labels, b->labels, s[set].labels, set == all, size);
      double written = a->written + b->written + size;
      if (!s[set].split || cost < s[set].cost || (cost == s[set].cost && written < s[set].written)) {
        s[set].cost = cost;
        s[set].written = written;
        s[set].split = (uint16_t)half;
      }
    }
  }
  emission e = { .plan = plan, .n = p->n };
  for (int k = 0; k < p->n; k++)
    e.held[k] = 1 << k;
  emit_subset(&e, s, all);
  plan->optimal = true;
}

/* ---- a good order ---- */

static void take_step(hed__einsum_plan *plan, int *n, hed__labels *term, int i, int j, hed__labels product)
{
  plan->left[plan->steps] = (uint8_t)i;
  plan->right[plan->steps++] = (uint8_t)j;
  int m = 0;
  for (int k = 0; k < *n; k++)
    if (k != i && k != j)
      term[m++] = term[k];
  term[m++] = product;
  *n = m;
}

static void greedy(const hed__einsum_problem *p, hed__labels *term, hed__einsum_plan *plan)
{
  int n = p->n;
  while (n > 1) {
    double least = 0;
    int x = -1, y = -1;
    hed__labels chosen = { { 0, 0 } };
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        hed__labels product = both(either(term[i], term[j]), needed(p, n, term, 1u << i | 1u << j));
        double size = size_of(p, product), gain = size - size_of(p, term[i]) - size_of(p, term[j]);
        if (none(both(term[i], term[j])) && n > 2) /* outer products wait */
          gain += 1e30 * (size + 1);
        if (n > 2 && p->memory && size * hed__id_size(p->dtype) > (double)p->memory)
          gain += 1e60 * size;
        if (x < 0 || gain < least) {
          least = gain;
          x = i;
          y = j;
          chosen = product;
        }
      }
    take_step(plan, &n, term, x, y, chosen);
  }
}

static void given(const hed__einsum_problem *p, hed__einsum_plan *plan)
{
  /* the product of what came before is at the end, the next operand at the front */
  for (int n = p->n; n > 1; n--) {
    plan->left[plan->steps] = 0;
    plan->right[plan->steps++] = (uint8_t)(n == p->n ? 1 : n - 1);
  }
}

/* What a plan costs. */
static void measure(const hed__einsum_problem *p, hed__labels *term, hed__einsum_plan *plan)
{
  hed__einsum_plan scratch = { .steps = 0 };
  int n = p->n;
  for (int k = 0; k < plan->steps; k++) {
    int i = plan->left[k], j = plan->right[k];
    hed__labels product = both(either(term[i], term[j]), needed(p, n, term, 1u << i | 1u << j));
    double size = size_of(p, product);
    plan->flops += flops_of(p, term[i], term[j], product);
    if (n > 2)
      plan->largest = fmax(plan->largest, size);
    take_step(&scratch, &n, term, i, j, product);
  }
}

void hed__einsum_plan_make(const hed__einsum_problem *p, hed__einsum_plan *out)
{
  hed__labels term[HED__EINSUM_OPERANDS], work[HED__EINSUM_OPERANDS], all = { { 0, 0 } };
  memset(out, 0, sizeof *out);
  for (int k = 0; k < p->n; k++) {
    all = either(all, p->term[k]);
    /* what a term has alone is summed before anything is multiplied */
    term[k] = both(p->term[k], needed(p, p->n, p->term, 1u << k));
    if (!same(term[k], p->term[k]))
      out->flops += size_of(p, p->term[k]);
  }
  out->naive = size_of(p, all) * ((p->n > 1 ? p->n - 1 : 1) + (same(all, p->out) ? 0 : 1));
  memcpy(work, term, sizeof work);
  if (p->order == HED_EINSUM_GIVEN)
    given(p, out);
  else if (p->order != HED_EINSUM_GREEDY && p->n <= SEARCHED_TERMS && p->n > 1)
    best(p, term, out);
  else
    greedy(p, work, out);
  memcpy(work, term, sizeof work);
  measure(p, work, out);
  out->optimal = out->optimal || p->n <= 2;
}
