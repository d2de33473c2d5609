# SPDX-License-Identifier: BSD-3-Clause
# Tests of the vsa kit's encoders.

check_PROGRAMS += tests/vsa_encode.t
tests_vsa_encode_t_SOURCES = tests/vsa_encode.c tests/narrow.h
tests_vsa_encode_t_LDADD = $(kits_libs)

# As tests/kit_nomem.t.
check_PROGRAMS += tests/vsa_encode_nomem.t
tests_vsa_encode_nomem_t_SOURCES = tests/vsa_encode_nomem.c tests/failing.h tests/vsa.h
tests_vsa_encode_nomem_t_LDADD = $(internal_libs)
tests_vsa_encode_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
