# SPDX-License-Identifier: BSD-3-Clause
"""Peers of the rows nn_* of the suite jobs: PyTorch's modules, the same written out for JAX and compiled, and ncps.

They compute on what ours computes on, which the row stores: Peer.given() reads it, makes the function that is measured, and says how
far its value and gradients are from ours."""
import os

import numpy as np
from compare_peers import Suite

LEARNING = {"rate": 0.001, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8}


class Peer:
    """MAKE(parameters, input) gives a function without arguments and one that reads what it returns as (value, gradients by name)."""

    def __init__(self, make):
        self.make, self.fn = make, None

    def given(self, folder):
        """The largest difference from ours, in parts of the largest element of each array."""
        with np.load(os.path.join(folder, "row.npz")) as f:
            stored = {k: f[k] for k in f.files}
        parameters = {k[2:]: v for k, v in stored.items() if k.startswith("p.")}
        self.fn, read = self.make(parameters, stored["x"])
        theirs = read(self.fn())
        pairs = [(stored[k], theirs[k]) for k in theirs if k in stored]
        wanted = {k for k in stored if k.startswith("gradient.") or k in ("value", "after")}
        if wanted - set(theirs):
            raise KeyError("no " + ", ".join(sorted(wanted - set(theirs))))
        return max(float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30)) for a, b in pairs)

    def __call__(self):
        return self.fn()


def named(value, gradients):
    return {"value": np.asarray(value), **{"gradient." + k: np.asarray(v) for k, v in gradients.items()}}


# ---- JAX: gates in PyTorch's order, the input's part for all steps at once ----

def jax_lstm(jax):
    def cell(state, x, v):
        h, c = state
        i, f, g, o = jax.numpy.split(x + h @ v, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jax.numpy.tanh(g)
        h = jax.nn.sigmoid(o) * jax.numpy.tanh(c)
        return (h, c), h

    def prepared(p, x, end):
        return x @ p["weight_ih" + end].T + p["bias_ih" + end] + p["bias_hh" + end], p["weight_hh" + end].T
    return cell, prepared, 2


def jax_gru(jax):
    def cell(state, x, v):
        h, = state
        weight, bias = v
        (xr, xz, xn), (r, z, n) = jax.numpy.split(x, 3, -1), jax.numpy.split(h @ weight + bias, 3, -1)
        r, z = jax.nn.sigmoid(xr + r), jax.nn.sigmoid(xz + z)
        n = jax.numpy.tanh(xn + r * n)
        h = n + z * (h - n)
        return (h,), h

    def prepared(p, x, end):
        return x @ p["weight_ih" + end].T + p["bias_ih" + end], (p["weight_hh" + end].T, p["bias_hh" + end])
    return cell, prepared, 1


class Nn(Suite):
    def jax_cell(self, kind, steps):
        jax = self.p.mod["jax"]
        if not jax:
            return None
        cell, prepared, states = kind(jax)
        end = "_l0" if steps else ""

        def loss(p, x):
            inputs, v = prepared(p, x, end)
            units = p["weight_hh" + end].shape[1]
            begin = tuple(jax.numpy.zeros((x.shape[0], units), x.dtype) for _ in range(states))
            if steps:
                y = jax.lax.scan(lambda s, one: cell(s, one, v), begin, jax.numpy.swapaxes(inputs, 0, 1))[1]
            else:
                y = cell(begin, inputs, v)[1]
            return (y * y).mean()

        def make(parameters, x):
            p, x = {k: jax.numpy.asarray(v) for k, v in parameters.items()}, jax.numpy.asarray(x)
            compiled = jax.jit(jax.value_and_grad(loss))
            return lambda: jax.block_until_ready(compiled(p, x)), lambda out: named(*out)
        return Peer(make)

    def torch_module(self, module_of, output):
        """A module that MODULE_OF(input) makes; OUTPUT(module, x) is what is squared."""
        t = self.t

        def make(parameters, x):
            m, x = module_of(x.shape[-1]), t.from_numpy(x)
            m.load_state_dict({k: t.from_numpy(v) for k, v in parameters.items()}, strict=True)
            learnt = {k: w for k, w in m.named_parameters() if w.requires_grad}

            def fn():
                value = output(m, x).square().mean()
                return value, t.autograd.grad(value, list(learnt.values()), allow_unused=True)

            def read(out):
                return named(out[0].detach(), {k: t.zeros(1) if g is None else g for k, g in zip(learnt, out[1])})
            return fn, read
        return t and Peer(make)

    def row_nn_lstm_sequence(self, dtype, size):
        return {"torch": self.torch_module(lambda n: self.t.nn.LSTM(n, 128, batch_first=True), lambda m, x: m(x)[0]),
                "jax": self.jax_cell(jax_lstm, True)}

    def row_nn_gru_sequence(self, dtype, size):
        return {"torch": self.torch_module(lambda n: self.t.nn.GRU(n, 128, batch_first=True), lambda m, x: m(x)[0]),
                "jax": self.jax_cell(jax_gru, True)}

    def row_nn_lstm_step(self, dtype, size):
        return {"torch": self.torch_module(lambda n: self.t.nn.LSTMCell(n, 128), lambda m, x: m(x)[0]),
                "jax": self.jax_cell(jax_lstm, False)}

    def ncps(self, name):
        """A cell of ncps that is fully connected, as its users make one."""
        ncps = self.p.mod["ncps.torch"]
        return ncps and self.torch_module(lambda n: getattr(ncps, name)(n, 64, batch_first=True), lambda m, x: m(x)[0])

    def row_nn_ltc_sequence(self, dtype, size):
        return {"ncps": self.ncps("LTC")}

    def row_nn_cfc_sequence(self, dtype, size):
        return {"ncps": self.ncps("CfC")}

    # ---- a step of Adam ----

    def torch_adam(self, **options):
        t = self.t

        def make(parameters, g):
            w, g = t.from_numpy(parameters["w"].copy()), t.from_numpy(g)
            w.requires_grad_(True)
            w.grad = g
            s = t.optim.Adam([w], lr=LEARNING["rate"], betas=(LEARNING["beta1"], LEARNING["beta2"]), eps=LEARNING["eps"], **options)
            for _ in range(2):      # given() makes the third
                s.step()
            return s.step, lambda out: {"after": w.detach().numpy()}
        return t and Peer(make)

    def jax_adam(self):
        jax = self.p.mod["jax"]
        rate, beta1, beta2, eps = LEARNING.values()

        def step(state, g):
            w, m, v, k = state
            k = k + 1
            m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
            return w - rate * (m / (1 - beta1 ** k)) / (jax.numpy.sqrt(v / (1 - beta2 ** k)) + eps), m, v, k

        def make(parameters, g):
            g, w = jax.numpy.asarray(g), jax.numpy.array(parameters["w"])
            compiled = jax.jit(step, donate_argnums=0)
            state = [(w, jax.numpy.zeros_like(w), jax.numpy.zeros_like(w), jax.numpy.float32(0))]

            def fn():
                state[0] = jax.block_until_ready(compiled(state[0], g))
            fn()
            fn()
            return fn, lambda out: {"after": np.asarray(state[0][0])}
        return jax and Peer(make)

    def row_nn_adam(self, dtype, size):
        return {"torch": self.torch_adam(), "torch-fused": self.torch_adam(fused=True), "jax": self.jax_adam()}
