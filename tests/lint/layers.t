#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every #include against the layers: a file includes headers of its own folder and of lower layers. And, by the symbols of what
# was built: no files of a folder call each other in a circle.
#
#   L5 tools examples bench tests   <heddle.h> and the other installed headers
#   L4 lib/kits/KIT                 installed headers, without the plug-in interface
#   L3 lib/api  lib/composite       core, base
#   L2 lib/core                     base
#   L1 lib/backends/NAME            base
#   L0 lib/base                     libc
# Everybody may include installed headers; foreign libraries belong to the one folder that
# wraps them.  The faulty test backend runs the reference backend's kernels.  tests/base_*,
# tests/core_* and tests/tool_* are unit tests of those folders and of tools, and may look
# inside; tests/cpu_* and tests/kernels_* compare the kernels of two backends.  opencl and cuda share
# lib/backends/device; tests/cuda* know the declarations of cuda.
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
      if (system("test -f '" folder(file) "/" name "' -o -f '" folder(file) "/../" name "'") != 0 ||
          layer !~ /^(tests|tools|examples|bench|kits|backends|core|base|api|composite|inherit)$/)
        why = "not in the file's own folder"
    } else if (layer == "tests" && name ~ /^data\//)  # tables that the tests read
      ;
    else if (index(name, own) == 1 || index("lib/" name, "lib/" own) == 1)
      ;
    else if (layer == "inherit" && name == "core/region.h") # what libheddle has for it alone
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
    else if (layer == "tests" && (file ~ /^tests\/base_/ && name ~ /^base\// ||
                                  file ~ /^tests\/core_/ && name ~ /^(base|core)\// ||
                                  file ~ /^tests\/(cpu|kernels|opencl)_/ && name ~ /^(base|backends)\// ||
                                  file ~ /^tests\/cuda/ && name ~ /^backends\/(cuda|device)\// ||
                                  file ~ /^tests\/tool_/ && name ~ /^tools\//))
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
offences=$(printf '%s\n' 'lib/base/x.c	"core/array.h"' 'lib/core/x.c	"api/check.h"' \
  'lib/kits/match/x.c	"core/array.h"' 'lib/kits/match/x.c	<heddle/backend.h>' 'lib/kits/match/x.c	<heddle/kernel.h>' \
  'tools/x.c	"core/array.h"' 'lib/core/x.c	<fftw3.h>' 'include/heddle/x.h	"y.h"' \
  'lib/backends/cpu/x.c	"core/array.h"' 'tests/ops_x.c	"base/shape.h"' \
  'lib/kits/match/x.c	<png.h>' 'tests/kit_x.c	"tools/x.h"' 'tests/tool_x.c	"core/array.h"' |
  awk -f "$tmp/check.awk" | wc -l)
is "$((offences))" 13 'thirteen offences against the layers are seen'
fine=$(printf '%s\n' 'lib/api/x.c	"core/dispatch.h"' 'lib/backends/cpu/x.c	<fftw3.h>' \
  'tests/base_x.c	"base/shape.h"' 'tools/x.c	<heddle/kits/match.h>' \
  'tests/tool_x.c	"tools/x.h"' 'tools/x.c	<png.h>' 'tests/tool_x.c	<png.h>' |
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
done_testing
