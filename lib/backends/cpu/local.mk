# SPDX-License-Identifier: BSD-3-Clause
# The cpu backend: a module, built when CBLAS is found (BUILD_CPU), with transforms when FFTW is (HAVE_FFTW).  It links to
# nothing of Heddle but a copy of lib/base's objects.  BLAS is opened at run time, into a namespace of its own
# (blas_load.h), so it is not linked either.

hed_host_backends += cpu

cpu_sources = \
  %D%/backend.c %D%/cpu.h %D%/level.c %D%/table.c \
  %D%/bits/count.c %D%/bits/pack.c \
  %D%/elementwise/blocks.c %D%/elementwise/layout.c %D%/elementwise/layout.h %D%/elementwise/map.c \
  %D%/elementwise/map.h %D%/elementwise/phasor.c %D%/elementwise/tiled.c \
  %D%/filter/affine.c %D%/filter/convolve.c %D%/filter/correlate.c %D%/filter/extremes.c \
  %D%/filter/frame.c %D%/filter/frame.h %D%/filter/grid.c %D%/filter/median.c %D%/filter/sample.c \
  %D%/filter/spline.c %D%/filter/spline.h \
  %D%/fuse/fuse.c %D%/fuse/fuse.h %D%/fuse/fuse_again.c %D%/fuse/fuse_chain.c %D%/fuse/fuse_fold.c \
  %D%/fuse/fuse_program.c \
  %D%/linalg/blas.c %D%/linalg/blas_load.c %D%/linalg/blas_load.h %D%/linalg/dots.c \
  %D%/linalg/gemm_packed.c %D%/linalg/lapack.c %D%/linalg/lapack.h %D%/linalg/lapack_batch.c \
  %D%/linalg/lapack_blocks.c %D%/linalg/lapack_det.c %D%/linalg/lapack_eig.c %D%/linalg/lapack_lu.c \
  %D%/linalg/lapack_solve.c %D%/linalg/lapack_svd.c %D%/linalg/lapack_tall.c %D%/linalg/matvec.c \
  %D%/linalg/polar.c \
  %D%/linalg/product.h %D%/linalg/product_gram.c %D%/linalg/product_own.c %D%/linalg/product_some.c %D%/linalg/product_small.c \
  %D%/linalg/vecdot.c \
  %D%/match/match.c \
  %D%/move/copy.c %D%/move/fill.c %D%/move/index.c %D%/move/index.h %D%/move/join.c \
  %D%/move/scatter.c %D%/move/triangle.c %D%/move/words.c %D%/move/words.h %D%/move/write_rows.c %D%/move/write_rows.h \
  %D%/random/random.c \
  %D%/reduce/argextreme.h %D%/reduce/axes.h %D%/reduce/deinterleave.h %D%/reduce/fold.c \
  %D%/reduce/fold.h %D%/reduce/moments.h %D%/reduce/norm.c %D%/reduce/reduce.c %D%/reduce/reduce.h \
  %D%/reduce/reduce_argextreme.c %D%/reduce/reduce_columns.c %D%/reduce/reduce_flat.c \
  %D%/reduce/isotonic.c %D%/reduce/reduce_scaled.c %D%/reduce/reduce_slice.c %D%/reduce/scan.c %D%/reduce/softmax.c \
  %D%/runtime/caches.c %D%/runtime/caches.h %D%/runtime/parallel.c %D%/runtime/parallel.h \
  %D%/runtime/scratch.c %D%/runtime/stream.c %D%/runtime/stream.h %D%/runtime/team.c \
  %D%/runtime/team.h %D%/runtime/team_module.c \
  %D%/sort/best.c %D%/sort/best.h %D%/sort/bins.c %D%/sort/counting.c %D%/sort/counting.h \
  %D%/sort/partition.c %D%/sort/partition.h %D%/sort/quantile.c %D%/sort/radix.c %D%/sort/short.c \
  %D%/sort/short.h %D%/sort/sort.c %D%/sort/sort.h %D%/sort/zeros.c %D%/sort/zeros.h

