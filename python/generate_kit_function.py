# SPDX-License-Identifier: BSD-3-Clause
"""One function of a kit, for generate_kits.py: its parameters in Python, and the C that converts, calls and gives back."""

import keyword
import re

from generate_common import PY_TYPE, REPEAT, Parameter, again, documentation_text, given, quoted, signature_text
from generate_pages import KINDS, OPTIONS, docstring

PREFIX = {"match": "match_", "ultrasound": "us_", "vsa": "vsa_", "tensor": "", "nn": "nn_"}
CALLBACKS = {"size_t": "hp_on_count", "int64_t": "hp_on_count64", "hed_sweep": "hp_on_sweep"}
TREE = "dict[str, Array]"
NUMBERS = {"int32_t": "hp_int32", "int": "hp_int32", "int64_t": "hp_int64", "uint64_t": "hp_uint64", "size_t": "hp_size"}


KIT_KINDS = {**KINDS, "strings": "sequence of str", "path": "str or path", "callback": "callable", "slices": "slice", "keys": "index",
             "struct": "object", "tree": "dict of arrays"}
KIT_OPTIONS = {"axis": OPTIONS["axis"], "dtype": OPTIONS["dtype"], "seed": "of the random numbers; None: from the context's stream",
               "generator": "the stream that random numbers are drawn from"}


def traits(row):
    """What arguments.def says for other languages of a function, argument, struct or field: words, some with a value."""
    return {word: value for word, _, value in (w.partition("=") for w in row.get("traits", "").split())}


def classes(kits):
    """Structs and handles that are objects, and what their classes are called."""
    rows = [{"type": k, **s} for k, s in kits["structs"].items()] + [a for f in kits["functions"] for a in f["args"]]
    return {r["type"]: traits(r)["class"] for r in rows if "class" in traits(r)}


def matrices_of(row):
    """What counts a list of square matrices, and their side: of a length like "n * ndim(x) * ndim(x)"."""
    found = re.fullmatch(r"(\w+) \* (.+) \* \2", row.get("length", ""))
    return found and found.groups()


def of_states(row):
    """The cell whose states a list has: of a length "states(c)"."""
    found = re.fullmatch(r"states\((\w+)\)", row.get("length", ""))
    return found and found[1]


def called(name):
    return name + "_" * keyword.iskeyword(name)


