# SPDX-License-Identifier: BSD-3-Clause
"""Tensor decompositions as estimators, with scikit-learn's conventions and without need of it.

    cp = decomposition.CP(3, nonnegative=True, random_state=0).fit(x)     # x (samples, ..)
    scores = cp.transform(new)                                            # (samples, 3)
    cp.inverse_transform(scores), cp.score(new), cp.components_, cp.error_

The first axis of X is that of the samples. CP, Tucker and TensorTrain are linear in it: a sample is near scores @ components_, and
transform finds the scores of least squares (without negative ones where the fit has none) by what has been fitted. Parafac2 takes
matrices of the same columns, each with rows of its own. The decompositions themselves are those of heddle.tensor.
"""

import inspect
import sys
from functools import lru_cache

from . import _array_api, _core, _ranks, _tensor, linalg as _linalg

__all__ = ["CP", "NotFittedError", "Parafac2", "TensorTrain", "Tucker"]


class NotFittedError(ValueError, AttributeError):
    """The estimator was asked for what only fit() tells. It is scikit-learn's class of that name as well where that is in use."""


@lru_cache(maxsize=None)
def _both(theirs):
    """A class that is caught as ours and as THEIRS."""
    return type("NotFittedError", (NotFittedError, theirs), {})


def _random(state):
    """What the kit's functions are told of STATE: None, a seed, a Generator, or a RandomState or Generator of NumPy."""
    if state is None:
        return {}
    if isinstance(state, _core.Generator):
        return {"generator": state}
    draw = getattr(state, "randint", None) or getattr(state, "integers", None)
    return {"seed": int(draw(2**31 - 1) if draw else state)}


def _whole(name, value):
    """VALUE as an int from 1."""
    try:
        whole = value.__index__()
    except AttributeError:
        raise TypeError(f"{name} is {value!r}, no integer") from None
    if whole < 1:
        raise ValueError(f"{name} is {whole}, not at least 1")
    return whole


def _array(x, dtype=None, nan=False):
    """X as an array of real floats, without infinities and, but for NAN, without NaN."""
    if hasattr(x, "toarray"):
        raise TypeError(f"X is sparse, {type(x).__name__}; dense arrays are needed")
    if not isinstance(x, _core.Array) and hasattr(x, "__array__"):
        x = x.__array__()
        x = x.astype(float) if x.dtype.kind == "O" else x
    x = _core.asarray(x)
    if _array_api.isdtype(x.dtype, "complex floating"):
        raise ValueError(f"Complex data not supported: X is {x.dtype}")
    if not _array_api.isdtype(x.dtype, "real floating"):
        x = _array_api.astype(x, dtype or _core.float32)
    if x.ndim < 2:
        raise ValueError(f"X has {x.ndim} axes, and at least 2 are needed, of samples first. Reshape your data, as X.reshape(1, -1) "
                         "if it is one sample, X.reshape(-1, 1) if it has one feature")
    if 0 in x.shape:
        what = f"{x.shape[0]} sample(s)" if x.shape[0] == 0 else "0 feature(s)"
        raise ValueError(f"Found array with {what} (shape={x.shape}) while a minimum of 1 is required.")
    if bool(_core.any(_core.isinf(x))):
        raise ValueError("Input X contains infinity.")
    if not nan and bool(_core.any(_core.isnan(x))):
        raise ValueError("Input X contains NaN.")
    return x


def _solve(components, x, nonnegative):
    """The scores of least squares of the rows of X by those of COMPONENTS."""
    if nonnegative:
        flip = _linalg.matrix_transpose(components)
        return _tensor.nnls(components @ flip, x @ flip)
    return x @ _linalg.pinv(components)


