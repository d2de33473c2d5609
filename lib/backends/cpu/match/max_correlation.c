// SPDX-License-Identifier: BSD-3-Clause
/*
 * max_correlation: one template against one target, from the template's box to the running maximum. L1.
 *
 * With extents (n0, n1, n2), of which the template fills (t0, t1, t2), and h = n2 / 2 + 1:
 *   planes   r2c of t1 lines, then axis 1, for t0 planes: the other lines and planes are zeros    -> corner (t0, n1, h)
 *   columns  axis 0 of some columns forwards, times the spectrum, axis 0 backwards, all of it in the cache; what is real
 *            in space is packed in pairs, plane k as real and plane k + n0 / 2 as imaginary part    -> product (n0 / 2, n1, n2)
 *   slabs    the last two axes of a pair of planes, complex, normalised and compared in the cache; by loops of our own, a
 *            line in each lane of a vector, where extents have no prime factors above 5, else by FFTW
 * so memory sees the product written and read once, the spectrum and the maxima once, and no volume of scores. Pairs are
 * complex transforms because those use vectors better than c2r does. Two axes count as (n0, 1, n2), one as (1, 1, n2). A
 * mask adds a corner and two products.
 */
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_plan.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

typedef cpu_complex_f complex_f;

enum { TEMPLATE, MASK, SPECTRUM, SPECTRUM_SQ, OPERANDS, FILES = 3 };
/* The last two axes of a slab are by loops of our own, ALONG and DOWN, or by SLAB. */
enum { ROWS, ACROSS, FORWARD, BACKWARD, SLAB, DOWN, ALONG, PLANS };

typedef struct search {
  const hed_maxcorr_params *p;
  int n_in, n_out;            /* corners; products */
  int64_t t[3], n[3], h;
  int64_t line;               /* floats between the real lines of a plane */
  int64_t row, plane;         /* complex elements between rows and planes of a corner */
  int64_t out_row, out_plane; /* the same of a product */
  int64_t pairs;              /* of planes */
  int64_t width, step;        /* columns of a block; complex elements between its rows */
  int64_t deep;               /* pairs of a slab */
  bool streams_columns;               /* columns are transformed LANES at a time, asking for what comes next */
  bool transposed;                /* slabs go through memory of the thread, lines side by side in vectors */
  int64_t transposed_row, transposed_size; /* bytes of a row there, and of a plane */
  const float *in[2];
  const complex_f *spectrum[2];
  float *best;
  int32_t *from;
  complex_f *corner[2], *product[FILES];
  char *own;                  /* scratch per thread: a tile of fft/columns.h, then a pass's own */
  int64_t own_size, tile;
  cpu_plan *plan[PLANS];
} search;

static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* ---- the three passes ---- */

/* COUNT columns AT, ROW elements from row to row, in place. */
static void transform(const search *s, int which, complex_f *at, int64_t row, int64_t count, void *tile)
{
  const cpu_plan *plan = s->plan[which];
  if (cpu_plan_of(plan)->kind == CPU_FFT_COLUMNS)
    cpu_columns_k[0](cpu_plan_columns(plan), count, which == BACKWARD, (const char *)at, row * 8, (char *)at, row * 8, 1, tile);
  else
    cpu_plan_execute(plan, at, at);
}

static void run_planes(void *arg, int32_t part, int32_t parts)
{
  const search *s = arg;
  char *tile = s->own + part * s->own_size;
  float *rows = (float *)(void *)(tile + s->tile);
  memset(rows, 0, (size_t)(s->t[1] * s->line) * sizeof *rows);
  for (int64_t k = part; k < s->n_in * s->t[0]; k += parts) {
    const int64_t which = k / s->t[0], z = k % s->t[0];
    const float *from = s->in[which] + z * s->t[1] * s->t[2];
    complex_f *to = s->corner[which] + z * s->plane;
    for (int64_t y = 0; y < s->t[1]; y++)
      memcpy(rows + y * s->line, from + y * s->t[2], (size_t)s->t[2] * sizeof *rows);
    cpu_plan_execute(s->plan[ROWS], rows, to);
    if (s->n[1] == 1)
      continue;
    memset(to + s->t[1] * s->row, 0, (size_t)((s->n[1] - s->t[1]) * s->row) * sizeof *to);
    transform(s, ACROSS, to, s->row, s->h, tile);
  }
}

