# SPDX-License-Identifier: BSD-3-Clause
# The kit of template matching.

heddlekits_HEADERS += \
  include/heddle/kits/filter.h \
  include/heddle/kits/map.h \
  include/heddle/kits/mask.h \
  include/heddle/kits/match.h \
  include/heddle/kits/model.h \
  include/heddle/kits/refine.h \
  include/heddle/kits/rotation.h \
  include/heddle/kits/staged.h \
  include/heddle/kits/table.h \
  include/heddle/kits/tomograms.h

# Files in and out.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/files/element.c \
  lib/kits/match/files/fileio.c \
  lib/kits/match/files/fileio.h \
  lib/kits/match/files/map_codec.c \
  lib/kits/match/files/map_fsc.c \
  lib/kits/match/files/map_header.c \
  lib/kits/match/files/map_header.h \
  lib/kits/match/files/map_read.c \
  lib/kits/match/files/map_resample.c \
  lib/kits/match/files/map_write.c \
  lib/kits/match/files/model.c \
  lib/kits/match/files/model_atoms.c \
  lib/kits/match/files/model_cif.c \
  lib/kits/match/files/model_density.c \
  lib/kits/match/files/model_internal.h \
  lib/kits/match/files/model_pdb.c \
  lib/kits/match/files/stream.c \
  lib/kits/match/files/stream.h \
  lib/kits/match/files/table.c \
  lib/kits/match/files/table.h \
  lib/kits/match/files/table_formats.c \
  lib/kits/match/files/table_formats.h \
  lib/kits/match/files/table_layouts.c \
  lib/kits/match/files/tilts.h \
  lib/kits/match/files/tilts_ctf.c \
  lib/kits/match/files/tilts_read.c \
  lib/kits/match/files/tilts_star.c \
  lib/kits/match/files/tomograms.c \
  lib/kits/match/files/tomograms.h \
  lib/kits/match/files/tomograms_folder.c \
  lib/kits/match/files/tomograms_rows.c \
  lib/kits/match/files/words.c \
  lib/kits/match/files/words.h

# Sets of rotations.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/rotation/around.c \
  lib/kits/match/rotation/healpix.c \
  lib/kits/match/rotation/near.c \
  lib/kits/match/rotation/near.h \
  lib/kits/match/rotation/read.c \
  lib/kits/match/rotation/rotation.c \
  lib/kits/match/rotation/sample.c \
  lib/kits/match/rotation/sets.h \
  lib/kits/match/rotation/symmetry.c

# Filters.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/filter/apply.c \
  lib/kits/match/filter/apply.h \
  lib/kits/match/filter/compose.c \
  lib/kits/match/filter/ctf.c \
  lib/kits/match/filter/terms.h \
  lib/kits/match/filter/wedge.c \
  lib/kits/match/filter/whiten.c

# Scores: what is computed once, and for a rotation.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/score/scores.c \
  lib/kits/match/score/setup.c

# What becomes of scores: statistics, peaks.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/analyze/candidates.c \
  lib/kits/match/analyze/cells.c \
  lib/kits/match/analyze/compare.c \
  lib/kits/match/analyze/peaks.c \
  lib/kits/match/analyze/peaks.h \
  lib/kits/match/analyze/robust.c \
  lib/kits/match/analyze/robust.h \
  lib/kits/match/analyze/statistics.c \
  lib/kits/match/analyze/statistics.h

# A search: threads, parts, checkpoints.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/run/best.c \
  lib/kits/match/run/buffers.c \
  lib/kits/match/run/check.c \
  lib/kits/match/run/checkpoint.c \
  lib/kits/match/run/checkpoint.h \
  lib/kits/match/run/claims.c \
  lib/kits/match/run/claims.h \
  lib/kits/match/run/clear.c \
  lib/kits/match/run/estimate.c \
  lib/kits/match/run/inputs.c \
  lib/kits/match/run/job.h \
  lib/kits/match/run/looks.c \
  lib/kits/match/run/looks.h \
  lib/kits/match/run/merge.c \
  lib/kits/match/run/parts.c \
  lib/kits/match/run/parts.h \
  lib/kits/match/run/pool.c \
  lib/kits/match/run/positions.c \
  lib/kits/match/run/positions.h \
  lib/kits/match/run/prepared.c \
  lib/kits/match/run/prepared.h \
  lib/kits/match/run/result.c \
  lib/kits/match/run/run.c \
  lib/kits/match/run/search.h \
  lib/kits/match/run/seeds.c \
  lib/kits/match/run/seeds.h \
  lib/kits/match/run/workers.c

# Places and orientations, refined.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/refine/refine.c \
  lib/kits/match/refine/nelder_mead.c \
  lib/kits/match/refine/nelder_mead.h \
  lib/kits/match/refine/rows.h

# From coarse to fine.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/staged/bin.c \
  lib/kits/match/staged/bin.h \
  lib/kits/match/staged/kept.c \
  lib/kits/match/staged/kept.h \
  lib/kits/match/staged/places.c \
  lib/kits/match/staged/places.h \
  lib/kits/match/staged/staged.c

# Masks and templates.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/prepare/background.c \
  lib/kits/match/prepare/mask.c \
  lib/kits/match/prepare/voids.c

# Simulation.
lib_kits_libkits_la_SOURCES += \
  lib/kits/match/simulate/molecule.c \
  lib/kits/match/simulate/simulate.c
