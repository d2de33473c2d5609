# SPDX-License-Identifier: BSD-3-Clause
# Fusion: several operations in one pass over memory.

check_PROGRAMS += tests/fuse/axes.t tests/fuse/chain.t tests/fuse/into.t tests/fuse/norms.t tests/fuse/places.t \
  tests/fuse/plugins.t tests/fuse/random.t tests/fuse/scope.t tests/fuse/short.t
slow_tests += tests/fuse/places.t

tests_fuse_axes_t_SOURCES = tests/fuse/axes.c
tests_fuse_random_t_SOURCES = tests/fuse/random.c
tests_fuse_scope_t_SOURCES = tests/fuse/scope.c
tests_fuse_plugins_t_SOURCES = tests/fuse/plugins.c
tests_fuse_into_t_SOURCES = tests/fuse/into.c
tests_fuse_chain_t_SOURCES = tests/fuse/chain.c
tests_fuse_norms_t_SOURCES = tests/fuse/norms.c
tests_fuse_places_t_SOURCES = tests/fuse/places.c
tests_fuse_short_t_SOURCES = tests/fuse/short.c