/* Columns of a block that lie in one row: COLUMNS of them from (y, x), at AT of the block. */
typedef struct stretch { int64_t y, x, at, columns; } stretch;

/* The next stretch of the block that begins with column FIRST and ends before END; S->columns 0 to begin with. */
static bool next_stretch(const search *s, stretch *r, int64_t first, int64_t end)
{
  r->at += r->columns;
  const int64_t column = first + r->at;
  r->y = column / s->h;
  r->x = column % s->h;
  r->columns = CPU_MIN(end - column, s->h - r->x);
  return r->columns > 0;
}

static void load(const search *s, complex_f *block, const complex_f *corner, int64_t first, int64_t end, void *tile)
{
  for (stretch r = { .at = 0 }; next_stretch(s, &r, first, end);)
    for (int64_t z = 0; z < s->t[0]; z++)
      memcpy(block + z * s->step + r.at, corner + z * s->plane + r.y * s->row + r.x, (size_t)r.columns * sizeof *block);
  memset(block + s->t[0] * s->step, 0, (size_t)((s->n[0] - s->t[0]) * s->step) * sizeof *block);
  if (s->n[0] > 1)
    transform(s, FORWARD, block, s->step, s->width, tile);
}

/* The half spectrum of a block's columns as packed pairs of planes, with its mirror image: the element at (-y, -x) is the
 * conjugate of that at (y, x). */
static void pack(const search *s, const complex_f *block, complex_f *product, int64_t first, int64_t end)
{
  for (stretch r = { .at = 0 }; next_stretch(s, &r, first, end);) {
    const int64_t y = r.y ? s->n[1] - r.y : 0, skip = r.x == 0; /* column 0 is its own image, as is n2 / 2 */
    const int64_t images = CPU_MIN(r.x + r.columns, (s->n[2] + 1) / 2) - r.x - skip;
    const bool another = !s->streams_columns && r.y + 1 < s->n[1] && y > 0;
    for (int64_t k = 0; k < s->pairs; k++) {
      const complex_f *a = block + k * s->step + r.at;
      const complex_f *b = k + s->pairs < s->n[0] ? a + s->pairs * s->step : NULL;
      complex_f *plane = product + k * s->out_plane;
      if (another) { /* the row below, for nothing guesses that the next block's rows will be written */
        for (int64_t i = 0; i < r.columns; i += 8)
          __builtin_prefetch(plane + (r.y + 1) * s->out_row + r.x + i, 1);
        for (int64_t i = 0; i < images; i += 8)
          __builtin_prefetch(plane + (y - 1) * s->out_row + s->n[2] - r.x - skip - i, 1);
      }
      cpu_k->pack_pair(r.columns, plane + r.y * s->out_row + r.x, a, b);
      if (images > 0)
        cpu_k->pack_image(images, plane + y * s->out_row + s->n[2] - r.x - skip, a + skip, b ? b + skip : NULL);
    }
  }
}

/* OUT may be BLOCK. */
static void filter(const search *s, complex_f *out, complex_f *block, const complex_f *spectrum, complex_f *product,
                   int64_t first, int64_t end, void *tile)
{
  static const int64_t steps[3] = { sizeof *out, sizeof *out, sizeof *out };
  const hed__map_fn multiply = cpu_k->map[CPU_MAP_MULTIPLY][HED_ID_COMPLEX64];
  for (int64_t z = 0; z < s->n[0]; z++) {
    const complex_f *from = spectrum + z * s->n[1] * s->h + first;
    char *const p[3] = { (char *)(out + z * s->step), (char *)(block + z * s->step), (char *)(uintptr_t)from };
    /* Rows are far apart: no processor guesses that the next block's will be wanted. */
    for (int64_t k = 0; k < s->width; k += 8)
      __builtin_prefetch(from + s->width + k);
    multiply(end - first, p, steps, NULL);
  }
  if (s->n[0] > 1)
    transform(s, BACKWARD, out, s->step, s->width, tile);
  pack(s, out, product, first, end);
}

