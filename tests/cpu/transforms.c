// SPDX-License-Identifier: BSD-3-Clause
/* Transforms large enough to be cut into pieces, on the cpu backend by one thread and by several, against the reference
 * backend in double precision: extents that leave smaller last pieces, rows a power of two apart, batches, odd lines,
 * layouts that are not contiguous, padding, into the operand itself. L5.
 */
#include "gen.h"
#include "tap.h"
#include <float.h>
#include <heddle.h>
#include <math.h>

typedef enum layout { PLAIN, TURNED, STEPS, PADDED } layout;

typedef struct grid {
  int ndim;
  int64_t dim[4];
  int n_axes, axis[3];
  layout layout;
} grid;

static const grid grids[] = {
  { 2, { 129, 136 }, 2, { 0, 1 }, PLAIN },           { 2, { 128, 128 }, 2, { 0, 1 }, PLAIN },
  { 2, { 256, 130 }, 2, { 0, 1 }, TURNED },          { 2, { 131, 145 }, 2, { 0, 1 }, STEPS },
  { 3, { 32, 33, 34 }, 3, { 0, 1, 2 }, PLAIN },      { 3, { 32, 32, 64 }, 3, { 0, 1, 2 }, PLAIN },
  { 3, { 40, 16, 51 }, 3, { 0, 1, 2 }, PADDED },     { 3, { 3, 128, 160 }, 2, { 1, 2 }, PLAIN },
  { 3, { 5, 64, 66 }, 2, { 1, 2 }, PLAIN },          { 3, { 96, 20, 24 }, 2, { 0, 1 }, PLAIN },
  { 3, { 24, 50, 30 }, 2, { 2, 0 }, TURNED },        { 4, { 2, 24, 20, 36 }, 3, { 1, 2, 3 }, PLAIN },
  { 2, { 133, 254 }, 1, { 1 }, PLAIN },              { 2, { 257, 101 }, 1, { 1 }, STEPS },
  { 2, { 128, 200 }, 1, { 0 }, PLAIN },              { 3, { 2, 512, 40 }, 1, { 1 }, PLAIN },
  { 4, { 300, 4, 6, 8 }, 3, { 1, 2, 3 }, PLAIN },    { 1, { 40000 }, 1, { 0 }, PLAIN },
  { 2, { 31, 187 }, 1, { 1 }, PLAIN },               { 3, { 6, 3, 143 }, 1, { 2 }, TURNED },
  { 2, { 3, 1021 }, 1, { 1 }, STEPS },               { 2, { 90, 209 }, 2, { 0, 1 }, PLAIN },
  { 3, { 40, 48, 30 }, 3, { 0, 1, 2 }, PLAIN },      { 3, { 17, 45, 50 }, 2, { 1, 2 }, PLAIN },
  { 3, { 36, 60, 27 }, 3, { 0, 1, 2 }, PADDED },     { 3, { 16, 100, 30 }, 3, { 0, 1, 2 }, TURNED },
  { 2, { 24, 20 }, 2, { 0, 1 }, PLAIN },             { 2, { 512, 72 }, 2, { 0, 1 }, PLAIN },
  { 3, { 9, 25, 128 }, 3, { 0, 1, 2 }, STEPS },      { 3, { 5, 625, 16 }, 2, { 1, 2 }, PLAIN },
};

typedef enum fft_kind { FORWARD, TO_HALF, FROM_HALF } fft_kind;

/* An array of SHAPE of which every second element in memory is another's. */
static hed_array *stepped(hed_shape s, hed_array *(*make)(hed_shape, hed_dtype), hed_dtype type)
{
  s.dim[s.ndim++] = 2;
  return hed_index(make(s, type), -1, 0);
}

static hed_array *empty(hed_shape s, hed_dtype type) { return hed_zeros(s, type); }

static hed_array *uniform(hed_shape s, hed_dtype type)
{
  static uint64_t seed;
  hed_random opt = { .seed = tap_seed() + seed++, .seeded = true, .low = -1, .high = 1 };
  hed_array *x = hed_random_uniform(s, HED_FLOAT64, &opt);
  if (hed_dtype_kind(type) == HED_KIND_COMPLEX) {
    opt.seed = tap_seed() + seed++;
    x = hed_add(x, hed_multiply(hed_random_uniform(s, HED_FLOAT64, &opt), hed_scalar_complex(0, 1)));
  }
  return hed_copy(hed_astype(x, type));
}

static hed_array *draw(const grid *g, fft_kind k, hed_dtype type)
{
  hed_shape s = { .ndim = g->ndim }, made = s;
  for (int i = 0; i < g->ndim; i++)
    s.dim[i] = g->dim[i];
  if (k == FROM_HALF) {
    int last = g->axis[g->n_axes - 1];
    s.dim[last] = s.dim[last] / 2 + 1;
  }
  made = s;
  if (g->layout == STEPS)
    return stepped(s, uniform, type);
  for (int i = 0; i < g->ndim; i++)
    made.dim[i] = g->layout == TURNED ? s.dim[g->ndim - 1 - i] : g->layout == PADDED && i < 2 ? s.dim[i] / 2 : s.dim[i];
  hed_array *x = uniform(made, type);
  return g->layout == TURNED ? hed_transpose(x, NULL) : g->layout == PADDED ? hed_topleft_pad(x, s, 0) : x;
}

