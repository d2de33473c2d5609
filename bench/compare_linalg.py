# SPDX-License-Identifier: BSD-3-Clause
"""Peers of the suites linalg and fft; compare_peers.py says how rows are found."""
import math

import numpy as np
from compare_peers import REAL_OF, Suite


class Linalg(Suite):
    def pair(self, dtype, a, b):
        (x, tx), (y, ty) = self.p.values("uniform", dtype, a, 1), self.p.values("uniform", dtype, b, 2)
        return x, tx, y, ty

    def row_matmul(self, dtype, size):
        m, n, k = map(int, size.split("x")) if "x" in size else [int(size)] * 3
        x, tx, y, ty = self.pair(dtype, (m, k), (k, n))
        return self.both(lambda: x @ y, lambda: tx @ ty)

    def row_matmul_out(self, dtype, size):
        n = int(size)
        x, tx, y, ty = self.pair(dtype, (n, n), (n, n))
        o = np.empty_like(x)
        to = self.t.from_numpy(o) if self.t else None
        return self.both(lambda: np.matmul(x, y, out=o), lambda: self.t.matmul(tx, ty, out=to))

    def row_matmul_batched(self, dtype, size):
        b, n = map(int, size.split("x"))
        x, tx, y, ty = self.pair(dtype, (b, n, n), (b, n, n))
        return self.both(lambda: x @ y, lambda: self.t.bmm(tx, ty))

    def row_einsum_bij_bjk_bik(self, dtype, size):
        b, n = map(int, size.split("x"))
        x, tx, y, ty = self.pair(dtype, (b, n, n), (b, n, n))
        return self.both(lambda: np.einsum("bij,bjk->bik", x, y, optimize=True),
                         lambda: self.t.einsum("bij,bjk->bik", tx, ty))

    def row_einsum_mttkrp(self, dtype, size):
        x, tx, f, tf = self.pair(dtype, (100, 100, 100), (100, 10))
        g, tg = self.p.values("uniform", dtype, (100, 10), 4)
        return self.both(lambda: np.einsum("ijk,jr,kr->ir", x, f, g, optimize=True),
                         lambda: self.t.einsum("ijk,jr,kr->ir", tx, tf, tg))

    def row_einsum_ijk_kr_ijr(self, dtype, size):
        x, tx, f, tf = self.pair(dtype, (100, 100, 100), (100, 10))
        return self.both(lambda: np.einsum("ijk,kr->ijr", x, f, optimize=True), lambda: self.t.einsum("ijk,kr->ijr", tx, tf))

    def row_tensordot_axis1(self, dtype, size):
        x, tx, f, tf = self.pair(dtype, (100, 100, 100), (100, 10))
        return self.both(lambda: np.tensordot(x, f, (1, 0)), lambda: self.t.tensordot(tx, tf, ([1], [0])))

    def row_khatri_rao(self, dtype, size):
        x, tx, y, ty = self.pair(dtype, (400, 50), (400, 50))
        rows = self.both(lambda: (x[:, None, :] * y[None]).reshape(-1, 50), lambda: (tx[:, None, :] * ty[None]).reshape(-1, 50))
        if self.p.mod["tensorly"]:
            from tensorly.tenalg import khatri_rao
            rows["tensorly"] = lambda: khatri_rao([x, y])
        return rows

    def normal(self, dtype, shape):
        return self.p.values("normal", dtype, shape, 2)

    def definite(self, dtype, n):
        s, _ = self.normal(dtype, (n, n))
        d = (s.T @ s + n * np.eye(n)).astype(dtype)
        return s, (self.t.from_numpy(s) if self.t else None), d, (self.t.from_numpy(d) if self.t else None)

    def row_svd(self, dtype, size):
        s, ts = self.normal(dtype, tuple(map(int, size.split("x"))))
        return self.both(lambda: np.linalg.svd(s, full_matrices=False), lambda: self.t.linalg.svd(ts, full_matrices=False))

    def row_solve(self, dtype, size):
        s, ts, d, td = self.definite(dtype, int(size))
        return self.both(lambda: np.linalg.solve(d, s), lambda: self.t.linalg.solve(td, ts))

    def row_qr(self, dtype, size):
        s, ts = self.normal(dtype, (int(size),) * 2)
        return self.both(lambda: np.linalg.qr(s), lambda: self.t.linalg.qr(ts))

    def row_eigh(self, dtype, size):
        _, _, d, td = self.definite(dtype, int(size))
        return self.both(lambda: np.linalg.eigh(d), lambda: self.t.linalg.eigh(td))

    def row_cholesky(self, dtype, size):
        _, _, d, td = self.definite(dtype, int(size))
        return self.both(lambda: np.linalg.cholesky(d), lambda: self.t.linalg.cholesky(td))

    def row_inv(self, dtype, size):
        _, _, d, td = self.definite(dtype, int(size))
        return self.both(lambda: np.linalg.inv(d), lambda: self.t.linalg.inv(td))

    def row_det(self, dtype, size):
        s, ts = self.normal(dtype, (int(size),) * 2)
        s = (s / math.sqrt(int(size))).astype(dtype)
        ts = self.t.from_numpy(s) if self.t else None
        return self.both(lambda: np.linalg.det(s), lambda: self.t.linalg.det(ts))

    def small(self, dtype, size):
        b, n = map(int, size.split("x"))
        x, tx = self.normal(dtype, (b, n, n))
        d = (np.swapaxes(x, 1, 2) @ x + n * np.eye(n)).astype(dtype)
        return x, tx, d, self.t.from_numpy(d) if self.t else None

    def row_solve_batched(self, dtype, size):
        x, tx, d, td = self.small(dtype, size)
        return self.both(lambda: np.linalg.solve(d, x), lambda: self.t.linalg.solve(td, tx))

    def row_inv_batched(self, dtype, size):
        _, _, d, td = self.small(dtype, size)
        return self.both(lambda: np.linalg.inv(d), lambda: self.t.linalg.inv(td))

    def row_cholesky_batched(self, dtype, size):
        _, _, d, td = self.small(dtype, size)
        return self.both(lambda: np.linalg.cholesky(d), lambda: self.t.linalg.cholesky(td))

    def row_det_batched(self, dtype, size):
        x, tx, _, _ = self.small(dtype, size)
        return self.both(lambda: np.linalg.det(x), lambda: self.t.linalg.det(tx))


