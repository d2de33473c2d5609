# SPDX-License-Identifier: BSD-3-Clause
"""Ranks by how many parameters a decomposition has: "same", as many as the tensor has elements, or a share of that."""

import math

__all__ = ["cp_rank", "tt_rank", "tucker_rank"]

_ROUNDING = {"round": round, "floor": math.floor, "ceil": math.ceil}


def _asked(shape, rank, rounding):
    """The sizes of SHAPE, the share of its elements that RANK is, None where it is no share, and a function that rounds."""
    shape = tuple(n.__index__() for n in shape)
    if len(shape) < 2 or min(shape) < 1:
        raise ValueError(f"shape is {shape}; at least 2 axes without one of length 0 are needed")
    if rounding not in _ROUNDING:
        raise ValueError(f"rounding is {rounding!r}, not one of {', '.join(map(repr, _ROUNDING))}")
    if isinstance(rank, str):
        if rank != "same":
            raise ValueError(f"rank is {rank!r}, neither a number nor 'same'")
        rank = 1.0
    if not isinstance(rank, float):
        return shape, None, None
    if not 0 < rank < math.inf:
        raise ValueError(f"rank is {rank}, as a share of the elements not above 0 and finite")
    return shape, rank, lambda r: max(int(_ROUNDING[rounding](r)), 1)


def _listed(rank, n):
    """RANK, one or N of them, as N."""
    ranks = (rank.__index__(),) * n if hasattr(rank, "__index__") else tuple(r.__index__() for r in rank)
    if len(ranks) != n or min(ranks) < 1:
        raise ValueError(f"rank is {rank}; one of at least 1, or {n} of them, are needed")
    return ranks


def _root(square, linear, count):
    """The c >= 0 with square c^2 + linear c = count."""
    return 2 * count / (linear + math.sqrt(linear * linear + 4 * square * count))


def cp_rank(shape, rank="same", *, rounding="round") -> "int":
    """The rank of a CP decomposition of a tensor of SHAPE.

    RANK "same": of as many numbers in its factors as the tensor has elements; a float: of that share of them (1.0 is "same"); an int
    is the rank itself. ROUNDING is "round", "floor" or "ceil"; at least 1 comes back. TensorLy's validate_cp_rank.

    Examples
    --------
    >>> from heddle import tensor
    >>> tensor.cp_rank((20, 30, 40)), tensor.cp_rank((20, 30, 40), 0.1), tensor.cp_rank((20, 30, 40), 3)
    (267, 27, 3)
    """
    shape, share, whole = _asked(shape, rank, rounding)
    return _listed(rank, 1)[0] if share is None else whole(share * math.prod(shape) / sum(shape))


def tucker_rank(shape, rank="same", *, rounding="round") -> "tuple[int, ...]":
    """The ranks of a Tucker decomposition, as of cp_rank(): those of a share are in proportion to SHAPE, c of it with c^d times the
    elements plus c times the sum of squares of the sizes, core and factors, as many as asked for. An int is that of all modes.
    TensorLy's validate_tucker_rank.

    Examples
    --------
    >>> from heddle import tensor
    >>> tensor.tucker_rank((20, 30, 40)), tensor.tucker_rank((20, 30, 40), 0.1)
    ((19, 29, 38), (8, 11, 15))
    """
    shape, share, whole = _asked(shape, rank, rounding)
    if share is None:
        return _listed(rank, len(shape))
    elements, squares, low, high = math.prod(shape), sum(n * n for n in shape), 0.0, max(share, 1.0)
    while low < (middle := (low + high) / 2) < high:
        if elements * middle ** len(shape) + squares * middle < share * elements:
            low = middle
        else:
            high = middle
    return tuple(whole(n * high) for n in shape)


def tt_rank(shape, rank="same", *, constant=False, rounding="round") -> "tuple[int, ...]":
    """The inner ranks of a tensor train, as of cp_rank(): those of a share are in proportion to the means of the sizes beside them,
    or, with CONSTANT, all the same. An int is that of all. TensorLy's validate_tt_rank, without the 1 at both ends; of matrices the
    share is that of two factors.

    Examples
    --------
    >>> from heddle import tensor
    >>> tensor.tt_rank((20, 30, 40)), tensor.tt_rank((20, 30, 40), constant=True)
    ((23, 32), (27, 27))
    """
    shape, share, whole = _asked(shape, rank, rounding)
    if share is None:
        return _listed(rank, len(shape) - 1)
    beside = [1.0 if constant else (a + b) / 2 for a, b in zip(shape, shape[1:])]
    square = sum(a * n * b for a, n, b in zip(beside, shape[1:], beside[1:]))
    c = _root(square, shape[0] * beside[0] + shape[-1] * beside[-1], share * math.prod(shape))
    return tuple(whole(c * n) for n in beside)
