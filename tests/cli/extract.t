#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Boxes at the places of a table: the tomogram's voxels, where the table says; faces, other voxel sizes, the mean of all.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
python=$(command -v python3) || skip_all 'no python3 to read maps'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1
heddle simulate -o d --shape 40 --voxel 16 --resolution 40 --copies 4 --snr 8 >/dev/null
map=d/tomogram.mrc
cat >read.py <<'END_PY'
import array, struct, sys
def read(path):
    with open(path, "rb") as f:
        head = f.read(1024)
        shape = struct.unpack("<3i", head[:12])
        values = array.array("f", f.read())
    return shape, values, struct.unpack("<f", head[40:44])[0] / struct.unpack("<i", head[28:32])[0]
def at(m, z, y, x):
    (nx, ny, nz), v, _ = m
    return v[(z * ny + y) * nx + x] if 0 <= z < nz and 0 <= y < ny and 0 <= x < nx else None
def rows(path):
    lines = [l.rstrip("\n").split("\t") for l in open(path) if not l.startswith("#")]
    return [dict(zip(lines[0], l)) for l in lines[1:]]
END_PY
py() { "$python" -c "import sys; sys.path.insert(0, '.'); from read import *; $1"; }

# Places between voxels: the box is that of the nearest voxel, the table has the rest.
awk -F '\t' 'BEGIN { OFS = "\t" } /^[0-9]/ { $2 += 0.25; $4 -= 0.375; $5 = $2 * 16; $7 = $4 * 16 } { print }' d/truth.tsv >moved.tsv
heddle extract $map moved.tsv --box 12 -o e --edge zero >out 2>err
is "$? $(ls e | tr '\n' ' ')" '0 particle_00001.mrc particle_00002.mrc particle_00003.mrc particle_00004.mrc particles.star ' 'extract'
py '
t, bad = read("d/tomogram.mrc"), 0
for r in rows("d/truth.tsv"):
    m = read("e/particle_0000%s.mrc" % r["id"])
    p = [int(float(r[c])) - 6 for c in "zyx"]
    bad += sum(at(m, z, y, x) != (at(t, p[0] + z, p[1] + y, p[2] + x) or 0) for z in range(12) for y in range(12) for x in range(12))
    bad += m[0] != (12, 12, 12) or abs(m[2] - 16) > 1e-4
sys.exit(bad > 0)'
ok $? 'the voxels are those of the tomogram, its place in voxel N / 2'
same() { # NAME: the table NAME has the places and angles of moved.tsv
  py "
def near(a, b): return abs(float(a) - float(b)) < 2e-3
got, want = rows('$1'), rows('moved.tsv')
names = ('z', 'y', 'x', 'phi', 'theta', 'psi')
sys.exit(len(got) != len(want) or not all(near(g[c], w[c]) for g, w in zip(got, want) for c in names))"
}
heddle convert e/particles.star back.tsv --voxel 16 --dims 40,40,40 >/dev/null 2>&1
same back.tsv
ok $? "RELION's table says the same places and angles"
is "$(awk '/^tomogram/ { print ($2 % 16 == 0) ($3 % 16 == 0) ($4 % 16 == 0), $10, $11, $12 }' e/particles.star |
  sort -u)" '111 6 0 -4' 'whole voxels, and origins'
heddle extract $map moved.tsv --box 12 -o f --edge zero --format dynamo >out 2>err
heddle convert f/crop.tbl back.tsv --voxel 16 >/dev/null 2>&1
same back.tsv
ok $? "Dynamo's, too"
is "$(cut -d ' ' -f 4-6 f/crop.tbl | sort -u)" '-0.375 0 0.25' 'with its shifts'
cmp -s e/particle_00002.mrc f/particle_00002.mrc
ok $? 'beside the same boxes'

# Faces.
printf 'z\ty\tx\n20\t20\t20\n2\t20\t20\n20\t39\t20\n' >edge.tsv
heddle extract $map edge.tsv --box 8 -o skip >out 2>err
is "$? $(ls skip | tr '\n' ' ')$(grep -c '^2 rows reach over the faces and are left out: 2 3$' out)" \
  '0 particle_00001.mrc particles.star 1' 'rows at the faces are left out, and said'
