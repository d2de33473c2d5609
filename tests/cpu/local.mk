# SPDX-License-Identifier: BSD-3-Clause
# The cpu backend. They open the module with a host of their own and compare its rows with the
# reference kernels; the plan cache is compiled into its test.

dist_check_SCRIPTS += tests/cpu/openmp.t
slow_tests += tests/cpu/openmp.t
if BUILD_CPU
check_PROGRAMS += tests/cpu/batch.t tests/cpu/batch_factors.t tests/cpu/complex.t tests/cpu/divisor.t tests/cpu/elementwise.t \
  tests/cpu/extremes.t tests/cpu/factor.t tests/cpu/fft_columns.t tests/cpu/fft_lines.t \
  tests/cpu/functions.t tests/cpu/gemm.t tests/cpu/gemv.t tests/cpu/int_scalar.t tests/cpu/join.t tests/cpu/lanes.t \
  tests/cpu/moves.t \
  tests/cpu/nontemporal.t tests/cpu/norms.t tests/cpu/products.t tests/cpu/running.t tests/cpu/scratch.t \
  tests/cpu/slices.t tests/cpu/stream.t tests/cpu/stream_copy.t tests/cpu/structured.t tests/cpu/team.t \
  tests/cpu/transforms.t
kernel_tests += tests/cpu/batch.t tests/cpu/batch_factors.t tests/cpu/complex.t tests/cpu/divisor.t tests/cpu/extremes.t \
  tests/cpu/fft_columns.t tests/cpu/fft_lines.t tests/cpu/functions.t tests/cpu/gemm.t tests/cpu/gemv.t tests/cpu/int_scalar.t \
  tests/cpu/moves.t tests/cpu/nontemporal.t tests/cpu/norms.t tests/cpu/running.t tests/cpu/slices.t tests/cpu/stream_copy.t
valgrind_tests += tests/cpu/scratch.t
if HAVE_FFTW
check_PROGRAMS += tests/cpu/plans.t tests/cpu/storm.t
endif
endif

if BUILD_CPU
cpu_rows_sources = tests/mock_host.c tests/mock_host.h tests/cpu/rows.h
# One object for each level, as the kernels have.
check_LTLIBRARIES += tests/cpu/liblanes-base.la
tests_cpu_liblanes_base_la_SOURCES = tests/cpu/lanes_level.c tests/cpu/lanes.h tests/cpu/lanes_real.h tests/cpu/lanes_whole.h
tests_cpu_liblanes_base_la_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_VARIANT=base
tests_cpu_liblanes_base_la_CFLAGS = $(AM_CFLAGS) $(HED_KERNEL_CFLAGS)
tests_cpu_lanes_t_SOURCES = tests/cpu/lanes.c tests/cpu/lanes.h
tests_cpu_lanes_t_CPPFLAGS = $(AM_CPPFLAGS)
tests_cpu_lanes_t_LDADD = tests/cpu/liblanes-base.la $(LDADD)
if HAVE_X86_LEVELS
check_LTLIBRARIES += tests/cpu/liblanes-avx2.la tests/cpu/liblanes-avx512.la
tests_cpu_liblanes_avx2_la_SOURCES = $(tests_cpu_liblanes_base_la_SOURCES)
tests_cpu_liblanes_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_VARIANT=avx2
tests_cpu_liblanes_avx2_la_CFLAGS = $(AM_CFLAGS) $(HED_KERNEL_CFLAGS) $(HED_V3_CFLAGS)
tests_cpu_liblanes_avx512_la_SOURCES = $(tests_cpu_liblanes_base_la_SOURCES)
tests_cpu_liblanes_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_VARIANT=avx512
tests_cpu_liblanes_avx512_la_CFLAGS = $(AM_CFLAGS) $(HED_KERNEL_CFLAGS) $(HED_V4_CFLAGS)
tests_cpu_lanes_t_CPPFLAGS += -DHED_HAVE_X86_LEVELS=1
tests_cpu_lanes_t_LDADD += tests/cpu/liblanes-avx2.la tests/cpu/liblanes-avx512.la
endif
tests_cpu_elementwise_t_SOURCES = tests/cpu/elementwise.c $(cpu_rows_sources)
tests_cpu_elementwise_t_LDADD = $(internal_libs)
tests_cpu_functions_t_SOURCES = tests/cpu/functions.c tests/cpu/children.h tests/mock_host.c tests/mock_host.h
tests_cpu_functions_t_LDADD = $(internal_libs) -lm
tests_cpu_divisor_t_SOURCES = tests/cpu/divisor.c tests/cpu/children.h tests/mock_host.c tests/mock_host.h
tests_cpu_divisor_t_LDADD = $(internal_libs)
tests_cpu_complex_t_SOURCES = tests/cpu/complex.c tests/cpu/children.h tests/mock_host.c tests/mock_host.h
tests_cpu_complex_t_LDADD = $(internal_libs) -lm
tests_cpu_structured_t_SOURCES = tests/cpu/structured.c $(cpu_rows_sources)
tests_cpu_structured_t_LDADD = $(internal_libs)
tests_cpu_join_t_SOURCES = tests/cpu/join.c $(cpu_rows_sources)
tests_cpu_join_t_LDADD = $(internal_libs)
tests_cpu_factor_t_SOURCES = tests/cpu/factor.c tests/api.h
tests_cpu_gemm_t_SOURCES = tests/cpu/gemm.c
tests_cpu_products_t_SOURCES = tests/cpu/products.c tests/api.h
tests_cpu_gemm_t_CPPFLAGS = $(AM_CPPFLAGS)
if HAVE_X86_LEVELS
tests_cpu_gemm_t_CPPFLAGS += -DHED_HAVE_X86_LEVELS=1
endif
tests_cpu_gemm_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
tests_cpu_batch_t_SOURCES = tests/cpu/batch.c tests/cpu/batch.h
tests_cpu_batch_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_batch_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
tests_cpu_batch_factors_t_SOURCES = tests/cpu/batch_factors.c tests/cpu/batch.h
tests_cpu_batch_factors_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_batch_factors_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
tests_cpu_gemv_t_SOURCES = tests/cpu/gemv.c
tests_cpu_gemv_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_gemv_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
tests_cpu_fft_columns_t_SOURCES = tests/cpu/fft_columns.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/fft/columns_plan.c lib/backends/cpu/fft/fft_steps.c lib/backends/cpu/kernels/fft/columns.h
tests_cpu_fft_columns_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_fft_columns_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
tests_cpu_fft_lines_t_SOURCES = tests/cpu/fft_lines.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/fft/lines_plan.c lib/backends/cpu/fft/columns_plan.c lib/backends/cpu/fft/fft_steps.c \
  lib/backends/cpu/kernels/fft/lines.h
