# SPDX-License-Identifier: BSD-3-Clause
"""Heddle as a backend of TensorLy, and of its tenalg.

    import tensorly
    import heddle.backends.tensorly
    tensorly.set_backend("heddle")            # or heddle.backends.tensorly.use(): tenalg as well
"""

import math
import os

import heddle as hd
from heddle import ops

from . import peer

# Of TensorLy's own accord the variable is a name that it does not know yet.
_wanted = os.environ.get("TENSORLY_BACKEND") == "heddle" and os.environ.pop("TENSORLY_BACKEND")
tensorly = peer("tensorly", "tensorly", "0.10.0")
peer("tensorly.tenalg", "tensorly", "0.10.0")
from tensorly.backend import BackendManager  # noqa: E402
from tensorly.backend.core import Backend  # noqa: E402
from tensorly.tenalg import TenalgBackendManager  # noqa: E402
from tensorly.tenalg.base_tenalg import TenalgBackend  # noqa: E402

Array = hd.Array


def tensor_of(x):
    """An Array of what TensorLy hands to its backends: arrays of anybody, numbers, lists of them."""
    return x if isinstance(x, Array) else hd.asarray(x)


def axes_of(axis):
    return axis if axis is None or isinstance(axis, int) else int(axis) if hasattr(axis, "__index__") else tuple(int(a) for a in axis)


def shape_of(shape):
    return (int(shape),) if hasattr(shape, "__index__") else tuple(int(n) for n in shape)


def on_tensor(function):
    """FUNCTION of one tensor; of TensorLy's other words there are none that mean something."""
    return lambda x, *args, **words: function(tensor_of(x))


def reduction(function):
    def reduced(x, axis=None, keepdims=False, dtype=None, **words):
        words = {} if dtype is None else {"dtype": dtype}
        return function(tensor_of(x), axis=axes_of(axis), keepdims=bool(keepdims), **words)
    return reduced


def along(function):
    def ordered(x, axis=-1):
        x = tensor_of(x)
        return function(ops.ravel(x) if axis is None else x, axis=-1 if axis is None else axis)
    return ordered


def to_numpy(x):
    import numpy
    if isinstance(x, Array):
        return numpy.array(x.to("host"))
    return numpy.array([to_numpy(v) for v in x]) if isinstance(x, (list, tuple)) else numpy.array(x)


def index_update(tensor, indices, values):
    tensor[indices] = values
    return tensor


UNARY = """exp log log2 tanh cosh sinh sin cos tan arctanh arccosh arcsinh arctan arccos arcsin asinh acosh atanh asin acos atan
 sqrt abs sign conj digamma copy""".split()
