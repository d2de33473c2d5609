# SPDX-License-Identifier: BSD-3-Clause
"""Peers of the ultrasound rows of the suite jobs: what ultrasound-metrics 0.1 does with NumPy, written out (names that begin with
"plain"), and the package itself where it can be imported."""
import importlib

import numpy as np
from compare_peers import Suite

CHANNELS = (64, 400, 400)


def metric(module, name):
    """A function of ultrasound-metrics, or None: its 0.1 does not load with newer packages that it needs."""
    try:
        return getattr(importlib.import_module("ultrasound_metrics.metrics." + module), name)
    except Exception:  # noqa: BLE001
        return None


def ratio(top, bottom):
    out = np.zeros_like(top)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out


class Ultrasound(Suite):
    def channels(self):
        g, out = np.random.default_rng(5), np.empty(CHANNELS, np.complex64)
        for k in range(CHANNELS[0]):
            out[k] = g.standard_normal((CHANNELS[1], 2 * CHANNELS[2]), dtype=np.float32).view(np.complex64)
        return out

    def with_package(self, rows, module, name, *data):
        fn = metric(module, name)
        if fn:
            rows["ultrasound-metrics"] = lambda: fn(*data)
        return rows

    def row_us_coherence_factor(self, dtype, size):
        x = self.channels()
        rows = {"plain-numpy": lambda: ratio(np.abs(x.sum(0)) ** 2, (np.abs(x) ** 2).sum(0) * len(x))}
        return self.with_package(rows, "coherence", "coherence_factor", x)

    def row_us_generalized_coherence(self, dtype, size):
        x = self.channels()

        def plain():
            s = np.fft.fft(x, axis=0)
            return ratio((np.abs(s[[0, 1, -1]]) ** 2).sum(0), (np.abs(x) ** 2).sum(0) * len(x))
        return self.with_package({"plain-numpy": plain}, "coherence", "generalized_coherence_factor", x)

    def row_us_sign_coherence(self, dtype, size):
        x = self.channels()
        rows = {"plain-numpy": lambda: 1 - np.sqrt(np.maximum(1 - np.sign(x.real).mean(0) ** 2, 0))}
        return self.with_package(rows, "coherence", "sign_coherence_factor", x)

    def row_us_phase_coherence(self, dtype, size):
        x = self.channels()

        def plain():
            m = np.abs(x)
            return np.abs(np.divide(x, m, out=np.zeros_like(x), where=m != 0).mean(0))
        return self.with_package({"plain-numpy": plain}, "coherence", "phase_coherence_factor", x)

    def row_us_bmode(self, dtype, size):
        x = self.channels()[0]

        def plain():
            m = np.abs(x)
            return np.clip(20 * np.log10(m / m.max()), -60, 0)
        return {"plain-numpy": plain}

    def regions(self):
        return [self.p.values("normal", "float32", (1000000,), k)[0] for k in (1, 2)]

    def row_us_gcnr(self, dtype, size):
        a, b = self.regions()

        def plain():
            h, e = np.histogram(a, 100, (min(a.min(), b.min()), max(a.max(), b.max())), density=True)
            k = np.histogram(b, e, density=True)[0]
            return 1 - (np.diff(e) * np.minimum(h, k)).sum()
        return self.with_package({"plain-numpy": plain}, "gcnr", "gcnr", a, b)

    def row_us_cnr(self, dtype, size):
        a, b = self.regions()

        def plain():
            p, q = np.abs(a) ** 2, np.abs(b) ** 2
            return (p.mean() - q.mean()) / np.sqrt(((p - p.mean()) ** 2).mean() + ((q - q.mean()) ** 2).mean())
        return self.with_package({"plain-numpy": plain}, "cnr", "compute_cnr", a, b)

    def row_us_tsnr(self, dtype, size):
        x, _ = self.p.values("normal", "float32", (400, 400, 64), 1)

        def plain():
            m = x.mean(-1, keepdims=True)
            return (np.abs(m) ** 2).mean(-1) / (np.abs(x - m) ** 2).mean(-1)
        return self.with_package({"plain-numpy": plain}, "tsnr", "tsnr", x)

    def row_us_tenengrad(self, dtype, size):
        x, _ = self.p.values("normal", "float32", (1000, 1000), 1)
        signal = self.p.mod["scipy.signal"]
        kernel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], np.float32)

        def plain():
            p = np.pad(x, 1)
            d = p[:, :-2] - p[:, 2:]
            return np.abs(d[:-2] + 2 * d[1:-1] + d[2:]).sum()
        rows = {"plain-numpy": plain}
        if signal:
            rows["plain-scipy"] = lambda: np.abs(signal.convolve2d(x, kernel, "same")).sum()
        return self.with_package(rows, "sharpness", "tenengrad", x)
