// SPDX-License-Identifier: BSD-3-Clause
/* The interface as data. L3.
 *
 * The tables are made from the headers (build-aux/gen-api.awk). The compiler holds each prototype against its row.
 */
#include "api/reflect.h"
#include <heddle.h>
#include <heddle/words.h>
#include <stddef.h>
#include <string.h>

#define SAME_(function, returned, arguments) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(function), returned arguments), "the row of " #function)
#include "api/api_rows.inc"

enum { FUNCTIONS = sizeof functions / sizeof *functions, STRUCTS = sizeof structs / sizeof *structs,
       ENUMS = sizeof enums / sizeof *enums };

const hed_api_function *hed_api_function_at(int k)
{
  return k < 0 || k >= FUNCTIONS ? NULL : &functions[k];
}

const hed_api_struct *hed_api_struct_at(int k)
{
  return k < 0 || k >= STRUCTS ? NULL : &structs[k];
}

const hed_api_enum *hed_api_enum_at(int k)
{
  return k < 0 || k >= ENUMS ? NULL : &enums[k];
}

/* ---- how many results: sums of products of names, numbers, ndim(x), extent(x, axis), len(axes), size(shape); "A or B" ---- */

typedef struct reader {
  const char *at;
  const hed_api_function *f;
  const void *const *arguments;
  bool failed;
} reader;

static int64_t read_any(reader *r);

static bool take(reader *r, const char *word)
{
  const size_t n = strlen(word);
  r->at += strspn(r->at, " ");
  if (strncmp(r->at, word, n) != 0)
    return false;
  r->at += n;
  return true;
}

static int64_t failed(reader *r, const char *name, const char *why)
{
  if (!r->failed)
    hed_fail(HED_E_INVAL, "api_results: %s: %s %s", r->f->symbol, name, why);
  r->failed = true;
  return 0;
}

/* What a name, "n" or "opt.axes", stands for: where its value lies, and its kind; NULL when the options are NULL. */
static const void *value_of(reader *r, char name[static 64], const char **kind, const char **ctype)
{
  const size_t n = strcspn(r->at, " +-*().,");
  const char *field = r->at[n] == '.' ? r->at + n + 1 : NULL;
  for (int k = 0; k < r->f->n_arguments; k++) {
    const hed_api_argument *a = &r->f->arguments[k];
    if (strlen(a->name) != n || strncmp(a->name, r->at, n) != 0)
      continue;
    memcpy(name, a->name, n + 1);
    r->at += n;
    *kind = a->kind;
    *ctype = a->ctype;
    if (!field)
      return r->arguments[k];
    const size_t length = strcspn(field, " +-*().,");
    r->at = field + length;
    const char *options = *(const char *const *)r->arguments[k];
    for (int s = 0; s < STRUCTS; s++)
      for (int i = 0; strcmp(structs[s].name, a->type) == 0 && i < structs[s].n_fields; i++) {
        const hed_api_field *f = &structs[s].fields[i];
        if (strlen(f->name) == length && strncmp(f->name, field, length) == 0) {
          *kind = f->kind;
          *ctype = f->ctype;
          return options ? options + f->offset : NULL;
        }
      }
    break;
  }
  failed(r, r->at, "is not known");
  return NULL;
}

static bool by_pointer(const char *ctype)
{
  return strchr(ctype, '*') != NULL;
}

/* The number that the value at P says. */
static int64_t number(reader *r, const void *p, const char *kind, const char *ctype)
{
  if (!p)
    return 0;
  if (strcmp(kind, "bool") == 0)
    return *(const bool *)p;
  if (strcmp(kind, "int") == 0)
    return strcmp(ctype, "int64_t") == 0 ? *(const int64_t *)p : *(const int32_t *)p;
  return failed(r, kind, "is no number");
}