REDUCTIONS = "any all prod max min mean sum argmin argmax count_nonzero".split()
DTYPES = "int32 int64 float32 float64 complex64 complex128".split()
FUNCTIONS = {
    "context": lambda tensor: {"dtype": tensor.dtype}, "to_numpy": to_numpy, "index_update": index_update,
    "tensor": lambda data, dtype=None, **words: hd.asarray(data, dtype=dtype, copy=True),
    "is_tensor": lambda x: isinstance(x, Array), "ndim": lambda x: tensor_of(x).ndim, "shape": lambda x: tensor_of(x).shape,
    "clip": lambda x, a_min=None, a_max=None: hd.clip(tensor_of(x), a_min, a_max),
    "logsumexp": lambda x, axis=0: ops.logsumexp(tensor_of(x), axis=axis),
    "reshape": lambda x, shape: hd.reshape(tensor_of(x), shape_of(shape)),
    "transpose": lambda x, axes=None: ops.transpose(tensor_of(x), axes),
    "moveaxis": lambda x, source, destination: hd.moveaxis(tensor_of(x), source, destination),
    "arange": lambda start=0, stop=None, step=1, **words: hd.arange(start, stop, 1 if step is None else step),
    "ones": lambda shape, dtype=None, **words: hd.ones(shape_of(shape), dtype=dtype),
    "zeros": lambda shape, dtype=None, **words: hd.zeros(shape_of(shape), dtype=dtype),
    "zeros_like": lambda x, **words: hd.zeros_like(tensor_of(x)),
    "eye": lambda n, m=None, dtype=None, **words: hd.eye(n, m, dtype=dtype),
    "diag": lambda x, k=0: ops.copy(ops.diag(tensor_of(x), k)), "trace": lambda x: hd.linalg.trace(tensor_of(x)),
    "concatenate": lambda tensors, axis=0: hd.concat([tensor_of(t) for t in tensors], axis=axis),
    "stack": lambda tensors, axis=0: hd.stack([tensor_of(t) for t in tensors], axis=axis),
    "where": lambda condition, *x: hd.where(tensor_of(condition), *x) if x else hd.nonzero(tensor_of(condition)),
    "einsum": lambda subscripts, *x: hd.einsum(subscripts, *map(tensor_of, x)),
    "matmul": lambda a, b: ops.matmul(tensor_of(a), tensor_of(b)), "dot": lambda a, b: ops.dot(tensor_of(a), tensor_of(b)),
    "tensordot": lambda a, b, axes=2, **words: hd.tensordot(
        tensor_of(a), tensor_of(b), axes=axes if isinstance(axes, int) else tuple(shape_of(k) for k in axes)),
    "kron": lambda a, b: ops.kron(tensor_of(a), tensor_of(b)), "solve": lambda a, b: hd.linalg.solve(tensor_of(a), tensor_of(b)),
    "lstsq": lambda a, b, rcond=None: tuple(hd.linalg.lstsq(tensor_of(a), tensor_of(b), rtol=rcond)),
    "qr": lambda a, mode="reduced": tuple(hd.linalg.qr(tensor_of(a), mode=mode)),
    "svd": lambda a, full_matrices=True, **words: tuple(hd.linalg.svd(tensor_of(a), full_matrices=full_matrices)),
    "eigh": lambda a: tuple(hd.linalg.eigh(tensor_of(a))), "sort": along(hd.sort), "argsort": along(hd.argsort),
    "flip": lambda x, axis=None: hd.flip(tensor_of(x), axis=axes_of(axis)),
    "cumsum": lambda x, axis=None: ops.cumsum(tensor_of(x), axis),
    "maximum": lambda a, b, *args, **words: hd.maximum(a, b), "minimum": lambda a, b, *args, **words: hd.minimum(a, b),
    "finfo": hd.finfo, "eps": lambda dtype: hd.finfo(dtype).eps,
    **{name: on_tensor(getattr(ops, name)) for name in UNARY}, **{name: reduction(getattr(hd, name)) for name in REDUCTIONS},
}


class HeddleBackend(Backend, backend_name="heddle"):
    """TensorLy's operations over heddle."""

    pi, e, inf, nan = math.pi, math.e, math.inf, math.nan


for _name, _function in FUNCTIONS.items():
    setattr(HeddleBackend, _name, staticmethod(_function))
for _name in DTYPES:
    setattr(HeddleBackend, _name, getattr(hd, _name))


class HeddleTenalg(TenalgBackend._available_tenalg_backends["core"], backend_name="heddle"):
    """TensorLy's tenalg: what the library has as one operation, and TensorLy's own for the rest."""

    @staticmethod
    def unfolding_dot_khatri_rao(tensor, cp_tensor, mode):
        weights, factors = cp_tensor
        if not isinstance(tensor, Array):
            return TenalgBackend._available_tenalg_backends["core"].unfolding_dot_khatri_rao(tensor, cp_tensor, mode)
        return ops.unfolding_dot_khatri_rao(tensor, weights, list(factors), mode)


for _manager in (BackendManager, TenalgBackendManager):
    if "heddle" not in _manager.available_backend_names:
        _manager.available_backend_names.append("heddle")


def use(local_threadsafe=False):
    """heddle for TensorLy and for its tenalg."""
    tensorly.set_backend("heddle", local_threadsafe=local_threadsafe)
    tensorly.tenalg.set_backend("heddle", local_threadsafe=local_threadsafe)


if _wanted:
    use()
