// SPDX-License-Identifier: BSD-3-Clause
/* The records of a whole FILE.raw in memory: its chunks by thread, times, and which record a flow begins with. L2. */
#ifndef HED_CORE_PROFILE_FLOWS_H
#define HED_CORE_PROFILE_FLOWS_H

#include "core/profile/raw.h"
#include <heddle/error.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct hed__trace_flow {
  uint64_t id;
  const hed__raw *record; /* that it begins with */
  uint32_t thread;
} hed__trace_flow;

typedef struct hed__trace {
  char *base;
  size_t bytes;
  const hed__raw_head *head;
  const hed__raw_chunk **chunk; /* by thread, then in order */
  size_t n_chunks;
  hed__trace_flow *flow;        /* by id */
  size_t n_flows;
  uint64_t ticks, ns;           /* a moment in both */
  double rate;                  /* nanoseconds of a tick */
  bool torn;                    /* a chunk was not as it should be, or its process did not come to the end */
} hed__trace;

hed_status hed__trace_open(hed__trace *t, const char *raw);
void hed__trace_close(hed__trace *t);

/* The record after R in C, the first for NULL; NULL: there is none. */
const hed__raw *hed__trace_next(const hed__raw_chunk *c, const hed__raw *r);
/* Nanoseconds of CLOCK_MONOTONIC; and the ticks of these. */
double hed__trace_ns(const hed__trace *t, uint64_t ticks);
uint64_t hed__trace_ticks(const hed__trace *t, uint64_t ns);
const hed__trace_flow *hed__trace_flow_of(const hed__trace *t, uint64_t id);

#endif
