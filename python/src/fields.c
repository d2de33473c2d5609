// SPDX-License-Identifier: BSD-3-Clause
/* Fields of the kits' structs: from and to Python's values, as the kits' reflection describes them. */
#include "fields.h"
#include <stdlib.h>
#include <string.h>

static bool is(const char *kind, const char *word)
{
  return strcmp(kind, word) == 0;
}

const hed_api_struct *hp_struct_named(const char *name)
{
  const hed_api_struct *s;
  for (int k = 0; (s = hed_kit_struct_at(k)) != NULL; k++)
    if (is(s->name, name))
      return s;
  return NULL;
}

static const hed_api_field *field_named(const hed_api_struct *s, const char *name, size_t length)
{
  for (int k = 0; s && k < s->n_fields; k++)
    if (strlen(s->fields[k].name) == length && strncmp(s->fields[k].name, name, length) == 0)
      return &s->fields[k];
  return NULL;
}

static const hed_api_enum *enum_named(const char *name)
{
  const hed_api_enum *(*const lists[2])(int) = { hed_kit_enum_at, hed_api_enum_at };
  const hed_api_enum *e;
  for (int i = 0; i < 2; i++)
    for (int k = 0; (e = lists[i](k)) != NULL; k++)
      if (is(e->name, name))
        return e;
  return NULL;
}

static bool by_pointer(const hed_api_field *f)
{
  return strchr(f->ctype, '*') != NULL;
}

/* Several in a row: in the struct, or by a pointer whose length another field is. */
static bool is_list(const hed_api_field *f)
{
  return f->count > 1 || *f->length;
}

/* Bytes of a number, which the field is, has, or points to. */
static size_t number_size(const hed_api_field *f)
{
  static const struct { const char *word; size_t size; } widths[] = { { "bool", sizeof(bool) }, { "int8_t", 1 }, { "int16_t", 2 },
                                                                      { "int32_t", 4 } };
  for (size_t k = 0; by_pointer(f) && k < sizeof widths / sizeof *widths; k++)
    if (strstr(f->ctype, widths[k].word))
      return widths[k].size;
  return by_pointer(f) ? 8 : f->size / f->count;
}

static size_t element_size(const hed_api_field *f)
{
  const hed_api_struct *s = f->count > 1 ? NULL : hp_struct_named(f->type);
  return s ? s->size : is(f->kind, "arrays") ? sizeof(hed_array *) : number_size(f);
}

PyObject *hp_shown_name(const hed_api_field *f)
{
  const bool several = is_list(f) && (is(f->kind, "array") || is(f->kind, "arrays") || is(f->kind, "struct"));
  return PyUnicode_FromFormat("%s%s", f->name, several ? "s" : "");
}

/* ---- numbers of any width ---- */

static bool is_signed(const hed_api_field *f)
{
  return !strstr(f->ctype, "uint") && !strstr(f->ctype, "size_t");
}

static int64_t load(const hed_api_field *f, const char *at)
{
  switch (number_size(f)) {
  case 1: return is_signed(f) ? *(const int8_t *)at : *(const uint8_t *)at;
  case 2: return is_signed(f) ? *(const int16_t *)at : *(const uint16_t *)at;
  case 4: return is_signed(f) ? *(const int32_t *)at : (int64_t)*(const uint32_t *)at;
  default: return *(const int64_t *)at;
  }
}

/* VALUE is in the field's range. */
static void store(const hed_api_field *f, char *at, int64_t value)
{
  switch (number_size(f)) {
  case 1: *(int8_t *)at = (int8_t)value; break;
  case 2: *(int16_t *)at = (int16_t)value; break;
  case 4: *(int32_t *)at = (int32_t)value; break;
  default: *(int64_t *)at = value;
  }
}

/* The field that says how long F is, "n" or "cp.order", in the struct at P; NULL: none does. */
static const hed_api_field *length_field(const hed_api_struct *s, const hed_api_field *f, char *p, char **at)
{
  const char *name = f->length, *dot = strchr(name, '.');
  if (dot) {
    const hed_api_field *outer = field_named(s, name, (size_t)(dot - name));
    if (!outer)
      return NULL;
    p += outer->offset;
    s = hp_struct_named(outer->type);
    name = dot + 1;
  }
  const hed_api_field *l = field_named(s, name, strlen(name));
  *at = l ? p + l->offset : NULL;
  return l;
}