typedef hed_array *transform_fn(const hed_array *, const hed_fft *);

static double difference(const hed_array *a, const hed_array *b)
{
  double worst = NAN;
  hed_array *d = hed_max(hed_abs(hed_subtract(hed_astype(a, HED_COMPLEX128), b)), NULL);
  if (!d || hed_item(d, &worst) != HED_OK)
    diag("%s", hed_error_text());
  return worst;
}

static void compare(fft_kind kind, const grid *g, bool single)
{
  static transform_fn *const fns[] = { hed_fftn, hed_rfftn, hed_irfftn };
  static hed_status (*const into[])(hed_array *, const hed_array *, const hed_fft *) = { hed_fftn_into, hed_rfftn_into,
                                                                                       hed_irfftn_into };
  static const char *const names[] = { "fftn", "rfftn", "irfftn" }, *const contexts[] = { "cpu;threads=1", "cpu;threads=3" };
  hed_fft opt = { .norm = HED_NORM_ORTHO };
  double points = 1, worst = 0;
  for (int k = 0; k < g->n_axes; k++) {
    opt.axes.axis[opt.axes.n++] = g->axis[k];
    opt.s.dim[opt.s.ndim++] = g->dim[g->axis[k]];
    points *= (double)g->dim[g->axis[k]];
  }
  hed_dtype real = single ? HED_FLOAT32 : HED_FLOAT64, complex_type = single ? HED_COMPLEX64 : HED_COMPLEX128;
  double bound = 4 * (single ? (double)FLT_EPSILON : DBL_EPSILON) * (2 + log2(points));
  HED_SCOPE {
    hed_array *x = draw(g, kind, kind == TO_HALF ? real : complex_type), *before = hed_copy(x), *truth = NULL;
    HED_BACKEND_CONTEXT("reference")
      truth = hed_keep(hed_astype(fns[kind](hed_astype(x, kind == TO_HALF ? HED_FLOAT64 : HED_COMPLEX128), &opt),
                                  HED_COMPLEX128));
    for (int k = 0; k < 2; k++)
      HED_BACKEND_CONTEXT(contexts[k]) {
        hed_array *y = fns[kind](x, &opt);
        hed_array *part = stepped(hed_array_shape(y), empty, kind == FROM_HALF ? real : complex_type);
        worst = fmax(worst, difference(y, truth));
        if (into[kind](part, x, &opt) != HED_OK)
          fail("into steps: %s", hed_error_text());
        worst = fmax(worst, difference(part, truth));
        if (kind == FORWARD) {
          hed_array *z = hed_copy(x);
          if (hed_fftn_into(z, z, &opt) != HED_OK)
            fail("in place: %s", hed_error_text());
          worst = fmax(worst, difference(z, truth));
        }
      }
    bool same = difference(x, hed_astype(before, HED_COMPLEX128)) == 0;
    ok(worst <= bound && same, "%s of grid %d, %s: off by %.2g of %.2g, operand %s", names[kind], (int)(g - grids),
       single ? "single" : "double", worst, bound, same ? "kept" : "changed");
    hed_release(truth);
  }
}

/* Lines of an odd length in pairs: a small one beside a large one keeps its digits, and what is not finite stays in its
 * line. */
static void unlike(void)
{
  enum { N = 143, ROWS = 8 };
  static const double size[ROWS] = { 1e6, 1, INFINITY, 1, 1, 1e6, 1, INFINITY };
  HED_BACKEND_CONTEXT("cpu;threads=1") HED_SCOPE {
    hed_array *rows = uniform(HED_SHAPE(ROWS, N), HED_FLOAT32), *z = NULL;
    hed_array *x = hed_multiply(rows, hed_astype(hed_from_host(size, HED_SHAPE(ROWS, 1), HED_FLOAT64), HED_FLOAT32));
    hed_array *y = hed_rfftn(x, &(hed_fft){ .axes = HED_AXES(1) });
    hed_array *back = hed_irfftn(y, &(hed_fft){ .axes = HED_AXES(1), .s = HED_SHAPE(N) });
    for (int k = 0; k < ROWS; k++) {
      if (size[k] != 1)
        continue;
      HED_BACKEND_CONTEXT("reference")
        z = hed_keep(hed_rfftn(hed_astype(hed_index(x, 0, k), HED_FLOAT64), NULL));
      double off = difference(hed_index(y, 0, k), z), home = difference(hed_index(back, 0, k), hed_index(x, 0, k));
      ok(off < 1e-4 && home < 1e-5, "row %d beside one of another size: off by %.2g there, %.2g back", k, off, home);
      hed_release(z);
    }
  }
}

