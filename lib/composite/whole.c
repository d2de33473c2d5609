// SPDX-License-Identifier: BSD-3-Clause
/* Begin and end of composites: see whole.h. L3. */
#include "composite/whole.h"

#include "core/scope.h"
#include <heddle/error.h>

hed_status hed__whole_begin(hed__whole *w, int op, int32_t n, const hed_array *const *operands)
{
  hed_status status = hed__plan(&w->ex, op, n, operands);
  if (status != HED_OK)
    return status;
  status = hed__force_begin(&w->forced, &w->ex);
  if (status == HED_OK && (status = hed_scope_begin(&w->scope)) != HED_OK)
    hed__force_end(&w->forced);
  if (status != HED_OK)
    hed__exec_end(&w->ex);
  return status;
}

hed_status hed__whole_end_all(hed__whole *w, hed_status status, int n, hed_array **results)
{
  for (int k = 0; k < n; k++)
    hed_keep(results[k]);
  hed_scope_end(&w->scope);
  hed__force_end(&w->forced);
  hed__exec_end(&w->ex);
  for (int k = 0; k < n && status == HED_OK; k++)
    if (results[k] && !hed__scope_add(results[k]))
      status = hed_fail(HED_E_NOMEM, "%s: no memory", hed_op_name(w->ex.op));
  for (int k = 0; k < n && status != HED_OK; k++) {
    hed_release(results[k]);
    results[k] = NULL;
  }
  return status;
}

hed_array *hed__whole_end(hed__whole *w, hed_array *result)
{
  return hed__whole_end_all(w, result ? HED_OK : hed_error(), 1, &result) == HED_OK ? result : NULL;
}
