// SPDX-License-Identifier: BSD-3-Clause
/* Hypervectors of 10000 places by the vsa kit, rows of suite "jobs".
 *
 * Layer: L5. The floor is one read of the vectors and one write of the result, or the flops of a row.
 */
#include "bench.h"
#include <heddle/kits/vsa.h>
#include <heddle/kits/vsa_encode.h>
#include <heddle/kits/vsa_memory.h>

enum { DIM = 10000, MANY = 1000, BOOK = 100, STEPS = 10, CLASSES = 10, LABELS = INT32_MAX /* among a job's vectors */ };

static hed_vsa *fhrr, *bsc, *map, *plain; /* made by the first row that is measured, for all of them */
static hed_vsa_encoder *numbers;
static hed_vsa_classifier *classes; /* of plain */

BENCH_NEW(run_random, hed_vsa_random_from(fhrr, 0, 1, NULL))
BENCH_NEW(run_bind, hed_vsa_bind(fhrr, w->a[0], w->a[1]))
BENCH_NEW(run_bundle, hed_vsa_bundle(fhrr, w->a[0], 0, NULL))
BENCH_NEW(run_similarity, hed_vsa_similarity_matrix(fhrr, w->a[1], w->a[0]))
BENCH_NEW(run_encode, hed_vsa_encode(numbers, w->a[0]))
BENCH_NEW(run_decode, hed_vsa_decode(numbers, w->a[0], NULL))
BENCH_NEW(run_packed_bundle, hed_vsa_bundle(bsc, w->a[0], 0, NULL))
BENCH_NEW(run_packed_similarity, hed_vsa_similarity_matrix(bsc, w->a[1], w->a[0]))
BENCH_STATUS(run_fit, hed_vsa_classifier_fit(classes, w->a[0], w->a[1]))
BENCH_NEW(run_predict, hed_vsa_classifier_predict(classes, w->a[0]))

/* Of a vector that is no product, so that no estimate repeats. */
static hed_status run_resonate(bench_work *w, int64_t n)
{
  hed_status status = HED_OK;
  for (; status == HED_OK && n > 0; n--)
    HED_SCOPE_OR(return hed_error()) {
      const hed_array *book[3];
      hed_vsa_factors out;
      for (int f = 0; f < 3; f++)
        book[f] = hed_slice(w->a[0], 1, &HED_RANGE(f * BOOK, (f + 1) * BOOK, 1));
      status = hed_vsa_resonate(map, w->a[1], 3, book, &(hed_vsa_resonator_options){ .max_iterations = STEPS }, &out);
      hed_vsa_factors_clear(&out);
    }
  return status;
}

typedef struct job {
  const char *name;
  hed_vsa **of;
  int64_t vectors[2]; /* of the operands; 0: there is none, -n: n numbers; LABELS: those of the first operand */
  bench_fn run;
  double written, flops;
} job;

static const job jobs[] = {
  { "fhrr_random", &fhrr, { 0, 0 }, run_random, 8 * DIM, 40 * DIM },
  { "fhrr_bind", &fhrr, { 1, 1 }, run_bind, 8 * DIM, 20 * DIM },
  { "fhrr_bundle100", &fhrr, { 100, 0 }, run_bundle, 8 * DIM, 216 * DIM },
  { "fhrr_similarity1000", &fhrr, { MANY, 1 }, run_similarity, 4 * MANY, 8.0 * MANY * DIM },
  { "fhrr_fpe_encode1000", &fhrr, { -MANY, 0 }, run_encode, 8.0 * MANY * DIM, 48.0 * MANY * DIM },
  { "fhrr_fpe_decode", &fhrr, { 1, 0 }, run_decode, 4, 20 * 48 * DIM },
  { "bsc_bundle100", &bsc, { 100, 0 }, run_packed_bundle, DIM / 8, 0 },
  { "bsc_similarity1000", &bsc, { MANY, 1 }, run_packed_similarity, 4 * MANY, 0 },
  { "map_resonator10", &map, { 3 * BOOK, 1 }, run_resonate, 3 * STEPS * DIM / 8, 0 },
  { "map_classifier_fit1000", &plain, { MANY, LABELS }, run_fit, 4 * CLASSES * DIM, 0 },
  { "map_classifier_predict1000", &plain, { MANY, LABELS }, run_predict, 8 * MANY, 2.0 * CLASSES * MANY * DIM },
};

static hed_status make_models(void)
{
  const hed_vsa_scalar_options range = { .range = { .min = 0, .max = 1 } };
  hed_status status = HED_OK;
  if (!fhrr)
    status = hed_vsa_create(HED_VSA_FHRR, &(hed_vsa_options){ .dim = DIM }, &fhrr);
  if (status == HED_OK && !bsc)
    status = hed_vsa_create(HED_VSA_BSC, &(hed_vsa_options){ .dim = DIM, .layout = HED_VSA_PACKED }, &bsc);
  if (status == HED_OK && !map)
    status = hed_vsa_create(HED_VSA_MAP, &(hed_vsa_options){ .dim = DIM, .layout = HED_VSA_PACKED }, &map);
  if (status == HED_OK && !plain)
    status = hed_vsa_create(HED_VSA_MAP, &(hed_vsa_options){ .dim = DIM }, &plain);
  if (status == HED_OK && !numbers)
    status = hed_vsa_encoder_scalar(fhrr, &range, &numbers);
  if (status == HED_OK && !classes)
    status = hed_vsa_classifier_create(plain, CLASSES, NULL, &classes);
  return status;
}

static hed_array *operand(const job *j, int n)
{
  const int64_t m = j->vectors[n];
  if (m == LABELS)
    return hed_random_integers(HED_SHAPE(j->vectors[0]), 0, CLASSES, HED_INT64, NULL);
  return m < 0 ? hed_random_uniform(HED_SHAPE(-m), HED_FLOAT32, NULL) : hed_vsa_random_from(*j->of, n * MANY, m, NULL);
}

static hed_status prepare(bench_work *w)
{
  const job *j = w->spec->what;
  hed_status status = make_models();
  int n = 0;
  w->read = 0;
  for (; status == HED_OK && n < 2 && j->vectors[n]; n++) {
    w->a[n] = operand(j, n);
    w->read += w->a[n] ? (double)hed_array_nbytes(w->a[n]) : 0;
  }
  if (status == HED_OK)
    status = bench_have(w, n);
  if (status == HED_OK && j->run == run_predict) /* there is nothing to predict before */
    status = hed_vsa_classifier_fit(classes, w->a[0], w->a[1]);
  if (status != HED_OK)
    return status;
  if (n > 0)
    bench_say_shape(w, w->a[0]);
  w->run = j->run;
  w->written = j->written;
  w->flops = j->flops;
  return bench_floor_stream(w);
}

void bench_list_vsa(bench *b)
{
  for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
    const bench_spec s = { .suite = "jobs", .name = jobs[i].name, .size = "10k", .what = &jobs[i], .prepare = prepare,
                           .dtype = jobs[i].of == &fhrr ? HED_COMPLEX64 : jobs[i].of == &plain ? HED_INT8 : HED_UINT64 };
    bench_add(b, &s, false);
  }
}
