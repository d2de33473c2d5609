# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions on Heddle's arrays: the one table of what is taken over, and with which parameters.

A function here has NumPy's name and the first of NumPy's positional parameters in NumPy's order; what it does not list, or what it
gives to refuse(), is refused by its name (or goes to NumPy on host memory, where that was allowed): _numpy.py.
"""

from . import _core
from ._core import Array


class Refused(TypeError):
    """A value of a parameter that Heddle does not have."""


def refuse(parameter, value):
    raise Refused(f"{parameter}={value!r} is not taken for Heddle's arrays")


FUNCTIONS, FFT, LINALG = {}, {}, {}
MODULES = {"numpy": FUNCTIONS, "numpy.fft": FFT, "numpy.linalg": LINALG}


def numpys(function, *names, table=FUNCTIONS):
    """FUNCTION is NumPy's of that name, or of NAMES."""
    for name in names or (function.__name__,):
        table[name] = function
    return function


# ---- dtypes and casting, NumPy's words for them ----

PYTHONS = {bool: _core.bool, int: _core.int64, float: _core.float64, complex: _core.complex128}


def dtype_of(dtype):
    """A DType for one of NumPy's words: float is float64 there, "i4" int32."""
    if dtype is None or isinstance(dtype, _core.DType):
        return dtype
    if isinstance(dtype, type) and dtype in PYTHONS:
        return PYTHONS[dtype]
    import numpy
    try:
        return _core.dtype(numpy.dtype(dtype).name)
    except TypeError:
        return refuse("dtype", dtype)


def can_cast(from_, to, casting="safe"):
    """numpy.can_cast between DTypes, of which NumPy may lack one."""
    import numpy
    try:
        return from_ == to or numpy.can_cast(from_.dtype, to.dtype, casting)
    except AttributeError:
        return casting == "unsafe" or _core.promote_types(from_, to) == to


def cast(x, dtype, casting, parameter="casting"):
    """X as DTYPE, by NumPy's rule CASTING."""
    if not can_cast(x.dtype, dtype, casting):
        raise TypeError(f"{parameter}: {x.dtype} does not become {dtype} by casting {casting!r}")
    return _core.astype(x, dtype)


def finish(result, out, dtype=None):
    """What dtype= and out= of a function ask of its result."""
    if dtype is not None:
        result = _core.astype(result, dtype)
    if out is None:
        return result
    if not isinstance(out, Array):
        return refuse("out", out)
    if out.shape != result.shape:
        raise ValueError(f"out: its shape is {out.shape}, the result's {result.shape}")
    out[...] = cast(result, out.dtype, "same_kind", "out")
    return out


def as_array(x):
    return x if isinstance(x, Array) else _core.asarray(x)


def device_of(device):
    return "host" if device == "cpu" else device
