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
  %D%/match/match.c %D%/nn/steps.c \
  %D%/move/copy.c %D%/move/fill.c %D%/move/index.c %D%/move/index.h %D%/move/join.c \
  %D%/move/scatter.c %D%/move/triangle.c %D%/move/words.c %D%/move/words.h %D%/move/write_rows.c %D%/move/write_rows.h \
  %D%/random/random.c \
  %D%/reduce/argextreme.h %D%/reduce/axes.h %D%/reduce/deinterleave.h %D%/reduce/fold.c \
  %D%/reduce/fold.h %D%/reduce/moments.h %D%/reduce/norm.c %D%/reduce/reduce.c %D%/reduce/reduce.h \
  %D%/reduce/reduce_argextreme.c %D%/reduce/reduce_columns.c %D%/reduce/reduce_flat.c \
  %D%/reduce/isotonic.c %D%/reduce/reduce_scaled.c %D%/reduce/reduce_slice.c %D%/reduce/scan.c %D%/reduce/softmax.c \
  %D%/runtime/caches.c %D%/runtime/caches.h %D%/runtime/parallel.c %D%/runtime/parallel.h \
  %D%/runtime/room.c %D%/runtime/scratch.c %D%/runtime/stream.c %D%/runtime/stream.h %D%/runtime/team.c \
  %D%/runtime/team.h %D%/runtime/team_module.c \
  %D%/sort/best.c %D%/sort/best.h %D%/sort/bins.c %D%/sort/counting.c %D%/sort/counting.h \
  %D%/sort/partition.c %D%/sort/partition.h %D%/sort/quantile.c %D%/sort/radix.c %D%/sort/short.c \
  %D%/sort/short.h %D%/sort/sort.c %D%/sort/sort.h %D%/sort/zeros.c %D%/sort/zeros.h

# Loops: compiled once per instruction set, a list per family.
cpu_kernel_sources =
# what families share, and the table
cpu_kernel_sources += \
  %D%/kernels/kernels.h %D%/kernels/muladd.h %D%/kernels/pack.h %D%/kernels/store_line.h %D%/kernels/transpose.h \
  %D%/kernels/variant.h
# lanes: vectors, and bodies for every type
cpu_kernel_sources += \
  %D%/kernels/lanes/for_complex.h %D%/kernels/lanes/for_halves.h %D%/kernels/lanes/for_reals.h %D%/kernels/lanes/for_sizes.h \
  %D%/kernels/lanes/for_type.h %D%/kernels/lanes/for_wholes.h %D%/kernels/lanes/for_words.h %D%/kernels/lanes/halves.h \
  %D%/kernels/lanes/lanes.h %D%/kernels/lanes/reals_512.h %D%/kernels/lanes/reals_any.h %D%/kernels/lanes/reals_halves.h \
  %D%/kernels/lanes/reals_x86.h %D%/kernels/lanes/some_halves.h %D%/kernels/lanes/wholes.h
# map: elementwise
cpu_kernel_sources += \
  %D%/kernels/map/bits.h %D%/kernels/map/bits_wholes.h %D%/kernels/map/complex.h %D%/kernels/map/divide_int64.h \
  %D%/kernels/map/divisor.h %D%/kernels/map/divisor_wholes.h %D%/kernels/map/each.h %D%/kernels/map/exact.h \
  %D%/kernels/map/exact_complex.h %D%/kernels/map/exact_reals.h %D%/kernels/map/exact_wholes.h %D%/kernels/map/half.h \
  %D%/kernels/map/int_scalar.h %D%/kernels/map/int_scalar_wholes.h %D%/kernels/map/kernels.c %D%/kernels/map/map.h \
  %D%/kernels/map/map_reals.h %D%/kernels/map/map_wholes.h %D%/kernels/map/nontemporal.h %D%/kernels/map/order.h \
  %D%/kernels/map/power_int.h %D%/kernels/map/power_wholes.h %D%/kernels/map/select.h %D%/kernels/map/select_complex.h \
  %D%/kernels/map/select_reals.h
