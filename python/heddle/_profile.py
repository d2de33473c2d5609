# SPDX-License-Identifier: BSD-3-Clause
"""Profiles: what every thread did, where it ran, and what it waited for."""

import functools
import gzip
import json
import os

from . import _core


class profile_range:
    """A stretch of the thread under a name, in the profile that is being taken; nothing without one.

        with hd.profile_range("step"):
            ...

    Also a decorator of functions.
    """

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise TypeError(f"profile_range: name is to be a string, not {type(name).__name__}")
        self.name, self._open = name, []

    def __enter__(self) -> "profile_range":
        self._open.append(_core.profile_range_begin(self.name))
        return self

    def __exit__(self, *exception: object) -> None:
        _core.profile_range_end(self._open.pop())

    def __call__(self, function: "Callable[P, R]") -> "Callable[P, R]":
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with profile_range(self.name):
                return function(*args, **kwargs)
        return wrapper


class profile:
    """What every thread does meanwhile goes to the file PATH, ".json" or ".json.gz", which Perfetto, Chrome and
    `heddle profile' read.

        with hd.profile("out.json") as p:
            ...
        print(p.table())

    KEEP is what stays when the SIZE bytes of a thread's records are full: "newest" or "oldest".
    """

    def __init__(self, path: "Any", *, keep: str = "newest", size: int = 0):
        if keep not in ("newest", "oldest"):
            raise ValueError(f"profile: keep is {keep!r}; 'newest' and 'oldest' are possible")
        self.path, self.keep, self.size = os.fspath(path), keep, size

    def __enter__(self) -> "profile":
        _core.profile_begin(self.path, self.keep == "oldest", self.size)
        return self

    def __exit__(self, *exception: object) -> None:
        _core.profile_end()

    def mark(self, name: str) -> None:
        """A moment of the calling thread."""
        _core.profile_mark(name)

    def events(self) -> "list[dict[str, Any]]":
        """The events of the file."""
        opened = gzip.open(self.path, "rt") if self.path.endswith(".gz") else open(self.path, encoding="utf-8")
        with opened as file:
            return json.load(file)["traceEvents"]

    def rows(self) -> "list[dict[str, Any]]":
        """Sums of operations, copies and waits: name, on, calls, total_us, own_us, bytes, why; fallbacks first."""
        slices = [e for e in self.events() if e["ph"] == "X"]
        slices.sort(key=lambda e: (e["pid"], e["tid"], e["ts"], -e["dur"]))
        sums, outer = {}, []
        for e in slices:
            e["own"] = e["dur"]
            while outer and ((outer[-1]["pid"], outer[-1]["tid"]) != (e["pid"], e["tid"])
                             or outer[-1]["ts"] + outer[-1]["dur"] < e["ts"] + 0.0015):
                outer.pop()
            if outer:
                outer[-1]["own"] -= min(e["dur"], outer[-1]["own"])
            outer.append(e)
        for e in slices:
            if e["cat"] in ("context", "range"):
                continue
            args = e.get("args", {})
            fallback = args.get("how") == "fallback"
            row = sums.setdefault((not fallback, e["name"], args.get("on", "")), {
                "name": e["name"], "on": args.get("on", ""), "calls": 0, "total_us": 0.0, "own_us": 0.0, "bytes": 0, "why": ""})
            row["calls"] += args.get("calls", 1)
            row["total_us"] += e["dur"]
            row["own_us"] += e["own"]
            row["bytes"] += args.get("bytes", 0)
            row["why"] = args.get("why", row["why"])
        return [row for key, row in sorted(sums.items(), key=lambda item: (item[0][0], -item[1]["own_us"]))]

    def table(self) -> str:
        """The same as text."""
        lines = [f"{'operation':28} {'on':12} {'calls':>9} {'total ms':>12} {'own ms':>12} {'mean us':>12} {'bytes':>12}"]
        for r in self.rows():
            lines.append(f"{r['name']:28} {r['on']:12} {r['calls']:9} {r['total_us'] / 1e3:12.3f} {r['own_us'] / 1e3:12.3f} "
                         f"{r['total_us'] / max(r['calls'], 1):12.3f} {r['bytes']:12}{'  fallback: ' + r['why'] if r['why'] else ''}")
        return "\n".join(lines)
