#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every #include against the layers: a file includes headers of its own folder and of lower layers; and against the rooms of a
# layer, its folders: a file includes those before its own. And, by the symbols of what was built: no files of a folder call each
# other in a circle, no room calls a later one, and every part has names of its own.
#
#   L5 tools examples bench tests   <heddle.h> and the other installed headers
#   L4 lib/kits/KIT                 installed headers, without the plug-in interface
#   L3 lib/api  lib/composite  lib/grad  lib/program   core, base; grad the way of a call in api, too
#   L2 lib/core                     base
#   L1 lib/backends/NAME            base
#   L0 lib/base                     libc
# Everybody may include installed headers; foreign libraries belong to the one folder that
# wraps them.  The faulty test backend runs the reference backend's kernels.  tests/base,
# tests/core and tests/cli have unit tests of those folders and of tools, which may look
# inside; tests/cpu and tests/kernels compare the kernels of two backends.  opencl and cuda share
# lib/backends/device; tests/cuda knows the declarations of cuda.  What several areas of tests
# share is beside their folders.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
cd "$srcdir" || exit 255

cat >"$tmp/check.awk" <<'AWK'
# in: FILE<tab>INCLUDE with its brackets or quotes; out: offending lines
BEGIN { FS = "\t" }
function folder(path) { sub("/[^/]*$", "", path); return path }
{
  file = $1; inc = $2; quoted = inc ~ /^"/
  name = substr(inc, 2, length(inc) - 2)
  why = ""
  if (file ~ /^include\//) layer = "public"
  else if (file ~ /^lib\/kits\//) layer = "kits"
  else if (file ~ /^lib\//) { split(file, part, "/"); layer = part[2] }
  else { split(file, part, "/"); layer = part[1] }
  if (layer == "backends") { split(file, part, "/"); own = "backends/" part[3] "/" }
  else if (layer == "kits") { split(file, part, "/"); own = "kits/" part[3] "/" }
  else own = layer "/"

  if (quoted) {
    if (layer == "public")
      why = "an installed header uses <...>"
    else if (name !~ /\//) {                      # own folder
      if (system("test -f '" folder(file) "/" name "' -o -f '" (layer == "tests" ? "tests" : folder(file) "/..") "/" name "'") != 0 ||
          layer !~ /^(tests|tools|examples|bench|kits|backends|core|base|api|composite|inherit)$/)
        why = "not in the file's own folder"
    } else if (layer == "tests" && name ~ /^data\//)  # tables that the tests read
      ;
    else if (index(name, own) == 1 || index("lib/" name, "lib/" own) == 1)
      ;
    else if (layer == "inherit" && name == "core/context/region.h") # what libheddle has for it alone
      ;
    else if (layer == "kits" && name ~ /^(base\/(cancel|invariant|library|regular|zlib)|kits\/(given|member|shapes|workers))\.h$/)
      ; # calls of libc alone; what kits share
    else if (layer == "base" || layer == "public" || layer == "kits" || layer == "inherit")
      why = "above this layer"
    else if (name ~ /^base\// && layer ~ /^(backends|core|api|composite|grad|program)$/)
      ;
    else if (name == "backends/reference/kernels.h" && own == "backends/faulty/")
      ;
    else if (name ~ /^backends\/device\// && own ~ /^backends\/(opencl|cuda)\//)
      ;
    else if (name ~ /^core\// && layer ~ /^(api|composite|grad|program)$/)
      ;
    else if (name ~ /^api\// && layer ~ /^(composite|grad|program)$/)
      ;
    else if (layer == "tests" && (file ~ /^tests\/base\// && name ~ /^base\// ||
                                  file ~ /^tests\/grad\// && name == "core/record/rules.def" ||
                                  file ~ /^tests\/core\// && name ~ /^(base|core)\// ||
                                  file ~ /^tests\/(cpu|kernels|opencl)\// && name ~ /^(base|backends)\// ||
                                  file ~ /^tests\/cuda/ && name ~ /^backends\/(cuda|device)\// ||
                                  file ~ /^tests\/cli\// && name ~ /^tools\//))
      ;
    else
      why = "not below this layer"
  } else {
    if (name ~ /^heddle\/kits\// && layer !~ /^(kits|tools|examples|bench|tests)$/ &&
        file !~ /^include\/heddle\/kits\//)
      why = "kits are above this layer"
    else if (name ~ /^heddle\/(backend|kernel)\.h$/ && layer == "kits")
      why = "kits use the public interface only"
    else if (name ~ /^(fftw3|cblas)\.h$/ && file !~ /^lib\/backends\/cpu\// &&
             layer !~ /^(tests|bench)$/)
      why = "belongs to lib/backends/cpu"
    else if (name == "omp.h" && layer !~ /^(backends|tests|bench|examples)$/ &&
             file != "include/heddle/thread.h")
      why = "OpenMP is not used in this layer"
    else if (name == "png.h" && layer !~ /^(tools|tests)$/)
      why = "belongs to the tool"
    else if (name ~ /^(glib|uv|gmodule)\.h$/ && layer != "tests")
      why = "foreign library"
  }
  if (why != "") print file ": #include " inc ": " why
}
AWK

find include lib tools examples bench tests \( -name '*.[ch]' -o -name '*.cc' -o -name '*.def' \) \
  -print | sort >"$tmp/files"
while read -r f; do
  sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\([<"][^>"]*[>"]\).*/\1/p' "$f" |
    sed "s|^|$f	|"
done <"$tmp/files" >"$tmp/includes"

# The check itself: offences it must see, and what it must let through.
offences=$(printf '%s\n' 'lib/base/x.c	"core/array/array.h"' 'lib/core/x.c	"api/call/check.h"' \
  'lib/kits/match/x.c	"core/array/array.h"' 'lib/kits/match/x.c	<heddle/backend.h>' 'lib/kits/match/x.c	<heddle/kernel.h>' \
  'tools/x.c	"core/array/array.h"' 'lib/core/x.c	<fftw3.h>' 'include/heddle/x.h	"y.h"' \
  'lib/backends/cpu/x.c	"core/array/array.h"' 'tests/fuse/x.c	"base/shape.h"' \
  'lib/kits/match/x.c	<png.h>' 'tests/kit/x.c	"tools/x.h"' 'tests/cli/x.c	"core/array/array.h"' |
  awk -f "$tmp/check.awk" | wc -l)
is "$((offences))" 13 'thirteen offences against the layers are seen'
fine=$(printf '%s\n' 'lib/api/x.c	"core/dispatch/dispatch.h"' 'lib/backends/cpu/x.c	<fftw3.h>' \
  'tests/base/x.c	"base/shape.h"' 'tools/x.c	<heddle/kits/match.h>' \
  'tests/cli/x.c	"tools/x.h"' 'tools/x.c	<png.h>' 'tests/cli/x.c	<png.h>' |
  awk -f "$tmp/check.awk")
none "$fine" 'seven permitted includes are not reported'

[ "$(wc -l <"$tmp/includes")" -gt 50 ]
ok $? "the includes were found ($(($(wc -l <"$tmp/includes"))) in $(($(wc -l <"$tmp/files"))) files)"
for d in include lib/base lib/backends lib/core lib/api lib/composite lib/inherit lib/kits tools \
  examples bench tests; do
  none "$(grep "^$d/" "$tmp/includes" | awk -f "$tmp/check.awk")" "$d keeps to its layer"
done

# ---- calls, by the symbols of what was built ----

cat >"$tmp/calls.awk" <<'AWK'
# in: nm -A of objects; out: FILE OTHER SYMBOL for each other file that a file calls
function file_of(object) { sub(/\.libs\//, "", object); sub(/\.o$/, "", object); sub(/[a-z0-9_]*la-/, "", object); return object }
{
  colon = index($0, ".o:")
  file = file_of(substr($0, 1, colon + 1))
  n = split(substr($0, colon + 3), part, " ")
  if (!(file in seen)) {              # objects of sources that are gone lie about
    seen[file] = root == "" || system("test -f '" root "/" file ".c'") == 0
    if (seen[file]) name[++files] = file
  }
  if (!seen[file]) next
  if (part[n - 1] == "U") uses[file] = uses[file] " " part[n]
  else if (part[n - 1] ~ /^[A-Z]$/) owner[part[n]] = file
}
END {
  for (i = 1; i <= files; i++) {
    n = split(uses[name[i]], symbol, " ")
    for (k = 1; k <= n; k++) {
      to = owner[symbol[k]]
      if (to != "" && to != name[i] && !((name[i], to) in told)) print name[i], to, symbol[k]
      told[name[i], to]
    }
  }
}
AWK

cat >"$tmp/circles.awk" <<'AWK'
# in: the calls; out: for each circle its files, and of every call along it a symbol
{
  if (!($1 in calls)) name[++files] = $1
  calls[$1] = calls[$1] " " $2
  call[$1, $2] = $3
}
END {
  for (i = 1; i <= files; i++) {      # what each reaches
    end = split(calls[name[i]], queue, " ")
    for (k = 1; k <= end; k++) {
      if ((name[i], queue[k]) in reaches) continue
      reaches[name[i], queue[k]] = 1
      n = split(calls[queue[k]], next_, " ")
      for (m = 1; m <= n; m++) queue[++end] = next_[m]
    }
  }
  for (i = 1; i <= files; i++) {
    if (!((name[i], name[i]) in reaches) || name[i] in told) continue
    text = along = ""
    for (k = 1; k <= files; k++) {
      if (!((name[i], name[k]) in reaches && (name[k], name[i]) in reaches)) continue
      told[name[k]] = 1
      text = text " " name[k]
      n = split(calls[name[k]], next_, " ")
      for (m = 1; m <= n; m++)
        if ((next_[m], name[i]) in reaches && (name[i], next_[m]) in reaches)
          along = along "\n  " name[k] " calls " next_[m] ": " call[name[k], next_[m]]
    }
    print "circle:" text along
  }
}
AWK

found=$(printf '%s\n' '.libs/a.o:0000 T fa' '.libs/a.o: U fb' '.libs/x_la-b.o:0000 D fb' '.libs/x_la-b.o: U fc' \
  '.libs/c.o:0000 T fc' '.libs/c.o: U fa' 'd/.libs/d.o: U fa' 'd/.libs/d.o:0000 T fd' '.libs/e.o:0000 t fa' \
  '.libs/e.o: U fd' '.libs/c.o: U printf' | awk -f "$tmp/calls.awk" | awk -f "$tmp/circles.awk" | sort)
is "$found" '  a calls b: fb
  b calls c: fc
  c calls a: fa
circle: a b c' 'a circle of three is seen, and who only calls into it is not of it'
none "$(printf '%s\n' 'a.o:0000 T fa' 'a.o: U fb' 'b.o:0000 T fb' 'b.o: U fc' 'c.o:0000 T fc' 'a.o: U fc' |
  awk -f "$tmp/calls.awk" | awk -f "$tmp/circles.awk")" 'files that only call down are fine'

: >"$tmp/all_calls"
for d in core api composite base kits backends/cpu backends/cuda backends/device backends/faulty backends/opencl; do
  objects=$(cd "$builddir/lib/$d" 2>/dev/null && find . -path '*.libs/*.o' | sed 's|^\./||' | sort)
  if [ -z "$objects" ]; then
    skip "lib/$d is not built"
    continue
  fi
  # shellcheck disable=SC2086
  (cd "$builddir/lib/$d" && nm -A $objects) | awk -v root="$srcdir/lib/$d" -f "$tmp/calls.awk" >"$tmp/calls"
  none "$(awk -f "$tmp/circles.awk" "$tmp/calls")" "no circle of calls in lib/$d"
  sed "s|^|$d/|; s| | $d/|" "$tmp/calls" >>"$tmp/all_calls"
done

# ---- rooms: a folder of a layer includes and calls those before it ----

# "." is what lies in the layer's own folder.
cat >"$tmp/rooms" <<'ROOMS'
core process ops modules profile context stream memory array record dispatch fuse outside
api call file elementwise make reduce index linalg fft image random .
backends/device kernels . runtime program launch rows fuse
backends/cuda port compile rows factor .
ROOMS

# The map in HACKING, which nothing else would keep true.
map=$(sed -n '/^ *lib\/core, bottom up/,/^ *lib\/inherit:/p; /^The cpu backend/,/^A kernel may/p' HACKING)
none "$(for d in lib/*/; do grep -q "${d%/}" HACKING || echo "$d"; done
  for d in lib/core/*/ lib/api/*/ lib/backends/device/*/ lib/backends/cuda/*/ lib/backends/cpu/*/; do
    ls "$d"*.c >/dev/null 2>&1 || continue # what a build leaves here
    echo "$map" | grep -qw "$(basename "$d")" || echo "$d"; done)" 'HACKING has the folders of lib'
none "$(for d in tests/*/local.mk; do d=${d%/local.mk}
    sed -n '/^HACKING says/,/^Numbers by/p' tests/README | grep -qw "${d#tests/}" || echo "$d"; done)" \
  'tests/README has those of tests'

# Arrows that run up all the same: FILE OTHER, and why. None is added; one that is not needed any more goes.
cat >"$tmp/exceptions" <<'ARROWS'
api/elementwise/fuse api/reduce/reduce               a reduction ends a fused pass
api/elementwise/fuse api/reduce/reduce_types         the same
backends/cuda/port/port backends/cuda/compile/compile    the port's functions that compile
backends/cuda/port/port backends/cuda/compile/nvrtc      the same
backends/device/launch/dense backends/device/rows/cast   operands become dense by that row
core/dispatch/plan core/fuse/fuse                    an operand may be pending
core/dispatch/run core/fuse/fuse                     a call may be recorded
ARROWS

cat >"$tmp/rooms.awk" <<'AWK'
# in: the rooms, then FILE OTHER WHAT, paths below lib/ without endings; out: the arrows that run up
FILENAME == ARGV[1] {
  layer[++layers] = $1
  for (i = 2; i <= NF; i++) place[$1, $i] = i
  next
}
function room(path, of) {
  path = substr(path, length(of) + 2)
  return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "."
}
{
  for (k = 1; k <= layers; k++) {
    of = layer[k]
    if (index($1, of "/") != 1 || index($2, of "/") != 1) continue
    from = room($1, of)
    to = room($2, of)
    if (!((of, from) in place)) print $1, "is in no room: " from
    else if (!((of, to) in place)) print $2, "is in no room: " to
    else if (place[of, to] > place[of, from]) print $1, $2 ": " $3
  }
}
AWK

is "$(printf '%s\n' 'core/memory/a core/array/b "core/array/b.h"' 'core/array/a core/memory/b f' 'core/array/a core/array/b f' \
  'api/a api/call/b f' 'backends/cuda/port/a backends/cuda/b f' 'core/cellar/a core/ops/b f' 'api/call/a core/fuse/b f' |
  awk -f "$tmp/rooms.awk" "$tmp/rooms" -)" 'core/memory/a core/array/b: "core/array/b.h"
backends/cuda/port/a backends/cuda/b: f
core/cellar/a is in no room: cellar' 'arrows that run up are seen, and a folder that is no room'

sed -n 's|^lib/\(.*\)\.[a-z]*	\("\(.*\)\.[a-z]*"\)$|\1 \3 \2|p' "$tmp/includes" | cat - "$tmp/all_calls" |
  awk -f "$tmp/rooms.awk" "$tmp/rooms" - | LC_ALL=C sort -u >"$tmp/up"
sed 's/:.*//' "$tmp/up" | LC_ALL=C sort -u >"$tmp/arrows"
awk '{ print $1, $2 }' "$tmp/exceptions" | LC_ALL=C sort >"$tmp/known"
none "$(LC_ALL=C comm -23 "$tmp/arrows" "$tmp/known" | grep -F -f - "$tmp/up")" 'no room includes or calls a later one'
none "$(LC_ALL=C comm -13 "$tmp/arrows" "$tmp/known")" 'every exception is needed'
[ "$(wc -l <"$tmp/exceptions")" -le 15 ]
ok $? "there are not many ($(($(wc -l <"$tmp/exceptions"))))"

# ---- names: each part has a prefix ----

cat >"$tmp/names.awk" <<'AWK'
# in: FILE TYPE SYMBOL; out: symbols without the prefix of their part, or of two parts
BEGIN {
  prefix["reference"] = "ref_"; prefix["cpu"] = "cpu_"; prefix["device"] = "dev_"
  prefix["opencl"] = "ocl_"; prefix["cuda"] = "cuda_"; prefix["faulty"] = "faulty_"
  # Found by name in a module, by tests or other modules; what libheddle-inherit stands in for, and two of its own.
  other["faulty"] = "^hed_faulty_"; other["cpu"] = "^hed_team_run_v1$"
  other["inherit"] = "^(pthread_create|thrd_create|GOMP_.*|__kmpc_.*|inherit_is_off|omp_runtime_of)$"
}
$2 == "U" || $2 !~ /^[A-Z]$/ { next }
# Every module has the one; the others are the compiler's, and that of static probes.
$3 == "hed_plugin_entry_v1" || $3 ~ /^(DW\.ref\.|__odr_asan|_\.stapsdt\.base$)/ { next }
{
  split($1, folder, "/")
  part = folder[1] == "backends" ? folder[2] : folder[1]
  if (index($3, part in prefix ? prefix[part] : "hed_") != 1 && !(part in other && $3 ~ other[part]))
    print part ": " $3
  if (!($3 in owner)) owner[$3] = part
  else if (owner[$3] != part) print owner[$3] " and " part ": " $3
}
AWK

is "$(printf '%s\n' 'core/a.c T hed__plan' 'core/b.c D hed__b' 'core/b.c U dev_plan' 'backends/cpu/kernels/k.c T cpu_k' \
  'backends/cpu/backend.c T hed_plugin_entry_v1' 'backends/device/d.c T hed__plan' 'backends/opencl/o.c T hed_plugin_entry_v1' \
  'backends/device/d.c B dev_plan' | awk -f "$tmp/names.awk")" 'device: hed__plan
core and device: hed__plan' "a name of another part's is seen"
# FILE TYPE SYMBOL of external symbols, for files of lib that are there.
{
  (cd lib && find . -name '*.c')
  (cd "$builddir/lib" && find . -name '*.c')
} | sed 's|^\./||' >"$tmp/sources"
(cd "$builddir/lib" && find . -path '*.libs/*.o' | sed 's|^\./||' | sort | xargs nm -Ag) |
  sed 's|\.libs/||; s|[a-z0-9_]*la-||; s|\.o:[0-9a-f]* *|.c |' |
  awk 'NR == FNR { source[$1] = 1; next } $1 in source' "$tmp/sources" - >"$tmp/symbols"
[ "$(wc -l <"$tmp/symbols")" -gt 5000 ]
ok $? "the symbols were found ($(($(wc -l <"$tmp/symbols"))))"
none "$(awk -f "$tmp/names.awk" "$tmp/symbols" | sort -u)" 'symbols have the prefix of their part, and no two parts share one'
done_testing
