# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/program: calls that were captured (lib/core/record), made again.

lib_libheddle_la_SOURCES += lib/program/arguments.c lib/program/compare.c lib/program/into.c lib/program/list.c lib/program/lower.c \
  lib/program/pass.c lib/program/program.c lib/program/program.h

BUILT_SOURCES += lib/program/invoke.inc
CLEANFILES += lib/program/invoke.inc
lib/program/arguments.lo: lib/program/invoke.inc
lib/program/invoke.inc: $(call_rows) $(srcdir)/build-aux/gen-calls.awk
	@$(MKDIR_P) lib/program
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-calls.awk -v what=invoke $(call_rows) >$@.new && mv $@.new $@
