#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many particles of simulated tomograms with coloured noise `heddle match` finds with its defaults, and what else.

For each colour of the noise some tomograms are made and searched. A line of the table: particles found of those that are there;
others above the cut-off, the most in one tomogram, in all, and how many of these are lobes of a particle (within a template's
extent of it, round the faces); the scores of the particles, least and median; the highest score of the noise (farther off), median
and most; and the median cut-off. A particle is missed where its score is below the cut-off, and something else is found where the
noise, or a lobe, is above it. With --all every tomogram has a line of its own.

    . tests/env.sh; ../bench/recall.py --heddle tools/heddle --tilts=-60,60

--crop=V makes tomograms that much larger on each side and cuts them to their extents, so that they are not periodic; --zeros=V sets
that many voxels on one side to 0, as reconstructions are padded. What follows -- goes to the search.
"""
import argparse
import array
import json
import math
import os
import statistics
import subprocess
import tempfile


def run(heddle, *words):
    done = subprocess.run([heddle, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"heddle {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def cut(a, folder):
    """The tomogram without what --crop makes it larger by, padded, and the rows of the truth that are in it."""
    n, big = a.shape, a.shape + 2 * a.crop
    with open(f"{folder}/tomogram.mrc", "rb") as f:
        data = f.read()
    skip = 1024 + int.from_bytes(data[92:96], "little")
    v = array.array("f", data[skip:])
    out = array.array("f")
    for z in range(n):
        for y in range(n):
            row = ((z + a.crop) * big + y + a.crop) * big + a.crop
            out.extend(v[row:row + n - a.zeros])
            out.extend([0.0] * a.zeros)
    head = bytearray(data[:1024])
    voxel = array.array("f", data[40:44])[0] / big
    for i in range(3):
        head[4 * i:4 * i + 4] = n.to_bytes(4, "little")
        head[28 + 4 * i:32 + 4 * i] = n.to_bytes(4, "little")
        head[40 + 4 * i:44 + 4 * i] = array.array("f", [voxel * n]).tobytes()
    head[92:96] = bytes(4)
    with open(f"{folder}/tomogram.mrc", "wb") as f:
        f.write(bytes(head) + out.tobytes())
    kept = []
    for line in open(f"{folder}/truth.tsv", encoding="ascii"):
        words = line.rstrip("\n").split("\t")
        if words[0].isdigit():
            words[1:4] = [f"{float(w) - a.crop:g}" for w in words[1:4]]
            if not all(0 <= float(w) < n for w in words[1:4]) or float(words[3]) >= n - a.zeros:
                continue
        kept.append("\t".join(words) + "\n")
    with open(f"{folder}/truth.tsv", "w", encoding="ascii") as f:
        f.writelines(kept)


def one(a, sigma, seed, folder):
    """The summary of a search, with all scores down to well below the cut-off called again."""
    d = os.path.join(folder, "d")
    more = [f"--tilts={a.tilts}"] if a.tilts else []
    run(a.heddle, "simulate", "-o", d, "--shape", str(a.shape + 2 * a.crop), "--copies", str(a.copies), "--snr", str(a.snr), "--dark",
        "--noise-sigma", str(sigma), "--seed", str(seed), "--force", *more)
    if a.crop or a.zeros:
        cut(a, d)
    found = json.loads(run(a.heddle, "match", f"{d}/tomogram.mrc", f"{d}/template.mrc", "--invert", "--truth", f"{d}/truth.tsv",
                           "-o", f"{folder}/m", "--force", "-q", "--json", "--angular-step", str(a.step), *more, *a.search))
    run(a.heddle, "peaks", f"{folder}/m", "-o", f"{folder}/all.tsv", "--min-score", "-1", "--peaks", "400",
        "--min-distance", str(found["min_distance"]), "--force")
    truth = [[float(v) for v in line.split("\t")[1:4]] for line in open(f"{d}/truth.tsv", encoding="ascii")
             if line[0].isdigit()]
    rows = [[float(v) for v in line.split("\t")] for line in open(f"{folder}/all.tsv", encoding="ascii") if line[0].isdigit()]
    near = found["min_distance"] / 2
    reach = max(found["template_shape"])  # lobes of a particle are no noise

    def apart(p, q):
        """Voxels between two places; correlation goes round the faces."""
        return math.hypot(*(min(abs(u - v), a.shape - abs(u - v)) for u, v in zip(p, q)))

    particles = [max([r[10] for r in rows if apart(r[1:4], t) <= near], default=float("nan")) for t in truth]
    others = [r[10] for r in rows if all(apart(r[1:4], t) > reach for t in truth)]
    lobes = sum(1 for p in found["peaks"] if not p["true"] and
                any(apart((p["z"], p["y"], p["x"]), t) <= reach for t in truth))
    return {"sigma": sigma, "seed": seed, "hits": found["truth"]["hits"], "particles": found["truth"]["particles"],
            "false": len(found["peaks"]) - found["truth"]["hits"], "lobes": lobes, "cutoff": found["cutoff"],
            "whitened": found["whitened"], "scores": particles, "highest": max(others, default=float("nan"))}


def line(name, some):
    def over(how, key):
        return how(r[key] for r in some)

    scores = [s for r in some for s in r["scores"]]
    print(f"{name:14} {over(sum, 'hits'):3}/{over(sum, 'particles'):<3} "
          f"{over(max, 'false'):4} {over(sum, 'false'):4} {over(sum, 'lobes'):5}   "
          f"{min(scores, default=math.nan):.3f} {statistics.median(scores or [math.nan]):.3f}   "
          f"{over(statistics.median, 'highest'):.3f} {over(max, 'highest'):.3f}   "
          f"{over(statistics.median, 'cutoff'):.3f}   {'yes' if over(all, 'whitened') else 'not all'}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--heddle", default="heddle", help="the program")
    p.add_argument("--sigmas", default="1,1.5,2", help="of the noise, in voxels")
    p.add_argument("--seeds", type=int, default=6, help="tomograms of each")
    p.add_argument("--shape", type=int, default=72)
    p.add_argument("--copies", type=int, default=4)
    p.add_argument("--snr", type=float, default=0.2)
    p.add_argument("--step", type=float, default=15)
    p.add_argument("--tilts", help="of tomogram and search: -60,60")
    p.add_argument("--crop", type=int, default=0, help="voxels that are cut off on each side")
    p.add_argument("--zeros", type=int, default=0, help="voxels of 0 on one side")
    p.add_argument("search", nargs="*", help="further words for heddle match, behind --")
    p.add_argument("--all", action="store_true", help="a line for each tomogram, too")
    a = p.parse_args()
    print("noise          found    others            particles     noise         cut-off whitened\n"
          "                        most  all lobes   least median  median most")
    for sigma in a.sigmas.split(","):
        some = []
        for seed in range(1, a.seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                some.append(one(a, float(sigma), seed, folder))
            if a.all:
                line(f"  {sigma}, seed {seed}", some[-1:])
        line(f"sigma {sigma}", some)


if __name__ == "__main__":
    main()
