// SPDX-License-Identifier: BSD-3-Clause
/* Boxes: Python objects around the kits' handles and structs. Fields are read as the kits' reflection describes them. */
#include "kit.h"
#include "fields.h"
#include <stdlib.h>
#include <string.h>

typedef struct box_object {
  PyObject_HEAD
  hp_kind *kind;
  void *p;            /* the struct or handle */
  PyObject *parent;   /* whose memory P lies in; NULL: its own */
  int users;          /* of a handle: calls that read it; -1: one that changes it */
} box_object;

static bool is_box(PyObject *o, const hp_kind *kind)
{
  return kind->type && Py_TYPE(o) == kind->type;
}

static PyObject *box_new(hp_kind *kind, void *p, PyObject *parent)
{
  box_object *b = PyObject_New(box_object, kind->type);
  if (b) {
    b->kind = kind;
    b->p = p;
    b->users = 0;
    Py_XINCREF(parent);
    b->parent = parent;
  }
  return (PyObject *)b;
}

static void box_dealloc(PyObject *self)
{
  box_object *b = (box_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  if (!b->parent) {
    if (b->kind->clear)
      b->kind->clear(b->p);
    if (b->kind->size)
      free(b->p);
  }
  Py_XDECREF(b->parent);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject *hp_box_handle(hp_kind *kind, void *handle)
{
  if (!handle)
    return hp_fail(kind->name);
  PyObject *o = box_new(kind, handle, NULL);
  if (!o)
    kind->clear(handle);
  return o;
}

PyObject *hp_box_struct(hp_kind *kind, void *value)
{
  void *p = malloc(kind->size);
  PyObject *o = p ? box_new(kind, memcpy(p, value, kind->size), NULL) : PyErr_NoMemory();
  if (!o) {
    if (kind->clear)
      kind->clear(value);
    free(p);
  }
  return o;
}

static hp_kind *kind_of(const char *struct_name)
{
  hp_kind *k = hp_kinds;
  while (k->c_name && strcmp(k->c_name, struct_name) != 0)
    k++;
  return k->c_name ? k : NULL;
}

PyObject *hp_box_part(const char *struct_name, void *p, PyObject *parent)
{
  hp_kind *kind = kind_of(struct_name);
  if (kind)
    return box_new(kind, p, parent);
  Py_RETURN_NONE;
}

void *hp_box_value(PyObject *o, const char *struct_name)
{
  const hp_kind *kind = kind_of(struct_name);
  return kind && is_box(o, kind) ? ((box_object *)o)->p : NULL;
}

void hp_clear_list(const hp_kind *kind, void *values, size_t n)
{
  for (size_t k = 0; values && kind->clear && k < n; k++)
    kind->clear((char *)values + k * kind->size);
}

PyObject *hp_box_list(hp_kind *kind, void *values, size_t n)
{
  PyObject *list = PyList_New((Py_ssize_t)n);
  size_t taken = 0;
  while (list && taken < n) {
    PyObject *o = hp_box_struct(kind, (char *)values + taken * kind->size);
    if (!o || PyList_SetItem(list, (Py_ssize_t)taken, o) != 0)
      Py_CLEAR(list);
    taken++;
  }
  if (!list)
    hp_clear_list(kind, (char *)values + taken * kind->size, n - taken);
  return list;
}

/* ---- boxes as arguments ---- */

static bool wrong_box(PyObject *o, const char *name, const hp_kind *kind)
{
  PyErr_Format(PyExc_TypeError, "%s: a %s is needed, not %R", name, kind->name, Py_TYPE(o));
  return false;
}

bool hp_boxed(hp_call *c, PyObject *o, const char *name, hp_kind *kind, void **out)
{
  if (is_box(o, kind)) {
    *out = ((box_object *)o)->p;
    return true;
  }
  if (!kind->s || !PyDict_Check(o))
    return wrong_box(o, name, kind);
  *out = hp_block(c, kind->size);
  return *out && hp_struct_from(c, o, name, kind->s, *out);
}

bool hp_boxes(hp_call *c, PyObject *o, const char *name, hp_kind *kind, int64_t *n, void **out)
{
  PyObject *list = hp_sequence(o, name, "a list");
  if (!list)
    return false;
  const Py_ssize_t count = PyTuple_Size(list);
  char *all = hp_block(c, (size_t)count * kind->size);
  bool ok = all != NULL;
  for (Py_ssize_t k = 0; ok && k < count; k++) {
    void *p = NULL;
    ok = hp_boxed(c, PyTuple_GetItem(list, k), name, kind, &p);
    if (ok)
      memcpy(all + (size_t)k * kind->size, p, kind->size);
  }
  ok = ok && hp_keep(c, list);   /* what the copies point to is the boxes' */
  Py_DECREF(list);
  *n = count;
  *out = all;
  return ok;
}

bool hp_use_handle(PyObject *o, const char *name, hp_kind *kind, bool change, void **out)
{
  if (!is_box(o, kind))
    return wrong_box(o, name, kind);
  int *users = &((box_object *)o)->users, now = __atomic_load_n(users, __ATOMIC_RELAXED);
  do {
    if (now < 0 || (change && now > 0)) {
      PyErr_Format(PyExc_RuntimeError, "%s: a call of another thread, or one that Ctrl-C left, is using this %s", name, kind->name);
      return false;
    }
  } while (!__atomic_compare_exchange_n(users, &now, change ? -1 : now + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
  *out = ((box_object *)o)->p;
  return true;
}

void hp_leave_handle(PyObject *o, const void *used)
{
  if (!used)
    return;
  int *users = &((box_object *)o)->users;
  if (__atomic_load_n(users, __ATOMIC_RELAXED) < 0)
    __atomic_store_n(users, 0, __ATOMIC_RELEASE);
  else
    __atomic_fetch_sub(users, 1, __ATOMIC_RELEASE);
}

PyObject *hp_box_operator(hp_kind *kind, hp_function same, hp_function number, bool any, PyObject *a, PyObject *b)
{
  const bool left = is_box(a, kind), right = is_box(b, kind);
  PyObject *const both[2] = { left ? a : b, left ? b : a };
  if (same && left && (right || any))
    return same(NULL, both, 2, NULL);
  if (number && left != right && (PyFloat_Check(both[1]) || PyLong_Check(both[1])))
    return number(NULL, both, 2, NULL);
  Py_RETURN_NOTIMPLEMENTED;
}

/* ---- the types ---- */

static PyObject *get_field(PyObject *self, void *closure)
{
  const box_object *b = (const box_object *)self;
  return hp_field_get(self, b->kind->s, closure, b->p);
}

/* What a constructor takes, and shows: the fields without those that are lengths of others. */
static bool is_shown(const hed_api_struct *s, int k)
{
  const hed_api_field *f = &s->fields[k];
  if (strcmp(f->kind, "callback") == 0 || strcmp(f->kind, "data") == 0 || strcmp(f->name, "struct_size") == 0)
    return false;
  for (int i = 0; i < s->n_fields; i++)
    if (strcmp(s->fields[i].length, f->name) == 0)
      return false;
  return true;
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  hp_kind *kind = hp_kinds;
  while (kind->c_name && kind->type != type)
    kind++;
  PyObject *fields = keywords ? PyDict_Copy(keywords) : PyDict_New(), *o = NULL;
  const Py_ssize_t n = PyTuple_Size(args);
  Py_ssize_t given = 0;
  for (int k = 0; fields && k < kind->s->n_fields && given < n; k++)
    if (is_shown(kind->s, k)) {
      PyObject *name = hp_shown_name(&kind->s->fields[k]);
      const int twice = name ? PyDict_Contains(fields, name) : -1;
      if (twice > 0)
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument %R", kind->name, name);
      if (twice != 0 || PyDict_SetItem(fields, name, PyTuple_GetItem(args, given++)) != 0)
        Py_CLEAR(fields);
      Py_XDECREF(name);
    }
  if (fields && given < n) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zd arguments, %zd were given", kind->name, given, n);
    Py_CLEAR(fields);
  }
  hp_call c = HP_CALL(kind->name);
  void *p = fields ? hp_block(&c, kind->size) : NULL, *copy = p ? hp_block(&c, kind->size) : NULL;
  if (copy && hp_struct_from(&c, fields, kind->name, kind->s, p)) {
    if (kind->check && kind->check(p) != HED_OK)
      hp_fail(kind->name);
    else if (hp_struct_copy(kind->s, copy, p))
      o = hp_box_struct(kind, copy);
  }
  hp_done(&c);
  Py_XDECREF(fields);
  return o;
}

/* Type and values of the fields: the constructor makes the same of them. */
PyObject *hp_box_reduce(PyObject *self, PyObject *unused)
{
  const box_object *b = (const box_object *)self;
  PyObject *values = PyList_New(0);
  (void)unused;
  for (int k = 0; values && k < b->kind->s->n_fields; k++)
    if (is_shown(b->kind->s, k)) {
      PyObject *o = hp_field_get(self, b->kind->s, (void *)&b->kind->s->fields[k], b->p);
      if (!o || PyList_Append(values, o) != 0)
        Py_CLEAR(values);
      Py_XDECREF(o);
    }
  PyObject *args = values ? PyList_AsTuple(values) : NULL;
  Py_XDECREF(values);
  return args ? Py_BuildValue("(ON)", Py_TYPE(self), args) : NULL;
}

static PyObject *repr(PyObject *self)
{
  const box_object *b = (const box_object *)self;
  PyObject *text = PyUnicode_FromFormat("%s(", b->kind->name), *more = NULL;
  for (int k = 0, shown = 0; text && b->kind->s && k < b->kind->s->n_fields; k++) {
    if (!is_shown(b->kind->s, k))
      continue;
    const hed_api_field *f = &b->kind->s->fields[k];
    PyObject *name = hp_shown_name(f), *o = hp_field_get(self, b->kind->s, (void *)f, b->p), *brief = o ? hp_brief(o) : NULL;
    more = name && brief ? PyUnicode_FromFormat("%U%s%U=%U", text, shown++ ? ", " : "", name, brief) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(o);
    Py_XDECREF(brief);
    Py_DECREF(text);
    text = more;
  }
  more = text ? PyUnicode_FromFormat("%U)", text) : NULL;
  Py_XDECREF(text);
  return more;
}

/* The getters of a kind's attributes and of its struct's fields; they live as long as the module. */
static PyGetSetDef *getters(const hp_kind *kind)
{
  const hed_api_struct *s = kind->s;
  int n = 0;
  while (kind->attributes[n].name)
    n++;
  PyGetSetDef *list = calloc((size_t)(n + s->n_fields) + 1, sizeof *list);
  if (list)
    memcpy(list, kind->attributes, (size_t)n * sizeof *list);
  for (int k = 0; list && k < s->n_fields; k++) {
    const hed_api_field *f = &s->fields[k];
    PyObject *name = hp_shown_name(f);
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    list[n] = (PyGetSetDef){ text ? strdup(text) : NULL, get_field, NULL, f->doc, (void *)f };
    if (list[n].name && strcmp(f->kind, "callback") != 0 && strcmp(f->kind, "data") != 0)
      n++;
    Py_XDECREF(name);
  }
  return list;
}

static int make_type(PyObject *module, hp_kind *kind)
{
  PyType_Slot slots[16] = { { Py_tp_dealloc, box_dealloc }, { Py_tp_repr, repr }, { Py_tp_doc, (void *)kind->doc } };
  int n = 3;
  slots[n++] = (PyType_Slot){ Py_tp_methods, kind->methods };
  for (const PyType_Slot *s = kind->slots; s->slot; s++)
    slots[n++] = *s;
  if (kind->size) {
    kind->s = hp_struct_named(kind->c_name);
    PyGetSetDef *fields = kind->s ? getters(kind) : NULL;
    if (!fields) {
      PyErr_Format(PyExc_ImportError, "heddle: the library does not describe %s", kind->c_name);
      return -1;
    }
    slots[n++] = (PyType_Slot){ Py_tp_getset, fields };
    slots[n++] = (PyType_Slot){ Py_tp_new, make };
  } else
    slots[n++] = (PyType_Slot){ Py_tp_getset, kind->attributes };
  PyType_Spec spec = { kind->name, sizeof(box_object), 0,
                       Py_TPFLAGS_DEFAULT | (kind->size ? 0 : Py_TPFLAGS_DISALLOW_INSTANTIATION), slots };
  kind->type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
  return kind->type ? 0 : -1;
}

int hp_kit_module(PyObject *module, const char *name, const char *classes, PyMethodDef *functions)
{
  PyObject *kit = PyImport_AddModule(name);   /* borrowed: sys.modules has it */
  (void)module;
  if (!kit || PyModule_AddFunctions(kit, functions) != 0)
    return -1;
  for (hp_kind *k = hp_kinds; k->c_name; k++)
    if (strncmp(k->name, classes, strlen(classes)) == 0 &&
        PyModule_AddObjectRef(kit, strrchr(k->name, '.') + 1, (PyObject *)k->type) != 0)
      return -1;
  return 0;
}

int hp_kits_init(PyObject *module)
{
  for (hp_kind *k = hp_kinds; k->c_name; k++)
    if (make_type(module, k) != 0)
      return -1;
  if (hp_kit_modules(module) != 0)
    return -1;
  return PyModule_AddFunctions(PyImport_AddModule("heddle._match"), hp_match_functions);
}
