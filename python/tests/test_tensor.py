# SPDX-License-Identifier: BSD-3-Clause
"""The kit for tensor decompositions, against NumPy's formulas."""

import pickle

import pytest

import heddle as hd
from heddle import tensor


@pytest.fixture
def factors(rng):
    return [rng.normal(size=(n, 2)) for n in (5, 6, 7)]


@pytest.fixture
def x(np, factors):
    return np.einsum("ir,jr,kr->ijk", *factors)


def test_algebra_of_cp(np, rng, factors):
    w = np.array([2.0, -0.5])
    cp = tensor.CP(weights=w, factors=factors)
    full = np.einsum("r,ir,jr,kr->ijk", w, *factors)
    assert cp.rank == 2 and cp.shape == (5, 6, 7)
    np.testing.assert_allclose(np.asarray(cp.full()), full, rtol=1e-12)
    assert cp.norm() == pytest.approx(np.linalg.norm(full))
    other = rng.normal(size=full.shape)
    assert cp.inner_dense(other) == pytest.approx(np.vdot(full, other))
    assert cp.error(other) == pytest.approx(np.linalg.norm(other - full) / np.linalg.norm(other))
    m = rng.normal(size=(4, 6))
    np.testing.assert_allclose(np.asarray(cp.mode_dot(m, 1).full()), np.einsum("ijk,pj->ipk", full, m), rtol=1e-10)
    np.testing.assert_allclose(np.asarray(cp.slice(2, slice(1, None, 2)).full()), full[:, :, 1::2], rtol=1e-10)
    for twice in (cp.add(cp), cp + cp, 2 * cp, cp * 2.0):
        np.testing.assert_allclose(np.asarray(twice.full()), 2 * full, rtol=1e-12)
    np.testing.assert_allclose(np.asarray((cp * cp).full()), full ** 2, rtol=1e-10)
    with pytest.raises(TypeError):
        cp + 1
    gradient = cp.gradient(other)
    assert [g.shape for g in gradient] == [(5, 2), (6, 2), (7, 2)]
    np.testing.assert_allclose(np.asarray(gradient[0]), np.einsum("ijk,jr,kr,r->ir", full - other, *factors[1:], w), rtol=1e-9)


def test_changes_are_copies(np, factors):
    cp = tensor.CP(factors=factors)
    unit = cp.normalise()
    assert cp.weights is None and unit.weights.shape == (2,)
    np.testing.assert_allclose([np.linalg.norm(np.asarray(f), axis=0) for f in unit.factors], 1, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(unit.full()), np.asarray(cp.full()), rtol=1e-10)
    aligned, congruence = tensor.CP(factors=[f[:, ::-1] for f in factors]).align(cp)
    np.testing.assert_allclose(np.asarray(congruence), 1, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(aligned.factors[0]), factors[0], rtol=1e-12)


def test_decompositions_find_what_is_there(np, x, each_backend):
    cp, fit = tensor.cp_als(x, 2, tol=1e-12, max_sweeps=500)
    assert fit.error < 1e-5 and fit.error == pytest.approx(np.linalg.norm(np.asarray(cp.full()) - x) / np.linalg.norm(x), abs=1e-9)
    assert len(fit.errors) >= 2 and fit.stopped in ("tolerance", "sweeps")
    tucker, fit = tensor.tucker_hosvd(x, (2, 2, 2))
    assert fit.error < 1e-7 and tucker.core.shape == (2, 2, 2)
    np.testing.assert_allclose(np.einsum("abc,ia,jb,kc", *(np.asarray(a) for a in [tucker.core, *tucker.factors])), x, atol=1e-10)
    train, error = tensor.tt_svd(x, eps=1e-8)
    assert error < 1e-8 and [c.shape for c in train.cores] == [(1, 5, 2), (2, 6, 2), (2, 7, 1)]
    np.testing.assert_allclose(np.einsum("aib,bjc,ckd->ijk", *(np.asarray(c) for c in train.cores)), x, atol=1e-10)
    assert train.shape == x.shape and train.ranks.tolist() == [1, 2, 2, 1] and not train.is_ring
    np.testing.assert_allclose(np.asarray(train[1:3, 0].full()), x[1:3, 0], atol=1e-10)
    np.testing.assert_allclose(np.asarray((train + train * 0.5).full()), 1.5 * x, atol=1e-10)


