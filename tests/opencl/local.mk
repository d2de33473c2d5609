# SPDX-License-Identifier: BSD-3-Clause
# The backend for OpenCL devices, and what it shares with others.

check_PROGRAMS += tests/opencl/cache.t tests/opencl/cold.t tests/opencl/fuse.t tests/opencl/large.t tests/opencl/pinned.t \
  tests/opencl/rows.t tests/opencl/sync.t tests/opencl/threads.t
dist_check_SCRIPTS += tests/opencl/match.t tests/opencl/spread.t
slow_tests += tests/opencl/cold.t tests/opencl/fuse.t tests/opencl/large.t tests/opencl/match.t tests/opencl/pinned.t \
  tests/opencl/rows.t tests/opencl/spread.t tests/opencl/sync.t tests/opencl/threads.t

tests_opencl_rows_t_SOURCES = tests/opencl/rows.c
tests_opencl_threads_t_SOURCES = tests/opencl/threads.c
tests_opencl_fuse_t_SOURCES = tests/opencl/fuse.c
tests_opencl_sync_t_SOURCES = tests/opencl/sync.c
tests_opencl_pinned_t_SOURCES = tests/opencl/pinned.c
tests_opencl_cold_t_SOURCES = tests/opencl/cold.c
tests_opencl_large_t_SOURCES = tests/opencl/large.c

# Programs on disk: without a driver.
tests_opencl_cache_t_SOURCES = tests/opencl/cache.c lib/backends/device/program/cache.c lib/backends/device/program/sha256.c
