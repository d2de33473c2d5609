# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/composite.

lib_libheddle_la_SOURCES += \
  lib/composite/composed.h \
  lib/composite/arrange.c \
  lib/composite/einsum.c \
  lib/composite/einsum_parse.c lib/composite/einsum_parse.h \
  lib/composite/expm.c \
  lib/composite/convolve.c \
  lib/composite/fourier.c \
  lib/composite/linalg.c \
  lib/composite/grid.c \
  lib/composite/mask.c \
  lib/composite/move.c \
  lib/composite/assignment.c \
  lib/composite/bins.c \
  lib/composite/host_values.c lib/composite/host_values.h \
  lib/composite/nan.c \
  lib/composite/peaks.c \
  lib/composite/points.c \
  lib/composite/quantile.c \
  lib/composite/random.c \
  lib/composite/smooth.c \
  lib/composite/template.c \
  lib/composite/rigid.c \
  lib/composite/sets.c \
  lib/composite/signal_peaks.c \
  lib/composite/spectrum.c \
  lib/composite/statistics.c \
  lib/composite/segment.c \
  lib/composite/tensordot.c \
  lib/composite/update.c
