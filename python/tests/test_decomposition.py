# SPDX-License-Identifier: BSD-3-Clause
"""Decompositions as estimators: against NumPy's formulas, and scikit-learn's own checks."""

import doctest
import pickle
import warnings

import pytest

import heddle as hd
from heddle import decomposition, tensor

LINEAR = [decomposition.CP(2, random_state=3), decomposition.CP(2, nonnegative=True, random_state=3),
          decomposition.Tucker((2, 3, 2), random_state=3), decomposition.TensorTrain((2, 2))]


@pytest.fixture
def x(np, rng):
    """Twelve samples of two components without negative entries."""
    return np.einsum("ir,jr,kr->ijk", rng.random((12, 2)) + 0.1, rng.random((5, 2)), rng.random((6, 2)))


@pytest.mark.parametrize("estimator", LINEAR, ids=repr)
def test_new_samples(np, x, estimator, each_backend):
    """Samples that were not fitted have the scores of least squares, and come back of them."""
    e = type(estimator)(**estimator.get_params())
    assert e.fit(x[:8]) is e and e.error_ < 1e-3 and e.n_features_in_ == 5
    components = np.asarray(e.components_)
    assert components.shape == (2, 5, 6)
    scores = np.asarray(e.transform(x[8:]))
    want = np.linalg.lstsq(components.reshape(2, -1).T, x[8:].reshape(4, -1).T, rcond=None)[0].T
    np.testing.assert_allclose(scores, want, atol=1e-3 * abs(want).max())   # NNLS has the same where nothing is below 0
    np.testing.assert_allclose(np.asarray(e.inverse_transform(scores)), x[8:], atol=2e-2 * x.max())
    assert 0.999 < e.score(x[8:]) <= 1
    np.testing.assert_array_equal(np.asarray(type(e)(**e.get_params()).fit_transform(x[:8])), np.asarray(e.transform(x[:8])))
    again = pickle.loads(pickle.dumps(e))
    np.testing.assert_array_equal(np.asarray(again.transform(x[8:])), scores)


def test_score_is_the_explained_share(np, rng, x):
    noisy = x + 0.3 * rng.normal(size=x.shape)
    e = decomposition.CP(1, random_state=0).fit(noisy)
    near = np.asarray(e.inverse_transform(e.transform(noisy)))
    want = 1 - ((noisy - near) ** 2).sum() / (noisy ** 2).sum()
    assert e.score(noisy) == pytest.approx(want) and want == pytest.approx(1 - e.error_ ** 2, abs=1e-6) and 0.1 < want < 0.9


def test_scores_without_negative_entries(np, x):
    """A sample that free scores would fit with a negative one."""
    e = decomposition.CP(2, nonnegative=(0,), random_state=1, options={"start_by": "random"}).fit(x)
    c = np.asarray(e.components_).reshape(2, -1)
    np.testing.assert_allclose(np.linalg.norm(c, axis=1), 1)   # neither has died
    sample = (2 * c[0] - c[1]).reshape(1, 5, 6)
    scores = np.asarray(e.transform(sample))[0]
    assert scores[1] == 0 and scores[0] == pytest.approx(sample.ravel() @ c[0] / (c[0] @ c[0]))
    free = decomposition.CP(2, nonnegative=(1, 2), random_state=1).fit(x)
    assert min(np.asarray(f).min() for f in free.factors_[1:]) >= 0
    c = np.asarray(free.components_).reshape(2, -1)
    np.testing.assert_allclose(np.asarray(free.transform((2 * c[0] - c[1]).reshape(1, 5, 6))), [[2, -1]], rtol=1e-9)
    bound = decomposition.CP(2, constraint=[{"kind": "nonnegative"}, {"kind": "simplex", "parameter": 1.0}], random_state=1).fit(x)
    ratio = np.asarray(bound.cp_.factors[1])
    assert np.asarray(bound.transform(x)).min() >= 0 and (ratio / ratio.sum(axis=0)).min() >= 0
    with pytest.raises(ValueError, match="constraint.0. is .*simplex"):
        decomposition.CP(2, constraint=[{"kind": "simplex", "parameter": 1.0}]).fit(x)
    with pytest.raises(ValueError, match="both"):
        decomposition.CP(2, constraint=[None], nonnegative=True).fit(x)


@pytest.mark.parametrize("make", [lambda **k: decomposition.CP(2, tol=1e-12, max_iter=3000, random_state=0, **k),
                                  lambda **k: decomposition.Tucker(2, tol=1e-13, max_iter=3000, **k)])
