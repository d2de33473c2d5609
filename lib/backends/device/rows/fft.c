// SPDX-License-Identifier: BSD-3-Clause
/* Fourier transforms by the layer's own kernels: any length, axis after axis, each in launches of a factor (kernels/fft.k). L1.
 *
 * A job is a list of launches between an operand, a result and two halves of scratch memory, made before the submission begins.
 */
#include "backends/device/rows/fft.h"
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include <string.h>

enum { MOST_PRIME = 61, MOST_FACTORS = 64, SCRATCH = 0, GIVEN_X, GIVEN_OUT };

/* ---- the job's memory ---- */

static dev_fft_place in_scratch(dev_fft_job *j, int64_t elements)
{
  const dev_fft_place p = { SCRATCH, j->bytes };
  j->bytes += dev_part_bytes((size_t)elements * (size_t)hed__id_size(j->dtype));
  return p;
}

static dev_fft_step *add(dev_device *d, dev_fft_job *j, const char *entry, int64_t items)
{
  const dev_spec spec = dev_spec_of("fft", j->dtype);
  if (j->status == HED_OK && j->n_steps == DEV_FFT_STEPS)
    j->status = HED_E_UNSUPPORTED;
  dev_fft_step *s = &j->step[j->n_steps < DEV_FFT_STEPS ? j->n_steps : 0];
  memset(s, 0, sizeof *s);
  s->args = (hed__fft_args){ .items = items, .inner = 1, .ns = 1, .step = 1, .narrow = items <= INT32_MAX,
                             .inverse = j->sign > 0, .scale = dev_number_bits(d, 1) };
  if (j->status == HED_OK)
    j->status = dev_kernel(d, &spec, entry, &s->entry);
  if (j->status == HED_OK)
    j->n_steps++;
  return s;
}

/* The step's pointers. */
static void between(dev_fft_step *s, dev_fft_place out, const dev_fft_place *x, const dev_fft_place *table)
{
  s->place[s->n++] = out;
  if (x)
    s->place[s->n++] = *x;
  if (table)
    s->place[s->n++] = *table;
}

/* The roots of unity of N. */
static dev_fft_place table_of(dev_device *d, dev_fft_job *j, int64_t n)
{
  for (int32_t k = 0; k < j->n_tables; k++)
    if (j->table[k].n == n)
      return j->table[k].place;
  const dev_fft_place p = in_scratch(j, n);
  dev_fft_step *s = add(d, j, "fft_table", n);
  s->args.n = n;
  between(s, p, NULL, NULL);
  if (j->n_tables < HED_MAX_NDIM)
    j->table[j->n_tables++].place = p, j->table[j->n_tables - 1].n = n;
  return p;
}

/* ---- lengths ---- */

/* N's factors, large ones first; how many, or 0 where one is too large. */
static int32_t factors_of(int64_t n, int64_t factor[MOST_FACTORS])
{
  static const int64_t tried[] = { 8, 7, 5, 4, 3, 2 };
  int32_t count = 0;
  for (size_t k = 0; k < sizeof tried / sizeof *tried; k++)
    for (; n % tried[k] == 0; n /= tried[k])
      factor[count++] = tried[k];
  for (int64_t p = 11; p <= MOST_PRIME; p += 2)
    for (; n % p == 0; n /= p)
      factor[count++] = p;
  return n == 1 ? count : 0;
}

static const char *butterfly(int64_t factor)
{
  static const char *const names[] = { [2] = "fft_2", [3] = "fft_3", [4] = "fft_4", [5] = "fft_5", [7] = "fft_7", [8] = "fft_8" };
  return factor < 9 ? names[factor] : "fft_prime";
}

/* What is at J's place, x[a, r, c] of N along r, whose factors are known, between its place and SPARE, which take turns. TABLE of
 * N * STEP roots. */