static int64_t length_of(const hed_api_struct *s, const hed_api_field *f, char *p)
{
  char *at = NULL;
  const hed_api_field *l = length_field(s, f, p, &at);
  return l ? load(l, at) : f->count;
}

/* ---- to Python ---- */

static PyObject *number(const hed_api_field *f, const char *at)
{
  if (is(f->kind, "scalar"))
    return PyFloat_FromDouble(*(const double *)at);
  if (is(f->kind, "bool"))
    return PyBool_FromLong(*(const bool *)at);
  return is_signed(f) ? PyLong_FromLongLong(load(f, at)) : PyLong_FromUnsignedLongLong((uint64_t)load(f, at));
}

static PyObject *word(const hed_api_field *f, const char *at)
{
  const hed_api_enum *e = enum_named(f->type);
  const int32_t value = *(const int32_t *)at;
  for (int k = 0; e && k < e->n_values; k++)
    if (e->values[k].value == value)
      return PyUnicode_FromString(e->values[k].brief);
  return PyLong_FromLong(value);
}

static PyObject *array(hed_array *x)
{
  if (!x)
    Py_RETURN_NONE;
  return hp_wrap("field", hed_retain(x));
}

static PyObject *one(PyObject *self, const hed_api_field *f, char *at)
{
  if (is(f->kind, "array") || is(f->kind, "arrays"))
    return array(*(hed_array **)at);
  if (is(f->kind, "struct"))
    return hp_box_part(f->type, at, self);
  return number(f, at);
}

static PyObject *list(PyObject *self, const hed_api_field *f, char *at, int64_t n)
{
  const size_t size = element_size(f);
  PyObject *items = PyList_New((Py_ssize_t)n);
  for (int64_t k = 0; items && k < n; k++) {
    PyObject *o = one(self, f, at + (size_t)k * size);
    if (!o || PyList_SetItem(items, (Py_ssize_t)k, o) != 0)
      Py_CLEAR(items);
  }
  return items;
}

PyObject *hp_field_get(PyObject *self, const hed_api_struct *s, void *closure, void *p)
{
  const hed_api_field *f = closure;
  char *at = (char *)p + f->offset;
  if (is(f->kind, "text"))
    return hp_text(at);
  if (is(f->kind, "string"))
    return hp_text(*(const char **)at);
  if (is(f->kind, "enum"))
    return word(f, at);
  if (is(f->kind, "dtype")) {
    PyObject *t = *(hed_dtype *)at ? hp_dtype_object(*(hed_dtype *)at) : Py_None;
    Py_XINCREF(t);
    return t;
  }
  if (is(f->kind, "shape"))
    return hp_shape_tuple((const hed_shape *)at);
  if (is(f->kind, "axes"))
    return hp_axes_tuple((const hed_axes *)at);
  if (f->count > 1) {
    PyObject *items = list(self, f, at, *f->length ? length_of(s, f, p) : f->count);
    PyObject *fixed = items && !is(f->kind, "array") && !is(f->kind, "struct") ? PyList_AsTuple(items) : NULL;
    if (!fixed)
      return items;
    Py_DECREF(items);
    return fixed;
  }
  if (*f->length) {
    char *first = *(char **)at;
    const int64_t n = length_of(s, f, p);
    if (is(f->kind, "arrays") || is(f->kind, "struct"))
      return list(self, f, first, first ? n : 0);
    if (!first)
      Py_RETURN_NONE;
    return hp_values(first, is(f->kind, "doubles") || is(f->kind, "scalar") ? HED_FLOAT64 : is(f->kind, "bool") ? HED_BOOL :
                     element_size(f) == 1 ? HED_UINT8 : HED_INT64, HED_SHAPE(n));
  }
  if (is(f->kind, "struct") && by_pointer(f)) {
    if (!*(void **)at)
      Py_RETURN_NONE;
    return hp_box_part(f->type, *(void **)at, self);
  }
  return one(self, f, at);
}

