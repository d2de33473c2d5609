# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings in NumPy's layout, of the same words as the pages of section 3: pages.txt, which lies beside the interface as data.

Its lines are NAME, KEY and TEXT, parted by tabs: the stanzas of doc/pages, whole lines of examples among them. An example in C is
said in Python where it has nothing that Python has not; the suite runs it.
"""

import re
from collections import defaultdict

from generate_common import PY_TYPE, documentation_text

EXCEPTIONS = {"INVAL": "ValueError", "SHAPE": "ValueError", "MISMATCH": "ValueError", "AXIS": "AxisError", "INDEX": "IndexError",
              "RANGE": "OverflowError", "DTYPE": "TypeError", "SINGULAR": "LinAlgError", "NOMEM": "MemoryError",
              "LIMIT": "MemoryError", "IO": "OSError", "UNSUPPORTED": "NotImplementedError"}
KINDS = {**PY_TYPE, "array": "array_like", "arrays": "sequence of array_like", "doubles": "array_like", "ints": "array_like",
         "dtype": "dtype", "shape": "int or tuple of ints", "axes": "int or tuple of ints", "enum": "str"}


def read_pages(path):
    """Name of a page -> key -> its lines."""
    pages = defaultdict(lambda: defaultdict(list))
    if path.is_file():
        for line in path.read_text().splitlines():
            name, key, text = line.split("\t", 2)
            pages[name][key].append(text)
    return pages


# ---- examples ----

WORDS = [
    (r"hed_from_doubles\(\(double\[\]\)\{ ([^{}]*?) \}, HED_SHAPE\((\d+)\), HED_(\w+)\)", r'heddle.asarray([\1], dtype=heddle.\3)'),
    (r"hed_from_doubles\(\(double\[\]\)\{ ([^{}]*?) \}, HED_SHAPE\(([\d, ]+)\), HED_(\w+)\)",
     r"heddle.asarray([\1], dtype=heddle.\3).reshape((\2))"),
    (r"\d+, \(const hed_array \*\[\]\)\{ ([^{}]*?) \}", r"[\1]"),
    (r"\d+, \((?:double|int64_t)\[\]\)\{ ([^{}]*?) \}", r"[\1]"),
    (r"HED_(?:SHAPE|AXES)\((-?[\w.]+)\)", r"\1"), (r"HED_(?:SHAPE|AXES)\(([^()]*)\)", r"(\1)"),
    (r", \.seeded = true\b", ""), (r"\bUINT64_MAX\b", "2**64 - 1"),
    (r"&?\(hed_\w+\)\{ (\.[^{}]*?) \}", lambda m: re.sub(r"\.(\w+) = ", r"\1=", m[1].replace(".axes ", ".axis "))),
    (r"&(?=[-\d(])", ""),
    (r"hed_scalar(?:_int|_bool)?\(([-\w.]+)\)", r"\1"), (r"hed_scalar_(\w+)\(", r"heddle.ops.\1("),
    (r"hed_(?!scalar)(\w+?)_scalar\(", r"heddle.ops.\1("), (r"hed_(\w+)\(", r"heddle.ops.\1("),
    (r"HED_(BOOL|U?INT\d+|B?FLOAT\d+|COMPLEX\d+)\b", lambda m: "heddle." + m[1].lower()), (r"\bNULL\b", "None"), (r"\bNAN\b", "nan"),
    (r"\bINFINITY\b", "inf"), (r"\btrue\b", "True"), (r"\bfalse\b", "False"), (r"(?:, None)+\)", ")"),
]


def in_python(statement):
    """A statement of C in Python's words; None where it has something of its own."""
    for word, ours in WORDS:
        statement = re.sub(word, ours, statement)
    statement = re.sub(r"heddle\.(BOOL|[A-Z]+\d+)\b", lambda m: "heddle." + m[1].lower(), statement)
    return None if re.search(r"hed_|HED_|[{};&]|->|\belse\b|\bif\b", statement) else statement


def declared(text):
    """name = value for each of the names that a declaration declares."""
    depth, start, parts = 0, 0, []
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip().lstrip("*") for part in parts + [text[start:]]]


