# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra: the array API's linalg extension, and the library's others. The last two axes are the matrix."""

from collections import namedtuple
from math import inf

from . import _core
from ._array_api import einsum, tensordot, vecdot  # noqa: F401
from ._core import (LinAlgError, cond, det, eigvals, expm, inner, inv, khatri_rao, kron, kronecker,  # noqa: F401
                    matmul, matrix_power, matrix_transpose, mode_dot, multi_dot, multi_mode_dot, orthogonal, procrustes,
                    solve_triangular, svdvals, truncated_svd, vdot)

__all__ = """LinAlgError cholesky cond cross det diagonal eig eigh eigh_range eigvals eigvalsh einsum expm inner inv khatri_rao kron
 kronecker lstsq lu matmul matrix_norm matrix_power matrix_rank matrix_transpose mode_dot multi_dot multi_mode_dot norm
 orthogonal outer pinv procrustes qr slogdet solve solve_triangular svd svdvals tensordot trace truncated_svd vdot vecdot
 vector_norm""".split()

EigResult = namedtuple("EigResult", "eigenvalues eigenvectors")
EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = namedtuple("SVDResult", "U S Vh")
LstsqResult = namedtuple("LstsqResult", "x residuals rank singular_values")
LUResult = namedtuple("LUResult", "permutation L U")
NORMS = {"fro": "frobenius", "nuc": "nuclear", 1: "one", -1: "minus_one", 2: "two", -2: "minus_two", inf: "inf",
         -inf: "minus_inf"}


def cholesky(x, /, *, upper=False):
    """L with x = L L^H, or upper R with x = R^H R."""
    return _core.cholesky(x, upper)


def cross(x1, x2, /, *, axis=-1):
    """Vector product along an axis of 3 elements."""
    return _core.cross(x1, x2, axis)


def diagonal(x, /, *, offset=0):
    """The diagonal of the last two axes; a view."""
    return _core.diagonal(x, offset, -2, -1)


def eig(x, /) -> EigResult:
    """Complex eigenvalues and eigenvectors of a square matrix."""
    return EigResult(*_core.eig(x))


def eigh(x, /) -> EighResult:
    """Eigenvalues, ascending, and orthonormal eigenvectors of a Hermitian matrix."""
    return EighResult(*_core.eigh(x))


def eigh_range(x, first, count, /, *, upper=False) -> EighResult:
    """The count eigenvalues from number first on, ascending, and their vectors; first below 0 counts from the end."""
    return EighResult(*_core.eigh_range(x, first, count, upper))


def eigvalsh(x, /):
    """Eigenvalues of a Hermitian matrix, ascending."""
    return _core.eigvalsh(x)


def lstsq(a, b, /, *, rtol=None) -> LstsqResult:
    """Least squares: x of least norm among those with least |b - a x|."""
    return LstsqResult(*_core.lstsq(a, b, -1.0 if rtol is None else rtol))


def lu(x, /) -> LUResult:
    """Rows PERMUTATION of x are L U."""
    return LUResult(*_core.lu(x))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norm of matrices: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    if ord not in NORMS:
        raise ValueError(f"matrix_norm: ord is {ord!r}; it can be " + ", ".join(repr(k) for k in NORMS))
    return _core.matrix_norm(x, NORMS[ord], None, keepdims)


def matrix_rank(x, /, *, rtol=None):
    """Singular values above rtol, one for all matrices or one for each, times the largest."""
    return _core.matrix_rank(x) if rtol is None else _core.matrix_rank_each(x, rtol)


def pinv(x, /, *, rtol=None):
    """Moore-Penrose inverse by singular values above rtol, one for all matrices or one for each, times the largest."""
    return _core.pinv(x) if rtol is None else _core.pinv_each(x, rtol)


def norm(x, /, ord=None, axis=None, keepdims=False):
    """NumPy's norm: of vectors along one axis, of matrices along two; without ORD the root of the sum of squares."""
    if isinstance(axis, tuple) and len(axis) == 2 and ord is not None:
        return _core.matrix_norm(x, NORMS[ord], axis, keepdims)
    if ord is not None and axis is None and x.ndim == 2:
        return matrix_norm(x, keepdims=keepdims, ord=ord)
    return vector_norm(x, axis=axis, keepdims=keepdims, ord=2 if ord in (None, "fro") else ord)


def outer(x1, x2, /):
    """Products of every element of a vector with every one of another."""
    return _core.outer([_core.asarray(x1), _core.asarray(x2)])


def qr(x, /, *, mode="reduced") -> "Any":
    """x = Q R with orthonormal columns; "complete": Q is square."""
    if mode == "r":
        return _core.qr(x, "reduced")[1]
    return QRResult(*_core.qr(x, mode))


def slogdet(x, /) -> SlogdetResult:
    """Sign and ln |det|."""
    return SlogdetResult(*_core.slogdet(x))


def solve(x1, x2, /):
    """X with x1 X = x2; x2 is a vector only when it has one axis."""
    return _core.solve(x1, x2)


def svd(x, /, *, full_matrices=True, compute_uv=True) -> "Any":
    """x = U S Vh, singular values descending."""
    return SVDResult(*_core.svd(x, full_matrices)) if compute_uv else svdvals(x)


def trace(x, /, *, offset=0, dtype=None):
    """Sum of the diagonal of the last two axes."""
    return _core.matrix_trace(x if dtype is None else _core.astype(x, dtype), offset, -2, -1)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """(sum |x|^ord)^(1/ord) over axes; 0 counts, inf and -inf are the extremes."""
    return _core.vector_norm(x, ord, axis, keepdims=keepdims)
