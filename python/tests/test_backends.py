# SPDX-License-Identifier: BSD-3-Clause
"""heddle.backends: Heddle as the backend of other libraries, each of which is skipped where it is not installed."""

import importlib
import os
import subprocess
import sys
import threading

import pytest

import heddle as hd


def module(name):
    pytest.importorskip(name)
    return importlib.import_module(f"heddle.backends.{name}")


def run(*lines, **environment):
    r = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=300,
                       env={**os.environ, **environment})
    assert r.returncode == 0, r.stderr
    return r.stdout.split()


@pytest.mark.parametrize("name", ["tensorly", "holovec"])
def test_without_the_library(name):
    """The error says what to install; heddle.backends() is still the list."""
    said = run("import sys, heddle", f"sys.modules[{name!r}] = None", "try:", f"    import heddle.backends.{name}",
               "except ImportError as e:", "    print(e)", "print('cpu' in heddle.backends())")
    assert said[:3] == [f"{name}.backends" if name == "holovec" else name, "is", "needed:"] and said[-1] == "True"
    assert f"install {name}" in " ".join(said)


def test_tensorly_by_its_own_words(np):
    module("tensorly")
    for lines, environment in [(["import heddle.backends.tensorly, tensorly"], {"TENSORLY_BACKEND": "heddle"}),
                               (["import tensorly, heddle.backends.tensorly", "tensorly.set_backend('heddle')"], {})]:
        lines += ["import importlib; importlib.reload(heddle.backends.tensorly)",   # twice is once
                  "from tensorly.decomposition import parafac", "import numpy",
                  "t = tensorly.tensor(numpy.random.default_rng(1).random((4, 5, 6)))", "w, f = parafac(t, 3, random_state=1)",
                  "print(tensorly.get_backend(), type(f[0]).__module__, f[0].shape == (4, 3))"]
        assert run(*lines, **environment) == ["heddle", "heddle", "True"]


def test_tensorly_follows_each_threads_context(np):
    b, tensorly = module("tensorly"), importlib.import_module("tensorly")
    seen, truth = {}, np.random.default_rng(3).random((5, 6, 7))
    factors = [np.random.default_rng(k).random((n, 2)) for k, n in enumerate(truth.shape)]
    want = np.einsum("ijk,jr,kr->ir", truth, factors[1], factors[2])

    def work(spec):
        with hd.backend(spec):
            cp = None, [tensorly.tensor(f) for f in factors]
            seen[spec] = tensorly.tenalg.unfolding_dot_khatri_rao(tensorly.tensor(truth), cp, 0)
    b.use()
    try:
        threads = [threading.Thread(target=work, args=(spec,)) for spec in ("reference", "cpu", "cpu;threads=1")]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        tensorly.set_backend("numpy")
        tensorly.tenalg.set_backend("core")
    assert {spec: x.backend for spec, x in seen.items()} == {"reference": "reference", "cpu": "cpu", "cpu;threads=1": "cpu"}
    for x in seen.values():
        assert np.allclose(np.asarray(x), want)


@pytest.mark.parametrize("model", ["FHRR", "HRR", "MAP", "BSC"])
def test_holovec_draws_and_computes_as_with_numpy(np, model):
    module("holovec")
    import holovec
    vectors = {}
    for backend in ("numpy", "heddle"):
        vsa = holovec.VSA.create(model, dim=512, backend=backend, seed=1)
        a, b = vsa.random(seed=1), vsa.random(seed=2)
        vectors[backend] = [vsa.backend.to_numpy(v) for v in (a, b, vsa.bind(a, b), vsa.unbind(vsa.bind(a, b), b))]
        assert type(a).__module__ == backend
    for ours, theirs in zip(vectors["heddle"], vectors["numpy"]):
        assert ours.dtype == theirs.dtype and np.allclose(ours, theirs, atol=1e-5)
