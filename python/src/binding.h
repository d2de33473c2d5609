// SPDX-License-Identifier: BSD-3-Clause
/* What the files of the extension module share.
 *
 * The module is built against CPython's limited API (3.11) and, from the same source, against the full one of
 * free-threaded interpreters. libheddle's state is the process's, so the module's is too: it lives in one struct, and a
 * second interpreter of the process is refused the import.
 *
 * A call goes: bind the arguments, convert them (hp_operand and the rest), hp_begin, the library's function, hp_end, wrap
 * the result. Between hp_begin and hp_end no Python code runs: the context that the caller chose is on the thread's stack
 * there, and nowhere else.
 */
#ifndef HEDDLE_PYTHON_BINDING_H
#define HEDDLE_PYTHON_BINDING_H

#include <Python.h>
#include <heddle.h>
#include <structmember.h>

/* ---- the module's state: set while it is imported, constant afterwards but for `used' ---- */

typedef struct hp_state {
  PyTypeObject *array, *dtype, *strand, *backend, *generator;
  PyObject *error, *errors[128];    /* heddle.Error, and the class of each status by its negated number */
  PyObject *dtypes[HED_ID_COUNT_];  /* the singletons */
  PyObject *variable;               /* ContextVar("heddle.backend"): a Block or None */
  PyObject *bar;                    /* makes what shows the progress of a long run, or None: heddle/_progress.py; NULL: not set */
  PyObject *get, *set, *reset;      /* its bound methods: PyContextVar_* is not in the limited API */
  int used;                         /* some context was ever set: until then the variable need not be read */
} hp_state;
extern hp_state hp;

/* Instance data behind one macro: where objects are opaque it becomes PyObject_GetTypeData. */
typedef struct hp_array_object {
  PyObject_HEAD
  hed_array *x;
  PyObject *weak;
} hp_array_object;
#define HP_ARRAY(o) (((hp_array_object *)(o))->x)

static inline bool hp_is_array(PyObject *o)
{
  return Py_TYPE(o) == hp.array;
}

/* ---- errors ---- */

/* Raise the thread's Heddle error, and forget it; NAME of the Python function goes in front. Returns NULL. */
PyObject *hp_fail(const char *name);
/* The exception that is set, with its traceback, which is not set then; NULL: none was. */
PyObject *hp_take_raised(void);
/* Raise E, with DURING as its context; NULL E: DURING. Takes both. */
void hp_raise(PyObject *e, PyObject *during);

/* ---- one call ---- */

typedef enum hp_cost {
  HP_VIEW,     /* shares memory: never worth giving the interpreter's lock away */
  HP_STREAM,   /* elementwise and reductions: worth it from some 32 KiB of operands on */
  HP_WORK,     /* more work by element: from 512 elements on */
  HP_GROWS,    /* more results than operands: the square of the elements counts */
  HP_LONG      /* always */
} hp_cost;

enum { HP_HELD = 8 };

typedef struct hp_call {
  const char *name;             /* of the Python function, for messages */
  void **held;                  /* arrays, released at the end */
  void **blocks;                /* freed at the end */
  int n_held, n_blocks;
  void *held_here[HP_HELD], *blocks_here[HP_HELD];
  size_t bytes;                 /* of operands and of results whose shape is an argument */
  int64_t elements;
  bool device;                  /* an operand is not in host memory */
  bool writes;                  /* into an array that somebody has */
  bool draws;                   /* from the stream of the context in force */
  PyObject *out;                /* the Array given as out=, which nothing else is written with; NULL: none */
  bool elsewhere;               /* hp_begin() was false because the call is to be repeated by hp_elsewhere(), with: */
  PyObject *stand_in;           /* what is written there in the place of OUT, a reference */
  hed_generator draw;           /* what it draws from, if it draws */
  PyObject *const *arguments;   /* what it would be repeated with, N_ARGUMENTS of them; NULL: it cannot be */
  Py_ssize_t n_arguments;
  PyObject *strand;             /* in force, a reference; NULL: the thread's own view */
  PyObject *kept;               /* a list of what else has to live as long; NULL: nothing */
  hed_frame frame;
  PyThreadState *released;
} hp_call;

#define HP_CALL(function) { .name = (function) }

/* Put the context that the caller chose on the thread's stack, and give the interpreter's lock away when that is worth it;
 * and take both back. Begin raises and returns false when the context cannot be pushed. */
