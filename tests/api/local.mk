# SPDX-License-Identifier: BSD-3-Clause
# Operations through the public interface.

# Those that a second compiler builds, too.
api_tests = tests/api/call/list.t tests/api/call/reflect.t tests/api/elementwise/scalars.t tests/api/call/options.t \
  tests/api/call/alias.t tests/api/call/dtypes.t tests/api/elementwise/elementwise.t tests/api/make/views.t tests/api/make/move.t \
  tests/api/make/print.t \
  tests/api/reduce/reduce.t tests/api/linalg/linalg.t tests/api/fft/fft.t tests/api/image/image.t tests/api/random/random.t \
  tests/api/file/npy.t tests/api/call/read_only.t tests/api/call/spaces.t
check_PROGRAMS += $(api_tests) tests/api/index/along.t tests/api/make/arrange.t tests/api/elementwise/bits.t \
  tests/api/fft/convolve.t tests/api/elementwise/copy.t tests/api/image/correlation.t tests/api/linalg/einsum.t \
  tests/api/linalg/factor.t tests/api/image/filters.t tests/api/fft/fourier.t tests/api/elementwise/halves.t \
  tests/api/call/hostile.t tests/api/index/index.t tests/api/index/large.t tests/api/elementwise/integers.t tests/api/call/into.t \
  tests/api/call/limits.t tests/api/call/members.t tests/api/elementwise/nn.t tests/api/reduce/norms.t tests/api/linalg/products.t \
  tests/api/reduce/ranges.t tests/api/reduce/large.t tests/api/reduce/long.t tests/api/reduce/neighbours.t \
  tests/api/reduce/shapes.t tests/api/reduce/spread.t \
  tests/api/reduce/running.t tests/api/reduce/search.t tests/api/reduce/softmax.t tests/api/reduce/sort.t \
  tests/api/reduce/statistics.t tests/api/linalg/tall.t tests/api/linalg/truncated.t tests/api/elementwise/zeros.t
dist_check_SCRIPTS += tests/api/cxx/mdspan.t
valgrind_tests += $(api_tests) tests/api/make/arrange.t tests/api/elementwise/bits.t tests/api/fft/convolve.t \
  tests/api/elementwise/copy.t tests/api/image/correlation.t tests/api/linalg/einsum.t tests/api/linalg/factor.t \
  tests/api/image/filters.t tests/api/fft/fourier.t tests/api/index/index.t tests/api/call/into.t tests/api/call/limits.t \
  tests/api/elementwise/nn.t tests/api/linalg/products.t tests/api/reduce/search.t tests/api/reduce/softmax.t \
  tests/api/reduce/statistics.t tests/api/linalg/truncated.t
if HAVE_CXX17
check_PROGRAMS += tests/api/call/alias_cxx.t tests/api/cxx/index.t
endif
if HAVE_FFTW
check_PROGRAMS += tests/api/fft/plan.t
valgrind_tests += tests/api/fft/plan.t
endif
if HAVE_CXX17
if !CROSS_COMPILING
check_PROGRAMS += tests/api/cxx/arrays.t tests/api/cxx/statuses.t
endif
endif

