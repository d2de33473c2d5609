# SPDX-License-Identifier: BSD-3-Clause
# The cuda backend needs nothing of NVIDIA's to be built.  A toolkit's headers let a test compare its declarations with them;
# OpenCL, FFTW and LAPACK let the module be tested without a device (tests/cudashim).  Sets CUDA_CPPFLAGS.
AC_DEFUN([HED_CUDA],
[AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [toolkit of CUDA, for tests and for kernels that are installed [/usr/local/cuda]])],
  [], [with_cuda=auto])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([HED_CUDA_DIR])
AS_CASE([$with_cuda], [auto|yes], [HED_CUDA_DIR=${CUDA_PATH:-/usr/local/cuda}], [HED_CUDA_DIR=$with_cuda])
hed_toolkit=no
AS_IF([test "x$with_cuda" != xno],
  [hed_save_CPPFLAGS=$CPPFLAGS
   CPPFLAGS="$CPPFLAGS -I$HED_CUDA_DIR/include"
   AC_CHECK_HEADERS([cuda.h nvrtc.h cufft.h cublas_v2.h cublasLt.h cusolverDn.h], [hed_toolkit=yes], [hed_toolkit=no; break])
   CPPFLAGS=$hed_save_CPPFLAGS])
AS_IF([test $hed_toolkit = yes], [CUDA_CPPFLAGS="-isystem $HED_CUDA_DIR/include"])
AS_IF([test $hed_toolkit = no && test "x$with_cuda" != xauto && test "x$with_cuda" != xno],
  [AC_MSG_ERROR([--with-cuda was given, but a header of the toolkit, cuda.h, nvrtc.h, cufft.h, cublas_v2.h, cublasLt.h or
     cusolverDn.h, is not in $HED_CUDA_DIR/include])])
AM_CONDITIONAL([HAVE_CUDA_TOOLKIT], [test $hed_toolkit = yes])
AC_ARG_ENABLE([cuda-kernels],
  [AS_HELP_STRING([--enable-cuda-kernels@<:@=CHIPS@:>@], [compile kernels for them now, by NVRTC, which takes
     some time for each: the first calls are fast then, and need no NVRTC; "compute_75 sm_80 sm_90 newest" when none is named [no]])],
  [], [enable_cuda_kernels=no])
AS_CASE([$enable_cuda_kernels], [yes], [HED_CUDA_KERNELS='compute_75 sm_80 sm_90 newest'], [HED_CUDA_KERNELS=$enable_cuda_kernels])
AC_SUBST([HED_CUDA_KERNELS])
AM_CONDITIONAL([HAVE_CUDA_KERNELS], [test "x$enable_cuda_kernels" != xno && test "x$cross_compiling" != xyes])
hed_shim=no
AC_CHECK_HEADER([CL/cl.h],
  [AC_CHECK_LIB([OpenCL], [clGetPlatformIDs],
     [AS_IF([test "$hed_fftw$hed_lapack" = yesyes], [hed_shim=yes], [hed_shim_why='FFTW or LAPACK was not found'])],
     [hed_shim_why='libOpenCL was not found'])],
  [hed_shim_why='CL/cl.h was not found'])
AM_CONDITIONAL([HAVE_CUDASHIM], [test $hed_shim = yes])
HED_SUMMARY([backend cuda], [yes, a module that opens the driver and libraries at run time])
AS_IF([test $hed_toolkit = yes], [HED_SUMMARY([CUDA toolkit], [yes ($HED_CUDA_DIR)])],
  [HED_SUMMARY([CUDA toolkit], [no: its headers were not found in $HED_CUDA_DIR])])
HED_SUMMARY([kernels of cuda], [compiled now: $HED_CUDA_KERNELS])
AS_IF([test $hed_shim = yes], [HED_SUMMARY([tests of cuda], [yes, on OpenCL])],
  [HED_SUMMARY([tests of cuda], [no: $hed_shim_why])])])