class _Estimator:
    """What the estimators share: parameters by name, as scikit-learn's clone() and searches ask for them."""

    @classmethod
    def _names(cls):
        """The parameters of the constructor."""
        return [n for n in inspect.signature(cls.__init__).parameters if n != "self"]

    def get_params(self, deep=True) -> "dict[str, Any]":
        """What the estimator was made with, by name. DEEP changes nothing: no parameter is an estimator."""
        return {n: getattr(self, n) for n in self._names()}

    def set_params(self, **params) -> "Any":
        """Change parameters; the next fit() takes them. ValueError: there is none of that name."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {self._names()}.")
            setattr(self, name, value)
        return self

    def __repr__(self):
        made = inspect.signature(type(self).__init__).parameters
        said = [f"{n}={v!r}" for n, v in self.get_params().items() if repr(v) != repr(made[n].default)]
        return f"{type(self).__name__}({', '.join(said)})"

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags   # only scikit-learn itself asks
        return Tags(estimator_type="transformer", target_tags=TargetTags(required=False),
                    transformer_tags=TransformerTags(preserves_dtype=["float64", "float32"]),
                    input_tags=InputTags(two_d_array=True, three_d_array=True, allow_nan=getattr(self, "nan_is_missing", False)))

    def _fitted(self):
        """Raises where fit() has not been called."""
        if not hasattr(self, "n_features_in_"):
            theirs = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
            raise (_both(theirs) if theirs else NotFittedError)(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
                "estimator.")

    def fit_transform(self, X, y=None) -> "Array":
        """fit(X).transform(X)"""
        return self.fit(X).transform(X)


class _Linear(_Estimator):
    """Estimators whose samples are scores @ components_."""

    _nonnegative = False   # whether the scores are
    components_: "Array"
    n_features_in_: "int"
    error_: "float"

    def _options(self):
        """What the kit's iterations are told."""
        return {"max_sweeps": _whole("max_iter", self.max_iter), "tol": self.tol, **_random(self.random_state),
                **(self.options or {})}

    def fit(self, X, y=None) -> "Any":
        """Decompose X (samples, ..). Y is not looked at. The estimator itself comes back."""
        X = _array(X, nan=getattr(self, "nan_is_missing", False))
        components = self._fit(X)
        self.components_, self.n_features_in_, self._dtype = components, X.shape[1], X.dtype
        return self

    def _samples(self, X):
        """X as a matrix (samples, features) for what has been fitted."""
        self._fitted()
        X, want = _array(X, self._dtype, getattr(self, "nan_is_missing", False)), self.components_.shape[1:]
        if X.ndim == 2 and len(want) == 1 and X.shape[1:] != want:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {want[0]} features as input")
        if X.shape[1:] != want:
            raise ValueError(f"X has samples of shape {X.shape[1:]}, but {type(self).__name__} is expecting {want} as input")
        return _core.reshape(X, (X.shape[0], -1))

    def transform(self, X) -> "Array":
        """The scores (samples, rank) of X (samples, ..): least squares by components_ over what is known of each sample."""
        x = self._samples(X)
        components = _core.reshape(self.components_, (self.components_.shape[0], -1))
        gaps = _core.isnan(x)
        if not bool(_core.any(gaps)):
            return _solve(components, x, self._nonnegative)
        known = _array_api.astype(~gaps, x.dtype)
        x = _array_api.where(gaps, 0.0, x)
        return _array_api.concat([_solve(components * known[k], x[k:k + 1], self._nonnegative) for k in range(x.shape[0])])

    def inverse_transform(self, X) -> "Array":
        """The samples that scores X (samples, rank) stand for."""
        self._fitted()
        X, rank = _core.asarray(X), self.components_.shape[0]
        if X.ndim != 2 or X.shape[1] != rank:
            raise ValueError(f"inverse_transform: X has shape {X.shape}, but (samples, {rank}) is needed")
        return _core.reshape(X @ _core.reshape(self.components_, (rank, -1)), (X.shape[0], *self.components_.shape[1:]))

    def score(self, X, y=None) -> "float":
        """The share of the sum of squares of X, of what is known of it, that inverse_transform(transform(X)) explains, at most 1."""
        x = self._samples(X)
        off = x - _core.reshape(self.inverse_transform(self.transform(X)), x.shape)
        known = ~_core.isnan(x)
        return _share(float(_core.sum(_array_api.where(known, off * off, 0.0))), float(_core.sum(_array_api.where(known, x * x, 0.0))))


def _share(off, whole):
    """How much of a sum of squares is explained."""
    return 1.0 - off / whole if whole else 1.0 if off == 0 else float("-inf")


