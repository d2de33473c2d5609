# SPDX-License-Identifier: BSD-3-Clause
"""What peers do for the rows of `heddle bench`: one function per row, called as a user of the peer would.

Peers.row("suite/case/type/size/tN") gives a dict of names and functions without arguments, empty when no peer does that.
Add a row: a method of Elementwise, Reduce, ... with the case's name that returns such a dict (compare_jobs.py has the jobs).
"""
import functools
import importlib
import time

import numpy as np

SIZES = {"1e3": (25, 40), "1e5": (250, 400), "1e7": (2500, 4000), "25000x4": (25000, 4), "12500x8": (12500, 8)}
REAL_OF = {"complex64": "float32", "complex128": "float64"}
MODULES = ("torch", "scipy", "scipy.fft", "scipy.linalg", "scipy.ndimage", "scipy.signal", "scipy.special", "pyfftw", "jax",
           "numexpr", "tensorly", "pyttb", "holovec", "torchhd", "tme", "ncps", "ncps.torch")


def have(name):
    try:
        return importlib.import_module(name)
    except Exception:  # noqa: BLE001 - missing, or broken on this machine
        return None


def call_ns():
    def fn():
        pass
    start = time.perf_counter()
    for _ in range(100000):
        fn()
    return (time.perf_counter() - start) * 1e4


class Peers:
    def __init__(self, threads):
        self.threads = threads
        self.mod = {name: have(name) for name in MODULES}
        self.torch = self.mod["torch"]
        if self.torch:
            self.torch.set_num_threads(threads)
        if self.mod["numexpr"]:
            self.mod["numexpr"].set_num_threads(threads)
        if self.mod["pyfftw"]:
            self.mod["pyfftw"].interfaces.cache.enable()
            self.mod["pyfftw"].interfaces.cache.set_keepalive_time(60)
        if self.mod["jax"]:
            self.mod["jax"].config.update("jax_enable_x64", True)
            self.mod["jax"].config.update("jax_platform_name", "cpu")
        import compare_filters
        import compare_functions
        import compare_gradients
        import compare_jobs
        import compare_linalg
        import compare_nn
        self.suites = {"elementwise": [Elementwise(self), compare_functions.Functions(self)], "reduce": [Reduce(self)],
                       "sort": [Sort(self)], "random": [Random(self)], "linalg": [compare_linalg.Linalg(self)],
                       "fft": [compare_linalg.Fft(self)], "jobs": [compare_jobs.Jobs(self), compare_filters.Filters(self), compare_nn.Nn(self)],
                       "gradient": [compare_gradients.Gradients(self)], "program": [compare_gradients.Programs(self)]}
        self.last = None

    def versions(self):
        out = {"numpy": np.__version__}
        for name, m in self.mod.items():
            if m and "." not in name:
                out[name] = getattr(m, "__version__", "?")
        return out

    def row(self, row):
        suite, case, *rest = row.split("/")
        dtype, size = (rest + [""])[:2]
        if (size, dtype) != self.last:      # inputs are shared by the rows of a size and type only
            self.values.cache_clear()
            self.last = (size, dtype)
        for of in self.suites.get(suite, ()):
            method = getattr(of, "row_" + case, None)
            if method:
                return {k: f for k, f in method(dtype, size).items() if f}
        return {}

    @functools.lru_cache(maxsize=16)
    def values(self, kind, dtype, shape, seed=1):
        """An array and torch's view of it; uniform in [0.5, 1.5), [0.1, 0.9) (UNIT) or [1.1, 1.9) (ABOVE), or normal; integers
        from 1 on."""
        rng = np.random.default_rng(seed)
        if dtype in REAL_OF:
            a = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
        elif dtype == "bool":
            a = rng.random(shape) < 0.5
        elif kind != "places" and np.dtype(dtype).kind in "iu":
            a = rng.integers(1, 100 if np.dtype(dtype).itemsize == 1 else 1000, shape, dtype)
        elif kind == "normal":
            a = rng.standard_normal(shape, dtype=dtype)
        elif kind == "places":
            a = rng.integers(0, int(np.prod(shape)), shape)
        elif kind in ("unit", "above"):
            a = rng.uniform(0.1, 0.9, shape).astype(dtype) + np.dtype(dtype).type(kind == "above")
        elif dtype == "float16":
            a = rng.uniform(0.5, 1.5, shape).astype(dtype)
        else:
            a = rng.random(shape, dtype=dtype) + np.dtype(dtype).type(0.5)
        return a, (self.torch.from_numpy(a) if self.torch else None)

    def jax_of(self, fn, *arrays):
        """FN compiled by JAX on copies of ARRAYS; None without JAX."""
        jax = self.mod["jax"]
        if not jax:
            return None
        on = [jax.numpy.asarray(a) for a in arrays]
        compiled = jax.jit(fn)
        return lambda: compiled(*on).block_until_ready()


