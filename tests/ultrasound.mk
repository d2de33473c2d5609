# SPDX-License-Identifier: BSD-3-Clause
# Tests of the ultrasound kit: metrics, images, files.

us_tests = tests/fault_alloc_ultrasound.t tests/us_coherence.t tests/us_files.t tests/us_images.t tests/us_regions.t tests/us_targets.t
check_PROGRAMS += $(us_tests)
valgrind_tests += tests/fault_alloc_ultrasound.t tests/us_files.t tests/us_targets.t
tests_fault_alloc_ultrasound_t_SOURCES = tests/fault_alloc_ultrasound.c tests/fault.h tests/scenario.h
tests_fault_alloc_ultrasound_t_LDADD = $(kits_libs)
tests_us_coherence_t_SOURCES = tests/us_coherence.c tests/us.h
tests_us_coherence_t_LDADD = $(kits_libs)
tests_us_regions_t_SOURCES = tests/us_regions.c tests/us.h
tests_us_regions_t_LDADD = $(kits_libs)
tests_us_images_t_SOURCES = tests/us_images.c tests/us.h
tests_us_images_t_LDADD = $(kits_libs)
tests_us_targets_t_SOURCES = tests/us_targets.c tests/us.h
tests_us_targets_t_LDADD = $(kits_libs)

# Its files are written by the HDF5 library, where there is one.
tests_us_files_t_SOURCES = tests/us_files.c tests/us.h $(kit_files_helpers)
tests_us_files_t_LDADD = $(kits_libs) $(HDF5_LIBS)