tests_api_call_list_t_SOURCES = tests/api/call/list.c tests/api.h
tests_api_call_reflect_t_SOURCES = tests/api/call/reflect.c tests/api.h
tests_api_call_options_t_SOURCES = tests/api/call/options.c tests/api.h
tests_api_call_options_t_LDADD = $(LDADD) -lm
tests_api_elementwise_scalars_t_SOURCES = tests/api/elementwise/scalars.c tests/api.h
tests_api_call_reflect_t_LDADD = $(LDADD) -ldl
tests_api_call_members_t_SOURCES = tests/api/call/members.c
tests_api_call_members_t_LDADD = $(kits_libs)
tests_api_make_print_t_SOURCES = tests/api/make/print.c tests/api.h
tests_api_call_alias_t_LDADD = $(LDADD) -ldl
tests_api_call_alias_t_SOURCES = tests/api/call/alias.c tests/api/call/alias.h tests/api.h
EXTRA_DIST += tests/api/call/alias_cxx.cc tests/api/cxx/arrays.cc tests/api/cxx/index.cc
if HAVE_CXX17
if !CROSS_COMPILING
# With exceptions, and without.
tests_api_cxx_arrays_t_SOURCES = tests/api/cxx/arrays.cc
tests_api_cxx_arrays_t_LDADD = $(LDADD) -lpthread
tests_api_cxx_statuses_t_SOURCES = tests/api/cxx/arrays.cc
tests_api_cxx_statuses_t_CXXFLAGS = $(AM_CXXFLAGS) -fno-exceptions
tests_api_cxx_statuses_t_LDADD = $(LDADD) -lpthread
endif
tests_api_call_alias_cxx_t_SOURCES = tests/api/call/alias_cxx.cc tests/api/call/alias.h
tests_api_cxx_index_t_SOURCES = tests/api/cxx/index.cc
endif
tests_api_call_dtypes_t_SOURCES = tests/api/call/dtypes.c tests/api.h
tests_api_elementwise_elementwise_t_SOURCES = tests/api/elementwise/elementwise.c tests/api.h
tests_api_make_views_t_SOURCES = tests/api/make/views.c tests/api.h
tests_api_make_move_t_SOURCES = tests/api/make/move.c tests/api.h
tests_api_reduce_reduce_t_SOURCES = tests/api/reduce/reduce.c tests/api.h
tests_api_linalg_linalg_t_SOURCES = tests/api/linalg/linalg.c tests/api.h
tests_api_fft_fft_t_SOURCES = tests/api/fft/fft.c tests/api.h
tests_api_image_image_t_SOURCES = tests/api/image/image.c tests/api.h
tests_api_random_random_t_SOURCES = tests/api/random/random.c tests/api.h
tests_api_file_npy_t_SOURCES = tests/api/file/npy.c tests/api.h
tests_api_call_read_only_t_SOURCES = tests/api/call/read_only.c
tests_api_call_spaces_t_SOURCES = tests/api/call/spaces.c tests/api.h
tests_api_make_arrange_t_SOURCES = tests/api/make/arrange.c tests/api.h
tests_api_index_large_t_SOURCES = tests/api/index/large.c tests/api.h
tests_api_index_index_t_SOURCES = tests/api/index/index.c tests/api.h
tests_api_linalg_factor_t_SOURCES = tests/api/linalg/factor.c tests/api.h tests/linalg.h
tests_api_linalg_tall_t_SOURCES = tests/api/linalg/tall.c tests/api.h
tests_api_linalg_tall_t_LDADD = $(LDADD) -lm
tests_api_linalg_einsum_t_SOURCES = tests/api/linalg/einsum.c tests/api.h
tests_api_linalg_truncated_t_SOURCES = tests/api/linalg/truncated.c tests/api.h
tests_api_reduce_norms_t_SOURCES = tests/api/reduce/norms.c tests/api.h
tests_api_reduce_norms_t_LDADD = $(LDADD) -lm
tests_api_linalg_products_t_SOURCES = tests/api/linalg/products.c tests/api.h
tests_api_call_hostile_t_SOURCES = tests/api/call/hostile.c tests/api.h tests/dlpack.h
tests_api_call_limits_t_SOURCES = tests/api/call/limits.c
tests_api_elementwise_bits_t_SOURCES = tests/api/elementwise/bits.c tests/api.h
tests_api_elementwise_bits_t_LDADD = $(LDADD) -lm
tests_api_call_into_t_SOURCES = tests/api/call/into.c tests/fault.h
tests_api_fft_fourier_t_SOURCES = tests/api/fft/fourier.c tests/api.h tests/data/fft.h
tests_api_fft_plan_t_SOURCES = tests/api/fft/plan.c tests/api.h
tests_api_fft_convolve_t_SOURCES = tests/api/fft/convolve.c tests/api.h tests/data/fft.h
tests_api_image_correlation_t_SOURCES = tests/api/image/correlation.c tests/api.h
tests_api_elementwise_nn_t_SOURCES = tests/api/elementwise/nn.c tests/api.h
tests_api_elementwise_nn_t_LDADD = $(LDADD) -lm
tests_api_elementwise_halves_t_SOURCES = tests/api/elementwise/halves.c tests/api.h
tests_api_reduce_statistics_t_SOURCES = tests/api/reduce/statistics.c tests/api.h tests/api/reduce/statistics_input.h \
  tests/data/statistics.h