def test_options(np, x, factors):
    nonnegative = tensor.cp_constrained(abs(x), 2, constraint=[{"kind": "nonnegative"}, None, {"kind": "simplex", "parameter": 1.0}],
                                        seed=1)[0]
    assert np.asarray(nonnegative.factors[0]).min() >= 0
    np.testing.assert_allclose(np.asarray(nonnegative.factors[2]).sum(axis=0), 1, rtol=1e-9)
    mask = np.ones(x.shape, bool)
    mask[0, :3, 0] = False
    spoiled = np.where(mask, x, 1e6)
    cp, fit = tensor.cp_als(spoiled, 2, mask=mask, tol=1e-13, max_sweeps=2000)
    np.testing.assert_allclose(np.asarray(cp.full()), x, atol=1e-3)
    outlier = x.copy()
    outlier[1, 2, 3] += 50
    cp, fit, sparse = tensor.cp_als(outlier, 2, sparsity=1, sparse=True, start=tensor.CP(factors=factors))
    assert int(hd.argmax(hd.abs(sparse))) == np.ravel_multi_index((1, 2, 3), x.shape)
    assert float(hd.sum(sparse)) == pytest.approx(50, rel=1e-3) and fit.error < 1e-3
    same = [tensor.cp_als(x, 2, start_by="random", seed=5, max_sweeps=3)[1].error for _ in range(2)]
    assert same[0] == same[1]
    start = tensor.CP(factors=[np.ones((n, 2)) + np.eye(n, 2) for n in x.shape])
    fixed = tensor.cp_als(x, 2, start=start, fixed_modes=(0,), max_sweeps=5)[0]
    np.testing.assert_array_equal(np.asarray(fixed.factors[0]), np.asarray(start.factors[0]))


def test_progress(x):
    told = []
    fit = tensor.cp_als(x, 2, tol=-1, max_sweeps=7, progress=lambda *now: told.append(now))[1]
    assert [t[0] for t in told] == [1, 2, 3, 4, 5, 6, 7] and told[-1][2] == pytest.approx(fit.error)
    fit = tensor.cp_als(x, 2, tol=-1, progress=lambda sweep, *_: sweep == 3)[1]
    assert fit.n_sweeps == 3 and fit.stopped == "progress"
    with pytest.raises(ZeroDivisionError):
        tensor.cp_als(x, 2, progress=lambda *_: 1 / 0)


def test_cross_approximation_of_a_function(np):
    train, fit, evaluations = tensor.tt_cross(lambda i: np.sin(np.asarray(i).sum(axis=1)), (8, 9, 10))
    i, j, k = np.ogrid[:8, :9, :10]
    np.testing.assert_allclose(np.asarray(train.full()), np.sin(i + j + k), atol=1e-8)
    assert evaluations > 0
    with pytest.raises(ValueError):
        tensor.tt_cross(lambda i: [1.0], (8, 9, 10))


