# SPDX-License-Identifier: BSD-3-Clause
# The kernels of devices by themselves: run by OpenCL, and compiled for the chips that NVRTC knows.
check_LTLIBRARIES += tests/libkernels.la
tests_libkernels_la_SOURCES = tests/kernels_run.c tests/kernels_run.h
nodist_tests_libkernels_la_SOURCES = lib/backends/device/kernels.c
kernels_libs = tests/libkernels.la $(internal_libs) -ldl

check_PROGRAMS += tests/kernels_map.t tests/kernels_reduce.t
tests_kernels_map_t_SOURCES = tests/kernels_map.c tests/kernels_run.h
tests_kernels_map_t_LDADD = $(kernels_libs)
tests_kernels_reduce_t_SOURCES = tests/kernels_reduce.c tests/kernels_run.h
tests_kernels_reduce_t_LDADD = $(kernels_libs)
check_PROGRAMS += tests/kernels_move.t
tests_kernels_move_t_SOURCES = tests/kernels_move.c tests/kernels_run.h
tests_kernels_move_t_LDADD = $(kernels_libs)
