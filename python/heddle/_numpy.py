# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy asks of arrays that are not its own: __array__, __array_ufunc__, __array_function__.

Functions of NumPy that get a Heddle array go to Heddle with all their parameters, or are refused by a sentence that names what is
lacking: nothing is converted behind the caller's back, and nothing dropped. Where the caller said so (numpy_fallback), NumPy's own
does on host memory what Heddle lacks.
"""

import collections
import contextvars
import inspect
import sys

from . import _core
from . import _numpy_more  # noqa: F401  (it fills the table, as those that it imports do)
from ._core import Array
from ._numpy_table import MODULES, Refused, as_array, cast, dtype_of, finish, refuse
from ._numpy_values import sum_type


def __array__(self, dtype=None, copy=None):
    import numpy
    if self.space != "host":
        raise TypeError(f'the array is in the memory of {self.space}; move it with .to("host") first')
    try:
        view = numpy.asarray(memoryview(self))
    except BufferError as error:
        raise TypeError(str(error)) from None
    if copy is False and dtype is not None and numpy.dtype(dtype) != view.dtype:
        raise ValueError(f"an array of {self.dtype} becomes one of {dtype} by a copy only")
    return numpy.array(view, dtype=dtype, copy=True) if copy else view if dtype is None else view.astype(dtype, copy=False)


# ---- NumPy's own, where it was allowed ----

ALLOWED = contextvars.ContextVar("heddle.numpy_fallback", default=None)


class numpy_fallback:
    """A context manager: in its block NumPy's own functions serve where Heddle lacks one, or a parameter of it, on host memory:
    arrays there are shared, those of devices copied, and results come back as Heddle's. CALLS counts them by name. It follows
    context variables, as backend does; numpy_fallback.everywhere, when it is set to one, serves where none is in force."""

    calls: collections.Counter[str]
    everywhere: "numpy_fallback | None" = None

    def __init__(self):
        self.calls, self.tokens = collections.Counter(), []

    def __enter__(self) -> "numpy_fallback":
        self.tokens.append(ALLOWED.set(self))
        return self

    def __exit__(self, *error) -> None:
        ALLOWED.reset(self.tokens.pop())

    def call(self, name, function, args, kwargs):
        """FUNCTION of NumPy on host memory. What it changes is changed; arrays of a device can only be written by out=."""
        self.calls[name] += 1
        lent = {}   # by identity of NumPy's array: ours
        args, kwargs = self.lend(args, lent), self.lend(kwargs, lent)
        result = function(*args, **kwargs)
        out = kwargs.get("out")
        for array in out if isinstance(out, tuple) else (out,):
            ours = lent.get(id(array), (None,))[0]
            if ours is not None and ours.space != "host":
                ours[...] = _core.asarray(array)
        return self.give(result, lent)

    def lend(self, value, lent, writes=False):
        if isinstance(value, Array):
            import numpy
            view = numpy.asarray(value if value.space == "host" else value.to("host"))
            if value.space != "host" and not writes:
                view.flags.writeable = False
            lent[id(view)] = value, view   # the view lives as long as the call
            return view
        if isinstance(value, dict):
            return {k: self.lend(v, lent, k == "out") for k, v in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self.lend(v, lent, writes) for v in value)
        return value.dtype if isinstance(value, _core.DType) else value

    def give(self, value, lent):
        import numpy
        if id(value) in lent:
            return lent[id(value)][0]
        if isinstance(value, (numpy.ndarray, numpy.number)) and value.dtype.kind in "biufc" and value.dtype.itemsize <= 16:
            return _core.asarray(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.give(v, lent) for v in value))
        return type(value)(self.give(v, lent) for v in value) if type(value) in (list, tuple) else value


def allowed():
    return ALLOWED.get() or numpy_fallback.everywhere


# ---- universal functions ----

KNOWN = {}   # a ufunc of NumPy's or SciPy's own -> the operation, or None


def operation_of(ufunc):
    """The operation that is UFUNC, which NumPy or SciPy has made: somebody else's may have the name of one."""
    if ufunc not in KNOWN:
        name = ufunc.__name__
        own = [getattr(sys.modules.get(m), name, None) is ufunc for m in ("numpy", "scipy.special")]
        KNOWN[ufunc] = getattr(_core, name, None) if True in own else None
    return KNOWN[ufunc]


def written(result, out, where):
    """RESULT where WHERE is true, else what OUT has."""
    if out is None:
        return result
    out[...] = result if where is True else _core.where(where, result, out)
    return out


