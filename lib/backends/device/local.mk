# SPDX-License-Identifier: BSD-3-Clause
# What the modules for devices share (device.h). Each compiles it for itself: a module links to nothing of Heddle.

device_sources = \
  %D%/cache.c %D%/cache.h %D%/cast.c %D%/device.c %D%/device.h %D%/errors.c %D%/event.c %D%/gather.c %D%/layer.h %D%/make.c %D%/map.c %D%/memory.c %D%/plan.c \
  %D%/program.c %D%/reduce.c %D%/rows.c %D%/scan.c %D%/sha256.c %D%/sha256.h %D%/source.c %D%/staging.c %D%/stream.c
device_generated = lib/backends/device/kernels.c

EXTRA_DIST += $(device_sources)
