# SPDX-License-Identifier: BSD-3-Clause
# Parts of lib/core: errors, specs, configuration, scopes, log, statistics, trace.

check_PROGRAMS += tests/core/cache.t tests/core/cgroup.t tests/core/config.t tests/core/device.t tests/core/error.t \
  tests/core/numbers.t tests/core/runtime.t tests/core/spec.t

tests_core_cgroup_t_SOURCES = tests/core/cgroup.c
tests_core_cgroup_t_LDADD = $(internal_libs)
tests_core_cache_t_SOURCES = tests/core/cache.c
tests_core_cache_t_LDADD = $(internal_libs)
tests_core_config_t_SOURCES = tests/core/config.c
tests_core_device_t_SOURCES = tests/core/device.c
tests_core_error_t_SOURCES = tests/core/error.c
tests_core_numbers_t_SOURCES = tests/core/numbers.c
tests_core_numbers_t_LDADD = $(internal_libs)
tests_core_runtime_t_SOURCES = tests/core/runtime.c
tests_core_spec_t_SOURCES = tests/core/spec.c
