# SPDX-License-Identifier: BSD-3-Clause
"""What the package has of the library's operations: C wrappers and stubs, from the interface as data (heddle.api/1).

    generate.py api.json FOLDER      writes FOLDER/operations.c and FOLDER/_core.pyi, and for the kits
                                     FOLDER/kit_functions.c and FOLDER/_KIT.pyi

Every operation becomes a function of its name. Its arguments keep their order; options' fields become keywords; a form that
writes into an array becomes out=; results that come through pointers become a tuple. What Python spells otherwise, as
indexing, is written by hand.
"""

import json
import re
import sys
from pathlib import Path

from generate_common import PY_TYPE, REPEAT, Parameter, again, entry, given, quoted, signature_text, word_tables
from generate_kits import PREFIX, Kits
from generate_pages import docstring, example, read_examples, read_pages

# Python's own spelling serves for these, or index.c has them.
BY_HAND = {"get", "set", "slice", "accumulate", "addat", "index_update", "asarray", "broadcast_shapes"}
# Functions that are no operations by themselves, but of use.
ALSO = {"full_int", "full_uint", "unique_with", "pinv_each", "matrix_rank_each", "zeros_like", "ones_like", "empty_like",
        "full_like", "empty_like_as", "zeros_like_as", "ones_like_as",
        "full_like_as", "fill_int", "repeat_each", "tensordot_n", "einsum_with", "fft_good_size", "maximum_filter_with",
        "norm_scores_with", "compute_convolution_shapes", "fft_wisdom_save", "fft_wisdom_load", "fft_wisdom_forget"}
# Elementwise operations of several operands: numbers among these are weak.
WEAK = {"where", "clip_array", "divide_where", "lerp", "fma", "isclose", "rotate_left", "rotate_right", "set_bit", "divmod",
        "allclose", "norm_scores", "clip", "threshold", "nan_to_num", "leaky_relu", "elu", "gaussian"}
# Operations whose results may be as large as the product of their operands.
GROWING = {"outer", "kron", "khatri_rao", "einsum", "einsum_with", "convolve", "correlate"}
# NumPy's and the array API's words for arguments.
RENAMED_IN = {"squeeze": {"axes": "axis"}, "flip": {"axes": "axis"}, "roll": {"shifts": "shift", "axes": "axis"},
              "expand_dims_axes": {"axes": "axis"}}
AXIS_FIELDS = {"hed_reduce", "hed_quantiles"}
WITH_CORRECTION = {"var", "std", "nanvar", "nanstd"}
RANDOM_FIELDS = {"random_uniform": ("low", "high"), "random_normal": ("mean", "std"), "random_complex_normal": ("std",),
                 "random_truncated_normal": ("mean", "std")}
METHODS = """sum prod mean var std max min any all argmax argmin cumsum cumprod conj ravel flatten squeeze astype copy round dot
 swapaxes ptp diagonal""".split()

