# SPDX-License-Identifier: BSD-3-Clause
"""The array API standard, 2025.12: names and words, dtypes, results against NumPy, special values.

A subset of what array-api-tests looks at (python/check-array-api runs that), which needs nothing but the package and, for
results, NumPy.
"""

import inspect
import math

import pytest

import heddle as hd

# Each function with the words that it takes after its positional arguments.
FUNCTIONS = """
arange: dtype device; asarray: dtype device copy; empty: dtype device; empty_like: dtype device; eye: k dtype device;
from_dlpack: device copy; full: dtype device; full_like: dtype device; linspace: dtype device endpoint; meshgrid: indexing;
ones: dtype device; ones_like: dtype device; tril: k; triu: k; zeros: dtype device; zeros_like: dtype device;
astype: copy device; can_cast: ; finfo: ; iinfo: ; isdtype: ; result_type: ; take: axis; take_along_axis: axis; matmul: ;
matrix_transpose: ; tensordot: axes; vecdot: axis; broadcast_arrays: ; broadcast_shapes: ; broadcast_to: ; concat: axis;
expand_dims: axis; flip: axis; moveaxis: ; permute_dims: axes; repeat: axis; reshape: copy; roll: axis; squeeze: axis;
stack: axis; tile: ; unstack: axis; argmax: axis keepdims; argmin: axis keepdims; count_nonzero: axis keepdims; nonzero: ;
searchsorted: side sorter; where: ; isin: invert; unique_all: ; unique_counts: ; unique_inverse: ; unique_values: ;
argsort: axis descending stable; sort: axis descending stable; cumulative_prod: axis dtype include_initial;
cumulative_sum: axis dtype include_initial; max: axis keepdims; mean: axis keepdims; min: axis keepdims;
prod: axis dtype keepdims; std: axis correction keepdims; sum: axis dtype keepdims; var: axis correction keepdims;
all: axis keepdims; any: axis keepdims; diff: axis n prepend append; clip: min max;
fft.fft: n axis norm; fft.ifft: n axis norm; fft.fftn: s axes norm; fft.ifftn: s axes norm; fft.rfft: n axis norm;
fft.irfft: n axis norm; fft.rfftn: s axes norm; fft.irfftn: s axes norm; fft.hfft: n axis norm; fft.ihfft: n axis norm;
fft.fftfreq: d dtype device; fft.rfftfreq: d dtype device; fft.fftshift: axes; fft.ifftshift: axes; linalg.cholesky: upper;
linalg.cross: axis; linalg.det: ; linalg.diagonal: offset; linalg.eigh: ; linalg.eigvalsh: ; linalg.eig: ; linalg.eigvals: ;
linalg.inv: ; linalg.matmul: ; linalg.matrix_norm: keepdims ord; linalg.matrix_power: ; linalg.matrix_rank: rtol;
linalg.matrix_transpose: ; linalg.outer: ; linalg.pinv: rtol; linalg.qr: mode; linalg.slogdet: ; linalg.solve: ;
linalg.svd: full_matrices; linalg.svdvals: ; linalg.tensordot: axes; linalg.trace: offset dtype; linalg.vecdot: axis;
linalg.vector_norm: axis keepdims ord"""
UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan log
 log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan tanh trunc""".split()
BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal floor_divide
 greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply nextafter
 not_equal pow remainder subtract""".split()
METHODS = """abs add and array_namespace bool complex dlpack dlpack_device eq float floordiv ge getitem gt index int invert le
 lshift lt matmul mod mul ne neg or pos pow rshift setitem sub truediv xor""".split()
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()


def function(name):
    f = hd
    for part in name.split("."):
        f = getattr(f, part)
    return f


@pytest.mark.parametrize("entry", FUNCTIONS.replace("\n", " ").split(";"))
def test_words(entry):
    name, words = entry.split(":")
    have = inspect.signature(function(name.strip())).parameters
    assert not [w for w in words.split() if w not in have and "kwargs" not in have]


def test_names():
    for name in UNARY + BINARY + ["e", "inf", "nan", "newaxis", "pi", "__array_namespace_info__"]:
        assert hasattr(hd, name), name
    for name in METHODS + ["iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow", "imatmul", "imod", "iand", "ior", "ixor",
                           "ilshift", "irshift", "radd", "rsub", "rmul", "rmatmul"]:
        assert hasattr(hd.Array, f"__{name}__"), name
    for name in "T mT device dtype ndim shape size to_device".split():
        assert hasattr(hd.Array, name), name
    x = hd.zeros((2, 2, 2))
    assert hd.linalg.svd(x)._fields == ("U", "S", "Vh") and hd.linalg.qr(x)._fields == ("Q", "R")
    assert hd.linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    some = hd.linalg.eigh_range(hd.asarray([[2.0, 1.0], [1.0, 2.0]]), -1, 1)
    assert some._fields == ("eigenvalues", "eigenvectors") and some.eigenvectors.shape == (2, 1)
    assert abs(float(some.eigenvalues[0]) - 3) < 1e-6
    assert hd.linalg.slogdet(x)._fields == ("sign", "logabsdet") and isinstance(hd.meshgrid(hd.arange(2), hd.arange(3)), tuple)
    assert hd.unique_all(x)._fields == ("values", "indices", "inverse_indices", "counts")


