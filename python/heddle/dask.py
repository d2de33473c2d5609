# SPDX-License-Identifier: BSD-3-Clause
"""Heddle arrays as the blocks of Dask arrays.

Importing this module tells Dask how to join, contract, count and name Heddle arrays, and how to send them to other
processes. Blocks are made by dask.array.from_array(x, asarray=False), map_blocks and delayed; what each worker computes on
says heddle.dask.Backends:

    client.register_plugin(heddle.dask.Backends(["cuda:0", "cuda:1", "cpu;threads=4"]))
"""

import pickle

from dask.array.dispatch import (concatenate_lookup, divide_lookup, einsum_lookup, empty_lookup, numel_lookup,
                                 tensordot_lookup)
from dask.base import normalize_token

from . import _array_api as xp
from . import _core
from ._core import Array

META = Array   # what Dask looks its tables up by


@concatenate_lookup.register(META)
def concatenate(arrays, axis=0, **ignored):
    return xp.concat(arrays, axis=axis)


@tensordot_lookup.register(META)
def tensordot(a, b, axes=2):
    return xp.tensordot(a, b, axes=axes)


@einsum_lookup.register(META)
def einsum(subscripts, *operands, dtype=None, **ignored):
    r = _core.einsum(subscripts, operands)
    return r if dtype is None else _core.astype(r, dtype)


@empty_lookup.register(META)
def empty(shape, dtype=None, **ignored):
    return xp.empty(shape, dtype=dtype)


@divide_lookup.register(META)
def divide(a, b, dtype=None, out=None, where=True):
    r = _core.divide(a, b) if where is True else _core.divide_where(where, a, b)
    return r if dtype is None else _core.astype(r, dtype)


@numel_lookup.register(META)
def numel(x, axis=None, keepdims=False, dtype=None, coerce_np_ndarray=False):
    """How many elements a reduction takes together, in the shape of its result."""
    axes = range(x.ndim) if axis is None else [a % x.ndim for a in ((axis,) if isinstance(axis, int) else axis)]
    count = 1
    for a in axes:
        count *= x.shape[a]
    shape = [1 if k in axes else n for k, n in enumerate(x.shape) if keepdims or k not in axes]
    return xp.full(tuple(shape), count, dtype=_core.float64 if dtype is None else dtype)


@normalize_token.register(META)
def token(x):
    """Equal for equal contents, wherever they are."""
    return "heddle.Array", str(x.dtype), x.shape, x.tobytes()


try:
    from distributed import WorkerPlugin
    from distributed.protocol import dask_deserialize, dask_serialize
except ImportError:
    WorkerPlugin = object
else:
    @dask_serialize.register(META)
    def serialize(x):
        """Frames without a copy: the memory of the array itself."""
        buffers = []
        header = {"pickle": pickle.dumps(x, 5, buffer_callback=buffers.append)}
        return header, [b.raw() for b in buffers]

    @dask_deserialize.register(META)
    def deserialize(header, frames):
        return pickle.loads(header["pickle"], buffers=frames)


class Backends(WorkerPlugin):
    """A worker plugin: worker i of a cluster computes on spec i, from the first again when there are more workers.

    The spec becomes the default of the worker's process, because tasks run on pool threads that have no context of their own.
    """

    name = "heddle-backends"

    def __init__(self, specs):
        self.specs = list(specs)

    def setup(self, worker):
        names = [w for w in (str(worker.name), worker.address)]
        number = int(names[0]) if names[0].isdigit() else hash(names[1])
        _core.set_default_backend(self.specs[number % len(self.specs)])
