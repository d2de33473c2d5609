# SPDX-License-Identifier: BSD-3-Clause
# FFTW 3 in double and single precision, with the pthreads build of its threaded interface
# (the .pc files do not list it).  Sets hed_fftw, hed_fftw_why, FFTW_CFLAGS, FFTW_LIBS.
AC_DEFUN([HED_FFTW],
[AC_ARG_WITH([fftw],
  [AS_HELP_STRING([--with-fftw@<:@=DIR@:>@], [FFTW 3, for transforms of the cpu backend [auto]])],
  [], [with_fftw=auto])
AC_SUBST([FFTW_CFLAGS])
AC_SUBST([FFTW_LIBS])
hed_fftw=no
AS_CASE([$with_fftw],
  [no], [hed_fftw_why='switched off by --without-fftw'],
  [AS_CASE([$with_fftw], [auto|yes], [], [FFTW_CFLAGS="-I$with_fftw/include"
     hed_fftw_L="-L$with_fftw/lib"])
   hed_save_CPPFLAGS=$CPPFLAGS
   hed_save_LIBS=$LIBS
   CPPFLAGS="$CPPFLAGS $FFTW_CFLAGS"
   hed_fftw_why=
   AC_CHECK_HEADER([fftw3.h], [], [hed_fftw_why='fftw3.h was not found'])
   m4_foreach([hed_p], [[], [f]],
    [LIBS="$hed_fftw_L $hed_save_LIBS"
     AC_CHECK_LIB([fftw3]hed_p, [fftw]hed_p[_execute_dft],
       [AC_CHECK_LIB([fftw3]hed_p[_threads], [fftw]hed_p[_plan_with_nthreads], [],
         [hed_fftw_why="libfftw3[]hed_p[]_threads was not found"], [-lfftw3[]hed_p -lm])],
       [hed_fftw_why="libfftw3[]hed_p was not found"], [-lm])
    ])
   AS_IF([test -z "$hed_fftw_why"],
     [FFTW_LIBS="$hed_fftw_L -lfftw3_threads -lfftw3 -lfftw3f_threads -lfftw3f"
      FFTW_CFLAGS="$FFTW_CFLAGS -DHED_HAVE_FFTW=1"
      hed_fftw=yes])
   LIBS="$FFTW_LIBS $hed_save_LIBS"
   AS_IF([test $hed_fftw = yes],
     [AC_CHECK_FUNC([fftwf_threads_set_callback], [FFTW_CFLAGS="$FFTW_CFLAGS -DHED_HAVE_FFTW_CALLBACK=1"])])
   CPPFLAGS=$hed_save_CPPFLAGS
   LIBS=$hed_save_LIBS])
AS_IF([test $hed_fftw = no && test "x$with_fftw" != xauto && test "x$with_fftw" != xno],
  [AC_MSG_ERROR([--with-fftw was given, but $hed_fftw_why])])
AS_IF([test $hed_fftw = yes],
  [HED_SUMMARY([FFTW], [yes, double and single precision with threads (GPL, see README)])],
  [HED_SUMMARY([FFTW], [no: $hed_fftw_why])])])
