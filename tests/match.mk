# SPDX-License-Identifier: BSD-3-Clause
# Tests of the match kit: what it reads and writes; scores, pool, peaks, simulation; and the operation that it rests on.

kit_files_tests = tests/kit_fsc.t tests/kit_map.t tests/kit_mask.t tests/kit_rotation_read.t \
  tests/kit_map_odd.t tests/kit_model.t tests/kit_rotation.t tests/kit_nomem.t tests/kit_resample.t \
  tests/kit_rotation_sets.t tests/kit_table_formats.t tests/kit_tilts.t \
  tests/kit_table.t
kit_fuzz_tests = tests/fuzz_checkpoint.t tests/fuzz_map.t tests/fuzz_model.t tests/fuzz_table.t tests/fuzz_table_as.t \
  tests/fuzz_tilts.t
match_tests = tests/match_checkpoint.t tests/match_false_positives.t tests/match_filters.t tests/match_memory.t tests/match_parts.t \
  tests/match_faulty.t tests/match_peaks.t tests/match_pool.t tests/match_scores.t tests/match_refine.t tests/match_simulate.t \
  tests/match_statistics.t tests/match_where.t
check_PROGRAMS += $(kit_files_tests) $(kit_fuzz_tests) $(match_tests) tests/api_correlation.t
slow_tests += tests/match_checkpoint.t tests/match_false_positives.t tests/match_memory.t tests/match_parts.t
valgrind_tests += $(filter-out tests/kit_rotation_sets.t,$(kit_files_tests)) tests/api_correlation.t
tests_api_correlation_t_SOURCES = tests/api_correlation.c tests/api.h

kit_files_helpers = tests/kit_files.c tests/kit_files.h
tests_kit_fsc_t_SOURCES = tests/kit_fsc.c
tests_kit_fsc_t_LDADD = $(kits_libs)
tests_kit_map_t_SOURCES = tests/kit_map.c tests/kit_mrc.h $(kit_files_helpers)
tests_kit_map_t_LDADD = $(kits_libs)
tests_kit_map_odd_t_SOURCES = tests/kit_map_odd.c tests/kit_mrc.h $(kit_files_helpers)
tests_kit_map_odd_t_LDADD = $(kits_libs)
tests_kit_model_t_SOURCES = tests/kit_model.c $(kit_files_helpers)
tests_kit_model_t_LDADD = $(kits_libs)
tests_kit_rotation_sets_t_SOURCES = tests/kit_rotation_sets.c
tests_kit_rotation_sets_t_LDADD = $(kits_libs)
tests_kit_resample_t_SOURCES = tests/kit_resample.c
tests_kit_resample_t_LDADD = $(kits_libs)
tests_kit_rotation_t_SOURCES = tests/kit_rotation.c
tests_kit_rotation_t_LDADD = $(kits_libs)
tests_kit_mask_t_SOURCES = tests/kit_mask.c
tests_kit_mask_t_LDADD = $(kits_libs)
tests_kit_rotation_read_t_SOURCES = tests/kit_rotation_read.c $(kit_files_helpers)
tests_kit_rotation_read_t_LDADD = $(kits_libs)
tests_kit_tilts_t_SOURCES = tests/kit_tilts.c $(kit_files_helpers)
tests_kit_tilts_t_LDADD = $(kits_libs)
tests_kit_table_formats_t_SOURCES = tests/kit_table_formats.c $(kit_files_helpers)
tests_kit_table_formats_t_LDADD = $(kits_libs)
tests_kit_table_t_SOURCES = tests/kit_table.c $(kit_files_helpers)
tests_kit_table_t_LDADD = $(kits_libs)
tests_match_checkpoint_t_SOURCES = tests/match_checkpoint.c $(kit_files_helpers)
tests_match_checkpoint_t_LDADD = $(kits_libs)
tests_match_false_positives_t_SOURCES = tests/match_false_positives.c
tests_match_false_positives_t_LDADD = $(kits_libs)
tests_match_filters_t_SOURCES = tests/match_filters.c
tests_match_filters_t_LDADD = $(kits_libs)
tests_match_memory_t_SOURCES = tests/match_memory.c
tests_match_memory_t_LDADD = $(kits_libs)
tests_match_faulty_t_SOURCES = tests/match_faulty.c
tests_match_faulty_t_LDADD = $(kits_libs)
tests_match_parts_t_SOURCES = tests/match_parts.c
tests_match_parts_t_LDADD = $(kits_libs)
tests_match_peaks_t_SOURCES = tests/match_peaks.c
tests_match_peaks_t_LDADD = $(kits_libs)
tests_match_pool_t_SOURCES = tests/match_pool.c
tests_match_pool_t_LDADD = $(kits_libs)
tests_match_refine_t_SOURCES = tests/match_refine.c
tests_match_refine_t_LDADD = $(kits_libs)
tests_match_scores_t_SOURCES = tests/match_scores.c
tests_match_scores_t_LDADD = $(kits_libs)
tests_match_simulate_t_SOURCES = tests/match_simulate.c
tests_match_simulate_t_LDADD = $(kits_libs)
tests_match_statistics_t_SOURCES = tests/match_statistics.c
tests_match_statistics_t_LDADD = $(kits_libs)
tests_match_where_t_SOURCES = tests/match_where.c
tests_match_where_t_LDADD = $(kits_libs)