# Loops: compiled once per instruction set.
cpu_kernel_sources = \
  %D%/kernels/batch.c %D%/kernels/batch.h %D%/kernels/bits.c %D%/kernels/bits.h %D%/kernels/bool_columns.c %D%/kernels/bool_columns.h \
  %D%/kernels/chain.c %D%/kernels/chain.h %D%/kernels/dot.c %D%/kernels/dot.h \
  %D%/kernels/fft_columns.c %D%/kernels/fft_columns.h %D%/kernels/fft_lines.c \
  %D%/kernels/fft_lines.h %D%/kernels/fft_lines_simd.c %D%/kernels/filter.c %D%/kernels/filter.h \
  %D%/kernels/functions.c %D%/kernels/gemm.c %D%/kernels/gemm.h %D%/kernels/gemv.c \
  %D%/kernels/gemv.h %D%/kernels/k_archyp.h %D%/kernels/k_argextreme.h %D%/kernels/k_atan.h \
  %D%/kernels/k_batch.h %D%/kernels/k_batch_columns.h %D%/kernels/k_batch_jacobi.h \
  %D%/kernels/k_batch_number.h %D%/kernels/k_batch_order.h %D%/kernels/k_batch_qr.h \
  %D%/kernels/k_bits.h %D%/kernels/k_cbrt512.h %D%/kernels/k_cbrt512_lanes.h %D%/kernels/k_cfun.h \
  %D%/kernels/k_chain.h %D%/kernels/k_complex.h %D%/kernels/k_complex_sign.h \
  %D%/kernels/k_compress.h %D%/kernels/k_correlate.h %D%/kernels/k_cumulative.h \
  %D%/kernels/k_deinterleave.h %D%/kernels/k_divide.h %D%/kernels/k_divide512.h \
  %D%/kernels/k_divide_int64.h %D%/kernels/k_divisor.h %D%/kernels/k_dot.h %D%/kernels/k_dot_int.h \
  %D%/kernels/k_each512.h %D%/kernels/k_each512_end.h %D%/kernels/k_exact.h %D%/kernels/k_exp.h \
  %D%/kernels/k_extreme.h %D%/kernels/k_fft.h %D%/kernels/k_fft_columns.h %D%/kernels/k_fft_lines.h \
  %D%/kernels/k_fft_lines_simd.h %D%/kernels/k_fft_rows.h %D%/kernels/k_find.h %D%/kernels/k_gamma.h \
  %D%/kernels/k_gamma_table.h %D%/kernels/k_gelu512.h %D%/kernels/k_gemm.h %D%/kernels/k_gemm_small.h %D%/kernels/k_gemv.h \
  %D%/kernels/k_grid.h %D%/kernels/k_half.h %D%/kernels/k_half_sums.h %D%/kernels/k_int_scalar.h \
  %D%/kernels/k_log.h %D%/kernels/k_log512.h %D%/kernels/k_log512_lanes.h \
  %D%/kernels/k_log512_rows.h %D%/kernels/k_log512_table.h %D%/kernels/k_logsumexp.h \
  %D%/kernels/k_lu.h %D%/kernels/k_majority.h %D%/kernels/k_map.h %D%/kernels/k_match.h %D%/kernels/k_math.h \
  %D%/kernels/k_moments.h %D%/kernels/k_mvec.h %D%/kernels/k_network.h %D%/kernels/k_nontemporal.h \
  %D%/kernels/k_norm.h %D%/kernels/k_pack.h %D%/kernels/k_phasor.h %D%/kernels/k_partition3.h %D%/kernels/k_polar.h \
  %D%/kernels/k_power.h %D%/kernels/k_power512.h %D%/kernels/k_power_int.h %D%/kernels/k_product.h \
  %D%/kernels/k_product_pairs.h %D%/kernels/k_quicksort.h %D%/kernels/k_quicksort256.h \
  %D%/kernels/k_quicksort512.h %D%/kernels/k_rank.h %D%/kernels/k_reduce.h %D%/kernels/k_repeat.h %D%/kernels/k_rsqrt512.h \
  %D%/kernels/k_reverse.h %D%/kernels/k_sample.h %D%/kernels/k_scan.h %D%/kernels/k_search.h \
  %D%/kernels/k_select.h %D%/kernels/k_skipnan.h %D%/kernels/k_softmax.h %D%/kernels/k_spline.h \
  %D%/kernels/k_store_line.h %D%/kernels/k_transpose.h %D%/kernels/k_transpose_stream.h \
  %D%/kernels/k_trig.h %D%/kernels/k_trig512.h %D%/kernels/k_weigh.h %D%/kernels/k_weighted_sum.h %D%/kernels/k_window.h \
  %D%/kernels/kernels.c %D%/kernels/kernels.h %D%/kernels/kernels_bool.c %D%/kernels/kernels_cast.c \
  %D%/kernels/kernels_copy.c %D%/kernels/kernels_copy.h %D%/kernels/kernels_random.c \
  %D%/kernels/kernels_reduce.c %D%/kernels/kernels_sort.c %D%/kernels/kernels_sort.h \
  %D%/kernels/kernels_split.c %D%/kernels/lu.c %D%/kernels/lu.h %D%/kernels/muladd.h \
  %D%/kernels/polar.c %D%/kernels/polar.h \
  %D%/kernels/variant.h

