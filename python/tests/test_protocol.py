# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions on Heddle's arrays, parameter by parameter.

Each function that asks other libraries' arrays first (numpy, numpy.linalg, numpy.fft), each of their functions with like=,
and each universal function of NumPy and SciPy with its methods is called on NumPy's arrays and on Heddle's, once plainly and
once for each value of each parameter of its signature: the answers are equal, or Heddle's is a TypeError that names the
parameter. Values and data are searched for on NumPy's side: those come first that change NumPy's answer, so a parameter that
is dropped shows.
"""

import fnmatch
import importlib
import inspect
import warnings

import pytest

import heddle as hd
from heddle import _numpy

np = pytest.importorskip("numpy")
try:
    from scipy import special
except ImportError:
    special = None


# ---- what the functions are called with ----

M = [[4.0, 1.0, 2.0], [0.5, 5.0, 3.0], [2.5, 3.0, 6.0]]
DATA = {
    "matrix": np.array(M), "single": np.array(M, np.float32), "nan": np.array([[4, np.nan, 2], [0.5, 5, np.inf], [2.5, -np.inf, 6]]),
    "symmetric": np.array([[4.0, 1, 2], [1, 5, 3], [2, 3, 6]]), "ints": np.array([[2, 0, 1], [1, 3, 2], [1, 3, 2]]),
    "bytes": np.array([[100, 3, 20], [120, 5, 9], [7, 110, 64]], np.int8), "truths": np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0]], bool),
    "complex": np.array(M) + 1j * np.array(M).T, "sorted": np.array([0.5, 1.0, 1.0, 2.5, 4.0]), "counts": np.array([0, 2, 1, 2, 3]),
    "mask": np.array([True, False, True, True, False]), "unit": np.array([0.1, 0.4, 0.75]), "cube": np.arange(12.0).reshape(2, 3, 2),
}
UNIVERSAL = "unit single bytes truths complex matrix ints".split()


def other(d):
    """Another array of the kind of D."""
    return np.roll(d, 1, axis=-1) if d.ndim > 1 else d if (np.diff(d) >= 0).all() else d[::-1].copy()


def masked(d):
    return np.arange(d.size).reshape(d.shape) % 3 != 1


# Required parameters that are no arrays, or arrays of their own kind: by name, or by function and name.
REQUIRED = {
    "arrays": lambda d: [d, other(d)], "tup": lambda d: [d, other(d)], "arys": lambda d: (d,), "xi": lambda d: (d, other(d)),
    "arrays_and_dtypes": lambda d: (d, np.float32), "operands": lambda d: ("ij,kj->ik", d, other(d)), "varargs": lambda d: (),
    "args": lambda d: (d, d[0]), "keys": lambda d: [d, other(d)], "axis": 0, "axis1": 0, "axis2": 1, "source": 0, "destination": 1,
    "shape": (3, 3), "new_shape": (2, 5), "newshape": (3, 3), "indices": lambda d: np.array([2, 0, 1]), "indices_or_sections": 1,
    "kth": 1, "pad_width": 1, "repeats": 2, "reps": 2, "shift": 1, "q": 0.3, "n": 2, "deg": 1, "obj": 1, "fill_value": 2,
    "from_": lambda d: d.dtype, "to": np.float32, "start": 1, "stop": 3, "condition": masked, "mask": masked, "sample": lambda d: d,
    "ind": lambda d: np.array([0, 2]), "bins": lambda d: np.array([0.0, 1.5, 3.0]), "condlist": lambda d: [masked(d), ~masked(d)],
    "choicelist": lambda d: [d, other(d)], "choices": lambda d: [d, other(d), d, d], "func1d": lambda d: lambda v: v.sum(), "N": 3,
    "dtype": np.float32, "func": lambda d: lambda v, axis: v.sum(axis), "axes": (0,), "funclist": [1, 2], "x_axes": 0,
    "broadcast_to.shape": lambda d: (2,) + d.shape, "reshape.shape": -1, "take_along_axis.indices": lambda d: np.argsort(d, axis=-1),
    "put_along_axis.indices": lambda d: np.argsort(d, axis=-1), "put_along_axis.axis": -1, "expand_dims.axis": 1,
    "put_along_axis.values": 7, "put.v": 7, "place.vals": [7, 8], "putmask.values": 7, "fill_diagonal.val": 7, "insert.values": 7,
    "apply_over_axes.axes": 0, "apply_along_axis.args": lambda d: (), "ix_.args": lambda d: (d,), "piecewise.args": lambda d: (),
    "array_equal.a2": lambda d: d, "allclose.b": lambda d: d, "isclose.b": lambda d: d * 1.0001,
    "squeeze.a": lambda d: d[None, ..., None], "may_share_memory.b": lambda d: d, "shares_memory.b": lambda d: d,
    "full.shape": (2, 3), "zeros.shape": (2, 3), "ones.shape": (2, 3), "empty.shape": (2, 3), "correlate.v": lambda d: d[:2],
    "convolve.v": lambda d: d[:2], "unravel_index.shape": (3, 4), "ravel_multi_index.dims": (4, 4),
    "ravel_multi_index.multi_index": lambda d: (d, d), "matrix_power.n": 2, "tensorsolve.b": lambda d: d[:, 0], "percentile.q": 30,
    "nanpercentile.q": 30, "swapaxes.axis1": 0, "fromfunction.function": lambda d: lambda i, j: i + 2 * j,
    "reduceat.indices": lambda d: np.array([0, 1]), "at.indices": lambda d: np.array([0, 1, 1]), "at.b": other,
    "where.x": lambda d: d, "where.y": other, "interp.fp": lambda d: other(d) * 2, "identity.n": 3, "arange.start_or_stop": 5,
}
# Values of what may be left out, by name; those of others come from the default.
VALUES = {
    "unravel_index.order": ("F",),   # of places, not of memory
    "axis": (0, 1, -1, 2), "dtype": (np.float32, np.int64, np.float64, np.complex128, bool), "order": ("F", "C", "A"),
    "ddof": (1, 2), "correction": (1, 0.5), "initial": (1000.0, -1000.0, 1), "where": (masked, True, lambda d: masked(d)[:1]),
    "decimals": (1, -1), "mean": (lambda d: np.full((1,) * d.ndim, 2.0), lambda d: np.full((1,) * d.ndim, 1.5)),
    "keepdims": (True, False), "casting": ("no", "unsafe", "equiv", "safe"),
    "weights": (lambda d: np.arange(1.0, d.size + 1).reshape(d.shape), lambda d: d * 0 + 2),
    "axes": (lambda d: tuple(range(d.ndim))[::-1], (0, 1), (1, 0), 1, ((0,), (1,)), [(0, 1), (1, 0), (0, 1)], [(0,), (0,), ()]),
    "offset": (1, -1), "axis1": (1, 2), "axis2": (0, 2), "k": (1, -1, 2), "n": (2, 4), "s": ((2, 2), (4, 3)),
    "norm": ("ortho", "forward"), "shape": ((2, 2), (9,)), "side": ("right", "left"),
    "sorter": (lambda d: np.argsort(d), lambda d: np.arange(d.size)),
    "mode": ("wrap", "clip", "edge", "full", "same", "valid", "complete", "r", "reduced"), "minlength": (7, 2), "rtol": (10.0, 0.0),
    "atol": (10.0, 0.0), "nan": (-1.0, 3.0), "posinf": (0.0, 7.0), "neginf": (0.0, 7.0), "ord": (1, np.inf, 2, "fro"),
    "UPLO": ("U", "L"), "prepend": (0.0, lambda d: d), "append": (0.0, lambda d: d), "a_min": (2, 1.5), "a_max": (2, 1.5),
    "min": (2, 1.5), "max": (2, 1.5), "method": ("lower", "higher"), "indexing": ("ij", "xy"), "y": (other, lambda d: d),
    "x": (lambda d: np.arange(d.size) ** 2.0, 3), "optimize": (True, "greedy"), "kind": ("stable", "mergesort", "sort"),
    "discont": (1.0, 4.0), "period": (3.0, 2.0), "M": (2, 4), "bins": (3, 5), "range": ((0.0, 3.0), (1.0, 2.0)), "left": (-5.0, 3.0),
    "right": (-5.0, True),
    "signature": ("dd->d", "d->d", "ff->f", "f->f", "??->?", "?->?", "d->?", "dd->?", "ll->l", "l->l", "dd->dd"), "device": ("cpu",),
    "copy": (True, False), "num": (5, 3), "base": (2.0, 3.0), "start": (2, 1), "stop": (3, 4), "step": (2, 3), "default": (7, 8),
    "to_begin": (9, 8), "to_end": (9, 8), "fweights": (lambda d: np.array([1, 2, 3]),),
    "aweights": (lambda d: np.array([1.0, 2.0, 3.0]),), "rcond": (0.5, 1e-3), "tol": (5.0, 1e-3),
    "pinv.rtol": (0.5, 1e-3), "matrix_rank.rtol": (0.5, 1e-3), "trim": ("f", "b"), "m": (2, 1),
    "bitorder": ("little", "big"), "count": (3, 5), "w": (lambda d: np.arange(1.0, d.size + 1),), "edge_order": (2, 1),
    "dx": (2.0, 3.0), "unique.sorted": (True,), "max_work": (1, 10), "ndmin": (3, 4), "max_line_width": (10, 40),
    "precision": (1, 2), "threshold": (2, 5), "separator": (";", ","), "prefix": ("  ",), "suffix": ("  ",), "sign": ("+", " "),
    "floatmode": ("fixed", "unique"), "edgeitems": (1, 2), "legacy": ("1.13",), "axisa": (0, 1), "axisb": (0, 1), "axisc": (0, 1),
    "N": (2, 4), "constant_values": (5, 2), "subok": (False, True), "b": (other, lambda d: d), "stat_length": (1, 2), "test": (2, 3),
    "constants": (1, 2), "formatter": (), "einsum_call": (), "kwargs": (), "kwds": (), "kw": (),
}
GENERIC = (True, 1, 0.5)
# Other values of what is required, by name, or by function and name.
INSTEAD = {
    "pad_width": (((1, 2), (0, 1)), (2, 1)), "repeats": (lambda d: np.array([1, 2, 3]), 3), "reps": ((2, 1, 2), (1, 2)),
    "shift": ((1, 2), -1), "axis": (-1, 1, (0, 1)), "source": ((0, 1), 1), "destination": ((1, 0), 0), "axis1": (1, -1),
    "axis2": (0, -1), "kth": (2, (0, 1)), "indices_or_sections": ([1, 2], 3), "q": ([0.2, 0.5], 1.0),
    "percentile.q": ([20, 50], 100), "nanpercentile.q": ([20, 50], 100), "indices": (lambda d: np.array([[0, 1], [1, 0]]), 1),
    "shape": (lambda d: (3, 1) + d.shape, (9,), 9), "reshape.shape": ((-1, 1), 9, (1, 9)), "full.shape": (4, ()),
    "zeros.shape": (4, ()), "ones.shape": (4, ()), "empty.shape": (4, ()), "fill_value": (5, lambda d: d[0]), "N": (4, 2),
    "n": (3, -1), "identity.n": (2, 1), "start": (0, 2), "stop": (5, 4.5), "to": (np.int64, np.complex128),
    "condition": (lambda d: ~masked(d), True), "bins": (lambda d: np.array([1.0, 2.0]), lambda d: np.array([4.0, 2.0, 1.0])),
    "k": (1, -1), "dtype": (np.float64, np.complex64), "obj": ([0, 2], 0), "deg": (2, 0),
}
# What has to stand beside a parameter for it to mean something.
BESIDE = {"where": ({}, {"initial": -100}, {"initial": 0}), "casting": ({}, {"dtype": np.int8}, {"dtype": np.complex128}),
          "a_min": ({"a_max": 5},), "a_max": ({"a_min": 1},)}
# Words that NumPy gathers as **kwargs.
GATHERED = {"numpy.pad": "constant_values", "numpy.clip": "dtype where casting", "numpy.einsum": "out dtype casting order optimize",
            "reduce": "keepdims initial where"}
# Files and dates, of which Heddle has none.
APART = "*.save* *.busday_* *.is_busday *.datetime_* *.fromfile *.genfromtxt *.loadtxt *.fromregex *.fromstring *.frombuffer".split()
UNDEFINED = "numpy.empty numpy.empty_like numpy.partition numpy.argpartition".split()
# Defined up to signs and order.
SIGNS = [f"numpy.linalg.{f}" for f in "eig eigh eigvals svd qr".split()]
# Data on which Heddle's answer is meant to be another one: integers have real reciprocals, with a real type they make that type.
OTHERWISE = {"numpy.linalg.cond": "ints", "numpy.reciprocal": "ints bytes truths", "numpy.result_type": "ints counts",
             "numpy.searchsorted": "counts mask", "numpy.linalg.slogdet": "nan"}


class Callee:
    """A function of NumPy, and how it is called."""

    def __init__(self, module, name, function, universal=None, method=None):
        self.name, self.function = f"{module}.{name}" + f".{method}" * bool(method), function
        self.universal, self.method = universal, method
        self.short = method or name
        self.parameters = parameters_of(function, universal)
        self.like = any(p.name == "like" for p in self.parameters)
        self.variants = [v for v in (UNIVERSAL if universal else DATA) if v not in OTHERWISE.get(self.name, "").split()]

    def special(self, p):
        """What stands for parameter P in every call; None for an array of data."""
        return REQUIRED.get(f"{self.short}.{p.name}")

    def required(self, d):
        """Arguments for what has no default, the array parameters from D and its like."""
        given, arrays = [], 0
        for p in self.parameters:
            value = self.special(p)
            if value is None and (p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.KEYWORD_ONLY)):
                continue
            value = REQUIRED.get(p.name) if value is None else value
            if value is None:
                value, arrays = (other(d) if arrays else d), arrays + 1
            elif inspect.isroutine(value):
                value = value(d)
            given += list(value) if p.kind is p.VAR_POSITIONAL else [value]
        return given

    def instead(self):
        """Places of what is required and has other values than those of every call, and these."""
        values = {p.name: INSTEAD.get(f"{self.short}.{p.name}", INSTEAD.get(p.name)) for p in self.parameters}
        places = {p.name: i for i, p in enumerate(self.parameters) if p.default is p.empty and p.kind is not p.VAR_POSITIONAL}
        return {name: (place, values[name]) for name, place in places.items() if values[name] and (
            f"{self.short}.{name}" in REQUIRED or name in REQUIRED)}

    def optional(self):
        """Names of what may be left out, and its defaults."""
        names = {p.name: p.default for p in self.parameters if self.special(p) is None and p.name != "like" and p.kind not in (
            p.VAR_KEYWORD, p.POSITIONAL_ONLY) and (p.default is not p.empty or p.kind is p.KEYWORD_ONLY)}
        return dict.fromkeys(GATHERED.get(self.name, GATHERED.get(self.method, "")).split()) | names

    def values(self, name, d, result):
        if name == "out":
            return [outs(result, False), outs(result, True)]
        if name in self.instead():
            return [v(d) if inspect.isroutine(v) else v for v in self.instead()[name][1]]
        default = self.optional()[name]
        generic = (not default, default) if isinstance(default, bool) else GENERIC
        values = VALUES.get(f"{self.short}.{name}", VALUES.get(name, generic))
        return [v(d) if inspect.isroutine(v) else v for v in values]

    def worded(self, name, value, given, beside):
        """The arguments and words of a call with VALUE for parameter NAME."""
        if name not in self.instead():
            return given, {**beside, name: value}
        place = self.instead()[name][0]
        return [*given[:place], value, *given[place + 1:]], beside

    def beside(self, name, result):
        if name == "where" and self.universal and not self.method:
            return [{"out": outs(result, False)}]
        return BESIDE.get(name, [{}])


def parameters_of(function, universal):
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:   # NumPy before 2.4
        if function is not universal:
            raise
    words = "out where casting order dtype subok signature".split()
    words = "out axes axis keepdims casting order dtype subok signature".split() if universal.signature else words
    P = inspect.Parameter
    return [P(f"x{i}", P.POSITIONAL_ONLY) for i in range(universal.nin)] + [P(w, P.KEYWORD_ONLY, default=None) for w in words]


def functions():
    """(module, name, function, further arguments of Callee) of everything that looks at other libraries' arrays."""
    for module in (np, np.linalg, np.fft):
        for name, f in sorted(vars(module).items()):
            if inspect.isroutine(f) or hasattr(f, "_implementation"):
                yield module.__name__, name, f
    for module in filter(None, (np, special)):
        for name, u in sorted(vars(module).items()):
            if isinstance(u, np.ufunc) and u.__name__ == name:
                yield module.__name__, name, u, u
                if module is np and (u.nin, u.nout, u.signature) == (2, 1, None):
                    yield from ((module.__name__, name, getattr(u, m), u, m) for m in "reduce accumulate reduceat outer at".split())


