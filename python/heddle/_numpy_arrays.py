# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions that make, copy, join, divide and arrange arrays, for the table."""

import builtins
import math

from . import _array_api as xp
from . import _core
from ._core import Array
from ._numpy_table import as_array, can_cast, cast, device_of, dtype_of, finish, numpys, refuse

# ---- order: elements in memory ----

def nesting(x):
    """The axes of X from the widest stride to the narrowest."""
    return tuple(sorted(range(x.ndim), key=lambda k: -abs(x.strides[k])))


def axes_of(order, x):
    """Axes from the outermost to the innermost in memory, for ORDER and an array like X."""
    if order is None or order not in ("C", "F", "A", "K"):
        return refuse("order", order)
    forward = tuple(range(x.ndim))
    if order == "K":
        return nesting(x)
    in_fortran_order = _core.transpose(x).is_contiguous and not x.is_contiguous
    return forward[::-1] if order == "F" or order == "A" and in_fortran_order else forward


def laid_out(axes, shape, make):
    """What MAKE makes, of SHAPE, with AXES from the outermost to the innermost."""
    if axes == tuple(range(len(shape))):
        return make(shape)
    return _core.transpose(make(tuple(shape[k] for k in axes)), sorted(axes, key=axes.__getitem__))


def copied(x, order):
    axes = axes_of(order, x)
    return laid_out(axes, x.shape, lambda shape: _core.copy(_core.transpose(x, axes) if x.ndim else x))


@numpys
def copy(a, order="K", subok=False):
    return copied(a, order)


@numpys
def ravel(a, order="C"):
    axes = axes_of(order, a)
    return _core.ravel(_core.transpose(a, axes) if a.ndim else a)


@numpys
def reshape(a, shape, order="C", *, copy=None):
    in_fortran_order = axes_of(order, a) != tuple(range(a.ndim)) if order == "A" else order == "F"
    if order not in ("C", "F", "A"):
        refuse("order", order)
    if not in_fortran_order:
        return xp.reshape(a, shape, copy=copy)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return _core.transpose(xp.reshape(_core.transpose(a), shape[::-1], copy=copy))


# ---- creation ----

def shaped_like(make, fill):
    def made(a, dtype, order, shape, device, *value):
        wanted = a.dtype if dtype is None else dtype_of(dtype)
        if shape is None:
            axes, shape = axes_of(order, a), a.shape
        else:
            shape = (shape,) if isinstance(shape, int) else tuple(shape)
            axes = tuple(range(len(shape)))
            if order == "F" or order == "A" and axes_of("A", a) != tuple(range(a.ndim)):
                axes = axes[::-1]
            elif order == "K" and len(shape) == a.ndim:
                axes = nesting(a)
        device = device_of(device) or a.space
        x = laid_out(axes, shape, lambda s: make(s, dtype=wanted, device=device))
        if value:
            x[...] = value[0]
        return x
    if fill:
        return lambda a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None: made(
            a, dtype, order, shape, device, fill_value)
    return lambda a, dtype=None, order="K", subok=True, shape=None, *, device=None: made(a, dtype, order, shape, device)

for _name in ("zeros", "ones"):
    numpys(shaped_like(getattr(xp, _name), False), _name + "_like")
numpys(lambda prototype, dtype=None, order="K", subok=True, shape=None, *, device=None, f=shaped_like(xp.empty, False): f(
    prototype, dtype, order, subok, shape, device=device), "empty_like")
numpys(shaped_like(xp.empty, True), "full_like")


def ordered(shape, order, make):
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    if order not in ("C", "F"):
        refuse("order", order)
    axes = tuple(range(len(shape)))
    return laid_out(axes[::-1] if order == "F" else axes, shape, make)


def of_shape(make):
    def made(shape, dtype=float, order="C", *, device=None, like=None):
        return ordered(shape, order, lambda s: make(s, dtype=dtype_of(dtype), device=device_of(device)))
    return made


for _name in ("zeros", "ones", "empty"):
    numpys(of_shape(getattr(xp, _name)), _name)


@numpys
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    value = as_array(fill_value)
    wanted = value.dtype if dtype is None else dtype_of(dtype)
    x = ordered(shape, order, lambda s: xp.empty(s, dtype=wanted, device=device_of(device)))
    x[...] = fill_value
    return x


@numpys
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    x = xp.asarray(object, dtype=dtype_of(dtype), copy=True if copy and not isinstance(object, Array) else None if copy is not False
                   else False)
    if copy and isinstance(object, Array):
        x = copied(x, order)
    else:
        x = in_order(x, order)
    return _core.reshape(x, (1,) * (ndmin - x.ndim) + x.shape) if ndmin > x.ndim else x


