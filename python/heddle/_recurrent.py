# SPDX-License-Identifier: BSD-3-Clause
"""Recurrent networks as modules, and wirings that wait for a number of inputs. Names and arguments are those that users of PyTorch
and ncps know."""

from . import _core, _nn
from ._modules import Module, _keyed

__all__ = ["AutoNCP", "CTGRU", "CTRNN", "CfC", "FullyConnected", "GRU", "LSTM", "LTC", "LeakyLSTM", "NCP", "RNN", "RandomWiring"]


# ---- wirings ----

class Plan:
    """A wiring of a number of inputs that is known when a network takes it: build(inputs) makes the Wiring."""

    def __init__(self, maker, *args, **kwargs):
        self._maker, self._args, self._kwargs = maker, args, kwargs

    def build(self, inputs) -> "Any":
        """The Wiring of INPUTS sensory neurons."""
        return self._maker(inputs, *self._args, **self._kwargs)


def AutoNCP(units, output_size, sparsity_level=0.5, seed=22222) -> "Plan":
    """A neural circuit policy of UNITS neurons, of which OUTPUT_SIZE are motor neurons.

    Examples
    --------
    >>> from heddle import nn
    >>> wiring = nn.AutoNCP(16, 4).build(3)
    >>> wiring.units, wiring.inputs, wiring.outputs
    (16, 3, 4)
    """
    return Plan(lambda inputs: _nn.wiring_auto(units, inputs, output_size, sparsity_level, seed))


def NCP(inter_neurons, command_neurons, motor_neurons, sensory_fanout, inter_fanout, recurrent_command_synapses, motor_fanin,
        seed=22222) -> "Plan":
    """A neural circuit policy by the sizes of its layers and how many synapses each neuron has."""
    return Plan(lambda inputs: _nn.wiring_ncp(seed, inputs=inputs, inter=inter_neurons, command=command_neurons, motor=motor_neurons,
                                              sensory_fanout=sensory_fanout, inter_fanout=inter_fanout,
                                              recurrent=recurrent_command_synapses, motor_fanin=motor_fanin))


def FullyConnected(units, output_dim=None, self_connections=True, erev_init_seed=1111) -> "Plan":
    """Every synapse."""
    return Plan(lambda inputs: _nn.wiring_full(units, inputs, units if output_dim is None else output_dim, not self_connections,
                                               erev_init_seed))


def RandomWiring(units, output_dim=None, sparsity_level=0.5, random_seed=1111) -> "Plan":
    """The share 1 - SPARSITY_LEVEL of all synapses."""
    return Plan(lambda inputs: _nn.wiring_random(units, inputs, units if output_dim is None else output_dim, sparsity_level,
                                                 random_seed))


# ---- networks ----

class Recurrent(Module):
    """What recurrent networks share: a cell of the kit, and a sequence of its steps."""

    def __init__(self, cell, options, batch_first, dtype, seed):
        self.batch_first = batch_first
        self._cell, self._options = {k: v for k, v in cell.items() if v is not None}, options
        self._flat = options.get("layers", 1) == 1 and not options.get("bidirectional")
        self._own, self._buffers = _nn.sequence_init(dtype=dtype, **self._cell, **self._layout(), **_keyed(seed))

    def _layout(self):
        """The options that parameters depend on."""
        return {k: v for k, v in self._options.items() if k in ("layers", "bidirectional")}

    def _said(self):
        """What repr says besides the parts."""
        arrays = {k: v for k, v in self._cell.items() if isinstance(v, _core.Array)}
        return [f"{k}={v!r}" for k, v in {**self._cell, **self._options}.items() if k not in arrays] + [
            f"{k}={hash(bytes(v.astype('int8').tobytes()))}" for k, v in arrays.items()]

    def _given_state(self, state):
        """As the kit has it: a list of (layers directions, B, ..)."""
        if state is None:
            return None
        state = list(state) if isinstance(state, (tuple, list)) else [state]
        wanted = _nn.cell_states(**self._cell)
        if len(state) != wanted:
            raise ValueError(f"{type(self).__name__}: the state has {len(state)} arrays, {wanted} are needed")
        return [_core.expand_dims(x, 0) if self._flat_state(x) else x for x in state]

    def _flat_state(self, x):
        """Is X a state without the axis of layers?"""
        return self._flat and _core.asarray(x).ndim == (3 if self._cell["kind"] == "ctgru_traces" else 2)

    def _flat_output(self):
        """Are states given without the axis of layers?"""
        return False

    def forward(self, x, hx=None, timespans=None, *, lengths=None, mask=None) -> "tuple[Array, Any]":
        """The output and the last state. X has batches, steps and inputs, as batch_first says, or steps and inputs alone. TIMESPANS:
        time from step to step, a number, (T) or as X's first two axes. LENGTHS (B), or MASK as TIMESPANS: which steps count."""
        x = _core.asarray(x)
        alone, axis = x.ndim == 2, 0 if self.batch_first else 1
        batch = -3 if self._cell["kind"] == "ctgru_traces" else -2   # the state's axis of it
        if alone:
            x = _core.expand_dims(x, axis)
            given = () if hx is None else hx if isinstance(hx, (tuple, list)) else (hx,)
            hx = [_core.expand_dims(h, batch) for h in given] or None
        y, last = _nn.sequence(self._state(), x, **self._cell, **self._options, state=self._given_state(hx), dt=timespans,
                               lengths=lengths, mask=mask, time_first=not self.batch_first, training=self.training)
        if alone:
            y = _core.squeeze(y, 0 if self._options.get("last_only") else axis)
            last = [_core.squeeze(h, batch) for h in last]
        last = tuple(h[0] for h in last) if self._flat_output() else tuple(last)
        return y, last if len(last) > 1 else last[0]


    def forecast(self, x, steps, readout=None, *, dt_ahead=None, timespans=None, lengths=None, mask=None) -> "tuple[Array, Any]":
        """STEPS further values of the series X, (B, T, I) as batch_first says, in a closed loop, and the last state: each value is
        READOUT, a Linear, of a step's output, and the next step's input. DT_AHEAD: times between them, a number or (STEPS).

        Examples
        --------
        >>> import heddle as hd
        >>> from heddle import nn
        >>> nn.GRU(1, 8, batch_first=True, seed=1).forecast(hd.ones((2, 5, 1)), 3, nn.Linear(8, 1, seed=2))[0].shape
        (2, 3, 1)
        """
        of_readout = {} if readout is None else {f"readout.{k}": v for k, v in readout.state_dict().items()}
        y, last = _nn.forecast({**self._state(), **of_readout}, x, steps, readout="readout" if readout is not None else None,
                               **self._cell, **self._options, dt=timespans, dt_ahead=dt_ahead, lengths=lengths, mask=mask,
                               time_first=not self.batch_first, training=self.training)
        last = tuple(h[0] for h in last) if self._flat_output() else tuple(last)
        return y, last if len(last) > 1 else last[0]


