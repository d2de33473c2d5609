# SPDX-License-Identifier: BSD-3-Clause
# The cpu backend: a module, built when FFTW and CBLAS are found (BUILD_CPU).  It links to nothing of
# Heddle: the sources of lib/base are compiled again for it.  BLAS is opened at run time, into a
# namespace of its own (blas_load.h), so it is not linked either.

cpu_sources = \
  lib/backends/cpu/affine.c \
  lib/backends/cpu/backend.c \
  lib/backends/cpu/bins.c \
  lib/backends/cpu/blas.c \
  lib/backends/cpu/blas_load.c lib/backends/cpu/blas_load.h \
  lib/backends/cpu/copy.c \
  lib/backends/cpu/correlate.c \
  lib/backends/cpu/columns_plan.c \
  lib/backends/cpu/cpu.h \
  lib/backends/cpu/fft.c \
  lib/backends/cpu/fft_choice.c lib/backends/cpu/fft_choice.h \
  lib/backends/cpu/fft_pairs.c \
  lib/backends/cpu/fft_run.c \
  lib/backends/cpu/fft_stage.c lib/backends/cpu/fft_stage.h \
  lib/backends/cpu/fft_wisdom.c \
  lib/backends/cpu/fft_plan.c lib/backends/cpu/fft_plan.h \
  lib/backends/cpu/fill.c lib/backends/cpu/fill.h \
  lib/backends/cpu/index.c lib/backends/cpu/index.h \
  lib/backends/cpu/fuse.c lib/backends/cpu/fuse_fold.c lib/backends/cpu/fuse.h \
  lib/backends/cpu/fuse_program.c \
  lib/backends/cpu/fold.c lib/backends/cpu/fold.h \
  lib/backends/cpu/gemm.h lib/backends/cpu/gemv.h \
  lib/backends/cpu/gemm_packed.c \
  lib/backends/cpu/join.c \
  lib/backends/cpu/kernels.h \
  lib/backends/cpu/lapack.c lib/backends/cpu/lapack.h \
  lib/backends/cpu/lapack_batch.c lib/backends/cpu/batch.h \
  lib/backends/cpu/lapack_blocks.c \
  lib/backends/cpu/lapack_det.c \
  lib/backends/cpu/lapack_eig.c \
  lib/backends/cpu/lapack_lu.c \
  lib/backends/cpu/lapack_solve.c \
  lib/backends/cpu/lapack_svd.c \
  lib/backends/cpu/lapack_tall.c \
  lib/backends/cpu/map.c lib/backends/cpu/map.h \
  lib/backends/cpu/match.c lib/backends/cpu/matvec.c \
  lib/backends/cpu/max_correlation.c \
  lib/backends/cpu/norm.c \
  lib/backends/cpu/packed.c \
  lib/backends/cpu/parallel.c lib/backends/cpu/parallel.h \
  lib/backends/cpu/team.c lib/backends/cpu/team.h \
  lib/backends/cpu/product.h lib/backends/cpu/product_own.c lib/backends/cpu/product_small.c \
  lib/backends/cpu/quantile.c \
  lib/backends/cpu/radix.c lib/backends/cpu/sort.h \
  lib/backends/cpu/random.c \
  lib/backends/cpu/reduce.c lib/backends/cpu/reduce.h \
  lib/backends/cpu/reduce_columns.c \
  lib/backends/cpu/reduce_flat.c \
  lib/backends/cpu/reduce_lane.c \
  lib/backends/cpu/reduce_places.c \
  lib/backends/cpu/rows.c \
  lib/backends/cpu/scan.c \
  lib/backends/cpu/scatter.c \
  lib/backends/cpu/scratch.c \
  lib/backends/cpu/softmax.c \
  lib/backends/cpu/sort.c \
  lib/backends/cpu/stream.c lib/backends/cpu/stream.h \
  lib/backends/cpu/table.c \
  lib/backends/cpu/tiled.c
cpu_kernel_sources = lib/backends/cpu/kernels.c lib/backends/cpu/kernels.h lib/backends/cpu/variant.h \
  lib/backends/cpu/columns.c lib/backends/cpu/columns.h lib/backends/cpu/k_fft.h \
  lib/backends/cpu/lu.c lib/backends/cpu/lu.h lib/backends/cpu/k_lu.h \
  lib/backends/cpu/batch.c lib/backends/cpu/k_batch.h lib/backends/cpu/k_batch_order.h \
  lib/backends/cpu/kernels_sort.c lib/backends/cpu/kernels_sort.h lib/backends/cpu/k_quick.h lib/backends/cpu/k_rank.h \
  lib/backends/cpu/k_quick256.h lib/backends/cpu/k_quick512.h lib/backends/cpu/k_pack.h \
  lib/backends/cpu/k_search.h \
  lib/backends/cpu/kernels_copy.c lib/backends/cpu/kernels_copy.h lib/backends/cpu/k_transpose.h \
  lib/backends/cpu/k_turned.h \
  lib/backends/cpu/gemm.c lib/backends/cpu/gemm.h lib/backends/cpu/k_gemm.h lib/backends/cpu/k_plain.h \
  lib/backends/cpu/gemv.c lib/backends/cpu/gemv.h lib/backends/cpu/k_gemv.h \
  lib/backends/cpu/kernels_reduce.c lib/backends/cpu/k_extreme.h \
  lib/backends/cpu/kernels_truth.c lib/backends/cpu/kernels_split.c \
  lib/backends/cpu/truth_columns.c lib/backends/cpu/truth_columns.h \
  lib/backends/cpu/functions.c lib/backends/cpu/kernels_random.c lib/backends/cpu/kernels_cast.c \
  lib/backends/cpu/k_complex.h lib/backends/cpu/k_divide.h lib/backends/cpu/k_exp.h lib/backends/cpu/k_log.h \
  lib/backends/cpu/k_map.h lib/backends/cpu/k_match.h lib/backends/cpu/k_math.h \
  lib/backends/cpu/k_mvec.h lib/backends/cpu/k_polar.h lib/backends/cpu/k_power.h lib/backends/cpu/k_power512.h \
  lib/backends/cpu/k_product.h lib/backends/cpu/k_reduce.h lib/backends/cpu/k_scan.h lib/backends/cpu/k_select.h \
  lib/backends/cpu/k_simple.h lib/backends/cpu/k_softmax.h lib/backends/cpu/k_sums.h lib/backends/cpu/k_spread.h \
  lib/backends/cpu/k_trig.h lib/backends/cpu/k_unit.h

EXTRA_DIST += $(cpu_sources) $(cpu_kernel_sources)

if BUILD_CPU
cpu_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(FFTW_CFLAGS)
cpu_cppflags = $(AM_CPPFLAGS) -DHED_BLAS_LIBS='"$(BLAS_LIBS)"' \
  -DHED_MODULE_VERSION='"$(PACKAGE_VERSION)"'
cpu_kernels = lib/backends/cpu/libkernels-base.la

noinst_LTLIBRARIES += lib/backends/cpu/libkernels-base.la
lib_backends_cpu_libkernels_base_la_SOURCES = $(cpu_kernel_sources)
lib_backends_cpu_libkernels_base_la_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_VARIANT=base
lib_backends_cpu_libkernels_base_la_CFLAGS = $(AM_CFLAGS) $(HED_KERNEL_CFLAGS)

if HAVE_X86_LEVELS
cpu_cppflags += -DHED_HAVE_X86_LEVELS=1
cpu_kernels += lib/backends/cpu/libkernels-avx2.la lib/backends/cpu/libkernels-avx512.la
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