static void run_columns(void *arg, int32_t part, int32_t parts)
{
  const search *s = arg;
  const int64_t columns = s->n[1] * s->h, blocks = (columns + s->width - 1) / s->width;
  char *tile = s->own + part * s->own_size;
  complex_f *block = (complex_f *)(void *)(tile + s->tile), *other = block + s->n[0] * s->step;
  for (int64_t b = blocks * part / parts; b < blocks * (part + 1) / parts; b++) {
    const int64_t first = b * s->width, end = CPU_MIN(first + s->width, columns);
    load(s, block, s->corner[TEMPLATE], first, end, tile);
    filter(s, block, block, s->spectrum[0], s->product[0], first, end, tile);
    if (s->n_in == 1)
      continue;
    load(s, block, s->corner[MASK], first, end, tile);
    filter(s, other, block, s->spectrum[0], s->product[1], first, end, tile);
    filter(s, block, block, s->spectrum[1], s->product[2], first, end, tile);
  }
}

static void add_stream(cpu_ahead *a, const void *at, int64_t pieces, int64_t step, int64_t bytes)
{
  if (a->count < CPU_AHEAD && pieces > 0 && bytes > 0)
    a->of[a->count++] = (cpu_wanted){ at, pieces, step, bytes };
}

/* The SLICE of SLICES parts of the ROWS that columns FIRST to END are read from. */
static void prefetch_rows(cpu_ahead *a, const complex_f *at, int64_t plane, int64_t rows, int64_t slice, int64_t slices,
                     int64_t first, int64_t end)
{
  const int64_t from = rows * slice / slices, to = rows * (slice + 1) / slices;
  add_stream(a, at + from * plane + round_up(first, 8), to - from, plane * 8, (end - first) * 8);
}

/* Where columns FIRST to END will be packed. */
static void prefetch_product(const search *s, cpu_ahead *a, const complex_f *product, int64_t slice, int64_t slices, int64_t first,
                        int64_t end)
{
  const int64_t from = s->pairs * slice / slices, pieces = s->pairs * (slice + 1) / slices - from, step = s->out_plane * 8;
  for (stretch r = { .at = 0 }; next_stretch(s, &r, first, end);) {
    const int64_t y = r.y ? s->n[1] - r.y : 0, last = s->n[2] - r.x - (r.x == 0), images = CPU_MIN(r.columns, last - r.x);
    const complex_f *plane = product + from * s->out_plane;
    add_stream(a, plane + r.y * s->out_row + round_up(r.x, 8), pieces, step, r.columns * 8);
    add_stream(a, plane + y * s->out_row + last - images + 1, pieces, step, images * 8);
  }
}

/* The same as run_columns, LANES columns at a time: these stay in the cache nearest to the processor from the corner to the
 * block that is packed. What the next block will read and write is prefetched on the way, in slices. */
static void run_streamed_columns(void *arg, int32_t part, int32_t parts)
{
  const search *s = arg;
  const int64_t columns = s->n[1] * s->h, blocks = (columns + s->width - 1) / s->width, lanes = cpu_rows_k->lanes;
  const int64_t size = s->n[0] * s->step, plane = s->n[1] * s->h, slices = s->width / lanes;
  const cpu_columns *plan = cpu_plan_columns(s->plan[FORWARD]);
  char *tile = s->own + part * s->own_size;
  float *rows = (float *)(void *)(tile + s->tile);
  complex_f *block = (complex_f *)(void *)(rows + s->n[0] * lanes * 2);
  const int64_t stop = blocks * (part + 1) / parts;
  for (int64_t b = blocks * part / parts; b < stop; b++) {
    /* The last block may not be a number of slices, or narrower than one: some columns are done twice. */
    const int64_t first = b * s->width, end = CPU_MIN(first + s->width, columns), base = CPU_MIN(first, columns - lanes);
    const int64_t next = b + 1 < stop ? end : columns, next_end = CPU_MIN(next + s->width, columns);
    for (int64_t i = 0; i < slices && base + i * lanes < end; i++) {
      const int64_t at = CPU_MIN(base + i * lanes, columns - lanes);
      for (int in = 0, k = 0; in < s->n_in; in++) {
        cpu_ahead ahead;
        ahead.count = 0;
        if (parts == 1) { /* else other threads made it, and read what was packed: what they have is slow to come by */
          prefetch_rows(&ahead, s->corner[in], s->plane, s->t[0], i, slices, next, next_end);
          prefetch_product(s, &ahead, s->product[in], i, slices, next, next_end);
        }
        cpu_rows_k->forward(plan, s->t[0], (const char *)(s->corner[in] + at), s->plane * 8, rows, &ahead, tile);
        for (int which = 0; which <= in; which++, k++) {
          ahead.count = 0;
          if (which == in)
            prefetch_rows(&ahead, s->spectrum[which], plane, s->n[0], i, slices, next, next_end);
          else if (parts == 1)
            prefetch_product(s, &ahead, s->product[k + 1], i, slices, next, next_end);
          cpu_rows_k->filter(plan, rows, (const char *)(s->spectrum[which] + at), plane * 8,
                             (char *)(block + k * size + at - base), s->step * 8, &ahead, tile);
        }
      }
    }
    for (int k = 0; k < s->n_out; k++)
      pack(s, block + k * size + first - base, s->product[k], first, end);
  }
}

