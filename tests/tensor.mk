# SPDX-License-Identifier: BSD-3-Clause
# Tests of the tensor kit.

tensor_tests = tests/tensor_als.t tests/tensor_formats.t \
  tests/tensor_more.t tests/tensor_nomem.t tests/tensor_prox.t \
  tests/tensor_sparse.t tests/tensor_sparse_nomem.t tests/tensor_tucker.t
check_PROGRAMS += $(tensor_tests)
valgrind_tests += tests/tensor_formats.t tests/tensor_nomem.t tests/tensor_model_nomem.t tests/tensor_sparse_nomem.t

tests_tensor_formats_t_SOURCES = tests/tensor_formats.c tests/tensor.h
tests_tensor_formats_t_LDADD = $(kits_libs)
tests_tensor_als_t_SOURCES = tests/tensor_als.c tests/tensor.h
tests_tensor_als_t_LDADD = $(kits_libs)
tests_tensor_sparse_t_SOURCES = tests/tensor_sparse.c tests/tensor.h
tests_tensor_sparse_t_LDADD = $(kits_libs)
tests_tensor_tucker_t_SOURCES = tests/tensor_tucker.c tests/tensor.h
tests_tensor_tucker_t_LDADD = $(kits_libs)
tests_tensor_prox_t_SOURCES = tests/tensor_prox.c tests/tensor.h
tests_tensor_prox_t_LDADD = $(kits_libs)
tests_tensor_more_t_SOURCES = tests/tensor_more.c tests/tensor.h
tests_tensor_more_t_LDADD = $(kits_libs)
# As tests/kit_nomem.t.
tests_tensor_nomem_t_SOURCES = tests/tensor_nomem.c tests/tensor_failing.h tests/failing.h
tests_tensor_nomem_t_LDADD = $(internal_libs)
tests_tensor_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
tests_tensor_sparse_nomem_t_SOURCES = tests/tensor_sparse_nomem.c tests/tensor_failing.h tests/failing.h
tests_tensor_sparse_nomem_t_LDADD = $(internal_libs)
tests_tensor_sparse_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)

# Trains, PARAFAC2, robust and coupled models, regressions, metrics.
tensor_model_tests = tests/tensor_convert.t tests/tensor_memory.t tests/tensor_models.t tests/tensor_model_nomem.t \
  tests/tensor_parafac2.t tests/tensor_peer.t \
  tests/tensor_real.t tests/tensor_train.t tests/tensor_train_fit.t
check_PROGRAMS += $(tensor_model_tests)
slow_tests += tests/tensor_train_fit.t
tests_tensor_model_nomem_t_SOURCES = tests/tensor_model_nomem.c tests/tensor_failing.h tests/failing.h
tests_tensor_model_nomem_t_LDADD = $(internal_libs)
tests_tensor_model_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
tests_tensor_convert_t_SOURCES = tests/tensor_convert.c tests/tensor_dense.h tests/tensor.h
tests_tensor_convert_t_LDADD = $(kits_libs)
tests_tensor_memory_t_SOURCES = tests/tensor_memory.c tests/tensor.h
tests_tensor_memory_t_LDADD = $(kits_libs)
tests_tensor_models_t_SOURCES = tests/tensor_models.c tests/tensor_dense.h tests/tensor.h
tests_tensor_models_t_LDADD = $(kits_libs)
tests_tensor_parafac2_t_SOURCES = tests/tensor_parafac2.c tests/tensor_dense.h tests/tensor.h
tests_tensor_parafac2_t_LDADD = $(kits_libs)
tests_tensor_peer_t_SOURCES = tests/tensor_peer.c tests/tensor.h tests/data/tensor.h
tests_tensor_peer_t_LDADD = $(kits_libs)
tests_tensor_real_t_SOURCES = tests/tensor_real.c tests/tensor.h
tests_tensor_real_t_LDADD = $(kits_libs)
tests_tensor_train_t_SOURCES = tests/tensor_train.c tests/tensor_dense.h tests/tensor.h
tests_tensor_train_t_LDADD = $(kits_libs)
tests_tensor_train_fit_t_SOURCES = tests/tensor_train_fit.c tests/tensor_dense.h tests/tensor.h
tests_tensor_train_fit_t_LDADD = $(kits_libs)