class CP(_Linear):
    """CP decomposition (PARAFAC): a sample is a sum of RANK outer products, which all samples share, times its scores.

    Parameters
    ----------
    rank : int, float or "same"
        Components; what tensor.cp_rank() takes for the tensor that is fitted.
    nonnegative : bool or tuple of ints
        Modes without negative entries; True: all. With mode 0 the scores have none.
    constraint : list
        Instead of NONNEGATIVE, as tensor.cp_constrained() takes it, of each mode. That of mode 0 can be None or
        {"kind": "nonnegative"}: others say nothing of a new sample alone.
    max_iter, tol : int, float
        Sweeps at most, and the change of the error that ends them (0: 1e-8, below 0: none does).
    nan_is_missing : bool
        NaN are gaps, in fit, transform and score.
    random_state : None, int, Generator, or NumPy's RandomState or Generator
        What the start is drawn by; None: the context's stream.
    options : dict
        Further ones of tensor.cp_als() (of cp_constrained() with CONSTRAINT): restarts, start_by, l2, ..

    Attributes
    ----------
    components_ : Array
        (rank, ..), outer products of unit vectors.
    factors_, weights_ : list of Arrays, Array
        Of the tensor that was fitted, columns of length 1.
    cp_ : tensor.CP
        The same as an object.
    error_, n_iter_, fit_, n_features_in_ : float, int, tensor.Fit, int
        Relative error, sweeps, what is known of the run, length of the second axis.

    Examples
    --------
    >>> from heddle import decomposition, tensor
    >>> x = tensor.cp_random((20, 5, 6), 2, seed=1).full()
    >>> cp = decomposition.CP(2, random_state=0).fit(x[:15])
    >>> cp.transform(x[15:]).shape, cp.score(x[15:]) > 0.99
    ((5, 2), True)
    """

    factors_: "list[Array]"
    weights_: "Array"
    cp_: "Any"
    fit_: "Any"
    n_iter_: "int"

    def __init__(self, rank: "int | float | str" = 2, *, nonnegative: "bool | tuple[int, ...]" = False, constraint=None,
                 max_iter=500, tol=1e-8, nan_is_missing=False, random_state=None, options=None):
        self.rank, self.nonnegative, self.constraint, self.max_iter, self.tol = rank, nonnegative, constraint, max_iter, tol
        self.nan_is_missing, self.random_state, self.options = nan_is_missing, random_state, options

    def _fit(self, x):
        """The components of X."""
        options = {"nan_is_missing": bool(self.nan_is_missing), "normalise": True, **self._options()}
        rank = _ranks.cp_rank(x.shape, self.rank)
        if self.constraint is not None:
            if self.nonnegative is not False:
                raise ValueError(f"constraint and nonnegative={self.nonnegative!r} are both given")
            first = self.constraint[0] if len(self.constraint) else None
            if first is not None and first != {"kind": "nonnegative"}:
                raise ValueError(f"constraint[0] is {first!r}, but that of samples can only be None or {{'kind': 'nonnegative'}}")
            found, self._nonnegative = _tensor.cp_constrained(x, rank, constraint=self.constraint, **options), first is not None
        else:
            modes = tuple(range(x.ndim)) if self.nonnegative is True else tuple(self.nonnegative or ())
            modes = tuple(m + x.ndim if m < 0 else m for m in modes)
            found = _tensor.cp_als(x, rank, **({"nonnegative_modes": modes} if modes else {}), **options)
            self._nonnegative = 0 in modes
        self.cp_, self.fit_ = found[:2]
        self.factors_, self.weights_ = self.cp_.factors, self.cp_.weights
        self.error_, self.n_iter_ = self.fit_.error, self.fit_.n_sweeps
        return _tensor.CP(factors=[_array_api.eye(self.cp_.rank, dtype=x.dtype), *self.factors_[1:]]).full()


class Tucker(_Linear):
    """Tucker decomposition: factors with orthonormal columns for each mode and a core; scores are coordinates of samples.

    Parameters
    ----------
    rank : int, tuple of ints, float or "same"
        Of each mode, the samples' first, as tensor.tucker_rank() takes them; one: of all. No more are taken than a mode has.
    max_iter, tol, nan_is_missing, random_state : as of CP
    options : dict
        Further ones of tensor.tucker_hooi().

    Attributes
    ----------
    components_ : Array
        (rank[0], ..), orthogonal to each other.
    core_, factors_ : Array, list of Arrays
        Of the tensor that was fitted.
    tucker_ : tensor.Tucker
        The same as an object.
    error_, n_iter_, fit_, n_features_in_ : as of CP

    Examples
    --------
    >>> from heddle import decomposition, tensor
    >>> x = tensor.tucker_random((20, 5, 6), (2, 3, 2), seed=1).full()
    >>> decomposition.Tucker((2, 3, 2)).fit(x[:15]).score(x[15:]) > 0.999
    True
    """

    core_: "Array"
    factors_: "list[Array]"
    tucker_: "Any"
    fit_: "Any"
    n_iter_: "int"

    def __init__(self, rank: "int | float | tuple[int, ...] | str" = 2, *, max_iter=100, tol=1e-8, nan_is_missing=False,
                 random_state=None, options=None):
        self.rank, self.max_iter, self.tol, self.nan_is_missing = rank, max_iter, tol, nan_is_missing
        self.random_state, self.options = random_state, options

    def _fit(self, x):
        """The components of X."""
        ranks = _ranks.tucker_rank(x.shape, self.rank)
        self.tucker_, self.fit_ = _tensor.tucker_hooi(x, ranks, nan_is_missing=bool(self.nan_is_missing), **self._options())
        self.core_, self.factors_ = self.tucker_.core, self.tucker_.factors
        self.error_, self.n_iter_ = self.fit_.error, self.fit_.n_sweeps
        first = _array_api.eye(self.core_.shape[0], dtype=x.dtype)
        return _tensor.Tucker(core=self.core_, factors=[first, *self.factors_[1:]]).full()


