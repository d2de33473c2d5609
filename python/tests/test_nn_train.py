# SPDX-License-Identifier: BSD-3-Clause
"""Training: optimisers in place, wirings, scaling, metrics, windows, against NumPy and scikit-learn's numbers."""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref

import numpy as np
import pytest

import heddle as hd
from heddle import nn


def test_optimizer_steps_in_place():
    w = [hd.asarray(np.ones(3, np.float32)), hd.asarray(np.zeros(2, np.float32))]
    optimizer = nn.optimizer_create(w, rule="sgd", rate=0.5)
    optimizer.step([np.array([1, 2, 3], np.float32), np.array([1, 1], np.float32)])
    assert np.allclose(np.asarray(w[0]), [0.5, 0, -0.5]) and np.allclose(np.asarray(w[1]), -0.5)
    optimizer.set_rate(0, 0.0)
    optimizer.step([np.ones(3, np.float32), np.ones(2, np.float32)])
    assert np.allclose(np.asarray(w[0]), [0.5, 0, -0.5])
    assert float(optimizer.steps) == 2 and optimizer.count == 2
    with pytest.raises(TypeError):
        nn.optimizer_create([np.ones(3)])      # it could not be changed


def test_learns_a_line():
    x = hd.asarray(np.linspace(-1, 1, 50, dtype=np.float32))
    y = 3 * x
    w = [hd.zeros((1,), dtype="float32")]
    optimizer = nn.optimizer_create(w, rule="adam", rate=0.1)
    step = hd.value_and_grad(lambda v: hd.mean(hd.square(v * x - y)))
    for _ in range(100):
        _, g = step(w[0])
        optimizer.step([g])
    assert abs(float(np.asarray(w[0])[0]) - 3) < 0.05


def test_initial_and_losses():
    a, b = (nn.initial((20, 30), dtype="float64", kind="orthogonal", key=k) for k in (1, 1))
    q = np.asarray(a)
    assert np.allclose(q @ q.T, np.eye(20), atol=1e-12) and np.array_equal(q, np.asarray(b))
    p, t = np.array([1.0, 2, 3]), np.array([0.0, 2, 5])
    e = t - p
    assert np.isclose(float(nn.quantile(p, t, quantile=0.9)), np.maximum(0.9 * e, -0.1 * e).mean())
    assert np.isclose(float(nn.quantile(p, t, mask=np.array([True, False, False]))), 0.5)
    assert np.allclose(np.asarray(nn.softsign(p)), p / (1 + p))


def test_rates_and_gradients():
    plateau, rate = nn.schedule_rate(3, 0.0, nn.Plateau(), kind="cosine", rate=1.0, length=6)
    assert rate == pytest.approx(0.5) and not plateau.begun
    g = [hd.asarray(np.full(4, 8, np.float32))]
    scale, step = nn.LossScale(scale=8.0).update(g)
    assert step and scale.good == 1 and np.allclose(np.asarray(g[0]), 1)
    assert float(nn.clip_norm(g, 1.0)) == 2 and np.allclose(np.asarray(g[0]), 0.5, atol=1e-5)
    w = [hd.asarray(np.zeros(4, np.float32))]
    optimizer = nn.optimizer_create(w, rule="adam")
    assert optimizer.state_name(1) == "rate.0" and float(optimizer.state(1)) == pytest.approx(0.001)


def test_wirings(tmp_path):
    w = nn.wiring_auto(20, 7, 4, 0.5, 3)
    a, s = np.asarray(w.adjacency()), np.asarray(w.sensory())
    assert a.shape == (20, 20) and s.shape == (7, 20) and w.units == 20 and w.synapses == np.count_nonzero(a)
    assert np.asarray(w.types()).tolist() == [2] * 4 + [1] * 6 + [0] * 10
    w.add(19, 0, -1)
    assert np.asarray(w.adjacency())[19, 0] == -1
    assert np.array_equal(np.asarray(w.mask()), np.asarray(w.adjacency()) != 0)
    w.save(tmp_path / "w.npz")
    assert np.array_equal(np.asarray(nn.wiring_load(tmp_path / "w.npz").adjacency()), np.asarray(w.adjacency()))
    with pytest.raises(ValueError):
        nn.wiring_auto(20, 7, 19)


