# SPDX-License-Identifier: BSD-3-Clause
# The kit of neural networks for time series.

heddlekits_HEADERS += include/heddle/kits/nn.h include/heddle/kits/nn_cells.h include/heddle/kits/nn_layers.h \
  include/heddle/kits/nn_rbm.h

# Parameters: named arrays and their files.
lib_kits_libkits_la_SOURCES += \
  %D%/params/files.c %D%/params/json.c %D%/params/json.h %D%/params/safetensors.c %D%/params/tree.c %D%/params/tree.h \
  %D%/params/trees.c

# Cells and sequences of their steps.
lib_kits_libkits_la_SOURCES += \
  %D%/cells/activation.c %D%/cells/cell.h %D%/cells/cfc.c %D%/cells/cfc.h %D%/cells/gru.c %D%/cells/heads.c %D%/cells/kinds.c \
  %D%/cells/kinds.h %D%/cells/lstm.c %D%/cells/ltc.c \
  %D%/cells/ltc.h %D%/cells/ltc_solve.c %D%/cells/pieces.c %D%/cells/plan.c %D%/cells/product.c %D%/cells/rnn.c \
  %D%/cells/step.c %D%/cells/traces.c %D%/cells/wired.c %D%/sequence/forecast.c %D%/sequence/sequence.c \
  %D%/sequence/whole.c %D%/sequence/whole.h

# Layers.
lib_kits_libkits_la_SOURCES += \
  %D%/layers/attention.c %D%/layers/common.c %D%/layers/layers.h %D%/layers/linear.c %D%/layers/norm.c \
  %D%/layers/rbm.c %D%/layers/sequential.c

# What trains, on plain lists of arrays.
heddlekits_HEADERS += \
  include/heddle/kits/nn_data.h \
  include/heddle/kits/nn_init.h \
  include/heddle/kits/nn_loss.h \
  include/heddle/kits/nn_metrics.h \
  include/heddle/kits/nn_optimize.h \
  include/heddle/kits/nn_train.h \
  include/heddle/kits/nn_wiring.h

lib_kits_libkits_la_SOURCES += \
  %D%/entries.c %D%/entries.h %D%/lists.c %D%/lists.h \
  %D%/init/init.c \
  %D%/loss/activation.c %D%/loss/loss.c \
  %D%/optimize/gradients.c %D%/optimize/lbfgs.c %D%/optimize/lbfgs.h %D%/optimize/lbfgs_search.c \
  %D%/optimize/optimizer.c %D%/optimize/optimizer.h %D%/optimize/optimizer_file.c \
  %D%/optimize/rules.c %D%/optimize/schedule.c \
  %D%/svg.c %D%/svg.h %D%/wiring/circuit.c %D%/wiring/draw.c %D%/wiring/make.c %D%/wiring/ncp.c %D%/wiring/wiring.c \
  %D%/wiring/wiring.h \
  %D%/metrics/classes.c %D%/metrics/curves.c %D%/metrics/regression.c \
  %D%/data/features.c %D%/data/reader.c %D%/data/samples.c %D%/data/scaling.c \
  %D%/train/fit.c %D%/train/fit.h %D%/train/fit_batch.c %D%/train/fit_state.c %D%/train/hebb.c \
  %D%/train/history_file.c %D%/train/team.c
