# SPDX-License-Identifier: BSD-3-Clause
# libzip, for archives of arrays (.npz).  Only its header is needed here: the library opens it at run
# time, when the first archive is.  Sets LIBZIP_CFLAGS and the macro HED_HAVE_LIBZIP.
AC_DEFUN([HED_LIBZIP],
[AC_ARG_WITH([libzip],
  [AS_HELP_STRING([--with-libzip], [libzip, for .npz archives [auto]])],
  [], [with_libzip=auto])
hed_libzip=no
AS_IF([test "x$with_libzip" = xno], [hed_libzip_why='switched off by --without-libzip'],
  [PKG_CHECK_MODULES([LIBZIP], [libzip >= 1.7], [hed_libzip=yes],
    [hed_libzip_why='libzip 1.7 was not found by pkg-config'])])
AS_IF([test $hed_libzip = no && test "x$with_libzip" = xyes],
  [AC_MSG_ERROR([--with-libzip was given, but $hed_libzip_why])])
AC_SUBST([HED_LIBZIP], [$hed_libzip])
AS_IF([test $hed_libzip = yes],
  [AC_DEFINE([HED_HAVE_LIBZIP], [1], [libzip's header is there])
   HED_SUMMARY([archives (.npz)], [yes (libzip, opened at run time)])],
  [HED_SUMMARY([archives (.npz)], [no: $hed_libzip_why])])])
