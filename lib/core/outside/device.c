// SPDX-License-Identifier: BSD-3-Clause
/* Devices seen from outside. L2. See <heddle/device.h>. */
#include "base/dtype.h"
#include "core/array/array.h"
#include "core/array/transfer.h"
#include "core/context/context.h"
#include "core/modules/registry_internal.h"
#include "core/record/body.h"
#include <heddle/device.h>
#include <heddle/backend.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int hed_device_count(const char *backend)
{
  hed_backend_info info = { .struct_size = sizeof info };
  const hed_context *c = backend ? NULL : hed__context();
  if (!backend && !c)
    return hed_error();
  const char *name = backend ? backend : c->device->backend->name;
  hed__backend *b = hed__backend_find(name, strlen(name));
  if (!b || hed__backend_ready(b, true) != HED_OK || hed_backend_query(name, &info) != HED_OK)
    return hed_error();
  return info.devices;
}

/* Devices of one backend into NAMES from index AT on; returns the next one. */
static int list_backend(const char *backend, const char **names, int cap, int at)
{
  int n = hed_device_count(backend);
  for (int32_t k = 0; k < n; k++) {
    hed__device *d = hed__device_get(backend, strlen(backend), k);
    if (!d)
      continue;
    if (names && at < cap)
      names[at] = d->name;
    at++;
  }
  return at;
}

int hed_available_devices(const char **names, int cap)
{
  const char *known[HED__MAX_BACKENDS];
  int score[HED__MAX_BACKENDS], n = hed_backend_list(known, HED__MAX_BACKENDS), at = 0;
  hed__error_mark mark;
  hed__error_save(&mark);
  n = n < HED__MAX_BACKENDS ? n : HED__MAX_BACKENDS;
  for (int i = 0; i < n; i++) {
    hed_backend_info info = { .struct_size = sizeof info };
    score[i] = hed_device_count(known[i]) > 0 && hed_backend_query(known[i], &info) == HED_OK ? info.score : -1;
  }
  for (;;) {
    int best = -1;
    for (int i = 0; i < n; i++)
      if (score[i] >= 0 && (best < 0 || score[i] > score[best]))
        best = i;
    if (best < 0)
      break;
    score[best] = -1;
    at = list_backend(known[best], names, cap, at);
  }
  hed__error_restore(&mark);
  return at;
}

/* NAME's device ("cuda:1"; NULL: the current one); NULL with the error set. */
static hed__device *device_of(const char *name)
{
  hed_context *c = NULL;
  const hed_context *now;
  if (!name)
    return (now = hed__context()) ? now->device : NULL;
  if (!*name || *name == ';') {
    hed_fail(HED_E_INVAL, "device: '%.60s' names none", name);
    return NULL;
  }
  if (hed_context_derive(hed__context_builtin(), name, &c) != HED_OK)
    return NULL;
  hed__device *d = c->device;
  hed_context_release(c);
  return d;
}

bool hed_is_available(const char *name)
{
  hed__error_mark mark;
  hed__error_save(&mark);
  hed__device *d = name ? device_of(name) : NULL;
  bool usable = d && !atomic_load(&d->gone);
  hed__error_restore(&mark);
  return usable;
}

hed_array *HED_BODY(to)(const hed_array *x, const char *spec)
{
  hed_context *c;
  if (!hed__given(x, "to", "x") || hed_context_derive(NULL, spec, &c) != HED_OK)
    return NULL;
  hed__device *d = c->device;
  hed_context_release(c);
  return hed__to_device(x, d);
}

const char *hed_get_device(const hed_array *x)
{
  if (!x)
    return "";
  return x->storage->device->host ? hed__producer(x)->name : x->storage->device->name;
}

static hed_status spec_of(int32_t index, char *spec, size_t cap)
{
  const hed_context *c = hed__context();
  if (!c)
    return hed_error();
  snprintf(spec, cap, "%s:%d", c->device->backend->name, (int)index);
  return index >= 0 ? HED_OK : hed_fail(HED_E_INVAL, "set_device: index is %d", (int)index);
}

hed_status hed_set_device(int32_t index)
{
  char spec[48];
  hed_status s = spec_of(index, spec, sizeof spec);
  return s == HED_OK ? hed_set_backend(spec) : s;
}

hed_status hed_device_push(int32_t index, hed_frame *out)
{
  char spec[48];
  hed_status s = spec_of(index, spec, sizeof spec);
  if (out)
    *out = (hed_frame){ 0, 0, 0, 0 };
  return s == HED_OK ? hed_backend_context_push(spec, out) : s;
}

static bool has_dtype(hed__device *d, int id)
{
  hed_plugin_resolution r = { .struct_size = sizeof r };
  if (!d->plugin->resolve)
    return true;
  return d->plugin->resolve(d->state, id, &r) == HED_OK && r.support != HED_SUPPORT_NONE;
}

int hed_device_supports(const char *name, const char *what)
{
  if (!what)
    return hed_fail(HED_E_INVAL, "device_supports: what is NULL");
  hed__device *d = device_of(name);
  if (!d)
    return hed_error();
  if (atomic_load(&d->gone))
    return hed__device_gone(d);
  for (int id = 0; id < HED_ID_CONCRETE_COUNT_; id++)
    if (strcasecmp(what, hed__dtypes[id]->name) == 0)
      return has_dtype(d, id);
  const struct {
    const char *name;
    bool yes;
  } features[] = {
    { "complex", has_dtype(d, HED_ID_COMPLEX64) },
    { "gpu", !d->host },
    { "host", d->host },
    { "async", d->plugin->wait != NULL },
    { "sparse", false },
    { "jit", false },
    { "device", true },
  };
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
    if (strcasecmp(what, features[i].name) == 0)
      return features[i].yes;
  return hed_fail(HED_E_INVAL, "device_supports: '%.60s' is neither a dtype nor one of complex, gpu, host, async, sparse, "
                  "jit, device", what);
}
