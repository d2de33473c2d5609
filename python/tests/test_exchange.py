# SPDX-License-Identifier: BSD-3-Clause
"""Exchange with NumPy, PyTorch and SciPy, and with consumers and producers made by hand."""

import gc
import weakref

import pytest

import heddle as hd

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


@pytest.mark.parametrize("name", DTYPES)
def test_numpy_both_ways(np, rng, name):
    a = (rng.random((3, 4)) * 100).astype(name)
    x = hd.asarray(a)
    assert x.dtype == name and hd.float32.dtype == np.float32
    b = np.asarray(x)
    assert b.dtype == a.dtype and np.shares_memory(a, b)
    for other in (a.T, a[::2, ::-1], a[1], np.broadcast_to(a[0], (2, 4)), a[:0], a[1, 1]):
        y = hd.asarray(other)
        assert y.tolist() == other.tolist() and np.array_equal(np.asarray(y), other)
    c = hd.asarray(a, copy=True)
    assert not np.shares_memory(np.asarray(c), a)
    assert np.array(x, dtype=np.complex128).dtype == np.complex128
    assert np.array(x).flags.owndata and not np.asarray(x.read_only()).flags.writeable


def test_numpy_that_is_not_taken(np):
    for a in (np.array(["a"]), np.array([object()]), np.zeros(2, "datetime64[s]"), np.zeros(2, "i4,f4")):
        with pytest.raises((TypeError, ValueError, hd.Error)):
            hd.asarray(a)
    assert hd.asarray(np.arange(3, dtype=">i4").astype("<i4")).tolist() == [0, 1, 2]
    packed = np.zeros(3, np.dtype([("a", "u1"), ("b", "<f8")], align=False))["b"]   # elements that are not aligned
    packed[:] = [1, 2, 3]
    assert hd.asarray(packed).tolist() == [1, 2, 3]
    with pytest.raises(ValueError):
        hd.asarray(packed, copy=False)
    with pytest.raises(ValueError):
        hd.asarray([1, 2], copy=False)
    with pytest.raises(TypeError):
        np.asarray(hd.zeros(2, dtype=hd.bfloat16))


def test_owner_goes_when_the_last_array_goes(np):
    class Owner(np.ndarray):
        pass
    a = np.arange(10.0).view(Owner)
    r = weakref.ref(a)
    x = hd.asarray(a)[2:]
    del a
    gc.collect()
    assert r() is not None and x.tolist() == list(range(2, 10))
    del x
    (hd.zeros(1) + 1)   # what waits to be dropped is dropped at the next operation at the latest
    gc.collect()
    assert r() is None


def test_finalizer_sees_its_own_context(np):
    """An owner that goes in the middle of a call is finalized after it, outside of the call's context."""
    seen = []

    class Owner(np.ndarray):
        def __del__(self):
            if self.base is None or isinstance(self.base, np.ndarray):
                seen.append((hd.get_backend(), hd.zeros(1).backend))
    a = np.arange(4.0).view(Owner)
    with hd.backend("reference"):
        x = hd.asarray(a)
        del a
        x = x + 1
        gc.collect()
    assert all(s[0] == s[1] for s in seen)


class Consumer:
    """What a consumer that knows only the unversioned struct gets."""

    def __init__(self, x):
        self.capsule = x.__dlpack__()


def test_dlpack_kinds_of_capsules():
    x = hd.arange(6.0)
    assert '"dltensor"' in repr(x.__dlpack__()) and '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(x.__dlpack__(max_version=(0, 8))) and x.__dlpack_device__() == (1, 0)
    del x
    gc.collect()   # capsules that nobody consumed free their tensors


class Old:
    def __init__(self, x):
        self.x = x

    def __dlpack__(self):
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class New(Old):
    def __dlpack__(self, *, max_version=None, **words):
        return self.x.__dlpack__(max_version=max_version, **words)


@pytest.mark.parametrize("producer", [Old, New])
def test_dlpack_producers(producer):
    x = hd.asarray([[1.0, 2.0], [3.0, 4.0]])
    y = hd.from_dlpack(producer(x.T))
    assert hd.shares_memory(x, y) and y.tolist() == [[1, 3], [2, 4]]
    if producer is Old:   # nothing says that it may be written
        assert y.is_read_only
        x[0, 0] = 9
    else:
        y[0, 0] = 9
    assert x[0, 0].item() == y[0, 0].item() == 9
    r = hd.from_dlpack(producer(x.read_only()))
    assert r.tolist() == x.tolist() and (r.is_read_only or not hd.shares_memory(x, r))
    del x
    gc.collect()
    assert y.tolist() == [[9, 3], [2, 4]]


def test_dlpack_that_is_refused():
    x = hd.arange(4.0)
    with pytest.raises(TypeError):
        hd.from_dlpack(3)
    with pytest.raises(BufferError):
        x.read_only().__dlpack__(copy=False)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        x.__dlpack__(stream=5)

    class Twice:
        capsule = x.__dlpack__()

        def __dlpack__(self):
            return self.capsule
    t = Twice()
    hd.from_dlpack(t)
    with pytest.raises(TypeError):
        hd.from_dlpack(t)
    assert not hd.shares_memory(x, hd.from_dlpack(x, copy=True)) and hd.shares_memory(x, hd.from_dlpack(x))


