# SPDX-License-Identifier: BSD-3-Clause
"""The array type: conversions, operators, weak numbers, attributes, text, pickles, buffers."""

import copy
import ctypes
import gc
import inspect
import io
import math
import operator
import pickle
import struct
import weakref

import pytest

import heddle as hd

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()


def test_from_python():
    assert hd.asarray(True).dtype == hd.bool and hd.asarray(3).dtype == hd.int64
    assert hd.asarray(3.0).dtype == hd.float32 and hd.asarray(1j).dtype == hd.complex64
    x = hd.asarray([[1, 2, 3], [4, 5, 6]])
    assert x.shape == (2, 3) and x.dtype == hd.int64 and x.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert hd.asarray([1, 2.5]).tolist() == [1.0, 2.5] and hd.asarray([1, 2j]).tolist() == [1, 2j]
    assert hd.asarray([]).shape == (0,) and hd.asarray([[], []]).shape == (2, 0)
    assert hd.asarray([2 ** 63]).dtype == hd.uint64 and hd.asarray(2 ** 64 - 1).item() == 2 ** 64 - 1
    assert hd.asarray([2 ** 62 + 1]).item() == 2 ** 62 + 1, "integers are exact"
    assert hd.asarray([hd.asarray(1.5), 2]).tolist() == [1.5, 2.0]
    assert hd.asarray(range(4)).tolist() == [0, 1, 2, 3]
    with hd.backend(";real=float64"):
        assert hd.asarray([0.1]).dtype == hd.float64


@pytest.mark.parametrize("value, error", [([[1, 2], [3]], ValueError), ([1, [2]], ValueError), ([[1], 2], ValueError),
                                          (["a"], TypeError), ("text", TypeError), (object(), TypeError),
                                          ([2 ** 64], OverflowError), (-2 ** 63 - 1, OverflowError), ({1: 2}, TypeError)])
def test_not_from_python(value, error):
    with pytest.raises(error):
        hd.asarray(value)


def test_lists_that_contain_themselves():
    a = []
    a.append(a)
    with pytest.raises(ValueError):
        hd.asarray(a)


@pytest.mark.parametrize("name", DTYPES)
def test_dtype(name):
    t = getattr(hd, name)
    assert t == name and hash(t) == hash(name) and t is hd.dtype(name) and str(t) == name and t != "floating"
    assert pickle.loads(pickle.dumps(t)) is t and copy.copy(t) is t
    assert t(1).dtype is t and hd.zeros(3, dtype=name).nbytes == 3 * t.itemsize
    with pytest.raises(TypeError):
        hd.zeros(3, dtype="no_dtype")


def test_python_types_as_dtypes():
    assert hd.zeros(1, dtype=float).dtype == hd.float32 and hd.zeros(1, dtype=int).dtype == hd.int64
    assert hd.zeros(1, dtype=bool).dtype == hd.bool and hd.zeros(1, dtype=complex).dtype == hd.complex64
    assert hd.zeros(1, dtype=hd.REAL).dtype == hd.float32


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
             operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("op", OPERATORS)
def test_operators(op, each_backend):
    a, b = [1.0, 2.5, -3.0], [2.0, -1.5, 3.0]
    x, y = hd.asarray(a, dtype=hd.float64), hd.asarray(b, dtype=hd.float64)
    for got, want in ((op(x, y), [op(p, q) for p, q in zip(a, b)] if op is not operator.pow else None),
                      (op(x, 2.0), [op(p, 2.0) for p in a]), (op(3.0, y), [op(3.0, q) for q in b]),
                      (op(x, 2), [op(p, 2) for p in a])):
        if want is None:
            continue
        assert got.tolist() == pytest.approx(want)
        assert got.backend == each_backend


