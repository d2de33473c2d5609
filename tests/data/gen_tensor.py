# SPDX-License-Identifier: BSD-3-Clause
# Makes tensor.h: what TensorLy 0.10.0 on NumPy 2.4 makes of tensors that are given by a formula. Nothing is random but the start of
# the regressions (seed 3), which are run to their optimum.
# Usage: python3 gen_tensor.py >tensor.h
import textwrap
import warnings

import numpy as np
import tensorly as tl
from tensorly import decomposition, metrics
from tensorly.metrics import regression
from tensorly.metrics.entropy import vonneumann_entropy
from tensorly.metrics.similarity import correlation_index
from tensorly.parafac2_tensor import parafac2_to_slices
from tensorly.regression import CP_PLSR, CPRegressor, TuckerRegressor
from tensorly.tt_matrix import tt_matrix_to_matrix

warnings.filterwarnings("ignore")


def values(shape, a):
    k = np.arange(int(np.prod(shape)))
    return (0.5 + 0.5 * np.sin(a * (k + 1) + 0.3 * (k % 7))).reshape(shape)


def off(x, y):
    return np.linalg.norm(x - y) / np.linalg.norm(x)


def put(name, *numbers):
    values = ", ".join(repr(float(v)) for v in numbers)
    print(textwrap.fill(f"static const double tl_{name}[{len(numbers)}] = {{ {values} }};", 135, subsequent_indent="  "))


print("// SPDX-License-Identifier: BSD-3-Clause")
print(f"/* Made by gen_tensor.py with TensorLy {tl.__version__}, NumPy {np.__version__}. */")

x = values((5, 6, 7, 4), 1.7)
put("train", *(off(x, tl.tt_to_tensor(decomposition.tensor_train(x, rank=list(r))))
               for r in ([1, 2, 3, 2, 1], [1, 1, 1, 1, 1], [1, 4, 5, 3, 1])))
full = np.exp(3 * x)  # of which no unfolding has a low rank
put("ring", *(off(full, tl.tr_to_tensor(decomposition.tensor_ring(full, rank=list(r)))) for r in ([2, 2, 2, 2, 2], [2, 2, 3, 2, 2])))
m = values((2, 3, 4, 3, 2, 4), 0.9)
put("matrix", off(m.reshape(24, 24), tt_matrix_to_matrix(decomposition.tensor_train_matrix(m, [1, 3, 4, 1]))))
put("hosvd", off(x, tl.tucker_to_tensor(decomposition.tucker(x, rank=[2, 3, 2, 2], n_iter_max=200, init="svd", tol=1e-14))))

slices = [values((5 + i, 6), 1.1 + 0.2 * i) for i in range(4)]
size = np.sqrt(sum((s**2).sum() for s in slices))
errors = []
for sweeps in (1, 5):
    fit = decomposition.parafac2(slices, 2, n_iter_max=sweeps, init="svd", tol=1e-300, n_iter_parafac=1)
    errors.append(np.sqrt(sum(((a - b) ** 2).sum() for a, b in zip(slices, parafac2_to_slices(fit)))) / size)
put("parafac2", *errors)

samples, w = values((40, 3, 4), 1.3), values((3, 4), 2.1)
y = np.tensordot(samples, w, 2) + 0.1 * values((40,), 5.1)
for name, model, rank in (("cp_regression", CPRegressor, 1), ("cp_regression2", CPRegressor, 2),
                          ("tucker_regression", TuckerRegressor, [1, 1])):
    ranks = {"weight_rank": rank} if model is CPRegressor else {"weight_ranks": rank}
    ridge = 1.0 if model is CPRegressor else 1e-10  # theirs counts the core, too
    fit = model(**ranks, reg_W=ridge, n_iter_max=3000, tol=1e-15, random_state=3, verbose=0)
    fit.fit(samples, y)
    put(name, ((y - fit.predict(samples)) ** 2).sum(), np.linalg.norm(fit.weight_tensor_))
numbers = []
for n in (1, 2, 3):
    fit = CP_PLSR(n, tol=1e-14, n_iter_max=1000)
    fit.fit(samples, y)
    numbers += [((y - fit.predict(samples).ravel()) ** 2).sum(), fit.predict(samples[:1]).ravel()[0]]
put("plsr", *numbers)

a, b = values((30,), 0.7), values((30,), 1.9)
put("prediction", regression.MSE(a, b), regression.RMSE(a, b), regression.R2_score(a, b), regression.covariance(a, b),
    regression.correlation(a, b), regression.reflective_correlation_coefficient(a, b))
p, q = values((6, 3), 0.7), values((6, 3), 1.9)
put("congruence", metrics.congruence_coefficient(p, q)[0])
one, other = [values((5, 3), 0.7), values((6, 3), 0.9)], [values((5, 3), 1.7), values((6, 3), 1.9)]
put("index", *(correlation_index(one, other, method=k) for k in ("stacked", "max_score", "min_score", "avg_score")))
put("entropy", vonneumann_entropy(p @ p.T / np.trace(p @ p.T)))

low = np.einsum("ir,jr,kr->ijk", values((8, 2), 0.7), values((8, 2), 0.9), values((8, 2), 1.3))
low.ravel()[::41] += 5
parts = decomposition.robust_pca(low, reg_E=0.5, reg_J=1.0, tol=1e-15, n_iter_max=3000, mu_init=1e-4, learning_rate=1.05, mu_max=1e3)
put("robust", np.linalg.norm(parts[0]), np.abs(parts[1]).sum())
