// SPDX-License-Identifier: BSD-3-Clause
/* Named arrays.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/params/tree.h"
#include "kits/member.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METADATA "__metadata__"

hed_status hed_nn_params_create(hed_nn_params **out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_nn_params_create: out is NULL");
  if (!(*out = calloc(1, sizeof **out)))
    return hed_fail(HED_E_NOMEM, "hed_nn_params_create: no memory");
  atomic_init(&(*out)->refs, 1);
  return HED_OK;
}

hed_nn_params *hed_nn_params_retain(hed_nn_params *p)
{
  if (p)
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
  return p;
}

void hed_nn_params_release(hed_nn_params *p)
{
  if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
    return;
  for (int64_t k = 0; k < p->n; k++) {
    free(p->entry[k].name);
    hed_release(p->entry[k].x);
  }
  for (int64_t k = 0; k < p->texts; k++) {
    free(p->text[k].key);
    free(p->text[k].value);
  }
  free(p->entry);
  free(p->slot);
  free(p->text);
  free(p);
}

/* ---- names ---- */

const char *hed__nn_bad_name(const char *name)
{
  if (!name || !*name)
    return name ? "is empty" : "is NULL";
  if (strncmp(name, METADATA, strlen(METADATA)) == 0 && strchr(".", name[strlen(METADATA)]))
    return "is that of texts";
  bool part = false;
  for (const char *c = name; *c; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '/' || *c == '\\')
      return "has a control character, '/' or '\\'";
    if (*c == '.' && !part)
      return "has an empty part";
    part = *c != '.';
  }
  return part ? NULL : "ends in a dot";
}

static int64_t slot_of(const hed_nn_params *p, const char *name)
{
  uint64_t h = 14695981039346656037u; /* FNV-1a */
  for (const char *c = name; *c; c++)
    h = (h ^ (unsigned char)*c) * 1099511628211u;
  int64_t k = (int64_t)((h ^ h >> 32) & (uint64_t)(p->slots - 1));
  while (p->slot[k] >= 0 && strcmp(p->entry[p->slot[k]].name, name) != 0)
    k = (k + 1) & (p->slots - 1);
  return k;
}

static void refill(hed_nn_params *p)
{
  for (int64_t k = 0; k < p->slots; k++)
    p->slot[k] = -1;
  for (int64_t i = 0; i < p->n; i++)
    p->slot[slot_of(p, p->entry[i].name)] = i;
}

int64_t hed_nn_params_find(const hed_nn_params *p, const char *name)
{
  return p && name && p->n ? p->slot[slot_of(p, name)] : -1;
}

