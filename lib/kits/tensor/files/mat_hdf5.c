// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of MATLAB's files, version 7.3.
 *
 * Layer: L4, tensor kit. A variable is a member of the root, whose class an attribute says; what cells and objects need is in groups
 * whose names begin with '#'. Axes are the other way round in the file, so that elements lie as in the other versions.
 */
#include "kits/shapes.h"
#include "kits/tensor/files/mat_h5.h"
#include "kits/tensor/files/mat_list.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 32 /* of variables whose class is looked at */ };

/* The class of an object; datasets without one, of other programs, are "numbers". */
static const char *class_of(hed__h5_object *o)
{
  hed__mat_printable(o->class);
  return o->group && o->sparse ? "sparse" : o->class[0] ? o->class : o->group ? "struct" : "numbers";
}

/* What a class is stored as; NULL: it has no numbers. */
static hed_dtype stored_as(const char *class)
{
  static const struct { const char *class; hed_dtype t; } known[] = {
    { "double", HED_FLOAT64 }, { "single", HED_FLOAT32 }, { "logical", HED_UINT8 }, { "int8", HED_INT8 }, { "uint8", HED_UINT8 },
    { "int16", HED_INT16 }, { "uint16", HED_UINT16 }, { "int32", HED_INT32 }, { "uint32", HED_UINT32 }, { "int64", HED_INT64 },
    { "uint64", HED_UINT64 },
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(class, known[i].class) == 0)
      return known[i].t;
  return NULL;
}

typedef struct search {
  const hed__h5_tree *f;
  const char *name;
  uint64_t object;        /* 0: a link */
  char chosen[HED__H5_NAME];
  hed__mat_list l;
  hed_status status;
} search;

static bool on_variable(void *arg, const char *name, uint64_t object)
{
  search *s = arg;
  hed__h5_object o;
  char shown[HED__H5_NAME];
  const char *class = object ? "" : "link";
  if (name[0] == '#')
    return true;
  if (!s->l.found && (!s->name || strcmp(s->name, name) == 0)) {
    s->l.found = true;
    s->object = object;
    memcpy(s->chosen, name, strlen(name) + 1);
  }
  if (s->name && s->l.found) /* nothing is to be listed */
    return false;
  if (object && s->l.n < MOST_SHOWN) {
    s->status = hed__h5_look(s->f, object, &o);
    class = class_of(&o);
  }
  memcpy(shown, name, strlen(name) + 1);
  hed__mat_printable(shown);
  hed__mat_list_add(&s->l, shown, class);
  return s->status == HED_OK;
}

/* An array without elements has its extents as elements. */
static hed_array *read_empty(const hed__h5_tree *f, const hed__h5_object *o, const char *name, hed_dtype t)
{
  hed_shape s = { .ndim = 0 };
  bool none = false;
  int64_t room = 1;
  const char *wrong = NULL;
  if (o->dtype != HED_UINT64 || o->shape.ndim != 1 || o->n < 2 || o->n > HED_MAX_NDIM) {
    (void)hed_fail(HED_E_FORMAT, HED__MAT ": '%s': %s is empty, and has not 2 to %d extents of uint64", f->s->path, name,
                   HED_MAX_NDIM);
    return NULL;
  }
  uint64_t *extent = hed__h5_values(f, o, name);
  for (int64_t k = 0; extent && k < o->n; k++) {
    if (extent[k] > INT64_MAX || !hed__count_extent(&room, (int64_t)extent[k]))
      wrong = "has more elements than can be counted";
    none = none || extent[k] == 0;
    s.dim[s.ndim++] = (int64_t)extent[k];
  }
  if (!none && !wrong)
    wrong = "is empty, and none of its extents is 0";
  if (extent && wrong)
    (void)hed_fail(HED_E_FORMAT, HED__MAT ": '%s': %s %s", f->s->path, name, wrong);
  hed_array *x = extent && !wrong ? hed__mat_in_c_order(extent, s, t) : NULL;
  free(extent);
  return x;
}

static hed_array *read_numbers(const hed__h5_tree *f, const hed__h5_object *o, const char *name, bool logical)
{
  hed_shape s = o->shape;
  unsigned char *values = hed__h5_values(f, o, name);
  for (int64_t i = 0; values && logical && i < o->n; i++)
    values[i] = values[i] != 0;
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = o->shape.dim[s.ndim - 1 - k];
  hed_array *x = values ? hed__mat_in_c_order(values, s, logical ? HED_BOOL : o->dtype) : NULL;
  free(values);
  return x;
}

static hed_array *read_variable(const hed__h5_tree *f, uint64_t object, const char *name)
{
  hed__h5_object o;
  if (object && hed__h5_look(f, object, &o) != HED_OK)
    return NULL;
  const char *class = object ? class_of(&o) : "a link";
  const hed_dtype own = stored_as(class), z = own == HED_FLOAT64 ? HED_COMPLEX128 : own == HED_FLOAT32 ? HED_COMPLEX64 : NULL;
  const bool logical = strcmp(class, "logical") == 0;
  if (!object || o.group || (!own && strcmp(class, "numbers") != 0))
    (void)hed__mat_no_numbers(f->s->path, name, class);
  else if (own && o.empty)
    return read_empty(f, &o, name, logical ? HED_BOOL : own);
  else if (own && o.dtype && o.dtype != own && o.dtype != z)
    (void)hed_fail(HED_E_FORMAT, HED__MAT ": '%s': %s, %s, is stored as %s", f->s->path, name, class, hed_dtype_name(o.dtype));
  else
    return read_numbers(f, &o, name, logical);
  return NULL;
}

hed_array *hed__mat_load_hdf5(hed__mat_source *source, const char *name, uint64_t bytes)
{
  hed__h5_tree f;
  search s = { .f = &f, .name = name };
  hed_status status = hed__h5_begin(source, bytes, &f);
  if (status == HED_OK)
    status = hed__h5_members(&f, f.root, on_variable, &s);
  if (status == HED_OK && (status = s.status) == HED_OK && !(name && s.l.found))
    status = hed__mat_list_expect(&s.l, source->path, name);
  if (status != HED_OK)
    return NULL;
  hed__mat_printable(s.chosen);
  return read_variable(&f, s.object, s.chosen);
}
