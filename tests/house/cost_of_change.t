#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What HACKING promises of additions, done on a copy of the tree and built there without optimization and without the cpu
# module: an elementwise operation by three edits, a structured one by five, a backend, a kit and a command of the tool.
# That nothing else was touched is a comparison of the copy with the tree.
# reads: configure.ac Makefile.am *.mk *.m4 *.def *.awk tests/env.sh.in tests/tap.h examples/backend/mirror.c
# reads: include/heddle/backend.h include/heddle/ops/create.h lib/backends/reference/move.c lib/composite/grid.c
# reads: tests/api/make/arrange.c tests/tap.sh tools/tool.h
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
why=$("$srcdir/tests/changed" "$0") || skip_all "$why"
for program in autoreconf libtoolize pkg-config diff tar; do
  command -v $program >/dev/null || skip_all "no $program"
done
copy=$tmp/copy
mkdir "$copy"
if [ -e "$srcdir/.git" ] && command -v git >/dev/null; then
  git -C "$srcdir" ls-files --cached --others --exclude-standard | sort -u |
    tar cf - -C "$srcdir" --ignore-failed-read -T - 2>/dev/null | tar xf - -C "$copy"
else
  tar cf - -C "$srcdir" --exclude=./build --exclude=./.git . | tar xf - -C "$copy"
fi
chmod -R u+w "$copy"
cp -a "$copy" "$tmp/before"
cd "$copy" || exit 255

# after FILE PATTERN: standard input is put behind the first line that matches.
after() {
  cat >"$tmp/text"
  awk -v text="$tmp/text" -v pattern="$2" '{ print }
    !done && $0 ~ pattern { while ((getline line < text) > 0) print line; done = 1 }' "$1" >"$tmp/edited"
  cmp -s "$1" "$tmp/edited" && diag "$1: no line matches '$2'"
  cat "$tmp/edited" >"$1"
}
# touched NAME FILE...: since the last call these files, and no others, have changed or are new.
touched() {
  name=$1
  shift
  is "$(diff -rq "$tmp/before" . | sed -n -e 's|^Files .* and \./\(.*\) differ$|\1|p' -e 's|^Only in \./*\(.*\): \(.*\)|\1/\2|p' |
    LC_ALL=C sort | tr '\n' ' ')" "$(printf '%s\n' "$@" | LC_ALL=C sort | tr '\n' ' ')" "$name"
  rm -rf "$tmp/before"
  cp -a . "$tmp/before"
}

# ---- an elementwise operation: its row, its formula, its case ----
after include/heddle/ops.def '^HED_UNARY[(]SQUARE,' <<'TEXT'
HED_UNARY(CUBE, cube, "bifc", SAME, 1, "x * x * x")
TEXT
after lib/base/formulas/formulas.def '^HED_MAP1[(]SQUARE, COMPLEX,' <<'TEXT'
HED_MAP1(CUBE, BOOL, T, x)
HED_MAP1(CUBE, INTEGER, T, W(x) * W(x) * W(x))
HED_MAP1(CUBE, FLOAT, T, x * x * x)
HED_MAP1(CUBE, COMPLEX, T, times(times(x, x), x))
TEXT
after tests/cases.def '^HED_CASE[(]square,' <<'TEXT'
HED_CASE(cube, unary, -9, 9, 2, WRAP | SIZES, "3")
TEXT
touched 'an elementwise operation is three edits' include/heddle/ops.def lib/base/formulas/formulas.def tests/cases.def

# ---- a structured operation: its row, its prototype, its body, its reference kernel, its tests ----
after include/heddle/ops.def '^HED_OP[(]TRIU,' <<'TEXT'
HED_OP(BACKWARDS, backwards, KERNEL, "bifc", SAME, "x:array", 1, "a copy with all axes reversed")
TEXT
after include/heddle/ops/create.h '^HED_NEW hed_array .hed_triu' <<'TEXT'

/* A copy of X with all its axes reversed. */
HED_NEW hed_array *hed_backwards(const hed_array *x);
TEXT
cat >>lib/composite/grid.c <<'TEXT'

