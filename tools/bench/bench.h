// SPDX-License-Identifier: BSD-3-Clause
/* What the files of `heddle bench` share.
 *
 * Layer: L5. A suite (bench_SUITE.c) appends specs, one per row that it can measure; a spec is made into work (inputs, a
 * floor) only when its row is measured. A row's floor is measured beside it: samples of ours and of the bare loop, FFTW or
 * BLAS call alternate, so that what slows the machine down slows both.
 */
#ifndef HEDDLE_TOOLS_BENCH_BENCH_H
#define HEDDLE_TOOLS_BENCH_BENCH_H
#include "tools/emit.h"
#include "tools/tool.h"
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { BENCH_ARRAYS = 6, BENCH_SAMPLES = 1024 };

typedef struct bench_work bench_work;
typedef hed_status (*bench_fn)(bench_work *w, int64_t n); /* the work, N times */

/* A row before it is measured. */
typedef struct bench_spec {
  const char *suite, *name; /* static */
  char size[24];            /* "1e5", "512", "128^3"; empty: none */
  hed_dtype dtype;          /* NULL: none */
  int threads;
  int64_t dim[4];           /* the suite's own, also what follows */
  const void *what;
  const void *together;     /* neighbours that have the same one are measured in turns; NULL: alone */
  hed_status (*prepare)(bench_work *w);
} bench_spec;

/* The floor: what the bare machine, or the bare library call, needs for the same work. */
typedef struct bench_floor {
  const char *kind;                    /* "bandwidth", "compute", "fftw", "blas", "call", ... */
  void (*run)(void *state, int64_t n); /* NULL: not measured */
  void *state;
  void (*drop)(void *state);
  double fixed_ns;                     /* computed; NaN: none. The larger of the two counts */
  double repeat;                       /* both are times this, when it is not 0 */
  bool same;                           /* the same work: as many calls in a sample as ours */
} bench_floor;

/* What is written: processors have an instruction for one value, and some write zero faster. */
typedef enum bench_content { BENCH_VALUES, BENCH_ONE_VALUE, BENCH_ZERO } bench_content;

struct bench_work {
  const bench_spec *spec;
  hed_array *a[BENCH_ARRAYS];
  char shape[64];         /* for people: "2500x4000" */
  bench_fn run;
  double read, written;   /* bytes per call that have to move; NaN: not counted */
  double flops;
  bench_floor floor;
  const char *note;       /* lasts as long as the work; NULL: none */
  char backend[64];       /* filled in when empty: the context's canonical name */
  int64_t least;          /* calls in a sample at least; 0: one */
  int samples;            /* at least, unless few are asked for; 0: as many as of any row */
  double counted_ns;      /* run() may say the time of its N calls, where not all of its own time counts; 0: all does */
  bench_content content;
  bool settled, is_long;  /* samples are taken in turns from here on; a sample lasts so long that a start does not count */
  void *own;
  void (*drop)(bench_work *w);
  hed_status (*store)(bench_work *w, const char *folder); /* input and result as .npy files, to compare values; NULL: cannot */
};

typedef struct bench_stats {
  double median, least, q1, q3;
  int n;
} bench_stats;

typedef struct bench_row {
  bench_spec spec;
  char backend[64], shape[64], floor_kind[16], note[128];
  double bytes, flops, floor;
  bench_stats ours, bare;
} bench_row;

typedef struct bench {
  const char *backend;      /* spec that contexts are derived from */
  double budget;            /* seconds of samples per row, ours and floor together */
  bool few;                 /* three samples of a row do */
  const char *workers, *score; /* match */
  const char *team;         /* scaling: rows of this team too; NULL: none */
  int64_t rotations;
  int threads[16], n_threads;
  regex_t *pattern;         /* rows to take; NULL: all */
  int n_specs, room_specs, n_rows, room_rows;
  bench_spec *specs;
  bench_row *rows;
  bool failed;              /* no memory for the list */
  bool starved;             /* no memory for a row */
} bench;

/* ---- suites: append to b->specs ---- */

typedef struct bench_suite {
  const char *name, *doc;
  void (*list)(bench *b);
} bench_suite;
extern const bench_suite bench_suites[]; /* ends with a NULL name */

void bench_list_dispatch(bench *b);
void bench_list_elementwise(bench *b);
void bench_list_fused(bench *b);     /* also suite "elementwise" */
void bench_list_functions(bench *b); /* also suite "elementwise" */
void bench_list_movement(bench *b);  /* also suite "elementwise" */
void bench_list_reduce(bench *b);
void bench_list_sort(bench *b);
void bench_list_random(bench *b);
void bench_list_linalg(bench *b);
void bench_list_fft(bench *b);
void bench_list_jobs(bench *b);
void bench_list_match(bench *b);     /* also suite "jobs" */
void bench_list_tensor(bench *b);    /* also suite "jobs" */
void bench_list_filters(bench *b);   /* also suite "jobs" */
void bench_list_ultrasound(bench *b); /* also suite "jobs" */
void bench_list_vsa(bench *b);
void bench_list_nn(bench *b);      /* also suite "jobs" */
void bench_list_vectors(bench *b);   /* also suite "linalg" */
void bench_list_gradient(bench *b);
void bench_list_program(bench *b);
void bench_list_scaling(bench *b);
void bench_list_memory(bench *b);

