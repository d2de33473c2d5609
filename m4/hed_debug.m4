# SPDX-License-Identifier: BSD-3-Clause
# --enable-debug: internal assertions on, and no optimisation that hides a variable where the caller
# chose none.  The flags go before AC_PROG_CC, which would choose -O2.
AC_DEFUN([HED_DEBUG_FLAGS],
[AS_IF([test "x${enable_debug-no}" != xno],
  [: "${CFLAGS=-Og -g}" "${CXXFLAGS=-Og -g}"])])

# Where nobody chose flags, debuggers know functions and lines (-g1): variables take a tenth of the compiler's time.
# HED_TEST_CFLAGS, for tests besides.
AC_DEFUN([HED_DEFAULT_FLAGS],
[AC_SUBST([HED_TEST_CFLAGS])
AS_IF([test "${CFLAGS+set}" != set], [HED_TEST_CFLAGS=-O1])
: "${CFLAGS=-O2 -g1}" "${CXXFLAGS=-O2 -g1}"])

AC_DEFUN([HED_DEBUG],
[AC_ARG_ENABLE([debug],
  [AS_HELP_STRING([--enable-debug], [internal assertions, and -Og unless CFLAGS says otherwise [no]])],
  [], [enable_debug=no])
AC_SUBST([HED_DEBUG_CPPFLAGS])
AS_IF([test "x$enable_debug" != xno],
  [HED_DEBUG_CPPFLAGS='-DHED_DEBUG=1'
   HED_SUMMARY([debug], [yes: assertions on, $CFLAGS])],
  [HED_DEBUG_CPPFLAGS='-DHED_DEBUG=0'
   HED_SUMMARY([debug], [no (--enable-debug turns the assertions on)])])])

# --disable-initial-exec-tls: the one thread-local pointer is then reached through
# __tls_get_addr, for programs that dlopen the library after the static TLS reserve is used up.
# Only glibc has such a reserve: with another C library a library like that cannot be dlopened at all.
AC_DEFUN([HED_TLS_MODEL],
[AC_ARG_ENABLE([initial-exec-tls],
  [AS_HELP_STRING([--disable-initial-exec-tls],
    [let the library be opened late in programs without static TLS space, at some cost per call])],
  [], [AC_CHECK_DECL([__GLIBC__], [enable_initial_exec_tls=yes], [enable_initial_exec_tls=no])])
AC_SUBST([HED_TLS_CPPFLAGS])
AS_IF([test "x$enable_initial_exec_tls" = xno],
  [HED_TLS_CPPFLAGS='-DHED_DISABLE_IE_TLS'
   HED_SUMMARY([thread-local storage], [global-dynamic])],
  [HED_SUMMARY([thread-local storage], [initial-exec, 8 bytes])])])

# A C++ compiler is needed only by tests (headers as C++, std::thread as a host).
AC_DEFUN([HED_CXX],
[AC_CACHE_CHECK([whether $CXX compiles C++17], [hed_cv_cxx17],
  [AC_LANG_PUSH([C++])
   hed_save_CXXFLAGS=$CXXFLAGS
   CXXFLAGS="$CXXFLAGS -std=c++17"
   AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <thread>
     #include <optional>]], [[std::optional<int> x; std::thread t([] { }); t.join();]])],
     [hed_cv_cxx17=yes], [hed_cv_cxx17=no])
   CXXFLAGS=$hed_save_CXXFLAGS
   AC_LANG_POP([C++])])
AM_CONDITIONAL([HAVE_CXX17], [test $hed_cv_cxx17 = yes])
AC_SUBST([HED_CXX17], [$hed_cv_cxx17])
AS_IF([test $hed_cv_cxx17 = yes],
  [HED_SUMMARY([tests in C++], [yes ($CXX)])],
  [HED_SUMMARY([tests in C++], [no: no C++17 compiler found])])])
