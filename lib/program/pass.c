// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise steps that follow each other, as one pass over memory where the device has that: the same bits as one by one. L3.
 *
 * A group is a stretch of kernels of one device and one shape, of at least LEAST_ELEMENTS; what nobody reads but its own steps
 * never goes to memory. Where the device leaves the pass to others, the kernels are run, for which all values have their places. */
#include "api/call/box.h"
#include "base/alloc.h"
#include "base/shape.h"
#include "core/ops/op_rows.h"
#include "program/program.h"
#include <heddle/backend.h>
#include <string.h>

enum { LEAST_ELEMENTS = 4096 };

/* ---- what makes a group ---- */

static bool same_shape(const hed_view *a, const hed_view *b)
{
  return hed__shape_equal(a->ndim, a->dim, b->ndim, b->dim);
}

static const hed_view *result_of(const hed__launched *l) { return &l->view[l->n_in]; }

/* Could S, a kernel, be a step of a pass? */
static bool is_step(const hed__called *s)
{
  const hed__launched *l = s->launched;
  return s->kind == HED__CALL_ELEMENTWISE && !s->in_place && l->device->host && l->device->plugin->fuse &&
         hed__is_c_contiguous(result_of(l)) && hed__view_size(result_of(l)) >= LEAST_ELEMENTS;
}

/* Is operand K of L, made in the group, read as it was made? */
static bool is_whole(const hed__capture *c, const hed__launched *l, int32_t k)
{
  const hed_view *v = &l->view[k];
  return l->offset[k] == 0 && v->dtype == c->value[l->in[k]].array->view.dtype && same_shape(v, result_of(l)) &&
         hed__is_c_contiguous(v);
}

/* May call S follow those of the group from FIRST on, N steps? */
static bool belongs(const hed__capture *c, const hed__place *at, int32_t first, int32_t n, int32_t s)
{
  const hed__launched *l = c->call[s]->launched, *m = c->call[first]->launched;
  if (n == HED_FUSED_STEPS || l->device != m->device || c->call[s]->context != c->call[first]->context ||
      !same_shape(result_of(l), result_of(m)))
    return false;
  for (int32_t k = 0; k < l->n_in; k++) {
    const int32_t root = at[l->in[k]].root;
    const bool made = c->value[root].kind == HED__VALUE_MADE && at[root].first >= first;
    if (made && (l->in[k] != root || !is_whole(c, l, k)))
      return false;
  }
  return true;
}

/* From FIRST to LAST, calls: operands from outside stay till the end, so that no result lies on one. */
static void reserve(const hed__capture *c, hed__place *at, const int8_t *kind, int32_t first, int32_t last)
{
  for (int32_t s = first; s <= last; s++) {
    const hed__called *q = c->call[s];
    if (kind[s] != HED__BY_KERNEL)
      continue;
    for (int32_t k = 0; k < q->n_in; k++) {
      hed__place *p = &at[at[q->value[k]].root];
      if (p->group != first + 1 && p->last < last)
        p->last = last;
    }
    hed__place *y = &at[q->value[q->n_in]];
    y->inside = !y->handle && y->last <= last;
  }
}

void hed__program_groups(const hed__capture *c, hed__place *at, const int8_t *kind)
{
  for (int32_t s = 0; s < c->n_calls; s++) {
    int32_t n = 0, last = s, end = s;
    if (kind[s] != HED__BY_KERNEL || !is_step(c->call[s]))
      continue;
    for (; end < c->n_calls; end++) {
      if (kind[end] == HED__BY_NOTHING)
        continue;
      if (kind[end] != HED__BY_KERNEL || !is_step(c->call[end]) || !belongs(c, at, s, n, end))
        break;
      n++;
      last = end;
    }
    if (n < 2)
      continue;
    for (int32_t k = s; k <= last; k++)
      if (kind[k] == HED__BY_KERNEL) {
        const hed__called *q = c->call[k];
        at[q->value[q->n_in]].group = s + 1;
        at[q->value[q->n_in]].steps = n;
      }
    reserve(c, at, kind, s, last);
    s = last;
  }
}

/* ---- what the device is called with ---- */

typedef struct number { int32_t value, dtype; unsigned char *cell; } number;

struct hed__pass {
  hed__device *device;
  bool off;                  /* the device has left it to others */
  int32_t n_fill, n_numbers;
  struct { int32_t value; int64_t offset; void **data; } fill[HED_FUSED_IN + HED_FUSED_STEPS];
  number numbers[HED_FUSED_IN];
  _Alignas(16) unsigned char cell[HED_FUSED_IN][16];
  hed_view view[HED_FUSED_IN + HED_FUSED_STEPS];
  const hed_view *in[HED_FUSED_IN], *out[HED_FUSED_STEPS];
  hed_fused_step step[HED_FUSED_STEPS];
  hed_fused_call call;
};

