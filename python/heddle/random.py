# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: element i of an array depends on the key, the draw and i alone, on every backend the same bits.

Each call takes one draw: of the context's stream (its seed: heddle.backend(";seed=1"), set_seed), or with seed= of a fresh
stream, or with generator= of that Generator. Every function random_NAME of the table is NAME here.
"""

from . import _core
from ._core import Generator, get_seed, set_seed  # noqa: F401

for _name in dir(_core):
    if _name.startswith("random_"):
        globals()[_name[7:]] = getattr(_core, _name)
randint = _core.randint
__all__ = ["Generator", "get_seed", "set_seed", "randint"] + [n[7:] for n in dir(_core) if n.startswith("random_")]
del _name
