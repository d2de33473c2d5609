# SPDX-License-Identifier: BSD-3-Clause
# Gradients: rules against differences, what a recording is.

check_PROGRAMS += tests/grad/record.t tests/grad/rules.t
slow_tests += tests/grad/rules.t

tests_grad_record_t_SOURCES = tests/grad/record.c tests/fails.h tests/data/gradients.h
EXTRA_DIST += tests/data/gradients.py
tests_grad_rules_t_SOURCES = tests/grad/rules.c tests/grad/cases.h
