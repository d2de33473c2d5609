# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/composite.

lib_libheddle_la_SOURCES += \
  lib/composite/arrange.c \
  lib/composite/assignment.c \
  lib/composite/bins.c \
  lib/composite/choice.c \
  lib/composite/composed.h \
  lib/composite/convolve.c \
  lib/composite/distinct.c lib/composite/distinct.h \
  lib/composite/einsum.c \
  lib/composite/einsum_cache.c \
  lib/composite/einsum_parse.c \
  lib/composite/einsum_parse.h \
  lib/composite/einsum_path.c \
  lib/composite/einsum_path.h \
  lib/composite/expm.c \
  lib/composite/fourier.c \
  lib/composite/grid.c \
  lib/composite/elementwise.c lib/composite/gradient.c \
  lib/composite/host_values.c \
  lib/composite/host_values.h \
  lib/composite/kron.c \
  lib/composite/linalg.c \
  lib/composite/lstsq.c \
  lib/composite/lstsq.h \
  lib/composite/mask.c \
  lib/composite/move.c lib/composite/mttkrp.c \
  lib/composite/nan.c \
  lib/composite/nn.h \
  lib/composite/nn_decay.c lib/composite/nn_loss.c lib/composite/nn_steps.c \
  lib/composite/nn_vector.c lib/composite/nn_wave.c \
  lib/composite/norms.c \
  lib/composite/operands.c \
  lib/composite/peaks.c \
  lib/composite/points.c \
  lib/composite/products.c \
  lib/composite/products.h \
  lib/composite/quantile.c \
  lib/composite/random.c \
  lib/composite/rigid.c \
  lib/composite/segment.c \
  lib/composite/sets.c \
  lib/composite/signal_peaks.c \
  lib/composite/smooth.c \
  lib/composite/spectrum.c \
  lib/composite/statistics.c \
  lib/composite/template.c \
  lib/composite/tensordot.c \
  lib/composite/truncated.c \
  lib/composite/units.h \
  lib/composite/update.c
