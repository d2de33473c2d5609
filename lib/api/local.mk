# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/api: a list per room.  A room includes those before it.

# call: checks, inference, a call
lib_libheddle_la_SOURCES += \
  %D%/call/box.c %D%/call/box.h %D%/call/check.c %D%/call/check.h %D%/call/exchange.c %D%/call/exchange.h %D%/call/infer.c \
  %D%/call/infer.h %D%/call/move.c %D%/call/movement.h %D%/call/parts.h

# file: arrays in files
lib_libheddle_la_SOURCES += \
  %D%/file/file.c %D%/file/file.h %D%/file/file_write.c %D%/file/npy.c %D%/file/npy_header.c %D%/file/npy_header.h \
  %D%/file/npy_map.c %D%/file/npy_stream.c %D%/file/npy_stream.h %D%/file/npz.c %D%/file/zip_load.c %D%/file/zip_load.h

# elementwise: operations on single elements, and fused
lib_libheddle_la_SOURCES += \
  %D%/elementwise/bits.c %D%/elementwise/elementwise.c %D%/elementwise/elementwise.h %D%/elementwise/elementwise_more.c \
  %D%/elementwise/fuse.c %D%/elementwise/fuse.h

# make: arrays made, looked at, handed over
lib_libheddle_la_SOURCES += \
  %D%/make/axes.c %D%/make/convert.c %D%/make/create.c %D%/make/dlpack.c %D%/make/dlpack_abi.h %D%/make/item.c %D%/make/pinned.c \
  %D%/make/print.c %D%/make/range.c %D%/make/shared.c %D%/make/split.c %D%/make/unfold.c %D%/make/views.c \
  %D%/make/views.h

# reduce: reductions, scans, sorting
lib_libheddle_la_SOURCES += \
  %D%/reduce/norm.c %D%/reduce/reduce.c %D%/reduce/reduce.h %D%/reduce/reduce_types.c %D%/reduce/scan.c %D%/reduce/softmax.c \
  %D%/reduce/sort.c %D%/reduce/sort.h

# index: elements by their indices
lib_libheddle_la_SOURCES += \
  %D%/index/flat_indices.c %D%/index/getset.c %D%/index/index.c %D%/index/index.h %D%/index/index_device.c %D%/index/take.c

# linalg: products, factorisations
lib_libheddle_la_SOURCES += \
  %D%/linalg/linalg.c %D%/linalg/linalg_factor.c %D%/linalg/linalg_factor.h

# fft: transforms
lib_libheddle_la_SOURCES += \
  %D%/fft/fft.c %D%/fft/fft.h %D%/fft/fft_grid.c %D%/fft/fft_plan.c %D%/fft/fft_sizes.c %D%/fft/fft_wisdom.c

# image: filters, resampling, correlation
lib_libheddle_la_SOURCES += \
  %D%/image/correlation.c %D%/image/filters.c %D%/image/filters.h %D%/image/image.c %D%/image/image.h

# random: random numbers
lib_libheddle_la_SOURCES += \
  %D%/random/random.c %D%/random/random.h %D%/random/variates.c

# the interface as data
lib_libheddle_la_SOURCES += \
  %D%/arguments.def %D%/reflect.c %D%/reflect.h

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
