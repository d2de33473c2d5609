# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the package's tests. Truth is NumPy's where it is installed; what needs it is skipped where it is not."""

import pytest

import heddle as hd


@pytest.fixture
def np():
    return pytest.importorskip("numpy")


@pytest.fixture
def rng(np):
    return np.random.default_rng(20240917)


@pytest.fixture(params=["reference", "cpu"])
def each_backend(request):
    """The test once on each host backend."""
    if hd.backend_info(request.param)["state"] in ("failed", "disabled"):
        pytest.skip(hd.explain(request.param))
    with hd.backend(request.param):
        yield request.param