bool hp_begin(hp_call *c, hp_cost cost);
void hp_end(hp_call *c);

/* Release what the call holds. */
void hp_done(hp_call *c);

/* A function that takes METH_FASTCALL | METH_KEYWORDS. */
typedef PyObject *(*hp_function)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

/* A long call of the main thread, which alone hears of signals, is done on a thread of its own, so that Ctrl-C ends the wait for it;
 * SELF is passed on as it is. Calls that write otherwise than by out=, wait for a device, or are noted or captured stay where they
 * are. C is what hp_goes_elsewhere() has said so of. */
bool hp_goes_elsewhere(hp_call *c, hp_cost cost);
PyObject *hp_elsewhere(hp_call *c, hp_function function, PyObject *self, PyObject *const *arguments, Py_ssize_t n,
                       PyObject *keywords);
typedef bool (*hp_callback)(void *watch, void *data);
bool hp_by_caller(hp_callback callback, void *watch, void *data);   /* called by the thread that the call came from */
bool hp_was_left(void);             /* has it gone? raises then */
PyObject *hp_wait_by(hp_function function, PyObject *const *arguments, Py_ssize_t n);   /* of what waits for a device */
bool hp_wait(const hed_array *x);   /* for a device, until Ctrl-C; false: raised */
bool hp_free_to_go(void);           /* does what this thread computes belong to nothing else that is the thread's? */
void hp_capturing(int more);        /* +1, -1: a Python function is being made a program of */
static inline Py_ssize_t hp_argument_count(Py_ssize_t n, PyObject *keywords)
{
  return n + (keywords ? PyTuple_Size(keywords) : 0);
}

/* Let the call release X, or free P. False (with what was given released) when memory is out. */
bool hp_hold(hp_call *c, hed_array *x);
void *hp_block(hp_call *c, size_t bytes);
bool hp_keep(hp_call *c, PyObject *o);

/* ---- arguments ---- */

typedef struct hp_signature {
  const char *name;
  int n, positional, required;  /* parameters; those that may be given by position; the first ones, that must be given */
  const char *const *names;
} hp_signature;

/* VALUES[k] becomes the argument of parameter k, borrowed, or NULL. */
bool hp_bind(const hp_signature *s, PyObject *const *args, Py_ssize_t n, PyObject *keywords, PyObject **values);

/* False, with TypeError, for the None of an argument that has no default. */
bool hp_present(PyObject *o, const char *name);
/* The items of O as a new tuple; NULL, with an error that says that WHAT is needed. */
PyObject *hp_sequence(PyObject *o, const char *name, const char *what);
/* Converters: raise and return false. NULL and None mean "not given" where the text says so, and leave *OUT as it is. */
bool hp_operand(hp_call *c, PyObject *o, const char *name, hed_array **out);   /* Array, or what converts to one */
bool hp_weak(hp_call *c, PyObject *o, const char *name, hed_array **out);      /* the same, but numbers stay weak */
bool hp_optional(hp_call *c, PyObject *o, const char *name, hed_array **out);  /* the same; not given: stays NULL */
bool hp_target(hp_call *c, PyObject *o, const char *name, hed_array **out);    /* an Array that is written */
bool hp_out(hp_call *c, PyObject *o, hed_array **out);  /* the same of out=, which has all of the result and nothing else */
bool hp_operands(hp_call *c, PyObject *o, const char *name, int *n, hed_array ***out);
bool hp_targets(hp_call *c, PyObject *o, const char *name, int *n, hed_array ***out);  /* Arrays that are written */
bool hp_double(PyObject *o, const char *name, double *out);                    /* may be not given, as all below */
typedef struct hp_limits { int64_t low; uint64_t high; } hp_limits;
hp_limits hp_integer_range(size_t bytes, bool is_signed);
/* False, with an error that names the element and both ends, where one of N VALUES (float64, uint64, else int64) is out of the range
 * or, with WHOLE, has a fraction. NAME may be NULL. */
