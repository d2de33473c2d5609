#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values of elementwise functions for tests/meaning/elementwise.c, by mpmath at 50 digits and by SciPy:

    python3 gen_elementwise.py > elementwise.h
"""
import textwrap

import mpmath as mp
mp.mp.dps = 50
real = {
    "exp2": (lambda x: mp.mpf(2) ** x, [-3.7, 0.1, 9.3]),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), [-27.5, 1e-5, 8.1]),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), [1e-9, 2, 77.7]),
    "arcsinh": (mp.asinh, [-3.5, 1e-7, 1e9]),
    "arccosh": (mp.acosh, [1.0000001, 3.3, 1e9]),
    "arctanh": (mp.atanh, [-0.999, 1e-7, 0.5]),
    "deg2rad": (lambda x: x * mp.pi / 180, [-270, 1.5, 33.25]),
    "rad2deg": (lambda x: x * 180 / mp.pi, [-3.25, 1e-3, 100]),
    "sinc": (lambda x: mp.sin(mp.pi * x) / (mp.pi * x), [-2.75, 0.1, 1000.5, 0.9999999]),
    "erf": (mp.erf, [-2.5, 1e-9, 0.7]),
    "erfc": (mp.erfc, [-2.5, 0.7, 20]),
    "gamma": (mp.gamma, [-2.5, 0.1, 5.5, 100.25]),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), [-2.5, 0.1, 5.5, 1e6]),
    "digamma": (mp.digamma, [-2.5, 1e-6, 1.4616321449683622, 1, 5.5, 1e6, -10.1]),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), [-700, -1.5, 40]),
    "softplus": (lambda x: mp.log1p(mp.exp(x)), [-700, -1.5, 800]),
    "silu": (lambda x: x / (1 + mp.exp(-x)), [-50, -1.5, 3]),
    "gelu": (lambda x: x * (1 + mp.erf(x / mp.sqrt(2))) / 2, [-9, -1.5, 3]),
    "lecun_tanh": (lambda x: mp.mpf("1.7159") * mp.tanh(2 * x / 3), [-9, 0.25, 1]),
}
branch = {
    "expm1": mp.expm1, "log1p": lambda z: mp.log(1 + z), "log2": lambda z: mp.log(z, 2), "log10": mp.log10,
    "arcsin": mp.asin, "arccos": mp.acos, "arctan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh,
    "arcsinh": mp.asinh, "arccosh": mp.acosh, "arctanh": mp.atanh, "sin": mp.sin, "tan": mp.tan,
}
points = [mp.mpc(0.3, -0.7), mp.mpc(-1.25, 2.5), mp.mpc(1e-9, 1e-7)]
print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Made by gen_elementwise.py with mpmath: name, arguments, values. */")


def put(line):
    print(textwrap.fill(line, 135, initial_indent="  ", subsequent_indent="    "))


def numbers(values):
    return ", ".join(mp.nstr(v, 18) for v in values)


most = max(len(xs) for f, xs in real.values())
print("static const struct { const char *name; int n; double x[%d], value[%d]; } real_truth[] = {" % (most, most))
for name, (f, xs) in real.items():
    xs = [mp.mpf(float(x)) for x in xs]
    put('{ "%s", %d, { %s }, { %s } },' % (name, len(xs), ", ".join(repr(float(x)) for x in xs), numbers(map(f, xs))))
print("};\nstatic const double complex_points[] = { %s };" % ", ".join(repr(float(t)) for z in points for t in (z.real, z.imag)))
print("static const struct { const char *name; double value[%d]; } complex_truth[] = {" % (2 * len(points)))
for name, f in branch.items():
    put('{ "%s", { %s } },' % (name, numbers(t for z in points for v in [mp.mpc(f(z))] for t in (v.real, v.imag))))
print("};")
