# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/base.
lib_libheddle_la_SOURCES += lib/base/random.c lib/base/random.h
hed_base_sources += lib/base/random.c
