# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/backends/reference.

hed_host_backends += reference

# The kernels, which the faulty test backend is linked with, too.
noinst_LTLIBRARIES += lib/backends/reference/libkernels.la
reference_kernels_lib = lib/backends/reference/libkernels.la
lib_backends_reference_libkernels_la_SOURCES = \
  lib/backends/reference/kernels.h lib/backends/reference/reference.h \
  lib/backends/reference/blocks.h lib/backends/reference/lanes.h lib/backends/reference/index.c \
  lib/backends/reference/elementwise.c \
  lib/backends/reference/move.c \
  lib/backends/reference/reduce.c \
  lib/backends/reference/bins.c \
  lib/backends/reference/bits.c \
  lib/backends/reference/isotonic.c \
  lib/backends/reference/phasor.c \
  lib/backends/reference/quantile.c \
  lib/backends/reference/scan.c \
  lib/backends/reference/scores.c \
  lib/backends/reference/softmax.c lib/backends/reference/steps.c \
  lib/backends/reference/sort.c

lib_backends_reference_libkernels_la_SOURCES += \
  lib/backends/reference/number.h \
  lib/backends/reference/affine.c \
  lib/backends/reference/dense.h \
  lib/backends/reference/eig.c \
  lib/backends/reference/eigh.c \
  lib/backends/reference/convolve.c \
  lib/backends/reference/fft.c \
  lib/backends/reference/lu.c \
  lib/backends/reference/filters.c \
  lib/backends/reference/matmul.c \
  lib/backends/reference/vecdot.c \
  lib/backends/reference/maxfilter.c \
  lib/backends/reference/max_correlation.c \
  lib/backends/reference/qr.c \
  lib/backends/reference/norm.c \
  lib/backends/reference/polar.c \
  lib/backends/reference/random.c \
  lib/backends/reference/spline.c lib/backends/reference/spline.h \
  lib/backends/reference/svd.c

lib_libheddle_la_SOURCES += lib/backends/reference/backend.c
lib_libheddle_la_LIBADD += $(reference_kernels_lib)
