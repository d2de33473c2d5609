// SPDX-License-Identifier: BSD-3-Clause
/*
 * FFTW plans, shared by all threads. L1.
 *
 * A plan is immutable and re-entrant: buffers are never part of it. The key holds everything that
 * planning depends on. Plans are leased: one that is evicted or trimmed while in use is destroyed by
 * whoever returns it last. Two threads that want the same new plan get one planning. Planning and
 * destroying happen under the lock that programs share (hed_fftw_lock); executing holds no lock.
 *
 * Efforts above 0 (measure, patient, exhaustive) pay off for transforms that repeat, so the first use
 * of such a key is served by an estimated plan, and the measuring one is made at the second use (the
 * 16th for transforms below 4096 elements). Others keep the estimated plan while it is made. Who wants
 * the measured one from the start (a plan object), or has loaded wisdom, gets it at the first use.
 */
#ifndef HED_BACKENDS_CPU_FFT_PLAN_H
#define HED_BACKENDS_CPU_FFT_PLAN_H

#include <heddle/array.h>
#include <stdbool.h>
#include <stdint.h>

/* COLUMNS, LINES and MANY lines, and one of the first three: not FFTW's, but loops of our own (fft/columns.h, fft/lines.h); of the
 * key precision and the one extent count. */
typedef enum cpu_fft_kind {
  CPU_FFT_C2C,
  CPU_FFT_R2C,
  CPU_FFT_C2R,
  CPU_FFT_COLUMNS,
  CPU_FFT_LINES,
  CPU_FFT_MANY = CPU_FFT_LINES + 3
} cpu_fft_kind;

typedef struct cpu_fft_dim {
  int64_t n, is, os; /* extent; strides in elements of input and output */
} cpu_fft_dim;

/* Compared as bytes: clear it before filling in. For real transforms the last of dim has the real
 * extent. */
typedef struct cpu_plan_key {
  int32_t single;     /* float32 */
  int32_t kind;       /* cpu_fft_kind */
  int32_t sign;       /* -1 or 1; c2c only */
  int32_t in_place;
  int32_t preserve;   /* the input must survive: c2r in one dimension */
  int32_t aligned;    /* both addresses as SIMD code wants them */
  int32_t threads;
  int32_t effort;     /* hed_fft_params */
  int32_t rank, loops;
  cpu_fft_dim dim[HED_MAX_NDIM], loop[HED_MAX_NDIM];
} cpu_plan_key;

typedef struct cpu_plan cpu_plan;

/* Lease of a plan for KEY, with NOW of the effort that it says; HED_E_UNSUPPORTED when FFTW makes none, HED_E_NOMEM. Pair
 * with put. */
int32_t cpu_plan_get(const cpu_plan_key *key, bool now, cpu_plan **out);
void cpu_plan_put(cpu_plan *plan);
/* What a leased plan was prefetched as. */
const cpu_plan_key *cpu_plan_of(const cpu_plan *plan);
void cpu_plan_execute(const cpu_plan *plan, void *in, void *out);
/* Of plans of those kinds. */
const struct cpu_columns *cpu_plan_columns(const cpu_plan *plan);
const struct cpu_lines *cpu_plan_lines(const cpu_plan *plan);

/* Is an address aligned as FFTW's SIMD code wants? */
bool cpu_fft_aligned(const void *p, bool single);

typedef struct cpu_plan_counts {
  uint64_t planned, hits, waits, evicted, destroyed;
  uint64_t measured; /* plannings that took measurements: wisdom did not know them */
  uint64_t bytes;    /* a guess of what the plans in the table take */
  int32_t held;      /* plans in the table */
  int32_t in_use;    /* those of them that are leased */
  int32_t capacity;
} cpu_plan_counts;
cpu_plan_counts cpu_plan_stats(void);

/* Makes the cache known to the host; more than once does no harm. */
void cpu_plan_register(void);

/* ---- wisdom: what FFTW learnt by measuring, of both precisions; shared with the program's own use of FFTW ---- */

/* As text from the host's alloc. */
int32_t cpu_wisdom_export(void *state, char **text, size_t *size);
/* NULL: forget. HED_E_FORMAT: not such a text, or of another FFTW; what was known stays. */
int32_t cpu_wisdom_import(void *state, const char *text, size_t size);
/* Has some been loaded? */
bool cpu_wisdom_loaded(void);

/* Drops every plan that nobody uses; returns a guess of the bytes. */
size_t cpu_plan_clear(void);
/* In a child of fork: forget locks and plans of threads that are not there. */
void cpu_plan_fork_child(void);

enum { CPU_PLAN_SLOTS = 128 }; /* without the setting fft_plans */

#endif