def computed_in(ufunc, inputs, dtype):
    """INPUTS in DTYPE, which NumPy computes in: a type of which UFUNC has a loop, where its rule of casting allows it."""
    import numpy
    wanted = numpy.dtype(dtype)
    arrays = [_core.asarray(x) if isinstance(x, numpy.ndarray) else x for x in inputs]
    if f"{wanted.char * ufunc.nin}->{wanted.char * ufunc.nout}" not in ufunc.types or not all(
            numpy.can_cast(x.dtype.dtype, wanted, "same_kind") for x in arrays if isinstance(x, Array)):
        refuse("dtype", dtype)
    return [_core.astype(x, wanted) if isinstance(x, Array) else x for x in arrays]


ORDERED = ("less", "less_equal", "greater", "greater_equal")


def elementwise(ufunc, *inputs, out=None, where=True, casting="same_kind", order="K", dtype=None, subok=True):
    op = operation_of(ufunc)
    if ufunc.nin > 2 or ufunc.nout != (2 if ufunc.__name__ == "divmod" else 1):
        raise Refused("no operation has its operands and results")
    if ufunc.__name__ in ORDERED and any(isinstance(x, complex) or getattr(x, "dtype", None) and x.dtype.kind == "c" for x in inputs):
        raise Refused("complex numbers have no order")
    if where is not True and out is None:
        refuse("where", where)
    if casting != "same_kind" or order not in "KC":
        refuse("casting", casting) if casting != "same_kind" else refuse("order", order)
    return written(op(*(inputs if dtype is None else computed_in(ufunc, inputs, dtype))), out, where)


def outer(ufunc, a, b, **words):
    a, b = as_array(a), as_array(b)
    return elementwise(ufunc, _core.reshape(a, a.shape + (1,) * b.ndim), b, **words)


REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"}
ACCUMULATIONS = {"add": _core.cumsum, "multiply": _core.cumprod, "maximum": _core.cummax, "minimum": _core.cummin}
IN_PLACE = {"add": "add", "multiply": "multiply", "maximum": "max", "minimum": "min", "subtract": "add"}


