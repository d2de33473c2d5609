# SPDX-License-Identifier: BSD-3-Clause
# The cuda backend: its declarations, and the module itself on a driver of our own (tests/cudashim).

dist_check_SCRIPTS += tests/cuda/check.t tests/cuda/cold.t tests/cuda/factor.t tests/cuda/families.t tests/cuda/faults.t \
  tests/cuda/installed.t tests/cuda/passes.t tests/cuda/peer.t tests/cuda/probe.t tests/cuda/products.t \
  tests/cuda/profile.t tests/cuda/scenarios.t tests/cuda/spread.t
slow_tests += tests/cuda/check.t tests/cuda/cold.t tests/cuda/factor.t tests/cuda/families.t tests/cuda/faults.t \
  tests/cuda/installed.t tests/cuda/passes.t tests/cuda/peer.t tests/cuda/probe.t tests/cuda/products.t \
  tests/cuda/profile.t tests/cuda/scenarios.t tests/cuda/spread.t
if HAVE_CUDA_TOOLKIT
check_PROGRAMS += tests/cuda/abi.t
endif

EXTRA_DIST += tests/cuda/abi.c
if HAVE_CUDA_TOOLKIT
tests_cuda_abi_t_SOURCES = tests/cuda/abi.c
tests_cuda_abi_t_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
endif
cudashim_sources = tests/cudashim/shim.h tests/cudashim/device.c tests/cudashim/memory.c tests/cudashim/module.c \
  tests/cudashim/stream.c
EXTRA_DIST += $(cudashim_sources) tests/cudashim/nvrtc.c tests/cudashim/cufft.c tests/cudashim/cublas.c \
  tests/cudashim/cublaslt.c tests/cudashim/cusolver.c tests/cudashim/product.h
if HAVE_CUDASHIM
check_LTLIBRARIES += tests/cudashim/libcuda.la tests/cudashim/libnvrtc.la tests/cudashim/libcufft.la tests/cudashim/libcublas.la \
  tests/cudashim/libcublasLt.la tests/cudashim/libcusolver.la
cudashim_ldflags = -rpath /nowhere -shared $(HED_SANITIZE_FLAGS)
tests_cudashim_libcuda_la_SOURCES = $(cudashim_sources)
tests_cudashim_libcuda_la_LIBADD = -lOpenCL -lpthread
tests_cudashim_libcuda_la_LDFLAGS = $(cudashim_ldflags) -version-info 1:0:0
tests_cudashim_libnvrtc_la_SOURCES = tests/cudashim/shim.h tests/cudashim/nvrtc.c
tests_cudashim_libnvrtc_la_LDFLAGS = $(cudashim_ldflags) -version-info 13:0:0
tests_cudashim_libcufft_la_SOURCES = tests/cudashim/shim.h tests/cudashim/cufft.c
tests_cudashim_libcufft_la_CFLAGS = $(AM_CFLAGS) $(FFTW_CFLAGS)
tests_cudashim_libcufft_la_LIBADD = tests/cudashim/libcuda.la $(FFTW_LIBS)
tests_cudashim_libcufft_la_LDFLAGS = $(cudashim_ldflags) -version-info 12:0:0
tests_cudashim_libcublas_la_SOURCES = tests/cudashim/product.h tests/cudashim/shim.h tests/cudashim/cublas.c
tests_cudashim_libcublas_la_LIBADD = tests/cudashim/libcuda.la $(BLAS_LIBS)
tests_cudashim_libcublas_la_LDFLAGS = $(cudashim_ldflags) -version-info 13:0:0
tests_cudashim_libcublasLt_la_SOURCES = tests/cudashim/product.h tests/cudashim/shim.h tests/cudashim/cublaslt.c
tests_cudashim_libcublasLt_la_LIBADD = tests/cudashim/libcuda.la
tests_cudashim_libcublasLt_la_LDFLAGS = $(cudashim_ldflags) -version-info 13:0:0
tests_cudashim_libcusolver_la_SOURCES = tests/cudashim/shim.h tests/cudashim/cusolver.c
tests_cudashim_libcusolver_la_LIBADD = tests/cudashim/libcuda.la $(BLAS_LIBS)
tests_cudashim_libcusolver_la_LDFLAGS = $(cudashim_ldflags) -version-info 12:0:0
endif

# On that driver: every operation, failures, what is said where there is no device; and gpu-check itself, with tiny sizes.
EXTRA_PROGRAMS += tests/cuda/factor tests/cuda/families tests/cuda/installed tests/cuda/passes tests/cuda/peer tests/cuda/products
CLEANFILES += tests/cuda/factor tests/cuda/families tests/cuda/installed tests/cuda/passes tests/cuda/peer tests/cuda/products
check_DATA += tests/cuda/factor tests/cuda/families tests/cuda/installed tests/cuda/passes tests/cuda/peer tests/cuda/products
tests_cuda_factor_SOURCES = tests/cuda/factor.c
tests_cuda_families_SOURCES = tests/cuda/families.c
tests_cuda_passes_SOURCES = tests/cuda/passes.c
tests_cuda_passes_LDADD = $(LDADD) -ldl
tests_cuda_peer_SOURCES = tests/cuda/peer.c
tests_cuda_products_SOURCES = tests/cuda/products.c
tests_cuda_installed_SOURCES = tests/cuda/installed.c
EXTRA_DIST += tests/cuda.sh
clean-local: clean-cuda
.PHONY: clean-cuda
clean-cuda:
	rm -rf tests/pocl tests/kernels-cache

# For tests/gpu-check.
EXTRA_PROGRAMS += tests/gpu/bench
CLEANFILES += tests/gpu/bench
check_DATA += tests/gpu/bench
tests_gpu_bench_SOURCES = tests/gpu/bench.c
tests_gpu_bench_LDADD = lib/libheddle.la
EXTRA_DIST += tests/gpu-check tests/gpu/exchange.py tests/gpu/peers.py tests/gpu/table.py
