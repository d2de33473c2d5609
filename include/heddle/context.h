// SPDX-License-Identifier: BSD-3-Clause
/* Contexts: which backend this thread's operations run on, and how.
 *
 * A thread's view is its innermost frame, else the base it inherited, else the process root, read live.
 * Push snapshots; pop restores what was there before, including "nothing, follow the root". Push and pop
 * never touch the root. Contexts are immutable and counted, so any number of threads may share one.
 *
 * A spec is "backend[:device][;option=value]...":
 *   "cuda:1"    "cpu;threads=2;real=float64;mix=strict"    ";threads=1" (keep the backend, change an option)
 * Names are case-insensitive. Options:
 *   threads=N            ceiling for one operation, 0 = no ceiling of its own
 *   real= complex= index=  what the abstract dtypes mean (float32, complex64, int64 at the root)
 *   dtype=strict|relaxed   a dtype the backend cannot represent is an error | narrows visibly
 *   mix=follow|strict|copy operands in another memory space: run where they live | error | copy them, counted
 *   fallback=allow|warn|error  operations the backend lacks run on another one | and are logged | fail
 *   fft=estimate|measure|patient|exhaustive  planning rigour of Fourier transforms: measured plans take up to seconds to
 *                        make, are kept and shared, and run up to four times faster; the setting fft says it for all
 *   check=async|sync     failures that a device finds while it works come to whoever waits | each operation waits and fails
 *                        itself, for looking for mistakes; HEDDLE_CHECK=sync says it for all
 *   memory=BYTES[K|M|G]  ceiling for arrays made in the context and for what operations in it take meanwhile, 0 = none
 *   seed=N               random key; a pushed context with a seed starts its own random stream, a default with one starts
 *                        those of the threads that follow it and inherited none
 */
#ifndef HEDDLE_CONTEXT_H
#define HEDDLE_CONTEXT_H

#include <heddle/dtype.h>
#include <heddle/error.h>
#include <stdint.h>

HED_BEGIN_DECLS

struct hed_generator;

/* ---- backends by name ---- */

/* Replace the innermost frame's context, or with no frame the thread's base, by SPEC derived from the
 * current context. Lasts until the frame is popped or the thread ends. This thread only. */
HED_API hed_status hed_set_backend(const char *spec);

/* Replace the process root, read live by threads that have nothing of their own. Atomic; any thread. */
HED_API hed_status hed_set_default_backend(const char *spec);

/* Canonical name in force on this thread ("cpu", "cuda:1"); never NULL. Valid until the thread's next
 * change of context. */
HED_API const char *hed_get_backend(void);

/* Make the best usable backend this thread's (as hed_set_backend would); hed_context_reason() says why. */
HED_API hed_status hed_auto_select_backend(void);

/* One sentence: where the context in force came from (pushed, inherited, default, environment variable, file,
 * automatic choice and why the others lost). Valid until the thread's next call of it. */
HED_API const char *hed_context_reason(void);

/* ---- the context stack ---- */

/* A frame token: a value, not a pointer; checking it never touches another thread's memory. */
typedef struct hed_frame {
  uint64_t cookie, thread;
  uint32_t depth, flags;
} hed_frame;

enum { HED_MAX_FRAMES = 64 };

/* Push the context SPEC (derived from the current one). OUT may be NULL. HED_E_LIMIT beyond 64 frames; what the spec is
 * wrong in: HED_E_INVAL (an option), HED_E_NOTFOUND (no such backend), or why the backend cannot be used. */
HED_API hed_status hed_backend_context_push(const char *spec, hed_frame *out);

/* Pop the innermost frame; HED_E_UNDERFLOW at what the thread inherited. */
HED_API hed_status hed_backend_context_pop(void);

/* A new context: BASE (NULL = the current one) changed by SPEC. The caller owns *OUT, which any thread may use, retain and
 * release; NULL is fine for both. Errors as for hed_backend_context_push(). */
HED_API hed_status hed_context_derive(const hed_context *base, const char *spec, hed_context **out);
HED_API hed_context *hed_context_retain(hed_context *c);
HED_API void hed_context_release(hed_context *c);

/* BASE (NULL = the current one) with a stream of the program's on BASE's device: while the context is in force, the
 * calling thread's operations go to that stream, HANDLE, which is what the device calls one (a cudaStream_t, a cl_command_queue).
 * The caller owns *OUT. Threads that have the context share the stream; contexts derived from it keep it for as long as they
 * stay on the device. The stream is the program's, and there until no context has it and its work is done. Operands of other
 * streams are waited for by the device, never by the thread. HED_E_UNSUPPORTED: the backend shows no streams; HED_E_INVAL:
 * HANDLE is no stream of the device. See hed_stream_native(). */
HED_API hed_status hed_context_with_stream(const hed_context *base, void *handle, hed_context **out);

/* The context in force, retained for the caller; NULL with the error set on failure. */
HED_NEW hed_context *hed_context_current(void);

/* Push C; the stack retains it. Allocates nothing. */
HED_API hed_status hed_context_push(const hed_context *c, hed_frame *out);

/* Push C, with draws of random numbers from STREAM (struct of <heddle/ops/random.h>), which is the caller's, lives until the pop
 * and counts them: a stream that goes on where an earlier block left it. Atomic, so that several threads may draw from one.
 * STREAM NULL: as hed_context_push. */
HED_API hed_status hed_context_push_stream(const hed_context *c, struct hed_generator *stream, hed_frame *out);

