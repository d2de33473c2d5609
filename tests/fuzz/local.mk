# SPDX-License-Identifier: BSD-3-Clause
# What is read, with bytes changed at random.

check_PROGRAMS += tests/fuzz/checkpoint.t tests/fuzz/config.t tests/fuzz/einsum.t tests/fuzz/map.t tests/fuzz/model.t \
  tests/fuzz/npy.t tests/fuzz/npz.t tests/fuzz/spec.t tests/fuzz/table.t tests/fuzz/table_as.t tests/fuzz/tilts.t \
  tests/fuzz/tomograms.t
slow_tests += tests/fuzz/config.t

tests_fuzz_npy_t_SOURCES = tests/fuzz/npy.c
tests_fuzz_einsum_t_SOURCES = tests/fuzz/einsum.c
tests_fuzz_config_t_SOURCES = tests/fuzz/config.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_npz_t_SOURCES = tests/fuzz/npz.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
EXTRA_DIST += tests/data/fuzz_config/bad tests/data/fuzz_config/good
tests_fuzz_checkpoint_t_SOURCES = tests/fuzz/checkpoint.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_checkpoint_t_LDADD = $(kits_libs)
tests_fuzz_map_t_SOURCES = tests/fuzz/map.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_map_t_LDADD = $(kits_libs)
tests_fuzz_model_t_SOURCES = tests/fuzz/model.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_model_t_LDADD = $(kits_libs)
tests_fuzz_tilts_t_SOURCES = tests/fuzz/tilts.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_tilts_t_LDADD = $(kits_libs)
tests_fuzz_tomograms_t_SOURCES = tests/fuzz/tomograms.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_tomograms_t_LDADD = $(kits_libs)
tests_fuzz_table_as_t_SOURCES = tests/fuzz/table_as.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/fuzz/table.h
tests_fuzz_table_as_t_LDADD = $(kits_libs)
tests_fuzz_table_t_SOURCES = tests/fuzz/table.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/fuzz/table.h
tests_fuzz_table_t_LDADD = $(kits_libs)
EXTRA_DIST += \
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
  tests/data/fuzz_tilts/doses.tsv \
  tests/data/fuzz_tilts/named.tsv \
  tests/data/fuzz_tilts/series.star \
  tests/data/fuzz_tilts/warp.xml \
  tests/data/fuzz_tilts/wedge.star \
  tests/data/fuzz_tilts/one.mdoc \
  tests/data/fuzz_tilts/order.tlt \
  tests/data/fuzz_tilts/plain.tlt \
  tests/data/fuzz_tilts/three.defocus \
  tests/data/fuzz_tomograms/relion5.star \
  tests/data/fuzz_tomograms/table.tsv
tests_fuzz_spec_t_SOURCES = tests/fuzz/spec.c
CLEANFILES += fuzz-found.bin
