# SPDX-License-Identifier: BSD-3-Clause
"""Heddle as a backend of HoloVec.

    import holovec
    import heddle.backends.holovec
    holovec.VSA.create("FHRR", dim=2048, backend="heddle")

Random elements are drawn by NumPy: HoloVec promises the same for a seed on every backend.
"""

import heddle as hd
from heddle import ops

from . import peer

registry = peer("holovec.backends", "holovec", "1.0.2")
from holovec.backends.base import Backend  # noqa: E402

Array = hd.Array


def vector_of(x):
    return x if isinstance(x, Array) else hd.asarray(x)


def shape_of(shape):
    return (int(shape),) if hasattr(shape, "__index__") else tuple(int(n) for n in shape)


def drawn(default):
    """What draws by NumPy: method(generator, shape, ...), to which come dtype, whose default is DEFAULT, and seed."""
    def as_method(method):
        own = method.__code__.co_argcount - 2

        def draw(self, shape, *args, dtype=default, seed=None, **words):
            import numpy
            dtype, seed = (*args[own:], *(dtype, seed)[len(args[own:]):])
            generator = self.generator if seed is None else numpy.random.default_rng(seed)
            return hd.asarray(numpy.asarray(method(generator, shape_of(shape), *args[:own], **words)).astype(dtype))
        return draw
    return as_method


def widened(x):
    """X as complex elements."""
    x = vector_of(x)
    return x if x.dtype.kind == "c" else hd.astype(x, hd.complex64 if x.dtype == hd.float32 else hd.complex128)


class HeddleBackend(Backend):
    """HoloVec's operations over heddle."""

    def __init__(self, seed=None, device=None):
        import numpy
        self.generator = numpy.random.default_rng(seed)

    name = property(lambda self: "heddle")

    def is_available(self):
        return True

    def supports_complex(self):
        return True

    def supports_sparse(self):
        return False

    def supports_gpu(self):
        return ":" in hd.empty((0,)).space

    def supports_jit(self):
        return False

    def supports_device(self, device):
        return device.lower() in ("cpu", "cpu:0", *hd.devices())

    # ---- random vectors ----

    @drawn("float32")
    def random_normal(generator, shape, mean=0.0, std=1.0):
        return generator.normal(mean, std, shape)

    @drawn("float32")
    def random_uniform(generator, shape, low=0.0, high=1.0):
        return generator.uniform(low, high, shape)

    @drawn("int32")
    def random_binary(generator, shape, p=0.5):
        return generator.binomial(1, p, shape)

    @drawn("float32")
    def random_bipolar(generator, shape, p=0.5):
        return 2 * generator.binomial(1, p, shape) - 1

    @drawn("complex64")
    def random_phasor(generator, shape):
        """Numbers of modulus 1; of square matrices the diagonal alone."""
        import numpy
        square = len(shape) >= 2 and shape[-1] == shape[-2]
        values = numpy.exp(1j * generator.uniform(0, 2 * numpy.pi, shape[:-1] if square else shape))
        return values[..., None] * numpy.eye(shape[-1]) if square else values

    @drawn("int32")
    def randint(generator, shape, low, high):
        return generator.integers(low, high, shape)

    # ---- making and converting ----

    def zeros(self, shape, dtype="float32"):
        return hd.zeros(shape_of(shape), dtype=dtype)

    def ones(self, shape, dtype="float32"):
        return hd.ones(shape_of(shape), dtype=dtype)

    def eye(self, n, dtype="float32"):
        return hd.eye(n, dtype=dtype)

    def array(self, data, dtype=None):
        return hd.asarray(data, dtype=dtype, copy=True)

    def to_numpy(self, a):
        import numpy
        return numpy.asarray(a.to("host") if isinstance(a, Array) else a)

    def shape(self, a):
        return vector_of(a).shape

    def dtype(self, a):
        return vector_of(a).dtype.name

    # ---- what has other words, or answers with Python's numbers ----

    def xor(self, a, b):
        return hd.bitwise_xor(hd.astype(vector_of(a), hd.int32), hd.astype(vector_of(b), hd.int32))

    def normalize(self, a, ord=2, axis=None, eps=1e-12):
        x = vector_of(a)
        return x / (hd.linalg.norm(x, ord=ord, axis=axis, keepdims=True) + eps)

    def permute(self, a, indices):
        return vector_of(a)[vector_of(indices)]

    def roll(self, a, shift, axis=None):
        return hd.roll(vector_of(a), int(shift), axis=axis)

    def cosine_similarity(self, a, b):
        cosine = float(hd.real(ops.cosine_similarity(ops.ravel(vector_of(a)), ops.ravel(vector_of(b)), -1)))
        return min(1.0, max(-1.0, cosine)) if cosine == cosine else 0.0

    def hamming_distance(self, a, b):
        return float(hd.count_nonzero(vector_of(a) != vector_of(b)))

    def euclidean_distance(self, a, b):
        return float(ops.euclidean_distance(vector_of(a), vector_of(b)))

    def reshape(self, a, shape):
        return hd.reshape(vector_of(a), shape_of(shape))

    def linspace(self, start, stop, num):
        return hd.linspace(start, stop, int(num))

    def svd(self, a, full_matrices=True):
        return tuple(hd.linalg.svd(vector_of(a), full_matrices=full_matrices))

    def threshold(self, a, threshold, above=1.0, below=0.0):
        return ops.threshold(vector_of(a), threshold, above, below)

    def where(self, condition, x, y):
        return hd.where(vector_of(condition), x, y)

    def fft(self, a):
        return hd.fft.fft(widened(a))

    def ifft(self, a):
        return hd.fft.ifft(widened(a))