static void passes(dev_device *d, dev_fft_job *j, dev_fft_place *at, dev_fft_place spare[2], int64_t a, int64_t n, int64_t c,
                   dev_fft_place table, int64_t step, bool inverse)
{
  int64_t factor[MOST_FACTORS], ns = 1;
  const int32_t count = factors_of(n, factor);
  for (int32_t k = 0; k < count; k++, ns *= factor[k - 1]) {
    const bool large = factor[k] > 8;
    dev_fft_step *s = add(d, j, butterfly(factor[k]), a * c * (large ? n : n / factor[k]));
    s->args.n = n;
    s->args.inner = c;
    s->args.ns = ns;
    s->args.factor = factor[k];
    s->args.step = step;
    s->args.inverse = inverse;
    const dev_fft_place to = spare[at->base == SCRATCH && at->offset == spare[0].offset];
    between(s, to, at, &table);
    *at = to;
  }
}

/* L. Bluestein: as a convolution in a circle of M elements. */
static void by_convolution(dev_device *d, dev_fft_job *j, dev_fft_place *at, int64_t a, int64_t n, int64_t c)
{
  int64_t m = 1;
  while (m < 2 * n - 1)
    m *= 2;
  const dev_fft_place chirp = in_scratch(j, n), table = table_of(d, j, m);
  dev_fft_place circle[2] = { in_scratch(j, m), in_scratch(j, m) }, filter = circle[0];
  dev_fft_step *s = add(d, j, "fft_chirp", n);
  s->args.n = n;
  between(s, chirp, NULL, NULL);
  s = add(d, j, "fft_chirp_filter", m);
  s->args.n = m;
  s->args.other = n;
  between(s, filter, &chirp, NULL);
  passes(d, j, &filter, circle, 1, m, 1, table, 1, false);
  for (int part = 0; part < 3; part++) {
    static const char *const names[] = { "fft_chirp_in", "fft_multiply", "fft_chirp_out" };
    s = add(d, j, names[part], a * c * (part < 2 ? m : n));
    s->args.n = m;
    s->args.inner = c;
    s->args.other = n;
    const dev_fft_place to = j->work[at->base == SCRATCH && at->offset == j->work[0].offset];
    between(s, to, at, part == 1 ? &filter : &chirp);
    *at = to;
    if (part < 2)
      passes(d, j, at, j->work, a, m, c, table, 1, part == 1);
  }
}

static int64_t work_of(int64_t a, int64_t n, int64_t c)
{
  int64_t factor[MOST_FACTORS], m = 1;
  if (n == 1 || factors_of(n, factor))
    return a * n * c;
  while (m < 2 * n - 1)
    m *= 2;
  return a * m * c;
}

static void along(dev_device *d, dev_fft_job *j, dev_fft_place *at, int64_t a, int64_t n, int64_t c)
{
  int64_t factor[MOST_FACTORS];
  if (n == 1)
    return;
  if (factors_of(n, factor))
    passes(d, j, at, j->work, a, n, c, table_of(d, j, n), 1, j->sign > 0);
  else
    by_convolution(d, j, at, a, n, c);
}

/* ---- real lines: the last axis, ROWS of N ---- */

/* Another place for what a step of OTHER kinds makes. */
static dev_fft_place next_place(const dev_fft_job *j, dev_fft_place at)
{
  return j->work[at.base == SCRATCH && at.offset == j->work[0].offset];
}

static void step_to(dev_device *d, dev_fft_job *j, const char *entry, int64_t items, int64_t n, int64_t other, dev_fft_place *at,
                    const dev_fft_place *table)
{
  dev_fft_step *s = add(d, j, entry, items);
  const dev_fft_place to = next_place(j, *at);
  s->args.n = n;
  s->args.other = other;
  between(s, to, at, table);
  *at = to;
}

/* Transforms of even length that are done by pairs: those whose half has no large factor. */
static bool by_pairs(int64_t n)
{
  int64_t factor[MOST_FACTORS];
  return n % 2 == 0 && (n == 2 || factors_of(n / 2, factor));
}

