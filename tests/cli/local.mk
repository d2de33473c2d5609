# SPDX-License-Identifier: BSD-3-Clause
# The tool's commands, and parts of it that are compiled in.

check_PROGRAMS += tests/cli/picture.t
dist_check_SCRIPTS += tests/cli/bench.t tests/cli/compare.t tests/cli/completion.t tests/cli/convert.t tests/cli/decompose.t \
  tests/cli/decompose_files.t \
  tests/cli/errors.t tests/cli/extract.t \
  tests/cli/info.t tests/cli/manners.t tests/cli/match.t tests/cli/match_list.t tests/cli/match_mpi.t \
  tests/cli/match_report.t tests/cli/near.t tests/cli/peaks.t tests/cli/profile.t \
  tests/cli/ultrasound.t tests/cli/vsa.t tests/cli/wisdom.t
slow_tests += tests/cli/bench.t
valgrind_tests += tests/cli/picture.t

# Cairo draws the pictures, and decodes them for the test.
tests_cli_picture_t_SOURCES = tests/cli/picture.c tests/kit_files.c tests/kit_files.h \
  $(tool_picture_sources)
tests_cli_picture_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(CAIRO_CFLAGS)
tests_cli_picture_t_LDADD = $(LDADD) $(CAIRO_LIBS) -lm
