// SPDX-License-Identifier: BSD-3-Clause
/* Derivatives: a thread records what it calls on variables, and asks for gradients.
 *
 *   hed_array *g = NULL;
 *   HED_RECORD HED_SCOPE {
 *     hed_array *x = hed_variable(data);
 *     hed_array *y = hed_sum(hed_square(hed_sin(x)), NULL);
 *     hed_grad(y, 1, (const hed_array *const[]){ x }, &g, NULL);
 *   }
 *
 * Everything runs where it would run otherwise, on whatever backend, and so do the rules, which are made of public operations:
 * they may be fused, and work on devices is not waited for. Arrays that were not made from a variable are constants.
 *
 * Complex numbers: the gradient of a real number by z is its derivative by the real part plus i times that by the imaginary
 * part, the direction of steepest ascent. (Some define its conjugate.)
 *
 * A cotangent that is exactly 0 contributes exactly 0, whatever the derivative beside it is: the branch that where() did not take
 * leaves no NaN. What operations do at kinks, ties and zeros, and which have a rule, is in the manual. The gradient through one
 * that has none is HED_E_GRADIENT naming it; its values may be used.
 *
 * What a rule reads must be as it was in the call: when it was overwritten since, the gradient is HED_E_GRADIENT naming the
 * reader and the writer. Memory that a program writes by itself (hed_wrap, hed_array_data) must stay as it is.
 *
 * A recording belongs to its thread: others neither inherit nor see it, and its arrays are constants to them.
 */
#ifndef HEDDLE_GRAD_H
#define HEDDLE_GRAD_H

#include <heddle/array.h>
#include <heddle/context.h>

HED_BEGIN_DECLS

typedef struct hed_record_scope {
  uint64_t depth;   /* 0: not open */
  bool outer;
} hed_record_scope;

/* The calling thread records from now on. Blocks nest: what is in them is one recording, which is kept until the outermost one
 * ends. HED_E_NOMEM: nothing is recorded, and *S need not be ended. */
HED_API hed_status hed_record_begin(hed_record_scope *s);

/* Calls are not recorded from now on, until *S ends: what they make are constants. */
HED_API hed_status hed_record_pause(hed_record_scope *s);

/* End S and those inside it; with the outermost one the recording and what it kept. Idempotent; only in the thread that began
 * S, in others nothing happens. */
HED_API void hed_record_end(hed_record_scope *s);

/* The calling thread's open recording as an object, which may be carried to another thread; this one records nothing then, and its
 * blocks have ended. NULL: there is none. Given back, it goes on with its outermost block open; hed_record_end() does not know
 * that. One owner at a time. hed_record_give: HED_E_INVAL when one is open already, or TAPE is NULL, HED_E_NOMEM; TAPE is then the
 * caller's still. hed_tape_release drops one that is not open anywhere. */
typedef struct hed__tape hed_tape;
HED_NEW hed_tape *hed_record_take(void);
HED_API hed_status hed_record_give(hed_tape *tape);
HED_API void hed_tape_release(hed_tape *tape);

/* X's elements as a variable of the open recording: a new handle on the same memory, the caller's. X is float or complex
 * (HED_E_DTYPE) and no weak scalar. HED_E_INVAL when nothing is recorded. The variable itself is not written through: operations
 * that are given it as OUT are HED_E_INVAL. */
HED_NEW hed_array *hed_variable(const hed_array *x);

/* X's elements as a constant: a new handle on the same memory. */
HED_NEW hed_array *hed_stop_gradient(const hed_array *x);

/* Is X a variable of the calling thread's recording, or made from one? */
HED_API bool hed_array_is_recorded(const hed_array *x);

typedef struct hed_grad_options {
  bool keep;        /* keep what the recording has saved, so that gradients through the same calls can be taken again */
  bool record;      /* record the gradient's own calls, for gradients of gradients; implies keep */
} hed_grad_options;

/* The gradient of Y, one real number, by N arrays X of the open recording, variables or what came of them: G[k] has the shape,
 * dtype and memory space of X[k], and is the caller's; zeros when Y does not depend on X[k]. OPT may be NULL.
 * HED_E_GRADIENT: Y is complex or has more than one element (see hed_vjp); nothing recorded leads to Y; X[k] is not of this
 * recording; an operation on the way has no rule, or what its rule reads was overwritten, or has been released by an earlier
 * gradient without keep. HED_E_NOMEM: the recording lacked memory for a call, which is named. On failure G is all NULL. */
HED_API hed_status hed_grad(const hed_array *y, int n, const hed_array *const *x, hed_array **g, const hed_grad_options *opt);

