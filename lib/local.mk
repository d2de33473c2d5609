# SPDX-License-Identifier: BSD-3-Clause
# The shared library.  Each folder of lib/ appends to lib_libheddle_la_SOURCES.  The target has no
# compiler flags of its own on purpose: tests/libheddle-internal.la shares its objects.  The kits are a library of their
# own, see lib/kits/local.mk.

lib_LTLIBRARIES += lib/libheddle.la
lib_libheddle_la_SOURCES =
lib_libheddle_la_LIBADD =
lib_libheddle_la_LDFLAGS = -no-undefined -version-info $(HED_LIBTOOL_VERSION) \
  $(HED_SHLIB_LDFLAGS) $(HED_MAP_LDFLAGS) -Wl,lib/aliases.ld $(HED_SANITIZE_FLAGS)
EXTRA_lib_libheddle_la_DEPENDENCIES = $(srcdir)/lib/libheddle.map lib/aliases.ld
EXTRA_DIST += lib/libheddle.map lib/module.map

# Other names of operations, for those who look symbols up while they run: a compiler knows them by aliases.h.
CLEANFILES += lib/aliases.ld
EXTRA_DIST += build-aux/gen-aliases.awk
lib/aliases.ld: $(srcdir)/include/heddle/ops.def $(srcdir)/build-aux/gen-aliases.awk
	@$(MKDIR_P) lib
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-aliases.awk $(srcdir)/include/heddle/ops.def >$@.new && mv $@.new $@

lib/%.lo: AM_CFLAGS += $(HED_LIB_CFLAGS)

# A sanitizer for what C leaves undefined takes half of the time to compile.  ./selftest has it where numbers come from outside:
# core, api, base, kits; HED_DEFINED turns it off for the others.
lib/backends/%.lo lib/composite/%.lo tests/%.$(OBJEXT) tests/%.lo: AM_CFLAGS += $(HED_DEFINED)

include $(srcdir)/lib/base/local.mk
include $(srcdir)/lib/core/local.mk
include $(srcdir)/lib/api/local.mk
include $(srcdir)/lib/composite/local.mk
include $(srcdir)/lib/grad/local.mk
include $(srcdir)/lib/program/local.mk
include $(srcdir)/lib/backends/local.mk
include $(srcdir)/lib/inherit/local.mk
include $(srcdir)/lib/kits/local.mk
