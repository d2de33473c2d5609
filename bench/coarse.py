#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `heddle match --strategy=coarse' finds, and what it takes, beside the full search followed by `heddle refine'.

For each signal to noise ratio some volumes are simulated and searched both ways. A line: recall and others above the cut-off; the
angular and position error in the mean; the mean final score; and processor seconds of each.

    . tests/env.sh; ../bench/coarse.py --heddle tools/heddle --tilts=-60,60

What follows -- goes to both searches.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile


def run(heddle, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([heddle, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"heddle {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def quality(heddle, truth, table, voxels):
    """Pairs of the truth and a table, nearest first: recall, errors."""
    def rows(path):
        return [[float(v) for v in line.rstrip("\n").split("\t")[:11]] for line in open(path, encoding="ascii") if line[0].isdigit()]
    wanted, found = rows(truth), rows(table)
    hits = []
    pairs = sorted((sum((a - b) ** 2 for a, b in zip(t[1:4], f[1:4])) ** 0.5, i, k)
                   for i, t in enumerate(wanted) for k, f in enumerate(found))
    left, free = set(range(len(wanted))), set(range(len(found)))
    for d, i, k in pairs:
        if d <= voxels and i in left and k in free:
            left.remove(i)
            free.remove(k)
            hits.append((d, found[k][10]))
    return len(hits), len(wanted), len(free), [h[0] for h in hits], [h[1] for h in hits]


def one(a, snr, seed, folder):
    d = os.path.join(folder, "d")
    more = [f"--tilts={a.tilts}"] if a.tilts else []
    run(a.heddle, "simulate", "-o", d, "--shape", str(a.shape), "--copies", str(a.copies), "--snr", str(snr), "--noise-sigma",
        str(a.sigma), "--seed", str(seed), "--force", *more)
    files = [f"{d}/tomogram.mrc", f"{d}/template.mrc"]
    both = ["--mask", f"{d}/mask.mrc", "-q", "--force", "--json", "--workers", a.workers, *more, *a.search]
    out = {}
    for name, words in (("full", ["--angular-step", str(a.step)]),
                        ("coarse", ["--strategy=coarse", "--angular-step", str(a.step)])):
        said, seconds = run(a.heddle, "match", *files, "--truth", f"{d}/truth.tsv", "-o", f"{folder}/{name}", *both, *words)
        table = f"{folder}/{name}_peaks.tsv"
        if name == "full":
            refined = f"{folder}/refined.tsv"
            _, again = run(a.heddle, "refine", *files, table, "-o", refined, "--mask", f"{d}/mask.mrc", "--force", "-q", *more)
            table, seconds = refined, seconds + again
        near = json.loads(said)["min_distance"] / 2
        hits, there, others, places, scores = quality(a.heddle, f"{d}/truth.tsv", table, near)
        out[name] = {"hits": hits, "particles": there, "others": others, "places": places, "scores": scores, "seconds": seconds,
                     "stages": json.loads(said).get("stages", {}), "angle": json.loads(said)["truth"]["angular_error_mean"]}
    return out


def mean(v):
    v = [x for x in v if x is not None]
    return statistics.mean(v) if v else float("nan")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--heddle", default="heddle", help="the program")
    p.add_argument("--snrs", default="0.05,0.1,0.2")
    p.add_argument("--seeds", type=int, default=3, help="volumes of each")
    p.add_argument("--shape", type=int, default=72)
    p.add_argument("--copies", type=int, default=6)
    p.add_argument("--sigma", type=float, default=0, help="of the noise, in voxels")
    p.add_argument("--step", type=float, default=15)
    p.add_argument("--workers", default="cpu", help="of both searches")
    p.add_argument("--tilts", help="of volume and search: -60,60")
    p.add_argument("search", nargs="*", help="further words for heddle match, behind --")
    a = p.parse_args()
    print("snr      strategy  found   others  voxels off  score    CPU s   bin  candidates")
    for snr in a.snrs.split(","):
        some = []
        for seed in range(1, a.seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                some.append(one(a, float(snr), seed, folder))
        for name in ("full", "coarse"):
            r = [s[name] for s in some]
            print(f"{snr:8} {name:8} {sum(x['hits'] for x in r):3}/{sum(x['particles'] for x in r):<3} {sum(x['others'] for x in r):6}   "
                  f"{mean([d for x in r for d in x['places']]):8.2f}   {mean([d for x in r for d in x['scores']]):.4f} "
                  f"{sum(x['seconds'] for x in r):8.1f}   "
                  + (" ".join(sorted({str(x['stages']['bin']) for x in r})) + f"    {max(x['stages']['candidates'] for x in r)}"
                     if name == "coarse" else ""), flush=True)


if __name__ == "__main__":
    main()
