// SPDX-License-Identifier: BSD-3-Clause
/* "cpu*2,reference" becomes a list of contexts.
 *
 * Layer: L4, all kits.
 */
#ifndef HED_KITS_WORKERS_H
#define HED_KITS_WORKERS_H
#include <heddle.h>

enum { HED__MOST_WORKERS = 1024, HED__WORKER_SPEC = 96 /* bytes of a worker's spec with its end */ };

/* ADD is called with LIST and the spec of each worker that WORKERS has, in order. What is malformed is HED_E_INVAL in the name of
 * OP; ADD may have been called before. */
hed_status hed__each_worker(const char *op, const char *workers, hed_status (*add)(void *list, const char *spec), void *list);
/* The context of worker NUMBER: SPEC with what MORE adds, derived from the current one. Its sentence has number and spec. */
hed_status hed__worker_context(const char *op, int number, const char *spec, const char *more, hed_context **out);
/* What a worker of N has that says nothing of threads: one. */
const char *hed__worker_threads(int n, const char *spec);

#endif
