# SPDX-License-Identifier: BSD-3-Clause
# Makes linalg.h: matrices of small integers or known fractions and what mpmath computes from them with 60 digits.
# Usage: python3 gen_linalg.py >linalg.h
import textwrap

import mpmath as mp

mp.mp.dps = 60


def put(name, values):
    print(textwrap.fill(f"static const double {name}[{len(values)}] = {{ {', '.join(values)} }};", 135, subsequent_indent="  "))


def text(x):
    return mp.nstr(x, 17, min_fixed=1, max_fixed=0) if x != 0 else "0.0"


def flat(m):
    return [text(m[i, j]) for i in range(m.rows) for j in range(m.cols)]


print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Made by gen_linalg.py with mpmath (60 digits): matrices and what is computed from them. */")

n = 6
hilbert = mp.matrix(n, n)
for i in range(n):
    for j in range(n):
        hilbert[i, j] = mp.mpf(1) / (i + j + 1)
put("hilbert_inverse", flat(hilbert ** -1))
put("hilbert_values", [text(v) for v in sorted(mp.eigsy(hilbert, eigvals_only=True))])
put("hilbert_det", [text(mp.det(hilbert))])
put("hilbert_cholesky", flat(mp.cholesky(hilbert)))

# Frank's matrix of order 7: eigenvalues real, the small ones badly conditioned
frank = mp.matrix(7, 7)
for i in range(7):
    for j in range(7):
        frank[i, j] = 7 - max(i, j) if j >= i - 1 else 0
put("frank_values", [text(v) for v in sorted(mp.re(x) for x in mp.eig(frank, left=False, right=False))])

# expm: a general matrix, a large nilpotent one times 3 plus identity, a badly scaled one
general = mp.matrix([[1, 2, 0], [-3, 1, 4], [2, -1, 0]])
put("exp_general", flat(mp.expm(general)))
put("exp_general_times_8", flat(mp.expm(general * 8)))
scaled = mp.matrix([[1, 1000], [mp.mpf(0), -2]])
put("exp_scaled", flat(mp.expm(scaled)))

# least squares: a cubic through 6 points
vander = mp.matrix(6, 4)
right = mp.matrix(6, 1)
for i in range(6):
    right[i] = mp.mpf(i * i) / 3 - (i % 2)
    for j in range(4):
        vander[i, j] = mp.mpf(i) ** j
x = (vander.T * vander) ** -1 * (vander.T * right)
put("cubic", flat(x))
rest = right - vander * x
put("cubic_residual", [text((rest.T * rest)[0])])
wide = vander.T
put("least_norm", flat(wide.T * ((wide * wide.T) ** -1 * mp.matrix([1, 2, 3, 4]))))
