// SPDX-License-Identifier: BSD-3-Clause
/* Submissions to asynchronous devices: what one has to come after, and what it leaves behind. L2.
 *
 * A storage remembers the ticket of its last writer, and the last use (read or write) of each stream, for up to HED__USES
 * streams. A submission waits for the writers of what it reads and writes; a writer also comes after all uses. Then its own
 * ticket T becomes a use, in place of those that are over when T is: so places get free. A reader that finds none comes
 * after those that have one, and takes theirs; where another thread was quicker, it waits for one of them itself.
 *
 * Uses stay with a block that is released before they are over (memory/pool.h): who gets it is in the place of a writer.
 *
 * What fails for what, the device knows, until a storage has a ticket no more (hed__ticket_forget). Another thread that waits for
 * an operand, or writes another part of it, while a submission is made may have it forget too early: so the submission looks at
 * its arrays once more when it has its ticket, and takes over what they say then.
 *
 * tests/streams/streams.pml is this protocol as a model; a rule that is left out there fails.
 */
#ifndef HED_CORE_SUBMIT_H
#define HED_CORE_SUBMIT_H

#include "core/array/array.h"

enum { HED__SUBMIT_ARRAYS = HED_FUSED_IN + HED_FUSED_STEPS, HED__SUBMIT_STREAMS = 64 };

/* Not to be initialised: begin does. AFTER has one ticket of a stream. */
typedef struct hed__submission {
  hed__device *device;
  int32_t stream;             /* of the calling thread */
  bool selected;              /* one of the program's, see hed_context_with_stream */
  int32_t n_wait_for, n_after, n_arrays;
  uint64_t wait_for[HED__SUBMIT_ARRAYS], after[HED__SUBMIT_STREAMS];
  hed__storage *array[HED__SUBMIT_ARRAYS];
  uint64_t seen[HED__SUBMIT_ARRAYS]; /* their writers, which are listed */
  bool writes[HED__SUBMIT_ARRAYS];
} hed__submission;

/* A submission by the calling thread to D. Begin, then what it reads and writes, in all at most HED__SUBMIT_ARRAYS; then the
 * plug-in is called with the lists, then end, also after a failure of that. A status: on failure nothing has begun. */
int32_t hed__submit_begin(hed__submission *b, hed__device *d);
/* Host memory is read before the plug-in's call returns, and needs nothing. */
void hed__submit_reads(hed__submission *b, hed__storage *s);
void hed__submit_writes(hed__submission *b, hed__storage *s);
/* STATUS is the plug-in's, which is given back; TICKET 0: all is done. In a context with check=sync it waits, and a failure of
 * the ticket is the status; what was to be written is not there then. */
int32_t hed__submit_end(hed__submission *b, int32_t status, uint64_t ticket);

/* TICKET, of a submission that was not waited for before S was used, reads S. */
void hed__submit_read(hed__storage *s, uint64_t ticket);

#endif
