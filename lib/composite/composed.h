// SPDX-License-Identifier: BSD-3-Clause
/* The frame round an operation that is written in terms of others. L3.
 *
 *   composed c;
 *   hed_array *out = NULL;
 *   if (composed_begin(&c, HED_OP_X, 2, (const hed_array *const[]){ a, b }) != HED_OK) return NULL;
 *   out = ... public operations on c.ex.in[k] ...
 *   return composed_end(&c, out);
 *
 * Between the two the parts run on the device that the whole was planned for, and what they make is released at the
 * end but for the result, which goes where the caller's arrays go.
 */
#ifndef HED_COMPOSITE_COMPOSED_H
#define HED_COMPOSITE_COMPOSED_H

#include "api/call/parts.h"

#include <heddle/ops.h>

typedef struct composed {
  hed__exec ex;
  hed__parts parts;
} composed;

static inline hed_status composed_begin(composed *c, int op, int n, const hed_array *const *operands)
{
  hed_status status = hed__plan(&c->ex, op, n, operands);
  if (status == HED_OK && (status = hed__parts_begin(&c->parts, &c->ex)) != HED_OK)
    hed__exec_end(&c->ex);
  return status;
}

/* OUT (may be NULL after a failure) is an array made since the beginning, or a view of one. */
static inline hed_array *composed_end(composed *c, hed_array *out)
{
  out = hed__parts_end(&c->parts, out);
  hed__exec_end(&c->ex);
  return out;
}

/* The same for N results: each goes to *TO[k] unless that is NULL. When one that is wanted is missing, its error stands
 * and none is handed out. */
static inline hed_status composed_end_all(composed *c, int n, hed_array *const *results, hed_array **const *to)
{
  hed_status status = HED_OK;
  for (int k = 0; k < n; k++) {
    hed_keep(results[k]);
    if (to[k] && !results[k])
      status = hed_error();
  }
  (void)composed_end(c, NULL);
  for (int k = 0; k < n && status == HED_OK; k++)
    if (to[k] && !hed__scope_add(results[k]))
      status = hed_fail(HED_E_NOMEM, "scope: no memory for a result");
  for (int k = 0; k < n; k++)
    if (status == HED_OK && to[k])
      *to[k] = results[k];
    else
      hed_release(results[k]);
  return status;
}

#endif
