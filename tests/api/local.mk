# SPDX-License-Identifier: BSD-3-Clause
# Operations through the public interface.

# Those that a second compiler builds, too.
api_tests = tests/api/list.t tests/api/reflect.t tests/api/scalars.t tests/api/options.t \
  tests/api/alias.t tests/api/dtypes.t tests/api/elementwise.t tests/api/views.t tests/api/move.t \
  tests/api/print.t \
  tests/api/reduce.t tests/api/linalg.t tests/api/fft.t tests/api/image.t tests/api/random.t \
  tests/api/npy.t tests/api/read_only.t tests/api/spaces.t
check_PROGRAMS += $(api_tests) tests/api/along.t tests/api/arrange.t tests/api/bits.t tests/api/convolve.t tests/api/copy.t \
  tests/api/correlation.t tests/api/einsum.t tests/api/factor.t tests/api/filters.t tests/api/fourier.t tests/api/halves.t \
  tests/api/hostile.t tests/api/index.t tests/api/index_large.t tests/api/integers.t tests/api/into.t tests/api/limits.t \
  tests/api/members.t tests/api/nn.t tests/api/norms.t tests/api/products.t tests/api/ranges.t tests/api/reduce_large.t \
  tests/api/reduce_long.t tests/api/reduce_shapes.t tests/api/reduce_spread.t tests/api/running.t tests/api/search.t \
  tests/api/softmax.t tests/api/sort.t tests/api/statistics.t tests/api/tall.t tests/api/truncated.t tests/api/zeros.t
dist_check_SCRIPTS += tests/api/cxx_mdspan.t
valgrind_tests += $(api_tests) tests/api/arrange.t tests/api/bits.t tests/api/convolve.t tests/api/copy.t \
  tests/api/correlation.t tests/api/einsum.t tests/api/factor.t tests/api/filters.t tests/api/fourier.t tests/api/index.t \
  tests/api/into.t tests/api/limits.t tests/api/nn.t tests/api/products.t tests/api/search.t tests/api/softmax.t \
  tests/api/statistics.t tests/api/truncated.t
if HAVE_CXX17
check_PROGRAMS += tests/api/alias_cxx.t tests/api/index_cxx.t
endif
if HAVE_FFTW
check_PROGRAMS += tests/api/fft_plan.t
valgrind_tests += tests/api/fft_plan.t
endif
if HAVE_CXX17
if !CROSS_COMPILING
check_PROGRAMS += tests/api/cxx_arrays.t tests/api/cxx_statuses.t
endif
endif

tests_api_list_t_SOURCES = tests/api/list.c tests/api.h
tests_api_reflect_t_SOURCES = tests/api/reflect.c tests/api.h
tests_api_options_t_SOURCES = tests/api/options.c tests/api.h
tests_api_options_t_LDADD = $(LDADD) -lm
tests_api_scalars_t_SOURCES = tests/api/scalars.c tests/api.h
tests_api_reflect_t_LDADD = $(LDADD) -ldl
tests_api_members_t_SOURCES = tests/api/members.c
tests_api_members_t_LDADD = $(kits_libs)
tests_api_print_t_SOURCES = tests/api/print.c tests/api.h
tests_api_alias_t_LDADD = $(LDADD) -ldl
tests_api_alias_t_SOURCES = tests/api/alias.c tests/api/alias.h tests/api.h
EXTRA_DIST += tests/api/alias_cxx.cc tests/api/cxx_arrays.cc tests/api/index_cxx.cc
if HAVE_CXX17
if !CROSS_COMPILING
# With exceptions, and without.
tests_api_cxx_arrays_t_SOURCES = tests/api/cxx_arrays.cc
tests_api_cxx_arrays_t_LDADD = $(LDADD) -lpthread
tests_api_cxx_statuses_t_SOURCES = tests/api/cxx_arrays.cc
tests_api_cxx_statuses_t_CXXFLAGS = $(AM_CXXFLAGS) -fno-exceptions
tests_api_cxx_statuses_t_LDADD = $(LDADD) -lpthread
endif
tests_api_alias_cxx_t_SOURCES = tests/api/alias_cxx.cc tests/api/alias.h
tests_api_index_cxx_t_SOURCES = tests/api/index_cxx.cc
endif
tests_api_dtypes_t_SOURCES = tests/api/dtypes.c tests/api.h
tests_api_elementwise_t_SOURCES = tests/api/elementwise.c tests/api.h
tests_api_views_t_SOURCES = tests/api/views.c tests/api.h
tests_api_move_t_SOURCES = tests/api/move.c tests/api.h
tests_api_reduce_t_SOURCES = tests/api/reduce.c tests/api.h
tests_api_linalg_t_SOURCES = tests/api/linalg.c tests/api.h
tests_api_fft_t_SOURCES = tests/api/fft.c tests/api.h
tests_api_image_t_SOURCES = tests/api/image.c tests/api.h
tests_api_random_t_SOURCES = tests/api/random.c tests/api.h
tests_api_npy_t_SOURCES = tests/api/npy.c tests/api.h
tests_api_read_only_t_SOURCES = tests/api/read_only.c
tests_api_spaces_t_SOURCES = tests/api/spaces.c tests/api.h
tests_api_arrange_t_SOURCES = tests/api/arrange.c tests/api.h
tests_api_index_large_t_SOURCES = tests/api/index_large.c tests/api.h
tests_api_index_t_SOURCES = tests/api/index.c tests/api.h
tests_api_factor_t_SOURCES = tests/api/factor.c tests/api.h tests/linalg.h
tests_api_tall_t_SOURCES = tests/api/tall.c tests/api.h
tests_api_tall_t_LDADD = $(LDADD) -lm
tests_api_einsum_t_SOURCES = tests/api/einsum.c tests/api.h
tests_api_truncated_t_SOURCES = tests/api/truncated.c tests/api.h
tests_api_norms_t_SOURCES = tests/api/norms.c tests/api.h
tests_api_norms_t_LDADD = $(LDADD) -lm
tests_api_products_t_SOURCES = tests/api/products.c tests/api.h
tests_api_hostile_t_SOURCES = tests/api/hostile.c tests/api.h tests/dlpack.h
tests_api_limits_t_SOURCES = tests/api/limits.c
tests_api_bits_t_SOURCES = tests/api/bits.c tests/api.h
tests_api_bits_t_LDADD = $(LDADD) -lm
tests_api_into_t_SOURCES = tests/api/into.c tests/fault.h
tests_api_fourier_t_SOURCES = tests/api/fourier.c tests/api.h tests/data/fft.h
tests_api_fft_plan_t_SOURCES = tests/api/fft_plan.c tests/api.h
tests_api_convolve_t_SOURCES = tests/api/convolve.c tests/api.h tests/data/fft.h
tests_api_correlation_t_SOURCES = tests/api/correlation.c tests/api.h
tests_api_nn_t_SOURCES = tests/api/nn.c tests/api.h
tests_api_nn_t_LDADD = $(LDADD) -lm
tests_api_halves_t_SOURCES = tests/api/halves.c tests/api.h
tests_api_statistics_t_SOURCES = tests/api/statistics.c tests/api.h tests/api/statistics_input.h \
  tests/data/statistics.h
