# SPDX-License-Identifier: BSD-3-Clause
# Devices: what runs in their memory and what goes through the host.

check_PROGRAMS += tests/device_bytes.t
tests_device_bytes_t_SOURCES = tests/device_bytes.c tests/calls.def tests/memory.h

check_PROGRAMS += tests/device_ops.t
tests_device_ops_t_SOURCES = tests/device_ops.c tests/memory.h

check_PROGRAMS += tests/device_exchange.t
tests_device_exchange_t_SOURCES = tests/device_exchange.c tests/memory.h

check_PROGRAMS += tests/device_pinned.t
tests_device_pinned_t_SOURCES = tests/device_pinned.c tests/memory.h
