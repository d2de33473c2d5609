# SPDX-License-Identifier: BSD-3-Clause
# The kernels of devices by themselves: run by OpenCL, and compiled for the chips that NVRTC knows.
kernels_run = tests/kernels_run.c tests/kernels_run.h
kernels_libs = $(internal_libs) -ldl
check_PROGRAMS += tests/kernels_map.t
tests_kernels_map_t_SOURCES = tests/kernels_map.c $(kernels_run)
nodist_tests_kernels_map_t_SOURCES = lib/backends/device/kernels.c
tests_kernels_map_t_LDADD = $(kernels_libs)