# functions: elementwise functions
cpu_kernel_sources += \
  %D%/kernels/functions/archyp.h %D%/kernels/functions/atan.h %D%/kernels/functions/blocks.h %D%/kernels/functions/cbrt.h \
  %D%/kernels/functions/cbrt_lanes.h %D%/kernels/functions/cfun.h %D%/kernels/functions/cfun_rows.h \
  %D%/kernels/functions/complex_rows.h %D%/kernels/functions/complex_sign.h %D%/kernels/functions/divide.h \
  %D%/kernels/functions/divide_512.h %D%/kernels/functions/each.h %D%/kernels/functions/exp.h %D%/kernels/functions/exp_type.h \
  %D%/kernels/functions/functions.c %D%/kernels/functions/gamma.h %D%/kernels/functions/gamma_table.h \
  %D%/kernels/functions/gelu.h %D%/kernels/functions/log.h %D%/kernels/functions/log_512.h %D%/kernels/functions/log_lanes.h \
  %D%/kernels/functions/log_rows.h %D%/kernels/functions/log_table.h %D%/kernels/functions/logsumexp.h \
  %D%/kernels/functions/logsumexp_rows.h %D%/kernels/functions/math.h %D%/kernels/functions/mvec.h \
  %D%/kernels/functions/mvec_rows.h %D%/kernels/functions/near_512.h %D%/kernels/functions/phasor.h \
  %D%/kernels/functions/phasor_rows.h %D%/kernels/functions/polar.h %D%/kernels/functions/power.h \
  %D%/kernels/functions/power_512.h %D%/kernels/functions/power_lanes.h %D%/kernels/functions/power_rows.h \
  %D%/kernels/functions/quotients.h %D%/kernels/functions/rows.h %D%/kernels/functions/rsqrt.h %D%/kernels/functions/softmax.h \
  %D%/kernels/functions/softmax_rows.h %D%/kernels/functions/trig.h %D%/kernels/functions/trig_512.h \
  %D%/kernels/functions/trig_rows.h %D%/kernels/functions/two_ranges.h
# chain: several elementwise operations in one pass
cpu_kernel_sources += \
  %D%/kernels/chain/chain.c %D%/kernels/chain/chain.h %D%/kernels/chain/chain_loops.h
# reduce: reductions
cpu_kernel_sources += \
  %D%/kernels/reduce/argextreme.h %D%/kernels/reduce/bool.c %D%/kernels/reduce/bool_columns.c \
  %D%/kernels/reduce/bool_columns.h %D%/kernels/reduce/bool_words.h %D%/kernels/reduce/columns_of_words.h \
  %D%/kernels/reduce/cumulative.h %D%/kernels/reduce/extreme.h %D%/kernels/reduce/extreme_number.h \
  %D%/kernels/reduce/extreme_whole.h %D%/kernels/reduce/find.h %D%/kernels/reduce/find_whole.h %D%/kernels/reduce/moments.h \
  %D%/kernels/reduce/norm.h %D%/kernels/reduce/of_reals.h %D%/kernels/reduce/of_wholes.h %D%/kernels/reduce/product.h \
  %D%/kernels/reduce/product_pairs.h %D%/kernels/reduce/product_real.h %D%/kernels/reduce/reduce.c \
  %D%/kernels/reduce/reduce.h %D%/kernels/reduce/running.h %D%/kernels/reduce/running_sums.h %D%/kernels/reduce/scan.h \
  %D%/kernels/reduce/sums.h %D%/kernels/reduce/sums_of_halves.h %D%/kernels/reduce/sums_of_reals.h \
  %D%/kernels/reduce/sums_of_wholes.h
