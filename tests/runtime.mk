# SPDX-License-Identifier: BSD-3-Clause
# The runtime's parts one by one: errors, specs, configuration, scopes, log, statistics, trace;
# every function with allocations that fail.

check_PROGRAMS += tests/core_cache.t tests/core_config.t \
  tests/core_device.t tests/core_error.t tests/core_numbers.t tests/core_runtime.t tests/core_spec.t \
  tests/fault_alloc.t tests/fuzz_spec.t
tests_core_cache_t_SOURCES = tests/core_cache.c
tests_core_cache_t_LDADD = $(internal_libs)
tests_core_config_t_SOURCES = tests/core_config.c
tests_core_device_t_SOURCES = tests/core_device.c
tests_core_error_t_SOURCES = tests/core_error.c
tests_core_numbers_t_SOURCES = tests/core_numbers.c
tests_core_numbers_t_LDADD = $(internal_libs)
tests_core_runtime_t_SOURCES = tests/core_runtime.c
tests_core_spec_t_SOURCES = tests/core_spec.c
tests_fault_alloc_t_SOURCES = tests/fault_alloc.c tests/fault.h
tests_fuzz_spec_t_SOURCES = tests/fuzz_spec.c
