# SPDX-License-Identifier: BSD-3-Clause
# OpenMP is used by the cpu backend module and by tests, never by libheddle itself.
AC_DEFUN([HED_OPENMP],
[AC_OPENMP
AS_IF([test "x$enable_openmp" = xno],
  [hed_openmp_why='switched off by --disable-openmp'; hed_openmp=no],
  [test "x$ac_cv_prog_c_openmp" = xunsupported],
  [hed_openmp_why="$CC has no OpenMP"; hed_openmp=no],
  [hed_openmp=yes])
AM_CONDITIONAL([HAVE_OPENMP], [test $hed_openmp = yes])
AS_IF([test $hed_openmp = yes], [HED_SUMMARY([OpenMP], [yes ($OPENMP_CFLAGS)])],
  [HED_SUMMARY([OpenMP], [no: $hed_openmp_why])])])
