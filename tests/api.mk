# SPDX-License-Identifier: BSD-3-Clause
# Tests of operations through the public interface; see tests/local.mk.

api_tests = tests/api_list.t tests/api_reflect.t tests/api_scalars.t tests/api_options.t \
  tests/api_alias.t tests/api_dtypes.t tests/api_elementwise.t tests/api_views.t tests/api_move.t \
  tests/api_print.t \
  tests/api_reduce.t tests/api_linalg.t tests/api_fft.t tests/api_image.t tests/api_random.t \
  tests/api_npy.t tests/api_nomem.t tests/api_read_only.t tests/api_spaces.t
check_PROGRAMS += $(api_tests) tests/fuzz_npy.t tests/fuzz_einsum.t
valgrind_tests += $(api_tests)
tests_api_list_t_SOURCES = tests/api_list.c tests/api.h
tests_api_reflect_t_SOURCES = tests/api_reflect.c tests/api.h
tests_api_options_t_SOURCES = tests/api_options.c tests/api.h
tests_api_options_t_LDADD = $(LDADD) -lm
tests_api_scalars_t_SOURCES = tests/api_scalars.c tests/api.h
tests_api_reflect_t_LDADD = $(LDADD) -ldl
tests_api_print_t_SOURCES = tests/api_print.c tests/api.h
tests_api_alias_t_LDADD = $(LDADD) -ldl
tests_api_alias_t_SOURCES = tests/api_alias.c tests/api_alias.h tests/api.h
EXTRA_DIST += tests/api_alias_cxx.cc tests/api_index_cxx.cc
EXTRA_DIST += tests/cxx_arrays.cc
dist_check_SCRIPTS += tests/cxx_mdspan.t
if HAVE_CXX17
if !CROSS_COMPILING
# With exceptions, and without.
check_PROGRAMS += tests/cxx_arrays.t tests/cxx_statuses.t
tests_cxx_arrays_t_SOURCES = tests/cxx_arrays.cc
tests_cxx_arrays_t_LDADD = $(LDADD) -lpthread
tests_cxx_statuses_t_SOURCES = tests/cxx_arrays.cc
tests_cxx_statuses_t_CXXFLAGS = $(AM_CXXFLAGS) -fno-exceptions
tests_cxx_statuses_t_LDADD = $(LDADD) -lpthread
endif
check_PROGRAMS += tests/api_alias_cxx.t tests/api_index_cxx.t
tests_api_alias_cxx_t_SOURCES = tests/api_alias_cxx.cc tests/api_alias.h
tests_api_index_cxx_t_SOURCES = tests/api_index_cxx.cc
endif
tests_api_dtypes_t_SOURCES = tests/api_dtypes.c tests/api.h
tests_api_elementwise_t_SOURCES = tests/api_elementwise.c tests/api.h
tests_api_views_t_SOURCES = tests/api_views.c tests/api.h
tests_api_move_t_SOURCES = tests/api_move.c tests/api.h
tests_api_reduce_t_SOURCES = tests/api_reduce.c tests/api.h
tests_api_linalg_t_SOURCES = tests/api_linalg.c tests/api.h
tests_api_fft_t_SOURCES = tests/api_fft.c tests/api.h
tests_api_image_t_SOURCES = tests/api_image.c tests/api.h
tests_api_random_t_SOURCES = tests/api_random.c tests/api.h
tests_api_npy_t_SOURCES = tests/api_npy.c tests/api.h
tests_api_read_only_t_SOURCES = tests/api_read_only.c
tests_api_nomem_t_SOURCES = tests/api_nomem.c tests/api.h
tests_api_spaces_t_SOURCES = tests/api_spaces.c tests/api.h
tests_fuzz_npy_t_SOURCES = tests/fuzz_npy.c
tests_fuzz_einsum_t_SOURCES = tests/fuzz_einsum.c
npy_files = big_b1 big_c16 big_c8 big_f2 big_f4 big_f8 big_i1 big_i2 big_i4 big_i8 big_u1 big_u2 big_u4 big_u8 \
  little_b1 little_c16 little_c8 little_f2 little_f4 little_f8 little_i1 little_i2 little_i4 little_i8 little_u1 \
  little_u2 little_u4 little_u8 datetime empty fortran fortran_big longdouble record scalar version_1 version_2 version_3
EXTRA_DIST += tests/data/npy.py $(npy_files:%=tests/data/npy/%.npy)

# Creation, manipulation and indexing.
index_tests = tests/api_arrange.t tests/api_index.t tests/api_index_large.t tests/fault_alloc_index.t tests/meaning_index.t
check_PROGRAMS += $(index_tests)
valgrind_tests += $(filter-out tests/api_index_large.t,$(index_tests))
tests_api_arrange_t_SOURCES = tests/api_arrange.c tests/api.h
tests_api_index_large_t_SOURCES = tests/api_index_large.c tests/api.h
tests_meaning_index_t_SOURCES = tests/meaning_index.c tests/api.h
tests_api_index_t_SOURCES = tests/api_index.c tests/api.h
tests_fault_alloc_index_t_SOURCES = tests/fault_alloc_index.c tests/fault.h
EXTRA_DIST += tests/data/gen_index.py tests/data/index.txt

# Factorisations and solvers.
linalg_tests = tests/api_factor.t tests/fault_alloc_linalg.t
check_PROGRAMS += $(linalg_tests)
valgrind_tests += $(linalg_tests)
tests_api_factor_t_SOURCES = tests/api_factor.c tests/api.h tests/linalg.h
tests_fault_alloc_linalg_t_SOURCES = tests/fault_alloc_linalg.c tests/fault.h
check_PROGRAMS += tests/meaning_linalg.t
valgrind_tests += tests/meaning_linalg.t
tests_meaning_linalg_t_SOURCES = tests/meaning_linalg.c tests/api.h tests/linalg.h tests/data/linalg.h
check_PROGRAMS += tests/api_tall.t
tests_api_tall_t_SOURCES = tests/api_tall.c tests/api.h
tests_api_tall_t_LDADD = $(LDADD) -lm
EXTRA_DIST += tests/data/gen_linalg.py tests/data/gen_tensor.py
# Products of several arrays, norms.
product_tests = tests/api_einsum.t tests/api_truncated.t tests/api_products.t tests/meaning_products.t tests/fault_alloc_products.t
check_PROGRAMS += $(product_tests)
valgrind_tests += $(product_tests)
tests_api_einsum_t_SOURCES = tests/api_einsum.c tests/api.h
tests_api_truncated_t_SOURCES = tests/api_truncated.c tests/api.h
check_PROGRAMS += tests/api_norms.t
tests_api_norms_t_SOURCES = tests/api_norms.c tests/api.h
tests_api_norms_t_LDADD = $(LDADD) -lm
tests_api_products_t_SOURCES = tests/api_products.c tests/api.h
tests_meaning_products_t_SOURCES = tests/meaning_products.c tests/api.h
tests_fault_alloc_products_t_SOURCES = tests/fault_alloc_products.c tests/fault.h

check_PROGRAMS += tests/api_hostile.t
tests_api_hostile_t_SOURCES = tests/api_hostile.c tests/api.h
check_PROGRAMS += tests/api_limits.t
valgrind_tests += tests/api_limits.t
tests_api_limits_t_SOURCES = tests/api_limits.c

check_PROGRAMS += tests/api_bits.t
valgrind_tests += tests/api_bits.t
tests_api_bits_t_SOURCES = tests/api_bits.c tests/api.h
tests_api_bits_t_LDADD = $(LDADD) -lm
