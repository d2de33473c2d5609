#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/data/statistics.h: what NumPy and SciPy give for statistics, sorting and sets.

Element k of the input is ((k * 7919 + 13) % 101) / 8 - 5, which both sides make exactly.
"""
import os
import textwrap
import warnings

import numpy as np
from scipy import ndimage, optimize, signal, special

warnings.simplefilter("ignore")
x = ((np.arange(24) * 7919 + 13) % 101) / 8 - 5
a = x.reshape(4, 6)
holes = np.where(a > 3, np.nan, a)
qs = [0, 0.1, 0.25, 1 / 3, 0.5, 0.625, 0.9, 1]
out = []


def put(name, values):
    v = np.asarray(values, dtype=float).ravel()
    text = ", ".join("NAN" if np.isnan(t) else repr(float(t)) for t in v)
    out.append(f"static const double np_{name}[] = {{ {text} }};")


for method in ("linear", "lower", "higher", "midpoint", "nearest"):
    put("q_" + method, np.quantile(a, qs, axis=1, method=method))
put("nanquantile", np.nanquantile(holes, qs, axis=1))
put("median", np.median(a, axis=0))
put("nanmedian", np.nanmedian(holes, axis=1))
put("cumprod", np.cumprod(a, axis=0))
put("nanstd", np.nanstd(holes, axis=1, ddof=1))
put("nanmean", np.nanmean(holes, axis=0))
put("nanmax", np.nanmax(holes, axis=0))
put("logsumexp", special.logsumexp(a * 300, axis=1))
w = np.arange(1, 7) / 4
put("average", np.average(a, axis=1, weights=w))
put("cov", np.cov(a))
put("cov_weighted", np.cov(a, aweights=w))
put("cov_columns", np.cov(a, rowvar=False, bias=True))
z = a[:2] + 1j * a[2:]
put("cov_complex", [np.cov(z).real, np.cov(z).imag])
put("corrcoef", np.corrcoef(a))
# sorting, searching, sets
bins = [-3.0, -1, -1, 0.5, 4]
put("search_left", np.searchsorted(bins, x, side="left"))
put("search_right", np.searchsorted(bins, x, side="right"))
put("digitize_down", np.digitize(x, [4, 0.5, -1, -3.0]))
put("digitize_down_right", np.digitize(x, [4, 0.5, -1, -3.0], right=True))
h, e = np.histogram(x, 5)
put("hist", h)
put("hist_edges", e)
put("hist_density", np.histogram(x, bins=[-3.0, -1, 0.5, 4], density=True)[0])
wt = np.arange(24) / 2
put("hist_weights", np.histogram(x, bins=4, range=(-2.5, 6), weights=wt)[0])
small = np.floor(x).astype(int) % 4
u, i, inv, c = np.unique(small, return_index=True, return_inverse=True, return_counts=True)
put("unique", u)
put("unique_index", i)
put("unique_inverse", inv)
put("unique_counts", c)
rows = small.reshape(12, 2)
u, i, inv, c = np.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
put("rows", u)
put("rows_index", i)
put("rows_inverse", inv)
put("rows_counts", c)
put("bincount", np.bincount(small, weights=wt, minlength=6))
put("label_mean", ndimage.mean(x, labels=small, index=np.arange(6)))
cost = x.reshape(4, 6)
r, c = optimize.linear_sum_assignment(cost)
put("assignment", c)
r, c = optimize.linear_sum_assignment(cost.T, maximize=True)
put("assignment_tall", [r, c])
s = np.round(x)
p, d = signal.find_peaks(s, prominence=0, plateau_size=0)
put("peaks", p)
put("peaks_prominence", d["prominences"])
put("peaks_distance", signal.find_peaks(x, distance=4)[0])

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "statistics.h"), "w") as f:
    print("// SPDX-License-Identifier: BSD-3-Clause", file=f)
    print("/* Made by statistics.py with NumPy", np.__version__, "and SciPy", __import__("scipy").__version__ + ".",
          file=f)
    print(" * Element k of the input is ((k * 7919 + 13) % 101) / 8 - 5. */", file=f)
    print("#ifndef HED_TESTS_STATISTICS_H\n#define HED_TESTS_STATISTICS_H\n\n#include <math.h>\n", file=f)
    for line in out:
        print(textwrap.fill(line, 135, subsequent_indent="  "), file=f)
    print("\n#endif", file=f)