def callees():
    for known in functions():
        try:
            callee = Callee(*known)
        except ValueError:   # no signature
            continue
        asks = callee.universal or callee.like or hasattr(callee.function, "_implementation")
        if asks and not any(fnmatch.fnmatch(callee.name, a) for a in APART):
            yield callee


# ---- calling and comparing ----

def outs(result, gaps):
    return tuple(Out(r, gaps) for r in result) if isinstance(result, tuple) else Out(result, gaps)


class Out:
    """An array to write to: of RESULT's shape and dtype, on request with gaps between its elements."""

    def __init__(self, result, gaps):
        self.shape, self.dtype, self.gaps = np.shape(result), np.asarray(result).dtype, gaps

    def __repr__(self):
        return f"Out({self.shape}, {self.dtype}{', gaps' * self.gaps})"

    def made(self, xp):
        return xp.zeros(self.shape + (2,), dtype=self.dtype)[..., 0] if self.gaps else xp.zeros(self.shape, dtype=self.dtype)


def mapped(value, xp, made):
    """VALUE with arrays of XP in the place of NumPy's: the same for the same, by MADE."""
    if isinstance(value, (list, tuple)):
        values = [mapped(v, xp, made) for v in value]
        return values if isinstance(value, list) else tuple(values)
    if isinstance(value, Out):
        return value.made(xp)
    if isinstance(value, np.ndarray):
        if id(value) not in made:
            made[id(value)] = value.copy() if xp is np else hd.asarray(value.copy())
        return made[id(value)]
    return value