/* One number that is not one, anywhere in either line of a pair, leaves the other line what it is alone. */
static void one_nan(bool back)
{
  enum { N = 143, HALF = N / 2 + 1 };
  static float list[2][2 * N];
  const int64_t wide = back ? HALF : N, parts = back ? 2 * HALF : N;
  const hed_dtype t = back ? HED_COMPLEX64 : HED_FLOAT32;
  const hed_fft line = { .axes = HED_AXES(-1), .s = HED_SHAPE(N) };
  int wrong = 0;
  HED_BACKEND_CONTEXT("cpu;threads=1") for (int64_t at = 0; at < 2 * parts; at++) HED_SCOPE {
    gen g;
    gen_seed(&g, (uint64_t)at);
    const int64_t odd = at / parts, same = 1 - odd;
    for (int64_t k = 0; k < 2 * parts; k++)
      list[k / parts][k % parts] = (float)gen_double(&g, -1, 1);
    list[odd][at % parts] = NAN;
    float both[2][2 * N], alone[2 * N];
    for (int64_t k = 0; k < 2 * parts; k++)
      (&both[0][0])[k] = list[k / parts][k % parts];
    hed_array *two = hed_from_host(both, HED_SHAPE(2, wide), t), *one = hed_from_host(list[same], HED_SHAPE(wide), t);
    two = hed_index(back ? hed_irfftn(two, &line) : hed_rfftn(two, &line), 0, same);
    one = back ? hed_irfftn(one, &line) : hed_rfftn(one, &line);
    const size_t bytes = back ? N * sizeof(float) : HALF * 2 * sizeof(float);
    wrong += hed_to_host(hed_copy(two), both, bytes) != HED_OK || hed_to_host(one, alone, bytes) != HED_OK;
    for (size_t k = 0; k < bytes / sizeof(float); k++)
      wrong += !(fabsf((&both[0][0])[k] - alone[k]) < 1e-4f);
  }
  is_int(wrong, 0, "a NaN in the other line, %s", back ? "back" : "there");
}

/* A view of SHAPE whose axes lie in any order in memory, some of them backwards. */
static hed_array *shuffled(gen *g, hed_shape s, hed_array *(*make)(hed_shape, hed_dtype), hed_dtype type)
{
  int order[4] = { 0, 1, 2, 3 };
  hed_shape lies = s;
  hed_axes back = { .n = s.ndim };
  for (int k = s.ndim - 1; k > 0; k--) {
    const int j = (int)gen_below(g, (uint64_t)k + 1), t = order[k];
    order[k] = order[j];
    order[j] = t;
  }
  for (int k = 0; k < s.ndim; k++) {
    lies.dim[k] = s.dim[order[k]];
    back.axis[order[k]] = k;
  }
  hed_array *x = hed_transpose(make(lies, type), &back);
  for (int k = 0; k < s.ndim; k++)
    if (gen_chance(g, 30))
      x = hed_flip(x, &HED_AXES(k));
  return x;
}

/* Operands and results of any layout: FFTW does not plan all of them. */
static void any_layout(gen *g, bool single)
{
  static const int64_t extents[] = { 2, 3, 4, 5, 6, 7, 8, 12 };
  const hed_dtype real = single ? HED_FLOAT32 : HED_FLOAT64, full = single ? HED_COMPLEX64 : HED_COMPLEX128;
  double worst = 0;
  for (int trial = 0; trial < 60; trial++)
    HED_BACKEND_CONTEXT("cpu;threads=1") HED_SCOPE {
      hed_shape s = { .ndim = (int)gen_int(g, 3, 4) }, half;
      hed_fft opt = { .norm = HED_NORM_ORTHO };
      for (int k = 0; k < s.ndim; k++) {
        s.dim[k] = extents[gen_below(g, 8)];
        opt.s.dim[k] = s.dim[k];
        opt.axes.axis[opt.axes.n++] = k;
      }
      opt.s.ndim = s.ndim;
      half = s;
      half.dim[s.ndim - 1] = s.dim[s.ndim - 1] / 2 + 1;
      hed_array *x = shuffled(g, s, uniform, full), *y = shuffled(g, s, empty, full), *truth = NULL;
      hed_array *r = shuffled(g, s, uniform, real), *rs = shuffled(g, half, empty, full), *back = shuffled(g, s, empty, real);
      if (hed_fftn_into(y, x, &opt) != HED_OK || hed_rfftn_into(rs, r, &opt) != HED_OK
          || hed_irfftn_into(back, rs, &opt) != HED_OK)
        fail("any layout: %s", hed_error_text());
      HED_BACKEND_CONTEXT("reference")
        truth = hed_keep(hed_fftn(hed_astype(x, HED_COMPLEX128), &opt));
      worst = fmax(worst, fmax(difference(y, truth), difference(back, r)));
      hed_release(truth);
    }
  ok(worst <= 300 * (single ? (double)FLT_EPSILON : DBL_EPSILON), "any layout, %s: off by %.2g", single ? "single" : "double",
     worst);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  if (hed_backend_require("cpu") != HED_OK)
    skip_all("%s", hed_error_text());
  for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
    for (int single = 0; single < 2; single++)
      for (int k = 0; k < 3; k++)
        compare((fft_kind)k, &grids[i], single);
  unlike();
  one_nan(false);
  one_nan(true);
  any_layout(&g, true);
  any_layout(&g, false);
  done_testing();
  return done();
}
