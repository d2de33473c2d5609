# SPDX-License-Identifier: BSD-3-Clause
"""Data sets that are made: what they say that they are, they are."""

import doctest

import pytest

import heddle as hd
from heddle import datasets, tensor

MADE = {"cp": lambda **k: datasets.make_cp((8, 9, 10), 2, **k), "tucker": lambda **k: datasets.make_tucker((8, 9, 10), (2, 3, 2), **k),
        "train": lambda **k: datasets.make_tensor_train((8, 9, 10), (2, 3), **k),
        "parafac2": lambda **k: tuple(f(p) for f, p in zip((lambda s: s[0], lambda p: p), datasets.make_parafac2((90,), 8, 2, **k))),
        "fluorescence": lambda **k: datasets.make_fluorescence(9, 2, **k), "swimmer": lambda **k: datasets.make_swimmer(**k)}


@pytest.mark.parametrize("name", MADE)
def test_noise_gaps_and_seeds(np, name):
    make = MADE[name]
    x = np.asarray(make(random_state=3)[0])
    noisy = np.asarray(make(random_state=3, noise=0.5)[0])
    assert np.linalg.norm(noisy - x) == pytest.approx(0.5 * np.linalg.norm(x))
    np.testing.assert_array_equal(noisy, np.asarray(make(random_state=3, noise=0.5)[0]))
    assert abs(noisy - np.asarray(make(random_state=4, noise=0.5)[0])).max() > 0.01 * x.std()
    gaps = np.isnan(np.asarray(make(random_state=3, missing=0.3)[0]))
    assert abs(gaps.mean() - 0.3) < 4 * np.sqrt(0.21 / x.size)
    np.testing.assert_array_equal(np.asarray(make(random_state=3, missing=0.3)[0])[~gaps], x[~gaps])
    assert make(random_state=3, dtype="float32", noise=0.1, missing=0.1)[0].dtype == hd.float32
    for words in ({"noise": -0.1}, {"noise": float("nan")}, {"missing": 1.0}, {"missing": -0.5}):
        with pytest.raises(ValueError, match=f"{list(words)[0]} is {list(words.values())[0]}"):
            make(random_state=3, **words)
    hd.set_seed(7)
    first, second = np.asarray(make(noise=0.1)[0]), np.asarray(make(noise=0.1)[0])
    assert (first != second).any()


def test_truths(np):
    for name, axis in (("cp", 2), ("tucker", 2), ("train", 2)):
        x, truth = MADE[name](random_state=1)
        np.testing.assert_allclose(np.asarray(truth.full()), np.asarray(x), rtol=1e-12)
        assert np.linalg.matrix_rank(np.asarray(x).reshape(8, -1)) == axis
    assert datasets.make_tensor_train((4, 5, 6), 2, random_state=1)[1].ranks.tolist() == [1, 2, 2, 1]
    with pytest.raises(ValueError, match="ranks are 3, but shape has 3 axes"):
        datasets.make_tensor_train((4, 5, 6), (2, 2, 2))
    factor = np.asarray(datasets.make_tucker((8, 9, 10), (2, 3, 2), orthonormal=True, random_state=1)[1].factors[1])
    np.testing.assert_allclose(factor.T @ factor, np.eye(3), atol=1e-12)
    assert min(np.asarray(f).min() for f in MADE["cp"](random_state=1)[1].factors) >= 0
    assert min(np.asarray(f).min() for f in MADE["cp"](random_state=1, normal=True)[1].factors) < 0
    slices, p = datasets.make_parafac2((6, 7, 8, 9, 6, 7), 5, 2, normal=True, random_state=2)
    a, b, c = (np.asarray(m) for m in (p.a, p.b, p.c))
    for i, (s, q) in enumerate(zip(slices, map(np.asarray, p.projections))):
        np.testing.assert_allclose(q.T @ q, np.eye(2), atol=1e-12)
        np.testing.assert_allclose(np.asarray(s), q @ b @ np.diag(a[i]) @ c.T, atol=1e-12)


def test_fluorescence(np):
    data = datasets.make_fluorescence(12, 2, noise=0.01, scatter=0.5, random_state=5)
    clean = datasets.make_fluorescence(12, 2, random_state=5)
    assert data.x.shape == (12, 76, 36) and float(data.emission[-1]) == 600 and float(data.excitation[0]) == 240
    np.testing.assert_array_equal(np.asarray(clean.cp.factors[1]), np.asarray(data.cp.factors[1]))
    line = np.asarray(tensor.eem_scatter(data.emission, data.excitation, rayleigh=25))
    off = np.asarray(data.x) - np.asarray(clean.x)
    assert off[:, line].max() > 0.45 * np.asarray(clean.x).max() and abs(off[:, ~line]).max() < 0.1 * np.asarray(clean.x).max()
    emitted, excited = (np.asarray(f) for f in clean.cp.factors[1:])
    shift = np.asarray(data.emission)[emitted.argmax(0)] - np.asarray(data.excitation)[excited.argmax(0)]
    assert ((45 < shift) & (shift < 155)).all()


def test_swimmer(np):
    x, poses, parts = (np.asarray(a) for a in datasets.make_swimmer())
    assert len(np.unique(x.reshape(256, -1), axis=0)) == 256 and set(np.unique(x)) == {0, 1}
    np.testing.assert_array_equal(np.einsum("np,pij->nij", poses, parts), x)
    assert (parts.sum(axis=0) <= 1).all() and parts.sum(axis=(1, 2)).tolist() == [24] + [6] * 16
    assert (poses[:, 1:].reshape(256, 4, 4).sum(axis=2) == 1).all() and np.linalg.matrix_rank(poses) == 13


def test_examples():
    assert doctest.testmod(datasets).failed == 0
