# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "cpu"; see tests/local.mk.  They open the module with a host of their own and
# compare its rows with the reference kernels; the plan cache is compiled into its test.
if BUILD_CPU
cpu_rows_sources = tests/mock_host.c tests/mock_host.h tests/cpu_rows.h
check_PROGRAMS += tests/cpu_complex.t tests/cpu_elementwise.t tests/cpu_functions.t tests/cpu_divisor.t
if HAVE_FFTW
check_PROGRAMS += tests/cpu_structured.t tests/cpu_plans.t tests/cpu_storm.t
endif
check_PROGRAMS += tests/cpu_gemm.t tests/cpu_factor.t tests/cpu_stream.t tests/cpu_team.t
tests_cpu_elementwise_t_SOURCES = tests/cpu_elementwise.c $(cpu_rows_sources)
tests_cpu_elementwise_t_LDADD = $(internal_libs)
tests_cpu_functions_t_SOURCES = tests/cpu_functions.c tests/cpu_children.h tests/mock_host.c tests/mock_host.h
tests_cpu_functions_t_LDADD = $(internal_libs) -lm
tests_cpu_divisor_t_SOURCES = tests/cpu_divisor.c tests/cpu_children.h tests/mock_host.c tests/mock_host.h
tests_cpu_divisor_t_LDADD = $(internal_libs)
tests_cpu_complex_t_SOURCES = tests/cpu_complex.c tests/cpu_children.h tests/mock_host.c tests/mock_host.h
tests_cpu_complex_t_LDADD = $(internal_libs) -lm
tests_cpu_structured_t_SOURCES = tests/cpu_structured.c $(cpu_rows_sources)
tests_cpu_structured_t_LDADD = $(internal_libs)
check_PROGRAMS += tests/cpu_filters.t
valgrind_tests += tests/cpu_filters.t
tests_cpu_filters_t_SOURCES = tests/cpu_filters.c $(cpu_rows_sources)
tests_cpu_filters_t_LDADD = $(internal_libs)
check_PROGRAMS += tests/cpu_join.t
tests_cpu_join_t_SOURCES = tests/cpu_join.c $(cpu_rows_sources)
tests_cpu_join_t_LDADD = $(internal_libs)
tests_cpu_factor_t_SOURCES = tests/cpu_factor.c tests/api.h
tests_cpu_gemm_t_SOURCES = tests/cpu_gemm.c
check_PROGRAMS += tests/cpu_products.t tests/cpu_narrow.t
tests_cpu_products_t_SOURCES = tests/cpu_products.c tests/api.h
tests_cpu_narrow_t_SOURCES = tests/cpu_narrow.c tests/api.h
tests_cpu_narrow_t_LDADD = $(LDADD) -lm
kernel_tests += tests/cpu_gemm.t tests/cpu_batch.t tests/cpu_batch_factors.t tests/cpu_gemv.t tests/cpu_fft_columns.t \
  tests/cpu_fft_lines.t tests/cpu_moves.t tests/cpu_slices.t tests/cpu_extremes.t tests/cpu_norms.t tests/cpu_running.t \
  tests/cpu_stream_copy.t tests/cpu_nontemporal.t tests/cpu_functions.t tests/cpu_complex.t tests/cpu_divisor.t \
  tests/cpu_int_scalar.t
tests_cpu_gemm_t_CPPFLAGS = $(AM_CPPFLAGS)
if HAVE_X86_LEVELS
tests_cpu_gemm_t_CPPFLAGS += -DHED_HAVE_X86_LEVELS=1
endif
tests_cpu_gemm_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
check_PROGRAMS += tests/cpu_batch.t
tests_cpu_batch_t_SOURCES = tests/cpu_batch.c tests/cpu_batch.h
tests_cpu_batch_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_batch_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
check_PROGRAMS += tests/cpu_batch_factors.t
tests_cpu_batch_factors_t_SOURCES = tests/cpu_batch_factors.c tests/cpu_batch.h
tests_cpu_batch_factors_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_batch_factors_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
check_PROGRAMS += tests/cpu_gemv.t
tests_cpu_gemv_t_SOURCES = tests/cpu_gemv.c
tests_cpu_gemv_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_gemv_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
check_PROGRAMS += tests/cpu_fft_columns.t
tests_cpu_fft_columns_t_SOURCES = tests/cpu_fft_columns.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/fft/columns_plan.c lib/backends/cpu/fft/fft_steps.c lib/backends/cpu/kernels/fft_columns.h
tests_cpu_fft_columns_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_fft_columns_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
check_PROGRAMS += tests/cpu_fft_lines.t
tests_cpu_fft_lines_t_SOURCES = tests/cpu_fft_lines.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/fft/lines_plan.c lib/backends/cpu/fft/columns_plan.c lib/backends/cpu/fft/fft_steps.c \
  lib/backends/cpu/kernels/fft_lines.h
