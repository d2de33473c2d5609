// SPDX-License-Identifier: BSD-3-Clause
/* Backends seen from outside: asked for, loaded, described. L2. */
#include "core/context/context.h"
#include "base/cancel.h"
#include "core/modules/registry_internal.h"
#include <heddle/backend.h>
#include <stdio.h>
#include <string.h>

hed_status hed_backend_require(const char *name)
{
  const char *colon = name ? strchr(name, ':') : NULL;
  int32_t index = 0;
  if (colon && !hed__read_device(colon + 1, &index))
    return hed_fail(HED_E_INVAL, "backend_require: '%.60s' in '%.60s' is not a device number", colon + 1, name);
  hed__backend *b = colon ? hed__backend_find(name, (size_t)(colon - name)) : hed__backend_named(name);
  if (!b)
    return hed_error();
  hed_status s = hed__backend_ready(b, true);
  return s != HED_OK ? s : hed__backend_device(b, index, true) ? HED_OK : hed_error();
}

hed_status hed_backend_load(const char *path)
{
  hed__backend *b;
  const hed_status s = hed__module_load(path, &b);
  return s == HED_OK ? hed__backend_ready(b, true) : s;
}

hed_status hed_backend_device(const char *name, int32_t device, char *buf, size_t cap)
{
  HED__UNCANCELLED;
  if (!name || !buf || cap == 0)
    return hed_fail(HED_E_INVAL, "backend_device: %s", name ? "buffer is empty" : "name is NULL");
  buf[0] = 0;
  hed__device *d = hed__device_get(name, strlen(name), device);
  if (!d)
    return hed_error();
  if (d->plugin->describe)
    d->plugin->describe(d->state, buf, cap);
  else
    snprintf(buf, cap, "%s", d->name);
  return HED_OK;
}
