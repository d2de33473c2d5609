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
KITS = {"tensor": hd.tensor._tensor, "vsa": hd.vsa._vsa, "ultrasound": hd.ultrasound._ultrasound, "match": hd.match._match,
        "nn": hd.nn._nn}
OF_KITS = {f"heddle.{kit}.{name}": f for kit, m in KITS.items() for name, f in sorted(vars(m).items()) if inspect.isbuiltin(f)}
OF_KITS |= {f"heddle.{kit}.{c.__name__}.{name}": f for kit, m in KITS.items() for c in vars(m).values() if isinstance(c, type)
            for name, f in sorted(vars(c).items()) if inspect.ismethoddescriptor(f) and not name.startswith("_")}
FUNCTIONS |= OF_KITS
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
    assert len(EXAMPLES) > 450 and len([name for name in EXAMPLES if name in OF_KITS]) > 150
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
        assert parameters == [p for p in inspect.signature(FUNCTIONS[name]).parameters if p != "self"], name


def test_kits_are_documented():
    """Whatever takes something says what, and whatever gives something says what that is."""
    assert len(OF_KITS) > 300
    for name, f in OF_KITS.items():
        takes = [p for p in inspect.signature(f).parameters if p != "self"]
        assert not takes or "\nParameters\n----------\n" in f.__doc__, name
        assert "hed_" not in f.__doc__ and "HED_" not in f.__doc__, name
    for name in ("tensor.cp_als", "vsa.Model.bind", "ultrasound.coherence_factor", "nn.scaler_fit"):
        for title in ("Returns", "Examples"):
            assert f"\n{title}\n{'-' * len(title)}\n" in OF_KITS[f"heddle.{name}"].__doc__, (name, title)
