# SPDX-License-Identifier: BSD-3-Clause
# The cpu backend: a module, built when FFTW and CBLAS are found (BUILD_CPU).  It links to nothing of
# Heddle: the sources of lib/base are compiled again for it.  BLAS is opened at run time, into a
# namespace of its own (blas_load.h), so it is not linked either.

hed_host_backends += cpu

cpu_sources = \
  lib/backends/cpu/backend.c \
  lib/backends/cpu/cpu.h \
  lib/backends/cpu/elementwise/map.c lib/backends/cpu/elementwise/map.h \
  lib/backends/cpu/elementwise/packed.c \
  lib/backends/cpu/elementwise/rows.c \
  lib/backends/cpu/elementwise/short.c \
  lib/backends/cpu/elementwise/tiled.c \
  lib/backends/cpu/fft/columns_plan.c \
  lib/backends/cpu/fft/fft.c \
  lib/backends/cpu/fft/fft_choice.c lib/backends/cpu/fft/fft_choice.h \
  lib/backends/cpu/fft/fft_pairs.c \
  lib/backends/cpu/fft/fft_plan.c lib/backends/cpu/fft/fft_plan.h \
  lib/backends/cpu/fft/fft_run.c \
  lib/backends/cpu/fft/fft_steps.c lib/backends/cpu/fft/fft_steps.h \
  lib/backends/cpu/fft/fft_stage.c lib/backends/cpu/fft/fft_stage.h \
  lib/backends/cpu/fft/fft_wisdom.c \
  lib/backends/cpu/fft/lines_plan.c \
  lib/backends/cpu/filter/affine.c \
  lib/backends/cpu/filter/convolve.c \
  lib/backends/cpu/filter/correlate.c \
  lib/backends/cpu/filter/extremes.c \
  lib/backends/cpu/filter/frame.c lib/backends/cpu/filter/frame.h \
  lib/backends/cpu/filter/median.c \
  lib/backends/cpu/filter/grid.c \
  lib/backends/cpu/filter/sample.c \
  lib/backends/cpu/filter/spline.c lib/backends/cpu/filter/spline.h \
  lib/backends/cpu/fuse/fuse.c lib/backends/cpu/fuse/fuse.h \
  lib/backends/cpu/fuse/fuse_again.c \
  lib/backends/cpu/fuse/fuse_chain.c \
  lib/backends/cpu/fuse/fuse_fold.c \
  lib/backends/cpu/fuse/fuse_program.c \
  lib/backends/cpu/linalg/blas.c \
  lib/backends/cpu/linalg/blas_load.c lib/backends/cpu/linalg/blas_load.h \
  lib/backends/cpu/linalg/dots.c \
  lib/backends/cpu/linalg/gemm_packed.c \
  lib/backends/cpu/linalg/lapack.c lib/backends/cpu/linalg/lapack.h \
  lib/backends/cpu/linalg/lapack_batch.c \
  lib/backends/cpu/linalg/lapack_blocks.c \
  lib/backends/cpu/linalg/lapack_det.c \
  lib/backends/cpu/linalg/lapack_eig.c \
  lib/backends/cpu/linalg/lapack_lu.c \
  lib/backends/cpu/linalg/lapack_solve.c \
  lib/backends/cpu/linalg/lapack_svd.c \
  lib/backends/cpu/linalg/lapack_tall.c \
  lib/backends/cpu/linalg/matvec.c \
  lib/backends/cpu/linalg/product.h \
  lib/backends/cpu/linalg/product_gram.c \
  lib/backends/cpu/linalg/product_own.c \
  lib/backends/cpu/linalg/product_small.c \
  lib/backends/cpu/linalg/vecdot.c \
  lib/backends/cpu/match/match.c \
  lib/backends/cpu/match/max_correlation.c \
  lib/backends/cpu/move/copy.c \
  lib/backends/cpu/move/fill.c lib/backends/cpu/move/fill.h \
  lib/backends/cpu/move/index.c lib/backends/cpu/move/index.h \
  lib/backends/cpu/move/join.c \
  lib/backends/cpu/move/scatter.c \
  lib/backends/cpu/move/triangle.c \
  lib/backends/cpu/move/write_rows.c lib/backends/cpu/move/write_rows.h \
  lib/backends/cpu/random/random.c \
  lib/backends/cpu/reduce/axes.h \
  lib/backends/cpu/reduce/deal.h \
  lib/backends/cpu/reduce/fold.c lib/backends/cpu/reduce/fold.h \
  lib/backends/cpu/reduce/norm.c \
  lib/backends/cpu/reduce/places.h \
  lib/backends/cpu/reduce/reduce.c lib/backends/cpu/reduce/reduce.h \
  lib/backends/cpu/reduce/reduce_columns.c \
  lib/backends/cpu/reduce/reduce_flat.c \
  lib/backends/cpu/reduce/reduce_lane.c \
  lib/backends/cpu/reduce/reduce_places.c lib/backends/cpu/reduce/reduce_scaled.c \
  lib/backends/cpu/reduce/scan.c \
  lib/backends/cpu/reduce/softmax.c \
  lib/backends/cpu/reduce/spread.h \
  lib/backends/cpu/runtime/parallel.c lib/backends/cpu/runtime/parallel.h \
  lib/backends/cpu/runtime/scratch.c \
  lib/backends/cpu/runtime/caches.c lib/backends/cpu/runtime/caches.h \
  lib/backends/cpu/runtime/stream.c lib/backends/cpu/runtime/stream.h \
  lib/backends/cpu/runtime/team.c lib/backends/cpu/runtime/team.h \
  lib/backends/cpu/sort/best.c lib/backends/cpu/sort/best.h \
  lib/backends/cpu/sort/bins.c \
  lib/backends/cpu/sort/counting.c lib/backends/cpu/sort/counting.h \
  lib/backends/cpu/sort/partition.c lib/backends/cpu/sort/partition.h \
  lib/backends/cpu/sort/quantile.c \
  lib/backends/cpu/sort/radix.c \
  lib/backends/cpu/sort/short.c lib/backends/cpu/sort/short.h \
  lib/backends/cpu/sort/sort.c lib/backends/cpu/sort/sort.h \
  lib/backends/cpu/sort/zeros.c lib/backends/cpu/sort/zeros.h \
  lib/backends/cpu/table.c

