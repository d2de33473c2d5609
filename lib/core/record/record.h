// SPDX-License-Identifier: BSD-3-Clause
/* Recordings: what was called on variables, in order, so that derivatives can be taken (lib/grad). L2.
 *
 * A thread that records has a tape. Calls put nodes on it: the operation, its arguments, and those operands and results that
 * its rule reads (rules.def). An array that the tape follows has an entry, a number in its handle beside the tape's serial; the
 * tape holds handles only where it saves them, so there are no cycles. A storage of which something is saved counts its writes,
 * whoever does them, and the sweep refuses what was overwritten.
 *
 * The order of nodes is a topological one. The memory is an arena, which the thread keeps for its next recording.
 */
#ifndef HED_CORE_RECORD_H
#define HED_CORE_RECORD_H

#include "core/array/array.h"
#include "core/process/tls.h"
#include "core/record/arena.h"
#include <heddle/grad.h>
#include <heddle/ops.h>

/* An array that is followed. */
typedef struct hed__entry {
  struct hed__step *step;   /* that made it; NULL: a variable */
  hed_array *value;         /* in a sweep: computed again, or NULL */
  hed_array *cotangent;     /* in a sweep: so far, or NULL */
  int32_t result;           /* which of the step's */
  bool reaches, wanted;     /* in a sweep: an array that is asked for leads here; its value is to be computed again */
  bool counted;             /* VERSION is known: of its storage, when the handle was seen with elements */
  uint32_t version;
  bool host;                /* in host memory */
  uint16_t device;          /* else whose memory it is in */
  int32_t dtype, ndim;
  int64_t dim[];
} hed__entry;

enum { HED__SLOT_NONE, HED__SLOT_ARRAY, HED__SLOT_VALUE, HED__SLOT_AGAIN, HED__SLOT_GONE };

/* An operand or result of a step. */
typedef struct hed__slot {
  uint32_t entry;           /* 0: a constant */
  uint32_t version;         /* of the saved array's storage */
  union {
    hed_array *array;       /* ARRAY: saved */
    struct hed__value { int32_t dtype; unsigned char bytes[16]; } *value; /* VALUE: a weak scalar */
  };
  uint8_t kind;             /* AGAIN: was pending, is computed from its own step; GONE: the call has overwritten it */
  bool stale;               /* the handle's elements were not those of its entry: WRITER had been there */
  uint16_t writer;
  bool given;               /* false: NULL was given, or the result was not asked for */
} hed__slot;

typedef struct hed__step {
  int32_t op, n_in, n_out;
  int32_t context;          /* index */
  int32_t form;             /* of the function that was called; see hed__note.form */
  bool replays;             /* its result can be computed again */
  bool spent;               /* a sweep has released what it saved */
  const void *args;
  hed__slot slot[];         /* of the operands, then of the results */
} hed__step;

typedef struct hed__tape {
  uint32_t serial, depth;
  uint32_t n_entries, cap_entries;
  uint32_t n_steps, cap_steps;
  int32_t n_contexts, cap_contexts;
  hed__entry **entry;       /* from 1 */
  hed__step **step;
  hed_context **context;
  hed__arena arena;         /* of entries, steps and what these point at */
  int32_t sweeps;           /* that are under way, one in a rule of another */
  bool records;             /* while nobody has it open: whether its thread did */
  int failed, failed_op;    /* HED_E_NOMEM: a note found no memory */
} hed__tape;

/* A step whose derivative is a function of the caller's (hed_custom_vjp): its arguments. Its operation is copy. */
enum { HED__FORM_CUSTOM = -1 };
typedef struct hed__custom {
  const char *name;
  hed_vjp_function run;
  void *state;
  void (*done)(void *state); /* when the recording ends; NULL: nothing */
} hed__custom;

/* A call that was made. */
typedef struct hed__note {
  int32_t op, n_in, n_out;
  const hed_array *const *in; /* NULL: none given */
  hed_array *const *out;      /* NULL: not made */
  uint32_t save;              /* bit k: operand k is needed; HED__SAVE_OUT << j: result j */
  int32_t form;               /* number among the generated calls; 0: elementwise or a reduction; HED__FORM_CUSTOM */
  const void *args;           /* copied */
  size_t size;
  bool replays;
  bool in_place;              /* the results were there before the call */
} hed__note;