class Fft(Suite):
    def grid(self, size):
        """Shape and the axes that are transformed."""
        if "^" not in size:
            return tuple(map(int, size.split("x"))), (1,)
        *batch, n = size.split("x")
        n, rank = map(int, n.split("^"))
        return tuple(map(int, batch)) + (n,) * rank, tuple(range(len(batch), len(batch) + rank))

    def all(self, name, x, tx, axes, shape=None):
        sf, pf = self.p.mod["scipy.fft"], self.p.mod["pyfftw"]
        kw = {"s": [shape[k] for k in axes]} if shape else {}
        rows = self.both(lambda: getattr(np.fft, name)(x, axes=axes, **kw), lambda: getattr(self.t.fft, name)(tx, dim=axes, **kw))
        rows["scipy"] = sf and (lambda: getattr(sf, name)(x, axes=axes, workers=self.p.threads, **kw))
        if pf:
            fn = getattr(pf.interfaces.scipy_fft, name)
            rows["pyfftw"] = lambda: fn(x, axes=axes, workers=self.p.threads, planner_effort="FFTW_MEASURE", **kw)
        return rows

    def row_fftn(self, dtype, size):
        shape, axes = self.grid(size)
        z, tz = self.p.values("normal", dtype, shape, 2)
        return self.all("fftn", z, tz, axes)

    def row_rfftn(self, dtype, size):
        shape, axes = self.grid(size)
        x, tx = self.p.values("normal", dtype, shape, 2)
        return self.all("rfftn", x, tx, axes)

    def row_irfftn(self, dtype, size):
        shape, axes = self.grid(size)
        x, _ = self.p.values("normal", dtype, shape, 2)
        wanted = {v: k for k, v in REAL_OF.items()}[dtype]
        z = np.fft.rfftn(x, axes=axes).astype(wanted)
        return self.all("irfftn", z, self.t.from_numpy(z) if self.t else None, axes, shape)