def selecting(universal, *given, where, out, **words):
    """What where= means, for SciPy's, some of which write beyond their arrays with it."""
    np.copyto(out, universal(*given, **words), where=where)
    return out


class Outcome:
    """What a call answers, or its error; its arguments, which it may have changed; what it wrote to."""

    def __init__(self, callee, xp, given, words):
        made = {}
        self.given, words = mapped(given, xp, made), {k: mapped(v, xp, made) for k, v in words.items()}
        self.out, self.result, self.error = words.get("out"), None, None
        if callee.like and xp is hd:
            words["like"] = hd.zeros(1)
        with np.errstate(all="ignore"):
            try:
                if xp is np and callee.name.startswith("scipy") and "where" in words:
                    self.result = selecting(callee.function, *self.given, **words)
                else:
                    self.result = callee.function(*self.given, **words)
            except Exception as error:
                self.error = error
        if words.get("overwrite_input"):
            self.given = ()   # what is left there is not defined


def difference(got, want, dtypes, layout=False, signs=False, values=True):
    """What tells GOT from WANT, None when nothing does."""
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            return f"{got!r} for {want!r}"
        return next(filter(None, (difference(g, w, dtypes, layout, signs, values) for g, w in zip(got, want))), None)
    if not isinstance(want, (np.ndarray, np.generic)):
        if isinstance(want, np.dtype):
            got, want = str(got).rpartition(".")[2], str(want)
        if isinstance(got, hd.Array) and got.ndim == 0:
            got = got.item()
        return None if callable(want) or got is want or got == want or want != want else f"{got!r} for {want!r}"
    if isinstance(want, np.ndarray) and want.ndim and isinstance(got, np.ndarray) != isinstance(want, np.ndarray) and not (
            isinstance(got, hd.Array)):
        return f"{type(got).__name__} for an array"
    g, w = np.asarray(got), np.asarray(want)
    if g.shape != w.shape:
        return f"shape {g.shape} for {w.shape}"
    if dtypes and g.dtype != w.dtype:
        return f"{g.dtype} for {w.dtype}"
    if w.dtype.kind not in "biufc" or not values:
        return None
    if layout and (g.flags.f_contiguous, g.flags.c_contiguous) != (w.flags.f_contiguous, w.flags.c_contiguous):
        return "another order of the elements in memory"
    if signs:
        g, w = np.sort(abs(g), axis=None), np.sort(abs(w), axis=None)
    if g.dtype != w.dtype:   # what is beyond one of two types
        both = np.isfinite(g) & np.isfinite(w)
        g, w = np.where(both, g, 0), np.where(both, w, 0)
    least = min((np.finfo(x.dtype).precision for x in (g, w) if x.dtype.kind in "fc"), default=15)
    near = np.allclose(g, w, rtol=10.0 ** (1.5 - least), atol=10.0 ** (1.5 - least), equal_nan=True)
    return None if near else f"{g.tolist()} for {w.tolist()}"


