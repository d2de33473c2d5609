// SPDX-License-Identifier: BSD-3-Clause
/*
 * One pass of a Fourier transform over memory: lines or columns by loops of our own (fft/lines.h, fft/columns.h), or both for planes
 * that fit into the cache, or a serial FFTW plan executed many times. L1.
 *
 * Pieces are what threads share, and small enough to stay in the cache while they are worked on. Where they are cut
 * depends on the shape alone: no plan depends on how many threads were granted. Groups are executions of an outer loop
 * with COUNT pieces each; the last piece of a group may be smaller and has a plan of its own.
 */
#ifndef HED_BACKENDS_CPU_FFT_STAGE_H
#define HED_BACKENDS_CPU_FFT_STAGE_H

#include "backends/cpu/fft/fft_plan.h"
#include <heddle/kernel.h>

enum { CPU_FFT_PLANS = 9 };

/* Plans that a plan object holds. Immutable once made. */
typedef struct cpu_fft_held {
  int n;
  cpu_plan *plan[CPU_FFT_PLANS];
} cpu_fft_held;

typedef struct cpu_fft_job {
  const hed_call *call;
  const hed_fft_params *p;
  bool single;
  int64_t csize, rsize; /* bytes of a complex and of a real */
  cpu_fft_held *make;   /* plan only, into this; nothing is read or written */
} cpu_fft_job;

typedef struct cpu_fft_stage {
  cpu_fft_kind kind;       /* of the transform, whatever the plans are */
  cpu_plan_key key[2];     /* of a piece; of the last of a group, when that is smaller */
  cpu_plan *plan[2];
  int64_t groups, group_is, group_os;
  int64_t count, is, os;   /* pieces in a group; byte steps between them */
  int64_t width;           /* of the loop that was cut, in each piece; 0: not cut */
  bool tail;               /* the last piece of a group is smaller */
  char *in, *out;
  double work;             /* in units of parallel.h: five flops a point and a doubling, most of them waiting for memory */
  double scale;            /* of the result of this stage; 1 = none */
  int64_t block[2];        /* components to scale after each execution, 0: OUT is not contiguous */
  int64_t slab_in[2], slab_out[2]; /* bytes of the contiguous slabs that a piece reads and writes, or 0 */
  bool skip_zeros;         /* slabs of zeros, as padding makes them, are transformed by looking at them */
  /* What a piece reads is copied first, slab_in bytes, into memory of the thread that the plan may destroy. With SIDE the
   * last complex number of each line comes from there, and IN has the LINE bytes before it. */
  bool staged;
  const char *side;
  int64_t line;
  /* Columns by loops of our own: ROWS and their steps as below, WIDTH columns a piece, REST in the last one. */
  bool own, back;
  int64_t rest;
  /* Planes: beside the plan's lines each piece has columns of the complex side, transformed in place after the lines or, C2R,
   * before them. PLANES of them in a piece, PLANES_LEFT in the last one. */
  cpu_plan_key across_key;
  cpu_plan *across;
  int64_t across_row, across_count, plane, planes, planes_left;
  /* Columns by blocks: a piece goes into memory of the thread, TILE_ROW bytes a row, is transformed there and goes back. */
  int64_t tile_row, rows, row_is, row_os;
  /* Lines by loops of our own (fft/lines.h): so many in a piece, and in the last one, and bytes for the work. */
  int64_t lined[2], line_work;
  /* Pairs of real lines as complex ones (fft_pairs.c): CPU_FFT_R2C or CPU_FFT_C2R, or 0. */
  int pairs;
  int64_t lines, line_is, line_os;
} cpu_fft_stage;

/* Fills in S for KIND over AXES of the views. Extents of the axes where one of them has halved ones are those of the real
 * side. */
void cpu_fft_stage_plan(const cpu_fft_job *j, cpu_fft_stage *s, cpu_fft_kind kind, const hed_view *src, const hed_view *dst,
                        int n_axes, const int32_t *axes);
/* Does the stage apply SCALE itself? */
bool cpu_fft_stage_scales(const cpu_fft_stage *s);
/* Gets its plans (and that is all when the job says so) and executes it. */
int32_t cpu_fft_stage_run(const cpu_fft_job *j, cpu_fft_stage *s);

/* Makes a stage of real lines of an awkward length, with one loop, pairs of them; false: it is none. Items of IB and OB
 * bytes. */
bool cpu_fft_pairs_plan(cpu_fft_stage *s, int64_t ib, int64_t ob);
/* Bytes of memory that a pair wants. */
int64_t cpu_fft_pairs_work(const cpu_fft_stage *s);
void cpu_fft_pairs_run(const cpu_fft_stage *s, int64_t pair, void *work);

#endif
