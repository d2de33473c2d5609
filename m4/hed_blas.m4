# SPDX-License-Identifier: BSD-3-Clause
# CBLAS and LAPACK.  --with-blas=NAME takes a pkg-config module or a library name; without it
# openblas, blis, cblas and blas are tried in turn.
# Sets hed_blas, hed_blas_why, BLAS_CFLAGS, BLAS_LIBS.
AC_DEFUN([HED_BLAS],
[AC_ARG_WITH([blas],
  [AS_HELP_STRING([--with-blas@<:@=NAME@:>@],
    [library with the CBLAS interface, needed by the cpu backend [auto]])],
  [], [with_blas=auto])
AC_SUBST([BLAS_CFLAGS])
AC_SUBST([BLAS_LIBS])
hed_blas=no
AS_CASE([$with_blas],
  [no], [hed_blas_why='switched off by --without-blas'; hed_blas_try=],
  [auto|yes], [hed_blas_try='openblas blis cblas blas'],
  [hed_blas_try=$with_blas])
hed_save_CPPFLAGS=$CPPFLAGS
hed_save_LIBS=$LIBS
for hed_b in $hed_blas_try; do
  AC_MSG_CHECKING([for CBLAS in $hed_b])
  hed_b_cflags=
  hed_b_libs="-l$hed_b"
  AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists $hed_b 2>/dev/null],
    [hed_b_cflags=`$PKG_CONFIG --cflags $hed_b`
     hed_b_libs=`$PKG_CONFIG --libs $hed_b`])
  CPPFLAGS="$hed_save_CPPFLAGS $hed_b_cflags"
  LIBS="$hed_b_libs $hed_save_LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cblas.h>]],
    [[double x = 1; return cblas_ddot(1, &x, 1, &x, 1) != 1;]])],
    [AC_MSG_RESULT([yes])
     hed_blas=yes
     BLAS_CFLAGS=$hed_b_cflags
     BLAS_LIBS=$hed_b_libs
     break], [AC_MSG_RESULT([no])])
done
AS_IF([test $hed_blas = yes],
  [hed_blas_name=$hed_b
   hed_lapack=no
   hed_blas_only=$LIBS
   for hed_l in '' -llapack; do
     AC_MSG_CHECKING([for LAPACK with $hed_b $hed_l])
     LIBS="$hed_l $hed_blas_only"
     AC_LINK_IFELSE([AC_LANG_PROGRAM([[extern void dgetrf_(void);]], [[dgetrf_();]])],
       [AC_MSG_RESULT([yes])
        hed_lapack=yes
        BLAS_LIBS="$hed_l $BLAS_LIBS"
        break], [AC_MSG_RESULT([no])])
   done
   HED_SUMMARY([BLAS], [yes ($hed_blas_name: $BLAS_LIBS)])
   AS_IF([test $hed_lapack = yes], [HED_SUMMARY([LAPACK], [yes])],
     [HED_SUMMARY([LAPACK], [no: neither in BLAS nor as liblapack])])],
  [AS_IF([test -n "$hed_blas_try"],
     [hed_blas_why="no CBLAS in any of: $hed_blas_try"])
   AS_CASE([$with_blas], [auto|no], [],
     [AC_MSG_ERROR([--with-blas=$with_blas was given, but there is $hed_blas_why])])
   HED_SUMMARY([BLAS], [no: $hed_blas_why])])
CPPFLAGS=$hed_save_CPPFLAGS
LIBS=$hed_save_LIBS])

# The cpu backend is built when BLAS is there, and a loader that gives BLAS an environment of its own; without FFTW its transforms are
# those of the reference backend.
AC_DEFUN([HED_CPU_BACKEND],
[hed_cpu=$hed_blas
AC_CHECK_FUNC([dlmopen], [], [hed_cpu=no; hed_blas_why='the C library has no dlmopen'])
AS_IF([test $hed_cpu = no], [HED_SUMMARY([backend cpu], [no: $hed_blas_why])],
  [test $hed_fftw = yes], [HED_SUMMARY([backend cpu], [yes, a module])],
  [HED_SUMMARY([backend cpu], [yes, a module, with the slow transforms of reference])])
HED_SUMMARY([backend reference], [yes, built in])
AM_CONDITIONAL([BUILD_CPU], [test $hed_cpu = yes])
AM_CONDITIONAL([HAVE_FFTW], [test $hed_fftw = yes])])
