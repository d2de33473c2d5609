# SPDX-License-Identifier: BSD-3-Clause
"""numpy.random over a Generator of Heddle's, for python -m heddle.run: NumPy's names, words and meaning, other numbers for a seed."""

import os

from . import _array_api as xp
from . import _core, linalg, random
from ._core import Array
from ._numpy_table import dtype_of, refuse


def extents(size):
    return () if size is None else (size,) if hasattr(size, "__index__") else tuple(size)


def plain(x, size, *parameters):
    """A Python number, as NumPy has it, where neither SIZE nor an array among the PARAMETERS asks for an array."""
    return x.item() if size is None and x.ndim == 0 and not any(isinstance(p, Array) for p in parameters) else x


class RandomState:
    """numpy.random.default_rng and numpy.random.RandomState. OWN, where it is given, makes of a seed what finds NumPy's own
    functions for the names that are not here."""

    def __init__(self, seed=None, own=None):
        if isinstance(seed, RandomState):
            seed = seed.integers(2 ** 63)
        if seed is not None and not hasattr(seed, "__index__"):
            refuse("seed", seed)
        self.seeded = int.from_bytes(os.urandom(8), "little") if seed is None else int(seed)
        self.generator = random.Generator(self.seeded)
        self.find = own and own(self.seeded)

    def __getattr__(self, name):
        find = None if name.startswith("_") else self.__dict__.get("find")
        if find is None:
            raise AttributeError(f"Heddle has no numpy.random.{name}; with --fallback NumPy's own serves")
        return find(name)

    def located(self, make, location, scale, size):
        """LOCATION + SCALE times what MAKE draws: these may be arrays, whose common shape is that of the result unless SIZE is."""
        shape = extents(size) if size is not None else _core.broadcast_shapes(*(
            p.shape if isinstance(p, Array) else xp.asarray(p).shape for p in (location, scale)))
        return plain(make(shape, dtype=_core.float64, generator=self.generator) * scale + location, size, location, scale)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self.located(random.normal, loc, scale, size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self.located(random.laplace, loc, scale, size)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        return self.located(random.logistic, loc, scale, size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        return self.located(random.gumbel, loc, scale, size)

    def exponential(self, scale=1.0, size=None):
        return self.located(random.exponential, 0.0, scale, size)

    def uniform(self, low=0.0, high=1.0, size=None):
        return self.located(random.uniform, low, high - low, size)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return plain(_core.exp(xp.asarray(self.normal(mean, sigma, size), dtype=_core.float64)), size, mean, sigma)

    def random(self, size=None, dtype=float, out=None):
        if out is not None or dtype_of(dtype) not in (_core.float32, _core.float64):
            refuse("out", out) if out is not None else refuse("dtype", dtype)
        return plain(random.uniform(extents(size), dtype=dtype_of(dtype), generator=self.generator), size)

    def standard_normal(self, size=None, dtype=float):
        return plain(random.normal(extents(size), dtype=dtype_of(dtype), generator=self.generator), size)

    def standard_exponential(self, size=None):
        return self.exponential(1.0, size)

    def standard_gamma(self, shape, size=None):
        return self.gamma(shape, 1.0, size)

    # ---- of which the library takes arrays as they are ----

    def drawn(self, make, size, *parameters):
        size = None if size is None else extents(size)
        return plain(make(*parameters, size=size, dtype=_core.float64, generator=self.generator), size, *parameters)

    def gamma(self, shape, scale=1.0, size=None):
        return self.drawn(random.gamma, size, shape, scale)

    def beta(self, a, b, size=None):
        return self.drawn(random.beta, size, a, b)

    def chisquare(self, df, size=None):
        return self.drawn(random.chi_squared, size, df)

    def standard_t(self, df, size=None):
        return self.drawn(random.standard_t, size, df)

    def dirichlet(self, alpha, size=None):
        return random.dirichlet(alpha, size=extents(size), dtype=_core.float64, generator=self.generator)

    def counted(self, make, size, *parameters):
        size = None if size is None else extents(size)
        return plain(_core.astype(make(*parameters, size=size, generator=self.generator), _core.int64), size, *parameters)

    def poisson(self, lam=1.0, size=None):
        return self.counted(random.poisson, size, lam)

    def binomial(self, n, p, size=None):
        return self.counted(random.binomial, size, n, p)

    def multivariate_normal(self, mean, cov, size=None):
        mean, cov = (xp.asarray(v, dtype=_core.float64) for v in (mean, cov))
        if mean.ndim != 1 or cov.shape != (mean.size, mean.size):
            raise ValueError(f"mean and cov: shapes {mean.shape} and {cov.shape}, which are to be (n,) and (n, n)")
        values, vectors = linalg.eigh(cov)
        if values.size and values[0].item() < -1e-8 * values[-1].item():
            raise ValueError("cov: it is not positive semidefinite")
        root = vectors * _core.sqrt(_core.maximum(values, 0.0))
        z = random.normal((*extents(size), mean.size), dtype=_core.float64, generator=self.generator)
        return _core.matmul(z, root.T) + mean

    # ---- whole numbers, and orders ----

    def integers(self, low, high=None, size=None, dtype=int, endpoint=False):
        low, high = (0, low) if high is None else (low, high)
        for parameter, value in (("low", low), ("high", high)):
            if not hasattr(value, "__index__"):
                refuse(parameter, value)
        if int(low) >= int(high) + bool(endpoint):
            raise ValueError(f"low {'>' if endpoint else '>='} high: {low} and {high}")
        return plain(random.integers(extents(size), int(low), int(high) + bool(endpoint), dtype_of(dtype),
                                     generator=self.generator), size)

    def permutation(self, x, axis=0):
        if hasattr(x, "__index__") and not isinstance(x, Array):
            return random.permutation(int(x), generator=self.generator)
        return random.shuffle(xp.asarray(x), axis, generator=self.generator)

    def shuffle(self, x, axis=0):
        """In place."""
        if isinstance(x, Array):
            x[...] = random.shuffle(x, axis, generator=self.generator)
            return
        order = random.permutation(len(x), generator=self.generator).tolist()
        x[:] = [x[k] for k in order]

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        n = int(a) if hasattr(a, "__index__") and not isinstance(a, Array) else (a := xp.asarray(a)).shape[axis]
        if p is not None:
            p = xp.asarray(p, dtype=_core.float64)
            total = xp.sum(p).item()
            if p.shape != (n,) or abs(total - 1) > 1e-8 or xp.min(p).item() < 0:
                raise ValueError(f"p: {p.size} probabilities of sum {total} for {n} elements; none is negative, their sum is 1")
        chosen = random.choice(n, extents(size), p, bool(replace), generator=self.generator)
        return plain(xp.take(a, chosen, axis=axis) if isinstance(a, Array) and chosen.ndim == 1 else
                     a[(slice(None),) * axis + (chosen,)] if isinstance(a, Array) else chosen, size)

    # ---- numpy.random's older names ----

    def rand(self, *shape):
        return self.random(shape or None)

    def randn(self, *shape):
        return self.standard_normal(shape or None)

    def randint(self, low, high=None, size=None, dtype=int):
        return self.integers(low, high, size, dtype)

    random_sample = sample = ranf = random
