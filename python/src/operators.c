// SPDX-License-Identifier: BSD-3-Clause
/* Operations of one and two operands: as functions, as operators, and in place. The hot path of small arrays. */
#include "binding.h"

/* ---- long calls that write: by pieces, between which Ctrl-C is heard ---- */

enum { DIVIDED_BYTES = 64 << 20, PIECE_BYTES = 8 << 20 };

/* Is the argument O divided as TARGET is (1), the same for every piece (0), or neither (-1)? */
static int division(PyObject *o, PyObject *target)
{
  if (!hp_is_array(o))
    return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o) ? 0 : -1;
  const hed_shape s = hed_array_shape(HP_ARRAY(target)), t = hed_array_shape(HP_ARRAY(o));
  if (o == target)
    return 1;
  if (hp_on_device(HP_ARRAY(o)) || t.ndim > s.ndim || hed_array_shares(HP_ARRAY(o), HP_ARRAY(target)))
    return -1;
  return t.ndim < s.ndim || t.dim[0] == 1 ? 0 : t.dim[0] == s.dim[0] ? 1 : -1;
}

/* How many rows of TARGET are a piece, where a call that writes into it is divided; else 0. */
static Py_ssize_t piece_rows(PyObject *const *args, int n, PyObject *target)
{
  if (!target || !hp_is_array(target) || hed_array_nbytes(HP_ARRAY(target)) < DIVIDED_BYTES || hp_on_device(HP_ARRAY(target)) ||
      hed_array_ndim(HP_ARRAY(target)) == 0 || !hp_free_to_go())
    return 0;
  for (int k = 0; k < n; k++)
    if (division(args[k], target) < 0)
      return 0;
  const int64_t rows = hed_array_shape(HP_ARRAY(target)).dim[0];
  const size_t row = hed_array_nbytes(HP_ARRAY(target)) / (size_t)rows;
  const int64_t piece = row < PIECE_BYTES ? (int64_t)(PIECE_BYTES / row) : 1;
  return piece < rows ? (Py_ssize_t)piece : 0;
}

/* CALL with the pieces of its N ARGS, the last of which may be TARGET, which is returned. */
static PyObject *by_pieces(PyObject *(*call)(const void *op, PyObject *const *args), const void *op, PyObject *const *args, int n,
                           PyObject *target, Py_ssize_t piece)
{
  const Py_ssize_t rows = (Py_ssize_t)hed_array_shape(HP_ARRAY(target)).dim[0];
  bool ok = true;
  for (Py_ssize_t from = 0; ok && from < rows; from += piece) {
    PyObject *part[3] = { NULL, NULL, NULL }, *first = PyLong_FromSsize_t(from), *end = PyLong_FromSsize_t(from + piece);
    PyObject *slice = first && end ? PySlice_New(first, end, NULL) : NULL;
    ok = slice && PyErr_CheckSignals() == 0;
    for (int k = 0; ok && k < n; k++) {
      part[k] = division(args[k], target) == 1 ? hp_get_item(args[k], slice) : Py_NewRef(args[k]);
      ok = part[k];
    }
    PyObject *r = ok ? call(op, part) : NULL;
    ok = r;
    Py_XDECREF(r);
    for (int k = 0; k < n; k++)
      Py_XDECREF(part[k]);
    Py_XDECREF(slice);
    Py_XDECREF(end);
    Py_XDECREF(first);
  }
  return ok ? Py_NewRef(target) : NULL;
}

static PyObject *copy_piece(const void *unused, PyObject *const *args)
{
  hp_call c = HP_CALL("out");
  hed_array *from = NULL, *to = NULL;
  PyObject *result = NULL;
  (void)unused;
  if (hp_operand(&c, args[0], "x", &from) && hp_target(&c, args[1], "out", &to) && hp_begin(&c, HP_STREAM)) {
    const hed_status status = hed_copy_into(to, from);
    hp_end(&c);
    result = hp_given("out", status, args[1]);
  }
  hp_done(&c);
  return result;
}

