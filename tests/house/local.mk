# SPDX-License-Identifier: BSD-3-Clause
# The test tools, and what the project says of itself: costs of a change, examples, the Python package.

check_PROGRAMS += tests/house/gen.t tests/house/tap.t
dist_check_SCRIPTS += tests/house/bits.t tests/house/cost_of_change.t tests/house/kept.t tests/house/python.t tests/house/rotate.t \
  tests/house/seeds.t tests/house/site.t
EXTRA_DIST += tests/house/site.py
slow_tests += tests/house/cost_of_change.t tests/house/python.t tests/house/site.t
valgrind_tests += tests/house/gen.t tests/house/tap.t

tests_house_gen_t_SOURCES = tests/house/gen.c
tests_house_tap_t_SOURCES = tests/house/tap.c
