# SPDX-License-Identifier: BSD-3-Clause
# Tests of the vsa kit's encoders.

check_PROGRAMS += tests/vsa_encode.t
tests_vsa_encode_t_SOURCES = tests/vsa_encode.c tests/narrow.h
tests_vsa_encode_t_LDADD = $(kits_libs)
