# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "opencl": the backend for OpenCL devices, and what it shares with others; see tests/local.mk.
check_PROGRAMS += tests/opencl_rows.t
tests_opencl_rows_t_SOURCES = tests/opencl_rows.c