# sort: sorting and searching
cpu_kernel_sources += \
  %D%/kernels/sort/apart.h %D%/kernels/sort/argsort.h %D%/kernels/sort/divide.h %D%/kernels/sort/keys.h \
  %D%/kernels/sort/network.h %D%/kernels/sort/partition3.h %D%/kernels/sort/quicksort.h %D%/kernels/sort/quicksort_256.h \
  %D%/kernels/sort/quicksort_512.h %D%/kernels/sort/rank.h %D%/kernels/sort/search.h %D%/kernels/sort/sort.c \
  %D%/kernels/sort/sort.h %D%/kernels/sort/split.c %D%/kernels/sort/split.h
# move: copies and conversions
cpu_kernel_sources += \
  %D%/kernels/move/cast.c %D%/kernels/move/cast_half.h %D%/kernels/move/cast_reals.h %D%/kernels/move/compress.h \
  %D%/kernels/move/copy.c %D%/kernels/move/copy.h %D%/kernels/move/repeat.h %D%/kernels/move/reverse.h %D%/kernels/move/sizes.h \
  %D%/kernels/move/stripes.h %D%/kernels/move/tile.h %D%/kernels/move/transpose_stream.h
# linalg: linear algebra
cpu_kernel_sources += \
  %D%/kernels/linalg/batch.c %D%/kernels/linalg/batch.h %D%/kernels/linalg/batch_columns.h %D%/kernels/linalg/batch_jacobi.h \
  %D%/kernels/linalg/batch_loops.h %D%/kernels/linalg/batch_number.h %D%/kernels/linalg/batch_order.h \
  %D%/kernels/linalg/batch_qr.h %D%/kernels/linalg/dot.c %D%/kernels/linalg/dot.h %D%/kernels/linalg/dot_int.h \
  %D%/kernels/linalg/dot_loops.h %D%/kernels/linalg/gemm.c %D%/kernels/linalg/gemm.h %D%/kernels/linalg/gemm_loops.h \
  %D%/kernels/linalg/gemm_small.h %D%/kernels/linalg/gemv.c %D%/kernels/linalg/gemv.h %D%/kernels/linalg/gemv_loops.h \
  %D%/kernels/linalg/lu.c %D%/kernels/linalg/lu.h %D%/kernels/linalg/lu_loops.h %D%/kernels/linalg/polar.c \
  %D%/kernels/linalg/polar.h
# fft: transforms
cpu_kernel_sources += \
  %D%/kernels/fft/columns.c %D%/kernels/fft/columns.h %D%/kernels/fft/columns_loops.h %D%/kernels/fft/fft.h \
  %D%/kernels/fft/lines.c %D%/kernels/fft/lines.h %D%/kernels/fft/lines_loops.h %D%/kernels/fft/lines_simd.c \
  %D%/kernels/fft/lines_simd.h %D%/kernels/fft/rows.h
# filter: filters
cpu_kernel_sources += \
  %D%/kernels/filter/correlate.h %D%/kernels/filter/filter.c %D%/kernels/filter/filter.h %D%/kernels/filter/grid.h \
  %D%/kernels/filter/sample.h %D%/kernels/filter/spline.h %D%/kernels/filter/weighted_sum.h %D%/kernels/filter/window.h
# match: template matching
cpu_kernel_sources += \
  %D%/kernels/match/match.h
# nn: steps of recurrent cells
cpu_kernel_sources += \
  %D%/kernels/nn/steps.c %D%/kernels/nn/steps.h %D%/kernels/nn/steps_loops.h
# bits: packed bits
cpu_kernel_sources += \
  %D%/kernels/bits/bits.c %D%/kernels/bits/bits.h %D%/kernels/bits/majority.h %D%/kernels/bits/weigh.h
# random: random numbers
cpu_kernel_sources += \
  %D%/kernels/random/random.c

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
# The program's OpenMP is asked, none comes along: a second runtime would know nothing of the program's regions.
lib_backends_cpu_la_LDFLAGS = -module $(HED_MODULE_LDFLAGS) $(HED_SANITIZE_FLAGS) $(cpu_no_openmp)
if HAVE_OPENMP
cpu_no_openmp = -fno-openmp
endif
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
