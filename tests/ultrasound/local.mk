# SPDX-License-Identifier: BSD-3-Clause
# The ultrasound kit: metrics, images, files.

check_PROGRAMS += tests/ultrasound/coherence.t tests/ultrasound/files.t tests/ultrasound/images.t tests/ultrasound/regions.t \
  tests/ultrasound/targets.t
valgrind_tests += tests/ultrasound/files.t tests/ultrasound/targets.t

tests_ultrasound_coherence_t_SOURCES = tests/ultrasound/coherence.c tests/ultrasound/us.h
tests_ultrasound_coherence_t_LDADD = $(kits_libs)
tests_ultrasound_regions_t_SOURCES = tests/ultrasound/regions.c tests/ultrasound/us.h
tests_ultrasound_regions_t_LDADD = $(kits_libs)
tests_ultrasound_images_t_SOURCES = tests/ultrasound/images.c tests/ultrasound/us.h
tests_ultrasound_images_t_LDADD = $(kits_libs)
tests_ultrasound_targets_t_SOURCES = tests/ultrasound/targets.c tests/ultrasound/us.h
tests_ultrasound_targets_t_LDADD = $(kits_libs)

# Its files are written by the HDF5 library, where there is one.
tests_ultrasound_files_t_SOURCES = tests/ultrasound/files.c tests/ultrasound/us.h $(kit_files_helpers)
tests_ultrasound_files_t_LDADD = $(kits_libs) $(HDF5_LIBS)
