# SPDX-License-Identifier: BSD-3-Clause
# Tests of Fourier transforms; see tests/local.mk.
fft_tests = tests/api_fourier.t tests/api_convolve.t tests/meaning_fft.t
if HAVE_FFTW
fft_tests += tests/api_fft_plan.t
endif
check_PROGRAMS += $(fft_tests) tests/conform_fft.t
valgrind_tests += $(fft_tests)
tests_api_fourier_t_SOURCES = tests/api_fourier.c tests/api.h tests/data/fft.h
tests_api_fft_plan_t_SOURCES = tests/api_fft_plan.c tests/api.h
tests_api_convolve_t_SOURCES = tests/api_convolve.c tests/api.h tests/data/fft.h
tests_meaning_fft_t_SOURCES = tests/meaning_fft.c tests/api.h
tests_conform_fft_t_SOURCES = tests/conform_fft.c
EXTRA_DIST += tests/data/fft.py
