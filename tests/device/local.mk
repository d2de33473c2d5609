# SPDX-License-Identifier: BSD-3-Clause
# Devices: what runs in their memory and what goes through the host; the faulty test device itself.

check_PROGRAMS += tests/device/bytes.t tests/device/exchange.t tests/device/faulty_chains.t tests/device/faulty_contract.t \
  tests/device/ops.t tests/device/pinned.t

tests_device_faulty_contract_t_SOURCES = tests/device/faulty_contract.c tests/mock_host.c tests/mock_host.h
tests_device_faulty_contract_t_LDADD = $(LDADD) -ldl -lm -lpthread
tests_device_faulty_chains_t_SOURCES = tests/device/faulty_chains.c
tests_device_bytes_t_SOURCES = tests/device/bytes.c tests/calls.h tests/calls.def tests/memory.h
tests_device_ops_t_SOURCES = tests/device/ops.c tests/memory.h
tests_device_exchange_t_SOURCES = tests/device/exchange.c tests/dlpack.h tests/memory.h
if BUILD_OPENCL
check_PROGRAMS += tests/device/faults.t
slow_tests += tests/device/faults.t
endif
tests_device_faults_t_SOURCES = tests/device/faults.c tests/opencl/failing.c
tests_device_faults_t_LDFLAGS = -rdynamic
tests_device_faults_t_LDADD = $(LDADD) -ldl -lpthread
tests_device_pinned_t_SOURCES = tests/device/pinned.c tests/memory.h
