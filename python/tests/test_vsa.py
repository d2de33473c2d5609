# SPDX-License-Identifier: BSD-3-Clause
"""The kit for hyperdimensional computing, against NumPy's formulas."""

import threading

import pytest

import heddle as hd
from heddle import vsa


def test_arithmetic(np, each_backend):
    m = vsa.model("map;dim=1000;seed=3")
    a, b, c = (m.random(seed=k) for k in (1, 2, 3))
    na, nb, nc = (np.asarray(v).astype(int) for v in (a, b, c))
    np.testing.assert_array_equal(np.asarray(m.bind(a, b)), na * nb)
    np.testing.assert_array_equal(np.asarray(m.bundle(hd.stack([a, b, c]))), np.sign(na + nb + nc))
    np.testing.assert_array_equal(np.asarray(m.permute(a, 3)), np.roll(na, 3))
    assert m.similarity(a, b).item() == pytest.approx((na * nb).sum() / 1000)
    h = vsa.model("hrr", dim=256, dtype=hd.float64)
    a, b = h.random(seed=1), h.random(seed=2)
    convolved = np.fft.irfft(np.fft.rfft(np.asarray(a)) * np.fft.rfft(np.asarray(b)), 256)
    np.testing.assert_allclose(np.asarray(h.bind(a, b)), convolved, atol=1e-12)


def test_models(np):
    packed, plain = vsa.model("bsc", dim=100, layout="packed"), vsa.model("bsc", dim=100)
    assert packed.info.shape == (2,) and packed.info.dtype == hd.uint64 and packed.info.options.layout == "packed"
    bits = np.unpackbits(np.asarray(packed.random(seed=4)).view(np.uint8), bitorder="little")[:100]
    np.testing.assert_array_equal(bits.astype(bool), np.asarray(plain.random(seed=4)))
    with pytest.raises(ValueError):
        vsa.model("fhrr", sparsity=0.1)
    with pytest.raises(ValueError, match="\"map\""):
        vsa.create("nothing")
    with pytest.raises(TypeError):
        vsa.Model()


def test_items(np, tmp_path):
    m = vsa.model("fhrr;dim=2000;seed=7")
    items = m.items()
    items.add(["a", "b", "c"])
    items.add(["d"], m.random((1,), seed=1))
    noisy = m.bundle(hd.stack([m.symbol("b"), m.random(seed=9)]))
    index, similarity = items.query(noisy, 2)
    assert items.label(int(index[0])) == "b" and items.count == 4 and items.find("z") == -1 and similarity.shape == (2,)
    assert bool(hd.all(items.clean(noisy) == items.get("b")))
    for missing in (items.get, items.remove):
        with pytest.raises(KeyError, match="no item"):
            missing("z")
    vectors = items.vectors
    items.remove("a")
    assert vectors.shape == (4, 2000) and bool(hd.all(vectors[0] == m.symbol("a")))
    with pytest.raises(ValueError, match="b"):
        items.add(["b"])
    items.save(tmp_path / "i.npz")
    again = vsa.items_load(tmp_path / "i.npz")
    assert again.count == 3 and again.model.info.options.seed == 7


def test_encoders(np):
    m = vsa.model("fhrr;dim=4096;seed=1")
    e = m.encoder_scalar(min=0, max=1, bandwidth=2.0, phases="gaussian")
    x = np.array([0.1, 0.4, 0.9])
    kernel = np.asarray(m.similarity_matrix(e.encode(x), e.encode(x)))
    np.testing.assert_allclose(kernel, np.exp(-2.0 * (x[:, None] - x) ** 2), atol=0.06)
    decoded, similarity = e.decode(e.encode(x), similarity=True)
    np.testing.assert_allclose(np.asarray(decoded), x, atol=1e-3)
    assert similarity.shape == (3,) and float(hd.min(similarity)) > 0.99
    vector = e.vector(2)
    np.testing.assert_allclose(np.asarray(vector.decode(vector.encode([0.2, 0.7]))), [0.2, 0.7], atol=0.05)


def test_memories(np):
    m = vsa.model("map;dim=2048;seed=5")
    keys, values = m.random((3,), seed=1), m.random((3,), seed=2)
    store = m.store("trace")
    store.put(keys, values)
    assert m.similarity(store.get(keys[1]), values[1]).item() > 0.3
    c = m.classifier(2)
    x = m.random((2,), seed=3)
    c.fit(x, [0, 1])
    assert c.predict(x).tolist() == [0, 1] and c.retrain(x, [0, 1]) == 0
    books = [m.random((6,), seed=k) for k in (10, 11)]
    told = []
    f = m.resonate(m.bind(books[0][2], books[1][4]), books, progress=lambda *p: told.append(p))
    assert f.index.tolist() == [2, 4] and f.converged.tolist() and told[-1] == (1, 1)
    tree = m.tree(m.random((2,), seed=20), ["l", "rl"])
    assert m.similarity(m.tree_leaf(tree, "rl"), m.random((2,), seed=20)[1]).item() > 0.3
    with pytest.raises(ValueError, match="paths"):
        m.tree(m.random((2,), seed=20), ["l"])


def test_one_change_at_a_time():
    """Calls that meet another's change of the same object are refused; none is lost or half done."""
    m = vsa.model("map;dim=64")
    items, refused, done = m.items(), [], []

    def add(k):
        for i in range(50):
            try:
                items.add([f"{k}/{i}"])
                done.append(1)
            except RuntimeError:
                refused.append(1)
    threads = [threading.Thread(target=add, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert items.count == len(done) and len(done) + len(refused) == 200
