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
check_PROGRAMS += tests/kernels_random.t
tests_kernels_random_t_SOURCES = tests/kernels_random.c tests/kernels_run.h
tests_kernels_random_t_LDADD = $(kernels_libs)
check_PROGRAMS += tests/kernels_order.t
tests_kernels_order_t_SOURCES = tests/kernels_order.c tests/kernels_run.h
tests_kernels_order_t_LDADD = $(kernels_libs)
check_PROGRAMS += tests/kernels_image.t
tests_kernels_image_t_SOURCES = tests/kernels_image.c tests/kernels_run.h tests/launch.h
tests_kernels_image_t_LDADD = $(kernels_libs)
check_PROGRAMS += tests/kernels_nvrtc.t
tests_kernels_nvrtc_t_SOURCES = tests/kernels_nvrtc.c tests/kernels_run.h
tests_kernels_nvrtc_t_LDADD = $(kernels_libs)
dist_check_SCRIPTS += tests/kernels_races.t
# Drivers' compilers do not run with the sanitizers.
slow_tests += tests/kernels_map.t tests/kernels_reduce.t tests/kernels_move.t tests/kernels_random.t tests/kernels_order.t \
  tests/kernels_image.t tests/kernels_nvrtc.t tests/kernels_races.t
