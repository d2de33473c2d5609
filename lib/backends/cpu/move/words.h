// SPDX-License-Identifier: BSD-3-Clause
/* Words of one size: memory filled with one of them, and the loops that move them. L1. */
#ifndef HED_BACKENDS_CPU_WORDS_H
#define HED_BACKENDS_CPU_WORDS_H

#include "base/map.h"

/* BYTES bytes at TO become words of SIZE bytes (1, 2, 4, 8, 16), all as the one at WORD. */
void cpu_repeat_word(void *to, size_t bytes, const void *word, size_t size);

/* The loop that moves words of SIZE bytes. */
hed__map_fn cpu_copy_loop(int64_t size);

#endif
