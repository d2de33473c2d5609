# SPDX-License-Identifier: BSD-3-Clause
"""Heddle as a backend of pyTME.

    import heddle.backends.pytme
    from tme.backends import backend
    backend.change_backend("heddle")

Workers of joblib and multiprocessing import this module with the backend's name, and compute by the spec that was in force where
the job was handed out, on one thread each.
"""

import heddle as hd
from heddle import _numpy_table, ops

from . import peer

tme = peer("tme.backends", "pytme", "0.3.6")
import numpy  # noqa: E402
from tme.backends.matching_backend import MatchingBackend  # noqa: E402
from tme.backends.npfftw_backend import NumpyFFTWBackend  # noqa: E402

Array = hd.Array
SPLINES = {0: "nearest", 1: "linear", 3: "cubic"}


def given(x):
    """What the peer hands over: NumPy's arrays become ours, its numbers Python's."""
    if isinstance(x, numpy.ndarray):
        return hd.asarray(x)
    if isinstance(x, numpy.generic):
        return x.item()
    return type(x)(given(v) for v in x) if type(x) in (list, tuple) else x


def array_of(x):
    x = given(x)
    if isinstance(x, (list, tuple)) and any(isinstance(v, Array) for v in x):
        return hd.stack([array_of(v) for v in x])
    return x if isinstance(x, Array) else hd.asarray(x)


def shape_of(shape):
    return (int(shape),) if isinstance(shape, int) or getattr(shape, "ndim", 1) == 0 else tuple(int(n) for n in shape)


class Words:
    """NumPy's words over heddle, which NumpyFFTWBackend asks its array module for."""

    ndarray, linalg, fft = Array, hd.linalg, hd.fft

    def __getattr__(self, name):
        function = UNIVERSAL.get(name) or _numpy_table.FUNCTIONS.get(name) or getattr(hd, name)
        if not callable(function) or isinstance(function, (type, hd.DType)):
            return function
        return lambda *args, **words: function(*given(args), **{k: given(v) for k, v in words.items()})


def universal(op):
    def call(*operands, out=None, dtype=None, **words):
        operands = [array_of(x) if isinstance(x, (list, tuple)) else x for x in operands]
        return _numpy_table.finish(op(*operands), out, dtype)
    return call


UNIVERSAL = {name: universal(getattr(ops, name)) for name in
             "add subtract multiply divide mod power maximum minimum sqrt square abs exp log floor matmul".split()}
UNIVERSAL.update({
    "where": lambda condition, *xy: hd.where(condition, *xy) if xy else hd.nonzero(condition),
    "unravel_index": lambda indices, shape: tuple(ops.unravel_index(array_of(indices), shape_of(shape))),
    "indices": lambda dimensions, dtype=int: hd.astype(ops.indices(shape_of(dimensions)), _numpy_table.dtype_of(dtype)),
    "array": lambda x, dtype=None, **words: hd.asarray(array_of(x), dtype=dtype, copy=True),
    "asarray": lambda x, dtype=None, **words: hd.asarray(array_of(x), dtype=dtype),
    "tril_indices": lambda n, k=0, m=None: tuple(ops.tril_indices(n, k, n if m is None else m)),
    "triu_indices": lambda n, k=0, m=None: tuple(ops.triu_indices(n, k, n if m is None else m)),
})


