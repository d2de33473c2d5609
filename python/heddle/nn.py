# SPDX-License-Identifier: BSD-3-Clause
"""Neural networks for time series: activations and losses of the table, and the nn kit.

    model = nn.Sequential(nn.CfC(3, nn.AutoNCP(32, 4), seed=1), nn.Linear(4, 1, seed=2))
    history = nn.fit(model, lambda m, x, y: nn.mse(m(x), y), (x, y), validation=(u, v), rate=0.01, patience=5)

or, with a loop of one's own,

    optimizer = nn.optimizer_create(list(model.parameters().values()), rule="adam", rate=0.01)
    loss = hd.value_and_grad(lambda m, x, y: nn.mse(m(x), y))
    for x, y in batches:
        value, g = loss(model, x, y)                      # g is a module of gradients
        optimizer.step(list(g.parameters().values()))     # in place: the model's own arrays

Layers and recurrent networks have the arguments and the parameters' names that PyTorch and ncps have, so that state_dict(),
save() and load() pass weights both ways. Below them are the kit's functions: sequence(params, x, kind="lstm", ..) and the like
take dicts of arrays, and those that end in _init give two, of what is learnt and of the buffers.

Optimisers change the arrays they were given. Wirings, scalers and components are objects with methods; windows are views.
"""

from . import _nn
from ._core import (binary_crossentropy, categorical_crossentropy, cosine_similarity, elu, gelu, huber_loss,  # noqa: F401
                    leaky_relu, lecun_tanh, log_cosh_loss, log_softmax, mean_absolute_error, mse, normalize, relu, sigmoid,
                    silu, softmax, softplus, sparse_categorical_crossentropy)
from ._modules import *  # noqa: F401,F403
from ._nn import *  # noqa: F401,F403
from ._recurrent import *  # noqa: F401,F403
from ._training import *  # noqa: F401,F403

__all__ = [name for name in dir() if not name.startswith("_")]
