# SPDX-License-Identifier: BSD-3-Clause
"""Layers as objects: what a network is made of, with its parameters, on the functions of heddle._nn."""

from . import _core, _nn

__all__ = ["Activation", "BatchNorm", "Dropout", "Embedding", "LayerNorm", "Linear", "Module", "MultiheadAttention", "RMSNorm",
           "Sequential", "load", "save"]



def _keyed(seed):
    """What the functions of the kit are told of SEED."""
    return {} if seed is None else {"seed": seed}


class Module:
    """A part of a network. Its parameters are Arrays by PyTorch's names.

    Subclasses put modules, or lists of them, into their attributes, and have a method forward. A module is a tree to
    heddle.grad and heddle.jit: value_and_grad(loss)(module, x) gives a module of gradients. Calls change nothing but the running
    statistics of batch norms in training.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import nn
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         self.rnn, self.out = nn.GRU(3, 8, batch_first=True, seed=1), nn.Linear(8, 1, seed=2)
    ...     def forward(self, x):
    ...         return self.out(self.rnn(x)[0])
    >>> net = Net()
    >>> net(hd.zeros((2, 5, 3))).shape
    (2, 5, 1)
    >>> list(net.parameters())[-2:]
    ['out.weight', 'out.bias']
    """

    training = True
    _own, _buffers = {}, {}

    def forward(self, *args, **kwargs) -> "Any":
        """What a call does."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def __call__(self, *args, **kwargs) -> "Any":
        return self.forward(*args, **kwargs)

    def __repr__(self):
        inner = [f"{name}={part!r}" for name, part in self._parts()]
        return f"{type(self).__name__}({', '.join(self._said() + inner + ([] if self.training else ['training=False']))})"

    def _said(self):
        """What repr, and a program's key, have besides the parts."""
        return [f"{k}={v!r}" for k, v in vars(self).items() if not k.startswith("_") and k != "training"
                and isinstance(v, (bool, int, float, str, type(None)))]

    def _parts(self):
        """The modules among the attributes, by name."""
        for name, value in vars(self).items():
            if isinstance(value, Module):
                yield name, value
            elif isinstance(value, (list, tuple)):
                yield from ((f"{name}.{k}", m) for k, m in enumerate(value) if isinstance(m, Module))

    def _named(self, which):
        """Arrays of the module and its parts, by name."""
        out = dict(getattr(self, which))
        for name, part in self._parts():
            out.update((f"{name}.{k}", x) for k, x in part._named(which).items())
        return out

    def parameters(self) -> "dict[str, Array]":
        """What is learnt, by name."""
        return self._named("_own")

    def buffers(self) -> "dict[str, Array]":
        """What else belongs to the module: running statistics, masks."""
        return self._named("_buffers")

    def state_dict(self) -> "dict[str, Array]":
        """Parameters and buffers."""
        return {**self.parameters(), **self.buffers()}

    def load_state_dict(self, state) -> "Module":
        """Write the values of STATE, arrays by name, into the module's. ValueError lists every missing, extra and misshapen
        entry; nothing is changed then."""
        _nn.params_assign(self.state_dict(), state)
        return self

    def save(self, path) -> None:
        """state_dict() into a file, ".safetensors" or ".npz"."""
        save(self.state_dict(), path)

    def load(self, path) -> "Module":
        """The values of a file: load_state_dict()."""
        return self.load_state_dict(load(path))

    def train(self, mode=True) -> "Module":
        """Dropout and batch norms do what they do in training, or with MODE False not."""
        self.training = bool(mode)
        for _, part in self._parts():
            part.train(mode)
        return self

    def eval(self) -> "Module":
        """train(False)"""
        return self.train(False)

    def with_parameters(self, parameters) -> "Module":
        """The module with other PARAMETERS, a dict by the same names; buffers are shared."""
        mine = self.parameters()
        if list(mine) != list(parameters):
            wrong = sorted(set(mine) ^ set(parameters))
            raise ValueError(f"with_parameters: names differ: {wrong or 'their order'}")
        return self._rebuilt(iter(parameters.values()))

    def _rebuilt(self, arrays):
        """The module with the next of ARRAYS as its parameters."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        if self._own:
            other._own = {k: next(arrays) for k in self._own}
        for name, value in vars(self).items():
            if isinstance(value, Module):
                setattr(other, name, value._rebuilt(arrays))
            elif isinstance(value, (list, tuple)) and any(isinstance(m, Module) for m in value):
                setattr(other, name, type(value)(m._rebuilt(arrays) if isinstance(m, Module) else m for m in value))
        return other

    def __tree__(self):
        """What heddle._grad.children asks for."""
        names = self.parameters()
        return [f".{k}" for k in names], list(names.values()), lambda parts: self._rebuilt(iter(parts))

    def _state(self):
        """Its own arrays, without those of its parts."""
        return {**self._own, **self._buffers}


def save(state, path) -> None:
    """STATE, arrays by name, into a file, by the end of its name ".safetensors" or ".npz"; bfloat16 as it is in the first, as
    float32 in the second."""
    _nn.params_save(state, path)


def load(path) -> "dict[str, Array]":
    """Arrays by name of a file that save(), PyTorch or NumPy wrote.

    Examples
    --------
    >>> import os, tempfile
    >>> from heddle import nn
    >>> path = os.path.join(tempfile.mkdtemp(), "w.safetensors")
    >>> nn.save({"weight": [1.0, 2.0]}, path)
    >>> nn.load(path)["weight"].tolist()
    [1.0, 2.0]
    """
    return _nn.params_load(path)


class Linear(Module):
    """x W^T + b over the last axis. Arguments are those of PyTorch's; SEED draws the same each time."""

    def __init__(self, in_features, out_features, bias=True, *, dtype=None, seed=None):
        self.in_features, self.out_features = in_features, out_features
        self._own, self._buffers = _nn.linear_init(in_features, out_features, bias=bias, dtype=dtype, **_keyed(seed))

    def forward(self, x):
        """X W^T + b."""
        return _nn.linear(self._state(), x)