class Suite:
    def __init__(self, peers):
        self.p = peers
        self.t = peers.torch
        self.jnp = peers.mod["jax"].numpy if peers.mod["jax"] else None

    def flat(self, dtype, size, seed=1):
        r, c = SIZES[size]
        return self.p.values("uniform", dtype, (r * c,), seed)

    def square(self, dtype, size):
        return self.p.values("normal", dtype, SIZES[size], 3)

    def both(self, numpy, torch, jax=None):
        return {"numpy": numpy, "torch": torch if self.t else None, "jax": jax}


def unary(name, torch_name=None, out=False):
    def row(self, dtype, size):
        a, ta = self.flat(dtype, size)
        np_fn, t_fn = getattr(np, name), getattr(self.t, torch_name or name, None) if self.t else None
        if out:
            o = np.empty_like(a)
            to = self.t.from_numpy(o) if self.t else None
            return self.both(lambda: np_fn(a, out=o), t_fn and (lambda: t_fn(ta, out=to)))
        return self.both(lambda: np_fn(a), t_fn and (lambda: t_fn(ta)),
                         self.jnp and self.p.jax_of(getattr(self.jnp, name), a))
    return row


def binary(name, torch_name=None, out=False):
    def row(self, dtype, size):
        (a, ta), (b, tb) = self.flat(dtype, size), self.flat(dtype, size, 2)
        np_fn, t_fn = getattr(np, name), getattr(self.t, torch_name or name, None) if self.t else None
        if out:
            o = np.empty_like(a)
            to = self.t.from_numpy(o) if self.t else None
            return self.both(lambda: np_fn(a, b, out=o), t_fn and (lambda: t_fn(ta, tb, out=to)))
        return self.both(lambda: np_fn(a, b), t_fn and (lambda: t_fn(ta, tb)),
                         self.jnp and self.p.jax_of(getattr(self.jnp, name), a, b))
    return row