class TensorTrain(_Linear):
    """Tensor train by singular values: the first core has the training samples' scores, the others make the components.

    Parameters
    ----------
    rank : int, tuple of ints, float, "same" or None
        Inner ranks at most, one for all or each, as tensor.tt_rank() takes them; None: what EPS needs.
    eps : float
        Relative error that is allowed; 0: to rounding.

    Attributes
    ----------
    components_ : Array
        (rank[0], ..)
    cores_, ranks_ : list of Arrays, Array of ints
        Of the tensor that was fitted.
    train_ : tensor.TensorTrain
        The same as an object.
    error_, n_features_in_ : float, int
        Relative error, length of the second axis.

    Examples
    --------
    >>> from heddle import decomposition, tensor
    >>> x = tensor.cp_random((20, 5, 6), 2, seed=1).full()
    >>> decomposition.TensorTrain(2).fit(x[:15]).score(x[15:]) > 0.999
    True
    """

    cores_: "list[Array]"
    ranks_: "Array"
    train_: "Any"

    def __init__(self, rank: "int | float | tuple[int, ...] | str | None" = None, *, eps=0.0):
        self.rank, self.eps = rank, eps

    def _fit(self, x):
        """The components of X."""
        self.train_, self.error_ = _tensor.tt_svd(x, None if self.rank is None else _ranks.tt_rank(x.shape, self.rank), self.eps)
        self.cores_, self.ranks_ = self.train_.cores, self.train_.ranks
        rank = self.cores_[0].shape[2]
        first = _core.reshape(_array_api.eye(rank, dtype=x.dtype), (1, rank, rank))
        return _tensor.TensorTrain(cores=[first, *self.cores_[1:]]).full()


