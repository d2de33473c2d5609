// SPDX-License-Identifier: BSD-3-Clause
/* Einstein summation by pairs. L3.
 *
 * Every operand becomes a term: an array whose axes carry distinct labels (a repeated label is a diagonal; an axis of
 * extent 1 that broadcasts is dropped). Axes that nobody else needs are summed away. Then pairs are contracted in the
 * order that einsum_path.h finds, as batched matrix products or, when nothing is summed, as broadcast products, until one
 * term is left; it is put in the order of the output. Batch axes go to matmul one by one and the others in the order of
 * memory, so that operands are copied only where several axes cannot be seen as one.
 */
#include "composite/einsum_path.h"

#include "api/call/check.h"
#include "api/call/infer.h"
#include "composite/products.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <string.h>

typedef struct term {
  hed_array *x;          /* owned */
  int n;
  int8_t label[HED_MAX_NDIM];
} term;

typedef struct einsum {
  int id;                /* the type everything is computed in */
  int n;                 /* terms left */
  term t[HED__EINSUM_OPERANDS];
  uint32_t own[HED__EINSUM_OPERANDS]; /* axes of an operand that are not repeated, bit by bit */
  int64_t extent[HED__EINSUM_LABELS];
  int position[HED__EINSUM_LABELS];     /* position in the output, -1 = summed */
  hed__subscript out;
} einsum;

static bool has(const term *t, int label)
{
  for (int k = 0; k < t->n; k++)
    if (t->label[k] == label)
      return true;
  return false;
}

/* Does anything but terms I and J need LABEL? */
static bool needed(const einsum *e, int label, int i, int j)
{
  if (e->position[label] >= 0)
    return true;
  for (int k = 0; k < e->n; k++)
    if (k != i && k != j && has(&e->t[k], label))
      return true;
  return false;
}

/* ---- operands to terms ---- */

static hed_status agree_on_extents(einsum *e, int n, const hed_array *const *in, const hed__subscripts *s)
{
  char name[8];
  int from[HED__EINSUM_LABELS];
  for (int k = 0; k < HED__EINSUM_LABELS; k++)
    e->extent[k] = e->position[k] = -1;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < s->in[k].n; j++) {
      int label = s->in[k].label[j];
      int64_t dim = in[k]->view.dim[j];
      for (int i = 0; i < j; i++)
        if (s->in[k].label[i] == label && in[k]->view.dim[i] != dim)
          return hed_fail(HED_E_SHAPE, "einsum: label %s has extents %lld and %lld in operand %d",
                          hed__einsum_label(s, label, name), (long long)in[k]->view.dim[i], (long long)dim, k);
      if (e->extent[label] < 0 || e->extent[label] == 1) {
        e->extent[label] = dim;
        from[label] = k;
      } else if (dim != e->extent[label] && dim != 1) {
        return hed_fail(HED_E_SHAPE, "einsum: label %s has extent %lld in operand %d and %lld in operand %d",
                        hed__einsum_label(s, label, name), (long long)e->extent[label], from[label], (long long)dim, k);
      }
    }
  e->out = s->out;
  for (int k = 0; k < s->out.n; k++)
    e->position[s->out.label[k]] = k;
  return HED_OK;
}

static hed_status make_term(einsum *e, const hed_array *x, const hed__subscript *s, term *t)
{
  hed_array *same = hed_astype(x, hed__dtypes[e->id]);
  if (!same)
    return hed_error();
  hed_view v = same->view;
  v.ndim = t->n = 0;
  for (int k = 0; k < s->n; k++) {
    int label = s->label[k], at = 0;
    if (same->view.dim[k] != e->extent[label]) /* 1, and another operand has the extent */
      continue;
    while (at < t->n && t->label[at] != label)
      at++;
    if (at < t->n) {
      v.stride[at] += same->view.stride[k];
      continue;
    }
    t->label[t->n++] = (int8_t)label;
    v.dim[v.ndim] = same->view.dim[k];
    v.stride[v.ndim++] = same->view.stride[k];
  }
  t->x = hed__array_view(same, &v);
  hed_release(same);
  return t->x ? HED_OK : hed_error();
}

/* ---- one term ---- */