class Wrapper:
    """One function of the package."""

    def __init__(self, api, name, op, form, into=None):
        self.api, self.name, self.op, self.form, self.into = api, name, op, form, into
        self.parameters, self.declare, self.passed, self.before = [], [], [], []
        self.outs, self.list_out, self.value_out, self.random = [], None, None, None
        self.shapes, self.after = [], []
        for arg in form["args"]:
            self.argument(arg)
        if into and form["returns"] == "array" and [a["name"] for a in into["args"][1:]] == [a["name"] for a in form["args"]]:
            self.add(Parameter("out", "array", None, True), "(!GIVEN(V) || hp_out(&c_, V, &out))")
            self.declare.append("hed_array *out = NULL;")
        else:
            self.into = None
        positional = [p for p in self.parameters if not p.keyword]
        for p, q in zip(reversed(positional[:-1]), reversed(positional[1:])):
            if q.default is ...:
                p.default = ...   # no default before an argument that must be given
        self.parameters.sort(key=lambda p: p.keyword)

    def add(self, parameter, convert):
        parameter.convert = given(parameter, convert)
        self.parameters.append(parameter)

    def python_name(self, name, kind):
        known = RENAMED_IN.get(self.name, {}).get(name, name)
        return "dtype" if kind == "dtype" else known.rstrip("_")

    # ---- arguments of the C function ----

    def argument(self, arg):
        kind, role, name = arg["kind"], arg["role"], arg["name"]
        if role == "out":
            self.result(arg)
        elif role == "count":
            self.passed.append(f"({arg['ctype']})n_{arg['of']}")
        elif kind == "struct":
            self.options(arg)
        else:
            default = arg.get("default", None if arg["nullable"] else ...)
            if isinstance(default, str) and kind not in ("dtype", "enum", "string"):   # meant for another argument of that name
                default = None if arg["nullable"] else ...
            self.plain(arg, self.python_name(name, kind), name, default, False)

    def plain(self, arg, shown, name, default, keyword):
        """An argument that is one value or one list."""
        kind, ctype = arg["kind"], arg["ctype"]
        p = Parameter(shown, kind, default, keyword)
        quoted = f'"{shown}"'
        pointer = ctype.endswith("*")
        if kind == "array":
            self.declare.append(f"hed_array *{name} = NULL;")
            how = "hp_target" if arg.get("role") == "inout" else "hp_optional" if p.default is None else \
                "hp_weak" if self.name in WEAK else "hp_operand"
            if how == "hp_optional" and self.name in WEAK:
                how = "!GIVEN(V) || hp_weak"
            self.add(p, f"({how}(&c_, V, {quoted}, &{name}))")
            self.passed.append(name)
        elif kind == "arrays":
            self.declare += [f"hed_array **{name} = NULL;", f"int n_{name} = 0;"]
            self.add(p, f"hp_operands(&c_, V, {quoted}, &n_{name}, &{name})")
            self.passed.append(f"(const hed_array *const *){name}")
        elif kind in ("doubles", "ints"):
            c, how = ("double", "hp_doubles") if kind == "doubles" else ("int64_t", "hp_integers")
            self.declare += [f"{c} *{name} = NULL;", f"int64_t n_{name} = 0;"]
            self.add(p, f"{how}(&c_, V, {quoted}, &n_{name}, &{name})")
            if "length" in arg:
                self.after.append(f"hp_length({quoted}, n_{name}, {self.expression(arg['length'])})")
            self.passed.append(name)
        elif kind in ("shape", "axes"):
            self.declare.append(f"hed_{kind} {name} = {{ 0 }};")
            self.add(p, f"hp_{kind}(V, {quoted}, &{name})")
            self.passed.append(f"GIVEN(V({shown})) ? &{name} : NULL" if pointer else name)
            if kind == "shape" and not pointer:
                self.shapes.append(name)
        elif kind == "dtype":
            initial = "NULL" if p.default in (None, ...) else f"HED_{p.default.upper()}"
            self.declare.append(f"hed_dtype {name} = {initial};")
            if p.default is not ...:
                p.default = None
            self.add(p, f"hp_dtype(V, {quoted}, &{name})")
            self.passed.append(name)
        elif kind == "enum":
            self.declare.append(f"int {name} = {self.enum_value(arg['type'], p.default)};")
            self.add(p, f"hp_enum(V, {quoted}, words_{arg['type']}, &{name})")
            self.passed.append(f"({ctype}){name}")
        elif kind == "string":
            self.declare.append(f"const char *{name} = NULL;")
            self.add(p, f"hp_string(V, {quoted}, &{name})")
            self.passed.append(name)
        else:
            self.number(p, kind, ctype, name, quoted)

    def number(self, p, kind, ctype, name, quoted):
        c, how = {"scalar": ("double", "hp_double"), "bool": ("bool", "hp_bool"), "int": {
            "int32_t": ("int32_t", "hp_int32"), "int": ("int32_t", "hp_int32"), "uint64_t": ("uint64_t", "hp_uint64"),
            "int64_t": ("int64_t", "hp_int64")}.get(ctype)}[kind]
        initial = {True: "true", False: "false"}.get(p.default, 0) if kind == "bool" else \
            p.default if p.default not in (..., None) else 0
        self.declare.append(f"{c} {name} = {initial};")
        self.add(p, f"{how}(V, {quoted}, &{name})")
        self.passed.append(name)

    def enum_value(self, enum, default):
        values = {v["brief"]: v["value"] for v in self.api["enums"][enum]["values"]}
        return values.get(default, 0)

    # ---- options ----

    def options(self, arg):
        struct, name = arg["type"], arg["name"]
        if struct == "hed_random":
            self.declare.append(f"hed_random {name} = {{ 0 }};")
            self.random_options(name)
        else:
            self.declare.append(f"{struct} {name} = {{ 0 }};")
            for field in self.api["structs"][struct]["fields"]:
                self.field(struct, name, field)
        self.passed.append(f"&{name}")

    def random_options(self, into):
        self.declare.append("hed_generator local_ = { 0, 0 };")
        for field in RANDOM_FIELDS.get(self.name, ()):
            self.add(Parameter(field, "scalar", 0.0, True), f"hp_double(V, \"{field}\", &{into}.{field})")
        self.add(Parameter("seed", "int", None, True), "")
        self.add(Parameter("generator", "generator", None, True), f"hp_random(V(seed), V, &{into}, &local_)")
        self.random = "generator"

    def field(self, struct, into, field):
        kind, name, ctype = field["kind"], field["name"], field["ctype"]
        place, quoted = f"{into}.{name}", f'"{name}"'
        if kind == "struct":
            self.random_options(place)
            return
        if struct == "hed_reduce" and name in ("ddof", "correction") and self.name not in WITH_CORRECTION:
            return
        shown = "axis" if name == "axes" and struct in AXIS_FIELDS else name
        quoted = f'"{shown}"'
        first = shown == "axis" and struct in ("hed_reduce", "hed_scan", "hed_sort_options", "hed_quantiles")
        if kind in ("axes", "shape", "dtype"):
            how = "hp_axes_or_none" if kind == "axes" and struct == "hed_reduce" else f"hp_{kind}"
            self.add(Parameter(shown, kind, None, not first), f"{how}(V, {quoted}, &{place})")
        elif kind == "enum":
            brief = next(v["brief"] for v in self.api["enums"][field["type"]]["values"] if v["value"] == 0)
            local = f"{into}_{name}"
            self.declare.append(f"int {local} = 0;")
            self.add(Parameter(shown, kind, brief, True), f"hp_enum(V, {quoted}, words_{field['type']}, &{local})")
            self.before.append(f"{place} = ({ctype}){local};")
        elif kind == "array":
            self.declare.append(f"hed_array *{into}_{name} = NULL;")
            self.add(Parameter(shown, kind, None, True), f"hp_optional(&c_, V, {quoted}, &{into}_{name})")
            self.before.append(f"{place} = {into}_{name};")
        elif kind == "arrays":
            self.declare += [f"hed_array **{into}_{name} = NULL;", f"int n_{name} = 0;"]
            length = self.expression(field["length"])
            self.add(Parameter(shown, kind, None, True),
                     f"(!GIVEN(V) || hp_operands(&c_, V, {quoted}, &n_{name}, &{into}_{name}))")
            self.after.append(f"(!GIVEN(V({shown})) || hp_length({quoted}, n_{name}, {length}))")
            self.before.append(f"{place} = (const hed_array *const *){into}_{name};")
        elif field.get("count", 1) > 1 or kind == "doubles":
            self.doubles_field(into, field, shown)
        else:
            self.number_field(place, kind, ctype, shown)

    def doubles_field(self, into, field, shown):
        name, place, many = field["name"], f"{into}.{field['name']}", field.get("count", 1)
        self.declare += [f"double *{into}_{name} = NULL;", f"int64_t n_{name} = 0;"]
        self.add(Parameter(shown, "doubles", None, True), f"hp_doubles(&c_, V, \"{shown}\", &n_{name}, &{into}_{name})")
        if many > 1:   # a list in the struct: one number serves all
            self.before.append(f"for (int k = 0; {into}_{name} && k < {many}; k++)\n      "
                               f"{place}[k] = n_{name} == 1 ? {into}_{name}[0] : k < n_{name} ? {into}_{name}[k] : 0;")
        else:
            self.after.append(f"(!GIVEN(V({shown})) || hp_length(\"{shown}\", n_{name}, {self.expression(field['length'])}))")
            self.before.append(f"{place} = {into}_{name};")

    def number_field(self, place, kind, ctype, shown):
        how = {"scalar": "hp_double", "bool": "hp_bool", "int": {"int32_t": "hp_int32", "int64_t": "hp_int64",
                                                                 "uint64_t": "hp_uint64"}.get(ctype)}[kind]
        default = {"scalar": 0.0, "bool": False, "int": 0}[kind]
        self.add(Parameter(shown, kind, default, True), f"{how}(V, \"{shown}\", &{place})")

    # ---- results ----

    def result(self, arg):
        kind, name = arg["kind"], arg["name"]
        if kind == "array" or self.name == "rigid_transform":
            wanted = "GIVEN(V(mask)) ? &r_[%d] : NULL" if name == "out_mask" else "&r_[%d]"
            self.passed.append(wanted % len(self.outs))
            self.outs.append(name)
        elif kind == "arrays":
            self.list_out = self.expression(self.form["results"])
            self.passed.append("r_")
        else:
            self.value_out = kind
            self.value_names = getattr(self, "value_names", []) + [name]
            self.declare.append(f"{arg['ctype'].rstrip('* ')} {name} = {'false' if kind == 'bool' else '{ 0 }'};")
            self.passed.append(f"&{name}")

    def expression(self, text):
        """An expression of the interface's small language in C."""
        if " or " in text:
            a, b = (self.expression(t) for t in text.split(" or "))
            return f"({a} ? {a} : {b})"
        names = {a["name"]: a for a in self.form["args"]}
        text = re.sub(r"ndim\((\w+)\)", lambda m: f"{m[1]}.ndim" if names[m[1]]["kind"] == "shape" else
                      f"hed_array_ndim({m[1]})", text)
        text = re.sub(r"len\(([\w.]+)\)", r"\1.n", text)
        text = re.sub(r"\bextent\(", "hp_extent(", text)
        counts = [a["of"] for a in self.form["args"] if a["role"] == "count" and a["name"] == "n"]
        return re.sub(r"\bn\b(?!\w)(?<!\.n)", f"n_{counts[0]}" if counts else "n", text)

    # ---- text ----

    def cost(self):
        if self.op and self.op["view"]:
            return "HP_VIEW"
        if self.name in GROWING:
            return "HP_GROWS"
        return "HP_STREAM" if self.name in WEAK or (self.op and self.op["family"] in ("unary", "binary", "reduce")) else "HP_WORK"

    def values(self, text):
        """V(name) in C: the argument's place in the list."""
        index = {p.name: k for k, p in enumerate(self.parameters)}
        return re.sub(r"V\((\w+)\)", lambda m: f"v_[{index[m[1]]}]", text)

    def signature(self):
        slash = self.op and self.op["family"] in ("unary", "reduce")
        return signature_text(self.parameters, 1 if slash else 0)

    def stub(self):
        parts = [p.stub() for p in self.parameters if not p.keyword]
        keywords = [p.stub() for p in self.parameters if p.keyword]
        result = "list[Array]" if self.list_out else "bool" if self.value_out == "bool" else \
            "tuple[Array, ...]" if len(self.outs) > 1 else "Array" if self.outs or self.form["returns"] == "array" else \
            "Any" if self.value_out else "int" if self.form["returns"] == "value" else "None"
        return f"def {self.name}({', '.join(parts + (['*'] + keywords if keywords else []))}) -> {result}: ..."

    def conversions(self):
        checks = ["hp_bind(&s_, args_, n_, keywords_, v_)"]
        for k, p in enumerate(self.parameters):
            if p.convert:
                checks.append(self.values(re.sub(r"\bV\b(?!\()", f"v_[{k}]", p.convert)))
        checks += [self.values(a) for a in self.after]
        return " &&\n      ".join(checks)

    def call(self):
        """The statements between hp_begin and hp_end, and what becomes of the result."""
        passed = self.values(", ".join(self.passed))
        symbol, returns = self.form["symbol"], self.form["returns"]
        if self.list_out:
            lines = [f"status_ = {symbol}({passed});", "hp_end(&c_);", f'result_ = hp_list("{self.name}", status_, count_, r_);']
        elif self.outs:
            made = f'hp_tuple("{self.name}", status_, {len(self.outs)}, r_)'
            if len(self.outs) == 1:
                made = f'status_ == HED_OK ? hp_wrap("{self.name}", r_[0]) : hp_fail("{self.name}")'
            lines = [f"status_ = {symbol}({passed});", "hp_end(&c_);", f"result_ = {made};"]
        elif self.value_out:
            made = {"bool": "PyBool_FromLong(out)", "shape": "Py_BuildValue(\"(NNN)\", " + ", ".join(
                f"hp_shape_tuple(&{n})" for n in getattr(self, "value_names", [])) + ")"}[self.value_out]
            lines = [f"status_ = {symbol}({passed});", "hp_end(&c_);",
                     f'result_ = status_ == HED_OK ? {made} : hp_fail("{self.name}");']
        elif returns == "array":
            lines = [f"r_ = {symbol}({passed});"]
            if self.into:
                lines = ["if (out)", f"  status_ = {self.into['symbol']}(out, {passed});", "else", f"  {lines[0]}"]
            lines.append("hp_end(&c_);")
            lines.append(f'result_ = out ? hp_given("{self.name}", status_, {self.values("V(out)")}) : '
                         f'hp_wrap("{self.name}", r_);' if self.into else f'result_ = hp_wrap("{self.name}", r_);')
        elif returns == "value":
            lines = [f"const int64_t value_ = {symbol}({passed});", "hp_end(&c_);", "result_ = PyLong_FromLongLong(value_);"]
        else:
            lines = [f"status_ = {symbol}({passed});", "hp_end(&c_);", f'result_ = hp_none("{self.name}", status_);']
        if self.random:
            lines.append(self.values("hp_random_end(V(generator), result_ != NULL);"))
        return "\n    ".join(lines)

    def c(self):
        names = ", ".join(f'"{p.name}"' for p in self.parameters)
        n = len(self.parameters)
        positional = sum(not p.keyword for p in self.parameters)
        required = sum(p.default is ... for p in self.parameters)
        declare = list(self.declare)
        if self.list_out:
            declare.append("hed_array **r_ = NULL;")
        elif self.outs:
            declare.append(f"hed_array *r_[{len(self.outs)}] = {{ NULL }};")
        elif self.form["returns"] == "array":
            declare.append("hed_array *r_ = NULL;")
        if self.form["returns"] == "status" or self.into:
            declare.append("hed_status status_ = HED_OK;")
        weigh = "".join(f"    hp_weigh_shape(&c_, &{s});\n" for s in self.shapes)
        draws = ["c_.draws = !GIVEN(V(seed)) && !GIVEN(V(generator));"] if self.random else []
        before = self.values("".join(f"    {b}\n" for b in self.before + draws))
        if self.list_out:
            before += (f"    const int64_t count_ = {self.list_out};\n"
                       "    r_ = hp_block(&c_, (size_t)(count_ > 0 ? count_ : 0) * sizeof *r_);\n")
        enter = f"if ({'r_ && ' if self.list_out else ''}hp_begin(&c_, {self.cost()})) {{\n    "
        body = f"""static PyObject *f_{self.name}(PyObject *module_, PyObject *const *args_, Py_ssize_t n_, PyObject *keywords_)
{{
  static const char *const names_[] = {{ {names or 'NULL'} }};
  static const hp_signature s_ = {{ "{self.name}", {n}, {positional}, {required}, names_ }};
  PyObject *v_[{max(n, 1)}] = {{ NULL }}, *result_ = NULL;
  hp_call c_ = HP_CALL("{self.name}");
  {chr(10).join('  ' + d for d in declare).strip()}
  {REPEAT}
  if ({self.conversions()}) {{
{weigh}{before}    {enter}{self.call()}
    }}
  }}
  hp_done(&c_);
{self.values("  if (c_.elsewhere)   /* its draw is taken there */" + chr(10) + "    hp_random_end(V(generator), false);" + chr(10))
 if self.random else ""}  return c_.elsewhere ? {again(f"f_{self.name}")} : result_;
}}
"""
        return body


