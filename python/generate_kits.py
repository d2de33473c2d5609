# SPDX-License-Identifier: BSD-3-Clause
"""What the package has of the kits, for generate.py: a module heddle._KIT for each, from the member "kits" of heddle.api/1.

A kit's function becomes one of its name without hed_ and the kit's prefix, or a method of the class that its first argument
is. Fields of option structs become keywords, those of structs within them too; random numbers take seed= and generator=,
progress= is a callable. Structs and handles that come back are boxes (src/kit.h): classes whose fields are attributes. What
changes a struct gives a changed copy.
"""

import re

from generate_common import documentation_text, entry, quoted, signature_text, word_tables
from generate_kit_function import PREFIX, KitFunction, classes, traits

# Lifetimes, which Python has its own of. rotations_reduce: src/match.c.
SKIP = re.compile(r"hed_\w+_(release|retain|clear|copy)|hed_rotations_reduce")
BY_HAND = {"match": ["def rotations_reduce(matrices: ArrayLike, symmetry: str, step_degrees: float) -> Array: ..."]}
# Operators with an object of the same class or a number.
OPERATORS = {"nb_add": ("add", None), "nb_multiply": ("hadamard", "scale"), "nb_matrix_multiply": ("matmul", None),
             "mp_subscript": ("get", None)}


def is_list(field):
    return field.get("count", 1) > 1 or "length" in field


def plural(field):
    return field["name"] + ("s" if is_list(field) and field["kind"] in ("array", "arrays", "struct") else "")


def method_signature(f):
    rest = signature_text(f.parameters[1:], 0)
    return f"($self, /{', ' + rest if rest else ''})"


# ---- the file ----

HEAD = """// SPDX-License-Identifier: BSD-3-Clause
/* Made by generate_kits.py; do not edit. */
#include "kit.h"
%s
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GIVEN(o) ((o) && (o) != Py_None)
#define KIND(name) (&hp_kinds[K_##name])

"""


