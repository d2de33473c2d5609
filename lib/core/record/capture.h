// SPDX-License-Identifier: BSD-3-Clause
/* Captures: the calls of a function, in order, so that they can be made again (lib/program). L2.
 *
 * A capture knows arrays by their handles, which it holds, so that an address means one array: the inputs, those that calls have
 * made, and all others, which are constants by reference. An unknown handle on the memory of a known array is a view of that.
 * Numbers in automatic storage are copied.
 *
 * Public functions are captured by their wrappers, elementwise operations and reductions where they run, as for recordings; what
 * a body calls is not seen. Meanwhile the one launch that a body may consist of is written down.
 */
#ifndef HED_CORE_CAPTURE_H
#define HED_CORE_CAPTURE_H

#include "core/record/record.h"

typedef enum hed__value_kind { HED__VALUE_INPUT, HED__VALUE_CONSTANT, HED__VALUE_NUMBER, HED__VALUE_MADE } hed__value_kind;

/* An array of a capture. */
typedef struct hed__captured {
  hed_array *array;
  hed__value_kind kind;
  int32_t depends;          /* index of an input it comes of, -2 - step of a draw; -1: of nothing that changes */
  int32_t step;             /* that made it */
  bool written;             /* by a call, in place */
  bool given;               /* a constant that the function makes of what the host gives: a run does not make it anew */
} hed__captured;

typedef enum hed__call_kind {
  HED__CALL_FUNCTION, HED__CALL_ELEMENTWISE, HED__CALL_REDUCE, HED__CALL_VIEW, HED__CALL_FUSE, HED__CALL_UNFUSE
} hed__call_kind;

/* A launch that was all of a call: operands in host memory, by a kernel of the device's own. */
typedef struct hed__launched {
  hed__device *device;
  int32_t n_in, op, compute;
  const void *params;
  int32_t in[3];            /* values */
  bool number[3];           /* converted to the type it is used in, CELL, as a scalar */
  int64_t offset[3];        /* else: bytes from the value's first element */
  hed_view view[4];         /* of the operands, then of the result */
  _Alignas(16) unsigned char cell[3][16];
} hed__launched;

typedef struct hed__called {
  hed__call_kind kind;
  int32_t op;
  int32_t function;         /* FUNCTION: its number in <heddle/reflect.h> */
  int32_t n_in, n_out;
  int32_t *value;           /* of the operands, then of the results; -1: NULL */
  int32_t context;          /* index */
  bool in_place, stops;     /* the results were there before; VIEW: gradients stop */
  bool draws;
  int64_t offset;           /* VIEW: bytes from the operand's first element */
  hed_view view;
  const void *params;       /* ELEMENTWISE; REDUCE: a hed__reduce_args */
  size_t size;
  void **argument;          /* FUNCTION: addresses of the arguments, deep copies */
  hed__launched *launched;  /* NULL: it is no such call */
} hed__called;

typedef struct hed__capture {
  const char *name;
  hed_status status;        /* why there will be no program; HED_OK */
  char text[HED__ERROR_TEXT];
  int32_t n_values, cap_values, n_calls, cap_calls, n_contexts, cap_contexts;
  hed__captured *value;
  hed__called **call;
  hed_context **context;    /* 0: in force at the beginning */
  int32_t *bucket, buckets; /* values by handle */
  hed__arena arena;         /* of calls and what these point at */
  hed__stream *stream;      /* in force at the beginning */
  uint64_t draw;
  int32_t launches;         /* of the call under way */
  hed__launched launch;
  hed_reduce_params reduce;
  const hed__storage *launch_in[3], *launch_out;
  bool simple;              /* LAUNCH is as said above */
} hed__capture;

/* The calling thread's, which captures; NULL. */
static inline hed__capture *hed__capturing(void)
{
  const hed__tls *t = hed__self;
  return __builtin_expect(t && t->watch & HED__WATCH_CAPTURE, 0) ? t->capture : NULL;
}

/* Calls are noted, for whichever purpose. */
static inline bool hed__noting(void)
{
  const hed__tls *t = hed__self;
  return __builtin_expect(t && t->watch & (HED__WATCH_RECORD | HED__WATCH_CAPTURE), 0);
}

/* Wrappers have something to do: they note calls, or tell a profile of them. And those that make arrays of numbers. */
static inline bool hed__wrapping(void)
{
  const hed__tls *t = hed__self;
  return __builtin_expect(t && t->watch & (HED__WATCH_RECORD | HED__WATCH_CAPTURE | HED__WATCH_PROFILE), 0);
}
static inline bool hed__wrapping_made(void)
{
  const hed__tls *t = hed__self;
  return __builtin_expect(t && t->watch & (HED__WATCH_CAPTURE | HED__WATCH_PROFILE), 0);
}

/* Capturing stops while a body runs, whose launches are looked at; and goes on as it was. */
static inline uint8_t hed__capture_hold(hed__tls *t)
{
  const uint8_t was = t->watch & HED__WATCH_CAPTURE;
  if (was) {
    t->watch = (uint8_t)((t->watch & ~HED__WATCH_CAPTURE) | HED__WATCH_LAUNCH);
    t->capture->launches = 0;
    t->capture->simple = false;
  }
  return was;
}
static inline void hed__capture_resume(hed__tls *t, uint8_t was)
{
  if (was)
    t->watch = (uint8_t)((t->watch & ~HED__WATCH_LAUNCH) | HED__WATCH_CAPTURE);
}

/* SIZE bytes that stay as long as C; NULL without memory, C has failed. */
void *hed__capture_take(hed__capture *c, size_t size);
void *hed__capture_copy(hed__capture *c, const void *p, size_t size);

/* There will be no program. The first reason counts. */
hed_status hed__capture_fail(hed__capture *c, hed_status status, const char *format, ...) HED_PRINTF(3, 4);

/* X as input K. */
void hed__capture_input(hed__capture *c, hed_array *x, int k);

/* A call that was made, without its arguments; the caller fills in the rest. NULL: C has failed. IN_PLACE: the results were
 * there before. */
hed__called *hed__capture_call(hed__capture *c, hed__call_kind kind, int op, int32_t n_in, const hed_array *const *in,
                               int32_t n_out, hed_array *const *out, bool in_place);
void hed__capture_formula(hed__capture *c, int op, int32_t n, const hed_array *const *in, hed_array *out, bool in_place,
                          const void *params, size_t size);
void hed__capture_reduce(hed__capture *c, int op, const hed_array *x, double order, const hed_reduce *opt, hed_array *out,
                         bool in_place);

/* Y is X without its gradient. */
void hed__capture_stop(hed__capture *c, const hed_array *x, hed_array *y);
/* A fusion scope begins or ends. */
void hed__capture_fuse(hed__capture *c, bool begins);
/* X is read by the program: HED_E_PROGRAM when it depends on what changes. */
hed_status hed__capture_reads(const hed_array *x);
/* X is new, of elements that the host has given. Where the thread captures, it is a constant that must not be written. */
void hed__capture_given(hed_array *x);
/* The index among C's values of the array X; -1 for NULL, or when C has failed. */
int32_t hed__capture_value(hed__capture *c, const hed_array *x);

/* What hed__run has done for a body. */
void hed__capture_launch(hed__tls *t, hed__device *by, const hed_call *call, const hed_array *const *in, hed_array *const *out);

void hed__capture_clear(hed__capture *c);

#endif
