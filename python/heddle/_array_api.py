# SPDX-License-Identifier: BSD-3-Clause
"""The array API standard, 2025.12, where its words differ from those of the table."""

import builtins
import operator
from collections import namedtuple
from math import inf

from . import _core
from ._core import Array, DType, asarray, broadcast_shapes

__all__ = """arange empty empty_like eye full full_like linspace meshgrid ones ones_like zeros zeros_like
 astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type clip round
 take take_along_axis tensordot vecdot einsum concat stack unstack expand_dims flip moveaxis permute_dims repeat reshape roll squeeze
 tile argmax argmin argsort sort count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse
 unique_values isin cumulative_sum cumulative_prod max min mean sum prod std var all any diff quantile percentile
 tril triu""".split()

numbers = (bool, int, float, complex)


# ---- devices ----

class Device(str):
    """The name of a device. That of host memory is "host", and equals "cpu", NumPy's name for it."""

    __slots__ = ()

    def __eq__(self, other):
        return str.__eq__(self, other) is True or str.__eq__(self, "host") and isinstance(other, str) and str.__eq__(other, "cpu")

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__


def on(device, x):
    """X on DEVICE, which is a name such as "host" or "cuda:0"; None leaves it where it is."""
    return x if device is None or device == x.space else x.to(device)


def default_dtype(value):
    """What a Python number becomes that stands alone, in the context in force."""
    return _core.bool if isinstance(value, bool) else _core.resolve_dtype(
        _core.INDEX if isinstance(value, int) else _core.COMPLEX if isinstance(value, complex) else _core.REAL)


# ---- creation ----

def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """START, START + STEP, ... below STOP; with one argument from 0."""
    if stop is None:
        start, stop = 0, start
    whole = all_integers(start, stop, step)
    if dtype is None:
        dtype = default_dtype(0 if whole else 0.0)
    make = _core.arange_int if whole else _core.arange
    return on(device, make(start, stop, step, dtype))


def all_integers(*values):
    return not [v for v in values if isinstance(v, float) or not hasattr(v, "__index__")]


def empty(shape, *, dtype=None, device=None):
    """A new array; its elements are whatever lies there."""
    return on(device, _core.empty(shape, dtype))


def zeros(shape, *, dtype=None, device=None):
    """A new array of zeros."""
    return on(device, _core.zeros(shape, dtype))


def ones(shape, *, dtype=None, device=None):
    """A new array of ones."""
    return on(device, _core.ones(shape, dtype))


def full(shape, fill_value, *, dtype=None, device=None):
    """A new array of one value."""
    if isinstance(fill_value, Array):
        fill_value = fill_value.item()
    if not isinstance(fill_value, numbers):
        fill_value = operator.index(fill_value) if hasattr(fill_value, "__index__") else float(fill_value)
    if dtype is None:
        dtype = default_dtype(fill_value)
    if not isinstance(fill_value, complex):
        _core.asarray(fill_value, dtype=dtype)   # the error of a value that the dtype does not have
    if isinstance(fill_value, complex):
        x = _core.full_complex(shape, fill_value.real, fill_value.imag, dtype)
    elif isinstance(fill_value, int):
        x = (_core.full_int if fill_value < 2 ** 63 else _core.full_uint)(shape, fill_value, dtype)
    else:
        x = _core.full(shape, fill_value, dtype)
    return on(device, x)


def like(x, dtype):
    return x.dtype if dtype is None else dtype


def empty_like(x, /, *, dtype=None, device=None):
    """A new array of X's shape, and dtype unless one is given."""
    return on(device, _core.empty_like_as(x, like(x, dtype)))


def zeros_like(x, /, *, dtype=None, device=None):
    """Zeros in X's shape, and dtype unless one is given."""
    return on(device, _core.zeros_like_as(x, like(x, dtype)))