class Stacked(Recurrent):
    """PyTorch's arguments: layers and directions, time first where batch_first does not say otherwise."""

    def __init__(self, cell, num_layers, bias, batch_first, dropout, bidirectional, dtype, seed):
        super().__init__({**cell, "no_bias": not bias}, {"layers": num_layers, "bidirectional": bidirectional, "dropout": dropout},
                         batch_first, dtype, seed)


class RNN(Stacked):
    """Elman's: h' = act(W x + b + V h + c). NONLINEARITY: an activation by name."""

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, *, dtype=None, seed=None):
        super().__init__({"kind": "rnn", "input": input_size, "units": hidden_size, "activation": nonlinearity}, num_layers, bias,
                         batch_first, dropout, bidirectional, dtype, seed)


class GRU(Stacked):
    """Gated recurrent units; RESET_BEFORE: with the reset as Keras has it."""

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, *,
                 reset_before=False, dtype=None, seed=None):
        super().__init__({"kind": "gru", "input": input_size, "units": hidden_size, "reset_before": reset_before}, num_layers, bias,
                         batch_first, dropout, bidirectional, dtype, seed)


class LSTM(Stacked):
    """Long short-term memory; the state is (h, c).

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import nn
    >>> lstm = nn.LSTM(3, 5, batch_first=True, seed=0)
    >>> y, (h, c) = lstm(hd.ones((2, 4, 3)))
    >>> y.shape, h.shape, c.shape
    ((2, 4, 5), (1, 2, 5), (1, 2, 5))
    >>> list(lstm.parameters())
    ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0']
    """

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
                 proj_size=0, *, forget_bias=0.0, peepholes=False, dtype=None, seed=None):
        super().__init__({"kind": "lstm", "input": input_size, "units": hidden_size, "projection": proj_size,
                          "forget_bias": forget_bias, "peepholes": peepholes}, num_layers, bias, batch_first, dropout, bidirectional,
                         dtype, seed)


class LeakyLSTM(Stacked):
    """An LSTM whose output leaks from the old one to the new, by the time that passes."""

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=True, *, forget_bias=0.0, activation="default",
                 dtype=None, seed=None):
        super().__init__({"kind": "leaky_lstm", "input": input_size, "units": hidden_size, "forget_bias": forget_bias,
                          "activation": activation}, num_layers, bias, batch_first, 0.0, False, dtype, seed)


class CTRNN(Stacked):
    """Continuous-time units, which go towards an RNN's state. EXACT: by 1 - exp(-dt / tau), not dt / tau."""

    def __init__(self, input_size, units, *, activation="tanh", exact=False, num_layers=1, bias=True, batch_first=True, dtype=None,
                 seed=None):
        super().__init__({"kind": "ctrnn", "input": input_size, "units": units, "activation": activation, "exact": exact}, num_layers,
                         bias, batch_first, 0.0, False, dtype, seed)


