# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "opencl": the backend for OpenCL devices, and what it shares with others; see tests/local.mk.
check_PROGRAMS += tests/opencl_rows.t tests/opencl_threads.t
tests_opencl_rows_t_SOURCES = tests/opencl_rows.c
tests_opencl_threads_t_SOURCES = tests/opencl_threads.c
check_PROGRAMS += tests/opencl_fuse.t
tests_opencl_fuse_t_SOURCES = tests/opencl_fuse.c
check_PROGRAMS += tests/opencl_sync.t
tests_opencl_sync_t_SOURCES = tests/opencl_sync.c
check_PROGRAMS += tests/opencl_pinned.t
tests_opencl_pinned_t_SOURCES = tests/opencl_pinned.c
check_PROGRAMS += tests/opencl_cold.t
tests_opencl_cold_t_SOURCES = tests/opencl_cold.c
check_PROGRAMS += tests/opencl_large.t
tests_opencl_large_t_SOURCES = tests/opencl_large.c
dist_check_SCRIPTS += tests/opencl_match.t tests/cuda_cold.t
slow_tests += tests/opencl_match.t tests/opencl_rows.t tests/opencl_threads.t tests/opencl_fuse.t \
  tests/opencl_pinned.t tests/opencl_sync.t tests/opencl_cold.t tests/opencl_large.t tests/cuda_cold.t

# Programs on disk: without a driver.
check_PROGRAMS += tests/opencl_cache.t
tests_opencl_cache_t_SOURCES = tests/opencl_cache.c lib/backends/device/cache.c lib/backends/device/sha256.c
