# SPDX-License-Identifier: BSD-3-Clause
# The kit of tensor decompositions.

heddlekits_HEADERS += \
  include/heddle/kits/decompose.h \
  include/heddle/kits/proximal.h \
  include/heddle/kits/sweeps.h \
  include/heddle/kits/tensor.h

# Products and formats.
lib_kits_libkits_la_SOURCES += \
  lib/kits/tensor/algebra.c \
  lib/kits/tensor/common.c lib/kits/tensor/common.h \
  lib/kits/tensor/cp.c lib/kits/tensor/cp.h \
  lib/kits/tensor/cp_arrange.c \
  lib/kits/tensor/cp_base.c \
  lib/kits/tensor/cp_gradient.c \
  lib/kits/tensor/cp_residual.c \
  lib/kits/tensor/format_file.c \
  lib/kits/tensor/sweeps.c lib/kits/tensor/sweeps.h \
  lib/kits/tensor/tree.c lib/kits/tensor/tree.h \
  lib/kits/tensor/tucker.c

# Alternating CP methods.
lib_kits_libkits_la_SOURCES += \
  lib/kits/tensor/admm.c \
  lib/kits/tensor/als.c lib/kits/tensor/als.h \
  lib/kits/tensor/als_accel.c \
  lib/kits/tensor/als_data.c \
  lib/kits/tensor/als_start.c \
  lib/kits/tensor/als_update.c \
  lib/kits/tensor/nn.c \
  lib/kits/tensor/power.c \
  lib/kits/tensor/sampled.c \
  lib/kits/tensor/stream_cp.c

# Tensors of few entries.
heddlekits_HEADERS += include/heddle/kits/tensor_sparse.h
lib_kits_libkits_la_SOURCES += \
  lib/kits/tensor/coo.c lib/kits/tensor/coo.h \
  lib/kits/tensor/coo_file.c \
  lib/kits/tensor/coo_fit.c

# Tucker methods.
lib_kits_libkits_la_SOURCES += \
  lib/kits/tensor/hooi.c lib/kits/tensor/hooi.h \
  lib/kits/tensor/hooi_data.c \
  lib/kits/tensor/tucker_nn.c

# Constraints.
lib_kits_libkits_la_SOURCES += \
  lib/kits/tensor/nnls.c \
  lib/kits/tensor/prox.c lib/kits/tensor/prox.h \
  lib/kits/tensor/prox_order.c

# Trains and rings of cores.
heddlekits_HEADERS += \
  include/heddle/kits/tensor_train.h \
  include/heddle/kits/tensor_train_fit.h
lib_kits_libkits_la_SOURCES += \
  lib/kits/tensor/maxvol.c lib/kits/tensor/cross.h \
  lib/kits/tensor/train.h \
  lib/kits/tensor/tr_als.c \
  lib/kits/tensor/tt.c \
  lib/kits/tensor/tt_algebra.c \
  lib/kits/tensor/tt_complete.c \
  lib/kits/tensor/tt_cross.c \
  lib/kits/tensor/tt_file.c \
  lib/kits/tensor/tt_from.c \
  lib/kits/tensor/tt_iterate.c \
  lib/kits/tensor/tt_quantise.c \
  lib/kits/tensor/tt_round.c \
  lib/kits/tensor/tt_split.c \
  lib/kits/tensor/tt_svd.c

# Other models, regressions, metrics.
heddlekits_HEADERS += \
  include/heddle/kits/parafac2.h \
  include/heddle/kits/tensor_metrics.h \
  include/heddle/kits/tensor_regression.h \
  include/heddle/kits/tensor_robust.h
lib_kits_libkits_la_SOURCES += \
  lib/kits/tensor/coupled.c \
  lib/kits/tensor/metrics.c \
  lib/kits/tensor/parafac2.c lib/kits/tensor/parafac2.h \
  lib/kits/tensor/parafac2_als.c \
  lib/kits/tensor/plsr.c \
  lib/kits/tensor/regression.c lib/kits/tensor/regression.h \
  lib/kits/tensor/robust_pca.c \
  lib/kits/tensor/solve.c lib/kits/tensor/solve.h
