# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy asks of arrays that are not its own: __array__, __array_ufunc__, __array_function__.

Functions of NumPy that get a Heddle array go to Heddle, or are refused: nothing is converted behind the caller's back.
"""

from . import _array_api as xp
from . import _core, fft, linalg
from ._core import Array


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


# ---- universal functions ----

REDUCTIONS = {"add": xp.sum, "multiply": xp.prod, "maximum": xp.max, "minimum": xp.min, "logical_and": xp.all,
              "logical_or": xp.any}


def finish(result, out, where, dtype):
    """What out=, where= and dtype= of a universal function ask of its result."""
    if dtype is not None:
        result = _core.astype(result, dtype)
    if out is None:
        return result
    if where is not True:
        result = _core.where(where, result, out)
    out[...] = result
    return out


def computed_in(ufunc, inputs, dtype):
    """INPUTS in DTYPE, which NumPy computes in; None where UFUNC has no loop of that type alone, or its rule of casting forbids it."""
    import numpy
    dtype = numpy.dtype(dtype)
    if f"{dtype.char * ufunc.nin}->{dtype.char * ufunc.nout}" not in ufunc.types:
        return None
    arrays = [_core.asarray(x) if isinstance(x, numpy.ndarray) else x for x in inputs]
    if not all(numpy.can_cast(x.dtype.dtype, dtype, "same_kind") for x in arrays if isinstance(x, Array)):
        return None
    return [_core.astype(x, dtype) if isinstance(x, Array) else x for x in arrays]


def __array_ufunc__(self, ufunc, method, *inputs, out=None, where=True, dtype=None, **options):
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if out is not None and not isinstance(out, Array):
        return NotImplemented
    if method == "__call__":
        op = getattr(_core, ufunc.__name__, None)
        casting = options.pop("casting", "same_kind")
        if op is None or options or ufunc.nin > 2 or ufunc.nout != (2 if ufunc.__name__ == "divmod" else 1):
            return NotImplemented
        if where is not True and out is None or casting != "same_kind":
            return NotImplemented
        if dtype is not None:
            inputs = computed_in(ufunc, inputs, dtype)
        return NotImplemented if inputs is None else finish(op(*inputs), out, where, None)
    if method == "reduce" and ufunc.__name__ in REDUCTIONS:
        return reduce(REDUCTIONS[ufunc.__name__], inputs[0], out, where, dtype, **options)
    return NotImplemented


def reduce(op, x, out, where, dtype, axis=0, keepdims=False, initial=None):
    if initial is not None or where is not True:
        return NotImplemented
    words = {"dtype": dtype} if dtype is not None and op in (xp.sum, xp.prod) else {}
    return finish(op(x if dtype is None else _core.astype(x, dtype), axis=axis, keepdims=keepdims, **words), out, True, None)


# ---- functions: NumPy's names and words ----

def ignoring(function, *words):
    """FUNCTION, to which some of NumPy's words mean nothing."""
    def call(*args, **kwargs):
        for word in words:
            kwargs.pop(word, None)
        return function(*args, **kwargs)
    return call


def reduction(function, correction=False):
    def call(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, **rest):
        rest = {k: v for k, v in rest.items() if v is not None and type(v).__name__ != "_NoValueType"}
        if rest:
            raise TypeError(f"Heddle does not know {', '.join(rest)} here")
        words = {"keepdims": keepdims is True}
        if correction:
            words["correction"] = ddof
        r = function(a if dtype is None else _core.astype(a, dtype), axis=axis, **words)
        return finish(r, out, True, dtype)
    return call


def axis_second(function):
    def call(a, axis=None, out=None, **words):
        return finish(function(a, axis=axis, **words), out, True, None)
    return call


def shaped(function):
    """zeros_like and its family: shape= and dtype= may be given."""
    def call(a, *args, dtype=None, order=None, subok=None, shape=None, device=None):
        if shape is not None:
            base = {xp.zeros_like: xp.zeros, xp.ones_like: xp.ones, xp.empty_like: xp.empty, xp.full_like: xp.full}[function]
            return base(shape, *args, dtype=a.dtype if dtype is None else dtype)
        return function(a, *args, dtype=dtype)
    return call


def made_like(function):
    """A function of NumPy that is asked for by like=: the prototype goes."""
    def call(*args, like=None, order=None, **words):
        return function(*args, **words)
    return call


def array(obj, dtype=None, *, copy=True, ndmin=0, **ignored):
    x = xp.asarray(obj, dtype=dtype, copy=True if copy else None)
    return _core.atleast_nd(x, ndmin) if ndmin else x


