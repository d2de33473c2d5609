// SPDX-License-Identifier: BSD-3-Clause
/*
 * Several operations in one pass: the program that fuse_program.c makes of a call and fuse.c runs block by block. L1.
 *
 * A value is a vector of one block: a piece of an operand or result in place, or a buffer in cache. An instruction runs one
 * loop over a block. Buffers are shared by values that do not live at the same time.
 * Instructions that follow each other and each work on the result of the one before are one chain (kernels/chain/chain.h),
 * which keeps that in registers; only what others read of it is written.
 */
#ifndef HED_BACKENDS_CPU_FUSE_H
#define HED_BACKENDS_CPU_FUSE_H

#include "backends/cpu/kernels/chain/chain.h"
#include "backends/cpu/kernels/kernels.h"
#include "base/cast.h"
#include <heddle/ops.h>

enum {
  FUSE_VALUES = 2 * HED_FUSED_IN + 8 * HED_FUSED_STEPS,
  FUSE_CODE = HED_FUSED_IN + 7 * HED_FUSED_STEPS,
  FUSE_BYTES = 49152,   /* of all buffers and what may be written behind each */
  FUSE_CELLS = 16384,   /* bytes of accumulators that a thread keeps itself */
  FUSE_LINKS = 5 * HED_FUSED_STEPS,
  FUSE_SLOTS = 24,      /* operands and results of a chain */
  FUSE_BLOCK = 4096     /* elements at most */
};

/* NOWHERE: in the registers of a chain. */
typedef enum fuse_location { FUSE_IN, FUSE_OUT, FUSE_BUFFER, FUSE_NOWHERE } fuse_location;

typedef struct fuse_value {
  int8_t location;
  bool repeated;      /* one element for all: stride 0 */
  bool kept;          /* the same in all blocks, in a buffer of its own */
  int16_t type;       /* hed_dtype_id */
  int16_t index;      /* of the operand or result; of the buffer */
  int16_t last;       /* instruction that reads it last, -1 = none */
} fuse_value;

typedef struct fuse_instr {
  hed__map_fn fn;     /* NULL: gather operand arg[1], or a chain */
  const void *params;
  hed__cast_fn cast;  /* where fn converts */
  int16_t n, arg[4];  /* values: result, operands */
  int16_t op;         /* hed_op, -1: none */
  bool streams;          /* fn writes by non-temporal stores */
  int16_t link, links; /* of a chain; LINKS 0: it is none */
} fuse_instr;

/* A step of a chain, see cpu_chain_step: what is in its memory, and where a tile of that has room. It reads values, or it
 * writes one, or reads one and writes what it tells of the two, or may have a loop do the value in a tile; or takes one for a
 * reduction: adds it up, plain or as distances, or keeps the index of an extreme. */
typedef struct fuse_link {
  cpu_chain_fn fn;
  double number[2];
  hed__map_fn loop;
  const void *params;
  int16_t n, value[CPU_CHAIN_MEMORY], slot[CPU_CHAIN_MEMORY], fold;
  enum { FUSE_READS, FUSE_WRITES, FUSE_TELLS, FUSE_LOOPS, FUSE_SUMS, FUSE_MOMENTS, FUSE_INDICES } does;
} fuse_link;

/* Is that what L does with its value K? */
static inline bool fuse_reads(const fuse_link *l, int32_t k) { return l->does == FUSE_READS || (l->does == FUSE_TELLS && k == 0); }
static inline bool fuse_writes(const fuse_link *l, int32_t k) { return l->does == FUSE_WRITES || (l->does == FUSE_TELLS && k == 1); }

typedef struct fuse_fold {
  int32_t op, type, out;
  int32_t ddof;
  int32_t cell;       /* bytes from an accumulator to its neighbour */
  int32_t planes;     /* of cells, PLANE bytes apart */
  int64_t plane;
  int64_t at;         /* of its accumulators, in bytes, in those of a unit */
  int16_t value;      /* of TYPE */
  bool chained;       /* a chain takes the elements of a block; for indices the chain is all there is to do */
} fuse_fold;

/* How the blocks that make results follow each other; a unit makes some results on its own. LANE: one result, from blocks
 * one after the other. STRIP: results of the columns of a block, from blocks below each other. PAGES: all results of a block.
 * PAGE: the inner results of one index, from blocks one after the other. */
typedef enum fuse_walk { FUSE_LANE, FUSE_STRIP, FUSE_PAGES, FUSE_PAGE } fuse_walk;

