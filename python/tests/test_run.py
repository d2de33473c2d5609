# SPDX-License-Identifier: BSD-3-Clause
"""python -m heddle.run: a script for NumPy says the same, on a backend."""

import subprocess
import sys

SCRIPT = """
import sys
import numpy as np
from numpy.linalg import svd
import numpy.fft
from helper import centred

rng = np.random.default_rng(1)
x = np.arange(12.0).reshape(3, 4) + np.zeros((3, 4), dtype=np.float64)
y = centred(x)
u, s, vh = svd(y, full_matrices=False)
print(type(x).__module__, sys.argv[1:])
print(round(float(s[0]), 6), np.concatenate([x, y], axis=0).shape, f"{np.mean(x ** 2):.3f}", float(np.sum(np.abs(np.fft.rfft(y)))) > 0)
print(np.allclose(np.einsum("ij,jk", u * s, vh), y), int(np.argmax(np.sin(x))), rng.normal(size=(2, 3)).shape, np.pi > 3)
x[x > 5] = -1
print(x.sum(axis=0).tolist(), np.where(x < 0, 0, 1).sum())
"""
HELPER = """
import numpy as np


def centred(x):
    return x - np.mean(x, axis=0, keepdims=True)
"""


def run(folder, *words):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=folder, timeout=120)


def test_an_unchanged_script(np, tmp_path):
    (tmp_path / "job.py").write_text(SCRIPT)
    (tmp_path / "helper.py").write_text(HELPER)
    ours = run(tmp_path, "-m", "heddle.run", "--backend", "reference", "job.py", "-a", "b")
    theirs = run(tmp_path, "job.py", "-a", "b")
    assert ours.returncode == 0 and theirs.returncode == 0, ours.stderr + theirs.stderr
    assert ours.stdout.splitlines()[0] == "heddle ['-a', 'b']"
    assert ours.stdout.splitlines()[1:] == theirs.stdout.splitlines()[1:]


def test_what_is_missing(np, tmp_path):
    (tmp_path / "job.py").write_text("import numpy as np\nprint(np.busday_count('2026-01-05', '2026-01-12'))\n")
    refused = run(tmp_path, "-m", "heddle.run", "job.py")
    assert refused.returncode != 0 and "Heddle has no numpy.busday_count" in refused.stderr
    served = run(tmp_path, "-m", "heddle.run", "--fallback", "job.py")
    assert served.stdout == "5\n" and "NumPy's own: numpy.busday_count (1)" in served.stderr


def test_libraries_keep_numpy(np, tmp_path):
    (tmp_path / "job.py").write_text("import numpy as np, json, heddle as hd\nfrom numpy.testing import assert_allclose\n"
                                     "assert_allclose(hd.ones(3).tolist(), [1, 1, 1])\nprint(hd.get_backend(), np.ones(2))\n")
    r = run(tmp_path, "-m", "heddle.run", "--fallback", "--backend", "reference", "job.py")
    assert r.returncode == 0 and r.stdout.startswith("reference"), r.stderr


IDIOMS = """
import numpy as np
import numpy.typing as npt

x: npt.NDArray = np.zeros(3, float) + 0.1
rows = np.array([x, x * 2])
print(x.sum().item(), rows.shape, [int(i) for i in np.where(rows[1] > 0.15)[0]], (x * 1.234).round(2).tolist())
print(np.linalg.lstsq(rows.T, x, rcond=None)[0].shape, np.ones(2, 'i').dtype, np.ones(2, dtype='f8').dtype)
"""
OWN = """
import numpy as np
x = np.array([[1.0, 2.0], [4.0, 3.0]])
print(np.column_stack([x[0], x[1]]).tolist(), np.interp(1.5, x[0], x[1]), np.insert(x, 1, 9, axis=0).tolist())
print(np.histogram(x, 2)[0].tolist(), np.linspace(0, 1, 5)[1].item())
np.save("x.npy", x)
print(np.load("x.npy").tolist(), np.unique(x, axis=0).tolist())
"""


def test_idioms_in_float64(np, tmp_path):
    (tmp_path / "job.py").write_text(IDIOMS)
    ours, theirs = run(tmp_path, "-m", "heddle.run", "job.py"), run(tmp_path, "job.py")
    assert ours.stdout == theirs.stdout and ours.returncode == 0, ours.stdout + ours.stderr


def test_numpys_own_are_counted(np, tmp_path):
    (tmp_path / "job.py").write_text(OWN)
    ours, theirs = run(tmp_path, "-m", "heddle.run", "--fallback", "job.py"), run(tmp_path, "job.py")
    assert ours.stdout == theirs.stdout, ours.stdout + ours.stderr
    counts = "numpy.insert (1), numpy.interp (1), numpy.load (1), numpy.save (1), numpy.unique (1)"
    assert ours.stderr == f"heddle.run: NumPy's own: {counts}\n"
    refused = run(tmp_path, "-m", "heddle.run", "job.py")
    assert refused.returncode != 0 and "Heddle has no numpy.interp" in refused.stderr