class Embedding(Module):
    """A row of the table for each integer."""

    def __init__(self, num_embeddings, embedding_dim, *, dtype=None, seed=None):
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self._own, self._buffers = _nn.embedding_init(num_embeddings, embedding_dim, dtype=dtype, **_keyed(seed))

    def forward(self, index):
        """The rows of INDEX."""
        return _nn.embedding(self._state(), index)


class Dropout(Module):
    """In training each element is 0 with probability P, else divided by 1 - P. SAME_ALONG: an axis along which the mask is the
    same. Draws come from the context's stream."""

    def __init__(self, p=0.5, *, same_along=None):
        self.p, self.same_along = p, same_along

    def forward(self, x):
        """X, in training with elements left out."""
        if not self.training:
            return x
        x = _core.asarray(x)
        axis = self.same_along
        return _nn.dropout(x, self.p, same_along=0 if axis is None else 1 + (axis if axis >= 0 else x.ndim + axis))


class Norm(Module):
    """What BatchNorm, LayerNorm and RMSNorm share."""

    def __init__(self, kind, shape, eps, dtype, **options):
        init, self._call = getattr(_nn, f"{kind}_norm_init"), getattr(_nn, f"{kind}_norm")
        self.eps, self._options = eps, options
        self._own, self._buffers = init(shape, dtype=dtype)

    def _said(self):
        """What repr says besides the parts."""
        return super()._said() + [f"{k}={v!r}" for k, v in self._options.items()]

    def forward(self, x):
        """X normalised."""
        return self._call(self._state(), x, eps=self.eps, training=self.training, **self._options)


class BatchNorm(Norm):
    """By channel, over all other axes; the running statistics change in training. AXIS: of channels, from the end."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, *, axis=-1, dtype=None):
        super().__init__("batch", num_features, eps, dtype, momentum=momentum, axis=axis)


class LayerNorm(Norm):
    """Over the last axes, of NORMALIZED_SHAPE."""

    def __init__(self, normalized_shape, eps=1e-5, *, dtype=None):
        super().__init__("layer", normalized_shape, eps, dtype)


class RMSNorm(Norm):
    """The same without a mean to be taken off."""

    def __init__(self, normalized_shape, eps=1e-5, *, dtype=None):
        super().__init__("rms", normalized_shape, eps, dtype)


class MultiheadAttention(Module):
    """Attention by heads, (B, N, E) to (B, N, E)."""

    def __init__(self, embed_dim, num_heads=1, *, dtype=None, seed=None):
        if num_heads < 1 or embed_dim % num_heads:
            raise ValueError(f"MultiheadAttention: num_heads is {num_heads}, no divisor of embed_dim, which is {embed_dim}")
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self._own, self._buffers = _nn.multihead_init(embed_dim, dtype=dtype, **_keyed(seed))

    def forward(self, query, key=None, value=None, *, causal=False, mask=None):
        """KEY and VALUE: by default QUERY. MASK is true where a query may read a key."""
        key = query if key is None else key
        value = key if value is None else value
        return _nn.multihead(self._state(), query, key, value, heads=self.num_heads, causal=causal, mask=mask)


class Activation(Module):
    """One of the kit's activations by name: "tanh", "relu", "lecun_tanh", "mish", .."""

    def __init__(self, kind, slope=0.0):
        self.kind, self.slope = kind, slope

    def forward(self, x):
        """The activation of X."""
        return _nn.activate(x, self.kind, self.slope)


class Sequential(Module):
    """One module after the other. Of a recurrent one the output goes on, not the state.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import nn
    >>> net = nn.Sequential(nn.Linear(2, 4, seed=1), nn.Activation("tanh"), nn.Linear(4, 1, seed=2))
    >>> list(net.parameters())
    ['0.weight', '0.bias', '2.weight', '2.bias']
    >>> net(hd.ones((3, 2))).shape
    (3, 1)
    """

    def __init__(self, *modules):
        for m in modules:
            if not isinstance(m, Module):
                raise TypeError(f"Sequential: a Module is needed, not {type(m).__name__}")
        self._list = modules

    def _parts(self):
        """The modules among the attributes, by name."""
        return ((str(k), m) for k, m in enumerate(self._list))

    def __len__(self):
        return len(self._list)

    def __getitem__(self, k):
        return Sequential(*self._list[k]) if isinstance(k, slice) else self._list[k]

    def forward(self, x):
        """All modules after each other on X."""
        for m in self._list:
            x = m(x)
            x = x[0] if isinstance(x, tuple) else x
        return x
