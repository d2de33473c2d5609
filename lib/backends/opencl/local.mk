# SPDX-License-Identifier: BSD-3-Clause
# The opencl backend: a module, built where OpenCL's headers and loader are (BUILD_OPENCL).

hed_device_backends += opencl

opencl_sources = %D%/info.c %D%/load.c %D%/memory.c %D%/opencl.c %D%/opencl.h %D%/port.c %D%/profile.c %D%/status.c
EXTRA_DIST += $(opencl_sources)

if BUILD_OPENCL
heddlemod_LTLIBRARIES += lib/backends/opencl.la
lib_backends_opencl_la_SOURCES = $(opencl_sources)
lib_backends_opencl_la_CPPFLAGS = $(AM_CPPFLAGS) -DHED_MODULE_VERSION='"$(PACKAGE_VERSION)"'
lib_backends_opencl_la_CFLAGS = $(AM_CFLAGS)
lib_backends_opencl_la_LDFLAGS = -module $(HED_MODULE_LDFLAGS) $(HED_SANITIZE_FLAGS)
lib_backends_opencl_la_LIBADD = $(device_lib) $(hed_base_lib) $(OPENCL_LIBS) -lm -lpthread
EXTRA_lib_backends_opencl_la_DEPENDENCIES = $(srcdir)/lib/module.map
endif
