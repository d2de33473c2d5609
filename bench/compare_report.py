# SPDX-License-Identifier: BSD-3-Clause
"""Table, means and plot of what bench/compare measured."""
import math
from statistics import median

NEAR = 1.25     # times the floor that still counts as reaching it
BANDWIDTH = 0.9  # of the floor that rows bound by memory are to reach
MOST_BEHIND = 60  # rows in a summary
CELLS = 3         # beside each other there


def together(rounds):
    """One record of a row from those of several rounds: of each contestant the medians over the rounds, which it keeps."""
    def over(times):
        times = [t for t in times if t]
        return {"median": median(t["median"] for t in times), "min": min(t["min"] for t in times),
                "q1": median(t["q1"] for t in times), "q3": median(t["q3"] for t in times),
                "n": sum(t["n"] for t in times)} if times else None
    names = dict.fromkeys(k for r in rounds for k in r["peers"])
    return dict(rounds[0], ours=over(r["ours"] for r in rounds), floor=over(r["floor"] for r in rounds),
                peers={k: over(r["peers"].get(k) for r in rounds) for k in names},
                rounds=[{k: r[k] for k in ("date", "ours", "floor", "peers")} for r in rounds])


def rounds_of(row):
    """What was measured at a time, which alone can be compared: a phase of the machine meets all of it."""
    return row.get("rounds") or [row]


def shares(row):
    """Share of the floor in each round."""
    return [r["floor"]["median"] / r["ours"]["median"] for r in rounds_of(row) if r["floor"]]


def judge(row):
    """Best peer, ratio (above 1: ours is faster), share of the floor, verdict. Of several rounds: medians of their ratios."""
    ratios = {k: median(r["peers"][k]["median"] / r["ours"]["median"] for r in rounds_of(row) if k in r["peers"])
              for k in row["peers"]}
    best = min(ratios, key=ratios.get, default=None)
    ratio = ratios[best] if best else None
    floor = row["floor"]["median"] if row["floor"] else None
    share = median(shares(row)) if floor else None
    if ratio is not None and ratio >= 1:
        verdict = "ahead"
    elif share and share * NEAR >= 1:
        verdict = "at floor"
    else:
        verdict = "short"
    return best, ratio, floor, share, verdict


def duration(ns):
    if ns is None:
        return "-"
    for unit in ("ns", "us", "ms", "s"):
        if ns < 1000 or unit == "s":
            return "%.3g %s" % (ns, unit)
        ns /= 1000
    return ""


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def line(row):
    best, ratio, floor, share, verdict = judge(row)
    spread = (row["ours"]["q3"] - row["ours"]["q1"]) / row["ours"]["median"]
    return "%-52s %9s %4.0f%%  %9s %-13s %6s  %9s %5s  %-8s %s" % (
        row["id"], duration(row["ours"]["median"]), 100 * spread,
        duration(row["peers"][best]["median"]) if best else "-", best or "-", "%.2f" % ratio if ratio else "-",
        duration(floor), "%.0f%%" % (100 * share) if share else "-", verdict, row.get("note") or "")


def bound_by_memory(rows):
    """Rows of 10^7 elements that memory bounds, with the time of their work: what as many elements take where they are in
    the cache, by the same row at 10^3 and 10^5, shared out among the threads. Memory bounds a row if that is less than its
    floor of bandwidth; None where no smaller row was measured."""
    known = {r["id"]: r for r in rows}
    found = []
    for row in rows:
        name, _, threads = row["id"].rpartition("/1e7/")
        if not name or row.get("floor_kind") != "bandwidth" or not row["floor"]:
            continue
        smaller = ((known.get("%s/%s/t1" % (name, size)), float(size)) for size in ("1e3", "1e5"))
        work = min((r["ours"]["median"] * 1e7 / n / row["threads"] for r, n in smaller if r), default=None)
        if work is None or work < row["floor"]["median"]:
            found.append((row, work))
    return found


