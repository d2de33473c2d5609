#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The kits beside the packages that their users have now: one table of times and of what the times bought.

Not needed to build, run or test Heddle. Every contestant is called from Python, ours through the package heddle, with one thread.
A row gives all of them the same data. What stands beside a time is found by NumPy alone: an error of fit or a loss from factors,
a similarity or an accuracy from vectors, and for metrics of images how far the results are from ours. Times are lower quartiles of
the CPU time of some calls, the contestants in turns: what other programs take is in them only where these share caches and memory,
and a clock that jumps, as those of virtual machines do, makes no time.

    PYTHONPATH=... python bench/compare_kits.py [REGEX]        rows whose name matches, all without one
"""
import contextlib
import datetime
import importlib
import importlib.metadata
import io
import logging
import os
import platform
import re
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "HEDDLE_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
os.environ.pop("OPENBLAS_CORETYPE", None)

import numpy as np  # noqa: E402
import heddle as hd  # noqa: E402
from heddle import tensor, ultrasound as us, vsa  # noqa: E402

DIM, BUDGET, TURNS = 10000, 4.0, 25   # seconds of CPU for a row's contestants together, turns at most
PACKAGES = ("tensorly", "pyttb", "torchhd", "holovec", "ultrasound_metrics", "torch")
DISTRIBUTIONS = {"torchhd": "torch-hd", "ultrasound_metrics": "ultrasound-metrics"}


def have(name):
    try:
        return importlib.import_module(name)
    except Exception:  # noqa: BLE001 - missing, or broken on this machine
        return None


peer = {name: have(name) for name in PACKAGES}
rows = []


def row(title, what):
    """MAKE gives {contestant: function}, ours first, and a function from a result to the number WHAT says."""
    def add(make):
        rows.append((title, what, make))
        return make
    return add


def array(x):
    return np.asarray(x.numpy() if hasattr(x, "numpy") else x)


def generator(seed=1):
    return np.random.default_rng(seed)


# ---- tensors ----

def relative(x):
    return lambda fit: float(np.linalg.norm(x - fit(), ord=None) / np.linalg.norm(x))


def of_factors(weights, factors):
    a, b, c = (array(f) for f in factors)
    w = np.ones(a.shape[1]) if weights is None else array(weights)
    return np.einsum("r,ir,jr,kr->ijk", w, a, b, c, optimize=True)


def planted(shape, rank, seed, noise, nonnegative=False):
    g = generator(seed)
    f = [g.random((n, rank)) if nonnegative else g.standard_normal((n, rank)) for n in shape]
    x = of_factors(None, f)
    e = g.standard_normal(shape)
    return x + noise * np.linalg.norm(x) / np.linalg.norm(e) * (np.abs(e) if nonnegative else e)


def fit_of(result):
    """Of a heddle CP, or pyttb's or TensorLy's."""
    one = result[0] if isinstance(result, tuple) and not hasattr(result, "factors") else result
    if hasattr(one, "factor_matrices"):
        return of_factors(one.weights, one.factor_matrices)
    return of_factors(one.weights, one.factors)


def cp_row(shape, rank, sweeps):
    x = planted(shape, rank, 3, 0.1)
    y, jobs = hd.asarray(x), {}
    jobs["heddle"] = lambda: tensor.cp_als(y, rank, max_sweeps=sweeps, tol=-1, start_by="random", seed=2)
    if peer["tensorly"]:
        from tensorly.decomposition import parafac
        jobs["tensorly"] = lambda: parafac(x, rank, init="random", n_iter_max=sweeps, tol=0, random_state=1)
    if peer["pyttb"]:
        t = peer["pyttb"].tensor(x)

        def other():
            np.random.seed(1)
            return peer["pyttb"].cp_als(t, rank, stoptol=0, maxiters=sweeps, init="random", printitn=0)
        jobs["pyttb"] = other
    return jobs, lambda r: relative(x)(lambda: fit_of(r))


@row("tensor/cp 100^3 rank 10, 50 sweeps", "error of fit (noise 0.0995)")
def cp():
    return cp_row((100, 100, 100), 10, 50)


@row("tensor/cp non-negative 60x50x40 rank 5, 100 sweeps", "error of fit")
def cp_nonnegative():
    x = planted((60, 50, 40), 5, 4, 0.1, True)
    y, jobs = hd.asarray(x), {}
    jobs["heddle"] = lambda: tensor.cp_nn_hals(y, 5, max_sweeps=100, tol=-1, seed=2)
    if peer["tensorly"]:
        from tensorly.decomposition import non_negative_parafac_hals
        jobs["tensorly"] = lambda: non_negative_parafac_hals(x, 5, n_iter_max=100, tol=0, random_state=1)
    return jobs, lambda r: relative(x)(lambda: fit_of(r))


@row("tensor/tucker 100^3 rank 10, 10 sweeps", "error of fit")
def tucker():
    x = planted((100, 100, 100), 10, 5, 0.1)
    y, ranks, jobs = hd.asarray(x), [10, 10, 10], {}
    jobs["heddle"] = lambda: tensor.tucker_hooi(y, ranks, max_sweeps=10, tol=-1)[0]
    if peer["tensorly"]:
        from tensorly.decomposition import tucker as other
        jobs["tensorly"] = lambda: other(x, ranks, n_iter_max=10, tol=0, random_state=1)
    if peer["pyttb"]:
        t = peer["pyttb"].tensor(x)
        jobs["pyttb"] = lambda: peer["pyttb"].tucker_als(t, np.array(ranks), stoptol=0, maxiters=10, init="nvecs", printitn=0)[0]

    def full(r):
        of_pyttb = hasattr(r, "factor_matrices")
        factors, core = (r.factor_matrices, r.core.data) if of_pyttb else (r.factors, r.core)
        return np.einsum("abc,ia,jb,kc->ijk", array(core), *(array(f) for f in factors), optimize=True)
    return jobs, lambda r: relative(x)(lambda: full(r))


@row("tensor/parafac2 40 slices of 60-79x50 rank 5, 50 sweeps", "error of fit")
def parafac2():
    g, jobs = generator(6), {}
    b, c, slices = g.standard_normal((5, 5)), g.standard_normal((50, 5)), []
    for k in range(40):
        q = np.linalg.qr(g.standard_normal((60 + k % 20, 5)))[0]
        s = (q @ b * (0.5 + g.random(5))) @ c.T
        e = g.standard_normal(s.shape)
        slices.append(s + 0.1 * np.linalg.norm(s) / np.linalg.norm(e) * e)
    ours = [hd.asarray(s) for s in slices]
    jobs["heddle"] = lambda: tensor.parafac2_als(ours, 5, max_sweeps=50, tol=-1, seed=2)[0]
    if peer["tensorly"]:
        from tensorly.decomposition import parafac2 as other
        jobs["tensorly"] = lambda: other(slices, 5, init="random", n_iter_max=50, tol=1e-30, random_state=1)

    def error(r):
        if hasattr(r, "projections") and hasattr(r, "a"):
            fits = [array(r.slice(k)) for k in range(40)]
        else:
            from tensorly.parafac2_tensor import parafac2_to_slices
            fits = parafac2_to_slices(r)
        return float(np.sqrt(sum(((s - f) ** 2).sum() for s, f in zip(slices, fits)) / sum((s ** 2).sum() for s in slices)))
    return jobs, error


@row("tensor/tensor train 100^3 ranks 20", "error of fit")
def train():
    x = planted((100, 100, 100), 20, 7, 0.1)
    y, jobs = hd.asarray(x), {}
    jobs["heddle"] = lambda: tensor.tt_svd(y, [20, 20])
    if peer["tensorly"]:
        from tensorly.decomposition import tensor_train
        jobs["tensorly"] = lambda: tensor_train(x, [1, 20, 20, 1])

    def full(r):
        r = r[0] if isinstance(r, tuple) and not hasattr(r, "cores") and not hasattr(r, "factors") else r
        a, b, c = (array(f) for f in (r.cores if hasattr(r, "cores") else r.factors))
        return np.einsum("xia,ajb,bky->ijk", a, b, c, optimize=True)
    return jobs, lambda r: relative(x)(lambda: full(r))


def poisson():
    g = generator(8)
    m = of_factors(None, [g.gamma(1.0, 1.0, (n, 3)) for n in (30, 25, 20)])
    x = g.poisson(m).astype(float)

    def loss(r):
        fit = np.maximum(fit_of(r), 1e-10)
        return float((fit - x * np.log(fit)).mean())
    return x, loss


@row("tensor/gcp Poisson 30x25x20 rank 3, 400 steps at most", "loss an entry")
def gcp():
    x, loss = poisson()
    y, jobs = hd.asarray(x), {}
    jobs["heddle"] = lambda: tensor.gcp(y, 3, loss="poisson", max_sweeps=400, start_by="random", seed=2)
    ttb = peer["pyttb"]
    if ttb:
        from pyttb.gcp.handles import Objectives
        from pyttb.gcp.optimizers import LBFGSB
        t = ttb.tensor(x)

        def other():
            np.random.seed(1)
            return ttb.gcp_opt(t, 3, Objectives.POISSON, LBFGSB(maxiter=400, iprint=-1), printitn=0)[0]
        jobs["pyttb"] = other
    return jobs, loss


@row("tensor/cp of counts (apr) 30x25x20 rank 3, 50 sweeps", "loss an entry")
def counts():
    x, loss = poisson()
    y, jobs = hd.asarray(x), {}
    jobs["heddle"] = lambda: tensor.cp_apr(y, 3, max_sweeps=50, seed=2)
    if peer["pyttb"]:
        t = peer["pyttb"].tensor(x)

        def other():
            np.random.seed(1)
            return peer["pyttb"].cp_apr(t, 3, maxiters=50, printitn=0)[0]
        jobs["pyttb"] = other
    return jobs, loss


# ---- hypervectors ----

def cosine(a, b):
    a, b = array(a).astype(complex).ravel(), array(b).astype(complex).ravel()
    return float((a * b.conj()).sum().real / np.linalg.norm(a) / np.linalg.norm(b))


def vectors(name, n):
    """Of each contestant: its vectors and its functions bind, unbind and bundle."""
    out, m = {}, vsa.model("%s;dim=%d;seed=1" % (name.lower(), DIM))
    out["heddle"] = (m.random(n, seed=2), m.bind, m.unbind, lambda v: m.bundle(v, axis=0))
    hd_, hv = peer["torchhd"], peer["holovec"]
    if hd_:
        x = hd_.random(n, DIM, vsa=name)
        normal = hd_.hard_quantize if name == "MAP" else hd_.normalize
        out["torchhd"] = (x, hd_.bind, lambda c, b: hd_.bind(c, hd_.inverse(b)), lambda v: normal(hd_.multiset(v)))
    if hv:
        h = hv.VSA.create(name, dim=DIM, backend="numpy", seed=1)
        out["holovec"] = ([h.random(seed=i) for i in range(n)], h.bind, h.unbind, lambda v: h.bundle(list(v)))
    return out


def bundle_row(name):
    all_ = vectors(name, 100)
    member = {k: [v[0][i] for i in range(100)] for k, v in all_.items()}
    return ({k: (lambda v=v: v[3](v[0])) for k, v in all_.items()},
            lambda r, who: float(np.mean([cosine(r, x) for x in member[who]])))


def bind_row(name):
    all_ = vectors(name, 2)
    return ({k: (lambda v=v: v[1](v[0][0], v[0][1])) for k, v in all_.items()},
            lambda r, who: cosine(all_[who][2](r, all_[who][0][1]), all_[who][0][0]))


@row("vsa/MAP bundle of 100", "mean cosine to a member")
def map_bundle():
    return bundle_row("MAP")


@row("vsa/FHRR bundle of 100", "mean cosine to a member")
def fhrr_bundle():
    return bundle_row("FHRR")


@row("vsa/MAP bind", "cosine of what is unbound")
def map_bind():
    return bind_row("MAP")


@row("vsa/FHRR bind", "cosine of what is unbound")
def fhrr_bind():
    return bind_row("FHRR")


def samples(n):
    """N samples of 10 classes of 100 features, and N of the same classes to be told."""
    g = generator(9)
    centre, label = g.standard_normal((10, 100)), g.integers(0, 10, 2 * n)
    x = (centre[label] + 2.5 * g.standard_normal((2 * n, 100))).astype(np.float32)
    return x[:n], label[:n], x[n:], label[n:]


def learners(n):
    """Of each contestant: encode, fit, predict, and what a run of all three tells right."""
    x, y, test, truth = samples(n)
    out, m = {}, vsa.model("map;dim=%d;seed=1" % DIM)
    e, to = m.encoder_projection(100), hd.asarray
    code, told = e.encode(to(x)), e.encode(to(test))

    def trained():
        c = m.classifier(10)
        c.fit(code, to(y))
        return c
    c = trained()
    out["heddle"] = {"encode": lambda: e.encode(to(x)), "fit": trained, "predict": lambda: c.predict(told),
                     "right": lambda r: float((array(r) == truth).mean()), "told": lambda c: c.predict(told), "codes": array}
    hd_, torch = peer["torchhd"], peer["torch"]
    if hd_:
        from torchhd.models import Centroid
        torch.manual_seed(1)
        f, none = hd_.embeddings.Projection(100, DIM), torch.no_grad()
        tx, ty, tt = torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(test)
        encode = none(lambda v=tx: hd_.hard_quantize(f(v)))
        tcode, ttold = encode(tx), encode(tt)

        def fitted():
            t = Centroid(DIM, 10)
            t.add(tcode, ty)
            return t
        fitted = none(fitted)
        t = fitted()
        predict = none(lambda t=t: t(ttold).argmax(1))
        out["torchhd"] = {"encode": encode, "fit": fitted, "predict": predict,
                          "right": lambda r: float((array(r) == truth).mean()), "told": predict, "codes": array}
    return out, (x, y)


def learn_row(step, judge):
    all_, data = learners(1000)
    return {k: v[step] for k, v in all_.items()}, lambda r, who: judge(all_[who], r, data)


def spread(who, codes, data):
    """How much more alike vectors of a class are than those of two."""
    v = np.asarray(who["codes"](codes), np.float32)[:300]
    g, y = v @ v.T / DIM, data[1][:300]
    same = y[:, None] == y
    np.fill_diagonal(same, False)
    return float(g[same].mean() - g[y[:, None] != y].mean())


@row("vsa/encode 1000x100 by projection", "alike within a class less between")
def encode():
    return learn_row("encode", spread)


@row("vsa/classifier fit 1000, 10 classes", "part of 1000 others told right")
def fit():
    return learn_row("fit", lambda who, r, _: who["right"](who["told"](r)))


@row("vsa/classifier predict 1000", "part told right")
def predict():
    return learn_row("predict", lambda who, r, _: who["right"](r))


# ---- ultrasound ----

def metric(module, name):
    try:
        return getattr(importlib.import_module("ultrasound_metrics.metrics." + module), name)
    except Exception:  # noqa: BLE001 - missing, or one that does not load with what it needs
        return None


def compared(ours, others):
    """Values beside each other: what ours gives in the mean, and of others the largest distance from ours in parts of the largest."""
    mine = array(ours()).astype(float)

    def judge(r, who):
        got = array(r).astype(float)
        return float(mine.mean()) if who == "heddle" else float(np.abs(got - mine).max() / max(np.abs(mine).max(), 1e-300))
    return dict({"heddle": ours}, **{k: f for k, f in others.items() if f}), judge


def called(fn, *data):
    return (lambda: fn(*data)) if fn else None


def channels():
    g = generator(5)
    return (g.standard_normal((64, 400, 400)) + 1j * g.standard_normal((64, 400, 400)) + 0.3).astype(np.complex64)


DISTANCE = "mean of ours; distance of others from it"


def coherence_row(ours, name):
    x = channels()
    y = hd.asarray(x)
    return compared(lambda: ours(y), {"ultrasound-metrics": called(metric("coherence", name), x)})


@row("ultrasound/coherence 64x400^2", DISTANCE)
def coherence():
    return coherence_row(us.coherence_factor, "coherence_factor")


@row("ultrasound/generalized coherence 64x400^2", DISTANCE)
def generalized():
    return coherence_row(us.generalized_coherence_factor, "generalized_coherence_factor")


@row("ultrasound/sign coherence 64x400^2", DISTANCE)
def sign():
    return coherence_row(us.sign_coherence_factor, "sign_coherence_factor")


@row("ultrasound/phase coherence 64x400^2", DISTANCE)
def phase():
    return coherence_row(us.phase_coherence_factor, "phase_coherence_factor")


@row("ultrasound/gcnr 2x1M", DISTANCE)
def gcnr():
    g = generator(6)
    a, b = g.standard_normal((2, 1000000)).astype(np.float32) + np.array([[0], [1]], np.float32)
    one, two = hd.asarray(a), hd.asarray(b)
    return compared(lambda: us.gcnr(one, two), {"ultrasound-metrics": called(metric("gcnr", "gcnr"), a, b)})


@row("ultrasound/cnr 2x1M", DISTANCE)
def cnr():
    g = generator(6)
    a, b = (g.standard_normal((2, 1000000)) * np.array([[2], [1]])).astype(np.float32)
    one, two = hd.asarray(a), hd.asarray(b)
    return compared(lambda: us.cnr(one, two), {"ultrasound-metrics": called(metric("cnr", "compute_cnr"), a, b)})


@row("ultrasound/temporal SNR 400x400x64", DISTANCE)
def tsnr():
    x = (generator(7).standard_normal((400, 400, 64)) + 3).astype(np.float32)
    y = hd.asarray(x)
    return compared(lambda: us.tsnr(y), {"ultrasound-metrics": called(metric("tsnr", "tsnr"), x)})


@row("ultrasound/tenengrad 1000x1000", DISTANCE)
def tenengrad():
    x = generator(8).random((1000, 1000), dtype=np.float32)
    y = hd.asarray(x)
    return compared(lambda: us.tenengrad(y), {"ultrasound-metrics": called(metric("sharpness", "tenengrad"), x)})


@row("ultrasound/fwhm 400x400 by a Gaussian", DISTANCE + "; the truth is 15.306")
def fwhm():
    z, x = np.mgrid[:400, :400]
    image = np.exp(-((z - 200.0) ** 2 / 2 / 5 ** 2 + (x - 190.0) ** 2 / 2 / 8 ** 2))
    y = hd.asarray(image)
    other = metric("fwhm", "compute_fwhm")  # gives the widths along lines, and then those of the Gaussian along x and z
    return compared(lambda: us.fwhm(y), {"ultrasound-metrics": other and (lambda: np.array(other(image)[:1:-1]))})


@row("ultrasound/B-mode 400x400", DISTANCE)
def bmode():
    x = channels()[0]
    y = hd.asarray(x)

    def plain():
        m = np.abs(x)
        return np.clip(20 * np.log10(m / m.max()), -60, 0)
    return compared(lambda: us.bmode_db(y), {"plain numpy": plain})


@row("ultrasound/delay and sum 64 channels to 200x200", DISTANCE)
def das():
    g, rate, speed = generator(9), 20e6, 1540.0
    data = g.standard_normal((1, 64, 1500)).astype(np.float32)
    elements, z, x = (np.arange(64) - 31.5) * 3e-4, np.linspace(5e-3, 4e-2, 200), np.linspace(-1e-2, 1e-2, 200)
    args = [hd.asarray(v) for v in (data, elements, z, x)]

    def plain():
        out = np.zeros((200, 200))
        for k, e in enumerate(elements):
            t = (z[:, None] + np.hypot(z[:, None], x - e)) / speed * rate
            out += np.interp(t, np.arange(1500), data[0, k], left=0, right=0)
        return out
    return compared(lambda: us.beamform(*args, rate, sound_speed=speed), {"plain numpy": plain})


# ---- the table ----

def once(fn):
    """Seconds and the result; what is said on the way is nobody's."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        start = time.process_time()
        got = fn()
        return time.process_time() - start, got