const char *hed__nn_rest(const char *name, const char *prefix)
{
  const size_t n = prefix ? strlen(prefix) : 0;
  if (n == 0)
    return name;
  return strncmp(name, prefix, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

/* ---- what is there ---- */

int64_t hed_nn_params_count(const hed_nn_params *p) { return p ? p->n : 0; }

const char *hed_nn_params_name(const hed_nn_params *p, int64_t k) { return p && k >= 0 && k < p->n ? p->entry[k].name : NULL; }

hed_nn_role hed_nn_params_role(const hed_nn_params *p, int64_t k)
{
  return p && k >= 0 && k < p->n ? p->entry[k].role : HED_NN_BUFFER;
}

int64_t hed_nn_params_size(const hed_nn_params *p, hed_nn_role role)
{
  int64_t size = 0;
  for (int64_t k = 0; p && k < p->n; k++)
    size += p->entry[k].role == role ? hed_array_size(p->entry[k].x) : 0;
  return size;
}

/* As many names as fit. */
static void list_names(const hed_nn_params *p, char *text, size_t size)
{
  size_t at = 0;
  *text = 0;
  for (int64_t k = 0; k < p->n; k++) {
    const size_t need = strlen(p->entry[k].name) + 2;
    if (at + need + 5 > size) {
      (void)snprintf(text + at, size - at, ", ...");
      return;
    }
    at += (size_t)snprintf(text + at, size - at, "%s%s", k ? ", " : "", p->entry[k].name);
  }
}

static hed_status not_found(const hed_nn_params *p, const char *op, const char *name)
{
  char known[300];
  list_names(p, known, sizeof known);
  return hed_fail(HED_E_NOTFOUND, "%s: there is no parameter \"%.100s\"; there is %s", op, name, p->n ? known : "none at all");
}

hed_array *hed_nn_params_at(const hed_nn_params *p, int64_t k)
{
  if (p && k >= 0 && k < p->n)
    return p->entry[k].x;
  (void)hed_fail(HED_E_INVAL, "hed_nn_params_at: %s %lld of %lld", p ? "place" : "p is NULL: place", (long long)k,
                 (long long)hed_nn_params_count(p));
  return NULL;
}

hed_array *hed_nn_params_get(const hed_nn_params *p, const char *name)
{
  const int64_t k = hed_nn_params_find(p, name);
  if (k >= 0)
    return p->entry[k].x;
  (void)(p && name ? not_found(p, "hed_nn_params_get", name)
                   : hed_fail(HED_E_INVAL, "hed_nn_params_get: %s is NULL", p ? "name" : "p"));
  return NULL;
}

/* ---- changes ---- */

/* Room for one entry more, and slots for twice as many. */
static hed_status room(hed_nn_params *p, const char *op)
{
  if (p->n < p->room)
    return HED_OK;
  const int64_t n = p->room ? 2 * p->room : 16, slots = 4 * n;
  hed__nn_entry *entry = realloc(p->entry, (size_t)n * sizeof *entry);
  if (entry)
    p->entry = entry;
  int64_t *slot = entry ? malloc((size_t)slots * sizeof *slot) : NULL;
  if (!slot)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %lld parameters", op, (long long)n);
  free(p->slot);
  p->slot = slot;
  p->slots = slots;
  p->room = n;
  refill(p);
  return HED_OK;
}

hed_status hed__nn_enter(hed_nn_params *p, const char *op, const char *name, const hed_array *x, hed_nn_role role)
{
  const char *bad = hed__nn_bad_name(name);
  if (bad)
    return hed_fail(HED_E_INVAL, "%s: name \"%.100s\" %s", op, name ? name : "", bad);
  if (!x)
    return hed_error() != HED_OK ? hed_error() : hed_fail(HED_E_INVAL, "%s: the array for \"%.100s\" is NULL", op, name);
  const int64_t k = hed_nn_params_find(p, name);
  if (k >= 0) {
    hed_array *was = p->entry[k].x;
    p->entry[k].x = hed_retain((hed_array *)x);
    hed_release(was);
    return HED_OK;
  }
  hed_status status = room(p, op);
  char *copy = status == HED_OK ? strdup(name) : NULL;
  if (!copy)
    return status == HED_OK ? hed_fail(HED_E_NOMEM, "%s: no memory for a name", op) : status;
  p->entry[p->n] = (hed__nn_entry){ copy, hed_retain((hed_array *)x), role };
  p->slot[slot_of(p, name)] = p->n;
  p->n++;
  return HED_OK;
}

static bool learnable(const hed_array *x)
{
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  return kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX;
}

hed_status hed_nn_params_set(hed_nn_params *p, const char *name, const hed_array *x)
{
  if (!p)
    return hed_fail(HED_E_INVAL, "hed_nn_params_set: p is NULL");
  return hed__nn_enter(p, "hed_nn_params_set", name, x, x && !learnable(x) ? HED_NN_BUFFER : HED_NN_LEARNT);
}

hed_status hed_nn_params_remove(hed_nn_params *p, const char *name)
{
  const int64_t k = hed_nn_params_find(p, name);
  if (!p || !name)
    return hed_fail(HED_E_INVAL, "hed_nn_params_remove: %s is NULL", p ? "name" : "p");
  if (k < 0)
    return not_found(p, "hed_nn_params_remove", name);
  free(p->entry[k].name);
  hed_release(p->entry[k].x);
  p->n--;
  memmove(&p->entry[k], &p->entry[k + 1], (size_t)(p->n - k) * sizeof p->entry[0]);
  refill(p);
  return HED_OK;
}

hed_status hed_nn_params_set_role(hed_nn_params *p, const char *prefix, hed_nn_role role)
{
  static const char *const op = "hed_nn_params_set_role";
  int64_t found = 0;
  if (!p)
    return hed_fail(HED_E_INVAL, "%s: p is NULL", op);
  if (hed__expect_member(op, "role", (int)role, HED_NN_LEARNT, HED_NN_BUFFER, "hed_nn_role") != HED_OK)
    return hed_error();
  for (int pass = 0; pass < 2; pass++)
    for (int64_t k = 0; k < p->n; k++) {
      hed__nn_entry *e = &p->entry[k];
      if (!hed__nn_rest(e->name, prefix) && strcmp(e->name, prefix) != 0)
        continue;
      found++;
      if (pass == 1)
        e->role = role;
      else if (role == HED_NN_LEARNT && !learnable(e->x))
        return hed_fail(HED_E_DTYPE, "%s: \"%.100s\" is %s, which has no gradient", op, e->name,
                        hed_dtype_name(hed_array_dtype(e->x)));
    }
  return found ? HED_OK : not_found(p, op, prefix ? prefix : "");
}

/* ---- texts ---- */

static int64_t text_at(const hed_nn_params *p, const char *key)
{
  for (int64_t k = 0; k < p->texts; k++)
    if (strcmp(p->text[k].key, key) == 0)
      return k;
  return -1;
}

hed_status hed_nn_params_set_text(hed_nn_params *p, const char *key, const char *value)
{
  static const char *const op = "hed_nn_params_set_text";
  if (!p || !key || !*key)
    return hed_fail(HED_E_INVAL, "%s: %s", op, !p ? "p is NULL" : key ? "key is empty" : "key is NULL");
  const int64_t k = text_at(p, key);
  if (!value) {
    if (k < 0)
      return hed_fail(HED_E_NOTFOUND, "%s: there is no text \"%.100s\"", op, key);
    free(p->text[k].key);
    free(p->text[k].value);
    p->texts--;
    memmove(&p->text[k], &p->text[k + 1], (size_t)(p->texts - k) * sizeof p->text[0]);
    return HED_OK;
  }
  hed__nn_text *grown = k >= 0 ? p->text : realloc(p->text, (size_t)(p->texts + 1) * sizeof *grown);
  p->text = grown ? grown : p->text;
  char *v = grown ? strdup(value) : NULL, *name = v && k < 0 ? strdup(key) : NULL;
  if (!v || (k < 0 && !name)) {
    free(v);
    return hed_fail(HED_E_NOMEM, "%s: no memory for a text", op);
  }
  if (k >= 0) {
    free(p->text[k].value);
    p->text[k].value = v;
  } else
    p->text[p->texts++] = (hed__nn_text){ name, v };
  return HED_OK;
}

const char *hed_nn_params_text(const hed_nn_params *p, const char *key)
{
  const int64_t k = p && key ? text_at(p, key) : -1;
  return k >= 0 ? p->text[k].value : NULL;
}

const char *hed_nn_params_key(const hed_nn_params *p, int64_t k) { return p && k >= 0 && k < p->texts ? p->text[k].key : NULL; }
