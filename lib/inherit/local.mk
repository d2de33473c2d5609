# SPDX-License-Identifier: BSD-3-Clause
# libheddle-inherit: the interposer of pthread_create.  Shared only: in a static archive it would
# take the place of a sanitizer's interceptor.

lib_LTLIBRARIES += lib/libheddle-inherit.la
lib_libheddle_inherit_la_SOURCES = lib/inherit/inherit.c
lib_libheddle_inherit_la_LIBADD = lib/libheddle.la
lib_libheddle_inherit_la_LDFLAGS = -shared -no-undefined -version-info $(HED_LIBTOOL_VERSION) \
  $(HED_SHLIB_LDFLAGS) $(HED_INHERIT_MAP_LDFLAGS) $(HED_SANITIZE_FLAGS)
EXTRA_lib_libheddle_inherit_la_DEPENDENCIES = $(srcdir)/lib/inherit/inherit.map
EXTRA_DIST += lib/inherit/inherit.map
