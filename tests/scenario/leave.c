// SPDX-License-Identifier: BSD-3-Clause
/* See scenario/stack.h; LEAVE is the name of the function that this compilation defines. L5. */
#include "stack.h"

/* AddressSanitizer does not clean up behind frames that pthread_exit and cancellation leave, and would find them when
 * it ends the thread. */
#define NO_ASAN __attribute__((no_sanitize_address))

NO_ASAN static void end(leaving how)
{
  if (how == BY_EXIT)
    pthread_exit(NULL);
  if (how == BY_CANCEL) {
    pthread_cancel(pthread_self());
    pthread_testcancel();
  }
}

NO_ASAN void *LEAVE(void *arg)
{
  const leaver *l = arg;
  if (l->blocks) {
    HED_CONTEXT(l->context)
    HED_CONTEXT(l->context)
    HED_CONTEXT(l->context)
    HED_CONTEXT(l->context)
    HED_CONTEXT(l->context) {
      end(l->how);
      return NULL;
    }
  }
  for (int k = 0; k < 5; k++)
    if (hed_context_push(l->context, NULL) != HED_OK)
      return NULL;
  end(l->how);
  return NULL;
}
