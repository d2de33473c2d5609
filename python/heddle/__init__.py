# SPDX-License-Identifier: BSD-3-Clause
"""Heddle: arrays whose operations run on the backend that each thread, task or block of code chooses.

    import heddle as hd
    x = hd.random.normal((1000, 1000))
    with hd.backend("cpu;threads=2"):
        y = hd.fft.rfftn(x)

This module is a namespace of the Python array API standard, 2025.12, with linalg and fft. Beyond it every operation of the
library's table is here under its own name; where the standard has the name, the standard's meaning holds. heddle.ops has
the table as it is.
"""

from . import _core
from ._core import *  # noqa: F401,F403
from . import _array_api
from ._array_api import *  # noqa: F401,F403
from . import datasets, decomposition, fft, image, linalg, match, nn, ops, random, tensor, ultrasound, vsa
from ._array_api import __array_namespace_info__
from ._context import bind, explain, info
from ._grad import (checkpoint, custom_vjp, grad, hessian_vector, jacobian, jvp, stop_gradient, unrecorded, value_and_grad,
                    vjp)
from ._jit import jit
from ._numpy import numpy_fallback
from ._profile import profile, profile_range
from . import _documentation, _methods, _notebook, _progress  # noqa: F401  (docstrings, and what classes have beyond C)

__array_api_version__ = "2025.12"
__version__ = _core.version()

from math import e, inf, nan, pi  # noqa: E402
newaxis = None

# Where Dask is in use it learns of these arrays at once, in its workers too; otherwise `import heddle.dask' tells it.
import sys as _sys  # noqa: E402
if "dask.array" in _sys.modules or "distributed" in _sys.modules:
    from . import dask  # noqa: F401
