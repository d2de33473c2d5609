# SPDX-License-Identifier: BSD-3-Clause
# libheddle-kits: jobs on top of libheddle, by its public interface alone.
#
# A kit NAME is a folder lib/kits/NAME, whose local.mk appends its sources and its headers
# include/heddle/kits/*.h to the two lists below, and two lines: its include at the end of this file, and that of
# tests/NAME/local.mk in tests/local.mk.

# Compiled once, for libheddle-kits and for the static copy that tests of internals get.
noinst_LTLIBRARIES += lib/kits/libkits.la
lib_kits_libkits_la_SOURCES = %D%/given.h %D%/member.h %D%/shapes.h %D%/workers.c %D%/workers.h

lib_LTLIBRARIES += lib/libheddle-kits.la
lib_libheddle_kits_la_SOURCES =
lib_libheddle_kits_la_LIBADD = lib/kits/libkits.la lib/libheddle.la
lib_libheddle_kits_la_LDFLAGS = -no-undefined -version-info $(HED_KITS_LIBTOOL_VERSION) \
  $(HED_BESIDE_LDFLAGS) $(HED_SHLIB_LDFLAGS) $(HED_KITS_MAP_LDFLAGS) $(HED_SANITIZE_FLAGS)
EXTRA_lib_libheddle_kits_la_DEPENDENCIES = $(srcdir)/lib/kits/libheddle-kits.map
EXTRA_DIST += lib/kits/libheddle-kits.map lib/kits/libtool-version

heddlekitsdir = $(includedir)/heddle/kits
heddlekits_HEADERS =

include $(srcdir)/lib/kits/match/local.mk
include $(srcdir)/lib/kits/ultrasound/local.mk
include $(srcdir)/lib/kits/tensor/local.mk
include $(srcdir)/lib/kits/vsa/local.mk
include $(srcdir)/lib/kits/nn/local.mk
include $(srcdir)/lib/kits/reflect/local.mk
