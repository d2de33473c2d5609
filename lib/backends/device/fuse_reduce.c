// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations and the reduction of what they give, in one kernel for the first launch (kernels/fuse_reduce.k). L1.
 *
 * It is scheduled as a reduction of the array that is not made would be, so that elements meet in the same order.
 */
#include "backends/device/fuse.h"
#include "backends/device/reduce.h"
#include "base/dtype.h"
#include <stdio.h>
#include <string.h>

static const hed_fused_step *last_of(const hed_fused_call *c) { return &c->step[c->n_steps - 1]; }

bool hed__fuse_is_reduction(const hed_fused_call *c)
{
  switch (last_of(c)->op) {
  case HED_OP_SUM: case HED_OP_PROD: case HED_OP_MEAN: case HED_OP_MAX: case HED_OP_MIN: case HED_OP_ARGMAX: case HED_OP_ARGMIN:
  case HED_OP_ANY: case HED_OP_ALL: case HED_OP_COUNT_NONZERO:
    return c->n_out == 1 && last_of(c)->out == 0 && last_of(c)->in[0] >= c->n_in;
  default:
    return false;
  }
}

/* The pass as x[a, r, c]: axes before those that are reduced, these, and the others. False where they are not neighbours. */
static bool count(const hed_fused_call *c, hed__reduce_args *a)
{
  const uint32_t axes = ((const hed_reduce_params *)last_of(c)->params)->axes;
  int32_t place = 0;
  *a = (hed__reduce_args){ .n = { 1, 1, 1 } };
  for (int32_t k = 0; k < c->ndim; k++) {
    const bool reduced = axes >> k & 1;
    if (c->dim[k] == 1)
      continue;
    if (place != 1 && reduced)
      place++;
    if (place == 1 && !reduced)
      place++;
    if (place > 2 || c->dim[k] == 0)
      return false;
    a->n[place] *= c->dim[k];
  }
  a->stride[0] = a->n[1] * a->n[2];
  a->stride[1] = a->n[2];
  a->stride[2] = 1;
  a->to[0] = a->n[2];
  a->to[1] = 1;
  return true;
}

/* ---- where elements are ---- */

/* FLAT: all side by side, or single; LINES: along a, r and c; SPLIT: along axes of which (a, r, c) are made. */
typedef enum place_kind { FLAT, LINES, SPLIT } place_kind;

typedef struct reduction {
  hed__fuse_job *j;            /* strides: those of PLACES, outermost first in LINES */
  hed__reduce_job reduce;
  place_kind places;
} reduction;

/* Strides along a, r and c; false where the axes of one of them do not lie as one. */
static bool lines(const hed__fuse_job *j, int64_t stride[][HED_MAX_NDIM])
{
  const hed_fused_call *c = j->c;
  const uint32_t axes = ((const hed_reduce_params *)last_of(c)->params)->axes;
  for (int32_t p = 0; p < j->n_pointers; p++) {
    int32_t place = 2;
    int64_t n = 0;             /* of the axis within, 0: there is none */
    for (int32_t k = c->ndim - 1; k >= 0; k--) {
      const int64_t s = j->stride[p][c->ndim - 1 - k];
      if (c->dim[k] == 1)
        continue;
      while ((place == 1) != (axes >> k & 1)) {
        place--;
        n = 0;
      }
      if (n > 0 && s != stride[p][place] * n)
        return false;
      stride[p][place] = n > 0 ? stride[p][place] : s;
      n = n > 0 ? n * c->dim[k] : c->dim[k];
    }
  }
  return true;
}

static bool lay_out(reduction *r)
{
  hed__fuse_job *j = r->j;
  int64_t stride[HED__MOST_POINTERS][HED_MAX_NDIM] = { { 0 } };
  if (!count(j->c, &r->reduce.args) || !hed__fuse_operands(j) || j->n_pointers == 0 || j->n_pointers == HED__MOST_POINTERS)
    return false;
  const bool in_lines = lines(j, stride), few = hed__fuse_collapse(j);
  j->flat = few && j->ndim <= 1;
  for (int32_t p = 0; p < j->n_pointers; p++)
    j->flat &= j->stride[p][0] == 0 || j->stride[p][0] == 1;
  r->places = j->flat ? FLAT : in_lines ? LINES : SPLIT;
  if (r->places == LINES)
    memcpy(j->stride, stride, sizeof stride);
  return few || in_lines;
}

/* ---- the text ---- */

typedef enum said { PARAMETERS, ADDRESSES, POINTERS } said;

static void say_pointers(hed__fuse_job *j, said how)
{
  for (int32_t k = 0; k < j->c->n_in; k++) {
    const int t = j->c->in[k]->dtype, p = j->source[k];
    if (p < 0)
      continue;
    if (how == PARAMETERS)
      hed__fuse_say(j, "PTR(const STORED(%d), p%d), ", t, p);
    else if (how == ADDRESSES)
      hed__fuse_say(j, "AT(p%d), ", p);
    else
      hed__fuse_say(j, "GLOBAL const STORED(%d) *p%d, ", t, p);
  }
}

static void say_operands(const reduction *r)
{
  static const char *const words[] = { [FLAT] = "AT_FLAT", [LINES] = "AT_LINES", [SPLIT] = "AT_SPLIT" };
  hed__fuse_job *j = r->j;
  for (int32_t k = 0; k < j->c->n_in; k++) {
    const int t = j->c->in[k]->dtype, p = j->source[k];
    if (p < 0)
      hed__fuse_say(j, "  const STORED(%d) v%d = BITS(%d, fuse->value[%d][0], fuse->value[%d][1]);\n", t, (int)k, t, -1 - p, -1 - p);
    else if (r->places == FLAT && j->stride[p][0] == 0)
      hed__fuse_say(j, "  const STORED(%d) v%d = p%d[0];\n", t, (int)k, p);
    else
      hed__fuse_say(j, "  const STORED(%d) v%d = p%d[%s(%d)];\n", t, (int)k, p, words[r->places], p);
  }
}

