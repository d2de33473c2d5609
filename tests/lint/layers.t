#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every #include against the layers: a file includes headers of its own folder and of lower layers. And, by the symbols of what
# was built: no files of a folder call each other in a circle, rooms (folders of a layer) use those before them, and every part
# has names of its own.
#
#   L5 tools examples bench tests   <heddle.h> and the other installed headers
#   L4 lib/kits/KIT                 installed headers, without the plug-in interface
#   L3 lib/api  lib/composite       core, base
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
    else if (layer == "base" || layer == "public" || layer == "kits" || layer == "inherit")
      why = "above this layer"
    else if (name ~ /^base\// && layer ~ /^(backends|core|api|composite)$/)
      ;
    else if (name == "backends/reference/kernels.h" && own == "backends/faulty/")
      ;
    else if (name ~ /^backends\/device\// && own ~ /^backends\/(opencl|cuda)\//)
      ;
    else if (name ~ /^core\// && layer ~ /^(api|composite)$/)
      ;
    else if (name ~ /^api\// && layer == "composite")
      ;
    else if (layer == "tests" && (file ~ /^tests\/base\// && name ~ /^base\// ||
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
tr '\n' '\0' <"$tmp/files" | xargs -0 awk 'match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*[>"]/) {
  inc = substr($0, 1, RLENGTH); sub(/^[^<"]*/, "", inc); print FILENAME "\t" inc }' >"$tmp/includes"

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

# ---- circles ----

cat >"$tmp/circles.awk" <<'AWK'
# in: nm -A of objects; out: for each circle its files, and of every call along it a symbol
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
      if (to == "" || to == name[i]) continue
      if (!((name[i], to) in call)) calls[name[i]] = calls[name[i]] " " to
      call[name[i], to] = symbol[k]
    }
  }
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
  '.libs/e.o: U fd' '.libs/c.o: U printf' | awk -f "$tmp/circles.awk" | sort)
is "$found" '  a calls b: fb
  b calls c: fc
  c calls a: fa
circle: a b c' 'a circle of three is seen, and who only calls into it is not of it'
none "$(printf '%s\n' 'a.o:0000 T fa' 'a.o: U fb' 'b.o:0000 T fb' 'b.o: U fc' 'c.o:0000 T fc' 'a.o: U fc' |
  awk -f "$tmp/circles.awk")" 'files that only call down are fine'

for d in core api composite base kits backends/cpu backends/cuda backends/device backends/faulty backends/opencl; do
  objects=$(cd "$builddir/lib/$d" 2>/dev/null && find . -path '*.libs/*.o' | sed 's|^\./||' | sort)
  if [ -z "$objects" ]; then
    skip "lib/$d is not built"
    continue
  fi
  # shellcheck disable=SC2086
  none "$(cd "$builddir/lib/$d" && nm -A $objects | awk -v root="$srcdir/lib/$d" -f "$tmp/circles.awk")" "no circle of calls in lib/$d"
done

# What was built: FILE TYPE SYMBOL, of external symbols, for files of lib that are there (objects of others lie about).
{
  (cd lib && find . -name '*.c')
  (cd "$builddir/lib" && find . -name '*.c')
} | sed 's|^\./||' >"$tmp/sources"
(cd "$builddir/lib" && find . -path '*.libs/*.o' | sed 's|^\./||' | sort | xargs nm -Ag) |
  sed 's|\.libs/||; s|[a-z0-9_]*la-||; s|\.o:[0-9a-f]* *|.c |' |
  awk 'NR == FNR { source[$1] = 1; next } $1 in source' "$tmp/sources" - >"$tmp/symbols"
[ "$(wc -l <"$tmp/symbols")" -gt 5000 ]
ok $? "the symbols were found ($(($(wc -l <"$tmp/symbols"))))"

# ---- rooms: a folder of a layer uses those before it ----

cat >"$tmp/rooms.awk" <<'AWK'
# in: what is known, as USER: WHAT; then USER<tab>OWNER<tab>WHAT, files of a layer. ROOMS are in order. out: what is used of later
# rooms and is not known, and what is known in vain
BEGIN {
  FS = "\t"
  n = split(rooms, list, " ")
  for (k = 1; k <= n; k++) place[list[k]] = k
}
function room(path) { sub("/.*", "", path); return place[path] }
NR == FNR { known[$0] = 1; next }
room($1) && room($2) > room($1) {
  use = $1 ": " $3
  if (use in known) seen[use] = 1
  else print use
}
END {
  for (use in known)
    if (!(use in seen)) print use " is not"
}
AWK

printf '%s\n' 'b/b.c: c_call' 'b/b.c: gone' >"$tmp/known"
is "$(printf '%s\t%s\t%s\n' a/a.c b/b.h b/b.h b/b.c a/a.h a/a.h b/b.c c/c.c c_call b/b.c other/x.h other/x.h c/c.c top.h top.h \
  top.h c/c.h c/c.h | awk -v rooms='a b c top.h' -f "$tmp/rooms.awk" "$tmp/known" - | sort)" 'a/a.c: b/b.h
b/b.c: gone is not
c/c.c: top.h' 'a room that uses a later one is seen'

# layer FOLDER ROOMS, what is known on the input: its files keep to the order, by #include and by symbol.
layer() {
  cat >"$tmp/known"
  {
    sed -n "s|^lib/$1/\([^	]*\)	\"$1/\([^\"]*\)\"|\1	\2	\2|p" "$tmp/includes"
    awk -v at="$1/" 'index($1, at) != 1 { next } { file = substr($1, length(at) + 1) }
      $2 == "U" { uses[++n] = file "\t" $3; next } $2 ~ /^[A-Z]$/ { owner[$3] = file }
      END {
        for (k = 1; k <= n; k++) {
          split(uses[k], use, "\t")
          if (use[2] in owner) print use[1] "\t" owner[use[2]] "\t" use[2]
        }
      }' "$tmp/symbols"
  } | sort -u >"$tmp/uses"
  [ "$(wc -l <"$tmp/uses")" -gt 50 ]
  ok $? "what files of lib/$1 use was found ($(($(wc -l <"$tmp/uses"))))"
  none "$(awk -v rooms="$2" -f "$tmp/rooms.awk" "$tmp/known" "$tmp/uses" | sort)" "no room of lib/$1 uses a later one"
}

# Operands are made dense as the row of casts copies.
layer backends/device 'device.h runtime program launch rows fuse module.h' <<'END'
launch/dense.c: dev_cast_prepare
launch/dense.c: dev_cast_submit
launch/dense.h: rows/cast.h
END

# ---- names ----

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
# Every module has the one; the others are the compiler's.
$3 == "hed_plugin_entry_v1" || $3 ~ /^(DW\.ref\.|__odr_asan)/ { next }
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
none "$(awk -f "$tmp/names.awk" "$tmp/symbols" | sort -u)" 'symbols have the prefix of their part, and no two parts share one'
done_testing
