# SPDX-License-Identifier: BSD-3-Clause
"""Run a script that was written for NumPy on a backend of Heddle, unchanged.

    python -m heddle.run [--backend SPEC] [--fallback] SCRIPT [ARGUMENT]...

What SCRIPT, and modules in its folder, import as numpy, numpy.linalg, numpy.fft and numpy.random is Heddle by NumPy's names
and words; libraries that they import keep NumPy. Numbers are of 64 bits, as NumPy's are, unless SPEC says otherwise
(";real=float32"). Names that Heddle lacks are AttributeError, and parameters TypeError, or with --fallback NumPy's own do it on
host memory, which a line on stderr counts at the end. Random numbers are Heddle's: other ones than NumPy's for the same seed.
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
from heddle import _array_api, _core, _numpy, fft, linalg, random


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


class RandomState:
    """numpy.random.default_rng, as far as it is used most, over a Generator of Heddle's."""

    def __init__(self, seed=None):
        seed = int.from_bytes(os.urandom(8), "little") if seed is None else seed
        self.generator = heddle.random.Generator(seed)

    @staticmethod
    def shape(size):
        return () if size is None else size

    def normal(self, loc=0.0, scale=1.0, size=None):
        return random.normal(self.shape(size), dtype=heddle.float64, mean=loc, std=scale, generator=self.generator)

    def uniform(self, low=0.0, high=1.0, size=None):
        return random.uniform(self.shape(size), dtype=heddle.float64, low=low, high=high, generator=self.generator)

    def random(self, size=None):
        return self.uniform(size=size)

    def standard_normal(self, size=None):
        return self.normal(size=size)

    def integers(self, low, high=None, size=None, endpoint=False):
        low, high = (0, low) if high is None else (low, high)
        return random.integers(low, high + bool(endpoint), self.shape(size), generator=self.generator)

    def permutation(self, x):
        x = heddle.arange(x) if isinstance(x, int) else heddle.asarray(x)
        return random.shuffle(x, generator=self.generator)

    def rand(self, *shape):
        return self.uniform(size=shape)

    def randn(self, *shape):
        return self.normal(size=shape)

    def randint(self, low, high=None, size=None):
        return self.integers(low, high, size)

    random_sample = random


class LegacyRandom(Names):
    """numpy.random: default_rng, and functions of one state for the process."""

    def __init__(self, run):
        super().__init__("numpy.random", {"default_rng": RandomState, "Generator": RandomState}, None, run)
        self._state = RandomState(0)

    def __getattr__(self, name):
        if not name.startswith("_") and hasattr(RandomState, name) and name not in ("shape", "integers"):
            return getattr(self._state, name)
        if name == "seed":
            return self._seed
        return super().__getattr__(name)

    def _seed(self, seed=None):
        self._state = RandomState(seed)


def taken_over(module):
    """The functions of Heddle's table for MODULE of NumPy's, each with NumPy's words."""
    def served(name, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            return _numpy.serve(module, name, lambda: getattr(importlib.import_module(module), name), args, kwargs)
        return call
    return {name: served(name, function) for name, function in _numpy.MODULES[module].items()}


class Run:
    """A run of a script: which modules see Heddle as NumPy."""

    def __init__(self, folder, fallback):
        self.folder, self.fallback = folder, _numpy.numpy_fallback() if fallback else None
        self.real_import = builtins.__import__
        table = dict(taken_over("numpy"), ndarray=heddle.Array, newaxis=None, pi=math.pi, e=math.e, inf=math.inf, nan=math.nan,
                     float_=heddle.float64, int_=heddle.int64, bool_=heddle.bool, double=heddle.float64, single=heddle.float32,
                     intp=heddle.int64, absolute=_core.abs, power=_core.power)
        table.update({name: getattr(_core, other) for name, other in
                      {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
                       "arccosh": "acosh", "arctanh": "atanh", "true_divide": "divide", "invert": "bitwise_not"}.items()})
        modules = {"linalg": Names("numpy.linalg", taken_over("numpy.linalg"), linalg, self),
                   "fft": Names("numpy.fft", taken_over("numpy.fft"), fft, self), "random": LegacyRandom(self)}
        self.modules = {"numpy": Names("numpy", {**table, **modules}, heddle, self)}
        self.modules.update({f"numpy.{name}": module for name, module in modules.items()})

    def means_another(self, module, name, ours):
        """Is OURS an operation of the library's table, for whose name NumPy has a function with words of its own?"""
        if not hasattr(ours, "__self__") or name in _array_api.__all__:
            return False
        theirs = getattr(self.real_import(module, fromlist=[name]), name, None)
        return hasattr(theirs, "_implementation")

    def missing(self, module, name):
        if (module, name) == ("numpy", "typing"):   # words for annotations compute nothing
            return importlib.import_module("numpy.typing")
        if self.fallback is None:
            raise AttributeError(f"Heddle has no {module}.{name}; with --fallback NumPy's own serves")
        real = self.real_import(module, fromlist=[name])
        value = getattr(real, name)
        if not inspect.isroutine(value) and not hasattr(value, "_implementation"):
            return value
        return functools.wraps(value)(lambda *args, **kwargs: self.fallback.call(f"{module}.{name}", value, args, kwargs))

    def is_ours(self, caller):
        path = (caller or {}).get("__file__") or ""
        return (caller or {}).get("__name__") == "__main__" or os.path.dirname(os.path.realpath(path)) == self.folder

    def import_(self, name, globals=None, locals=None, fromlist=(), level=0):
        if level or name.partition(".")[0] != "numpy" or not self.is_ours(globals):
            return self.real_import(name, globals, locals, fromlist, level)
        if name not in self.modules:
            real = self.missing(*name.rpartition(".")[::2])
            return real if fromlist else self.modules["numpy"]
        return self.modules[name] if fromlist else self.modules["numpy"]


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