static void from_real(dev_device *d, dev_fft_job *j, dev_fft_place *at, int64_t rows, int64_t n)
{
  const int64_t other = n / 2 + 1;
  if (by_pairs(n)) {
    const dev_fft_place table = table_of(d, j, n);
    passes(d, j, at, j->work, rows, n / 2, 1, table, 2, j->sign > 0);
    step_to(d, j, "fft_half", rows * other, n, other, at, &table);
  } else {
    step_to(d, j, "fft_widen", rows * n, n, n, at, NULL);
    along(d, j, at, rows, n, 1);
    step_to(d, j, "fft_take", rows * other, n, other, at, NULL);
  }
}

static void to_real(dev_device *d, dev_fft_job *j, dev_fft_place *at, int64_t rows, int64_t n)
{
  const int64_t other = n / 2 + 1;
  if (by_pairs(n)) {
    const dev_fft_place table = table_of(d, j, n);
    step_to(d, j, "fft_whole", rows * (n / 2), n, other, at, &table);
    passes(d, j, at, j->work, rows, n / 2, 1, table, 2, j->sign > 0);
  } else {
    step_to(d, j, "fft_mirror", rows * n, n, other, at, NULL);
    along(d, j, at, rows, n, 1);
    step_to(d, j, "fft_real", rows * n, n, n, at, NULL);
  }
}

/* ---- the whole ---- */

int32_t dev_fft_prepare(dev_device *d, dev_fft_job *j, const dev_fft_shape *f)
{
  dev_fft_place at = { GIVEN_X, 0 };
  int64_t dim[HED_MAX_NDIM], size = 1, most = 1;
  const int32_t halved = f->ndim - 1;
  memset(j, 0, sizeof *j);
  j->dtype = f->dtype;
  j->sign = f->sign;
  for (int32_t k = 0; k < f->ndim; k++) {
    dim[k] = f->real && k == halved ? f->dim[k] / 2 + 1 : f->dim[k];
    size *= dim[k];
  }
  for (int32_t k = 0; k < f->ndim; k++) {
    const int64_t n = f->dim[k], need = work_of(size / dim[k], n, 1);
    most = (f->axes >> k & 1) && need > most ? need : most;
  }
  most = size > most ? size : most;
  j->work[0] = in_scratch(j, most);
  j->work[1] = in_scratch(j, most);
  if (f->real && f->forward)
    from_real(d, j, &at, size / dim[halved], f->dim[halved]);
  for (int32_t k = f->ndim - 1; k >= 0; k--) {
    int64_t inner = 1;
    for (int32_t i = k + 1; i < f->ndim; i++)
      inner *= dim[i];
    if ((f->axes >> k & 1) && !(f->real && k == halved))
      along(d, j, &at, size / inner / dim[k], dim[k], inner);
  }
  if (f->real && !f->forward)
    to_real(d, j, &at, size / dim[halved], f->dim[halved]);
  if (at.base == GIVEN_X) /* all lengths are 1 */
    step_to(d, j, "fft_take", size, 1, 1, &at, NULL);
  if (j->status != HED_OK)
    return j->status;
  j->step[j->n_steps - 1].place[0] = (dev_fft_place){ GIVEN_OUT, 0 };
  j->step[j->n_steps - 1].args.scale = dev_number_bits(d, f->scale);
  for (int32_t k = 0; k < j->n_steps; k++)
    j->reads += j->step[k].n > 1 && j->step[k].place[1].base == GIVEN_X && k < j->n_steps - 1;
  return HED_OK;
}

int32_t dev_fft_submit(dev_submit *q, const dev_fft_job *j, void *out, void *x, void *scratch)
{
  char *const base[] = { scratch, x, out };
  int32_t status = HED_OK;
  for (int32_t k = 0; k < j->n_steps && status == HED_OK; k++) {
    const dev_fft_step *s = &j->step[k];
    void *pointer[3];
    for (int32_t i = 0; i < s->n; i++)
      pointer[i] = base[s->place[i].base] + s->place[i].offset;
    status = dev_submit_items(q, s->entry, (uint64_t)s->args.items, s->n, pointer, &s->args, sizeof s->args);
  }
  return status;
}

/* ---- the row ---- */

static bool is_real(const hed_view *v) { return hed__id_kind(v->dtype) != HED_KIND_COMPLEX; }

