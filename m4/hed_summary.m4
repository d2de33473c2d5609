# SPDX-License-Identifier: BSD-3-Clause
# HED_SUMMARY(NAME, VALUE) remembers a line; HED_SUMMARY_PRINT shows them all.
# VALUE is expanded by the shell; a part that is off says why.
AC_DEFUN([HED_SUMMARY],
[AS_VAR_APPEND([hed_summary], ["  $(printf '%-22s' "$1")  $2
"])])

AC_DEFUN([HED_SUMMARY_PRINT],
[AS_ECHO(["
Heddle $PACKAGE_VERSION

  prefix                  $prefix
  modules                 $(eval eval echo $libdir)/heddle/backends
  compiler                $CC
  flags                   $CFLAGS
$hed_summary"])])