/* Sums away what only term I has. */
static hed_status sum_alone(einsum *e, int i)
{
  term *t = &e->t[i];
  hed_reduce opt = { .dtype = hed__dtypes[e->id] };
  int n = 0;
  for (int k = 0; k < t->n; k++) {
    if (needed(e, t->label[k], i, i))
      t->label[n++] = t->label[k];
    else
      opt.axes.axis[opt.axes.n++] = k;
  }
  t->n = n;
  if (opt.axes.n == 0)
    return HED_OK;
  hed_array *x = e->id == HED_ID_BOOL ? hed_any(t->x, &opt) : hed_sum(t->x, &opt);
  if (!x)
    return hed_error();
  hed_release(t->x);
  t->x = x;
  return HED_OK;
}

/* The term's array with axes in the order of N labels, of extent 1 for those it lacks. */
static hed_array *aligned(const term *t, int n, const int8_t *label)
{
  hed_view v = t->x->view;
  v.ndim = n;
  for (int k = 0; k < n; k++) {
    int at = 0;
    while (at < t->n && t->label[at] != label[k])
      at++;
    v.dim[k] = at < t->n ? t->x->view.dim[at] : 1;
    v.stride[k] = at < t->n ? t->x->view.stride[at] : 0;
  }
  return hed__array_view(t->x, &v);
}

/* ---- two terms ---- */

typedef struct group {
  int n;
  int8_t label[HED_MAX_NDIM];
  int64_t size;
} group;

/* Into G in the order of the output, what is not in it last. False when there are too many. */
static bool put(const einsum *e, group *g, int label)
{
  if (g->n == HED_MAX_NDIM)
    return false;
  unsigned rank = (unsigned)e->position[label];
  int k = g->n++;
  for (; k > 0 && (unsigned)e->position[g->label[k - 1]] > rank; k--)
    g->label[k] = g->label[k - 1];
  g->label[k] = (int8_t)label;
  g->size *= e->extent[label];
  return true;
}

/* T's axes as (batch.., first, second). */
static hed_array *as_matrices(const einsum *e, const term *t, const group *batch, const group *first, const group *second)
{
  int8_t order[3 * HED_MAX_NDIM];
  int n = 0;
  hed_shape shape = { 0, { 0 } };
  const group *const all[3] = { batch, first, second };
  for (int g = 0; g < 3; g++)
    for (int k = 0; k < all[g]->n; k++)
      order[n++] = all[g]->label[k];
  for (int k = 0; k < batch->n; k++)
    shape.dim[shape.ndim++] = e->extent[batch->label[k]];
  shape.dim[shape.ndim++] = first->size;
  shape.dim[shape.ndim++] = second->size;
  hed_array *x = aligned(t, n, order), *m = NULL;
  if (x)
    m = hed_reshape(x, shape);
  hed_release(x);
  return m;
}

static hed_status join_labels(const einsum *e, term *t, hed_shape *shape, int n, const group *const *groups)
{
  t->n = 0;
  for (int g = 0; g < n; g++)
    for (int k = 0; k < groups[g]->n; k++) {
      if (t->n == HED_MAX_NDIM)
        return hed_fail(HED_E_SHAPE, "einsum: a product of two operands has more than %d axes", HED_MAX_NDIM);
      shape->dim[t->n] = e->extent[groups[g]->label[k]];
      t->label[t->n++] = groups[g]->label[k];
    }
  shape->ndim = t->n;
  return HED_OK;
}

static double size_of(const einsum *e, const term *t)
{
  double size = 1;
  for (int k = 0; k < t->n; k++)
    size *= (double)e->extent[t->label[k]];
  return size;
}

