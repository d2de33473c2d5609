# SPDX-License-Identifier: BSD-3-Clause
# Runs the driver of one test, and adds to the test's .trs file what it took: after a line `:clock:' what `times' says, user and
# system seconds of this shell and, in the second line, of all that it ran.  make ignores both; tests/slowest.sh reads them.
"$@"
status=$?
while [ $# -gt 1 ]; do
  [ "$1" != --trs-file ] || { echo ':clock:'; times; } >>"$2"
  shift
done
exit $status