/* One pair of planes: LANES rows at a time along the last axis, into rows that hold the real parts of so many neighbours of
 * the middle axis and then the imaginary ones; as many of these along the middle axis, and into the maximum. What comes next
 * is prefetched on the way: the maxima of this pair while rows are read, with their indices where the pair before had many to
 * look at; the next pair while those are compared. Have many elements been looked at? */
static bool run_pair(const search *s, int64_t pair, bool another, bool improves, char *tile)
{
  const int64_t lanes = cpu_rows_k->lanes, n1 = s->n[1], n2 = s->n[2], group = n1 * lanes * 8;
  const int64_t near = pair * n1 * n2, far = pair + s->pairs < s->n[0] ? near + s->pairs * n1 * n2 : -1;
  const int64_t planes_at[2] = { near, far };
  int64_t looked = 0;
  char *planes = tile + s->tile, *groups = planes + s->n_out * s->transposed_size;
  for (int k = 0; k < s->n_out; k++)
    for (int64_t y = 0; y < n1; y += lanes) {
      const int64_t rows = CPU_MIN(lanes, n1 - y), at = y * n2;
      cpu_ahead best;
      best.count = 0;
      for (int p = 0; p < 2 && k == 0; p++) {
        if (planes_at[p] < 0)
          continue;
        add_stream(&best, s->best + planes_at[p] + at, 1, 0, rows * n2 * 4);
        if (improves)
          add_stream(&best, s->from + planes_at[p] + at, 1, 0, rows * n2 * 4);
      }
      const complex_f *from = s->product[k] + pair * s->out_plane + y * s->out_row;
      cpu_rows_k->back(cpu_plan_columns(s->plan[ALONG]), false, rows, (const char *)from, s->out_row * 8,
                        planes + k * s->transposed_size + y * 8, s->transposed_row, &best, tile);
    }
  for (int64_t x = 0; x < n2; x += lanes) {
    const int64_t columns = CPU_MIN(lanes, n2 - x);
    for (int k = 0; k < s->n_out; k++) {
      cpu_ahead next;
      next.count = 0;
      if (another)
        add_stream(&next, s->product[k] + (pair + 1) * s->out_plane + x * s->out_plane / n2, 1, 0,
                   columns * s->out_plane / n2 * 8);
      cpu_rows_k->back(cpu_plan_columns(s->plan[DOWN]), true, columns, planes + k * s->transposed_size + x * s->transposed_row,
                        s->transposed_row, groups + k * group, lanes * 8, &next, tile);
    }
    float *scores = (float *)(void *)groups;
    if (s->n_out > 1)
      cpu_k->norm_scores(2 * n1 * lanes, scores, scores, 1, (const float *)(const void *)(groups + 2 * group),
                         (const float *)(const void *)(groups + group), (float)s->p->n_obs, (float)s->p->eps);
    for (int p = 0; p < 2; p++)
      if (planes_at[p] >= 0)
        looked += cpu_k->max_columns(n1, columns, scores + p * lanes, 2 * lanes, s->best + planes_at[p] + x,
                                     s->from + planes_at[p] + x, n2, s->p->index);
  }
  return looked * lanes > n1 * n2 / 4;
}