class HeddleBackend(NumpyFFTWBackend):
    """pyTME's operations over heddle; scores, rotations and peaks are the library's own operations."""

    def __init__(self, device=None, **words):
        MatchingBackend.__init__(self, array_backend=Words(), float_dtype=hd.float32, complex_dtype=hd.complex64, int_dtype=hd.int32,
                                 overflow_safe_dtype=hd.float32, float16_dtype=hd.float16, uint16_dtype=hd.uint16)

    def to_backend_array(self, arr, dtype=None):
        return None if arr is None else hd.asarray(array_of(arr), dtype=dtype)   # the peer hands None through

    def to_numpy_array(self, arr):
        return numpy.array(array_of(arr).to("host") if isinstance(arr, (Array, list, tuple)) else arr)

    to_cpu_array = to_numpy_array

    def get_fundamental_dtype(self, arr):
        return {"i": int, "u": int, "c": complex}.get(arr.dtype.kind, float)

    def cholesky(self, arr, lower=False, *args, **words):
        factor = hd.linalg.cholesky(arr)
        return factor if lower else hd.matrix_transpose(factor)

    def solve_triangular(self, a, b, lower=True, *args, **words):
        return ops.solve_triangular(a, b, upper=not lower)

    def distance_transform_edt(self, arr, *args, **words):
        from scipy.ndimage import distance_transform_edt
        return given(distance_transform_edt(self.to_numpy_array(arr), *args, **words))

    def datatype_bytes(self, dtype):
        return hd.zeros((1,), dtype=dtype).nbytes

    def astype(self, arr, dtype):
        return hd.astype(array_of(arr), dtype)

    def addat(self, arr, indices, values):
        keys = indices if isinstance(indices, tuple) else (indices,)
        ops.addat(arr, [array_of(k) for k in keys], hd.astype(array_of(values), arr.dtype))
        return arr

    def topk_indices(self, arr, k):
        return tuple(ops.topk_indices(arr, int(k)))

    def max_filter_coordinates(self, score_space, min_distance, min_score=None):
        found = ops.max_filter_coordinates(score_space, int(min_distance))
        if min_score is None:
            return found
        return found[score_space[tuple(found[:, i] for i in range(found.shape[1]))] >= float(min_score)]

    @staticmethod
    def zeros(shape, dtype=None):
        return hd.zeros(shape_of(shape), dtype=hd.float32 if dtype is None else dtype)

    def from_sharedarr(self, args):
        return args[0] if len(args) == 1 else hd.asarray(numpy.ndarray(args[1], args[2], args[0].buf))

    def to_sharedarr(self, arr, shared_memory_handler=None):
        if shared_memory_handler is None:
            return (arr,)
        values = self.to_numpy_array(arr)
        memory = shared_memory_handler.SharedMemory(size=values.nbytes)
        numpy.ndarray(values.shape, values.dtype, memory.buf)[...] = values
        return memory, values.shape, values.dtype

    def topleft_pad(self, arr, shape, padval=0):
        return ops.topleft_pad(arr, shape_of(shape), float(padval))

    def free_cache(self):
        pass

    def rfftn(self, arr, out=None, s=None, axes=None, **words):
        spectrum = hd.fft.rfftn(arr, s=None if s is None else shape_of(s), axes=None if axes is None else shape_of(axes))
        return _numpy_table.finish(spectrum, out)

    def irfftn(self, arr, out=None, s=None, axes=None, **words):
        values = hd.fft.irfftn(arr, s=None if s is None else shape_of(s), axes=None if axes is None else shape_of(axes))
        return _numpy_table.finish(values, out)

    def compute_convolution_shapes(self, arr1_shape, arr2_shape):
        return tuple(list(s) for s in ops.compute_convolution_shapes(shape_of(arr1_shape), shape_of(arr2_shape)))

    def _transform(self, data, matrix, output, prefilter, order, **words):
        matrix = hd.astype(array_of(matrix), hd.float64)
        if data.ndim == 4:   # a batch: the first axis stays as it is
            for one, moved in zip(data, output):
                self._transform(one, matrix[1:, 1:], moved, prefilter, order)
            return output
        output[...] = ops.affine_transform(data, matrix[:-1], spline=SPLINES[order], no_prefilter=not prefilter, boundary="constant")
        return output

    @staticmethod
    def reverse(arr, axis=None):
        return hd.flip(arr, axis=None if axis is None else shape_of(axis))

    def max_score_over_rotations(self, scores, max_scores, rotations, rotation_index):
        ops.max_score_over_rotations(scores, max_scores, rotations, int(rotation_index))
        return max_scores, rotations

    def norm_scores(self, arr, exp_sq, sq_exp, n_obs, eps, out):
        return ops.norm_scores(arr, exp_sq, sq_exp, float(n_obs), float(eps), out=out)


class Name(str):
    """The backend's name; in another process it brings this module and the spec with it."""

    def __reduce__(self):
        return revived, (str(self), hd.get_backend())


def revived(name, spec):
    hd.set_default_backend(spec if "threads=" in spec or spec.startswith(("cuda", "opencl")) else f"{spec};threads=1")
    return Name(name)


manager = tme.backend
_change, _available = type(manager).change_backend.__get__(manager), type(manager).available_backends.__get__(manager)


def change_backend(backend_name, **words):
    _change(backend_name, **words)
    if backend_name == "heddle":
        manager._backend_name = Name(backend_name)


manager.add_backend("heddle", HeddleBackend)
manager.change_backend, manager.available_backends = change_backend, lambda: [*_available(), "heddle"]