def test_integer_and_bool_operators():
    x = hd.asarray([6, 5], dtype=hd.int16)
    assert [(x & 3).tolist(), (x | 1).tolist(), (x ^ x).tolist(), (x << 2).tolist(), (x >> 1).tolist(), (~x).tolist()] == \
        [[2, 1], [7, 5], [0, 0], [24, 20], [3, 2], [-7, -6]]
    assert (1 << x).tolist() == [64, 32] and (3 & x).dtype == hd.int16
    b = hd.asarray([True, False])
    assert (b & True).tolist() == [True, False] and (~b).tolist() == [False, True]
    assert (x @ x).item() == 61 and (-x).tolist() == [-6, -5] and abs(-x).tolist() == [6, 5] and (+x).tolist() == [6, 5]
    with pytest.raises(TypeError):
        x & 1.5
    with pytest.raises(TypeError):
        +b


@pytest.mark.parametrize("name", DTYPES[1:])
def test_weak_numbers(name):
    """A Python number takes the array's dtype where its kind is not wider."""
    x = hd.ones(2, dtype=name)
    assert (x + 1).dtype == name and (1 + x).dtype == name and (x * True).dtype == name
    if "float" in name or "complex" in name:
        assert (x + 1.5).dtype == name and (1.5 * x).dtype == name and (x ** 2).dtype == name
    assert (x + 1j).dtype == {"float32": "complex64", "float64": "complex128", "complex128": "complex128"}.get(name, "complex64")
    assert (hd.ones(2, dtype=hd.int8) + 1.5).dtype == hd.float32


def test_integers_beyond_a_double():
    x = hd.asarray([0], dtype=hd.int64)
    assert (x + (2 ** 62 + 1)).item() == 2 ** 62 + 1
    assert (hd.asarray([0], dtype=hd.uint64) + (2 ** 64 - 1)).item() == 2 ** 64 - 1
    with pytest.raises(OverflowError):
        x + 2 ** 64


def test_numpy_operands_are_strong(np):
    x = hd.ones(2, dtype=hd.float32)
    for r in (x + np.float64(1), np.float64(1) + x, x * np.ones(2), np.ones(2) * x):
        assert isinstance(r, hd.Array) and r.dtype == hd.float64
    assert (x + np.float32(1)).dtype == hd.float32 and (x == np.ones(2)).tolist() == [True, True]


def test_strangers_are_refused():
    x = hd.ones(2)
    for other in ("a", None, b"ab", object(), {}):
        with pytest.raises(TypeError):
            x + other
        if other != b"ab":   # bytes + buffer is Python's own
            with pytest.raises(TypeError):
                other + x
    assert (x == None) is False and (x != "a") is True  # noqa: E711
    with pytest.raises(TypeError):
        hash(x)


class Reflecting:
    def __radd__(self, other):
        return "mine"

    def __array_ufunc__(self):
        return NotImplemented


def test_others_get_their_turn():
    assert hd.ones(2) + Reflecting() == "mine"


def test_in_place():
    x = hd.asarray([1.0, 2.0, 3.0])
    y, whole = x, x[...]
    x += 1
    x *= hd.asarray([2.0, 2.0, 2.0])
    assert x is y and whole.tolist() == [4.0, 6.0, 8.0]
    x[1:] += x[:-1]
    assert x.tolist() == [4.0, 10.0, 14.0], "as if the operand had been copied before"
    x -= x[::-1]
    assert x.tolist() == [-10.0, 0.0, 10.0]
    n = hd.asarray([1, 2, 3])
    with pytest.raises(TypeError):
        n += 1.5
    with pytest.raises(TypeError):
        n /= 2
    assert n.tolist() == [1, 2, 3]
    n //= 2
    n **= 2
    assert n.tolist() == [0, 1, 1]
    with pytest.raises(ValueError):
        x += hd.ones((2, 3))
    r = x.read_only()
    with pytest.raises(ValueError):
        r += 1
    f = hd.ones(2, dtype=hd.float32)
    f += hd.ones(2, dtype=hd.float64)
    assert f.dtype == hd.float32 and f.tolist() == [2, 2]


