#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the control group grants is the capacity for threads: of a group within a group the least, rounded up.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
. "$srcdir/tests/cgroup.sh"

heddle=$builddir/tools/heddle
[ -x "$heddle" ] || skip_all "$heddle is not built"
[ "$(nproc)" -ge 2 ] || skip_all 'one processor: a limit of one would not show'
control_group cpu

# limit QUOTA-OF-100000
limit() {
  if [ -e "$group/cpu.max" ]; then echo "$1 100000" >"$group/cpu.max"
  else echo 100000 >"$group/cpu.cfs_period_us" && echo "$1" >"$group/cpu.cfs_quota_us"
  fi
}
capacity() { "$heddle" info | sed -n 's/^processors to use: //p'; }
mkdir "$group/in" && limit 100000 2>/dev/null || skip_all 'the control group does not ration processors'
before=$(capacity)
is "$(in_group "$group/in" capacity)" 1 'a quota of one processor, given to the group above'
limit 150000
is "$(in_group "$group/in" capacity)" 2 'one and a half are rounded up'
is "$(HEDDLE_NUM_THREADS=1 in_group "$group/in" capacity)" 1 'the setting may ask for less'
is "$(capacity)" "$before" 'outside the group all is as before'
done_testing