# ---- texts ----

RESULTS = {"SAME": "of the type that the operands promote to", "BOOL": "bool", "INDEX": "int64",
           "REALPART": "of the operands' type, for a complex type of its real type",
           "FLOAT": "of the operands' type; bool and integers give the context's real type",
           "FLOAT_REALPART": "of the operands' type; bool and integers give the context's real type, complex types their real one",
           "ACCUM": "of the operands' type; bool and integers widen to int64 or uint64", "ARG": ""}


def returned(op, wrapper):
    """The section of what comes back."""
    result = "Array" if not wrapper else re.search(r"-> (.*): \.\.\.$", wrapper.stub())[1]
    if result == "None":
        return []
    rule = RESULTS[op["result"]] if op else ""
    return [result] + [f"    {rule}"] * bool(rule and "Array" in result)


def documentation(api, pages, known, name, op, form, wrapper):
    if wrapper:
        parameters, page = wrapper.parameters, pages[name]
    else:
        binary = "x2" in regular_signature(op)
        parameters = [Parameter(n, "array") for n in (("x1", "x2") if binary else ("x",))] + [Parameter("out", "array", None, True)]
        page = dict(pages[name])
        if binary:
            page["param"] = [re.sub(r"^([ab])  ", lambda m: {"a": "x1  ", "b": "x2  "}[m[1]], p) for p in pages[name]["param"]]
        page = {key: page.get(key, []) for key in "param error numerics numpy see c out".split()}
    return docstring(described(api, op, form), parameters, returned(op, wrapper), page, example(page, known))


