# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions that compute, for the table: reductions, order, element by element, products, numpy.fft, numpy.linalg."""

import builtins
import math

from . import _array_api as xp
from . import _core, fft, linalg
from ._core import Array
from ._numpy_arrays import copied
from ._numpy_table import FFT, LINALG, as_array, can_cast, cast, device_of, dtype_of, finish, numpys, refuse

# ---- reductions ----

def masked(x, where, neutral):
    return x if where is True else _core.where(where, x, neutral)


def reduced(op, x, axis, keepdims, words, x_dtype=None):
    return op(x if x_dtype is None else _core.astype(x, x_dtype), axis=axis, keepdims=keepdims is True, **words)


def sum_type(a, dtype, out):
    """The dtype that sums and products are computed in; None: the operation's own."""
    if dtype is None and isinstance(out, Array) and out.dtype != a.dtype and can_cast(a.dtype, out.dtype):
        return out.dtype
    return dtype_of(dtype)


def typed(initial, x):
    """What a reduction begins with, as NumPy has it: in the type that it computes in."""
    return _core.astype(as_array(initial), x.dtype)


def sums(op, combine, neutral):
    """sum, prod and their like."""
    def reduction(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        a = as_array(a)
        wanted = sum_type(a, dtype, out)
        if wanted is not None:
            a = _core.astype(a, wanted)
        r = op(masked(a, where, neutral), axis=axis, keepdims=bool(keepdims))
        r = r if wanted is None else _core.astype(r, wanted)
        return finish(r if initial is None else combine(r, typed(initial, r)), out)
    return reduction


def extremes(op, combine):
    """max, min: without an initial value nothing stands for what is masked, or for nothing."""
    def reduction(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        if where is not True and initial is None:
            raise ValueError("where: the reduction has no identity, so initial must be given")
        a = as_array(a)
        if initial is not None:
            initial = typed(initial, a)
            if a.size == 0:   # the axes that go hold nothing
                return finish(xp.full_like(xp.sum(a, axis=axis, keepdims=bool(keepdims)), initial), out)
        r = op(masked(a, where, initial), axis=axis, keepdims=bool(keepdims))
        return finish(r if initial is None else combine(r, initial), out)
    return reduction


def truths(op, neutral):
    def reduction(a, axis=None, out=None, keepdims=False, *, where=True):
        a = as_array(a)
        r = op(masked(_core.astype(a, _core.bool), where, neutral), axis=axis, keepdims=bool(keepdims))
        if isinstance(out, Array):   # any dtype will do
            out[...] = _core.astype(r, out.dtype)
            return out
        return finish(r, out)
    return reduction


def means(op):
    def reduction(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
        a, wanted = as_array(a), dtype_of(dtype)
        if wanted is not None:
            a = _core.astype(a, wanted)
        if where is not True:
            if op is not xp.mean:
                refuse("where", where)
            where = _core.broadcast_to(where, a.shape)
            total = xp.sum(_core.where(where, a, 0), axis=axis, keepdims=bool(keepdims))
            return finish(_core.divide(total, _core.count_nonzero(where, axis, keepdims=bool(keepdims))), out, wanted or (
                a.dtype if a.dtype.kind in "fc" else None))
        return finish(op(a, axis=axis, keepdims=bool(keepdims)), out, wanted)
    return reduction


def deviations(op, root):
    def reduction(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
        if correction is not None and ddof:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        a, wanted = as_array(a), dtype_of(dtype)
        correction = ddof if correction is None else correction
        if wanted is not None:
            a = _core.astype(a, wanted)
        if where is True and mean is None:
            return finish(op(a, axis=axis, correction=correction, keepdims=bool(keepdims)), out, wanted)
        if op not in (xp.var, xp.std):
            refuse("where" if mean is None else "mean", where if mean is None else mean)
        where = _core.broadcast_to(where, a.shape) if where is not True else xp.full(a.shape, True)
        count = _core.count_nonzero(where, axis, keepdims=True)
        mean = _core.divide(xp.sum(_core.where(where, a, 0), axis=axis, keepdims=True), count) if mean is None else mean
        squares = _core.square(_core.abs(_core.subtract(a, mean)))
        total = xp.sum(_core.where(where, squares, 0), axis=axis, keepdims=bool(keepdims))
        left = _core.maximum(_core.count_nonzero(where, axis, keepdims=bool(keepdims)) - correction, 0)
        r = _core.divide(total, _core.astype(left, total.dtype))
        return finish(_core.sqrt(r) if root else r, out, wanted)
    return reduction


numpys(sums(xp.sum, _core.add, 0), "sum")
numpys(sums(xp.prod, _core.multiply, 1), "prod")
numpys(sums(_core.nansum, _core.add, 0), "nansum")
numpys(sums(_core.nanprod, _core.multiply, 1), "nanprod")
numpys(extremes(xp.max, _core.maximum), "max", "amax")
numpys(extremes(xp.min, _core.minimum), "min", "amin")
numpys(extremes(_core.nanmax, _core.fmax), "nanmax")
numpys(extremes(_core.nanmin, _core.fmin), "nanmin")
numpys(truths(xp.all, True), "all")
numpys(truths(xp.any, False), "any")
numpys(means(xp.mean), "mean")
numpys(means(_core.nanmean), "nanmean")
numpys(deviations(xp.var, False), "var")
numpys(deviations(xp.std, True), "std")
numpys(deviations(_core.nanvar, False), "nanvar")
numpys(deviations(_core.nanstd, True), "nanstd")
numpys(lambda a, axis=None, out=None, keepdims=False: finish(_core.ptp(a, axis, keepdims=bool(keepdims)), out), "ptp")
numpys(lambda a, axis=None, *, keepdims=False: xp.count_nonzero(a, axis=axis, keepdims=keepdims), "count_nonzero")
for _op in (xp.argmax, xp.argmin):
    numpys(lambda a, axis=None, out=None, *, keepdims=False, op=_op: finish(op(a, axis=axis, keepdims=bool(keepdims)), out),
           _op.__name__)
for _op in (_core.median, _core.nanmedian):
    numpys(lambda a, axis=None, out=None, overwrite_input=False, keepdims=False, op=_op: finish(
        op(a, axis, keepdims=bool(keepdims)), out), _op.__name__)


def ranks(op, omit_nan):
    def quantiles(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
        if weights is not None:
            refuse("weights", weights)
        if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
            refuse("method", method)
        a, q = as_array(a), q if isinstance(q, (int, float)) else _core.asarray(q, dtype=_core.float64)
        if isinstance(q, Array):   # a number is weak beside the array
            a, shape = _core.astype(a, xp.result_type(a, q)), q.shape
        else:
            shape = ()
        r = op(a, q, axis, method=method, keepdims=bool(keepdims), omit_nan=omit_nan)
        return finish(_core.reshape(r, shape + r.shape[1:]), out)
    return quantiles


for _name in ("quantile", "percentile"):
    numpys(ranks(getattr(_core, _name), False), _name)
    numpys(ranks(getattr(_core, _name), True), "nan" + _name)


def sums_along(op):
    def cumulative(a, axis=None, dtype=None, out=None):
        a = as_array(a)
        wanted = sum_type(a, dtype, out)
        a = a if wanted is None else _core.astype(a, wanted)
        return finish(op(_core.ravel(a) if axis is None else a, 0 if axis is None else axis, dtype=wanted), out)
    return cumulative


for _op in (_core.cumsum, _core.cumprod):
    numpys(sums_along(_op), _op.__name__)
for _op in (xp.cumulative_sum, xp.cumulative_prod):
    numpys(lambda x, /, *, axis=None, dtype=None, out=None, include_initial=False, op=_op: finish(
        op(x, axis=axis, dtype=sum_type(x, dtype, out), include_initial=include_initial), out), _op.__name__)


@numpys
def diff(a, n=1, axis=-1, prepend=None, append=None):
    def beside(v):
        v = as_array(v)
        if v.ndim:
            return v
        return _core.broadcast_to(v, a.shape[:axis % a.ndim] + (1,) + a.shape[axis % a.ndim + 1:])
    parts = [x for x in (None if prepend is None else beside(prepend), a, None if append is None else beside(append)) if x is not None]
    return _core.diff(a if len(parts) == 1 else _core.concatenate(parts, axis), n, axis)


@numpys
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if keepdims and weights is not None:
        refuse("keepdims", keepdims)
    r = xp.mean(a, axis=axis, keepdims=bool(keepdims)) if weights is None else _core.average(a, weights, axis)
    if not returned:
        return r
    if weights is None:
        return r, xp.full_like(r, a.size // math.prod(r.shape) if r.size else 0)
    w = as_array(weights)
    if w.ndim == 1 and a.ndim > 1:
        w = _core.reshape(w, (-1,) + (1,) * (a.ndim - 1 - axis % a.ndim))
    return r, _core.astype(xp.sum(_core.broadcast_to(w, a.shape), axis=axis), r.dtype)


def covariance(m, y, rowvar, dtype, bias=False, ddof=None):
    """cov of NumPy without weights: rows are variables."""
    m = as_array(m)
    x = _core.atleast_nd(m, 2)
    wanted = dtype_of(dtype) or xp.result_type(x, _core.float64)
    turned = not rowvar and m.ndim != 1
    x = _core.astype(_core.transpose(x) if turned else x, wanted)
    if y is not None:
        y = as_array(y)
        y = _core.transpose(_core.atleast_nd(y, 2)) if not rowvar and y.ndim != 1 else _core.atleast_nd(y, 2)
        x = xp.concat([x, _core.astype(y, wanted)])
    ddof = (0 if bias else 1) if ddof is None else ddof
    x = x - xp.mean(x, axis=1, keepdims=True)
    n = builtins.max(x.shape[1] - ddof, 0)
    return _core.matmul(x, _core.conj(_core.transpose(x))) / (float(n) if n else 0.0)


@numpys
def cov(m, y=None, rowvar=True, bias=False, ddof=None, *, dtype=None):
    return xp.squeeze(c, (0, 1)) if (c := covariance(m, y, rowvar, dtype, bias, ddof)).shape == (1, 1) else c


@numpys
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    c = covariance(x, y, rowvar, dtype)
    if c.shape == (1, 1):
        return xp.squeeze(c / c, (0, 1))
    d = _core.sqrt(_core.real(_core.diag(c, 0)))
    c = c / d[:, None] / d[None, :]
    if c.dtype.kind == "c":
        return xp.clip(_core.real(c), -1, 1) + xp.clip(_core.imag(c), -1, 1) * 1j
    return xp.clip(c, -1, 1)


# ---- order and search ----

def sorted_by(op):
    def ordered_by(a, axis=-1, kind=None, order=None, *, stable=None):   # always stable
        if order is not None:
            refuse("order", order)
        if kind not in (None, "quicksort", "heapsort", "mergesort", "stable"):
            raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
        a = as_array(a)
        return op(_core.ravel(a) if axis is None else a, axis=-1 if axis is None else axis)
    return ordered_by


numpys(sorted_by(xp.sort), "sort")
numpys(sorted_by(xp.argsort), "argsort")
numpys(lambda a, v, side="left", sorter=None: xp.searchsorted(a, as_array(v), side=side, sorter=sorter), "searchsorted")
numpys(lambda a: xp.nonzero(a), "nonzero")
numpys(lambda a: _core.flatnonzero(a), "flatnonzero")
numpys(lambda a: xp.stack(xp.nonzero(a), axis=1), "argwhere")


@numpys
def where(condition, *branches):
    if not branches:
        return xp.nonzero(condition)
    if len(branches) != 2:
        raise ValueError("either both or neither of x and y should be given")
    return _core.where(condition, *branches)


@numpys
def take(a, indices, axis=None, out=None, mode="raise"):
    indices = as_array(indices)
    if mode != "raise":
        n = a.size if axis is None else a.shape[axis]
        if mode not in ("wrap", "clip"):
            raise ValueError(f"mode is {mode!r}; it can be 'raise', 'wrap' or 'clip'")
        indices = _core.mod(indices, n) if mode == "wrap" else xp.clip(indices, 0, n - 1)
    return finish(xp.take(a, indices, axis=axis), out)


numpys(lambda arr, indices, axis=-1: xp.take_along_axis(arr, indices, axis=axis) if axis is not None else
       xp.take_along_axis(_core.ravel(arr), indices, axis=0), "take_along_axis")


@numpys
def compress(condition, a, axis=None, out=None):
    a, condition = as_array(a), _core.astype(as_array(condition), _core.bool)
    a = _core.ravel(a) if axis is None else a
    at = _core.flatnonzero(condition)
    return finish(_core.take(a, at, 0 if axis is None else axis), out)


numpys(lambda condition, arr: compress(_core.ravel(as_array(condition)), arr), "extract")


@numpys
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    if axis is not None:
        refuse("axis", axis)
    if ar.dtype.kind in "fc" and equal_nan:
        u = _core.unique_with(ar, every_nan=False)
    else:
        u = xp.unique_all(ar)
    chosen = [u[0]] + [r for r, wanted in zip(u[1:], (return_index, return_inverse, return_counts)) if wanted]
    return chosen[0] if len(chosen) == 1 else tuple(chosen)


@numpys
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    return xp.isin(element, test_elements, invert=invert)


@numpys
def bincount(x, weights=None, minlength=0):
    return _core.bincount(x, weights, minlength)


@numpys
def histogram(a, bins=10, range=None, density=None, weights=None):   # noqa: A002
    if isinstance(bins, str):
        refuse("bins", bins)
    a = as_array(a)
    words = {"bins": bins} if isinstance(bins, int) else {"edges": as_array(bins)}
    if range is not None and isinstance(bins, int):
        words.update(use_range=True, low=float(range[0]), high=float(range[1]))
    counts, edges = _core.histogram(a, weights=None if weights is None else as_array(weights), density=bool(density), **words)
    wanted = _core.float64 if density else _core.int64 if weights is None else as_array(weights).dtype
    return _core.astype(counts, wanted), edges if isinstance(bins, int) else words["edges"]


# ---- element by element ----

@numpys
def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, where=True, dtype=None, casting="same_kind"):
    a, wanted = as_array(a), dtype_of(dtype)
    low, high = a_min if min is None else min, a_max if max is None else max
    if where is not True and out is None:
        refuse("where", where)
    numbers = [m for m in (low, high) if m is not None]
    if wanted is None and (casting != "same_kind" or isinstance(out, Array)):
        wanted = xp.result_type(a, *numbers)
    if wanted is not None:
        a = cast(a, wanted, casting)
    r = _core.clip_array(a, low, high) if numbers else _core.copy(a)
    r = r if wanted is None or r.dtype == wanted else cast(r, wanted, casting)
    if where is not True:
        r = _core.where(where, r, out)
    if isinstance(out, Array) and casting != "same_kind":
        r = cast(r, out.dtype, casting, "casting")
    return finish(r, out)


numpys(lambda a, decimals=0, out=None: xp.round(a, decimals, out=out), "round", "around")
numpys(lambda val: _core.real(val), "real")
numpys(lambda val: _core.imag(val), "imag")
numpys(lambda z, deg=False: _core.rad2deg(_core.angle(z)) if deg else _core.angle(z), "angle")
numpys(lambda x: x.dtype.kind == "c", "iscomplexobj")
numpys(lambda x: x.dtype.kind != "c", "isrealobj")


@numpys
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    r = x if x.dtype.kind not in "fc" else _core.nan_to_num(x, nan=nan)   # its 0 means the largest number
    for limit, sign in ((posinf, 1), (neginf, -1)):
        if limit is None or x.dtype.kind not in "fc":
            continue
        if x.dtype.kind == "c":
            refuse("posinf" if sign > 0 else "neginf", limit)
        r = _core.where(_core.equal(x, sign * math.inf), limit, r)
    if copy:
        return _core.copy(r) if r is x else r
    if r is not x:
        x[...] = r
    return x


for _op in (_core.isclose, _core.allclose):
    numpys(lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False, op=_op: op(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan),
           _op.__name__)


@numpys
def array_equal(a1, a2, equal_nan=False):
    a1, a2 = as_array(a1), as_array(a2)
    if a1.shape != a2.shape:
        return False
    return bool(_core.all((a1 == a2) | (a1 != a1) & (a2 != a2) if equal_nan else a1 == a2))


@numpys
def copyto(dst, src, casting="same_kind", where=True):
    if not isinstance(dst, Array):
        refuse("dst", dst)
    if isinstance(src, Array):
        src = cast(src, dst.dtype, casting)
    elif casting != "same_kind":
        refuse("casting", casting)
    dst[...] = src if where is True else _core.where(where, src, dst)


# ---- products ----

numpys(lambda a, b, out=None: _core.dot(a, b) if out is None else finish(_core.dot(a, b), out), "dot")
numpys(lambda a, b, axes=2: xp.tensordot(a, b, axes=axes), "tensordot")
numpys(lambda a, b: _core.inner(a, b), "inner")
numpys(lambda a, b: _core.vdot(a, b), "vdot")
numpys(lambda a, b: _core.kron(a, b), "kron")
numpys(lambda a, b, out=None: finish(_core.outer([_core.ravel(as_array(a)), _core.ravel(as_array(b))]), out), "outer")


@numpys
def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    if not isinstance(operands[0], str):
        refuse("operands", operands[0])
    arrays, wanted = [as_array(x) for x in operands[1:]], dtype_of(dtype)
    wanted = xp.result_type(*arrays) if wanted is None and casting != "safe" else wanted
    if wanted is not None:
        arrays = [cast(x, wanted, casting) for x in arrays]
    r = xp.einsum(operands[0], *arrays)
    if out is not None:
        return finish(r, out)
    return copied(r, order) if order not in ("K", "A", "C") else r


@numpys
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    wanted = dtype_of(dtype)
    if wanted is None and a.dtype.kind in "iub":   # as sums
        wanted = xp.sum(a[..., :0]).dtype
    return finish(_core.matrix_trace(a if wanted is None else _core.astype(a, wanted), offset, axis1, axis2), out)


numpys(lambda a, offset=0, axis1=0, axis2=1: _core.diagonal(a, offset, axis1, axis2), "diagonal")


# ---- numpy.fft ----

def of_norm(norm):
    return norm or "backward"


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    numpys(lambda a, n=None, axis=-1, norm=None, out=None, f=getattr(fft, _name): finish(
        f(a, n=n, axis=axis, norm=of_norm(norm)), out), _name, table=FFT)
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    numpys(lambda a, s=None, axes=None, norm=None, out=None, f=getattr(fft, _name): finish(
        f(a, s=s, axes=axes, norm=of_norm(norm)), out), _name, table=FFT)
    numpys(lambda a, s=None, axes=(-2, -1), norm=None, out=None, f=getattr(fft, _name): finish(
        f(a, s=s, axes=axes, norm=of_norm(norm)), out), _name[:-1] + "2", table=FFT)
for _name in ("fftshift", "ifftshift"):
    numpys(lambda x, axes=None, f=getattr(fft, _name): f(x, axes=axes), _name, table=FFT)
for _name in ("fftfreq", "rfftfreq"):
    numpys(lambda n, d=1.0, device=None, f=getattr(fft, _name): f(n, d=d, dtype=_core.float64, device=device_of(device)),
           _name, table=FFT)


# ---- numpy.linalg ----

def triangle(a, UPLO):
    """A with what is told of it below the diagonal."""
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return a if UPLO == "L" else _core.conj(_core.matrix_transpose(a))


for _name in ("inv", "det", "eig", "eigvals", "slogdet"):
    numpys(lambda a, f=getattr(linalg, _name): f(a), _name, table=LINALG)
for _name in ("eigh", "eigvalsh"):
    numpys(lambda a, UPLO="L", f=getattr(linalg, _name): f(triangle(a, UPLO)), _name, table=LINALG)
numpys(lambda a, b: linalg.solve(a, b), "solve", table=LINALG)
numpys(lambda a, /, *, upper=False: linalg.cholesky(a, upper=upper), "cholesky", table=LINALG)
numpys(lambda x, ord=None, axis=None, keepdims=False: linalg.norm(x, ord, axis, keepdims), "norm", table=LINALG)
numpys(lambda a, n: linalg.matrix_power(a, n), "matrix_power", table=LINALG)
numpys(lambda arrays, *, out=None: finish(linalg.multi_dot([as_array(a) for a in arrays]), out), "multi_dot", table=LINALG)
numpys(lambda x, /: _core.matrix_transpose(x), "matrix_transpose", table=LINALG)
numpys(lambda x, /, *, axis=None, keepdims=False, ord=2: linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord),
       "vector_norm", table=LINALG)
numpys(lambda x, /, *, keepdims=False, ord="fro": linalg.matrix_norm(x, keepdims=keepdims, ord=ord), "matrix_norm", table=LINALG)


@lambda f: numpys(f, table=LINALG)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        refuse("hermitian", hermitian)
    return linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)


@lambda f: numpys(f, table=LINALG)
def qr(a, mode="reduced"):
    return linalg.qr(a, mode=mode) if mode in ("reduced", "complete", "r") else refuse("mode", mode)


@lambda f: numpys(f, table=LINALG)
def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    if hermitian:
        refuse("hermitian", hermitian)
    rtol = rcond if rtol is None else rtol
    return linalg.pinv(a, rtol=1e-15 if rtol is None and a.dtype in (_core.float64, _core.complex128) else rtol)


@lambda f: numpys(f, table=LINALG)
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    if hermitian:
        refuse("hermitian", hermitian)
    if tol is not None:
        s = linalg.svdvals(A)
        return _core.count_nonzero(s > tol, -1)
    return linalg.matrix_rank(A, rtol=rtol)


@lambda f: numpys(f, table=LINALG)
def lstsq(a, b, rcond=None):
    b = as_array(b)
    r = linalg.lstsq(a, b, rtol=rcond)
    return tuple(r)