def compared(callee, got, want, dtypes, layout=False):
    return difference([got.result, got.given, got.out], [want.result, want.given, want.out], dtypes, layout,
                      callee.name in SIGNS, callee.name not in UNDEFINED)


class Plain:
    """The calls of CALLEE without any word, on each kind of data that NumPy takes."""

    def __init__(self, callee):
        self.right, self.wrong, self.errors = {}, [], []   # right: whether the dtypes agree, by kind of data
        for variant in callee.variants:
            try:
                given = callee.required(DATA[variant])
            except (ValueError, IndexError, TypeError):
                continue
            got = Outcome(callee, hd, given, {})
            if isinstance(got.error, TypeError):   # first: what is refused need not be computed, and some of SciPy's take forever
                self.errors.append(got.error)
                continue
            want = Outcome(callee, np, given, {})
            if want.error:
                continue
            wrong = None if got.error else compared(callee, got, want, False)
            if got.error:
                self.errors.append(got.error)
            elif wrong:
                self.wrong.append(f"{variant}: {wrong}")
            else:
                self.right[variant] = not compared(callee, got, want, True)


def chosen(callee, variants, name):
    """(kind of data, arguments, words) for two values of parameter NAME: of those that NumPy takes the ones that change its
    answer, with dtype= otherwise than by converting it."""
    found = {}
    for variant in variants:
        given = callee.required(DATA[variant])
        for beside in callee.beside(name, Outcome(callee, np, given, {}).result):
            without = Outcome(callee, np, given, beside)
            for i, value in enumerate(callee.values(name, DATA[variant], without.result)):
                arguments, words = callee.worded(name, value, given, beside)
                want = Outcome(callee, np, arguments, words)
                if want.error and (without.error or name != "casting") or name == "out" and difference(want.result, want.out, True):
                    continue   # not taken, or dropped by NumPy itself
                tells = bool(want.error) != bool(without.error) or compared(callee, without, want, True, name == "order") is not None
                if tells and name == "dtype" and isinstance(without.result, (np.ndarray, np.generic)):
                    tells += difference(np.asarray(without.result).astype(value), want.result, False) is not None
                if found.get(i, (-1,))[0] < tells:
                    found[i] = (int(tells), variant, arguments, words)
        if sum(tells for tells, *_ in found.values()) >= (4 if name == "dtype" else 2):
            break
    return [case for _, *case in sorted(found.values(), key=lambda case: -case[0])[:2]]


