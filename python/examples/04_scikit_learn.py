# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's and SciPy's array API: their code on Heddle's arrays."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")   # before SciPy is imported

from scipy import stats  # noqa: E402
from sklearn import config_context  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402

import heddle as hd  # noqa: E402

x = hd.random.normal((500, 8), hd.float64, seed=1)
x[:, 1] = x[:, 0] * 2

with config_context(array_api_dispatch=True):
    pca = PCA(n_components=3, svd_solver="full").fit(x)
    y = pca.transform(x)
print("PCA:   ", type(y).__name__, y.shape, pca.explained_variance_ratio_)

z = stats.zscore(x, axis=0)
print("zscore:", type(z).__name__, float(hd.max(hd.abs(hd.mean(z, axis=0)))) < 1e-12)