def test_names_that_a_file_does_not_have(np, tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    scipy_io.savemat(tmp_path / "m.mat", {"x": np.arange(6.0).reshape(2, 3)})
    assert tensor.load_mat(tmp_path / "m.mat", "x").shape == (2, 3)
    with pytest.raises(KeyError, match="has no y; it has x"):
        tensor.load_mat(tmp_path / "m.mat", "y")


def test_results_travel(np, x, tmp_path):
    for made in (tensor.cp_als(x, 2)[0], tensor.tucker_hosvd(x, (2, 2, 2))[0], tensor.tt_svd(x)[0]):
        back = pickle.loads(pickle.dumps(made))
        assert type(back) is type(made) and bool(hd.all(back.full() == made.full()))
    cp = tensor.cp_als(x, 2)[0]
    tensor.cp_save(tmp_path / "a.npz", cp)
    assert bool(hd.all(tensor.cp_load(tmp_path / "a.npz").full() == cp.full()))


def test_parts_outlive_the_whole(x):
    result = tensor.cp_regression(x, [0.0, 1.0, 2.0, 3.0, 4.0], 1, seed=1)[0]
    cp = result.cp
    y = result.predict(x)
    del result
    assert cp.full().shape == (6, 7) and y.shape == (5,)


def test_parafac2_and_streams(np, rng, x):
    c = rng.normal(size=(4, 2))
    slices = [np.linalg.qr(rng.normal(size=(n, 2)))[0] @ np.diag(rng.random(2) + 0.5) @ c.T for n in (6, 7, 8)]
    p, fit = tensor.parafac2_als(slices, 2, random_start=True, seed=1, tol=1e-13, max_sweeps=3000)
    assert fit.error < 1e-3 and p.n_slices == 3 and len(p.projections) == 3
    np.testing.assert_allclose(np.asarray(p.projections[2]).T @ np.asarray(p.projections[2]), np.eye(2), atol=1e-8)
    stream = tensor.cp_stream_begin(x[:3], tensor.cp_als(x[:3], 2, max_sweeps=200)[0], 0)
    longer = stream.add(x[3:])
    assert stream.cp.shape == (3, 6, 7) and longer.cp.shape == x.shape and longer.cp.error(x) < 1e-3


@pytest.mark.parametrize("axes", [(1, 2), (2, 0), (0, -1)])
def test_scatter_is_taken_out(np, rng, axes):
    em, ex = np.sort(rng.uniform(300, 600, 40)), np.linspace(250, 450, 9)
    widths, shift = {"rayleigh": 12, "rayleigh_second": 20, "raman": 8, "raman_second": 15}, 3600
    lines = {"rayleigh": ex, "raman": -ex / (0.00036 * ex - 1)}   # eemR's formula
    inside = np.zeros((em.size, ex.size), bool)
    for name, width in widths.items():
        line = lines[name.removesuffix("_second")] * (2 if name.endswith("_second") else 1)
        inside |= np.abs(em[:, None] - line) <= width
    np.testing.assert_array_equal(np.asarray(tensor.eem_scatter(em, ex, raman_shift=shift, **widths)), inside)
    x = np.moveaxis(rng.normal(size=(4, em.size, ex.size)), (1, 2), axes)
    want = np.moveaxis(x, axes, (1, 2)).copy()
    for e in range(ex.size):
        s = inside[:, e]
        for sample in want:
            sample[s, e] = np.interp(em[s], em[~s], sample[~s, e])
    got = tensor.eem_remove_scatter(x, em, axes[0], ex, axes[1], raman_shift=shift, fill="interpolate", **widths)
    np.testing.assert_allclose(np.moveaxis(np.asarray(got), axes, (1, 2)), want, rtol=1e-12, atol=1e-12)
    gaps = np.isnan(np.asarray(tensor.eem_remove_scatter(x, em, axes[0], ex, axes[1], raman_shift=shift, **widths)))
    np.testing.assert_array_equal(np.moveaxis(gaps, axes, (1, 2)), np.broadcast_to(inside, want.shape))
    with pytest.raises(ValueError, match=r"emission\[1\] is .* after"):
        tensor.eem_scatter(em[::-1], ex, rayleigh=10)


def test_errors(x, factors):
    with pytest.raises(ValueError, match="rank"):
        tensor.cp_als(x, 0)
    with pytest.raises(ValueError):
        tensor.CP(factors=[factors[0], factors[1][:, :1]])
    with pytest.raises(TypeError, match="no field 'factor'"):
        tensor.CP(factor=factors)
    with pytest.raises(TypeError):
        tensor.cp_save("a", x)
    with pytest.raises(ValueError, match="start_by"):
        tensor.cp_als(x, 2, start_by="luck")
    with pytest.raises(ValueError, match="start_by"):
        tensor.cp_als(x, 2, start_by=77)
    for words in ({"rank": None}, {"rank": 2, "progress": 3}, {"rank": 2, "seed": -1}, {"rank": 2, "fixed_modes": 1.5},
                  {"rank": 2, "sweeps": 1}):
        with pytest.raises((TypeError, OverflowError), match=list(words)[-1]):
            tensor.cp_als(x, **words)
    with pytest.raises(TypeError, match="factor"):
        tensor.CP(factors=3)
    with pytest.raises(TypeError, match="multiple values.*rank"):
        tensor.CP(2, rank=2)
    with pytest.raises(TypeError, match="dict"):
        tensor.cp_constrained(x, 2, constraint=["l1"])
    with pytest.raises(ValueError, match="at most|there can be"):
        tensor.cp_constrained(x, 2, constraint=[None] * 64)
