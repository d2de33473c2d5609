# SPDX-License-Identifier: BSD-3-Clause
"""What all kits share: signatures, contexts, threads, interrupts."""

import importlib
import inspect
import os
import re
import subprocess
import sys
import threading
import time

import pytest

import heddle as hd
from heddle import _core, _progress, match, nn, tensor, ultrasound, vsa

KITS = [match, nn, tensor, ultrasound, vsa]
SYMBOLS = os.path.join(os.path.dirname(__file__), "..", "..", "doc", "symbols-of-heddle-kits")


@pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.__name__)
def test_every_name_has_a_signature_and_a_text(kit):
    functions = [getattr(kit, name) for name in kit.__all__]
    functions += [m for c in functions if isinstance(c, type) for name, m in vars(c).items()
                  if not name.startswith("_") and callable(m)]
    assert len(functions) > 25
    for f in functions:
        assert f.__doc__ is not None, f
        if not isinstance(f, type):
            assert f.__doc__ and inspect.signature(f) is not None, f
        elif hasattr(f, "__reduce__") and f.__new__ is not object.__new__:   # made from its fields
            assert len(inspect.signature(f).parameters) > 0, f
    assert kit.__doc__


@pytest.mark.parametrize("value, words", [
    (256, "is 256; integers from 0 to 255"), (-1, "is -1; integers from 0 to 255"), (1.5, "is 1.5; integers from 0 to 255"),
    (float("nan"), "is nan; integers from 0 to 255"), (float("-inf"), "is -inf; integers from 0 to 255"),
    (2.0 ** 40, "is 1099511627776.0; integers from 0 to 255")])
def test_a_number_is_not_cut_to_the_width_of_its_list(value, words):
    with pytest.raises((OverflowError, ValueError), match="atomic_number: element 1 " + re.escape(words)):
        match.Atoms(atomic_number=[6, value])
    with pytest.raises((OverflowError, ValueError), match="atomic_number " + re.escape(words)):
        match.Atoms(atomic_number=hd.asarray([value]))
    assert match.Atoms(atomic_number=[0, 255.0]).atomic_number.tolist() == [0, 255]


def test_integers_of_every_width():
    for field, low, high in (("position", -2 ** 63, 2 ** 63 - 1), ("rotation", -2 ** 31, 2 ** 31 - 1)):
        for value in (low, high):
            assert getattr(match.Peak(**{field: value}), field) == ((value,) * 3 if field == "position" else value)
        for value in (low - 1, high + 1, float("nan"), 0.5):
            with pytest.raises((OverflowError, ValueError, TypeError), match=field):
                match.Peak(**{field: value})
    assert match.Quality(hits=2 ** 64 - 1).hits == 2 ** 64 - 1
    with pytest.raises(OverflowError, match="hits is -1; integers from 0 to 18446744073709551615 are needed"):
        match.Quality(hits=-1)
    with pytest.raises(TypeError, match="atomic_number: integers are needed, not complex"):
        match.Atoms(atomic_number=[1j])
    with pytest.raises(ValueError, match="position has 4 values; 3 are needed"):
        match.Peak(position=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="text: character 1 is null"):
        match.model_parse("here", "A\0B")


def test_functions_for_c_alone_are_not_taken():
    with pytest.raises(TypeError, match="analyzer"):
        match.run([[1.0]], [[1.0]], [[1.0, 0.0], [0.0, 1.0]], analyzer={"take": 5})


def test_every_function_of_the_kits_is_there():
    """But for lifetimes, which Python has its own of."""
    have = set()
    for kit in KITS:
        for name, value in vars(kit).items():
            have |= {name} | (set(vars(value)) if isinstance(value, type) else set())
    others = {"cp_normalise": "normalise"}
    lines = open(SYMBOLS).read().splitlines() if os.path.exists(SYMBOLS) else []
    kits = [line.split()[0][4:] for line in lines if line.startswith("hed_")]
    of_c = (r"nn_fit|nn_lbfgs_\w+|nn_params_(?!assign|save|load)\w+|nn_cell_state_shape"
            r"|nn_history_save|nn_reader_\w+|nn_sequential(_init)?")
    ours = [s for s in kits if not re.fullmatch(r"(\w+_)?(release|retain|clear|copy)|kit_\w+|" + of_c, s)]
    assert not lines or len(ours) > 150
    for symbol in ours:
        words = symbol.split("_")
        ends = {"_".join(words[k:]) for k in range(len(words))} | {others.get(symbol)}
        ends |= {e.removesuffix("_create").removesuffix("_of") for e in ends if e}
        assert ends & have, symbol


def test_stubs_have_every_name():
    for kit in KITS:
        raw = importlib.import_module("heddle._" + kit.__name__.rpartition(".")[2])
        stub = open(os.path.join(os.path.dirname(hd.__file__), raw.__name__.rpartition(".")[2] + ".pyi")).read()
        names = {n: {} for n in vars(raw) if not n.startswith("_")}
        for n in names:
            assert f"def {n}(" in stub or f"class {n}:" in stub, n
        compile(stub, "stub", "exec")


