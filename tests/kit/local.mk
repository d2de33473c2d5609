# SPDX-License-Identifier: BSD-3-Clause
# What the match kit reads and writes.

check_PROGRAMS += tests/kit/columns.t tests/kit/fsc.t tests/kit/map.t tests/kit/map_odd.t tests/kit/mask.t tests/kit/model.t \
  tests/kit/nomem.t tests/kit/resample.t tests/kit/rotation.t tests/kit/rotation_read.t tests/kit/rotation_sets.t tests/kit/table.t \
  tests/kit/table_formats.t tests/kit/tilts.t tests/kit/tomograms.t
valgrind_tests += tests/kit/columns.t tests/kit/fsc.t tests/kit/map.t tests/kit/map_odd.t tests/kit/mask.t tests/kit/model.t \
  tests/kit/nomem.t tests/kit/resample.t tests/kit/rotation.t tests/kit/rotation_read.t tests/kit/table.t tests/kit/table_formats.t \
  tests/kit/tilts.t tests/kit/tomograms.t

tests_kit_columns_t_SOURCES = tests/kit/columns.c tests/kit/columns.def $(kit_files_helpers)
tests_kit_columns_t_LDADD = $(kits_libs)
tests_kit_fsc_t_SOURCES = tests/kit/fsc.c
tests_kit_fsc_t_LDADD = $(kits_libs)
tests_kit_map_t_SOURCES = tests/kit/map.c tests/kit/mrc.h $(kit_files_helpers)
tests_kit_map_t_LDADD = $(kits_libs)
tests_kit_map_odd_t_SOURCES = tests/kit/map_odd.c tests/kit/mrc.h $(kit_files_helpers)
tests_kit_map_odd_t_LDADD = $(kits_libs)
tests_kit_model_t_SOURCES = tests/kit/model.c $(kit_files_helpers)
tests_kit_model_t_LDADD = $(kits_libs)
tests_kit_rotation_sets_t_SOURCES = tests/kit/rotation_sets.c
tests_kit_rotation_sets_t_LDADD = $(kits_libs)
tests_kit_resample_t_SOURCES = tests/kit/resample.c
tests_kit_resample_t_LDADD = $(kits_libs)
tests_kit_rotation_t_SOURCES = tests/kit/rotation.c
tests_kit_rotation_t_LDADD = $(kits_libs)
tests_kit_mask_t_SOURCES = tests/kit/mask.c
tests_kit_mask_t_LDADD = $(kits_libs)
tests_kit_rotation_read_t_SOURCES = tests/kit/rotation_read.c $(kit_files_helpers)
tests_kit_rotation_read_t_LDADD = $(kits_libs)
tests_kit_tilts_t_SOURCES = tests/kit/tilts.c $(kit_files_helpers)
tests_kit_tilts_t_LDADD = $(kits_libs)
tests_kit_tomograms_t_SOURCES = tests/kit/tomograms.c $(kit_files_helpers)
tests_kit_tomograms_t_LDADD = $(kits_libs)
tests_kit_table_formats_t_SOURCES = tests/kit/table_formats.c $(kit_files_helpers)
tests_kit_table_formats_t_LDADD = $(kits_libs)
tests_kit_table_t_SOURCES = tests/kit/table.c $(kit_files_helpers)
tests_kit_table_t_LDADD = $(kits_libs)

tests_kit_nomem_t_SOURCES = tests/kit/nomem.c tests/failing.h $(kit_files_helpers)
tests_kit_nomem_t_LDADD = $(internal_libs)
tests_kit_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
EXTRA_DIST += tests/data/kit_rotation.py