static void run_pairs(void *arg, int32_t part, int32_t parts)
{
  const search *s = arg;
  const int64_t end = s->pairs * (part + 1) / parts;
  bool improves = false;
  for (int64_t k = s->pairs * part / parts; k < end; k++)
    improves = run_pair(s, k, k + 1 < end, improves, s->own + part * s->own_size);
}

static void run_slabs(void *arg, int32_t part, int32_t parts)
{
  const search *s = arg;
  const int64_t slabs = s->pairs / s->deep, n2 = s->n[2], size = s->n[1] * n2;
  for (int64_t b = slabs * part / parts; b < slabs * (part + 1) / parts; b++) {
    for (int k = 0; k < s->n_out; k++) {
      complex_f *at = s->product[k] + b * s->deep * s->out_plane;
      cpu_plan_execute(s->plan[SLAB], at, at);
    }
    for (int64_t i = 0; i < s->deep * s->n[1]; i++) {
      const int64_t pair = b * s->deep + i / s->n[1], y = i % s->n[1], at = pair * s->out_plane + y * s->out_row;
      const int64_t near = pair * size + y * n2, far = near + s->pairs * size;
      float *scores = &s->product[0][at].re;
      if (s->n_out > 1)
        cpu_k->norm_scores(2 * n2, scores, scores, 1, &s->product[2][at].re, &s->product[1][at].re, (float)s->p->n_obs,
                           (float)s->p->eps);
      cpu_k->max_score_pair(n2, s->product[0] + at, 0, s->best + near, s->from + near, s->p->index);
      if (pair + s->pairs < s->n[0])
        cpu_k->max_score_pair(n2, s->product[0] + at, 1, s->best + far, s->from + far, s->p->index);
    }
  }
}

/* ---- plans and memory ---- */

static int32_t lease(search *s, int which, cpu_fft_kind kind, int rank, const cpu_fft_dim *dim, int loops,
                     const cpu_fft_dim *loop, bool in_place)
{
  cpu_plan_key k;
  memset(&k, 0, sizeof k);
  k.single = 1;
  k.kind = kind;
  k.sign = kind == CPU_FFT_C2C ? which == BACKWARD || which == SLAB ? 1 : -1 : 0;
  k.in_place = in_place;
  k.aligned = 1;
  k.threads = 1;
  k.effort = s->p->effort;
  for (int i = 0; i < rank; i++)
    if (dim[i].n > 1 || i == rank - 1)
      k.dim[k.rank++] = dim[i];
  for (int i = 0; i < loops; i++)
    if (loop[i].n > 1)
      k.loop[k.loops++] = loop[i];
  return cpu_plan_get(&k, false, &s->plan[which]);
}

/* Columns of N numbers: by loops of our own where there are some. False: there are none. */
static bool lease_columns(search *s, int which, int64_t n, int32_t *status)
{
  cpu_plan_key k;
  if (*status != HED_OK || !cpu_columns_serve(n, true))
    return false;
  memset(&k, 0, sizeof k);
  k.single = k.threads = k.rank = 1;
  k.kind = CPU_FFT_COLUMNS;
  k.dim[0].n = n;
  *status = cpu_plan_get(&k, false, &s->plan[which]);
  return true;
}

static int32_t lease_all(search *s)
{
  const int64_t n1 = s->n[1], n2 = s->n[2], step = s->step, row = s->row;
  const cpu_fft_dim last = { n2, 1, 1 }, lines = { s->t[1], s->line, row }, across = { n1, row, row }, beside = { s->h, 1, 1 };
  const cpu_fft_dim down = { s->n[0], step, step }, columns = { s->width, 1, 1 };
  const cpu_fft_dim slab[2] = { { n1, s->out_row, s->out_row }, last }, pairs = { s->deep, s->out_plane, s->out_plane };
  int32_t status = lease(s, ROWS, CPU_FFT_R2C, 1, &last, 1, &lines, false);
  if (n1 > 1 && !lease_columns(s, ACROSS, n1, &status) && status == HED_OK)
    status = lease(s, ACROSS, CPU_FFT_C2C, 1, &across, 1, &beside, true);
  for (int which = FORWARD; which <= BACKWARD && s->n[0] > 1; which++)
    if (!lease_columns(s, which, s->n[0], &status) && status == HED_OK)
      status = lease(s, which, CPU_FFT_C2C, 1, &down, 1, &columns, true);
  if (s->transposed) {
    (void)lease_columns(s, DOWN, n1, &status);
    (void)lease_columns(s, ALONG, n2, &status);
  } else if (status == HED_OK)
    status = lease(s, SLAB, CPU_FFT_C2C, 2, slab, 1, &pairs, true);
  return status;
}

