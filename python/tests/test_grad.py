# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of functions of trees: against formulas and differences, and what is refused."""

import asyncio
import dataclasses
import functools
import threading
from collections import namedtuple

import pytest

import heddle as hd

Pair = namedtuple("Pair", "w b")


@dataclasses.dataclass
class Layer:
    w: object
    b: object
    size: int = 3


class Held(hd.nn.Module):
    def __init__(self, w):
        self._own = {"w": w}

    def forward(self, x):
        return hd.sum(x * self._own["w"])


def a(*values):
    return hd.asarray(values, dtype=hd.float64)


def close(x, values, tolerance=1e-12):
    got = x.tolist()
    return all(abs(g - v) <= tolerance for g, v in zip(got, values)) and len(got) == len(values)


@pytest.mark.parametrize("make", [dict, Pair, lambda w, b: [w, b], lambda w, b: (w, {"inner": b, "none": None})])
def test_trees(each_backend, make):
    def leaves(tree):
        w, b = tree.values() if isinstance(tree, dict) else tree
        return w, b["inner"] if isinstance(b, dict) else b

    def f(tree, x):
        w, b = leaves(tree)
        return hd.sum(w * w * x + b)
    tree = make(w=a(1, 2, 3), b=a(0.5, 0.5, 0.5)) if make in (dict, Pair) else make(a(1, 2, 3), a(0.5, 0.5, 0.5))
    value, g = hd.value_and_grad(f)(tree, a(1, 10, 100))
    assert value.item() == 1 + 40 + 900 + 1.5 and type(g) is type(tree)
    w, b = leaves(g)
    assert close(w, [2, 40, 600]) and close(b, [1, 1, 1])


def test_dataclass_and_argnums():
    def f(layer, x, scale=1.0):
        return hd.sum(layer.w * x) * scale + hd.sum(layer.b)
    layer = Layer(a(1, 2), 3.0, 2.0)
    g, dx = hd.grad(f, (0, 1))(layer, a(5, 7), scale=2.0)
    assert close(g.w, [10, 14]) and g.b.item() == 1 and g.size.item() == 0 and close(dx, [2, 4])
    g, aux = hd.grad(lambda x: (hd.sum(x * x), "aux"), has_aux=True)(a(1, 2))
    assert close(g, [2, 4]) and aux == "aux"
    assert close(hd.grad(lambda x, y: hd.sum(y))(a(1, 2), a(3)), [0, 0])


def test_again_and_again():
    cube = hd.grad(hd.grad(lambda x: hd.sum(x * x * x)))
    assert cube(hd.asarray(2.0, dtype=hd.float64)).item() == 12
    x, v = a(0.3, 0.7), a(1, -2)
    h = hd.hessian_vector(lambda x: hd.sum(hd.sin(x)) + x[0] * x[1], x, v)
    import math
    assert close(h, [-math.sin(0.3) - 2, 2 * math.sin(0.7) + 1])
    assert close(hd.jacobian(lambda x: hd.stack([x[0] * x[1], x[0] + x[1], x[1]]))(x)[0], [0.7, 0.3])
    assert hd.jacobian(lambda x: x[:1] * 2)(x).tolist() == [[2, 0]]


def test_vjp_and_jvp(each_backend):
    def f(x, y):
        return {"p": x * y, "s": hd.sum(x)}
    value, pull = hd.vjp(f, a(1, 2), a(3, 4))
    assert close(value["p"], [3, 8])
    for scale in (1, 2):   # as often as wanted
        dx, dy = pull({"p": a(scale, 0), "s": hd.asarray(1.0, dtype=hd.float64)})
        assert close(dx, [3 * scale + 1, 1]) and close(dy, [scale, 0])
    out = []
    thread = threading.Thread(target=lambda: out.extend(pull({"p": a(0, 1), "s": hd.asarray(0.0, dtype=hd.float64)})))
    thread.start()
    thread.join()
    assert close(out[0], [0, 4]) and close(out[1], [0, 2])
    value, change = hd.jvp(f, (a(1, 2), a(3, 4)), (a(1, 1), a(0, 10)))
    assert close(change["p"], [3, 24]) and change["s"].item() == 2
    # within another derivative
    assert close(hd.grad(lambda x: hd.sum(hd.vjp(hd.square, x)[1](x)[0]))(a(1, 3)), [4, 12])


def test_constants():
    def f(x):
        with hd.unrecorded():
            y = x * 100
        return hd.sum(x * hd.stop_gradient({"x": x})["x"] + y)
    assert close(hd.grad(f)(a(1, 2)), [1, 2])


def test_custom():
    seen = []

    @hd.custom_vjp
    def twice(x, y):
        return x * 2

    def backward(kept, cotangent):
        seen.append(kept)
        return cotangent * 5 * kept, None
    twice.defvjp(lambda x, y: (x * 2, x), backward)
    assert close(twice(a(1, 2), a(1)), [2, 4]) and not seen
    assert close(hd.grad(lambda x: hd.sum(twice(x, a(1)) * a(1, 10)))(a(1, 2)), [5, 100]) and len(seen) == 1
    assert close(hd.grad(lambda x: hd.sum(hd.grad(lambda z: hd.sum(twice(z, a(1)) * z))(x)))(a(1, 2))[:0], [])

    def fails(kept, cotangent):
        raise ZeroDivisionError("by hand")
    twice.defvjp(lambda x, y: (x * 2, x), fails)
    with pytest.raises(ZeroDivisionError, match="by hand"):
        hd.grad(lambda x: hd.sum(twice(x, a(1))))(a(1, 2))
    twice.defvjp(lambda x, y: (x * 2, x), lambda kept, cotangent: (cotangent,))
    with pytest.raises(TypeError, match="2 arguments"):
        hd.grad(lambda x: hd.sum(twice(x, a(1))))(a(1, 2))


