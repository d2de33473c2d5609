# SPDX-License-Identifier: BSD-3-Clause
# What the modules for devices share (device.h), compiled once. A module links to nothing of Heddle: it gets a copy of these objects.

noinst_LTLIBRARIES += lib/backends/device/libdevice.la
device_lib = lib/backends/device/libdevice.la
lib_backends_device_libdevice_la_SOURCES = \
  %D%/bins.c %D%/bits.c %D%/cache.c %D%/cache.h %D%/cast.c %D%/compact.c %D%/device.c %D%/device.h %D%/dense.c %D%/errors.c \
  %D%/event.c %D%/fft.c %D%/fft.h %D%/fuse.c %D%/fuse.h %D%/fuse_call.c %D%/fuse_reduce.c %D%/gather.c %D%/gemm.c %D%/image.c \
  %D%/layer.h %D%/lost.c %D%/make.c %D%/map.c \
  %D%/match.c %D%/memory.c %D%/pinned.c %D%/plan.c %D%/program.c %D%/random.c %D%/random_rows.c %D%/reduce.c %D%/reduce.h \
  %D%/rows.c %D%/rowwise.c %D%/scan.c %D%/scatter.c %D%/search.c %D%/sha256.c %D%/sha256.h %D%/sort.c %D%/source.c \
  %D%/staging.c %D%/stream.c %D%/window.c
nodist_lib_backends_device_libdevice_la_SOURCES = lib/backends/device/kernels.c
# Names of its own for its objects: tests compile some of the files for themselves.
lib_backends_device_libdevice_la_CFLAGS = $(AM_CFLAGS)