def memory_table(rows):
    bound = bound_by_memory(rows)
    below = sorted((r for r in bound if judge(r[0])[3] < BANDWIDTH), key=lambda r: judge(r[0])[3])
    if not bound:
        return []
    out = ["Bound by memory at 10^7 elements (the same work in the cache takes less than the floor): %d; %d of them at %.0f%% "
           "of the floor or better%s" % (len(bound), len(bound) - len(below), 100 * BANDWIDTH, ", not these" if below else "")]
    wide = max((4 * len(shares(r)) + 1 for r, _ in below if "rounds" in r), default=0)
    if wide:
        wide = max(wide, len("  rounds"))
    if below:
        out.append("%-52s %9s %9s %5s%*s  %9s" % ("row", "ours", "floor", "share", wide, "rounds" if wide else "", "work"))
    for row, work in below:
        each = " ".join("%3.0f" % (100 * s) for s in shares(row)) if "rounds" in row else ""
        out.append("%-52s %9s %9s %4.0f%%%*s  %9s" % (row["id"], duration(row["ours"]["median"]), duration(judge(row)[2]),
                                                    100 * judge(row)[3], wide, each, duration(work)))
    return out + [""]


def heading(result):
    return ["Heddle %s, %s" % (result["machine"]["version"], result["date"]),
            "%(cpu)s, %(processors)d processors, %(os)s; %(backend_device)s" % result["machine"],
            *(["ours and the peers with %s instructions at most" % result["level"].upper()] if result.get("level") else []),
            *(["rows that memory bounds in %d rounds: times, ratios and shares are medians of those of the rounds" %
               result["rounds"]] if result.get("rounds") else []),
            "peers: " + ", ".join("%s %s" % kv for kv in sorted(result["versions"].items())),
            "an empty Python call takes %.0f ns, which every call of a peer has on top; ratio = best peer / ours" %
            result["call_ns"], ""]


def means(rows):
    """Counts of verdicts and geometric means: of all rows, by thread count, by suite."""
    out = ["%-16s %8s %6s %9s %6s %10s" % ("", "rows", "ahead", "at floor", "short", "geo. mean")]
    names = list(dict.fromkeys(r["id"].split("/")[0] for r in rows))
    counts = sorted({r["threads"] for r in rows})
    sets = [("all", rows)] + [("%d threads" % t, [r for r in rows if r["threads"] == t]) for t in counts]
    sets += [(n, [r for r in rows if r["id"].startswith(n + "/")]) for n in names]
    for title, some in sets:
        verdicts = [judge(r)[4] for r in some]
        out.append("%-16s %8d %6d %9d %6d %10.2f" % (title, len(some), verdicts.count("ahead"), verdicts.count("at floor"),
                                                   verdicts.count("short"), mean([judge(r)[1] for r in some if judge(r)[1]])))
    return out


def table(result):
    """All rows, those that fall short first; what memory bounds and does not come near its bandwidth; geometric means."""
    rows = result["rows"]
    out = heading(result)
    head = "%-52s %9s %5s  %9s %-13s %6s  %9s %5s  %-8s" % ("row", "ours", "iqr", "best peer", "", "ratio", "floor",
                                                            "share", "verdict")
    order = {"short": 0, "at floor": 1, "ahead": 2}
    groups = {v: [r for r in rows if judge(r)[4] == v] for v in order}
    titles = {"short": "Behind the best peer, and not within %.2f of the floor" % NEAR,
              "at floor": "Behind the best peer, within %.2f of the floor" % NEAR, "ahead": "Ahead of the best peer"}
    for verdict in sorted(groups, key=order.get):
        out += ["%s: %d" % (titles[verdict], len(groups[verdict])), head]
        out += [line(r) for r in sorted(groups[verdict], key=lambda r: judge(r)[1] or 0)]
        out.append("")
    out += memory_table(rows)
    failed = ["%s: %s: %s" % (r["id"], k, v) for r in rows for k, v in r.get("failed", {}).items()]
    if failed:
        out += ["Peers that could not"] + failed + [""]
    compared = ["%s: ours %.1f/s, %s %.1f/s, values differ by at most %.1e" % (
        r["id"], 1e9 / r["ours"]["median"], k, 1e9 / r["peers"][k]["median"], v)
        for r in rows for k, v in r.get("compared", {}).items() if k in r["peers"]]
    if compared:
        out += ["Rates, and values beside a peer's"] + compared + [""]
    return "\n".join(out + means(rows))


