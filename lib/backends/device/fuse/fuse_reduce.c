// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations and reductions of what they give, in one kernel for the first launch (kernels/fuse_reduce.k), in two where
 * one of them needs the mean first. L1.
 *
 * It is scheduled as a reduction of the array that is not made would be, so that elements meet in the same order.
 */
#include "backends/device/fuse/fuse.h"
#include "backends/device/rows/reduce.h"
#include "base/dtype.h"
#include "base/nest.h"
#include "base/shape.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FOLDS = 8 };

/* FLAT: all side by side, or single; LINES: along a, r and c; SPLIT: along axes of which (a, r, c) are made. */
typedef enum place_kind { FLAT, LINES, SPLIT } place_kind;

typedef struct fold {
  const hed_fused_step *step;
  const dev_reduce_row *row;
  void *join;
} fold;

typedef struct reduction {
  dev_fuse_job *j;             /* strides: those of PLACES, outermost first in LINES */
  dev_reduce_job reduce;       /* what is common to all folds; the row is one with a centre, where there is one */
  place_kind places;
  fold fold[MOST_FOLDS];
  int32_t n_folds;
  const char *family[MOST_FOLDS]; /* of states of the first launch, each once */
  int32_t n_families;
  bool second;                 /* the text of the kernel that is written is that of the launch with the means */
  void *first, *centre, *squares;
} reduction;

/* ---- the reductions ---- */

static const hed_reduce_params *params_of(const reduction *r) { return r->fold[0].step->params; }
static int32_t value_of(const reduction *r) { return r->fold[0].step->in[0]; }
static bool is_centred(const reduction *r) { return r->reduce.row->centre; }
static const char *first_of(const fold *f) { return f->row->centre ? f->row->centre_first : f->row->first; }

/* Place of the states of FAMILY; n_families: they are not there. */
static int32_t family_of(const reduction *r, const char *family)
{
  int32_t k = 0;
  while (k < r->n_families && strcmp(r->family[k], family) != 0)
    k++;
  return k;
}

/* Do S and the reductions before it take the same elements, and is it wanted? */
static bool belongs(const reduction *r, const hed_fused_step *s)
{
  const hed_fused_step *first = r->n_folds ? r->fold[0].step : s;
  return s->out >= 0 && r->n_folds < MOST_FOLDS && s->in[0] >= r->j->c->n_in && s->in[0] == first->in[0] &&
         s->compute == first->compute &&
         ((const hed_reduce_params *)s->params)->axes == ((const hed_reduce_params *)first->params)->axes;
}

static bool take_folds(reduction *r)
{
  const hed_fused_call *c = r->j->c;
  for (int32_t i = 0; i < c->n_steps; i++) {
    const hed_fused_step *s = &c->step[i];
    if (!dev_fuse_reduces(s)) {
      if (s->out >= 0)
        return false;
      continue;
    }
    if (!belongs(r, s))
      return false;
    fold *f = &r->fold[r->n_folds++];
    *f = (fold){ .step = s, .row = dev_reduce_row_of(r->j->d, s->op, s->compute) };
    if (family_of(r, first_of(f)) == r->n_families)
      r->family[r->n_families++] = first_of(f);
    if (!r->reduce.row || f->row->centre)
      r->reduce.row = f->row;
  }
  return !dev_fuse_reduces(&c->step[value_of(r) - c->n_in]);
}

/* The pass as x[a, r, c]: axes before those that are reduced, these, and the others. False where they are not neighbours. */
static bool count(const reduction *r, hed__reduce_args *a)
{
  const hed_fused_call *c = r->j->c;
  uint32_t axes = params_of(r)->axes;
  int64_t dim[HED_MAX_NDIM];
  int32_t place[3];
  memcpy(dim, c->dim, (size_t)c->ndim * sizeof *dim);
  const int32_t ndim = hed__merge_axes(0, NULL, c->ndim, dim, &axes);
  if (!dev_reduce_places(ndim, axes, place) || hed__shape_size(ndim, dim) == 0)
    return false;
  *a = (hed__reduce_args){ .n = { 1, 1, 1 } };
  for (int32_t k = 0; k < 3; k++)
    a->n[k] = place[k] < 0 ? 1 : dim[place[k]];
  a->stride[0] = a->n[1] * a->n[2];
  a->stride[1] = a->n[2];
  a->stride[2] = 1;
  a->to[0] = a->n[2];
  a->to[1] = 1;
  return true;
}

