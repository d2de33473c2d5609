# SPDX-License-Identifier: BSD-3-Clause
# HDF5, for files of ultrasound (.h5, .uff).  Only its header is needed here: the kit opens the library at
# run time, when the first such file is read.  Sets HDF5_CFLAGS and the macro HED_HAVE_HDF5.
AC_DEFUN([HED_HDF5],
[AC_ARG_WITH([hdf5],
  [AS_HELP_STRING([--with-hdf5], [HDF5, for files of ultrasound (.h5, .uff) [auto]])],
  [], [with_hdf5=auto])
hed_hdf5=no
AS_IF([test "x$with_hdf5" = xno], [hed_hdf5_why='switched off by --without-hdf5'],
  [PKG_CHECK_MODULES([HDF5], [hdf5 >= 1.10], [hed_hdf5=yes],
    [hed_hdf5_why='HDF5 1.10 was not found by pkg-config'])])
AS_IF([test $hed_hdf5 = no && test "x$with_hdf5" = xyes],
  [AC_MSG_ERROR([--with-hdf5 was given, but $hed_hdf5_why])])
AC_SUBST([HED_HDF5], [$hed_hdf5])
AS_IF([test $hed_hdf5 = yes],
  [AC_DEFINE([HED_HAVE_HDF5], [1], [HDF5's header is there])
   HED_SUMMARY([ultrasound files (.h5, .uff)], [yes (HDF5, opened at run time)])],
  [HED_SUMMARY([ultrasound files (.h5, .uff)], [no: $hed_hdf5_why])])])
