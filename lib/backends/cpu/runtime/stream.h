// SPDX-License-Identifier: BSD-3-Clause
/*
 * Large results are written by non-temporal stores: an ordinary store first reads the line that it is about to overwrite. L1.
 *
 * Loops do not store so themselves: they work on a block in the cache, which is then written out. That costs little beside
 * memory and serves every loop.
 */
#ifndef HED_BACKENDS_CPU_STREAM_H
#define HED_BACKENDS_CPU_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a block: so short that a processor reads operands of the next one while it writes this one out. And the prefetch
 * distance of its operands. */
enum { CPU_STREAM_BLOCK = 512, CPU_STREAM_PREFETCH = 256 };

/* Is a result of BYTES bytes better not kept in the caches? The same, and TO begins a line, so that even blocks do. */
bool cpu_stream_large(size_t bytes);
bool cpu_stream_pays(const void *to, size_t bytes);

/* From so many BYTES on it is; without this the size of the caches says. */
void cpu_stream_from(size_t bytes);

/* Copies; lines of which TO has a part only are stored as ever. FAR: from main memory, where what follows FROM is read next.
 * After the last copy cpu_stream_end(), so that other threads see it. */
void cpu_stream(void *to, const void *from, size_t bytes);
void cpu_stream_far(void *to, const void *from, size_t bytes);
void cpu_stream_end(void);

#endif