heddle extract $map edge.tsv --box 8 -o error --edge error >out 2>err
is "$? $(ls error 2>/dev/null)$(grep -c "row 2: a box of 8 voxels reaches over a face of '$map', as 2 do" err)" '3 1' 'or an error'
heddle extract $map edge.tsv --box 8 -o mean --edge mean >/dev/null 2>&1
py '
t, m = read("d/tomogram.mrc"), read("mean/particle_00002.mrc")
sys.exit(abs(at(m, 1, 4, 4) - sum(t[1]) / len(t[1])) > 1e-4 or at(m, 2, 4, 4) != at(t, 0, 20, 20))'
ok $? 'or filled with the mean'
printf 'z\ty\tx\n2\t20\t20\n' >edge.tsv
heddle extract $map edge.tsv --box 8 -o none >out 2>err
is "$? $(ls -d none 2>/dev/null)$(grep -c 'none is left' err)" '1 1' 'no row left: status 1, and no folder'

# The mean is the template; a stack; other voxel sizes.
heddle extract $map d/truth.tsv --box 13 -o g --edge mean --stack --average mean.mrc >/dev/null 2>&1
py '
(s, a, _), (_, b, _), (stack, v, _) = read("mean.mrc"), read("d/template.mrc"), read("g/particles.mrc")
n = len(a); ma, mb = sum(a) / n, sum(b) / n
c = sum((p - ma) * (q - mb) for p, q in zip(a, b)) / (sum((p - ma) ** 2 for p in a) * sum((q - mb) ** 2 for q in b)) ** 0.5
print("#", c, s, stack)
sys.exit(not (c > 0.95 and stack == (13, 13, 4 * 13)))'
ok $? 'turned back their mean is the template'
heddle extract $map d/truth.tsv --box 8 --to-voxel 24 --normalize --invert -o h --edge mean >/dev/null 2>&1
py '
m = read("h/particle_00001.mrc"); n = len(m[1]); mean = sum(m[1]) / n
square = sum(v * v for v in m[1]) / n
sys.exit(m[0] != (8, 8, 8) or abs(m[2] - 24) > 0.05 or abs(mean) > 1e-4 or abs(square - 1) > 1e-3 or m[1][(4 * 8 + 4) * 8 + 4] >= 0)'
ok $? 'larger voxels, the other contrast, of one deviation'
is "$(sed -n 's/^1	opticsGroup1	//p' h/particles.star)" '2.7	300	0.07	16	0	3	1.5	24	8' 'and what RELION asks about them'

# Tables whose voxels are others.
awk -F '\t' 'BEGIN { OFS = "\t" } /^[0-9]/ { for (i = 2; i < 5; i++) $i /= 2; $5 = $6 = $7 = "" }
  { print $1, $2, $3, $4, $8, $9, $10 }' \
  d/truth.tsv >half.tsv
heddle extract $map half.tsv --table-voxel 32 --box 12 -o i --edge zero >/dev/null 2>&1
heddle extract $map d/truth.tsv --box 12 -o j --edge zero >/dev/null 2>&1
cmp -s i/particle_00003.mrc j/particle_00003.mrc && [ -s j/particle_00003.mrc ]
ok $? 'places in voxels twice as large'
awk -F '\t' 'BEGIN { OFS = "\t" } /^[0-9]/ { for (i = 2; i < 5; i++) $i /= 2 } { print }' d/truth.tsv >half.tsv
heddle extract $map half.tsv --box 12 -o k >out 2>err
is "$? $(grep -c 'row 1: z is voxel .* --table-voxel says' err)" '3 1' 'a table whose voxels are others, and that does not say it'
heddle extract $map d/truth.tsv --box 12 -o j >out 2>err
is "$? $(grep -c exists err)" '3 1' 'nothing is written over'
for wrong in '--box 12 --average a.mrc' '--box 1' '--edge fold --box 9' '' '--box 9 --format star'; do
  # shellcheck disable=SC2086
  heddle extract $map d/truth.tsv -o w $wrong >out 2>err
  is $? 2 "refused: $wrong"
done
heddle extract $map d/truth.tsv --box 9 --to-voxel 8 -o w >out 2>err
is "$? $(grep -c "to-voxel 8: the voxels of .* have 16" err)" '3 1' 'smaller voxels than there are'
done_testing