def reduce(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    name, array = REDUCTIONS[ufunc.__name__], as_array(array)
    words = {k: v for k, v in (("initial", initial), ("where", where)) if v is not None and v is not True}
    if name in ("all", "any") and (dtype is not None or initial is not None):
        refuse("dtype", dtype) if dtype is not None else refuse("initial", initial)
    if name in ("sum", "prod"):
        words["dtype"] = dtype
    elif dtype is not None:
        array = _core.astype(array, dtype_of(dtype))
    return MODULES["numpy"][name](array, axis=axis, out=out, keepdims=keepdims, **words)


def accumulate(ufunc, array, axis=0, dtype=None, out=None):
    array = as_array(array)
    wanted = sum_type(array, dtype, out)
    array = array if wanted is None else _core.astype(array, wanted)
    return finish(ACCUMULATIONS[ufunc.__name__](array, axis, dtype=wanted), out)


def reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    """From each index up to the next, or the element there where the next is no larger."""
    array, at = as_array(array), as_array(indices)
    if at.ndim != 1:
        raise ValueError("indices: they have one axis")
    at, n, axis = [int(i) for i in at.to("host")], array.shape[axis], axis % array.ndim
    for i in at:
        if not 0 <= i < n:
            raise IndexError(f"index {i} out-of-bounds in {ufunc.__name__}.reduceat [0, {n})")
    before = (slice(None),) * axis
    parts = [array[(*before, slice(i, j if j > i else i + 1))] for i, j in zip(at, at[1:] + [n])]
    dtype = sum_type(array, dtype, out)
    return finish(_core.concatenate([reduce(ufunc, part, axis, dtype, keepdims=True) for part in parts], axis), out)


def at(ufunc, a, indices, b):
    """In place: a number that is listed twice changes its element twice."""
    b = cast(as_array(b), a.dtype, "same_kind", "b")
    _core.accumulate(a, indices, _core.negative(b) if ufunc.__name__ == "subtract" else b, IN_PLACE[ufunc.__name__])


# A method of universal functions -> what does it, and for which names; None: whatever is an operation.
METHODS = {"__call__": (elementwise, None), "outer": (outer, None), "reduce": (reduce, REDUCTIONS), "reduceat": (reduceat, REDUCTIONS),
           "accumulate": (accumulate, ACCUMULATIONS), "at": (at, IN_PLACE)}
TAKEN = {method: set(inspect.signature(elementwise if f is outer else f).parameters)
         for method, (f, _) in METHODS.items()}


def serve_ufunc(ufunc, method, inputs, out, words):
    function, names = METHODS[method]
    if operation_of(ufunc) is None or names is not None and ufunc.__name__ not in names:
        raise Refused("Heddle has no such operation")
    unknown = [k for k in words if k not in TAKEN[method]]
    if unknown:
        refuse(unknown[0], words[unknown[0]])
    if out is not None:
        if not isinstance(out, Array):
            refuse("out", out)
        words = {**words, "out": out}
    return function(ufunc, *inputs, **words)


def is_anothers(x):
    """Does X, which is no array of Heddle's or NumPy's, have its own way with universal functions?"""
    import numpy
    return not isinstance(x, (Array, numpy.generic)) and type(x) is not numpy.ndarray and hasattr(type(x), "__array_ufunc__")


def serve_or_lend(ufunc, method, inputs, out, words, anothers):
    """What UFUNC's METHOD makes of its arguments: by Heddle, or where that was allowed by NumPy on host memory; else a TypeError, or
    NotImplemented where ANOTHERS()."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    try:
        return serve_ufunc(ufunc, method, inputs, target, words)
    except Refused as error:
        fallback = allowed()
        if fallback is None:
            if anothers():
                return NotImplemented
            raise TypeError(f"{name}: {error}") from None
    return fallback.call(name, getattr(ufunc, method), inputs, {**words, **({} if out is None else {"out": out})})


def __array_ufunc__(self, ufunc, method, *inputs, out=None, **words):
    return serve_or_lend(ufunc, method, inputs, out, words, lambda: any(is_anothers(x) for x in inputs) or (
        operation_of(ufunc) is None))


# ---- functions ----

class Row:
    """A function that is taken over, and which words it takes."""

    def __init__(self, function):
        self.function = function
        parameters = inspect.signature(function).parameters.values()
        self.words = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        self.many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        self.positional = sum(p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY) for p in parameters)


ROWS = {(module, name): Row(f) for module, table in MODULES.items() for name, f in table.items()}


def is_default(value, default):
    return value is default or type(value) is type(default) and isinstance(value, (bool, int, float, str)) and value == default


def known_words(row, find, args, kwargs):
    """ARGS and KWARGS without what is NumPy's default, and what ROW therefore need not know. FIND() is NumPy's function."""
    kwargs = {k: v for k, v in kwargs.items() if type(v).__name__ != "_NoValueType"}
    surplus = {} if row.many else dict(enumerate(args[row.positional:], row.positional))
    unknown = {k: v for k, v in kwargs.items() if k not in row.words}
    if not surplus and not unknown:
        return args, kwargs
    parameters = inspect.signature(find()).parameters
    for name, value in zip(list(parameters)[row.positional:], surplus.values()):
        unknown[name] = value
    if len(args) > len(parameters):
        raise TypeError(f"{find().__name__}() takes {len(parameters)} positional arguments but {len(args)} were given")
    for name, value in unknown.items():
        if name not in parameters or not is_default(value, parameters[name].default):
            raise Refused(f"{name}={value!r} is not taken for Heddle's arrays")
    return args if row.many else args[:row.positional], {k: v for k, v in kwargs.items() if k in row.words}


def serve(module, name, find, args, kwargs):
    """What the table's function of that NAME, or where that was allowed NumPy's own, which FIND() is, makes of its arguments."""
    row = ROWS[module, name]
    try:
        args, kwargs = known_words(row, find, args, kwargs)
        return row.function(*args, **kwargs)
    except Refused as error:
        fallback = allowed()
        if fallback is None:
            raise TypeError(f"{name}: {error}") from None
    return fallback.call(f"{module}.{name}", find(), args, kwargs)


FOUND = {}   # a function of NumPy's -> its row, or None


def __array_function__(self, function, types, args, kwargs):
    row = FOUND.get(function)
    if row is not None and not kwargs and len(args) <= row.positional and allowed() is None:   # most calls, quickly
        try:
            return row.function(*args)
        except Refused as error:
            raise TypeError(f"{function.__name__}: {error}") from None
    module, name = function.__module__, function.__name__
    if (module, name) in ROWS:
        FOUND[function] = ROWS[module, name]
        return serve(module, name, lambda: function, args, kwargs)
    fallback = allowed()
    return NotImplemented if fallback is None else fallback.call(f"{module}.{name}", function, args, kwargs)


Array.__array_priority__ = 1000   # above NumPy's arrays and matrices: Dask compares it
for _function in (__array__, __array_ufunc__, __array_function__):
    setattr(Array, _function.__name__, _function)
