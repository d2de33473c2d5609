# SPDX-License-Identifier: BSD-3-Clause
# MPI, for `heddle match --mpi`: a module of its own, which the tool opens when it is asked to, so that nothing else links
# MPI.  Sets MPI_CFLAGS, MPI_LIBS and the conditional BUILD_MPI.
AC_DEFUN([HED_MPI],
[AC_ARG_WITH([mpi],
  [AS_HELP_STRING([--with-mpi], [MPI, for searches by many processes (heddle match --mpi) [auto]])],
  [], [with_mpi=auto])
hed_mpi=no
AS_IF([test "x$with_mpi" = xno], [hed_mpi_why='switched off by --without-mpi'],
  [PKG_CHECK_MODULES([MPI], [ompi-c], [hed_mpi='yes (Open MPI, a module)'],
    [PKG_CHECK_MODULES([MPI], [mpich], [hed_mpi='yes (MPICH, a module)'],
      [hed_mpi_why='neither ompi-c (libopenmpi-dev) nor mpich (libmpich-dev) was found by pkg-config'])])])
AS_IF([test "$hed_mpi" = no && test "x$with_mpi" = xyes],
  [AC_MSG_ERROR([--with-mpi was given, but $hed_mpi_why])])
AM_CONDITIONAL([BUILD_MPI], [test "$hed_mpi" != no])
AS_IF([test "$hed_mpi" = no], [HED_SUMMARY([heddle match --mpi], [no: $hed_mpi_why])],
  [HED_SUMMARY([heddle match --mpi], [$hed_mpi])])])