hed_array *HED_BODY(backwards)(const hed_array *x)
{
  hed__exec ex;
  if (!hed__given(x, "backwards", "x") || hed__plan(&ex, HED_OP_BACKWARDS, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(ex.device, x->view.dtype, x->view.ndim, x->view.dim);
  if (out && hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .compute = x->view.dtype }) != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  hed__exec_end(&ex);
  return out;
}
TEXT
cat >>lib/backends/reference/move.c <<'TEXT'

REF_KERNEL(backwards)
{
  (void)state;
  hed_view from = *call->in[0];
  for (int32_t k = 0; k < from.ndim; k++) {
    from.data = (char *)from.data + (from.dim[k] - 1) * from.stride[k];
    from.stride[k] = -from.stride[k];
  }
  copy(call->out[0], &from);
  return HED_OK;
}
TEXT
after tests/cases.def '^HED_CASE[(]triu,' <<'TEXT'
HED_CASE_ELSEWHERE(backwards, "1")
TEXT
after tests/api/make/arrange.c 'tril far above' <<'TEXT'
  api_is(hed_backwards(x), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(5, 4, 3, 2, 1, 0), "hed_backwards");
  hed_array *cube = hed_cube(x);
  api_is(cube, HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 8, 27, 64, 125), "hed_cube");
TEXT
touched 'a structured operation is five edits' include/heddle/ops.def include/heddle/ops/create.h lib/composite/grid.c \
  lib/backends/reference/move.c tests/cases.def tests/api/make/arrange.c

# ---- a backend: its folder and two lines ----
mkdir lib/backends/looking_glass
sed 's/"mirror"/"looking_glass"/g' examples/backend/mirror.c >lib/backends/looking_glass/plugin.c
cat >lib/backends/looking_glass/local.mk <<'TEXT'
# SPDX-License-Identifier: BSD-3-Clause
# A backend of the test of changes.

hed_host_backends += looking_glass
heddlemod_LTLIBRARIES += lib/backends/looking_glass.la
lib_backends_looking_glass_la_SOURCES = lib/backends/looking_glass/plugin.c
lib_backends_looking_glass_la_LDFLAGS = -module $(HED_MODULE_LDFLAGS)
TEXT
after lib/backends/local.mk 'reference/local.mk' <<'TEXT'
include $(srcdir)/lib/backends/looking_glass/local.mk
TEXT
after configure.ac '^HED_CPU_BACKEND' <<'TEXT'
HED_SUMMARY([backend looking_glass], [yes])
TEXT
touched 'a backend is its folder and two lines' lib/backends/looking_glass lib/backends/local.mk configure.ac

# ---- a kit: its folder with its header and its tests, and two lines ----
mkdir lib/kits/count
cat >lib/kits/count/local.mk <<'TEXT'
# SPDX-License-Identifier: BSD-3-Clause
# A kit of the test of changes.

heddlekits_HEADERS += include/heddle/kits/count.h
lib_kits_libkits_la_SOURCES += lib/kits/count/count.c
TEXT
cat >include/heddle/kits/count.h <<'TEXT'
// SPDX-License-Identifier: BSD-3-Clause
/* Counting: the public header of the count kit. */
#ifndef HEDDLE_KITS_COUNT_H
#define HEDDLE_KITS_COUNT_H
#include <heddle.h>
HED_BEGIN_DECLS
/* How many elements of X are not 0; -1 with the error set. */
HED_API int64_t hed_count_all(const hed_array *x);
HED_END_DECLS
#endif
TEXT
cat >lib/kits/count/count.c <<'TEXT'
// SPDX-License-Identifier: BSD-3-Clause
/* Counting, by the public interface. */
#include <heddle/kits/count.h>

int64_t hed_count_all(const hed_array *x)
{
  double n;
  hed_array *sum = hed_count_nonzero(x, NULL);
  const hed_status status = hed_item(sum, &n);
  hed_release(sum);
  return status == HED_OK ? (int64_t)n : -1;
}
TEXT
mkdir tests/count
cat >tests/count/local.mk <<'TEXT'
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the kit of the test of changes.
check_PROGRAMS += tests/count/count.t
tests_count_count_t_SOURCES = tests/count/count.c
tests_count_count_t_LDADD = $(kits_libs)
TEXT
cat >tests/count/count.c <<'TEXT'
// SPDX-License-Identifier: BSD-3-Clause
/* A test of the kit of the test of changes. */
#include "tap.h"
#include <heddle/kits/count.h>