/* ---- where elements are ---- */

/* STRIDE of the call's axes becomes that along a, r and c; false where the axes of one of them do not lie as one. */
static bool lines(const reduction *r, int64_t (*stride)[HED_MAX_NDIM])
{
  const hed_fused_call *c = r->j->c;
  uint32_t axes = params_of(r)->axes;
  int64_t dim[HED_MAX_NDIM];
  int32_t place[3];
  memcpy(dim, c->dim, (size_t)c->ndim * sizeof *dim);
  const int32_t ndim = hed__merge_axes(r->j->n_pointers, stride, c->ndim, dim, &axes);
  const bool yes = dev_reduce_places(ndim, axes, place);
  for (int32_t p = 0; p < r->j->n_pointers && yes; p++) {
    const int64_t s[3] = { place[0] < 0 ? 0 : stride[p][place[0]], place[1] < 0 ? 0 : stride[p][place[1]],
                           place[2] < 0 ? 0 : stride[p][place[2]] };
    memcpy(stride[p], s, sizeof s);
    stride[p][3] = 0;
  }
  return yes;
}

static bool lay_out(reduction *r)
{
  dev_fuse_job *j = r->j;
  int64_t stride[DEV_MOST_POINTERS][HED_MAX_NDIM];
  if (!count(r, &r->reduce.args) || !dev_fuse_operands(j) || j->n_pointers == 0 ||
      j->n_pointers > DEV_MOST_POINTERS - DEV_FUSE_MORE)
    return false;
  memcpy(stride, j->stride, sizeof stride);
  const bool in_lines = lines(r, stride), few = dev_fuse_collapse(j);
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

static void say_pointers(dev_fuse_job *j, said how)
{
  for (int32_t k = 0; k < j->c->n_in; k++) {
    const int t = j->c->in[k]->dtype, p = j->source[k];
    if (p < 0)
      continue;
    if (how == PARAMETERS)
      dev_fuse_say(j, "PTR(const STORED(%d), p%d), ", t, p);
    else if (how == ADDRESSES)
      dev_fuse_say(j, "AT(p%d), ", p);
    else
      dev_fuse_say(j, "GLOBAL const STORED(%d) *p%d, ", t, p);
  }
}

static void say_operands(const reduction *r)
{
  static const char *const words[] = { [FLAT] = "AT_FLAT", [LINES] = "AT_LINES", [SPLIT] = "AT_SPLIT" };
  dev_fuse_job *j = r->j;
  for (int32_t k = 0; k < j->c->n_in; k++) {
    const int t = j->c->in[k]->dtype, p = j->source[k];
    if (p < 0)
      dev_fuse_say(j, "  const STORED(%d) v%d = BITS(%d, fuse->value[%d][0], fuse->value[%d][1]);\n", t, (int)k, t, -1 - p, -1 - p);
    else if (r->places == FLAT && j->stride[p][0] == 0)
      dev_fuse_say(j, "  const STORED(%d) v%d = p%d[0];\n", t, (int)k, p);
    else
      dev_fuse_say(j, "  const STORED(%d) v%d = p%d[%s(%d)];\n", t, (int)k, p, words[r->places], p);
  }
}

/* Several families of states as one. */
static void say_families(const reduction *r)
{
  dev_fuse_job *j = r->j;
  dev_fuse_say(j, "typedef struct all_state {\n");
  for (int32_t k = 0; k < r->n_families; k++)
    dev_fuse_say(j, "  %s_state s%d;\n", r->family[k], (int)k);
  dev_fuse_say(j, "} all_state;\nNO_CONTEXT(all_)\nFN all_state all_begin(void)\n{\n  all_state s;\n");
  for (int32_t k = 0; k < r->n_families; k++)
    dev_fuse_say(j, "  s.s%d = %s_begin();\n", (int)k, r->family[k]);
  dev_fuse_say(j, "  return s;\n}\nFN void all_step(all_state *s, T x, i64 at, no_context c)\n{\n");
  for (int32_t k = 0; k < r->n_families; k++)
    dev_fuse_say(j, "  %s_step(&s->s%d, x, at, c);\n", r->family[k], (int)k);
  dev_fuse_say(j, "}\nFN void all_merge(all_state *s, all_state t)\n{\n");
  for (int32_t k = 0; k < r->n_families; k++)
    dev_fuse_say(j, "  %s_merge(&s->s%d, t.s%d);\n", r->family[k], (int)k, (int)k);
  dev_fuse_say(j, "}\n#define KEEP(i, s) {");
  for (int32_t k = 0; k < r->n_families; k++)
    dev_fuse_say(j, " STATES(%s_state, %d, i) = (s).s%d;", r->family[k], (int)k, (int)k);
  dev_fuse_say(j, " }\n");
}

static void say_element(const reduction *r)
{
  dev_fuse_job *j = r->j;
  dev_fuse_say(j, "FN STORED(%d) fused_element(", (int)dev_fuse_dtype(j->c, value_of(r)));
  say_pointers(j, POINTERS);
  dev_fuse_say(j, "const fuse_args *fuse, i64 a, i64 r, i64 c)\n{\n  const fuse_params none = { { 0 } };\n"
               "  (void)none, (void)a, (void)r, (void)c;\n%s", r->places == SPLIT ? "  SPLIT_PLACE\n" : "");
  say_operands(r);
  for (int32_t i = 0; i < j->c->n_steps; i++)
    if (!dev_fuse_reduces(&j->c->step[i]))
      dev_fuse_say_step(j, i);
  dev_fuse_say(j, "  return v%d;\n}\n", (int)value_of(r));
}

/* Family of the states of the launch that is written. */
static const char *states_of(const reduction *r)
{
  return r->second ? r->reduce.row->first : r->n_families > 1 ? "all" : r->family[0];
}

static void say_all(dev_fuse_job *j, const void *arg)
{
  const reduction *r = arg;
  dev_fuse_say(j, "typedef struct fuse_args {\n  hed__reduce_args reduce;\n");
  if (r->n_families > 1)
    dev_fuse_say(j, "  i64 states[%d];\n", (int)r->n_families);
  if (r->places == SPLIT)
    dev_fuse_say(j, "  i64 n[4];\n");
  if (r->places != FLAT)
    dev_fuse_say(j, "  i64 stride[%d][4];\n", (int)j->n_pointers);
  dev_fuse_say_values(j);
  dev_fuse_say(j, "} fuse_args;\n#define INPUTS %s", r->second ? "PTR(const char, aux), " : "");
  say_pointers(j, PARAMETERS);
  dev_fuse_say(j, "const fuse_args fuse\n#define AUX %s\n#define FUSED_POINTERS ",
               r->second ? "AT(aux)" : "((GLOBAL const char *)0)");
  say_pointers(j, ADDRESSES);
  dev_fuse_say(j, "\n");
  say_element(r);
  if (!r->second && r->n_families > 1)
    say_families(r);
  else
    dev_fuse_say(j, "#define KEEP KEEP_ONE\n");
  const char *schedule = r->reduce.schedule;
  dev_fuse_say(j, "//@ entry %s_%s p%s", states_of(r), schedule, r->second ? " p" : "");
  for (int32_t p = 0; p < j->n_pointers; p++)
    dev_fuse_say(j, " p");
  dev_fuse_say(j, " s%d\n%s(%s_)\n", (int)(8 * j->n_args),
               strcmp(schedule, "columns") == 0 ? "COLUMNS" : strcmp(schedule, "short") == 0 ? "SHORT" : "INNER", states_of(r));
}

/* ---- the call ---- */

static bool fill_arguments(const reduction *r)
{
  dev_fuse_job *j = r->j;
  bool good = dev_fuse_add_words(j, &r->reduce.args, sizeof r->reduce.args / 8);
  for (int32_t k = 0; k < r->n_families && r->n_families > 1 && good; k++)
    good = dev_fuse_add_words(j, &(int64_t){ k * (int64_t)dev_reduce_state_bytes(&r->reduce) }, 1);
  if (r->places == SPLIT)
    good = good && dev_fuse_add_words(j, j->n, DEV_FUSE_AXES);
  for (int32_t p = 0; p < j->n_pointers && r->places != FLAT && good; p++)
    good = dev_fuse_add_words(j, j->stride[p], DEV_FUSE_AXES);
  return good && dev_fuse_add_values(j);
}

/* The kernel of the first launch, or of the SECOND, the one with the means. */
static int32_t find_first(reduction *r, int32_t from, bool second, void **entry)
{
  dev_spec spec = dev_spec_of("fuse_reduce", r->fold[0].step->compute);
  char name[32];
  spec.in[0] = from;
  r->second = second;
  snprintf(name, sizeof name, "%s_%s", states_of(r), r->reduce.schedule);
  return dev_fuse_kernel(r->j, &spec, name, say_all, r, entry);
}

static int32_t find_entries(reduction *r)
{
  const hed_fused_call *c = r->j->c;
  const int32_t dtype = dev_fuse_dtype(c, value_of(r)), compute = r->fold[0].step->compute;
  const int32_t from = dtype == compute ? DEV_TYPE_NONE : dtype;
  int32_t status = find_first(r, from, false, &r->first);
  if (status == HED_OK && is_centred(r))
    status = find_first(r, from, true, &r->squares);
  for (int32_t k = 0; k < r->n_folds && status == HED_OK; k++) {
    fold *f = &r->fold[k];
    dev_reduce_job row = r->reduce;
    row.row = f->row;
    const dev_spec spec = dev_reduce_spec(&row, f->step->op, compute, dtype, c->out[f->step->out]->dtype);
    status = dev_reduce_find_join(r->j->d, &row, &spec, hed_op_names[f->step->op], &f->join);
    if (status == HED_OK && f->row->centre)
      status = dev_reduce_find_join(r->j->d, &row, &spec, f->row->centre, &r->centre);
  }
  return status;
}

/* What ENTRY makes of STATES goes to OUT. */
static int32_t join(dev_submit *q, const reduction *r, void *entry, void *out, void *states, void *aux, int32_t ddof)
{
  hed__reduce_args args = r->reduce.args;
  args.ddof = ddof;
  /* a pointer that is not followed is another one */
  return dev_reduce_launch(q, &r->reduce, entry, 3, (void *[]){ out, states, aux ? aux : states }, &args, sizeof args, true);
}

static int32_t launch_first(dev_submit *q, const reduction *r, void *entry, void *states, void *aux)
{
  const dev_fuse_job *j = r->j;
  void *pointer[DEV_MOST_POINTERS];
  int32_t n = 0;
  pointer[n++] = states;
  if (aux)
    pointer[n++] = aux;
  memcpy(pointer + n, j->pointer, (size_t)j->n_pointers * sizeof *pointer);
  return dev_reduce_launch(q, &r->reduce, entry, n + j->n_pointers, pointer, j->args, 8 * j->n_args, false);
}

static int32_t launch(dev_submit *q, reduction *r)
{
  const hed_fused_call *c = r->j->c;
  const size_t each = dev_reduce_state_bytes(&r->reduce), all = each * (size_t)(r->n_families + is_centred(r));
  void *scratch;
  int32_t status = dev_submit_scratch(q, all + dev_reduce_aux_bytes(&r->reduce), &scratch);
  if (status != HED_OK)
    return status;
  char *states = scratch, *squares = states + each * (size_t)r->n_families, *means = states + all;
  status = launch_first(q, r, r->first, states, NULL);
  if (status == HED_OK && is_centred(r))
    status = join(q, r, r->centre, means, states + each * (size_t)family_of(r, r->reduce.row->centre_first), NULL, 0);
  if (status == HED_OK && is_centred(r))
    status = launch_first(q, r, r->squares, squares, means);
  for (int32_t k = 0; k < r->n_folds && status == HED_OK; k++) {
    const fold *f = &r->fold[k];
    char *from = f->row->centre ? squares : states + each * (size_t)family_of(r, f->row->first);
    status = join(q, r, f->join, c->out[f->step->out]->data, from, f->row->centre ? means : NULL,
                  ((const hed_reduce_params *)f->step->params)->ddof);
  }
  return status;
}

int32_t dev_fuse_reduce(dev_fuse_job *j)
{
  const hed_fused_call *c = j->c;
  reduction r = { .j = j };
  dev_submit q;
  if (!take_folds(&r) || !dev_fuse_takes(j) || !lay_out(&r))
    return HED_E_UNSUPPORTED;
  if (hed__id_kind(j->compute) == HED_KIND_COMPLEX && j->compute != r.fold[0].step->compute)
    return HED_E_UNSUPPORTED; /* functions of complex numbers are those of the program's type */
  dev_reduce_schedule(&r.reduce, j->d);
  int32_t status = fill_arguments(&r) ? find_entries(&r) : HED_E_UNSUPPORTED;
  if (status == HED_OK)
    status = dev_submit_begin(&q, j->d, c->n_out, c->wait_for, c->n_wait_for, c->after, c->n_after);
  if (status != HED_OK)
    return status;
  q.op = c->step[c->n_steps - 1].op;
  return dev_submit_end(&q, launch(&q, &r), c->ticket);
}
