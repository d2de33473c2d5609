# SPDX-License-Identifier: BSD-3-Clause
"""Stubs for the modules that are written in Python, from their text: every public name, with what is told of its types.

    generate_types.py PACKAGE FOLDER     writes FOLDER/NAME.pyi for each PACKAGE/NAME.py

A function's parameters keep their order and say by default values and names what they are; a result is an Array unless the function
says otherwise (-> int). Classes give their methods and properties, named tuples their fields.
"""

import ast
import re
import sys
from pathlib import Path

# Modules that have no public names.
PRIVATE = {"_methods", "_notebook", "_progress", "_numpy_arrays", "_numpy_table", "_numpy_values"}
WORDS = {"dtype": "DTypeLike", "device": "str", "axis": "int | Sequence[int]", "axes": "int | Sequence[int]", "spec": "str"}
HEAD = """# Made by generate_types.py; do not edit.
import collections
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar, overload

from {core} import Array as Array, DType as DType, Generator as Generator
P = ParamSpec("P")
R = TypeVar("R")
ArrayLike = Any
DTypeLike = Any
"""


def kind_of(name, default):
    """The type of a parameter."""
    none = isinstance(default, ast.Constant) and default.value is None
    if name in WORDS:
        return WORDS[name] + " | None" * none
    if isinstance(default, ast.Constant) and default.value is not None:
        return {bool: "bool", int: "int", float: "float", str: "str"}.get(type(default.value), "Any")
    return "Any"


def parameters(function, method=False):
    a = function.args
    positional = a.posonlyargs + a.args
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    parts = []
    for k, (p, d) in enumerate(zip(positional, defaults)):
        own = ast.unparse(p.annotation) if p.annotation else kind_of(p.arg, d)
        parts.append(p.arg if method and k == 0 else f"{p.arg}: {own}" + " = ..." * (d is not None))
        if k + 1 == len(a.posonlyargs) and not (method and k == 0 and len(positional) == 1):
            parts.append("/")
    if a.vararg:
        parts.append(f"*{a.vararg.arg}: Any")
    elif a.kwonlyargs:
        parts.append("*")
    for p, d in zip(a.kwonlyargs, a.kw_defaults):
        own = ast.unparse(p.annotation) if p.annotation else kind_of(p.arg, d)
        parts.append(f"{p.arg}: {own}" + " = ..." * (d is not None))
    if a.kwarg:
        parts.append(f"**{a.kwarg.arg}: Any")
    return ", ".join(parts)


DUNDER = {"__init__", "__call__", "__enter__", "__exit__", "__len__", "__iter__", "__next__"}
NEVER_AN_ARRAY = {"__init__": "None", "__exit__": "None", "__reduce__": "Any"}


def signature(function, name=None, method=False):
    result = ast.unparse(function.returns) if function.returns else NEVER_AN_ARRAY.get(name or function.name, "Array")
    return f"def {name or function.name}({parameters(function, method)}) -> {result}: ..."


def class_stub(node, known):
    bases = [b.id for b in node.bases if isinstance(b, ast.Name) and (b.id in known or b.id.endswith("Error"))]
    lines = [f"class {node.name}({', '.join(bases)}):" if bases else f"class {node.name}:"]
    for f in node.body:
        if isinstance(f, ast.FunctionDef) and (f.name[0] != "_" or f.name in DUNDER):
            mark = ["    @staticmethod"] if any(ast.unparse(d) == "staticmethod" for d in f.decorator_list) else []
            lines += mark + [f"    {signature(f, method=not mark)}"]
        elif isinstance(f, ast.AnnAssign):
            lines.append(f"    {ast.unparse(f.target)}: {ast.unparse(f.annotation)}")
    return lines if len(lines) > 1 else [lines[0] + " ..."]


def tuple_stub(name, call):
    fields = call.args[1].value.split()
    other = "Any" if "info" in call.args[0].value else "Array"
    return [f"class {name}(NamedTuple):"] + [f"    {f}: {'DType' if f == 'dtype' else other}" for f in fields]


