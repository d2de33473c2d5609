// SPDX-License-Identifier: BSD-3-Clause
/* Rules of sums of products: einsum, cross, convolutions and correlations. L3. Each is linear in every operand, so the cotangent
 * of one is the cotangent of the result times the conjugates of the others. */
#include "composite/einsum_parse.h"
#include "core/record/body.h"
#include "grad/back.h"
#include <string.h>

/* ---- einsum ---- */

/* LABEL as a character of its own: letters, then those of two bytes. */
static char *write_label(char *to, int label)
{
  if (label < 52) {
    *to++ = (char)(label < 26 ? 'a' + label : 'A' + label - 26);
  } else {
    *to++ = (char)(0xc4 + (label - 52) / 64);
    *to++ = (char)(0x80 + (label - 52) % 64);
  }
  return to;
}

static char *write_labels(char *to, const hed__subscript *s)
{
  for (int k = 0; k < s->n; k++)
    to = write_label(to, s->label[k]);
  return to;
}

static bool has(const hed__subscript *s, int label)
{
  return memchr(s->label, label, (size_t)s->n) != NULL;
}

/* X, whose axes are those labels of OF that are in HAVE, with E's axes: extents 1 elsewhere, broadcast; where a label is repeated
 * on the diagonal. */
static hed_array *onto(hed_array *x, const hed__entry *e, const hed__subscript *of, const hed__subscript *have)
{
  hed_shape shape = { .ndim = e->ndim };
  if (!x)
    return NULL;
  int at[HED_MAX_NDIM], used = 0;
  for (int k = 0; k < e->ndim; k++) {
    for (at[k] = 0; of->label[at[k]] != of->label[k]; at[k]++)
      ;
    shape.dim[k] = at[k] == k && used < have->n && have->label[used] == of->label[k] ? x->view.dim[used++] : 1;
  }
  x = hed_reshape(x, shape);
  for (int k = 0; k < e->ndim; k++)
    if (at[k] < k && e->dim[k] == e->dim[at[k]] && e->dim[k] > 1)
      x = hed_where_scalar(hed_equal(hed__places(e->dim[k], e->ndim, k), hed__places(e->dim[k], e->ndim, at[k])), x, 0);
  return x ? hed_broadcast_to(x, hed__entry_shape(e)) : NULL;
}

hed_status hed__back_einsum(hed__back *b)
{
  const hed__args_einsum *a = b->step->args; /* of einsum_with the first ones are the same */
  hed__subscripts s;
  int32_t ndim[HED__EINSUM_OPERANDS];
  for (int k = 0; k < b->n_in; k++)
    ndim[k] = b->of[k]->ndim;
  hed_status status = hed__einsum_parse(a->subscripts, b->n_in, ndim, &s);
  for (int k = 0; k < b->n_in && status == HED_OK; k++) {
    char text[(HED__EINSUM_OPERANDS + 2) * (2 * HED_MAX_NDIM + 2)], *to = text;
    const hed_array *in[HED__EINSUM_OPERANDS];
    hed__subscript left = { .n = 0 };
    int n = 0;
    if (!b->wanted[k])
      continue;
    in[n++] = b->g[0];
    to = write_labels(to, &s.out);
    for (int j = 0; j < b->n_in; j++)
      if (j != k) {
        *to++ = ',';
        to = write_labels(to, &s.in[j]);
        in[n++] = hed__conj_of(b->in[j]);
      }
    for (int i = 0; i < s.in[k].n; i++) { /* what another one has, once; where this one was broadcast it is summed */
      const int label = s.in[k].label[i];
      bool there = has(&s.out, label);
      for (int j = 0; j < b->n_in; j++)
        there = there || (j != k && has(&s.in[j], label));
      if (there && !has(&left, label) && b->of[k]->dim[i] != 1)
        left.label[left.n++] = (int8_t)label;
    }
    *to++ = '-';
    *to++ = '>';
    *write_labels(to, &left) = '\0';
    status = hed__made(b->d[k] = onto(hed_einsum(text, n, in), b->of[k], &s.in[k], &left));
  }
  return status;
}

/* ---- the vector product ---- */

