# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings of functions that are written in Python: the sections of those of the table's functions."""

from . import _array_api, _core


def complete(function, table):
    """The sections of the docstring of the TABLE's function of that name, with FUNCTION's own summary and parameters."""
    head, *sections = (table.__doc__ or "").split("\n\nParameters\n----------\n")
    if not sections or not function.__doc__ or "\nParameters\n" in function.__doc__:
        return
    parameters, *rest = sections[0].split("\n\n")
    words = {}
    for line in parameters.split("\n"):
        name = name if line.startswith(" ") else line.partition(" :")[0]
        words.setdefault(name, []).append(line)
    code = function.__code__
    plain, all_ = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    variable = code.co_varnames[all_:all_ + bool(code.co_flags & 4)]   # *operands
    names = code.co_varnames[:plain] + variable + code.co_varnames[plain:all_]
    listed = [line for name in names for line in words.get(name, [name])]
    function.__doc__ += "\n\n" + "\n\n".join(["Parameters\n----------\n" + "\n".join(listed), *rest])


for _name in _array_api.__all__:
    _function = getattr(_array_api, _name)
    if hasattr(_function, "__code__") and hasattr(_core, _name):
        complete(_function, getattr(_core, _name))
