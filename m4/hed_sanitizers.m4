# SPDX-License-Identifier: BSD-3-Clause
# HED_SANITIZER_MACRO(NAME) defines what the compiler leaves undefined.
AC_DEFUN([HED_SANITIZER_MACRO],
[AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#ifndef $1
    # error undefined
    #endif]], [])], [], [AS_VAR_APPEND([HED_SANITIZE_FLAGS], [" -D$1=1"])])])

# --enable-sanitizers=LIST adds -fsanitize=LIST to every compilation and link.
AC_DEFUN([HED_SANITIZERS],
[AC_ARG_ENABLE([sanitizers],
  [AS_HELP_STRING([--enable-sanitizers=LIST],
    [compile with -fsanitize=LIST: "address,undefined" or "thread" [no]])],
  [], [enable_sanitizers=no])
AC_SUBST([HED_SANITIZE_FLAGS])
AS_CASE([$enable_sanitizers],
  [no], [HED_SUMMARY([sanitizers], [no (--enable-sanitizers=address,undefined or thread)])],
  [AS_IF([test "x$enable_sanitizers" = xyes], [enable_sanitizers=address,undefined])
   HED_SANITIZE_FLAGS="-fsanitize=$enable_sanitizers -fno-omit-frame-pointer -g"
   AS_CASE([$enable_sanitizers], [*undefined*],
     [HED_SANITIZE_FLAGS="$HED_SANITIZE_FLAGS -fno-sanitize-recover=undefined"])
   hed_save_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS $HED_SANITIZE_FLAGS"
   AC_MSG_CHECKING([whether $CC links with $HED_SANITIZE_FLAGS])
   AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
     [AC_MSG_RESULT([no])
      AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers was asked for and does not link])])
   # Clang defines no macros for them.
   AS_CASE([$enable_sanitizers], [*address*], [HED_SANITIZER_MACRO([__SANITIZE_ADDRESS__])],
     [*thread*], [HED_SANITIZER_MACRO([__SANITIZE_THREAD__])])
   CFLAGS=$hed_save_CFLAGS
   HED_SUMMARY([sanitizers], [$enable_sanitizers])])
AC_SUBST([HED_SANITIZERS], [$enable_sanitizers])])
