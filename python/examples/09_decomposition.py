# SPDX-License-Identifier: BSD-3-Clause
"""Components as an estimator: fitted to some samples, found again in others."""

import heddle as hd
from heddle import decomposition, tensor

x = tensor.cp_random((60, 12, 15), 3, seed=1).full()
x = x + hd.random.normal(x.shape, seed=2, std=0.02)

cp = decomposition.CP(3, nonnegative=True, random_state=0).fit(x[:40])
scores = cp.transform(x[40:])
print("scores", scores.shape, "of components", cp.components_.shape, f"after {cp.n_iter_} sweeps")
print(f"explained: {cp.score(x[:40]):.4f} of what was fitted, {cp.score(x[40:]):.4f} of what was not")
print("rebuilt", cp.inverse_transform(scores).shape)
