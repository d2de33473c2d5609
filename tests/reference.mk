# SPDX-License-Identifier: BSD-3-Clause
# Tests of single kernels of the reference backend, called with operands made by tests/kernel.h.
check_PROGRAMS += tests/reference_affine.t tests/reference_fft.t tests/reference_matmul.t \
  tests/reference_maxfilter.t tests/reference_random.t tests/reference_svd.t
tests_reference_affine_t_SOURCES = tests/reference_affine.c tests/kernel.h
tests_reference_affine_t_LDADD = $(internal_libs)
tests_reference_fft_t_SOURCES = tests/reference_fft.c tests/kernel.h
tests_reference_fft_t_LDADD = $(internal_libs)
tests_reference_matmul_t_SOURCES = tests/reference_matmul.c tests/kernel.h
tests_reference_matmul_t_LDADD = $(internal_libs)
tests_reference_maxfilter_t_SOURCES = tests/reference_maxfilter.c tests/kernel.h
tests_reference_maxfilter_t_LDADD = $(internal_libs)
tests_reference_random_t_SOURCES = tests/reference_random.c tests/kernel.h
tests_reference_random_t_LDADD = $(internal_libs)
tests_reference_svd_t_SOURCES = tests/reference_svd.c tests/kernel.h
tests_reference_svd_t_LDADD = $(internal_libs)
valgrind_tests += tests/reference_affine.t tests/reference_fft.t tests/reference_matmul.t \
  tests/reference_maxfilter.t tests/reference_random.t tests/reference_svd.t
EXTRA_DIST += tests/data/affine.py tests/data/affine.txt

# The families with a formula per element or lane; their operands come from tests/launch.h.
check_PROGRAMS += tests/reference_map.t tests/reference_reduce.t tests/reference_sort.t
tests_reference_map_t_SOURCES = tests/reference_map.c tests/launch.h tests/reference_divmod.h
tests_reference_map_t_LDADD = $(internal_libs)
tests_reference_reduce_t_SOURCES = tests/reference_reduce.c tests/launch.h
tests_reference_reduce_t_LDADD = $(internal_libs)
tests_reference_sort_t_SOURCES = tests/reference_sort.c tests/launch.h
tests_reference_sort_t_LDADD = $(internal_libs)
EXTRA_DIST += tests/data/reference_divmod.py