def summary(result):
    """What is kept of a run: means, rows that are behind, and a cell for each case, in at most 300 lines."""
    rows = [r for r in result["rows"] if judge(r)[1]]
    out = heading(result) + means(result["rows"])
    bound = bound_by_memory(result["rows"])
    if bound:
        out += ["", "of %d rows of 10^7 elements that memory bounds %d reach %.0f%% of its bandwidth" % (
            len(bound), sum(judge(r)[3] >= BANDWIDTH for r, _ in bound), 100 * BANDWIDTH)]
    behind = sorted((r for r in rows if judge(r)[1] < 1), key=lambda r: judge(r)[1])
    out += ["", "Behind the best peer (of %d the first %d): ratio, share of the floor" % (len(behind), min(len(behind), MOST_BEHIND))]
    for r in behind[:MOST_BEHIND]:
        best, ratio, _, share, _ = judge(r)
        out.append("%-52s %5.2f %-12s %s" % (r["id"], ratio, best, "%4.0f%%" % (100 * share) if share else ""))
    cases = {}
    for r in rows:
        cases.setdefault(tuple(r["id"].split("/")[:2]), []).append(judge(r)[1])
    for suite in dict.fromkeys(s for s, _ in cases):
        cells = ["%-26s %3d %6.2f %6.2f" % (case[:26], len(v), mean(v), min(v)) for (s, case), v in cases.items() if s == suite]
        out += ["", "%s: rows of each case, geometric mean and least of their ratios" % suite]
        out += ["   ".join(cells[k:k + CELLS]).rstrip() for k in range(0, len(cells), CELLS)]
    return "\n".join(out)


def plot(result, path):
    """A strip of ratios per suite and thread count; returns what to say about it."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        return " (no plot: matplotlib is not installed)"
    colour = {"ahead": "#2a7f3f", "at floor": "#d9a400", "short": "#c0392b"}
    rows = [r for r in result["rows"] if judge(r)[1]]
    lanes = list(dict.fromkeys((r["id"].split("/")[0], r["threads"]) for r in rows))
    figure, axes = plt.subplots(figsize=(10, 1.6 + 0.42 * len(lanes)), constrained_layout=True)
    for y, lane in enumerate(lanes):
        some = sorted((r for r in rows if (r["id"].split("/")[0], r["threads"]) == lane), key=lambda r: judge(r)[1])
        for k, r in enumerate(some):
            _, ratio, _, _, verdict = judge(r)
            axes.plot(ratio, y + ((k * 7) % 11 - 5) * 0.055, ".", color=colour[verdict], markersize=5, alpha=0.8)
        axes.plot(mean([judge(r)[1] for r in some]), y, "k|", markersize=18)
    axes.axvline(1, color="0.4", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(lanes)), ["%s, %d thread%s" % (s, t, "" if t == 1 else "s") for s, t in lanes])
    axes.invert_yaxis()
    axes.set_xlabel("time of the best peer / ours (right of 1: ours is faster); bar: geometric mean")
    for verdict, c in colour.items():
        axes.plot([], [], ".", color=c, label="%s: %d" % (verdict, sum(judge(r)[4] == verdict for r in rows)))
    axes.legend(loc="lower right", frameon=False)
    machine = result["machine"]
    axes.set_title("Heddle %s, %s, %s\nagainst %s; geometric mean of %d rows %.2f" % (
        result["machine"]["version"], machine["cpu"], result["date"][:10],
        ", ".join("%s %s" % kv for kv in sorted(result["versions"].items())), len(rows), mean([judge(r)[1] for r in rows])),
        fontsize=9)
    figure.savefig(path)
    plt.close(figure)
    return " " + path