def in_order(x, order):
    """X, or a copy where ORDER asks for another layout."""
    if order in (None, "K", "A") or x.is_contiguous and order == "C" or _core.transpose(x).is_contiguous and order == "F":
        return x
    return copied(x, order)


@numpys
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    x = xp.asarray(a, dtype=dtype_of(dtype), device=device_of(device), copy=copy)
    y = in_order(x, order)
    if y is not x and copy is False:
        raise ValueError("asarray: this order cannot be had without a copy")
    return y


numpys(asarray, "asanyarray")


@numpys
def arange(start_or_stop, /, stop=None, step=1, dtype=None, *, device=None, like=None):
    return xp.arange(start_or_stop, stop, step, dtype=dtype_of(dtype), device=device_of(device))


@numpys
def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    if order == "F":
        return _core.transpose(xp.eye(N if M is None else M, N, k=-k, dtype=dtype_of(dtype), device=device_of(device)))
    if order != "C":
        refuse("order", order)
    return xp.eye(N, M, k=k, dtype=dtype_of(dtype), device=device_of(device))


@numpys
def identity(n, dtype=None, *, like=None):
    return eye(n, dtype=float if dtype is None else dtype)


@numpys
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    ends = [v.item() if isinstance(v, Array) and v.ndim == 0 else v for v in (start, stop)]
    for parameter, v in zip(("start", "stop"), ends):
        if not isinstance(v, (int, float, complex)):
            refuse(parameter, v)
    wanted = dtype_of(dtype)
    if wanted is not None and wanted.kind in "iu":   # rounded down
        x = _core.astype(_core.floor(xp.linspace(*ends, num, dtype=_core.float64, endpoint=endpoint)), wanted)
    else:
        x = xp.linspace(*ends, num, dtype=wanted, endpoint=endpoint, device=device_of(device))
    gaps = num - bool(endpoint)
    return (x, (ends[1] - ends[0]) / gaps if gaps > 0 else math.nan) if retstep else x


@numpys
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if not sparse:
        return xp.meshgrid(*xi, indexing=indexing)
    n, grid = len(xi), []
    for k, x in enumerate(xi):
        at = 1 - k if indexing == "xy" and k < 2 and n > 1 else k
        x = _core.reshape(as_array(x), (1,) * at + (-1,) + (1,) * (n - 1 - at))
        grid.append(_core.copy(x) if copy else x)
    return tuple(grid)


numpys(lambda v, k=0: _core.diag(v, k), "diag")
numpys(lambda m, k=0: xp.tril(m, k=k), "tril")
numpys(lambda m, k=0: xp.triu(m, k=k), "triu")


# ---- joining, dividing, moving ----

def joined(op, arrays, axis, out, dtype, casting):
    arrays = [as_array(a) for a in arrays]
    wanted = dtype_of(dtype)
    if out is not None and dtype is not None:
        raise TypeError("only one of out and dtype can be given")
    if out is not None:
        wanted = out.dtype if isinstance(out, Array) else refuse("out", out)
    if arrays and (wanted is not None or casting != "same_kind"):
        wanted = xp.result_type(*arrays) if wanted is None else wanted
        arrays = [cast(a, wanted, casting) for a in arrays]
    return finish(op(arrays, axis), out)


@numpys
def concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return joined(lambda a, k: xp.concat(a, axis=k), arrays, axis, out, dtype, casting)


numpys(concatenate, "concat")


@numpys
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return joined(_core.stack, arrays, axis, out, dtype, casting)


@numpys
def vstack(tup, *, dtype=None, casting="same_kind"):
    return joined(lambda a, k: _core.vstack(a), tup, None, None, dtype, casting)


@numpys
def hstack(tup, *, dtype=None, casting="same_kind"):
    return joined(lambda a, k: _core.hstack(a), tup, None, None, dtype, casting)


@numpys
def column_stack(tup):
    return xp.concat([_core.reshape(a, (-1, 1)) if a.ndim < 2 else a for a in map(as_array, tup)], axis=1)