/* The same for M arrays Y of any shape: the sum over them of COTANGENT[j], which has the shape of Y[j], times the derivative
 * of Y[j] (for complex numbers its adjoint). COTANGENT[j] NULL: zero. */
HED_API hed_status hed_vjp(int m, const hed_array *const *y, const hed_array *const *cotangent, int n, const hed_array *const *x,
                           hed_array **g, const hed_grad_options *opt);

/* A function of N arrays that makes M of them, which are the caller's. It returns: no C++ exception or longjmp leaves it. */
typedef hed_status (*hed_function)(void *arg, int n, const hed_array *const *x, int m, hed_array **y);

/* F's value at X, one real number, into *Y (NULL: not wanted), and its gradient by all of X; errors as of hed_grad. Both are the
 * caller's. F is recorded on top of what is recorded already. */
HED_API hed_status hed_value_and_grad(hed_function f, void *arg, int n, const hed_array *const *x, hed_array **y, hed_array **g);

/* The other direction: how M arrays Y of the open recording change when the N arrays X do by T[k], which has the shape of X[k]:
 * TY[j], of the shape and dtype of Y[j], the caller's; a constant, zeros where Y[j] does not depend on X. By the rules of hed_vjp,
 * which are linear in their cotangents and so can be turned round. Errors as of hed_vjp. */
HED_API hed_status hed_jvp(int m, const hed_array *const *y, int n, const hed_array *const *x, const hed_array *const *t,
                           hed_array **ty);

/* A derivative by hand: of N operands from those of M results, COTANGENT[j] NULL where none came. GRADIENT[k], of the operand's shape
 * or one that broadcasts to it, is the recording's from then on (hed_retain() what was there before); left NULL it is 0. */
typedef hed_status (*hed_vjp_function)(void *state, int m, const hed_array *const *cotangent, int n, hed_array **gradient);

/* M results Y were made from N arrays X by calls that are not recorded (HED_UNRECORDED { }): in the open recording they count as
 * one call NAME, whose derivative is RUN. Made of operations, it can be differentiated itself. DONE (may be NULL) gets STATE when
 * the recording ends, or at once: when none of X is recorded, Y stays constant, and after an error. HED_E_INVAL: nothing is
 * recorded; RUN, an X or a Y is NULL. */
HED_API hed_status hed_custom_vjp(const char *name, hed_vjp_function run, void *state, void (*done)(void *state), int n,
                                  const hed_array *const *x, int m, hed_array *const *y);

/* M results Y of F at X, for which the recording keeps X alone: the gradient runs F again, with the same random numbers, and drops
 * what that kept. F has to do the same each time. Other arrays that F reads (by ARG) are constants of the derivative: what is to be
 * followed is among X. A gradient that is recorded itself (option record) keeps what F does from then on. DONE as above gets ARG. */
HED_API hed_status hed_checkpoint(hed_function f, void *arg, void (*done)(void *arg), int n, const hed_array *const *x, int m,
                                  hed_array **y);

/* F's gradient at X, float64 or complex128, against central differences of step H (0: 1e-5) along a direction that follows
 * from the shapes. F makes one array: of more than one element, or complex, it is weighted with numbers that follow from its
 * shape. *WORST: the largest over N of |difference - derivative| / max(1, |derivative|). Calls F 2 n + 1 times. */
HED_API hed_status hed_check_gradient(hed_function f, void *arg, int n, const hed_array *const *x, double h, double *worst);

#ifdef HED_BLOCKS_
typedef struct hed_record_block_ {
  hed_record_scope scope;
  int run;
} hed_record_block_;
static inline hed_record_block_ hed_record_block_begin_(bool records)
{
  hed_record_block_ b = { { 0, false }, 1 };
  (void)(records ? hed_record_begin : hed_record_pause)(&b.scope);
  return b;
}
static inline void hed_record_block_end_(hed_record_block_ *b)
{
  hed_record_end(&b->scope);
  b->run = 0;
}
/* HED_RECORD { ... } and, inside it, HED_UNRECORDED { ... }. However the block is left (its end, break, continue, return, goto,
 * a C++ exception), it ends there; longjmp alone skips it. Without memory for the record the block runs without one, and
 * hed_variable() fails. */
#  define HED_RECORD HED_RECORD_(HED_NAME_(hed_record_, __COUNTER__), true)
#  define HED_UNRECORDED HED_RECORD_(HED_NAME_(hed_record_, __COUNTER__), false)
#  define HED_RECORD_(b, records)                                                                                        \
    for (hed_record_block_ b __attribute__((cleanup(hed_record_block_end_))) = hed_record_block_begin_(records); (b).run; \
         hed_record_block_end_(&(b)))
#endif

HED_END_DECLS

#endif
