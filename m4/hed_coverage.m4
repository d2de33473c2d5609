# SPDX-License-Identifier: BSD-3-Clause
# --enable-coverage: count how often each line runs, for `make coverage`, without optimization, which
# would join lines.  The flags go before AC_PROG_CC, which would choose -O2.
AC_DEFUN([HED_COVERAGE_FLAGS],
[AS_IF([test "x${enable_coverage-no}" != xno],
  [: "${CFLAGS=-O0 -g}" "${CXXFLAGS=-O0 -g}"
   AS_VAR_APPEND([CFLAGS], [" --coverage -fprofile-update=atomic"])
   AS_VAR_APPEND([CXXFLAGS], [" --coverage -fprofile-update=atomic"])
   AS_VAR_APPEND([LDFLAGS], [" --coverage"])])])

AC_DEFUN([HED_COVERAGE],
[AC_ARG_ENABLE([coverage],
  [AS_HELP_STRING([--enable-coverage], [count how often each line runs, for `make coverage' [no]])],
  [], [enable_coverage=no])
AC_ARG_VAR([GCOVR], [the program that `make coverage' reads the counts with])
AC_PATH_PROG([GCOVR], [gcovr], [])
AS_IF([test "x$enable_coverage" = xno], [HED_SUMMARY([coverage], [no (--enable-coverage)])],
  [test -n "$GCOVR"], [HED_SUMMARY([coverage], [yes, make coverage])],
  [HED_SUMMARY([coverage], [counted, but gcovr was not found])])])
