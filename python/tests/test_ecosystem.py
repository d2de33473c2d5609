# SPDX-License-Identifier: BSD-3-Clause
"""The examples, and other libraries' code that takes array-API input."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(os.environ.get("HEDDLE_TEST_SRCDIR", Path(__file__).parents[2])) / "python" / "examples"
NEEDS = {"01_contexts.py": [], "02_numpy.py": ["numpy"], "03_dask.py": ["dask.array", "distributed"],
         "04_scikit_learn.py": ["sklearn", "scipy"], "05_tensor.py": [], "06_vsa.py": [], "07_ultrasound.py": [], "08_match.py": [],
         "09_decomposition.py": []}
SAYS = {"01_contexts.py": "pool:      reference", "02_numpy.py": "<class 'heddle.Array'>", "03_dask.py": "Array (2049,)",
        "04_scikit_learn.py": "zscore: Array True", "05_tensor.py": "factor match score 0.99", "06_vsa.py": "is the peso",
        "07_ultrasound.py": "picture (200, 60)", "08_match.py": "2 of 2 found", "09_decomposition.py": "explained: 0.99"}


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_example(name):
    for module in NEEDS[name]:
        pytest.importorskip(module)
    r = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stderr
    assert SAYS[name] in r.stdout


def test_every_example_is_run():
    assert sorted(p.name for p in EXAMPLES.glob("*.py")) == sorted(NEEDS)


def test_the_manuals_listings(tmp_path):
    text = (EXAMPLES.parents[1] / "doc" / "python.texi").read_text()
    listings = [b.replace("@{", "{").replace("@}", "}") for b in re.findall(r"@example\n(.*?)@end example", text, re.S)]
    listings = [b for b in listings if "import" in b]
    assert len(listings) == 4
    for listing in listings:
        r = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, timeout=300, cwd=tmp_path)
        assert r.returncode == 0 and r.stdout, listing + r.stderr