def ones_like(x, /, *, dtype=None, device=None):
    """Ones in X's shape, and dtype unless one is given."""
    return on(device, _core.ones_like_as(x, like(x, dtype)))


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """One value in X's shape, and dtype unless one is given."""
    y = _core.empty_like_as(x, like(x, dtype))
    y[...] = fill_value
    return on(device, y)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on diagonal K of a matrix of zeros."""
    n_cols = n_rows if n_cols is None else n_cols
    return on(device, _core.eye(n_rows, n_cols, within(k, n_rows, n_cols), dtype))


def within(k, rows, columns):
    """The number of a diagonal; those beyond the matrix are all alike."""
    return -rows - 1 if k < -rows else columns + 1 if k > columns else k


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """NUM evenly spaced values from START to STOP, which is one of them when ENDPOINT is true."""
    if isinstance(start, complex) or isinstance(stop, complex):
        dtype = default_dtype(0j) if dtype is None else dtype
        parts = [linspace(complex(start).real, complex(stop).real, num, endpoint=endpoint, dtype=_core.float64),
                 linspace(complex(start).imag, complex(stop).imag, num, endpoint=endpoint, dtype=_core.float64)]
        return on(device, _core.astype(_core.add(parts[0], _core.multiply(parts[1], 1j)), dtype))
    make = _core.linspace if endpoint else _core.linspace_open
    wanted = default_dtype(0.0) if dtype is None else _core.dtype(dtype)
    real = wanted if wanted.kind == "f" else _core.float64
    return on(device, _core.astype(make(float(start), float(stop), num, real), wanted))


def meshgrid(*arrays, indexing="xy") -> tuple[Array, ...]:
    """Vectors repeated over the grid of all of them."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f'indexing is {indexing!r}; it can be "xy" or "ij"')
    return tuple(_core.meshgrid(arrays, indexing == "xy")) if arrays else ()


def tril(x, /, *, k=0):
    """X with zeros above diagonal K of the last two axes."""
    return _core.tril(x, within(k, *x.shape[-2:]))


def triu(x, /, *, k=0):
    """X with zeros below diagonal K of the last two axes."""
    return _core.triu(x, within(k, *x.shape[-2:]))


# ---- dtypes ----

Finfo = namedtuple("finfo", "bits eps max min smallest_normal dtype")
Iinfo = namedtuple("iinfo", "bits max min dtype")
KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
         "complex floating": "c", "numeric": "iufc"}


def dtype_of(x):
    return x.dtype if isinstance(x, Array) else _core.dtype(x)


def finfo(type, /) -> Finfo:
    """Limits of a floating-point dtype; of a complex one those of its parts."""
    t = dtype_of(type)
    if t.kind not in "fc":
        raise ValueError(f"finfo: {t} is no floating-point dtype")
    f = _core.limits(t)
    real = {"complex64": _core.float32, "complex128": _core.float64}.get(t.name, t)
    return Finfo(f["bits"], f["eps"], f["max"], f["min"], f["smallest_normal"], real)


def iinfo(type, /) -> Iinfo:
    """Limits of an integer dtype."""
    t = dtype_of(type)
    if t.kind not in "iu":
        raise ValueError(f"iinfo: {t} is no integer dtype")
    i = _core.limits(t)
    return Iinfo(i["bits"], i["max"], i["min"], t)


def isdtype(dtype, kind) -> bool:
    """Is a dtype of a kind ("real floating", "integral", ...), or one of several?"""
    if isinstance(kind, tuple):
        return bool([k for k in kind if isdtype(dtype, k)])
    if isinstance(kind, str) and kind in KINDS:
        return dtype_of(dtype).kind in KINDS[kind]
    if isinstance(kind, str):
        raise ValueError(f"isdtype: {kind!r} is no kind of dtypes; there are {', '.join(KINDS)}")
    return dtype_of(dtype) == dtype_of(kind)


def can_cast(from_, to, /) -> bool:
    """Does the promotion of both give TO?"""
    return _core.promote_types(dtype_of(from_), dtype_of(to)) == dtype_of(to)


def result_type(*arrays_and_dtypes) -> DType:
    """The dtype of an operation on all of them; Python numbers are weak."""
    strong = [dtype_of(a) for a in arrays_and_dtypes if type(a) not in numbers]
    weak = [a for a in arrays_and_dtypes if type(a) in numbers]
    if not strong:
        raise ValueError("result_type: an array or a dtype is needed")
    t = strong[0]
    for other in strong[1:]:
        t = _core.promote_types(t, other)
    return weak_type(t, weak)


def weak_type(t, weak):
    """T with Python numbers beside it: they raise its kind, not its width."""
    rank = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[t.kind]
    for value in weak:
        need = 0 if isinstance(value, bool) else 1 if isinstance(value, int) else 2 if isinstance(value, float) else 3
        if need > rank:
            t = {"float32": _core.complex64, "float64": _core.complex128}.get(t.name) if need == 3 and rank == 2 else None
            t = t or default_dtype(value)
            rank = need
    return t


