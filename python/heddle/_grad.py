# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of functions of arrays and of trees of them.

A tree is a dict, list, tuple, named tuple or dataclass of trees, a module of heddle.nn, None, or a leaf: an Array, what converts to
one (NumPy's arrays) or a float. Functions run to their end on the caller's thread; what they give to other threads is not recorded and
counts as constant.

Complex numbers: the gradient of a real number by z is its derivative by the real part plus i times that by the imaginary part.
JAX has the conjugate.
"""

import dataclasses
import functools
import inspect

from . import _core

__all__ = ["checkpoint", "custom_vjp", "grad", "hessian_vector", "jacobian", "jvp", "stop_gradient", "unrecorded",
           "value_and_grad", "vjp"]


# ---- trees ----

def children(tree):
    """Names of a tree's parts, as they are written behind it, the parts, and what makes a tree of others; None for a leaf."""
    if hasattr(type(tree), "__tree__"):
        return tree.__tree__()
    if isinstance(tree, dict):
        return [f"[{k!r}]" for k in tree], list(tree.values()), lambda parts: type(tree)(zip(tree, parts))
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return [f".{k}" for k in tree._fields], list(tree), lambda parts: type(tree)(*parts)
    if isinstance(tree, (list, tuple)):
        return [f"[{k}]" for k in range(len(tree))], list(tree), type(tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [f.name for f in dataclasses.fields(tree) if f.init]
        return ([f".{k}" for k in names], [getattr(tree, k) for k in names],
                lambda parts: dataclasses.replace(tree, **dict(zip(names, parts))))
    return None


def flatten(tree, path=""):
    """The leaves with their paths."""
    if tree is None:
        return []
    parts = children(tree)
    if parts is None:
        return [(path, tree)]
    return [leaf for name, part in zip(*parts[:2]) for leaf in flatten(part, path + name)]


class Itself:
    """In a key: the object that VALUE is, whatever it holds."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Itself) and self.value is other.value

    def __hash__(self):
        return id(self.value)


def frozen(value):
    """What a key has of a module's attribute: values as they are, modules and what holds others by their parts, the rest by which
    object it is."""
    if hasattr(type(value), "__tree__"):
        return type(value), frozen({k: v for k, v in vars(value).items() if k != "_own"})
    if type(value) in (list, tuple):
        return type(value), tuple(frozen(part) for part in value)
    if type(value) is dict:
        return dict, tuple((k, frozen(part)) for k, part in value.items())
    simple = type(value) in (bool, int, float, complex, str, bytes, type(None))
    return (type(value), repr(value)) if simple else Itself(value) # 0.0 is not -0.0


def settings(tree):
    """What modules in the tree are, besides their parameters."""
    if hasattr(type(tree), "__tree__"):
        return [frozen(tree)]
    parts = None if tree is None else children(tree)
    return [] if parts is None else [text for part in parts[1] for text in settings(part)]


def rebuild(tree, leaves):
    """The tree with other leaves, of an iterator."""
    if tree is None:
        return None
    parts = children(tree)
    return next(leaves) if parts is None else parts[2]([rebuild(part, leaves) for part in parts[1]])


def same_shape(name, tree, other):
    """The leaves of OTHER, which has to be a tree like TREE."""
    one, two = flatten(tree), flatten(other)
    if [p for p, _ in one] != [p for p, _ in two]:
        raise TypeError(f"{name}: a tree with leaves at {[p or 'its root' for p, _ in one]} is needed, not at "
                        f"{[p or 'its root' for p, _ in two]}")
    return [leaf for _, leaf in two]


# ---- functions ----

def name_of(f):
    """What messages call the function F, which may be any object that is called."""
    return getattr(f, "__name__", type(f).__name__)


def checked(name, f):
    if not callable(f):
        raise TypeError(f"{name}: a function is needed, not {type(f)}")
    if inspect.iscoroutinefunction(f) or inspect.isgeneratorfunction(f) or inspect.isasyncgenfunction(f):
        raise TypeError(f"{name}: {name_of(f)} is a coroutine or a generator; only a function that runs to its end "
                        "has a derivative")
    return f


def variables(name, tree, path):
    """The leaves as arrays that are followed: variables, or what an outer derivative follows already."""
    made = []
    for at, leaf in flatten(tree, path):
        if isinstance(leaf, (bool, int)):
            raise TypeError(f"{name}: {at} is {leaf!r}, {type(leaf).__name__}; derivatives are by floats and arrays of them")
        x = leaf if isinstance(leaf, _core.Array) else _core.asarray(leaf)
        if x.dtype.kind not in "fc":
            raise TypeError(f"{name}: {at} is an array of {x.dtype}; derivatives are by float and complex ones")
        made.append(x if _core._is_recorded(x) else _core._variable(x))
    return made


def arrays_of(name, tree, what):
    made = []
    for at, leaf in flatten(tree):
        if not isinstance(leaf, _core.Array):
            raise TypeError(f"{name}: {what}{at} is {type(leaf).__name__}, no Array")
        made.append(leaf)
    return made


class Recording:
    """A block that is recorded, within an outer one if there is one."""

    def __init__(self, pause=False):
        self.pause = pause

    def __enter__(self):
        self.scope = _core._record_begin(self.pause)
        self.nested = self.scope[0] > 1 and self.scope[1]
        return self

    def __exit__(self, *error):
        _core._record_end(self.scope)


def unrecorded() -> Recording:
    """`with unrecorded():' what is called here is a constant of derivatives."""
    return Recording(pause=True)


def stop_gradient(tree) -> "Any":
    """The tree with its arrays as constants of derivatives."""
    leaves = (_core._stop_gradient(x) if isinstance(x, _core.Array) else x for _, x in flatten(tree))
    return rebuild(tree, leaves)


def number_of(name, f, value):
    if not isinstance(value, _core.Array) or value.size != 1 or value.dtype.kind == "c":
        said = f"an array of {value.dtype} and shape {value.shape}" if isinstance(value, _core.Array) else f"{type(value).__name__}"
        raise TypeError(f"{name}: the result of {name_of(f)} is {said}, not one real number; vjp and jacobian take "
                        "others")


def value_and_grad(f: "Callable[..., Any]", argnums: "int | Sequence[int]" = 0, *, has_aux=False) -> "Callable[..., Any]":
    """A function with f's arguments that gives f's value, one real number, and its gradients by the arguments ARGNUMS.

    ARGNUMS is a position or a tuple of them: the gradients are a tree like that argument, or a tuple of such. HAS_AUX: f gives
    a pair, of which the first is differentiated; the value is then that pair. Within another derivative it is followed itself.
    """
    checked("value_and_grad", f)
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        args = list(args)
        for k in numbers:
            if not -len(args) <= k < len(args):
                raise TypeError(f"grad: argnums has {k}, {len(args)} arguments were given by position")
        with Recording() as r:
            leaves = [variables("grad", args[k], f"argument {k}") for k in numbers]
            for k, x in zip(numbers, leaves):
                args[k] = rebuild(args[k], iter(x))
            result = f(*args, **kwargs)
            value = result[0] if has_aux else result
            number_of("grad", f, value)
            flat = [x for part in leaves for x in part]
            if _core._is_recorded(value):
                gradients = iter(_core._vjp([value], [_core.ones_like(value)], flat, r.nested, r.nested))
            else:
                gradients = iter([_core.zeros_like(x) for x in flat])
        trees = tuple(rebuild(args[k], gradients) for k in numbers)
        return result, trees[0] if isinstance(argnums, int) else trees
    return wrapper


def grad(f: "Callable[..., Any]", argnums: "int | Sequence[int]" = 0, *, has_aux=False) -> "Callable[..., Any]":
    """A function with f's arguments that gives the gradients of f's value, as value_and_grad does; with HAS_AUX also the second
    part of f's result.

        gradients = hd.grad(loss)(parameters, x, target)
    """
    both = value_and_grad(checked("grad", f), argnums, has_aux=has_aux)

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result, gradients = both(*args, **kwargs)
        return (gradients, result[1]) if has_aux else gradients
    return wrapper


class Pullback:
    """What vjp gives: cotangents of f's result to those of its arguments, as often as wanted and on any thread, one at a time."""

    def __init__(self, tape, result, y, args, x):
        self.tape, self.result, self.y, self.args, self.x = tape, result, y, args, x

    def __call__(self, cotangent):
        leaves = [None if c is None else _core.asarray(c) for c in same_shape("vjp", self.result, cotangent)]
        if not any(_core._is_recorded(y) for y in self.y) and self.tape is None:
            gradients = [_core.zeros_like(x) for x in self.x]
        elif self.tape is None:
            gradients = _core._vjp(self.y, leaves, self.x, True, True)
        else:
            outer = _core._record_take()
            try:
                _core._record_give(self.tape)
                try:
                    gradients = _core._vjp(self.y, leaves, self.x, True, False)
                finally:
                    self.tape = _core._record_take()
            finally:
                if outer is not None:
                    _core._record_give(outer)
        gradients = iter(gradients)
        return tuple(rebuild(a, gradients) for a in self.args)


def vjp(f: "Callable[..., Any]", *args) -> "tuple[Any, Pullback]":
    """f(*args), and a function of a cotangent, a tree like that, which gives a tuple of trees like the arguments: the cotangent
    times the derivative of f (for complex numbers its adjoint)."""
    checked("vjp", f)
    scope = _core._record_begin(False)
    nested, tape = scope[0] > 1 and scope[1], None
    outer = None
    try:
        if not nested:
            _core._record_end(scope)
            outer = _core._record_take()
            scope = _core._record_begin(False)
        parts = [variables("vjp", a, f"argument {k}") for k, a in enumerate(args)]
        result = f(*[rebuild(a, iter(x)) for a, x in zip(args, parts)])
        y = arrays_of("vjp", result, "the result")
        if not nested:
            tape = _core._record_take()
    finally:
        if tape is None:
            _core._record_end(scope)
        if outer is not None:
            _core._record_give(outer)
    return result, Pullback(tape, result, y, args, [x for part in parts for x in part])


def jvp(f: "Callable[..., Any]", args, tangents) -> "tuple[Any, Any]":
    """f(*args), and how it changes when the arguments do by TANGENTS, a tuple of trees like theirs."""
    checked("jvp", f)
    flat = [_core.asarray(t) for t in same_shape("jvp", tuple(args), tuple(tangents))]
    with Recording():
        parts = [variables("jvp", a, f"argument {k}") for k, a in enumerate(args)]
        result = f(*[rebuild(a, iter(x)) for a, x in zip(args, parts)])
        y, x = arrays_of("jvp", result, "the result"), [x for part in parts for x in part]
        if any(_core._is_recorded(z) for z in y):
            changes = _core._jvp(y, x, flat)
        else:
            changes = [_core.zeros_like(z) for z in y]
    return result, rebuild(result, iter(changes))


def hessian_vector(f: "Callable[..., Any]", x, v) -> "Any":
    """The second derivatives of f, whose value is one real number, at the tree x times the tree v."""
    return jvp(grad(checked("hessian_vector", f)), (x,), (v,))[1]


def jacobian(f: "Callable[..., Any]") -> "Callable[..., Any]":
    """A function of an array that gives the derivatives of f's result, an array, by it: shape of the result, then of x. Real."""
    checked("jacobian", f)

    @functools.wraps(f)
    def wrapper(x):
        y, pull = vjp(f, x)
        if not isinstance(y, _core.Array) or isinstance(pull.x, _core.Array) or len(pull.x) != 1:
            raise TypeError("jacobian: a function of one array that gives one is needed")
        x = pull.x[0]
        if y.dtype.kind == "c" or x.dtype.kind == "c":
            raise TypeError(f"jacobian: x is {x.dtype} and the result {y.dtype}; of complex numbers vjp and jvp give what there is")
        count = x.size if x.size < y.size else y.size
        rows = []
        for k in range(count):
            one = _core.zeros((count,), dtype=y.dtype if count == y.size else x.dtype)
            one[k] = 1
            if count == y.size:
                rows.append(_core.reshape(pull(_core.reshape(one, y.shape))[0], (-1,)))
            else:
                rows.append(_core.reshape(jvp(f, (x,), (_core.reshape(one, x.shape),))[1], (-1,)))
        if not rows:
            return _core.zeros(tuple(y.shape) + tuple(x.shape), dtype=y.dtype)
        return _core.reshape(_core.stack(rows, axis=0 if count == y.size else 1), tuple(y.shape) + tuple(x.shape))
    return wrapper


# ---- derivatives by hand ----

class custom_vjp:
    """f with a derivative by hand.

        @hd.custom_vjp
        def f(x, y): ...
        f.defvjp(forward, backward)

    forward(x, y) gives the result and what backward needs; backward(kept, cotangent) gives a tuple with a cotangent for each
    argument, None for 0.
    """

    def __init__(self, f):
        self.f = checked("custom_vjp", f)
        self.forward = self.backward = None
        functools.update_wrapper(self, f)

    def defvjp(self, forward, backward):
        self.forward, self.backward = checked("custom_vjp", forward), checked("custom_vjp", backward)
        return self

    def __call__(self, *args):
        x = [leaf for _, leaf in flatten(args) if isinstance(leaf, _core.Array)]
        if not any(_core._is_recorded(leaf) for leaf in x):
            return self.f(*args)
        if self.backward is None:
            raise TypeError(f"custom_vjp: {name_of(self.f)} has no derivative; defvjp gives it one")
        with unrecorded():
            result, kept = self.forward(*args)
        return self.follow(args, x, result, lambda cotangent: self.backward(kept, cotangent))

    def follow(self, args, x, result, backward):
        y = arrays_of(name_of(self.f), result, "the result")

        def back(cotangents):
            given = iter(cotangents)
            leaves = [_core.zeros_like(like) if c is None else c for c, like in zip(given, y)]
            gradients = backward(rebuild(result, iter(leaves)))
            if not isinstance(gradients, tuple) or len(gradients) != len(args):
                raise TypeError(f"custom_vjp: {name_of(self.f)} has {len(args)} arguments; its derivative gave {gradients!r}")
            out = []
            for a, g in zip(args, gradients):
                kept = [isinstance(leaf, _core.Array) for _, leaf in flatten(a)]
                given = [None] * len(kept) if g is None else same_shape("custom_vjp", a, g)
                out += [leaf for leaf, is_array in zip(given, kept) if is_array]
            return out
        _core._custom_vjp(name_of(self.f), back, x, y)
        return result


def held(f, seen):
    """Leaves, by name, of what the function F has besides its arguments."""
    if id(f) in seen:
        return
    seen.add(id(f))
    code = getattr(f, "__code__", None)
    cells = zip(code.co_freevars, f.__closure__ or ()) if code else ()
    parts = [(name, cell.cell_contents) for name, cell in cells if not is_empty(cell)]
    parts += [("a default", value) for value in (getattr(f, "__defaults__", None) or ())]
    parts += list((getattr(f, "__kwdefaults__", None) or {}).items())
    if isinstance(f, functools.partial):
        parts += [("an argument of partial", value) for value in f.args] + list(f.keywords.items())
    for name in ("func", "__func__", "__wrapped__", "__self__"):
        if hasattr(f, name):
            parts.append((name, getattr(f, name)))
    if hasattr(type(f), "__tree__"):
        yield from flatten(f, "itself")
    for name, value in parts:
        if callable(value) and not isinstance(value, type):
            yield from held(value, seen)
        elif not callable(value):
            yield from flatten(value, name)


def is_empty(cell):
    try:
        return cell.cell_contents is None
    except ValueError: # it is filled later
        return True


def checkpoint(f: "Callable[..., Any]") -> "Callable[..., Any]":
    """f, for which a derivative keeps the arguments alone: f runs again for it. It has to do the same each time: draws of random
    numbers take a seed. A derivative that is followed itself keeps what f does from then on. Arrays that are followed, and modules of
    such, have to be arguments: one that f holds otherwise is a ValueError. Looked at are the closure, defaults, a partial's arguments,
    the object of a method and what is wrapped; in these dicts, lists, tuples, dataclasses and modules, and functions likewise. Not
    seen are globals and attributes of other objects: an array there counts as constant. What holds itself is a RecursionError."""
    checked("checkpoint", f)

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        rule = custom_vjp(f)
        for name, leaf in held(f, set()):
            if isinstance(leaf, _core.Array) and _core._is_recorded(leaf):
                raise ValueError(f"checkpoint: {name_of(f)} holds {name}, which a derivative follows: make it an "
                                 "argument")
        given = (*args, kwargs)
        x = [leaf for _, leaf in flatten(given) if isinstance(leaf, _core.Array)]
        if not any(_core._is_recorded(leaf) for leaf in x):
            return f(*args, **kwargs)
        with unrecorded():
            result = f(*args, **kwargs)

        def follows(leaf):
            return isinstance(leaf, _core.Array) and leaf.dtype.kind in "fc"

        def of(*variables):
            variables = iter(variables)
            *args, kwargs = rebuild(given, (next(variables) if follows(leaf) else leaf for _, leaf in flatten(given)))
            return f(*args, **kwargs)

        def once_more(cotangent):
            """The recording goes on: f from operands of its own, so that what leads from one to another stays outside."""
            inner = [_core.positive(leaf) for _, leaf in flatten(given) if follows(leaf)]
            y = arrays_of(name_of(f), of(*inner), "the result")
            leaves = same_shape("checkpoint", result, cotangent)
            followed = [v for v in inner if _core._is_recorded(v)]
            gradients = iter(_core._vjp(y, leaves, followed, True, True))
            return [next(gradients) if _core._is_recorded(v) else None for v in inner]

        def again(cotangent):
            with Recording() as r:
                gradients = once_more(cotangent) if r.nested else None
            if gradients is None:
                arrays = [_core._stop_gradient(leaf) for _, leaf in flatten(given) if follows(leaf)]
                outer = _core._record_take()
                try:
                    gradients = vjp(of, *arrays)[1](cotangent)
                finally:
                    if outer is not None:
                        _core._record_give(outer)
            gradients = iter(gradients)
            return tuple(rebuild(a, iter([next(gradients) if follows(leaf) else leaf for _, leaf in flatten(a)])) for a in given)
        return rule.follow(given, x, result, again)
    return wrapper
