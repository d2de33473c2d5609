# SPDX-License-Identifier: BSD-3-Clause
# The kit of tensor decompositions.

heddlekits_HEADERS += \
  include/heddle/kits/decompose.h \
  include/heddle/kits/gcp.h \
  include/heddle/kits/proximal.h \
  include/heddle/kits/sweeps.h \
  include/heddle/kits/tensor.h \
  include/heddle/kits/tensor_eem.h \
  include/heddle/kits/tensor_mat.h \
  include/heddle/kits/tensor_sparse.h \
  include/heddle/kits/tensor_train.h \
  include/heddle/kits/tensor_train_fit.h \
  include/heddle/kits/parafac2.h \
  include/heddle/kits/tensor_metrics.h \
  include/heddle/kits/tensor_regression.h \
  include/heddle/kits/tensor_robust.h \
  include/heddle/kits/tensor_validate.h

# What all formats share.
lib_kits_libkits_la_SOURCES += \
  %D%/algebra.c %D%/common.c %D%/common.h %D%/coo.c %D%/coo.h %D%/coo_fit.c %D%/eem.c %D%/metrics.c %D%/sweeps.c %D%/sweeps.h \
  %D%/tree.c %D%/tree.h

# CP and its relatives.
lib_kits_libkits_la_SOURCES += \
  %D%/cp/admm.c %D%/cp/als.c %D%/cp/als.h %D%/cp/als_accel.c %D%/cp/als_data.c %D%/cp/als_start.c %D%/cp/als_update.c %D%/cp/apr.c \
  %D%/cp/coupled.c %D%/cp/cp.c %D%/cp/cp.h %D%/cp/cp_arrange.c %D%/cp/cp_base.c %D%/cp/cp_gradient.c %D%/cp/cp_residual.c \
  %D%/cp/gcp.c %D%/cp/gcp.h %D%/cp/gcp_loss.c %D%/cp/nn.c %D%/cp/parafac2.c %D%/cp/parafac2.h %D%/cp/parafac2_als.c \
  %D%/cp/power.c %D%/cp/sampled.c %D%/cp/stream_cp.c \
  %D%/cp/validate.c

# Tucker.
lib_kits_libkits_la_SOURCES += \
  %D%/tucker/hooi.c %D%/tucker/hooi.h %D%/tucker/hooi_data.c %D%/tucker/tucker.c %D%/tucker/tucker_nn.c

# Trains and rings of cores.
lib_kits_libkits_la_SOURCES += \
  %D%/train/cross.h %D%/train/maxvol.c %D%/train/seen.c %D%/train/tr_als.c %D%/train/train.h %D%/train/tt.c %D%/train/tt_algebra.c \
  %D%/train/tt_complete.c %D%/train/tt_cross.c %D%/train/tt_from.c %D%/train/tt_iterate.c %D%/train/tt_quantise.c \
  %D%/train/tt_round.c %D%/train/tt_split.c %D%/train/tt_svd.c

# Systems, constraints, regressions.
lib_kits_libkits_la_SOURCES += \
  %D%/solve/bounded.c %D%/solve/bounded.h %D%/solve/nnls.c %D%/solve/plsr.c %D%/solve/prox.c %D%/solve/prox.h \
  %D%/solve/prox_order.c %D%/solve/regression.c \
  %D%/solve/regression.h %D%/solve/robust_pca.c %D%/solve/solve.c %D%/solve/solve.h

# Files.
lib_kits_libkits_la_SOURCES += \
  %D%/files/coo_file.c %D%/files/format_file.c %D%/files/mat_file.c %D%/files/mat_h5.c %D%/files/mat_h5.h \
  %D%/files/mat_h5_object.c %D%/files/mat_h5_values.c %D%/files/mat_hdf5.c %D%/files/mat_list.c %D%/files/mat_list.h \
  %D%/files/mat_source.c %D%/files/mat_source.h \
  %D%/files/tt_file.c
