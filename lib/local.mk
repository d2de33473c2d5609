# SPDX-License-Identifier: BSD-3-Clause
# The shared library.  Each folder of lib/ appends to lib_libheddle_la_SOURCES.  The target has no
# compiler flags of its own on purpose: tests/libheddle-internal.la shares its objects.  The kits are a library of their
# own, see lib/kits/local.mk.

lib_LTLIBRARIES += lib/libheddle.la
lib_libheddle_la_SOURCES =
lib_libheddle_la_LIBADD =
lib_libheddle_la_LDFLAGS = -no-undefined -version-info $(HED_LIBTOOL_VERSION) \
  $(HED_SHLIB_LDFLAGS) $(HED_MAP_LDFLAGS) $(HED_SANITIZE_FLAGS)
EXTRA_lib_libheddle_la_DEPENDENCIES = $(srcdir)/lib/libheddle.map
EXTRA_DIST += lib/libheddle.map lib/module.map

include $(srcdir)/lib/base/local.mk
include $(srcdir)/lib/core/local.mk
include $(srcdir)/lib/api/local.mk
include $(srcdir)/lib/composite/local.mk
include $(srcdir)/lib/backends/local.mk
include $(srcdir)/lib/inherit/local.mk
include $(srcdir)/lib/kits/local.mk
