// SPDX-License-Identifier: BSD-3-Clause
/* Suite "fft". The floor is FFTW itself, called beside ours with as many threads and as much planning.
 *
 * Layer: L5. Flops are the customary 5 N log2 N, half of it for real transforms, whatever the extents.
 */
#include "fft.h"
#include <math.h>

BENCH_NEW(fftn, hed_fftn(w->a[0], w->own))
BENCH_NEW(rfftn, hed_rfftn(w->a[0], w->own))
BENCH_NEW(irfftn, hed_irfftn(w->a[0], w->own))
BENCH_STATUS(fftn_out, hed_fftn_into(w->a[1], w->a[0], w->own))
BENCH_STATUS(rfftn_out, hed_rfftn_into(w->a[1], w->a[0], w->own))

typedef struct grid {
  const char *size;
  int rank, n[3], batch;
  bool wide; /* also in double precision */
} grid;

static const grid grids[] = {
  { "32x1024", 1, { 1024 }, 32, true },
  { "32x1000", 1, { 1000 }, 32, false },
  { "32x1021", 1, { 1021 }, 32, false },
  { "32x65536", 1, { 65536 }, 32, true },
  { "512^2", 2, { 512, 512 }, 1, true },
  { "1000^2", 2, { 1000, 1000 }, 1, false },
  { "16x256^2", 2, { 256, 256 }, 16, false },
  { "32^3", 3, { 32, 32, 32 }, 1, true },
  { "64^3", 3, { 64, 64, 64 }, 1, true },
  { "100^3", 3, { 100, 100, 100 }, 1, false },
  { "128^3", 3, { 128, 128, 128 }, 1, true },
  { "192^3", 3, { 192, 192, 192 }, 1, false },
};

typedef struct kind {
  const char *name;
  bench_fn run;
  int fftw;
  bool into;
} kind;

static const kind kinds[] = {
  { "fftn", fftn, BENCH_C2C, false },
  { "fftn_out", fftn_out, BENCH_C2C, true },
  { "rfftn", rfftn, BENCH_R2C, false },
  { "rfftn_out", rfftn_out, BENCH_R2C, true },
  { "irfftn", irfftn, BENCH_C2R, false },
};

static void drop(bench_work *w)
{
  free(w->own);
}

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const kind *k = s->what;
  const grid *g = &grids[s->dim[0]];
  bool wide = s->dtype == HED_FLOAT64 || s->dtype == HED_COMPLEX128;
  hed_shape shape = { 0 };
  hed_fft *opt = calloc(1, sizeof *opt);
  if (!opt)
    return hed_fail(HED_E_NOMEM, "no memory");
  w->own = opt;
  w->drop = drop;
  if (g->batch > 1)
    shape.dim[shape.ndim++] = g->batch;
  double points = g->batch, cells = 1;
  for (int i = 0; i < g->rank; i++) {
    opt->axes.axis[opt->axes.n++] = shape.ndim;
    opt->s.dim[opt->s.ndim++] = g->n[i];
    shape.dim[shape.ndim++] = g->n[i];
    cells *= g->n[i];
  }
  points *= cells;
  w->a[0] = bench_normal(s, shape);
  if (k->fftw == BENCH_C2R) {
    hed_array *x = w->a[0];
    w->a[0] = hed_rfftn(x, opt);
    hed_release(x);
  }
  if (k->into) {
    w->a[1] = k->fftw == BENCH_R2C ? hed_rfftn(w->a[0], opt) : hed_fftn(w->a[0], opt);
  }
  hed_status status = bench_have(w, k->into ? 2 : 1);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[0]);
  w->run = k->run;
  w->flops = (k->fftw == BENCH_C2C ? 5 : 2.5) * points * log2(cells);
  w->read = w->written = (k->fftw == BENCH_C2C ? 2 : 1) * (wide ? 8 : 4) * points;
  return bench_floor_fftw(w, k->fftw, g->rank, g->n, g->batch, s->threads);
}

void bench_list_fft(bench *b)
{
  for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      for (int wide = 0; wide <= grids[i].wide; wide++) {
        bench_spec s = { .suite = "fft", .name = kinds[k].name, .what = &kinds[k], .prepare = prepare,
                         .dim = { (int64_t)i } };
        s.dtype = kinds[k].fftw == BENCH_C2C ? (wide ? HED_COMPLEX128 : HED_COMPLEX64) : wide ? HED_FLOAT64 : HED_FLOAT32;
        snprintf(s.size, sizeof s.size, "%s", grids[i].size);
        bench_add(b, &s, false);
      }
}
