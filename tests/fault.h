// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of failing allocations (fault_alloc*.c) share: a call that works is repeated with its first, second,
 * third ... allocation failing, until it needs no more. Each time: an error, nothing left behind, no state changed; and
 * right after that the same call succeeds.
 */
#ifndef HED_TESTS_FAULT_H
#define HED_TESTS_FAULT_H

#include "scenario.h"

typedef enum result { FAILED, DONE } result;

static inline result given(hed_array *a)
{
  if (!a)
    return FAILED;
  hed_release(a);
  return DONE;
}

static inline result status(hed_status s)
{
  return s == HED_OK ? DONE : FAILED;
}

static const char *fault_backend; /* of fault_on(); NULL: contexts are the entries' own business */

/* Operations start from BACKEND in one thread, and its kernels are looked at; false, with the reason, where there is none. */
static inline bool fault_on(const char *backend)
{
  char spec[64];
  if (hed_backend_require(backend) != HED_OK) {
    skip(1, "backend %s: %s", backend, hed_error_text());
    return false;
  }
  snprintf(spec, sizeof spec, "%s;threads=1", backend);
  if (hed_set_default_backend(spec) != HED_OK)
    bail("set_default: %s", hed_error_text());
  diag("backend %s", backend);
  fault_backend = backend;
  return true;
}

/* For a body of an entry: CALL writes into the contiguous array OUT, in host memory; a failed one leaves it as it was. */
#define KEPT(out, call)                                                        \
  do {                                                                         \
    unsigned char before_[512], *data_ = hed_array_data(out);                  \
    size_t bytes_ = hed_array_nbytes(out);                                     \
    if (bytes_ > sizeof before_)                                               \
      bail("%s: too large an array", #call);                                   \
    for (size_t k_ = 0; k_ < bytes_; k_++)                                     \
      data_[k_] = (unsigned char)(k_ % 60 + 1); /* small numbers of any type */ \
    memcpy(before_, data_, bytes_);                                            \
    hed_status s_ = (call);                                                    \
    if (s_ != HED_OK && memcmp(before_, data_, bytes_) != 0)                   \
      fail("%s: a failed call has written", #call);                            \
    return status(s_);                                                         \
  } while (0)

typedef struct entry { const char *name; result (*fn)(void); } entry;

/* A thread without a context of its own follows the process's, also after calls that failed. */
static inline bool follows(int threads)
{
  char spec[64];
  snprintf(spec, sizeof spec, "%s;threads=%d", fault_backend, threads);
  return hed_set_default_backend(spec) == HED_OK && here() == threads;
}

static inline void storm(const entry *e)
{
  enum { MOST = 1000 };
  hed_error_clear();
  if (e->fn() == FAILED) {
    fail("%s does not work at all: %s", e->name, hed_error_text());
    return;
  }
  int n = 1, silent = 0, changed = 0, left = 0;
  (void)e->fn(); /* caches are warm */
  for (; n < MOST; n++) {
    uint32_t depth = hed_context_depth();
    int tag = here();
    int64_t live = hed_test_alloc_live();
    hed_error_clear();
    hed_test_fail_alloc_at((uint64_t)n);
    result r = e->fn();
    hed_test_fail_alloc_at(0);
    bool failed_ = r == FAILED;
    silent += failed_ && (hed_error() == HED_OK || !hed_error_text()[0]);
    changed += hed_context_depth() != depth || here() != tag;
    if (failed_ && hed_test_alloc_live() > live) { /* back in caches that an earlier failure emptied? */
      (void)e->fn();
      live = hed_test_alloc_live();
      hed_test_fail_alloc_at((uint64_t)n);
      (void)e->fn();
      hed_test_fail_alloc_at(0);
    }
    if (failed_ && hed_test_alloc_live() > live) {
      if (left++ == 0)
        diag("%s: %d blocks more after allocation %d failed", e->name, (int)(hed_test_alloc_live() - live), n);
    }
    if (!failed_) /* it needed fewer than n, or did without */
      break;
  }
  if (fault_backend && !ok(follows(2) && follows(1), "%s: the thread's context can still be changed", e->name))
    diag("threads=%d are in force", here());
  bool good = ok(n < MOST && !silent && !changed && !left && e->fn() == DONE,
                 "%s: %d allocations, each may fail", e->name, n - 1);
  if (!good)
    diag("%s: %d without an error, %d changed state, %d left blocks; %s", e->name, silent, changed, left,
         hed_error_text());
}

#endif