/* Rows of so many complex elements that no two are a multiple of a few cache lines apart: columns would otherwise fall
 * into few of the cache's sets. */
static int64_t odd_lines(int64_t n) { return (n + 7) / 8 * 8 | 8; }

/* Blocks of columns of about 64 KiB: with their spectra they stay in the cache nearest to memory of one's own. */
static void choose_blocks(search *s)
{
  int64_t columns = s->n[1] * s->h, width = round_up(CPU_MAX((64 << 10) / (s->n[0] * 8), 16), 8);
  s->width = CPU_MIN(round_up(width, 16), round_up(columns, 16));
  s->step = odd_lines(s->width);
  s->deep = 1;
  for (int64_t k = 1; k <= s->pairs && k * s->n[1] * s->n[2] <= 8192; k++)
    if (s->pairs % k == 0)
      s->deep = k;
}

/* A contiguous float32 or complex64 operand, converted into *COPY where it is not one. */
static const void *dense(const hed_call *call, const hed_view *v, int dtype, void **copy, int32_t *status)
{
  if (v->dtype == dtype && hed__is_c_contiguous(v))
    return v->data;
  hed_view made = *v;
  made.dtype = dtype;
  hed__c_strides(v->ndim, v->dim, hed__id_size(dtype), made.stride);
  made.data = *copy = cpu_scratch_get((size_t)hed__view_size(v) * (size_t)hed__id_size(dtype));
  if (!*copy) {
    *status = cpu_host->fail(HED_E_NOMEM, "max_correlation: no memory to convert an operand");
    return NULL;
  }
  const int32_t done = cpu_convert(call, &made, v);
  if (done != HED_OK)
    *status = done;
  return *copy;
}

static void extents(search *s, const hed_view *x, const hed_view *best)
{
  for (int a = 0; a < 3; a++)
    s->t[a] = s->n[a] = 1;
  for (int32_t a = 0; a < best->ndim; a++) {
    int to = a == best->ndim - 1 ? 2 : a;
    s->t[to] = x->dim[a];
    s->n[to] = best->dim[a];
  }
  s->h = s->n[2] / 2 + 1;
  s->line = round_up(s->n[2], 16);
  s->streams_columns = s->n[0] > 1 && s->n[1] * s->h >= cpu_rows_k->lanes && cpu_rows_k->lanes && cpu_columns_serve(s->n[0], true);
  s->row = s->streams_columns ? s->h : s->n[1] > 1 ? odd_lines(s->h) : round_up(s->h, 8);
  s->plane = odd_lines(s->n[1] * s->row);
  s->pairs = (s->n[0] + 1) / 2;
  s->out_row = s->n[1] > 1 ? odd_lines(s->n[2]) : round_up(s->n[2], 8);
  s->out_plane = s->n[1] * s->out_row;
  s->transposed = s->n[1] > 1 && cpu_rows_k->lanes && cpu_columns_serve(s->n[1], true) && cpu_columns_serve(s->n[2], true);
  if (s->transposed) {
    s->transposed_row = odd_lines(round_up(s->n[1], cpu_rows_k->lanes)) * 8;
    s->transposed_size = s->n[2] * s->transposed_row;
  }
  choose_blocks(s);
}

/* Scratch of one thread in the pass that needs most. */
static int64_t own_bytes(const search *s)
{
  int64_t planes = s->t[1] * s->line * 4, columns = s->n_in * s->n[0] * s->step * 8;
  if (s->streams_columns)
    columns = s->n[0] * (s->n_out * s->step + cpu_rows_k->lanes) * 8;
  int64_t transposed = s->transposed ? s->n_out * (s->transposed_size + s->n[1] * cpu_rows_k->lanes * 8) : 0;
  return s->tile + round_up(CPU_MAX(CPU_MAX(planes, columns), transposed), 64) + 64;
}

