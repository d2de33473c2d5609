#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes reference/divmod.h: floor division and modulus of float64, as NumPy computes them.
import itertools
import numpy as np

np.seterr(all="ignore")
values = [0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 2.5, -7.0, 3.0, 1e-300, 1e300, np.inf, -np.inf, np.nan, 5e-324, 4503599627370497.5]

def c(x):
    return "NAN" if np.isnan(x) else ("-" if x < 0 else "") + "INFINITY" if np.isinf(x) else float(x).hex()

print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Written by reference_divmod.py with NumPy", np.__version__ + ": a, b, floor(a / b), a mod b. */")
print("#include <math.h>\n")
print("static const double divmod_table[][4] = {")
for a, b in itertools.product(values, values):
    print("  {", ", ".join(c(v) for v in (a, b, np.floor_divide(a, b), np.mod(a, b))), "},")
print("};")