class Parafac2(_Estimator):
    """PARAFAC2: sample i, a matrix (rows_i, columns), is P_i B diag(a_i) C^T, P_i with orthonormal columns; a_i are its scores.

    X is a list of matrices with as many columns each, or a tensor (samples, rows, columns). P_i and -P_i fit alike: P_i has the sign
    by which the sample's first score is not negative. Columns of C have those by which the scores of the fit add up to 0 or more.

    Parameters
    ----------
    rank : int
        Components.
    nonnegative : bool
        Scores without negative entries.
    max_iter, tol, random_state : as of CP
    options : dict
        Further ones of tensor.parafac2_als().

    Attributes
    ----------
    factors_ : tuple of Arrays
        A (samples, rank), B (rank, rank), C (columns, rank); columns of B and C have length 1.
    projections_ : list of Arrays
        P_i (rows_i, rank).
    parafac2_ : tensor.Parafac2
        The same as an object.
    error_, n_iter_, fit_, n_features_in_ : float, int, tensor.Fit, int
        The last is the number of columns.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import decomposition, tensor
    >>> p = tensor.parafac2_random((6, 7, 8, 9), 5, 2, hd.float64, True, seed=1)
    >>> x = [p.slice(i) for i in range(4)]
    >>> decomposition.Parafac2(2, random_state=0).fit(x[:3]).transform(x[3:]).shape
    (1, 2)
    """

    factors_: "tuple[Array, Array, Array]"
    projections_: "list[Array]"
    parafac2_: "Any"
    fit_: "Any"
    error_: "float"
    n_iter_: "int"
    n_features_in_: "int"

    def __init__(self, rank=2, *, nonnegative=False, max_iter=2000, tol=1e-10, random_state=None, options=None):
        self.rank, self.nonnegative, self.max_iter, self.tol = rank, nonnegative, max_iter, tol
        self.random_state, self.options = random_state, options

    def _slices(self, X):
        """The samples of X as matrices of the fitted columns."""
        slices = [_array(x) for x in X]
        for i, x in enumerate(slices):
            want = getattr(self, "n_features_in_", slices[0].shape[1])
            if x.ndim != 2 or x.shape[1] != want:
                raise ValueError(f"X[{i}] has shape {x.shape}, but (rows, {want}) is needed")
        if not slices:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        return slices

    def fit(self, X, y=None) -> "Any":
        """Decompose X. Y is not looked at. The estimator itself comes back."""
        self.__dict__.pop("n_features_in_", None)
        slices = self._slices(X)
        p, self.fit_ = _tensor.parafac2_als(slices, self.rank, **{
            "max_sweeps": _whole("max_iter", self.max_iter), "tol": self.tol, "nonnegative_a": bool(self.nonnegative),
            "normalise": True, **_random(self.random_state), **(self.options or {})})
        a = p.a if p.weights is None else p.a * p.weights
        rows = _array_api.where(a[:, :1] < 0, -1.0, 1.0)
        columns = _array_api.where(_core.sum(rows * a, axis=0) < 0, -1.0, 1.0)
        self.projections_ = [float(rows[i, 0]) * q for i, q in enumerate(p.projections)]
        self.factors_ = a, b, c = rows * a * columns, p.b, p.c * columns
        self.parafac2_ = _tensor.Parafac2(a=a, b=b, c=c, projections=self.projections_)
        self.error_, self.n_iter_, self.n_features_in_ = self.fit_.error, self.fit_.n_sweeps, slices[0].shape[1]
        return self

    def project(self, X) -> "tuple[Array, list[Array]]":
        """The scores (samples, rank) of X and the projections, by turns until the squared error falls by no more than TOL of the
        sample's sum of squares, MAX_ITER turns at most."""
        self._fitted()
        found = [self._project(x) for x in self._slices(X)]
        return _array_api.concat([a for a, _ in found]), [p for _, p in found]

    def _project(self, x):
        """The scores (1, rank) of a sample and its projection."""
        a, b, c = self.factors_
        if x.shape[0] < a.shape[1]:
            raise ValueError(f"a sample has {x.shape[0]} rows, fewer than the rank, {a.shape[1]}")
        b, c = (_array_api.astype(m, x.dtype) for m in (b, c))
        gram = (b.mT @ b) * (c.mT @ c)
        scores = _core.mean(_core.abs(_array_api.astype(a, x.dtype)), axis=0, keepdims=True)
        basis, y = _linalg.qr(x @ c)   # all that counts of the sample
        whole, last = float(_core.sum(x * x)), None
        for _ in range(_whole("max_iter", self.max_iter)):
            u, _, v = _linalg.svd((y * scores) @ b.mT, full_matrices=False)
            p = u @ v
            m = _core.reshape(_core.sum(b * (p.mT @ y), axis=0), (1, -1))
            scores = _tensor.nnls(gram, m) if self.nonnegative else m @ _linalg.pinv(gram)
            off = whole - float(_core.sum((2 * m - scores @ gram) * scores))
            if last is not None and last - off <= self.tol * whole:
                break
            last = off
        sign = -1.0 if float(scores[0, 0]) < 0 else 1.0
        return sign * scores, sign * (basis @ p)

    def transform(self, X) -> "Array":
        """The scores (samples, rank) of X."""
        return self.project(X)[0]

    def inverse_transform(self, X, projections) -> "list[Array]":
        """The samples of scores X (samples, rank) with PROJECTIONS, as project() gives both."""
        self._fitted()
        _, b, c = self.factors_
        X = _core.asarray(X)
        if X.ndim != 2 or X.shape != (len(projections), b.shape[1]):
            raise ValueError(f"inverse_transform: X has shape {X.shape}, but ({len(projections)}, {b.shape[1]}) is needed")
        return [(p @ (b * X[i])) @ c.mT for i, p in enumerate(projections)]

    def score(self, X, y=None) -> "float":
        """The share of the sum of squares of X that its scores and projections explain."""
        slices = self._slices(X)
        near = self.inverse_transform(*self.project(slices))
        return _share(sum(float(_core.sum((x - n) ** 2)) for x, n in zip(slices, near)),
                      sum(float(_core.sum(x * x)) for x in slices))