def described(api, op, form):
    texts = [op["doc"] if op else "", form.get("doc") or ""]
    if not any(texts):   # a variant without words of its own has those of its operation
        base = form["symbol"][4:].rpartition("_")[0]
        texts = [o["doc"] for o in api["operations"] if o["name"] == base] + [form["symbol"]]
    return texts


def family_rows(ops):
    """Rows of the regular families, which operators.c runs."""
    for op in ops:
        forms = {f["form"]: f["symbol"] for f in op["forms"]}
        name = op["name"]
        if op["family"] == "unary":
            yield f'const hp_unary hp_{name} = {{ "{name}", {forms["new"]}, {forms["into"]} }};'
        elif op["family"] == "binary" or name == "matmul":
            sides = [forms.get("scalar_right", "NULL"), forms.get("scalar_left", "NULL")]
            real = "f" in op["domain"] and sides[0] != "NULL"
            yield (f'const hp_binary hp_{name} = {{ "{name}", {forms["new"]}, {forms["into"]}, {", ".join(sides)}, '
                   f'{str(real).lower()}, {str(op["result"].startswith("FLOAT")).lower()} }};')


def family_function(op):
    kind = "binary" if op["family"] == "binary" or op["name"] == "matmul" else "unary"
    return f"""static PyObject *f_{op['name']}(PyObject *m, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{{
  (void)m;
  return hp_call_{kind}(&hp_{op['name']}, args, n, keywords);
}}
"""


