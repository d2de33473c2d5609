# SPDX-License-Identifier: BSD-3-Clause
# Programs of devices as strings: every *.k is a family, every *.h a header of the dialect; texts of lib/base that the
# dialect has too come first.  They become lib/backends/device/kernels.c.
hed_kernel_texts = \
  lib/base/half.h lib/base/cast_values.h lib/base/boundary.h lib/base/bounds.h lib/base/quantile.h \
  lib/base/isotonic.h lib/base/spline_values.h \
  lib/base/formulas/formulas_real.h lib/base/formulas/formulas.def lib/base/random/philox.h lib/base/random/random_math.h \
  lib/base/random/random_values.h lib/base/random/random_probabilities.h \
  lib/backends/device/kernels/hedk.h lib/backends/device/kernels/args.h lib/backends/device/kernels/args_bits.h \
  lib/backends/device/kernels/args_columns.h \
  lib/backends/device/kernels/args_factor.h lib/backends/device/kernels/args_fft.h \
  lib/backends/device/kernels/args_gather.h lib/backends/device/kernels/args_gemm.h \
  lib/backends/device/kernels/args_make.h lib/backends/device/kernels/args_match.h \
  lib/backends/device/kernels/args_random.h lib/backends/device/kernels/args_reduce.h \
  lib/backends/device/kernels/args_scan.h lib/backends/device/kernels/args_sort.h \
  lib/backends/device/kernels/args_window.h lib/backends/device/kernels/checks.h lib/backends/device/kernels/complex.h \
  lib/backends/device/kernels/complex_rows.h lib/backends/device/kernels/complex_sums.h \
  lib/backends/device/kernels/each.h lib/backends/device/kernels/element.h lib/backends/device/kernels/fuse_rows.h \
  lib/backends/device/kernels/fuse_text.h lib/backends/device/kernels/look_back.h lib/backends/device/kernels/reduce_first.h \
  lib/backends/device/kernels/map_rows.h lib/backends/device/kernels/methods.h \
  lib/backends/device/kernels/order.h lib/backends/device/kernels/processor.h \
  lib/backends/device/kernels/random_streams.h \
  lib/backends/device/kernels/reduce_states.h lib/backends/device/kernels/row_params.h \
  lib/backends/device/kernels/rows.h lib/backends/device/kernels/special.h \
  lib/backends/device/kernels/memory.h lib/backends/device/kernels/types.h \
  lib/backends/device/kernels/bins.k lib/backends/device/kernels/bits.k \
  lib/backends/device/kernels/cast.k lib/backends/device/kernels/columns.k \
  lib/backends/device/kernels/compact.k lib/backends/device/kernels/copy.k lib/backends/device/kernels/fft.k \
  lib/backends/device/kernels/factor.k lib/backends/device/kernels/fuse.k lib/backends/device/kernels/fuse_reduce.k \
  lib/backends/device/kernels/gather.k lib/backends/device/kernels/isotonic.k \
  lib/backends/device/kernels/gemm.k lib/backends/device/kernels/make.k lib/backends/device/kernels/map.k \
  lib/backends/device/kernels/match.k lib/backends/device/kernels/median.k lib/backends/device/kernels/pick.k \
  lib/backends/device/kernels/polar.k \
  lib/backends/device/kernels/radix.k \
  lib/backends/device/kernels/random.k lib/backends/device/kernels/random_rows.k lib/backends/device/kernels/reduce.k \
  lib/backends/device/kernels/rowwise.k lib/backends/device/kernels/sample.k lib/backends/device/kernels/scan.k \
  lib/backends/device/kernels/scatter.k lib/backends/device/kernels/search.k lib/backends/device/kernels/select.k \
  lib/backends/device/kernels/spline.k lib/backends/device/kernels/window.k

EXTRA_DIST += $(hed_kernel_texts) build-aux/gen-kernels.awk lib/backends/device/kernels/texts.h

hed_kernel_script = $(srcdir)/build-aux/gen-kernels.awk
lib/backends/device/kernels.c: $(hed_kernel_texts) include/heddle/ops.def $(hed_kernel_script)
	$(AM_V_GEN)$(MKDIR_P) lib/backends/device && (cd $(srcdir) && \
	  $(AWK) -f build-aux/gen-kernels.awk include/heddle/ops.def $(hed_kernel_texts)) >$@.tmp && mv $@.tmp $@
CLEANFILES += lib/backends/device/kernels.c lib/backends/device/kernels.c.tmp
