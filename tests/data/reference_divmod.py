#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes reference/divmod.h: floor division and modulus of float64, as NumPy computes them.
import textwrap
import numpy as np

np.seterr(all="ignore")
values = [0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 2.5, -7.0, 3.0, 1e-300, 1e300, np.inf, -np.inf, np.nan, 5e-324, 4503599627370497.5]

def c(x):
    return "NAN" if np.isnan(x) else ("-" if x < 0 else "") + "INFINITY" if np.isinf(x) else repr(float(x))

print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Written by reference_divmod.py with NumPy", np.__version__ + ": floor(a / b) and a mod b, a row for each a. */")
print("#include <math.h>\n")


def put(name, values):
    print(textwrap.fill(f"static const double {name} = {{ {', '.join(map(c, values))} }};", 135, subsequent_indent="  "))


put("divmod_values[]", values)
put("floor_divide_values[]", [np.floor_divide(a, b) for a in values for b in values])
put("mod_values[]", [np.mod(a, b) for a in values for b in values])
