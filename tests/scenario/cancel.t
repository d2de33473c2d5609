#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Other tests under modules/cancel.c: no function of Heddle's is a cancellation point, nor what it calls. A thread that was cancelled
# there would keep locks, the driver's too, and whoever wants them next would wait for ever.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"

[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'a library that is preloaded comes before the sanitizer'
lib=$builddir/tests/modules/.libs/cancel.so
[ -f "$lib" ] || skip_all "$lib is not there"
command -v addr2line >/dev/null || skip_all 'no addr2line, which names functions'

# What touches modules, settings, memory, files, plans, chains, streams and devices, programs, forks, checkpoints.
tests='core/config core/device api/file/npy api/fft/plan api/linalg/einsum io/npz io/replace io/shared memory/limits memory/pool
  streams/order streams/exchange device/ops device/pinned opencl/cold opencl/sync opencl/threads scenario/fork scenario/fft
  scenario/loss scenario/plugins fuse/chain match/pool cli/wisdom'
[ "${HEDDLE_TEST_FULL:-0}" != 1 ] || tests="$tests match/parts match/checkpoint opencl/fuse"

HEDDLE_TEST_SCALE=0.1
export HEDDLE_TEST_SCALE
for t in $tests; do
  program=$builddir/tests/$t.t
  [ -x "$program" ] || program=$srcdir/tests/$t.t
  HEDDLE_TEST_CANCEL=$tmp/found LD_PRELOAD=$lib "$program" >"$tmp/out" 2>&1
  status=$?
  ok $status "$t passes under it"
  [ "$status" -eq 0 ] || diag "$(grep -v '^ok' "$tmp/out")"
done

# file+0xoffset, each in place of its function.
named() {
  awk -F'\t' '{ for (i = 2; i <= NF; i++) print $i }' "$tmp/found" | sort -u | while IFS=+ read -r file offset; do
    printf '%s+%s\t%s\n' "$file" "$offset" "$(addr2line -f -e "$file" "$offset" 2>/dev/null | head -1)"
  done >"$tmp/names"
  awk -F'\t' 'FNR == NR { name[$1] = $2; next }
    { s = $1 ": "; for (i = 2; i <= NF; i++) s = s (i > 2 ? " < " : "") name[$i]; print s }' \
    "$tmp/names" "$tmp/found" | sort -u
}
touch "$tmp/found"
none "$(named)" 'no thread could be cancelled in any of them'

# What it finds, and what not: a library of such a name sleeps, also by another one, with cancellation off, and in a function of
# the program's.
cat >"$tmp/other.c" <<'C'
#include <unistd.h>
void sleep_there(void) { usleep(1); }
C
cat >"$tmp/held.c" <<'C'
#include <pthread.h>
#include <unistd.h>
void sleep_there(void);
void call(void (*fn)(void)) { fn(); }
void sleeps(void) { usleep(1); }
void elsewhere(void) { sleep_there(); }
void hides(void)
{
  int was;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
  sleeps();
  elsewhere();
  pthread_setcancelstate(was, NULL);
}
C
cat >"$tmp/main.c" <<'C'
#include <unistd.h>
void FN(void);
void call(void (*fn)(void));
static void own(void) { usleep(1); }
int main(void) { FN(); call(own); return 0; }
C
# $CC may be several words.
# shellcheck disable=SC2086
found() {
  rm -f "$tmp/found"
  $CC -DFN="$1" -o "$tmp/main" "$tmp/main.c" "$tmp/libheddle-held.so" -Wl,-rpath,"$tmp" &&
    HEDDLE_TEST_CANCEL=$tmp/found LD_PRELOAD=$lib "$tmp/main" && touch "$tmp/found" && named
}
# shellcheck disable=SC2086
if $CC -shared -fPIC -o "$tmp/libother.so" "$tmp/other.c" 2>"$tmp/out" && $CC -shared -fPIC -pthread -fno-optimize-sibling-calls \
    -o "$tmp/libheddle-held.so" "$tmp/held.c" "$tmp/libother.so" -Wl,-rpath,"$tmp" 2>"$tmp/out"; then
  is "$(found sleeps)" 'usleep: sleeps' 'a sleep is found'
  is "$(found elsewhere)" 'usleep: elsewhere' 'so is one in a library that it calls'
  is "$(found hides)" '' 'not one with cancellation off, nor one in a function of the program'
else
  skip "no library: $(head -1 "$tmp/out")"
fi
done_testing