def parameters():
    """A test for each parameter of each function that Heddle takes over, one for each other function."""
    for callee in callees():
        plain = Plain(callee)
        for name in ["", *callee.instead(), *callee.optional()] if plain.right else [""]:
            label = f"{callee.name}:{name or 'plain'}"
            yield pytest.param(callee, plain, name, id=label)


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    PARAMETERS = [*parameters()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("callee, plain, name", PARAMETERS)
def test_parameter(callee, plain, name):
    if not name:
        if not plain.right and not plain.wrong and not plain.errors:
            pytest.skip("no data that it takes")
        assert not plain.wrong
        assert plain.right or callee.name.rpartition(".")[::2] not in _numpy.ROWS, plain.errors
        assert all(isinstance(e, (TypeError, ValueError, NotImplementedError)) for e in plain.errors)
        return
    cases = chosen(callee, plain.right, name)
    for variant, given, words in cases:
        want, got = Outcome(callee, np, given, words), Outcome(callee, hd, given, words)
        said = f"{variant}, {words or given}: "
        if got.error:
            assert isinstance(got.error, TypeError), said + repr(got.error)
            assert want.error or any(w in str(got.error) for w in {name, *words}), said + str(got.error)
            continue
        assert not want.error, said + f"NumPy says {want.error}"
        wrong = compared(callee, got, want, plain.right[variant] or name == "dtype", name == "order")
        assert not wrong, said + wrong
        if name == "out":
            outs = got.out if isinstance(got.out, tuple) else (got.out,)
            results = got.result if isinstance(got.result, tuple) else (got.result,)
            assert all(r is o for r, o in zip(results, outs)), said + "the result is not what was given to write to"
    if not cases:
        pytest.skip("no value that NumPy takes")


# ---- beyond the parameters ----

@pytest.mark.parametrize("module", ["numpy", "numpy.fft", "numpy.linalg"])
def test_words_of_the_table_are_numpys(module):
    for name, ours in _numpy.MODULES[module].items():
        function = getattr(importlib.import_module(module), name)
        try:
            theirs = list(inspect.signature(function).parameters)
        except (TypeError, ValueError):   # no signature
            continue
        parameters = inspect.signature(ours).parameters.values()
        words = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and (
            p.name not in ("f", "op"))]
        placed = [w for w in words if w in theirs]
        assert placed == theirs[:len(placed)], f"{name}: {words} for {theirs}"