HEAD = """// SPDX-License-Identifier: BSD-3-Clause
/* Made by generate.py; do not edit. */
#include "binding.h"

#define GIVEN(o) ((o) && (o) != Py_None)

"""

OPERATORS = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def wrappers(api):
    """Everything that is wrapped, with the other names of each."""
    for op in api["operations"]:
        forms = {f["form"]: f for f in op["forms"]}
        if op["name"] in BY_HAND or "new" not in forms:
            continue
        regular = op["family"] in ("unary", "binary") or op["name"] == "matmul"
        yield op, None if regular else Wrapper(api, op["name"], op, forms["new"], forms.get("into"))
        for f in op["forms"]:
            if f["form"] == "complex_right" and f["symbol"] == "hed_full_complex":
                yield None, Wrapper(api, "full_complex", None, f)
    for f in api["functions"]:
        if f["symbol"][4:] in ALSO:
            yield None, Wrapper(api, f["symbol"][4:], None, f)


def regular_signature(op):
    return "(x1, x2, /, *, out=None)" if op["family"] == "binary" or op["name"] == "matmul" else "(x, /, *, out=None)"


def method_function(name):
    return f"""static PyObject *m_{name}(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{{
  return hp_method(f_{name}, self, args, n, keywords);
}}
"""


def source_text(api, wrapped, pages):
    """operations.c."""
    functions, rows, methods = [], [], []
    known = {w.name if w else op["name"] for op, w in wrapped}
    for op, w in wrapped:
        name, form = (w.name, w.form) if w else (op["name"], op["forms"][0])
        functions.append(w.c() if w else family_function(op))
        signature, text = f"({w.signature()})" if w else regular_signature(op), documentation(api, pages, known, name, op, form, w)
        rows += [entry(other, f"f_{name}", signature, text) for other in [name] + (op["aliases"] if op else [])]
        if name in METHODS:
            functions.append(method_function(name))
            methods.append(entry(name, f"m_{name}", re.sub(r"^\(\w+(, /)?", "($self, /", signature), text))
    body, end = "\n".join(functions), "  { NULL, NULL, 0, NULL }\n};\n"
    enums = set(re.findall(r"words_(hed_\w+)", body))
    return "".join([HEAD, "\n".join(word_tables(api, enums)), "\n\n", "\n".join(family_rows(api["operations"])), "\n\n", body,
                    "\nPyMethodDef hp_operations[] = {\n", *rows, end, "\nPyMethodDef hp_array_methods[] = {\n", *methods, end])