/* A row for every thread count (or, with SINGLE, for one thread) that the pattern takes. */
void bench_add(bench *b, const bench_spec *s, bool single);
/* "suite/name/dtype/size/tN", parts that are empty left out. */
void bench_id(const bench_spec *s, char *buf, size_t cap);

/* ---- measuring (measure.c) ---- */

double bench_now(void); /* ns */
/* Runs prepare() in a context of the row's threads. On failure the work is dropped. */
hed_status bench_open(const bench *b, const bench_spec *s, bench_work *w, hed_frame *frame);
void bench_close(bench_work *w, hed_frame frame);
/* ns per call of ours, or of the floor; N calls. */
hed_status bench_time(bench_work *w, int64_t n, double *ns);
double bench_time_floor(bench_work *w, int64_t n);
/* Waits until no other thread of this process runs, 0.3 s at most (settle.c). */
void bench_settle(void);
/* What other processes take from begin to end; end appends it to NOTE where it is much (others.c). */
typedef struct bench_others { double start, others; } bench_others;
void bench_others_begin(bench_others *o);
void bench_others_end(const bench_others *o, char *note, size_t cap);
/* How many calls make a sample of about a millisecond; runs them, which also warms up. */
hed_status bench_batch(bench_work *w, int64_t *ours, int64_t *bare);
/* N rows, open at the same time, whose samples take turns. Says which of them cannot be measured; HED_E_CANCELLED: stop,
 * HED_E_NOMEM: no memory to keep them. */
hed_status bench_measure(bench *b, const bench_spec *s, int n);
bench_stats bench_quartiles(double *sample, int n); /* sorts */
double bench_floor_ns(const bench_work *w, double measured);

/* ---- inputs; NULL with the error set. Elements in [0.5, 1.5), normal in both parts for complex, integers in [1, 1000) ---- */
hed_array *bench_values(const bench_spec *s, hed_shape shape);
hed_array *bench_normal(const bench_spec *s, hed_shape shape);
void bench_say_shape(bench_work *w, const hed_array *x);
/* HED_OK when the first N arrays are there. */
hed_status bench_have(const bench_work *w, int n);

/* ---- floors ---- */

/* A loop that reads READ bytes and writes WRITTEN (the work's), and flops at the peak of the row's type. */
hed_status bench_floor_stream(bench_work *w);
/* The same with given traffic, for floors that are measured by themselves. */
hed_status bench_stream_open(double read, double written, int threads, bench_content content, bench_floor *out);
double bench_peak(hed_dtype t, int threads); /* flops per ns, measured once; 0: not known */
/* Elements of X at the indices AT, or X added to elements there (ZEROED: of a new array each time); both lie in memory as one
 * run, and as many indices as elements (indices.c). */
hed_status bench_floor_indexed(bench_work *w, const hed_array *x, const hed_array *at, bool scatter, bool zeroed);
/* fftw.c; on THREADS threads, or on one with its time divided by them, where that is less. */
hed_status bench_floor_fftw(bench_work *w, int kind, int rank, const int *n, int batch, int threads);
typedef enum bench_blas_kind {
  BENCH_GEMM, BENCH_GESDD, BENCH_GESV, BENCH_GEQRF, BENCH_SYEVD, BENCH_POTRF, BENCH_GETRI, BENCH_GETRF
} bench_blas_kind;
hed_status bench_floor_blas(bench_work *w, bench_blas_kind kind, int64_t batch, int m, int n, int k);

/* Threads of the floors: FN(arg, part, parts) on PARTS threads, of which the caller is one. They sleep between runs. */
typedef struct bench_team bench_team;
bench_team *bench_team_open(int parts); /* NULL: no memory or no threads */
void bench_team_run(bench_team *t, void (*fn)(void *arg, int part, int parts), void *arg);
void bench_team_close(bench_team *t);

/* ---- out ---- */
int bench_print_json(const bench *b);
void bench_print_text(const bench *b);
void bench_emit_machine(emit *e, const bench *b);
int bench_serve(bench *b); /* serve.c */

/* A row in a process of its own, in whose environment NAME is VALUE (child.c). *OUT is to be closed after a failure too;
 * HED_E_UNSUPPORTED: the row cannot be had there. */
typedef struct bench_child bench_child;
hed_status bench_child_open(const bench *b, const char *name, const char *value, const char *id, bench_child **out);
hed_status bench_child_run(bench_child *c, int64_t n); /* the work, N times */
void bench_child_close(bench_child *c);                /* NULL is fine */

/* Bodies of bench_fn: an operation that makes a new array, one that returns a status. */
#define BENCH_NEW(fn, ...)                                 \
  static hed_status fn(bench_work *w, int64_t n)           \
  {                                                        \
    (void)w;                                               \
    for (int64_t i = 0; i < n; i++) {                      \
      hed_array *r = __VA_ARGS__;                          \
      if (!r)                                              \
        return hed_error();                                \
      hed_release(r);                                      \
    }                                                      \
    return HED_OK;                                         \
  }
#define BENCH_STATUS(fn, ...)                              \
  static hed_status fn(bench_work *w, int64_t n)           \
  {                                                        \
    hed_status status = HED_OK;                            \
    (void)w;                                               \
    for (int64_t i = 0; i < n && status == HED_OK; i++)    \
      status = __VA_ARGS__;                                \
    return status;                                         \
  }

#endif
