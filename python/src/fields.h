// SPDX-License-Identifier: BSD-3-Clause
/* Between Python's values and the fields of the kits' structs, for kit.c. */
#ifndef HEDDLE_PYTHON_FIELDS_H
#define HEDDLE_PYTHON_FIELDS_H

#include "kit.h"

const hed_api_struct *hp_struct_named(const char *name);
PyObject *hp_shown_name(const hed_api_field *f);   /* in Python: lists of arrays and structs in the plural */

/* Field CLOSURE of S at P, which lies in the memory of SELF, as a Python value. */
PyObject *hp_field_get(PyObject *self, const hed_api_struct *s, void *closure, void *p);

/* A struct, all zero before, from a dict: it lives as long as the call. */
bool hp_struct_from(hp_call *c, PyObject *dict, const char *name, const hed_api_struct *s, void *into);

void *hp_box_value(PyObject *o, const char *struct_name);   /* what is in a box of that struct; NULL: it is none */
PyObject *hp_box_part(const char *struct_name, void *p, PyObject *parent);
PyObject *hp_brief(PyObject *o);                   /* repr, but shapes alone of arrays */

#endif
