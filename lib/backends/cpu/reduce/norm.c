// SPDX-License-Identifier: BSD-3-Clause
/*
 * Norms of vectors over any axes in one pass. L1.
 *
 * Kept and reduced axes are walked apart. Where results lie next to each other and the elements of one do not, a block of
 * results is accumulated row by row. Sums are in double. For float32 no square can leave the range of double; for
 * float64 the sum of squares tells afterwards whether one may have, and only then a second pass divides by the largest
 * (so does every pass for orders other than 1 and 2). One long row is cut into pieces of fixed size, added in order:
 * the value does not depend on the number of threads.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/reduce/axes.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

typedef enum kind { COUNT, SUM, SQUARES, POWERS, MOST, LEAST } kind;

enum { LANES = 8, BLOCK = 1024, COLUMNS = 512, PIECE = 65536, MAX_PIECES = 1024 };

typedef struct job {
  const hed_call *call;
  int type;
  kind kind;
  double order;
  hed_view kept_in, kept_out, reduced; /* data of reduced: set per result */
  int64_t count, results;
  int64_t pieces, per_piece;
} job;

/* ACC[i * acc_step] takes element i of N, divided by DIVISOR; acc_step is 0 or 1. */
#define LOOP(UPDATE)                                                          \
  for (int64_t i = 0; i < n; i++, p += step, acc += acc_step) {               \
    const double v = VALUE(p);                                                \
    UPDATE;                                                                   \
  }                                                                           \
  break

#define ROW(NAME)                                                                                            \
  static void NAME(kind k, double order, double divisor, int64_t n, const char *p, int64_t step, double *acc, \
                   int64_t acc_step)                                                                         \
  {                                                                                                          \
    switch (k) {                                                                                             \
    case COUNT: LOOP(*acc += v != 0);                                                                        \
    case SUM: LOOP(*acc += v);                                                                               \
    case SQUARES: LOOP(*acc += (v / divisor) * (v / divisor));                                               \
    case POWERS: LOOP(*acc += pow(v / divisor, order));                                                      \
    case MOST: LOOP(*acc = v > *acc || v != v ? v : *acc);                                                   \
    case LEAST: LOOP(*acc = v < *acc || v != v ? v : *acc);                                                  \
    }                                                                                                        \
  }

#define VALUE(p) fabs((double)*(const float *)(const void *)(p))
ROW(row_f32)
#undef VALUE
#define VALUE(p) fabs(*(const double *)(const void *)(p))
ROW(row_f64)
#undef VALUE
#define VALUE(p) hypot((double)((const float *)(const void *)(p))[0], (double)((const float *)(const void *)(p))[1])
ROW(row_c64)
#undef VALUE
#define VALUE(p) hypot(((const double *)(const void *)(p))[0], ((const double *)(const void *)(p))[1])
ROW(row_c128)
#undef VALUE

/* Sums of squares of N real numbers next to each other, LANES at a time. */
#define DENSE(NAME, T)                                                        \
  static double NAME(int64_t n, const T *x)                                   \
  {                                                                           \
    double lane[LANES] = { 0 }, sum = 0;                                      \
    int64_t i = 0;                                                            \
    for (; i + LANES <= n; i += LANES)                                        \
      for (int k = 0; k < LANES; k++)                                         \
        lane[k] += (double)x[i + k] * (double)x[i + k];                       \
    for (; i < n; i++)                                                        \
      sum += (double)x[i] * (double)x[i];                                     \
    for (int k = 0; k < LANES; k++)                                           \
      sum += lane[k];                                                         \
    return sum;                                                               \
  }
DENSE(dense_f32, float)
DENSE(dense_f64, double)

static void row(const job *j, kind k, double divisor, int64_t n, const char *p, int64_t step, double *acc,
                int64_t acc_step)
{
  switch (j->type) {
  case HED_ID_FLOAT32: row_f32(k, j->order, divisor, n, p, step, acc, acc_step); break;
  case HED_ID_FLOAT64: row_f64(k, j->order, divisor, n, p, step, acc, acc_step); break;
  case HED_ID_COMPLEX64: row_c64(k, j->order, divisor, n, p, step, acc, acc_step); break;
  default: row_c128(k, j->order, divisor, n, p, step, acc, acc_step);
  }
}

static double start(kind k) { return k == LEAST ? INFINITY : 0; }

static double join(kind k, double a, double b)
{
  if (k == MOST)
    return b > a || b != b ? b : a;
  if (k == LEAST)
    return b < a || b != b ? b : a;
  return a + b;
}

