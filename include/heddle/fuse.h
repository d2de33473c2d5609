// SPDX-License-Identifier: BSD-3-Clause
/* Fusion: elementwise calls of a stretch of code are computed together, block by block, in one pass over memory.
 *
 *   hed_array *y = NULL;
 *   HED_FUSED HED_SCOPE {
 *     y = hed_keep(hed_add(hed_multiply(a, b), c));   nothing is computed yet
 *   }                                                 now it is, the product never having been in memory
 *
 * In such a scope an elementwise operation (arithmetic, comparisons, functions, where, clip, forms with numbers,
 * astype), or a reduction of an array that is not computed yet over all axes or over neighbouring ones (all, any, argmax,
 * argmin, count_nonzero, logsumexp, max, mean, min, prod, std, sum, var, and vector_norm of orders 1 and infinity, of order
 * 2 but for float64), gives at once an array whose shape and dtype are known and whose
 * elements are pending. What is wrong with shapes or dtypes is an error of the call, as always. Pending elements are
 * computed when somebody needs them: when data are asked for (hed_array_data, hed_item, hed_to_host, hed_wait, views,
 * files, exchange), when any other operation gets the array, when another thread uses it, when an array that is still to
 * be read is written by an operation that is not recorded, and at the end of the outermost scope. What the program has
 * released by then costs no memory: only blocks of it exist, in cache.
 *
 * Values: elementwise operations give the same bits as without fusion. Sums, means and products are added in another order
 * than one by one, variances come about in one pass instead of two (float64, squared distances from a mean that moves), but
 * in an order that does not depend on the number of threads.
 *
 * The _into forms of these are recorded too, and hed_copy_into: where the result is contiguous and nothing else can see
 * its memory (no view of it, nor is it one; not wrapped), it is pending until it is computed, in the memory it has.
 * Otherwise they run at once. What was called before reads what was there before. Who has the address of such memory asks
 * for it again (hed_array_data) before looking; a failure of the end leaves it as it was.
 *
 * Each operation runs in the context in force when it was called. A backend that has no fusion (see hed_backend_fuses) runs
 * the calls one by one. Memory that the program writes by itself (through hed_wrap, or an address it got before) must
 * stay as it is while a pending array reads it. So must an array that another thread writes.
 */
#ifndef HEDDLE_FUSE_H
#define HEDDLE_FUSE_H

#include <heddle/array.h>
#include <heddle/context.h>

HED_BEGIN_DECLS

typedef struct hed_fuse_scope {
  uint64_t depth;   /* 0: not open */
  bool outer;
} hed_fuse_scope;

/* Record from now on, in the calling thread; scopes nest. Without memory for the record HED_E_NOMEM: calls then run one by
 * one, and *S need not be ended. */
HED_API hed_status hed_fuse_begin(hed_fuse_scope *s);

/* End S and the scopes inside it. The end of the outermost one computes what is pending still: if that fails, the status
 * says why, and so does every later use of an array that was not computed. Idempotent; only in the thread that began S. */
HED_API hed_status hed_fuse_end(hed_fuse_scope *s);

/* Compute X now, and with it all that is pending where it is. When that fails X stays pending: with more memory it may
 * be tried again until the scope ends. HED_OK for an array that is computed. Any thread. */
HED_API hed_status hed_fuse_eval(const hed_array *x);

/* Are X's elements still to be computed? Any thread. */
HED_API bool hed_array_is_pending(const hed_array *x);

/* 1 when NAME computes several operations in one pass, 0 when it runs them one by one, or a negative status. Loads the
 * backend. */
HED_API int hed_backend_fuses(const char *name);

#ifdef HED_BLOCKS_
typedef struct hed_fuse_block_ {
  hed_fuse_scope scope;
  int run;
} hed_fuse_block_;
static inline hed_fuse_block_ hed_fuse_block_begin_(void)
{
  hed_fuse_block_ b = { { 0, false }, 1 };
  (void)hed_fuse_begin(&b.scope);
  return b;
}
static inline void hed_fuse_block_end_(hed_fuse_block_ *b)
{
  (void)hed_fuse_end(&b->scope);
  b->run = 0;
}
/* The scope of a statement. However the block is left (its end, break, continue, return, goto, a C++ exception), the scope
 * ends there; longjmp alone skips it. A failure of the end is the thread's error; without memory for the record the block
 * runs all the same, one by one. */
#  define HED_FUSED HED_FUSED_(HED_NAME_(hed_fuse_, __COUNTER__))
#  define HED_FUSED_(b)                                                                                         \
    for (hed_fuse_block_ b __attribute__((cleanup(hed_fuse_block_end_))) = hed_fuse_block_begin_(); (b).run;    \
         hed_fuse_block_end_(&(b)))
#endif

HED_END_DECLS

#endif
