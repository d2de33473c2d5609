#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes base/promotion.h: dtypes, and for each pair the number of their sum's.  Within a kind, and with bool, the
# answer is NumPy's; NumPy knows no bfloat16 and widens floats for integers, which Heddle does not:
# those pairs follow the sentence in <heddle/dtype.h>.
import textwrap

import numpy as np

names = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64
complex64 complex128""".split()
kind = lambda n: n.rstrip("0123456789").replace("bfloat", "float").replace("uint", "int")

def promote(a, b):
    if a == b:
        return a
    if "bool" in (a, b):
        return b if a == "bool" else a
    if kind(a) == kind(b) == "float" and "bfloat16" in (a, b):
        return {"float16": "float32"}.get(a if b == "bfloat16" else b, a if b == "bfloat16" else b)
    if kind(a) == kind(b):
        return np.promote_types(a, b).name
    if "int" in (kind(a), kind(b)):
        return b if kind(a) == "int" else a
    real, other = (a, b) if kind(a) == "float" else (b, a)
    return "complex128" if real == "float64" else other

print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Written by base_promotion.py with NumPy", np.__version__ + ". */")
print("static const char *const promoted[] = {")
print(textwrap.fill(", ".join(f'"{n}"' for n in names), 135, initial_indent="  ", subsequent_indent="  ") + "\n};")
print(f"static const unsigned char promotion[][{len(names)}] = {{")
for a in names:
    sums = (promote(*sorted((a, b), key=names.index)) for b in names)
    print("  {", ", ".join(str(names.index(s)) for s in sums), "},")
print("};")
