# SPDX-License-Identifier: BSD-3-Clause
# The vsa kit.

check_PROGRAMS += tests/vsa/device.t tests/vsa/encode.t tests/vsa/encode_nomem.t tests/vsa/equal.t tests/vsa/memory.t \
  tests/vsa/models.t tests/vsa/nomem.t tests/vsa/statistics.t tests/vsa/values.t
slow_tests += tests/vsa/statistics.t

tests_vsa_models_t_SOURCES = tests/vsa/models.c tests/vsa/vsa.h
tests_vsa_models_t_LDADD = $(kits_libs)
tests_vsa_equal_t_SOURCES = tests/vsa/equal.c tests/vsa/vsa.h
tests_vsa_equal_t_LDADD = $(kits_libs) -lpthread
tests_vsa_statistics_t_SOURCES = tests/vsa/statistics.c tests/vsa/vsa.h
tests_vsa_statistics_t_LDADD = $(kits_libs)
tests_vsa_memory_t_SOURCES = tests/vsa/memory.c tests/vsa/vsa.h
tests_vsa_memory_t_LDADD = $(kits_libs)
EXTRA_DIST += tests/data/vsa_items.py tests/data/vsa_items.npz
tests_vsa_device_t_SOURCES = tests/vsa/device.c tests/memory.h tests/vsa/vsa.h
tests_vsa_device_t_LDADD = $(kits_libs)
tests_vsa_values_t_SOURCES = tests/vsa/values.c tests/vsa/vsa.h
tests_vsa_values_t_LDADD = $(kits_libs)

# As tests/kit/nomem.t.
tests_vsa_nomem_t_SOURCES = tests/vsa/nomem.c tests/failing.h tests/vsa/vsa.h
tests_vsa_nomem_t_LDADD = $(internal_libs)
tests_vsa_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
tests_vsa_encode_t_SOURCES = tests/vsa/encode.c tests/narrow.h
tests_vsa_encode_t_LDADD = $(kits_libs)
tests_vsa_encode_nomem_t_SOURCES = tests/vsa/encode_nomem.c tests/failing.h tests/vsa/vsa.h
tests_vsa_encode_nomem_t_LDADD = $(internal_libs)
tests_vsa_encode_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