/* V with the axis AXIS last; as it is where that is none. */
static hed_view with_last(const hed_view *v, int32_t axis)
{
  hed_view p = *v;
  for (int32_t k = axis; axis >= 0 && k < v->ndim; k++) {
    const int32_t from = k + 1 < v->ndim ? k + 1 : axis;
    p.dim[k] = v->dim[from];
    p.stride[k] = v->stride[from];
  }
  return p;
}

static bool overlap(const hed_view *a, const hed_view *b)
{
  char *low[2], *high[2];
  const hed_view *v[2] = { a, b };
  for (int i = 0; i < 2; i++) {
    low[i] = high[i] = v[i]->data;
    for (int32_t k = 0; k < v[i]->ndim; k++) {
      const int64_t reach = (v[i]->dim[k] - 1) * v[i]->stride[k];
      low[i] += reach < 0 ? reach : 0;
      high[i] += reach > 0 ? reach : 0;
    }
    high[i] += hed__id_size(v[i]->dtype);
  }
  return low[0] < high[1] && low[1] < high[0];
}

/* Pairs of V's real numbers are read as complex ones. */
static bool misaligned(const hed_view *v, int32_t pair) { return (uintptr_t)v->data % (size_t)hed__id_size(pair) != 0; }

static int32_t run(dev_device *d, const hed_call *c, dev_fft_job *j)
{
  const hed_fft_params *p = c->params;
  const bool real_in = is_real(c->in[0]), real_out = is_real(c->out[0]);
  const int32_t halved = real_in || real_out ? p->axis[p->n_axes - 1] : -1;
  const hed_view x = with_last(c->in[0], halved), y = with_last(c->out[0], halved);
  const bool wide = hed__id_size(hed__real_of(c->compute)) == 8;
  const int32_t number = wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32, pair = wide ? HED_ID_COMPLEX128 : HED_ID_COMPLEX64;
  dev_fft_shape f = { .ndim = x.ndim, .dim = real_out ? y.dim : x.dim, .dtype = pair, .sign = p->sign, .scale = p->scale,
                      .real = real_in || real_out, .forward = real_in };
  dev_pack from, to;
  dev_submit q;
  void *scratch;
  for (int32_t k = 0; k < p->n_axes; k++)
    f.axes |= 1u << (halved < 0 || p->axis[k] < halved ? p->axis[k] : p->axis[k] == halved ? x.ndim - 1 : p->axis[k] - 1);
  int32_t status = dev_fft_prepare(d, j, &f);
  if (status == HED_OK)
    status = dev_pack_dense(d, &from, &x, real_in ? number : pair, misaligned(&x, pair), false);
  if (status == HED_OK) /* what reads the operand and writes the result at once wants them apart */
    status = dev_pack_dense(d, &to, &y, real_out ? number : pair,
                            misaligned(&y, pair) || (j->reads == 0 && !from.needed && overlap(&x, &y)), true);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, j->bytes + from.bytes + to.bytes + 256, &scratch);
  char *at = (char *)scratch + j->bytes;
  if (status == HED_OK)
    status = dev_pack_in(&q, &from, &at);
  dev_pack_out(&to, &at);
  if (status == HED_OK)
    status = dev_fft_submit(&q, j, to.data, from.data, scratch);
  if (status == HED_OK)
    status = dev_pack_finish(&q, &to);
  return dev_submit_end(&q, status, c->ticket);
}

int32_t dev_fft_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_fft_params *p = c->params;
  const bool real_in = is_real(c->in[0]), real_out = is_real(c->out[0]);
  if (c->host_in || (real_in && real_out) || ((real_in || real_out) && p->n_axes < 1))
    return HED_E_UNSUPPORTED;
  if (hed__view_size(c->out[0]) == 0 || hed__view_size(c->in[0]) == 0)
    return dev_nothing_call(state, c);
  dev_fft_job *j = d->host->alloc(sizeof *j, 0);
  if (!j)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a transform", d->name);
  const int32_t status = run(d, c, j);
  d->host->free(j);
  return status;
}
