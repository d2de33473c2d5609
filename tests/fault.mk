# SPDX-License-Identifier: BSD-3-Clause
# Tests of failing allocations that belong to no area's fragment, and of calls that allocate nothing.

fault_tests = tests/api_into.t tests/fault_alloc_fft.t tests/fault_alloc_image.t tests/fault_alloc_random.t \
  tests/fault_alloc_runtime.t
check_PROGRAMS += $(fault_tests)
valgrind_tests += $(fault_tests)
tests_api_into_t_SOURCES = tests/api_into.c tests/fault.h
tests_fault_alloc_fft_t_SOURCES = tests/fault_alloc_fft.c tests/fault.h
tests_fault_alloc_image_t_SOURCES = tests/fault_alloc_image.c tests/fault.h
tests_fault_alloc_random_t_SOURCES = tests/fault_alloc_random.c tests/fault.h
tests_fault_alloc_runtime_t_SOURCES = tests/fault_alloc_runtime.c tests/fault.h