/* Replace the innermost frame's context, or with no frame the thread's base, by C (NULL: follow the root) and the stream of
 * random numbers by STREAM, as above; NULL: by the one of before, or that of C's seed as hed_set_backend does. Allocates
 * nothing: for hosts that carry contexts themselves, at each switch of a fibre. This thread only. */
HED_API hed_status hed_context_set(const hed_context *c, struct hed_generator *stream);

/* Pop exactly frame F. E_INVAL (zero token), E_THREAD, E_STALE, E_ORDER leave the stack untouched. */
HED_API hed_status hed_context_pop(hed_frame f);

/* Pop F and everything above it. */
HED_API hed_status hed_context_unwind(hed_frame f);

/* Frames that this thread has pushed. */
HED_API uint32_t hed_context_depth(void);

/* ---- what a context says ---- */

typedef enum hed_mix { HED_MIX_FOLLOW, HED_MIX_STRICT, HED_MIX_COPY } hed_mix;
typedef enum hed_fallback { HED_FALLBACK_ALLOW, HED_FALLBACK_WARN, HED_FALLBACK_ERROR } hed_fallback;

/* Whether products of float32 and complex64 may round their factors to the 11 bits of TF32, where a device is faster then. */
typedef enum hed_math { HED_MATH_IEEE, HED_MATH_TF32 } hed_math;

/* Who hears of what a device finds wrong while it works: whoever waits for the result, or the call, which waits then. */
typedef enum hed_check { HED_CHECK_ASYNC, HED_CHECK_SYNC } hed_check;

typedef enum hed_effort { HED_FFT_ESTIMATE, HED_FFT_MEASURE, HED_FFT_PATIENT, HED_FFT_EXHAUSTIVE } hed_effort;

/* Set struct_size before the call. */
typedef struct hed_context_info {
  uint32_t struct_size;
  int32_t device;
  char name[64];           /* canonical, "cuda:1" */
  char backend[32];        /* "cuda" */
  hed_dtype real, complex_, index;
  int32_t threads;         /* ceiling, 0 = none */
  int32_t mix, fallback;   /* hed_mix, hed_fallback */
  int32_t fft_effort;      /* hed_effort */
  bool relaxed;            /* dtype=relaxed */
  size_t memory_limit;     /* bytes, 0 = none */
  uint64_t seed;           /* random key */
  int32_t math;            /* hed_math */
  int32_t check;           /* hed_check */
} hed_context_info;

/* Describe C (NULL = the current one). */
HED_API hed_status hed_context_query(const hed_context *c, hed_context_info *out);

/* ---- block forms: the frame is popped however the block is left (its end, break and continue, which leave this block and
 * not a loop around it, return, goto; and by pthread_exit or cancellation in translation units built with -fexceptions).
 *
 *   HED_BACKEND_CONTEXT_OR("cuda", return hed_error()) { ... }    the statement is run instead when the push fails
 *   HED_BACKEND_CONTEXT("cuda") { ... }                           the block is skipped then; hed_error() says why
 *
 * HED_CONTEXT_OR and HED_CONTEXT take a context in place of a spec. ---- */

#ifdef HED_BLOCKS_
static inline void hed_block_end_(hed_frame *f)
{
  if (f->cookie) {
    (void)hed_context_unwind(*f);
    f->cookie = 0;
  }
}
static inline hed_frame hed_block_spec_(const char *spec)
{
  hed_frame f = { 0, 0, 0, 0 };
  if (hed_backend_context_push(spec, &f) != HED_OK)
    f.cookie = 0;
  return f;
}
static inline hed_frame hed_block_context_(const hed_context *c)
{
  hed_frame f = { 0, 0, 0, 0 };
  if (hed_context_push(c, &f) != HED_OK)
    f.cookie = 0;
  return f;
}
static inline bool hed_block_first_(hed_frame *f)
{
  const bool first = !(f->flags & 1u);
  f->flags |= 1u;
  return first;
}
/* Names with a number of their own: blocks in each other, also on one line, do not shadow each other. */
#  define HED_PASTE_(a, b) a##b
#  define HED_NAME_(stem, number) HED_PASTE_(stem, number)
#  define HED_FRAME_(push, f, runs) \
    for (hed_frame f __attribute__((cleanup(hed_block_end_))) = push; hed_block_first_(&f) && (runs);)
/* Without an if, so that an else of the program's own needs no braces. ACTION: return, goto or an expression. */
#  define HED_ELSE_(good, action) (good) || __extension__({ action; false; })
#  define HED_TRY_(push, f) HED_FRAME_(push, f, f.cookie)
#  define HED_OR_(push, f, action) HED_FRAME_(push, f, HED_ELSE_(f.cookie, action))
#  define HED_BLOCK_(push) HED_TRY_(push, HED_NAME_(hed_frame_, __COUNTER__))
#  define HED_BLOCK_OR_(push, action) HED_OR_(push, HED_NAME_(hed_frame_, __COUNTER__), action)
#  define HED_BACKEND_CONTEXT_OR(spec, action) HED_BLOCK_OR_(hed_block_spec_(spec), action)
#  define HED_BACKEND_CONTEXT(spec) HED_BLOCK_(hed_block_spec_(spec))
#  define HED_CONTEXT_OR(ctx, action) HED_BLOCK_OR_(hed_block_context_(ctx), action)
#  define HED_CONTEXT(ctx) HED_BLOCK_(hed_block_context_(ctx))
#endif

HED_END_DECLS

#endif
