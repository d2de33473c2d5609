# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose calls are kept and made again: see jit."""

import collections
import functools
import inspect
import threading
import warnings

from . import _core, _grad

__all__ = ["jit"]

MOST = 64                             # programs of a process
_programs = collections.OrderedDict() # (function, key): entry; the least recently used first
_lock = threading.Lock()


class _Result:
    """The place of an array in a result."""


ONE, TUPLE, LIST, OTHER = range(4)    # as python/src/jit.c has them


class _Entry:
    def __init__(self, program, count, tree):
        self.program, self.count, self.tree = program, count, tree
        self.checked = False
        self.lock = threading.RLock() # f may call itself while it is checked: the program says that it must not

    def form(self):
        plain = type(self.tree) in (tuple, list) and all(isinstance(x, _Result) for x in self.tree)
        return ONE if isinstance(self.tree, _Result) else OTHER if not plain else TUPLE if type(self.tree) is tuple else LIST

    def rebuild(self, arrays):
        rest = iter(arrays)
        leaves = [next(rest) if isinstance(leaf, _Result) else leaf for _, leaf in _grad.flatten(self.tree)]
        return _grad.rebuild(self.tree, iter(leaves))


def _input(leaf):
    """What an argument's leaf is among a program's inputs; None: it is part of the key."""
    if isinstance(leaf, _core.Array) or type(leaf) in (float, complex):
        return leaf
    return _core.asarray(leaf) if hasattr(leaf, "__array_interface__") or hasattr(leaf, "__dlpack__") else None


class _Jit(_core._Jit):
    def __init__(self, f, static, fuse, check, cache):
        self.f, self.static, self.fuse, self.check, self.cache = f, static, fuse, check, cache
        self.made = 0
        self.last = None
        self.signature = inspect.signature(f) if static else None
        functools.update_wrapper(self, f)
        self.__name__ = _grad.name_of(f)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def _statics(self, args, kwargs):
        """Arguments named in static, out of the others: their values, and what is left."""
        bound = self.signature.bind(*args, **kwargs)
        fixed = {k: bound.arguments[k] for k in self.static if k in bound.arguments}
        return fixed, {k: v for k, v in bound.arguments.items() if k not in fixed}, bound

    def _leaves(self, tree, fixed):
        inputs, key = [], [_core.get_backend()]
        for path, leaf in _grad.flatten(tree):
            x = _input(leaf)
            if x is None:
                key.append((path, type(leaf), leaf))
            elif isinstance(x, _core.Array):
                key.append((path, x.shape, x.dtype, x.space))
            else:
                key.append((path, type(x)))
            if x is not None:
                inputs.append(x)
        key += [("a module", type(text), text) for text in _grad.settings(tree)]
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
            given = [leaf if _input(leaf) is None else next(rest) for _, leaf in _grad.flatten(tree)]
            result = call(_grad.rebuild(tree, iter(given)))
            leaves = [leaf for _, leaf in _grad.flatten(result)]
            seen.append(_grad.rebuild(result, iter([_Result() if isinstance(x, _core.Array) else x for x in leaves])))
            return [x for x in leaves if isinstance(x, _core.Array)]
        return body

    def _slow(self, args, kwargs):
        """What the object's own call, which is C, has no program for."""
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
                    entry.checked = bool(seen) # not where another capture is open: the program is checked later then
                    return entry.rebuild(made)
        made = _core._program_run(entry.program, inputs, entry.count, None)
        with _lock:
            if not kwargs and not self.static and _programs.get((self, key)) is entry:
                self._keep(entry, entry.program, entry.count, entry.form(), args)
        return entry.rebuild(made)

    def _make(self, key, inputs, body, seen):
        self.made += 1
        if self.made == 4:
            other = [new[0] for new, old in zip(key[1:], self.last[1:]) if new != old]
            warnings.warn(f"jit: {self.__name__} is captured for the fourth time: {other[0] if other else 'the context'} differs from "
                          "the last time", stacklevel=3)
        self.last = key
        program, made = _core._program_create(body, inputs, self.__name__, self.check, self.fuse)
        entry = _Entry(program, len(made), seen[-1])
        entry.checked = not self.check
        with _lock:
            _programs[self, key] = entry
            own = [k for k in _programs if k[0] is self]
            for k in own[:max(0, len(own) - self.cache)]:
                self._forget(_programs.pop(k))
            while len(_programs) > MOST:
                (f, _), old = _programs.popitem(last=False)
                f._forget(old)
        return entry.rebuild(made)

    def programs(self):
        """What is kept: for each a dict with its key and numbers (see hed_program_query), the least recently used first."""
        with _lock:
            kept = [(key, entry) for (f, key), entry in _programs.items() if f is self]
        return [{"key": key, "checked": entry.checked, **_core._program_query(entry.program)} for key, entry in kept]

    def clear(self):
        """Let go of all programs."""
        with _lock:
            for k in [k for k in _programs if k[0] is self]:
                _programs.pop(k)
            self._forget(None)


def jit(f=None, *, static=(), fuse=False, check=True, cache=8):
    """F, whose calls are kept at the first call, and made again without F at later ones with arguments alike.

    Arguments and results are trees (dict, list, tuple, named tuple, dataclass, None). Arrays, floats and complex numbers are
    inputs, so that a learning rate does not capture anew; int, bool, str and other hashable values are part of the key, and so are
    arguments that are named in static and what a module has besides its parameters: attributes by value, buffers and objects by
    which they are. Other arrays that f reads are seen as they are at each call; numbers, and whatever else f
    does, stay as they were at the first call. With check the second call calls f once more and raises ProgramError when something
    has changed that was not an argument. Elementwise steps on 4096 elements and more go over memory together, to the same bits;
    with fuse f runs as in a fusion scope, reductions too, whose last bits may differ then. cache is how many programs are kept of
    f; a process keeps 64. The fourth capture warns.

    f.programs() lists what is kept, f.clear() lets go of it, f.__wrapped__ is f.
    """
    if f is None:
        return functools.partial(jit, static=static, fuse=fuse, check=check, cache=cache)
    if not callable(f):
        raise TypeError(f"jit: a function is needed, not {type(f)}")
    if inspect.iscoroutinefunction(f) or inspect.isgeneratorfunction(f) or inspect.isasyncgenfunction(f):
        raise TypeError(f"jit: {_grad.name_of(f)} is a coroutine or a generator; a function that runs to its end is needed")
    return _Jit(f, (static,) if isinstance(static, str) else tuple(static), fuse, check, cache)
