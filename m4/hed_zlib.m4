# SPDX-License-Identifier: BSD-3-Clause
# zlib, for compressed variables of MATLAB's files (.mat).  Only its header is needed here: the kit opens the library at run time,
# when the first such variable is read.  Sets ZLIB_CFLAGS and the macro HED_HAVE_ZLIB.
AC_DEFUN([HED_ZLIB],
[AC_ARG_WITH([zlib],
  [AS_HELP_STRING([--with-zlib], [zlib, for compressed .mat files [auto]])],
  [], [with_zlib=auto])
hed_zlib=no
AS_IF([test "x$with_zlib" = xno], [hed_zlib_why='switched off by --without-zlib'],
  [PKG_CHECK_MODULES([ZLIB], [zlib >= 1.2], [hed_zlib=yes],
    [hed_zlib_why='zlib 1.2 was not found by pkg-config'])])
AS_IF([test $hed_zlib = no && test "x$with_zlib" = xyes],
  [AC_MSG_ERROR([--with-zlib was given, but $hed_zlib_why])])
AC_SUBST([HED_ZLIB_FOUND], [$hed_zlib])
AS_IF([test $hed_zlib = yes],
  [AC_DEFINE([HED_HAVE_ZLIB], [1], [zlib's header is there])
   HED_SUMMARY([compressed .mat files], [yes (zlib, opened at run time)])],
  [HED_SUMMARY([compressed .mat files], [no: $hed_zlib_why])])])
