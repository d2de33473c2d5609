# SPDX-License-Identifier: BSD-3-Clause
"""Contexts beyond the `with' statement: decorators, functions for other threads, and what there is."""

import contextvars
import functools
import inspect

from . import _core


class Bound:
    """A function with the context that it is called in: what bind gives. Pickled, it takes the specs of its blocks along."""

    def __init__(self, function, context, specs):
        self.function, self.context, self.specs = function, context, specs
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        return self.context.copy().run(self.function, *args, **kwargs)

    def __reduce__(self):
        return rebound, (self.function, self.specs)


def rebound(function, specs):
    """The Bound that was pickled, within what is in force where it is read."""
    context = contextvars.copy_context()
    for spec in specs:
        context.run(_core.backend(spec).__enter__)
    return Bound(function, context, specs)


def bind(function: "Callable[P, R]") -> "Callable[P, R]":
    """FUNCTION, to be called anywhere, as it would run here: with a copy of the caller's context variables.

    pool.submit(heddle.bind(f), x) runs f in the backend that is in force now, where pool.submit(f, x) begins with the
    process's default. For another process it can be pickled, as FUNCTION can: the backend goes along, by its spec.
    """
    if not callable(function):
        raise TypeError(f"bind: a callable is needed, not {type(function)}")
    return Bound(function, contextvars.copy_context(), _core.open_specs()[::-1])


def decorate(spec, function):
    """FUNCTION whose code runs in the context SPEC: heddle.backend(spec) as a decorator.

    Generators and coroutines take each step in a context of their own, so that nothing of it is in force while they are
    suspended.
    """
    if inspect.isasyncgenfunction(function):
        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            context, generator = entered(spec), function(*args, **kwargs)
            step = generator.asend(None)
            try:
                while True:
                    try:
                        item = await Stepped(step, context)
                    except StopAsyncIteration:
                        return
                    try:
                        value = yield item
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        step = generator.athrow(error)
                    else:
                        step = generator.asend(value)
            finally:
                await Stepped(generator.aclose(), context)
    elif inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            return await Stepped(function(*args, **kwargs), entered(spec))
    elif inspect.isgeneratorfunction(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return (yield from steps(function(*args, **kwargs), entered(spec)))
    else:
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with _core.backend(spec):
                return function(*args, **kwargs)
    return wrapper


def entered(spec):
    """A copy of the caller's context variables in which SPEC is in force."""
    context = contextvars.copy_context()
    context.run(_core.backend(spec).__enter__)
    return context


def steps(generator, context):
    """GENERATOR, each of whose steps runs in CONTEXT."""
    send, value = generator.send, None
    try:
        while True:
            try:
                item = context.run(send, value)
            except StopIteration as stop:
                return stop.value
            try:
                send, value = generator.send, (yield item)
            except GeneratorExit:
                raise
            except BaseException as error:
                send, value = generator.throw, error
    finally:
        context.run(generator.close)


class Stepped:
    """An awaitable whose steps run in a context of their own."""

    def __init__(self, awaitable, context):
        self.iterator, self.context = awaitable.__await__(), context

    def __await__(self):
        return steps(Iterated(self.iterator), self.context)


class Iterated:
    """The iterator of an awaitable with a generator's methods, whichever of them it has."""

    def __init__(self, iterator):
        self.iterator = iterator

    def send(self, value):
        return self.iterator.send(value) if hasattr(self.iterator, "send") else next(self.iterator)

    def throw(self, error):
        if hasattr(self.iterator, "throw"):
            return self.iterator.throw(error)
        raise error

    def close(self):
        if hasattr(self.iterator, "close"):
            self.iterator.close()


def explain(name: "str | None" = None) -> str:
    """Why a backend is usable or not, as text; without NAME why the one in force is."""
    if name is None:
        return f"{_core.get_backend()}: {_core.backend_reason()}"
    tried = _core.attempts(name)
    state = _core.backend_info(name)
    lines = [f"{name}: {state['state']}: {state['reason']}"]
    return "\n".join(lines + [f"  {a['stage']} {a['status']}: {a['candidate']} {a['reason']}".rstrip() for a in tried])


def info() -> "dict[str, Any]":
    """What there is: version, licence, backends, devices, settings, the backend in force and why."""
    return {"version": _core.version(), "licence": licence(), "backend": _core.get_backend(),
            "reason": _core.backend_reason(), "devices": _core.devices(),
            "backends": {name: _core.backend_info(name) for name in _core.backends()}, "settings": _core.settings()}


def licence():
    """The licence that the installed package as a whole is under."""
    from importlib import metadata
    try:
        about = metadata.metadata("heddle")
    except metadata.PackageNotFoundError:
        return None
    return about.get("License-Expression") or about.get("License")
