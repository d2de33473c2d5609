#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `heddle match --strategy=coarse', and the page of --report, looked at in a browser.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
command -v python3 >/dev/null || skip_all 'no python3'
heddle() { "$HEDDLE_TOOL" "$@"; }
json() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
cd "$tmp" || exit 1
heddle simulate -o s --shape 48 --voxel 10 --resolution 40 --copies 4 --snr 0.5 >/dev/null
search() { # PREFIX OPTION...
  n=$1
  shift
  heddle match s/tomogram.mrc s/template.mrc --mask s/mask.mrc --truth s/truth.tsv --angular-step 30 --min-distance 6 -o "$n" -q "$@"
}

# From coarse to fine: what the full search finds, with better places and orientations.
search full >full.out 2>err
search fine --strategy=coarse --workers 'reference*2' --report fine.html >fine.out 2>err
is $? 0 'from coarse to fine'
[ -s err ] && diag "$(cat err)"
is "$(json full.json 'd["truth"]["recall"]') $(json fine.json 'd["truth"]["recall"]')" '1 1' 'finds what the full search finds'
is "$(json fine.json 'd["strategy"], d["stages"]["bin"], sorted(d["stages"]["seconds"])')" \
  "('coarse', 2, ['background', 'coarse', 'places', 'refinement'])" 'says its stages'
is "$(json fine.json 'd["truth"]["angular_error_mean"] < 8 and d["truth"]["position_error_mean"] < 0.9')" True 'and refines'
is "$(json fine.json 'd["rotations"]') $(json full.json 'abs(d["scores"] / '"$(json fine.json 'd["scores"]')"' - 1) < 1e-6')" \
  "$(json full.json 'd["rotations"]') True" 'the cut-off is that of as many scores'
is "$(ls fine* | tr '\n' ' ')" "fine.html fine.json fine.out $([ -e fine.png ] && echo fine.png fine_coarse_rotations.mrc \
  || echo fine_coarse_rotations.mrc) fine_coarse_rotations.npy fine_coarse_scores.mrc $([ -e fine.png ] &&
  echo fine_directions.png fine_histogram.png '')fine_peaks.tsv " 'no map of scores but that of the first stage'
heddle peaks fine_coarse --min-score 0.2 -o coarse.tsv >out 2>err
is $? 0 'which heddle peaks takes up'
search dry --strategy=coarse --dry-run >dry.out 2>err
is "$? $(grep -cE '^(rotations|candidates|memory|time|cut-off) ' dry.out)" '0 5' 'a dry run'
is "$(sed -n 's/^memory *\([0-9]*\) MiB/\1/p' dry.out)" "$(json fine.json '-(-d["memory_bytes"] // 2**20)')" 'of the same memory' ||
  diag "$(cat dry.out)"
for option in '--share 0/2' --mpi --check --background-correction '--seeds x' --subvoxel; do
  # shellcheck disable=SC2086
  search no --strategy=coarse $option >out 2>err
  is "$? $(grep -c -- '--strategy=coarse: not with' err)" '2 1' "not with $option"
done
# The faster of the two, with both times; the full one where the other cannot be.
search auto --strategy=auto --workers 'reference*2' >out 2>err
is $? 0 'the strategy that is faster'
is "$(json auto.json 'min(d["estimated_seconds"], key=d["estimated_seconds"].get) == d["strategy"]')" True 'is the one it says'
search auto2 --strategy=auto --score CC >out 2>err
is "$? $(json auto2.json 'd["strategy"], d["estimated_seconds"]')" "0 ('full', {'full': 0, 'coarse': 0})" \
  'and the full one without a choice'

# Sub-volumes: parts with contrast transfer of their own.
printf 'angles\tdefocus_u\n-40\t20000\n0\t20000\n40\t20000\n' >tilts.txt
search parts --tilts tilts.txt --sub-volumes 1,1,2 --hand=-1 >out 2>err
is "$? $(json parts.json 'd["parts"], d["truth"]["recall"] > 0.7')" '0 ([1, 1, 2], True)' 'sub-volumes'
heddle refine s/tomogram.mrc s/template.mrc parts_peaks.tsv --mask s/mask.mrc --tilts tilts.txt --local-defocus -o local.tsv \
  -q >out 2>err
is $? 0 'and their rows with the defocus of their places' || diag "$(cat err)"
search no --bin 1 >out 2>err
is "$? $(grep -c 'are for --strategy=coarse' err)" '2 1' 'its options alone'
search no --strategy=coarse --score CC >out 2>err
is "$? $(grep -c 'score CC; FLC and FLCSphericalMask can be' err)" '3 1' 'not every score'
is "$(find . -name 'no*')" '' 'nothing is left'

# The page: alone, whole, and of merged runs.
for k in 0 1; do search "p$k" --share $k/2 >/dev/null; done
heddle match s/tomogram.mrc s/template.mrc --mask s/mask.mrc --angular-step 30 --min-distance 6 --merge p0.hck p1.hck -o merged \
  --report merged.html >out 2>err