class Kits:
    def __init__(self, api, pages, examples):
        self.pages, self.examples = pages, examples
        kits = {**api["kits"], "functions": [f for f in api["kits"]["functions"] if f["kit"] in PREFIX]}   # of others C's alone
        self.api = {"enums": {**api["enums"], **kits["enums"]}, "structs": {**api["structs"], **kits["structs"]},
                    "functions": kits["functions"], "classes": classes(kits)}
        self.names = self.api["classes"]
        self.functions = [KitFunction(self.api, f) for f in kits["functions"]
                          if not SKIP.fullmatch(f["symbol"]) and "c_alone" not in traits(f)]
        self.symbols = {f["symbol"] for f in kits["functions"]}
        self.kinds = sorted(k for k in self.names if k in kits["structs"] or f"{k}_release" in self.symbols)
        missing = {r[0][r[0].index("KIND(") + 5:].split(")")[0] for f in self.functions for r in f.results if "KIND(" in r[0]}
        if missing - set(self.kinds):
            raise SystemExit(f"generate_kits.py: what are {missing - set(self.kinds)} called? Say it by HED_TRAIT in arguments.def")

    def kit_of(self, kind):
        """The kit of a struct or handle: that of its header, or of what ends it."""
        kits = {f["header"]: f["kit"] for f in self.api["functions"]}
        return kits[self.api["structs"][kind]["header"]] if kind in self.api["structs"] else next(
            f["kit"] for f in self.api["functions"] if f["symbol"] == f"{kind}_release")

    def owned(self, kind):
        return [f for f in self.functions if f.owner == kind]

    def is_property(self, f):
        return bool(f.owner) and "attribute" in traits(f.f)

    def operators(self, kind):
        """The operators of a kind: slot, and the functions for its like and for numbers."""
        by_name = {f.name: f"k_{f.symbol[4:]}" for f in self.owned(kind)} if kind in self.api["structs"] else {}
        for slot, (same, number) in OPERATORS.items():
            if same in by_name or number in by_name:
                yield slot, by_name.get(same, "NULL"), by_name.get(number, "NULL")

    def free(self, kit):
        return [f for f in self.functions if f.kit == kit and not f.owner]

    def text(self, f):
        return f.documentation(self.pages, self.examples)

    def method(self, f):
        tag = f.symbol[4:]
        if self.is_property(f):
            return f"""static PyObject *m_{tag}(PyObject *self, void *unused)
{{
  (void)unused;
  return k_{tag}(NULL, &self, 1, NULL);
}}
"""
        return f"""static PyObject *m_{tag}(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{{
  return hp_method(k_{tag}, self, args, n, keywords);
}}
"""

    def kind_row(self, kind):
        is_struct = kind in self.api["structs"]
        ends = f"{kind}_clear" if is_struct else f"{kind}_release"
        text = f"{self.names[kind]}({', '.join(f'{n}=None' for n in self.field_names(kind))})\n--\n\n" if is_struct else ""
        doc = documentation_text([self.api["structs"][kind].get("doc") or ""]) if is_struct else ""
        text += re.sub(r"[;,] \w+_clear \w+ [^.:]*(?=[.:])", "", doc)   # which Python does
        makers = [f"{self.names[f.owner]}.{f.name}" if f.owner else f.name for f in self.functions
                  if any(re.search(rf"\b{self.names[kind]}\b", r[1]) for r in f.results) and f.owner != kind]
        text += f"{chr(10) * 2 if text and text[-1] != chr(10) else ''}Made by {', '.join(makers)}." if makers else ""
        clear = f"(void (*)(void *)){ends}" if ends in self.symbols else "NULL"
        check = f"(hed_status (*)(const void *)){kind}_check" if f"{kind}_check" in self.symbols else "NULL"
        return (f'  [K_{kind}] = {{ "{kind}", "heddle.{self.kit_of(kind)}.{self.names[kind]}", {quoted(text)}, '
                f'{f"sizeof({kind})" if is_struct else "0"}, {clear}, {check}, methods_{kind}, '
                f'attributes_{kind}, slots_{kind}, NULL, NULL }},\n')

    def methods(self, kind):
        rows = "".join(entry(f.name, f"m_{f.symbol[4:]}", method_signature(f), self.text(f))
                       for f in self.owned(kind) if not self.is_property(f))
        attributes = "".join(f'  {{ "{f.name}", m_{f.symbol[4:]}, NULL, {quoted(self.text(f))}, NULL }},\n'
                             for f in self.owned(kind) if self.is_property(f))
        functions, slots = "", ""
        for slot, same, number in self.operators(kind):
            functions += f"""static PyObject *{slot}_{kind}(PyObject *a, PyObject *b)
{{
  return hp_box_operator(KIND({kind}), {same}, {number}, {'true' if slot == 'mp_subscript' else 'false'}, a, b);
}}
"""
            slots += f"  {{ Py_{slot}, {slot}_{kind} }},\n"
        reduce = '  { "__reduce__", hp_box_reduce, METH_NOARGS, NULL },\n' if kind in self.api["structs"] else ""
        return (f"static PyMethodDef methods_{kind}[] = {{\n{rows}{reduce}  {{ NULL, NULL, 0, NULL }}\n}};\n"
                f"static PyGetSetDef attributes_{kind}[] = {{\n{attributes}  {{ NULL, NULL, NULL, NULL, NULL }}\n}};\n"
                f"{functions}static PyType_Slot slots_{kind}[] = {{\n{slots}  {{ 0, NULL }}\n}};\n")

    def source(self):
        body = "\n".join(f.c() for f in self.functions)
        body += "\n" + "\n".join(self.method(f) for f in self.functions if f.owner)
        enums = set(re.findall(r"words_(hed_\w+)", body))
        kinds = "enum { " + ", ".join(f"K_{k}" for k in self.kinds) + " };\n"
        headers = "\n".join(f"#include <{h}>" for h in sorted({f.f["header"] for f in self.functions}))
        parts = [HEAD % headers, kinds, "\n".join(word_tables(self.api, enums)), "\n\n", body]
        parts += ["\n", *(self.methods(k) for k in self.kinds), "\nhp_kind hp_kinds[] = {\n", *(self.kind_row(k) for k in self.kinds),
                  "  { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }\n};\n\n"]
        for kit in PREFIX:
            rows = "".join(entry(f.name, f"k_{f.symbol[4:]}", f"({f.signature()})", self.text(f)) for f in self.free(kit))
            parts.append(f"static PyMethodDef functions_{kit}[] = {{\n{rows}  {{ NULL, NULL, 0, NULL }}\n}};\n")
        if self.examples:
            raise SystemExit(f"generate_kits.py: there is no {', '.join(self.examples)} to have the example of kit_examples.txt")
        made = " ||\n      ".join(f'hp_kit_module(module, "heddle._{kit}", "heddle.{kit}.", functions_{kit}) != 0' for kit in PREFIX)
        parts.append(f"\nint hp_kit_modules(PyObject *module)\n{{\n  return {made} ? -1 : 0;\n}}\n")
        return "".join(parts)

    def stub(self, kit):
        lines = ["# Made by generate_kits.py; do not edit.", "import builtins", "import os",
                 "from collections.abc import Callable, Mapping, Sequence",
                 "from typing import Any", "", "from ._core import Array, ArrayLike, DTypeLike, Generator", ""]
        for kind in self.kinds:
            if self.kit_of(kind) != kit:
                continue
            lines.append(f"class {self.names[kind]}:")
            members = self.fields(kind) + [f"    {f.name}: {f.results[0][1]}" if self.is_property(f) else f"    {f.stub(True)}"
                                           for f in self.owned(kind)]
            for slot, same, number in self.operators(kind):
                sort = {"nb_add": "add", "nb_multiply": "mul", "nb_matrix_multiply": "matmul", "mp_subscript": "getitem"}[slot]
                members.append(f"    def __{sort}__(self, other: Any, /) -> {self.names[kind]}: ...")
            lines += members or ["    ..."]
            lines.append("")
        return "\n".join(lines + [f.stub() for f in self.free(kit)] + BY_HAND.get(kit, [])) + "\n"

    def field_names(self, kind):
        """The fields that the constructor takes, in their order, by Python's names: what is_shown() of src/kit.c says."""
        fields = self.api["structs"][kind]["fields"]
        lengths = {f.get("length") for f in fields}
        return [plural(f) for f in fields if f["kind"] not in ("callback", "data") and f["name"] not in lengths | {"struct_size"}]

    def fields(self, kind):
        if kind not in self.api["structs"]:
            return []
        lines = ["    def __init__(self, *args: Any, **fields: Any) -> None: ..."]
        types = {"array": "Array | None", "arrays": "list[Array]", "scalar": "float", "int": "int", "bool": "bool", "enum": "str",
                 "string": "str | None", "text": "str", "shape": "tuple[int, ...]", "doubles": "Array | None", "struct": "Any"}
        for f in self.api["structs"][kind]["fields"]:
            if f["kind"] not in ("callback", "data"):
                lines.append(f"    {plural(f)}: {types.get(f['kind'], 'Any') if not is_list(f) else 'Any'}")
        return lines
