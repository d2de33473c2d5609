// SPDX-License-Identifier: BSD-3-Clause
/* The frame round parts that are public operations: they run on the device that the whole was planned for, and what they make
 * is released at the end but for the result, which goes where the caller's arrays go. L3.
 */
#ifndef HED_API_PARTS_H
#define HED_API_PARTS_H

#include "core/dispatch/dispatch.h"
#include "core/array/scope.h"

typedef struct hed__parts {
  hed__forced forced;
  hed_scope scope;
} hed__parts;

static inline hed_status hed__parts_begin(hed__parts *f, const hed__exec *ex)
{
  hed_status status = hed__force_begin(&f->forced, ex);
  if (status == HED_OK && (status = hed_scope_begin(&f->scope)) != HED_OK)
    hed__force_end(&f->forced);
  return status;
}

/* OUT (may be NULL after a failure) is an array made since the beginning, or a view of one. */
static inline hed_array *hed__parts_end(hed__parts *f, hed_array *out)
{
  hed_keep(out);
  hed_scope_end(&f->scope);
  hed__force_end(&f->forced);
  if (out && !hed__scope_add(out)) {
    hed_fail(HED_E_NOMEM, "scope: no memory for a result");
    hed_release(out);
    out = NULL;
  }
  return out;
}

#endif
