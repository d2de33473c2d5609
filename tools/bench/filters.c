// SPDX-License-Identifier: BSD-3-Clause
/* Suite "jobs", filters of images, convolutions, losses and what else works on a matrix as a whole.
 *
 * Layer: L5. Images of 1000 x 1000, waves of 10^6, batches of 1000 rows of 1000. The floor is reading and writing once, or the
 * flops of the plain formula.
 */
#include "bench.h"

#define X w->a[0]
#define Y w->a[1]
#define LABELS w->a[2]
enum { SIDE = 1000, TAPS = 9, BOX = 5, CLASSES = 1000 };

BENCH_NEW(convolve, hed_convolve(X, Y, HED_CONVOLVE_SAME))
BENCH_NEW(convolve2d, hed_convolve2d(X, Y, HED_CONVOLVE_SAME))
BENCH_NEW(gaussian, hed_gaussian_filter(X, 1, &(double){ 2 }, NULL))
BENCH_NEW(uniform, hed_uniform_filter(X, BOX, NULL))
BENCH_NEW(median, hed_median_filter(X, 3, NULL))
BENCH_NEW(maximum, hed_maximum_filter_with(X, BOX, NULL))
BENCH_NEW(sobel, hed_sobel(X, 0, NULL))
BENCH_NEW(spline, hed_spline_filter(X, NULL, 0))
BENCH_NEW(zoom, hed_zoom(X, HED_SHAPE(2 * SIDE, 2 * SIDE), NULL))
BENCH_NEW(mse, hed_mse(X, Y, NULL))
BENCH_NEW(huber, hed_huber_loss(X, Y, NULL))
BENCH_NEW(crossentropy, hed_binary_crossentropy(X, Y, NULL))
BENCH_NEW(sparse, hed_sparse_categorical_crossentropy(X, LABELS, &(hed_loss){ .from_logits = true }))
BENCH_NEW(cosine, hed_cosine_similarity(X, Y, 1))
BENCH_NEW(normalize, hed_normalize_vector(X, &HED_AXES(1)))
BENCH_NEW(log_softmax, hed_log_softmax(X, 1))

/* The second operand: none, as the first, a few weights, a box of them, labels of rows. */
enum second { NONE, ALIKE, WEIGHTS, WINDOW, ROWS };

typedef struct filter {
  const char *name, *size;
  bench_fn run;
  bool flat;
  enum second second;
  double written, flops; /* elements of the result, flops: per element */
} filter;

static const filter filters[] = {
  { "convolve", "1e6x9", convolve, true, WEIGHTS, 1, 2 * TAPS },
  { "convolve2d", "1000^2x5^2", convolve2d, false, WINDOW, 1, 2 * BOX * BOX },
  { "gaussian_filter", "1000^2", gaussian, false, NONE, 1, 2 * 2 * 9 },
  { "uniform_filter", "1000^2x5^2", uniform, false, NONE, 1, 6 },
  { "median_filter", "1000^2x3^2", median, false, NONE, 1, 38 },
  { "maximum_filter", "1000^2x5^2", maximum, false, NONE, 1, 6 },
  { "sobel", "1000^2", sobel, false, NONE, 1, 6 },
  { "spline_filter", "1000^2", spline, false, NONE, 1, 10 },
  { "zoom", "1000^2", zoom, false, NONE, 4, 4 * 40 },
  { "mse", "1e6", mse, true, ALIKE, 0, 3 },
  { "huber_loss", "1e6", huber, true, ALIKE, 0, 6 },
  { "binary_crossentropy", "1e6", crossentropy, true, ALIKE, 0, 60 },
  { "sparse_crossentropy", "1000^2", sparse, false, ROWS, 0, 22 },
  { "cosine_similarity", "1000^2", cosine, false, ALIKE, 1.0 / SIDE, 6 },
  { "normalize_vector", "1000^2", normalize, false, NONE, 1, 3 },
  { "log_softmax", "1000^2", log_softmax, false, NONE, 1, 22 },
};

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const filter *f = s->what;
  const hed_random opt = { .seed = 3, .seeded = true, .low = 0.1, .high = 0.9 }, plain = { .seed = 4, .seeded = true };
  const hed_shape shape = f->flat ? HED_SHAPE(SIDE * SIDE) : HED_SHAPE(SIDE, SIDE);
  const double n = SIDE * SIDE, size = (double)hed_dtype_size(s->dtype);
  X = hed_random_uniform(shape, s->dtype, &opt);
  switch (f->second) {
  case WEIGHTS: Y = bench_values(s, HED_SHAPE(TAPS)); break;
  case WINDOW: Y = bench_values(s, HED_SHAPE(BOX, BOX)); break;
  case ALIKE: Y = hed_random_uniform(shape, s->dtype, &(hed_random){ .seed = 5, .seeded = true, .low = 0.1, .high = 0.9 }); break;
  default: Y = hed_retain(X);
  }
  LABELS = f->second == ROWS ? hed_random_integers(HED_SHAPE(SIDE), 0, CLASSES, HED_INT64, &plain) : hed_retain(X);
  hed_status status = bench_have(w, 3);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, X);
  w->run = f->run;
  w->read = size * n * (f->second == ALIKE ? 2 : 1);
  w->written = f->written * size * n;
  w->flops = f->flops * n;
  return bench_floor_stream(w);
}

void bench_list_filters(bench *b)
{
  for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
    for (int wide = 0; wide < 2; wide++) {
      bench_spec s = { .suite = "jobs", .name = filters[i].name, .what = &filters[i], .prepare = prepare,
                       .dtype = wide ? HED_FLOAT64 : HED_FLOAT32 };
      snprintf(s.size, sizeof s.size, "%s", filters[i].size);
      bench_add(b, &s, false);
    }
}
