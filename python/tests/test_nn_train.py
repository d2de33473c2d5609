# SPDX-License-Identifier: BSD-3-Clause
"""Training: optimisers in place, wirings, scaling, metrics, windows, against NumPy and scikit-learn's numbers."""

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