bool hp_check_integers(const char *name, hed_kind kind, const void *values, int64_t n, bool whole, const hp_limits *r);
/* An integer that O must be, in the range; of more than 63 bits its bits. */
bool hp_integer(PyObject *o, const char *name, const hp_limits *r, int64_t *out);
bool hp_int64(PyObject *o, const char *name, int64_t *out);
bool hp_int32(PyObject *o, const char *name, int32_t *out);
bool hp_uint64(PyObject *o, const char *name, uint64_t *out);
bool hp_bool(PyObject *o, const char *name, bool *out);
bool hp_string(PyObject *o, const char *name, const char **out);
bool hp_shape(PyObject *o, const char *name, hed_shape *out);
bool hp_axes(PyObject *o, const char *name, hed_axes *out);
bool hp_axes_or_none(PyObject *o, const char *name, hed_axes *out);
bool hp_dtype(PyObject *o, const char *name, hed_dtype *out);
/* What an abstract dtype means in the context in force. */
bool hp_resolve(hed_dtype *t);
bool hp_doubles(hp_call *c, PyObject *o, const char *name, int64_t *n, double **out); /* any array or number */
bool hp_integers(hp_call *c, PyObject *o, const char *name, int64_t *n, int64_t **out);    /* the same; floats without fraction */
bool hp_integers_in(hp_call *c, PyObject *o, const char *name, const hp_limits *r, int64_t *n, int64_t **out);
bool hp_keys(hp_call *c, PyObject *o, int *n, const hed_key **out);            /* what x[o] has */
bool hp_random(PyObject *seed, PyObject *generator, hed_random *opt, hed_generator *local);
void hp_random_end(PyObject *generator, bool taken);

typedef struct hp_word { const char *word; int value; } hp_word;
bool hp_enum(PyObject *o, const char *name, const hp_word *words, int *out);   /* a word of the list, or the number of one */

static inline void hp_weigh_shape(hp_call *c, const hed_shape *s)
{
  int64_t n = 1;
  for (int k = 0; k < s->ndim; k++)
    if (__builtin_mul_overflow(n, s->dim[k], &n))
      n = INT64_MAX;
  c->elements = n > c->elements ? n : c->elements;
}

/* Elements along an axis; 0 where there is none such, which the operation says then. */
static inline int64_t hp_extent(const hed_array *x, int64_t axis)
{
  const hed_shape s = hed_array_shape(x);
  axis += axis < 0 ? s.ndim : 0;
  return axis >= 0 && axis < s.ndim ? s.dim[axis] : 0;
}

/* Is COUNT, the length of the list NAME, what the operation needs? */
bool hp_length(const char *name, int64_t count, int64_t wanted);

/* ---- results ---- */

PyObject *hp_wrap(const char *name, hed_array *x);              /* takes X; NULL raises */
PyObject *hp_none(const char *name, hed_status status);         /* None, or raises */
PyObject *hp_given(const char *name, hed_status status, PyObject *out); /* OUT, or raises */
PyObject *hp_tuple(const char *name, hed_status status, int n, hed_array **arrays); /* takes them; NULL: None */
PyObject *hp_list(const char *name, hed_status status, int64_t n, hed_array **arrays);
PyObject *hp_shape_tuple(const hed_shape *s);

/* ---- conversion ---- */

/* The weak array of an exact Python bool, int, float or complex; NULL without an error for anything else. */
hed_array *hp_scalar(PyObject *o);

/* Anything as an array of dtype T (NULL: its own): what exports a buffer or DLPack shares memory where that is possible and
 * COPY is not HED_COPY_ALWAYS. NULL with an error raised. */
hed_array *hp_convert(PyObject *o, hed_dtype t, hed_copy_policy copy);
bool hp_number_fits(PyObject *o, hed_dtype t); /* no error: of an integer or float, and what hp_scalar() took, too */
hed_array *hp_convert_exactly(PyObject *o);   /* numbers without a dtype: as wide as they are read */
bool hp_converts(PyObject *o);  /* is it something that the operators convert: exports a buffer or DLPack, and no bytes */
hed_array *hp_move(const hed_array *x, const char *spec);
hed_array *hp_from_sequence(PyObject *o, hed_dtype t);
hed_array *hp_from_buffer(PyObject *o, hed_copy_policy copy);
hed_array *hp_from_capsule(PyObject *producer, PyObject *copy);
/* May X's elements be written, each by itself? Not where a stride of 0 shows one several times. */
bool hp_writable(const hed_array *x);
hed_array *hp_placed(hed_array *x, hed_dtype t, hed_copy_policy copy); /* takes X: where the context wants it */
PyObject *hp_element(hed_dtype_id id, const void *p);           /* as a Python number */
PyObject *hp_item(hed_array *x);
PyObject *hp_to_list(hed_array *x);

