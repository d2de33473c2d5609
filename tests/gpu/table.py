# SPDX-License-Identifier: BSD-3-Clause
"""Lines of JSON of bench.c and peers.py to a table: `table.py FILE...`; times in microseconds, and ours against the better peer;
then which rows are behind one."""
import json
import sys

BEHIND = 0.85
ours, peers, rows, copy, ratios, behind = {}, {}, [], None, {}, []
for name in sys.argv[1:]:
    for text in open(name, encoding="utf-8"):
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if "bytes_per_second" in line:
            copy = line["bytes_per_second"]
        elif "row" in line and line["who"] == "heddle":
            ours[line["row"]] = line
            rows.append(line["row"])
        elif "row" in line:
            peers.setdefault(line["row"], {})[line["who"]] = line


def cell(line, key="seconds"):
    if not line:
        return "-"
    return f"{line[key] * 1e6:.1f}" if key in line else "failed"


def traffic(row):
    """Bytes that must move, where memory bounds the row."""
    suite, call, dtype, size = row.split("/")
    n = {"1e8": 10**8, "5e7": 5 * 10**7, "8192x8192": 8192**2}.get(size)
    width = 8 if dtype == "float64" else 4
    read = {"add": 2, "multiply": 2, "divide": 2, "less": 2, "normal": 0, "uniform": 0}.get(call, 1)
    written = 0 if suite == "reduce" and call not in ("softmax", "cumsum") else {"less": 0.25, "astype": 2}.get(call, 1)
    return n and suite in ("elementwise", "reduce", "random") and (read + written) * n * width


def reasons(row, mine, times):
    """What counters tell of a row that is behind."""
    bytes_ = traffic(row)
    said = []
    if "host" in mine and mine["host"] > 0.7 * mine["seconds"]:
        said.append("the host's calls take most of it")
    if copy and bytes_:
        said.append(f"its bytes alone take {bytes_ / copy * 1e6:.0f} us here, {bytes_ / copy / min(times):.0%} of the peer's time")
    return "; ".join(said) or "not by bytes or the host's time: look at kernels or the library"


if copy:
    print(f"copy: {copy / 1e12:.2f} TB/s, bytes read and written\n")
print(f"{'row':42} {'heddle':>10} {'torch':>10} {'cupy':>10} {'peer/ours':>9} {'of copy':>8} {'host us':>8} {'torch host':>10} {'first ms':>9}")
for row in rows:
    mine, other = ours[row], peers.get(row, {})
    times = [p["seconds"] for p in other.values() if "seconds" in p]
    ratio = f"{min(times) / mine['seconds']:.2f}" if times and "seconds" in mine else "-"
    bytes_ = traffic(row)
    share = f"{bytes_ / mine['seconds'] / copy:.0%}" if copy and bytes_ and "seconds" in mine else "-"
    first = f"{mine['first'] * 1e3:.1f}" if "first" in mine else "-"
    print(f"{row:42} {cell(mine):>10} {cell(other.get('torch')):>10} {cell(other.get('cupy')):>10} {ratio:>9} {share:>8} "
          f"{cell(mine, 'host'):>8} {cell(other.get('torch'), 'host'):>10} {first:>9}")
    if times and "seconds" in mine:
        ratios[row] = min(times) / mine["seconds"]
        if ratios[row] < BEHIND:
            behind.append(f"{row}: {ratios[row]:.2f} of the better peer's speed; {reasons(row, mine, times)}")
for text in behind:
    print(f"behind: {text}")
if ratios:
    print(f"{len(ratios)} rows beside a peer, mean {sum(ratios.values()) / len(ratios):.2f}, {len(behind)} below {BEHIND}")