def test_universal_functions_of_others():
    class Sigmoid:
        __name__, nin, nout = "exp", 1, 1
    x = hd.ones(3)
    assert x.__array_ufunc__(Sigmoid(), "__call__", x) is NotImplemented
    assert x.__array_ufunc__(np.exp, "__call__", x).shape == (3,)


FALLBACKS = {
    "interp": lambda x: np.interp(x[:, 0], x[0], x[1], period=7.0), "insert": lambda x: np.insert(x, 1, x[0], axis=0),
    "unique": lambda x: np.unique(x, axis=0), "hypot.accumulate": lambda x: np.hypot.accumulate(x), "put": lambda x: np.put(x, [0], 9),
    "histogram": lambda x: np.histogram(x, bins="sturges"), "add": lambda x: np.add(x, 1, casting="unsafe"),
    "linalg.svd": lambda x: np.linalg.svd(x, hermitian=True).S, "copyto": lambda x: np.copyto(x, [1, 2, 3], casting="unsafe"),
}


@pytest.mark.parametrize("name", FALLBACKS)
def test_fallback(name):
    call, theirs = FALLBACKS[name], DATA["symmetric"].copy()
    ours = hd.asarray(theirs.copy())
    with pytest.raises(TypeError):
        call(ours)
    with hd.numpy_fallback() as own:
        got = call(ours)
    want = call(theirs)
    assert sum(own.calls.values()) == 1 and name in next(iter(own.calls))
    assert not difference([got, ours], [want, theirs], True)
    with pytest.raises(TypeError):
        call(ours)