def test_one_element_as_a_number():
    assert float(hd.asarray(2.5)) == 2.5 and int(hd.asarray(2.5)) == 2 and complex(hd.asarray([2.5])) == 2.5
    assert bool(hd.asarray(0)) is False and operator.index(hd.asarray(7)) == 7 and [1, 2, 3][hd.asarray(1)] == 2
    assert int(hd.asarray(2 ** 63, dtype=hd.uint64)) == 2 ** 63 and int(hd.asarray(-2 ** 63)) == -2 ** 63
    assert hd.asarray(1.5, dtype=hd.float16).item() == 1.5 and hd.asarray(1.5, dtype=hd.bfloat16).item() == 1.5
    assert f"{hd.asarray(2.5):.2f}" == "2.50" and round(hd.asarray(2.5)).item() == 2
    for f, error in ((float, TypeError), (int, TypeError), (complex, TypeError), (bool, ValueError), (operator.index, TypeError)):
        with pytest.raises(error):
            f(hd.ones(2, dtype=hd.int64))
    with pytest.raises(TypeError):
        operator.index(hd.asarray(1.0))
    with pytest.raises((ValueError, OverflowError)):
        int(hd.asarray(math.nan))
    with pytest.raises(TypeError):
        float(hd.asarray(1j))


def test_text():
    x = hd.asarray([[1.0, 2.0], [3.0, 4.5]])
    assert repr(x) == "Array([[1.0, 2.0],\n       [3.0, 4.5]], dtype=float32)" and str(x) == "[[1.0, 2.0],\n [3.0, 4.5]]"
    assert repr(hd.asarray(3)) == "Array(3, dtype=int64)" and repr(hd.float32) == "heddle.float32"
    assert len(repr(hd.zeros(10 ** 6))) < 400


def test_attributes():
    x = hd.zeros((2, 3, 4), dtype=hd.int16)
    assert (x.shape, x.ndim, x.size, x.nbytes, x.itemsize, x.strides) == ((2, 3, 4), 3, 24, 48, 2, (24, 8, 2))
    assert x.T.shape == (4, 3, 2) and x.mT.shape == (2, 4, 3) and x.device == x.space == "host"
    assert x.is_contiguous and not x.T.is_contiguous and not x.is_read_only and len(x) == 2
    assert x.real.dtype == hd.int16 and hd.zeros(2, dtype=hd.complex64).imag.dtype == hd.float32
    with pytest.raises(TypeError):
        len(hd.asarray(1))
    with pytest.raises(AttributeError):
        x.no_such
    with pytest.raises(TypeError):
        hd.Array()
    assert x.to("host").shape == x.to("reference").shape == x.shape
    with pytest.raises(TypeError):
        x.to(None)
    with pytest.raises(LookupError):
        x.to("no_such_backend")


def test_iteration():
    assert [r.tolist() for r in hd.asarray([[1, 2], [3, 4]])] == [[1, 2], [3, 4]] and list(hd.zeros(0)) == []
    a, b = hd.asarray([5, 6])
    assert (a.item(), b.item()) == (5, 6) and 6 in hd.asarray([5, 6]) and 7 not in hd.asarray([5, 6])
    with pytest.raises(TypeError):
        iter(hd.asarray(1))


def test_methods():
    x = hd.asarray([[3.0, 1.0], [2.0, 4.0]])
    assert x.sum().item() == 10 and x.sum(axis=0).tolist() == [5, 5] and x.sum(1).tolist() == [4, 6]
    assert x.max(axis=1, keepdims=True).shape == (2, 1) and x.mean().item() == 2.5 and x.argmax().item() == 3
    assert x.reshape(4).shape == x.reshape((4,)).shape == x.reshape(-1).shape == (4,) and x.reshape(1, 4).shape == (1, 4)
    assert x.transpose().tolist() == x.T.tolist() and x.astype(hd.int32).dtype == hd.int32 and x.clip(2, 3).min().item() == 2
    assert x.copy().tolist() == x.tolist() and x.to_device("host") is x and x.__array_namespace__() is hd
    y = x.copy()
    y.sort()
    assert y.tolist() == [[1, 3], [2, 4]] and x.tolist() == [[3, 1], [2, 4]]
    with pytest.raises(ValueError):
        x.__array_namespace__(api_version="1999.01")


def test_references():
    x = hd.zeros(5)
    r = weakref.ref(x)
    assert r() is x
    del x
    gc.collect()
    assert r() is None