def test_gaps(np, rng, x, make):
    gaps = np.where(rng.random(x.shape) < 0.1, np.nan, x)
    with pytest.raises(ValueError, match="NaN"):
        make().fit(gaps)
    e = make(nan_is_missing=True).fit(gaps[:8])
    np.testing.assert_allclose(np.asarray(e.inverse_transform(e.transform(gaps[8:]))), x[8:], atol=1e-3)
    assert e.score(gaps[8:]) > 0.9999
    known = ~np.isnan(gaps[9])
    c = np.asarray(e.components_)[:, known]
    np.testing.assert_allclose(np.asarray(e.transform(gaps[8:]))[1], np.linalg.lstsq(c.T, x[9][known], rcond=None)[0], rtol=1e-6)


@pytest.mark.parametrize("nonnegative", [False, True])
def test_parafac2(np, rng, nonnegative, each_backend):
    b, c, a = rng.normal(size=(2, 2)), rng.normal(size=(7, 2)), rng.random((9, 2)) + 0.5
    slices = [np.linalg.qr(rng.normal(size=(n, 2)))[0] @ b @ np.diag(s) @ c.T for n, s in zip((6, 7, 8, 9, 5, 6, 7, 8, 5), a)]
    e = decomposition.Parafac2(2, nonnegative=nonnegative, random_state=1, tol=1e-9,
                               options={"random_start": True}).fit(slices[:8])
    assert e.error_ < 1e-3 and e.n_features_in_ == 7
    ratio = np.asarray(e.transform(slices)) / a
    swapped = np.asarray(e.transform(slices)) / a[:, ::-1]
    best = min((ratio, swapped), key=lambda r: np.ptp(r, axis=0).sum())
    np.testing.assert_allclose(best, best[:1].repeat(9, axis=0), rtol=1e-3)   # up to the scales of components
    near = e.inverse_transform(*e.project(slices[8:]))[0]
    np.testing.assert_allclose(np.asarray(near), slices[8], atol=1e-4 * abs(slices[8]).max())
    assert e.score(slices[8:]) > 0.9999
    trained = np.asarray(e.factors_[0])
    np.testing.assert_allclose(np.asarray(e.transform(slices[:8])), trained, atol=1e-4 * abs(trained).max())
    np.testing.assert_allclose(np.asarray(e.parafac2_.slice(1)), slices[1], atol=1e-4 * abs(slices[1]).max())
    with pytest.raises(ValueError, match=r"X\[1\] has shape"):
        e.transform([slices[0], slices[1][:, :3]])
    with pytest.raises(ValueError, match="1 rows, fewer than the rank, 2"):
        e.transform([slices[0][:1]])


# What TensorLy 0.10's validate_cp_rank, validate_tucker_rank and validate_tt_rank (without its ends of 1) say.
RANKS = [((20, 30, 40), "same", 267, (19, 29, 38), (23, 32)), ((20, 30, 40), 0.1, 27, (8, 11, 15), (7, 9)),
         ((20, 30, 40), 0.5, 133, (15, 22, 30), (16, 22)), ((5, 6, 7, 8), "same", 65, (5, 6, 7, 8), (9, 11, 12)),
         ((5, 6, 7, 8), 0.1, 6, (2, 3, 3, 4), (3, 3, 4)), ((5, 6, 7, 8), 0.5, 32, (4, 5, 6, 6), (6, 7, 9))]


@pytest.mark.parametrize("shape, share, cp, tucker, train", RANKS)
def test_ranks_of_a_share(shape, share, cp, tucker, train):
    assert tensor.cp_rank(shape, share) == cp and tensor.tucker_rank(shape, share) == tucker and tensor.tt_rank(shape, share) == train
    assert tensor.tt_rank((20, 30, 40), 0.5, constant=True) == (19, 19) and tensor.cp_rank((5, 6, 7, 8), 0.5, rounding="ceil") == 33
    assert tensor.tt_rank((20, 30)) == (tensor.cp_rank((20, 30)),) == (12,) and tensor.cp_rank((2, 2), 1e-9, rounding="floor") == 1
    assert tensor.tucker_rank(shape, 3) == (3,) * len(shape) and tensor.tt_rank(shape, train) == train
    assert tensor.cp_rank(shape, 3) == 3