class Elementwise(Suite):
    row_add, row_add_out = binary("add"), binary("add", out=True)
    row_multiply, row_divide, row_less = binary("multiply", "mul"), binary("divide", "div"), binary("less", "lt")
    row_power = binary("power", "pow")
    row_cadd, row_cmul, row_cdiv = binary("add"), binary("multiply", "mul"), binary("divide", "div")
    row_negative, row_expm1 = unary("negative", "neg"), unary("expm1")
    row_exp, row_exp_out = unary("exp"), unary("exp", out=True)
    row_log, row_log_out = unary("log"), unary("log", out=True)
    row_sin, row_sin_out = unary("sin"), unary("sin", out=True)
    row_cos, row_cos_out = unary("cos"), unary("cos", out=True)
    row_tanh, row_tanh_out = unary("tanh"), unary("tanh", out=True)
    row_sqrt, row_sqrt_out = unary("sqrt"), unary("sqrt", out=True)
    row_cabs, row_angle, row_cexp = unary("abs"), unary("angle"), unary("exp")
    row_conj = unary("conj", "conj_physical")

    def row_fma(self, dtype, size):
        (a, ta), (b, tb), (d, td) = (self.flat(dtype, size, k) for k in (1, 2, 4))
        ne = self.p.mod["numexpr"]
        rows = self.both(lambda: a * b + d, lambda: ta * tb + td, self.p.jax_of(lambda x, y, z: x * y + z, a, b, d))
        rows["torch:addcmul"] = self.t and (lambda: self.t.addcmul(td, ta, tb))
        rows["numexpr"] = ne and (lambda: ne.evaluate("a*b+d", local_dict={"a": a, "b": b, "d": d}))
        return rows

    def fused(self, dtype, size, text, numpy, torch, jax):
        """An expression of a, b and c: as Python, compiled by JAX, and as TEXT by numexpr."""
        (a, ta), (b, tb), (c, tc) = (self.flat(dtype, size, k) for k in (1, 2, 4))
        ne = self.p.mod["numexpr"]
        rows = self.both(lambda: numpy(a, b, c), lambda: torch(ta, tb, tc), self.p.jax_of(jax, a, b, c))
        rows["numexpr"] = ne and (lambda: ne.evaluate(text, local_dict={"a": a, "b": b, "c": c}))
        return rows

    def row_fused_muladd(self, dtype, size):
        def f(a, b, c):
            return a * b + c
        return self.fused(dtype, size, "a*b+c", f, f, f)

    def row_fused_sum_muladd(self, dtype, size):
        def f(a, b, c):
            return (a * b + c).sum()
        return self.fused(dtype, size, "sum(a*b+c)", f, f, f)

    def row_fused_argmax(self, dtype, size):
        def f(a, b, c):
            return (a * b + c).argmax()
        rows = self.fused(dtype, size, "a*b+c", f, f, f)
        rows["numexpr"] = rows["numexpr"] and (lambda made=rows["numexpr"]: made().argmax())
        return rows

    def row_fused_into(self, dtype, size):
        (a, ta), (b, tb), (c, tc) = (self.flat(dtype, size, k) for k in (1, 2, 4))
        ne, o, text = self.p.mod["numexpr"], np.empty_like(a), "(a*b+c)*a-b"
        to = self.t.from_numpy(o) if self.t else None

        def numpy():
            np.multiply(a, b, out=o)
            np.add(o, c, out=o)
            np.multiply(o, a, out=o)
            np.subtract(o, b, out=o)

        def torch():
            self.t.mul(ta, tb, out=to)
            to.add_(tc).mul_(ta).sub_(tb)
        rows = self.both(numpy, torch, self.p.jax_of(lambda x, y, z: (x * y + z) * x - y, a, b, c))
        rows["numexpr"] = ne and (lambda: ne.evaluate(text, local_dict={"a": a, "b": b, "c": c}, out=o))
        return rows

    def row_fused_var(self, dtype, size):
        def f(a, b, c):
            return (a * b + c).var()
        def torch(a, b, c):
            return (a * b + c).var(correction=0)
        rows = self.fused(dtype, size, "a*b+c", f, torch, f)
        rows["numexpr"] = rows["numexpr"] and (lambda made=rows["numexpr"]: made().var())
        return rows

    def row_fused_where_exp(self, dtype, size):
        def of(xp):
            return lambda a, b, c: xp.where(a > 1, xp.exp(a), 0)
        return self.fused(dtype, size, "where(a > 1, exp(a), 0)", of(np), of(self.t), of(self.jnp))

    def row_fused_chain10(self, dtype, size):
        def of(xp):
            return lambda a, b, c: xp.sqrt(((a * b + c) * a - b) * c + 2) * 0.5 + a - b
        return self.fused(dtype, size, "sqrt(((a*b+c)*a-b)*c+2)*0.5+a-b", of(np), of(self.t), of(self.jnp))

    def row_fma_out(self, dtype, size):
        (a, ta), (b, tb), (d, td) = (self.flat(dtype, size, k) for k in (1, 2, 4))
        o = np.empty_like(a)
        to = self.t.from_numpy(o) if self.t else None
        return self.both(lambda: np.add(np.multiply(a, b, out=o), d, out=o), lambda: self.t.addcmul(td, ta, tb, out=to))

    row_sinc, row_logaddexp = unary("sinc"), binary("logaddexp")

    def row_gelu(self, dtype, size):
        a, ta = self.flat(dtype, size)
        sp = self.p.mod["scipy.special"]
        half = a.dtype.type(0.5)
        root = a.dtype.type(2 ** -0.5)
        return {"scipy": sp and (lambda: half * a * (1 + sp.erf(a * root))),
                "torch": self.t and (lambda: self.t.nn.functional.gelu(ta))}

    def row_sigmoid(self, dtype, size):
        a, ta = self.flat(dtype, size)
        sp = self.p.mod["scipy.special"]
        return {"scipy": sp and (lambda: sp.expit(a)), "torch": self.t and (lambda: self.t.sigmoid(ta))}

    def row_softplus(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.logaddexp(a, a.dtype.type(0)), lambda: self.t.nn.functional.softplus(ta))

    def row_erf(self, dtype, size):
        a, ta = self.flat(dtype, size)
        sp = self.p.mod["scipy.special"]
        return {"scipy": sp and (lambda: sp.erf(a)), "torch": self.t and (lambda: self.t.erf(ta))}

    def row_where(self, dtype, size):
        (a, ta), (b, tb) = self.flat(dtype, size), self.flat(dtype, size, 2)
        c = a < b
        tc = self.t.from_numpy(c) if self.t else None
        return self.both(lambda: np.where(c, a, b), lambda: self.t.where(tc, ta, tb))

    def row_to_f16(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: a.astype(np.float16), lambda: ta.half())

    def row_add_bcast(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: m + m[0], lambda: tm + tm[0])

    def row_add_transposed(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: m.T + m.T, lambda: tm.t() + tm.t())

    def row_add_strided(self, dtype, size):
        a, ta = self.flat(dtype, size)
        v, tv = a[::2], ta[::2] if self.t else None
        return self.both(lambda: v + v, lambda: tv + tv)

    def row_copy(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: m.copy(), lambda: tm.clone())

    def row_transpose_copy(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.ascontiguousarray(m.T), lambda: tm.t().contiguous())

    def row_roll(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.roll(m, (3, 5), (0, 1)), lambda: self.t.roll(tm, (3, 5), (0, 1)))

    def places(self, size):
        r, c = SIZES[size]
        return self.p.values("places", "int64", (r * c,), 5)

    def row_take(self, dtype, size):
        (a, ta), (i, ti) = self.flat(dtype, size), self.places(size)
        return self.both(lambda: a.take(i), lambda: ta.take(ti))

    def row_scatter_add(self, dtype, size):
        (a, ta), (i, ti) = self.flat(dtype, size), self.places(size)
        rows = self.both(lambda: np.bincount(i, weights=a, minlength=a.size), lambda: self.t.zeros_like(ta).index_add_(0, ti, ta))
        rows["torch:scatter_add"] = self.t and (lambda: self.t.zeros_like(ta).scatter_add_(0, ti, ta))
        return rows

    def row_index_add(self, dtype, size):
        (a, ta), (i, ti) = self.flat(dtype, size), self.places(size)
        o = np.zeros_like(a)
        to = self.t.from_numpy(o.copy()) if self.t else None
        return self.both(lambda: np.add.at(o, i, a), lambda: to.index_add_(0, ti, ta))

    def row_boolean_mask(self, dtype, size):
        r, c = SIZES[size]
        (a, ta), (k, tk) = self.flat(dtype, size), self.p.values("", "bool", (r * c,), 6)
        return self.both(lambda: a[k], lambda: ta[tk])

    def row_concatenate(self, dtype, size):
        (a, ta), (b, tb) = self.flat(dtype, size), self.flat(dtype, size, 2)
        return self.both(lambda: np.concatenate((a, b)), lambda: self.t.cat((ta, tb)))

    def row_concatenate_axis1(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.concatenate((m, m), 1), lambda: self.t.cat((tm, tm), 1))

    def row_stack_last(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.stack((m, m), -1), lambda: self.t.stack((tm, tm), -1))

    def row_repeat(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.repeat(a, 2), lambda: self.t.repeat_interleave(ta, 2))

    def row_tril(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.tril(m), lambda: self.t.tril(tm))

    def row_flip(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: m[:, ::-1].copy(), lambda: tm.flip(1))

    def row_rot90(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.rot90(m).copy(), lambda: self.t.rot90(tm))

    def row_tile(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.tile(m, (2, 2)), lambda: tm.tile(2, 2))

    def row_pad(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.pad(m, 3), lambda: self.t.nn.functional.pad(tm, (3, 3, 3, 3)))

    def row_pad_reflect(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.pad(m, 3, mode="reflect"),
                         lambda: self.t.nn.functional.pad(tm[None], (3, 3, 3, 3), mode="reflect"))

    def row_permute(self, dtype, size):
        r, c = SIZES[size]
        a, ta = self.flat(dtype, size)
        x = a.reshape(r, c // 20, 20).transpose(2, 0, 1)
        tx = ta.reshape(r, c // 20, 20).permute(2, 0, 1) if self.t else None
        return self.both(lambda: np.ascontiguousarray(x), lambda: tx.contiguous())

    def row_softmax(self, dtype, size):
        m, tm = self.square(dtype, size)
        sp = self.p.mod["scipy.special"]
        return {"scipy": sp and (lambda: sp.softmax(m, axis=1)), "torch": self.t and (lambda: self.t.softmax(tm, 1))}

    def row_zeros(self, dtype, size):
        # numpy.zeros only reserves pages; what ours returns has been written
        s = SIZES[size]
        return self.both(lambda: np.full(s, 0, dtype), lambda: self.t.zeros(s, dtype=getattr(self.t, dtype)))

    def row_arange(self, dtype, size):
        n = SIZES[size][0] * SIZES[size][1]
        return self.both(lambda: np.arange(n, dtype=dtype), lambda: self.t.arange(n, dtype=getattr(self.t, dtype)))


def reduction(name, torch_name=None, axis=None, **options):
    def row(self, dtype, size):
        a, ta = self.flat(dtype, size) if axis is None else self.square(dtype, size)
        np_fn = getattr(np, name)
        t_fn = getattr(self.t, torch_name or name, None) if self.t else None
        kw = {} if axis is None else {"axis": axis}
        tkw = dict(options, **({} if axis is None else {"dim": axis}))
        return self.both(lambda: np_fn(a, **kw), t_fn and (lambda: t_fn(ta, **tkw)))
    return row


class Reduce(Suite):
    row_sum, row_prod, row_mean = reduction("sum"), reduction("prod"), reduction("mean")
    row_var, row_max, row_argmax = reduction("var", unbiased=False), reduction("max"), reduction("argmax")
    row_count_nonzero = reduction("count_nonzero")
    row_sum_axis0, row_sum_axis1 = reduction("sum", axis=0), reduction("sum", axis=1)
    row_mean_axis0, row_mean_axis1 = reduction("mean", axis=0), reduction("mean", axis=1)
    row_std_axis0, row_std_axis1 = reduction("std", axis=0, unbiased=False), reduction("std", axis=1, unbiased=False)
    row_max_axis0, row_max_axis1 = reduction("max", "amax", axis=0), reduction("max", "amax", axis=1)
    row_argmax_axis1, row_cumsum_axis1 = reduction("argmax", axis=1), reduction("cumsum", axis=1)
    row_median, row_nansum, row_nanmean = reduction("median"), reduction("nansum"), reduction("nanmean")
    row_min, row_min_axis0 = reduction("min"), reduction("min", "amin", axis=0)
    row_prod_axis0, row_prod_axis1 = reduction("prod", axis=0), reduction("prod", axis=1)
    row_cumprod_axis1, row_cumsum_axis0 = reduction("cumprod", axis=1), reduction("cumsum", axis=0)
    row_nanmean_axis0, row_nanmax = reduction("nanmean", axis=0), reduction("nanmax")
    row_nanmax_axis0, row_cprod_axis0 = reduction("nanmax", axis=0), reduction("prod", axis=0)
    row_any_axis1, row_all_axis1 = reduction("any", axis=1), reduction("all", axis=1)
    row_count_nonzero_axis1, row_argmax_axis0 = reduction("count_nonzero", axis=1), reduction("argmax", axis=0)
    row_diff_axis0, row_csum_axis0 = reduction("diff", axis=0), reduction("sum", axis=0)

    def row_logsumexp_axis1(self, dtype, size):
        m, tm = self.square(dtype, size)
        sp = self.p.mod["scipy.special"]
        return {"scipy": sp and (lambda: sp.logsumexp(m, 1)), "torch": self.t and (lambda: self.t.logsumexp(tm, 1))}

    def norm(self, dtype, size, order, axis):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.linalg.norm(m if axis is not None else m.reshape(-1), order, axis),
                         lambda: self.t.linalg.vector_norm(tm, order, axis))

    def row_norm1(self, dtype, size):
        return self.norm(dtype, size, 1, None)

    def row_norm2(self, dtype, size):
        return self.norm(dtype, size, 2, None)

    def row_norm_inf(self, dtype, size):
        return self.norm(dtype, size, np.inf, None)

    def row_norm2_axis0(self, dtype, size):
        return self.norm(dtype, size, 2, 0)

    def row_norm2_axis1(self, dtype, size):
        return self.norm(dtype, size, 2, 1)

    def row_cummax(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.maximum.accumulate(a), lambda: ta.cummax(0))

    def row_cumprod(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: a.cumprod(), lambda: ta.cumprod(0))

    def row_quantile3_axis1(self, dtype, size):
        m, tm = self.square(dtype, size)
        q = [0.1, 0.5, 0.9]
        tq = self.t and self.t.tensor(q, dtype=tm.dtype)
        return self.both(lambda: np.quantile(m, q, 1), lambda: self.t.quantile(tm, tq, 1))

    def row_cumsum(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: a.cumsum(), lambda: ta.cumsum(0))

    def row_histogram(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.histogram(a, 256, (0.5, 1.5)), lambda: self.t.histc(ta, 256, 0.5, 1.5))

    def truth(self, size, value, of):
        a = np.full(SIZES[size][0] * SIZES[size][1], value)
        ta = self.t.from_numpy(a) if self.t else None
        return self.both(lambda: getattr(a, of)(), lambda: getattr(ta, of)())

    def row_any_late(self, dtype, size):
        return self.truth(size, False, "any")

    def row_any_early(self, dtype, size):
        return self.truth(size, True, "any")

    def row_all_late(self, dtype, size):
        return self.truth(size, True, "all")


class Sort(Suite):
    def row_sort(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.sort(a), lambda: self.t.sort(ta))

    def row_argsort(self, dtype, size):
        # ours is stable
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.argsort(a, kind="stable"), lambda: self.t.argsort(ta, stable=True))

    def row_sort_axis1(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.sort(m, axis=1), lambda: self.t.sort(tm, dim=1))

    def row_sort_axis0(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.sort(m, axis=0), lambda: self.t.sort(tm, dim=0))

    def row_argsort_axis1(self, dtype, size):
        m, tm = self.square(dtype, size)
        return self.both(lambda: np.argsort(m, axis=1, kind="stable"), lambda: self.t.argsort(tm, dim=1, stable=True))

    def row_partition(self, dtype, size):
        a, _ = self.flat(dtype, size)
        return {"numpy": lambda: np.partition(a, a.size // 2)}

    def row_argpartition(self, dtype, size):
        a, _ = self.flat(dtype, size)
        return {"numpy": lambda: np.argpartition(a, a.size // 2)}

    def row_unique(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.unique(a), lambda: self.t.unique(ta))

    def row_unique_inverse(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.unique(a, return_inverse=True), lambda: self.t.unique(ta, return_inverse=True))

    def row_isin(self, dtype, size):
        (a, ta), (b, tb) = self.flat(dtype, size), self.p.values("", dtype, (1000,), 2)
        return self.both(lambda: np.isin(a, b), lambda: self.t.isin(ta, tb))

    def row_bincount(self, dtype, size):
        a, ta = self.flat(dtype, size)
        return self.both(lambda: np.bincount(a), lambda: self.t.bincount(ta))

    def row_topk100(self, dtype, size):
        a, ta = self.flat(dtype, size)

        def topk():
            i = np.argpartition(a, -100)[-100:]
            return i[np.argsort(a[i])[::-1]]
        return self.both(topk, lambda: self.t.topk(ta, 100))

    def row_searchsorted(self, dtype, size):
        a, ta = self.flat(dtype, size)
        edges = np.linspace(0.5, 1.5, 1000, dtype=dtype)
        te = self.t.from_numpy(edges) if self.t else None
        return self.both(lambda: np.searchsorted(edges, a), lambda: self.t.searchsorted(te, ta))


class Random(Suite):
    def __init__(self, peers):
        super().__init__(peers)
        self.g = np.random.default_rng(2)

    def n(self, size):
        return SIZES[size][0] * SIZES[size][1]

    def row_random_normal(self, dtype, size):
        n = self.n(size)
        return self.both(lambda: self.g.standard_normal(n, dtype=dtype), lambda: self.t.randn(n, dtype=getattr(self.t, dtype)))

    def row_random_uniform(self, dtype, size):
        n = self.n(size)
        return self.both(lambda: self.g.random(n, dtype=dtype), lambda: self.t.rand(n, dtype=getattr(self.t, dtype)))

    def row_random_exponential(self, dtype, size):
        n = self.n(size)
        return self.both(lambda: self.g.standard_exponential(n, dtype=dtype),
                         lambda: self.t.empty(n, dtype=getattr(self.t, dtype)).exponential_())

    def row_random_integers(self, dtype, size):
        n = self.n(size)
        return self.both(lambda: self.g.integers(0, 1000, n), lambda: self.t.randint(0, 1000, (n,)))

    def row_choice_tenth(self, dtype, size):
        n = self.n(size)
        return {"numpy": lambda: self.g.choice(n, n // 10, replace=False)}

    def row_permutation(self, dtype, size):
        n = self.n(size)
        return self.both(lambda: self.g.permutation(n), lambda: self.t.randperm(n))