/* hed_to_host, during which others have the interpreter when it waits for a device. */
hed_status hp_to_host(const hed_array *x, void *out, size_t bytes);
static inline bool hp_on_device(const hed_array *x)
{
  return hed_array_space(x)[0] != 'h';
}

/* A reference that the library drops, on whichever thread and under whatever context: it is put aside and dropped later,
 * where Python code may run. */
void hp_drop_later(void *o);
void hp_drop_now(void);
/* The same of something else: RUN, with the interpreter's lock; false: not yet, and it is asked again. */
typedef struct hp_later {
  struct hp_later *next;
  bool (*run)(struct hp_later *);
} hp_later;
void hp_do_later(hp_later *w);
void hp_look_later(void);       /* what was not yet might be now */
void hp_release(hed_array *x);  /* between two calls, with the interpreter's lock: what X alone held goes at once */

/* ---- regular families: a row each in the generated file ---- */

typedef struct hp_unary {
  const char *name;
  hed_array *(*call)(const hed_array *);
  hed_status (*into)(hed_array *, const hed_array *);
} hp_unary;

typedef struct hp_binary {
  const char *name;
  hed_array *(*call)(const hed_array *, const hed_array *);
  hed_status (*into)(hed_array *, const hed_array *, const hed_array *);
  hed_array *(*right)(const hed_array *, double);
  hed_array *(*left)(double, const hed_array *);
  bool real, widens;  /* takes real numbers; integers give a float */
} hp_binary;

PyObject *hp_call_unary(const hp_unary *op, PyObject *const *args, Py_ssize_t n, PyObject *keywords);
PyObject *hp_call_binary(const hp_binary *op, PyObject *const *args, Py_ssize_t n, PyObject *keywords);
PyObject *hp_operator(const hp_binary *op, PyObject *a, PyObject *b);
PyObject *hp_unary_operator(const hp_unary *op, PyObject *x);
PyObject *hp_in_place(const hp_binary *op, PyObject *a, PyObject *b);
PyObject *hp_copy_to(PyObject *from, PyObject *to);   /* of one shape; gives TO, unless Ctrl-C ends it */

extern const hp_unary hp_negative, hp_positive, hp_abs, hp_bitwise_not;
extern const hp_binary hp_add, hp_subtract, hp_multiply, hp_divide, hp_floor_divide, hp_mod, hp_power, hp_equal,
  hp_not_equal, hp_less, hp_less_equal, hp_greater, hp_greater_equal, hp_bitwise_and, hp_bitwise_or, hp_bitwise_xor,
  hp_left_shift, hp_right_shift, hp_matmul;

/* ---- parts of the module ---- */

extern PyMethodDef hp_operations[], hp_array_methods[];
extern PyMethodDef hp_index_functions[], hp_context_functions[], hp_exchange_functions[];
extern PyMethodDef hp_runtime_functions[], hp_match_functions[], hp_grad_functions[], hp_program_functions[];
extern PyMethodDef hp_train_functions[], hp_reader_functions[];
PyObject *hp_get_item(PyObject *self, PyObject *key);
int hp_set_item(PyObject *self, PyObject *key, PyObject *value);
int hp_get_buffer(PyObject *self, Py_buffer *view, int flags);
void hp_release_buffer(PyObject *self, Py_buffer *view);
PyObject *hp_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords);
PyObject *hp_dlpack_device(PyObject *self, PyObject *unused);
int hp_array_init(PyObject *module), hp_dtype_init(PyObject *module), hp_context_init(PyObject *module);
int hp_buffer_init(PyObject *module), hp_errors_init(PyObject *module), hp_generator_init(PyObject *module);
int hp_jit_init(PyObject *module), hp_reader_init(PyObject *module);
PyObject *hp_dtype_object(hed_dtype t);  /* borrowed */
PyObject *hp_generator_new(uint64_t key, uint64_t draw);
hed_generator *hp_generator_state(PyObject *generator);

/* FUNCTION with SELF in front of its arguments. */
PyObject *hp_method(hp_function function, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords);
/* A function for PyMethodDef. */
#define HP_METHOD(name, function, doc) \
  { name, (PyCFunction)(void (*)(void))(hp_function)(function), METH_FASTCALL | METH_KEYWORDS, doc }

#endif
