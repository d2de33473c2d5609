# SPDX-License-Identifier: BSD-3-Clause
# libheddle-inherit: the interposer of pthread_create and of the entry points of OpenMP
# runtimes.  Shared only: in a static archive it would take the place of a sanitizer's interceptor.

lib_LTLIBRARIES += lib/libheddle-inherit.la
lib_libheddle_inherit_la_SOURCES = lib/inherit/inherit.c lib/inherit/gomp.c lib/inherit/kmp.c \
  lib/inherit/runtime.c lib/inherit/runtime.h
lib_libheddle_inherit_la_LIBADD = lib/libheddle.la -ldl
lib_libheddle_inherit_la_LDFLAGS = -shared -no-undefined -version-info $(HED_LIBTOOL_VERSION) \
  $(HED_BESIDE_LDFLAGS) $(HED_SHLIB_LDFLAGS) $(HED_INHERIT_MAP_LDFLAGS) $(HED_SANITIZE_FLAGS)
EXTRA_lib_libheddle_inherit_la_DEPENDENCIES = $(srcdir)/lib/inherit/inherit.map
EXTRA_DIST += lib/inherit/inherit.map