def test_ranks_that_are_none():
    for call, what in ((lambda: tensor.cp_rank((2, 3), "more"), "rank is 'more'"),
                       (lambda: tensor.cp_rank((2, 3), 0.0), "rank is 0.0"),
                       (lambda: tensor.tucker_rank((2, 3), float("nan")), "rank is nan"), (lambda: tensor.cp_rank((3,)), "shape is"),
                       (lambda: tensor.tt_rank((2, 0)), "shape is"), (lambda: tensor.tt_rank((2, 3), 0), "rank is 0"),
                       (lambda: tensor.tucker_rank((2, 3), (2, 2, 2)), "or 2 of them"),
                       (lambda: tensor.cp_rank((2, 3), rounding="up"), "rounding is 'up'")):
        with pytest.raises(ValueError, match=what):
            call()


def test_estimators_take_shares(rng, x):
    assert decomposition.CP(0.1, random_state=0, max_iter=2).fit(x).cp_.rank == tensor.cp_rank(x.shape, 0.1) == 2
    noisy = x + rng.normal(size=x.shape)
    assert decomposition.Tucker(0.2).fit(noisy).core_.shape == tensor.tucker_rank(x.shape, 0.2) == (4, 2, 2)
    assert tuple(decomposition.TensorTrain(0.2).fit(noisy).ranks_.tolist()[1:-1]) == tensor.tt_rank(x.shape, 0.2) == (3, 2)


def test_parameters(np, x):
    e = decomposition.CP(3, options={"restarts": 2})
    assert repr(e) == "CP(rank=3, options={'restarts': 2})" and e.get_params()["rank"] == 3
    assert e.set_params(rank=2) is e and e.fit(x).components_.shape[0] == 2
    with pytest.raises(ValueError, match="Invalid parameter 'rnak'"):
        e.set_params(rnak=2)
    for wrong, what in ((decomposition.CP(0), "rank"), (decomposition.CP(2, max_iter=0), "max_iter"),
                        (decomposition.CP(2, options={"l3": 1}), "l3"), (decomposition.Tucker((2, 2)), "rank")):
        with pytest.raises((ValueError, TypeError), match=what):
            wrong.fit(x)
    for state in (5, hd.Generator(5), np.random.RandomState(5), np.random.default_rng(5)):
        made = decomposition.CP(2, random_state=state, options={"start_by": "random"}, max_iter=1)
        first = made.fit(x).error_
        assert (made.fit(x).error_ == first) == (state == 5)
    assert set(decomposition.__all__) <= set(dir(decomposition))


@pytest.mark.parametrize("estimator", [*LINEAR, decomposition.Parafac2()], ids=repr)
def test_before_fit(x, estimator):
    e = type(estimator)(**estimator.get_params())
    for call in (e.transform, e.score):
        with pytest.raises(decomposition.NotFittedError, match="not fitted"):
            call(x)
    e.fit(x)
    with pytest.raises(ValueError, match="expecting|is needed"):
        e.transform(x[:, :, :3])


def test_examples():
    assert doctest.testmod(decomposition).failed == 0 and doctest.testmod(tensor._ranks).failed == 0


@pytest.mark.parametrize("estimator", [decomposition.CP(), decomposition.CP(nonnegative=True), decomposition.CP(nan_is_missing=True),
                                       decomposition.Tucker(), decomposition.TensorTrain(2)], ids=repr)
def test_checks_of_scikit_learn(estimator):
    """All of them; those of Parafac2, whose samples have rows of their own, would be of other data."""
    pytest.importorskip("sklearn")
    from sklearn.utils.estimator_checks import check_estimator
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not inherit from")   # on purpose
        found = check_estimator(estimator, on_skip=None)
    assert sum(f["status"] == "passed" for f in found) > 40


def test_scikit_learn_uses_them(np, rng, x):
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    pipe = make_pipeline(decomposition.CP(2, random_state=0, tol=1e-12, max_iter=2000), LinearRegression())
    y = x.sum(axis=(1, 2))
    assert pipe.fit(x, y).score(x, y) > 0.999
    search = GridSearchCV(pipe, {"cp__rank": [1, 2]}, cv=3).fit(x, y)
    assert search.best_params_ == {"cp__rank": 2}
    copy = clone(pipe.steps[0][1])
    assert copy.get_params() == pipe.steps[0][1].get_params() and not hasattr(copy, "components_")
    with pytest.raises(NotFittedError):
        copy.transform(x)
