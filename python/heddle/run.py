# SPDX-License-Identifier: BSD-3-Clause
"""Run a script that was written for NumPy on a backend of Heddle, unchanged.

    python -m heddle.run [--backend SPEC] [--fallback] SCRIPT [ARGUMENT]...

What SCRIPT, and modules in its folder, import as numpy, numpy.linalg, numpy.fft and numpy.random is Heddle by NumPy's names
and words; libraries that they import keep NumPy. Numbers are of 64 bits, as NumPy's are, unless SPEC says otherwise
(";real=float32"), but an integer array beside one of float32 gives float32, as everywhere in Heddle. Names that Heddle lacks
are AttributeError, and parameters TypeError, or with --fallback NumPy's own do it on host memory, which a line on stderr counts
at the end. Random numbers are Heddle's: other ones than NumPy's for the same seed.
"""

import argparse
import builtins
import functools
import importlib
import inspect
import math
import os
import runpy
import sys
import types

import heddle
from heddle import _array_api, _core, _numpy, _numpy_random, fft, linalg


class Names(types.ModuleType):
    """A module of NumPy's name: attributes are looked up in tables of Heddle's, then in a namespace of Heddle's."""

    def __init__(self, name, table, namespace, run):
        super().__init__(name, f"{name}, as Heddle has it")
        self.__path__ = []
        self._table, self._namespace, self._run = table, namespace, run

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._table:
            return self._table[name]
        ours = getattr(self._namespace, name, None)
        if ours is None or isinstance(ours, types.ModuleType) or self._run.means_another(self.__name__, name, ours):
            return self._run.missing(self.__name__, name)
        return ours

    def __dir__(self):
        return sorted(set(self._table) | set(dir(self._namespace) if self._namespace else ()))


class Ufunc:
    """A universal function of NumPy's by Heddle's operation, with NumPy's words and methods."""

    def __init__(self, own):
        functools.update_wrapper(self, own, ("__name__", "__doc__"))
        self.own, self.operation = own, _numpy.operation_of(own)

    def __call__(self, *inputs, **words):
        if words or len(inputs) != self.own.nin:
            given = {"out": inputs[-1]} if len(inputs) > self.own.nin else {}
            return self.served("__call__", inputs[:self.own.nin], {**given, **words})
        return self.operation(*inputs) if _numpy.allowed() is None else self.served("__call__", inputs, {})

    def served(self, method, inputs, words):
        out = words.pop("out", None)
        return _numpy.serve_or_lend(self.own, method, inputs, out, words, lambda: False)

    def __getattr__(self, name):
        if name in _numpy.METHODS and name != "__call__":
            return lambda *inputs, **words: self.served(name, inputs, words)
        return getattr(self.own, name)

    def __repr__(self):
        return repr(self.own)


class LegacyRandom(Names):
    """numpy.random: default_rng, and functions of one state for the process."""

    def __init__(self, run):
        own = None if run.fallback is None else run.random
        make = functools.partial(_numpy_random.RandomState, own=own)
        names = {"default_rng": make, "RandomState": make, "Generator": _numpy_random.RandomState}
        super().__init__("numpy.random", names, None, run)
        self._make = make
        self._state = make()

    def __getattr__(self, name):
        if name == "seed":
            return self._seed
        if not name.startswith("_") and hasattr(_numpy_random.RandomState, name) and name != "integers":
            return getattr(self._state, name)
        return super().__getattr__(name)

    def _seed(self, seed=None):
        self._state = self._make(seed)
        if self._run.fallback:
            self._run.real_import("numpy.random", fromlist=["seed"]).seed(None if seed is None else seed % 2 ** 32)


