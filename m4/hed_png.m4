# SPDX-License-Identifier: BSD-3-Clause
# libpng, for the tests only: it decodes the pictures that the match kit writes by itself.
AC_DEFUN([HED_PNG],
[AC_ARG_WITH([png],
  [AS_HELP_STRING([--with-png], [let libpng check pictures in the tests [auto]])],
  [], [with_png=auto])
hed_png=no
AS_IF([test "x$with_png" = xno], [hed_png_why='switched off by --without-png'],
  [PKG_CHECK_MODULES([PNG], [libpng], [hed_png=yes],
    [hed_png_why='libpng was not found by pkg-config'])])
AS_IF([test $hed_png = no && test "x$with_png" = xyes],
  [AC_MSG_ERROR([--with-png was given, but $hed_png_why])])
AM_CONDITIONAL([HAVE_PNG], [test $hed_png = yes])
AS_IF([test $hed_png = yes],
  [AC_DEFINE([HED_HAVE_PNG], [1], [libpng is there])
   HED_SUMMARY([tests with libpng], [yes])],
  [HED_SUMMARY([tests with libpng], [no: $hed_png_why])])])