tests_cpu_fft_lines_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_fft_lines_t_LDADD = $(cpu_kernels) $(internal_libs) -lm
tests_cpu_moves_t_SOURCES = tests/cpu/moves.c
tests_cpu_moves_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_moves_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_slices_t_SOURCES = tests/cpu/slices.c lib/backends/cpu/runtime/room.c lib/backends/cpu/sort/radix.c
tests_cpu_slices_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_slices_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_extremes_t_SOURCES = tests/cpu/extremes.c
tests_cpu_extremes_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_extremes_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_norms_t_SOURCES = tests/cpu/norms.c
tests_cpu_norms_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_norms_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_running_t_SOURCES = tests/cpu/running.c
tests_cpu_running_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_running_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_nontemporal_t_SOURCES = tests/cpu/nontemporal.c
tests_cpu_nontemporal_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_nontemporal_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_int_scalar_t_SOURCES = tests/cpu/int_scalar.c
tests_cpu_int_scalar_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_int_scalar_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_stream_copy_t_SOURCES = tests/cpu/stream_copy.c
tests_cpu_stream_copy_t_CPPFLAGS = $(tests_cpu_gemm_t_CPPFLAGS)
tests_cpu_stream_copy_t_LDADD = $(cpu_kernels) $(internal_libs) $(MVEC_LIBS) -lm
tests_cpu_plans_t_SOURCES = tests/cpu/plans.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/kernels/fft/columns.c lib/backends/cpu/kernels/fft/lines.c lib/backends/cpu/fft/columns_plan.c \
  lib/backends/cpu/fft/lines_plan.c lib/backends/cpu/fft/fft_steps.c lib/backends/cpu/kernels/fft/columns.h \
  lib/backends/cpu/kernels/fft/fft.h \
  lib/backends/cpu/fft/fft_plan.c lib/backends/cpu/fft/fft_plan.h lib/backends/cpu/runtime/scratch.c \
  lib/backends/cpu/runtime/team.c lib/backends/cpu/runtime/team.h lib/backends/cpu/runtime/parallel.h \
  lib/backends/cpu/fft/fft_wisdom.c
tests_cpu_plans_t_CFLAGS = $(AM_CFLAGS) $(FFTW_CFLAGS)
tests_cpu_plans_t_LDADD = $(internal_libs) $(FFTW_LIBS) -lm
tests_cpu_team_t_SOURCES = tests/cpu/team.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/runtime/team.c lib/backends/cpu/runtime/team.h lib/backends/cpu/runtime/parallel.c
tests_cpu_team_t_LDADD = $(internal_libs)
tests_cpu_stream_t_SOURCES = tests/cpu/stream.c tests/api.h
tests_cpu_transforms_t_SOURCES = tests/cpu/transforms.c
tests_cpu_scratch_t_SOURCES = tests/cpu/scratch.c tests/mock_host.c tests/mock_host.h \
  lib/backends/cpu/runtime/scratch.c
tests_cpu_scratch_t_LDADD = $(internal_libs)
tests_cpu_storm_t_SOURCES = tests/cpu/storm.c $(cpu_rows_sources)
tests_cpu_storm_t_LDADD = $(internal_libs) $(FFTW_LIBS) -lm
endif
EXTRA_DIST += tests/cpu/sets.h

# The backend's loops on another runtime's threads.
EXTRA_PROGRAMS += tests/cpu/use_team
CLEANFILES += tests/cpu/use_team
check_DATA += tests/cpu/use_team
tests_cpu_use_team_SOURCES = tests/cpu/use_team.c tests/scenario.h