PyObject *hp_copy_to(PyObject *from, PyObject *to)
{
  PyObject *const both[] = { from, to };
  const Py_ssize_t piece = piece_rows(both, 1, to);
  return piece ? by_pieces(copy_piece, NULL, both, 2, to, piece) : copy_piece(NULL, both);
}

/* ---- calls of the regular families ---- */

/* CALL(OP, N operands, out=) once more, of which ARGS has N and then what is to be written, or nothing. */
static PyObject *repeat(hp_call *c, hp_function call, const void *op, PyObject *const *args, Py_ssize_t n)
{
  PyObject *keywords = c->out ? Py_BuildValue("(s)", "out") : NULL;
  if (c->out && !keywords) {
    Py_CLEAR(c->stand_in);
    return NULL;
  }
  PyObject *result = hp_elsewhere(c, call, (PyObject *)(uintptr_t)op, args, n, keywords);
  Py_XDECREF(keywords);
  return result;
}

static PyObject *unary_again(PyObject *op, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  return hp_call_unary((const hp_unary *)(uintptr_t)op, args, n, keywords);
}

static PyObject *unary(const hp_unary *op, PyObject *x, PyObject *out)
{
  PyObject *const all[] = { x, out };
  hp_call c = HP_CALL(op->name);
  c.arguments = all;
  c.n_arguments = out ? 2 : 1;
  hed_array *a = NULL, *target = NULL, *r = NULL;
  PyObject *result = NULL;
  hed_status status = HED_OK;
  if (hp_operand(&c, x, "x", &a) && (!out || hp_out(&c, out, &target)) && hp_begin(&c, HP_STREAM)) {
    if (target)
      status = op->into(target, a);
    else
      r = op->call(a);
    hp_end(&c);
    result = target ? hp_given(op->name, status, out) : hp_wrap(op->name, r);
  }
  hp_done(&c);
  return c.elsewhere ? repeat(&c, unary_again, op, all, 1) : result;
}

static PyObject *unary_into(const void *op, PyObject *const *args)
{
  return unary(op, args[0], args[1]);
}

PyObject *hp_unary_operator(const hp_unary *op, PyObject *x)
{
  return unary(op, x, NULL);
}

PyObject *hp_call_unary(const hp_unary *op, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "x", "out" };
  PyObject *v[2] = { NULL };
  if (n == 1 && !keywords)
    return unary(op, args[0], NULL);
  const hp_signature s = { op->name, 2, 1, 1, names };
  if (!hp_bind(&s, args, n, keywords, v))
    return NULL;
  PyObject *out = v[1] == Py_None ? NULL : v[1];
  const Py_ssize_t piece = piece_rows(v, 1, out);
  return piece ? by_pieces(unary_into, op, v, 2, out, piece) : unary(op, v[0], out);
}

static bool is_float(const hed_array *x)
{
  const hed_kind k = hed_dtype_kind(hed_array_dtype(x));
  return k == HED_KIND_FLOAT || k == HED_KIND_COMPLEX;
}

/* Is O a weak number that a double holds, so that the form of OP with a number can take it? An integer keeps an integer array's
 * dtype, which a double would not. */
static bool as_double(const hp_binary *op, PyObject *o, const hed_array *other, double *out)
{
  int overflow = 0;
  if (!op->real)
    return false;
  if (Py_TYPE(o) == &PyFloat_Type)
    *out = PyFloat_AsDouble(o);
  else if (Py_TYPE(o) == &PyLong_Type && is_float(other)) {
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    *out = (double)value;
    return !overflow && value > -(1LL << 53) && value < 1LL << 53;
  } else
    return false;
  return true;
}

static PyObject *binary_again(PyObject *op, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  return hp_call_binary((const hp_binary *)(uintptr_t)op, args, n, keywords);
}

enum { WEIGH_BYTES = 8 << 10 };   /* what is smaller grows to nothing that takes long */