typedef struct fuse_program {
  const hed_fused_call *call;
  int32_t n_values, n_code, n_once, n_folds, n_buffers; /* the first n_once instructions make what is repeated or kept */
  int32_t n_kept;               /* the last of those gather what is kept */
  fuse_value value[FUSE_VALUES];
  fuse_instr code[FUSE_CODE];
  int32_t n_links;
  fuse_link link[FUSE_LINKS];
  fuse_fold fold[HED_FUSED_STEPS];
  int64_t period;               /* elements after which rows that are gathered end and all that is kept begins again */
  int32_t width[FUSE_VALUES];   /* bytes of an element of each buffer */
  int32_t rows_of[FUSE_VALUES]; /* blocks in each buffer: several of what is added up by columns */
  /* The shape with neighbouring axes merged, and the operands' strides in it. */
  int32_t ndim;
  int64_t size, dim[HED_MAX_NDIM], stride[HED_FUSED_IN][HED_MAX_NDIM];
  bool rows;                    /* a block never goes beyond a row, so operands lie evenly; else they are gathered */
  int64_t block, blocks, per_row;
  double cost;                  /* of an element */
  int32_t streamed;             /* bytes of the widest element that is written by non-temporal stores, 0: none does */
  /* With reductions: the shape is OUTER x COUNT x INNER, of which COUNT goes. */
  int64_t outer, count, inner;
  fuse_walk walk;
  int64_t units, steps, chunk;  /* of blocks in each; elements of a block that is no piece of a row */
  int64_t most, bytes;          /* results of a unit at most, and what their accumulators take */
  int32_t together;             /* blocks of a strip that are added at a time */
  int64_t pieces;               /* that the steps of each unit are cut into, for threads; whatever their number */
  bool own;                     /* a thread has room for a unit's accumulators */
} fuse_program;

/* False: too much of it. */
bool cpu_fuse_program(fuse_program *p, const hed_fused_call *call);

/* Chains (fuse_chain.c): makes them of instructions, of which there are fewer then. And runs one for N elements: STEP are as
 * many as its links, SLOT has a tile for each of its slots; values are at PTR, STRIDE bytes from element to element; sums of
 * reductions go to the first slot of KEPT, which for distances and indices goes on from what it has. */
void cpu_fuse_chains(fuse_program *p);
void cpu_fuse_run_chain(const fuse_program *p, const fuse_instr *c, int64_t n, char *const *ptr, const int64_t *stride,
                        cpu_chain_step *step, char (*slot)[CPU_CHAIN_TILE], cpu_chain_kept *kept);
/* Indices of extremes: tiles of a block at most; the number of the tile with the first extreme; the elements of tile NUMBER of a
 * block of *N from *FIRST on, which become those of the tile. */
int64_t cpu_fuse_tiles(const fuse_program *p, const fuse_instr *c);
int64_t cpu_fuse_best_tile(const fuse_program *p, const fuse_instr *c, const cpu_chain_kept *kept);
const char *cpu_fuse_run_tile(const fuse_program *p, const fuse_instr *c, int64_t number, int64_t *first, int64_t *n,
                              char *const *ptr, const int64_t *stride, cpu_chain_step *step, char (*slot)[CPU_CHAIN_TILE]);
bool cpu_fuse_is_argextreme(const fuse_fold *f);

/* Reductions (fuse_fold.c), for accumulators side by side from ACC on, N results. cpu_fuse_fold takes the elements
 * [first, first + n) at X; ACC begins with result FROM. cpu_fuse_merge joins a later piece to an earlier one. cpu_fuse_store
 * writes results from AT on. cpu_fuse_cell says what cells and planes F has. */
void cpu_fuse_cell(fuse_fold *f);
void cpu_fuse_begin(const fuse_fold *f, int64_t n, char *acc);
void cpu_fuse_fold(const fuse_program *p, const fuse_fold *f, int64_t first, int64_t n, const char *x, char *acc,
                   int64_t from);
/* The same for what a chain has of the elements of one result. */
void cpu_fuse_fold_sums(const fuse_fold *f, const cpu_chain_kept *kept, char *acc);
/* A strip: N results from AT on, ROWS rows of elements STEP bytes apart, the first of which is number FROM of each. */
void cpu_fuse_fold_rows(const fuse_fold *f, int64_t rows, int64_t n, const char *x, int64_t step, char *acc, int64_t at,
                        int64_t from);
void cpu_fuse_merge(const fuse_fold *f, int64_t n, char *into, char *from);
void cpu_fuse_store(const fuse_program *p, const fuse_fold *f, int64_t at, int64_t n, char *acc);

int32_t cpu_fuse(void *state, const hed_fused_call *call);

typedef int32_t (*cpu_pass_fn)(void *state, const hed_fused_call *call);
/* After CALL, by PASS, its means, variances and deviations that may have left the range, or vanished, on the way (fuse_again.c). */
int32_t cpu_fuse_again(const hed_fused_call *call, cpu_pass_fn pass);

#endif
