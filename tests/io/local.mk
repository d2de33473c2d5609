# SPDX-License-Identifier: BSD-3-Clause
# Arrays in files and in the memory of others.

check_PROGRAMS += tests/io/dlpack.t tests/io/map.t tests/io/npz.t tests/io/replace.t tests/io/shared.t
dist_check_SCRIPTS += tests/io/numpy.t
valgrind_tests += tests/io/dlpack.t tests/io/map.t tests/io/npz.t tests/io/shared.t

tests_io_dlpack_t_SOURCES = tests/io/dlpack.c
EXTRA_DIST += tests/io/numpy_arrays.py
tests_io_map_t_SOURCES = tests/io/map.c
tests_io_replace_t_SOURCES = tests/io/replace.c tests/kit_files.c tests/kit_files.h
tests_io_replace_t_LDADD = $(kits_libs)
tests_io_npz_t_SOURCES = tests/io/npz.c
tests_io_shared_t_SOURCES = tests/io/shared.c
EXTRA_DIST += tests/data/npz.py tests/data/fuzz_npz/deflated.npz tests/data/fuzz_npz/none.npz \
  tests/data/fuzz_npz/stored.npz
