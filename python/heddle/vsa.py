# SPDX-License-Identifier: BSD-3-Clause
"""Hyperdimensional computing (vector symbolic architectures): ten models with one interface.

    m = vsa.model("fhrr;dim=10000;seed=7")     # or vsa.model("bsc", dim=10000, layout="packed")
    colour, red = m.symbol("colour"), m.symbol("red")
    record = m.bundle(hd.stack([m.bind(colour, red), m.bind(m.symbol("shape"), m.symbol("round"))]))
    m.similarity(m.unbind(record, colour), red)

A model's arithmetic, encoders and memories are its methods; m.items(), m.store(), m.classifier(..), m.sdm(..) and
m.encoder_..() make objects with methods of their own. Vectors are arrays, whose last axes are a vector and those before a
batch. Objects that learn (items, stores, classifiers) belong to one call at a time while it changes them.
"""

from . import _vsa
from ._vsa import *  # noqa: F401,F403

__all__ = [name for name in vars(_vsa) if not name.startswith("_")] + ["model"]


def model(spec: str = "map", **options) -> "Model":
    """A model: by its name and OPTIONS (those of create), or all of it as text, "hrr;dim=4096;inverse=unitary"."""
    return _vsa.create(spec, **options) if options else _vsa.by_name(spec)
