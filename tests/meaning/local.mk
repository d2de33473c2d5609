# SPDX-License-Identifier: BSD-3-Clause
# What differs between libraries, pinned (doc/meaning.texi).

check_PROGRAMS += tests/meaning/elementwise.t tests/meaning/fft.t tests/meaning/image.t tests/meaning/index.t \
  tests/meaning/linalg.t tests/meaning/products.t tests/meaning/random.t tests/meaning/reduce.t tests/meaning/sort.t
valgrind_tests += tests/meaning/elementwise.t tests/meaning/fft.t tests/meaning/image.t tests/meaning/index.t \
  tests/meaning/linalg.t tests/meaning/products.t tests/meaning/random.t tests/meaning/reduce.t tests/meaning/sort.t

tests_meaning_index_t_SOURCES = tests/meaning/index.c tests/api.h
tests_meaning_linalg_t_SOURCES = tests/meaning/linalg.c tests/api.h tests/linalg.h tests/data/linalg.h tests/data/eigh_range.h
tests_meaning_products_t_SOURCES = tests/meaning/products.c tests/api.h
tests_meaning_fft_t_SOURCES = tests/meaning/fft.c tests/api.h
tests_meaning_elementwise_t_SOURCES = tests/meaning/elementwise.c tests/api.h tests/data/elementwise.h
tests_meaning_elementwise_t_LDADD = $(LDADD) -lm
tests_meaning_sort_t_SOURCES = tests/meaning/sort.c tests/api.h
tests_meaning_reduce_t_SOURCES = tests/meaning/reduce.c tests/api.h
tests_meaning_reduce_t_LDADD = $(LDADD) -lm
tests_meaning_random_t_SOURCES = tests/meaning/random.c tests/api.h
tests_meaning_image_t_SOURCES = tests/meaning/image.c tests/api.h
