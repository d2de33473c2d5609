# SPDX-License-Identifier: BSD-3-Clause
"""Conveniences of Array that are written in Python."""

import html
import pickle

from . import _array_api as xp
from . import _core
from ._core import Array
from ._numpy_table import FUNCTIONS

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def method(function, name=None):
    setattr(Array, name or function.__name__, function)
    return function


@method
def __array_namespace__(self, *, api_version=None) -> "Any":
    """This package, for code that is written for the array API."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"array API {api_version} is not supported; {', '.join(VERSIONS)} are")
    import heddle
    return heddle


@method
def to_device(self, device, /, *, stream=None):
    """Moved to a device: "host", "cuda:0"."""
    if stream is not None:
        raise ValueError("to_device: streams are not taken; see the manual on devices")
    return self if device == self.space else self.to(device)


@method
def reshape(self, *shape, copy=None):
    """The same elements in another shape; a view where possible."""
    return xp.reshape(self, shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape, copy=copy)


@method
def transpose(self, *axes):
    """The axes in another order; reversed without arguments."""
    if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], int)):
        axes = axes[0]
    return _core.transpose(self, axes or None)


@method
def clip(self, min=None, max=None):
    """Limited to MIN and MAX."""
    return xp.clip(self, min, max)


@method
def take(self, indices, axis=None):
    """Elements at INDICES of an axis."""
    return xp.take(self, indices, axis=axis)


@method
def repeat(self, repeats, axis=None):
    """Every element REPEATS times in a row."""
    return xp.repeat(self, repeats, axis=axis)


@method
def sort(self, axis=-1) -> None:
    """Put the elements in order, in place."""
    self[...] = xp.sort(self, axis=axis)


@method
def argsort(self, axis=-1):
    """Indices that sort along an axis."""
    return xp.argsort(self, axis=axis)


@method
def nonzero(self) -> tuple[Array, ...]:
    """Indices of the elements that are not 0, one vector an axis."""
    return xp.nonzero(self)


@method
def trace(self, offset=0):
    """Sum of the diagonal of the last two axes."""
    return _core.matrix_trace(self, offset)


@method
def fill(self, value) -> None:
    """Every element set to VALUE."""
    self[...] = value


@method
def ravel(self, order="C"):
    """The elements along one axis, in the order "C", "F", "A" or "K"; a view where possible."""
    return _core.ravel(self) if order == "C" else FUNCTIONS["ravel"](self, order)


@method
def flatten(self, order="C"):
    """A copy of the elements along one axis, in the order "C", "F", "A" or "K"."""
    return _core.copy(ravel(self, order))


class Flags:
    """How an array lies in memory: NumPy's names, as attributes and in brackets."""

    def __init__(self, x):
        self.c_contiguous, self.f_contiguous = x.is_contiguous, x.is_contiguous if x.ndim < 2 else _core.transpose(x).is_contiguous
        self.writeable = not x.is_read_only

    def __getitem__(self, name) -> bool:
        short = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "W": "WRITEABLE"}
        known = {"C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE"}
        name = short.get(name, name)
        if name not in known:
            raise KeyError(f"{name!r} is no flag; {', '.join(sorted(known))} are")
        return getattr(self, name.lower())

    def __repr__(self):
        return "\n".join(f"{name.upper()} : {value}" for name, value in vars(self).items())


class Flat:
    """The elements of an array in C order, to be read, written and gone through by one number."""

    def __init__(self, x):
        self.x = x

    def __len__(self):
        return self.x.size

    def __iter__(self):
        return iter(_core.ravel(self.x))

    def __getitem__(self, key):
        return _core.copy(_core.ravel(self.x)[key])

    def __setitem__(self, key, value):
        y = _core.ravel(self.x)
        y[key] = value
        if not _core.shares_memory(y, self.x):
            self.x[...] = _core.reshape(y, self.x.shape)


@method
def tobytes(self) -> bytes:
    """The elements in C order as bytes."""
    return memoryview(_core.copy(self.to("host"))).tobytes()


@method
def view(self):
    """The same elements, another handle."""
    return self[...]


@method
def round(self, decimals=0, *, out=None):
    """The nearest number of DECIMALS decimal digits, halves to even."""
    return xp.round(self, decimals, out=out)


@method
def __reversed__(self) -> "Iterator[Array]":
    return iter(self[::-1])


@method
def __divmod__(self, other) -> tuple[Array, Array]:
    return _core.divmod(self, other)


@method
def __rdivmod__(self, other) -> tuple[Array, Array]:
    return _core.divmod(other, self)


@method
def _repr_html_(self) -> str:
    """For notebooks: what it is, and its values as text."""
    return (f"<div><b>heddle.Array</b> {html.escape(str(self.shape))} {self.dtype} on {html.escape(self.space)}"
            f"<pre>{html.escape(str(self))}</pre></div>")


@method
def __copy__(self):
    return _core.copy(self)


@method
def __deepcopy__(self, memo):
    return _core.copy(self)


@method
def __format__(self, spec) -> str:
    return format(self.item(), spec) if spec and self.size == 1 else format(str(self), spec)


@method
def __round__(self, digits=0):
    return xp.round(self, digits or 0)


Array.conjugate = Array.conj
Array.device = property(lambda self: xp.Device(self.space), doc='the device that its memory belongs to: "host", "cuda:0"')
Array.flags = property(Flags, doc="how it lies in memory: c_contiguous, f_contiguous, writeable")
Array.flat = property(Flat, doc="its elements in C order, by one number")
Array.real = property(_core.real, doc="the real part")
Array.imag = property(_core.imag, doc="the imaginary part, 0 for real elements")


# ---- pickling: protocol 5 hands contiguous host memory out as it is; device arrays travel through the host ----

def restore(buffer, shape, dtype):
    """The array of a pickle, in the memory space of the context that it is read in."""
    return _core.from_bytes(buffer, shape, dtype)


@method
def __reduce_ex__(self, protocol) -> "Any":
    x = self if self.space == "host" else self.to("host")
    if not x.is_contiguous:
        x = _core.copy(x)
    raw = _core.raw_bytes(x)
    buffer = pickle.PickleBuffer(raw) if protocol >= 5 else memoryview(raw).tobytes()
    return restore, (buffer, self.shape, self.dtype)
