// SPDX-License-Identifier: BSD-3-Clause
/* A program from inside: its calls, and how they are made again. L3. */
#ifndef HED_PROGRAM_PROGRAM_H
#define HED_PROGRAM_PROGRAM_H

#include "core/record/capture.h"
#include <heddle/fuse.h>
#include <heddle/program.h>
#include <heddle/reflect.h>

/* What is known of an input. */
typedef struct hed__formal {
  int32_t value;
  bool weak, host;
  uint16_t device;
  hed_view view;            /* its layout */
} hed__formal;

/* ---- kernels in place of calls (lower.c) ---- */

typedef enum hed__how { HED__BY_CALL, HED__BY_KERNEL, HED__BY_NOTHING /* a view for kernels alone */ } hed__how;

/* Where a kernel's operand or result lies: in the block, in memory of a value, a number that is fixed, one that is converted. */
typedef enum hed__where { HED__IN_BLOCK, HED__IN_SLOT, HED__A_NUMBER, HED__CONVERTED } hed__where;
typedef struct hed__at {
  hed__where where;
  int32_t value;
  int64_t offset;
} hed__at;

/* A value, while a program is lowered. */
typedef struct hed__place {
  int32_t root;             /* value whose memory it looks at */
  int64_t offset;
  bool handle;              /* an array is needed */
  int32_t first, last;      /* of a root: calls */
  int32_t same;             /* of a root: the root whose place it takes over; itself */
  int32_t group, steps;     /* of a step's result: 1 + the first call of its pass, 0 for none; how many steps that has */
  bool inside;              /* nobody but its pass reads it */
  int64_t at;
} hed__place;

typedef struct hed__lowered {
  int32_t call;             /* index */
  bool kernel, inside;
  int32_t pass;             /* of the first step of a pass: how many it has, else 0 */
  int32_t result;           /* value */
  const hed__launched *l;
  hed__at at[4];            /* operands, result */
  int32_t makes;            /* value whose array is made for the result; -1 */
  int64_t flat;
  int32_t frees, n_frees;   /* values that are let go of afterwards: their place in plan.free */
} hed__lowered;

typedef struct hed__plan_of {
  hed__lowered *step;
  int32_t n_steps, n_kernels, n_passes;
  int32_t *free, *made;      /* values with arrays: as steps let go of them; all that calls make */
  int32_t n_made;
  size_t block;             /* bytes */
  bool calls;               /* some steps are */
  int8_t *kind;             /* of each call: hed__how */
} hed__plan_of;

struct hed_program {
  atomic_long refs;
  hed__capture capture;
  char name[64];
  int32_t n, m;
  hed__formal *input;
  int32_t *result;          /* values */
  int32_t *last;            /* of each value: the last call that has it */
  bool written;             /* inputs or others */
  bool writes;              /* arrays that are no inputs: one run at a time */
  bool keep_layout, fuse;
  pthread_mutex_t lock;
  const hed__tls *_Atomic holder; /* thread that has it */
  hed__plan_of plan;
  hed_function check;       /* to be called at the first run; under the lock */
  void *check_arg;
  atomic_bool checks;
  atomic_uint_fast64_t runs, called;
  struct hed__program_frame *_Atomic frame; /* what a run needs, kept for the next */
};

/* A run that makes calls. */
typedef struct hed__run_state {
  hed_program *p;
  hed__tls *t;
  hed_array **slot;          /* by value; those that calls have made are ours */
  const hed_array **in;
  hed_array **out;
  hed_fuse_scope *fused;
  int32_t depth;
} hed__run_state;
/* Do N inputs X and the list Y of M results fit? *SAME: the inputs lie as P was made with. */
hed_status hed__program_check(const hed_program *p, int n, const hed_array *const *x, int m, const void *y, bool *same);
bool hed__program_overlap(const hed_view *a, const hed_view *b);
/* A run into Y, new arrays; but for results J where INTO[J] is: these come back as they are (INTO NULL: none). */
hed_status hed__program_run(hed_program *p, int n, const hed_array *const *x, int m, hed_array **y, hed_array *const *into);
hed_status hed__program_call(hed__run_state *r, int32_t at);
void hed__program_let_go(hed__run_state *r, int32_t v);
/* The results by handles of the caller's own, but for those that are INTO[J] (NULL: none is): these are left as they are. */
hed_status hed__program_results(const hed__run_state *r, hed_array **y, hed_array *const *into);
/* Most operands, most results of a call, fusion scopes. */
void hed__program_sizes(const hed_program *p, int32_t *in, int32_t *out, int32_t *scopes);

/* ---- passes (pass.c) ---- */

/* Which kernels make passes; KIND: hed__how of each call. */
void hed__program_groups(const hed__capture *c, hed__place *at, const int8_t *kind);

/* N steps from FIRST on; BLOCK is that of intermediate results. NULL: no memory. Freed by hed__free(). */
typedef struct hed__pass hed__pass;
hed__pass *hed__pass_new(const hed__lowered *first, int32_t n, char *block);
/* SLOT: arrays by value, those of results made. HED_E_UNSUPPORTED: nothing was done, the kernels are to be run. */
hed_status hed__pass_run(hed__pass *p, hed_array *const *slot, int32_t threads);

struct hed__program_frame;
hed_status hed__program_lower(hed_program *p);
/* Of a program with kernels, on inputs that lie as it was made with. INTO: NULL, or where results may go, or NULL among these. */
hed_status hed__program_run_lowered(hed_program *p, hed__tls *t, const hed_array *const *x, hed_array **y, hed_array *const *into);
void hed__program_frame_free(struct hed__program_frame *f);

/* C, captured anew, against what P has: HED_E_PROGRAM saying what differs. */
hed_status hed__program_compare(const hed_program *p, const hed__capture *c);
/* The arguments of S against those of Q, a call of the same function; *TEXT: what differs, of SIZE bytes. */
bool hed__program_same_arguments(const hed__called *s, const hed__called *q, char *text, size_t size);
/* Is elements' reading on the host part of OP? What for; NULL: no. */
const char *hed__program_reads(int op);

/* Call S, a function, with the operands IN; results OUT: new ones, or the arrays that are written. */
hed_status hed__program_invoke(const hed__called *s, const hed_array *const *in, hed_array **out);
/* Let go of what S's arguments hold. */
void hed__program_forget(const hed__called *s);

#endif
