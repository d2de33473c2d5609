// SPDX-License-Identifier: BSD-3-Clause
/* Tucker decompositions with orthonormal factors: by truncation mode after mode, and by alternation.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/tucker/hooi.h"
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* How many of N squares, descending, are kept: as few as leave out at most DROP, at least 1, at most MOST. */
static int64_t kept(const double *squares, int64_t n, int64_t most, double drop)
{
  double left_out = 0;
  int64_t keep = n;
  while (keep > 1 && left_out + fmax(squares[keep - 1], 0) <= drop)
    left_out += fmax(squares[--keep], 0);
  return keep < most ? keep : most;
}

hed_array *hed__leading(const hed_array *y, int axis, int64_t n, double drop)
{
  const int64_t extent = hed_array_shape(y).dim[axis];
  const double epsilon = hed__tensor_epsilon(hed_array_dtype(y));
  hed_array *w = NULL, *v = NULL, *gram = hed__gram_of_mode(y, axis), *out = NULL;
  n = n < extent ? n : extent;
  if (drop < 0) /* no value is asked for */
    return hed_copy(hed__tensor_leading(gram, n));
  double *squares = gram ? malloc((size_t)extent * sizeof *squares) : NULL, sum = 0;
  if (gram && !squares)
    (void)hed_fail(HED_E_NOMEM, "tucker: no memory for %lld numbers", (long long)extent);
  if (!squares || hed__tensor_eigh(gram, &w, &v) != HED_OK)
    goto done;
  v = hed_flip(v, &HED_AXES(1));
  w = hed_flip(w, NULL);
  if (!v || !w || hed_tolist(w, squares, extent) != HED_OK)
    goto done;
  for (int64_t k = 0; k < extent; k++)
    sum += fmax(squares[k], 0);
  int64_t keep = kept(squares, extent, n, drop);
  if (drop <= 64 * (double)extent * epsilon * sum && sum > 0) { /* lost in the Gram matrix's rounding */
    hed_array *r = hed__triangle_of_mode(y, axis);
    if (!r || hed__tensor_svd(hed__tensor_conj(hed_transpose(r, NULL)), &v, &w, NULL) != HED_OK)
      goto done;
    const int64_t k = hed_array_size(w);
    if (hed_tolist(w, squares, k) != HED_OK)
      goto done;
    for (int64_t i = 0; i < k; i++)
      squares[i] *= squares[i];
    keep = kept(squares, k, n < k ? n : k, drop);
  }
  out = hed_copy(hed_slice(v, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(0, keep, 1) }));
done:
  free(squares);
  return out;
}

/* Factors and core by truncation, mode after mode; with eps > 0 the ranks become what they are. */
static hed_status truncate(hed__hooi *h, double eps)
{
  const double drop = eps > 0 ? eps * eps * h->squares / h->order : -1;
  hed_status status = HED_OK;
  hed_array *now = hed_retain(h->work);
  for (int k = 0; k < h->order && status == HED_OK; k++)
    HED_SCOPE_OR(status = hed_error()) {
      if (h->rank.dim[k] > 0 && !h->factor[k])
        status = hed__put(&h->factor[k], hed__leading(now, k, h->rank.dim[k], drop));
      if (status == HED_OK && h->factor[k]) {
        h->rank.dim[k] = hed_array_shape(h->factor[k]).dim[1];
        status = hed__put(&now, hed__hooi_project(h, now, k));
      }
    }
  if (status == HED_OK) {
    hed_release(h->core);
    h->core = now;
  } else {
    hed_release(now);
  }
  return status;
}

hed_status hed__hooi_random_factors(hed__hooi *h)
{
  hed_generator g, child[HED_MAX_NDIM];
  hed_status status = hed_check_random_state(&h->opt->random, &g);
  if (status == HED_OK)
    status = hed_generator_split(&g, h->order, child);
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k < h->order && status == HED_OK; k++)
      if (h->rank.dim[k] > 0 && !h->factor[k]) {
        const hed_random draw = { .generator = &child[k] };
        const hed_shape s = HED_SHAPE(h->shape.dim[k], h->rank.dim[k]);
        hed_array *q = NULL, *v = hed__random_values(s, h->type, true, &draw);
        status = v ? hed_qr(v, HED_QR_REDUCED, &q, NULL) : hed_error();
        if (status == HED_OK)
          status = hed__put(&h->factor[k], q);
      }
  }
  return status;
}

/* Those of START, made orthonormal; fixed ones have to be that already, or the core would not be the projection. */
static hed_status given_factors(hed__hooi *h)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k < h->order && status == HED_OK; k++)
      if (h->rank.dim[k] > 0) {
        hed_array *q = NULL, *f = hed_asarray(h->opt->start->factor[k], h->type);
        status = f ? hed_qr(f, HED_QR_REDUCED, &q, NULL) : hed_error();
        if (status == HED_OK)
          status = hed__put(&h->factor[k], q);
      }
  }
  return status;
}

