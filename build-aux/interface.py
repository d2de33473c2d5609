# SPDX-License-Identifier: BSD-3-Clause
"""What programs that are compiled rely on, a line each: functions with their types, fields of structs with their places, values.

    interface.py api.json           prints it
    interface.py api.json STORED    prints what STORED has and the interface has not: taken away, moved or of another type
"""

import json
import sys


def functions(part):
    for f in part["functions"] + [form for o in part["operations"] for form in o["forms"]]:
        yield f"{f['ctype']} {f['symbol']}({', '.join(a['ctype'] for a in f['args'])})"


def structs(part):
    for name, s in part["structs"].items():
        for field in s["fields"]:
            # A struct whose size the caller says may grow at its end; others keep their size.
            end = "" if s["fields"][0]["name"] == "struct_size" else f" of {s['size']}"
            yield f"struct {name}: {field['ctype']} {field['name']} at {field['offset']}{end}"


def values(part):
    for name, e in part["enums"].items():
        for v in e["values"]:
            yield f"enum {name}: {v['name']} = {v['value']}"


def lines(api):
    parts = [api, {"operations": [], **api["kits"]}]
    found = {line for part in parts for kind in (functions, structs, values) for line in kind(part)}
    return sorted(found | {f"status {name} = {s['value']}" for name, s in api["statuses"].items()})


now = lines(json.load(open(sys.argv[1])))
if len(sys.argv) > 2:
    stored = [line for line in open(sys.argv[2]).read().splitlines() if not line.startswith("#")]
    if not stored:
        sys.exit(f"{sys.argv[2]}: empty")
    known = set(now)
    now = [line for line in stored if line not in known]
sys.stdout.writelines(line + "\n" for line in now)
