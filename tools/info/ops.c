// SPDX-License-Identifier: BSD-3-Clause
/* How each backend does each operation, as text and as JSON.
 *
 * Layer: L5. All knowledge comes from hed_op_query and hed_backend_supports.
 */
#include "ops.h"
#include <heddle.h>
#include <string.h>

static const char *const ways[] = { "native", "native in part", "composed", "view", "via reference", "on the host", "none" };
enum { NATIVE, PARTLY, COMPOSED, VIEW, REFERENCE, HOST, NONE, WAYS };
enum { LINE = 512 };

/* The concrete types of the domain of OP that BACKEND does at LEVEL, as bits. */
static uint32_t types_at(const char *backend, const hed_op_info *op, int level)
{
  uint32_t types = 0;
  for (int i = 0; i < HED_ID_CONCRETE_COUNT_; i++)
    if (hed_backend_supports(backend, op->op, hed_dtype_of(i)) == level)
      types |= 1u << i;
  return types;
}

static int way_of(const char *backend, const hed_op_info *op)
{
  uint32_t native = types_at(backend, op, HED_SUPPORT_NATIVE), other = types_at(backend, op, HED_SUPPORT_FALLBACK);
  if (types_at(backend, op, HED_SUPPORT_HOST))
    return HOST;
  if (types_at(backend, op, HED_SUPPORT_COMPOSED))
    return COMPOSED;
  if (!native && !other)
    return NONE;
  if (strcmp(op->impl, "VIEW") == 0)
    return VIEW;
  return !native ? REFERENCE : other ? PARTLY : NATIVE;
}

static bool is_ready(const char *name)
{
  hed_backend_info b = { .struct_size = sizeof b };
  return hed_backend_query(name, &b) == HED_OK && b.state == HED_BACKEND_READY;
}

/* ---- text ---- */

void ops_print_counts(const char *name)
{
  hed_op_info op = { .struct_size = sizeof op };
  int count[WAYS] = { 0 };
  for (int i = 0; i < hed_op_count(); i++)
    if (hed_op_query(i, &op) == HED_OK)
      count[way_of(name, &op)]++;
  printf("    operations:");
  const char *separator = " ";
  for (int k = 0; k < WAYS; k++)
    if (count[k]) {
      printf("%s%d %s", separator, count[k], ways[k]);
      separator = ", ";
    }
  putchar('\n');
}

/* Names of TYPES, each with a space before it. */
static size_t names_text(uint32_t types, char *text, size_t cap)
{
  size_t n = 0;
  for (int i = 0; i < HED_ID_CONCRETE_COUNT_ && n < cap; i++)
    if (types & (1u << i))
      n += (size_t)snprintf(text + n, cap - n, " %s", hed_dtype_name(hed_dtype_of(i)));
  return n < cap ? n : cap - 1;
}

static int count_of(uint32_t types)
{
  int n = 0;
  for (; types; types &= types - 1)
    n++;
  return n;
}

/* "native", or the shorter of "native but for bool" and "native for float32 float64"; what is not is via reference. */
static void way_text(const char *backend, const hed_op_info *op, char *text, size_t cap)
{
  int way = way_of(backend, op);
  if (way != PARTLY) {
    snprintf(text, cap, "%s", ways[way]);
    return;
  }
  uint32_t native = types_at(backend, op, HED_SUPPORT_NATIVE), other = types_at(backend, op, HED_SUPPORT_FALLBACK);
  bool most = count_of(other) <= count_of(native);
  size_t n = (size_t)snprintf(text, cap, most ? "native but for" : "native for");
  n += names_text(most ? other : native, text + n, cap - n);
  snprintf(text + n, cap - n, most ? " (via reference)" : ", others via reference");
}

void ops_print(const char *const *names, int n)
{
  hed_op_info op = { .struct_size = sizeof op };
  for (int i = 0; i < hed_op_count(); i++) {
    if (hed_op_query(i, &op) != HED_OK)
      continue;
    printf("  %s: %s\n", op.name, op.doc);
    for (int k = 0; k < n; k++)
      if (is_ready(names[k])) {
        char text[LINE];
        way_text(names[k], &op, text, sizeof text);
        printf("    %-10s %s\n", names[k], text);
      }
  }
}

/* ---- JSON ---- */

void ops_emit_ways(emit *e, const char *name)
{
  hed_op_info op = { .struct_size = sizeof op };
  emit_object(e, "operations");
  for (int i = 0; i < hed_op_count(); i++)
    if (hed_op_query(i, &op) == HED_OK)
      emit_string(e, op.name, ways[way_of(name, &op)]);
  emit_object_end(e);
}

static void emit_types(emit *e, const char *key, uint32_t types)
{
  emit_array(e, key);
  for (int i = 0; i < HED_ID_CONCRETE_COUNT_; i++)
    if (types & (1u << i))
      emit_string(e, NULL, hed_dtype_name(hed_dtype_of(i)));
  emit_array_end(e);
}

static void emit_aliases(emit *e, int op)
{
  emit_array(e, "aliases");
  const char *alias;
  for (int k = 0; (alias = hed_op_alias(op, k)) != NULL; k++)
    emit_string(e, NULL, alias);
  emit_array_end(e);
}

static void emit_operation(emit *e, const hed_op_info *op, const char *const *names, int n)
{
  emit_object(e, NULL);
  emit_string(e, "name", op->name);
  emit_string(e, "family", op->family);
  emit_string(e, "impl", op->impl);
  emit_string(e, "domain", op->domain);
  emit_string(e, "result", op->result);
  emit_string(e, "args", op->args);
  emit_int(e, "results", op->results);
  emit_string(e, "meaning", op->doc);
  emit_aliases(e, op->op);
  emit_object(e, "backends");
  for (int k = 0; k < n; k++)
    if (is_ready(names[k])) {
      emit_object(e, names[k]);
      emit_string(e, "way", ways[way_of(names[k], op)]);
      emit_types(e, "native", types_at(names[k], op, HED_SUPPORT_NATIVE));
      emit_types(e, "fallback", types_at(names[k], op, HED_SUPPORT_FALLBACK) | types_at(names[k], op, HED_SUPPORT_COMPOSED));
      emit_object_end(e);
    }
  emit_object_end(e);
  emit_object_end(e);
}

void ops_emit(emit *e, const char *const *names, int n)
{
  hed_op_info op = { .struct_size = sizeof op };
  emit_array(e, "operations");
  for (int i = 0; i < hed_op_count(); i++)
    if (hed_op_query(i, &op) == HED_OK)
      emit_operation(e, &op, names, n);
  emit_array_end(e);
}
