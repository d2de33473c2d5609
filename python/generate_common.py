# SPDX-License-Identifier: BSD-3-Clause
"""What generate.py and generate_kits.py share: parameters, and texts in C and Python."""

import re

PY_TYPE = {"array": "ArrayLike", "arrays": "Sequence[ArrayLike]", "scalar": "float", "int": "int", "bool": "bool",
           "doubles": "ArrayLike", "ints": "ArrayLike", "dtype": "DTypeLike", "shape": "int | Sequence[int]",
           "axes": "int | Sequence[int]", "string": "str", "enum": "str | int",
           "generator": "Generator"}


# C: what a long call is repeated with on another thread, and that.
REPEAT = "c_.arguments = args_;\n  c_.n_arguments = hp_argument_count(n_, keywords_);"


def again(function):
    return f"hp_elsewhere(&c_, {function}, module_, args_, n_, keywords_)"


class Parameter:
    """A parameter of the Python function: how C declares, converts and passes it on."""

    def __init__(self, name, kind, default=..., keyword=False):
        self.name, self.kind, self.default, self.keyword = name, kind, default, keyword
        self.convert = ""     # C: one condition; V stands for the argument

    def text(self):
        return self.name if self.default is ... else f"{self.name}={self.default!r}"

    def stub(self):
        kind = PY_TYPE[self.kind] + (" | None" if self.default is None else "")
        return f"{self.name}: {kind}" + ("" if self.default is ... else " = ...")


def given(parameter, convert):
    """C: CONVERT, where None is no value for a PARAMETER without a default. Arrays and objects refuse it themselves."""
    if parameter.default is not ... or parameter.kind in ("array", "arrays", "axes") or not convert:
        return convert
    return f"hp_present(V, {quoted(parameter.name)}) && {convert}"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


KEYS = {"AT": "a number", "SLICE": "a slice", "RANGE": "a slice", "WHOLE": "\":\"", "IDX": "an array"}


def documentation_text(texts):
    """Comments of the headers in Python's words, each once."""
    text = "\n\n".join(dict.fromkeys(t for t in texts if t))
    text = re.sub(r"\bhed_(\w+)\(\)", r"\1", text)
    text = re.sub(r"\bhed_(\w+)", r"\1", text)
    text = re.sub(r"\bHED_(?:SHAPE|AXES)\(([^()]*)\)", r"(\1)", text)
    text = re.sub(r"\bHED_(AT|SLICE|RANGE|WHOLE|IDX)\b", lambda m: KEYS[m[1]], text)
    text = re.sub(r"\bHED_VSA_([A-Z_]+)\b", lambda m: m[1].lower(), text)
    text = re.sub(r"\bHED_(BOOL|U?INT\d+|B?FLOAT\d+|COMPLEX\d+)\b", lambda m: m[1].lower(), text)
    return re.sub(r"\bNULL\b", "None", re.sub(r"\bHED_(E_\w+)", r"\1", text))


def signature_text(parameters, slash, first=""):
    """Of a function, without parentheses: SLASH parameters are by position alone; FIRST is put before."""
    parts = [p.text() for p in parameters if not p.keyword]
    if slash:
        parts.insert(slash, "/")
    keywords = [p.text() for p in parameters if p.keyword]
    return first + ", ".join(parts + (["*"] + keywords if keywords else []))


def word_tables(api, used):
    for enum in sorted(used):
        words = ", ".join(f'{{ "{v["brief"]}", {v["value"]} }}' for v in api["enums"][enum]["values"])
        yield f"static const hp_word words_{enum}[] = {{ {words}, {{ NULL, 0 }} }};"


def entry(name, function, signature, text):
    """A row of a table of methods: the signature in the doc is what inspect.signature reads."""
    return (f"  HP_METHOD({quoted(name)}, {function}, {quoted(name + signature)}\n"
            f"            {quoted(f'{chr(10)}--{chr(10)}{chr(10)}{text}')}),\n")
