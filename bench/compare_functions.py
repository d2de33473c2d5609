# SPDX-License-Identifier: BSD-3-Clause
"""Peers of the rows of tools/bench/functions.c, in suite elementwise; compare_peers.py says how rows are found."""
import numpy as np
from compare_peers import SIZES, Suite


def of(numpy=None, torch=None, scipy=None, operands=1, kind="unit"):
    """A row of arrays of a KIND: what NumPy and SciPy's special functions call it, and PyTorch, or functions of the arrays (with
    PyTorch itself first)."""
    def row(self, dtype, size):
        r, c = SIZES[size]
        pairs = [self.p.values(kind, dtype, (r * c,), 1 + k) for k in range(operands)]
        a, ta = [p[0] for p in pairs], [p[1] for p in pairs]
        np_fn = getattr(np, numpy, None) if isinstance(numpy, str) else numpy
        t_fn, sp = torch, self.p.mod["scipy.special"]
        if isinstance(torch, str) and self.t:
            found = getattr(self.t, torch, None) or getattr(self.t.special, torch, None) or getattr(self.t.nn.functional, torch)
            t_fn = lambda t, *x: found(*x)  # noqa: E731
        return {"numpy": np_fn and (lambda: np_fn(*a)), "torch": self.t and t_fn and (lambda: t_fn(self.t, *ta)),
                "scipy": sp and scipy and (lambda fn=getattr(sp, scipy): fn(*a))}
    return row


def same(*names, **options):
    """Rows of functions that NumPy and PyTorch call alike."""
    return {"row_" + name: of(name, name, **options) for name in names}


class Functions(Suite):
    vars().update(same("abs", "square", "reciprocal", "log1p", "log2", "log10", "exp2", "tan", "arcsin", "arccos", "arctan", "sinh",
                       "cosh", "arcsinh", "arctanh", "sign", "isfinite", "logical_not", "angle", "signbit"))
    vars().update(same("arccosh", "floor", "round", kind="above"))
    vars().update(same("subtract", "floor_divide", "maximum", "fmax", "fmod", "copysign", "hypot", "logical_and", "bitwise_and",
                       "isclose", operands=2))
    row_cbrt, row_rsqrt, row_count_ones = of("cbrt"), of(torch="rsqrt"), of("bitwise_count")
    row_erfc, row_gamma = of(torch="erfc", scipy="erfc"), of(scipy="gamma", kind="above")
    row_lgamma = of(torch="lgamma", scipy="gammaln", kind="above")
    row_digamma = of(torch="digamma", scipy="digamma", kind="above")
    row_relu, row_silu = of(lambda x: np.maximum(x, 0), "relu"), of(torch="silu")
    row_leaky_relu = of(torch=lambda t, x: t.nn.functional.leaky_relu(x, 0.1))
    row_clip = of(lambda x: np.clip(x, x.dtype.type(0.3), x.dtype.type(0.6)), lambda t, x: x.clamp(0.3, 0.6))
    row_clip_whole = of(lambda x: np.clip(x, x.dtype.type(20), x.dtype.type(80)), lambda t, x: x.clamp(20, 80))
    row_nan_to_num, row_add_scalar = of("nan_to_num", "nan_to_num"), of(lambda x: x + 2, lambda t, x: x + 2)
    row_power_2, row_power_3 = of(lambda x: x ** 2, lambda t, x: x ** 2), of(lambda x: x ** 3, lambda t, x: x ** 3)
    row_multiply_scalar, row_less_scalar = of(lambda x: x * 2, lambda t, x: x * 2), of(lambda x: x < 50, lambda t, x: x < 50)
    row_floor_divide_scalar, row_mod_scalar = of(lambda x: x // 7, lambda t, x: x // 7), of(lambda x: x % 7, lambda t, x: x % 7)
    row_left_shift = of("left_shift", "bitwise_left_shift", operands=2)
    row_power_2_5 = of(lambda x: x ** 2.5, lambda t, x: x ** 2.5)
    row_mod, row_equal = of("remainder", "remainder", operands=2), of("equal", "eq", operands=2)
    row_arctan2, row_lerp = of("arctan2", "atan2", operands=2), of(torch="lerp", operands=3)
    row_to_int8 = of(lambda x: x.astype(np.int8), lambda t, x: x.to(t.int8), kind="above")
    row_to_int32 = of(lambda x: x.astype(np.int32), lambda t, x: x.to(t.int32), kind="above")
    row_to_int64 = of(lambda x: x.astype(np.int64), lambda t, x: x.to(t.int64), kind="above")
    row_to_bool, row_to_bf16 = of(lambda x: x.astype(bool), lambda t, x: x.bool()), of(torch=lambda t, x: x.bfloat16())
    row_to_f16, row_to_c64 = of(lambda x: x.astype(np.float16), lambda t, x: x.half()), of(lambda x: x.astype(np.complex64),
                                                                                       lambda t, x: x.to(t.complex64))
    row_to_f32 = of(lambda x: x.astype(np.float32), lambda t, x: x.float())
    row_to_f64 = of(lambda x: x.astype(np.float64), lambda t, x: x.double())
    row_clog, row_csqrt, row_csin, row_ctanh = of("log", "log"), of("sqrt", "sqrt"), of("sin", "sin"), of("tanh", "tanh")
    row_cpower, row_csquare = of("power", "pow", operands=2), of("square", "square")
    row_clog1p, row_cexpm1 = of("log1p", "log1p"), of("expm1", "expm1")
    row_creciprocal = of("reciprocal", "reciprocal")
    row_cadd_scalar = of(lambda x: x + (0.6 + 0.8j), lambda t, x: x + (0.6 + 0.8j))
    row_cmul_scalar = of(lambda x: x * (0.6 + 0.8j), lambda t, x: x * (0.6 + 0.8j))
    row_cdiv_scalar = of(lambda x: x / (0.6 + 0.8j), lambda t, x: x / (0.6 + 0.8j))
    row_hypot_scalar = of(lambda x: np.hypot(x, x.dtype.type(0.5)), lambda t, x: t.hypot(x, t.full((), 0.5, dtype=x.dtype)))
    row_real = of(lambda x: x.real.copy(), lambda t, x: x.real.clone(memory_format=t.contiguous_format))
