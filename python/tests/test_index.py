# SPDX-License-Identifier: BSD-3-Clause
"""x[key] and x[key] = value against NumPy."""

import pytest

import heddle as hd


def random_key(rng, shape):
    """A key of the kinds that NumPy knows, for an array of SHAPE, and whether it has arrays in it."""
    key, left, arrays = [], list(shape), None
    if rng.random() < 0.1 and len(shape) > 0:
        return rng.random(shape[:rng.integers(1, len(shape) + 1)]) < 0.5
    while left and rng.random() < 0.9:
        n, kind = left[0], rng.integers(0, 6)
        if kind == 0 and n:
            key.append(int(rng.integers(-n, n)))
        elif kind == 1 and n:
            arrays = arrays or tuple(rng.integers(1, 4, rng.integers(0, 3)))
            key.append(rng.integers(-n, n, arrays))
        elif kind == 2:
            key.append(None)
            continue
        elif kind == 3:
            key.append(rng.random(n) < 0.5 if arrays is None else slice(None))
            if arrays is None:
                arrays = (int(key[-1].sum()),)
        else:
            a, b = (None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3)) for _ in range(2))
            key.append(slice(a, b, None if rng.random() < 0.5 else int(rng.choice([-3, -2, -1, 1, 2, 3]))))
        left.pop(0)
    if rng.random() < 0.3:
        key.insert(len(key) if left else int(rng.integers(0, len(key) + 1)), Ellipsis)
    return tuple(key)


def ours(key, np):
    def one(k):
        return hd.asarray(k) if isinstance(k, np.ndarray) else k
    return tuple(one(k) for k in key) if isinstance(key, tuple) else one(key)


def test_random_keys(np, rng, each_backend):
    done = 0
    for _ in range(600):
        shape = tuple(rng.integers(0, 5, rng.integers(0, 5)))
        a = rng.integers(0, 100, shape).astype(rng.choice(["int32", "float64", "complex64"]))
        x, key = hd.asarray(a, copy=True), random_key(rng, shape)
        try:
            want = a[key]
        except IndexError:
            with pytest.raises(IndexError):
                x[ours(key, np)]
            continue
        assert np.array_equal(np.asarray(x[ours(key, np)]), want), (shape, key)
        value = rng.integers(0, 100, want.shape[int(rng.integers(0, want.ndim + 1)):] if want.ndim else ()).astype(a.dtype)
        if rng.random() < 0.3:
            value = 7
        a[key] = value
        x[ours(key, np)] = value if isinstance(value, int) else hd.asarray(value)
        assert np.array_equal(np.asarray(x), a), (shape, key)
        done += 1
    assert done > 300


def test_lists_and_numbers_as_keys(np):
    a = np.arange(24).reshape(4, 6)
    x = hd.asarray(a)
    for key in ([0, 2], ([0, 2], 1), [True, False, True, False], (slice(None), [5, 0]), True, False, [], (), np.int64(2),
                (np.int8(1), np.uint8(2)), np.array([1, 2]), (None, np.array(3)), (..., [1])):
        assert np.array_equal(np.asarray(x[key]), a[key]), key


@pytest.mark.parametrize("key", [4, -5, (0, 6), (0, 0, 0), 1.0, "a", [0, 9], (..., ...), {1: 2}, [0.5], slice(1.5, 2)])
def test_wrong_keys(key):
    x = hd.asarray([[1] * 6] * 4)
    with pytest.raises((IndexError, TypeError)):
        x[key]
    with pytest.raises((IndexError, TypeError)):
        x[key] = 1
    assert x.sum().item() == 24


def test_step_zero_and_deletion():
    x = hd.arange(4)
    with pytest.raises((ValueError, IndexError)):
        x[::0]
    with pytest.raises(TypeError):
        del x[0]


def test_assignment_that_overlaps(np):
    for key, value in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None)),
                       (slice(None), slice(None, None, -1)), (slice(None, None, 2), slice(1, None, 2))):
        a = np.arange(10)
        x = hd.asarray(a.copy())
        a[key] = a[value].copy()
        x[key] = x[value]
        assert np.array_equal(np.asarray(x), a), (key, value)


def test_assignment_that_does_not_fit():
    x = hd.zeros((2, 3))
    for value in (hd.ones(2), hd.ones((3, 3)), [1, 2], [[1, 2, 3]] * 3):
        with pytest.raises(ValueError):
            x[...] = value
    with pytest.raises(TypeError):
        x[0] = "a"
    with pytest.raises(ValueError):
        x.read_only()[0] = 1
    assert x.sum().item() == 0
    x[0] = [1, 2, 3]
    x[1, 1:] = (4, 5)
    assert x.tolist() == [[1, 2, 3], [0, 4, 5]]


def test_views_share():
    x = hd.zeros((3, 4))
    x[1:, ::2] = 1
    v = x[1]
    v[...] = 5
    assert x.sum().item() == 22 and hd.shares_memory(x, x[0]) and not hd.shares_memory(x, x[[0]])


def test_operations_with_keys(np):
    a = np.zeros(5)
    np.add.at(a, [0, 0, 3], [1, 2, 3])
    x = hd.zeros(5)
    hd.addat(x, [0, 0, 3], [1, 2, 3])
    assert x.tolist() == a.tolist()
    hd.accumulate(x, [0, 0], [10.0, 4.0], "max")
    assert x[0].item() == 10
    y = hd.index_update(x, slice(0, 2), 1)
    assert y.tolist() == [1, 1, 0, 3, 0] and x[0].item() == 10
    with pytest.raises(IndexError):
        hd.addat(x, [9], [1])
