# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/core.

lib_libheddle_la_SOURCES += lib/core/version.c