# Loops: compiled once per instruction set.
cpu_kernel_sources = \
  lib/backends/cpu/kernels/ask.h \
  lib/backends/cpu/kernels/batch.c lib/backends/cpu/kernels/batch.h \
  lib/backends/cpu/kernels/bundles.c \
  lib/backends/cpu/kernels/chain.c lib/backends/cpu/kernels/chain.h \
  lib/backends/cpu/kernels/columns.c lib/backends/cpu/kernels/columns.h \
  lib/backends/cpu/kernels/dot.c lib/backends/cpu/kernels/dot.h \
  lib/backends/cpu/kernels/filter.c lib/backends/cpu/kernels/filter.h \
  lib/backends/cpu/kernels/functions.c \
  lib/backends/cpu/kernels/gemm.c lib/backends/cpu/kernels/gemm.h \
  lib/backends/cpu/kernels/gemv.c lib/backends/cpu/kernels/gemv.h lib/backends/cpu/kernels/muladd.h \
  lib/backends/cpu/kernels/k_arctan512.h \
  lib/backends/cpu/kernels/k_arctan512_lanes.h \
  lib/backends/cpu/kernels/k_area.h lib/backends/cpu/kernels/k_area512_lanes.h \
  lib/backends/cpu/kernels/k_about.h \
  lib/backends/cpu/kernels/k_atan.h \
  lib/backends/cpu/kernels/k_batch.h lib/backends/cpu/kernels/k_batch_number.h \
  lib/backends/cpu/kernels/k_batch_order.h lib/backends/cpu/kernels/k_batch_columns.h \
  lib/backends/cpu/kernels/k_batch_qr.h lib/backends/cpu/kernels/k_batch_jacobi.h \
  lib/backends/cpu/kernels/k_bits.h \
  lib/backends/cpu/kernels/k_bundles.h \
  lib/backends/cpu/kernels/k_cbrt512.h \
  lib/backends/cpu/kernels/k_cbrt512_lanes.h \
  lib/backends/cpu/kernels/k_cfun.h \
  lib/backends/cpu/kernels/k_chain.h \
  lib/backends/cpu/kernels/k_columns.h \
  lib/backends/cpu/kernels/k_compress.h \
  lib/backends/cpu/kernels/k_complex.h \
  lib/backends/cpu/kernels/k_deal.h \
  lib/backends/cpu/kernels/k_direct.h \
  lib/backends/cpu/kernels/k_divide.h \
  lib/backends/cpu/kernels/k_divide512.h \
  lib/backends/cpu/kernels/k_divisor.h \
  lib/backends/cpu/kernels/k_dot.h \
  lib/backends/cpu/kernels/k_dot_whole.h \
  lib/backends/cpu/kernels/k_each512.h lib/backends/cpu/kernels/k_each512_end.h \
  lib/backends/cpu/kernels/k_exp.h \
  lib/backends/cpu/kernels/k_extreme.h \
  lib/backends/cpu/kernels/k_find.h \
  lib/backends/cpu/kernels/k_fft.h \
  lib/backends/cpu/kernels/k_gelu512.h \
  lib/backends/cpu/kernels/k_gamma.h lib/backends/cpu/kernels/k_gamma_table.h \
  lib/backends/cpu/kernels/k_gemm.h \
  lib/backends/cpu/kernels/k_gemv.h \
  lib/backends/cpu/kernels/k_line.h \
  lib/backends/cpu/kernels/k_lines.h \
  lib/backends/cpu/kernels/k_log.h \
  lib/backends/cpu/kernels/k_log512.h \
  lib/backends/cpu/kernels/k_log512_lanes.h \
  lib/backends/cpu/kernels/k_log512_rows.h \
  lib/backends/cpu/kernels/k_log512_table.h \
  lib/backends/cpu/kernels/k_long512.h \
  lib/backends/cpu/kernels/k_lu.h \
  lib/backends/cpu/kernels/k_half.h \
  lib/backends/cpu/kernels/k_half_functions.h \
  lib/backends/cpu/kernels/k_half_sums.h \
  lib/backends/cpu/kernels/k_map.h \
  lib/backends/cpu/kernels/k_match.h \
  lib/backends/cpu/kernels/k_math.h \
  lib/backends/cpu/kernels/k_mvec.h \
  lib/backends/cpu/kernels/k_network.h \
  lib/backends/cpu/kernels/k_norm.h \
  lib/backends/cpu/kernels/k_numbers.h \
  lib/backends/cpu/kernels/k_pack.h \
  lib/backends/cpu/kernels/k_past.h \
  lib/backends/cpu/kernels/k_places.h \
  lib/backends/cpu/kernels/k_plain.h \
  lib/backends/cpu/kernels/k_polar.h \
  lib/backends/cpu/kernels/k_power.h \
  lib/backends/cpu/kernels/k_power256.h lib/backends/cpu/kernels/k_power512.h \
  lib/backends/cpu/kernels/k_power_whole.h \
  lib/backends/cpu/kernels/k_product.h \
  lib/backends/cpu/kernels/k_product_pairs.h \
  lib/backends/cpu/kernels/k_products.h \
  lib/backends/cpu/kernels/k_quick.h \
  lib/backends/cpu/kernels/k_quick256.h \
  lib/backends/cpu/kernels/k_quick512.h \
  lib/backends/cpu/kernels/k_quick_in_place.h \
  lib/backends/cpu/kernels/k_rank.h \
  lib/backends/cpu/kernels/k_reduce.h \
  lib/backends/cpu/kernels/k_repeat.h \
  lib/backends/cpu/kernels/k_root512.h lib/backends/cpu/kernels/k_rsqrt512.h \
  lib/backends/cpu/kernels/k_running.h \
  lib/backends/cpu/kernels/k_rows.h \
  lib/backends/cpu/kernels/k_grid.h \
  lib/backends/cpu/kernels/k_sample.h \
  lib/backends/cpu/kernels/k_scan.h \
  lib/backends/cpu/kernels/k_search.h \
  lib/backends/cpu/kernels/k_select.h \
  lib/backends/cpu/kernels/k_simple.h \
  lib/backends/cpu/kernels/k_softmax.h \
  lib/backends/cpu/kernels/k_spread.h \
  lib/backends/cpu/kernels/k_spline.h \
  lib/backends/cpu/kernels/k_stream.h \
  lib/backends/cpu/kernels/k_sums.h \
  lib/backends/cpu/kernels/k_transpose.h \
  lib/backends/cpu/kernels/k_trig.h lib/backends/cpu/kernels/k_trig512.h \
  lib/backends/cpu/kernels/k_turn.h \
  lib/backends/cpu/kernels/k_turned.h \
  lib/backends/cpu/kernels/k_unit.h \
  lib/backends/cpu/kernels/k_weigh.h \
  lib/backends/cpu/kernels/k_whole.h lib/backends/cpu/kernels/k_window.h \
  lib/backends/cpu/kernels/kernels.c lib/backends/cpu/kernels/kernels.h \
  lib/backends/cpu/kernels/kernels_cast.c \
  lib/backends/cpu/kernels/kernels_copy.c lib/backends/cpu/kernels/kernels_copy.h \
  lib/backends/cpu/kernels/kernels_random.c \
  lib/backends/cpu/kernels/kernels_reduce.c \
  lib/backends/cpu/kernels/kernels_sort.c lib/backends/cpu/kernels/kernels_sort.h \
  lib/backends/cpu/kernels/kernels_split.c \
  lib/backends/cpu/kernels/kernels_truth.c \
  lib/backends/cpu/kernels/lines.c lib/backends/cpu/kernels/lines.h \
  lib/backends/cpu/kernels/lu.c lib/backends/cpu/kernels/lu.h \
  lib/backends/cpu/kernels/truth_columns.c lib/backends/cpu/kernels/truth_columns.h \
  lib/backends/cpu/kernels/variant.h

