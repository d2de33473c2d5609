# SPDX-License-Identifier: BSD-3-Clause
# The kit of ultrasound.

heddlekits_HEADERS += include/heddle/kits/ultrasound.h

# Metrics.
lib_kits_libkits_la_SOURCES += \
  lib/kits/ultrasound/clip.c \
  lib/kits/ultrasound/coherence.c \
  lib/kits/ultrasound/common.c \
  lib/kits/ultrasound/fit.c \
  lib/kits/ultrasound/fwhm.c \
  lib/kits/ultrasound/gcnr.c \
  lib/kits/ultrasound/psf.c \
  lib/kits/ultrasound/region.c lib/kits/ultrasound/region.h \
  lib/kits/ultrasound/rf.c \
  lib/kits/ultrasound/sharpness.c \
  lib/kits/ultrasound/sll.c \
  lib/kits/ultrasound/tsnr.c \
  lib/kits/ultrasound/ultrasound_internal.h

# Images, regions, files.
lib_kits_libkits_la_SOURCES += \
  lib/kits/ultrasound/beamform.c \
  lib/kits/ultrasound/bmode.c \
  lib/kits/ultrasound/hdf5_load.c lib/kits/ultrasound/hdf5_load.h \
  lib/kits/ultrasound/read.c lib/kits/ultrasound/read.h \
  lib/kits/ultrasound/roi.c \
  lib/kits/ultrasound/scan.c \
  lib/kits/ultrasound/uff.c
