// SPDX-License-Identifier: BSD-3-Clause
/* Suite "elementwise", what moves elements or adds them up elsewhere.
 *
 * Layer: L5. Bytes are those of the elements and of the indices, each counted once: a gather at random indices fetches more, so
 * that the floor of such rows is a loop over the same indices.
 */
#include "bench.h"
#include <math.h>

BENCH_NEW(copy, hed_copy(w->a[0]))
BENCH_NEW(copy_view, hed_copy(w->a[1]))
BENCH_NEW(roll, hed_roll(w->a[0], &HED_AXES(3, 5), &HED_AXES(0, 1)))
BENCH_NEW(take, hed_take(w->a[0], w->a[1], 0))
BENCH_NEW(scatter_add, hed_scatter_add(w->a[0], w->a[1], w->spec->dim[0] * w->spec->dim[1], 0))
BENCH_STATUS(index_add, hed_addat(w->a[2], 1, &HED_IDX(w->a[1]), w->a[0]))
BENCH_NEW(mask, hed_get(w->a[0], 1, &HED_MASK(w->a[1])))
BENCH_NEW(concatenate, hed_concatenate(2, (const hed_array *const[]){ w->a[0], w->a[1] }, 0))
BENCH_NEW(concatenate1, hed_concatenate(2, (const hed_array *const[]){ w->a[0], w->a[1] }, 1))
BENCH_NEW(stack_last, hed_stack(2, (const hed_array *const[]){ w->a[0], w->a[1] }, -1))
BENCH_NEW(repeat, hed_repeat(w->a[0], 2, NULL))
BENCH_NEW(tril, hed_tril(w->a[0], 0))
BENCH_NEW(softmax, hed_softmax(w->a[0], 1))
BENCH_NEW(tile, hed_tile(w->a[0], HED_SHAPE(2, 2)))
BENCH_NEW(pad, hed_pad(w->a[0], HED_SHAPE(3, 3), HED_SHAPE(3, 3), 0))
BENCH_NEW(pad_reflect, hed_pad_with(w->a[0], HED_SHAPE(3, 3), HED_SHAPE(3, 3), HED_PAD_REFLECT, 0))
BENCH_NEW(zeros, hed_zeros(HED_SHAPE(w->spec->dim[0], w->spec->dim[1]), w->spec->dtype))
BENCH_NEW(arange, hed_arange(0, (double)(w->spec->dim[0] * w->spec->dim[1]), 1, w->spec->dtype))

enum second { NONE, TRANSPOSED, FLIPPED, ROTATED, PERMUTED, INDICES, TARGET, MASK, AGAIN };

typedef struct movement {
  const char *name;
  bench_fn run;
  bool square;             /* rows and columns, else one axis */
  enum second second;
  double read, written;    /* elements per element */
  double index;            /* bytes of indices per element */
  double flops;
} movement;

static const movement movements[] = {
  { "copy", copy, true, NONE, 1, 1, 0, 0 },
  { "transpose_copy", copy_view, true, TRANSPOSED, 1, 1, 0, 0 },
  { "flip", copy_view, true, FLIPPED, 1, 1, 0, 0 },
  { "rot90", copy_view, true, ROTATED, 1, 1, 0, 0 },
  { "permute", copy_view, true, PERMUTED, 1, 1, 0, 0 },
  { "tile", tile, true, NONE, 1, 4, 0, 0 },
  { "pad", pad, true, NONE, 1, 1, 0, 0 },
  { "pad_reflect", pad_reflect, true, NONE, 1, 1, 0, 0 },
  { "roll", roll, true, NONE, 1, 1, 0, 0 },
  { "take", take, false, INDICES, 1, 1, 8, 0 },
  { "scatter_add", scatter_add, false, INDICES, 1, 1, 8, 1 },
  { "index_add", index_add, false, TARGET, 2, 1, 8, 1 },
  { "boolean_mask", mask, false, MASK, 1, 0.5, 1, 0 },
  { "concatenate", concatenate, false, AGAIN, 2, 2, 0, 0 },
  { "concatenate_axis1", concatenate1, true, NONE, 1, 2, 0, 0 },
  { "stack_last", stack_last, true, NONE, 1, 2, 0, 0 },
  { "repeat", repeat, false, NONE, 1, 2, 0, 0 },
  { "tril", tril, true, NONE, 0.3125, 1, 0, 0 },
  { "softmax", softmax, true, NONE, 1, 1, 0, 24 },
  { "zeros", zeros, true, NONE, 0, 1, 0, 0 },
  { "arange", arange, false, NONE, 0, 1, 0, 1 },
};

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const movement *m = s->what;
  int64_t n = s->dim[0] * s->dim[1];
  double size = (double)hed_dtype_size(s->dtype);
  const hed_random opt = { .seed = 3, .seeded = true };
  w->a[0] = m->square ? bench_normal(s, HED_SHAPE(s->dim[0], s->dim[1])) : bench_values(s, HED_SHAPE(n));
  switch (m->second) {
  case NONE: w->a[1] = hed_retain(w->a[0]); break;
  case TRANSPOSED: w->a[1] = hed_transpose(w->a[0], NULL); break;
  case FLIPPED: w->a[1] = hed_flip(w->a[0], &HED_AXES(1)); break;
  case ROTATED: w->a[1] = hed_rot90(w->a[0], 1, 0, 1); break;
  case PERMUTED: {
    hed_array *box = hed_reshape(w->a[0], HED_SHAPE(s->dim[0], s->dim[1] / 20, 20));
    w->a[1] = hed_transpose(box, &HED_AXES(2, 0, 1));
    hed_release(box);
    break;
  }
  case INDICES:
  case TARGET: w->a[1] = hed_random_integers(HED_SHAPE(n), 0, n, HED_INT64, &opt); break;
  case AGAIN: w->a[1] = bench_values(s, HED_SHAPE(n)); break;
  case MASK: w->a[1] = hed_random_bernoulli(HED_SHAPE(n), 0.5, HED_BOOL, &opt); break;
  }
  if (m->second == TARGET)
    w->a[2] = hed_zeros(HED_SHAPE(n), s->dtype);
  hed_status status = bench_have(w, m->second == TARGET ? 3 : 2);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[0]);
  w->run = m->run;
  w->content = m->run == zeros ? BENCH_ZERO : BENCH_VALUES;
  w->read = (m->read * size + m->index) * (double)n;
  w->written = m->written * size * (double)n;
  w->flops = m->flops * (double)n;
  return m->second == INDICES || m->second == TARGET ? bench_floor_indexed(w, w->a[0], w->a[1], m->run != take, m->run == scatter_add)
                                                    : bench_floor_stream(w);
}

void bench_list_movement(bench *b)
{
  static const struct { const char *size; int64_t rows, cols; } sizes[] = { { "1e3", 25, 40 }, { "1e5", 250, 400 },
                                                                            { "1e7", 2500, 4000 } };
  for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
    for (size_t i = 0; i < sizeof movements / sizeof movements[0]; i++)
      for (int wide = 0; wide < 2; wide++) {
        bench_spec s = { .suite = "elementwise", .name = movements[i].name, .what = &movements[i], .prepare = prepare,
                         .dtype = wide ? HED_FLOAT64 : HED_FLOAT32, .dim = { sizes[z].rows, sizes[z].cols } };
        snprintf(s.size, sizeof s.size, "%s", sizes[z].size);
        bench_add(b, &s, false);
      }
}
