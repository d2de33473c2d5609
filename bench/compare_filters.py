# SPDX-License-Identifier: BSD-3-Clause
"""Peers of the rows of tools/bench/filters.c, in suite jobs; compare_peers.py says how rows are found."""
import numpy as np
from compare_peers import Suite

SIDE, TAPS, BOX = 1000, 9, 5


class Filters(Suite):
    def image(self, dtype, seed=1):
        return self.p.values("unit", dtype, (SIDE, SIDE), seed)

    def wave(self, dtype, seed=1):
        return self.p.values("unit", dtype, (SIDE * SIDE,), seed)

    def ndimage(self, dtype, of, torch=None):
        """OF SciPy's images and an image; PyTorch's functions on a batch of one channel."""
        x, tx = self.image(dtype)
        ni = self.p.mod["scipy.ndimage"]
        return {"scipy": ni and (lambda: of(ni, x)),
                "torch": self.t and torch and (lambda: torch(self.t.nn.functional, tx[None, None]))}

    def row_convolve(self, dtype, size):
        (x, tx), (w, tw) = self.wave(dtype), self.p.values("uniform", dtype, (TAPS,), 2)
        ni = self.p.mod["scipy.ndimage"]
        return {"numpy": lambda: np.convolve(x, w, "same"), "scipy": ni and (lambda: ni.convolve1d(x, w, mode="constant")),
                "torch": self.t and (lambda: self.t.nn.functional.conv1d(tx[None, None], tw[None, None], padding=TAPS // 2))}

    def row_convolve2d(self, dtype, size):
        w, tw = self.p.values("uniform", dtype, (BOX, BOX), 2)
        rows = self.ndimage(dtype, lambda ni, x: ni.convolve(x, w, mode="constant"),
                            lambda f, x: f.conv2d(x, tw[None, None], padding=BOX // 2))
        x, sg = self.image(dtype)[0], self.p.mod["scipy.signal"]
        rows["scipy:signal"] = sg and (lambda: sg.convolve2d(x, w, "same"))
        return rows

    def row_gaussian_filter(self, dtype, size):
        return self.ndimage(dtype, lambda ni, x: ni.gaussian_filter(x, 2))

    def row_uniform_filter(self, dtype, size):
        return self.ndimage(dtype, lambda ni, x: ni.uniform_filter(x, BOX), lambda f, x: f.avg_pool2d(x, BOX, 1, BOX // 2))

    def row_median_filter(self, dtype, size):
        return self.ndimage(dtype, lambda ni, x: ni.median_filter(x, 3))

    def row_maximum_filter(self, dtype, size):
        return self.ndimage(dtype, lambda ni, x: ni.maximum_filter(x, BOX), lambda f, x: f.max_pool2d(x, BOX, 1, BOX // 2))

    def row_sobel(self, dtype, size):
        return self.ndimage(dtype, lambda ni, x: ni.sobel(x, 0))

    def row_spline_filter(self, dtype, size):
        return self.ndimage(dtype, lambda ni, x: ni.spline_filter(x, output=dtype))

    def row_zoom(self, dtype, size):
        return self.ndimage(dtype, lambda ni, x: ni.zoom(x, 2))

    def of_two(self, pair, numpy, torch):
        (x, tx), (y, ty) = pair
        return self.both(numpy and (lambda: numpy(x, y)), lambda: torch(self.t.nn.functional, tx, ty))

    def row_mse(self, dtype, size):
        pair = (self.wave(dtype), self.wave(dtype, 2))
        return self.of_two(pair, lambda x, y: ((x - y) ** 2).mean(), lambda f, x, y: f.mse_loss(x, y))

    def row_huber_loss(self, dtype, size):
        return self.of_two((self.wave(dtype), self.wave(dtype, 2)), None, lambda f, x, y: f.huber_loss(x, y))

    def row_binary_crossentropy(self, dtype, size):
        return self.of_two((self.wave(dtype), self.wave(dtype, 2)), None, lambda f, x, y: f.binary_cross_entropy(x, y))

    def row_sparse_crossentropy(self, dtype, size):
        _, tx = self.image(dtype)
        at = self.t and self.t.from_numpy(np.random.default_rng(3).integers(0, SIDE, SIDE))
        return self.both(None, lambda: self.t.nn.functional.cross_entropy(tx, at))

    def row_cosine_similarity(self, dtype, size):
        return self.of_two((self.image(dtype), self.image(dtype, 2)), None, lambda f, x, y: f.cosine_similarity(x, y))

    def row_normalize_vector(self, dtype, size):
        x, tx = self.image(dtype)
        return self.both(lambda: x / np.linalg.norm(x, axis=1, keepdims=True), lambda: self.t.nn.functional.normalize(tx))

    def row_log_softmax(self, dtype, size):
        x, tx = self.image(dtype)
        sp = self.p.mod["scipy.special"]
        return {"scipy": sp and (lambda: sp.log_softmax(x, 1)), "torch": self.t and (lambda: self.t.log_softmax(tx, 1))}
