# SPDX-License-Identifier: BSD-3-Clause
# HED_SIMD: which flags compile the cpu backend's kernels for the x86-64 levels of the psABI; the
# module chooses one at run time.  Sets HED_KERNEL_CFLAGS (all levels), HED_V3_CFLAGS, HED_V4_CFLAGS
# MVEC_LIBS, HED_HAVE_LIBMVEC and the conditional HAVE_X86_LEVELS.
AC_DEFUN([HED_SIMD],
[AC_ARG_ENABLE([x86-levels],
  [AS_HELP_STRING([--disable-x86-levels],
    [leave out the cpu backend's loops for AVX2 and AVX-512, which take longest to build [no]])],
  [], [enable_x86_levels=yes])
AC_SUBST([HED_KERNEL_CFLAGS])
AC_SUBST([HED_V3_CFLAGS])
AC_SUBST([HED_V4_CFLAGS])
# Jumps threaded through a chain of choices leave branches in loops, which GCC 13 and 14 then make no vectors of
# (bench/findings).  To tell debuggers where variables are in loops that are inlined everywhere
# takes a fifth of the time to build them.  A short loop takes up to twice as long where it begins in the middle of a line: what
# else is in its file would decide on that.
m4_foreach_w([hed_f],
  [-ftree-vectorize -fvect-cost-model=dynamic -fno-trapping-math -fno-thread-jumps -fno-var-tracking -falign-functions=32
   -falign-loops=32],
  [HED_TRY_CFLAG([HED_KERNEL_CFLAGS], hed_f)
])
hed_simd=no
AS_CASE([$host_cpu/$enable_x86_levels],
  [x86_64/yes],
  [HED_TRY_CFLAG([HED_V3_CFLAGS], [-march=x86-64-v3])
   HED_TRY_CFLAG([HED_V4_CFLAGS], [-march=x86-64-v4])
   HED_TRY_CFLAG([HED_V4_CFLAGS], [-mprefer-vector-width=512])
   AS_CASE([$HED_V3_CFLAGS/$HED_V4_CFLAGS], [*-v3*/*-v4*], [hed_simd=yes])],
  [])
# Vector functions of glibc 2.35 and later.
AC_SUBST([MVEC_LIBS])
AS_CASE([$host_cpu],
  [x86_64],
  [AC_CHECK_LIB([mvec], [_ZGVbN4v_erfcf],
    [MVEC_LIBS=-lmvec
     AC_DEFINE([HED_HAVE_LIBMVEC], [1], [Define to 1 if libmvec has the functions of glibc 2.35.])], [], [-lm])])
AM_CONDITIONAL([HAVE_X86_LEVELS], [test $hed_simd = yes])
AS_IF([test $hed_simd = yes], [HED_SUMMARY([kernels], [baseline, AVX2, AVX-512; chosen at run time])],
  [HED_SUMMARY([kernels], [baseline only: no levels for $host_cpu, left out, or the compiler lacks them])])])
