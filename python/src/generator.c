// SPDX-License-Identifier: BSD-3-Clause
/* heddle.random.Generator: an explicit state of random numbers, and what functions take as seed= and generator=. */
#include "binding.h"

typedef struct generator_object {
  PyObject_HEAD
  hed_generator state;
} generator_object;

hed_generator *hp_generator_state(PyObject *generator)
{
  return &((generator_object *)generator)->state;
}

PyObject *hp_generator_new(uint64_t key, uint64_t draw)
{
  generator_object *g = PyObject_New(generator_object, hp.generator);
  if (g)
    g->state = (hed_generator){ key, draw };
  return (PyObject *)g;
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  static char *names[] = { "seed", "draw", NULL };
  PyObject *numbers[2] = { NULL, NULL };
  uint64_t seed = 0, draw = 0;
  (void)type;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:Generator", names, &numbers[0], &numbers[1]) ||
      !hp_present(numbers[0], "seed") || !hp_uint64(numbers[0], "seed", &seed) || !hp_uint64(numbers[1], "draw", &draw))
    return NULL;
  return hp_generator_new(seed, draw);
}

static void dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *key(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromUnsignedLongLong(hp_generator_state(self)->key);
}

static PyObject *draw(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromUnsignedLongLong(__atomic_load_n(&hp_generator_state(self)->draw, __ATOMIC_RELAXED));
}

static PyObject *split(PyObject *self, PyObject *count)
{
  int64_t n = 0;
  if (!hp_int64(count, "n", &n))
    return NULL;
  hed_generator *children = n > 0 && n < INT32_MAX ? PyMem_Calloc((size_t)n, sizeof *children) : NULL;
  if (!children) {
    PyErr_Format(PyExc_ValueError, "split: n is %lld", (long long)n);
    return NULL;
  }
  const hed_status status = hed_generator_split(hp_generator_state(self), n, children);
  PyObject *list = status == HED_OK ? PyList_New((Py_ssize_t)n) : hp_fail("split");
  for (int64_t k = 0; list && k < n; k++) {
    PyObject *g = hp_generator_new(children[k].key, children[k].draw);
    if (!g || PyList_SetItem(list, (Py_ssize_t)k, g) != 0)
      Py_CLEAR(list);
  }
  PyMem_Free(children);
  return list;
}

static PyObject *repr(PyObject *self)
{
  const hed_generator *g = hp_generator_state(self);
  return PyUnicode_FromFormat("heddle.random.Generator(%llu, draw=%llu)", (unsigned long long)g->key,
                              (unsigned long long)g->draw);
}

static PyObject *reduce(PyObject *self, PyObject *unused)
{
  const hed_generator *g = hp_generator_state(self);
  (void)unused;
  return Py_BuildValue("(O(KK))", Py_TYPE(self), (unsigned long long)g->key, (unsigned long long)g->draw);
}

static PyMethodDef methods[] = {
  { "split", split, METH_O, "split(n, /)\n--\n\nN generators that depend on this one's state only; it takes one draw." },
  { "__reduce__", reduce, METH_NOARGS, NULL },
  { NULL, NULL, 0, NULL }
};
static PyGetSetDef getset[] = {
  { "key", key, NULL, "what all its draws depend on", NULL },
  { "draw", draw, NULL, "number of the next draw", NULL },
  { NULL, NULL, NULL, NULL, NULL }
};
static const char doc[] = "Generator(seed, draw=0)\n--\n\n"
                          "An explicit random state: functions that are given it take their draw from it.";
static PyType_Slot slots[] = { { Py_tp_dealloc, dealloc }, { Py_tp_new, make }, { Py_tp_methods, methods },
                               { Py_tp_getset, getset }, { Py_tp_repr, repr }, { Py_tp_doc, (void *)doc }, { 0, NULL } };
static PyType_Spec spec = { "heddle.random.Generator", sizeof(generator_object), 0, Py_TPFLAGS_DEFAULT, slots };

/* A call takes one draw. It is taken beforehand, so that threads that share a generator get different ones, into LOCAL, which
 * the call may advance as it likes. */
bool hp_random(PyObject *seed, PyObject *generator, hed_random *opt, hed_generator *local)
{
  if (generator && generator != Py_None) {
    if (Py_TYPE(generator) != hp.generator) {
      PyErr_Format(PyExc_TypeError, "generator: a heddle.random.Generator is needed, not %R", Py_TYPE(generator));
      return false;
    }
    if (seed && seed != Py_None) {
      PyErr_SetString(PyExc_ValueError, "generator and seed exclude each other");
      return false;
    }
    hed_generator *g = hp_generator_state(generator);
    *local = (hed_generator){ g->key, __atomic_fetch_add(&g->draw, 1, __ATOMIC_RELAXED) };
    opt->generator = local;
  }
  opt->seeded = seed && seed != Py_None;
  return hp_uint64(seed, "seed", &opt->seed);
}

/* A call that failed took no draw. */
void hp_random_end(PyObject *generator, bool taken)
{
  if (!taken && generator && generator != Py_None)
    __atomic_fetch_sub(&hp_generator_state(generator)->draw, 1, __ATOMIC_RELAXED);
}

int hp_generator_init(PyObject *module)
{
  hp.generator = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
  return hp.generator ? PyModule_AddObjectRef(module, "Generator", (PyObject *)hp.generator) : -1;
}
