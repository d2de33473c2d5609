# SPDX-License-Identifier: BSD-3-Clause
"""What a wheel with the library in it has to do where nothing else is: 65_wheel.py PREFIX, which nothing may come from."""

import pickle
import sys
import threading

import heddle as hd
from heddle import tensor

home = hd.__file__.rpartition("/")[0]
with hd.backend("cpu"):
    x = hd.arange(1000.0)
    assert float(hd.max(hd.abs(hd.fft.irfft(hd.fft.rfft(x)) - x))) < 1e-3
    assert x.backend == "cpu", hd.explain("cpu")
assert hd.backend_info("cpu")["path"].startswith(home), hd.backend_info("cpu")["path"]
assert bool(hd.all(pickle.loads(pickle.dumps(x, 5)) == x))
cp, fit = tensor.cp_als(tensor.cp_random((4, 5, 6), 2, seed=1).full(), 2, tol=1e-9, max_sweeps=500)
assert fit.error < 1e-2, fit

seen = {}


def work(name):
    with hd.backend(name):
        for _ in range(100):
            seen.setdefault(name, set()).add(hd.add(x, 1).backend)


threads = [threading.Thread(target=work, args=(name,)) for name in ("cpu", "reference") * 4]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert seen == {"cpu": {"cpu"}, "reference": {"reference"}}, seen

with open("/proc/self/maps") as maps:
    ours = {line.split()[-1] for line in maps if "libheddle" in line or "/heddle/backends/" in line}
assert ours and all(path.startswith(home.rpartition("/")[0]) for path in ours), ours
assert not any(path.startswith(sys.argv[1] + "/") for path in ours), ours