def test_data_and_metrics():
    x = np.arange(12, dtype=np.float32)
    inputs, targets = nn.windows(x, length=3, horizon=1)
    assert np.asarray(inputs).shape == (9, 3) and np.asarray(targets)[:, 0].tolist() == list(range(3, 12))
    scaler = nn.scaler_fit(np.array([[1.0, 5], [3, 5]]))
    assert np.allclose(np.asarray(scaler.apply(np.array([[3.0, 6]]))), [[1, 1]])
    padded, mask, lengths = nn.pad_sequences([x[:2], x[:3]])
    assert np.asarray(mask).tolist() == [[True, True, False], [True] * 3] and np.asarray(lengths).tolist() == [2, 3]
    confusion = nn.confusion([0, 1, 1, 2], [0, 1, 2, 2])
    assert np.asarray(confusion).tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    assert nn.scores(confusion).accuracy == 0.75
    false_rate, true_rate, thresholds, area = nn.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert area == 0.75 and np.asarray(thresholds)[0] == np.inf
    assert nn.regression([1.0, 2, 3], [1.0, 2, 4]).mae == pytest.approx(1 / 3)


# ---- the loop, and L-BFGS ----

def mse(m, x, y):
    return nn.mse(m(x), y)


def line_data(n=40):
    x = np.linspace(-1, 1, n)[:, None]
    return x, 3 * x + 0.5


def weights(m):
    return [np.asarray(p).copy() for p in m.parameters().values()]


def test_fit_is_gradient_descent():
    x, y = line_data()
    model = nn.Linear(1, 1, dtype="float64", seed=1)
    w, b = (float(v.reshape(())) for v in weights(model))
    seen = []
    history = nn.fit(model, mse, (x, y), optimizer="sgd", rate=0.1, epochs=5, batch=20, keep_order=True, callbacks=seen.append)
    for _ in range(5):
        for part in (slice(0, 20), slice(20, 40)):
            e = w * x[part] + b - y[part]
            w, b = w - 0.1 * 2 * (e * x[part]).mean(), b - 0.1 * 2 * e.mean()
    assert np.allclose([v.reshape(()) for v in weights(model)], [w, b], atol=1e-14)
    assert history.epochs == 5 and history.stopped == "epochs" and [e.epoch for e in seen] == [1, 2, 3, 4, 5]
    assert np.array_equal(np.asarray(history.loss), [e.loss for e in seen]) and np.isnan(seen[0].validation)
    assert np.asarray(history.rate).tolist() == [0.1] * 5


def net():
    return nn.Sequential(nn.Linear(1, 6, seed=1), nn.Activation("tanh"), nn.Dropout(0.2), nn.Linear(6, 1, seed=2))


def test_fit_by_key_state_threads_and_workers(tmp_path):
    x, y = (hd.asarray(v, dtype="float32") for v in line_data())
    held = (x[::3], y[::3])

    def run(**how):
        model = net()
        how = {"epochs": 4, "batch": 8, "key": 3, "validation": held, **how}
        history = nn.fit(model, mse, (x, y), rate=0.02, **how)
        return weights(model), history

    whole, history = run()
    assert all(np.array_equal(a, b) for a, b in zip(whole, run(ahead=3)[0]))
    assert any(not np.array_equal(a, b) for a, b in zip(whole, run(key=4)[0]))
    best = np.asarray(history.validation).min()
    model = net().eval()
    for p, v in zip(model.parameters().values(), whole):
        p[...] = v
    assert history.best == best and float(mse(model, *held)) == pytest.approx(best, rel=1e-5)   # without dropout
    run(epochs=2, state=tmp_path / "run.npz", callbacks=lambda e: e.epoch == 2)
    again, cut = run(state=tmp_path / "run.npz")
    assert all(np.array_equal(a, b) for a, b in zip(whole, again))
    assert np.array_equal(np.asarray(cut.loss), np.asarray(history.loss))
    four, one = run(workers="reference*4"), run(workers="reference*4")
    assert all(np.array_equal(a, b) for a, b in zip(four[0], one[0]))
    history.save(tmp_path / "h.npy")
    assert np.load(tmp_path / "h.npy").shape == (4, 4)


