# SPDX-License-Identifier: BSD-3-Clause
"""Tensor decompositions: CP, Tucker, tensor trains and rings, PARAFAC2, with masks and constraints.

    cp, fit = tensor.cp_als(x, 3, tol=1e-7, seed=1)
    cp.factors, cp.weights, fit.error, fit.stopped
    core = tensor.tucker_hooi(x, (3, 3, 3))[0].core
    train, error = tensor.tt_svd(x, eps=1e-3)

Decompositions are objects with their arrays as attributes and their algebra as methods; none changes, normalise() and the like
give another one. CP(weights=.., factors=[..]), Tucker(core=.., factors=[..]) and TensorTrain(cores=[..]) are made from arrays,
and all can be pickled. Iterations take max_sweeps=, tol= and progress=, a callable that gets (sweep, restart, error, seconds)
and ends the run by a true answer, with the result so far; what it raises, or Ctrl-C, ends it without one. cp_rank(shape, 0.1),
tucker_rank() and tt_rank() give ranks by how many parameters there are.
"""

from . import _ranks, _tensor
from ._ranks import cp_rank, tt_rank, tucker_rank  # noqa: F401
from ._tensor import *  # noqa: F401,F403

__all__ = [name for name in vars(_tensor) if not name.startswith("_")] + _ranks.__all__