PyObject *hp_brief(PyObject *o)
{
  if (hp_is_array(o)) {
    const hed_shape s = hed_array_shape(HP_ARRAY(o));
    PyObject *shape = hp_shape_tuple(&s);
    PyObject *text = shape ? PyUnicode_FromFormat("%s%R", hed_dtype_name(hed_array_dtype(HP_ARRAY(o))), shape) : NULL;
    Py_XDECREF(shape);
    return text;
  }
  if (!PyList_Check(o))
    return PyObject_Repr(o);
  const Py_ssize_t n = PyList_Size(o);
  PyObject *text = PyUnicode_FromString("[");
  for (Py_ssize_t k = 0; text && k < n && k < 16; k++) {
    PyObject *part = hp_brief(PyList_GetItem(o, k)), *more = part ? PyUnicode_FromFormat("%U%s%U", text, k ? ", " : "", part) : NULL;
    Py_XDECREF(part);
    Py_DECREF(text);
    text = more;
  }
  PyObject *closed = text ? PyUnicode_FromFormat(n > 16 ? "%U, ..]" : "%U]", text) : NULL;
  Py_XDECREF(text);
  return closed;
}

/* ---- from Python ---- */

static bool put_enum(PyObject *o, const char *shown, const hed_api_field *f, char *at)
{
  const hed_api_enum *e = enum_named(f->type);
  hp_word words[64] = { { NULL, 0 } };
  int value = *(int32_t *)at;
  for (int k = 0; e && k < e->n_values && k < 63; k++)
    words[k] = (hp_word){ e->values[k].brief, (int)e->values[k].value };
  if (!hp_enum(o, shown, words, &value))
    return false;
  *(int32_t *)at = value;
  return true;
}

static bool put_number(PyObject *o, const char *shown, const hed_api_field *f, char *at)
{
  if (by_pointer(f)) {   /* functions, and what they get */
    PyErr_Format(PyExc_TypeError, "%s, a %s, is for C alone", shown, f->ctype);
    return false;
  }
  if (is(f->kind, "scalar"))
    return hp_double(o, shown, (double *)at);
  if (is(f->kind, "bool"))
    return hp_bool(o, shown, (bool *)at);
  const hp_limits r = hp_integer_range(number_size(f), is_signed(f));
  int64_t value = 0;
  if (!hp_integer(o, shown, &r, &value))
    return false;
  store(f, at, value);
  return true;
}

/* Numbers in the struct: as many as there are, or one for all; which of them fewer would be, nobody can tell. */
static bool put_row(hp_call *c, PyObject *o, const char *shown, const hed_api_field *f, char *at)
{
  const bool real = is(f->kind, "scalar");
  const hp_limits r = hp_integer_range(number_size(f), is_signed(f));
  double *x = NULL;
  int64_t *i = NULL, n = 0;
  if (!(real ? hp_doubles(c, o, shown, &n, &x) : hp_integers_in(c, o, shown, &r, &n, &i)))
    return false;
  if (n != 1 && n != f->count)
    return hp_length(shown, n, f->count);
  for (int64_t k = 0; k < f->count; k++) {
    if (real)
      ((double *)at)[k] = x[n == 1 ? 0 : k];
    else
      store(f, at + (size_t)k * element_size(f), i[n == 1 ? 0 : k]);
  }
  return true;
}

static bool put_list_of_numbers(hp_call *c, PyObject *o, const char *shown, const hed_api_field *f, char *at, int64_t *n)
{
  const bool truth = is(f->kind, "bool");   /* of any number */
  const hp_limits r = truth ? hp_integer_range(sizeof(int64_t), true) : hp_integer_range(number_size(f), is_signed(f));
  int64_t *i = NULL;
  if (is(f->kind, "doubles"))
    return hp_doubles(c, o, shown, n, (double **)at);
  if (!hp_integers_in(c, o, shown, &r, n, &i))
    return false;
  char *all = hp_block(c, (size_t)*n * number_size(f));
  for (int64_t k = 0; all && k < *n; k++)
    store(f, all + (size_t)k * number_size(f), truth ? i[k] != 0 : i[k]);
  *(char **)at = all;
  return all != NULL;
}