def test_fit_ends():
    x, y = line_data()
    model = nn.Linear(1, 1, dtype="float64", seed=1)
    history = nn.fit(model, mse, (x, y), optimizer="sgd", epochs=50, patience=2, min_delta=100.0)
    assert history.stopped == "patience" and history.epochs == 3
    assert nn.fit(model, mse, (x, y), callbacks=[lambda e: e.epoch == 2]).stopped == "progress"
    before = weights(model)

    def broken(m, x, y):
        raise KeyError("no such column")

    for workers in (None, "reference*3"):
        with pytest.raises(KeyError, match="no such column"):
            nn.fit(model, broken, (x, y), workers=workers)
    with pytest.raises(KeyboardInterrupt):
        def stop(epoch):
            raise KeyboardInterrupt
        nn.fit(model, mse, (x, y), rate=0.0, optimizer="sgd", callbacks=stop)
    assert all(np.array_equal(a, b) for a, b in zip(before, weights(model)))   # a rate of 0 is one
    with pytest.raises(TypeError, match="no Array of one number"):
        nn.fit(model, lambda m, x, y: 1.0, (x, y))
    with pytest.raises(ValueError, match="39 samples, the first one 40"):
        nn.fit(model, mse, (x, y[1:]))
    with pytest.raises(TypeError, match="no field 'epoch'"):
        nn.fit(model, mse, (x, y), schedule={"epoch": 3})
    with pytest.raises(hd.Error, match="step 0 .*parameter 0 is the first whose gradient is not finite"):
        nn.fit(model, lambda m, x, y: mse(m, x, y) * np.nan, (x, y))
    assert all(np.array_equal(a, b) for a, b in zip(before, weights(model)))


def test_fit_by_schedule_and_scale():
    x, y = (hd.asarray(v, dtype="float32") for v in line_data())

    def run(loss=mse, **how):
        return nn.fit(nn.Linear(1, 1, seed=1), loss, (x, y), optimizer="sgd", rate=0.1, epochs=3, **how)

    plain = run()
    assert run(schedule={"kind": "step", "rate": 0.25, "factor": 0.5, "every": 1}).rate.tolist() == [0.25, 0.125, 0.0625]
    assert plain.scale is None and plain.skipped == 0
    eight = run(scale=nn.LossScale(scale=8.0))
    assert eight.scale.scale == 8 and eight.loss.tolist() == plain.loss.tolist()   # a power of two changes no digit
    large = run(lambda m, x, y: hd.mean(hd.sin(1000 * m(x))), scale=nn.LossScale(scale=2.0 ** 124))   # the slope is beyond float32
    assert large.skipped > 0 and large.scale.scale < 2.0 ** 124
    with pytest.raises(ValueError, match="^validation has 1 values; 2 are needed$"):
        run(validation=(x,))


def test_of_workers_that_raise_the_first_one_counts():
    x, y = line_data()
    last = threading.Event()

    def loss(m, x, y):
        first = float(x[0, 0]) < 0
        if first:
            last.wait(60)
            time.sleep(0.1)   # the other one's is kept by now
        else:
            last.set()
        raise KeyError("first" if first else "last")
    with pytest.raises(KeyError, match="first"):
        nn.fit(nn.Linear(1, 1, dtype="float64", seed=1), loss, (x, y), batch=40, keep_order=True, workers="reference*2")


def test_lbfgs_finds_scipys_minimum():
    optimize = pytest.importorskip("scipy.optimize")

    def rosenbrock(w):
        a, b = w["a"], w["b"]
        return hd.sum(100 * hd.square(b - hd.square(a)) + hd.square(1 - a))

    w = {"a": hd.asarray(np.array([-1.2])), "b": hd.asarray(np.array([1.0]))}
    search = nn.LBFGS(w, line_search=True, tol_gradient=0.0, tol_change=0.0)
    values = [search.step(rosenbrock) for _ in range(9)]
    assert values[0] == pytest.approx(optimize.rosen([-1.2, 1.0]), rel=1e-14) and values[-1] < 1e-12
    assert np.allclose([np.asarray(w["a"])[0], np.asarray(w["b"])[0]],
                       optimize.minimize(optimize.rosen, [-1.2, 1.0], method="L-BFGS-B", tol=1e-14).x, atol=1e-5)
    with pytest.raises(ZeroDivisionError):
        search.step(lambda w: 1 / 0)


def test_one_step_of_lbfgs_at_a_time():
    w = [hd.asarray(np.array([2.0]))]
    search = nn.LBFGS(w)

    def again(w):
        return search.step(again)

    with pytest.raises(RuntimeError, match="another step of it runs"):
        search.step(again)
    assert search.step(lambda w: hd.sum(hd.square(w[0]))) == 4   # it is free again
    with pytest.raises(KeyError, match="first"):
        search.step(lambda w: {}["first"])


# ---- Ctrl-C, which the thread of the loss does not hear of ----

