# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "base"; see tests/local.mk.
base_tests = tests/base_alloc.t tests/base_cast.t tests/base_dtype.t tests/base_half.t \
  tests/base_map.t tests/base_random.t tests/base_shape.t
check_PROGRAMS += $(base_tests)
tests_base_alloc_t_SOURCES = tests/base_alloc.c
tests_base_alloc_t_LDADD = $(internal_libs)
tests_base_cast_t_SOURCES = tests/base_cast.c
tests_base_cast_t_LDADD = $(internal_libs)
tests_base_dtype_t_SOURCES = tests/base_dtype.c tests/base_promotion.h
tests_base_dtype_t_LDADD = $(internal_libs)
tests_base_half_t_SOURCES = tests/base_half.c
tests_base_half_t_LDADD = $(internal_libs)
tests_base_map_t_SOURCES = tests/base_map.c
tests_base_map_t_LDADD = $(internal_libs)
tests_base_random_t_SOURCES = tests/base_random.c
tests_base_random_t_LDADD = $(internal_libs)
tests_base_shape_t_SOURCES = tests/base_shape.c
tests_base_shape_t_LDADD = $(internal_libs)
EXTRA_DIST += tests/data/base_promotion.py

# Conventions of dense linear algebra.
check_PROGRAMS += tests/base_dense.t
valgrind_tests += tests/base_dense.t
tests_base_dense_t_SOURCES = tests/base_dense.c
tests_base_dense_t_LDADD = $(internal_libs)