def test_nothing_leaks():
    def work():
        x = hd.asarray([[1.0, 2.0], [3.0, 4.0]])
        x[x > 1] = 5
        y = (x + 1) @ x.T
        y += hd.linalg.svd(x).S
        for bad in (lambda: x + hd.ones(3), lambda: x[7], lambda: hd.linalg.inv(hd.zeros((2, 2))), lambda: hd.stack([x, 1])):
            with pytest.raises(Exception):
                bad()
        return pickle.loads(pickle.dumps(y, 5)).tolist(), memoryview(y).nbytes, hd.from_dlpack(y).shape
    work()
    gc.collect()
    before = hd.stats()["arrays_live"]
    for _ in range(50):
        work()
    gc.collect()
    assert hd.stats()["arrays_live"] <= before


@pytest.mark.parametrize("protocol", range(2, 6))
@pytest.mark.parametrize("name", DTYPES + ["float16", "bfloat16"])
def test_pickle(protocol, name):
    x = hd.astype(hd.asarray([[0, 1, 2], [3, 4, 5]]), name)
    for a in (x, x.T, x[:, 1:], x[0, 0], x[:0]):
        y = pickle.loads(pickle.dumps(a, protocol))
        assert y.dtype == a.dtype and y.shape == a.shape and y.tolist() == a.tolist()


def test_pickle_out_of_band():
    x, buffers = hd.arange(1000.0), []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 400 and len(buffers) == 1 and buffers[0].raw().nbytes == x.nbytes
    y = pickle.loads(data, buffers=buffers)
    assert hd.shares_memory(x, y) and y.tolist() == x.tolist()
    y = pickle.loads(data, buffers=[bytes(buffers[0].raw())])
    y[0] = 7
    assert y[0].item() == 7 and x[0].item() == 0
    with pytest.raises(ValueError):
        pickle.loads(data, buffers=[b"short"])
    with hd.backend("reference"):
        assert pickle.loads(pickle.dumps(x)).space == "host"


LONG = "l" if struct.calcsize("l") == 8 else "q"   # NumPy's int64


@pytest.mark.parametrize("name, code", list(zip(DTYPES, f"? b h i {LONG} B H I {LONG.upper()} f d Zf Zd".split())))
def test_buffer(name, code):
    x = hd.astype(hd.asarray([[0, 1, 2], [3, 4, 5]]), name)
    m = memoryview(x)
    assert (m.format, m.shape, m.strides, m.readonly) == (code, (2, 3), x.strides, False)
    assert memoryview(x.T).strides == x.T.strides and memoryview(x.read_only()).readonly
    y = hd.asarray(m) if code[0] != "Z" else hd.asarray(x)
    assert y.dtype == name and hd.shares_memory(x, y)
    del x
    assert y.tolist() == hd.astype(hd.asarray([[0, 1, 2], [3, 4, 5]]), name).tolist()


@pytest.mark.parametrize("code", ["i2", "u4", "i8", "f2", "f4", "f8", "c8", "c16", "?", "i1"])
def test_other_byte_order(np, code):
    native = np.arange(12).reshape(3, 4).astype(code)
    other = native.astype(native.dtype.newbyteorder())
    np.testing.assert_array_equal(np.asarray(hd.asarray(other)), native)
    np.testing.assert_array_equal(np.asarray(hd.asarray(other[:, ::2])), native[:, ::2])
    if native.itemsize > 1:
        with pytest.raises(ValueError, match="other order"):
            hd.asarray(other, copy=False)


def test_buffers_that_do_not_fit():
    x = hd.zeros((2, 3), dtype=hd.bfloat16)
    with pytest.raises(BufferError):
        memoryview(x)
    with pytest.raises(TypeError):
        hd.asarray(memoryview(b"abc").cast("c"))
    r = hd.asarray(memoryview(b"abc"))
    assert r.dtype == hd.uint8 and r.is_read_only and r.tolist() == [97, 98, 99]
    with pytest.raises(ValueError):
        r[0] = 1
    with pytest.raises(BufferError):
        io.BytesIO(hd.zeros((4, 4), dtype=hd.uint8)[:, 1:])   # it takes what is contiguous
    with pytest.raises(TypeError):
        (ctypes.c_float * 3).from_buffer(hd.ones(3).read_only())