numpys(lambda tup: _core.dstack(tup), "dstack")
numpys(lambda a, axes=None: _core.transpose(a, axes), "transpose")
numpys(lambda a, axis1, axis2: _core.swapaxes(a, axis1, axis2), "swapaxes")
numpys(lambda a, source, destination: xp.moveaxis(a, source, destination), "moveaxis")
numpys(lambda a, axis: xp.expand_dims(a, axis=axis), "expand_dims")
numpys(lambda a, axis=None: xp.squeeze(a, axis), "squeeze")
numpys(lambda x, /: _core.matrix_transpose(x), "matrix_transpose")
numpys(lambda m, axis=None: xp.flip(m, axis=axis), "flip")
numpys(lambda m: xp.flip(m, axis=1), "fliplr")
numpys(lambda m: xp.flip(m, axis=0), "flipud")
numpys(lambda m, k=1, axes=(0, 1): _core.rot90(m, k, *axes), "rot90")
numpys(lambda A, reps: xp.tile(A, reps), "tile")
numpys(lambda a, repeats, axis=None: xp.repeat(a, repeats, axis=axis), "repeat")
numpys(lambda array, shape, subok=False: xp.broadcast_to(array, shape), "broadcast_to")
numpys(lambda *args, subok=False: xp.broadcast_arrays(*args), "broadcast_arrays")
numpys(lambda a: a.shape, "shape")
numpys(lambda a: a.ndim, "ndim")
numpys(lambda x, dtype, /, *, copy=True, device=None: xp.astype(x, dtype_of(dtype), copy=copy, device=device_of(device)), "astype")


@numpys
def size(a, axis=None):
    return a.size if axis is None else a.shape[axis] if isinstance(axis, int) else math.prod(a.shape[k] for k in axis)


@numpys
def rollaxis(a, axis, start=0):
    n = a.ndim
    axis, start = axis + n * (axis < 0), start + n * (start < 0)
    return xp.moveaxis(a, axis, start - (axis < start))


@numpys
def roll(a, shift, axis=None):
    if axis is None and not isinstance(shift, int):
        return xp.roll(a, builtins.sum(int(s) for s in as_array(shift).tolist()), axis=None)
    return xp.roll(a, shift, axis=axis)


def divided(ary, parts, axis):
    return _core.split_sections(ary, parts, axis) if isinstance(parts, int) else _core.split_indices(ary, parts, axis)


numpys(lambda ary, indices_or_sections, axis=0: divided(ary, indices_or_sections, axis), "split")
numpys(lambda ary, indices_or_sections, axis=0: _core.array_split(ary, indices_or_sections, axis)
       if isinstance(indices_or_sections, int) else divided(ary, indices_or_sections, axis), "array_split")
for _name, _axis, _least in (("vsplit", 0, 2), ("dsplit", 2, 3)):
    numpys(lambda ary, indices_or_sections, axis=_axis: divided(ary, indices_or_sections, axis), _name)
numpys(lambda ary, indices_or_sections: divided(ary, indices_or_sections, 1 if ary.ndim > 1 else 0), "hsplit")
for _n in (1, 2, 3):
    def at_least(*arys, n=_n):
        made = [_core.atleast_nd(as_array(a), n) for a in arys]
        if n == 3:   # an axis on each side of a vector, one behind a matrix
            made = [_core.reshape(a, (1, a.size, 1) if a.ndim == 1 else a.shape + (1,)) if a.ndim in (1, 2) else m
                    for a, m in zip(map(as_array, arys), made)]
        return made[0] if len(made) == 1 else tuple(made)
    numpys(at_least, f"atleast_{_n}d")


@numpys
def pad(array, pad_width, mode="constant", *, constant_values=0):
    import numpy
    if not isinstance(mode, str):
        refuse("mode", mode)
    width = numpy.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    values = numpy.asarray(constant_values)
    if values.size == 1 or mode != "constant":
        try:
            return _core.pad_with(array, [w[0] for w in width], [w[1] for w in width], mode, values.reshape(-1)[0].item())
        except ValueError as error:
            if str(error).startswith("mode"):
                refuse("mode", mode)
            raise
    values = numpy.broadcast_to(values, (array.ndim, 2)).tolist()
    shape = tuple(n + a + b for n, (a, b) in zip(array.shape, width))
    x = _core.empty(shape, array.dtype)
    inner = [slice(a, a + n) for n, (a, _) in zip(array.shape, width)]
    x[tuple(inner)] = array
    for k, ((a, b), (first, last)) in enumerate(zip(width, values)):   # a later axis has the corners
        around = [slice(None)] * k, inner[k + 1:]
        x[(*around[0], slice(0, a), *around[1])] = first
        x[(*around[0], slice(shape[k] - b, None), *around[1])] = last
    return x


# ---- dtypes and memory ----

numpys(lambda *arrays_and_dtypes: xp.result_type(*arrays_and_dtypes), "result_type")
numpys(lambda from_, to, casting="safe": can_cast(xp.dtype_of(from_), dtype_of(to), casting), "can_cast")
numpys(lambda a, b, max_work=None: _core.shares_memory(as_array(a), as_array(b)), "may_share_memory")
