# SPDX-License-Identifier: BSD-3-Clause
# Installed headers; those of kits are in the lists of lib/kits/NAME/local.mk.

include_HEADERS += include/heddle.h

heddledir = $(includedir)/heddle
heddle_HEADERS = \
  include/heddle/aliases.h \
  include/heddle/array.h \
  include/heddle/backend.h \
  include/heddle/context.h \
  include/heddle/dlpack.h \
  include/heddle/device.h \
  include/heddle/dtype.h \
  include/heddle/dtypes.def \
  include/heddle/error.h \
  include/heddle/export.h \
  include/heddle/fuse.h \
  include/heddle/grad.h \
  include/heddle/heddle.h \
  include/heddle/io.h \
  include/heddle/kernel.h \
  include/heddle/memory.h \
  include/heddle/number.h \
  include/heddle/op_names.h \
  include/heddle/ops.def \
  include/heddle/ops.h \
  include/heddle/params.h \
  include/heddle/print.h \
  include/heddle/profile.h \
  include/heddle/program.h \
  include/heddle/reflect.h \
  include/heddle/runtime.h \
  include/heddle/shared.h \
  include/heddle/status.def \
  include/heddle/thread.h \
  include/heddle/words.h
nodist_heddle_HEADERS = include/heddle/scalars.h include/heddle/version.h
BUILT_SOURCES += include/heddle/scalars.h
CLEANFILES += include/heddle/scalars.h
# Also where one target alone is asked for: what a makefile depends on is made first.
makefile = Makefile
$(makefile): | include/heddle/scalars.h
EXTRA_DIST += build-aux/gen-scalars.awk
include/heddle/scalars.h: $(srcdir)/include/heddle/ops.def $(srcdir)/build-aux/gen-scalars.awk
	@$(MKDIR_P) include/heddle
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-scalars.awk $(srcdir)/include/heddle/ops.def >$@.new && mv $@.new $@

heddleopsdir = $(includedir)/heddle/ops
heddleops_HEADERS =
heddleops_HEADERS += include/heddle/ops/create.h
heddleops_HEADERS += include/heddle/ops/elementwise.h
heddleops_HEADERS += include/heddle/ops/shape.h
heddleops_HEADERS += include/heddle/ops/index.h
heddleops_HEADERS += include/heddle/ops/reduce.h
heddleops_HEADERS += include/heddle/ops/sort.h
heddleops_HEADERS += include/heddle/ops/search.h
heddleops_HEADERS += include/heddle/ops/points.h
heddleops_HEADERS += include/heddle/ops/linalg.h
heddleops_HEADERS += include/heddle/ops/fft.h
heddleops_HEADERS += include/heddle/ops/nn.h
heddleops_HEADERS += include/heddle/ops/bits.h
heddleops_HEADERS += include/heddle/ops/random.h
heddleops_HEADERS += include/heddle/ops/image.h
