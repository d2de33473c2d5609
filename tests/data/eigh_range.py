# SPDX-License-Identifier: BSD-3-Clause
# Writes tests/data/eigh_range.h: some eigenvalues and vectors, by scipy.linalg.eigh, of two matrices of integers.
# Run with NumPy and SciPy installed:  python3 eigh_range.py >eigh_range.h
import textwrap

import numpy as np
import scipy
from scipy import linalg

i, j = np.mgrid[0:20, 0:20].astype(float)
symmetric = (i * j) % 7 + i * (i == j)
hermitian = symmetric + 1j * ((i + 2 * j) % 5 - (j + 2 * i) % 5)


def put(name, a):
    values = ", ".join("%.17g" % v for v in np.ravel(a))
    print(textwrap.fill("static const double %s[] = { %s };" % (name, values), 135, subsequent_indent="  "))


print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Made by eigh_range.py with SciPy %s. Columns have their first component within 0.999 of the largest real and positive. */"
      % scipy.__version__)
for name, a in ("symmetric", symmetric), ("hermitian", hermitian):
    for part, first, count in ("last", 17, 3), ("middle", 7, 4), ("most", 2, 16):
        w, v = linalg.eigh(a, subset_by_index=[first, first + count - 1])
        size = np.abs(v)
        lead = v[np.argmax(size >= 0.999 * size.max(0), 0), np.arange(count)]
        v = v * (np.conj(lead) / np.abs(lead))
        put("%s_%s_values" % (name, part), w)
        if part != "most":
            put("%s_%s_vectors" % (name, part), np.stack([v.real, v.imag]) if name == "hermitian" else v)