is $? 0 'a page of a merged run'
[ -s err ] && diag "$(cat err)"
is "$(json merged.json 'd["files"]["report"]')" merged.html 'named in the summary'
search p9 --share 0/2 --report p9.html >out 2>err
is "$? $(grep -c -- '--report with --share' err)" '2 1' 'none of a share'
printf 'name\ttarget\nA\ts/tomogram.mrc\n' >list.tsv
heddle match --list list.tsv s/template.mrc --mask s/mask.mrc --angular-step 60 -o l/x --report l/all.html -q >out 2>err
is "$? $([ -s l/all_A.html ] && echo there)" '0 there' 'one for each of a list'
cat >page.py <<'P'
import html.parser, json, re, sys
class Page(html.parser.HTMLParser):
    inside, data, outside = None, "", []
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.inside = a.get("id") if tag == "script" else None
        self.outside += [v for k, v in attributes if k in ("src", "href") and v]
    def handle_data(self, text):
        if self.inside == "data": self.data += text
p = Page()
text = open(sys.argv[1], encoding="utf-8").read()
p.feed(text)
d, run = json.loads(p.data), json.load(open(sys.argv[2]))
rest = text.replace("http://www.w3.org/2000/svg", "")
print(p.outside == [] and not re.search(r"https?:|url\(|@import|fetch\(|XMLHttp", rest.replace(p.data, "")), d["run"] == run,
      len(d["sections"]) > 0 and all(len(s["target"]) >= d["width"] * d["height"] for s in d["sections"]),
      sum(d["histogram"]["counts"]) > 0 and d["histogram"]["expected"][-1] < max(d["histogram"]["expected"]))
P
for n in fine merged; do
  is "$(python3 page.py $n.html $n.json)" 'True True True True' "$n.html needs nothing beside it, and has all of the summary"
done

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { skip 'no Chromium'; done_testing; exit; }
cat >probe.js <<'P'
<script>
const said = [], grey = id => { const c = el(id), v = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  return new Set(v).size > 20; };
said.push(document.body.dataset.ready, grey("target") && grey("scores"), el("peaks").tBodies[0].rows.length === peaks.length);
const score = [...el("peaks").tHead.rows[0].cells].find(c => c.dataset.name === "score");
const press = () => score.querySelector("button").click(), column = () => [...el("peaks").tBodies[0].rows].map(r => r.peak.score);
const rises = (a, s) => a.every((v, i) => !i || s * (v - a[i - 1]) >= 0);
press(); said.push(rises(column(), -1), score.getAttribute("aria-sort"));
press(); said.push(rises(column(), 1), score.getAttribute("aria-sort"));
const far = peaks.reduce((a, b) => Math.abs(b.z - data.sections[section].z) > Math.abs(a.z - data.sections[section].z) ? b : a), row =
  document.getElementById("peak-" + far.id);
row.click(); said.push(row.getAttribute("aria-selected"), Math.abs(data.sections[el("section").value].z - far.z) <= 1);
el("section").value = 0; el("section").dispatchEvent(new Event("input")); said.push(section === 0);
said.push(document.querySelectorAll("#directions circle").length === peaks.length, document.querySelectorAll("#null, #cut").length,
  document.querySelectorAll("#settings tr").length > 20, matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  css("--paper"));
document.body.dataset.said = said.join(" ");
</script>
P
look() { # FILE OPTION...: what the probe says of it
  sed '/^<\/body>/e cat probe.js' "$1" >probe.html
  shift
  HOME=$tmp timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" "$@" \
    --virtual-time-budget=20000 --dump-dom "file://$tmp/probe.html" 2>/dev/null | sed -n 's/.*data-said="\([^"]*\)".*/\1/p'
}
good='yes true true true descending true ascending true true true true 2 true'
for n in fine merged; do
  is "$(look $n.html)" "$good light #fff" "$n.html in a browser: sections, table, charts"
done
is "$(look fine.html --blink-settings=preferredColorScheme=0 | sed 's/^.* \(dark #\)/\1/')" 'dark #16181b' \
  'dark where that is preferred'
sed 's/row.addEventListener("click"/row.addEventListener("no"/; s/sign \* ((a\[c\]/0 * ((a[c]/' fine.html >red.html
is "$([ "$(look red.html)" = "$good light #fff" ] && echo good || echo bad)" bad 'a page that does not sort and link is noticed'
HOME=$tmp timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" --no-pdf-header-footer \
  --print-to-pdf="$tmp/page.pdf" "file://$tmp/fine.html" >/dev/null 2>&1
is "$(head -c 5 page.pdf) $([ "$(wc -c <page.pdf)" -gt 20000 ] && echo large)" '%PDF- large' 'and prints'
done_testing