def test_checkpoint(each_backend):
    calls = []

    def block(p, x):
        calls.append(1)
        return hd.tanh(p["w"] * x)

    def f(p, wrap):
        x = a(0.1, 0.2)
        for _ in range(3):
            x = wrap(block)(p, x)
        return hd.sum(x)
    plain = hd.grad(f)({"w": a(0.5, 0.7)}, lambda g: g)
    calls.clear()
    again = hd.grad(f)({"w": a(0.5, 0.7)}, hd.checkpoint)
    assert len(calls) == 6 and plain["w"].tolist() == again["w"].tolist()
    # Of its gradient, too: two operands of which one comes of the other.
    def g(x, wrap):
        return hd.sum(wrap(lambda u, v: hd.exp(u * v) * v)(x, hd.sin(x)))
    x, v = a(0.3, 0.7), a(1, -2)
    plain = hd.hessian_vector(lambda x: g(x, lambda f: f), x, v).tolist()
    kept = hd.hessian_vector(lambda x: g(x, hd.checkpoint), x, v).tolist()
    assert kept == pytest.approx(plain, rel=1e-14) and abs(plain[0]) > 0.1


def test_checkpoint_of_all_that_f_takes():
    def block(p, x, *, shift, times=1, rows=None):
        return hd.sum(hd.take(p["w"], rows, axis=0) * x * p["k"] * times + hd.sin(shift))
    given = {"w": a(0.5, 0.7), "k": 3}, a(2, 3), a(1, 2)
    rows = hd.asarray([1, 0])

    def f(wrap):
        return hd.grad(lambda w, x, s: wrap(block)({"w": w, "k": 3}, x, shift=s, times=2, rows=rows), (0, 1, 2))(
            given[0]["w"], *given[1:])
    assert [g.tolist() for g in f(hd.checkpoint)] == [g.tolist() for g in f(lambda block: block)]


@pytest.mark.parametrize("hold", [lambda w: lambda x: hd.sum(x * w), lambda w: functools.partial(lambda x, w: hd.sum(x * w), w=w),
                                  lambda w: lambda x, w=w: hd.sum(x * w), lambda w: lambda x: (lambda: hd.sum(x * w))(),
                                  lambda w: Held(w), lambda w: Held(w).forward, lambda w: lambda x, held=[Held(w)]: held[0](x)])
def test_checkpoint_of_what_holds_an_array(hold):
    with pytest.raises(ValueError, match="checkpoint: .* holds .*, which a derivative follows"):
        hd.grad(lambda x, w: hd.checkpoint(hold(w))(x), (0, 1))(a(1, 2), a(3, 4))
    assert hd.grad(lambda x: hd.checkpoint(hold(a(3, 4)))(x))(a(1, 2)).tolist() == [3, 4]


def test_what_is_refused():
    async def later(x):
        return hd.sum(x)

    def generator(x):
        yield x
    for f in (later, generator):
        with pytest.raises(TypeError, match="coroutine or a generator"):
            hd.grad(f)
    with pytest.raises(TypeError, match=r"argument 0\['n'\] is 3, int"):
        hd.grad(lambda p: hd.sum(p["w"]))({"w": a(1), "n": 3})
    with pytest.raises(TypeError, match="array of int64"):
        hd.grad(hd.sum)(hd.asarray([1, 2]))
    with pytest.raises(TypeError, match="shape .2,., not one real number"):
        hd.grad(lambda x: x)(a(1, 2))
    with pytest.raises(hd.GradientError, match="random_chi_squared"):
        hd.grad(lambda x: hd.sum(hd.ops.random_chi_squared(x)))(a(1, 2))
    with pytest.raises(TypeError, match="leaves at"):
        hd.vjp(lambda x: {"y": x}, a(1))[1](a(1))
    asyncio.run(asyncio.sleep(0))
    assert close(hd.grad(hd.sum)(a(1, 2)), [1, 1])   # nothing is left open


def test_numpy_and_floats(np):
    x = np.linspace(0.1, 1, 5)
    g = hd.grad(lambda t, s: hd.sum(hd.exp(t) * s))(x, 2.0)
    assert np.allclose(np.asarray(g), 2 * np.exp(x))
    assert hd.grad(lambda s: s * s)(3.0).item() == 6


@pytest.mark.parametrize("m", [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 0]], [[2, 0, 0], [0, 0, 0], [0, 0, 0]],
                               [[0, 1, 4], [9, 16, 25], [36, 49, 64]]])
def test_second_derivative_of_det(np, m):
    """Cofactors of a 3x3 matrix are quadratic, so that their derivative by v is a difference of cofactors."""
    v = np.array([[1.0, 2, -1], [0.5, 3, 1], [2, -2, 1.5]])

    def cofactors(a):
        return np.array([np.cross(a[(i + 1) % 3], a[(i + 2) % 3]) for i in range(3)])
    want = (cofactors(m + v) - cofactors(m - v)) / 2
    got = np.asarray(hd.hessian_vector(hd.linalg.det, hd.asarray(m, dtype=hd.float64), hd.asarray(v)))
    assert np.allclose(got, want, rtol=1e-10, atol=1e-10), got - want
