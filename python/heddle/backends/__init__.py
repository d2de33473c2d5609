# SPDX-License-Identifier: BSD-3-Clause
"""Heddle as the backend of other libraries: import heddle.backends.NAME registers it with that library.

Nothing is registered by `import heddle', and no default of the library is changed. Arrays and calls follow the context in force, as
everywhere. heddle.backends() is still the list of Heddle's own backends.
"""

import sys
import types

from .. import _core


class Package(types.ModuleType):
    def __call__(self):
        return _core.backends()


sys.modules[__name__].__class__ = Package


def peer(name, package, tested):
    """The library NAME, which `pip install PACKAGE' brings."""
    import importlib
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is needed: pip install {package} (tested: {tested}); {error}") from error
