# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions that are made of Heddle's others, for the table: grids, windows, polynomials, interpolation, editing."""

import builtins
import math

from . import _array_api as xp
from . import _core, linalg
from . import _numpy_values  # noqa: F401  (it fills the table first)
from ._core import Array
from ._numpy_table import FUNCTIONS, LINALG, Refused, as_array, finish, numpys, refuse


def floating(x):
    """X in a floating-point type: NumPy's float64 for integers."""
    x = as_array(x)
    return x if x.dtype.kind in "fc" else _core.astype(x, _core.float64)


# ---- grids and places ----

@numpys
def ix_(*args):
    axes = []
    for k, a in enumerate(args):
        a = as_array(a)
        if a.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        a = _core.flatnonzero(a) if a.dtype.kind == "b" else a if a.size else _core.astype(a, _core.int64)
        axes.append(_core.reshape(a, (1,) * k + (-1,) + (1,) * (len(args) - k - 1)))
    return tuple(axes)


@numpys
def lexsort(keys, axis=-1):
    keys = [as_array(k) for k in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if keys[0].ndim == 0:
        return _core.zeros((), _core.int64)
    order = xp.argsort(keys[0], axis=axis)
    for key in keys[1:]:   # each sort keeps the order of those before it
        order = xp.take_along_axis(order, xp.argsort(xp.take_along_axis(key, order, axis=axis), axis=axis), axis=axis)
    return order


@numpys
def digitize(x, bins, right=False):
    return _core.digitize(as_array(x), as_array(bins), bool(right))


@numpys
def unravel_index(indices, shape, order="C"):
    if order != "C":
        refuse("order", order)
    return tuple(_core.unravel_index(as_array(indices), shape))


@numpys
def choose(a, choices, out=None, mode="raise"):
    if mode != "raise":
        refuse("mode", mode)
    return finish(_core.choose(as_array(a), [as_array(c) for c in choices]), out)


@numpys
def interp(x, xp, fp, left=None, right=None, period=None):   # noqa: A002
    if period is not None:
        refuse("period", period)
    x, at, values = floating(x), _core.astype(as_array(xp), _core.float64), floating(fp)
    if at.ndim != 1 or at.shape != values.shape or at.size == 0:
        raise ValueError(f"xp and fp: shapes {at.shape} and {values.shape}; they are vectors of one length, which is not 0")
    if not increases(at):
        raise Refused("xp: it does not increase")
    x = _core.astype(x, _core.float64)
    values = _core.astype(values, _core.complex128 if values.dtype.kind == "c" else _core.float64)
    if at.size == 1:
        inside = _core.broadcast_to(values, x.shape) if x.ndim else values[0]
    else:
        k = _core.minimum(_core.maximum(searched(at, x) - 1, 0), at.size - 2)
        x0, y0 = _core.take(at, k, 0), _core.take(values, k, 0)
        inside = y0 + (_core.take(values, k + 1, 0) - y0) / (_core.take(at, k + 1, 0) - x0) * (x - x0)
    inside = _core.where(_core.less(x, at[0]), values[0] if left is None else left, inside)
    inside = _core.where(_core.greater(x, at[-1]), values[-1] if right is None else right, inside)
    return _core.where(_core.equal(x, at[-1]), values[-1], inside)


def increases(x):
    return bool(xp.all(_core.greater(_core.diff(x, 1, 0), 0)))


def searched(at, x):
    return xp.searchsorted(at, x, side="right")


# ---- along an axis ----

def parted(op, whole):
    def call(a, kth, axis=-1, kind="introselect", order=None):
        if kind != "introselect" or order is not None:
            refuse("kind", kind) if order is None else refuse("order", order)
        a = as_array(a)
        a, axis = (_core.ravel(a), -1) if axis is None else (a, axis)
        return op(a, kth, axis) if isinstance(kth, int) else whole(a, axis=axis)   # all in order: so are several places
    return call


for _name, _whole in (("partition", xp.sort), ("argpartition", xp.argsort)):
    numpys(parted(getattr(_core, _name), _whole), _name)


def spacing(x, dx, y, axis):
    """Distances of neighbours along AXIS, in shape to multiply with."""
    if x is None:
        return dx
    d = _core.diff(as_array(x), 1, -1 if as_array(x).ndim == 1 else axis)
    return _core.reshape(d, (-1,) + (1,) * (y.ndim - 1 - axis % y.ndim)) if d.ndim == 1 else d


@numpys
def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = as_array(y)
    before = (slice(None),) * (axis % y.ndim)
    add = _core.logical_or if y.dtype.kind == "b" else _core.add
    pairs = floating(add(y[(*before, slice(1, None))], y[(*before, slice(None, -1))]))
    return xp.sum(spacing(x, dx, y, axis) * pairs / 2.0, axis=axis)


@numpys
def gradient(f, *varargs, axis=None, edge_order=1):
    f = floating(f)
    axes = tuple(range(f.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    given = varargs * len(axes) if len(varargs) == 1 and not hasattr(varargs[0], "__len__") else varargs
    if given and len(given) != len(axes):
        raise TypeError(f"invalid number of arguments: {len(varargs)} spacings for {len(axes)} axes")
    numbers = [isinstance(h, (int, float)) for h in given]
    if any(numbers) and not all(numbers):
        refuse("varargs", varargs)
    words = {"spacing": [float(h) for h in given]} if any(numbers) else {"coordinates": [as_array(h) for h in given]} if given else {}
    parts = _core.gradient(f, axes=axes, edge_order=edge_order, **words)
    return parts[0] if len(axes) == 1 else tuple(parts)


@numpys
def sinc(x):
    return _core.sinc(floating(x))


@numpys
def ediff1d(ary, to_end=None, to_begin=None):
    ary = _core.ravel(as_array(ary))
    parts = [_core.astype(_core.ravel(as_array(p)), ary.dtype) if p is not None else None for p in (to_begin, to_end)]
    d = _core.diff(ary, 1, 0) if ary.size else ary
    return xp.concat([p for p in (parts[0], d, parts[1]) if p is not None])


@numpys
def unwrap(p, discont=None, axis=-1, *, period=math.tau):
    p = floating(p)
    if p.dtype.kind == "c" or isinstance(period, int):
        refuse("period", period)
    half, d = period / 2, _core.diff(p, 1, axis)
    wrapped = _core.mod(d + half, period) - half
    wrapped = _core.where(_core.logical_and(_core.equal(wrapped, -half), _core.greater(d, 0)), half, wrapped)
    jumps = _core.where(_core.less(_core.abs(d), builtins.max(half, half if discont is None else discont)), 0.0, wrapped - d)
    start = (slice(None),) * (axis % p.ndim) + (slice(0, 1),)
    return p + xp.concat([xp.zeros_like(p[start]), _core.cumsum(jumps, axis)], axis=axis)


for _name in ("cumsum", "cumprod"):
    numpys(lambda a, axis=None, dtype=None, out=None, *, op=FUNCTIONS[_name], neutral=float(_name == "cumprod"): op(
        _core.where(_core.isnan(as_array(a)), neutral, a) if as_array(a).dtype.kind in "fc" else a, axis, dtype, out),
        "nan" + _name)


# ---- windows: of a number of points ----

def window(name, weights):
    def made(M):
        if M < 1:
            return _core.zeros(0, _core.float64)
        if M == 1:
            return _core.ones(1, _core.float64)
        return weights(_core.arange(1 - M, M, 2, _core.float64), M)
    numpys(made, name)


window("hanning", lambda n, M: 0.5 + 0.5 * _core.cos(n * (math.pi / (M - 1))))
window("hamming", lambda n, M: 0.54 + 0.46 * _core.cos(n * (math.pi / (M - 1))))
window("blackman", lambda n, M: 0.42 + 0.5 * _core.cos(n * (math.pi / (M - 1))) + 0.08 * _core.cos(n * (2 * math.pi / (M - 1))))
window("bartlett", lambda n, M: _core.where(_core.less_equal(n, 0.0), 1 + n / (M - 1), 1 - n / (M - 1)))


# ---- polynomials: coefficients from the highest power on ----

@numpys
def polyval(p, x):
    p, x = as_array(p), as_array(x)
    y = _core.zeros(x.shape, x.dtype)
    for k in range(p.shape[0]):
        y = y * x + p[k]
    return y


@numpys
def vander(x, N=None, increasing=False):
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = x.size if N is None else N
    powers = [xp.ones_like(x)] if N else []
    while len(powers) < N:
        powers.append(powers[-1] * x)
    return _core.stack(powers if increasing else powers[::-1], 1) if N else _core.zeros((x.size, 0), x.dtype)


@numpys
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    if full or cov:
        refuse("full" if full else "cov", full or cov)
    x, y = _core.astype(as_array(x), _core.float64), floating(y)
    if deg < 0 or x.ndim != 1 or x.size == 0 or y.ndim not in (1, 2) or y.shape[0] != x.size:
        raise TypeError(f"x, y, deg: shapes {x.shape} and {y.shape}, degree {deg}; they are a vector, as many rows, and not below 0")
    y = _core.astype(y, xp.result_type(y, x))
    powers = vander(x, deg + 1)
    if w is not None:
        w = floating(w)
        powers, y = powers * w[:, None], y * (w if y.ndim == 1 else w[:, None])
    scale = _core.sqrt(xp.sum(powers * powers, axis=0))
    rcond = x.size * 2.0 ** -52 if rcond is None else rcond
    solved = LINALG["lstsq"](powers / scale, y, rcond)[0]
    return solved / (scale if y.ndim == 1 else scale[:, None])


# ---- editing ----

@numpys
def append(arr, values, axis=None):
    arr, values = as_array(arr), as_array(values)
    if axis is None:
        return xp.concat([_core.ravel(arr), _core.ravel(values)])
    return xp.concat([arr, values], axis=axis)


@numpys
def delete(arr, obj, axis=None):
    arr = as_array(arr)
    if axis is None:
        arr, axis = _core.ravel(arr), 0
    keep = _core.ones(arr.shape[axis], _core.bool)
    if isinstance(obj, (list, tuple)):
        obj = as_array(obj) if len(obj) else _core.zeros(0, _core.int64)
    keep[obj] = False
    return _core.take(arr, _core.flatnonzero(keep), axis)


@numpys
def resize(a, new_shape):
    new_shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    if any(n < 0 for n in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    a, n = _core.ravel(as_array(a)), math.prod(new_shape)
    if a.size == 0 or n == 0:
        return _core.zeros(new_shape, a.dtype)
    return _core.reshape(xp.tile(a, (-(-n // a.size),))[:n], new_shape)


@numpys
def array_equiv(a1, a2):
    try:
        a1, a2 = _core.broadcast_arrays([as_array(a1), as_array(a2)])
    except ValueError:
        return False
    return bool(xp.all(_core.equal(a1, a2)))


@numpys
def fill_diagonal(a, val, wrap=False):
    if wrap or not isinstance(a, Array):
        refuse("wrap" if wrap else "a", wrap or a)
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    at = _core.arange_int(0, builtins.min(a.shape), 1, _core.int64)
    if not isinstance(val, (bool, int, float, complex)):
        val = _core.ravel(as_array(val))
        val = xp.tile(val, (-(-at.size // val.size),))[:at.size]
    a[(at,) * a.ndim] = val


@numpys
def cond(x, p=None):
    x = floating(x)
    if x.size == 0 or p not in (None, 2, -2):
        refuse("p", p)
    s = linalg.svdvals(x)
    return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]


LINALG["cond"] = FUNCTIONS.pop("cond")