def test_inspection():
    info = hd.__array_namespace_info__()
    assert info.capabilities()["max dimensions"] >= 16 and info.default_device() in info.devices()
    assert set(info.dtypes()) == set(DTYPES) and info.dtypes(kind="bool") == {"bool": hd.bool}
    assert info.default_dtypes()["real floating"] == hd.float32
    with hd.backend(";real=float64;complex=complex128"):
        d = info.default_dtypes()
        assert d["real floating"] == hd.float64 == hd.asarray(1.0).dtype and d["complex floating"] == hd.complex128


def random_array(np, rng, name, shape=(3, 4)):
    if name == "bool":
        return rng.random(shape) < 0.5
    if name.startswith("complex"):
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(name)
    return (rng.normal(size=shape) * 2 if "float" in name else rng.integers(0, 5, shape)).astype(name)


def close(np, got, want, name):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    tolerance = 2e-5 if "32" in name or "64" == name[-2:] and "complex" in name or "int" in name or name == "bool" else 1e-12
    assert np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)


NAMES = {"bitwise_invert": "invert", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "acos": "arccos",
         "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh", "atan2": "arctan2",
         "pow": "power", "abs": "absolute"}
EXACT = "abs square negative sign positive real imag conj".split()
COMPLEX_NO = "ceil floor trunc round signbit".split()


@pytest.mark.parametrize("name", UNARY)
def test_unary(np, rng, each_backend, name):
    their = getattr(np, NAMES.get(name, name))
    for t in DTYPES:
        kind = hd.dtype(t).kind
        if (name == "bitwise_invert" and kind in "fc") or (name in COMPLEX_NO and kind in "c") or \
                (name in ("negative", "sign", "positive", "ceil", "floor", "trunc", "round", "square", "reciprocal", "signbit")
                 and kind == "b") or (name in ("reciprocal", "signbit") and kind in "iu"):
            continue
        a = random_array(np, rng, t)
        if name in ("acosh", "log", "log2", "log10", "sqrt") and kind == "f":
            a = np.abs(a) + 1
        if name in ("acos", "asin", "atanh", "log1p") and kind == "f":
            a = a / 20
        x = hd.asarray(a)
        with np.errstate(all="ignore"):
            exact = kind in "fc" or name in EXACT or their(a[:0]).dtype.kind in "biu"
            want = a / np.abs(a) if name == "sign" and kind == "c" else their(a if exact else a.astype("float64"))
        got = getattr(hd, name)(x)
        if kind in "fc" and want.dtype.kind in "fc":
            assert got.dtype == str(want.dtype), t
        close(np, got, want, str(got.dtype))


@pytest.mark.parametrize("name", BINARY)
def test_binary(np, rng, each_backend, name):
    their = getattr(np, NAMES.get(name, name))
    integers = name.startswith("bitwise")
    for t in DTYPES:
        kind = hd.dtype(t).kind
        if (integers and kind in "fc") or ("shift" in name and kind == "b") or (kind == "b" and name in (
                "subtract", "floor_divide", "remainder", "pow", "copysign", "hypot", "logaddexp", "atan2", "nextafter")) or \
                (kind == "c" and name not in "add subtract multiply divide pow equal not_equal".split()) or \
                (kind in "biu" and name in "copysign hypot logaddexp atan2 nextafter divide".split()):
            continue
        a, b = random_array(np, rng, t), random_array(np, rng, t, (4,))
        if name in ("floor_divide", "remainder"):
            b = b + (b == 0).astype(t)
        with np.errstate(all="ignore"):
            want = their(a, b)
        got = getattr(hd, name)(hd.asarray(a), hd.asarray(b))
        assert got.dtype == str(want.dtype), t
        close(np, got, want, str(got.dtype))


