# SPDX-License-Identifier: BSD-3-Clause
"""heddle.backends: Heddle as the backend of other libraries, each of which is skipped where it is not installed."""

import importlib
import os
import subprocess
import sys
import threading

import pytest

import heddle as hd


def module(name, peer=None):
    pytest.importorskip(peer or name)
    return importlib.import_module(f"heddle.backends.{name}")


def run(*lines, **environment):
    r = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=300,
                       env={**os.environ, **environment})
    assert r.returncode == 0, r.stderr
    return r.stdout.split()


@pytest.mark.parametrize("name, package, module", [
    ("tensorly", "tensorly", "tensorly"), ("holovec", "holovec", "holovec.backends"), ("pytme", "pytme", "tme.backends"),
    ("ultrasound_metrics", "ultrasound-metrics", "ultrasound_metrics._utils.array_api")])
def test_without_the_library(name, package, module):
    """The error says what to install; heddle.backends() is still the list."""
    said = run("import sys, heddle", f"sys.modules[{module.partition('.')[0]!r}] = None", "try:", f"    import heddle.backends.{name}",
               "except ImportError as e:", "    print(e)", "print('cpu' in heddle.backends())")
    assert said[:3] == [module, "is", "needed:"] and said[-1] == "True"
    assert f"install {package} " in " ".join(said)


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


PYTME = """
import sys, numpy, heddle, heddle.backends.pytme
from tme.analyzer import MaxScoreOverRotations
from tme.backends import backend
from tme.matching_data import MatchingData
from tme.matching_exhaustive import MATCHING_EXHAUSTIVE_REGISTER, match_exhaustive

def scores(name, score, jobs):
    backend.change_backend(name)
    target = numpy.random.default_rng(1).random((20, 24, 30), numpy.float32)
    template = target[8:14, 7:13, 9:15].copy()
    turns = numpy.stack([numpy.eye(3), numpy.diag([-1, -1, 1]), numpy.diag([1, -1, -1])]).astype(numpy.float32)
    data = MatchingData(target=target, template=template, template_mask=numpy.ones_like(template), rotations=turns)
    setup, scoring = MATCHING_EXHAUSTIVE_REGISTER[score]
    found = match_exhaustive(matching_data=data, matching_setup=setup, matching_score=scoring,
                             callback_class=MaxScoreOverRotations, job_schedule=jobs)
    found = found[0] if isinstance(found[0], tuple) else found
    return backend.to_numpy_array(found[0])

if __name__ == "__main__":
    assert "heddle" in backend.available_backends()
    for score, jobs in [("FLC", (1, 1)), ("FLC", (2, 1)), ("CAM", (1, 1)), ("FLCSphericalMask", (1, 1))]:
        with heddle.backend("reference"):
            got = scores("heddle", score, jobs)
        print(score, jobs[0], abs(got - scores("numpyfftw", score, jobs)).max() < 1e-5)
"""


def test_pytme_scores_as_with_numpy(tmp_path):
    """In this process and in workers of others, which have to import the backend first."""
    pytest.importorskip("tme")
    script = tmp_path / "scores.py"
    script.write_text(PYTME)
    r = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stderr
    assert [line.split()[-1] for line in r.stdout.splitlines()] == ["True"] * 4


@pytest.mark.filterwarnings("error:histogram not implemented", "error:Convolution not optimized")
def test_ultrasound_metrics_as_with_numpy(np):
    module("ultrasound_metrics")
    metrics = pytest.importorskip("ultrasound_metrics.metrics")
    rng = np.random.default_rng(1)
    image, inside, outside = rng.random((30, 40)), rng.random(500), rng.random(400) + 0.4
    ours = [hd.asarray(x) for x in (image, inside, outside)]
    assert np.allclose(float(metrics.tenengrad(ours[0])), metrics.tenengrad(image))
    assert np.allclose(float(metrics.gcnr(*ours[1:])), metrics.gcnr(inside, outside))