/* A struct's value: that of a box, or a new one from a dict. */
static bool struct_value(hp_call *c, PyObject *o, const char *shown, const char *type, void **out)
{
  const hed_api_struct *s = hp_struct_named(type);
  *out = hp_box_value(o, type);
  if (*out)
    return hp_keep(c, o);
  if (!s || !PyDict_Check(o)) {
    PyErr_Format(PyExc_TypeError, "%s: a dict of the fields of %s is needed, not %R", shown, type, Py_TYPE(o));
    return false;
  }
  *out = hp_block(c, s->size);
  return *out && hp_keep(c, o) && hp_struct_from(c, o, shown, s, *out);
}

static bool put_item(hp_call *c, PyObject *o, const char *shown, const hed_api_field *f, char *at)
{
  void *p = NULL;
  if (o == Py_None)
    return true;
  if (is(f->kind, "array") || is(f->kind, "arrays"))
    return hp_operand(c, o, shown, (hed_array **)at) && (!hp_is_array(o) || hp_hold(c, hed_retain(*(hed_array **)at)));
  if (!struct_value(c, o, shown, f->type, &p))
    return false;
  memcpy(at, p, element_size(f));
  return true;
}

/* A list of arrays or structs. */
static bool put_list(hp_call *c, PyObject *o, const char *shown, const hed_api_field *f, char *at, int64_t *n)
{
  const size_t size = element_size(f);
  PyObject *items = hp_sequence(o, shown, "a list");
  if (!items)
    return false;
  *n = PyTuple_Size(items);
  bool ok = f->count == 1 || *n <= f->count;
  if (!ok)
    PyErr_Format(PyExc_ValueError, "%s has %lld entries; there can be %u", shown, (long long)*n, f->count);
  if (ok && f->count == 1) {
    char *block = hp_block(c, (size_t)*n * size);
    *(char **)at = block;
    at = block;
    ok = block != NULL;
  }
  for (int64_t k = 0; ok && k < *n; k++)
    ok = put_item(c, PyTuple_GetItem(items, (Py_ssize_t)k), shown, f, at + (size_t)k * size);
  Py_DECREF(items);
  return ok;
}

static bool put(hp_call *c, PyObject *o, const char *shown, const hed_api_struct *s, const hed_api_field *f, char *base)
{
  char *at = base + f->offset, *length = NULL;
  if (!o || o == Py_None)
    return true;
  if (is(f->kind, "enum"))
    return put_enum(o, shown, f, at);
  if (is(f->kind, "string"))
    return hp_string(o, shown, (const char **)at) && hp_keep(c, o);
  if (is(f->kind, "text")) {
    const char *text = NULL;
    if (!hp_string(o, shown, &text))
      return false;
    if (strlen(text) >= f->count) {
      PyErr_Format(PyExc_ValueError, "%s has %zu bytes; there is room for %u", shown, strlen(text), f->count - 1);
      return false;
    }
    strncpy(at, text, f->count - 1);
    return true;
  }
  if (is(f->kind, "dtype"))
    return hp_dtype(o, shown, (hed_dtype *)at);
  if (is(f->kind, "shape"))
    return hp_shape(o, shown, (hed_shape *)at);
  if (is(f->kind, "axes"))
    return hp_axes(o, shown, (hed_axes *)at);
  if (is(f->kind, "array") && f->count == 1)
    return hp_operand(c, o, shown, (hed_array **)at) && (!hp_is_array(o) || hp_hold(c, hed_retain(*(hed_array **)at)));
  if (is(f->kind, "struct") && !is_list(f)) {
    void *p = NULL;
    if (!struct_value(c, o, shown, f->type, &p))
      return false;
    if (by_pointer(f))
      *(void **)at = p;
    else
      memcpy(at, p, f->size);
    return true;
  }
  const bool pointers = is(f->kind, "array") || is(f->kind, "arrays") || is(f->kind, "struct");
  if (!pointers && f->count > 1)
    return put_row(c, o, shown, f, at);
  if (!pointers && !*f->length)
    return put_number(o, shown, f, at);
  int64_t n = 0;
  const hed_api_field *l = *f->length ? length_field(s, f, base, &length) : NULL;
  if (!(pointers ? put_list(c, o, shown, f, at, &n) : put_list_of_numbers(c, o, shown, f, at, &n)))
    return false;
  if (l && load(l, length) != 0 && load(l, length) != n)
    return hp_length(shown, n, load(l, length));
  if (l)
    store(l, length, n);
  return true;
}

