# SPDX-License-Identifier: BSD-3-Clause
"""The generated functions: every kind of argument and result that operations have, against NumPy."""

import inspect
import json
import os
from pathlib import Path

import pytest

import heddle as hd
from heddle import ops

np = pytest.importorskip("numpy")
A = np.array([[3.0, 1.0, 2.0, 5.0], [0.5, 4.0, -1.0, 2.5], [2.0, -2.0, 6.0, 1.5]])
X = hd.asarray(A)
V = np.array([4.0, 1.0, 3.0, 1.0, 5.0])
SPELLED = {"get", "set", "slice", "fft", "random"}   # indexing is Python's; the last two are rows for backends alone

CASES = [   # what is called, what it gives
    (lambda: ops.quantile(X, [0.25, 0.5], 1), lambda: np.quantile(A, [0.25, 0.5], axis=1)),
    (lambda: ops.quantile(X, 0.5, method="lower"), lambda: [np.quantile(A, 0.5, method="lower")]),
    (lambda: ops.median(X, 0, keepdims=True), lambda: np.median(A, 0, keepdims=True)),
    (lambda: ops.cumsum(X, 1, initial=True), lambda: np.concatenate([np.zeros((3, 1)), A.cumsum(1)], 1)),
    (lambda: ops.var(X, 0, ddof=1), lambda: A.var(0, ddof=1)),
    (lambda: ops.sum(X, ()), lambda: A),
    (lambda: ops.gradient(X, spacing=[2.0, 0.5])[1], lambda: np.gradient(A, 2.0, 0.5)[1]),
    (lambda: ops.gradient(X, axes=1, coordinates=[[0.0, 1.0, 3.0, 4.0]])[0], lambda: np.gradient(A, [0, 1, 3, 4], axis=1)),
    (lambda: ops.gradient(X, spacing=2.0)[0], lambda: np.gradient(A, 2.0)[0]),
    (lambda: ops.topk(X, 2)[0], lambda: np.sort(A)[:, :-3:-1]),
    (lambda: ops.topk(X, 2, descending=True)[1], lambda: np.argsort(A)[:, :2]),
    (lambda: ops.split_sections(X, 2, 1)[1], lambda: A[:, 2:]),
    (lambda: ops.split_indices(X, [1, 3], 1)[2], lambda: A[:, 3:]),
    (lambda: ops.split_sizes(X, (1, 2), 0)[1], lambda: A[1:]),
    (lambda: ops.unstack(X, 1)[3], lambda: A[:, 3]),
    (lambda: ops.meshgrid([[1.0, 2.0], [3.0, 4.0, 5.0]], sparse=True)[1], lambda: [[3], [4], [5]]),
    (lambda: ops.nonzero_axes(X > 2)[0], lambda: np.nonzero(A > 2)[0]),
    (lambda: ops.unravel_index([5, 0, 11], (3, 4))[1], lambda: [1, 0, 3]),
    (lambda: ops.ravel_multi_index([[1, 2], [3, 0]], (3, 4)), lambda: [7, 8]),
    (lambda: ops.select([X > 3, X > 1], [X, X * 10], -1.0), lambda: np.select([A > 3, A > 1], [A, A * 10], -1.0)),
    (lambda: ops.choose([0, 1, 0], [[1, 2, 3], [4, 5, 6]]), lambda: [1, 5, 3]),
    (lambda: ops.concatenate([X, X], -1), lambda: np.concatenate([A, A], -1)),
    (lambda: ops.einsum("ij,kj->ik", [X, X]), lambda: A @ A.T),
    (lambda: ops.einsum_with("ij,kj,kl->il", [X, X, X], order="greedy"), lambda: A @ A.T @ A),
    (lambda: ops.tensordot(X, X, 0, 0), lambda: np.tensordot(A, A, (0, 0))),
    (lambda: ops.tensordot(X, X, (), ()), lambda: np.tensordot(A, A, 0)),
    (lambda: ops.outer([X[0], X[1]]), lambda: np.outer(A[0], A[1])),
    (lambda: ops.clip_array(X, low=0), lambda: np.maximum(A, 0)),
    (lambda: ops.where(X > 2, 1.0, X), lambda: np.where(A > 2, 1, A)),
    (lambda: ops.divmod(X, 2)[1], lambda: A % 2),
    (lambda: ops.nan_to_num([np.nan, np.inf, 1.0], nan=7.0, posinf=9.0), lambda: [7, 9, 1]),
    (lambda: ops.isclose(X, X + 1e-3, atol=1e-2, rtol=1e-9), lambda: np.ones((3, 4), bool)),
    (lambda: ops.roll(X, (1, 2), axis=(0, 1)), lambda: np.roll(A, (1, 2), (0, 1))),
    (lambda: ops.pad_with(X, (1, 0), (0, 2), "reflect"), lambda: np.pad(A, ((1, 0), (0, 2)), "reflect")),
    (lambda: ops.pad(X, (0, 1), (1, 0), 9.0), lambda: np.pad(A, ((0, 1), (1, 0)), constant_values=9)),
    (lambda: ops.histogram(V, bins=4, use_range=True, low=1.0, high=5.0)[0], lambda: np.histogram(V, 4, (1, 5))[0]),
    (lambda: ops.histogram(V, edges=[0.0, 2.0, 6.0], weights=[1.0, 2.0, 3.0, 4.0, 5.0])[0], lambda: [6, 9]),
    (lambda: ops.bincount([1, 1, 3], None, 6), lambda: np.bincount([1, 1, 3], minlength=6)),
    (lambda: ops.bincount([1, 1, 3], [0.5, 0.5, 2.0]), lambda: np.bincount([1, 1, 3], [0.5, 0.5, 2.0])),
    (lambda: ops.searchsorted([1.0, 2.0, 3.0], [2.0], True), lambda: [2]),
    (lambda: ops.unique(X[0] * 0, axis=0)[3], lambda: [4]),
    (lambda: ops.average(X, [1.0, 2.0, 3.0], 0), lambda: np.average(A, 0, [1, 2, 3])),
    (lambda: ops.cov(X, weights=[1.0, 1.0, 1.0, 1.0], population=True), lambda: np.cov(A, bias=True)),
    (lambda: ops.gaussian_filter(X, [0.0, 1.0], boundary="nearest").shape, lambda: (3, 4)),
    (lambda: ops.affine_transform(X, [[1, 0, 1], [0, 1, 0]], (2, 4), spline="linear"), lambda: A[1:]),
    (lambda: ops.rigid_transform(X, None, [[1, 0], [0, 1]], translation=[1.0, 0.0], spline="linear")[0][1:], lambda: A[:-1]),
    (lambda: ops.rigid_transform(X, X, np.eye(2), spline="linear")[1], lambda: A),
    (lambda: ops.mask_ellipse((3, 3), [1.0, 1.0]), lambda: [[0, 1, 0], [1, 1, 1], [0, 1, 0]]),
    (lambda: ops.mask_ellipse((3, 3), [0.6, 0.6], center=[0, 0]), lambda: [[1, 0, 0], [0, 0, 0], [0, 0, 0]]),
    (lambda: ops.normalize(X, axes=1), lambda: A / np.linalg.norm(A, axis=1, keepdims=True)),
    (lambda: ops.binary_crossentropy([0.5], [1.0], reduction="sum"), lambda: np.log(2)),
    (lambda: ops.convolve([1.0, 2.0, 3.0], [1.0, 1.0], "same"), lambda: [1, 3, 5]),
    (lambda: ops.rfftn(X, s=(4, 4), axes=(0, 1), norm="ortho"), lambda: np.fft.rfftn(A, (4, 4), (0, 1), "ortho")),
    (lambda: ops.matrix_norm(X, "nuclear"), lambda: np.linalg.norm(A, "nuc")),
    (lambda: ops.pinv_each(X, 1e-3), lambda: np.linalg.pinv(A)),
    (lambda: ops.linear_sum_assignment(X, True)[1], lambda: [3, 1, 2]),
    (lambda: ops.solve_triangular([[2.0, 9.0], [1.0, 4.0]], [2.0, 9.0], form="transposed"), lambda: [-1 / 8, 9 / 4]),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_case(case):
    call, want = CASES[case]
    got, want = call(), np.asarray(want())
    got = np.asarray(got)
    assert got.shape == want.shape and np.allclose(got, want, rtol=1e-5, atol=1e-6)


def test_results_that_are_no_arrays():
    assert ops.allclose(X, X + 1e-12) is True and ops.allclose(X, X + 1) is False
    assert ops.fft_good_size(11) >= 11 and isinstance(ops.fft_good_size(11), int)
    full, fast, fast_ft = ops.compute_convolution_shapes((10, 10), (3, 4))
    assert full == (12, 13) and fast[0] >= 12 and fast_ft[-1] == fast[-1] // 2 + 1
    x = hd.zeros(3)
    assert ops.fill(x, 2.0) is None and x.tolist() == [2, 2, 2]


def test_in_place_arguments():
    x = hd.zeros((2, 3))
    ops.put_along_axis(x, [[1], [0]], 5.0, 1)
    assert x.tolist() == [[0, 5, 0], [5, 0, 0]]
    ops.place(x, x > 1, [7.0])
    assert x.sum().item() == 14
    with pytest.raises(TypeError):
        ops.fill([1, 2], 3)


def test_random_functions():
    for name in [n for n in hd.random.__all__ if n not in ("Generator", "get_seed", "set_seed")]:
        assert callable(getattr(hd.random, name))
    assert hd.random.uniform((2, 2), low=3.0, high=4.0, seed=1).min().item() >= 3
    assert abs(hd.random.normal(10000, mean=5.0, std=0.1, seed=1).mean().item() - 5) < 0.01
    assert hd.random.integers(100, 0, 6, seed=1).max().item() == 5
    assert sorted(hd.random.permutation(5, seed=1).tolist()) == [0, 1, 2, 3, 4]
    assert hd.random.choice(5, (3,), None, False, seed=1).shape == (3,)
    assert hd.random.gamma([1.0, 2.0], 1.0, seed=1).shape == (2,) and hd.random.poisson(3.0, (4,), seed=1).dtype == hd.int64
    assert hd.random.shuffle(X, 1, seed=2).shape == X.shape


NO_CALL = "free_cache set_default_backend synchronize fft_wisdom_forget fft_wisdom_save fft_wisdom_load".split()


def test_hostile_arguments():
    """Wrong arguments of every function are exceptions: no crash, nothing of the interpreter's own inside."""
    refused = 0
    for name in [n for n in dir(ops) if n[0] != "_" and n not in NO_CALL]:
        f = getattr(ops, name)
        if isinstance(f, (type, hd.DType)) or not callable(f):
            continue
        parameters = inspect.signature(f).parameters
        required = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
                       for p in parameters.values())
        calls = [([v] * required, {}) for v in (None, "a", -1, [], {}, hd.ones((2, 2)), hd.zeros((0, 3)), 1.5, object())]
        calls += [([hd.ones((2, 2))] * required, {k: v}) for k in parameters for v in (None, "x", -5, [1], hd.ones(5), np.inf)]
        for args, words in calls:
            try:
                f(*args, **words)
            except SystemError as error:
                pytest.fail(f"{name}: {error}")
            except Exception:
                refused += 1
    assert refused > 3000


