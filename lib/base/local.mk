# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/base.  All but alloc.c are compiled once, for libheddle and for the backend modules: a module links to
# nothing of Heddle, so it gets a copy of these objects ($(hed_base_lib)); memory comes from the host.

noinst_LTLIBRARIES += lib/base/libbase.la
hed_base_lib = lib/base/libbase.la
lib_base_libbase_la_SOURCES = $(hed_base_sources)
hed_base_sources = \
  lib/base/bins.h \
  lib/base/boundary.h lib/base/bits.h lib/base/bounds.h \
  lib/base/cast.c lib/base/cast.h lib/base/cast_row.h lib/base/cast_values.h \
  lib/base/clock.h \
  lib/base/dense.c lib/base/dense.h \
  lib/base/dtype.c lib/base/dtype.h lib/base/indices.h \
  lib/base/formulas.c lib/base/formulas.def lib/base/formulas.h lib/base/formulas_each.h \
  lib/base/formulas_binary.c lib/base/formulas_binary.h \
  lib/base/formulas_math.h lib/base/formulas_real.h lib/base/cmplx.h \
  lib/base/formulas_more.c lib/base/formulas_more.h lib/base/formulas_more_table.h \
  lib/base/formulas_table.h \
  lib/base/formulas_unary.c lib/base/formulas_unary.h \
  lib/base/half.h lib/base/invariant.h lib/base/isotonic.h \
  lib/base/map.c lib/base/map.h \
  lib/base/nest.c \
  lib/base/polar.h lib/base/product.h lib/base/quantile.h \
  lib/base/random.c lib/base/random.h lib/base/random_blocks.h lib/base/random_fill.c lib/base/random_math.h \
  lib/base/philox.h lib/base/random_values.h lib/base/random_probabilities.h \
  lib/base/random_counts.h lib/base/random_gamma.h lib/base/random_lanes.h lib/base/random_truncated.h \
  lib/base/random_transforms.h \
  lib/base/random_rows.c lib/base/random_rows.h \
  lib/base/variates.c lib/base/variates.h \
  lib/base/shape.c lib/base/shape.h lib/base/spline_values.h

lib_libheddle_la_SOURCES += lib/base/alloc.c lib/base/alloc.h
lib_libheddle_la_LIBADD += $(hed_base_lib)