/* Bytes of what X and Y broadcast to, beyond their own. */
static void weigh_result(hp_call *c, const hed_array *x, const hed_array *y)
{
  const hed_shape s = hed_array_shape(x), t = hed_array_shape(y);
  const int n = s.ndim > t.ndim ? s.ndim : t.ndim;
  double bytes = (double)hed_dtype_size(hed_array_dtype(x));
  for (int k = 1; k <= n; k++) {
    const int64_t a = k <= s.ndim ? s.dim[s.ndim - k] : 1, b = k <= t.ndim ? t.dim[t.ndim - k] : 1;
    bytes *= (double)(a > b ? a : b);
  }
  if (bytes > (double)c->bytes)
    c->bytes = bytes < 1e18 ? (size_t)bytes : (size_t)1e18;
}

/* A list beside the array OTHER, or what hp_weak takes: its fractions are of OTHER's precision. */
static bool beside(hp_call *c, PyObject *o, const char *name, const hed_array *other, hed_array **out)
{
  const hed_dtype t = other ? hed_array_dtype(other) : NULL;
  const hed_dtype real = t == HED_COMPLEX64 ? HED_FLOAT32 : t == HED_COMPLEX128 ? HED_FLOAT64 : t;
  if (!hp_weak(c, o, name, out))
    return false;
  if (!real || hed_dtype_kind(real) != HED_KIND_FLOAT || (Py_TYPE(o) != &PyList_Type && Py_TYPE(o) != &PyTuple_Type) ||
      hed_dtype_kind(hed_array_dtype(*out)) != HED_KIND_FLOAT || hed_array_dtype(*out) == real)
    return true;
  *out = hp_convert(o, real, HED_COPY_IF_NEEDED);
  return *out && hp_hold(c, *out);
}

static PyObject *binary(const hp_binary *op, PyObject *a, PyObject *b, PyObject *out)
{
  PyObject *const all[] = { a, b, out };
  hp_call c = HP_CALL(op->name);
  c.arguments = all;
  c.n_arguments = out ? 3 : 2;
  hed_array *x = NULL, *y = NULL, *target = NULL, *r = NULL;
  PyObject *result = NULL;
  double s = 0;
  hed_status status = HED_OK;
  bool right = false, left = false;
  if (!hp_is_array(a) && !hp_is_array(b)) {   /* two numbers: the first stands for an array */
    if (!hp_operand(&c, a, "a", &x))
      goto done;
  } else if (hp_is_array(a)) {
    if (!hp_operand(&c, a, "a", &x))
      goto done;
    right = !out && !hp_is_array(b) && as_double(op, b, x, &s);
  } else {
    if (!hp_operand(&c, b, "b", &y))
      goto done;
    left = !out && as_double(op, a, y, &s);
  }
  if ((!x && !left && !beside(&c, a, "a", y, &x)) || (!y && !right && !beside(&c, b, "b", x, &y)) ||
      (out && !hp_out(&c, out, &target)))
    goto done;
  if (x && y && c.bytes >= WEIGH_BYTES)
    weigh_result(&c, x, y);
  if (!hp_begin(&c, op == &hp_matmul ? HP_WORK : HP_STREAM))
    goto done;
  if (target)
    status = op->into(target, x, y);
  else
    r = right ? op->right(x, s) : left ? op->left(s, y) : op->call(x, y);
  hp_end(&c);
  result = target ? hp_given(op->name, status, out) : hp_wrap(op->name, r);
done:
  hp_done(&c);
  return c.elsewhere ? repeat(&c, binary_again, op, all, 2) : result;
}

static PyObject *binary_into(const void *op, PyObject *const *args)
{
  return binary(op, args[0], args[1], args[2]);
}

PyObject *hp_call_binary(const hp_binary *op, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "x1", "x2", "out" };
  PyObject *v[3] = { NULL };
  if (n == 2 && !keywords)
    return binary(op, args[0], args[1], NULL);
  const hp_signature s = { op->name, 3, 2, 2, names };
  if (!hp_bind(&s, args, n, keywords, v))
    return NULL;
  PyObject *out = v[2] == Py_None ? NULL : v[2];
  const Py_ssize_t piece = op == &hp_matmul ? 0 : piece_rows(v, 2, out);
  return piece ? by_pieces(binary_into, op, v, 3, out, piece) : binary(op, v[0], v[1], out);
}

