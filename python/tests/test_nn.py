# SPDX-License-Identifier: BSD-3-Clause
"""Modules of heddle.nn: values and gradients of PyTorch and ncps, formulas in NumPy, files, trees, errors."""

import doctest
import os
import pickle

import numpy as np
import pytest

import heddle as hd
from heddle import nn

STORED = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "data", "nn_values.safetensors")
CASES = {
    "rnn": lambda: nn.RNN(3, 4, batch_first=True, dtype="float64"),
    "rnn_relu": lambda: nn.RNN(3, 4, nonlinearity="relu", batch_first=True, dtype="float64"),
    "gru": lambda: nn.GRU(3, 4, batch_first=True, dtype="float64"),
    "gru_nobias": lambda: nn.GRU(3, 4, bias=False, batch_first=True, dtype="float64"),
    "lstm": lambda: nn.LSTM(3, 4, batch_first=True, dtype="float64"),
    "lstm_deep": lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True, dtype="float64"),
    "lstm_proj": lambda: nn.LSTM(3, 4, proj_size=2, batch_first=True, dtype="float64"),
    "cfc": lambda: nn.CfC(3, 4, backbone_units=6, dtype="float64"),
    "cfc_deep": lambda: nn.CfC(3, 4, 2, backbone_units=6, backbone_layers=2, activation="silu", dtype="float64"),
    "cfc_bare": lambda: nn.CfC(3, 4, backbone_layers=0, dtype="float64"),
    "cfc_pure": lambda: nn.CfC(3, 4, backbone_units=6, mode="pure", dtype="float64"),
    "cfc_no_gate": lambda: nn.CfC(3, 4, backbone_units=6, mode="no_gate", activation="gelu", dtype="float64"),
    "cfc_mixed": lambda: nn.CfC(3, 4, backbone_units=6, mixed_memory=True, dtype="float64"),
    "ltc_mixed": lambda: nn.LTC(3, 4, mixed_memory=True, ode_unfolds=3, dtype="float64"),
    "ltc_as_is": lambda: nn.LTC(3, 4, input_mapping="linear", output_mapping=None, implicit_param_constraints=False, dtype="float64"),
}


def array(x):
    return np.asarray(x)


@pytest.fixture(scope="module")
def stored():
    if not os.path.exists(STORED):
        pytest.skip("the stored values are in the sources alone")
    return nn.load(STORED)


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_of_others(stored, name):
    model = CASES[name]()
    weights = {k.removeprefix(f"{name}.p."): x for k, x in stored.items() if k.startswith(f"{name}.p.")}
    assert set(model.parameters()) <= set(weights)
    model.load_state_dict({k: weights.get(k, x) for k, x in model.state_dict().items()})
    x, c = stored[f"{name}.x"], stored[f"{name}.c"]

    def loss(m, x):
        y, state = m(x, timespans=stored.get(f"{name}.dt"))
        return hd.sum(y * c), (y, state)

    (_, (y, state)), (by_model, by_x) = hd.value_and_grad(loss, (0, 1), has_aux=True)(model, x)
    assert np.allclose(array(y), array(stored[f"{name}.y"]), rtol=1e-12, atol=1e-12)
    state = state if isinstance(state, tuple) else (state,)
    for k, h in enumerate(state):
        want = array(stored[f"{name}.last.{k}"])
        assert np.allclose(array(h), want if h.ndim == want.ndim else want[0], rtol=1e-12, atol=1e-12)
    assert np.allclose(array(by_x), array(stored[f"{name}.gx"]), rtol=1e-11, atol=1e-12)
    compared = 0
    for k, g in by_model.parameters().items():
        if f"{name}.g.{k}" in stored:
            assert np.allclose(array(g), array(stored[f"{name}.g.{k}"]), rtol=1e-11, atol=1e-12), k
            compared += 1
    assert compared >= 2


