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

    row_matmul_complex = row_matmul_batched

    def row_matvec_batched(self, dtype, size):
        b, n = map(int, size.split("x"))
        x, tx, y, ty = self.pair(dtype, (b, n, n), (b, n, 1))
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

    def row_qr_batched(self, dtype, size):
        x, tx, _, _ = self.small(dtype, size)
        return self.both(lambda: np.linalg.qr(x), lambda: self.t.linalg.qr(tx))

    def row_eigh_batched(self, dtype, size):
        _, _, d, td = self.small(dtype, size)
        return self.both(lambda: np.linalg.eigh(d), lambda: self.t.linalg.eigh(td))

    def row_svd_batched(self, dtype, size):
        x, tx, _, _ = self.small(dtype, size)
        return self.both(lambda: np.linalg.svd(x, full_matrices=False), lambda: self.t.linalg.svd(tx, full_matrices=False))

    def rows_of(self, dtype, size):
        """A wide matrix, another one."""
        r, c = map(int, size.split("x"))
        return (*self.p.values("uniform", dtype, (r, c), 1), *self.normal(dtype, (r, c)))

    def row_dot(self, dtype, size):
        x, tx, y, ty = self.pair(dtype, (100000,), (100000,))
        return self.both(lambda: x.dot(y), lambda: tx.dot(ty))

    def row_vdot_complex(self, dtype, size):
        x, tx, y, ty = self.pair(dtype, (100000,), (100000,))
        return self.both(lambda: np.vdot(x, y), lambda: self.t.vdot(tx, ty))

    def row_norm(self, dtype, size):
        x, tx = self.p.values("uniform", dtype, (100000,), 1)
        return self.both(lambda: np.linalg.norm(x), lambda: self.t.linalg.vector_norm(tx))

    def row_vecdot(self, dtype, size):
        x, tx, y, ty = self.rows_of(dtype, size)
        rows = self.both(None, lambda: self.t.linalg.vecdot(tx, ty))
        rows["numpy:einsum"] = lambda: np.einsum("ij,ij->i", x, y)
        rows["numpy"] = hasattr(np, "vecdot") and (lambda: np.vecdot(x, y))
        return rows

    def row_outer(self, dtype, size):
        x, tx, y, ty = self.pair(dtype, (250,), (400,))
        return self.both(lambda: np.outer(x, y), lambda: self.t.outer(tx, ty))

    def row_matvec(self, dtype, size):
        x, tx, y, ty = self.pair(dtype, (250, 400), (400,))
        return self.both(lambda: x @ y, lambda: tx @ ty)

    def row_vecmat(self, dtype, size):
        x, tx, y, ty = self.pair(dtype, (250,), (250, 400))
        return self.both(lambda: x @ y, lambda: tx @ ty)

    def row_gram(self, dtype, size):
        _, _, x, tx = self.rows_of(dtype, size)
        return self.both(lambda: x @ x.T, lambda: tx @ tx.t())

    def row_cov(self, dtype, size):
        x, tx, _, _ = self.rows_of(dtype, size)
        return self.both(lambda: np.cov(x), lambda: self.t.cov(tx))

    def row_kron(self, dtype, size):
        x, tx, y, ty = self.pair(dtype, (20, 20), (15, 15))
        return self.both(lambda: np.kron(x, y), lambda: self.t.kron(tx, ty))

    def row_cross(self, dtype, size):
        x, tx, y, ty = self.pair(dtype, (33333, 3), (33333, 3))
        return self.both(lambda: np.cross(x, y), lambda: self.t.linalg.cross(tx, ty))

    def row_solve_triangular(self, dtype, size):
        s, ts, d, td = self.definite(dtype, int(size))
        sl = self.p.mod["scipy.linalg"]
        return {"scipy": sl and (lambda: sl.solve_triangular(d, s, lower=True)),
                "torch": self.t and (lambda: self.t.linalg.solve_triangular(td, ts, upper=False))}

    def row_eigvalsh(self, dtype, size):
        _, _, d, td = self.definite(dtype, int(size))
        return self.both(lambda: np.linalg.eigvalsh(d), lambda: self.t.linalg.eigvalsh(td))

    def of_square(self, dtype, size, name, torch_name=None, scale=1):
        s, _ = self.normal(dtype, (int(size),) * 2)
        s = s * s.dtype.type(scale)
        ts = self.t.from_numpy(s) if self.t else None
        np_fn = getattr(np.linalg, name, None)
        return self.both(np_fn and (lambda: np_fn(s)), lambda: getattr(self.t.linalg, torch_name or name)(ts))

    def row_svdvals(self, dtype, size):
        return self.of_square(dtype, size, "svdvals")

    def row_eig(self, dtype, size):
        return self.of_square(dtype, size, "eig")

    def row_pinv(self, dtype, size):
        return self.of_square(dtype, size, "pinv")

    def row_expm(self, dtype, size):
        s, _ = self.normal(dtype, (int(size),) * 2)
        s = s * s.dtype.type(0.01)
        sl = self.p.mod["scipy.linalg"]
        return dict(self.of_square(dtype, size, "", "matrix_exp", 0.01), scipy=sl and (lambda: sl.expm(s)))

    def row_matrix_power8(self, dtype, size):
        s, _ = self.normal(dtype, (int(size),) * 2)
        s = s * s.dtype.type(0.05)
        ts = self.t.from_numpy(s) if self.t else None
        return self.both(lambda: np.linalg.matrix_power(s, 8), lambda: self.t.linalg.matrix_power(ts, 8))

    def row_lstsq(self, dtype, size):
        r, c = map(int, size.split("x"))
        x, tx = self.normal(dtype, (r, c))
        y, ty = self.p.values("uniform", dtype, (r,), 1)
        return self.both(lambda: np.linalg.lstsq(x, y, None), lambda: self.t.linalg.lstsq(tx, ty[:, None], driver="gelsd"))

    def row_multi_dot3(self, dtype, size):
        _, _, x, tx = self.rows_of(dtype, size)
        return self.both(lambda: np.linalg.multi_dot((x, x.T, x)), lambda: self.t.linalg.multi_dot((tx, tx.t(), tx)))


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
