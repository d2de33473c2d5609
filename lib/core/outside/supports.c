// SPDX-License-Identifier: BSD-3-Clause
/* What backends do: operations by element type. L2. */
#include "base/dtype.h"
#include "base/formulas/formulas.h"
#include "core/array/array.h"
#include "core/modules/registry.h"
#include <heddle/backend.h>
#include <string.h>

/* Of an operation of KIND, see hed_op_info.host. */
static bool done_on_host(hed__device *d, const char *kind)
{
  hed_plugin_resolution r = { .struct_size = sizeof r, .support = HED_SUPPORT_NATIVE };
  if (d->host || strcmp(kind, "double") != 0)
    return !d->host && strcmp(kind, "host") == 0;
  return d->plugin->resolve && (d->plugin->resolve(d->state, HED_ID_FLOAT64, &r) != HED_OK || r.support == HED_SUPPORT_NONE);
}

int hed_backend_supports(const char *name, int op, hed_dtype t)
{
  if (!name || !t || op < 0 || op >= HED_OP_COUNT_)
    return hed_fail(HED_E_INVAL, "backend_supports: %s", !name ? "name is NULL" : !t ? "dtype is NULL" : "no such operation");
  hed__device *d = hed__device_get(name, strlen(name), 0);
  if (!d)
    return hed_error();
  hed_op_info info = { .struct_size = sizeof info };
  hed_op_query(op, &info);
  int id = t->id >= HED_ID_CONCRETE_COUNT_ ? hed__dtype_concrete(t, d, "backend_supports") : t->id;
  if (id < 0)
    return id;
  if (strcmp(info.domain, "") != 0 && !hed__in_domain(info.domain, id))
    return HED_SUPPORT_NONE;
  if (d->plugin->resolve) {
    hed_plugin_resolution r = { .struct_size = sizeof r };
    if (d->plugin->resolve(d->state, id, &r) != HED_OK || r.support == HED_SUPPORT_NONE)
      return HED_SUPPORT_NONE;
  }
  if (strcmp(info.impl, "VIEW") == 0)
    return HED_SUPPORT_NATIVE;
  if (strcmp(info.impl, "COMPOSITE") == 0)
    return done_on_host(d, info.host) ? HED_SUPPORT_HOST : HED_SUPPORT_COMPOSED;
  return d->row[op].fn && (d->row[op].dtypes & (1u << hed__formula_type(op, id))) ? HED_SUPPORT_NATIVE : HED_SUPPORT_FALLBACK;
}
