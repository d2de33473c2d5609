# SPDX-License-Identifier: BSD-3-Clause
"""Peers of the suite jobs; compare_peers.py says how rows are found.

Where a package does the job it is called (TensorLy, HoloVec, torchhd); beside it, and elsewhere, the same work is written out as its
users would with NumPy, SciPy and PyTorch: names that begin with "plain".
"""
import numpy as np
from compare_ultrasound import Ultrasound

DIM = 10000


def unit(z):
    return z / np.maximum(np.abs(z), 1e-12)


class Jobs(Ultrasound):
    def book(self, n, dtype="complex64"):
        return self.p.values("normal", dtype, (n, DIM), 1)

    def holovec(self, job, name="FHRR"):
        """HoloVec's model NAME on NumPy and PyTorch; JOB(model, vectors) gives the function."""
        hv, rows = self.p.mod["holovec"], {}
        for backend in ("numpy", "torch") if hv else ():
            try:
                model = hv.VSA.create(name, dim=DIM, backend=backend, seed=1)
                rows["holovec:" + backend] = job(model, [model.random(seed=i) for i in range(1000)])
            except Exception:  # noqa: BLE001 - a version with other names
                continue
        return rows

    def torchhd(self, n, job, name="FHRR"):
        """torchhd with N random vectors; JOB(torchhd, vectors) gives the function."""
        hd = self.p.mod["torchhd"]
        return {"torchhd": job(hd, hd.random(n, DIM, vsa=name))} if hd else {}

    def words(self, n):
        return np.random.default_rng(1).integers(0, 2 ** 63, (n, (DIM + 63) // 64), dtype=np.uint64)

    def row_fhrr_random(self, dtype, size):
        g, t = np.random.default_rng(1), self.t
        rows = {"plain-numpy": lambda: np.exp(1j * g.uniform(-np.pi, np.pi, DIM)).astype(np.complex64),
                "plain-torch": t and (lambda: t.polar(t.ones(DIM), t.rand(DIM) * (2 * np.pi)))}
        return dict(rows, **self.holovec(lambda m, v: lambda: m.random()), **self.torchhd(1, lambda hd, v: lambda: hd.random(1, DIM, vsa="FHRR")))

    def row_fhrr_bind(self, dtype, size):
        z, tz = self.book(2)
        rows = {"plain-numpy": lambda: unit(z[0] * z[1]), "plain-torch": self.t and (lambda: self.t.sgn(tz[0] * tz[1]))}
        return dict(rows, **self.holovec(lambda m, v: lambda: m.bind(v[0], v[1])),
                    **self.torchhd(2, lambda hd, v: lambda: hd.bind(v[0], v[1])))

    def row_fhrr_bundle100(self, dtype, size):
        z, tz = self.book(100)
        rows = {"plain-numpy": lambda: unit(z.sum(0)), "plain-torch": self.t and (lambda: self.t.sgn(tz.sum(0)))}
        return dict(rows, **self.holovec(lambda m, v: lambda: m.bundle(v[:100])),
                    **self.torchhd(100, lambda hd, v: lambda: hd.normalize(hd.multiset(v))))

    def row_fhrr_similarity1000(self, dtype, size):
        z, tz = self.book(1000)
        q = z[0].copy()
        rows = {"plain-numpy": lambda: (z @ q.conj()).real / DIM, "plain-torch": self.t and (lambda: (tz @ tz[0].conj()).real / DIM)}
        return dict(rows, **self.holovec(lambda m, v: lambda: [m.similarity(v[0], x) for x in v]),
                    **self.torchhd(1000, lambda hd, v: lambda: hd.cosine_similarity(v[0], v)))

    def row_fhrr_fpe_encode1000(self, dtype, size):
        x, tx = self.p.values("normal", "float32", (1000, 1), 1)
        p, tp = self.p.values("normal", "float32", (DIM,), 2)
        t = self.t
        rows = {"plain-numpy": lambda: np.exp(1j * (x * p)), "plain-torch": t and (lambda: t.polar(t.ones(1000, DIM), tx * tp))}

        def job(m, v):
            e = self.fractional(m)
            return lambda: [e.encode(float(k)) for k in x[:, 0]]
        return dict(rows, **self.holovec(job))

    @staticmethod
    def fractional(m):
        from holovec.encoders.scalar import FractionalPowerEncoder
        return FractionalPowerEncoder(m, min_val=0, max_val=1, bandwidth=1, seed=1)

    def row_fhrr_fpe_decode(self, dtype, size):
        def job(m, v):
            e = self.fractional(m)
            h = e.encode(0.3)
            return lambda: e.decode(h)
        rows = self.holovec(job)
        rows.pop("holovec:torch", None)  # 1.0.2 takes a float for a tensor there
        return rows

    def row_bsc_bundle100(self, dtype, size):
        w = self.words(100)

        def plain():
            bits = np.unpackbits(w.view(np.uint8), axis=1, bitorder="little")
            return np.packbits(bits.sum(0, dtype=np.int16) > 50, bitorder="little")
        return dict({"plain-numpy": plain}, **self.holovec(lambda m, v: lambda: m.bundle(v[:100]), "BSC"),
                    **self.torchhd(100, lambda hd, v: lambda: hd.multiset(v), "BSC"))

    def row_bsc_similarity1000(self, dtype, size):
        w = self.words(1000)
        rows = {"plain-numpy": lambda: 1 - np.bitwise_count(w ^ w[0]).sum(1, dtype=np.int32) / DIM}
        return dict(rows, **self.holovec(lambda m, v: lambda: [m.similarity(v[0], x) for x in v], "BSC"),
                    **self.torchhd(1000, lambda hd, v: lambda: hd.hamming_similarity(v[0], v), "BSC"))

    def row_map_resonator10(self, dtype, size):
        def job(hd, v):
            import torch
            books = torch.stack((v[:100], v[100:200], v[200:300]))
            product = hd.random(1, DIM, vsa="MAP")[0]

            def fn():
                estimates = hd.multiset(books)
                for _ in range(10):
                    estimates = hd.resonator(product, estimates, books)
                return estimates
            return fn
        return self.torchhd(300, job, "MAP")

    def centroids(self, job):
        """torchhd's class sums of 1000 vectors in 10 classes; JOB(sums, vectors, labels) gives the function."""
        def of(hd, v):
            import torch
            from torchhd.models import Centroid
            sums, labels = Centroid(DIM, 10), torch.from_numpy(np.random.default_rng(2).integers(0, 10, len(v)))
            with torch.no_grad():
                sums.add(v, labels)
            return job(sums, v, labels)
        return self.torchhd(1000, of, "MAP")

    def row_map_classifier_fit1000(self, dtype, size):
        return self.centroids(lambda sums, v, labels: self.t.no_grad()(lambda: sums.add(v, labels)))

    def row_map_classifier_predict1000(self, dtype, size):
        return self.centroids(lambda sums, v, labels: self.t.no_grad()(lambda: sums(v).argmax(1)))

    # ---- tensors ----

    def tensorly(self, dtype, job, n=100):
        """TensorLy with both of its backends; JOB(tensorly, tensor, factors) gives the function."""
        tl, rows = self.p.mod["tensorly"], {}
        x, _ = self.p.values("uniform", dtype, (n, n, n), 3)
        factors = [self.p.values("uniform", dtype, (100, 10), k)[0] for k in (4, 5, 6)]
        for backend in ("numpy", "pytorch") if tl else ():
            if backend == "pytorch" and not self.t:
                continue
            tl.set_backend(backend)
            fn = job(tl, tl.tensor(x), [tl.tensor(f) for f in factors])

            def run(backend=backend, fn=fn):
                tl.set_backend(backend)
                return fn()
            rows["tensorly:" + backend] = run
        return rows

    def row_parafac_r10_50it_random(self, dtype, size):
        def job(tl, x, f):
            from tensorly.decomposition import parafac
            return lambda: parafac(x, 10, init="random", n_iter_max=50, tol=0, random_state=1)
        return {**self.tensorly(dtype, job), **self.pyttb(dtype, 100, "cp", 50)}

    def row_parafac_r10_10it_random(self, dtype, size):
        def job(tl, x, f):
            from tensorly.decomposition import parafac
            return lambda: parafac(x, 10, init="random", n_iter_max=10, tol=0, random_state=1)
        return {**self.tensorly(dtype, job, 400), **self.pyttb(dtype, 400, "cp", 10)}

    def pyttb(self, dtype, n, what, sweeps):
        """pyttb, which computes in float64 whatever it is given."""
        ttb = self.p.mod.get("pyttb")
        if not ttb or dtype != "float64":
            return {}
        x = ttb.tensor(self.p.values("uniform", dtype, (n, n, n), 3)[0])
        if what == "cp":
            return {"pyttb": lambda: ttb.cp_als(x, 10, stoptol=0, maxiters=sweeps, init="random", printitn=0)}
        return {"pyttb": lambda: ttb.tucker_als(x, np.array([10, 10, 10]), stoptol=0, maxiters=sweeps, init="nvecs", printitn=0)}

    def row_tucker_r10_10it(self, dtype, size):
        def job(tl, x, f):
            from tensorly.decomposition import tucker
            return lambda: tucker(x, [10, 10, 10], n_iter_max=10, tol=0, random_state=1)
        return {**self.tensorly(dtype, job), **self.pyttb(dtype, 100, "tucker", 10)}

    def row_hals_r10_50it(self, dtype, size):
        def job(tl, x, f):
            from tensorly.decomposition import non_negative_parafac_hals
            return lambda: non_negative_parafac_hals(x, 10, init="random", n_iter_max=50, tol=0, random_state=1)
        return self.tensorly(dtype, job)

    def row_tt_svd_r20(self, dtype, size):
        def job(tl, x, f):
            from tensorly.decomposition import tensor_train
            return lambda: tensor_train(x, [1, 20, 20, 1])
        return self.tensorly(dtype, job)

    def row_parafac2_r5_50it(self, dtype, size):
        def job(tl, x, f):
            from tensorly.decomposition import parafac2
            slices = [tl.reshape(x, (-1, 50))[120 * k:120 * k + 60 + k % 20] for k in range(40)]
            return lambda: parafac2(slices, 5, init="random", n_iter_max=50, tol=0, random_state=1, normalize_factors=False)
        return self.tensorly(dtype, job)

    def row_robust_pca_10it(self, dtype, size):
        def job(tl, x, f):
            from tensorly.decomposition import robust_pca
            return lambda: robust_pca(x, n_iter_max=10, tol=0, verbose=False)
        return self.tensorly(dtype, job)

    def row_mttkrp_r10(self, dtype, size):
        def job(tl, x, f):
            from tensorly.tenalg import unfolding_dot_khatri_rao
            return lambda: unfolding_dot_khatri_rao(x, (None, f), 0)
        return self.tensorly(dtype, job)

    def row_mode_dot(self, dtype, size):
        def job(tl, x, f):
            from tensorly.tenalg import mode_dot
            m = tl.transpose(f[0])
            return lambda: mode_dot(x, m, 1)
        return self.tensorly(dtype, job)

    # ---- matching: one rotation in turn, a plain loop's body ----

    def matching(self, rotate_mask):
        ndi, sf, pf = self.p.mod["scipy.ndimage"], self.p.mod["scipy.fft"], self.p.mod["pyfftw"]
        if not ndi:
            return {}
        n, k = 128, 32
        g = np.random.default_rng(7)
        target = g.standard_normal((n, n, n), dtype=np.float32)
        template = g.standard_normal((k, k, k), dtype=np.float32)
        r = np.indices((k, k, k)) - (k - 1) / 2
        mask = ((r ** 2).sum(0) <= (k / 2 - 1) ** 2).astype(np.float32)
        q = np.linalg.qr(g.standard_normal((3, 3)))[0]
        offset = (k - 1) / 2 * (1 - q.sum(1))

        def body(rfftn, irfftn):
            f, f2 = rfftn(target), rfftn(target ** 2)
            best, index = np.full(target.shape, -1, np.float32), np.zeros(target.shape, np.int32)

            def deviation(m):
                h, count = rfftn(m, s=target.shape).conj(), m.sum()
                mean, square = irfftn(f * h, s=target.shape) / count, irfftn(f2 * h, s=target.shape) / count
                return np.sqrt(np.maximum(square - mean * mean, 1e-6)), count
            still = deviation(mask)

            def rotation():
                m = ndi.affine_transform(mask, q, offset, order=3, prefilter=False) if rotate_mask else mask
                t = ndi.affine_transform(template, q, offset, order=3, prefilter=False)
                std, count = deviation(m) if rotate_mask else still
                mean = (t * m).sum() / count
                t = (t - mean) * m / np.sqrt(((t - mean) ** 2 * m).sum() / count)
                score = irfftn(f * rfftn(t, s=target.shape).conj(), s=target.shape) / (count * std)
                better = score > best
                np.copyto(best, score, where=better)
                index[better] = 1
            return rotation
        w = self.p.threads
        rows = {}
        if sf:
            rows["plain-scipy"] = body(lambda x, s=None: sf.rfftn(x, s=s, workers=w), lambda x, s=None: sf.irfftn(x, s=s, workers=w))
        if pf:
            api, kw = pf.interfaces.scipy_fft, {"workers": w, "planner_effort": "FFTW_MEASURE"}
            rows["plain-pyfftw"] = body(lambda x, s=None: api.rfftn(x, s=s, **kw), lambda x, s=None: api.irfftn(x, s=s, **kw))
        return rows

    def row_match_FLCSphericalMask(self, dtype, size):
        return self.matching(False)

    def row_match_FLC(self, dtype, size):
        return self.matching(True)