# The linker puts the failing allocator between the static library and libc.
tests_kit_nomem_t_SOURCES = tests/kit_nomem.c tests/failing.h $(kit_files_helpers)
tests_kit_nomem_t_LDADD = $(internal_libs)
failing_allocator = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=posix_memalign -Wl,--wrap=strdup \
  -Wl,--wrap=newlocale
tests_kit_nomem_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)

tests_fuzz_checkpoint_t_SOURCES = tests/fuzz_checkpoint.c tests/fuzz.c tests/fuzz.h
tests_fuzz_checkpoint_t_LDADD = $(kits_libs)
tests_fuzz_map_t_SOURCES = tests/fuzz_map.c tests/fuzz.c tests/fuzz.h
tests_fuzz_map_t_LDADD = $(kits_libs)
tests_fuzz_model_t_SOURCES = tests/fuzz_model.c tests/fuzz.c tests/fuzz.h
tests_fuzz_model_t_LDADD = $(kits_libs)
tests_fuzz_tilts_t_SOURCES = tests/fuzz_tilts.c tests/fuzz.c tests/fuzz.h
tests_fuzz_tilts_t_LDADD = $(kits_libs)
tests_fuzz_table_as_t_SOURCES = tests/fuzz_table_as.c tests/fuzz.c tests/fuzz.h tests/fuzz_table.h
tests_fuzz_table_as_t_LDADD = $(kits_libs)
tests_fuzz_table_t_SOURCES = tests/fuzz_table.c tests/fuzz.c tests/fuzz.h tests/fuzz_table.h
tests_fuzz_table_t_LDADD = $(kits_libs)
CLEANFILES += fuzz-found.bin

EXTRA_DIST += \
  tests/data/kit_rotation.py \
  tests/data/fuzz_checkpoint/running.hck \
  tests/data/fuzz_checkpoint/share.hck \
  tests/data/fuzz_map/mode0.mrc \
  tests/data/fuzz_map/mode0_imod.mrc \
  tests/data/fuzz_map/mode12_extended.mrc \
  tests/data/fuzz_map/mode1_big.mrc \
  tests/data/fuzz_map/mode2_permuted.mrc \
  tests/data/fuzz_map/mode6_stack.mrc \
  tests/data/fuzz_model/old.pdb \
  tests/data/fuzz_model/single.cif \
  tests/data/fuzz_model/small.cif \
  tests/data/fuzz_model/small.pdb \
  tests/data/fuzz_table/peaks.tsv \
  tests/data/fuzz_table/short.tsv \
  tests/data/fuzz_table_as/centred.star \
  tests/data/fuzz_table_as/motl.star \
  tests/data/fuzz_table_as/napari.csv \
  tests/data/fuzz_table_as/one.tbl \
  tests/data/fuzz_table_as/pytme.tsv \
  tests/data/fuzz_table_as/relion.star \
  tests/data/fuzz_table_as/set.cmm \
  tests/data/fuzz_tilts/ctffind.txt \
  tests/data/fuzz_tilts/named.tsv \
  tests/data/fuzz_tilts/series.star \
  tests/data/fuzz_tilts/warp.xml \
  tests/data/fuzz_tilts/wedge.star \
  tests/data/fuzz_tilts/one.mdoc \
  tests/data/fuzz_tilts/order.tlt \
  tests/data/fuzz_tilts/plain.tlt \
  tests/data/fuzz_tilts/three.defocus
