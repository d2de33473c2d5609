# SPDX-License-Identifier: BSD-3-Clause
# Tests of the tensor kit.

tensor_tests = tests/tensor_als.t tests/tensor_formats.t \
  tests/tensor_more.t tests/tensor_nomem.t tests/tensor_prox.t tests/tensor_tucker.t
check_PROGRAMS += $(tensor_tests)
valgrind_tests += tests/tensor_formats.t

tests_tensor_formats_t_SOURCES = tests/tensor_formats.c tests/tensor.h
tests_tensor_formats_t_LDADD = $(kits_libs)
tests_tensor_als_t_SOURCES = tests/tensor_als.c tests/tensor.h
tests_tensor_als_t_LDADD = $(kits_libs)
tests_tensor_tucker_t_SOURCES = tests/tensor_tucker.c tests/tensor.h
tests_tensor_tucker_t_LDADD = $(kits_libs)
tests_tensor_prox_t_SOURCES = tests/tensor_prox.c tests/tensor.h
tests_tensor_prox_t_LDADD = $(kits_libs)
tests_tensor_more_t_SOURCES = tests/tensor_more.c tests/tensor.h
tests_tensor_more_t_LDADD = $(kits_libs)
tests_tensor_nomem_t_SOURCES = tests/tensor_nomem.c tests/fault.h
tests_tensor_nomem_t_LDADD = $(kits_libs) -lpthread
