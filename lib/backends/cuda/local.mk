# SPDX-License-Identifier: BSD-3-Clause
# The cuda backend: a module, built everywhere.  NVIDIA's driver and libraries are opened at run time.

hed_device_backends += cuda
heddlemod_LTLIBRARIES += lib/backends/cuda.la
lib_backends_cuda_la_SOURCES =

# port: the driver, libraries, the device's port
lib_backends_cuda_la_SOURCES += \
  %D%/port/abi.h %D%/port/cuda.h %D%/port/current.c %D%/port/find.c %D%/port/handles.c %D%/port/handles.h %D%/port/installed.c \
  %D%/port/installed.h %D%/port/libraries.h %D%/port/load.c %D%/port/load.h %D%/port/port.c %D%/port/profile.c

# compile: programs by NVRTC
lib_backends_cuda_la_SOURCES += \
  %D%/compile/compile.c %D%/compile/compile.h %D%/compile/nvrtc.c

# rows: operations by NVIDIA's libraries
lib_backends_cuda_la_SOURCES += \
  %D%/rows/cublas.c %D%/rows/cublaslt.c %D%/rows/cufft.c %D%/rows/fft.c %D%/rows/matmul.c %D%/rows/rows.c %D%/rows/rows.h

# factor: factorisations by cuSOLVER
lib_backends_cuda_la_SOURCES += \
  %D%/factor/cusolver.c %D%/factor/factor.h %D%/factor/factor_eig.c %D%/factor/factor_lu.c %D%/factor/factor_qr.c \
  %D%/factor/factor_solve.c %D%/factor/factor_svd.c

# the module, above all
lib_backends_cuda_la_SOURCES += \
  %D%/cuda.c

lib_backends_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) -DHED_MODULE_VERSION='"$(PACKAGE_VERSION)"'
lib_backends_cuda_la_CFLAGS = $(AM_CFLAGS)
lib_backends_cuda_la_LDFLAGS = -module $(HED_MODULE_LDFLAGS) $(HED_SANITIZE_FLAGS)
lib_backends_cuda_la_LIBADD = $(device_lib) $(hed_base_lib) -lm -ldl -lpthread
EXTRA_lib_backends_cuda_la_DEPENDENCIES = $(srcdir)/lib/module.map

# Kernels that are compiled when Heddle is, for the chips of --enable-cuda-kernels.
noinst_PROGRAMS += lib/backends/cuda/precompile
lib_backends_cuda_precompile_SOURCES = \
  %D%/compile/precompile.c %D%/compile/compile.c %D%/compile/compile.h %D%/port/find.c %D%/port/installed.c %D%/port/installed.h \
  %D%/port/load.c %D%/port/load.h %D%/compile/precompiled.def
lib_backends_cuda_precompile_CFLAGS = $(AM_CFLAGS)
lib_backends_cuda_precompile_LDADD = $(device_lib) $(hed_base_lib) -lm -ldl -lpthread
lib/backends/kernels/cuda.stamp: lib/backends/cuda/precompile$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) lib/backends/kernels && \
	  lib/backends/cuda/precompile$(EXEEXT) lib/backends/kernels $(HED_CUDA_KERNELS) && touch $@
clean-local: clean-cuda-kernels
.PHONY: install-cuda-kernels uninstall-cuda-kernels clean-cuda-kernels
install-cuda-kernels:
	$(MKDIR_P) "$(DESTDIR)$(pkglibdir)/kernels"
	for f in lib/backends/kernels/*.hkb; do \
	  test ! -e "$$f" || $(INSTALL_DATA) "$$f" "$(DESTDIR)$(pkglibdir)/kernels/"; \
	done
uninstall-cuda-kernels:
	rm -f "$(DESTDIR)$(pkglibdir)"/kernels/cuda-*.hkb
	-rmdir "$(DESTDIR)$(pkglibdir)/kernels" 2>/dev/null
clean-cuda-kernels:
	rm -rf lib/backends/kernels
if HAVE_CUDA_KERNELS
noinst_DATA = lib/backends/kernels/cuda.stamp
install-data-hook: install-cuda-kernels
uninstall-hook: uninstall-cuda-kernels
endif
