# SPDX-License-Identifier: BSD-3-Clause
# The cpu backend: a module, built when FFTW and CBLAS are found (BUILD_CPU).
# It is linked as lib/backends/cpu.la, with HED_MODULE_LDFLAGS, and installed in heddlemoddir:
#   heddlemod_LTLIBRARIES += lib/backends/cpu.la
#   lib_backends_cpu_la_LDFLAGS = $(HED_MODULE_LDFLAGS) $(HED_SANITIZE_FLAGS)