def stub_text(api, wrapped):
    """_core.pyi: what _core.pyi.in has, and a line for each function and special method."""
    lines = [f"{t['name'].upper() if t['abstract'] else t['name']}: DType" for t in api["dtypes"]]
    for op, w in wrapped:
        operands = "x1: ArrayLike, x2: ArrayLike" if not w and "x2" in regular_signature(op) else "x: ArrayLike"
        line = w.stub() if w else f"def {op['name']}({operands}, /, *, out: Array | None = ...) -> Array: ..."
        lines += [re.sub(r"^def \w+", f"def {other}", line) for other in [w.name if w else op["name"]] + (op["aliases"] if op else [])]
    special = [f"def __{p}{n}__(self, other: Any, /) -> Array: ..." for n in OPERATORS for p in ("", "r", "i")]
    special += [f"def __{n}__(self, other: Any, /) -> Array: ..." + "  # type: ignore[override]" * (n in ("eq", "ne"))
                for n in ("eq", "ne", "lt", "le", "gt", "ge")]
    special += [f"def __{n}__(self) -> Array: ..." for n in ("neg", "pos", "abs", "invert")]
    special += [f"def {n}(self, *args: Any, **kwargs: Any) -> Array: ..." for n in METHODS]
    text = (Path(__file__).parent / "_core.pyi.in").read_text()
    return text.replace("    # METHODS\n", "".join(f"    {s}\n" for s in special)).replace("# FUNCTIONS\n", "\n".join(lines) + "\n")


def main():
    api = json.loads(Path(sys.argv[1]).read_text())
    api = api.get("api", api)
    if api.get("schema") != "heddle.api/1":
        sys.exit(f"{sys.argv[1]}: schema {api.get('schema')!r} is not heddle.api/1")
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    wrapped = list(wrappers(api))
    pages = read_pages(Path(sys.argv[1]).with_name("pages.txt"))
    (folder / "operations.c").write_text(source_text(api, wrapped, pages))
    (folder / "_core.pyi").write_text(stub_text(api, wrapped))
    kits = Kits(api, pages, read_examples(Path(__file__).with_name("kit_examples.txt")))
    (folder / "kit_functions.c").write_text(kits.source())
    for kit in PREFIX:
        (folder / f"_{kit}.pyi").write_text(kits.stub(kit))


if __name__ == "__main__":
    main()
