# SPDX-License-Identifier: BSD-3-Clause
# Tests of the kits: one fragment each.  A test of a kit links it with tests_foo_t_LDADD = $(kits_libs).

kits_libs = tests/libtap.la lib/libheddle-kits.la lib/libheddle.la -lm

include $(srcdir)/tests/match.mk
include $(srcdir)/tests/vsa.mk
include $(srcdir)/tests/vsa_encode.mk