bool hp_field(hp_call *c, PyObject *o, const char *shown, const char *struct_name, const char *name, void *into)
{
  const hed_api_struct *s = hp_struct_named(struct_name);
  const hed_api_field *f = field_named(s, name, strlen(name));
  if (f)
    return put(c, o, shown, s, f, into);
  PyErr_Format(PyExc_RuntimeError, "the library does not describe %s.%s", struct_name, name);
  return false;
}

/* A rank goes without saying: it is that of the factors. */
static void complete(const hed_api_struct *s, char *p)
{
  const hed_api_field *rank = field_named(s, "rank", 4), *factor = field_named(s, "factor", 6);
  factor = factor ? factor : field_named(s, "a", 1);
  const hed_array *x = rank && factor ? *(hed_array **)(p + factor->offset) : NULL;
  if (x && load(rank, p + rank->offset) == 0 && hed_array_ndim(x) == 2)
    store(rank, p + rank->offset, hed_array_shape(x).dim[1]);
}

bool hp_struct_from(hp_call *c, PyObject *dict, const char *name, const hed_api_struct *s, void *into)
{
  PyObject *items = PyMapping_Items(dict);
  bool ok = items != NULL;
  for (Py_ssize_t i = 0; ok && i < PyList_Size(items); i++) {
    PyObject *key = NULL, *value = NULL;
    const hed_api_field *f = NULL;
    if (!(ok = hp_pair(PyList_GetItem(items, i), name, &key, &value)))
      break;
    for (int k = 0; !f && PyUnicode_Check(key) && k < s->n_fields; k++) {
      PyObject *shown = hp_shown_name(&s->fields[k]);
      if (!shown)
        break;
      if (PyUnicode_Compare(shown, key) == 0)
        f = &s->fields[k];
      Py_DECREF(shown);
    }
    ok = f && put(c, value, f->name, s, f, into);
    if (!f && !PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "%s: there is no field %R", name, key);
  }
  Py_XDECREF(items);
  if (ok)
    complete(s, into);
  return ok;
}


/* ---- copies ---- */

static bool owns_list(const hed_api_field *f)
{
  return f->count == 1 && *f->length && by_pointer(f);
}

static void retain_arrays(const hed_api_struct *s, char *p)
{
  for (int k = 0; k < s->n_fields; k++) {
    const hed_api_field *f = &s->fields[k];
    hed_array **x = owns_list(f) ? *(hed_array ***)(p + f->offset) : (hed_array **)(p + f->offset);
    const int64_t n = owns_list(f) ? length_of(s, f, p) : f->count;
    if (is(f->kind, "struct") && !by_pointer(f) && f->count == 1)
      retain_arrays(hp_struct_named(f->type), p + f->offset);
    else if (is(f->kind, "array") || is(f->kind, "arrays"))
      for (int64_t i = 0; x && i < n; i++)
        hed_retain(x[i]);
  }
}

bool hp_struct_copy(const hed_api_struct *s, void *out, const void *p)
{
  char *to = memcpy(out, p, s->size);
  bool ok = true;
  for (int k = 0; k < s->n_fields; k++) {
    const hed_api_field *f = &s->fields[k];
    const void **at = (const void **)(to + f->offset);
    if (!owns_list(f) || !*at)
      continue;
    const size_t bytes = (size_t)length_of(s, f, to) * element_size(f);
    void *list = ok ? malloc(bytes ? bytes : 1) : NULL;
    ok = list != NULL;
    *at = list ? memcpy(list, *at, bytes) : NULL;
  }
  if (ok)
    retain_arrays(s, to);
  else {
    for (int k = 0; k < s->n_fields; k++)
      if (owns_list(&s->fields[k]))
        free(*(void **)(to + s->fields[k].offset));
    memset(to, 0, s->size);   /* clear() may be called of it */
    PyErr_NoMemory();
  }
  return ok;
}
