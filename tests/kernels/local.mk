# SPDX-License-Identifier: BSD-3-Clause
# The kernels of devices by themselves: run by OpenCL, and compiled for the chips that NVRTC knows.

check_PROGRAMS += tests/kernels/image.t tests/kernels/map.t tests/kernels/move.t tests/kernels/nvrtc.t tests/kernels/order.t \
  tests/kernels/random.t tests/kernels/reduce.t
dist_check_SCRIPTS += tests/kernels/races.t
# Drivers' compilers do not run with the sanitizers.
slow_tests += tests/kernels/image.t tests/kernels/map.t tests/kernels/move.t tests/kernels/nvrtc.t tests/kernels/order.t \
  tests/kernels/races.t tests/kernels/random.t tests/kernels/reduce.t

check_LTLIBRARIES += tests/libkernels.la
tests_libkernels_la_SOURCES = tests/kernels/run.c tests/kernels/run.h
nodist_tests_libkernels_la_SOURCES = lib/backends/device/kernels.c
kernels_libs = tests/libkernels.la $(internal_libs) -ldl
tests_kernels_map_t_SOURCES = tests/kernels/map.c tests/kernels/run.h
tests_kernels_map_t_LDADD = $(kernels_libs)
tests_kernels_reduce_t_SOURCES = tests/kernels/reduce.c tests/kernels/run.h
tests_kernels_reduce_t_LDADD = $(kernels_libs)
tests_kernels_move_t_SOURCES = tests/kernels/move.c tests/kernels/run.h
tests_kernels_move_t_LDADD = $(kernels_libs)
tests_kernels_random_t_SOURCES = tests/kernels/random.c tests/kernels/run.h
tests_kernels_random_t_LDADD = $(kernels_libs)
tests_kernels_order_t_SOURCES = tests/kernels/order.c tests/kernels/run.h
tests_kernels_order_t_LDADD = $(kernels_libs)
tests_kernels_image_t_SOURCES = tests/kernels/image.c tests/kernels/run.h tests/launch.h
tests_kernels_image_t_LDADD = $(kernels_libs)
tests_kernels_nvrtc_t_SOURCES = tests/kernels/nvrtc.c tests/kernels/run.h
tests_kernels_nvrtc_t_LDADD = $(kernels_libs)
