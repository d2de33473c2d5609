# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/base.  All but alloc.c are compiled once, for libheddle and for the backend modules: a module links to
# nothing of Heddle, so it gets a copy of these objects ($(hed_base_lib)); memory comes from the host.

noinst_LTLIBRARIES += lib/base/libbase.la
hed_base_lib = lib/base/libbase.la
lib_base_libbase_la_SOURCES = \
  %D%/bins.h %D%/bits.h %D%/boundary.h %D%/bounds.h %D%/cancel.h %D%/cast.c %D%/cast.h %D%/cast_row.h %D%/cast_values.h \
  %D%/clock.h %D%/cmplx.h %D%/dense.c %D%/dense.h %D%/dtype.c %D%/dtype.h %D%/folders.h %D%/fused.h %D%/half.h %D%/indices.c \
  %D%/indices.h %D%/invariant.h %D%/isotonic.h %D%/library.h %D%/map.c %D%/map.h %D%/nest.c %D%/nest.h %D%/params.def %D%/polar.h \
  %D%/product.h %D%/quantile.h %D%/regular.h \
  %D%/shape.c %D%/shape.h %D%/spline_values.h %D%/zlib.h

# formulas: elementwise operations for one element
lib_base_libbase_la_SOURCES += \
  %D%/formulas/formulas.c %D%/formulas/formulas.def %D%/formulas/formulas.h %D%/formulas/formulas_binary.c \
  %D%/formulas/formulas_binary.h %D%/formulas/formulas_each.h %D%/formulas/formulas_math.h %D%/formulas/formulas_more.c \
  %D%/formulas/formulas_more.h %D%/formulas/formulas_more_table.h %D%/formulas/formulas_real.h %D%/formulas/formulas_table.h \
  %D%/formulas/formulas_unary.c %D%/formulas/formulas_unary.h

# random: streams of random bits, and distributions
lib_base_libbase_la_SOURCES += \
  %D%/random/philox.h %D%/random/random.c %D%/random/random.h %D%/random/random_blocks.h %D%/random/random_counts.h \
  %D%/random/random_fill.c %D%/random/random_gamma.h %D%/random/random_lanes.h %D%/random/random_math.h \
  %D%/random/random_probabilities.h %D%/random/random_rows.c %D%/random/random_rows.h %D%/random/random_transforms.h \
  %D%/random/random_truncated.h %D%/random/random_values.h %D%/random/variates.c %D%/random/variates.h

lib_libheddle_la_SOURCES += %D%/alloc.c %D%/alloc.h
lib_libheddle_la_LIBADD += $(hed_base_lib)