/* Elements [first, first + n) of one result's reduced axes, in blocks, so that errors grow with their number only. */
static double gather(const job *j, kind k, double divisor, const char *base, int64_t first, int64_t n)
{
  const hed_view *r = &j->reduced;
  const int32_t last = r->ndim - 1;
  const int64_t width = r->dim[last], step = r->stride[last];
  const bool single = j->type == HED_ID_FLOAT32 || j->type == HED_ID_COMPLEX64;
  const bool is_complex = j->type >= HED_ID_COMPLEX64;
  const bool dense = k == SQUARES && divisor == 1 && step == (single ? 4 : 8) * (is_complex ? 2 : 1);
  double total = start(k);
  while (n > 0) {
    const char *p = base;
    int64_t rest = first / width, at = first % width, run = CPU_MIN(CPU_MIN(width - at, n), BLOCK);
    for (int32_t a = last - 1; a >= 0; a--) {
      p += rest % r->dim[a] * r->stride[a];
      rest /= r->dim[a];
    }
    p += at * step;
    double part = start(k);
    if (dense && single)
      part = dense_f32(run * (is_complex ? 2 : 1), (const float *)(const void *)p);
    else if (dense)
      part = dense_f64(run * (is_complex ? 2 : 1), (const double *)(const void *)p);
    else
      row(j, k, divisor, run, p, step, &part, 0);
    total = join(k, total, part);
    first += run;
    n -= run;
  }
  return total;
}

typedef struct pass {
  const job *j;
  kind kind;
  double divisor;
  const char *base;
  double part[MAX_PIECES];
} pass;

static void run_piece(void *arg, int64_t i)
{
  pass *q = arg;
  int64_t first = i * q->j->per_piece;
  q->part[i] = gather(q->j, q->kind, q->divisor, q->base, first, CPU_MIN(q->j->per_piece, q->j->count - first));
}

static double whole(const job *j, pass *q, kind k, double divisor, const char *base)
{
  if (!q)
    return gather(j, k, divisor, base, 0, j->count);
  q->kind = k;
  q->divisor = divisor;
  q->base = base;
  cpu_parallel_items(j->call, j->pieces, (k == POWERS ? 20 : 0.5) * (double)j->count, run_piece, q);
  double total = q->part[0];
  for (int64_t i = 1; i < j->pieces; i++)
    total = join(k, total, q->part[i]);
  return total;
}

/* Could the sum of squares S have lost something to overflow or underflow? */
static bool safe(double s) { return s > 0x1p-900 && s < INFINITY; }

static double root(const job *j, double sum)
{
  return j->kind == SQUARES ? sqrt(sum) : pow(sum, 1 / j->order);
}

static double one(const job *j, pass *q, const char *base)
{
  if (j->kind == COUNT || j->kind == SUM || j->kind == MOST || j->kind == LEAST)
    return whole(j, q, j->kind, 1, base);
  if (j->kind == SQUARES) {
    double s = whole(j, q, SQUARES, 1, base);
    if (safe(s) || s != s)
      return sqrt(s);
  }
  const double scale = whole(j, q, j->order > 0 ? MOST : LEAST, 1, base);
  if (scale == 0 || !isfinite(scale))
    return scale;
  return scale * root(j, whole(j, q, j->kind, scale, base));
}

static void store(const hed_view *out, char *to, double v)
{
  if (out->dtype == HED_ID_FLOAT32)
    *(float *)(void *)to = (float)v;
  else
    *(double *)(void *)to = v;
}

static void run_results(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  for (int64_t i = begin; i < end; i++) {
    char *in, *out;
    cpu_locate(&j->kept_in, &j->kept_out, i, &in, &out);
    store(&j->kept_out, out, one(j, NULL, in));
  }
}

/* Where the reduced element R of the result at BASE is. */
static const char *element(const job *j, const char *base, int64_t r)
{
  for (int32_t a = j->reduced.ndim - 1; a >= 0; a--) {
    base += r % j->reduced.dim[a] * j->reduced.stride[a];
    r /= j->reduced.dim[a];
  }
  return base;
}

/* Sums of squares of N neighbouring results, several rows at a time; both parts of a complex number count. */
static void square_columns(const job *j, int64_t n, const char *in, double *acc)
{
  static const double zero[2 * COLUMNS];
  const bool single = j->type == HED_ID_FLOAT32 || j->type == HED_ID_COMPLEX64;
  const int64_t parts = j->type >= HED_ID_COMPLEX64 ? 2 : 1;
  const int32_t last = j->reduced.ndim - 1;
  const cpu_reduce_loops *loops = &cpu_k->reduce[single ? HED_ID_FLOAT32 : HED_ID_FLOAT64];
  double part[2 * COLUMNS];
  for (int64_t r = 0, rows; r < j->count; r += rows) {
    const int64_t width = j->reduced.dim[last];
    rows = CPU_MIN(width - r % width, BLOCK);
    memset(part, 0, sizeof part);
    loops->col_sum_sq(rows, parts * n, element(j, in, r), j->reduced.stride[last], zero, part);
    for (int64_t i = 0; i < n; i++)
      acc[i] += parts == 1 ? part[i] : part[2 * i] + part[2 * i + 1];
  }
}

