// SPDX-License-Identifier: BSD-3-Clause
/* The interface as data, for generators of bindings: schema heddle.api/1.
 *
 * Layer: L5. All knowledge comes from <heddle/reflect.h> and <heddle/kits/reflect.h>. Later versions of the schema add
 * members; what is there keeps its meaning.
 */
#include "api.h"
#include <heddle.h>
#include <heddle/kits/reflect.h>
#include <heddle/reflect.h>
#include <string.h>

static void emit_text(emit *e, const char *key, const char *text)
{
  emit_string(e, key, *text ? text : NULL);
}

static void emit_traits(emit *e, const char *words)
{
  if (*words)
    emit_string(e, "traits", words);
}

static void emit_argument(emit *e, const hed_api_argument *a)
{
  emit_object(e, NULL);
  emit_string(e, "name", a->name);
  emit_string(e, "kind", a->kind);
  emit_string(e, "role", a->role);
  emit_string(e, "ctype", a->ctype);
  emit_bool(e, "nullable", a->nullable);
  if (a->initial)
    emit_json(e, "default", a->initial);
  if (*a->type)
    emit_string(e, "type", a->type);
  if (*a->of)
    emit_string(e, "of", a->of);
  if (*a->length)
    emit_string(e, "length", a->length);
  emit_traits(e, a->traits);
  emit_object_end(e);
}

static void emit_function(emit *e, const hed_api_function *f)
{
  emit_object(e, NULL);
  emit_string(e, "symbol", f->symbol);
  emit_string(e, "form", f->form);
  emit_string(e, "returns", f->returns);
  emit_string(e, "ctype", f->ctype);
  emit_string(e, "header", f->header);
  if (hed_kit_of_header(f->header))
    emit_string(e, "kit", hed_kit_of_header(f->header));
  emit_string(e, "results", f->results);
  emit_text(e, "doc", f->doc);
  emit_traits(e, f->traits);
  emit_array(e, "args");
  for (int k = 0; k < f->n_arguments; k++)
    emit_argument(e, &f->arguments[k]);
  emit_array_end(e);
  emit_object_end(e);
}

/* The functions that are forms of OP, or of no operation (-1). */
static void emit_functions(emit *e, const char *key, int op)
{
  const hed_api_function *f;
  emit_array(e, key);
  for (int k = 0; (f = hed_api_function_at(k)) != NULL; k++)
    if (f->op == op)
      emit_function(e, f);
  emit_array_end(e);
}

static void emit_operations(emit *e)
{
  hed_op_info op = { .struct_size = sizeof op };
  emit_array(e, "operations");
  for (int i = 0; i < hed_op_count(); i++) {
    if (hed_op_query(i, &op) != HED_OK)
      continue;
    emit_object(e, NULL);
    emit_string(e, "name", op.name);
    emit_string(e, "family", op.family);
    emit_string(e, "domain", op.domain);
    emit_string(e, "result", op.result);
    emit_string(e, "doc", op.doc);
    emit_bool(e, "view", strcmp(op.impl, "VIEW") == 0);
    emit_string(e, "host", op.host);
    emit_array(e, "aliases");
    const char *alias;
    for (int k = 0; (alias = hed_op_alias(i, k)) != NULL; k++)
      emit_string(e, NULL, alias);
    emit_array_end(e);
    emit_functions(e, "forms", i);
    emit_object_end(e);
  }
  emit_array_end(e);
}