tests_cpu_fft_lines_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_fft_lines_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
check_PROGRAMS += tests/cpu_moves.t
tests_cpu_moves_t_SOURCES = tests/cpu_moves.c
tests_cpu_moves_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_moves_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
check_PROGRAMS += tests/cpu_slices.t
tests_cpu_slices_t_SOURCES = tests/cpu_slices.c lib/backends/cpu/sort/radix.c
tests_cpu_slices_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_slices_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
check_PROGRAMS += tests/cpu_extremes.t
tests_cpu_extremes_t_SOURCES = tests/cpu_extremes.c
tests_cpu_extremes_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_extremes_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
check_PROGRAMS += tests/cpu_norms.t
tests_cpu_norms_t_SOURCES = tests/cpu_norms.c
tests_cpu_norms_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_norms_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
check_PROGRAMS += tests/cpu_running.t
tests_cpu_running_t_SOURCES = tests/cpu_running.c
tests_cpu_running_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_running_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
check_PROGRAMS += tests/cpu_nontemporal.t
tests_cpu_nontemporal_t_SOURCES = tests/cpu_nontemporal.c
tests_cpu_nontemporal_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_nontemporal_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
check_PROGRAMS += tests/cpu_int_scalar.t
tests_cpu_int_scalar_t_SOURCES = tests/cpu_int_scalar.c
tests_cpu_int_scalar_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_int_scalar_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm

check_PROGRAMS += tests/cpu_stream_copy.t
tests_cpu_stream_copy_t_SOURCES = tests/cpu_stream_copy.c
tests_cpu_stream_copy_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_stream_copy_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_plans_t_SOURCES = tests/cpu_plans.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/kernels/fft_columns.c lib/backends/cpu/kernels/fft_lines.c lib/backends/cpu/fft/columns_plan.c \
  lib/backends/cpu/fft/lines_plan.c lib/backends/cpu/fft/fft_steps.c lib/backends/cpu/kernels/fft_columns.h \
  lib/backends/cpu/kernels/k_fft.h \
  lib/backends/cpu/fft/fft_plan.c lib/backends/cpu/fft/fft_plan.h lib/backends/cpu/runtime/scratch.c \
  lib/backends/cpu/runtime/team.c lib/backends/cpu/runtime/team.h lib/backends/cpu/runtime/parallel.h \
  lib/backends/cpu/fft/fft_wisdom.c
tests_cpu_plans_t_CFLAGS = $(AM_CFLAGS) $(FFTW_CFLAGS)
tests_cpu_plans_t_LDADD = $(internal_libs) $(FFTW_LIBS) -lm
tests_cpu_team_t_SOURCES = tests/cpu_team.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/runtime/team.c lib/backends/cpu/runtime/team.h lib/backends/cpu/runtime/parallel.c
tests_cpu_team_t_LDADD = $(internal_libs)
tests_cpu_stream_t_SOURCES = tests/cpu_stream.c tests/api.h
check_PROGRAMS += tests/cpu_scratch.t tests/cpu_transforms.t
tests_cpu_transforms_t_SOURCES = tests/cpu_transforms.c
valgrind_tests += tests/cpu_scratch.t
tests_cpu_scratch_t_SOURCES = tests/cpu_scratch.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/runtime/scratch.c
tests_cpu_scratch_t_LDADD = $(internal_libs)
tests_cpu_storm_t_SOURCES = tests/cpu_storm.c $(cpu_rows_sources)
tests_cpu_storm_t_LDADD = $(internal_libs) $(FFTW_LIBS) -lm
endif
EXTRA_DIST += tests/cpu_sets.h

# The backend's loops on another runtime's threads.
dist_check_SCRIPTS += tests/cpu_openmp.t
slow_tests += tests/cpu_openmp.t
EXTRA_PROGRAMS += tests/use_team
CLEANFILES += tests/use_team
check_DATA += tests/use_team
tests_use_team_SOURCES = tests/use_team.c tests/scenario.h
