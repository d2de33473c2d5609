# SPDX-License-Identifier: BSD-3-Clause
# What the modules for devices share (device.h). Each compiles it for itself: a module links to nothing of Heddle.

device_sources = \
  %D%/cast.c %D%/device.c %D%/device.h %D%/errors.c %D%/event.c %D%/layer.h %D%/make.c %D%/map.c %D%/memory.c %D%/plan.c \
  %D%/program.c %D%/rows.c %D%/source.c %D%/staging.c %D%/stream.c \
  lib/base/cast.c lib/base/dtype.c lib/base/nest.c lib/base/shape.c
device_generated = lib/backends/device/kernels.c

EXTRA_DIST += $(device_sources)