def test_changes_at_places_by_several_axes():
    theirs = np.zeros((2, 3))
    ours = hd.zeros((2, 3), dtype=hd.float64)
    for x in (theirs, ours):
        np.add.at(x, ([0, 0, 1], [1, 1, 2]), 5)
        np.add.at(x, (slice(None), 0), 1)
        np.maximum.at(x, [1], 2)
    assert ours.tolist() == theirs.tolist() == [[1, 10, 0], [2, 2, 5]]


def test_memory_in_common_with_arrays_of_numpys():
    theirs = np.arange(4.0)
    ours = hd.asarray(theirs)
    assert np.may_share_memory(theirs, ours) and np.may_share_memory(ours[1:], np.asarray(ours)[:2])
    assert not np.may_share_memory(ours, np.zeros(4))


def both(call, *arrays):
    """What CALL says of NumPy's arrays and of ours, which has to be the same."""
    want, got = call(*arrays), call(*map(hd.asarray, arrays))
    wrong = difference(got, want, True)
    assert not wrong, wrong


def test_gradients_by_spacings():
    x, u, v = np.arange(12.0).reshape(3, 4) ** 2, np.array([0.0, 1, 3, 4]), np.array([1.0, 2, 4])
    for edge_order in (1, 2):
        for args, axis in [((), None), ((), 1), ((), (1, 0)), ((2.0,), None), ((2, 0.5), None), ((2,), (-1,)), ((u,), 1),
                           ((v, u), None)]:
            both(lambda a: np.gradient(a, *args, axis=axis, edge_order=edge_order), x)
    both(lambda a: np.gradient(a), np.arange(5) ** 2)
    both(lambda a: np.gradient(a[0], a[1]), np.stack([np.arange(5.0) ** 2, np.arange(5.0) * 3]))
    ours = hd.asarray(x)
    with pytest.raises(TypeError, match="varargs"):
        np.gradient(ours, 2.0, u)
    with pytest.raises(TypeError, match="number of arguments"):
        np.gradient(ours, 1.0, 2.0, 3.0)
    with pytest.raises(ValueError):
        np.gradient(hd.ones(1))


