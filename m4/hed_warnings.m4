# SPDX-License-Identifier: BSD-3-Clause
# HED_TRY_CFLAG(VARIABLE, FLAG) appends FLAG when the compiler takes it.
AC_DEFUN([HED_TRY_CFLAG],
[AS_VAR_PUSHDEF([hed_flag], [hed_cv_cflag_$2])dnl
AC_CACHE_CHECK([whether $CC takes $2], [hed_flag],
  [hed_save_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS -Werror $2"
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([hed_flag], [yes])],
     [AS_VAR_SET([hed_flag], [no])])
   CFLAGS=$hed_save_CFLAGS])
AS_VAR_IF([hed_flag], [yes], [AS_VAR_APPEND([$1], [" $2"])])
AS_VAR_POPDEF([hed_flag])])

# Warnings for everybody, -Werror on request.  -ffp-contract=off: a fused multiply-add would
# change random numbers and ties from one machine to the next.  -fexceptions: cleanup attributes
# run when a thread is cancelled or exits; in the library no thread is, and unwinding through its blocks would need another one.
AC_DEFUN([HED_WARNINGS],
[AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [make warnings errors [no]])], [], [enable_werror=no])
AC_SUBST([HED_CFLAGS])
AC_SUBST([HED_WARN_CFLAGS])
m4_foreach_w([hed_w], [-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wvla -Wpointer-arith -Wwrite-strings],
  [HED_TRY_CFLAG([HED_WARN_CFLAGS], hed_w)
])
m4_foreach_w([hed_f], [-fvisibility=hidden -ffp-contract=off -fexceptions -fno-math-errno -fno-semantic-interposition],
  [HED_TRY_CFLAG([HED_CFLAGS], hed_f)
])
AC_SUBST([HED_LIB_CFLAGS])
m4_foreach_w([hed_f], [-fno-exceptions -fasynchronous-unwind-tables],
  [HED_TRY_CFLAG([HED_LIB_CFLAGS], hed_f)
])
# Stacks of the program's threads may be small.  Sanitizers and builds without optimization have larger frames.
AS_IF([test "x$enable_werror:${enable_sanitizers:-no}" = xyes:no],
  [AS_CASE([$CFLAGS], [*-O2*|*-O3*], [HED_TRY_CFLAG([HED_LIB_CFLAGS], [-Wframe-larger-than=16384])])])
# Hints for loops are GCC's; other compilers leave them aside.  They also warn of conditions without branches
# (a & b, a | b ? c : d), which keep loops in vectors.
AC_CACHE_CHECK([whether $CC knows the pragma GCC ivdep], [hed_cv_prog_cc_ivdep],
  [hed_save_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS -Wall -Werror"
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [[int s = 0;
_Pragma("GCC ivdep") for (int i = 0; i < 9; i++) s += i;
return s;]])], [hed_cv_prog_cc_ivdep=yes], [hed_cv_prog_cc_ivdep=no])
   CFLAGS=$hed_save_CFLAGS])
AS_IF([test $hed_cv_prog_cc_ivdep = no],
  [m4_foreach_w([hed_w], [-Wno-unknown-pragmas -Wno-bitwise-conditional-parentheses -Wno-bitwise-instead-of-logical],
    [HED_TRY_CFLAG([HED_WARN_CFLAGS], hed_w)
])])
AC_SUBST([HED_CXXFLAGS], ['-Wall -Wextra -Wpedantic'])
AS_IF([test "x$enable_werror" != xno],
  [HED_WARN_CFLAGS="$HED_WARN_CFLAGS -Werror"
   HED_CXXFLAGS="$HED_CXXFLAGS -Werror"
   HED_SUMMARY([warnings], [are errors])],
  [HED_SUMMARY([warnings], [are shown (--enable-werror makes them errors)])])])