tests_api_reduce_statistics_t_LDADD = $(LDADD) -lm
tests_api_reduce_search_t_SOURCES = tests/api/reduce/search.c tests/api.h tests/api/reduce/statistics_input.h \
  tests/data/statistics.h
tests_api_reduce_search_t_LDADD = $(LDADD) -lm
tests_api_reduce_shapes_t_SOURCES = tests/api/reduce/shapes.c tests/api.h
tests_api_reduce_shapes_t_LDADD = $(LDADD) -lm
tests_api_reduce_large_t_SOURCES = tests/api/reduce/large.c tests/api.h
tests_api_reduce_large_t_LDADD = $(LDADD) -lm
tests_api_reduce_long_t_SOURCES = tests/api/reduce/long.c tests/api.h
tests_api_reduce_long_t_LDADD = $(LDADD) -lm
tests_api_reduce_neighbours_t_SOURCES = tests/api/reduce/neighbours.c tests/api.h
tests_api_reduce_neighbours_t_LDADD = $(LDADD) -lm
tests_api_reduce_spread_t_SOURCES = tests/api/reduce/spread.c tests/api.h
tests_api_reduce_spread_t_LDADD = $(LDADD) -lm
tests_api_reduce_softmax_t_SOURCES = tests/api/reduce/softmax.c tests/api.h
tests_api_reduce_softmax_t_LDADD = $(LDADD) -lm
tests_api_elementwise_integers_t_SOURCES = tests/api/elementwise/integers.c tests/api.h
tests_api_elementwise_zeros_t_SOURCES = tests/api/elementwise/zeros.c tests/api.h
tests_api_elementwise_zeros_t_LDADD = $(LDADD) -lm
tests_api_reduce_ranges_t_SOURCES = tests/api/reduce/ranges.c tests/api.h
tests_api_reduce_ranges_t_LDADD = $(LDADD) -lm
tests_api_index_along_t_SOURCES = tests/api/index/along.c tests/api.h
tests_api_reduce_running_t_SOURCES = tests/api/reduce/running.c tests/api.h
tests_api_reduce_running_t_LDADD = $(LDADD) -lm
tests_api_elementwise_copy_t_SOURCES = tests/api/elementwise/copy.c tests/api.h
tests_api_reduce_sort_t_SOURCES = tests/api/reduce/sort.c tests/api.h
tests_api_image_filters_t_SOURCES = tests/api/image/filters.c tests/data/filters.h tests/api.h

npy_files = big_b1 big_c16 big_c8 big_f2 big_f4 big_f8 big_i1 big_i2 big_i4 big_i8 big_u1 big_u2 big_u4 big_u8 \
  little_b1 little_c16 little_c8 little_f2 little_f4 little_f8 little_i1 little_i2 little_i4 little_i8 little_u1 \
  little_u2 little_u4 little_u8 datetime empty fortran fortran_big longdouble record scalar version_1 version_2 version_3
EXTRA_DIST += $(npy_files:%=tests/data/npy/%.npy) tests/data/fft.py tests/data/filters.py tests/data/gen_elementwise.py \
  tests/data/eigh_range.py \
  tests/data/gen_index.py tests/data/gen_linalg.py tests/data/gen_tensor.py tests/data/index.txt tests/data/npy.py \
  tests/data/statistics.py
