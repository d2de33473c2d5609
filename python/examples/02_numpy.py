# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that NumPy and Heddle share, without copies."""

import numpy as np

import heddle as hd

a = np.linspace(0, 1, 6, dtype="float32").reshape(2, 3)
x = hd.asarray(a)                # the same memory
x[0] *= 10
print(a)                         # NumPy sees it
print(type(np.exp(x)))           # NumPy's functions on it stay Heddle's
print(np.asarray(hd.linalg.svd(x).S))
