# SPDX-License-Identifier: BSD-3-Clause
# The tool `heddle' reads its options by argp and measures BLAS in a namespace of the loader, which not every C library has;
# the library does without.  Sets the conditional BUILD_TOOL.
AC_DEFUN([HED_TOOL],
[hed_tool=yes
AC_CHECK_HEADER([argp.h], [], [hed_tool=no; hed_tool_why='argp.h'])
AC_CHECK_FUNC([dlmopen], [], [hed_tool=no; hed_tool_why=dlmopen])
AM_CONDITIONAL([BUILD_TOOL], [test $hed_tool = yes])
AS_IF([test $hed_tool = yes], [HED_SUMMARY([tool heddle], [yes])],
  [HED_SUMMARY([tool heddle], [no: the C library has no $hed_tool_why])])])
