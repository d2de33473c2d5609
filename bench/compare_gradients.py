# SPDX-License-Identifier: BSD-3-Clause
"""Peers of the suites gradient and program (tools/bench/record.c): PyTorch's autograd and calls, JAX compiled.

compare_peers.py says how rows are found."""
from compare_peers import Suite

LAYERS, STRETCH = 49, 7


def chain(m, a, b, c):
    return (m.sqrt((((a * b + c) * a - b) * c) + 2) * 0.5 + a - b).sum()


def ten(a, b, c):
    t = (a + b) * c + a
    t = (t * b - c) * a - b
    return (t - c) * a + b


class Gradients(Suite):
    def operands(self, dtype, size, count=3):
        return [self.p.values("uniform", dtype, (int(float(size)),), 1 + k) for k in range(count)]

    def torch_grad(self, f, pairs, variables):
        """Value and gradient of F by the first VARIABLES of its operands."""
        x = [p[1].clone().requires_grad_(k < variables) for k, p in enumerate(pairs)]
        return lambda: self.t.autograd.grad(f(*x), x[:variables])

    def jax_grad(self, f, pairs, variables):
        jax = self.p.mod["jax"]
        if not jax:
            return None
        on = [jax.numpy.asarray(p[0]) for p in pairs]
        compiled = jax.jit(jax.value_and_grad(f, argnums=tuple(range(variables))))
        return lambda: jax.block_until_ready(compiled(*on))

    def rows(self, pairs, variables, torch, jax):
        return {"torch": self.t and self.torch_grad(torch, pairs, variables), "jax": self.jnp and self.jax_grad(jax, pairs, variables)}

    def row_chain10(self, dtype, size):
        return self.rows(self.operands(dtype, size), 1, lambda *x: chain(self.t, *x), lambda *x: chain(self.jnp, *x))

    row_small = row_chain10

    def row_dense3(self, dtype, size):
        shapes = (256, 1024), (1024, 1024), (1024, 256), (int(float(size)), 256)
        pairs = [self.p.values("uniform", dtype, s, 1 + k) for k, s in enumerate(shapes)]
        relu = self.jnp and (lambda x: self.jnp.maximum(x, 0))
        return self.rows(pairs, 3, lambda u, v, w, x: (((x @ u).relu() @ v).relu() @ w).square().mean(),
                         lambda u, v, w, x: self.jnp.square(relu(relu(x @ u) @ v) @ w).mean())

    def deep(self, dtype, size, torch_keep, jax_keep):
        def stretch(m):
            def f(x, w):
                for _ in range(STRETCH):
                    x = m.tanh(x * w)
                return x
            return f

        def whole(m, keep):
            part = keep(stretch(m))

            def f(x, w):
                for _ in range(LAYERS // STRETCH):
                    x = part(x, w)
                return x.sum()
            return f
        return self.rows(self.operands(dtype, size, 2), 1, self.t and whole(self.t, torch_keep),
                         self.jnp and whole(self.jnp, jax_keep))

    def row_deep49(self, dtype, size):
        return self.deep(dtype, size, lambda f: f, lambda f: f)

    def row_deep49_checkpoints(self, dtype, size):
        def torch_keep(f):
            from torch.utils.checkpoint import checkpoint
            return lambda *x: checkpoint(f, *x, use_reentrant=False)
        return self.deep(dtype, size, torch_keep, lambda f: self.p.mod["jax"].checkpoint(f))


class Programs(Gradients):
    def row_ten(self, dtype, size):
        pairs = self.operands(dtype, size)
        a, b = [p[0] for p in pairs], [p[1] for p in pairs]
        return self.both(lambda: ten(*a), lambda: ten(*b), self.jnp and self.p.jax_of(ten, *a))