static int64_t extent_of(reader *r, const char *what, const char *name, const void *p, const char *kind, const char *ctype)
{
  if (p && by_pointer(ctype))
    p = *(const void *const *)p;
  if (strcmp(kind, "array") == 0)
    return p ? hed_array_ndim(p) : failed(r, name, "is NULL");
  if (!p)
    return 0;
  if (strcmp(kind, "axes") == 0)
    return ((const hed_axes *)p)->n;
  const hed_shape *s = p;
  int64_t size = 1;
  for (int k = 0; k < s->ndim && k < HED_MAX_NDIM; k++)
    size *= s->dim[k];
  return strcmp(what, "size") == 0 ? size : s->ndim;
}

/* After "extent(": elements of an array along an axis, negatives from the end; an axis that is none has none. */
static int64_t read_extent(reader *r)
{
  char name[64] = "";
  const char *kind = "", *ctype = "";
  const void *p = value_of(r, name, &kind, &ctype);
  const hed_array *x = p ? *(const hed_array *const *)p : NULL;
  if (!r->failed && !x)
    return failed(r, name, "is NULL");
  take(r, ", ");
  p = r->failed ? NULL : value_of(r, name, &kind, &ctype);
  take(r, ")");
  int64_t axis = r->failed ? 0 : number(r, p, kind, ctype);
  if (r->failed)
    return 0;
  const hed_shape s = hed_array_shape(x);
  axis = axis < 0 ? axis + s.ndim : axis;
  return axis >= 0 && axis < s.ndim ? s.dim[axis] : 0;
}

static int64_t read_one(reader *r)
{
  static const char *const extents[] = { "ndim", "len", "size" };
  char name[64] = "";
  const char *kind = "", *ctype = "";
  r->at += strspn(r->at, " ");
  if (take(r, "(")) {
    const int64_t v = read_any(r);
    take(r, ")");
    return v;
  }
  if (*r->at >= '0' && *r->at <= '9') {
    int64_t v = 0;
    while (*r->at >= '0' && *r->at <= '9')
      v = 10 * v + (*r->at++ - '0');
    return v;
  }
  if (take(r, "extent("))
    return read_extent(r);
  for (int k = 0; k < 3; k++) {
    const size_t n = strlen(extents[k]);
    if (strncmp(r->at, extents[k], n) == 0 && r->at[n] == '(') {
      r->at += n + 1;
      const void *p = value_of(r, name, &kind, &ctype);
      take(r, ")");
      return r->failed ? 0 : extent_of(r, extents[k], name, p, kind, ctype);
    }
  }
  const void *p = value_of(r, name, &kind, &ctype);
  const int64_t v = r->failed ? 0 : number(r, p, kind, ctype);
  return v < 0 ? failed(r, name, "is negative") : v;
}

static int64_t read_product(reader *r)
{
  int64_t v = read_one(r);
  while (!r->failed && take(r, "*"))
    v *= read_one(r);
  return v;
}

static int64_t read_sum(reader *r)
{
  int64_t v = read_product(r);
  while (!r->failed) {
    if (take(r, "+"))
      v += read_product(r);
    else if (take(r, "-"))
      v -= read_product(r);
    else
      break;
  }
  return v;
}

static int64_t read_any(reader *r)
{
  int64_t v = read_sum(r);
  while (!r->failed && take(r, "or ")) {
    const int64_t w = read_sum(r);
    v = v ? v : w;
  }
  return v;
}

int64_t hed__api_length(const hed_api_function *f, const char *expression, const void *const *arguments)
{
  reader r = { .at = expression, .f = f, .arguments = arguments };
  const int64_t n = read_any(&r);
  return r.failed ? hed_error() : n;
}

int64_t hed_api_results(const hed_api_function *f, const void *const *arguments)
{
  if (!f || (!arguments && f->n_arguments))
    return hed_fail(HED_E_INVAL, "api_results: %s is NULL", f ? "arguments" : "f");
  return hed__api_length(f, f->results, arguments);
}
