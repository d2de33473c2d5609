#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle match --mpi with 1 to 3 ranks: the same files as one process writes; a rank that is killed is named, and what it lost is
# done again by another number of ranks; files that exist are safe; without a module, a sentence.
# MPIRUN: what starts the ranks, mpirun.mpich with a HEDDLE_MPI_MODULE that was built with MPICH.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
mpirun=${MPIRUN:-mpirun}
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
d=$tmp/data
heddle simulate -o "$d" --shape 24 --voxel 16 --resolution 40 --copies 2 --snr 1 >/dev/null || exit 1

HEDDLE_MPI_MODULE=$tmp/none.so heddle match "$d/tomogram.mrc" "$d/template.mrc" -o "$tmp/none" --mpi 2>"$tmp/err"
is "$? $(grep -c 'no module for MPI' "$tmp/err")" '2 1' 'without the module a sentence says so'
heddle match "$d/tomogram.mrc" "$d/template.mrc" -o "$tmp/none" --mpi --share 0/2 2>"$tmp/err"
is "$? $(grep -c 'mpi shares by itself' "$tmp/err")" '2 1' 'not together with --share'

[ -e "$HEDDLE_MPI_MODULE" ] || { done_testing; exit 0; }
if ! command -v "$mpirun" >/dev/null || [ "$HEDDLE_TEST_SANITIZERS" != no ]; then
  done_testing
  exit 0
fi
# Open MPI wants to be told that this is a test: as root, and with more ranks than processors.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader \
  OMPI_MCA_hwloc_base_binding_policy=none TMPDIR="$tmp"
if ! timeout 60 "$mpirun" -n 1 true >/dev/null 2>"$tmp/err"; then
  diag "$mpirun does not start anything here: $(head -n 3 "$tmp/err")"
  done_testing
  exit 0
fi

match() { # PREFIX OPTION...
  prefix=$1
  shift
  set -- match "$d/tomogram.mrc" "$d/template.mrc" --mask "$d/mask.mrc" --angular-step 40 --workers 'reference*2' --checkpoint 0.2 \
    -o "$tmp/$prefix" --quiet "$@"
  if [ -n "$ranks" ]; then timeout 300 "$mpirun" -n "$ranks" "$HEDDLE_TOOL" "$@" --mpi; else heddle "$@"; fi
}
# What a process was writing when it was killed has another name, and is nobody's.
checkpoints() { ls "$tmp" | grep hck | grep -vc 'tmp$'; }
same() { # PREFIX NAME
  for f in _scores.mrc _rotations.mrc _rotations.npy _peaks.tsv; do
    cmp -s "$tmp/one$f" "$tmp/$1$f" || diag "$1$f differs"
  done
  cmp -s "$tmp/one_scores.mrc" "$tmp/$1_scores.mrc" && cmp -s "$tmp/one_rotations.mrc" "$tmp/$1_rotations.mrc" &&
    cmp -s "$tmp/one_peaks.tsv" "$tmp/$1_peaks.tsv"
  ok $? "$2"
}
ranks=
match one >"$tmp/one.out"
is $? 0 'one process'
for ranks in 1 2 3; do
  match "r$ranks" >"$tmp/out" 2>"$tmp/err"
  is $? 0 "$ranks ranks"
  [ -s "$tmp/err" ] && diag "$(cat "$tmp/err")"
  same "r$ranks" "$ranks ranks write the same files"
  is "$(grep -c '^  rank' "$tmp/out")" "$ranks" 'each rank is in the summary'
  is "$(grep '^background' "$tmp/out")" "$(grep '^background' "$tmp/one.out")" 'with the same statistics'
  is "$(checkpoints)" 0 'no checkpoint is left'
done
ranks=2
match r2 >/dev/null 2>"$tmp/err"
is "$? $(grep -c -- --force "$tmp/err")" '3 1' 'files that exist are not replaced'
match corrected --background-correction >/dev/null 2>"$tmp/err"
is $? 0 'with background correction'
ranks=
match plain --background-correction >/dev/null
cmp -s "$tmp/plain_scores.mrc" "$tmp/corrected_scores.mrc"
ok $? 'which is that of one process'

# A rank that is killed: its checkpoint names it, the others keep what they have, and two ranks finish what three began.
ranks=3
rank_1() { # PREFIX: its process
  for p in $(ps -eo pid,args | awk -v t="$tmp/$1 " '/--mpi/ && !/mpirun/ && index($0, t) && !/timeout/ { print $1 }'); do
    tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -qxE '(OMPI_COMM_WORLD_RANK|PMI_RANK)=1' && echo "$p"
  done
}
on_its_way() { # PROCESS CHECKPOINT: stopped, has it more to do?
  kill -STOP "$1" 2>/dev/null || return 1
  until grep -q '^State:.[TZX]' "/proc/$1/status" 2>/dev/null || [ ! -e "/proc/$1" ]; do sleep 0.01; done
  head -c 4096 "$2" 2>/dev/null | grep -aqx 'ended = 0'
}
# On a busy machine the others may have taken all rotations before anybody looks: then another search is begun.
kill_one() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    rm -f "$tmp/$1"[._]*
    match "$1" --angular-step 24 >/dev/null 2>"$tmp/err" &
    job=$!
    while [ ! -e "$tmp/$1.hck.1" ] && kill -0 $job 2>/dev/null; do sleep 0.05; done # it is there once the rank begins
    first=$(ls -i "$tmp/$1.hck.1" 2>/dev/null)
    for _ in 1 2 3 4 5 6; do # and another one soon, with rotations
      [ "$(ls -i "$tmp/$1.hck.1" 2>/dev/null)" = "$first" ] || break
      sleep 0.05
    done
    one=$(rank_1 "$1") early=
    [ -n "$one" ] && on_its_way "$one" "$tmp/$1.hck.1" && early=yes
    [ -n "$one" ] && kill -9 "$one" 2>/dev/null
    wait $job
    killed=$?
    [ -z "$early" ] || return $killed
  done
  diag 'rank 1 was done before it was killed, ten times'
  return 0
}
kill_one killed
ok "$([ $? -ne 0 ] && [ -e "$tmp/killed.hck.1" ]; echo $?)" 'a killed rank ends the run, its checkpoint stays'
ranks=2
match killed --angular-step 24 >/dev/null 2>"$tmp/err"
is "$? $(grep -c -- --resume "$tmp/err")" '3 1' 'which is not written over'
match killed --angular-step 24 --resume >"$tmp/out" 2>"$tmp/err"
is $? 0 'two ranks go on'
[ -s "$tmp/err" ] && diag "$(cat "$tmp/err")"
grep -q 'rank 1 of an earlier run died' "$tmp/err"
ok $? 'and name the one that died'
ranks=
match fine --angular-step 24 >/dev/null
cmp -s "$tmp/fine_scores.mrc" "$tmp/killed_scores.mrc" && cmp -s "$tmp/fine_rotations.mrc" "$tmp/killed_rotations.mrc"
ok $? 'to the result of one process'
is "$(checkpoints)" 0 'no checkpoint is left'
done_testing
