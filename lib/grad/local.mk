# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/grad: derivatives, by the recordings of lib/core/record.

lib_libheddle_la_SOURCES += \
  lib/grad/back.h lib/grad/call.c lib/grad/call.h lib/grad/calls.c lib/grad/check.c lib/grad/elementwise.c lib/grad/factor.c \
  lib/grad/fft.c lib/grad/function.c lib/grad/grad.c lib/grad/image.c lib/grad/index.c lib/grad/linalg.c lib/grad/order.c \
  lib/grad/product.c lib/grad/random.c lib/grad/reduce.c lib/grad/shape.c lib/grad/steps.c \
  lib/grad/sweep.c

# The wrappers, from the interface as data.
call_rows = $(srcdir)/include/heddle/ops.def lib/api/api_rows.inc
BUILT_SOURCES += lib/core/record/bodies.inc lib/grad/calls.inc
CLEANFILES += lib/core/record/bodies.inc lib/grad/calls.inc
EXTRA_DIST += build-aux/gen-calls.awk
$(lib_libheddle_la_OBJECTS): | lib/core/record/bodies.inc
lib/grad/calls.lo: lib/grad/calls.inc
lib/core/record/bodies.inc: $(call_rows) $(srcdir)/build-aux/gen-calls.awk
	@$(MKDIR_P) lib/core/record
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-calls.awk -v what=bodies $(call_rows) >$@.new && mv $@.new $@
lib/grad/calls.inc: $(call_rows) $(srcdir)/build-aux/gen-calls.awk
	@$(MKDIR_P) lib/grad
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-calls.awk -v what=calls $(call_rows) >$@.new && mv $@.new $@
