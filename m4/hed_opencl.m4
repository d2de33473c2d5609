# SPDX-License-Identifier: BSD-3-Clause
# The opencl backend is built when the headers and the loader of OpenCL are there. Sets OPENCL_LIBS.
AC_DEFUN([HED_OPENCL],
[AC_ARG_WITH([opencl],
  [AS_HELP_STRING([--without-opencl], [no opencl backend])],
  [], [with_opencl=auto])
AC_SUBST([OPENCL_LIBS])
hed_opencl=no
hed_opencl_why=
AS_IF([test "x$with_opencl" = xno], [hed_opencl_why='switched off by --without-opencl'],
  [AC_CHECK_HEADER([CL/cl.h], [], [hed_opencl_why='CL/cl.h was not found (ocl-icd-opencl-dev)'])
   hed_save_LIBS=$LIBS
   AS_IF([test -z "$hed_opencl_why"],
     [AC_CHECK_LIB([OpenCL], [clGetPlatformIDs], [OPENCL_LIBS=-lOpenCL hed_opencl=yes],
       [hed_opencl_why='libOpenCL was not found (ocl-icd-opencl-dev)'])])
   LIBS=$hed_save_LIBS])
AS_IF([test $hed_opencl = no && test "x$with_opencl" = xyes],
  [AC_MSG_ERROR([--with-opencl was given, but $hed_opencl_why])])
AS_IF([test $hed_opencl = no], [HED_SUMMARY([backend opencl], [no: $hed_opencl_why])],
  [HED_SUMMARY([backend opencl], [yes, a module])])
AM_CONDITIONAL([BUILD_OPENCL], [test $hed_opencl = yes])])
