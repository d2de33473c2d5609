# SPDX-License-Identifier: BSD-3-Clause
# Single kernels of the reference backend.

check_PROGRAMS += tests/reference/affine.t tests/reference/fft.t tests/reference/map.t tests/reference/matmul.t \
  tests/reference/maxfilter.t tests/reference/random.t tests/reference/reduce.t tests/reference/sort.t tests/reference/svd.t
valgrind_tests += tests/reference/affine.t tests/reference/fft.t tests/reference/matmul.t tests/reference/maxfilter.t \
  tests/reference/random.t tests/reference/svd.t

tests_reference_affine_t_SOURCES = tests/reference/affine.c tests/reference/kernel.h
tests_reference_affine_t_LDADD = $(internal_libs)
tests_reference_fft_t_SOURCES = tests/reference/fft.c tests/reference/kernel.h
tests_reference_fft_t_LDADD = $(internal_libs)
tests_reference_matmul_t_SOURCES = tests/reference/matmul.c tests/reference/kernel.h
tests_reference_matmul_t_LDADD = $(internal_libs)
tests_reference_maxfilter_t_SOURCES = tests/reference/maxfilter.c tests/reference/kernel.h
tests_reference_maxfilter_t_LDADD = $(internal_libs)
tests_reference_random_t_SOURCES = tests/reference/random.c tests/reference/kernel.h
tests_reference_random_t_LDADD = $(internal_libs)
tests_reference_svd_t_SOURCES = tests/reference/svd.c tests/reference/kernel.h
tests_reference_svd_t_LDADD = $(internal_libs)
EXTRA_DIST += tests/data/affine.py tests/data/affine.txt
tests_reference_map_t_SOURCES = tests/reference/map.c tests/launch.h tests/reference/divmod.h
tests_reference_map_t_LDADD = $(internal_libs)
tests_reference_reduce_t_SOURCES = tests/reference/reduce.c tests/launch.h
tests_reference_reduce_t_LDADD = $(internal_libs)
tests_reference_sort_t_SOURCES = tests/reference/sort.c tests/launch.h
tests_reference_sort_t_LDADD = $(internal_libs)
EXTRA_DIST += tests/data/reference_divmod.py