cpu_fft_sources = \
  %D%/fft/columns_plan.c %D%/fft/fft.c %D%/fft/fft_pairs.c %D%/fft/fft_plan.c %D%/fft/fft_plan.h \
  %D%/fft/fft_run.c %D%/fft/fft_stage.c %D%/fft/fft_stage.h %D%/fft/fft_steps.c %D%/fft/fft_steps.h \
  %D%/fft/fft_wisdom.c %D%/fft/lines_plan.c \
  %D%/match/max_correlation.c

EXTRA_DIST += $(cpu_sources) $(cpu_fft_sources) $(cpu_kernel_sources)

if BUILD_CPU
cpu_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(FFTW_CFLAGS)
cpu_cppflags = $(AM_CPPFLAGS) -DHED_BLAS_LIBS='"$(BLAS_LIBS)"' \
  -DHED_MODULE_VERSION='"$(PACKAGE_VERSION)"'
cpu_wide_kernels =
cpu_kernels = $(cpu_wide_kernels) lib/backends/cpu/libkernels-base.la

noinst_LTLIBRARIES += lib/backends/cpu/libkernels-base.la
lib_backends_cpu_libkernels_base_la_SOURCES = $(cpu_kernel_sources)
lib_backends_cpu_libkernels_base_la_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_VARIANT=base
lib_backends_cpu_libkernels_base_la_CFLAGS = $(AM_CFLAGS) $(HED_KERNEL_CFLAGS)

lib/backends/cpu/kernels/%.lo: CFLAGS += $(HED_KERNEL_OPTIMIZE)

if HAVE_X86_LEVELS
cpu_cppflags += -DHED_HAVE_X86_LEVELS=1
cpu_wide_kernels += lib/backends/cpu/libkernels-avx2.la lib/backends/cpu/libkernels-avx512.la
noinst_LTLIBRARIES += lib/backends/cpu/libkernels-avx2.la lib/backends/cpu/libkernels-avx512.la
lib_backends_cpu_libkernels_avx2_la_SOURCES = $(cpu_kernel_sources)
lib_backends_cpu_libkernels_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_VARIANT=avx2
lib_backends_cpu_libkernels_avx2_la_CFLAGS = $(AM_CFLAGS) $(HED_KERNEL_CFLAGS) $(HED_V3_CFLAGS)
lib_backends_cpu_libkernels_avx512_la_SOURCES = $(cpu_kernel_sources)
lib_backends_cpu_libkernels_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_VARIANT=avx512
lib_backends_cpu_libkernels_avx512_la_CFLAGS = $(AM_CFLAGS) $(HED_KERNEL_CFLAGS) $(HED_V4_CFLAGS)
endif

heddlemod_LTLIBRARIES += lib/backends/cpu.la
lib_backends_cpu_la_SOURCES = $(cpu_sources)
if HAVE_FFTW
lib_backends_cpu_la_SOURCES += $(cpu_fft_sources)
endif
lib_backends_cpu_la_CPPFLAGS = $(cpu_cppflags)
lib_backends_cpu_la_CFLAGS = $(cpu_cflags)
lib_backends_cpu_la_LDFLAGS = -module $(HED_MODULE_LDFLAGS) $(HED_SANITIZE_FLAGS)
lib_backends_cpu_la_LIBADD = $(cpu_kernels) $(hed_base_lib) $(FFTW_LIBS) $(MVEC_LIBS) -lm -ldl -lpthread
EXTRA_lib_backends_cpu_la_DEPENDENCIES = $(srcdir)/lib/module.map

# Teams of other runtimes, for the setting team.
if HAVE_OPENMP
heddleteamdir = $(pkglibdir)/teams
heddleteam_LTLIBRARIES = lib/backends/teams/openmp.la
lib_backends_teams_openmp_la_SOURCES = lib/backends/cpu/openmp/team.c
lib_backends_teams_openmp_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
lib_backends_teams_openmp_la_LDFLAGS = -module -avoid-version -shared $(HED_SANITIZE_FLAGS)
endif
endif
