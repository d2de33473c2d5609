# SPDX-License-Identifier: BSD-3-Clause
"""Activations, losses, similarity: what neural networks need of the table."""

from ._core import (binary_crossentropy, categorical_crossentropy, cosine_similarity, elu, gelu, huber_loss,  # noqa: F401
                    leaky_relu, lecun_tanh, log_cosh_loss, log_softmax, mean_absolute_error, mse, normalize, relu, sigmoid,
                    silu, softmax, softplus, sparse_categorical_crossentropy)

__all__ = [name for name in dir() if not name.startswith("_")]
