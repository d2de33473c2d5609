# SPDX-License-Identifier: BSD-3-Clause
"""What calls keep: nothing, whichever way they end; and the interpreter's lock, which others have while a call works or waits."""

import os
import subprocess
import sys
import threading
import time

import pytest

import heddle as hd
from heddle import _core, match, nn, tensor

# Calls, good ones and ones that fail halfway, in a process whose Python takes all its memory from malloc: what that has given out
# is the same after any number of them.
CALLS = """
import ctypes, gc, sys
import heddle as hd
from heddle import _core, match, nn, tensor, vsa

class Info(ctypes.Structure):
    _fields_ = [(n, ctypes.c_size_t) for n in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

mallinfo = ctypes.CDLL(None).mallinfo2
mallinfo.restype = Info

def fails(*args):
    raise ZeroDivisionError

def sums(x, y):
    return x * 2 + y

twice, broken = hd.custom_vjp(sums), hd.custom_vjp(sums)

@hd.jit
def kept(x, y):
    return x * y, y

twice.defvjp(lambda x, y: (sums(x, y), x), lambda kept, g: (hd.ones(300), 3))
broken.defvjp(lambda x, y: (sums(x, y), x), fails)
x, y, cube = hd.ones(300), hd.ones((20, 300)), hd.random.normal((20, 20, 20), seed=1)
cp = tensor.cp_random((4, 5, 6), 3, seed=1)
scores, turns = hd.random.uniform((16, 16, 16), seed=1), hd.zeros((16, 16, 16), dtype=hd.int32)
model = vsa.model("map;dim=64")
params, buffers = nn.linear_init(30, 20, seed=1), None
params = params[0] if isinstance(params, tuple) else params
program, _ = _core._program_create(lambda a: [a[0] * 2], [x], "double", False, False)

class Pairs:
    def __init__(self, *pairs):
        self.pairs = pairs
    def items(self):
        return list(self.pairs)

calls = {
    "operator": lambda: x + y, "shapes": lambda: x + cube, "out": lambda: hd.add(x, x, out=cube), "list": lambda: x + ["a"],
    "index": lambda: y[[0, 1], 1:], "no index": lambda: y[[0, 1], "a"], "range": lambda: y[[0, 99]],
    "set": lambda: y.__setitem__(([0, 1], None), [[1], [2, 3]]),
    "concat": lambda: hd.concat([x, x]), "no concat": lambda: hd.concat([x, "a"]), "nested": lambda: hd.asarray([[1, 2], [3, "a"]]),
    "stack": lambda: hd.asarray([x, [1, 2]]), "copy": lambda: hd.asarray(x, copy=True),
    "buffer": lambda: hd.asarray(memoryview(b"123")),
    "bytes": lambda: _core.from_bytes(b"12345678", (2,), "float32"), "no bytes": lambda: _core.from_bytes(b"1234", (1,), None),
    "dlpack": lambda: hd.from_dlpack(x), "no device": lambda: x.__dlpack__(dl_device=3), "no text": lambda: hd.asarray("text"),
    "gradient": lambda: hd.grad(lambda x: hd.sum(twice(x, x)))(x), "no gradient": lambda: hd.grad(lambda x: hd.sum(broken(x, x)))(x),
    "forward": lambda: hd.grad(fails)(x), "kept": lambda: kept(x, 2.0), "capture": lambda: hd.jit(fails, cache=0)(x),
    "result": lambda: _core._program_create(lambda a: [a[0] * 2, 3], [x], "f", False, False),
    "results": lambda: _core._program_create(lambda a: a * 5000, [x], "f", False, False),
    "run": lambda: _core._program_run(program, (hd.ones(300) for _ in range(1)), 1, None),
    "no run": lambda: _core._program_run(program, [cube], 1, None), "inputs": lambda: _core._program_run(program, ["a"], 1, None),
    "peaks": lambda: match.peaks(scores, turns, num_peaks=20), "no peaks": lambda: match.peaks(scores, x),
    "progress": lambda: tensor.cp_als(cube, 2, progress=fails), "function": lambda: tensor.tt_cross(fails, (4, 5, 6), max_rank=2),
    "box": lambda: tensor.CP(factors=cp.factors), "no box": lambda: tensor.CP(factors=[x, "a"]), "field": lambda: tensor.CP(what=3),
    "fields": lambda: tensor.core_consistency(cube, cube, {1: 2}),
    "no fields": lambda: tensor.core_consistency(cube, cube, {"factors": cp.factors, "a": 1}),
    "strings": lambda: model.symbols(["a", None]), "path": lambda: tensor.cp_load("/nowhere/x"), "handle": lambda: cp + cp,
    "tree": lambda: nn.linear(params, hd.ones((5, 30))), "no tree": lambda: nn.linear(Pairs(("weight", x), 1), x),
    "names": lambda: nn.linear({1: x}, x), "values": lambda: nn.linear({"weight": x, "bias": "a"}, x),
    "teach": lambda: model.classifier(2).fit(model.random((2,), seed=3), [0, 5]), "spec": lambda: hd.backend("nonsense").__enter__(),
    "seed": lambda: hd.random.normal((3,), seed=-1), "generator": lambda: hd.random.Generator(3).split(-1),
    "settings": lambda: _core.settings(), "words": lambda: hd.sum(x, nonsense=1)}

def taken():
    gc.collect()
    hd.free_cache()
    info = mallinfo()
    return info.uordblks + info.hblkhd

for name, call in calls.items():
    grown, outcome = [], set()
    for n in (60, 300, 300, 300):
        before = taken()
        for _ in range(n):
            try:
                call()
                outcome.add("good")
            except Exception as error:
                outcome.add(type(error).__name__)
        grown.append(taken() - before)
    if min(grown[1:]) >= 300 * 24 or "-v" in sys.argv:   # that many each time, and each time again
        print(name, outcome, grown)
print(len(calls), "calls")
"""


