#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Other tests under modules/cancel.c: no cancellation point is reached, where it is one, while a lock of Heddle's is held. A
# thread that was cancelled there would keep the lock, and whoever wants it next would wait for ever.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"

[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'a library that is preloaded comes before the sanitizer'
lib=$builddir/tests/modules/.libs/cancel.so
[ -f "$lib" ] || skip_all "$lib is not there"
command -v addr2line >/dev/null || skip_all 'no addr2line, which names functions'

# What touches modules, settings, memory, files, plans, chains, streams and devices, programs, forks, checkpoints.
tests='core/config core/device api/npy api/fft_plan api/einsum io/npz io/replace io/shared memory/limits memory/pool
  streams/order streams/exchange device/ops device/pinned opencl/cold opencl/sync opencl/threads scenario/fork scenario/fft
  scenario/loss fuse/chain match/pool cli/wisdom'
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
    { s = $1 " under the lock of " name[$2] ": "; for (i = 3; i <= NF; i++) s = s (i > 3 ? " < " : "") name[$i]; print s }' \
    "$tmp/names" "$tmp/found" | sort -u
}
touch "$tmp/found"
none "$(named)" 'none of them could be cancelled with a lock held'

# What it finds, and what not: a library of such a name sleeps with its lock held, also where it cannot be cancelled, and waits
# without and with something to clean up.
cat >"$tmp/held.c" <<'C'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static const struct timespec past;
static void unlock(void *unused) { (void)unused; pthread_mutex_unlock(&lock); }
void sleeps(void) { pthread_mutex_lock(&lock); usleep(1); pthread_mutex_unlock(&lock); }
void waits(void) { pthread_mutex_lock(&lock); pthread_cond_timedwait(&never, &lock, &past); pthread_mutex_unlock(&lock); }
void rests(void) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); usleep(1); }
void hides(void)
{
  int was;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
  sleeps();
  pthread_setcancelstate(was, NULL);
}
void cleans(void)
{
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, NULL);
  pthread_cond_timedwait(&never, &lock, &past);
  pthread_cleanup_pop(1);
}
C
echo 'void FN(void); int main(void) { FN(); return 0; }' >"$tmp/main.c"
# $CC may be several words.
# shellcheck disable=SC2086
found() {
  rm -f "$tmp/found"
  $CC -DFN="$1" -o "$tmp/main" "$tmp/main.c" "$tmp/libheddle-held.so" -Wl,-rpath,"$tmp" &&
    HEDDLE_TEST_CANCEL=$tmp/found LD_PRELOAD=$lib "$tmp/main" && touch "$tmp/found" && named
}
# shellcheck disable=SC2086
if $CC -shared -fPIC -fexceptions -pthread -o "$tmp/libheddle-held.so" "$tmp/held.c" 2>"$tmp/out"; then
  is "$(found sleeps)" 'usleep under the lock of sleeps: sleeps' 'a sleep with a lock held is found'
  is "$(found waits)" 'pthread_cond_timedwait under the lock of waits: waits' 'so is a wait that would keep its lock'
  is "$(found rests)$(found hides)$(found cleans)" '' 'not one after the lock, with cancellation off, or that cleans up'
else
  skip "no library: $(head -1 "$tmp/out")"
fi
done_testing
