# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose calls are kept and made again: see jit."""

import collections
import functools
import inspect
import threading
import warnings

from . import _core
from ._grad import flatten, rebuild

__all__ = ["jit"]

MOST = 64                             # programs of a process
_programs = collections.OrderedDict() # (function, key): entry; the least recently used first
_lock = threading.Lock()


class _Entry:
    def __init__(self, program, count, tree):
        self.program, self.count, self.tree = program, count, tree
        self.checked = False
        self.live = True              # not let go of
        self.single = isinstance(tree, _Result)
        self.lock = threading.Lock()


class _Result:
    """The place of an array in a result."""


def _input(leaf):
    """What an argument's leaf is among a program's inputs; None: it is part of the key."""
    if isinstance(leaf, _core.Array) or type(leaf) in (float, complex):
        return leaf
    return _core.asarray(leaf) if hasattr(leaf, "__array_interface__") or hasattr(leaf, "__dlpack__") else None


class _Jit:
    def __init__(self, f, static, check, cache):
        self.f, self.static, self.check, self.cache = f, static, check, cache
        self.made = 0
        self.quick = {}               # by arguments that are arrays and floats: checked programs
        self.last = None
        self.signature = inspect.signature(f) if static else None
        functools.update_wrapper(self, f)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def _statics(self, args, kwargs):
        """Arguments named in static, out of the others: their values, and what is left."""
        bound = self.signature.bind(*args, **kwargs)
        fixed = {k: bound.arguments[k] for k in self.static if k in bound.arguments}
        return fixed, {k: v for k, v in bound.arguments.items() if k not in fixed}, bound

    def _leaves(self, tree, fixed):
        inputs, key = [], [_core.get_backend()]
        for path, leaf in flatten(tree):
            x = _input(leaf)
            if x is None:
                key.append((path, type(leaf), leaf))
            elif isinstance(x, _core.Array):
                key.append((path, x.shape, x.dtype, x.space))
            else:
                key.append((path, type(x)))
            if x is not None:
                inputs.append(x)
        key += [(name, type(value), value) for name, value in fixed.items()]
        try:
            hash(tuple(key))
        except TypeError:
            for entry in key[1:]:
                try:
                    hash(entry)
                except TypeError:
                    raise TypeError(f"jit: argument {entry[0]} of {self.__name__} is {entry[1].__name__}, which is neither an array, "
                                    "a float nor hashable") from None
        return inputs, tuple(key)

    def _body(self, tree, call, seen):
        """F over lists of arrays; SEEN gets the tree of its result."""
        def body(arrays):
            rest = iter(arrays)
            result = call(rebuild(tree, iter([leaf if _input(leaf) is None else next(rest) for _, leaf in flatten(tree)])))
            leaves = [leaf for _, leaf in flatten(result)]
            seen.append(rebuild(result, iter([_Result() if isinstance(x, _core.Array) else x for x in leaves])))
            return [x for x in leaves if isinstance(x, _core.Array)]
        return body

    def _quick(self, args):
        """The key of arguments that are arrays and floats; None for others."""
        key = [_core.get_backend()]
        for x in args:
            if type(x) is _core.Array:
                key += x.shape, x.dtype, x.space
            elif type(x) is float:
                key.append(float)
            else:
                return None
        return tuple(key)

    def __call__(self, *args, **kwargs):
        quick = None if kwargs or self.static else self._quick(args)
        entry = self.quick.get(quick)
        if entry and entry.live:
            made = _core._program_run(entry.program, args, entry.count, None)
            return made[0] if entry.single else self._result(entry.tree, made)
        if self.static:
            fixed, tree, bound = self._statics(args, kwargs)

            def call(given):
                bound.arguments.update(given)
                return self.f(*bound.args, **bound.kwargs)
        else:
            fixed, tree = {}, (args, kwargs)

            def call(given):
                return self.f(*given[0], **given[1])
        inputs, key = self._leaves(tree, fixed)
        with _lock:
            entry = _programs.get((self, key))
            if entry:
                _programs.move_to_end((self, key))
        seen = []
        if entry is None:
            return self._make(key, inputs, self._body(tree, call, seen), seen)
        if not entry.checked:
            with entry.lock:
                if not entry.checked:
                    made = _core._program_run(entry.program, inputs, entry.count, self._body(tree, call, seen))
                    entry.checked = True
                    return self._result(entry.tree, made)
        if quick:
            if len(self.quick) > self.cache:
                self.quick.clear()
            self.quick[quick] = entry
        return self._result(entry.tree, _core._program_run(entry.program, inputs, entry.count, None))

    def _make(self, key, inputs, body, seen):
        self.made += 1
        if self.made == 4:
            other = [new[0] for new, old in zip(key[1:], self.last[1:]) if new != old]
            warnings.warn(f"jit: {self.__name__} is captured for the fourth time: {other[0] if other else 'the context'} differs from "
                          "the last time", stacklevel=3)
        self.last = key
        program, made = _core._program_create(body, inputs, self.__name__, self.check)
        entry = _Entry(program, len(made), seen[-1])
        entry.checked = not self.check
        with _lock:
            _programs[self, key] = entry
            own = [k for k in _programs if k[0] is self]
            for k in own[:max(0, len(own) - self.cache)]:
                _programs.pop(k).live = False
            while len(_programs) > MOST:
                _programs.popitem(last=False)[1].live = False
        return self._result(entry.tree, made)

    @staticmethod
    def _result(tree, arrays):
        rest = iter(arrays)
        return rebuild(tree, iter([next(rest) if isinstance(leaf, _Result) else leaf for _, leaf in flatten(tree)]))

    def programs(self):
        """What is kept: for each a dict with its key and numbers (see hed_program_query), the least recently used first."""
        with _lock:
            kept = [(key, entry) for (f, key), entry in _programs.items() if f is self]
        return [{"key": key, "checked": entry.checked, **_core._program_query(entry.program)} for key, entry in kept]

    def clear(self):
        """Let go of all programs."""
        with _lock:
            for k in [k for k in _programs if k[0] is self]:
                _programs.pop(k).live = False
            self.quick.clear()


def jit(f=None, *, static=(), check=True, cache=8):
    """F, whose calls are kept at the first call, and made again without F at later ones with arguments alike.

    Arguments and results are trees (dict, list, tuple, named tuple, dataclass, None). Arrays, floats and complex numbers are
    inputs, so that a learning rate does not capture anew; int, bool, str and other hashable values are part of the key, and so are
    arguments that are named in static. Other arrays that f reads are seen as they are at each call; numbers, and whatever else f
    does, stay as they were at the first call. With check the second call calls f once more and raises ProgramError when something
    has changed that was not an argument. cache is how many programs are kept of f; a process keeps 64. The fourth capture warns.

    f.programs() lists what is kept, f.clear() lets go of it, f.__wrapped__ is f.
    """
    if f is None:
        return functools.partial(jit, static=static, check=check, cache=cache)
    if not callable(f):
        raise TypeError(f"jit: a function is needed, not {type(f)}")
    if inspect.iscoroutinefunction(f) or inspect.isgeneratorfunction(f) or inspect.isasyncgenfunction(f):
        raise TypeError(f"jit: {getattr(f, '__name__', f)} is a coroutine or a generator; a function that runs to its end is needed")
    return _Jit(f, (static,) if isinstance(static, str) else tuple(static), check, cache)
