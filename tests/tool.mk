# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of the tool's own parts, compiled in; see tests/local.mk.

check_PROGRAMS += tests/tool_picture.t
valgrind_tests += tests/tool_picture.t

# libpng writes the pictures, and decodes them for the test.
tests_tool_picture_t_SOURCES = tests/tool_picture.c tests/kit_files.c tests/kit_files.h \
  $(tool_picture_sources)
tests_tool_picture_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(PNG_CFLAGS)
tests_tool_picture_t_LDADD = $(LDADD) $(PNG_LIBS) -lm
