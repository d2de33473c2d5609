// SPDX-License-Identifier: BSD-3-Clause
/* Operations of one and two operands: as functions, as operators, and in place. The hot path of small arrays. */
#include "binding.h"

/* ---- calls of the regular families ---- */

static PyObject *unary(const hp_unary *op, PyObject *x, PyObject *out)
{
  hp_call c = HP_CALL(op->name);
  hed_array *a = NULL, *target = NULL, *r = NULL;
  PyObject *result = NULL;
  hed_status status = HED_OK;
  if (hp_operand(&c, x, "x", &a) && (!out || hp_target(&c, out, "out", &target)) && hp_begin(&c, HP_STREAM)) {
    if (target)
      status = op->into(target, a);
    else
      r = op->call(a);
    hp_end(&c);
    result = target ? hp_given(op->name, status, out) : hp_wrap(op->name, r);
  }
  hp_done(&c);
  return result;
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
  return hp_bind(&s, args, n, keywords, v) ? unary(op, v[0], v[1] == Py_None ? NULL : v[1]) : NULL;
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

static PyObject *binary(const hp_binary *op, PyObject *a, PyObject *b, PyObject *out)
{
  hp_call c = HP_CALL(op->name);
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
  if ((!x && !left && !hp_weak(&c, a, "a", &x)) || (!y && !right && !hp_weak(&c, b, "b", &y)) ||
      (out && !hp_target(&c, out, "out", &target)) || !hp_begin(&c, HP_STREAM))
    goto done;
  if (target)
    status = op->into(target, x, y);
  else
    r = right ? op->right(x, s) : left ? op->left(s, y) : op->call(x, y);
  hp_end(&c);
  result = target ? hp_given(op->name, status, out) : hp_wrap(op->name, r);
done:
  hp_done(&c);
  return result;
}

PyObject *hp_call_binary(const hp_binary *op, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "x1", "x2", "out" };
  PyObject *v[3] = { NULL };
  if (n == 2 && !keywords)
    return binary(op, args[0], args[1], NULL);
  const hp_signature s = { op->name, 3, 2, 2, names };
  return hp_bind(&s, args, n, keywords, v) ? binary(op, v[0], v[1], v[2] == Py_None ? NULL : v[2]) : NULL;
}

static bool takes(PyObject *o)
{
  PyTypeObject *t = Py_TYPE(o);
  return t == hp.array || t == &PyFloat_Type || t == &PyLong_Type || t == &PyBool_Type || t == &PyComplex_Type ||
         hp_converts(o);
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

PyObject *hp_in_place(const hp_binary *op, PyObject *a, PyObject *b)
{
  hp_call c = HP_CALL(op->name);
  hed_array *x = NULL, *y = NULL;
  PyObject *result = NULL;
  if (!takes(b))
    Py_RETURN_NOTIMPLEMENTED;
  if (hp_operand(&c, a, "a", &x) && hp_weak(&c, b, "b", &y) && fits(op, x, y, b) && hp_begin(&c, HP_STREAM)) {
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
