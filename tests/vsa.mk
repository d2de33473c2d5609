# SPDX-License-Identifier: BSD-3-Clause
# Tests of the vsa kit.

vsa_tests = tests/vsa_equal.t tests/vsa_memory.t tests/vsa_models.t tests/vsa_nomem.t tests/vsa_statistics.t \
  tests/vsa_values.t tests/vsa_device.t
check_PROGRAMS += $(vsa_tests)
slow_tests += tests/vsa_statistics.t
tests_vsa_models_t_SOURCES = tests/vsa_models.c tests/vsa.h
tests_vsa_models_t_LDADD = $(kits_libs)
tests_vsa_equal_t_SOURCES = tests/vsa_equal.c tests/vsa.h
tests_vsa_equal_t_LDADD = $(kits_libs) -lpthread
tests_vsa_statistics_t_SOURCES = tests/vsa_statistics.c tests/vsa.h
tests_vsa_statistics_t_LDADD = $(kits_libs)
tests_vsa_memory_t_SOURCES = tests/vsa_memory.c tests/vsa.h
tests_vsa_memory_t_LDADD = $(kits_libs)
EXTRA_DIST += tests/data/vsa_items.py tests/data/vsa_items.npz
tests_vsa_device_t_SOURCES = tests/vsa_device.c tests/memory.h tests/vsa.h
tests_vsa_device_t_LDADD = $(kits_libs)
tests_vsa_values_t_SOURCES = tests/vsa_values.c tests/vsa.h
tests_vsa_values_t_LDADD = $(kits_libs)

# As tests/kit_nomem.t.
tests_vsa_nomem_t_SOURCES = tests/vsa_nomem.c tests/failing.h tests/vsa.h
tests_vsa_nomem_t_LDADD = $(internal_libs)
tests_vsa_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
