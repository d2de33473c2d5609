# SPDX-License-Identifier: BSD-3-Clause
# Single kernels of the reference backend where the functions say less: api/ and conform/truth.c have the rest.

check_PROGRAMS += tests/reference/affine.t tests/reference/map.t
valgrind_tests += tests/reference/affine.t

tests_reference_affine_t_SOURCES = tests/reference/affine.c tests/reference/kernel.h
tests_reference_affine_t_LDADD = $(internal_libs)
EXTRA_DIST += tests/data/affine.py tests/data/affine.txt
tests_reference_map_t_SOURCES = tests/reference/map.c tests/launch.h tests/reference/divmod.h
tests_reference_map_t_LDADD = $(internal_libs)
EXTRA_DIST += tests/data/reference_divmod.py