static void say_all(hed__fuse_job *j, const void *arg)
{
  const reduction *r = arg;
  const int value = last_of(j->c)->in[0];
  hed__fuse_say(j, "typedef struct fuse_args {\n  hed__reduce_args reduce;\n");
  if (r->places == SPLIT)
    hed__fuse_say(j, "  i64 n[4];\n");
  if (r->places != FLAT)
    hed__fuse_say(j, "  i64 stride[%d][4];\n", (int)j->n_pointers);
  hed__fuse_say_values(j);
  hed__fuse_say(j, "} fuse_args;\n#define INPUTS ");
  say_pointers(j, PARAMETERS);
  hed__fuse_say(j, "const fuse_args fuse\n#define FUSED_POINTERS ");
  say_pointers(j, ADDRESSES);
  hed__fuse_say(j, "\nFN STORED(%d) fused_element(", (int)hed__fuse_dtype(j->c, value));
  say_pointers(j, POINTERS);
  hed__fuse_say(j, "const fuse_args *fuse, i64 a, i64 r, i64 c)\n{\n  const fuse_params none = { { 0 } };\n"
                   "  (void)none, (void)a, (void)r, (void)c;\n%s", r->places == SPLIT ? "  SPLIT_PLACE\n" : "");
  say_operands(r);
  for (int32_t i = 0; i < j->n_steps; i++)
    hed__fuse_say_step(j, i);
  hed__fuse_say(j, "  return v%d;\n}\n//@ entry %s_%s p", value, r->reduce.row->first, r->reduce.schedule);
  for (int32_t p = 0; p < j->n_pointers; p++)
    hed__fuse_say(j, " p");
  hed__fuse_say(j, " s%d\n", (int)(8 * j->n_args));
  const char *schedule = r->reduce.schedule;
  hed__fuse_say(j, "%s(%s_)\n", strcmp(schedule, "columns") == 0 ? "COLUMNS" : strcmp(schedule, "short") == 0 ? "SHORT" : "INNER",
                r->reduce.row->first);
}

/* ---- the call ---- */

static bool fill_arguments(const reduction *r)
{
  hed__fuse_job *j = r->j;
  bool good = hed__fuse_add_words(j, &r->reduce.args, sizeof r->reduce.args / 8);
  if (r->places == SPLIT)
    good = good && hed__fuse_add_words(j, j->n, HED__FUSE_AXES);
  for (int32_t p = 0; p < j->n_pointers && r->places != FLAT && good; p++)
    good = hed__fuse_add_words(j, j->stride[p], HED__FUSE_AXES);
  return good && hed__fuse_add_values(j);
}

static int32_t find_entries(reduction *r)
{
  hed__fuse_job *j = r->j;
  const hed_fused_step *last = last_of(j->c);
  const int32_t dtype = hed__fuse_dtype(j->c, last->in[0]);
  hed__spec first = hed__spec_of("fuse_reduce", last->compute);
  const hed__spec second = hed__reduce_spec(&r->reduce, last->op, last->compute, dtype, j->c->out[0]->dtype);
  char name[32];
  first.in[0] = second.in[0];
  snprintf(name, sizeof name, "%s_%s", r->reduce.row->first, r->reduce.schedule);
  int32_t status = hed__fuse_kernel(j, &first, name, say_all, r, &r->reduce.entry[2]);
  return status == HED_OK ? hed__reduce_find_join(j->d, &r->reduce, &second, last->op) : status;
}

static int32_t launch(hed__submit *q, reduction *r)
{
  hed__fuse_job *j = r->j;
  void *states, *pointer[HED__MOST_POINTERS];
  int32_t status = hed__submit_scratch(q, hed__reduce_state_bytes(&r->reduce), &states);
  if (status != HED_OK)
    return status;
  pointer[0] = states;
  memcpy(pointer + 1, j->pointer, (size_t)j->n_pointers * sizeof *pointer);
  status = hed__reduce_launch(q, &r->reduce, r->reduce.entry[2], 1 + j->n_pointers, pointer, j->args, 8 * j->n_args, false);
  if (status == HED_OK) /* a pointer that is not followed is another one */
    status = hed__reduce_launch(q, &r->reduce, r->reduce.entry[3], 3, (void *[]){ j->c->out[0]->data, states, states },
                                &r->reduce.args, sizeof r->reduce.args, true);
  return status;
}

int32_t hed__fuse_reduce(hed__fuse_job *j)
{
  const hed_fused_call *c = j->c;
  reduction r = { .j = j, .reduce = { .row = hed__reduce_row_of(last_of(c)->op) } };
  hed__submit q;
  if (!hed__fuse_takes(j) || !lay_out(&r))
    return HED_E_UNSUPPORTED;
  if (hed__id_kind(j->compute) == HED_KIND_COMPLEX && j->compute != last_of(c)->compute)
    return HED_E_UNSUPPORTED; /* functions of complex numbers are those of the program's type */
  hed__reduce_schedule(&r.reduce, j->d);
  int32_t status = fill_arguments(&r) ? find_entries(&r) : HED_E_UNSUPPORTED;
  if (status == HED_OK)
    status = hed__submit_begin(&q, j->d, c->wait_for, c->n_wait_for, c->after, c->n_after);
  return status == HED_OK ? hed__submit_end(&q, launch(&q, &r), c->ticket) : status;
}
