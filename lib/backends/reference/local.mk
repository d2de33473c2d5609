# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/backends/reference.
lib_libheddle_la_SOURCES += lib/backends/reference/missing.c
