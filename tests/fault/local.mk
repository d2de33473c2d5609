# SPDX-License-Identifier: BSD-3-Clause
# Every allocation fails once.

check_PROGRAMS += tests/fault/alloc.t tests/fault/alloc_calls.t tests/fault/alloc_fft.t tests/fault/alloc_fuse.t \
  tests/fault/alloc_image.t tests/fault/alloc_io.t tests/fault/alloc_random.t tests/fault/alloc_runtime.t \
  tests/fault/alloc_streams.t tests/fault/alloc_ultrasound.t
valgrind_tests += tests/fault/alloc_fft.t tests/fault/alloc_image.t tests/fault/alloc_random.t tests/fault/alloc_runtime.t \
  tests/fault/alloc_ultrasound.t

tests_fault_alloc_calls_t_SOURCES = tests/fault/alloc_calls.c tests/fault.h tests/calls.h tests/calls.def
tests_fault_alloc_fft_t_SOURCES = tests/fault/alloc_fft.c tests/fault.h
tests_fault_alloc_image_t_SOURCES = tests/fault/alloc_image.c tests/fault.h
tests_fault_alloc_random_t_SOURCES = tests/fault/alloc_random.c tests/fault.h
tests_fault_alloc_runtime_t_SOURCES = tests/fault/alloc_runtime.c tests/fault.h
tests_fault_alloc_fuse_t_SOURCES = tests/fault/alloc_fuse.c
tests_fault_alloc_io_t_SOURCES = tests/fault/alloc_io.c tests/dlpack.h tests/fault.h
tests_fault_alloc_ultrasound_t_SOURCES = tests/fault/alloc_ultrasound.c tests/fault.h tests/scenario.h
tests_fault_alloc_ultrasound_t_LDADD = $(kits_libs)
tests_fault_alloc_t_SOURCES = tests/fault/alloc.c tests/fault.h
tests_fault_alloc_streams_t_SOURCES = tests/fault/alloc_streams.c