EXTRA_DIST += $(cpu_sources) $(cpu_kernel_sources) lib/backends/cpu/kernels/ask.c

if BUILD_CPU
cpu_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(FFTW_CFLAGS)
cpu_cppflags = $(AM_CPPFLAGS) -DHED_BLAS_LIBS='"$(BLAS_LIBS)"' \
  -DHED_MODULE_VERSION='"$(PACKAGE_VERSION)"'
# the base set last: it has what the others share (ask.c)
cpu_wide_kernels =
cpu_kernels = $(cpu_wide_kernels) lib/backends/cpu/libkernels-base.la

noinst_LTLIBRARIES += lib/backends/cpu/libkernels-base.la
lib_backends_cpu_libkernels_base_la_SOURCES = $(cpu_kernel_sources) lib/backends/cpu/kernels/ask.c
lib_backends_cpu_libkernels_base_la_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_VARIANT=base
lib_backends_cpu_libkernels_base_la_CFLAGS = $(AM_CFLAGS) $(HED_KERNEL_CFLAGS)

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
lib_backends_cpu_la_SOURCES = $(cpu_sources) $(hed_base_sources)
lib_backends_cpu_la_CPPFLAGS = $(cpu_cppflags)
lib_backends_cpu_la_CFLAGS = $(cpu_cflags)
lib_backends_cpu_la_LDFLAGS = -module $(HED_MODULE_LDFLAGS) $(HED_SANITIZE_FLAGS)
lib_backends_cpu_la_LIBADD = $(cpu_kernels) $(FFTW_LIBS) $(MVEC_LIBS) -lm -ldl -lpthread
EXTRA_lib_backends_cpu_la_DEPENDENCIES = $(srcdir)/lib/module.map
endif
