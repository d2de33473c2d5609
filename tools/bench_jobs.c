// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_jobs.c: suite "jobs", work of several operations: hypervectors of phasors, coherence factor and gCNR of ultrasound.
 * Matching and tensor decompositions are files of their own.
 *
 * Layer: L5. Bytes are those that the job reads and writes at least, whatever its intermediate results.
 */
#include "bench.h"
#include <math.h>

enum { VECTOR = 10000 };

static hed_array *bind(const hed_array *a, const hed_array *b)
{
  hed_array *z = hed_multiply(a, b), *r = hed_sign(z);
  hed_release(z);
  return r;
}

static hed_array *similarity(const hed_array *book, const hed_array *query)
{
  hed_array *c = hed_conj(query), *z = hed_matmul(book, c), *re = hed_real(z), *d = hed_scalar(VECTOR);
  hed_array *r = hed_divide(re, d);
  hed_release(c);
  hed_release(z);
  hed_release(re);
  hed_release(d);
  return r;
}

/* exp(i x theta) for all x and theta */
static hed_array *encode(const hed_array *x, const hed_array *theta)
{
  hed_array *r = NULL;
  HED_SCOPE HED_FUSED {
    r = hed_keep(hed_exp(hed_multiply_complex(hed_multiply(x, theta), 0, 1)));
  }
  return r;
}

/* |sum over channels|^2 / (channels * sum over channels of |.|^2), by rows that stay in a cache between the two sums */
static hed_array *coherence(const hed_array *x)
{
  enum { ROWS = 4 };
  const hed_reduce first = { .axes = HED_AXES(0) };
  const hed_shape s = hed_array_shape(x);
  hed_array *r = hed_empty(HED_SHAPE(s.dim[1], s.dim[2]), HED_FLOAT32);
  hed_status status = r ? HED_OK : hed_error();
  for (int64_t row = 0; row < s.dim[1] && status == HED_OK; row += ROWS)
    HED_SCOPE {
      hed_array *part = hed_slice(x, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(row, row + ROWS, 1) });
      hed_array *top = hed_square(hed_abs(hed_sum(part, &first))), *power = hed_square(hed_vector_norm(part, 2, &first));
      status = hed_divide_into(hed_slice(r, 1, &HED_RANGE(row, row + ROWS, 1)), top,
                               hed_multiply_scalar(power, (double)s.dim[0]));
    }
  if (status == HED_OK)
    return r;
  hed_release(r);
  return NULL;
}

/* 1 - sum of the smaller of two histograms' shares; x is both regions, one after the other */
static hed_array *gcnr(const hed_array *in, const hed_array *out)
{
  const hed_histogram_options opt = { .bins = 256, .use_range = true, .low = -8, .high = 8 };
  hed_array *h = NULL, *k = NULL;
  hed_histogram(in, &opt, &h, NULL);
  hed_histogram(out, &opt, &k, NULL);
  hed_array *both = hed_minimum(h, k), *sum = hed_sum(both, NULL), *n = hed_scalar((double)hed_array_size(in));
  hed_array *share = hed_divide(sum, n), *one = hed_scalar(1), *r = hed_subtract(one, share);
  hed_array *const all[] = { h, k, both, sum, n, share, one };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
  return r;
}

static hed_array *bundle(const hed_array *x)
{
  hed_array *sum = hed_sum(x, &(hed_reduce){ .axes = HED_AXES(0) }), *r = hed_sign(sum);
  hed_release(sum);
  return r;
}

BENCH_NEW(run_random, hed_random_phasor(HED_SHAPE(VECTOR), HED_COMPLEX64, NULL))
BENCH_NEW(run_bind, bind(w->a[0], w->a[1]))
BENCH_NEW(run_bundle, bundle(w->a[0]))
BENCH_NEW(run_similarity, similarity(w->a[0], w->a[1]))
BENCH_NEW(run_encode, encode(w->a[0], w->a[1]))
BENCH_NEW(run_coherence, coherence(w->a[0]))
BENCH_NEW(run_gcnr, gcnr(w->a[0], w->a[1]))

typedef struct job {
  const char *name, *size;
  bool complex;
  int ndim[2];
  int64_t dim[2][3];
  bench_fn run;
  double written, flops; /* elements of the result's bytes, flops */
} job;

static const job jobs[] = {
  { "fhrr_random", "10k", true, { 1, 1 }, { { 1 }, { 1 } }, run_random, 8 * VECTOR, 40 * VECTOR },
  { "fhrr_bind", "10k", true, { 1, 1 }, { { VECTOR }, { VECTOR } }, run_bind, 8 * VECTOR, 20 * VECTOR },
  { "fhrr_bundle100", "10k", true, { 2, 1 }, { { 100, VECTOR }, { 1 } }, run_bundle, 8 * VECTOR, 216 * VECTOR },
  { "fhrr_similarity1000", "10k", true, { 2, 1 }, { { 1000, VECTOR }, { VECTOR } }, run_similarity, 4000, 8e3 * VECTOR },
  { "fhrr_fpe_encode1000", "10k", false, { 2, 1 }, { { 1000, 1 }, { VECTOR } }, run_encode, 8e3 * VECTOR, 48e3 * VECTOR },
  { "coherence_factor", "64x1000x1000", true, { 3, 1 }, { { 64, 1000, 1000 }, { 1 } }, run_coherence, 4e6, 384e6 },
  { "gcnr", "1000x1000", false, { 1, 1 }, { { 500000 }, { 500000 } }, run_gcnr, 0, 4e6 },
};

static hed_status prepare(bench_work *w)
{
  const job *j = w->spec->what;
  w->read = 0;
  for (int i = 0; i < 2; i++) {
    hed_shape shape = { .ndim = j->ndim[i] };
    memcpy(shape.dim, j->dim[i], sizeof j->dim[i]);
    w->a[i] = bench_normal(w->spec, shape);
    w->read += (double)hed_array_nbytes(w->a[i]);
  }
  hed_status status = bench_have(w, 2);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[0]);
  w->run = j->run;
  w->written = j->written;
  w->flops = j->flops;
  return bench_floor_stream(w);
}

void bench_list_jobs(bench *b)
{
  bench_list_match(b);
  bench_list_tensor(b);
  bench_list_filters(b);
  bench_list_ultrasound(b);
  for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
    bench_spec s = { .suite = "jobs", .name = jobs[i].name, .what = &jobs[i], .prepare = prepare,
                     .dtype = jobs[i].complex ? HED_COMPLEX64 : HED_FLOAT32 };
    snprintf(s.size, sizeof s.size, "%s", jobs[i].size);
    bench_add(b, &s, false);
  }
}