/* V, of the call's, at W. */
static hed_view *put(hed__pass *p, int32_t slot, const hed_view *v, const hed__at *w, char *block)
{
  hed_view *to = &p->view[slot];
  *to = *v;
  if (w->where == HED__IN_BLOCK) {
    to->data = block + w->offset;
  } else {
    p->fill[p->n_fill].value = w->value;
    p->fill[p->n_fill].offset = w->offset;
    p->fill[p->n_fill++].data = &to->data;
  }
  return to;
}

/* A number is an operand that is there, broadcast. */
static hed_view *put_number(hed__pass *p, int32_t slot, const hed__launched *l, int32_t k, const hed__at *w)
{
  hed_view one = { .data = p->cell[slot], .dtype = l->view[k].dtype, .ndim = 0 };
  memcpy(p->cell[slot], l->cell[k], sizeof p->cell[slot]);
  (void)hed__broadcast_view(&one, result_of(l)->ndim, result_of(l)->dim, &p->view[slot]);
  if (w->where == HED__CONVERTED)
    p->numbers[p->n_numbers++] = (number){ w->value, one.dtype, p->cell[slot] };
  return &p->view[slot];
}

/* The number of operand K of W in the pass. */
static int32_t operand(hed__pass *p, const hed__lowered *first, const hed__lowered *w, int32_t k, const hed__at **from, char *block)
{
  const hed__launched *l = w->l;
  const hed__at *at = &w->at[k];
  for (const hed__lowered *u = first; u < w; u++) /* made in it */
    if (u->result == l->in[k])
      return -1 - (int32_t)(u - first);
  for (int32_t i = 0; i < p->call.n_in; i++)
    if (from[i]->where == at->where && from[i]->value == at->value && from[i]->offset == at->offset && at->where <= HED__IN_SLOT &&
        hed__lies_as(&p->view[i], &l->view[k]))
      return i;
  const int32_t i = p->call.n_in++;
  from[i] = at;
  p->in[i] = at->where <= HED__IN_SLOT ? put(p, i, &l->view[k], at, block) : put_number(p, i, l, k, at);
  return i;
}

hed__pass *hed__pass_new(const hed__lowered *first, int32_t n, char *block)
{
  hed__pass *p = hed__calloc(1, sizeof *p);
  const hed__at *from[HED_FUSED_IN];
  if (!p)
    return NULL;
  p->device = first->l->device;
  for (int32_t i = 0; i < n; i++) {
    const hed__lowered *w = first + i;
    hed_fused_step *s = &p->step[i];
    *s = (hed_fused_step){ .op = p->device->row[w->l->op].number, .compute = w->l->compute, .dtype = result_of(w->l)->dtype,
                           .n_in = w->l->n_in, .out = -1, .params = w->l->params };
    for (int32_t k = 0; k < s->n_in; k++)
      s->in[k] = operand(p, first, w, k, from, block);
    if (w->inside)
      continue;
    s->out = p->call.n_out++;
    p->out[s->out] = put(p, HED_FUSED_IN + s->out, result_of(w->l), &w->at[w->l->n_in], block);
  }
  for (int32_t i = 0; i < n; i++) /* values are numbered behind the operands */
    for (int32_t k = 0; k < p->step[i].n_in; k++)
      if (p->step[i].in[k] < 0)
        p->step[i].in[k] = p->call.n_in - 1 - p->step[i].in[k];
  p->call.struct_size = sizeof p->call;
  p->call.n_steps = n;
  p->call.in = p->in;
  p->call.out = p->out;
  p->call.step = p->step;
  p->call.ndim = result_of(first->l)->ndim;
  p->call.dim = result_of(first->l)->dim;
  return p;
}

hed_status hed__pass_run(hed__pass *p, hed_array *const *slot, int32_t threads)
{
  if (p->off)
    return HED_E_UNSUPPORTED;
  for (int32_t k = 0; k < p->n_fill; k++)
    *p->fill[k].data = (char *)slot[p->fill[k].value]->view.data + p->fill[k].offset;
  for (int32_t k = 0; k < p->n_numbers; k++) {
    hed__box box;
    const hed_array *x = hed__box_cast(&box, slot[p->numbers[k].value], p->numbers[k].dtype);
    memcpy(p->numbers[k].cell, x->view.data, (size_t)hed__id_size(p->numbers[k].dtype));
  }
  p->call.max_threads = threads;
  hed__error_mark mark;
  hed__error_save(&mark);
  const hed_status status = (hed_status)p->device->plugin->fuse(p->device->state, &p->call);
  if (status == HED_E_UNSUPPORTED) {
    hed__error_restore(&mark);
    p->off = true;
  } else {
    hed__count(hed__self, HED__COUNT_PASSES);
  }
  return status;
}
