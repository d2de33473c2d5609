# SPDX-License-Identifier: BSD-3-Clause
# Writes tests/data/gradients.h: gradients of functions of one small matrix, by JAX and PyTorch.
# Run with both installed, on processors:  python3 gradients.py >gradients.h
#
# A row has the function's name in tests/grad/record.c and the gradient, by the matrix x, of the sum of its result times 1, 2, 3, ..
# in C order. Where JAX and PyTorch do not agree to 1e-9 there is a row for each.
import textwrap

import jax
import jax.numpy as jnp
import jax.scipy.special as js
import numpy as np
import torch

jax.config.update("jax_enable_x64", True)
T = torch
X = np.array([[2.5, 0.75, -0.5], [0.3, 1.5, 0.6], [-0.25, 0.9, 3.25]])
Y = np.array([[0.5, -1.25, 2.0], [1.75, 0.4, -0.8], [1.1, 0.65, 0.9]])
JY, TY = jnp.asarray(Y), T.asarray(Y)


def spd(x, m):
    return x @ x.T + 2 * m.eye(3, dtype=x.dtype)


ROWS = {
    "tanh": (jnp.tanh, T.tanh),
    "sinc": (jnp.sinc, T.sinc),
    "softplus": (jax.nn.softplus, T.nn.functional.softplus),
    "silu": (jax.nn.silu, T.nn.functional.silu),
    "gelu": (lambda x: jax.nn.gelu(x, approximate=False), T.nn.functional.gelu),
    "erf": (js.erf, T.erf),
    "erfc": (js.erfc, T.erfc),
    "expm1": (jnp.expm1, T.expm1),
    "sigmoid": (jax.nn.sigmoid, T.sigmoid),
    "lgamma": (lambda x: js.gammaln(x * x), lambda x: T.lgamma(x * x)),
    "digamma": (lambda x: js.digamma(x * x), lambda x: T.digamma(x * x)),
    "log1p": (lambda x: jnp.log1p(x * x), lambda x: T.log1p(x * x)),
    "arctan": (jnp.arctan, T.atan),
    "arcsinh": (jnp.arcsinh, T.asinh),
    "cosh": (jnp.cosh, T.cosh),
    "arctan2": (lambda x: jnp.arctan2(x, JY), lambda x: T.atan2(x, TY)),
    "hypot": (lambda x: jnp.hypot(x, JY), lambda x: T.hypot(x, TY)),
    "logaddexp": (lambda x: jnp.logaddexp(x, JY), lambda x: T.logaddexp(x, TY)),
    "power": (lambda x: jnp.power(x * x, JY), lambda x: T.pow(x * x, TY)),
    "divide": (lambda x: JY / x, lambda x: TY / x),
    "mod": (lambda x: jnp.mod(x, JY), lambda x: T.remainder(x, TY)),
    "maximum": (lambda x: jnp.maximum(x, JY), lambda x: T.maximum(x, TY)),
    "prod": (lambda x: jnp.prod(x, axis=1), lambda x: T.prod(x, 1)),
    "var": (lambda x: jnp.var(x, axis=0, ddof=1), lambda x: T.var(x, 0)),
    "std": (lambda x: jnp.std(x, axis=1), lambda x: T.std(x, 1, correction=0)),
    "max": (lambda x: jnp.max(x, axis=0), lambda x: T.amax(x, 0)),
    "logsumexp": (lambda x: js.logsumexp(x, axis=1), lambda x: T.logsumexp(x, 1)),
    "softmax": (lambda x: jax.nn.softmax(x, axis=0), lambda x: T.softmax(x, 0)),
    "log_softmax": (lambda x: jax.nn.log_softmax(x, axis=-1), lambda x: T.log_softmax(x, -1)),
    "cumsum": (lambda x: jnp.cumsum(x, axis=1), lambda x: T.cumsum(x, 1)),
    "cumprod": (lambda x: jnp.cumprod(x, axis=0), lambda x: T.cumprod(x, 0)),
    "sort": (lambda x: jnp.sort(x, axis=1), lambda x: T.sort(x, 1).values),
    "norm": (lambda x: jnp.linalg.norm(x.ravel(), 3), lambda x: T.linalg.vector_norm(x, 3)),
    "matmul": (lambda x: x @ JY @ x, lambda x: x @ TY @ x),
    "inv": (jnp.linalg.inv, T.linalg.inv),
    "det": (jnp.linalg.det, T.linalg.det),
    "logdet": (lambda x: jnp.linalg.slogdet(x)[1], lambda x: T.linalg.slogdet(x)[1]),
    "solve": (lambda x: jnp.linalg.solve(x, JY), lambda x: T.linalg.solve(x, TY)),
    "expm": (jax.scipy.linalg.expm, T.linalg.matrix_exp),
    "cholesky": (lambda x: jnp.linalg.cholesky(spd(x, jnp)), lambda x: T.linalg.cholesky(spd(x, T))),
    "svdvals": (lambda x: jnp.linalg.svd(x, compute_uv=False), T.linalg.svdvals),
    "eigvalsh": (lambda x: jnp.linalg.eigvalsh(spd(x, jnp)), lambda x: T.linalg.eigvalsh(spd(x, T))),
    "pinv": (lambda x: jnp.linalg.pinv(x[:, :2]), lambda x: T.linalg.pinv(x[:, :2])),
    "einsum": (lambda x: jnp.einsum("ij,kj,jl->il", x, JY, x), lambda x: T.einsum("ij,kj,jl->il", x, TY, x)),
    "fft": (lambda x: jnp.abs(jnp.fft.rfft2(x)), lambda x: T.fft.rfft2(x).abs()),
    "take": (lambda x: x[jnp.asarray([2, 0, 2, 1])], lambda x: x[T.tensor([2, 0, 2, 1])]),
}


def weights(n, m):
    return m.arange(1, n + 1, dtype=m.float64)


def of_jax(f):
    return np.asarray(jax.grad(lambda x: (lambda y: (y.ravel() * weights(y.size, jnp)).sum())(jnp.asarray(f(x))))(jnp.asarray(X)))


def of_torch(f):
    x = T.asarray(X).clone().requires_grad_(True)
    y = f(x)
    (y.reshape(-1) * weights(y.numel(), T)).sum().backward()
    return x.grad.numpy()


def put(name, by, g):
    text = "GRADIENT(%s, %s, %s)" % (name, by, ", ".join("%.17g" % v for v in g.ravel()))
    print(textwrap.fill(text, 135, subsequent_indent="  "))


print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Made by gradients.py with JAX %s and PyTorch %s. */" % (jax.__version__, T.__version__.split("+")[0]))
for name, (a, b) in ROWS.items():
    one, two = of_jax(a), of_torch(b)
    if np.allclose(one, two, rtol=1e-9, atol=1e-12):
        put(name, "both", one)
    else:
        put(name, "jax", one)
        put(name, "torch", two)
