# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose calls are kept: the values of the calls, what is an input, what has changed."""

import functools
import threading
import warnings

import numpy as np
import pytest

import heddle as hd


def vector(first=0.5, n=8):
    return hd.asarray(np.arange(n) * 0.37 + first)


def same(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b))


def test_values_are_those_of_the_calls():
    def f(x, w):
        return {"y": hd.tanh(x @ w["a"]) + w["b"], "n": 3, "rest": (hd.sum(x), None)}
    g = hd.jit(f)
    for k in range(5):
        x, w = hd.asarray(np.arange(6.0).reshape(2, 3) + k), {"a": hd.asarray(np.ones((3, 2)) / (k + 1)), "b": vector(k, 2)}
        want, got = f(x, w), g(x, w)
        assert same(want["y"], got["y"]) and got["n"] == 3 and same(want["rest"][0], got["rest"][0]) and got["rest"][1] is None
    assert len(g.programs()) == 1 and g.programs()[0]["runs"] == 4 and g.programs()[0]["kernels"] > 0


def test_floats_are_inputs_and_ints_are_not():
    calls = []

    @hd.jit
    def f(x, rate, n):
        calls.append(n)
        return x * rate + n
    x = vector()
    for rate in (0.5, 0.25, 0.125, 2.0):
        assert same(f(x, rate, 2), x * rate + 2)
    assert len(calls) == 2
    assert same(f(x, 0.5, 3), x * 0.5 + 3) and len(f.programs()) == 2
    f.clear()
    assert f.programs() == []


def test_static():
    @hd.jit(static="rate")
    def f(x, rate):
        return x * rate if rate > 1 else x
    x = vector()
    assert same(f(x, 2.0), x * 2) and same(f(x, rate=0.5), x) and len(f.programs()) == 2


def test_what_has_changed_is_found():
    scale = [0.5]
    f = hd.jit(lambda x: x * scale[0])
    f(vector())
    scale[0] = 0.25
    with pytest.raises(hd.ProgramError, match="multiply: b was 0.5, is 0.25: give it as an input"):
        f(vector())
    g = hd.jit(lambda x: x * scale[0], check=False)
    g(vector())
    scale[0] = 0.125
    assert same(g(vector()), vector() * 0.25)


def test_constants_and_writes():
    weights, total = vector(2), vector(0)

    @hd.jit
    def f(x):
        total.__iadd__(x * weights)
        return total + 1
    want = np.asarray(total).copy()
    for k in range(4):
        x = vector(k)
        got = f(x)
        want = want + np.asarray(x) * np.asarray(weights)
        assert np.array_equal(np.asarray(got), want + 1) and np.array_equal(np.asarray(total), want)


def test_decisions_by_values_are_refused():
    f = hd.jit(lambda x: x + 1 if float(hd.sum(x)) > 0 else x)
    with pytest.raises(hd.ProgramError, match="depend on input 0"):
        f(vector())


def test_exceptions_are_the_functions():
    f = hd.jit(lambda x: {}["no"])
    for _ in range(2):
        with pytest.raises(KeyError):
            f(vector())
    with pytest.raises(TypeError, match="neither an array"):
        hd.jit(lambda x, o: x)(vector(), [{1}])
    with pytest.raises(TypeError, match="runs to its end"):
        hd.jit(generator)


def generator(x):
    yield x


def test_the_cache_is_bounded_and_the_fourth_capture_warns():
    f = hd.jit(lambda x: x * 2, cache=2)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for n in range(2, 7):
            f(vector(n=n))
    assert len(f.programs()) == 2 and any("fourth time" in str(w.message) for w in said)


def test_gradient_of_a_program_and_program_of_a_gradient():
    f = hd.jit(lambda x: hd.sum(x * x * x))
    g = hd.jit(hd.grad(lambda x: hd.sum(x * x * x)))
    for k in range(3):
        x = vector(k)
        f(x)
        assert np.allclose(np.asarray(hd.grad(f)(x)), 3 * np.asarray(x) ** 2)
        assert np.allclose(np.asarray(g(x)), 3 * np.asarray(x) ** 2)


def test_threads():
    f = hd.jit(lambda x, r: hd.exp(x * r) - x)
    wrong = []

    def work(first):
        for k in range(50):
            x = vector(first + k)
            if not same(f(x, 0.5), hd.exp(x * 0.5) - x):
                wrong.append(k)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.parametrize("made, parts", [
    (lambda x, r: x * r, lambda y: [y]),
    (lambda x, r: (x * r, hd.sum(x)), list),
    (lambda x, r: [x + r, x - r], list),
    (lambda x, r: {"a": x * r, "n": 7}, lambda y: [y["a"], hd.asarray(y["n"])]),
    (lambda x, r: (x, (x * r,)), lambda y: [y[0], *y[1]]),
])
def test_later_calls_give_what_the_function_does(made, parts):
    f = hd.jit(made)
    for k in range(6):
        x, r = vector(k), 0.5 + k
        want, got = made(x, r), f(x, r)
        assert type(want) is type(got) and all(same(a, b) for a, b in zip(parts(want), parts(got), strict=True))
    assert len(f.programs()) == 1 and f.programs()[0]["runs"] == 5
    assert same(parts(f(x, r=2.0))[0], parts(made(x, 2.0))[0])


