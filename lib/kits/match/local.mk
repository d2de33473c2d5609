# SPDX-License-Identifier: BSD-3-Clause
# The kit of template matching.

heddlekits_HEADERS += \
  include/heddle/kits/filter.h \
  include/heddle/kits/map.h \
  include/heddle/kits/match.h \
  include/heddle/kits/model.h \
  include/heddle/kits/rotation.h \
  include/heddle/kits/table.h

# Files in and out.
lib_libheddle_kits_la_SOURCES += \
  lib/kits/match/element.c \
  lib/kits/match/fileio.c \
  lib/kits/match/fileio.h \
  lib/kits/match/map_codec.c \
  lib/kits/match/map_header.c \
  lib/kits/match/map_header.h \
  lib/kits/match/map_read.c \
  lib/kits/match/map_resample.c \
  lib/kits/match/map_write.c \
  lib/kits/match/model.c \
  lib/kits/match/model_atoms.c \
  lib/kits/match/model_cif.c \
  lib/kits/match/model_density.c \
  lib/kits/match/model_internal.h \
  lib/kits/match/model_pdb.c \
  lib/kits/match/rotation.c \
  lib/kits/match/rotation_healpix.c \
  lib/kits/match/rotation_sample.c \
  lib/kits/match/rotation_sets.h \
  lib/kits/match/rotation_symmetry.c \
  lib/kits/match/stream.c lib/kits/match/stream.h \
  lib/kits/match/table.c \
  lib/kits/match/table_formats.c \
  lib/kits/match/tilts_read.c

# Filters.
lib_libheddle_kits_la_SOURCES += \
  lib/kits/match/filter.c \
  lib/kits/match/filter_ctf.c \
  lib/kits/match/filter_internal.h \
  lib/kits/match/filter_wedge.c \
  lib/kits/match/filter_whiten.c

# Matching.
lib_libheddle_kits_la_SOURCES += \
  lib/kits/match/buffers.c \
  lib/kits/match/check.c \
  lib/kits/match/checkpoint.c lib/kits/match/checkpoint.h \
  lib/kits/match/compare.c \
  lib/kits/match/estimate.c \
  lib/kits/match/job.h \
  lib/kits/match/merge.c \
  lib/kits/match/molecule.c \
  lib/kits/match/peaks.c \
  lib/kits/match/parts.c lib/kits/match/parts.h \
  lib/kits/match/positions.c lib/kits/match/positions.h \
  lib/kits/match/pool.c \
  lib/kits/match/result.c \
  lib/kits/match/robust.c lib/kits/match/robust.h \
  lib/kits/match/scores.c \
  lib/kits/match/setup.c \
  lib/kits/match/simulate.c \
  lib/kits/match/statistics.c lib/kits/match/statistics.h \
  lib/kits/match/workers.c
