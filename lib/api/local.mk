# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/api.

lib_libheddle_la_SOURCES += \
  lib/api/axes.c \
  lib/api/bits.c \
  lib/api/box.c lib/api/box.h \
  lib/api/check.c lib/api/check.h \
  lib/api/convert.c \
  lib/api/correlation.c \
  lib/api/create.c \
  lib/api/dlpack.c lib/api/dlpack_abi.h \
  lib/api/elementwise.c lib/api/elementwise.h \
  lib/api/elementwise_more.c \
  lib/api/exchange.c lib/api/exchange.h \
  lib/api/fft.c lib/api/fft.h \
  lib/api/fft_grid.c \
  lib/api/fft_plan.c \
  lib/api/fft_sizes.c \
  lib/api/fft_wisdom.c \
  lib/api/fuse.c lib/api/fuse.h \
  lib/api/filters.c lib/api/filters.h \
  lib/api/parts.h \
  lib/api/getset.c \
  lib/api/host_reads.def \
  lib/api/image.c lib/api/image.h \
  lib/api/index.c lib/api/index.h \
  lib/api/index_device.c \
  lib/api/item.c \
  lib/api/infer.c lib/api/infer.h \
  lib/api/linalg.c \
  lib/api/linalg_factor.c lib/api/linalg_factor.h \
  lib/api/move.c lib/api/movement.h \
  lib/api/norm.c \
  lib/api/npy.c \
  lib/api/file.c lib/api/file.h lib/api/file_write.c \
  lib/api/npy_map.c \
  lib/api/npy_stream.c lib/api/npy_stream.h \
  lib/api/npz.c \
  lib/api/shared.c \
  lib/api/zip_load.c lib/api/zip_load.h \
  lib/api/npy_header.c lib/api/npy_header.h \
  lib/api/ops_info.c \
  lib/api/reflect.c lib/api/arguments.def \
  lib/api/random.c lib/api/random.h \
  lib/api/reduce.c lib/api/reduce.h lib/api/reduce_types.c \
  lib/api/scan.c \
  lib/api/softmax.c \
  lib/api/pinned.c \
  lib/api/flat_indices.c \
  lib/api/print.c \
  lib/api/range.c \
  lib/api/sort.c lib/api/sort.h \
  lib/api/split.c \
  lib/api/take.c \
  lib/api/variates.c \
  lib/api/unfold.c \
  lib/api/views.c

# The tables of reflect.c, from the headers.
api_headers = $(srcdir)/include/heddle/ops.h $(srcdir)/include/heddle/ops.def \
  $(filter-out %/ops.h %/backend.h %/op_names.h %/heddle.h,$(filter %.h,$(heddleops_HEADERS:%=$(srcdir)/%) \
    $(heddle_HEADERS:%=$(srcdir)/%))) include/heddle/version.h
api_scripts = $(srcdir)/build-aux/headers.awk $(srcdir)/build-aux/gen-api.awk
BUILT_SOURCES += lib/api/api_rows.inc
lib/api/reflect.lo: lib/api/api_rows.inc
CLEANFILES += lib/api/api_rows.inc
EXTRA_DIST += build-aux/gen-api.awk
lib/api/api_rows.inc: $(api_headers) $(api_scripts) $(srcdir)/lib/api/arguments.def
	@$(MKDIR_P) lib/api
	$(AM_V_GEN)$(AWK) $(api_scripts:%=-f %) -v notes=$(srcdir)/lib/api/arguments.def $(api_headers) >$@.new && mv $@.new $@