def test_which_program_a_call_takes():
    calls = []

    @hd.jit
    def f(x, r):
        calls.append(1)
        return x * r
    kinds = [(vector(), 0.5), (vector(n=3), 0.5), (hd.asarray(np.ones((2, 3), np.float32)), 2.0), (vector(), vector(n=1))]
    for _ in range(4):
        for x, r in kinds:
            assert same(f(x, r), x * r)
    assert len(calls) == 2 * len(kinds) and len(f.programs()) == len(kinds)
    for _ in range(4):   # another context has programs of its own
        with hd.backend("reference"):
            assert same(f(*kinds[0]), kinds[0][0] * 0.5)
    assert len(calls) == 2 * len(kinds) + 2
    f.clear()
    f(*kinds[0])
    assert len(calls) == 2 * len(kinds) + 3
    assert same(f(np.ones(8), 0.5), np.full(8, 0.5)) and f(2.0, r=hd.asarray(3.0)).tolist() == 6.0
    with pytest.raises(TypeError):
        f(vector())


def test_programs_that_are_let_go_are_not_called():
    f = hd.jit(lambda x: x * 2, cache=1, check=False)
    for _ in range(3):
        for n in (2, 3):
            for _ in range(3):
                assert same(f(vector(n=n)), vector(n=n) * 2)
    assert len(f.programs()) == 1


def test_large_arrays_and_fusion():
    def f(x, r):
        y = hd.exp(x * r) - x
        return hd.maximum(y, x) * y
    x = hd.asarray(np.linspace(-1, 1, 10000))
    for fuse in (False, True):
        g = hd.jit(f, fuse=fuse)
        for k in range(4):
            assert same(f(x, 0.5 + k), g(x, 0.5 + k))
        said = g.programs()[0]
        assert (said["passes"], said["kernels"]) == ((0, 0) if fuse else (1, 5))


def test_a_function_that_runs_itself():
    @hd.jit
    def f(x, deep=[False]):
        if deep[0]:
            return f(x)
        deep[0] = True
        return x + 1
    f(vector())
    with pytest.raises(hd.ProgramError, match="run by the function that it is made of"):
        f(vector())


@pytest.mark.parametrize("n", [3, 300_000])
def test_checked_after_a_run_within_another(n):
    """A run that another capture sees is no check: the function is there for the one after it."""
    seen = []

    @hd.jit
    def inner(x):
        seen.append(1)
        return x * 2 + 1

    @hd.jit
    def outer(x):
        return inner(x) - 1
    x = hd.ones(n)
    assert float(inner(x)[0]) == 3 and float(outer(x)[0]) == 2 and len(seen) == 1
    assert not inner.programs()[0]["checked"]
    assert [float(inner(x)[-1]) for _ in range(3)] == [3, 3, 3] and len(seen) == 2
    assert inner.programs()[0]["checked"] and float(outer(x)[0]) == 2
    program, _ = hd._core._program_create(lambda a: [a[0] + 1], [x], "more", True, False)
    with pytest.raises(ValueError, match="is not given"):
        hd._core._program_run(program, [x], 1, None)


class Scaled(hd.nn.Module):
    def __init__(self, s):
        self._s = s

    def forward(self, x):
        return x * (self._s[0] if isinstance(self._s, (list, tuple, dict)) else self._s)


@pytest.mark.parametrize("make", [lambda k: Scaled(k + 0.5), lambda k: Scaled((k + 0.5,)), lambda k: Scaled([[0.5, k + 0.5][k]]),
                                  lambda k: Scaled({0: k + 0.5}), lambda k: Scaled(hd.asarray(k + 0.5)),
                                  lambda k: hd.nn.BatchNorm(4).load_state_dict({**hd.nn.BatchNorm(4).state_dict(),
                                                                               "running_mean": hd.full((4,), k + 0.5)}).eval()])
def test_modules_that_differ_have_programs_of_their_own(make):
    x, modules = hd.ones((3, 4)), [make(0), make(1)]
    f = hd.jit(lambda m, x: m(x))
    for k in (0, 0, 0, 1, 0, 1):
        assert same(f(modules[k], x), modules[k](x)), k
    assert len(f.programs()) == 2


@pytest.mark.parametrize("f", [lambda x: hd.stop_gradient(x) * 2, lambda x: hd.stop_gradient(x + 1) + x,
                               lambda x: hd.stop_gradient(x[:, ::2]) * 2, hd.grad(lambda x: hd.sum(hd.sin(x) * x))])
def test_other_strides_than_those_of_the_capture(f):
    a = np.arange(12.0).reshape(3, 4)
    wide = np.zeros((3, 8))
    wide[:, ::2] = a
    g = hd.jit(f)
    for x in [hd.asarray(a)] * 3 + [hd.asarray(a[::-1].copy())[::-1], hd.asarray(a.T.copy()).T, hd.asarray(wide)[:, ::2]] \
            + [hd.broadcast_to(hd.asarray(a[:1]), a.shape)]:
        assert same(g(x), f(x))
    assert len(g.programs()) == 1


@pytest.mark.parametrize("f", [functools.partial(hd.multiply, 2.0), Scaled(2.0)])
def test_objects_that_are_called(f):
    g = hd.jit(f)
    for k in range(3):
        assert same(g(vector(k)), vector(k) * 2)


@pytest.mark.parametrize("make", [hd.nn.CfC, hd.nn.LTC, hd.nn.CTGRU])
def test_gradient_by_a_module(make):
    """Cells compute within fusion scopes: views of what is not computed yet."""
    def loss(m, x):
        return hd.sum(hd.square(m(x)[0]))
    m, x = make(3, 6, dtype=hd.float64, seed=1), hd.reshape(vector(n=24), (2, 4, 3))
    want, g = hd.grad(loss)(m, x), hd.jit(hd.grad(loss))
    for _ in range(3):
        got = g(m, x)
        assert all(np.allclose(np.asarray(got.parameters()[k]), np.asarray(v), rtol=1e-12, atol=1e-12)
                   for k, v in want.parameters().items())