def test_bins_and_choices():
    x = np.array([[-1.0, 0, 0.5], [1, 2, np.inf]])
    for bins in ([0.0, 1, 2], [2.0, 1, 0], [0.0, 1, 1, 2], [1.0], [1.0, 1.0]):
        for right in (False, True):
            both(lambda a: np.digitize(a, bins, right), x)
            both(lambda a, b: np.digitize(a, b, right=right), x.astype(np.float32), np.array(bins))
    both(lambda a: np.digitize(a, [1, 3]), np.arange(5))
    for wrong in ([1.0, 3, 2], [[1.0, 2]]):
        with pytest.raises(ValueError):
            np.digitize(hd.asarray(x), wrong)
    both(lambda a: np.choose(a, [[1, 2, 3], 10, np.array([7.5])]), np.array([0, 1, 2]))
    both(lambda a, b: np.choose(a, b), np.array([1, 0, 1]), np.array([[1, 2, 3], [4, 5, 6]]))
    out = hd.zeros(2, dtype=hd.int64)
    assert np.choose(hd.asarray([1, 0]), [[1, 2], [3, 4]], out=out) is out and out.tolist() == [3, 2]
    both(lambda a: np.unravel_index(a, (7, 6)), np.array([22, 41, 37]))
    both(lambda a: np.unravel_index(a, 50), np.array([[22, 41]]))
    both(np.sinc, np.array([0, 1, 2]))


@pytest.mark.parametrize("kth", [0, 2, -1, (1, 3)])
@pytest.mark.parametrize("axis", [-1, 0, None])
def test_partitions(kth, axis):
    """What is at KTH is what sorting puts there, with none larger before it and none smaller after."""
    theirs = np.array([[5, 1, 4, 2], [3, 9, 7, 8], [0, 6, 11, 10], [15, 12, 13, 14]])
    ours = hd.asarray(theirs)
    got = np.asarray(np.partition(ours, kth, axis))
    at = np.asarray(np.argpartition(ours, kth, axis))
    flat, along = (theirs.ravel(), 0) if axis is None else (theirs, axis)
    assert np.array_equal(np.take_along_axis(flat, at, along), got)
    got, want = np.moveaxis(got, along, 0), np.moveaxis(np.sort(flat, along), along, 0)
    assert np.array_equal(np.sort(got, 0), want)
    for k in np.atleast_1d(kth) % len(want):
        assert np.array_equal(got[k], want[k]) and np.all(got[:k] <= got[k]) and np.all(got[k:] >= got[k])