def binary(function):
    return lambda self, a, b: function(vector_of(a), b if isinstance(b, (int, float, complex)) else vector_of(b))


def unary(function):
    return lambda self, a: function(vector_of(a))


def reduction(function, *more):
    if more:
        return lambda self, a, axis=None, keepdims=False: function(vector_of(a), axis=axis, keepdims=keepdims)
    return lambda self, a, axis=None: function(vector_of(a), axis=axis)


OPERATIONS = {
    "from_numpy": lambda self, a: hd.asarray(a), "astype": lambda self, a, dtype: hd.astype(vector_of(a), dtype),
    "norm": lambda self, a, ord=2, axis=None: hd.linalg.norm(vector_of(a), ord=ord, axis=axis),
    "softmax": lambda self, a, axis=-1: ops.softmax(vector_of(a), axis),
    "clip": lambda self, a, min_val, max_val: hd.clip(vector_of(a), min_val, max_val),
    "stack": lambda self, arrays, axis=0: hd.stack([vector_of(x) for x in arrays], axis=axis),
    "concatenate": lambda self, arrays, axis=0: hd.concat([vector_of(x) for x in arrays], axis=axis),
    "matrix_trace": unary(hd.linalg.trace), "conjugate": unary(hd.conj),
    "power": lambda self, a, exponent: hd.pow(vector_of(a), exponent),
    "multiply_scalar": lambda self, a, scalar: hd.multiply(vector_of(a), scalar),
    **{name: binary(getattr(ops, name)) for name in
       "add subtract multiply divide dot matmul circular_convolve circular_correlate".split()},
    **{name: unary(getattr(ops, name)) for name in "abs sign exp log real imag angle matrix_transpose".split()},
    **{name: reduction(getattr(hd, name), "keepdims") for name in "sum mean max min".split()},
    **{name: reduction(getattr(hd, name)) for name in "argmax argmin".split()},
}
for _name, _function in OPERATIONS.items():
    setattr(HeddleBackend, _name, _function)
HeddleBackend.__abstractmethods__ = frozenset()   # set above, after the class was made
registry._BACKENDS["heddle"] = HeddleBackend