static hed_status contract(einsum *e, int i, int j, term *result)
{
  const term *a = &e->t[i], *b = &e->t[j];
  group batch = { .size = 1 }, left = batch, right = batch, summed = batch;
  bool fits = true;
  for (int k = 0; k < a->n; k++) {
    int label = a->label[k];
    if (!has(b, label))
      fits = fits && put(e, &left, label);
    else if (needed(e, label, i, j))
      fits = fits && put(e, &batch, label);
  }
  /* summed labels in the order that the larger operand has them in memory */
  const term *large = size_of(e, a) >= size_of(e, b) ? a : b, *small = large == a ? b : a;
  for (int k = 0; k < large->n; k++)
    if (has(small, large->label[k]) && !needed(e, large->label[k], i, j))
      fits = fits && put(e, &summed, large->label[k]);
  fits = fits && batch.n + 2 <= HED_MAX_NDIM;
  for (int k = 0; k < b->n; k++)
    if (!has(a, b->label[k]))
      fits = fits && put(e, &right, b->label[k]);
  hed_shape shape;
  /* For the last product, the order that the output wants. */
  bool swap = e->n == 2 && left.n && right.n && e->position[right.label[0]] < e->position[left.label[0]];
  /* What both have as neighbours stays so where nothing is summed. */
  bool behind = summed.n == 0 && a->n && b->n && a->label[a->n - 1] == b->label[b->n - 1];
  const group *const order[4] = { &batch, swap ? &right : &left, swap ? &left : &right, &batch };
  hed_status status = fits ? join_labels(e, result, &shape, 3, order + behind)
                           : hed_fail(HED_E_SHAPE, "einsum: a product of two operands has more than %d axes",
                                      HED_MAX_NDIM);
  if (status != HED_OK)
    return status;
  hed_array *x = NULL, *y = NULL, *z = NULL;
  if (summed.n == 0) {
    if (e->n == 2) { /* a broadcast product can come in any order */
      result->n = e->out.n;
      for (int k = 0; k < e->out.n; k++)
        result->label[k] = e->out.label[k];
    }
    x = aligned(a, result->n, result->label);
    y = aligned(b, result->n, result->label);
    result->x = hed_multiply(x, y);
  } else {
    const term *first = swap ? b : a, *second = swap ? a : b;
    x = as_matrices(e, first, &batch, order[1], &summed);
    y = as_matrices(e, second, &batch, &summed, order[2]);
    z = x && y ? hed_matmul(x, y) : NULL;
    result->x = z ? hed_reshape(z, shape) : NULL;
  }
  hed_release(x);
  hed_release(y);
  hed_release(z);
  return result->x ? HED_OK : hed_error();
}

static hed_status contract_all(einsum *e, const hed__einsum_plan *plan)
{
  hed_status status = HED_OK;
  for (int k = 0; k < e->n && status == HED_OK; k++)
    status = sum_alone(e, k);
  for (int step = 0; step < plan->steps && status == HED_OK; step++) {
    int i = plan->left[step], j = plan->right[step], n = 0;
    term product = { .x = NULL };
    status = contract(e, i, j, &product);
    if (status != HED_OK)
      break;
    hed_release(e->t[i].x);
    hed_release(e->t[j].x);
    for (int k = 0; k < e->n; k++)
      if (k != i && k != j)
        e->t[n++] = e->t[k];
    e->t[n++] = product;
    e->n = n;
  }
  return status;
}

/* The last term in the output's order: memory of its own, contiguous. */
static hed_array *finish(const einsum *e, const hed__exec *ex)
{
  hed_array *x = aligned(&e->t[0], e->out.n, e->out.label), *copy;
  bool own = x && hed__is_c_contiguous(&x->view);
  for (int k = 0; k < ex->n && own; k++)
    own = x->storage != ex->in[k]->storage;
  if (own || !x)
    return x;
  copy = hed_copy(x);
  hed_release(x);
  return copy;
}

/* ---- the calls ---- */

static void pose(const einsum *e, int n, const hed__subscripts *s, const hed_einsum_options *opt, hed__einsum_problem *p)
{
  memset(p, 0, sizeof *p);
  p->n = n;
  p->dtype = e->id;
  p->order = opt->order;
  p->memory = opt->memory;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < s->in[k].n; j++) {
      int label = s->in[k].label[j];
      p->extent[label] = e->extent[label];
      /* an axis of extent 1 that is repeated is no axis of its operand */
      if (e->own[k] >> j & 1u)
        hed__labels_add(&p->term[k], label);
    }
  for (int k = 0; k < s->out.n; k++)
    hed__labels_add(&p->out, s->out.label[k]);
}

