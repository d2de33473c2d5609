# SPDX-License-Identifier: BSD-3-Clause
# Streams of devices: order, memory, exchange; the protocol as a model.

check_PROGRAMS += tests/streams_order.t tests/streams_memory.t tests/streams_exchange.t tests/fault_alloc_streams.t
dist_check_SCRIPTS += tests/streams_model.t
EXTRA_DIST += tests/streams.h tests/models/streams.pml
tests_streams_order_t_SOURCES = tests/streams_order.c
tests_streams_memory_t_SOURCES = tests/streams_memory.c
tests_streams_exchange_t_SOURCES = tests/streams_exchange.c
tests_fault_alloc_streams_t_SOURCES = tests/fault_alloc_streams.c

check_LTLIBRARIES += tests/modules/slots.la
tests_modules_slots_la_SOURCES = tests/modules/slots.c
tests_modules_slots_la_LDFLAGS = $(test_module_ldflags)

slow_tests += tests/streams_model.t