class CTGRU(Recurrent):
    """Continuous-time units, which go towards a GRU's state; with SCALES, the traces of many time scales of M. Mozer et al."""

    def __init__(self, input_size, units, *, scales=None, exact=False, batch_first=True, dtype=None, seed=None):
        kind = {"kind": "ctgru", "exact": exact} if scales is None else {"kind": "ctgru_traces", "scales": scales}
        super().__init__({**kind, "input": input_size, "units": units}, {}, batch_first, dtype, seed)


class Liquid(Recurrent):
    """ncps' arguments: units or a wiring, batches first, a state without an axis of layers."""

    def __init__(self, cell, input_size, units, return_sequences, batch_first, mixed_memory, dtype, seed):
        cell = {**cell, "input": input_size, "mixed_memory": mixed_memory}
        if isinstance(units, int):
            cell["units"] = units
        else:
            cell.update(self._wired(cell["kind"], units.build(input_size) if isinstance(units, Plan) else units, input_size))
        super().__init__(cell, {"last_only": not return_sequences}, batch_first, dtype, seed)

    def _wired(self, kind, wiring, inputs):
        """The fields of the cell that a wiring is."""
        if not isinstance(wiring, _nn.Wiring):
            raise TypeError(f"{type(self).__name__}: units are an int or a wiring, not {type(wiring).__name__}")
        if wiring.inputs != inputs:
            raise ValueError(f"{type(self).__name__}: input_size is {inputs}, the wiring has {wiring.inputs} inputs")
        layers = wiring.layers().tolist()
        sizes = [layers.count(k) for k in range(max(layers) + 1)]
        groups = {"groups": sizes} if kind == "cfc" else {}
        return {"units": wiring.units, "outputs": wiring.outputs, "adjacency": wiring.adjacency(), "sensory": wiring.sensory(),
                **groups}

    def _flat_output(self):
        """Are states given without the axis of layers?"""
        return True


class CfC(Liquid):
    """Closed-form continuous-time networks. UNITS is a number or a wiring, with which ncps_compatible leaves out synapses within
    a layer and back to earlier ones, as ncps does.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import nn
    >>> y, h = nn.CfC(3, 8, seed=0)(hd.ones((2, 4, 3)), timespans=0.5)
    >>> y.shape, h.shape
    ((2, 4, 8), (2, 8))
    >>> nn.CfC(3, nn.AutoNCP(16, 4), seed=0)(hd.ones((2, 4, 3)))[0].shape
    (2, 4, 4)
    """

    def __init__(self, input_size, units, proj_size=None, return_sequences=True, batch_first=True, mixed_memory=False, mode="default",
                 activation="lecun_tanh", backbone_units=None, backbone_layers=None, backbone_dropout=None, *, ncps_compatible=False,
                 dtype=None, seed=None):
        if backbone_layers == 0:
            backbone_layers = -1
        super().__init__({"kind": "cfc", "projection": proj_size, "mode": "gated" if mode == "default" else mode,
                          "activation": activation, "backbone_units": backbone_units, "backbone_layers": backbone_layers,
                          "backbone_dropout": backbone_dropout, "ncps_compatible": ncps_compatible}, input_size, units,
                         return_sequences, batch_first, mixed_memory, dtype, seed)


class LTC(Liquid):
    """Liquid time-constant networks. SOLVER: "semi_implicit", "explicit" or "rk4". Without IMPLICIT_PARAM_CONSTRAINTS call
    clip() after each step of an optimiser, as ncps' apply_weight_constraints.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import nn
    >>> y, v = nn.LTC(3, nn.AutoNCP(12, 2), seed=0)(hd.ones((2, 4, 3)))
    >>> y.shape, v.shape
    ((2, 4, 2), (2, 12))
    """

    def __init__(self, input_size, units, return_sequences=True, batch_first=True, mixed_memory=False, input_mapping="affine",
                 output_mapping="affine", ode_unfolds=6, epsilon=1e-8, implicit_param_constraints=True, *, solver="semi_implicit",
                 dtype=None, seed=None):
        words = {None: "none", "affine": "affine", "linear": "linear", "none": "none"}
        for name, value in (("input_mapping", input_mapping), ("output_mapping", output_mapping)):
            if value not in words:
                raise ValueError(f"LTC: {name} is {value!r}; it can be \"affine\", \"linear\" or None")
        super().__init__({"kind": "ltc", "unfolds": ode_unfolds, "epsilon": epsilon, "solver": solver,
                          "input_mapping": words[input_mapping], "output_mapping": words[output_mapping],
                          "positive": "softplus_of" if implicit_param_constraints else "as_is"}, input_size, units, return_sequences,
                         batch_first, mixed_memory, dtype, seed)

    def clip(self) -> None:
        """Cut gleak, cm, w and sensory_w at 0, in place."""
        _nn.cell_clip(self._state(), "rnn_cell", **self._cell)