def test_signature_of_every_function():
    for name in dir(hd.ops):
        f = getattr(hd.ops, name)
        if name[0] != "_" and callable(f) and not isinstance(f, type) and not isinstance(f, hd.DType):
            assert inspect.signature(f) is not None and f.__doc__, name
    assert str(inspect.signature(hd.ops.sum)) == "(x, /, axis=None, *, keepdims=False, dtype=None, out=None)"


def test_stubs():
    """The stub of each module knows every public name, and is Python."""
    import ast
    import importlib
    from pathlib import Path
    folder = Path(hd.__file__).parent
    if not (folder / "_core.pyi").exists():
        pytest.skip("the stub file is made by the build")
    for name in ["_core", "__init__", "fft", "image", "linalg", "match", "nn", "ops", "random", "run", "tensor", "ultrasound", "vsa"]:
        module = hd if name == "__init__" else importlib.import_module(f"heddle.{name}")
        tree = ast.parse((folder / f"{name}.pyi").read_text())
        known = {n.name for n in tree.body if hasattr(n, "name")} | {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
        known |= {n.asname or n.name for i in tree.body if isinstance(i, ast.ImportFrom) for n in i.names}
        public = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        assert not [n for n in public if n not in known and not inspect.ismodule(getattr(module, n))], name


def test_types(tmp_path):
    """README's program, and the examples that need no other library, under mypy."""
    import os
    import re
    import shutil
    from pathlib import Path
    api = pytest.importorskip("mypy.api")
    top = Path(os.environ.get("HEDDLE_TEST_SRCDIR", Path(__file__).parents[2])) / "python"
    (tmp_path / "readme.py").write_text(re.search(r"```python\n(.*?)```", (top / "README.md").read_text(), re.S)[1])
    for example in (top / "examples").glob("0[1256789]*.py"):
        shutil.copy(example, tmp_path)
    (tmp_path / "heddle").mkdir()
    for stub in Path(hd.__file__).parent.rglob("*.py[it]*"):
        if stub.suffix == ".pyi" or stub.name == "py.typed":
            target = tmp_path / "heddle" / stub.relative_to(Path(hd.__file__).parent)
            target.parent.mkdir(exist_ok=True)
            shutil.copy(stub, target)
    said, errors, status = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), *map(str, tmp_path.glob("*.py"))])
    assert status == 0, said + errors


def test_arguments_that_are_wrong():
    x = hd.ones((2, 2))
    for call in (lambda: hd.add(x), lambda: hd.add(x, x, x), lambda: hd.add(x, x, no=1), lambda: hd.ops.svd(x, a=x),
                 lambda: hd.ops.svd(), lambda: hd.ops.softmax(x, 1.5), lambda: hd.ops.take(x, "a")):
        with pytest.raises(TypeError):
            call()
    for call in (lambda: hd.ops.qr(x, "no mode"), lambda: hd.add(x, hd.ones(3)), lambda: hd.ops.mask_ellipse((3, 3), [1, 2, 3])):
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value)
    with pytest.raises(hd.LinAlgError):
        hd.linalg.inv(hd.zeros((2, 2)))
    with pytest.raises(hd.Error) as caught:
        hd.add(x, hd.ones(3))
    assert caught.value.name == "E_SHAPE" and caught.value.status == -10 and "add" in str(caught.value)


def test_out():
    x, out = hd.asarray([1.0, 4.0]), hd.zeros(2)
    assert hd.sqrt(x, out=out) is out and out.tolist() == [1, 2]
    assert hd.add(x, 1, out=out) is out and out.tolist() == [2, 5]
    assert hd.ops.sum(x, 0, out=hd.zeros(())).item() == 5
    with pytest.raises(TypeError):
        hd.sqrt(x, out=[0, 0])


@pytest.mark.parametrize("value, kind", [(300, OverflowError), (-1, OverflowError), (float("nan"), ValueError),
                                         (float("inf"), ValueError)])