enum { HED__SAVE_OPERANDS = 24, HED__SAVE_OUT = 1 << HED__SAVE_OPERANDS }; /* further operands count as the last of those */

/* Arguments of a reduction's note. */
typedef struct hed__reduce_args {
  hed_reduce opt;
  double order;
} hed__reduce_args;

/* The open tape of T, which records. */
static inline bool hed__recording(void)
{
  const hed__tls *t = hed__self;
  return __builtin_expect(t && t->watch & HED__WATCH_RECORD, 0);
}

static inline uint32_t hed__entry_of(const hed__tape *tape, const hed_array *x)
{
  return x && x->tape == tape->serial ? x->entry : 0;
}

/* Recording stops, and goes on as it was. */
static inline uint8_t hed__record_hold(hed__tls *t)
{
  const uint8_t was = t->watch & HED__WATCH_RECORD;
  t->watch = (uint8_t)(t->watch & ~HED__WATCH_RECORD);
  return was;
}
static inline void hed__record_resume(hed__tls *t, uint8_t was) { t->watch |= was; }

/* A step for the call where an operand is followed; else its results are constants. Without memory the tape is marked. */
void hed__record_note(hed__tls *t, const hed__note *n);

/* The same by the rules of elementwise operations and reductions (rules.def). PARAMS of SIZE bytes. */
void hed__note_elementwise(hed__tls *t, int op, int32_t n, const hed_array *const *in, hed_array *out, bool in_place,
                           const void *params, size_t size);
void hed__note_reduce(hed__tls *t, int op, const hed_array *x, double order, const hed_reduce *opt, hed_array *out, bool in_place);

/* What the rule of OP reads when operand K of N is followed: bits as of hed__note.save. */
uint32_t hed__rule_saves(int op, int k);

/* How derivatives of an operation are taken. */
typedef enum hed__rule_kind { HED__RULE_NONE, HED__RULE_ZERO, HED__RULE_FACTOR, HED__RULE_VJP, HED__RULE_PARTS } hed__rule_kind;
hed__rule_kind hed__rule_kind_of(int op);

/* OUT is to be written by OP: HED_E_INVAL when it is a variable of this thread's recording. */
hed_status hed__record_writes(const hed__tls *t, const hed_array *out, int op);

/* X becomes a variable: an entry without a step. */
hed_status hed__record_variable(hed__tls *t, hed_array *x);

/* X is the same array as LIKE. */
static inline void hed__record_same(hed_array *x, const hed_array *like)
{
  x->tape = like->tape;
  x->entry = like->entry;
}

/* SIZE bytes at P on T's tape, which OP's note keeps; NULL without memory, the tape is marked: so that gradients fail. */
void *hed__record_copy(hed__tls *t, int op, const void *p, size_t size);
void hed__record_failed(hed__tape *tape, int op);

/* Let go of what step S, or all steps, hold. */
void hed__record_release(hed__step *s);
void hed__record_thread_exit(hed__tls *t);

/* A write of OP to S is counted. */
void hed__count_write_slow(hed__storage *s, int op);
static inline void hed__count_write(hed__storage *s, int op)
{
  if (__builtin_expect(atomic_load_explicit(&s->watched, memory_order_relaxed), 0))
    hed__count_write_slow(s, op);
}

/* X is about to be written by OP: recordings are told, and what a fusion scope still reads of it is computed first. */
static inline hed_status hed__written(hed__tls *t, const hed_array *x, int op)
{
  if (__builtin_expect(atomic_load_explicit(&x->storage->watched, memory_order_relaxed), 0) && !(t && t->watch & HED__WATCH_PASS))
    hed__count_write_slow(x->storage, op);
  return t && __builtin_expect(t->watch & HED__WATCH_SCOPE, 0) ? hed__pending_by.written(t, x) : HED_OK;
}

#endif
