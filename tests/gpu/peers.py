# SPDX-License-Identifier: BSD-3-Clause
"""The rows of bench.c by PyTorch or CuPy, on the same device: `peers.py torch|cupy SCALE`, a line of JSON each.

`peers.py copy` measures what the memory gives: bytes read and written in a second by a copy of 2 GiB.
"""
import json
import math
import statistics
import sys
import time


class Torch:
    def __init__(self):
        import torch
        self.t = torch
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.manual_seed(1)
        self.version = torch.__version__

    def sync(self):
        self.t.cuda.synchronize()

    def normal(self, *shape, dtype="float32"):
        return self.t.randn(*shape, dtype=getattr(self.t, dtype), device="cuda")

    def integers(self, n, high):
        return self.t.randint(0, high, (n,), device="cuda")

    def calls(self):
        t = self.t
        return {
            "copy": lambda o: o.a.clone(), "add": lambda o: o.a + o.b, "multiply": lambda o: o.a * o.b,
            "divide": lambda o: o.a / o.b, "scale": lambda o: o.a * 2.5, "exp": lambda o: t.exp(o.a), "log": lambda o: t.log(o.p),
            "sin": lambda o: t.sin(o.a), "sqrt": lambda o: t.sqrt(o.p), "tanh": lambda o: t.tanh(o.a), "less": lambda o: o.a < o.b,
            "astype": lambda o: o.a.double(), "add_row": lambda o: o.a + o.c, "transpose": lambda o: o.a.t().contiguous(),
            "sum": lambda o: o.a.sum(), "max": lambda o: o.a.max(), "var": lambda o: o.a.var(unbiased=False),
            "argmax": lambda o: o.a.argmax(), "sum_0": lambda o: o.a.sum(0), "sum_1": lambda o: o.a.sum(1),
            "softmax": lambda o: t.softmax(o.a, 1), "cumsum": lambda o: t.cumsum(o.a, 0), "sort": lambda o: t.sort(o.a)[0],
            "argsort": lambda o: t.argsort(o.a), "take": lambda o: t.index_select(o.a, 0, o.b),
            "normal": lambda o: t.randn_like(o.a), "uniform": lambda o: t.rand_like(o.a), "rfftn": lambda o: t.fft.rfftn(o.a),
            "irfftn": lambda o: t.fft.irfftn(o.c, s=o.a.shape), "fft1": lambda o: t.fft.fft(o.a), "matmul": lambda o: o.a @ o.b,
            "solve": lambda o: t.linalg.solve(o.a, o.b), "matmul_tf32": self.tf32, "det": lambda o: t.linalg.det(o.a),
            "cholesky": lambda o: t.linalg.cholesky(o.c), "lu": lambda o: t.linalg.lu(o.a), "qr": lambda o: t.linalg.qr(o.a),
            "eigh": lambda o: t.linalg.eigh(o.c), "svd": lambda o: t.linalg.svd(o.a, full_matrices=False),
            "eig": lambda o: t.linalg.eig(o.a),
        }

    def tf32(self, o):
        self.t.backends.cuda.matmul.allow_tf32 = True
        try:
            return o.a @ o.b
        finally:
            self.t.backends.cuda.matmul.allow_tf32 = False


class Cupy:
    def __init__(self):
        import cupy
        self.c = cupy
        self.version = cupy.__version__

    def sync(self):
        self.c.cuda.Device().synchronize()

    def normal(self, *shape, dtype="float32"):
        if dtype == "complex64":
            return (self.normal(*shape) + 1j * self.normal(*shape)).astype(dtype)
        return self.c.random.standard_normal(shape, dtype=dtype)

    def integers(self, n, high):
        return self.c.random.randint(0, high, (n,), dtype="int64")

    def calls(self):
        c = self.c
        random = c.random.default_rng(1)

        def softmax(x):
            e = c.exp(x - x.max(1, keepdims=True))
            return e / e.sum(1, keepdims=True)
        return {
            "copy": lambda o: o.a.copy(), "add": lambda o: o.a + o.b, "multiply": lambda o: o.a * o.b,
            "divide": lambda o: o.a / o.b, "scale": lambda o: o.a * 2.5, "exp": lambda o: c.exp(o.a), "log": lambda o: c.log(o.p),
            "sin": lambda o: c.sin(o.a), "sqrt": lambda o: c.sqrt(o.p), "tanh": lambda o: c.tanh(o.a), "less": lambda o: o.a < o.b,
            "astype": lambda o: o.a.astype("float64"), "add_row": lambda o: o.a + o.c, "transpose": lambda o: o.a.T.copy(),
            "sum": lambda o: o.a.sum(), "max": lambda o: o.a.max(), "var": lambda o: o.a.var(), "argmax": lambda o: o.a.argmax(),
            "sum_0": lambda o: o.a.sum(0), "sum_1": lambda o: o.a.sum(1), "softmax": lambda o: softmax(o.a),
            "cumsum": lambda o: c.cumsum(o.a), "sort": lambda o: c.sort(o.a), "argsort": lambda o: c.argsort(o.a),
            "take": lambda o: o.a.take(o.b), "normal": lambda o: random.standard_normal(o.a.shape, dtype="float32"),
            "uniform": lambda o: random.random(o.a.shape, dtype="float32"), "rfftn": lambda o: c.fft.rfftn(o.a),
            "irfftn": lambda o: c.fft.irfftn(o.c, s=o.a.shape), "fft1": lambda o: c.fft.fft(o.a), "matmul": lambda o: o.a @ o.b,
            "solve": lambda o: c.linalg.solve(o.a, o.b), "det": lambda o: c.linalg.det(o.a),
            "cholesky": lambda o: c.linalg.cholesky(o.c), "qr": lambda o: c.linalg.qr(o.a), "eigh": lambda o: c.linalg.eigh(o.c),
            "svd": lambda o: c.linalg.svd(o.a, full_matrices=False),
        }


