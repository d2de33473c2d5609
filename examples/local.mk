# SPDX-License-Identifier: BSD-3-Clause
# Programs of examples/: each shows one thing and uses nothing but <heddle.h>.  Built by `make check`,
# run by tests/house/examples.t.

EXTRA_PROGRAMS += examples/01_contexts examples/02_workers examples/03_backends
check_DATA += examples/01_contexts examples/02_workers examples/03_backends
CLEANFILES += examples/01_contexts examples/02_workers examples/03_backends
examples_01_contexts_SOURCES = examples/01_contexts.c
examples_01_contexts_LDADD = lib/libheddle.la
examples_02_workers_SOURCES = examples/02_workers.c
examples_02_workers_LDADD = lib/libheddle.la -lpthread
examples_03_backends_SOURCES = examples/03_backends.c
examples_03_backends_LDADD = lib/libheddle.la
dist_check_SCRIPTS += tests/house/examples.t

EXTRA_PROGRAMS += examples/04_match
check_DATA += examples/04_match
CLEANFILES += examples/04_match
examples_04_match_SOURCES = examples/04_match.c
examples_04_match_LDADD = lib/libheddle-kits.la lib/libheddle.la

EXTRA_PROGRAMS += examples/07_ultrasound
check_DATA += examples/07_ultrasound
CLEANFILES += examples/07_ultrasound
examples_07_ultrasound_SOURCES = examples/07_ultrasound.c
examples_07_ultrasound_LDADD = lib/libheddle-kits.la lib/libheddle.la -lm
EXTRA_PROGRAMS += examples/08_tensor
check_DATA += examples/08_tensor
CLEANFILES += examples/08_tensor
examples_08_tensor_SOURCES = examples/08_tensor.c
examples_08_tensor_LDADD = lib/libheddle-kits.la lib/libheddle.la -lm

# They are installed too, in examples/ of the documentation's folder.
nobase_dist_doc_DATA = examples/01_contexts.c examples/02_workers.c examples/03_backends.c examples/04_match.c \
  examples/05_fusion.c examples/06_line.cc examples/07_ultrasound.c examples/08_tensor.c examples/09_language.c \
  examples/10_gradients.c examples/11_program.c examples/12_cp_gradient.c examples/13_delays.c examples/14_pose.c \
  examples/15_series.c examples/16_training.c \
  examples/backend/mirror.c examples/backend/relay.c examples/cmake/CMakeLists.txt examples/meson/meson.build

# The templates for authors of backends: built and used by `make installcheck`, the asynchronous one by tests/house/examples.t
# too.
EXTRA_DIST += examples/backend/mirror.c
check_LTLIBRARIES += examples/backend/relay.la
examples_backend_relay_la_SOURCES = examples/backend/relay.c
examples_backend_relay_la_LIBADD = -lpthread
examples_backend_relay_la_LDFLAGS = -rpath /nowhere -module -avoid-version -shared $(HED_SANITIZE_FLAGS)
EXTRA_PROGRAMS += tests/house/use_relay
check_DATA += tests/house/use_relay
CLEANFILES += tests/house/use_relay
tests_house_use_relay_SOURCES = tests/install/use_relay.c
tests_house_use_relay_LDADD = lib/libheddle.la -lpthread

# In C++, and how other build systems find Heddle; `make installcheck` tries these.
EXTRA_DIST += examples/06_line.cc examples/cmake/CMakeLists.txt examples/meson/meson.build
if HAVE_CXX17
EXTRA_PROGRAMS += examples/06_line
check_DATA += examples/06_line
CLEANFILES += examples/06_line
examples_06_line_SOURCES = examples/06_line.cc
examples_06_line_LDADD = lib/libheddle.la
endif

EXTRA_PROGRAMS += examples/05_fusion
check_DATA += examples/05_fusion
CLEANFILES += examples/05_fusion
examples_05_fusion_SOURCES = examples/05_fusion.c
examples_05_fusion_LDADD = lib/libheddle.la -lm

EXTRA_PROGRAMS += examples/09_language
check_DATA += examples/09_language
CLEANFILES += examples/09_language
examples_09_language_SOURCES = examples/09_language.c
examples_09_language_LDADD = lib/libheddle-kits.la lib/libheddle.la

EXTRA_PROGRAMS += examples/10_gradients
check_DATA += examples/10_gradients
CLEANFILES += examples/10_gradients
examples_10_gradients_SOURCES = examples/10_gradients.c
examples_10_gradients_LDADD = lib/libheddle.la

EXTRA_PROGRAMS += examples/11_program
check_DATA += examples/11_program
CLEANFILES += examples/11_program
examples_11_program_SOURCES = examples/11_program.c
examples_11_program_LDADD = lib/libheddle.la

EXTRA_PROGRAMS += examples/12_cp_gradient
check_DATA += examples/12_cp_gradient
CLEANFILES += examples/12_cp_gradient
examples_12_cp_gradient_SOURCES = examples/12_cp_gradient.c
examples_12_cp_gradient_LDADD = lib/libheddle-kits.la lib/libheddle.la -lm

EXTRA_PROGRAMS += examples/13_delays
check_DATA += examples/13_delays
CLEANFILES += examples/13_delays
examples_13_delays_SOURCES = examples/13_delays.c
examples_13_delays_LDADD = lib/libheddle-kits.la lib/libheddle.la -lm

EXTRA_PROGRAMS += examples/14_pose
check_DATA += examples/14_pose
CLEANFILES += examples/14_pose
examples_14_pose_SOURCES = examples/14_pose.c
examples_14_pose_LDADD = lib/libheddle-kits.la lib/libheddle.la -lm

EXTRA_PROGRAMS += examples/15_series
check_DATA += examples/15_series
CLEANFILES += examples/15_series
examples_15_series_SOURCES = examples/15_series.c
examples_15_series_LDADD = lib/libheddle-kits.la lib/libheddle.la

EXTRA_PROGRAMS += examples/16_training
check_DATA += examples/16_training
CLEANFILES += examples/16_training
examples_16_training_SOURCES = examples/16_training.c
examples_16_training_LDADD = lib/libheddle-kits.la lib/libheddle.la
