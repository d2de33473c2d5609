# SPDX-License-Identifier: BSD-3-Clause
# Foreign thread pools that the tests use as hosts; the library never needs them.
AC_DEFUN([HED_TEST_HOSTS],
[PKG_CHECK_MODULES([GLIB], [glib-2.0 gthread-2.0],
  [hed_glib=yes; HED_SUMMARY([tests with GLib], [yes])],
  [hed_glib=no; HED_SUMMARY([tests with GLib], [no: glib-2.0 was not found by pkg-config])])
AM_CONDITIONAL([HAVE_GLIB], [test $hed_glib = yes])
PKG_CHECK_MODULES([UV], [libuv],
  [hed_uv=yes; HED_SUMMARY([tests with libuv], [yes])],
  [hed_uv=no; HED_SUMMARY([tests with libuv], [no: libuv was not found by pkg-config])])
AM_CONDITIONAL([HAVE_UV], [test $hed_uv = yes])
AS_IF([test -n "$PROVE"], [HED_SUMMARY([make prove], [yes])],
  [HED_SUMMARY([make prove], [no: prove (perl) was not found])])])
