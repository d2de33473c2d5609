# SPDX-License-Identifier: BSD-3-Clause
# Fusion: several operations in one pass over memory.

check_PROGRAMS += tests/fuse_axes.t
tests_fuse_axes_t_SOURCES = tests/fuse_axes.c

check_PROGRAMS += tests/fuse_random.t
tests_fuse_random_t_SOURCES = tests/fuse_random.c

check_PROGRAMS += tests/fuse_scope.t
tests_fuse_scope_t_SOURCES = tests/fuse_scope.c

check_PROGRAMS += tests/fault_alloc_fuse.t
tests_fault_alloc_fuse_t_SOURCES = tests/fault_alloc_fuse.c

check_PROGRAMS += tests/fuse_plugins.t
tests_fuse_plugins_t_SOURCES = tests/fuse_plugins.c

check_PROGRAMS += tests/fuse_into.t
tests_fuse_into_t_SOURCES = tests/fuse_into.c

check_PROGRAMS += tests/fuse_chain.t
tests_fuse_chain_t_SOURCES = tests/fuse_chain.c

check_PROGRAMS += tests/fuse_norms.t
tests_fuse_norms_t_SOURCES = tests/fuse_norms.c

check_PROGRAMS += tests/fuse_places.t
slow_tests += tests/fuse_places.t
tests_fuse_places_t_SOURCES = tests/fuse_places.c

check_PROGRAMS += tests/fuse_short.t
tests_fuse_short_t_SOURCES = tests/fuse_short.c
