# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings: in NumPy's layout, and what their examples print is true."""

import doctest
import inspect

import pytest

import heddle as hd
from heddle import ops

FUNCTIONS = {f"{module.__name__}.{name}": f for module in (ops, hd, hd.linalg, hd.fft) for name, f in sorted(vars(module).items())
             if callable(f) and not name.startswith("_") and not isinstance(f, type) and f.__doc__
             and (f.__module__ or "heddle").startswith("heddle")}
EXAMPLES = {name: tests for name, f in FUNCTIONS.items() if (tests := doctest.DocTestParser().get_doctest(
    f.__doc__, {}, name, None, None)).examples}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_example(name, backend):
    said = []
    with hd.backend(backend):
        doctest.DocTestRunner(verbose=False).run(EXAMPLES[name], out=said.append, clear_globs=False)
    assert not said, "".join(said)


def test_what_is_listed():
    """Examples are many, and functions with the standard's words have the sections too."""
    assert len(EXAMPLES) > 250
    for name in ("heddle.sum", "heddle.roll", "heddle.add"):
        for title in ("Parameters", "Returns", "Raises", "Notes", "Examples"):
            assert f"\n{title}\n{'-' * len(title)}\n" in FUNCTIONS[name].__doc__, (name, title)


def test_parameters_are_the_signatures():
    """Every one is listed, in order."""
    listed = {name: f.__doc__.partition("Parameters\n----------\n")[2].partition("\n\n")[0] for name, f in FUNCTIONS.items()}
    listed = {name: [line.partition(" :")[0] for line in text.splitlines() if not line.startswith(" ")]
              for name, text in listed.items() if text}
    assert len(listed) > 450
    for name, parameters in listed.items():
        assert parameters == list(inspect.signature(FUNCTIONS[name]).parameters), name
