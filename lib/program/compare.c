// SPDX-License-Identifier: BSD-3-Clause
/* What a function has called, beside what it called before. L3. */
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "program/program.h"
#include <stdio.h>
#include <string.h>

static const char *name(const hed__called *s)
{
  const char *f = s->kind == HED__CALL_FUNCTION ? hed_api_function_at(s->function)->symbol + 4 : NULL;
  switch (s->kind) {
  case HED__CALL_FUNCTION: return f;
  case HED__CALL_FUSE: return "the beginning of a fusion scope";
  case HED__CALL_UNFUSE: return "the end of a fusion scope";
  case HED__CALL_VIEW: return "another view";
  default: return hed_op_name(s->op);
  }
}

static hed_status number(const hed_program *p, int32_t at, const hed__called *s, int32_t k, const hed_array *was, const hed_array *now)
{
  double v[2][2];
  hed__cast(was->view.dtype, HED_ID_COMPLEX128)(1, (char *)v[0], 0, was->view.data, 0);
  hed__cast(now->view.dtype, HED_ID_COMPLEX128)(1, (char *)v[1], 0, now->view.data, 0);
  if (v[0][1] == 0 && v[1][1] == 0)
    return hed_fail(HED_E_PROGRAM, "program '%s': call %d, %s: %c was %.17g, is %.17g: give it as an input", p->name, at, name(s),
                    'a' + k, v[0][0], v[1][0]);
  return hed_fail(HED_E_PROGRAM, "program '%s': call %d, %s: %c was %.17g%+.17gi, is %.17g%+.17gi: give it as an input", p->name, at,
                  name(s), 'a' + k, v[0][0], v[0][1], v[1][0], v[1][1]);
}

static hed_status operand(const hed_program *p, const hed__capture *c, int32_t at, const hed__called *s, int32_t k, int32_t was,
                          int32_t now)
{
  const hed__captured *a = was < 0 ? NULL : &p->capture.value[was], *b = now < 0 ? NULL : &c->value[now];
  if (!a && !b)
    return HED_OK;
  if (!a || !b || a->kind != b->kind || (a->kind != HED__VALUE_CONSTANT && a->kind != HED__VALUE_NUMBER && was != now))
    return hed_fail(HED_E_PROGRAM, "program '%s': call %d, %s: operand %d is another", p->name, at, name(s), k);
  const hed_array *x = a->array, *y = b->array;
  if (x->view.dtype != y->view.dtype || !hed__shape_equal(x->view.ndim, x->view.dim, y->view.ndim, y->view.dim))
    return hed_fail(HED_E_PROGRAM, "program '%s': call %d, %s: operand %d has another shape or dtype", p->name, at, name(s), k);
  if (a->kind == HED__VALUE_NUMBER && memcmp(x->view.data, y->view.data, (size_t)hed__id_size(x->view.dtype)) != 0)
    return number(p, at, s, k, x, y);
  if (a->kind == HED__VALUE_CONSTANT && x->weak && y->weak && x->storage->device->host && y->storage->device->host)
    return memcmp(x->view.data, y->view.data, (size_t)hed__id_size(x->view.dtype)) == 0 ? HED_OK : number(p, at, s, k, x, y);
  const bool bytes = x->flat && y->flat && x->storage->device->host && y->storage->device->host; /* made anew, perhaps, of the same */
  if (a->kind == HED__VALUE_CONSTANT && (x->storage != y->storage || x->view.data != y->view.data) &&
      !(bytes && memcmp(x->view.data, y->view.data, hed__nbytes(x)) == 0))
    return hed_fail(HED_E_PROGRAM, "program '%s': call %d, %s: operand %d, of %d dimensions, is another array than before: give it as "
                    "an input", p->name, at, name(s), k, (int)y->view.ndim);
  return HED_OK;
}

hed_status hed__program_compare(const hed_program *p, const hed__capture *c)
{
  const hed__capture *was = &p->capture;
  char text[160];
  for (int32_t i = 0; i < was->n_calls && i < c->n_calls; i++) {
    const hed__called *a = was->call[i], *b = c->call[i];
    if (a->kind != b->kind || a->op != b->op || a->function != b->function || a->n_in != b->n_in || a->n_out != b->n_out ||
        a->in_place != b->in_place)
      return hed_fail(HED_E_PROGRAM, "program '%s': call %d was %s, is %s", p->name, i, name(a), name(b));
    for (int32_t k = 0; k < a->n_in + a->n_out; k++) {
      const hed_status status = operand(p, c, i, b, k, a->value[k], b->value[k]);
      if (status != HED_OK)
        return status;
    }
    if (a->kind == HED__CALL_FUNCTION && !hed__program_same_arguments(a, b, text, sizeof text))
      return hed_fail(HED_E_PROGRAM, "program '%s': call %d, %s: %s", p->name, i, name(a), text);
    if (a->size != b->size || (a->size && memcmp(a->params, b->params, a->size) != 0))
      return hed_fail(HED_E_PROGRAM, "program '%s': call %d, %s: its parameters have changed", p->name, i, name(a));
  }
  if (was->n_calls != c->n_calls)
    return hed_fail(HED_E_PROGRAM, "program '%s': it had %d calls, it has %d", p->name, was->n_calls, c->n_calls);
  return HED_OK;
}
