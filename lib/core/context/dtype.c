// SPDX-License-Identifier: BSD-3-Clause
/* dtypes against contexts and devices: what an abstract one means, what a backend can represent. L2. */
#include "base/dtype.h"
#include "core/context/context.h"
#include <heddle/backend.h>
#include <heddle/words.h>
#include <stdio.h>
#include <string.h>

hed_dtype hed_dtype_of(int id) { return id >= 0 && id < HED_ID_COUNT_ ? hed__dtypes[id] : NULL; }
hed_dtype_id hed_dtype_id_of(hed_dtype t) { return t ? (hed_dtype_id)t->id : HED_ID_COUNT_; }
const char *hed_dtype_name(hed_dtype t) { return t ? t->name : NULL; }
hed_kind hed_dtype_kind(hed_dtype t) { return t ? (hed_kind)t->kind : HED_KIND_BOOL; }

hed_dtype hed_dtype_by_name(const char *name)
{
  for (int i = 0; name && i < HED_ID_COUNT_; i++)
    if (strcmp(name, hed__dtypes[i]->name) == 0)
      return hed__dtypes[i];
  char names[240] = "", choices[320];
  for (int i = 0; i < HED_ID_COUNT_; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", hed__dtypes[i]->name);
  hed_fail(HED_E_NOTFOUND, "no dtype is called '%.40s'%s", name ? name : "(null)", hed_choices(name, names, choices, sizeof choices));
  return NULL;
}

/* Meaning of T in C, which may be NULL: the defaults. */
static int meaning(hed_dtype t, const hed_context *c)
{
  if (!c)
    c = hed__context_builtin();
  switch (t->id) {
  case HED_ID_ABSTRACT_REAL:
    return c->real;
  case HED_ID_ABSTRACT_COMPLEX:
    return c->complex_;
  case HED_ID_ABSTRACT_INDEX:
    return c->index;
  default:
    return t->id;
  }
}

int hed__real_id(void) { return meaning(HED_REAL, hed__context()); }
int hed__complex_id(void) { return meaning(HED_COMPLEX, hed__context()); }
int hed__index_id(void) { return meaning(HED_INDEX, hed__context()); }

size_t hed_dtype_size(hed_dtype t) { return t ? (size_t)hed__id_size(meaning(t, hed__context())) : 0; }

hed_dtype hed_dtype_promote(hed_dtype a, hed_dtype b)
{
  if (!a || !b)
    return NULL;
  const hed_context *c = hed__context();
  return hed__dtypes[hed__promote(meaning(a, c), meaning(b, c))];
}

static hed_plugin_resolution resolve(hed__device *d, int id)
{
  hed_plugin_resolution r = {
    .struct_size = sizeof r,
    .support = HED_SUPPORT_NATIVE,
    .storage = id,
    .accum = hed__compute_of(id),
    .native = -1,
  };
  if (hed__id_kind(id) == HED_KIND_FLOAT || hed__id_kind(id) == HED_KIND_COMPLEX)
    r.support = hed__compute_of(id) == id ? HED_SUPPORT_NATIVE : HED_SUPPORT_FALLBACK;
  else if (hed__id_kind(id) == HED_KIND_INT)
    r.accum = HED_ID_INT64;
  else
    r.accum = HED_ID_UINT64;
  if (d->plugin->resolve && d->plugin->resolve(d->state, id, &r) != HED_OK)
    r.support = HED_SUPPORT_NONE;
  return r;
}

static hed_status cannot(const char *op, hed__device *d, int id, int nearest)
{
  return hed_fail(HED_E_DTYPE, "%s: %s cannot represent %s; the nearest it can is %s (dtype=relaxed narrows)", op, d->name,
                  hed__dtypes[id]->name, hed__id_ok(nearest) ? hed__dtypes[nearest]->name : "none");
}

int hed__dtype_concrete(hed_dtype t, hed__device *device, const char *op)
{
  if (!t)
    return hed_fail(HED_E_INVAL, "%s: dtype is NULL", op);
  const hed_context *c = t->id < HED_ID_CONCRETE_COUNT_ && !device->plugin->resolve ? NULL : hed__context();
  int id = t->id < HED_ID_CONCRETE_COUNT_ ? t->id : meaning(t, c);
  if (!device->plugin->resolve)
    return id;
  hed_plugin_resolution r = resolve(device, id);
  if (r.support != HED_SUPPORT_NONE)
    return id;
  if (!c || !c->relaxed || !hed__id_ok(r.storage))
    return cannot(op, device, id, r.storage);
  hed__count(hed__tls_get(), HED__COUNT_NARROWED);
  return r.storage;
}

hed_status hed_dtype_resolve(hed_dtype t, const hed_context *c, hed_dtype_resolution *out)
{
  if (!t || !out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "dtype_resolve: %s", !t ? "dtype is NULL" : !out ? "out is NULL" : "struct_size is not set");
  if (!c && !(c = hed__context()))
    return hed_error();
  int id = meaning(t, c);
  hed_plugin_resolution r = resolve(c->device, id);
  if (r.support == HED_SUPPORT_NONE && !(c->relaxed && hed__id_ok(r.storage)))
    return cannot("dtype_resolve", c->device, id, r.storage);
  hed_dtype_resolution o = {
    .struct_size = out->struct_size,
    .support = r.support,
    .storage = hed__dtypes[r.storage],
    .accum = hed_dtype_of(r.accum),
    .size = (size_t)hed__id_size(r.storage),
    .align = (size_t)hed__dtypes[r.storage]->bits / 8,
    .native = r.native,
    .native_name = r.native_name,
  };
  memcpy(out, &o, out->struct_size < sizeof o ? out->struct_size : sizeof o);
  return HED_OK;
}

bool hed_can_cast(hed_dtype from, hed_dtype to)
{
  return from && to && hed_dtype_promote(from, to) == hed_dtype_promote(to, to);
}

int hed_isdtype(hed_dtype t, const char *kind)
{
  static const struct { const char *name; unsigned kinds; } words[] = {
    { "bool", 1u << HED_KIND_BOOL },
    { "signed integer", 1u << HED_KIND_INT },
    { "unsigned integer", 1u << HED_KIND_UINT },
    { "integral", 1u << HED_KIND_INT | 1u << HED_KIND_UINT },
    { "real floating", 1u << HED_KIND_FLOAT },
    { "complex floating", 1u << HED_KIND_COMPLEX },
    { "numeric", 1u << HED_KIND_INT | 1u << HED_KIND_UINT | 1u << HED_KIND_FLOAT | 1u << HED_KIND_COMPLEX },
  };
  if (!t || !kind)
    return hed_fail(HED_E_INVAL, "isdtype: %s is NULL", t ? "kind" : "t");
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcmp(words[k].name, kind) == 0)
      return (int)(words[k].kinds >> hed_dtype_kind(t) & 1u);
  return hed_fail(HED_E_INVAL, "isdtype: '%s' is no kind of dtype", kind);
}