static bool takes(PyObject *o)
{
  PyTypeObject *t = Py_TYPE(o);
  return t == hp.array || t == &PyFloat_Type || t == &PyLong_Type || t == &PyBool_Type || t == &PyComplex_Type ||
         t == &PyList_Type || t == &PyTuple_Type || hp_converts(o);
}

PyObject *hp_operator(const hp_binary *op, PyObject *a, PyObject *b)
{
  if (!takes(a) || !takes(b))
    Py_RETURN_NOTIMPLEMENTED;
  return binary(op, a, b, NULL);
}

/* What the result's kind would be: a float in an integer array is refused, as NumPy refuses it. */
static bool fits(const hp_binary *op, const hed_array *x, const hed_array *y, PyObject *b)
{
  const hed_kind have = hed_dtype_kind(hed_array_dtype(x));
  hed_kind need = hed_dtype_kind(hed_array_dtype(y));
  if (hp_is_array(b) || hp_converts(b))
    need = hed_dtype_kind(hed_dtype_promote(hed_array_dtype(x), hed_array_dtype(y)));
  else if (need == HED_KIND_INT && have == HED_KIND_UINT)
    need = have;
  if (op->widens && need < HED_KIND_FLOAT)
    need = HED_KIND_FLOAT;
  if (need <= have)
    return true;
  PyErr_Format(PyExc_TypeError, "%s: the result does not fit into the array in place, whose dtype is %s", op->name,
               hed_dtype_name(hed_array_dtype(x)));
  return false;
}

static bool same_shape(const hed_array *x, const hed_array *y)
{
  const hed_shape s = hed_array_shape(x), t = hed_array_shape(y);
  bool same = s.ndim == t.ndim;
  for (int k = 0; same && k < s.ndim; k++)
    same = s.dim[k] == t.dim[k];
  return same;
}

/* A @= B, whose product needs memory of its own anyway: Ctrl-C ends the wait for it. NULL without an error where it does not fit. */
static PyObject *multiply_in_place(PyObject *a, PyObject *b)
{
  PyObject *product = binary(&hp_matmul, a, b, NULL);
  PyObject *result = product && same_shape(HP_ARRAY(product), HP_ARRAY(a)) ? hp_copy_to(product, a) : NULL;
  Py_XDECREF(product);
  return result;
}

static PyObject *piece_in_place(const void *op, PyObject *const *args)
{
  return hp_in_place(op, args[0], args[1]);
}

PyObject *hp_in_place(const hp_binary *op, PyObject *a, PyObject *b)
{
  PyObject *const both[] = { a, b };
  const Py_ssize_t piece = op == &hp_matmul ? 0 : piece_rows(both, 2, a);
  if (piece)
    return by_pieces(piece_in_place, op, both, 2, a, piece);
  hp_call c = HP_CALL(op->name);
  hed_array *x = NULL, *y = NULL;
  PyObject *result = NULL;
  if (!takes(b))
    Py_RETURN_NOTIMPLEMENTED;
  bool ready = hp_operand(&c, a, "a", &x) && beside(&c, b, "b", x, &y) && fits(op, x, y, b);
  if (ready && op == &hp_matmul) {
    result = multiply_in_place(a, b);
    ready = !result && !PyErr_Occurred();
  }
  if (ready && hp_begin(&c, HP_STREAM)) {
    hed_status status = op->into(x, x, y);
    if (status == HED_E_INVAL) {   /* they overlap, perhaps: through a new array it is right */
      hed_array *r = op->call(x, y);
      status = r ? hed_copy_into(x, r) : hed_error();
      hed_release(r);
    }
    hp_end(&c);
    result = hp_given(op->name, status, a);
  }
  hp_done(&c);
  return result;
}
