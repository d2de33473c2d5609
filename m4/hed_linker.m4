# SPDX-License-Identifier: BSD-3-Clause
# HED_TRY_LDFLAG(FLAG, IF-YES, IF-NO)
AC_DEFUN([HED_TRY_LDFLAG],
[AS_VAR_PUSHDEF([hed_flag], [hed_cv_ldflag_$1])dnl
AC_CACHE_CHECK([whether the linker takes $1], [hed_flag],
  [hed_save_LDFLAGS=$LDFLAGS
   LDFLAGS="$LDFLAGS $1"
   AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([hed_flag], [yes])],
     [AS_VAR_SET([hed_flag], [no])])
   LDFLAGS=$hed_save_LDFLAGS])
AS_VAR_IF([hed_flag], [yes], [$2], [$3])
AS_VAR_POPDEF([hed_flag])])

# HED_SHLIB_LDFLAGS: no undefined symbols but sanitizers' (after HED_SANITIZERS), never unloaded (thread exit and atfork handlers point
# into the library).  HED_MODULE_LDFLAGS: what every backend module is linked with; it exports
# its entry symbol alone.
# HED_MAP_LDFLAGS: exported symbols and their version.
AC_DEFUN([HED_LINKER],
[AC_SUBST([HED_SHLIB_LDFLAGS])
AC_SUBST([HED_MODULE_LDFLAGS])
# What a program with a static copy of the library is linked with: nothing calls lifecycle.c.
AC_SUBST([HED_STATIC_LDFLAGS], [-Wl,-u,hed__lifecycle])
# Where a program that stays in the build folder finds the shared libraries.
AC_SUBST([HED_SHARED_LDFLAGS], ['-Llib/.libs -Wl,-rpath,$(abs_top_builddir)/lib/.libs'])
AC_SUBST([HED_MAP_LDFLAGS])
AC_SUBST([HED_KITS_MAP_LDFLAGS])
AC_SUBST([HED_INHERIT_MAP_LDFLAGS])
AC_SUBST([HED_FAULTY_MAP_LDFLAGS])
# A sanitizer's functions are in the program alone with some compilers (clang).
hed_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -fPIC -shared $HED_SANITIZE_FLAGS"
HED_TRY_LDFLAG([-Wl,-z,defs], [AS_VAR_APPEND([HED_SHLIB_LDFLAGS], [" -Wl,-z,defs"])])
CFLAGS=$hed_save_CFLAGS
HED_TRY_LDFLAG([-Wl,-z,nodelete],
  [AS_VAR_APPEND([HED_SHLIB_LDFLAGS], [" -Wl,-z,nodelete"])],
  [AC_MSG_ERROR([the linker does not take -z nodelete])])
HED_TRY_LDFLAG([-Wl,-z,now], [HED_MODULE_LDFLAGS=' -Wl,-z,now'])
HED_MODULE_LDFLAGS="-module -avoid-version -shared$HED_SHLIB_LDFLAGS$HED_MODULE_LDFLAGS"
AC_CACHE_CHECK([whether the linker takes version scripts], [hed_cv_version_script],
  [echo 'HEDDLE_TEST { global: main; local: *; };' >conftest.map
   hed_save_LDFLAGS=$LDFLAGS
   LDFLAGS="$LDFLAGS -Wl,--version-script=conftest.map"
   AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [hed_cv_version_script=yes],
     [hed_cv_version_script=no])
   LDFLAGS=$hed_save_LDFLAGS
   rm -f conftest.map])
AS_IF([test $hed_cv_version_script = yes],
  [HED_MAP_LDFLAGS='-Wl,--version-script=$(srcdir)/lib/libheddle.map'
   HED_KITS_MAP_LDFLAGS='-Wl,--version-script=$(srcdir)/lib/kits/libheddle-kits.map'
   HED_INHERIT_MAP_LDFLAGS='-Wl,--version-script=$(srcdir)/lib/inherit/inherit.map'
   HED_FAULTY_MAP_LDFLAGS='-Wl,--version-script=$(srcdir)/lib/backends/faulty/faulty.map'
   HED_MODULE_LDFLAGS="$HED_MODULE_LDFLAGS -Wl,--version-script=\$(srcdir)/lib/module.map"
   HED_SUMMARY([symbol versions], [yes])],
  [HED_SUMMARY([symbol versions], [no: the linker does not take version scripts])])])
