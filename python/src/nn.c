// SPDX-License-Identifier: BSD-3-Clause
/* What Python has of the nn kit beside kit.c: trees of parameters, which are dicts, and states of cells. */
#include "kit.h"

static const char tree_name[] = "heddle.tree";

static void drop_tree(PyObject *capsule)
{
  hed_nn_params_release(PyCapsule_GetPointer(capsule, tree_name));
}

bool hp_tree_new(hed_nn_params **out)
{
  if (hed_nn_params_create(out) == HED_OK)
    return true;
  hp_fail("params");
  return false;
}

/* A pair of the dict's items into TREE. */
static bool put(hp_call *c, PyObject *pair, const char *name, bool written, hed_nn_params *tree)
{
  PyObject *word = NULL, *value = NULL;
  const char *key = NULL;
  hed_array *x = NULL;
  if (!hp_pair(pair, name, &word, &value) || !hp_string(word, name, &key))
    return false;
  if (!key) {
    PyErr_Format(PyExc_TypeError, "%s: a name is None; names are strings", name);
    return false;
  }
  if (!(written ? hp_target(c, value, key, &x) : hp_operand(c, value, key, &x)))
    return false;
  if (hed_nn_params_set(tree, key, x) == HED_OK)
    return true;
  hp_fail(name);
  return false;
}

bool hp_tree(hp_call *c, PyObject *o, const char *name, bool written, hed_nn_params **out)
{
  if (!PyDict_Check(o) && !PyObject_HasAttrString(o, "items")) {
    PyErr_Format(PyExc_TypeError, "%s: a dict of arrays by name is needed, not %R", name, Py_TYPE(o));
    return false;
  }
  hed_nn_params *tree = NULL;
  PyObject *items = PyMapping_Items(o), *capsule = NULL;
  bool good = items && hp_tree_new(&tree);
  if (good && !(capsule = PyCapsule_New(tree, tree_name, drop_tree)))
    hed_nn_params_release(tree);
  good = capsule && hp_keep(c, capsule);
  Py_XDECREF(capsule);
  for (Py_ssize_t k = 0; good && k < PyList_Size(items); k++)
    good = put(c, PyList_GetItem(items, k), name, written, tree);
  Py_XDECREF(items);
  *out = tree;
  return good;
}

/* Arrays of P, those that are buffers or those that are none; BUFFERS < 0: all. */
static PyObject *dict_of(const hed_nn_params *p, int buffers)
{
  PyObject *dict = PyDict_New();
  for (int64_t k = 0; dict && k < hed_nn_params_count(p); k++) {
    if (buffers >= 0 && (hed_nn_params_role(p, k) == HED_NN_BUFFER) != buffers)
      continue;
    PyObject *x = hp_wrap("params", hed_retain(hed_nn_params_at(p, k)));
    if (!x || PyDict_SetItemString(dict, hed_nn_params_name(p, k), x) != 0)
      Py_CLEAR(dict);
    Py_XDECREF(x);
  }
  return dict;
}

PyObject *hp_tree_dict(hed_nn_params *p)
{
  PyObject *dict = dict_of(p, -1);
  hed_nn_params_release(p);
  return dict;
}

PyObject *hp_tree_pair(hed_nn_params *p)
{
  PyObject *learnt = dict_of(p, 0), *buffers = learnt ? dict_of(p, 1) : NULL;
  PyObject *pair = buffers ? PyTuple_Pack(2, learnt, buffers) : NULL;
  Py_XDECREF(learnt);
  Py_XDECREF(buffers);
  hed_nn_params_release(p);
  return pair;
}

int64_t hp_states_of(const hed_nn_cell *cell)
{
  const int32_t n = hed_nn_cell_states(cell);
  if (n < 0)
    hed_error_clear();
  return n < 0 ? 0 : n;
}

bool hp_states(const char *name, int64_t n, const hed_nn_cell *cell)
{
  const int64_t wanted = hp_states_of(cell);
  return n == 0 || wanted == 0 || hp_length(name, n, wanted);
}
