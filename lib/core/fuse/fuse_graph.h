// SPDX-License-Identifier: BSD-3-Clause
/* The graph of fuse.h: what recording (fuse.c) and computing (fuse_run.c) share. L2. */
#ifndef HED_CORE_FUSE_GRAPH_H
#define HED_CORE_FUSE_GRAPH_H

#include "core/context/context.h"
#include "core/fuse/fuse.h"
#include <heddle/runtime.h>

enum { HED__FUSE_CONTEXTS = 8 };

/* ARRAY: a reference; NODE: a value of the same pass; RESULT: a node of an earlier pass, from memory; VALUE: a copy. */
typedef enum hed__fuse_kind { HED__FUSE_ARRAY, HED__FUSE_NODE, HED__FUSE_RESULT, HED__FUSE_VALUE } hed__fuse_kind;

typedef struct hed__operand {
  hed__fuse_kind kind;
  int32_t node;
  int32_t dtype;
  hed_array *array;
  uint64_t value[2];
} hed__operand;

typedef struct hed__node {
  hed_array *array;       /* its handle, NULL when that is released */
  hed__storage *made;     /* its elements, while later passes may read them */
  hed__storage *into;     /* ARRAY's own, where they go; NULL: new memory */
  int32_t op, compute, dtype, n;
  int32_t context;        /* index */
  int32_t level;          /* passes are run by level: operands of kind RESULT have a lower one */
  bool reduces, done, live, kept;  /* the last two while computing: somebody wants it; it has to be in memory */
  uint32_t axes;          /* that a reduction takes away */
  int32_t value;          /* while computing: its number in the pass */
  hed__operand in[3];
  uint64_t params[HED__FUSE_PARAMS / 8];
  hed_shape shape;        /* of the pass: a reduction's operand's */
  hed_shape result;
} hed__node;

typedef struct hed__graph {
  pthread_mutex_t lock;
  int32_t refs;           /* its thread's, and those of visitors; under the lock of all graphs */
  int32_t n, n_contexts;
  int32_t handles;        /* pending ones */
  bool orphan;            /* its thread has left it to them */
  int failed;             /* why they never come; 0: they may */
  char text[HED__ERROR_TEXT];
  hed_context *context[HED__FUSE_CONTEXTS];
  hed__node node[HED_FUSED_STEPS];
  hed_view view[HED_FUSED_IN + HED_FUSED_STEPS]; /* of the pass that runs */
} hed__graph;

/* What is left to do when a graph's lock is given back. */
typedef struct hed__fuse_rest {
  int32_t n_arrays, n_events;
  hed_array *array[HED_FUSED_IN];
  hed_trace_event event[HED_FUSED_STEPS];
} hed__fuse_rest;

/* Compute all of G that is wanted, and empty it. On failure what was computed until then is handed out, the rest stays. */
hed_status hed__graph_run(hed__graph *g, hed__tls *t, hed__fuse_rest *rest);

/* V's array, which V was to write, has its storage as before. */
void hed__give_back(hed__graph *g, hed__node *v);

/* Let go of all that G's nodes hold. */
void hed__graph_clear(hed__graph *g, hed__fuse_rest *rest);

#endif