/* A block of neighbouring results, row by row. */
static void run_columns(void *arg, int64_t item)
{
  const job *j = arg;
  const int32_t last = j->kept_in.ndim - 1;
  const int64_t width = j->kept_in.dim[last], blocks = (width + COLUMNS - 1) / COLUMNS;
  const int64_t first = item / blocks * width + item % blocks * COLUMNS;
  const int64_t n = CPU_MIN(COLUMNS, width - item % blocks * COLUMNS), step = j->kept_in.stride[last];
  double acc[COLUMNS], part[COLUMNS];
  char *in, *out;
  cpu_locate(&j->kept_in, &j->kept_out, first, &in, &out);
  for (int64_t i = 0; i < n; i++)
    acc[i] = part[i] = start(j->kind);
  if (j->kind == SQUARES)
    square_columns(j, n, in, acc);
  for (int64_t r = 0; j->kind != SQUARES && r < j->count; r++) {
    row(j, j->kind, 1, n, element(j, in, r), step, part, 1);
    if (r % BLOCK == BLOCK - 1 || r == j->count - 1)
      for (int64_t i = 0; i < n; i++) {
        acc[i] = join(j->kind, acc[i], part[i]);
        part[i] = start(j->kind);
      }
  }
  for (int64_t i = 0; i < n; i++) {
    double v = acc[i];
    if (j->kind == SQUARES)
      v = safe(v) || v != v ? sqrt(v) : one(j, NULL, in + i * step);
    store(&j->kept_out, out + i * j->kept_out.stride[last], v);
  }
}

/* Without axes of extent 1, neighbours merged; B may be NULL. At least one axis. */
static void simplify(hed_view *a, hed_view *b)
{
  int32_t n = 0;
  for (int32_t k = 0; k < a->ndim; k++) {
    if (a->dim[k] == 1)
      continue;
    bool merge = n && a->stride[n - 1] == a->stride[k] * a->dim[k]
                 && (!b || b->stride[n - 1] == b->stride[k] * a->dim[k]);
    int32_t to = merge ? n - 1 : n++;
    a->dim[to] = merge ? a->dim[to] * a->dim[k] : a->dim[k];
    a->stride[to] = a->stride[k];
    if (b)
      b->stride[to] = b->stride[k];
  }
  if (n == 0) {
    a->dim[0] = 1;
    a->stride[0] = 0;
    if (b)
      b->stride[0] = 0;
    n = 1;
  }
  a->ndim = n;
  if (b) {
    b->ndim = n;
    memcpy(b->dim, a->dim, sizeof b->dim);
  }
}

int32_t cpu_vector_norm(void *state, const hed_call *call)
{
  const hed_reduce_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const double order = p->order;
  job j = { .call = call, .type = in->dtype, .order = order };
  (void)state;
  if (in->dtype != call->compute || (out->dtype != HED_ID_FLOAT32 && out->dtype != HED_ID_FLOAT64))
    return HED_E_UNSUPPORTED;
  j.kind = order == 0 ? COUNT : order == 1 ? SUM : order == 2 ? SQUARES : !isinf(order) ? POWERS : order > 0 ? MOST : LEAST;
  cpu_split_axes(in, out, p->axes, &j.reduced, &j.kept_in, &j.kept_out);
  j.count = hed__view_size(&j.reduced);
  j.results = hed__view_size(&j.kept_in);
  if (j.results == 0)
    return HED_OK;
  if (j.count == 0)
    return HED_E_UNSUPPORTED;
  simplify(&j.reduced, NULL);
  simplify(&j.kept_in, &j.kept_out);
  const bool pairs = in->dtype >= HED_ID_COMPLEX64; /* whose absolute values cost more than their squares */
  const double each = j.kind == POWERS || (pairs && j.kind != SQUARES) ? 20 : pairs ? 1.5 : 0.5;
  const double work = each * (double)j.count * (double)j.results;
  const int32_t last = j.kept_in.ndim - 1;
  const int64_t size = hed__id_size(in->dtype);
  if (j.kind != POWERS && j.kept_in.stride[last] == size && j.kept_in.dim[last] >= 8
      && j.reduced.stride[j.reduced.ndim - 1] != size) {
    int64_t width = j.kept_in.dim[last];
    cpu_parallel_items(call, j.results / width * ((width + COLUMNS - 1) / COLUMNS), work, run_columns, &j);
    return HED_OK;
  }
  if (j.count >= 2 * PIECE) {
    pass *q = cpu_scratch_get(sizeof *q);
    if (!q)
      return cpu_host->fail(HED_E_NOMEM, "vector_norm: no memory for partial results");
    q->j = &j;
    j.pieces = CPU_MIN((j.count + PIECE - 1) / PIECE, MAX_PIECES);
    j.per_piece = (j.count + j.pieces - 1) / j.pieces;
    j.pieces = (j.count + j.per_piece - 1) / j.per_piece;
    for (int64_t i = 0; i < j.results; i++) {
      char *from, *to;
      cpu_locate(&j.kept_in, &j.kept_out, i, &from, &to);
      store(&j.kept_out, to, one(&j, q, from));
    }
    cpu_scratch_put(q);
    return HED_OK;
  }
  cpu_parallel_for(call, j.results, 1, work, run_results, &j);
  return HED_OK;
}