def test_layers_are_their_formulas(rng):
    x = rng.normal(size=(4, 6, 8))
    linear = nn.Linear(8, 3, dtype="float64", seed=1)
    w, b = (array(p) for p in linear.parameters().values())
    assert np.allclose(array(linear(x)), x @ w.T + b, atol=1e-13)
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    assert np.allclose(array(nn.LayerNorm(8, dtype="float64")(x)), (x - mean) / np.sqrt(var + 1e-5), atol=1e-12)
    assert np.allclose(array(nn.RMSNorm(8, dtype="float64")(x)), x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5), atol=1e-12)
    norm = nn.BatchNorm(8, dtype="float64")
    mean, var = x.mean((0, 1)), x.var((0, 1))
    assert np.allclose(array(norm(x)), (x - mean) / np.sqrt(var + 1e-5), atol=1e-12)
    assert np.allclose(array(norm.buffers()["running_mean"]), 0.1 * mean)
    assert np.allclose(array(norm.buffers()["running_var"]), 0.9 + 0.1 * x.reshape(-1, 8).var(0, ddof=1))
    norm.eval()
    running = [array(norm.buffers()[k]).copy() for k in ("running_mean", "running_var")]
    assert np.allclose(array(norm(x)), (x - running[0]) / np.sqrt(running[1] + 1e-5), atol=1e-12)
    table = nn.Embedding(5, 2, seed=1)
    assert np.array_equal(array(table([[1, 4]])), array(table.parameters()["weight"])[[[1, 4]]])
    assert np.allclose(array(nn.Activation("mish")(x)), x * np.tanh(np.log1p(np.exp(x))), atol=1e-12)