tests_api_statistics_t_LDADD = $(LDADD) -lm
tests_api_search_t_SOURCES = tests/api/search.c tests/api.h tests/api/statistics_input.h \
  tests/data/statistics.h
tests_api_search_t_LDADD = $(LDADD) -lm
tests_api_reduce_shapes_t_SOURCES = tests/api/reduce_shapes.c tests/api.h
tests_api_reduce_shapes_t_LDADD = $(LDADD) -lm
tests_api_reduce_large_t_SOURCES = tests/api/reduce_large.c tests/api.h
tests_api_reduce_large_t_LDADD = $(LDADD) -lm
tests_api_reduce_long_t_SOURCES = tests/api/reduce_long.c tests/api.h
tests_api_reduce_long_t_LDADD = $(LDADD) -lm
tests_api_reduce_spread_t_SOURCES = tests/api/reduce_spread.c tests/api.h
tests_api_reduce_spread_t_LDADD = $(LDADD) -lm
tests_api_softmax_t_SOURCES = tests/api/softmax.c tests/api.h
tests_api_softmax_t_LDADD = $(LDADD) -lm
tests_api_integers_t_SOURCES = tests/api/integers.c tests/api.h
tests_api_zeros_t_SOURCES = tests/api/zeros.c tests/api.h
tests_api_zeros_t_LDADD = $(LDADD) -lm
tests_api_ranges_t_SOURCES = tests/api/ranges.c tests/api.h
tests_api_ranges_t_LDADD = $(LDADD) -lm
tests_api_along_t_SOURCES = tests/api/along.c tests/api.h
tests_api_running_t_SOURCES = tests/api/running.c tests/api.h
tests_api_running_t_LDADD = $(LDADD) -lm
tests_api_copy_t_SOURCES = tests/api/copy.c tests/api.h
tests_api_sort_t_SOURCES = tests/api/sort.c tests/api.h
tests_api_filters_t_SOURCES = tests/api/filters.c tests/data/filters.h tests/api.h

npy_files = big_b1 big_c16 big_c8 big_f2 big_f4 big_f8 big_i1 big_i2 big_i4 big_i8 big_u1 big_u2 big_u4 big_u8 \
  little_b1 little_c16 little_c8 little_f2 little_f4 little_f8 little_i1 little_i2 little_i4 little_i8 little_u1 \
  little_u2 little_u4 little_u8 datetime empty fortran fortran_big longdouble record scalar version_1 version_2 version_3
EXTRA_DIST += $(npy_files:%=tests/data/npy/%.npy) tests/data/fft.py tests/data/filters.py tests/data/gen_elementwise.py \
  tests/data/eigh_range.py \
  tests/data/gen_index.py tests/data/gen_linalg.py tests/data/gen_tensor.py tests/data/index.txt tests/data/npy.py \
  tests/data/statistics.py