def listed(tree):
    """The names of a literal __all__, or None."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" and isinstance(node.value, ast.Call) and (
                isinstance(node.value.func, ast.Attribute) and node.value.func.attr == "split"):
            return node.value.func.value.value.split()
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" and isinstance(node.value, ast.List):
            return [e.value for e in node.value.elts]
    return None


def defined(tree):
    """Public names that a module or stub gives."""
    names = listed(tree)
    if names is not None:
        return names
    names = [getattr(n, "name", None) or ast.unparse(getattr(n, "target", None) or n.targets[0]) for n in tree.body
             if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign))]
    return [n for n in names if n.isidentifier() and n[0] != "_" and n not in ("P", "R", "ArrayLike", "DTypeLike")]


def module_stub(tree, core, stubs, everything):
    """STUBS: the trees of what may be imported with a star."""
    functions = [f for f in tree.body if isinstance(f, ast.FunctionDef)]
    inner = {f.name: next((g for g in f.body if isinstance(g, ast.FunctionDef)), None) for f in functions}
    only, given, lines = listed(tree), {}, []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            place = "." * node.level + (node.module or "")
            if node.module in PRIVATE:
                continue
            for n in node.names:
                for name in defined(stubs[node.module]) if n.name == "*" else [n.asname or n.name]:
                    if (name[0] != "_" or name.startswith("__array")) and (
                            node.module != "_array_api" or n.name in ("*", *listed(stubs["_array_api"])) or name[0] == "_"):
                        given[name] = f"from {place} import {name if n.name == '*' else n.name} as {name}"
        elif isinstance(node, ast.FunctionDef) and (node.name in only if only else node.name[0] != "_") or (
                isinstance(node, ast.FunctionDef) and node.name.startswith("__array_name")):
            given[node.name] = signature(node)
        elif isinstance(node, ast.ClassDef):
            given[node.name] = "\n".join(class_stub(node, given))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            called = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None
            if called == "namedtuple":
                given[name] = "\n".join(tuple_stub(name, value))
            elif inner.get(called):
                given[name] = signature(inner[called], name)
            elif name[0] != "_" or name in ("__version__", "__array_api_version__"):
                given[name] = f"{name}: {'str' if name.startswith('__') else 'Any'}"
        elif isinstance(node, ast.ImportFrom) and node.module == "math" and node.names[0].name == "e":
            given.update({n.name: f"{n.name}: float" for n in node.names})
    given.update(everything)
    for name in ("Array", "DType", "Generator"):
        given.pop(name, None)   # they are in the head
    public = [n for n in given if n[0] != "_" or n.startswith("__a")] + ["Array", "DType", "Generator"]
    return "\n".join([HEAD.format(core=core), *given.values(), f"__all__ = {public!r}"]) + "\n"


def methods(tree):
    """What _methods.py gives to Array."""
    for f in tree.body:
        if isinstance(f, ast.FunctionDef) and any(ast.unparse(d) == "method" for d in f.decorator_list):
            yield f.name, signature(f, method=True)


def main():
    package, folder = Path(sys.argv[1]), Path(sys.argv[2])
    core = folder / "_core.pyi"
    own = dict(methods(ast.parse((package / "_methods.py").read_text())))
    lines = [line for line in core.read_text().splitlines() if not any(line.startswith(f"    def {n}(self") for n in own)]
    at = next(k for k, line in enumerate(lines) if line.startswith("class Array")) + 1
    lines[at:at] = [f"    {s}" for s in own.values()]
    # bool is a DType there
    lines = [line if line == "bool: DType" else re.sub(r"\bbool\b", "builtins.bool", line) for line in lines]
    core.write_text("\n".join(["import builtins", "from collections.abc import Iterator", *lines]) + "\n")
    stubs = {p.stem: ast.parse(p.read_text()) for p in folder.glob("_*.pyi")}
    stubs.update((n, ast.parse((package / f"{n}.py").read_text())) for n in ("_array_api", "_modules", "_recurrent", "_training"))
    drawn = [n for n in defined(stubs["_core"]) if n.startswith("random_")]
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).with_suffix("")
        if name.name in PRIVATE or name.parts[0] == "backends" and name.name != "__init__":
            continue
        everything = {n[7:]: f"from ._core import {n} as {n[7:]}" for n in drawn} if str(name) == "random" else {}
        target = folder / name.with_suffix(".pyi")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(module_stub(ast.parse(path.read_text()), "." * len(name.parts) + "_core", stubs, everything))


if __name__ == "__main__":
    main()