class KitFunction:
    """A function of a kit: its parameters, and the C that converts, calls and gives back."""

    def __init__(self, api, f):
        self.api, self.f, self.symbol, self.kit = api, f, f["symbol"], f["kit"]
        self.classes, self.symbols = api["classes"], {f["symbol"] for f in api["functions"]}
        self.name = self.symbol[4:].removeprefix(PREFIX[self.kit])
        self.parameters, self.members, self.passed = [], [], {}
        self.checks, self.before, self.run_before, self.run_after = [], [], [], []
        self.results, self.undo, self.handles, self.words, self.copies = [], [], [], {}, []
        self.watched = self.random = self.changes = self.learns = False
        self.after = ""      # once the results are made
        self.args = f["args"]
        self.traits = {a["name"]: traits(a) for a in self.args}
        self.counts = {a["of"]: a for a in self.args if a["role"] == "count"}
        for k, arg in enumerate(self.args):
            self.argument(k, arg)
        self.returned()
        first = self.args[0] if self.args else {}
        self.owner = first.get("type") if first.get("type") in self.classes and first["role"] != "out" else None
        if self.owner and self.owner not in self.symbol and not self.symbol.startswith("hed_vsa_"):
            self.owner = None
        if self.owner:
            self.name = self.symbol.removeprefix(self.owner + "_") if self.symbol.startswith(self.owner + "_") else self.name
            self.name = self.name.removesuffix("_create").removesuffix("_of")
        self.parameters.sort(key=lambda p: (p.keyword, p.default is not ...))

    # ---- arguments ----

    def shown(self, name):
        return self.traits.get(name, {}).get("called") or called(name)

    def member(self, declaration):
        self.members.append(declaration)

    def add(self, name, kind, default, convert, keyword=False, doc=None):
        p = Parameter(name, kind, default, keyword)
        p.convert = given(p, convert)
        self.parameters.append(p)
        if doc:
            self.words[name] = documentation_text([doc])
        return p

    def default_of(self, arg):
        return arg["default"] if "default" in arg else None if arg["nullable"] else ...

    def argument(self, k, arg):
        kind, role, name = arg["kind"], arg["role"], arg["name"]
        following = self.args[k + 1] if k + 1 < len(self.args) else {}
        measured = next((a for a in self.args if a is not arg and re.match(rf"{name}\b", a.get("length", ""))), None)
        if role == "in" and measured and measured["kind"] == "string":
            self.passed[name] = f"strlen(a->{measured['name']})"
        elif role == "in" and measured and matrices_of(measured):
            self.member(f"size_t {name};")
            self.passed[name] = f"a->{name}"
        elif name in self.passed or (role == "out" and kind == "ints" and name == "n"):
            self.passed.setdefault(name, f"&a->{name}")
        elif role == "count":
            self.passed[name] = f"({arg['ctype']})a->n_{arg['of']}"
        elif kind == "callback":
            self.watched = True
            self.add("function", "callback", ..., "hp_callable(V, \"function\", &w_.function)")
            self.before.append("w_.axes = a.shape.ndim;")
            self.passed[name], self.passed[following["name"]] = "hp_on_function", "a->watch"
        elif kind == "struct":
            self.struct(arg, following)
        elif kind == "handle":
            self.handle(arg)
        elif role == "out":
            self.out(arg, following)
        else:
            self.plain(arg)

    def plain(self, arg):
        kind, name, ctype = arg["kind"], arg["name"], arg["ctype"]
        shown, default = self.shown(name), self.default_of(arg)
        q = quoted(shown)
        self.passed[name] = f"a->{name}"
        if kind == "array":
            self.member(f"hed_array *{name};")
            how = "hp_optional" if default is None else "hp_operand" if ctype.startswith("const") else "hp_target"
            self.add(shown, kind, default, f"{how}(&c_, V, {q}, &a.{name})")
        elif kind == "arrays":
            shown = {"template": "templates"}.get(shown, shown)
            q = quoted(shown)
            self.member(f"hed_array **{name}; int n_{name};")
            written = not ctype.startswith("const")
            self.passed[name] = f"a->{name}" if written else f"(const hed_array *const *)a->{name}"
            taken = f"hp_{'targets' if written else 'operands'}(&c_, V, {q}, &a.n_{name}, &a.{name})"
            self.add(shown, kind, default, f"(!GIVEN(V) || {taken})" if default is None else taken)
            if of_states(arg):
                self.checks.append(f"hp_states({q}, a.n_{name}, &a.{of_states(arg)})")
            elif name not in self.counts and self.counts:
                other = next(iter(self.counts))
                self.checks.append(f"hp_length({q}, a.n_{name}, a.n_{other})")
        elif kind in ("doubles", "ints"):
            self.numbers(arg, shown, default)
        elif kind == "strings":
            self.member(f"const char **{name}; int64_t n_{name};")
            self.passed[name] = f"(const char *const *)a->{name}"
            self.add(shown, kind, default, f"hp_strings(&c_, V, {q}, &a.n_{name}, &a.{name})")
            if "length" in arg:
                self.checks.append(f"hp_length({q}, a.n_{name}, {self.expression(arg['length'])})")
        elif kind == "string":
            self.member(f"const char *{name};")
            path = name == "path" and "key" not in self.traits[name]
            self.add(shown, "path" if path else kind, default,
                     f"hp_path(&c_, V, {q}, &a.{name})" if path else f"hp_string(V, {q}, &a.{name})")
        elif kind in ("shape", "axes"):
            self.member(f"hed_{kind} {name};")
            if ctype.endswith("*"):
                self.passed[name] = f"a->has_{name} ? &a->{name} : NULL"
                self.member(f"bool has_{name};")
                self.before.append(f"a.has_{name} = GIVEN(V({shown}));")
            self.add(shown, kind, default, f"hp_{kind}(V, {q}, &a.{name})")
        elif kind == "dtype":
            shown = "dtype"
            q = quoted(shown)
            self.member(f"hed_dtype {name};")
            if isinstance(default, str):
                self.before.append(f"if (!GIVEN(V({shown})))\n      a.{name} = HED_{default.upper()};")
                default = None
            self.add(shown, kind, default, f"hp_dtype(V, {q}, &a.{name})")
        elif kind == "enum":
            self.member(f"int {name};")
            self.passed[name] = f"({ctype})a->{name}"
            self.add(shown, kind, default, f"hp_enum(V, {q}, words_{arg['type']}, &a.{name})")
            self.words[shown] = self.one_of(arg["type"])
            self.initial(name, self.value_of(arg["type"], default))
        elif kind == "slices":
            self.member(f"hed_slice_range {name};")
            self.add(shown, kind, default, f"hp_range(V, {q}, &a.{name})")
        elif kind == "keys":
            self.member(f"int n_{name}; const hed_key *{name};")
            self.add(shown, kind, default, f"hp_keys(&c_, V, &a.n_{name}, &a.{name})")
        else:
            how = {"scalar": "hp_double", "bool": "hp_bool"}.get(kind) or NUMBERS[ctype]
            self.member(f"{'int32_t' if ctype == 'int' else ctype} {name};")
            self.add(shown, kind, default, f"{how}(V, {q}, &a.{name})")
            self.initial(name, self.traits[name].get("null") or {True: "true", False: "false", None: "0"}.get(default, default))

    def initial(self, name, value):
        if value not in (..., "0", 0, "false"):
            self.members.append(("set", f"a.{name} = {value};"))

    def one_of(self, enum):
        return ", ".join(f'"{v["brief"]}"' for v in self.api["enums"][enum]["values"])

    def value_of(self, enum, default):
        return next((v["value"] for v in self.api["enums"][enum]["values"] if v["brief"] == default), 0)

    def numbers(self, arg, shown, default):
        kind, name = arg["kind"], arg["name"]
        c, how = ("double", "hp_doubles") if kind == "doubles" else ("int64_t", "hp_integers")
        if count := matrices_of(arg):
            d = self.side(count[1])
            self.member(f"{c} *{name};")
            self.members.append(("local", f"int64_t n_{name} = 0;"))
            self.add(shown, kind, default, f"{how}(&c_, V, {quoted(shown)}, &n_{name}, &a.{name})")
            self.checks.append(f"hp_matrices({quoted(shown)}, n_{name}, {d})")
            self.before.append(f"a.{count[0]} = (size_t)(n_{name} / ({d} * {d}));")
            return
        self.member(f"{c} *{name}; int64_t n_{name};")
        self.add(shown, kind, default, f"{how}(&c_, V, {quoted(shown)}, &a.n_{name}, &a.{name})")
        if arg.get("length"):
            self.checks.append(f"hp_length({quoted(shown)}, a.n_{name}, {self.expression(arg['length'])})")

    # ---- structs and handles ----

    def tree(self, arg):
        """A tree of parameters: a dict in Python. What initialises one makes two: what is learnt, and the buffers."""
        name, out = arg["name"], arg["ctype"].endswith("**")
        self.member(f"hed_nn_params *{name};")
        self.passed[name] = f"&a->{name}" if out else f"a->{name}"
        if out or self.symbol.endswith("_init"):
            if not out:
                self.copies.append(f"hp_tree_new(&a.{name})")
            self.results.append((f"hp_tree_{'dict' if out else 'pair'}(a.{name})", TREE if out else f"tuple[{TREE}, {TREE}]"))
            self.undo.append(f"hed_nn_params_release(a.{name});")
            return
        shown = {"p": "params"}.get(name, self.shown(name))
        written = str(arg["role"] == "inout").lower()
        self.changes |= arg["role"] == "inout"
        self.add(shown, "tree", ..., f"hp_tree(&c_, V, {quoted(shown)}, {written}, &a.{name})")

    def handle(self, arg):
        name, kind, ctype = arg["name"], arg["type"], arg["ctype"]
        if kind == "hed_nn_params":
            return self.tree(arg)
        if ctype.endswith("**"):
            self.member(f"{kind} *{name};")
            self.passed[name] = f"&a->{name}"
            self.results.append((f"hp_box_handle(KIND({kind}), a.{name})", self.classes[kind]))
            self.undo.append(f"{kind}_release(a.{name});")
            return
        shared = f"{kind}_retain" in self.symbols
        change = not shared and not ctype.startswith("const")
        self.changes |= change
        self.learns |= change and "learns" in self.traits[name]
        shown, default = self.shown(name), self.default_of(arg)
        self.member(f"void *{name};")
        self.passed[name] = f"a->{name}"
        use = f"hp_use_handle(V, {quoted(shown)}, KIND({kind}), {str(change).lower()}, &a.{name})"
        self.add(shown, kind, default, f"(!GIVEN(V) || {use})" if default is None else use)
        self.handles.append((shown, name))

    def struct(self, arg, following):
        name, kind, role, ctype = arg["name"], arg["type"], arg["role"], arg["ctype"]
        self.passed[name] = f"&a->{name}"
        if kind == "hed_random":
            self.member(f"hed_random {name};")
            self.random_options(f"a.{name}")
        elif role == "out" and ctype.endswith("**"):
            self.member(f"{kind} *{name}; size_t n;")
            self.passed[following["name"]] = "&a->n"
            self.results.append((f"hp_box_list(KIND({kind}), a.{name}, a.n)", f"list[{self.classes[kind]}]"))
            self.undo.append(f"free(a.{name});")
            self.after = f"free(a.{name});"
        elif role == "out" and "length" in arg:
            self.member(f"{kind} *{name}; int64_t n_{name};")
            self.passed[name] = f"a->{name}"
            self.before.append(f"a.n_{name} = {self.expression(arg['length'])};")
            self.copies.append(f"(a.{name} = hp_block(&c_, (size_t)a.n_{name} * sizeof *a.{name})) != NULL")
            self.results.append((f"hp_box_list(KIND({kind}), a.{name}, (size_t)a.n_{name})", f"list[{self.classes[kind]}]"))
            self.undo.append(f"hp_clear_list(KIND({kind}), a.{name}, (size_t)a.n_{name});")
        elif role in ("out", "inout"):
            self.member(f"{kind} {name};")
            if role == "inout":
                shown = self.shown(name)
                self.add(shown, kind, ..., f"hp_boxed(&c_, V, {quoted(shown)}, KIND({kind}), &{name})")
                self.members.append(("local", f"void *{name} = NULL;"))
                self.copies.append(f"hp_struct_copy(KIND({kind})->s, &a.{name}, {name})")
            elif any(f["name"] == "struct_size" for f in self.api["structs"][kind]["fields"]):
                self.before.append(f"a.{name}.struct_size = sizeof a.{name};")
            if "taken" in self.traits[name]:   # from a copy
                self.after = f"{kind}_clear(&a.{name});"
            else:
                self.results.append((f"hp_box_struct(KIND({kind}), &a.{name})", self.classes[kind]))
            if f"{kind}_clear" in self.symbols:
                self.undo.append(f"{kind}_clear(&a.{name});")
        elif name in self.counts:
            self.member(f"void *{name}; int64_t n_{name};")
            self.passed[name] = f"a->{name}"
            self.add(name, f"list:{kind}", ..., f"hp_boxes(&c_, V, {quoted(name)}, KIND({kind}), &a.n_{name}, &a.{name})")
        elif kind in self.classes and "keywords" not in self.traits[name]:
            shown, default = self.shown(name), self.default_of(arg)
            self.member(f"void *{name};")
            self.passed[name] = f"a->{name}"
            boxed = f"hp_boxed(&c_, V, {quoted(shown)}, KIND({kind}), &a.{name})"
            self.add(shown, kind, default, f"(!GIVEN(V) || {boxed})" if default is None else boxed)
        else:
            self.member(f"{kind} {name};")
            self.options(kind, f"a.{name}", re.findall(r"\w+", self.traits[name].get("fields", "")))

    def random_options(self, place):
        self.random = True
        self.add("seed", "int", None, "", True)
        self.add("generator", "generator", None, f"hp_random(V(seed), V, &{place}, &local_)", True)

    def options(self, struct, place, alone=()):
        """Keywords of the fields of STRUCT, but for counts of others and what says that one is given; of those ALONE, if any."""
        fields = self.api["structs"][struct]["fields"]
        left_out = {traits(f).get("given") for f in fields} | {
            f["length"].split()[0] for f in fields if "length" in f and f["kind"] in ("doubles", "ints")}
        for field in fields:
            if field["name"] in alone if alone else field["name"] not in left_out:
                self.field(struct, place, field)

    def field(self, struct, place, field):
        kind, name, ctype, doc = field["kind"], field["name"], field["ctype"], field.get("doc")
        at = f"{place}.{name}"
        shown = traits(field).get("called") or called(name)
        q = quoted(shown)
        flag = traits(field).get("given")
        if name == "cancel":
            self.watched = True
            self.before.append(f"{at} = &w_.cancel;")
        elif kind == "callback":
            self.watched = True
            call = next(c for word, c in CALLBACKS.items() if word in ctype)
            self.before.append(f"{at} = {call};\n    {at}_arg = &w_;")
            self.add(shown, "callback", None, f"hp_callable(V, {q}, &w_.progress)", True, doc)
        elif kind == "data" or "c_alone" in traits(field):
            return
        elif kind == "struct" and name != "random" and not ctype.endswith("*") and field.get("count", 1) == 1:
            self.options(field["type"], at)
        elif kind == "struct" and name == "random":
            self.random_options(at)
        elif ctype == "hed_array **":
            self.add(shown, "bool", False, f"hp_bool(V, {q}, &wants_{name})", True, doc)
            self.members += [("local", f"bool wants_{name} = false;"), f"hed_array *{name};"]
            self.before.append(f"if (wants_{name})\n      {at} = &a.{name};")
            self.results.append((f"wants_{name} ? hp_wrap(\"{name}\", a.{name}) : NULL", f"?wants_{name}"))
            self.undo.append(f"hed_release(a.{name});")
        elif kind == "arrays":
            self.add(shown, kind, None, f"(!GIVEN(V) || hp_operands(&c_, V, {q}, &n_{name}, &{name}))", True, doc)
            self.members += [("local", f"hed_array **{name} = NULL;"), ("local", f"int n_{name} = 0;")]
            self.checks.append(f"hp_states({q}, n_{name}, &a.{of_states(field)})" if of_states(field) else
                               f"(!{name} || hp_length({q}, n_{name}, a.n_{next(iter(self.counts))}))")
            self.before.append(f"{at} = (const hed_array *const *){name};")
        elif kind == "doubles":
            self.pointer_field(struct, at, field, shown, doc)
        else:
            default = {"scalar": 0.0, "int": 0, "bool": False}.get(kind) if field.get("count", 1) == 1 else None
            if kind == "enum":
                default = next(v["brief"] for v in self.api["enums"][field["type"]]["values"] if v["value"] == 0)
                doc = "; ".join(filter(None, (doc, self.one_of(field["type"]))))
            default = None if flag else default
            kind = "doubles" if field.get("count", 1) > 1 and kind in ("scalar", "int") else kind
            self.add(shown, kind, default, f"hp_field(&c_, V, {q}, \"{struct}\", \"{name}\", &{place})", True, doc)
            if flag:
                self.before.append(f"{place}.{flag} = GIVEN(V({shown}));")

    def pointer_field(self, struct, at, field, shown, doc):
        """Numbers whose count only the function knows."""
        name = field["name"]
        self.add(shown, "doubles", None, f"hp_doubles(&c_, V, {quoted(shown)}, &n_{name}, &{name})", True, doc)
        self.members += [("local", f"double *{name} = NULL;"), ("local", f"int64_t n_{name} = 0;")]
        self.before.append(f"{at} = {name};")
        if count := matrices_of(field):
            ndim = self.side(count[1])
            self.checks.append(f"hp_matrices({quoted(shown)}, n_{name}, {ndim})")
            self.before.append(f"{at.rpartition('.')[0]}.{count[0]} = (size_t)(n_{name} / ({ndim} * {ndim}));")
        else:   # hed_us_psf: one for each measured axis
            self.member("int64_t n_spacing;")
            self.before.append("a.n_spacing = n_spacing;")
            self.run_before.append(
                "hed_axes measured = { 0 };\n  a->status = hed_us_psf_axes(a->image, &a->opt, &measured);\n"
                "  if (a->status == HED_OK && a->opt.spacing && a->n_spacing != measured.n)\n"
                "    a->status = hed_fail(HED_E_INVAL, \"spacing has %lld values for %d measured axes\", "
                "(long long)a->n_spacing, measured.n);\n  if (a->status != HED_OK)\n    return;")

    # ---- results ----

    def out(self, arg, following):
        kind, name, ctype, length = arg["kind"], arg["name"], arg["ctype"], arg.get("length")
        self.passed[name] = f"&a->{name}"
        if kind == "array":
            self.member(f"hed_array *{name};")
            self.results.append((f"hp_wrap(\"{self.name}\", a.{name})", "Array"))
            self.undo.append(f"hed_release(a.{name});")
        elif kind == "arrays":
            self.member(f"hed_array **{name}; int64_t n_{name};")
            self.passed[name] = f"a->{name}"
            several = "states(c)" if self.f["returns"] == "array" else self.f["results"]   # a cell's, beside its output
            self.before.append(f"a.n_{name} = {self.expression(several)};")
            self.copies.append(f"(a.{name} = hp_block(&c_, (size_t)a.n_{name} * sizeof *a.{name})) != NULL")
            self.results.append((f"hp_list(\"{self.name}\", HED_OK, a.n_{name}, a.{name})", "list[Array]"))
        elif ctype == "double **":   # matrices, or numbers, and how many
            self.member(f"double *{name}; size_t n;")
            self.passed[following["name"]] = "&a->n"
            square = matrices_of(arg)
            each = f", {self.side(square[1])}" * 2 if square else ""
            self.results.append((f"hp_values(a.{name}, HED_FLOAT64, HED_SHAPE((int64_t)a.n{each}))", "Array"))
            self.undo.append(f"free(a.{name});")
            self.after = f"free(a.{name});"
        elif kind == "doubles" and not length:
            self.member(f"double {name};")
            self.results.append((f"PyFloat_FromDouble(a.{name})", "float"))
        elif kind == "doubles" and length == "2":
            self.member(f"double {name}[2];")
            self.passed[name] = f"a->{name}"
            self.results.append((f"PyComplex_FromDoubles(a.{name}[0], a.{name}[1])", "complex"))
        elif kind in ("doubles", "ints") and length:
            self.out_numbers(kind, name, length)
        elif kind == "axes":
            self.member(f"hed_axes {name};")
            self.results.append((f"hp_axes_tuple(&a.{name})", "tuple[int, ...]"))
        else:
            c = ctype.rstrip("* ")
            self.member(f"{c} {name};")
            self.results.append((f"PyLong_FromLongLong((long long)a.{name})", "int"))

    def out_numbers(self, kind, name, length):
        c, dtype = ("double", "HED_FLOAT64") if kind == "doubles" else ("int64_t", "HED_INT64")
        self.passed[name] = f"a->{name}"
        if "len(axes)" in length:
            self.member(f"double {name}[HED_MAX_NDIM + 1]; int64_t n_{name};")
            more = " + a->opt.rotated" if "rotated" in length else ""
            self.run_after.append(f"a->n_{name} = measured.n{more};")
            self.results.append((f"hp_values(a.{name}, {dtype}, HED_SHAPE(a.n_{name}))", "Array"))
        elif length.isdigit():
            self.member(f"{c} {name}[{length}];")
            n = {"9": "3, 3", "4": "2, 2" if name == "matrix" else "4"}.get(length, length)
            self.results.append((f"hp_values(a.{name}, {dtype}, HED_SHAPE({n}))", "Array"))
        else:
            self.member(f"{c} *{name}; int64_t n_{name};")
            self.before.append(f"a.n_{name} = {self.expression(length)};")
            self.copies.append(f"(a.{name} = hp_block(&c_, (size_t)a.n_{name} * sizeof *a.{name})) != NULL")
            self.results.append((f"hp_values(a.{name}, {dtype}, HED_SHAPE(a.n_{name}))", "Array"))

    def returned(self):
        returns, ctype = self.f["returns"], self.f["ctype"]
        if returns == "status":
            self.member("hed_status status;")
        elif returns == "array":
            self.member("hed_array *value;")
            borrowed = "borrowed" in traits(self.f)
            value = "hed_copy(a.value)" if borrowed else "a.value"
            self.results.insert(0, (f"hp_wrap(\"{self.name}\", {value})", "Array"))
            self.undo.append("hed_release(a.value);")
            if borrowed:
                self.after = "hed_release(a.value);"
        elif returns == "value":
            self.member(f"{ctype} value;")
            made, kind = {"const char *": ("hp_text(a.value)", "str | None"), "bool": ("PyBool_FromLong(a.value)", "bool"),
                          "double": ("PyFloat_FromDouble(a.value)", "float"),
                          "hed_shape": ("hp_shape_tuple(&a.value)", "tuple[int, ...]")}.get(
                ctype, ("PyLong_FromLongLong((long long)a.value)", "int"))
            handle = ctype.removesuffix(" *")
            if handle in self.classes:
                made, kind = f"hp_box_handle(KIND({handle}), {handle}_retain(a.value))", self.classes[handle]
            self.results.insert(0, (f"hp_number(\"{self.name}\", {made})", kind))

    def side(self, text):
        """A side of matrices, which are checked for it."""
        return f"a.{text}" if text in self.traits else self.expression(text)

    def expression(self, text):
        names = {a["name"]: a for a in self.args}
        text = re.sub(r"\b([a-z]\w*)\.(\w+)", lambda m: f"((const {names[m[1]]['type']} *)a.{m[1]})->{m[2]}", text)
        text = re.sub(r"ndim\((\w+)\)", r"hed_array_ndim(a.\1)", text)
        text = re.sub(r"states\((\w+)\)", r"hp_states_of(&a.\1)", text)
        text = re.sub(r"extent\((\w+), (\w+)\)", r"hp_extent(a.\1, \2)", text)
        if text in names and names[text]["role"] != "count":
            return f"(a.{text} < 0 ? 0 : a.{text})"
        counts = [a["of"] for a in self.args if a["role"] == "count" and a["name"] == "n"]
        return re.sub(r"^n$", f"a.n_{counts[0]}" if counts else "n", text)

    # ---- text ----

    def signature(self):
        return signature_text(self.parameters, 0)

    def documentation(self, pages, examples):
        """The docstring; a method's has not the object that it is called of."""
        place = f"{self.kit}.{self.classes[self.owner]}.{self.name}" if self.owner else f"{self.kit}.{self.name}"
        page = {**dict.fromkeys("param error numerics numpy see".split(), []), **pages.get(self.symbol[4:], {})}
        see = [(n[4:] if n.startswith("hed_") else n).removeprefix(PREFIX[self.kit]) for n in " ".join(page["see"]).split()]
        page["see"] = [n for n in see if not n.endswith(("_clear", "_release", "_retain"))]
        page["param"] = [re.sub(r"^\w+", lambda m: self.shown(m[0]), line) for line in page["param"]]
        briefs = {v["name"]: v["brief"] for e in self.api["enums"].values() for v in e["values"]}

        def said(text):
            return re.sub(r"\bHED_[A-Z]\w*", lambda m: f'"{briefs[m[0]]}"' if m[0] in briefs else m[0], text)
        self.words = {name: said(text) for name, text in self.words.items()}
        page["param"] = [said(line) for line in page["param"]]
        return docstring([said(self.f.get("doc") or "")], self.parameters[1:] if self.owner else self.parameters, self.returned_lines,
                         page, self.example(examples.pop(place, [])), {**KIT_OPTIONS, **self.words},
                         {**KIT_KINDS, **self.classes, **{f"list:{k}": f"sequence of {n}" for k, n in self.classes.items()}})

    def example(self, lines):
        return [">>> import heddle as hd", f">>> from heddle import {self.kit}", *lines] if lines else []

    def returned_lines(self, words):
        """What comes back, by name where it has one: several are a tuple, those that were asked for last."""
        for made, kind in sorted(self.results, key=lambda r: r[1].startswith("?")):
            name = re.search(r"\ba\.(?!value|out\b)(\w+)", made)
            name = self.shown(name[1]) if name else ""
            if kind.startswith("?"):
                yield f"{name} : Array, if it was asked for"
            else:
                yield f"{name} : {kind}" if name and len(self.results) > 1 else kind
            text = re.sub(r"^receives |; \w*(clear|free|release)\w*$|; None: not wanted$", "", words.get(name, ""))
            if text:
                yield f"    {text}"

    def values(self, text):
        index = {p.name: k for k, p in enumerate(self.parameters)}
        return re.sub(r"\bV\((\w+)\)", lambda m: f"v_[{index[m[1]]}]", text)

    def c_run(self):
        call = f"{self.symbol}({', '.join(self.passed[a['name']] for a in self.args)})"
        into = {"status": "a->status = ", "void": ""}.get(self.f["returns"], "a->value = ")
        members = "\n  ".join(m for m in self.members if isinstance(m, str)) or "char unused;"
        watch = "\n  hp_watch *watch;" if self.watched else ""
        lines = "\n  ".join(self.run_before + [into + call + ";"] + self.run_after)
        tag = self.symbol[4:]
        return f"""typedef struct a_{tag} {{
  {members}{watch}
}} a_{tag};

static void run_{tag}(void *arg)
{{
  a_{tag} *a = arg;
  {lines}
}}
"""

    def c_results(self):
        """What makes the result of a call that went well."""
        wanted = [r for r in self.results if not r[1].startswith("?")]
        extra = [r for r in self.results if r[1].startswith("?")]
        if not self.results:
            return ["result_ = Py_None;", "Py_INCREF(result_);"]
        lines = [f"PyObject *list_[{len(self.results)}];", "int n_list_ = 0;"]
        lines += [f"list_[n_list_++] = {r[0]};" for r in wanted]
        lines += [f"if ({r[1][1:]})\n        list_[n_list_++] = {r[0].split('? ')[1].split(' : ')[0]};" for r in extra]
        return lines + ["result_ = hp_results(n_list_, list_);"]

    def c(self):
        n, tag = len(self.parameters), self.symbol[4:]
        names = ", ".join(f'"{p.name}"' for p in self.parameters)
        positional = sum(not p.keyword for p in self.parameters)
        required = sum(p.default is ... for p in self.parameters)
        local = [m[1] for m in self.members if not isinstance(m, str) and m[0] == "local"]
        initial = [m[1] for m in self.members if not isinstance(m, str) and m[0] == "set"]
        local += ["hed_generator local_ = { 0, 0 };"] if self.random else []
        local += ["hp_watch w_ = { 0 };"] if self.watched else []
        checks = ["hp_bind(&s_, args_, n_, keywords_, v_)"]
        checks += [re.sub(r"\bV\b(?!\()", f"v_[{k}]", p.convert) for k, p in enumerate(self.parameters) if p.convert]
        checks = [self.values(x) for x in checks + self.checks]
        before = [self.values(b) for b in self.before] + (["a.watch = &w_;"] if self.watched else [])
        if self.watched and self.random:   # its draw is taken already
            before.append(self.values("c_.arguments = GIVEN(V(generator)) ? NULL : c_.arguments;"))
        good = {"status": "a.status == HED_OK", "array": "a.value"}.get(self.f["returns"], "true")
        ready = "".join(f"{c} && " for c in self.copies)
        undo = "\n      ".join(self.undo)
        leave = "".join(f"  hp_leave_handle({self.values(f'V({shown})')}, a.{name});\n" for shown, name in self.handles)
        after = f"\n      {self.after}" if self.after else ""
        random = self.values("\n    hp_random_end(V(generator), result_ != NULL);") if self.random else ""
        repeats = (self.learns and not self.watched or not self.changes) and (self.watched or not self.random)
        nl = "\n    "
        return self.c_run() + f"""
static PyObject *k_{tag}(PyObject *module_, PyObject *const *args_, Py_ssize_t n_, PyObject *keywords_)
{{
  static const char *const names_[] = {{ {names or 'NULL'} }};
  static const hp_signature s_ = {{ "{self.name}", {n}, {positional}, {required}, names_ }};
  PyObject *v_[{max(n, 1)}] = {{ NULL }}, *result_ = NULL;
  hp_call c_ = HP_CALL("{self.name}");
  a_{tag} a;
  {(chr(10) + '  ').join(local)}
  {REPEAT if repeats else '(void)module_;'}
  memset(&a, 0, sizeof a);
  {(chr(10) + '  ').join(initial)}
  if ({(' &&' + chr(10) + '      ').join(checks)}) {{
    {nl.join(before)}
    bool made_ = false;
    if ({ready}hp_run(&c_, run_{tag}, &a, {'&w_' if self.watched else 'NULL'})) {{
      made_ = {good};
      if (!made_)
        (void)hp_fail("{self.name}");
    }}
    if (made_) {{
      {(chr(10) + '      ').join(self.c_results())}{after}
    }} else {{
      {undo or ';'}
    }}{random}
  }}
{leave}  hp_done(&c_);
  return {f'c_.elsewhere ? {again(f"k_{tag}")} : ' if repeats else ''}result_;
}}
"""

    def stub(self, method=False):
        parts = ["self"] if method else []
        parts += [self.stub_parameter(p) for p in self.parameters[1 if method else 0:] if not p.keyword]
        keywords = [self.stub_parameter(p) for p in self.parameters if p.keyword]
        kinds = [r[1] for r in self.results if not r[1].startswith("?")]
        result = "Any" if len(kinds) != len(self.results) else "None" if not kinds else \
            kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
        return f"def {self.name}({', '.join(parts + (['*'] + keywords if keywords else []))}) -> {result}: ..."

    def stub_parameter(self, p):
        kinds = {"strings": "Sequence[str]", "path": "str | os.PathLike[str]", "callback": "Callable[..., Any]",
                 "slices": "builtins.slice", "keys": "Any", "tree": "Mapping[str, ArrayLike]", "struct": "Any", "array": "ArrayLike",
                 "axes": "int | Sequence[int]"}
        kind = p.kind.removeprefix("list:")
        text = kinds.get(kind) or PY_TYPE.get(kind) or self.classes.get(kind, "Any")
        text = f"Sequence[{text}]" if p.kind.startswith("list:") else text
        return f"{p.name}: {text}{' | None' if p.default is None else ''}" + ("" if p.default is ... else " = ...")