static void emit_structs(emit *e, const hed_api_struct *(*at)(int))
{
  const hed_api_struct *s;
  emit_object(e, "structs");
  for (int k = 0; (s = at(k)) != NULL; k++) {
    emit_object(e, s->name);
    emit_string(e, "header", s->header);
    emit_text(e, "doc", s->doc);
    emit_int(e, "size", s->size);
    emit_int(e, "align", s->align);
    emit_traits(e, s->traits);
    emit_array(e, "fields");
    for (int i = 0; i < s->n_fields; i++) {
      const hed_api_field *f = &s->fields[i];
      emit_object(e, NULL);
      emit_string(e, "name", f->name);
      emit_string(e, "kind", f->kind);
      emit_string(e, "ctype", f->ctype);
      emit_int(e, "offset", f->offset);
      emit_int(e, "size", f->size);
      emit_int(e, "count", f->count);
      if (*f->type)
        emit_string(e, "type", f->type);
      if (*f->length)
        emit_string(e, "length", f->length);
      emit_text(e, "doc", f->doc);
      emit_traits(e, f->traits);
      emit_object_end(e);
    }
    emit_array_end(e);
    emit_object_end(e);
  }
  emit_object_end(e);
}

static void emit_enums(emit *e, const hed_api_enum *(*at)(int))
{
  const hed_api_enum *n;
  emit_object(e, "enums");
  for (int k = 0; (n = at(k)) != NULL; k++) {
    emit_object(e, n->name);
    emit_string(e, "header", n->header);
    emit_text(e, "doc", n->doc);
    emit_array(e, "values");
    for (int i = 0; i < n->n_values; i++) {
      emit_object(e, NULL);
      emit_string(e, "name", n->values[i].name);
      emit_string(e, "brief", n->values[i].brief);
      emit_int(e, "value", n->values[i].value);
      emit_text(e, "doc", n->values[i].doc);
      emit_object_end(e);
    }
    emit_array_end(e);
    emit_object_end(e);
  }
  emit_object_end(e);
}

static void emit_lists(emit *e)
{
  static const struct { const char *name; int value; } statuses[] = {
#define HED_STATUS(name, number, text) { "HED_" #name, number },
#include <heddle/status.def>
#undef HED_STATUS
  };
  static const struct { int value; const char *parent; } parents[] = {
#define HED_STATUS(name, number, text)
#define HED_STATUS_IS(name, parent) { HED_##name, "HED_" #parent },
#include <heddle/status.def>
#undef HED_STATUS
  };
  emit_object(e, "statuses");
  for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++) {
    emit_object(e, statuses[k].name);
    emit_int(e, "value", statuses[k].value);
    emit_string(e, "text", hed_status_text(statuses[k].value));
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
      if (parents[i].value == statuses[k].value)
        emit_string(e, "is", parents[i].parent);
    emit_object_end(e);
  }
  emit_object_end(e);
  emit_array(e, "dtypes");
  for (int i = 0; i < HED_ID_COUNT_; i++) {
    static const char *const kinds[] = { "bool", "uint", "int", "float", "complex" };
    const hed_dtype t = hed_dtype_of(i);
    emit_object(e, NULL);
    emit_string(e, "name", hed_dtype_name(t));
    emit_string(e, "kind", kinds[hed_dtype_kind(t)]);
    emit_bool(e, "abstract", i >= HED_ID_CONCRETE_COUNT_);
    if (i < HED_ID_CONCRETE_COUNT_)
      emit_int(e, "size", (int64_t)hed_dtype_size(t));
    emit_object_end(e);
  }
  emit_array_end(e);
}

static void emit_kits(emit *e)
{
  const hed_api_function *f;
  emit_object(e, "kits");
  emit_enums(e, hed_kit_enum_at);
  emit_structs(e, hed_kit_struct_at);
  emit_array(e, "functions");
  for (int k = 0; (f = hed_kit_function_at(k)) != NULL; k++)
    emit_function(e, f);
  emit_array_end(e);
  emit_object_end(e);
}

void api_emit(emit *e, const char *key)
{
  emit_object(e, key);
  emit_string(e, "schema", "heddle.api/1");
  emit_string(e, "version", hed_version());
  emit_int(e, "max_ndim", HED_MAX_NDIM);
  emit_lists(e);
  emit_enums(e, hed_api_enum_at);
  emit_structs(e, hed_api_struct_at);
  emit_operations(e);
  emit_functions(e, "functions", -1);
  emit_kits(e);
  emit_object_end(e);
}
