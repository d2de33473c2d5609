# SPDX-License-Identifier: BSD-3-Clause
# The nn kit.

check_PROGRAMS += tests/nn/cells.t tests/nn/failing.t tests/nn/layers.t tests/nn/nomem.t tests/nn/params.t tests/nn/values.t

tests_nn_cells_t_SOURCES = tests/nn/cells.c tests/nn/nn.h
tests_nn_cells_t_LDADD = $(kits_libs)
tests_nn_failing_t_SOURCES = tests/nn/failing.c tests/nn/failing.def tests/failing_kits.h
tests_nn_failing_t_LDADD = $(kits_libs) -ldl
# A share of it on a device that exists.
dist_check_SCRIPTS += tests/nn/failing_opencl.t
tests_nn_layers_t_SOURCES = tests/nn/layers.c tests/nn/nn.h
tests_nn_layers_t_LDADD = $(kits_libs)
# As tests/kit/nomem.t.
tests_nn_nomem_t_SOURCES = tests/nn/nomem.c tests/failing.h tests/nn/nn.h
tests_nn_nomem_t_LDADD = $(internal_libs)
tests_nn_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
tests_nn_params_t_SOURCES = tests/nn/params.c tests/nn/nn.h
tests_nn_params_t_LDADD = $(kits_libs)
tests_nn_values_t_SOURCES = tests/nn/values.c tests/nn/nn.h
tests_nn_values_t_LDADD = $(kits_libs)
EXTRA_DIST += tests/data/nn_values.py tests/data/nn_values.safetensors

# Training.
check_PROGRAMS += tests/nn/ahead.t tests/nn/fit.t tests/nn/measure.t tests/nn/more.t tests/nn/optimize.t tests/nn/parts.t \
  tests/nn/train_nomem.t
tests_nn_ahead_t_SOURCES = tests/nn/ahead.c tests/nn/train.h
tests_nn_ahead_t_LDADD = $(kits_libs)
tests_nn_more_t_SOURCES = tests/nn/more.c tests/nn/train.h
tests_nn_more_t_LDADD = $(kits_libs)
tests_nn_optimize_t_SOURCES = tests/nn/optimize.c tests/nn/train.h tests/data/nn_optimizers.h
tests_nn_optimize_t_LDADD = $(kits_libs)
EXTRA_DIST += tests/data/nn_optimizers.py
tests_nn_parts_t_SOURCES = tests/nn/parts.c tests/nn/train.h
tests_nn_parts_t_LDADD = $(kits_libs)
tests_nn_fit_t_SOURCES = tests/nn/fit.c tests/nn/train.h
tests_nn_fit_t_LDADD = $(kits_libs)
tests_nn_measure_t_SOURCES = tests/nn/measure.c tests/nn/train.h
tests_nn_measure_t_LDADD = $(kits_libs)

# As tests/kit/nomem.t.
tests_nn_train_nomem_t_SOURCES = tests/nn/train_nomem.c tests/failing.h
tests_nn_train_nomem_t_LDADD = $(internal_libs)
tests_nn_train_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
valgrind_tests += tests/nn/train_nomem.t