/* Vectors along the last axis, with a third component of 0 where they have two. */
static hed_array *three(const hed_array *x)
{
  if (!x || x->view.dim[x->view.ndim - 1] == 3)
    return (hed_array *)(uintptr_t)x;
  hed_shape none = { .ndim = x->view.ndim }, one = none;
  for (int k = 0; k < none.ndim; k++)
    none.dim[k] = one.dim[k] = 0;
  one.dim[one.ndim - 1] = 1;
  return hed_pad(x, none, one, 0);
}

/* Back from the last axis to AXIS, of E's shape. */
static hed_status give_vectors(hed__back *b, int32_t k, hed_array *d, int32_t axis)
{
  const hed__entry *e = b->of[k];
  d = d ? hed__stretch(d, d->view.ndim - 1, 0, e->dim[axis < 0 ? axis + e->ndim : axis], 1) : NULL;
  if (!d)
    return hed_error();
  if (axis >= 0) /* leading axes were broadcast */
    axis += d->view.ndim - e->ndim;
  return hed__give(b, k, hed_moveaxis(d, -1, axis));
}

/* a: conj(b) x g, b: g x conj(a) */
hed_status hed__back_cross(hed__back *b)
{
  const hed__args_cross *args = b->step->args;
  const hed_array *a = three(hed_moveaxis(b->in[0], args->axis, -1)), *c = three(hed_moveaxis(b->in[1], args->axis, -1));
  const hed__entry *y = b->made[0];
  const hed_array *g = b->g[0];
  const bool flat = b->of[0]->dim[args->axis < 0 ? args->axis + b->of[0]->ndim : args->axis] == 2
                    && b->of[1]->dim[args->axis < 0 ? args->axis + b->of[1]->ndim : args->axis] == 2;
  if (flat) { /* the third component alone */
    hed_shape before = { .ndim = y->ndim + 1 }, after = before;
    for (int k = 0; k <= y->ndim; k++)
      before.dim[k] = after.dim[k] = 0;
    before.dim[y->ndim] = 2;
    g = hed_pad(hed_expand_dims(g, -1), before, after, 0);
  } else {
    g = hed_moveaxis(g, args->axis, -1);
  }
  hed_status status = HED_OK;
  if (b->wanted[0])
    status = give_vectors(b, 0, hed_cross(hed__conj_of(c), g, -1), args->axis);
  if (b->wanted[1] && status == HED_OK)
    status = give_vectors(b, 1, hed_cross(g, hed__conj_of(a), -1), args->axis);
  return status;
}

/* ---- convolution: of the whole result the cotangent is 0 outside of what the mode has left ---- */

hed_status hed__back_convolve(hed__back *b)
{
  const hed__args_convolve *args = b->step->args; /* all of them have the same */
  const hed__entry *a = b->of[0], *c = b->of[1], *y = b->made[0];
  const int op = b->step->op;
  const bool correlates = op == HED_OP_CORRELATE || op == HED_OP_FFTCORRELATE || op == HED_OP_CORRELATE2D;
  hed_shape before = { .ndim = a->ndim }, after = before;
  for (int k = 0; k < a->ndim; k++) {
    const int64_t m = c->dim[k];
    before.dim[k] = args->mode == HED_CONVOLVE_FULL ? 0 : args->mode == HED_CONVOLVE_SAME ? (m - 1) / 2 : m - 1;
    after.dim[k] = a->dim[k] + m - 1 - y->dim[k] - before.dim[k];
  }
  const hed_array *g = hed_pad(b->g[0], before, after, 0), *second = b->in[1];
  hed_status status = HED_OK;
  if (b->wanted[0]) { /* of a correlation the second is convolved turned round */
    second = correlates ? hed_flip(hed__conj_of(second), NULL) : second;
    status = hed__made(b->d[0] = hed_correlate(g, second, HED_CONVOLVE_VALID));
  }
  if (b->wanted[1] && status == HED_OK) {
    hed_array *d = hed_correlate(g, b->in[0], HED_CONVOLVE_VALID);
    status = hed__made(b->d[1] = correlates ? hed_flip(hed__conj_of(d), NULL) : d);
  }
  return status;
}