INF, NAN = math.inf, math.nan
SPECIAL = [   # function, arguments, result: what the standard says of values that are no ordinary numbers
    ("acos", (2,), NAN), ("acosh", (0.5,), NAN), ("atan", (INF,), math.pi / 2), ("atanh", (1,), INF), ("exp", (-INF,), 0),
    ("expm1", (-INF,), -1), ("log", (0,), -INF), ("log", (-1,), NAN), ("log1p", (-1,), -INF), ("sqrt", (-1,), NAN),
    ("sqrt", (-0.0,), -0.0), ("cosh", (-INF,), INF), ("tanh", (INF,), 1), ("sin", (INF,), NAN), ("round", (0.5,), 0),
    ("round", (2.5,), 2), ("round", (-0.0,), -0.0), ("sign", (NAN,), NAN), ("abs", (-INF,), INF), ("trunc", (-0.5,), -0.0),
    ("add", (INF, -INF), NAN), ("divide", (1, 0), INF), ("divide", (1, -0.0), -INF), ("divide", (0, 0), NAN),
    ("multiply", (INF, 0), NAN), ("pow", (NAN, 0), 1), ("pow", (1, NAN), 1), ("pow", (0, -1), INF), ("pow", (-0.0, -3), -INF),
    ("pow", (-8, 0.5), NAN), ("remainder", (5, -3), -1), ("remainder", (-5, 3), 1), ("remainder", (1, 0), NAN),
    ("hypot", (INF, NAN), INF), ("logaddexp", (NAN, 1), NAN), ("maximum", (NAN, 1), NAN), ("minimum", (1, NAN), NAN),
    ("copysign", (1, -0.0), -1), ("atan2", (0, -0.0), math.pi), ("atan2", (-0.0, 1), -0.0), ("atan2", (INF, -INF), 3 * math.pi / 4),
    ("floor_divide", (7, -2), -4), ("nextafter", (0, 1), 5e-324), ("nextafter", (1, 1), 1)]


@pytest.mark.parametrize("name, args, want", SPECIAL)
def test_special_values(each_backend, name, args, want):
    got = getattr(hd, name)(*[hd.asarray(float(a), dtype=hd.float64) for a in args]).item()
    assert (math.isnan(got) and math.isnan(want)) or (math.isclose(got, want, rel_tol=1e-15) and
                                                      math.copysign(1, got) == math.copysign(1, want))


def test_reductions(np, rng, each_backend):
    a = random_array(np, rng, "float64", (2, 3, 4))
    x = hd.asarray(a)
    for axis in (None, 0, -1, (0, 2), (), (1, -1)):
        for keep in (False, True):
            for name in "sum prod max min mean".split():
                close(np, getattr(hd, name)(x, axis=axis, keepdims=keep), getattr(np, name)(a, axis=axis, keepdims=keep), "float64")
            for correction in (0, 1, 0.5):
                if axis != ():
                    close(np, hd.var(x, axis=axis, correction=correction, keepdims=keep),
                          np.var(a, axis=axis, ddof=correction, keepdims=keep), "float64")
    assert hd.sum(hd.ones(3, dtype=hd.int8)).dtype == hd.int64 and hd.sum(hd.ones(3, dtype=hd.uint8)).dtype == hd.uint64
    assert hd.sum(x, dtype=hd.float32).dtype == hd.float32 and hd.any(x > 9).dtype == hd.bool
    assert hd.cumulative_sum(hd.asarray([1, 2, 3]), include_initial=True).tolist() == [0, 1, 3, 6]


def test_manipulation(np, rng, each_backend):
    a = random_array(np, rng, "int32", (2, 3, 4))
    x = hd.asarray(a)
    for got, want in ((hd.permute_dims(x, (2, 0, 1)), a.transpose(2, 0, 1)), (hd.moveaxis(x, (0, 1), (-1, 0)), np.moveaxis(
            a, (0, 1), (-1, 0))), (hd.roll(x, (1, 2), axis=(0, 2)), np.roll(a, (1, 2), axis=(0, 2))), (hd.roll(x, 5), np.roll(a, 5)),
            (hd.flip(x, axis=(0, 2)), np.flip(a, (0, 2))), (hd.repeat(x, 2, axis=1), np.repeat(a, 2, axis=1)),
            (hd.repeat(x, hd.asarray([1, 0, 2]), axis=1), np.repeat(a, [1, 0, 2], axis=1)), (hd.tile(x, (2, 1)), np.tile(a, (2, 1))),
            (hd.concat([x, x], axis=None), np.concatenate([a, a], axis=None)), (hd.stack([x, x], axis=-1), np.stack([a, a], axis=-1)),
            (hd.expand_dims(x, axis=(0, -1)), np.expand_dims(a, (0, -1))), (hd.take(x, hd.asarray([2, 0]), axis=1), a[:, [2, 0]]),
            (hd.take_along_axis(x, hd.argsort(x)), np.sort(a)), (hd.sort(x, axis=0, descending=True), -np.sort(-a, axis=0)),
            (hd.diff(x, axis=1, prepend=x[:, :1]), np.diff(a, axis=1, prepend=a[:, :1])), (hd.unstack(x)[1], a[1]),
            (hd.tril(x, k=-1), np.tril(a, -1)), (hd.where(x > 2, x, 0), np.where(a > 2, a, 0)), (hd.clip(x, 1, 3), np.clip(a, 1, 3)),
            (hd.isin(x, hd.asarray([1, 2])), np.isin(a, [1, 2])), (hd.unique_values(x), np.unique(a))):
        assert np.array_equal(np.asarray(got), want)
    with pytest.raises(ValueError):
        hd.reshape(x.T, (24,), copy=False)
    with pytest.raises(IndexError):
        hd.expand_dims(x, axis=5)


