# SPDX-License-Identifier: BSD-3-Clause
# What the modules for devices share (device.h), compiled once. A module links to nothing of Heddle: it gets a copy of these objects.

noinst_LTLIBRARIES += lib/backends/device/libdevice.la
device_lib = lib/backends/device/libdevice.la
lib_backends_device_libdevice_la_SOURCES =

# what a port gives, and what a module takes
lib_backends_device_libdevice_la_SOURCES += \
  %D%/device.h %D%/module.h

# runtime: devices, streams, memory, errors, fates
lib_backends_device_libdevice_la_SOURCES += \
  %D%/runtime/device.c %D%/runtime/errors.c %D%/runtime/event.c %D%/runtime/fate.c %D%/runtime/lost.c %D%/runtime/memory.c \
  %D%/runtime/peer.c %D%/runtime/pinned.c %D%/runtime/runtime.h %D%/runtime/stream.c %D%/runtime/times.c %D%/runtime/wait.c

# program: programs and their cache
lib_backends_device_libdevice_la_SOURCES += \
  %D%/program/cache.c %D%/program/cache.h %D%/program/program.c %D%/program/program.h %D%/program/sha256.c \
  %D%/program/sha256.h %D%/program/source.c

# launch: what a launch needs
lib_backends_device_libdevice_la_SOURCES += \
  %D%/launch/dense.c %D%/launch/dense.h %D%/launch/launch.h %D%/launch/plan.c

# rows: an operation each, and the table
lib_backends_device_libdevice_la_SOURCES += \
  %D%/rows/bins.c %D%/rows/bits.c %D%/rows/cast.c %D%/rows/cast.h %D%/rows/compact.c %D%/rows/fft.c %D%/rows/fft.h \
  %D%/rows/gather.c %D%/rows/gemm.c %D%/rows/image.c %D%/rows/make.c %D%/rows/map.c %D%/rows/match.c %D%/rows/random.c \
  %D%/rows/random_rows.c %D%/rows/reduce.c %D%/rows/reduce.h %D%/rows/rows.c %D%/rows/rows.def %D%/rows/rows.h %D%/rows/rowwise.c \
  %D%/rows/scan.c %D%/rows/scatter.c %D%/rows/search.c %D%/rows/sort.c %D%/rows/staging.c %D%/rows/window.c

# fuse: several operations in one program
lib_backends_device_libdevice_la_SOURCES += \
  %D%/fuse/fuse.c %D%/fuse/fuse.h %D%/fuse/fuse_call.c %D%/fuse/fuse_reduce.c

nodist_lib_backends_device_libdevice_la_SOURCES = lib/backends/device/kernels.c
# Names of its own for its objects: tests compile some of the files for themselves.
lib_backends_device_libdevice_la_CFLAGS = $(AM_CFLAGS)
