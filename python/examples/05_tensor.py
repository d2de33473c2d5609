# SPDX-License-Identifier: BSD-3-Clause
"""Components of a three-way table: made, spoiled, found again."""

import heddle as hd
from heddle import tensor

truth = tensor.cp_random((20, 30, 40), 3, seed=1)
x = truth.full() + hd.random.normal((20, 30, 40), seed=2, std=0.05)
known = hd.random.uniform(x.shape, seed=3) < 0.9

cp, fit = tensor.cp_als(x, 3, mask=known, tol=1e-7, normalise=True)
print(f"error {fit.error:.3f} after {fit.n_sweeps} sweeps ({fit.stopped})")
print(f"factor match score {tensor.factor_match(cp, truth):.4f}")

train, error = tensor.tt_svd(x, eps=0.1)
print("tensor train of", [core.shape for core in train.cores], f"error {error:.3f}")
