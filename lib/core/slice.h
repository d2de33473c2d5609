// SPDX-License-Identifier: BSD-3-Clause
/* Time slices of threads that share processors. L2.
 *
 * Where more threads run operations than there are processors, the kernel takes turns with them, by default every few
 * milliseconds: in the middle of an operation, whose arrays the next one's push out of the caches. Such threads ask it for
 * longer turns, and for the former ones again when there is room for all. Nobody waits for anybody: who gets a processor
 * remains the kernel's affair, and a thread with shorter turns may still interrupt.
 */
#ifndef HED_CORE_SLICE_H
#define HED_CORE_SLICE_H

#include "core/tls.h"

/* An operation of the calling thread T begins while all processors are taken; or while some are left, if T has asked. */
void hed__slice_crowded(hed__tls *t);
void hed__slice_calm(hed__tls *t);

/* T, the calling thread's, is about to be dropped, or in the child of a fork. */
void hed__slice_end(hed__tls *t);

#endif