static void run_all(search *s, const hed_call *call)
{
  const double size = (double)(s->n[0] * s->n[1] * s->n[2]);
  cpu_parallel_parts(call, s->n_in * s->t[0], s->n_in * 6.0 * (double)(s->t[0] * s->n[1] * s->n[2]), run_planes, s);
  cpu_parallel_parts(call, (s->n[1] * s->h + s->width - 1) / s->width, s->n_out * 8 * size,
                     s->streams_columns ? run_streamed_columns : run_columns, s);
  if (s->transposed)
    cpu_parallel_parts(call, s->pairs, s->n_out * 8 * size, run_pairs, s);
  else
    cpu_parallel_parts(call, s->pairs / s->deep, s->n_out * 8 * size, run_slabs, s);
}

/* Is CALL one for these loops? Then all of S that needs no memory. */
static bool begin(search *s, const hed_call *call)
{
  const hed_view *best = call->out[0], *from = call->out[1];
  *s = (search){ .p = call->params };
  if (call->compute != HED_ID_COMPLEX64 || best->ndim < 1 || best->ndim > 3 || best->dtype != HED_ID_FLOAT32 ||
      !hed__is_c_contiguous(best) || !hed__is_c_contiguous(from))
    return false;
  if (hed__view_size(best) == 0 || hed__view_size(call->in[TEMPLATE]) == 0)
    return false;
  s->n_in = s->p->normalise ? 2 : 1;
  s->n_out = s->p->normalise ? 3 : 1;
  s->best = best->data;
  s->from = from->data;
  extents(s, call->in[TEMPLATE], best);
  s->tile = cpu_columns_tile(CPU_MAX(CPU_MAX(s->n[0], s->n[1]), s->transposed ? s->n[2] : 1));
  s->own_size = own_bytes(s);
  return true;
}

static size_t shared_bytes(const search *s)
{
  /* the last row's end: lines are read in whole vectors */
  return (size_t)(s->n_in * s->t[0] * s->plane + s->n_out * s->pairs * s->out_plane + 16) * sizeof(complex_f);
}

static size_t threads_bytes(const search *s, const hed_call *call)
{
  return (size_t)(s->own_size * CPU_MAX(call->max_threads, 1));
}

size_t cpu_workspace(void *state, const hed_call *call)
{
  (void)state;
  search s;
  return call->op == HED_OP_MAX_CORRELATION && begin(&s, call) ? shared_bytes(&s) + threads_bytes(&s, call) : 0;
}

int32_t cpu_max_correlation(void *state, const hed_call *call)
{
  (void)state;
  const hed_view *best = call->out[0];
  search s;
  if (!begin(&s, call))
    return HED_E_UNSUPPORTED;

  void *copy[OPERANDS] = { NULL };
  int32_t status = HED_OK;
  int64_t corner = s.t[0] * s.plane, product = s.pairs * s.out_plane;
  complex_f *block = cpu_scratch_get(shared_bytes(&s));
  s.own = cpu_scratch_get(threads_bytes(&s, call));
  if (!block || !s.own)
    status = cpu_host->fail(HED_E_NOMEM, "max_correlation: no memory for transforms of %lld elements",
                            (long long)hed__view_size(best));
  for (int k = 0; k < s.n_in && status == HED_OK; k++) {
    s.in[k] = dense(call, call->in[TEMPLATE + k], HED_ID_FLOAT32, &copy[TEMPLATE + k], &status);
    if (status == HED_OK)
      s.spectrum[k] = dense(call, call->in[SPECTRUM + k], HED_ID_COMPLEX64, &copy[SPECTRUM + k], &status);
  }
  for (int k = 0; k < s.n_in && block; k++)
    s.corner[k] = block + k * corner;
  for (int k = 0; k < s.n_out && block; k++)
    s.product[k] = block + s.n_in * corner + k * product;
  if (status == HED_OK)
    status = lease_all(&s);
  if (status == HED_OK)
    run_all(&s, call);
  for (int k = 0; k < PLANS; k++)
    cpu_plan_put(s.plan[k]);
  for (int k = 0; k < OPERANDS; k++)
    cpu_scratch_put(copy[k]);
  cpu_scratch_put(s.own);
  cpu_scratch_put(block);
  return status;
}
