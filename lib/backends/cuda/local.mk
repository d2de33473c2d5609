# SPDX-License-Identifier: BSD-3-Clause
# The cuda backend: a module, built everywhere.  NVIDIA's driver and libraries are opened at run time.

hed_device_backends += cuda
heddlemod_LTLIBRARIES += lib/backends/cuda.la
lib_backends_cuda_la_SOURCES = \
  %D%/abi.h %D%/compile.c %D%/compile.h %D%/cublas.c %D%/cublaslt.c %D%/cuda.c %D%/cuda.h %D%/cufft.c %D%/current.c \
  %D%/cusolver.c %D%/factor.h %D%/factor_eig.c %D%/factor_lu.c %D%/factor_qr.c %D%/factor_solve.c %D%/factor_svd.c \
  %D%/fft.c %D%/find.c %D%/handles.c %D%/handles.h \
  %D%/installed.c %D%/installed.h %D%/libraries.h %D%/load.c \
  %D%/load.h %D%/matmul.c %D%/nvrtc.c %D%/port.c %D%/rows.c %D%/rows.h
lib_backends_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) -DHED_MODULE_VERSION='"$(PACKAGE_VERSION)"'
lib_backends_cuda_la_CFLAGS = $(AM_CFLAGS)
lib_backends_cuda_la_LDFLAGS = -module $(HED_MODULE_LDFLAGS) $(HED_SANITIZE_FLAGS)
lib_backends_cuda_la_LIBADD = $(device_lib) $(hed_base_lib) -lm -ldl -lpthread
EXTRA_lib_backends_cuda_la_DEPENDENCIES = $(srcdir)/lib/module.map

# Kernels that are compiled when Heddle is, for the chips of --enable-cuda-kernels.
noinst_PROGRAMS += lib/backends/cuda/precompile
lib_backends_cuda_precompile_SOURCES = %D%/precompile.c %D%/compile.c %D%/compile.h %D%/find.c %D%/installed.c %D%/installed.h \
  %D%/load.c %D%/load.h %D%/precompiled.def
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