static hed_status visit(hed__hooi *h, int mode, const hed_array *y)
{
  hed_status status = hed__put(&h->factor[mode], hed__leading(y, mode, h->rank.dim[mode], -1));
  if (status == HED_OK && mode == h->last)
    status = hed__put(&h->core, hed__hooi_project(h, y, mode));
  return status;
}

/* From the core's norm, where that keeps its digits. */
static hed_status error_of(hed__hooi *h, double *error)
{
  double core = 0;
  hed_status status = HED_OK;
  if (h->mask)
    return hed__hooi_error(h, true, error);
  HED_SCOPE_OR(return hed_error())
    status = hed__tensor_squares(h->op, "the core", h->core, &core);
  *error = h->squares > 0 ? sqrt(fmax(h->squares - core, 0) / h->squares) : 0;
  return status == HED_OK && *error < 30 * sqrt(h->epsilon) && h->squares > 0 ? hed__hooi_error(h, false, error) : status;
}

hed_status hed__hooi_finish(hed__hooi *h, hed__run *run, hed_status status, hed_tucker *out, hed_fit *fit)
{
  hed_tucker made = { 0 };
  if (status == HED_OK)
    snprintf(run->fit.note, sizeof run->fit.note, "%s", h->note);
  if (h->core) /* else nothing was made, by a run that was cancelled at once */
    status = hed__hooi_take_out(h, status, &made);
  status = hed__run_end(run, status, fit);
  if (status == HED_OK)
    *out = made;
  else
    hed_tucker_clear(&made);
  hed__hooi_close(h);
  return status;
}

static hed_status check_eps(const char *op, const hed_shape *ranks, double eps)
{
  if (!(eps >= 0 && eps < 1))
    return hed_fail(HED_E_INVAL, "%s: eps %g is not in [0, 1)", op, eps);
  return ranks || eps > 0 ? HED_OK : hed_fail(HED_E_INVAL, "%s: neither ranks nor eps", op);
}

/* What all have to do first. */
static hed_status clear_results(const char *op, hed_tucker *out, hed_fit *fit)
{
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_tucker){ 0 };
  return HED_OK;
}

hed_status hed_tucker_hosvd(const hed_array *x, const hed_shape *ranks, double eps, hed_tucker *out, hed_fit *fit)
{
  static const char *const op = "hed_tucker_hosvd";
  static const hed_tucker_options none;
  hed__hooi h = { .op = op, .opt = &none };
  hed__run run = { 0 };
  hed_status status = clear_results(op, out, fit);
  if (status == HED_OK)
    status = check_eps(op, ranks, eps);
  if (status == HED_OK)
    status = hed__run_begin(&run, op, NULL, 1, 0);
  if (status == HED_OK)
    status = hed__hooi_open(&h, x, ranks);
  if (status == HED_OK)
    status = truncate(&h, eps);
  if (status == HED_OK)
    status = error_of(&h, &run.fit.error);
  return hed__hooi_finish(&h, &run, status, out, fit);
}

hed_status hed_tucker_hooi(const hed_array *x, const hed_shape *ranks, const hed_tucker_options *opt, hed_tucker *out, hed_fit *fit)
{
  static const char *const op = "hed_tucker_hooi";
  static const hed_tucker_options defaults;
  hed__hooi h = { .op = op, .opt = opt ? opt : &defaults };
  hed__run run = { 0 };
  hed_status status = clear_results(op, out, fit);
  if (status == HED_OK)
    status = check_eps(op, ranks, h.opt->eps);
  if (status == HED_OK)
    status = hed__run_begin(&run, op, &h.opt->sweeps, 100, 1e-8);
  if (status == HED_OK)
    status = hed__hooi_open(&h, x, ranks);
  if (status == HED_OK && h.opt->start)
    status = given_factors(&h);
  else if (status == HED_OK && h.opt->random_start && ranks)
    status = hed__hooi_random_factors(&h);
  if (status == HED_OK && (status = truncate(&h, ranks ? 0 : h.opt->eps)) == HED_OK && h.last < 0)
    status = error_of(&h, &run.fit.error);
  if (status == HED_OK)
    hed__hooi_cut_ranks(&h);
  while (status == HED_OK && h.last >= 0 && hed__run_goes_on(&run)) {
    double error = 0;
    HED_SCOPE_OR(status = hed_error()) {
      status = hed__hooi_sweep(&h, ~h.fixed & ((1U << h.order) - 1), visit);
      if (status == HED_OK)
        status = error_of(&h, &error);
    }
    if (status == HED_OK)
      status = hed__run_swept(&run, error);
  }
  return hed__hooi_finish(&h, &run, status, out, fit);
}
