# SPDX-License-Identifier: BSD-3-Clause
# Control groups of the kernel's own, for tests: `. "$srcdir/tests/cgroup.sh"` after tap.sh.

# control_group CONTROLLER: makes one, $group, which goes at the end with a group `in` within it; skips all where none
# can be made.
control_group() {
  group=/sys/fs/cgroup/$1/heddle-test-$$
  [ -w "/sys/fs/cgroup/$1" ] && mkdir "$group" 2>/dev/null ||
    { group=/sys/fs/cgroup/heddle-test-$$; mkdir "$group" 2>/dev/null; } ||
    skip_all 'no control group can be made here'
  trap 'rm -rf "$tmp"; rmdir "$group/in" "$group" 2>/dev/null' EXIT
}

# in_group GROUP COMMAND...: runs it there.
in_group() (
  if [ -e "$1/tasks" ]; then echo 0 >"$1/tasks"; else echo 0 >"$1/cgroup.procs"; fi || exit 1
  shift
  "$@"
)