def test_numpy_from_dlpack(np):
    x = hd.arange(4.0)
    a = np.from_dlpack(x)
    b = np.arange(3.0)
    assert np.shares_memory(a, np.asarray(x)) and np.shares_memory(b, np.asarray(hd.from_dlpack(b)))


def test_torch():
    torch = pytest.importorskip("torch")
    x = hd.asarray([[1.0, 2.0], [3.0, 4.0]])
    t = torch.from_dlpack(x)
    t += 1
    assert x.tolist() == [[2, 3], [4, 5]]
    y = hd.from_dlpack(torch.arange(6).reshape(2, 3).T)
    assert y.dtype == hd.int64 and y.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert hd.asarray(torch.ones(2, dtype=torch.bfloat16)).dtype == hd.bfloat16
    assert hd.asarray(torch.ones(2, dtype=torch.complex64)).dtype == hd.complex64
    assert torch.asarray(hd.ones(3)).tolist() == [1, 1, 1]
    assert (hd.ones(3) + torch.ones(3)).tolist() == [2, 2, 2]


def test_scipy(np):
    special = pytest.importorskip("scipy.special")
    got = special.erf(np.asarray(hd.asarray([0.5, 1.0], dtype=hd.float64)))
    assert hd.erf(hd.asarray([0.5, 1.0], dtype=hd.float64)).tolist() == pytest.approx(got.tolist())


def test_universal_functions_of_mixed_arrays(np):
    """What test_protocol.py does not mix: arrays of both libraries, and numbers."""
    x = hd.asarray([1.0, 4.0, 9.0])
    for got in (np.add(np.ones(3), x), np.add(x, 1), np.concatenate([np.ones(3), x])[3:] + 1,
                np.where(np.array([True] * 3), x + 1, 0)):
        assert isinstance(got, hd.Array) and got.tolist() == [2, 5, 10]
    with pytest.raises(TypeError):
        np.sqrt(x, out=np.zeros(3))


def test_numpys_scalars(np):
    x = hd.asarray(np.float64(3))
    x[...] = 4
    assert x.item() == 4 and x.dtype == hd.float64
    for scalar in [np.dtype(name).type(1 + 2j if "c" in name else 1) for name in DTYPES]:
        assert hd.asarray([scalar, scalar]).tolist() == [scalar, scalar]
        assert hd.asarray([scalar, scalar]).dtype == scalar.dtype, scalar.dtype
        assert hd.asarray([[scalar], [scalar.item()]]).dtype == scalar.dtype
    assert hd.asarray([np.float32(1), np.float64(2)]).dtype == hd.float64
    rows = hd.asarray([np.arange(3.0), hd.zeros(3, dtype=hd.float32), [1, 2, 3]])
    assert rows.shape == (3, 3) and rows.tolist() == [[0, 1, 2], [0, 0, 0], [1, 2, 3]]


def test_dtypes_compare_with_numpys(np):
    for name in DTYPES:
        ours, theirs = getattr(hd, name), np.dtype(name)
        assert ours == theirs and ours == theirs.type and theirs == ours and not ours != theirs.type
        assert hd.dtype(theirs.str) == hd.dtype(theirs.char) == ours
        assert [n for n in DTYPES if getattr(hd, n) == theirs.type] == [name]


def test_what_cannot_be_written(np):
    wide = hd.broadcast_to(hd.ones(1), (3,))
    assert not np.asarray(wide).flags.writeable and not np.from_dlpack(wide).flags.writeable

    class Old:   # a producer that knows only the unversioned struct
        def __init__(self, x):
            self.x = x

        def __dlpack__(self):
            return self.x.__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)
    x = hd.ones(3)
    shown = hd.from_dlpack(Old(x))
    assert shown.is_read_only and not hd.from_dlpack(x).is_read_only and hd.shares_memory(x, shown)


@pytest.fixture
def device():
    """A context of a device with memory of its own, for an array there."""
    if hd.backend_info("opencl")["state"] in ("failed", "disabled") or "opencl:0" not in hd.devices():
        pytest.skip("no OpenCL device")
    return "opencl"


def test_devices_keep_their_arrays(np, device):
    with hd.backend(device):
        x = hd.asarray(np.arange(6.0))
        assert (x + True).tolist() == [1, 2, 3, 4, 5, 6] and (x > 2).tolist() == hd.where(x > 2, True, False).tolist()
        assert ((x > 2) == False).tolist() == [True] * 3 + [False] * 3   # noqa: E712
        x[0] = True
        assert hd.shares_memory(x, x[1:]) and not hd.shares_memory(x[:2], x[2:]) and hd.asarray(x, copy=False).space == x.space
        host = hd.ones(3).to("host")
        assert host.space == hd.asarray(host).space == "host"
    with hd.backend("cpu"):
        assert {y.space for y in (hd.asarray(x), hd.clip(x, 1, 2), hd.cumulative_sum(x), hd.asarray(x, dtype="f4"))} == {x.space}
    assert x.__dlpack_device__() == (4, 0) and np.from_dlpack(x, device="cpu").tolist() == x.tolist()
    assert hd.from_dlpack(x, device="host").tolist() == x.tolist()
    with pytest.raises(BufferError):
        hd.from_dlpack(x, device="host", copy=False)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match=r"\(2, 0\)"):
        x.__dlpack__(dl_device=(2, 0))
