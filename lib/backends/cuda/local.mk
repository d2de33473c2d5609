# SPDX-License-Identifier: BSD-3-Clause
# The cuda backend: a module, built everywhere.  NVIDIA's driver and libraries are opened at run time.

hed_device_backends += cuda
heddlemod_LTLIBRARIES += lib/backends/cuda.la
lib_backends_cuda_la_SOURCES = \
  %D%/abi.h %D%/cublas.c %D%/cuda.c %D%/cuda.h %D%/cufft.c %D%/fft.c %D%/find.c %D%/libraries.h %D%/load.c %D%/load.h \
  %D%/matmul.c %D%/nvrtc.c %D%/port.c %D%/rows.c %D%/rows.h $(device_sources) $(hed_base_sources)
lib_backends_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) -DHED_MODULE_VERSION='"$(PACKAGE_VERSION)"'
lib_backends_cuda_la_CFLAGS = $(AM_CFLAGS)
lib_backends_cuda_la_LDFLAGS = -module $(HED_MODULE_LDFLAGS) $(HED_SANITIZE_FLAGS)
lib_backends_cuda_la_LIBADD = -lm -ldl -lpthread
EXTRA_lib_backends_cuda_la_DEPENDENCIES = $(srcdir)/lib/module.map
