// SPDX-License-Identifier: BSD-3-Clause
/* The calling thread's random stream. L2. */
#ifndef HED_CORE_RANDOM_STREAM_H
#define HED_CORE_RANDOM_STREAM_H

#include <heddle/runtime.h>
#include <stdint.h>

/* Random stream of the calling thread: key and next draw number of the context in force. */
hed_status hed__random_draw(uint64_t *key, uint64_t *draw);
/* The same without taking it; and the stream begun anew, of which later children descend. */
hed_status hed__random_peek(uint64_t *key, uint64_t *draw);
hed_status hed__random_restart(uint64_t key);
/* Back to DRAW, when the stream is still that of KEY. */
void hed__random_rewind(uint64_t key, uint64_t draw);

#endif
