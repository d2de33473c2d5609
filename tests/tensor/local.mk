# SPDX-License-Identifier: BSD-3-Clause
# The tensor kit.

check_PROGRAMS += tests/tensor/als.t tests/tensor/convert.t tests/tensor/eem.t tests/tensor/failing.t tests/tensor/formats.t \
  tests/tensor/losses.t tests/tensor/mat.t tests/tensor/memory.t tests/tensor/model_nomem.t tests/tensor/models.t tests/tensor/more.t \
  tests/tensor/nomem.t tests/tensor/parafac2.t tests/tensor/peer.t tests/tensor/prox.t tests/tensor/real.t \
  tests/tensor/sparse.t tests/tensor/sparse_nomem.t tests/tensor/train.t tests/tensor/train_fit.t tests/tensor/tucker.t \
  tests/tensor/units.t tests/tensor/validate.t
slow_tests += tests/tensor/train_fit.t
valgrind_tests += tests/tensor/formats.t tests/tensor/model_nomem.t tests/tensor/nomem.t tests/tensor/sparse_nomem.t

tests_tensor_formats_t_SOURCES = tests/tensor/formats.c tests/tensor/tensor.h
tests_tensor_formats_t_LDADD = $(kits_libs)
tests_tensor_failing_t_SOURCES = tests/tensor/failing.c tests/tensor/failing.def tests/failing_kits.h
tests_tensor_failing_t_LDADD = $(kits_libs) -ldl
tests_tensor_als_t_SOURCES = tests/tensor/als.c tests/tensor/tensor.h
tests_tensor_als_t_LDADD = $(kits_libs)
tests_tensor_sparse_t_SOURCES = tests/tensor/sparse.c tests/tensor/tensor.h
tests_tensor_sparse_t_LDADD = $(kits_libs)
tests_tensor_tucker_t_SOURCES = tests/tensor/tucker.c tests/tensor/tensor.h
tests_tensor_tucker_t_LDADD = $(kits_libs)
tests_tensor_prox_t_SOURCES = tests/tensor/prox.c tests/tensor/tensor.h
tests_tensor_prox_t_LDADD = $(kits_libs)
tests_tensor_more_t_SOURCES = tests/tensor/more.c tests/tensor/tensor.h
tests_tensor_more_t_LDADD = $(kits_libs)

# As tests/kit/nomem.t.
tests_tensor_nomem_t_SOURCES = tests/tensor/nomem.c tests/tensor/nomem.h tests/failing.h
tests_tensor_nomem_t_LDADD = $(internal_libs)
tests_tensor_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
tests_tensor_sparse_nomem_t_SOURCES = tests/tensor/sparse_nomem.c tests/tensor/nomem.h tests/failing.h
tests_tensor_sparse_nomem_t_LDADD = $(internal_libs)
tests_tensor_sparse_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
tests_tensor_model_nomem_t_SOURCES = tests/tensor/model_nomem.c tests/tensor/nomem.h tests/failing.h
tests_tensor_model_nomem_t_LDADD = $(internal_libs)
tests_tensor_model_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
tests_tensor_convert_t_SOURCES = tests/tensor/convert.c tests/tensor/dense.h tests/tensor/tensor.h
tests_tensor_convert_t_LDADD = $(kits_libs)
tests_tensor_memory_t_SOURCES = tests/tensor/memory.c tests/tensor/tensor.h
tests_tensor_memory_t_LDADD = $(kits_libs)
tests_tensor_models_t_SOURCES = tests/tensor/models.c tests/tensor/dense.h tests/tensor/tensor.h
tests_tensor_models_t_LDADD = $(kits_libs)
tests_tensor_parafac2_t_SOURCES = tests/tensor/parafac2.c tests/tensor/dense.h tests/tensor/tensor.h
tests_tensor_parafac2_t_LDADD = $(kits_libs)
tests_tensor_peer_t_SOURCES = tests/tensor/peer.c tests/tensor/tensor.h tests/data/tensor.h
tests_tensor_peer_t_LDADD = $(kits_libs)
tests_tensor_real_t_SOURCES = tests/tensor/real.c tests/tensor/tensor.h
tests_tensor_real_t_LDADD = $(kits_libs)
tests_tensor_train_t_SOURCES = tests/tensor/train.c tests/tensor/dense.h tests/tensor/tensor.h
tests_tensor_train_t_LDADD = $(kits_libs)
tests_tensor_train_fit_t_SOURCES = tests/tensor/train_fit.c tests/tensor/dense.h tests/tensor/tensor.h
tests_tensor_train_fit_t_LDADD = $(kits_libs)
tests_tensor_units_t_SOURCES = tests/tensor/units.c tests/tensor/decompositions.def tests/tensor/tensor.h
tests_tensor_units_t_LDADD = $(kits_libs)
tests_tensor_losses_t_SOURCES = tests/tensor/losses.c tests/tensor/tensor.h
tests_tensor_losses_t_LDADD = $(kits_libs)
tests_tensor_mat_t_SOURCES = tests/tensor/mat.c tests/tensor/tensor.h
tests_tensor_mat_t_LDADD = $(kits_libs)
mat_files = big bomb cells empty fewer many nothing old one packed plain range short v73 v73chunks v73links v73odd v73packed v73stored
EXTRA_DIST += tests/data/mat.py tests/data/mat_hdf5.py $(mat_files:%=tests/data/mat/%.mat)
tests_tensor_validate_t_SOURCES = tests/tensor/validate.c tests/tensor/tensor.h
tests_tensor_validate_t_LDADD = $(kits_libs)
tests_tensor_eem_t_SOURCES = tests/tensor/eem.c tests/tensor/tensor.h
tests_tensor_eem_t_LDADD = $(kits_libs)