def test_numbers_are_not_cut_to_an_integer_type(value, kind):
    x = hd.zeros(3, dtype=hd.uint8)

    def assign(key, v):
        x[key] = v
    for make in (lambda: hd.asarray(value, dtype=hd.uint8), lambda: hd.asarray([1, value], dtype=hd.uint8), lambda: hd.uint8(value),
                 lambda: hd.full(2, value, dtype=hd.uint8), lambda: hd.full_like(x, value), lambda: assign(0, value),
                 lambda: assign(slice(0, 2), [1, value])):
        with pytest.raises(kind, match="integers from 0 to 255 are needed"):
            make()
    assert x.tolist() == [0, 0, 0]
    assert hd.asarray([255, 1.9], dtype=hd.uint8).tolist() == [255, 1]
    with hd.backend("reference;index=int32"), pytest.raises(OverflowError, match="element 0 is 1099511627776"):
        hd.asarray([2 ** 40])


def test_seeds_are_not_cut():
    for seed in (-1, 2 ** 64):
        with pytest.raises(OverflowError, match=f"seed is {seed}"):
            hd.random.Generator(seed)
    assert hd.random.Generator(2 ** 64 - 1, draw=3).draw == 3
    with pytest.raises(ValueError, match="spec: character 3 is null"):
        hd.set_default_backend("cpu\0;threads=2")


def test_numpys_ways_of_looking(np):
    x = hd.reshape(hd.arange(6, dtype=hd.float64), (2, 3))
    assert x.item(4) == x.item(1, 1) == x.item((1, 1)) == 4.0 and x.item(-1) == 5.0
    for wrong, error in (((1, 1, 1), ValueError), ((6,), IndexError), ((0, 3), IndexError)):
        with pytest.raises(error):
            x.item(*wrong)
    with pytest.raises(TypeError):
        x.item()
    y = x.T
    y.flat[1] = 9
    assert x[1, 0].item() == 9 and y.flat[:2].tolist() == [0, 9] and len(y.flat) == 6 and [float(v) for v in y.flat][1] == 9
    assert x.flags.c_contiguous and not y.flags["C"] and y.flags["F_CONTIGUOUS"] and not x.read_only().flags.writeable
    assert y.flatten("F").tolist() == x.ravel().tolist() == y.ravel("F").tolist()
    assert x.flatten("F").tolist() == y.ravel().tolist()
    with pytest.raises(KeyError, match="OWNDATA"):
        x.flags["OWNDATA"]
    assert np.asarray(hd.arange(2)).dtype.type is np.int64 and np.asarray(hd.asarray([1], dtype="uint64")).dtype.type is np.uint64


def test_lists_as_operands(np):
    x = hd.asarray([0.1, 0.2], dtype=hd.float64)
    assert (x == [0.1, 0.2]).tolist() == [True, True] and (x != (0.1, 0.3)).tolist() == [False, True]
    assert ([1, 2] + x).dtype == hd.float64 and (hd.arange(2) * [2, 3]).tolist() == [0, 3]
    assert ([1, 2] @ x).item() == pytest.approx(0.5)
    x += [1, 1]
    assert x.tolist() == [1.1, 1.2] and (x * [1j, 0]).dtype == hd.complex128
    for wrong in ([1, 2, 3], ["a", "b"], [[1], [2, 3]]):
        with pytest.raises((ValueError, TypeError)):
            x + wrong


def test_dtypes_and_pythons_types(np):
    for real, index in (("float32", "int64"), ("float64", "int32")):
        with hd.backend(f";real={real};index={index}"):
            x = hd.zeros(2, dtype=float)
            assert real == x.dtype == float and x.dtype != int and x.astype("float").dtype == real
            assert index == hd.zeros(2, dtype="int").dtype == int
    assert hd.bool == bool and hd.complex128 != complex and hd.float32 == "f4" != hd.float64 and hd.float64 == "double" != "nothing"
    with pytest.raises(TypeError, match="nothing"):
        hd.zeros(2, dtype="nothing")