def test_attention_is_its_formula(rng):
    x, m = rng.normal(size=(2, 5, 8)), nn.MultiheadAttention(8, 2, dtype="float64", seed=1)
    p = {k: array(v) for k, v in m.parameters().items()}
    q, k, v = (y.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3) for y in np.split(x @ p["in_proj_weight"].T + p["in_proj_bias"], 3, -1))
    a = q @ k.transpose(0, 1, 3, 2) / 2
    a = np.where(np.tril(np.ones((5, 5), bool)), a, -np.inf)
    e = np.exp(a - a.max(-1, keepdims=True))
    y = (e / e.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(2, 5, 8)
    assert np.allclose(array(m(x, causal=True)), y @ p["out_proj.weight"].T + p["out_proj.bias"], atol=1e-12)
    with pytest.raises(ValueError, match="num_heads is 3, no divisor of embed_dim, which is 8"):
        nn.MultiheadAttention(8, 3)


def test_continuous_cells_are_their_formulas(rng):
    x, dt = rng.normal(size=(1, 1, 3)), 0.3
    m = nn.CTRNN(3, 4, dtype="float64", seed=1)
    p = {k: array(v) for k, v in m.parameters().items()}
    h = rng.normal(size=(1, 4))
    target = np.tanh(x[0] @ p["weight_ih_l0"].T + p["bias_ih_l0"] + h @ p["weight_hh_l0"].T + p["bias_hh_l0"])
    tau = next(v for k, v in p.items() if "tau" in k)
    assert np.allclose(array(m(x, h[None], dt)[0][0]), h + dt / (tau + 1e-8) * (target - h), atol=1e-12)


@pytest.mark.parametrize("make", [lambda **o: nn.LSTM(3, 4, batch_first=True, seed=1, **o), lambda **o: nn.CfC(3, 4, seed=1, **o),
                                  lambda **o: nn.LTC(3, nn.AutoNCP(9, 2), seed=1, **o), lambda **o: nn.CTGRU(3, 4, seed=1, **o),
                                  lambda **o: nn.CTGRU(3, 4, scales=2, seed=1, **o), lambda **o: nn.LeakyLSTM(3, 4, seed=1, **o)])
def test_states_lengths_and_single_sequences(make, rng):
    m, x = make(dtype="float64"), rng.normal(size=(2, 6, 3))
    y, last = m(x)
    half, state = m(x[:, :3])
    rest, end = m(x[:, 3:], state)
    assert np.allclose(np.concatenate([array(half), array(rest)], 1), array(y), atol=1e-13)
    padded, at = m(x, lengths=[6, 2])
    assert np.all(array(padded)[1, 2:] == 0) and np.array_equal(array(padded)[1, :2], array(m(x[1:, :2])[0])[0])
    one, alone = m(x[0])
    assert np.allclose(array(one), array(y)[0], atol=1e-13) and np.allclose(array(m(x[0, 3:], m(x[0, :3])[1])[0]), array(rest)[0])
    assert (isinstance(last, tuple) and len(last) == len(alone)) or last.ndim == alone.ndim + 1


def test_a_wired_network_learns():
    t = np.linspace(0, 2 * np.pi, 20)
    x = np.stack([np.sin(t), np.cos(t)], -1).astype(np.float32)[None]
    y = np.sin(2 * t).astype(np.float32).reshape(1, 20, 1)
    for model, steps in ((nn.CfC(2, nn.AutoNCP(12, 1), seed=3), 30), (nn.LTC(2, nn.AutoNCP(12, 1), ode_unfolds=1, seed=3), 15)):
        optimizer = nn.optimizer_create(list(model.parameters().values()), rule="adam", rate=0.03)
        step = hd.value_and_grad(lambda m: nn.mse(m(x)[0], y))
        losses = []
        for _ in range(steps):
            loss, g = step(model)
            optimizer.step(list(g.parameters().values()))
            losses.append(float(loss))
        assert losses[-1] < 0.8 * losses[0] and type(g) is type(model)


def test_a_module_is_a_tree_of_a_program():
    net = nn.Sequential(nn.Linear(3, 4, seed=1), nn.Activation("tanh"), nn.GRU(4, 2, batch_first=True, seed=2))
    x = hd.ones((2, 5, 3))
    run = hd.jit(lambda m, x: m(x))
    for m in (net, net, net.with_parameters({k: 2 * v for k, v in net.parameters().items()}), net):
        assert np.array_equal(array(run(m, x)), array(m(x)))
    other = nn.Sequential(nn.Linear(3, 4, seed=1), nn.Activation("relu"), nn.GRU(4, 2, batch_first=True, seed=2))
    assert np.array_equal(array(run(other, x)), array(other(x)))      # another program: the activation is part of the key
    with pytest.raises(ValueError, match="names differ: .*'0.weight'"):
        net.with_parameters({})


@pytest.mark.parametrize("end", ["npz", "safetensors"])
def test_files_both_ways(tmp_path, end):
    a, b = (nn.CfC(3, nn.AutoNCP(12, 2), seed=k) for k in (1, 2))
    x = hd.ones((1, 4, 3))
    assert not np.array_equal(array(a(x)[0]), array(b(x)[0]))
    a.save(tmp_path / f"w.{end}")
    assert np.array_equal(array(b.load(tmp_path / f"w.{end}")(x)[0]), array(a(x)[0]))
    state = nn.load(tmp_path / f"w.{end}")
    name = next(iter(a.parameters()))
    before = array(b.state_dict()[name]).copy()
    with pytest.raises(ValueError, match=f"(?s)2 .*{name}.*extra|2 .*extra.*{name}"):
        b.load_state_dict({**{k: v for k, v in state.items() if k != name}, "extra": [1.0]})
    assert np.array_equal(array(b.state_dict()[name]), before)


def test_dropout_and_modes():
    net = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.5)))
    x = hd.ones((400,))
    assert set(array(net(x)).tolist()) == {0.0, 4.0}
    assert np.array_equal(array(net.eval()(x)), array(x)) and not net[1].training and "training=False" in repr(net)
    assert net.train()[1][0].training
    same = array(nn.Dropout(0.5, same_along=0)(hd.ones((3, 50))))
    assert np.array_equal(same[0], same[1]) and 0 < same[0].sum() < 100


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="the wiring has 4 inputs"):
        nn.CfC(3, nn.AutoNCP(12, 2).build(4))
    with pytest.raises(TypeError, match="units are an int or a wiring, not float"):
        nn.LTC(3, 2.5)
    with pytest.raises(ValueError, match="input_mapping is 'cubic'"):
        nn.LTC(3, 4, input_mapping="cubic")
    with pytest.raises(ValueError, match="the state has 1 arrays, 2 are needed"):
        nn.LSTM(3, 4)(hd.ones((5, 2, 3)), hd.ones((1, 2, 4)))
    with pytest.raises(ValueError, match=r"lengths\[1\] is 9"):
        nn.GRU(3, 4, batch_first=True)(hd.ones((2, 5, 3)), lengths=[1, 9])
    with pytest.raises(ValueError, match="dt is -1"):
        nn.CfC(3, 4)(hd.ones((2, 5, 3)), timespans=-1.0)
    with pytest.raises(TypeError, match="a dict of arrays by name is needed"):
        nn.linear([1.0], hd.ones((2, 3)))
    with pytest.raises(TypeError, match="Sequential: a Module is needed, not int"):
        nn.Sequential(3)
    with pytest.raises(ValueError, match="activation is 'rleu'; it can be .*relu"):
        nn.CfC(3, 4, activation="rleu")


