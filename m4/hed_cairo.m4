# SPDX-License-Identifier: BSD-3-Clause
# Cairo, for the pictures of the tool; the library does without.  Sets CAIRO_CFLAGS, CAIRO_LIBS, the
# conditional HAVE_CAIRO and the macro HED_HAVE_CAIRO.
AC_DEFUN([HED_CAIRO],
[AC_ARG_WITH([cairo],
  [AS_HELP_STRING([--with-cairo], [Cairo, with which the tool draws its pictures [auto]])],
  [], [with_cairo=auto])
hed_cairo=no
AS_IF([test "x$with_cairo" = xno], [hed_cairo_why='switched off by --without-cairo'],
  [PKG_CHECK_MODULES([CAIRO], [cairo >= 1.14 cairo-png cairo-svg cairo-pdf], [hed_cairo=yes],
    [hed_cairo_why='Cairo 1.14 with PNG, SVG and PDF was not found by pkg-config'])])
AS_IF([test $hed_cairo = no && test "x$with_cairo" = xyes],
  [AC_MSG_ERROR([--with-cairo was given, but $hed_cairo_why])])
AM_CONDITIONAL([HAVE_CAIRO], [test $hed_cairo = yes])
AC_SUBST([HED_CAIRO], [$hed_cairo])
AS_IF([test $hed_cairo = yes],
  [AC_DEFINE([HED_HAVE_CAIRO], [1], [Cairo is there])
   HED_SUMMARY([pictures of the tool], [yes (Cairo)])],
  [HED_SUMMARY([pictures of the tool], [no: $hed_cairo_why])])])