/* Everything that can be wrong with the arguments. */
static hed_status read_call(const char *subscripts, int n, const hed_array *const *operands, const hed_einsum_options *opt,
                            hed__subscripts *s, einsum *e)
{
  static const char *const names[HED__EINSUM_OPERANDS] = {
    "operand 0", "operand 1", "operand 2", "operand 3", "operand 4", "operand 5", "operand 6", "operand 7",
    "operand 8", "operand 9", "operand 10", "operand 11", "operand 12", "operand 13", "operand 14", "operand 15",
    "operand 16", "operand 17", "operand 18", "operand 19", "operand 20", "operand 21", "operand 22", "operand 23",
    "operand 24", "operand 25", "operand 26", "operand 27", "operand 28", "operand 29", "operand 30", "operand 31",
  };
  int32_t ndim[HED__EINSUM_OPERANDS];
  e->n = 0;
  if (!subscripts || !operands)
    return hed_fail(HED_E_INVAL, "einsum: %s is NULL", subscripts ? "operands" : "subscripts");
  if (n < 1 || n > HED__EINSUM_OPERANDS)
    return hed_fail(HED_E_INVAL, "einsum: %d operands, 1 to %d are possible", n, HED__EINSUM_OPERANDS);
  if (opt->order < HED_EINSUM_AUTO || opt->order > HED_EINSUM_GIVEN)
    return hed_fail(HED_E_INVAL, "einsum: order %d, 0 to %d are known", (int)opt->order, (int)HED_EINSUM_GIVEN);
  for (int k = 0; k < n; k++) {
    if (!hed__given(operands[k], "einsum", names[k]))
      return hed_error();
    ndim[k] = operands[k]->view.ndim;
  }
  hed_status status = hed__einsum_parse(subscripts, n, ndim, s);
  if (status == HED_OK)
    status = agree_on_extents(e, n, operands, s);
  for (int k = 0; k < n && status == HED_OK; k++) {
    e->own[k] = 0;
    for (int j = 0; j < s->in[k].n; j++)
      if (operands[k]->view.dim[j] == e->extent[s->in[k].label[j]])
        e->own[k] |= (uint32_t)1 << j;
  }
  if (status == HED_OK && (e->id = hed__infer_operands(HED_OP_EINSUM, n, operands, names)) < 0)
    status = (hed_status)e->id;
  return status;
}

static const hed_einsum_options defaults;

hed_array *HED_BODY(einsum_with)(const char *subscripts, int n, const hed_array *const *operands, const hed_einsum_options *opt)
{
  hed__subscripts s;
  hed__einsum_problem problem;
  hed__einsum_plan plan = { .steps = 0 };
  einsum e;
  hed__exec ex;
  hed__forced forced;
  opt = opt ? opt : &defaults;
  if (read_call(subscripts, n, operands, opt, &s, &e) != HED_OK || hed__plan(&ex, HED_OP_EINSUM, n, operands) != HED_OK)
    return NULL;
  if (n == 2) { /* there is one way */
    plan = (hed__einsum_plan){ .steps = 1, .left = { 0 }, .right = { 1 } };
  } else if (n > 2) {
    pose(&e, n, &s, opt, &problem);
    hed__einsum_plan_get(&problem, &plan);
  }
  hed_array *out = NULL;
  if (hed__force_begin(&forced, &ex) == HED_OK) {
    hed_status status = HED_OK;
    for (int k = 0; k < n && status == HED_OK; k++) {
      status = make_term(&e, ex.in[k], &s.in[k], &e.t[k]);
      e.n += status == HED_OK;
    }
    if (status == HED_OK && contract_all(&e, &plan) == HED_OK)
      out = finish(&e, &ex);
    for (int k = 0; k < e.n; k++)
      hed_release(e.t[k].x);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return out;
}

hed_array *HED_BODY(einsum)(const char *subscripts, int n, const hed_array *const *operands)
{
  return hed_einsum_with(subscripts, n, operands, NULL);
}

hed_status HED_BODY(einsum_into)(hed_array *out, const char *subscripts, int n, const hed_array *const *operands)
{
  if (!hed__given(out, "einsum", "out"))
    return hed_error();
  hed_array *made = hed_einsum(subscripts, n, operands);
  hed_status status = hed__write_result("einsum", out, made);
  hed_release(made);
  return status;
}

hed_status hed_einsum_path(const char *subscripts, int n, const hed_array *const *operands, const hed_einsum_options *opt,
                           hed_einsum_order_info *out)
{
  hed__subscripts s;
  hed__einsum_problem problem;
  hed__einsum_plan plan;
  einsum e;
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "einsum_path: %s", out ? "struct_size is not set" : "out is NULL");
  opt = opt ? opt : &defaults;
  hed_status status = read_call(subscripts, n, operands, opt, &s, &e);
  if (status != HED_OK)
    return status;
  pose(&e, n, &s, opt, &problem);
  hed__einsum_plan_get(&problem, &plan);
  hed_einsum_order_info info = { .struct_size = out->struct_size, .steps = plan.steps, .optimal = plan.optimal,
                                 .flops_naive = plan.naive, .flops = plan.flops, .largest = plan.largest };
  for (int k = 0; k < plan.steps; k++) {
    info.left[k] = plan.left[k];
    info.right[k] = plan.right[k];
  }
  memcpy(out, &info, out->struct_size < sizeof info ? out->struct_size : sizeof info);
  return HED_OK;
}
