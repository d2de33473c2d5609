#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The kernel's own control groups, where some can be made: a limit on memory is what there is, the pool keeps an eighth of
# it, and of a group within a group the least counts.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
. "$srcdir/tests/cgroup.sh"

heddle=$builddir/tools/heddle
[ -x "$heddle" ] || skip_all "$heddle is not built"
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'a sanitizer takes memory of its own'
control_group memory

# limit GROUP MIB
limit() {
  if [ -e "$1/memory.max" ]; then echo "$2M" >"$1/memory.max"
  else echo "$2M" >"$1/memory.limit_in_bytes"
  fi
}
rest() { sed 's/.* of /of /; s/ kept.*//'; }
memory() { "$heddle" info | sed -n 's/^host memory: //p'; }
[ -e "$group/memory.max" ] || [ -e "$group/memory.limit_in_bytes" ] ||
  skip_all 'the control group does not ration memory'
if [ -e "$group/cgroup.subtree_control" ]; then echo +memory >"$group/cgroup.subtree_control"; fi 2>/dev/null
mkdir "$group/in" && limit "$group" 512 2>/dev/null || skip_all 'the control group does not ration memory'
before=$(memory | rest)
is "$(in_group "$group/in" memory | rest)" 'of 512 MiB, at most 64 MiB' 'a limit given to the group above, and an eighth of it to keep'
left=$(in_group "$group/in" memory | sed 's/ MiB.*//')
[ "$left" -gt 400 ] && [ "$left" -le 512 ]
ok $? "what is in use is not to be had ($left MiB)"
if limit "$group/in" 256 2>/dev/null; then
  is "$(in_group "$group/in" memory | rest)" 'of 256 MiB, at most 32 MiB' 'less in the group itself'
else
  skip 'groups below do not ration memory'
fi
is "$(memory | rest)" "$before" 'outside the group all is as before'
done_testing
