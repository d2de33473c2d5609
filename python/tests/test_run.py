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
print(np.column_stack([x[0], x[1]]).tolist(), np.interp(1.5, x[0], x[1], period=9), np.insert(x, 1, 9, axis=0).tolist())
print(np.histogram(x, 2)[0].tolist(), np.linspace(0, 1, 5)[1].item())
np.save("x.npy", x)
print(np.load("x.npy").tolist(), np.unique(x, axis=0).tolist())
"""


PROGRAM = """
import numpy as np

x = np.arange(12.0).reshape(3, 4)
print(x.mean() / 7, x[0], repr(x[1]), [np.arange(3)], {int(k): k for k in np.arange(2)})
print((np.arange(3) == [0, 1, 2]).all(), x[0] + [0.1, 0.2, 0.3, 0.4], x.dtype == float, (x > 3).dtype == bool)
print(np.zeros(2, "int").dtype == int)
np.add.at(x, ([0, 0, 1], [1, 1, 2]), 5)
print(x, np.add.reduce(x, axis=1), np.multiply.outer([1, 2], [3, 4]), np.maximum.accumulate(x[2]))
print(np.add(x, 1, out=np.empty((3, 4)))[0], np.add(x, 1, np.empty((3, 4)))[1])
print(x.T.flatten("F"), x.flat[5], x.item(1, 2), x.item(7), x.flags.c_contiguous, x.T.flags["C_CONTIGUOUS"], np.isscalar(x.sum()))
x.flat[3] = 9
print(x.tolist(), np.lexsort(([1, 0, 1], [2, 2, 1])), x[np.ix_([0, 2], [1, 3])], np.interp(1.5, [1, 2], [5, 7]))
print(np.polyval([1, 2], x[0]))
with np.errstate(divide="ignore"):
    print(np.digitize([0.5, 2.5], [0, 1, 2]), np.append([1], [2, 3]), np.delete(x[0], [0, 1]), np.trapezoid(x[1]), np.hanning(5))
"""
LENT = """
import numpy as np
y, x = np.ogrid[-1.4:1.4:4j, -2:0.8:4j]
z = np.asarray(x + y * 1j)
print((z * np.conj(z) > 2).tolist(), np.r_[1:3, 7], np.lib.stride_tricks.sliding_window_view(np.arange(4), 2))
"""
RANDOM = """
import numpy as np
np.random.seed(3)
a, b, c = np.random.rand(400), np.random.randn(400), np.random.randint(0, 10, 400)
assert a.shape == b.shape == c.shape == (400,) and 0 <= a.min() and a.max() < 1 and abs(b.mean()) < 0.2 and c.dtype == np.int64
assert c.min() == 0 and c.max() == 9 and len(set(c.tolist())) == 10
rng = np.random.default_rng(5)
assert sorted(rng.permutation(9).tolist()) == list(range(9)) and rng.integers(3, size=(2, 3)).shape == (2, 3)
h = np.arange(9)
rng.shuffle(h)
words = list("abcd")
rng.shuffle(words)
assert sorted(h.tolist()) == list(range(9)) and sorted(words) == list("abcd")
assert set(rng.choice([1, 5, 7], 50, p=[0.5, 0.5, 0]).tolist()) == {1, 5}
assert len(set(rng.choice(9, 9, replace=False).tolist())) == 9
assert isinstance(rng.random(), float) and isinstance(rng.normal(2), float) and isinstance(int(rng.integers(5)), int)
assert rng.normal(np.array([0.0, 100.0]), [1.0, 2.0]).shape == (2,) and rng.normal([[0.0], [100.0]], 1.0, (2, 300)).mean(1)[1] > 99
g = rng.multivariate_normal([1, 2], [[2, 1], [1, 2]], 3000)
assert g.shape == (3000, 2) and abs(np.cov(g.T)[0, 1] - 1) < 0.3 and abs(g.mean(0)[1] - 2) < 0.2
assert abs(rng.exponential(2.0, 2000).mean() - 2) < 0.3 and abs(rng.poisson(3, 2000).mean() - 3) < 0.3
assert rng.binomial(10, 0.5, 90).max() <= 10 and 0 <= rng.beta(1, 2, 9).min() and rng.gamma(2, 1, 3).shape == (3,)
np.random.seed(3)
assert (np.random.rand(400) == a).all()
for wrong in (lambda: rng.integers(5, 5), lambda: rng.choice(3, p=[0.5, 0.2, 0.2]),
              lambda: rng.multivariate_normal([0, 0], np.eye(3))):
    try:
        wrong()
    except ValueError:
        continue
    raise SystemExit("no ValueError")
"""


def test_a_program_prints_the_same(np, tmp_path):
    (tmp_path / "job.py").write_text(PROGRAM)
    ours, theirs = run(tmp_path, "-m", "heddle.run", "job.py"), run(tmp_path, "job.py")
    assert theirs.returncode == 0 and ours.stdout == theirs.stdout, ours.stdout + ours.stderr + theirs.stderr


def test_what_numpy_lends(np, tmp_path):
    (tmp_path / "job.py").write_text(LENT)
    ours, theirs = run(tmp_path, "-m", "heddle.run", "--fallback", "job.py"), run(tmp_path, "job.py")
    assert theirs.returncode == 0 and ours.stdout == theirs.stdout, ours.stdout + ours.stderr
    assert "greater (1)" in ours.stderr and "numpy.ogrid (1)" in ours.stderr


def test_random_numbers(np, tmp_path):
    (tmp_path / "job.py").write_text(RANDOM)
    ours, theirs = run(tmp_path, "-m", "heddle.run", "job.py"), run(tmp_path, "job.py")
    assert ours.returncode == 0 and theirs.returncode == 0, ours.stderr + theirs.stderr
    (tmp_path / "own.py").write_text("import numpy as np\nrng = np.random.default_rng(1)\nprint((rng.wald(1, 2) == rng.wald(1, 2)))\n")
    assert "no numpy.random.wald" in run(tmp_path, "-m", "heddle.run", "own.py").stderr
    lent = run(tmp_path, "-m", "heddle.run", "--fallback", "own.py")
    assert lent.stdout == "False\n" and "numpy.random.wald (2)" in lent.stderr


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
    assert refused.returncode != 0 and "period" in refused.stderr