def test_the_context_of_the_caller(rng):
    x = rng.normal(size=(4, 5, 6))
    devices = []
    with hd.backend("reference"):
        tensor.cp_als(x, 2, max_sweeps=2, tol=-1, progress=lambda *_: devices.append(hd.get_backend()))
        before = tensor.cp_random((3, 4), 2, seed=1).factors[0]
    assert devices == ["reference", "reference"]
    large, where = rng.normal(size=(45, 45, 45)), []   # takes a thread of its own
    with hd.backend("reference"):
        tensor.cp_als(large, 2, max_sweeps=2, tol=-1, progress=lambda *_: where.append((hd.get_backend(), threading.get_ident())))
        with pytest.raises(ZeroDivisionError):
            tensor.cp_als(large, 2, max_sweeps=2, tol=-1, progress=lambda *_: 1 / 0)
    assert where == [("reference", threading.get_ident())] * 2
    with hd.backend("reference;seed=4"):
        first = tensor.cp_als(x, 2, start_by="random", max_sweeps=1)[1].error
        second = tensor.cp_als(x, 2, start_by="random", max_sweeps=1)[1].error
    with hd.backend("reference;seed=4"):
        assert tensor.cp_als(x, 2, start_by="random", max_sweeps=1)[1].error == first != second
    assert bool(hd.all(tensor.cp_random((3, 4), 2, seed=1).factors[0] == before))
    g = hd.random.Generator(3)
    a, b = (tensor.cp_random((3, 4), 2, generator=g).factors[0] for _ in range(2))
    assert g.draw == 2 and not bool(hd.all(a == b))


def test_nothing_is_kept(rng):
    """Arrays go with the objects that hold them, and those of calls that fail too."""
    x = rng.normal(size=(4, 5, 6))

    def work():
        cp, fit = tensor.cp_als(x, 2, max_sweeps=2)
        parts = [cp.normalise().factors, (cp + cp).weights, repr(cp), cp.slice(0, slice(1, 3)).shape]
        parts += tensor.cp_als(x, 2, max_sweeps=2, sparsity=1, sparse=True)
        for wrong in (dict(rank=0), dict(rank=2, progress=lambda *_: 1 / 0), dict(rank=2, start=tensor.CP(factors=[x[0]]))):
            with pytest.raises((ValueError, ZeroDivisionError)):
                tensor.cp_als(x, **wrong)
        m = vsa.model("map;dim=64")
        items = m.items()
        items.add(["a", "b"])
        parts += [items.vectors, items.query(m.symbol("a"), 2), m.resonate(m.symbol("a"), [m.symbols(["a", "b"])] * 2).fit]
        parts.append(tensor.cp_regression(x, [0.0, 1.0, 2.0, 3.0], 1, max_sweeps=2)[0].cp)
        return len(parts)
    work()
    before = hd.stats()["arrays_live"]
    for _ in range(3):
        work()
    assert hd.stats()["arrays_live"] == before


def test_others_run_meanwhile(rng):
    """The interpreter's lock is free during a run."""
    x = rng.normal(size=(30, 30, 30))
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(1)
            time.sleep(0.001)
    t = threading.Thread(target=tick)
    t.start()
    for sweeps in (100, 1000, 10000, 100000):   # however fast that is
        if len(ticks) <= 2:
            tensor.cp_als(x, 4, tol=-1, max_sweeps=sweeps)
    over.set()
    t.join()
    assert len(ticks) > 2


def test_interrupt():
    """Ctrl-C ends a run that would go on for long, and the next one is right."""
    code = """if True:
        import os, signal, threading, heddle as hd
        from heddle import tensor
        x = hd.random.normal((20, 20, 20), seed=1)
        begun = []
        def progress(*now):
            if not begun:
                begun.append(1)
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            tensor.cp_als(x, 3, tol=-1, max_sweeps=10**9, progress=progress)
        except KeyboardInterrupt:
            print("interrupted", tensor.cp_als(x, 3, max_sweeps=2, tol=-1)[1].n_sweeps)
    """
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert out.stdout == "interrupted 2\n", out.stderr


def test_what_notebooks_show():
    cp = tensor.cp_random((4, 5, 600), 3, seed=1)
    html = cp._repr_html_()
    assert html.count("data:image/png;base64,iVBOR") == 3 and "heddle.tensor.CP" in html and "factors[2] (600, 3)" in html
    flat = match.Map(data=hd.asarray([[[0.0, float("nan")], [1.0, 1.0]]]), voxel=(1, 1, 2), origin=(0, 0, 0))._repr_html_()
    assert flat.count("<img") == 1 and "<th>voxel</th>" in flat


def test_a_long_run_has_a_bar():
    """Made when it takes long and nobody gave a progress=; closed with the run, which its answer ends here."""
    made = []

    class Counter:
        n = total = 0
        closed = False

        def set_postfix(self, **words):
            self.words = words

        def update(self, more):
            self.n += more

        def close(self):
            self.closed = True

    class Ending(_progress.Bar):
        def __call__(self, *now):
            return super().__call__(*now) or True

    def bar(name):
        made.append((name, Ending(Counter())))
        return made[-1][1]
    x = hd.random.normal((8, 8, 8), seed=1)
    _core.set_bar(bar)
    try:
        tensor.cp_als(x, 2, tol=-1, max_sweeps=5)
        assert not made
        fit = tensor.cp_als(x, 2, tol=-1, max_sweeps=400_000)[1]
    finally:
        _core.set_bar(_progress.bar)
    (name, ending), = made
    assert name == "cp_als" and fit.stopped == "progress" and ending.bar.n == fit.n_sweeps and ending.bar.closed
    assert "error" in ending.bar.words
    search = _progress.Bar(Counter())
    search(3, 10), search(7, 10)
    assert (search.bar.n, search.bar.total) == (7, 10)