def test_every_operation_is_there():
    path = Path(os.environ.get("HEDDLE_TEST_BUILDDIR", "/nowhere")) / "tools" / "api.json"
    if not path.exists():
        pytest.skip("the interface as data is looked for in a build folder")
    api = json.loads(path.read_text())
    missing = [n for op in api["operations"] if op["name"] not in SPELLED for n in [op["name"]] + op["aliases"]
               if not hasattr(ops, n)]
    assert len(api["operations"]) > 400 and not missing


INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()


@pytest.mark.parametrize("name", INTEGERS + ["float32", "float64"])
@pytest.mark.parametrize("decimals", [-3, -2, -1, 0, 1, 2])
def test_round_to_decimals(name, decimals, each_backend):
    a = np.array([0, 5, 15, 25, 45, 99, 101, 127]).astype(name)
    a = np.concatenate([a, a * 0 + 3000]) if a.dtype.itemsize > 1 else a
    x = hd.round(hd.asarray(a), decimals)
    want = np.round(a.astype(np.float64), decimals)
    assert x.dtype == name and np.array_equal(np.asarray(x), want.astype(name)), (x, want)


@pytest.mark.parametrize("name", INTEGERS + ["float32", "float64"])
def test_clip_with_every_kind_of_limits(name, each_backend):
    a = np.arange(5).astype(name)
    for limits in [(1, 3), (0.5, 2.5), (None, 2.5), (1, None), (1.5, 1), (float("nan"), 3), (1, float("nan")), (float("-inf"), 2)]:
        got, want = hd.clip(hd.asarray(a), *limits), np.clip(a, *limits)
        assert np.array_equal(np.asarray(got), want, equal_nan=True), (limits, got, want)
        assert got.dtype.kind == want.dtype.kind


def test_words_of_python():
    x = hd.asarray([7, -7, 5])
    assert [q.tolist() for q in divmod(x, 2)] == [[3, -4, 2], [1, 1, 1]] and [int(v) for v in reversed(x)] == [5, -7, 7]
    assert divmod(20, hd.asarray([3]))[1].tolist() == [2] and hd.asarray([1j]).conjugate().tolist() == [-1j]
    assert hd.asarray([1.26, 2.5]).round(1).tolist() == pytest.approx([1.3, 2.5])
    assert str(x > 0) == "[ True, False,  True]" and "<pre>" in x._repr_html_() and "int64 on host" in x._repr_html_()
    with pytest.raises(TypeError):
        np.ones((3, 3))[:hd.asarray([1])]
    assert np.ones((3, 3))[hd.asarray([1])].shape == (1, 3)
