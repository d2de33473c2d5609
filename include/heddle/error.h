// SPDX-License-Identifier: BSD-3-Clause
/* Errors: a negative status comes back, a sentence waits in the calling thread's state.
 *
 * The sentence names the operation, the argument and both values where two disagree. It stays
 * until the next failure on the same thread or hed_error_clear(). Reporting never allocates, so
 * running out of memory can be reported too. Nothing in the library prints, exits or aborts.
 */
#ifndef HEDDLE_ERROR_H
#define HEDDLE_ERROR_H

#include <heddle/export.h>
#include <stdbool.h>
#include <stdint.h>

HED_BEGIN_DECLS

typedef enum hed_status {
#define HED_STATUS(name, number, text) HED_##name = number,
#include <heddle/status.def>
#undef HED_STATUS
  HED_STATUS_INT32_ = INT32_MIN
} hed_status;

/* Static text for any number; unknown numbers get "unknown status". Any thread. */
HED_API const char *hed_status_text(int status);

/* Is STATUS KIND, or one of its kinds: HED_E_AXIS is a HED_E_SHAPE, HED_E_INDEX and HED_E_RANGE are HED_E_INVAL. Any thread. */
HED_API bool hed_status_is(int status, hed_status kind);

/* The calling thread's most recent failure, HED_OK when there is none. */
HED_API hed_status hed_error(void);

/* Its sentence, "" when there is none. Valid until the thread's next failure. */
HED_API const char *hed_error_text(void);

/* Forget the calling thread's failure. */
HED_API void hed_error_clear(void);

/* Record a failure of code built on Heddle (kits, callbacks, host programs): stores STATUS and the
 * sentence for the calling thread and returns STATUS. The sentence is cut at 511 bytes. */
HED_API hed_status hed_fail(int status, const char *format, ...) HED_PRINTF(2, 3);

HED_END_DECLS

#endif