def split(x, parts, axis=0):
    return _core.split_sections(x, parts, axis) if isinstance(parts, int) else _core.split_indices(x, parts, axis)


def pad(x, pad_width, mode="constant", constant_values=0):
    import numpy
    width = numpy.broadcast_to(pad_width, (x.ndim, 2)).tolist()
    return _core.pad_with(x, [w[0] for w in width], [w[1] for w in width], mode, constant_values)


def unique(x, return_index=False, return_inverse=False, return_counts=False, **ignored):
    u = xp.unique_all(x)
    chosen = [u.values] + [r for r, wanted in zip(u[1:], (return_index, return_inverse, return_counts)) if wanted]
    return chosen[0] if len(chosen) == 1 else tuple(chosen)


def array_equal(a1, a2, equal_nan=False):
    if a1.shape != a2.shape:
        return False
    return bool(_core.all((a1 == a2) | (a1 != a1) & (a2 != a2) if equal_nan else a1 == a2))


FUNCTIONS = {
    "concatenate": lambda arrays, axis=0, out=None, **w: finish(xp.concat(arrays, axis=axis), out, True, w.get("dtype")),
    "stack": lambda arrays, axis=0, out=None, **w: finish(xp.stack(arrays, axis=axis), out, True, None),
    "vstack": ignoring(_core.vstack, "dtype", "casting"),
    "hstack": ignoring(_core.hstack, "dtype", "casting"), "dstack": _core.dstack,
    "transpose": lambda a, axes=None: _core.transpose(a, axes), "swapaxes": _core.swapaxes,
    "moveaxis": xp.moveaxis, "expand_dims": lambda a, axis: xp.expand_dims(a, axis=axis),
    "squeeze": lambda a, axis=None: xp.squeeze(a, axis), "ravel": ignoring(_core.ravel, "order"),
    "reshape": lambda a, shape=None, order="C", **w: xp.reshape(a, w.get("newshape", shape)),
    "broadcast_to": ignoring(xp.broadcast_to, "subok"),
    "broadcast_arrays": ignoring(xp.broadcast_arrays, "subok"), "flip": lambda m, axis=None: xp.flip(m, axis=axis),
    "roll": lambda a, shift, axis=None: xp.roll(a, shift, axis=axis), "rot90": _core.rot90, "tile": xp.tile,
    "repeat": lambda a, repeats, axis=None: xp.repeat(a, repeats, axis=axis), "split": split, "pad": pad,
    "array_split": lambda a, n, axis=0: _core.array_split(a, n, axis) if isinstance(n, int) else split(a, n, axis),
    "atleast_1d": lambda x: _core.atleast_nd(x, 1), "atleast_2d": lambda x: _core.atleast_nd(x, 2),
    "copy": ignoring(_core.copy, "order", "subok"), "shape": lambda a: a.shape, "ndim": lambda a: a.ndim,
    "size": lambda a, axis=None: a.size if axis is None else a.shape[axis], "astype": xp.astype,
    "sum": reduction(xp.sum), "prod": reduction(xp.prod), "mean": reduction(xp.mean), "var": reduction(xp.var, True),
    "std": reduction(xp.std, True), "max": reduction(xp.max), "min": reduction(xp.min), "amax": reduction(xp.max),
    "amin": reduction(xp.min), "all": reduction(xp.all), "any": reduction(xp.any), "argmax": axis_second(xp.argmax),
    "argmin": axis_second(xp.argmin), "count_nonzero": axis_second(xp.count_nonzero),
    "nansum": reduction(_core.nansum), "nanmean": reduction(_core.nanmean), "nanmax": reduction(_core.nanmax),
    "nanmin": reduction(_core.nanmin), "nanprod": reduction(_core.nanprod), "median": axis_second(_core.median),
    "cumsum": lambda a, axis=None, dtype=None, out=None: finish(_core.cumsum(a, axis, dtype=dtype), out, True, None),
    "cumprod": lambda a, axis=None, dtype=None, out=None: finish(_core.cumprod(a, axis, dtype=dtype), out, True, None),
    "diff": lambda a, n=1, axis=-1, **w: xp.diff(a, n=n, axis=axis, **w),
    "average": lambda a, axis=None, weights=None: _core.average(a, weights, axis),
    "sort": lambda a, axis=-1, **w: xp.sort(a, axis=axis), "argsort": lambda a, axis=-1, **w: xp.argsort(a, axis=axis),
    "searchsorted": lambda a, v, side="left", sorter=None: xp.searchsorted(a, v, side=side, sorter=sorter),
    "where": xp.where, "nonzero": xp.nonzero, "flatnonzero": _core.flatnonzero,
    "take": lambda a, indices, axis=None, out=None, **w: finish(xp.take(a, indices, axis=axis), out, True, None),
    "take_along_axis": lambda arr, indices, axis=-1: xp.take_along_axis(arr, indices, axis=axis),
    "unique": unique, "isin": lambda element, test, invert=False, **w: xp.isin(element, test, invert=invert),
    "clip": lambda a, a_min=None, a_max=None, out=None, **w: finish(xp.clip(a, w.get("min", a_min), w.get("max", a_max)),
                                                                    out, True, None),
    "round": lambda a, decimals=0, out=None: xp.round(a, decimals, out=out), "around": xp.round, "real": _core.real,
    "imag": _core.imag, "angle": lambda z, deg=False: _core.rad2deg(_core.angle(z)) if deg else _core.angle(z),
    "nan_to_num": lambda x, copy=True, nan=0.0, posinf=None, neginf=None: _core.nan_to_num(
        x, nan=nan, posinf=posinf or 0.0, neginf=neginf or 0.0),
    "isclose": _core.isclose, "allclose": _core.allclose, "array_equal": array_equal,
    "dot": lambda a, b, out=None: _core.dot(a, b, out=out),
    "tensordot": lambda a, b, axes=2: xp.tensordot(a, b, axes=axes), "inner": _core.inner, "vdot": _core.vdot, "kron": _core.kron,
    "outer": lambda a, b, out=None: finish(_core.outer([_core.ravel(a), _core.ravel(b)]), out, True, None),
    "einsum": lambda subscripts, *operands, out=None, **w: finish(xp.einsum(subscripts, *operands), out, True, None),
    "trace": lambda a, offset=0, axis1=0, axis2=1, dtype=None, out=None: finish(
        _core.matrix_trace(a, offset, axis1, axis2), out, True, dtype),
    "diagonal": _core.diagonal, "diag": _core.diag, "tril": lambda m, k=0: _core.tril(m, k), "triu": lambda m, k=0: _core.triu(m, k),
    "zeros_like": shaped(xp.zeros_like), "ones_like": shaped(xp.ones_like), "empty_like": shaped(xp.empty_like),
    "full_like": shaped(xp.full_like), "result_type": xp.result_type, "can_cast": ignoring(xp.can_cast, "casting"),
    "array": made_like(array), "asarray": made_like(ignoring(xp.asarray, "device")), "asanyarray": made_like(xp.asarray),
    "zeros": made_like(xp.zeros), "ones": made_like(xp.ones), "empty": made_like(xp.empty), "full": made_like(xp.full),
    "arange": made_like(xp.arange), "eye": made_like(lambda N, M=None, k=0, dtype=None, **w: xp.eye(N, M, k=k, dtype=dtype)),
    "meshgrid": ignoring(xp.meshgrid, "sparse", "copy"),
    "bincount": lambda x, weights=None, minlength=0: _core.bincount(x, weights, minlength),
    "may_share_memory": lambda a, b, max_work=None: _core.shares_memory(a, b), "iscomplexobj": lambda x: x.dtype.kind == "c",
}
FFT = {name: getattr(fft, name) for name in "fftshift ifftshift".split()}
FFT.update({name: lambda a, n=None, axis=-1, norm=None, out=None, f=getattr(fft, name): finish(
    f(a, n=n, axis=axis, norm=norm or "backward"), out, True, None) for name in "fft ifft rfft irfft hfft ihfft".split()})
FFT.update({name: lambda a, s=None, axes=None, norm=None, out=None, f=getattr(fft, name): finish(
    f(a, s=s, axes=axes, norm=norm or "backward"), out, True, None)
    for name in "fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2".split()})
LINALG = {name: getattr(linalg, name) for name in "inv det eig eigh eigvals eigvalsh slogdet svd qr cholesky solve norm".split()}
LINALG["svd"] = lambda a, full_matrices=True, compute_uv=True, hermitian=False: linalg.svd(
    a, full_matrices=full_matrices, compute_uv=compute_uv)
LINALG["qr"] = lambda a, mode="reduced": linalg.qr(a, mode=mode)
MODULES = {"numpy": FUNCTIONS, "numpy.fft": FFT, "numpy.linalg": LINALG}


def __array_function__(self, function, types, args, kwargs):
    ours = MODULES.get(function.__module__, {}).get(function.__name__)
    if ours is None:
        return NotImplemented
    return ours(*args, **kwargs)


Array.__array_priority__ = 1000   # above NumPy's arrays and matrices: Dask compares it
for _function in (__array__, __array_ufunc__, __array_function__):
    setattr(Array, _function.__name__, _function)