def measure(jobs):
    """{contestant: (seconds, a result)}, contestants that fail left out, with the reason."""
    result, times, failed, turn = {}, {}, {}, 0
    for who, fn in jobs.items():
        try:
            _, result[who] = once(fn)  # which also warms
            times[who] = []
        except Exception as e:  # noqa: BLE001 - said below the table
            failed[who] = "%s: %s" % (type(e).__name__, str(e).split("\n")[0][:90])
    while turn < 3 or (turn < TURNS and sum(map(sum, times.values())) < BUDGET):
        for who in times:
            times[who].append(once(jobs[who])[0])
        turn += 1
    return {who: (sorted(t)[len(t) // 4], result[who]) for who, t in times.items()}, failed


def duration(seconds):
    for unit, scale in (("us", 1e6), ("ms", 1e3)):
        if seconds * scale < 1000:
            return "%.3g %s" % (seconds * scale, unit)
    return "%.3g s" % seconds


def versions():
    known = {"heddle": hd.__version__, "numpy": np.__version__}
    for name, module in peer.items():
        if module:
            known[name] = importlib.metadata.version(DISTRIBUTIONS.get(name, name))
    return ", ".join("%s %s" % kv for kv in known.items())


def cpu():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main():
    wanted = re.compile(sys.argv[1] if len(sys.argv) > 1 else "")
    load = os.getloadavg()[0]
    logging.disable(logging.WARNING)
    print("The kits beside their peers, %s; %s; one thread each" % (datetime.date.today(), cpu()))
    print(versions())
    print("Lower quartiles of the CPU time of at most %d calls in turns; load %.0f on %d processors, which they feel in caches and "
          "memory: the ratios\nof a row say more than its times. ratio: the peer's time over ours, above 1 ours is faster." %
          (TURNS, load, os.cpu_count()))
    missing = [name for name in PACKAGES if not peer[name]]
    if missing:
        print("not there: " + ", ".join(missing))
    notes = []
    print("\n%-56s %9s %10s  %-19s %9s %10s %7s" % ("row", "ours", "", "peer", "time", "", "ratio"))
    for title, what, make in rows:
        if not wanted.search(title):
            continue
        jobs, judge = make()
        got, failed = measure(jobs)
        notes += ["%s: %s: %s" % (title, k, v) for k, v in failed.items()]
        if "heddle" not in got:
            continue
        number = {k: judge(r, k) if judge.__code__.co_argcount > 1 else judge(r) for k, (_, r) in got.items()}
        mine, text = got["heddle"][0], "%-56s %9s %10.4g" % (title, duration(got["heddle"][0]), number["heddle"])
        for who in [k for k in got if k != "heddle"] or [None]:
            print(text + ("" if who is None else "  %-19s %9s %10.4g %7.2f" % (who, duration(got[who][0]), number[who],
                                                                             got[who][0] / mine)), flush=True)
            text = " " * len(text)
        print("    " + what, flush=True)
    if notes:
        print("\nCould not\n" + "\n".join(notes))


if __name__ == "__main__":
    main()