def taken_over(module):
    """The functions of Heddle's table for MODULE of NumPy's, each with NumPy's words."""
    def served(name, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            return _numpy.serve(module, name, lambda: getattr(importlib.import_module(module), name), args, kwargs)
        return call
    return {name: served(name, function) for name, function in _numpy.MODULES[module].items()}


class Indexed:
    """What of NumPy's is called by brackets: mgrid, r_."""

    def __init__(self, call):
        self.call = call

    def __getitem__(self, key):
        return self.call((key,), {})


def universal_functions():
    import numpy
    ufuncs = {name: f for name, f in vars(numpy).items() if isinstance(f, numpy.ufunc)}
    return {name: Ufunc(f) for name, f in ufuncs.items() if _numpy.operation_of(f)}


# Of NumPy these compute nothing: words, kinds of numbers, settings.
WORDS = """typing exceptions generic number integer signedinteger unsignedinteger inexact floating complexfloating issubdtype
 errstate seterr geterr printoptions set_printoptions get_printoptions s_ index_exp iterable ndindex ScalarType typecodes euler_gamma
 little_endian""".split()


class Run:
    """A run of a script: which modules see Heddle as NumPy."""

    def __init__(self, folder, fallback):
        self.folder, self.fallback = folder, _numpy.numpy_fallback() if fallback else None
        self.real_import = builtins.__import__
        table = dict(universal_functions(), **taken_over("numpy"), ndarray=heddle.Array, newaxis=None, True_=True, False_=False,
                     pi=math.pi, e=math.e, inf=math.inf, nan=math.nan, bool_=heddle.bool, int_=heddle.int64, intp=heddle.int64,
                     uint=heddle.uint64, half=heddle.float16, single=heddle.float32, double=heddle.float64)
        modules = {"linalg": Names("numpy.linalg", taken_over("numpy.linalg"), linalg, self),
                   "fft": Names("numpy.fft", taken_over("numpy.fft"), fft, self), "random": LegacyRandom(self)}
        table["isscalar"] = lambda element: isinstance(element, heddle.Array) and element.ndim == 0 or self.real_import(
            "numpy", fromlist=["isscalar"]).isscalar(element)   # results of no axes are scalars to the script
        self.modules = {"numpy": Names("numpy", {**table, **modules}, heddle, self)}
        self.modules.update({f"numpy.{name}": module for name, module in modules.items()})

    def means_another(self, module, name, ours):
        """Is OURS an operation of the library's table, for whose name NumPy has a function with words of its own?"""
        if not hasattr(ours, "__self__") or name in _array_api.__all__:
            return False
        theirs = getattr(self.real_import(module, fromlist=[name]), name, None)
        return hasattr(theirs, "_implementation")

    def missing(self, module, name):
        if module == "numpy" and name in WORDS:
            return getattr(self.real_import(module, fromlist=[name]), name)
        if self.fallback is None:
            raise AttributeError(f"Heddle has no {module}.{name}; with --fallback NumPy's own serves")
        real = self.real_import(module, fromlist=[name])
        value = getattr(real, name)
        if isinstance(value, types.ModuleType):
            return Names(value.__name__, {}, None, self)
        if hasattr(type(value), "__getitem__") and type(value).__module__.startswith("numpy"):   # mgrid, r_
            return Indexed(functools.partial(self.fallback.call, f"{module}.{name}", value.__getitem__))
        if not inspect.isroutine(value) and not hasattr(value, "_implementation"):
            return value
        return functools.wraps(value)(lambda *args, **kwargs: self.fallback.call(f"{module}.{name}", value, args, kwargs))

    def random(self, seed):
        """What finds functions of a generator of NumPy's, which has SEED."""
        own = self.real_import("numpy.random", fromlist=["default_rng"]).default_rng(seed)
        return lambda name: lambda *args, **kwargs: self.fallback.call(f"numpy.random.{name}", getattr(own, name), args, kwargs)

    def is_ours(self, caller):
        path = (caller or {}).get("__file__") or ""
        return (caller or {}).get("__name__") == "__main__" or os.path.dirname(os.path.realpath(path)) == self.folder

    def import_(self, name, globals=None, locals=None, fromlist=(), level=0):
        if level or name.partition(".")[0] != "numpy" or name.startswith("numpy._") or not self.is_ours(globals):
            return self.real_import(name, globals, locals, fromlist, level)
        if name not in self.modules:
            real = self.missing(*name.rpartition(".")[::2])
            return real if fromlist else self.modules["numpy"]
        return self.modules[name] if fromlist else self.modules["numpy"]


def texts_as_numpys(own):
    """Arrays print as the script expects."""
    import numpy

    def shown(text, ours):
        return lambda x: ours(x) if x.dtype.name == "bfloat16" else text(numpy.asarray(x.to("host"))[() if x.ndim == 0 else ...])
    shown(str, None)(heddle.zeros(1)), shown(repr, None)(heddle.zeros(1))   # NumPy imports what it needs for them now
    Array = heddle.Array
    Array.__str__, Array.__repr__ = shown(str, Array.__str__), shown(repr, Array.__repr__)
    if own:   # which has an order of complex numbers
        for name, function in (("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal")):
            setattr(Array, f"__{name}__", lambda a, b, f=getattr(numpy, function), ours=getattr(Array, f"__{name}__"): (
                f(a, b) if a.dtype.kind == "c" or isinstance(b, complex) or getattr(b, "dtype", a.dtype).kind == "c" else ours(a, b)))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m heddle.run", description=__doc__.split("\n\n")[0])
    parser.add_argument("--backend", metavar="SPEC", help='the default of the process, such as "cuda:0" or "cpu;threads=2"')
    parser.add_argument("--fallback", action="store_true", help="what Heddle lacks is NumPy's own, and listed at the end")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    chosen = parser.parse_args(arguments)
    spec = chosen.backend or os.environ.get("HEDDLE_BACKEND", "")
    heddle.set_default_backend(spec if "real" in spec else f"{spec};real=float64")
    folder = os.path.dirname(os.path.realpath(chosen.script))
    run = Run(folder, chosen.fallback)
    texts_as_numpys(chosen.fallback)
    sys.argv = [chosen.script, *chosen.arguments]
    sys.path[0:1] = [folder]
    builtins.__import__, _numpy.numpy_fallback.everywhere = run.import_, run.fallback
    try:
        runpy.run_path(chosen.script, run_name="__main__")
    finally:
        builtins.__import__ = run.real_import
        if run.fallback and run.fallback.calls:
            print("heddle.run: NumPy's own:", ", ".join(f"{n} ({k})" for n, k in sorted(run.fallback.calls.items())), file=sys.stderr)


if __name__ == "__main__":
    main()
