# SPDX-License-Identifier: BSD-3-Clause
# libpng, for the pictures of the tool; the library does without.  Sets PNG_CFLAGS, PNG_LIBS, the
# conditional HAVE_PNG and the macro HED_HAVE_PNG.
AC_DEFUN([HED_PNG],
[AC_ARG_WITH([png],
  [AS_HELP_STRING([--with-png], [libpng, with which the tool draws its pictures [auto]])],
  [], [with_png=auto])
hed_png=no
AS_IF([test "x$with_png" = xno], [hed_png_why='switched off by --without-png'],
  [PKG_CHECK_MODULES([PNG], [libpng >= 1.6], [hed_png=yes],
    [hed_png_why='libpng 1.6 was not found by pkg-config'])])
AS_IF([test $hed_png = no && test "x$with_png" = xyes],
  [AC_MSG_ERROR([--with-png was given, but $hed_png_why])])
AM_CONDITIONAL([HAVE_PNG], [test $hed_png = yes])
AC_SUBST([HED_PNG], [$hed_png])
AS_IF([test $hed_png = yes],
  [AC_DEFINE([HED_HAVE_PNG], [1], [libpng is there])
   HED_SUMMARY([pictures of the tool], [yes (libpng)])],
  [HED_SUMMARY([pictures of the tool], [no: $hed_png_why])])])
