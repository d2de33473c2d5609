# SPDX-License-Identifier: BSD-3-Clause
"""Data sets that are made, with what they are made of.

    x, truth = datasets.make_cp((20, 30, 40), 3, noise=0.1, missing=0.2, random_state=1)
    cp, fit = tensor.cp_als(x, 3, nan_is_missing=True)
    tensor.factor_match(cp, truth)

NOISE is normal, its norm as a share of that of what it is added to; MISSING is the probability of each element to be NaN.
RANDOM_STATE is what the estimators of heddle.decomposition take: the same integer gives the same data.
"""

import math
from typing import NamedTuple

from . import _array_api, _core, _tensor, decomposition as _decomposition

__all__ = ["Fluorescence", "Swimmer", "make_cp", "make_fluorescence", "make_parafac2", "make_swimmer", "make_tensor_train",
           "make_tucker"]


class Fluorescence(NamedTuple):
    """Excitation-emission matrices X (samples, emission, excitation), the CP of what is not scatter or noise, wavelengths in nm."""

    x: "Array"
    cp: "Any"
    emission: "Array"
    excitation: "Array"


class Swimmer(NamedTuple):
    """Pictures X (256, 32, 32), which are POSES (256, 17), zeros and ones, times PARTS (17, 32, 32): the trunk, then limbs."""

    x: "Array"
    poses: "Array"
    parts: "Array"


def _stream(state):
    """What the functions that draw are told of STATE: one stream for all of them."""
    words = _decomposition._random(state)
    return {"generator": _core.Generator(words["seed"])} if "seed" in words else words


def _spoil(x, noise, missing, stream):
    """X with noise and gaps."""
    if not 0 <= noise < math.inf:
        raise ValueError(f"noise is {noise}, not a finite share of at least 0")
    if not 0 <= missing < 1:
        raise ValueError(f"missing is {missing}, not at least 0 and below 1")
    if noise:
        e = _core.random_normal(x.shape, x.dtype, **stream)
        x = x + e * (noise * float(_core.norm(_core.ravel(x))) / float(_core.norm(_core.ravel(e))))
    if missing:
        x = _array_api.where(_core.random_uniform(x.shape, x.dtype, **stream) < missing, math.nan, x)
    return x


def make_cp(shape, rank, *, noise=0.0, missing=0.0, normal=False, dtype="float64", random_state=None) -> "tuple[Array, Any]":
    """A tensor of SHAPE and its CP of RANK, whose factors are uniform in [0, 1) or, with NORMAL, normal.

    Examples
    --------
    >>> from heddle import datasets
    >>> x, cp = datasets.make_cp((4, 5, 6), 2, noise=0.1, random_state=1)
    >>> x.shape, round(cp.error(x), 2)
    ((4, 5, 6), 0.1)
    """
    stream = _stream(random_state)
    truth = _tensor.cp_random(shape, rank, dtype, normal, **stream)
    return _spoil(truth.full(), noise, missing, stream), truth


def make_tucker(shape, ranks, *, noise=0.0, missing=0.0, orthonormal=False, dtype="float64",
                random_state=None) -> "tuple[Array, Any]":
    """A tensor of SHAPE and its Tucker decomposition of RANKS, of values uniform in [0, 1) or, with ORTHONORMAL, of a normal core and
    factors with orthonormal columns."""
    stream = _stream(random_state)
    truth = _tensor.tucker_random(shape, ranks, dtype, orthonormal, **stream)
    return _spoil(truth.full(), noise, missing, stream), truth


def make_tensor_train(shape, ranks, *, noise=0.0, missing=0.0, normal=False, dtype="float64",
                      random_state=None) -> "tuple[Array, Any]":
    """A tensor of SHAPE and its train, whose inner ranks are RANKS, one for all or each; cores are uniform in [0, 1) or NORMAL."""
    stream = _stream(random_state)
    inner = (ranks,) * (len(shape) - 1) if hasattr(ranks, "__index__") else tuple(ranks)
    if len(inner) != len(shape) - 1:
        raise ValueError(f"ranks are {len(inner)}, but shape has {len(shape)} axes, and {len(shape) - 1} are needed")
    truth = _tensor.tt_random(shape, dtype, normal, ranks=inner, **stream)
    return _spoil(truth.full(), noise, missing, stream), truth


