# SPDX-License-Identifier: BSD-3-Clause
"""Values and gradients of recurrent cells by PyTorch and ncps, in float64, for tests/nn/values.c.

    python nn_values.py nn_values.safetensors

Names are CASE.x, CASE.dt, CASE.y, CASE.last.K, CASE.p.PARAMETER, CASE.c (the cotangent of y), CASE.gx, CASE.g.PARAMETER; two more
arrays are of bfloat16 and float16.
"""
import sys

import ncps
import ncps.torch
import ncps.wirings
import numpy as np
import safetensors.torch
import torch

torch.manual_seed(20)
torch.set_default_dtype(torch.float64)
out = {}


def put(name, x):
    out[name] = x.detach().clone().contiguous()


def numbers(*shape):
    return torch.randn(*shape)


def case(name, model, run, x, dt=None, skip=()):
    """run(model, x, dt) gives y and a list of last states."""
    model.zero_grad()
    x = x.clone().requires_grad_(True)
    for k, p in model.named_parameters():
        if p.requires_grad and not ("cm" in k or "gleak" in k or k.endswith(".w") or "sigma" in k):
            p.data += 0.3 * torch.randn_like(p)
        put(f"{name}.p.{k}", p)
    y, last = run(model, x, dt)
    c = numbers(*y.shape)
    (y * c).sum().backward()
    put(f"{name}.x", x)
    if dt is not None:
        put(f"{name}.dt", dt)
    put(f"{name}.y", y)
    put(f"{name}.c", c)
    put(f"{name}.gx", x.grad)
    for k, h in enumerate(last):
        put(f"{name}.last.{k}", h)
    for k, p in model.named_parameters():
        if p.requires_grad and p.grad is not None:
            put(f"{name}.g.{k}", p.grad)


def torch_run(model, x, dt):
    y, h = model(x)
    return y, list(h) if isinstance(h, tuple) else [h]


def packed(lengths):
    def run(model, x, dt):
        p = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, h = model(p)
        y, _ = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=x.shape[1])
        return y, list(h) if isinstance(h, tuple) else [h]
    return run


def ncps_run(model, x, dt):
    """Sequence by sequence: ncps drops the axis of the batch from times."""
    ys, hs = [], []
    for b in range(x.shape[0]):
        y, h = model(x[b:b + 1], None, dt[b:b + 1])
        ys.append(y)
        hs.append(list(h) if isinstance(h, tuple) else [h])
    return torch.cat(ys), [torch.cat([h[k] for h in hs])[None] for k in range(len(hs[0]))]


B, T, I, U = 2, 5, 3, 4
x = numbers(B, T, I)
dt = 0.2 + torch.rand(B, T)
rnn = dict(batch_first=True)
case("rnn", torch.nn.RNN(I, U, **rnn), torch_run, x)
case("rnn_relu", torch.nn.RNN(I, U, nonlinearity="relu", **rnn), torch_run, x)
case("gru", torch.nn.GRU(I, U, **rnn), torch_run, x)
case("gru_nobias", torch.nn.GRU(I, U, bias=False, **rnn), torch_run, x)
case("lstm", torch.nn.LSTM(I, U, **rnn), torch_run, x)
case("lstm_deep", torch.nn.LSTM(I, U, num_layers=2, bidirectional=True, **rnn), torch_run, x)
case("lstm_proj", torch.nn.LSTM(I, U, proj_size=2, **rnn), torch_run, x)
case("lstm_packed", torch.nn.LSTM(I, U, num_layers=2, bidirectional=True, **rnn), packed([3, 5]), x)
case("gru_packed", torch.nn.GRU(I, U, bidirectional=True, **rnn), packed([5, 2]), x)
case("cfc", ncps.torch.CfC(I, U, backbone_units=6), ncps_run, x, dt)
case("cfc_deep", ncps.torch.CfC(I, U, proj_size=2, backbone_units=6, backbone_layers=2, activation="silu"), ncps_run, x, dt)
case("cfc_bare", ncps.torch.CfC(I, U, backbone_layers=0), ncps_run, x, dt)
case("cfc_pure", ncps.torch.CfC(I, U, backbone_units=6, mode="pure"), ncps_run, x, dt)
case("cfc_no_gate", ncps.torch.CfC(I, U, backbone_units=6, mode="no_gate", activation="gelu"), ncps_run, x, dt)
case("cfc_mixed", ncps.torch.CfC(I, U, backbone_units=6, mixed_memory=True), ncps_run, x, dt)


def wires(name, w):
    w.build(I)
    put(f"{name}.adjacency", torch.from_numpy(np.array(w.adjacency_matrix)).to(torch.int8))
    put(f"{name}.sensory", torch.from_numpy(np.array(w.sensory_adjacency_matrix)).to(torch.int8))
    return w


def doubled(model):
    """Masks are made in float32."""
    for m in model.modules():
        for k, v in vars(m).items():
            if isinstance(v, torch.Tensor) and v.dtype == torch.float32:
                setattr(m, k, v.double())
        for k, v in m._parameters.items():
            if v is not None and v.dtype == torch.float32:
                v.data = v.data.double()
    return model


ncp = wires("cfc_wired", ncps.wirings.NCP(4, 3, 2, 2, 2, 2, 2, seed=7))
case("cfc_wired", doubled(ncps.torch.CfC(I, ncp)), ncps_run, x, dt)


case("ltc", doubled(ncps.torch.LTC(I, wires("ltc", ncps.wirings.FullyConnected(U, 2)))), ncps_run, x, dt)
case("ltc_ncp", doubled(ncps.torch.LTC(I, wires("ltc_ncp", ncps.wirings.NCP(4, 3, 2, 2, 2, 2, 2, seed=7)))), ncps_run, x, dt)
case("ltc_mixed", doubled(ncps.torch.LTC(I, wires("ltc_mixed", ncps.wirings.FullyConnected(U)), mixed_memory=True, ode_unfolds=3)),
     ncps_run, x, dt)
case("ltc_as_is", doubled(ncps.torch.LTC(I, wires("ltc_as_is", ncps.wirings.FullyConnected(U)), implicit_param_constraints=False,
                                         input_mapping="linear", output_mapping=None)), ncps_run, x, dt)

layer = torch.nn.Linear(I, U)
case("linear", layer, lambda m, x, dt: (m(x), []), x)
case("layer_norm", torch.nn.LayerNorm(I), lambda m, x, dt: (m(x), []), x)
case("rms_norm", torch.nn.RMSNorm(I, eps=1e-5), lambda m, x, dt: (m(x), []), x)
bn = torch.nn.BatchNorm1d(I)
case("batch_norm", bn, lambda m, x, dt: (m(x.transpose(1, 2)).transpose(1, 2), []), x)
put("batch_norm.running_mean", bn.running_mean)
put("batch_norm.running_var", bn.running_var)
att = torch.nn.MultiheadAttention(6, 2, batch_first=True)
xa = numbers(B, T, 6)
causal = torch.nn.Transformer.generate_square_subsequent_mask(T)
case("attention", att, lambda m, x, dt: (m(x, x, x, need_weights=False)[0], []), xa)
case("attention_causal", att, lambda m, x, dt: (m(x, x, x, attn_mask=causal, need_weights=False)[0], []), xa)
put("half.bfloat16", torch.arange(-3, 4).to(torch.bfloat16) / 3)
put("half.float16", torch.arange(-3, 4).to(torch.float16) / 3)
safetensors.torch.save_file(out, sys.argv[1], metadata={"torch": torch.__version__.split("+")[0], "ncps": "1.0.1"})
