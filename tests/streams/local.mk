# SPDX-License-Identifier: BSD-3-Clause
# Streams of devices: order, memory, exchange; the protocol as a model.

check_PROGRAMS += tests/streams/brought.t tests/streams/exchange.t tests/streams/memory.t tests/streams/order.t
dist_check_SCRIPTS += tests/streams/model.t
slow_tests += tests/streams/brought.t tests/streams/model.t

EXTRA_DIST += tests/streams.h tests/streams/streams.pml
tests_streams_brought_t_SOURCES = tests/streams/brought.c tests/dlpack.h
tests_streams_brought_t_LDADD = $(LDADD) -ldl
tests_streams_order_t_SOURCES = tests/streams/order.c
tests_streams_memory_t_SOURCES = tests/streams/memory.c
tests_streams_exchange_t_SOURCES = tests/streams/exchange.c
check_LTLIBRARIES += tests/modules/slots.la
tests_modules_slots_la_SOURCES = tests/modules/slots.c
tests_modules_slots_la_LDFLAGS = $(test_module_ldflags)
