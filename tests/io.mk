# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "io"; see tests/local.mk.
check_PROGRAMS += tests/interop_dlpack.t
valgrind_tests += tests/interop_dlpack.t
tests_interop_dlpack_t_SOURCES = tests/interop_dlpack.c
dist_check_SCRIPTS += tests/interop_numpy.t
EXTRA_DIST += tests/interop_numpy.py
check_PROGRAMS += tests/io_map.t tests/io_npz.t tests/io_shared.t
valgrind_tests += tests/io_map.t tests/io_npz.t tests/io_shared.t
tests_io_map_t_SOURCES = tests/io_map.c
check_PROGRAMS += tests/io_replace.t
tests_io_replace_t_SOURCES = tests/io_replace.c tests/kit_files.c tests/kit_files.h
tests_io_replace_t_LDADD = $(kits_libs)
tests_io_npz_t_SOURCES = tests/io_npz.c
tests_io_shared_t_SOURCES = tests/io_shared.c
EXTRA_DIST += tests/data/npz.py tests/data/fuzz_npz/deflated.npz tests/data/fuzz_npz/none.npz tests/data/fuzz_npz/stored.npz

check_PROGRAMS += tests/fault_alloc_io.t tests/fuzz_config.t tests/fuzz_npz.t
tests_fault_alloc_io_t_SOURCES = tests/fault_alloc_io.c tests/fault.h
slow_tests += tests/fuzz_config.t
tests_fuzz_config_t_SOURCES = tests/fuzz_config.c tests/fuzz.c tests/fuzz.h
tests_fuzz_npz_t_SOURCES = tests/fuzz_npz.c tests/fuzz.c tests/fuzz.h
EXTRA_DIST += tests/data/fuzz_config/bad tests/data/fuzz_config/good