int main(void)
{
  const double values[] = { 1, 0, 3 };
  hed_array *x = hed_from_doubles(values, HED_SHAPE(3), HED_FLOAT32);
  is_int(hed_count_all(x), 2, "two of three");
  hed_release(x);
  return done();
}
TEXT
after lib/kits/local.mk 'match/local.mk' <<'TEXT'
include $(srcdir)/lib/kits/count/local.mk
TEXT
after tests/local.mk 'tests/match/local.mk' <<'TEXT'
include $(srcdir)/tests/count/local.mk
TEXT
touched 'a kit is its folder, its header, its tests and two lines' lib/kits/count include/heddle/kits/count.h tests/count \
  lib/kits/local.mk tests/local.mk

# ---- a command of the tool: its file and a row ----
cat >tools/cmd_greet.c <<'TEXT'
// SPDX-License-Identifier: BSD-3-Clause
/* cmd_greet.c: `heddle greet`. */
#include "tool.h"

static int run_command(int argc, char **argv)
{
  (void)argv;
  return printf("%d argument\n", argc - 1) < 0 ? STATUS_NEGATIVE : STATUS_OK;
}

const tool_command cmd_greet = { "greet", "say how many arguments there are", run_command };
TEXT
after tools/local.mk '^tool_commands =' <<'TEXT'
  tools/cmd_greet \
TEXT
touched 'a command is its file and a row' tools/cmd_greet.c tools/local.mk

# ---- all of it, built; the cases of two operations alone, to be quick ----
mkdir build
log=$tmp/log
if (autoreconf -fi && cd build && ../configure --enable-werror --without-fftw --without-cairo CC="$CC" CXX="$CXX" CFLAGS=-O0 &&
  make -j2 tools/heddle lib/backends/looking_glass.la tests/conform/conform tests/api/make/arrange.t \
    tests/count/count.t) >"$log" 2>&1; then
  ok 0 'it builds'
else
  ok 1 'it builds'
  diag "$(grep -E -A 6 'undefined reference| error: |\*\*\*' "$log" | head -60)"
  done_testing
fi
cd build || exit 255
unset HEDDLE_TEST_SRCDIR HEDDLE_TEST_BUILDDIR HEDDLE_TOOL
. tests/env.sh
./tests/conform/conform cube add >"$log" 2>&1
ok $? 'every backend agrees with the reference'
is "$(grep -c '^ok .*: cube$' "$log")" 2 'on the elementwise operation, by both backends that there are'
./tests/api/make/arrange.t >"$log" 2>&1
ok $? 'the values are right'
is "$(grep -cE '^ok [0-9]* - hed_(backwards|cube):?' "$log")" 2 'of both operations'
./tools/heddle info --ops >"$log" 2>&1
is "$(grep -cE '^  (cube|backwards): ' "$log")" 2 'which the tool lists'
./tools/heddle info --json | grep -q '"looking_glass"'
ok $? 'with the backend'
printf '%s\n' '#include <heddle.h>' 'int main(void) { return hed_backend_require("looking_glass") != HED_OK; }' >"$tmp/use.c"
# shellcheck disable=SC2086
$CC -I"$copy/include" -Iinclude "$tmp/use.c" -o "$tmp/use" -Llib/.libs -lheddle &&
  LD_LIBRARY_PATH=lib/.libs "$tmp/use"
ok $? 'which can be used'
./tests/count/count.t >"$log" 2>&1
ok $? 'the kit works'
is "$(./tools/heddle greet once)" '1 argument' 'the command runs'
./tools/heddle --help | grep -q '^  greet      say how many arguments there are$'
ok $? 'and --help names it'
# The cpu module takes the elementwise operation from the lists too.
$CC -E -D_GNU_SOURCE= -I"$copy/include" -Iinclude -I"$copy/lib" "$copy/lib/backends/cpu/elementwise/map.c" >"$log"
grep -q 'cube_row' "$log"
ok $? 'the cpu backend has the elementwise operation'
done_testing