def test_functions_of_dicts(rng):
    params, buffers = nn.sequence_init(kind="cfc", input=3, units=4, dtype="float64", seed=1)
    assert buffers == {} and all(k.startswith("rnn_cell.") for k in params)
    x = rng.normal(size=(2, 5, 3))
    y, last = nn.sequence(params, x, kind="cfc", input=3, units=4)
    single = {k.removeprefix("rnn_cell."): v for k, v in params.items()}
    state = None
    for t in range(5):
        out, state = nn.cell_step(single, x[:, t], state=state, kind="cfc", input=3, units=4)
        assert np.allclose(array(out), array(y)[:, t], atol=1e-13)
    assert np.allclose(array(last[0])[0], array(state[0]))
    with pytest.raises(ValueError, match="state has 2 values; 1 are needed"):
        nn.cell_step(single, x[:, 0], state=[state[0]] * 2, kind="cfc", input=3, units=4)


def test_forecasts(rng):
    m, out = nn.LSTM(2, 4, batch_first=True, dtype="float64", seed=1), nn.Linear(4, 2, dtype="float64", seed=2)
    x = rng.normal(size=(3, 5, 2))
    y, last = m.forecast(x, 3, out)
    now, state = m(x)
    for t in range(3):
        value = out(now[:, -1])
        assert np.allclose(array(value), array(y)[:, t], atol=1e-13)
        if t < 2:
            now, state = m(hd.expand_dims(value, 1), state)
    assert all(np.allclose(array(a), array(b), atol=1e-13) for a, b in zip(last, state))
    with pytest.raises(ValueError, match="the output has 4 elements, the cell has 2 inputs"):
        m.forecast(x, 3)


def test_a_boltzmann_machine_learns_two_patterns(rng):
    params, buffers = nn.rbm_init(6, 4, seed=1)
    v = np.repeat(np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]], np.float32), 16, 0)
    optimizer = nn.optimizer_create(list(params.values()), rule="sgd", rate=0.5)
    for step in range(150):
        g = nn.rbm_gradient(params, v, steps=1, seed=step)
        optimizer.step([g[k] for k in params])
    energy = array(nn.rbm_free_energy(params, np.concatenate([v[:1], v[-1:], [[1, 0, 1, 0, 1, 0]]])))
    assert buffers == {} and energy[2] > energy[:2].max() + 2          # what it has not seen is unlikely
    again = array(nn.rbm_visible(params, nn.rbm_hidden(params, v)))
    assert np.abs(again - v).mean() < 0.2


def test_strides_and_pictures(tmp_path, rng):
    options = dict(kind="cfc", input=3, units=4)
    params, _ = nn.strided_init([1, 4], **options, seed=1)
    y = nn.strided([1, 4], params, rng.normal(size=(2, 9, 3)).astype(np.float32), **options)
    assert y.shape == (2, 9, 8) and np.array_equal(array(y)[:, 4, 4:], array(y)[:, 7, 4:])
    wiring = nn.AutoNCP(12, 2).build(3)
    wiring.draw(tmp_path / "w.svg")
    assert (tmp_path / "w.svg").read_text().count("<circle") >= 15


def test_examples_in_the_texts():
    finder, said = doctest.DocTestFinder(), []
    seen = 0
    for name in sorted(set(nn.__all__)):
        thing = getattr(nn, name)
        if not (getattr(thing, "__module__", "") or "").startswith("heddle._"):
            continue
        for test in finder.find(thing, name, globs={}):
            if test.examples:
                doctest.DocTestRunner(verbose=False).run(test, out=said.append)
                seen += 1
    assert not said, "".join(said)
    assert seen >= 6


def test_a_module_is_pickled():
    m = nn.GRU(3, 4, batch_first=True, seed=1)
    x = hd.ones((1, 2, 3))
    assert np.array_equal(array(pickle.loads(pickle.dumps(m))(x)[0]), array(m(x)[0]))