def astype(x, dtype, /, *, copy=True, device=None):
    """X as another dtype; a copy in any case unless COPY is false."""
    y = _core.astype(x, dtype)
    if copy and y.dtype == x.dtype:
        y = _core.copy(x)
    return on(device, y)


# ---- elementwise ----

def clip(x, /, min=None, max=None):
    """X limited to MIN and MAX, which are numbers or arrays; None leaves a side open. Integers with limits that are none become
    floating-point numbers."""
    x = asarray(x)
    kind = x.dtype.kind
    limits = [m for m in (min, max) if m is not None]
    if not limits:
        return _core.copy(x)
    if [m for m in limits if type(m) not in numbers]:
        kinds = [m.dtype.kind if isinstance(m, Array) else asarray(m).dtype.kind for m in limits if type(m) is not int]
        r = _core.clip_array(x, min, max)
        return r if kind in "iub" and "f" in kinds or r.dtype == x.dtype else _core.astype(r, x.dtype)
    if kind == "f":
        low, high = -inf if min is None else min, inf if max is None else max
        if low == low and high == high:
            return _core.clip(x, low, high)
    if kind not in "iu" or not all_integers(*limits):
        return _core.clip_array(x, min, max)
    info = iinfo(x.dtype)   # integers beyond the dtype limit nothing
    low = None if min is None or min < info.min else min
    high = None if max is None or max > info.max else max
    if (low is not None and low > info.max) or (high is not None and high < info.min):
        raise OverflowError(f"clip: [{min}, {max}] leaves nothing of {x.dtype}")
    return _core.copy(x) if low is None and high is None else _core.clip_array(x, low, high)


def round(x, /, decimals=0, *, out=None):
    """The nearest number of DECIMALS decimal digits, halves to even. Integers stay what they are."""
    x = asarray(x)
    if decimals == 0 or decimals > 0 and x.dtype.kind not in "fc":
        return _core.round(x, out=out)
    if x.dtype.kind in "iu":
        return rounded_integers(x, 10 ** -decimals, out)
    scale = 10.0 ** builtins.abs(decimals)   # a power of ten, which is exact; its inverse is not
    first, last = (_core.multiply, _core.divide) if decimals > 0 else (_core.divide, _core.multiply)
    y = first(x, scale)
    _core.round(y, out=y)
    return last(y, scale, out=y if out is None else out)