def statements(lines):
    text = " ".join(line.strip() for line in lines)
    text = re.sub(r"^HED_SCOPE \{ (.*) \}$", r"\1", text)
    for s in filter(None, (s.strip() for s in text.split(";"))):
        if s.startswith("hed_array *"):
            yield from declared(s[len("hed_array *"):])
        elif s.startswith("hed_print(") and s.endswith(", stdout)"):
            yield f"print({s[len('hed_print('):-len(', stdout)')]})"
        else:
            yield s


def outputs(lines):
    """What each hed_print of an array says, without its first line."""
    blocks = []
    for line in lines:
        if re.match(r"\w+ \([\d, ]*\), host$", line):
            blocks.append([])
        elif not blocks:
            return []
        else:
            blocks[-1].append(line.replace("true", "True").replace("false", "False") or "<BLANKLINE>")
    return blocks


def example(page, known):
    """PAGE's example, if it needs none but functions that are KNOWN."""
    said, blocks = [in_python(s) for s in statements(page["c"])], outputs(page["out"])
    if None in said or not set(re.findall(r"heddle\.ops\.(\w+)", " ".join(said))) <= known:
        return []
    if not said or sum(s.startswith("print(") for s in said) != len(blocks) or not blocks:
        return []
    special = sorted(set(re.findall(r"\b(?:inf|nan)\b", " ".join(said))))
    lines = [">>> import heddle"] + [f">>> from math import {', '.join(special)}"] * bool(special)
    for s in said:
        lines.append(f">>> {s}")
        if s.startswith("print("):
            lines += blocks.pop(0)
    return lines


def read_examples(path):
    """Examples that are written in Python, for functions of the kits: KIT.NAME or KIT.CLASS.NAME, and under it indented lines."""
    examples = {}
    for line in path.read_text().splitlines():
        if line.startswith(" "):
            lines.append(line.strip())
        elif line and not line.startswith("#"):
            lines = examples[line] = []
    return examples


# ---- sections ----

def section(title, lines):
    return f"\n\n{title}\n{'-' * len(title)}\n" + "\n".join(lines) if lines else ""


def choices(words):
    """HED_PAD_EDGE, WRAP as "edge", "wrap"."""
    return re.sub(r"\b(?:HED_[A-Z]+_)?([A-Z][A-Z_]{2,})\b", lambda m: f'"{m[1].lower()}"', words)


def parameter_lines(parameters, words, kinds):
    for p in parameters:
        optional = "" if p.default is ... else f", default {p.default!r}"
        yield f"{p.name} : {kinds[p.kind]}{optional}"
        if p.name in words:
            yield "    " + (choices(words[p.name]) if p.kind == "enum" else words[p.name])


OPTIONS = {"axis": "which axes; None: all", "keepdims": "reduced axes stay, of extent 1", "dtype": "of the result; None: by rule",
           "out": "an array that the result is written into"}


def docstring(texts, parameters, returns, page, examples, words=OPTIONS, kinds=KINDS):
    """Everything that is known of a function, in NumPy's layout. WORDS are for parameters that the page does not have; RETURNS
    is lines, or a function that makes them of the words for all parameters."""
    words = dict(words)
    for line in page["param"]:
        name, _, text = line.partition("  ")
        words[name] = documentation_text([text.strip()])
    raises = {}
    for line in page["error"]:
        head, _, text = line.partition("  ")
        if head != "none":
            raises.setdefault(EXCEPTIONS.get(head.split()[0][2:], "heddle.Error"), []).append(documentation_text([text.strip()]))
    names = " ".join(page["see"]).split()
    sections = [
        ("Parameters", list(parameter_lines(parameters, words, kinds))),
        ("Returns", returns(words) if callable(returns) else returns),
        ("Raises", [line for name, reasons in raises.items() for line in (name, "    " + "; ".join(dict.fromkeys(reasons)))]),
        ("See Also", [", ".join(names)] if names else []),
        ("Notes", [documentation_text([t]) for t in page["numerics"] + [f"NumPy: {t}." for t in page["numpy"]]]),
        ("Examples", examples),
    ]
    return documentation_text(texts) + "".join(section(title, lines) for title, lines in sections)
