// SPDX-License-Identifier: BSD-3-Clause
/* Programs whose results go into arrays that are there. L3. */
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "program/program.h"

static hed_status check_target(const hed_program *p, int j, const hed_array *y)
{
  const hed_array *was = p->capture.value[p->result[j]].array;
  char text[2][HED__SHAPE_TEXT];
  if (!hed__given(y, p->name, "y"))
    return hed_error();
  if (!hed__shape_equal(y->view.ndim, y->view.dim, was->view.ndim, was->view.dim))
    return hed_fail(HED_E_SHAPE, "program '%s': y[%d] has shape %s, the result has %s", p->name, j,
                    hed__shape_text(y->view.ndim, y->view.dim, text[0], HED__SHAPE_TEXT),
                    hed__shape_text(was->view.ndim, was->view.dim, text[1], HED__SHAPE_TEXT));
  if (y->view.dtype != was->view.dtype)
    return hed_fail(HED_E_DTYPE, "program '%s': y[%d] is %s, the result is %s", p->name, j, hed__dtypes[y->view.dtype]->name,
                    hed__dtypes[was->view.dtype]->name);
  if (y->read_only || y->weak)
    return hed_fail(HED_E_INVAL, "program '%s': y[%d] is %s", p->name, j, y->weak ? "a weak scalar" : "read-only");
  return HED_OK;
}

/* May Y[J] be written before all inputs were read? */
static bool is_apart(const hed_program *p, const hed_array *const *x, int m, hed_array *const *y, int j)
{
  const hed_view *v = &y[j]->view;
  bool apart = y[j]->flat && y[j]->storage->device->host;
  for (int k = 0; k < p->n && apart; k++)
    apart = !hed__program_overlap(v, &x[k]->view);
  for (int i = 0; i < m && apart; i++)
    apart = i == j || !hed__program_overlap(v, &y[i]->view);
  for (int32_t c = 0; c < p->capture.n_values && apart; c++)
    apart = p->capture.value[c].kind != HED__VALUE_CONSTANT || !hed__program_overlap(v, &p->capture.value[c].array->view);
  return apart;
}

hed_status hed_program_run_into(hed_program *p, int n, const hed_array *const *x, int m, hed_array *const *y)
{
  bool same;
  if (!p)
    return hed_fail(HED_E_INVAL, "program_run_into: p is NULL");
  hed_status status = hed__program_check(p, n, x, m, y, &same);
  for (int j = 0; j < m && status == HED_OK; j++)
    status = check_target(p, j, y[j]);
  if (status != HED_OK)
    return status;
  enum { FEW_ARRAYS = 16 };
  hed_array *here[2 * FEW_ARRAYS] = { NULL };
  hed_array **list = m <= FEW_ARRAYS ? here : hed__calloc(2 * (size_t)m, sizeof *list), **into = list + m;
  if (!list)
    return hed_fail(HED_E_NOMEM, "program '%s': no memory for a run", p->name);
  for (int j = 0; j < m; j++)
    into[j] = is_apart(p, x, m, y, j) ? y[j] : NULL;
  status = hed__program_run(p, n, x, m, list, into);
  for (int j = 0; j < m && status == HED_OK; j++)
    if (list[j] != y[j])
      status = hed_positive_into(y[j], list[j]);
  for (int j = 0; j < m; j++)
    if (list[j] != y[j])
      hed_release(list[j]);
  if (list != here)
    hed__free(list);
  return status;
}
