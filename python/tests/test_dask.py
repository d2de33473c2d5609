# SPDX-License-Identifier: BSD-3-Clause
"""Heddle arrays as blocks of Dask arrays, in one process and in several."""

import pytest

import heddle as hd

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
np = pytest.importorskip("numpy")
import heddle.dask  # noqa: E402

META = hd.zeros((0, 0))


def blocks():
    a = np.arange(48.0, dtype="float32").reshape(6, 8)
    return a, da.from_array(a, chunks=(3, 4)).map_blocks(hd.asarray, meta=META)


def same(lazy, want):
    got = lazy.compute(scheduler="synchronous")
    assert isinstance(got, hd.Array), type(got)
    assert np.allclose(np.asarray(got), want, rtol=1e-5)


def test_operations():
    a, h = blocks()
    same(h + 1, a + 1)
    same(da.exp(h / 50), np.exp(a / 50))
    same(h.sum(), a.sum())
    same(h.sum(axis=0), a.sum(axis=0))
    same(h.mean(axis=1), a.mean(axis=1))
    same(h.max(axis=0), a.max(axis=0))
    same(h.std(), a.std())
    same(da.where(h > 10, h, 0), np.where(a > 10, a, 0))
    same(h.rechunk((2, 8)).T, a.T)
    same(da.tensordot(h, h.T, axes=1), a @ a.T)
    same(h @ h.T, a @ a.T)
    same(h[1:4, ::2], a[1:4, ::2])
    same(da.concatenate([h, h], axis=1), np.concatenate([a, a], axis=1))
    same(da.gradient(h * h, axis=0), np.gradient(a * a, axis=0))
    same(da.topk(h, 2, axis=1), np.sort(a, axis=1)[:, :-3:-1])
    same(da.argtopk(-h, 2, axis=0), np.argsort(a, axis=0)[:2])
    same(da.choose(h.astype("int32") % 2, [h, h * 2]), np.where(a % 2 == 0, a, a * 2))
    same(h.map_blocks(lambda x: hd.fft.fft(x).real, dtype="float32"), np.concatenate(
        [np.fft.fft(a[:, :4]).real, np.fft.fft(a[:, 4:]).real], axis=1))


def test_without_meta_and_delayed():
    a = np.arange(12.0, dtype="float32").reshape(3, 4)
    same(da.from_array(a, chunks=(3, 2)).map_blocks(hd.asarray) * 2, a * 2)
    d = dask.delayed(lambda k: hd.full((2, 2), float(k)))
    parts = [da.from_delayed(d(k), (2, 2), dtype="float32", meta=META) for k in range(3)]
    same(da.stack(parts).sum(axis=0), np.full((2, 2), 3.0))


def test_tokens():
    from dask.base import tokenize
    x = hd.arange(4.0)
    assert tokenize(x) == tokenize(x.copy()) != tokenize(x + 1) and tokenize(x) != tokenize(x.astype(hd.float64))


def test_workers_of_several_processes():
    distributed = pytest.importorskip("distributed")
    specs = ["reference", "cpu"]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        client.register_plugin(heddle.dask.Backends(specs))
        where = client.run(hd.get_backend)
        assert sorted(where.values()) == sorted(specs)
        a, h = blocks()
        got = (h + 1).sum(axis=0).compute()
        assert isinstance(got, hd.Array) and np.allclose(np.asarray(got), (a + 1).sum(axis=0))
        x = hd.arange(10 ** 5)
        assert np.array_equal(np.asarray(client.submit(lambda y: y * 2, x).result()), np.arange(10 ** 5) * 2)