def press(seconds):
    """Ctrl-C, and then some time for the main thread to hear of it."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(seconds)


@pytest.mark.parametrize("workers", [None, "reference*2"])
def test_interrupt_of_fit(workers):
    x, y = line_data()
    model, calls = nn.Linear(1, 1, dtype="float64", seed=1), []

    def loss(m, x, y):
        calls.append(1)
        if len(calls) == 12:
            press(1)
        return mse(m, x, y)

    with pytest.raises(KeyboardInterrupt):
        nn.fit(model, loss, (x, y), epochs=100000, batch=20, workers=workers)
    assert 12 <= len(calls) < 1000


def test_interrupt_of_lbfgs():
    calls = []

    def loss(w):
        calls.append(1)
        press(1)
        return hd.sum(hd.square(hd.square(w[0])))

    with pytest.raises(KeyboardInterrupt):
        nn.LBFGS([hd.asarray(np.array([2.0]))], line_search=True).step(loss)
    assert len(calls) == 1


@pytest.mark.parametrize("seconds", [0, 0.5])   # the main thread hears of it after the call, or before its end
@pytest.mark.parametrize("by", ["fit", "lbfgs", "reader"])
def test_interrupt_keeps_what_the_function_raised(by, seconds):
    x, y = line_data()

    def function(*args):
        press(seconds)
        raise KeyError("its own")
    calls = {"fit": lambda: nn.fit(nn.Linear(1, 1, dtype="float64", seed=1), function, (x, y)),
             "lbfgs": lambda: nn.LBFGS([hd.asarray(np.array([2.0]))]).step(function),
             "reader": lambda: next(nn.Reader(function, 2, ahead=0))}
    with pytest.raises(KeyboardInterrupt) as e:
        try:
            raise ValueError("before")
        except ValueError:
            calls[by]()
    own = e.value.__context__
    assert isinstance(own, KeyError) and own.args == ("its own",) and traceback.extract_tb(own.__traceback__)[-1].name == "function"
    assert isinstance(own.__context__, ValueError)


# ---- readers ----

def draws(k):
    return hd.random.uniform((3,)) + k


def test_reader_of_a_function():
    want = [x.tolist() for x in nn.Reader(draws, 5, ahead=0, key=7)]
    with nn.Reader(draws, 5, ahead=3, key=7) as batches:
        assert len(batches) == 5 and [x.tolist() for x in batches] == want and next(batches, None) is None
    assert [int(x[0]) for x in want] == list(range(5)) and [x.tolist() for x in nn.Reader(draws, 5, key=8)] != want
    buffer = np.zeros(2)

    def filled(k):   # the same memory each time
        buffer[:] = k
        return buffer, hd.asarray(k), [k, k]
    with nn.Reader(filled, 3, 3, ahead=3) as batches:
        time.sleep(0.05)
        assert [[np.asarray(x).tolist() for x in batch] for batch in batches] == [[[k, k], k, [k, k]] for k in range(3)]
    held = hd.zeros((2,))
    assert all(a.tolist() == b.tolist() == [0, 0] for a, b in nn.Reader(lambda k: (held, held), 3, arrays=2))


def test_reader_of_arrays():
    x = hd.asarray(np.arange(20.0).reshape(10, 2))
    parts = list(nn.Reader.of(x, batch=4))
    assert [p.shape for p in parts] == [(4, 2), (4, 2), (2, 2)] and np.shares_memory(np.asarray(parts[1]), np.asarray(x))
    order = np.array([9, 0, 3, 3, 5])
    with nn.Reader.of((x, x[:, 0]), batch=2, order=order, drop_last=True, ahead=0) as batches:
        assert [(a.tolist(), b.tolist()) for a, b in batches] == [
            (np.asarray(x)[i].tolist(), np.asarray(x)[i, 0].tolist()) for i in (order[:2], order[2:4])]
    with pytest.raises(ValueError, match="array 1 of the data has 9 samples, the first one 10"):
        nn.Reader.of((x, x[1:]))
    with pytest.raises(IndexError):
        next(nn.Reader.of(x, order=[10]))


@pytest.mark.parametrize("ahead", [0, 3])
def test_errors_of_a_reader_come_with_their_batch(ahead):
    def read(k):
        if k == 1:
            raise KeyError("no file 1")
        if k == 2:
            raise StopIteration
        return {3: (1, 2, 3), 4: ("text", 4)}.get(k, (k, k))
    batches = nn.Reader(read, 6, 2, ahead=ahead)
    assert [int(x) for x in next(batches)] == [0, 0]
    with pytest.raises(KeyError, match="no file 1") as e:
        next(batches)
    assert e.traceback[-1].name == "read"
    with pytest.raises(RuntimeError, match="StopIteration"):
        next(batches)
    with pytest.raises(ValueError, match="3 arrays, not 2"):
        next(batches)
    with pytest.raises(TypeError, match="text is no array"):
        next(batches)
    assert [int(x) for x in next(batches)] == [5, 5] and list(batches) == []
    batches.close()
    batches.close()
    with pytest.raises(ValueError, match="it is closed"):
        next(batches)
    for wrong in ((None, 3), (read, -1), (read, 3, 0)):
        with pytest.raises((TypeError, ValueError), match="Reader: "):
            nn.Reader(*wrong)


@pytest.mark.parametrize("ahead", [0, 2])
def test_interrupt_of_a_reader(ahead):
    asked, go = threading.Event(), threading.Event()

    def read(k):
        if k == 1:
            asked.wait(60)
            press(0)
            assert go.wait(60 if ahead else 0.5) == bool(ahead)
        return k
    with nn.Reader(read, 3, ahead=ahead) as batches:
        assert int(next(batches)) == 0
        with pytest.raises(KeyboardInterrupt):
            asked.set()
            list(batches)
        go.set()
        assert [int(x) for x in batches] == [1, 2]   # both are still to come


def test_who_may_ask_a_reader():
    held, go, errors = [], threading.Event(), []

    def read(k):
        go.wait(60)
        if k == 0:
            for f in (next, nn.Reader.close):
                try:
                    f(held[0])
                except RuntimeError as e:
                    errors.append(str(e))
        else:
            held.clear()   # the last reference, in its own thread
        return k

    held.append(nn.Reader(read, 2))
    waits = threading.Thread(target=lambda r: errors.append(int(next(r))), args=held)
    waits.start()
    while True:   # until the other one waits, with the reader
        try:
            held[0].close()
        except RuntimeError as e:
            errors.append(str(e))
            break
        time.sleep(0.001)
    alive = weakref.ref(read)
    del read
    go.set()
    waits.join(60)
    del waits
    assert errors == ["Reader: another thread is at it"] + ["Reader: its own function asks it"] * 2 + [0]
    assert gone(alive)


def gone(alive, also=lambda: None):
    end = time.monotonic() + 60
    while alive() is not None and time.monotonic() < end:
        also()
        gc.collect()
        time.sleep(0.01)
    return alive() is None


@pytest.mark.parametrize("ahead", [0, 2])
def test_a_reader_that_its_function_refers_to_is_collected(ahead):
    def make(raises):
        def read(k):
            if raises:
                raise KeyError(k)   # its traceback refers to READ
            return batches if k > 9 else k
        batches = nn.Reader(read, 3, ahead=ahead)
        if not raises:
            assert int(next(batches)) == 0
        return weakref.ref(read)
    assert gone(make(False)) and gone(make(True))


def test_a_reader_is_collected_while_its_function_runs():
    code = """if True:
        import gc, threading
        from heddle import _core
        held, go, done = [], threading.Event(), threading.Event()

        def read(k):
            own = held[0] if k == 0 and go.wait(60) else None
            if own is not None:
                raise KeyError(k)   # its traceback refers to the reader, which keeps it
            del own
            held.clear()
            gc.collect()
            done.set()
            return k
        held.append(_core._nn_reader(read, 0, 2, {"ahead": 2})[0])
        go.set()
        print(done.wait(60), held)"""
    end = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                         env={**os.environ, "MALLOC_PERTURB_": "85"})   # what is released is no longer what it was
    assert (end.returncode, end.stdout, end.stderr) == (0, "True []\n", "")


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the interpreter's queue")
def test_a_reader_let_go_where_the_queue_of_pending_calls_is_full():
    held, go, wait = [], threading.Event(), threading.Event()
    add, nothing = ctypes.pythonapi.Py_AddPendingCall, ctypes.cast(ctypes.pythonapi.PyErr_CheckSignals, ctypes.c_void_p)

    def read(k):
        go.wait(60)
        while add(nothing, None) == 0:
            pass
        held.clear()
        wait.set()
        time.sleep(0.2)
        return k
    held.append(nn.Reader(read, 2))
    alive = weakref.ref(read)
    del read
    go.set()
    wait.wait()
    assert gone(alive, lambda: hd.zeros((1,)))


def test_a_process_ends_with_a_reader_open():
    code = "from heddle import nn; r = nn.Reader(lambda k: k, 100); print(int(next(r)))"
    end = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (end.returncode, end.stdout, end.stderr) == (0, "0\n", "")