def rounded_integers(x, step, out):
    """Multiples of STEP, halves to those that are even multiples."""
    if step > iinfo(x.dtype).max // 2:
        y = _core.astype(x, _core.int64) if x.dtype.name not in ("int64", "uint64") else x
        r = zeros_like(x) if step > iinfo(y.dtype).max // 2 else _core.astype(rounded_integers(y, step, None), x.dtype)
    else:
        whole = _core.floor_divide(x, step)
        rest = x - whole * step
        odd = _core.not_equal(_core.bitwise_and(whole, 1), 0)
        up = _core.logical_or(_core.greater(rest, step // 2), _core.logical_and(_core.equal(rest, step // 2), odd))
        r = (whole + _core.astype(up, x.dtype)) * step
    if out is None:
        return r
    out[...] = r
    return out


def where(condition, x1, x2, /):
    """X1 where CONDITION is true, else X2."""
    return _core.where(condition, x1, x2)


# ---- selection ----

def take(x, indices, /, *, axis=None):
    """Elements of X at INDICES of an axis; without AXIS of the flattened array."""
    if axis is None:
        return _core.take(_core.ravel(x), indices, 0)
    return _core.take(x, indices, axis)


def take_along_axis(x, indices, /, *, axis=-1):
    """Elements of X at INDICES, which has X's axes, along one of them."""
    return _core.take_along_axis(x, indices, axis)


# ---- linear algebra that is in the main namespace ----

def tensordot(x1, x2, /, *, axes=2):
    """Contraction over the last AXES axes of X1 and the first of X2, or over pairs of axes."""
    if isinstance(axes, int):
        return _core.tensordot_n(x1, x2, axes)
    first, second = axes
    return _core.tensordot(x1, x2, first, second)


def vecdot(x1, x2, /, *, axis=-1):
    """Sum of conj(x1) x2 over an axis."""
    return _core.vecdot(x1, x2, axis)


def einsum(subscripts, /, *operands):
    """Einstein summation: "ij,jk->ik"; in the order of fewest operations."""
    return _core.einsum(subscripts, operands)


# ---- manipulation ----

def concat(arrays, /, *, axis=0):
    """Arrays joined along an axis; with None all of them flattened."""
    if axis is None:
        return _core.concatenate([_core.ravel(a) for a in arrays], 0)
    return _core.concatenate(arrays, axis)


def stack(arrays, /, *, axis=0):
    """Arrays joined along a new axis."""
    return _core.stack(arrays, axis)


def unstack(x, /, *, axis=0) -> tuple[Array, ...]:
    """The parts of X along an axis, which goes."""
    return tuple(_core.unstack(x, axis))


def expand_dims(x, /, axis=0):
    """New axes of extent 1 at the places AXIS of the result."""
    return _core.expand_dims(x, axis) if isinstance(axis, int) else _core.expand_dims_axes(x, axis)


def flip(x, /, *, axis=None):
    """Axes reversed: all of them, or those of AXIS."""
    if axis == ():
        return x[...]
    return _core.flip(x, axis)


def moveaxis(x, source, destination, /):
    """Axes of X moved to other places."""
    if source == () and destination == ():
        return x[...]
    return _core.moveaxes(x, source, destination)


def permute_dims(x, /, axes):
    """The axes of X in another order."""
    return _core.transpose(x, axes) if len(axes) or x.ndim else x[...]


def repeat(x, repeats, /, *, axis=None):
    """Every element REPEATS times in a row."""
    if isinstance(repeats, int):
        return _core.repeat(x, repeats, axis)
    return _core.repeat_each(x, repeats, axis)


def reshape(x, /, shape, *, copy=None):
    """The same elements in another shape; one extent may be -1. A view where possible, unless COPY is true."""
    if copy:
        return _core.reshape(_core.copy(x), shape)
    y = _core.reshape(x, shape)
    if copy is False and not (x.is_contiguous or x.size == 0 or _core.shares_memory(x, y)):
        raise ValueError("reshape: this cannot be done without a copy")
    return y


def roll(x, /, shift, *, axis=None):
    """Elements moved round along axes, or over the flattened array."""
    if axis is not None and not isinstance(axis, int) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    if axis is not None and isinstance(axis, int) and not isinstance(shift, int):
        axis = (axis,) * len(shift)
    if axis == () or x.size == 0:
        return _core.copy(x)
    return _core.roll(x, shift, axis)


def squeeze(x, /, axis=None):
    """Axes of extent 1 dropped."""
    return x[...] if axis == () else _core.squeeze(x, axis)


def tile(x, repetitions, /):
    """The whole array repeated along every axis."""
    return _core.tile(x, repetitions) if repetitions != () else _core.copy(x)


def broadcast_to(x, /, shape):
    """X repeated to SHAPE; a view."""
    return _core.broadcast_to(x, shape)


def broadcast_arrays(*arrays) -> tuple[Array, ...]:
    """Arrays broadcast to their common shape; views."""
    return tuple(_core.broadcast_arrays(arrays)) if arrays else ()


# ---- search and order ----

def argmax(x, /, *, axis=None, keepdims=False):
    """Index of the first largest element."""
    return _core.argmax(x, axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Index of the first smallest element."""
    return _core.argmin(x, axis, keepdims=keepdims)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """Indices that sort along an axis; always stable."""
    return _core.argsort(x, axis, descending=descending)


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """X in order along an axis; always stable."""
    return _core.sort(x, axis, descending=descending)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements are not 0."""
    return _core.count_nonzero(x, axis, keepdims=keepdims)


def nonzero(x, /) -> tuple[Array, ...]:
    """Indices of the elements that are not 0, one vector an axis."""
    if x.ndim == 0:
        raise ValueError("nonzero: an array without axes has no indices")
    return tuple(_core.nonzero_axes(x))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """How many elements of X1, in order, come before each of X2."""
    if side not in ("left", "right"):
        raise ValueError(f'side is {side!r}; it can be "left" or "right"')
    if sorter is not None:
        x1 = _core.take(x1, sorter, 0)
    if isinstance(x2, numbers):
        x2 = asarray(x2, dtype=x1.dtype)
    common = _core.promote_types(x1.dtype, x2.dtype)
    return _core.searchsorted(_core.astype(x1, common), _core.astype(x2, common), side == "right")


UniqueAll = namedtuple("unique_all_result", "values indices inverse_indices counts")
UniqueCounts = namedtuple("unique_counts_result", "values counts")
UniqueInverse = namedtuple("unique_inverse_result", "values inverse_indices")


def unique_all(x, /) -> UniqueAll:
    """The different elements, where each comes first, which of them each element is, and how often each comes."""
    return UniqueAll(*_core.unique_with(x, every_nan=True))


def unique_counts(x, /) -> UniqueCounts:
    """The different elements, and how often each comes."""
    u = unique_all(x)
    return UniqueCounts(u.values, u.counts)


def unique_inverse(x, /) -> UniqueInverse:
    """The different elements, and which of them each element is."""
    u = unique_all(x)
    return UniqueInverse(u.values, u.inverse_indices)


def unique_values(x, /):
    """The different elements, in order."""
    return unique_all(x).values


def isin(x1, x2, /, *, invert=False):
    """Is each element of X1 among those of X2?"""
    if isinstance(x1, numbers):
        x1 = asarray(x1, dtype=x2.dtype)
    elif isinstance(x2, numbers):
        x2 = asarray(x2, dtype=x1.dtype)
    r = _core.isin(x1, x2)
    return ~r if invert else r


# ---- statistics ----

def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """Sum over axes."""
    return _core.sum(x, axis, dtype=dtype, keepdims=keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """Product over axes."""
    return _core.prod(x, axis, dtype=dtype, keepdims=keepdims)


def mean(x, /, *, axis=None, dtype=None, keepdims=False):
    """Arithmetic mean over axes."""
    return _core.mean(x, axis, dtype=dtype, keepdims=keepdims)


def max(x, /, *, axis=None, keepdims=False):
    """Largest element; NaN wins."""
    return _core.max(x, axis, keepdims=keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """Smallest element; NaN wins."""
    return _core.min(x, axis, keepdims=keepdims)


def all(x, /, *, axis=None, keepdims=False):
    """Is every element not 0?"""
    return _core.all(x, axis, keepdims=keepdims)


def any(x, /, *, axis=None, keepdims=False):
    """Is some element not 0?"""
    return _core.any(x, axis, keepdims=keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Mean of the squared distances from the mean, over n - CORRECTION."""
    return _core.var(x, axis, correction=correction, keepdims=keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Square root of the variance."""
    return _core.std(x, axis, correction=correction, keepdims=keepdims)


def cumulative(op, x, axis, dtype, include_initial):
    x = asarray(x)
    if axis is None and x.ndim > 1:
        raise ValueError(f"the axis must be given, as the array has {x.ndim}")
    return op(x, axis, dtype=dtype, initial=include_initial)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Sums of the first elements along an axis; INCLUDE_INITIAL puts the sum of none in front."""
    return cumulative(_core.cumsum, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Products of the first elements along an axis; INCLUDE_INITIAL puts the product of none in front."""
    return cumulative(_core.cumprod, x, axis, dtype, include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Differences of neighbours along an axis, N times; PREPEND and APPEND are joined to X before."""
    parts = [a for a in (prepend, x, append) if a is not None]
    return _core.diff(parts[0] if len(parts) == 1 else _core.concatenate(parts, axis), n, axis)


def quantile(x, q, /, axis=None, *, method="linear", keepdims=False, omit_nan=False):
    """Values at ranks Q in [0, 1]; several Q give a leading axis."""
    r = _core.quantile(x, q, axis, method=method, keepdims=keepdims, omit_nan=omit_nan)
    return r[0] if isinstance(q, (int, float)) else r


def percentile(x, q, /, axis=None, *, method="linear", keepdims=False, omit_nan=False):
    """quantile at Q / 100."""
    r = _core.percentile(x, q, axis, method=method, keepdims=keepdims, omit_nan=omit_nan)
    return r[0] if isinstance(q, (int, float)) else r


# ---- inspection ----

class Info:
    """What the namespace can do: __array_namespace_info__() of the array API."""

    def capabilities(self) -> "dict[str, Any]":
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": _core.MAX_NDIM}

    def default_device(self) -> str:
        return Device(_core.empty((0,)).space)

    def devices(self) -> tuple[str, ...]:
        return tuple(map(Device, ("host", *(d for d in _core.devices() if ":" in d))))

    def default_dtypes(self, *, device=None) -> dict[str, DType]:
        return {"real floating": default_dtype(0.0), "complex floating": default_dtype(0j), "integral": default_dtype(0),
                "indexing": _core.int64}

    def dtypes(self, *, device=None, kind=None) -> dict[str, DType]:
        every = [getattr(_core, name) for name in
                 """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128""".split()]
        return {t.name: t for t in every if kind is None or isdtype(t, kind)}


def __array_namespace_info__() -> Info:
    """The array API's inspection interface."""
    return Info()