def test_nothing_is_kept():
    env = {**os.environ, "PYTHONMALLOC": "malloc", "HEDDLE_NUM_THREADS": "1"}
    import ctypes
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("no mallinfo2")
    out = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True, timeout=300, env=env)
    assert out.stdout.count("\n") == 1 and out.stdout.endswith(" calls\n"), out.stdout + out.stderr


def test_what_is_given_by_items():
    """A mapping's items() may give anything, and a generator's arrays are nobody else's."""
    class Pairs(dict):
        def items(self):
            return [(1, 2, 3), 4]
    cube = hd.ones((4, 5, 6))
    for call in (lambda: nn.linear(Pairs(), hd.ones((5, 30))), lambda: tensor.core_consistency(cube, cube, Pairs())):
        with pytest.raises(TypeError, match="not pairs of a name and a value"):
            call()
    with pytest.raises(TypeError, match="no field 1"):
        tensor.core_consistency(cube, cube, {1: 2})
    program, _ = _core._program_create(lambda a: [a[0] * 2], [hd.ones(2)], "double", False, False)
    for k in range(10):
        (twice,) = _core._program_run(program, (hd.full(2, k) + 0.5 for _ in range(1)), 1, None)
        assert twice.tolist() == [2 * k + 1] * 2


def test_what_is_no_text():
    """Bytes of the environment that are not UTF-8 are shown, and what is wrong with an argument is said by the right exception."""
    env = {os.fsencode(k): os.fsencode(v) for k, v in os.environ.items()}
    env[b"HEDDLE_PLUGIN_PATH"] = env.get(b"HEDDLE_PLUGIN_PATH", b"") + b":/nowhere/\xff"
    code = "import heddle as hd; print(ascii(hd._core.settings()['plugin_path'][0][-9:])); hd.info(); hd.explain()"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=env)
    assert out.stdout == ascii("nowhere/\ufffd") + "\n", out.stderr
    with pytest.raises(TypeError, match="dl_device"):
        hd.ones(3).__dlpack__(dl_device=3)
    with pytest.raises(TypeError, match="dtype is None"):
        _core.from_bytes(b"1234", (1,), None)


def ticks_during(call):
    """How often another thread had the interpreter meanwhile."""
    ticks, begun, over = [], threading.Event(), threading.Event()

    def tick():
        begun.set()
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.0005)
    t = threading.Thread(target=tick)
    t.start()
    begun.wait()
    start = time.monotonic()
    call()
    end = time.monotonic()
    over.set()
    t.join()
    return sum(start < x < end for x in ticks)


@pytest.mark.parametrize("what", ["copy", "buffer", "type"])
def test_the_lock_is_free_while_memory_is_copied(what):
    for n in (1 << 22, 1 << 24, 1 << 26):   # however fast that is
        x = hd.zeros(n, dtype=hd.float32)
        view = memoryview(x)
        calls = {"copy": lambda: _core.asarray(x, copy=True), "buffer": lambda: _core.asarray(view, copy=True),
                 "type": lambda: _core.asarray(x, dtype=hd.float64)}
        if ticks_during(calls[what]) > 2:
            return
    pytest.fail("no other thread ran")
