# SPDX-License-Identifier: BSD-3-Clause
"""The library's table of operations as it is: every operation under its name, with its own arguments."""

from ._core import *  # noqa: F401,F403
