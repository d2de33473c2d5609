// SPDX-License-Identifier: BSD-3-Clause
/* heddle.backend: contexts that follow Python's rules for context variables.
 *
 * The variable holds a Block, one for each `with' that is open, with the one around it and a Strand: a context of the
 * library and, when its spec has a seed, a random stream. Tasks of asyncio copy the variable; threads begin without one, and
 * follow the process's default. Each call pushes the strand's context and pops it again, so the thread's own stack is as it
 * was whenever Python code runs.
 */
#include "context.h"
#include "kit.h"
#include <string.h>

/* ---- strands ---- */

typedef struct strand_object {
  PyObject_HEAD
  hed_context *context;
  PyObject *stream;     /* the Generator that draws come from: its own or its parent's; NULL: the thread's */
  PyObject *children;   /* spec -> Strand derived from this one, without a seed of its own */
} strand_object;

static void strand_dealloc(PyObject *self)
{
  strand_object *s = (strand_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  hed_context_release(s->context);
  Py_XDECREF(s->stream);
  Py_XDECREF(s->children);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyType_Slot strand_slots[] = { { Py_tp_dealloc, strand_dealloc }, { 0, NULL } };
static PyType_Spec strand_spec = { "heddle._core.Strand", sizeof(strand_object), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, strand_slots };

static PyObject *strand_new(hed_context *context, PyObject *stream)
{
  strand_object *s = PyObject_New(strand_object, hp.strand);
  if (!s) {
    hed_context_release(context);
    return NULL;
  }
  s->context = context;
  Py_XINCREF(stream);
  s->stream = stream;
  s->children = PyDict_New();
  if (!s->children)
    Py_CLEAR(s);
  return (PyObject *)s;
}

/* ---- blocks: what is open in a context of Python's; never changed, as other contexts may have it too ---- */

typedef struct block_object {
  PyObject_HEAD
  PyObject *strand, *spec, *around;   /* AROUND NULL: the outermost */
  uint64_t number;             /* of the `with' that opened it */
  int inner;                   /* blocks that were opened in it and are open still, in whichever context */
  int moved;                   /* it has a copy, or what is in it has: only a look at the chain tells what is in force */
} block_object;

static void block_dealloc(PyObject *self)
{
  block_object *b = (block_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(b->strand);
  Py_XDECREF(b->spec);
  Py_XDECREF(b->around);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyType_Slot block_slots[] = { { Py_tp_dealloc, block_dealloc }, { 0, NULL } };
static PyType_Spec block_spec = { "heddle._core.Block", sizeof(block_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, block_slots };
static PyTypeObject *block_type;

static PyObject *block_new(PyObject *strand, PyObject *spec, PyObject *around, uint64_t number)
{
  block_object *b = PyObject_New(block_object, block_type);
  if (b) {
    Py_INCREF(strand);
    Py_INCREF(spec);
    Py_XINCREF(around);
    b->strand = strand;
    b->spec = spec;
    b->around = around;
    b->number = number;
    b->inner = b->moved = 0;
  }
  return (PyObject *)b;
}

/* The innermost open block, a new reference, or NULL with or without an error: none. */
static PyObject *block_current(void)
{
  PyObject *o = PyObject_CallNoArgs(hp.get);
  if (o == Py_None)
    Py_CLEAR(o);
  return o;
}

static bool block_set(PyObject *block)
{
  PyObject *token = PyObject_CallFunctionObjArgs(hp.set, block ? block : Py_None, NULL);
  Py_XDECREF(token);
  return token != NULL;
}

/* BLOCK without that of NUMBER, which *FOUND says was there: a new reference, or NULL: nothing is left, or an error. */
static PyObject *block_without(PyObject *block, uint64_t number, bool *found)
{
  if (!block)
    return NULL;
  block_object *b = (block_object *)block;
  if (b->number == number) {
    *found = true;
    if (b->around)   /* which has what was in this block now, uncounted */
      __atomic_store_n(&((block_object *)b->around)->moved, 1, __ATOMIC_RELAXED);
    Py_XINCREF(b->around);
    return b->around;
  }
  PyObject *around = block_without(b->around, number, found);
  PyObject *left = PyErr_Occurred() ? NULL : *found ? block_new(b->strand, b->spec, around, b->number) : (Py_INCREF(block), block);
  if (*found)
    __atomic_store_n(&b->moved, 1, __ATOMIC_RELAXED);
  Py_XDECREF(around);
  return left;
}

static PyObject *roots;   /* address of a context of the library -> its Strand */

/* The strand in force, a new reference, or NULL with or without an error: none. */
static PyObject *strand_current(void)
{
  PyObject *block = block_current(), *strand = block ? ((block_object *)block)->strand : NULL;
  Py_XINCREF(strand);
  Py_XDECREF(block);
  return strand;
}

hed_status hp_strand_push(PyObject *strand, hed_frame *frame)
{
  const strand_object *s = (const strand_object *)strand;
  return hed_context_push_stream(s->context, s->stream ? hp_generator_state(s->stream) : NULL, frame);
}

bool hp_push_chosen(PyObject **strand, hed_frame *frame)
{
  PyObject *o = strand_current();
  if (!o)
    return !PyErr_Occurred();
  if (hp_strand_push(o, frame) != HED_OK) {
    hp_fail("backend");
    Py_DECREF(o);
    return false;
  }
  *strand = o;
  return true;
}

void hp_pop_chosen(PyObject *strand, hed_frame frame)
{
  (void)hed_context_unwind(frame);
  Py_DECREF(strand);
}

/* ---- derivation ---- */

enum { MOST_CHILDREN = 256 };

/* DICT[KEY], a new reference, or NULL without an error. */
static PyObject *look_up(PyObject *dict, PyObject *key)
{
  PyObject *o = PyObject_GetItem(dict, key);
  if (!o && PyErr_ExceptionMatches(PyExc_KeyError))
    PyErr_Clear();
  return o;
}

static bool remember(PyObject *dict, PyObject *key, PyObject *value)
{
  if (PyDict_Size(dict) >= MOST_CHILDREN)
    PyDict_Clear(dict);
  return PyDict_SetItem(dict, key, value) == 0;
}

/* What a `with' in BLOCK derives from: its strand, else one for the thread's own view of the library. */
static PyObject *strand_base(PyObject *block)
{
  PyObject *s = block ? ((block_object *)block)->strand : NULL;
  if (s) {
    Py_INCREF(s);
    return s;
  }
  hed_context *c = hed_context_current();
  if (!c)
    return hp_fail("backend");
  PyObject *key = PyLong_FromVoidPtr(c);
  s = key ? look_up(roots, key) : NULL;
  if (s || PyErr_Occurred())
    hed_context_release(c);
  else {
    s = strand_new(c, NULL);   /* keeps C, so that its address stays its own */
    if (s && !remember(roots, key, s))
      Py_CLEAR(s);
  }
  Py_XDECREF(key);
  return s;
}

static bool has_seed(const char *spec)
{
  const char *at = strcasestr(spec, "seed");
  return at && strchr(at, '=');
}

static PyObject *derive_new(PyObject *base, const char *spec)
{
  const strand_object *b = (strand_object *)base;
  hed_context *c = NULL;
  hed_context_info info = { .struct_size = sizeof info };
  hed_status status = HED_OK;
  Py_BEGIN_ALLOW_THREADS   /* a backend may be loaded, and its devices looked for */
  status = hed_context_derive(b->context, spec, &c);
  Py_END_ALLOW_THREADS
  if (status != HED_OK)
    return hp_fail("backend");
  PyObject *stream = b->stream;
  Py_XINCREF(stream);
  if (has_seed(spec)) {
    Py_XDECREF(stream);
    stream = NULL;
    if (hed_context_query(c, &info) != HED_OK)
      hp_fail("backend");
    else
      stream = hp_generator_new(info.seed, 0);
    if (!stream) {
      hed_context_release(c);
      return NULL;
    }
  }
  PyObject *s = strand_new(c, stream);
  Py_XDECREF(stream);
  return s;
}

/* The strand of SPEC, derived from what is in force. One with a seed is new each time: its stream begins anew. */
static PyObject *derive(PyObject *spec, PyObject *block)
{
  const char *text = NULL;
  PyObject *base = hp_string(spec, "spec", &text) && text ? strand_base(block) : NULL;
  if (!base)
    return NULL;
  PyObject *children = ((strand_object *)base)->children;
  PyObject *s = look_up(children, spec);
  if (!s && !PyErr_Occurred()) {
    s = derive_new(base, text);
    if (s && !has_seed(text) && !remember(children, spec, s))
      Py_CLEAR(s);
  }
  Py_DECREF(base);
  return s;
}

/* ---- with heddle.backend(spec): ---- */

typedef struct backend_object {
  PyObject_HEAD
  PyObject *spec, *block, *token;   /* the block that it opened, and what ContextVar.set gave; NULL: it is not entered */
  unsigned long thread;
} backend_object;

static void backend_dealloc(PyObject *self)
{
  backend_object *b = (backend_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(b->spec);
  Py_XDECREF(b->block);
  Py_XDECREF(b->token);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *backend_enter(PyObject *self, PyObject *unused)
{
  static uint64_t numbers;
  backend_object *b = (backend_object *)self;
  (void)unused;
  if (b->block) {
    PyErr_SetString(PyExc_RuntimeError, "backend: this manager is entered already; make another one");
    return NULL;
  }
  PyObject *around = block_current(), *s = PyErr_Occurred() ? NULL : derive(b->spec, around);
  const uint64_t number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
  PyObject *block = s ? block_new(s, b->spec, around, number) : NULL;
  Py_XDECREF(around);
  Py_XDECREF(s);
  if (!block)
    return NULL;
  __atomic_store_n(&hp.used, 1, __ATOMIC_RELAXED);
  b->token = PyObject_CallFunctionObjArgs(hp.set, block, NULL);
  if (!b->token) {
    Py_DECREF(block);
    return NULL;
  }
  b->block = block;
  if (around)   /* which the block keeps */
    __atomic_add_fetch(&((block_object *)around)->inner, 1, __ATOMIC_RELAXED);
  b->thread = PyThread_get_thread_ident();
  Py_INCREF(self);
  return self;
}

static PyObject *backend_left(backend_object *b)
{
  block_object *around = (block_object *)((block_object *)b->block)->around;
  if (around)
    __atomic_sub_fetch(&around->inner, 1, __ATOMIC_RELAXED);
  Py_CLEAR(b->block);
  Py_CLEAR(b->token);
  Py_RETURN_NONE;
}

/* Blocks may end in another order than they began, as those in generators do: each takes itself out. The innermost one, which has
 * none within and no copy, gives the variable its value of before. */
static PyObject *backend_exit(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  backend_object *b = (backend_object *)self;
  bool found = false;
  if (!b->block) {
    PyErr_SetString(PyExc_RuntimeError, "backend: this manager is left without having been entered");
    return NULL;
  }
  const block_object *own = (const block_object *)b->block;
  const uint64_t number = own->number;
  if (!__atomic_load_n(&own->inner, __ATOMIC_RELAXED) && !__atomic_load_n(&own->moved, __ATOMIC_RELAXED)) {
    PyObject *r = PyObject_CallFunctionObjArgs(hp.reset, b->token, NULL);
    Py_XDECREF(r);
    if (r)
      return backend_left(b);
    PyErr_Clear();   /* it was entered in another context */
  }
  PyObject *block = block_current(), *left = PyErr_Occurred() ? NULL : block_without(block, number, &found);
  const bool ok = !PyErr_Occurred() && (!found || block_set(left));
  Py_XDECREF(left);
  Py_XDECREF(block);
  if (!ok)
    return NULL;
  /* A generator that is closed in another context than its block began in: nothing of that context is to be undone. */
  if (!found && b->thread != PyThread_get_thread_ident() && (n == 0 || args[0] != PyExc_GeneratorExit)) {
    PyErr_SetString(PyExc_RuntimeError, "backend: this manager is left on another thread than it was entered on");
    return NULL;
  }
  return backend_left(b);
}

static PyObject *backend_call(PyObject *self, PyObject *args, PyObject *keywords)
{
  PyObject *function = NULL;
  if ((keywords && PyDict_Size(keywords)) || !PyArg_ParseTuple(args, "O:backend", &function))
    return NULL;
  PyObject *module = PyImport_ImportModule("heddle._context");
  PyObject *r = module ? PyObject_CallMethod(module, "decorate", "OO", ((backend_object *)self)->spec, function) : NULL;
  Py_XDECREF(module);
  return r;
}

static PyObject *backend_repr(PyObject *self)
{
  return PyUnicode_FromFormat("heddle.backend(%R)", ((backend_object *)self)->spec);
}

static PyMethodDef backend_methods[] = {
  { "__enter__", backend_enter, METH_NOARGS, NULL },
  { "__exit__", (PyCFunction)(void (*)(void))backend_exit, METH_FASTCALL, NULL },
  { NULL, NULL, 0, NULL }
};
static PyMemberDef backend_members[] = {
  { "spec", T_OBJECT, offsetof(backend_object, spec), READONLY, "the text that it was made from" },
  { NULL, 0, 0, 0, NULL }
};
static PyType_Slot backend_slots[] = { { Py_tp_dealloc, backend_dealloc }, { Py_tp_methods, backend_methods },
                                       { Py_tp_members, backend_members }, { Py_tp_call, backend_call },
                                       { Py_tp_repr, backend_repr }, { 0, NULL } };
static PyType_Spec backend_spec = { "heddle._core.Backend", sizeof(backend_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, backend_slots };

static PyObject *backend(PyObject *module, PyObject *spec)
{
  (void)module;
  if (!PyUnicode_Check(spec)) {
    PyErr_Format(PyExc_TypeError, "backend: the spec must be a string such as \"cpu;threads=2\", not %R", Py_TYPE(spec));
    return NULL;
  }
  backend_object *b = PyObject_New(backend_object, hp.backend);
  if (!b)
    return NULL;
  Py_INCREF(spec);
  b->spec = spec;
  b->block = b->token = NULL;
  return (PyObject *)b;
}

/* ---- the process's default, what is in force, seeds ---- */

static PyObject *set_default_backend(PyObject *module, PyObject *spec)
{
  (void)module;
  const char *text = NULL;
  hed_status status = HED_OK;
  if (!hp_present(spec, "spec") || !hp_string(spec, "spec", &text))
    return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = hed_set_default_backend(text);
  Py_END_ALLOW_THREADS
  return hp_none("set_default_backend", status);
}

static PyObject *in_force(const char *(*what)(void))
{
  PyObject *strand;
  hed_frame frame;
  if (!hp_push(&strand, &frame))
    return NULL;
  PyObject *r = hp_text(what());
  hp_pop(&strand, &frame);
  return r;
}

static PyObject *get_backend(PyObject *module, PyObject *unused)
{
  (void)module, (void)unused;
  return in_force(hed_get_backend);
}

static PyObject *backend_reason(PyObject *module, PyObject *unused)
{
  (void)module, (void)unused;
  return in_force(hed_context_reason);
}

/* With a strand in force another one takes its place, for this context alone: strands are shared. Else the thread's stream
 * begins anew. */
static PyObject *set_seed(PyObject *module, PyObject *value)
{
  uint64_t seed = 0;
  (void)module;
  if (!hp_uint64(value, "seed", &seed))
    return NULL;
  PyObject *o = block_current();
  if (!o)
    return PyErr_Occurred() ? NULL : hp_none("set_seed", hed_set_seed(seed));
  block_object *b = (block_object *)o;
  PyObject *stream = hp_generator_new(seed, 0);
  PyObject *s = stream ? strand_new(hed_context_retain(((strand_object *)b->strand)->context), stream) : NULL;
  PyObject *block = s ? block_new(s, b->spec, b->around, b->number) : NULL;
  __atomic_store_n(&b->moved, 1, __ATOMIC_RELAXED);
  const bool ok = block && block_set(block);
  Py_XDECREF(block);
  Py_XDECREF(s);
  Py_XDECREF(stream);
  Py_DECREF(o);
  if (!ok)
    return NULL;
  Py_RETURN_NONE;
}

static PyObject *get_seed(PyObject *module, PyObject *unused)
{
  PyObject *strand;
  hed_frame frame;
  hed_generator g = { 0, 0 };
  (void)module, (void)unused;
  if (!hp_push(&strand, &frame))
    return NULL;
  const hed_status status = hed_get_seed(&g);
  hp_pop(&strand, &frame);
  return status == HED_OK ? hp_generator_new(g.key, g.draw) : hp_fail("get_seed");
}

/* The specs of the blocks that are open, the innermost first. */
static PyObject *open_specs(PyObject *module, PyObject *unused)
{
  (void)module, (void)unused;
  PyObject *innermost = block_current(), *list = PyErr_Occurred() ? NULL : PyList_New(0);
  for (const block_object *b = (block_object *)innermost; list && b; b = (block_object *)b->around)
    if (PyList_Append(list, b->spec) != 0)
      Py_CLEAR(list);
  Py_XDECREF(innermost);
  return list;
}

PyMethodDef hp_context_functions[] = {
  { "backend", backend, METH_O,
    "backend(spec, /)\n--\n\n"
    "A context manager: what runs in its block runs in the context SPEC (\"cpu\", \"cuda:1;threads=2\", \";real=float64\"),\n"
    "derived from the one in force. It follows Python's context variables: tasks of asyncio, asyncio.to_thread and\n"
    "contextvars.copy_context().run inherit it; threads and the tasks of a ThreadPoolExecutor begin with the process's\n"
    "default (heddle.bind(f) carries a context there). As a decorator it serves functions, coroutines and generators; a\n"
    "plain `with' within a generator is in force for the caller while the generator is suspended." },
  { "open_specs", open_specs, METH_NOARGS, "open_specs()\n--\n\nThe specs of the blocks that are open here, the innermost first." },
  { "set_default_backend", set_default_backend, METH_O,
    "set_default_backend(spec, /)\n--\n\nThe context of the process, for all threads that have none of their own." },
  { "get_backend", get_backend, METH_NOARGS, "get_backend()\n--\n\nName of the backend in force: \"cpu\", \"cuda:1\"." },
  { "backend_reason", backend_reason, METH_NOARGS,
    "backend_reason()\n--\n\nOne sentence: where the context in force came from." },
  { "set_seed", set_seed, METH_O,
    "set_seed(seed, /)\n--\n\nThe random stream of the context in force begins anew with this key." },
  { "get_seed", get_seed, METH_NOARGS,
    "get_seed()\n--\n\nThe state of the stream of the context in force, as a Generator." },
  { NULL, NULL, 0, NULL }
};

int hp_context_init(PyObject *module)
{
  hp.strand = (PyTypeObject *)PyType_FromModuleAndSpec(module, &strand_spec, NULL);
  hp.backend = (PyTypeObject *)PyType_FromModuleAndSpec(module, &backend_spec, NULL);
  block_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &block_spec, NULL);
  roots = PyDict_New();
  PyObject *contextvars = PyImport_ImportModule("contextvars");
  PyObject *make = contextvars ? PyObject_GetAttrString(contextvars, "ContextVar") : NULL;
  PyObject *args = make ? Py_BuildValue("(s)", "heddle.backend") : NULL;
  PyObject *keywords = args ? Py_BuildValue("{s:O}", "default", Py_None) : NULL;
  hp.variable = keywords ? PyObject_Call(make, args, keywords) : NULL;
  Py_XDECREF(keywords);
  Py_XDECREF(args);
  Py_XDECREF(make);
  Py_XDECREF(contextvars);
  if (!hp.strand || !hp.backend || !block_type || !roots || !hp.variable)
    return -1;
  hp.get = PyObject_GetAttrString(hp.variable, "get");
  hp.set = PyObject_GetAttrString(hp.variable, "set");
  hp.reset = PyObject_GetAttrString(hp.variable, "reset");
  return hp.get && hp.set && hp.reset ? 0 : -1;
}
