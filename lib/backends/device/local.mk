# SPDX-License-Identifier: BSD-3-Clause
# What the modules for devices share (device.h). Each compiles it for itself: a module links to nothing of Heddle.

device_sources = \
  %D%/bins.c %D%/cache.c %D%/cache.h %D%/cast.c %D%/compact.c %D%/device.c %D%/device.h %D%/errors.c %D%/event.c %D%/gather.c \
  %D%/gemm.c %D%/layer.h %D%/make.c %D%/map.c %D%/memory.c %D%/plan.c %D%/program.c %D%/random.c %D%/reduce.c \
  %D%/rows.c %D%/rowwise.c %D%/scan.c %D%/scatter.c %D%/search.c %D%/sha256.c %D%/sha256.h %D%/sort.c %D%/source.c %D%/staging.c \
  %D%/stream.c %D%/window.c
device_generated = lib/backends/device/kernels.c

EXTRA_DIST += $(device_sources)