def make_parafac2(rows, columns, rank, *, noise=0.0, missing=0.0, normal=False, dtype="float64",
                  random_state=None) -> "tuple[list[Array], Any]":
    """Matrices (rows[i], columns) and their PARAFAC2 of RANK, whose A, B and C are uniform in [0, 1) or, with NORMAL, normal. NOISE
    is a share of each matrix's norm.

    Examples
    --------
    >>> from heddle import datasets
    >>> slices, truth = datasets.make_parafac2((6, 7, 8), 5, 2, random_state=1)
    >>> [s.shape for s in slices], truth.rank
    ([(6, 5), (7, 5), (8, 5)], 2)
    """
    stream = _stream(random_state)
    truth = _tensor.parafac2_random(rows, columns, rank, dtype, normal, **stream)
    return [_spoil(truth.slice(i), noise, missing, stream) for i in range(truth.n_slices)], truth


def _bell(at, center, width):
    """Gaussian curves (points, components)."""
    return _core.exp(-0.5 * ((at[:, None] - center) / width) ** 2)


def make_fluorescence(samples=30, fluorophores=3, *, emission=(300.0, 600.0, 76), excitation=(240.0, 450.0, 36), scatter=0.0,
                      noise=0.0, missing=0.0, dtype="float64", random_state=None) -> "Fluorescence":
    """Excitation-emission matrices of mixtures in random amounts of fluorophores with Gaussian spectra of 15 to 35 nm (standard
    deviation), which emit 50 to 150 nm above where they are excited.

    Parameters
    ----------
    samples, fluorophores : int
        How many.
    emission, excitation : tuple
        First and last wavelength in nm, and how many.
    scatter : float
        Height of the Rayleigh line, where emission is excitation, 5 nm wide (standard deviation), as a share of the largest element.
        tensor.eem_remove_scatter() takes it out.
    noise, missing, random_state : as of make_cp

    Examples
    --------
    >>> from heddle import datasets
    >>> data = datasets.make_fluorescence(10, 2, random_state=1)
    >>> data.x.shape, data.cp.rank, round(data.cp.error(data.x), 6)
    ((10, 76, 36), 2, 0.0)
    """
    stream = _stream(random_state)
    em, ex = (_core.linspace(a, b, n, dtype=dtype) for a, b, n in (emission, excitation))
    draw = lambda low, high, *shape: low + (high - low) * _core.random_uniform(shape or (fluorophores,), dtype, **stream)  # noqa: E731
    peak = draw(excitation[0], excitation[1])
    spectra = _bell(ex, peak, draw(15.0, 35.0))
    emitted = _bell(em, peak + draw(50.0, 150.0), draw(15.0, 35.0))
    truth = _tensor.CP(factors=[draw(0.1, 1.0, samples, fluorophores), emitted, spectra])
    x = truth.full()
    if scatter:
        x = x + scatter * float(_core.max(x)) * _bell(em, ex, 5.0)
    return Fluorescence(_spoil(x, noise, missing, stream), truth, em, ex)


def make_swimmer(*, noise=0.0, missing=0.0, dtype="float64", random_state=None) -> "Swimmer":
    """A swimmer from above: a trunk and four limbs, each in one of four positions, in all 256 ways. Limbs and trunk share no pixel;
    the trunk, in every picture, makes factorisations without negative entries ambiguous. (After D. Donoho, V. Stodden, Advances in
    Neural Information Processing Systems 16 (2003).)

    Examples
    --------
    >>> from heddle import datasets
    >>> data = datasets.make_swimmer()
    >>> data.x.shape, float(data.x[0].sum())
    ((256, 32, 32), 48.0)
    """
    trunk = [(i, j) for i in range(10, 22) for j in (15, 16)]
    limbs = [[(i + k * up * a, j + k * out * b) for k in range(1, 7)]
             for i, j, up, out in ((10, 15, -1, -1), (10, 16, -1, 1), (21, 15, 1, -1), (21, 16, 1, 1))
             for a, b in ((1, 0), (1, 1), (0, 1), (-1, 1))]
    parts = [[[float((i, j) in part) for j in range(32)] for i in range(32)] for part in map(set, [trunk, *limbs])]
    parts = _core.asarray(parts, dtype=dtype)
    poses = [[1.0] + [float((n >> 2 * limb) % 4 == p) for limb in range(4) for p in range(4)] for n in range(256)]
    poses = _core.asarray(poses, dtype=dtype)
    x = _core.reshape(poses @ _core.reshape(parts, (17, -1)), (256, 32, 32))
    return Swimmer(_spoil(x, noise, missing, _stream(random_state)), poses, parts)