class Operands:
    a = b = c = p = None


def side(n, scale):
    while scale > 3 and n > 4:
        n //= 2
        scale //= 4
    return n


def operands(x, row, scale):
    """What the row's name says: suite/call/dtype/extents."""
    suite, call, dtype, size = row.split("/")
    o = Operands()
    if size == "8":
        o.a, o.b = x.normal(8), x.normal(8)
    elif size == "1e7_of_1e8":
        n = max(2, 100000000 // scale)
        o.a, o.b = x.normal(n), x.integers(max(1, n // 10), n)
    elif "e" in size:
        n = max(1, int(float(size)) // scale)
        o.a = x.normal(n, dtype=dtype)
        o.b = x.normal(n, dtype=dtype) if suite == "elementwise" else None
        o.p = abs(o.a)
    elif suite == "fft" and call == "fft1":
        o.a = x.normal(max(1, 16384 // scale), 1024, dtype=dtype)
    elif suite == "fft":
        n = side(256, scale)
        o.a = x.normal(n, n, n)
        o.c = x.calls()["rfftn"](o)
    elif suite == "linalg" and size.count("x") == 2:
        count, n, _ = map(int, size.split("x"))
        o.a, o.b = x.normal(max(1, count // scale), n, n), x.normal(max(1, count // scale), n, n)
    elif call == "solve":
        n = side(2048, scale)
        o.a, o.b = x.normal(n, n), x.normal(n, 16)
    elif suite == "linalg" and not call.startswith("matmul"):
        n = side(int(size), scale)
        o.a = x.normal(n, n)
        o.c = o.a @ o.a.T / n
        for k in range(n):
            o.c[k, k] += 1
    else:
        n = side(int(size.split("x")[0]), scale)
        o.a, o.b = x.normal(n, n, dtype=dtype), x.normal(n, n, dtype=dtype)
        o.c = x.normal(n, dtype=dtype)
    return o


def sample(x, call, o, n):
    begin = time.perf_counter()
    for _ in range(n):
        call(o)
    host = (time.perf_counter() - begin) / n
    x.sync()
    return host, (time.perf_counter() - begin) / n


def measure(x, call, o):
    sample(x, call, o, 1)
    n, (host, once) = 1, sample(x, call, o, 1)
    while once < 0.02 / n and n < 100000:
        n *= 4
        host, once = sample(x, call, o, n)
    times = [sample(x, call, o, n) for _ in range(5)] if once < 1 else [(host, once)]
    return statistics.median(t[1] for t in times), statistics.median(t[0] for t in times), n


def main():
    who = sys.argv[1]
    x = Cupy() if who == "cupy" else Torch()
    if who == "copy":
        o = Operands()
        o.a = x.normal(1 << 29)
        seconds, _, _ = measure(x, x.calls()["copy"], o)
        print(json.dumps({"row": "copy", "who": "torch", "bytes_per_second": 2 * 4 * (1 << 29) / seconds}))
        return
    print(json.dumps({"who": who, "version": x.version}), flush=True)
    calls, scale = x.calls(), int(sys.argv[2])
    for row in sys.stdin.read().split():
        if row.startswith("threads/"):
            continue
        try:
            o = operands(x, row, scale)
            x.sync()
            seconds, host, n = measure(x, calls[row.split("/")[1]], o)
            line = {"row": row, "who": who, "seconds": seconds, "host": host, "calls": n}
            if not math.isfinite(seconds):
                raise ValueError(seconds)
        except Exception as e:  # noqa: BLE001 - a row that the peer cannot do is a row without it
            line = {"row": row, "who": who, "error": str(e)[:200]}
        print(json.dumps(line), flush=True)
        o = None


main()