def test_linear_algebra(np, rng, each_backend):
    a = random_array(np, rng, "float64", (2, 4, 4))
    x, n = hd.asarray(a), np.linalg
    for got, want in ((hd.linalg.inv(x), n.inv(a)), (hd.linalg.det(x), n.det(a)), (hd.linalg.svdvals(x), n.svd(a)[1]),
                      (hd.linalg.pinv(x), n.pinv(a)), (hd.linalg.matrix_norm(x, ord=2), n.norm(a, 2, (1, 2))),
                      (hd.linalg.vector_norm(x, axis=(0, 1), ord=1), np.abs(a).sum((0, 1))), (hd.linalg.matrix_rank(x), [4, 4]),
                      (hd.linalg.solve(x, x[0]), n.solve(a, np.stack([a[0], a[0]]))), (hd.matmul(x, x[0, 0]), a @ a[0, 0]),
                      (hd.tensordot(x, x, axes=((1, 2), (2, 1))), np.tensordot(a, a, ((1, 2), (2, 1)))),
                      (hd.vecdot(x, x, axis=1), (a * a).sum(1)), (hd.linalg.trace(x, offset=1), np.trace(a, 1, -2, -1)),
                      (hd.linalg.cross(x[..., :3], x[..., 1:]), np.cross(a[..., :3], a[..., 1:]))):
        close(np, got, want, "float64")
    close(np, hd.einsum("bij,bkj->ik", x, x), np.einsum("bij,bkj->ik", a, a), "float64")
    u, s, v = hd.linalg.svd(x, full_matrices=False)
    close(np, u * s[:, None, :] @ v, a, "float64")
    q, r = hd.linalg.qr(x)
    close(np, q @ r, a, "float64")


def test_transforms(np, rng, each_backend):
    a = random_array(np, rng, "complex128", (3, 8))
    x = hd.asarray(a)
    for got, want in ((hd.fft.fft(x, n=5), np.fft.fft(a, n=5)), (hd.fft.ifftn(x, norm="ortho"), np.fft.ifftn(a, norm="ortho")),
                      (hd.fft.rfft(x.real, axis=0), np.fft.rfft(a.real, axis=0)), (hd.fft.irfft(x, n=9), np.fft.irfft(a, n=9)),
                      (hd.fft.hfft(x), np.fft.hfft(a)), (hd.fft.fftfreq(7, d=0.5, dtype=hd.float64), np.fft.fftfreq(7, 0.5)),
                      (hd.fft.fftshift(x, axes=1), np.fft.fftshift(a, 1))):
        close(np, got, want, "float64")


def test_dtypes():
    assert hd.result_type(hd.int8, hd.uint8) == hd.int16 and hd.result_type(hd.ones(1, dtype=hd.float32), 1.0) == hd.float32
    assert hd.result_type(hd.int32, 1j) == hd.complex64 and hd.result_type(hd.float64, 1j) == hd.complex128
    assert hd.can_cast(hd.int8, hd.int16) and not hd.can_cast(hd.float64, hd.float32)
    assert hd.isdtype(hd.uint8, "integral") and hd.isdtype(hd.uint8, ("bool", hd.uint8)) and not hd.isdtype(hd.bool, "numeric")
    with pytest.raises(ValueError):
        hd.isdtype(hd.int8, "no kind")
    assert hd.finfo(hd.complex64).eps == 2.0 ** -23 and hd.finfo(hd.float64).dtype == hd.float64
    assert hd.iinfo(hd.uint64).max == 2 ** 64 - 1 and hd.iinfo(hd.int8).min == -128
    with pytest.raises(ValueError):
        hd.finfo(hd.int8)


def test_devices_have_names_of_others_too():
    device = hd.ones(1).to("host").device
    assert device == "host" and device == "cpu" and "cpu" == device and device in ("cpu",) and not device != "cpu"
    assert device != "opencl:0" and device != 3 and hd.zeros(2, device=device).device == device == hd.asarray([1], device="cpu").device
    assert device in hd.__array_namespace_info__().devices() and isinstance(hd.__array_namespace_info__().default_device(), str)
