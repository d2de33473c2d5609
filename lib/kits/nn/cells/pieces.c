// SPDX-License-Identifier: BSD-3-Clause
/* What kinds of cells share.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/cells/cell.h"
#include <math.h>
#include <stdio.h>

hed_array *hed__nn_cols(const hed_array *x, int64_t from, int64_t to)
{
  const hed_slice_range r[2] = { HED_ALL, HED_RANGE(from, to, 1) };
  return hed_slice(x, 2, r);
}

hed_array *hed__nn_rows(const hed_array *x, int64_t from, int64_t to) { return hed_slice(x, 1, &HED_RANGE(from, to, 1)); }

void hed__nn_parts(const hed_array *x, int n, hed_array **out)
{
  for (int k = 0; k < n; k++)
    out[k] = NULL;
  if (x)
    (void)hed_split_sections(x, n, 1, out);
}

hed_array *hed__nn_affine(const hed_array *x, const hed_array *w, const hed_array *b)
{
  hed_array *y = hed_matmul(x, hed_matrix_transpose(w));
  return b ? hed_add(y, b) : y;
}

hed_array *hed__nn_times_dt(const hed_array *x, const hed_array *dt) { return dt ? hed_multiply(x, dt) : (hed_array *)x; }

hed_array *hed__nn_share(const hed_nn_cell *c, const hed_array *tau, const hed_array *dt)
{
  if (c->exact) {
    const hed_array *rate = dt ? hed_divide(dt, tau) : hed_reciprocal(tau);
    return hed_negative(hed_expm1(hed_negative(rate)));
  }
  const hed_array *safe = hed_add_scalar(tau, 1e-8);
  return dt ? hed_divide(dt, safe) : hed_reciprocal(safe);
}

hed_array *hed__nn_dropped(const hed_array *x, double p, uint64_t key, bool first)
{
  hed_shape s = hed_array_shape(x);
  if (!x || !(p > 0))
    return (hed_array *)x;
  if (first && s.ndim > 0)
    s.dim[0] = 1;
  hed_generator g = { key, 0 };
  const hed_array *keep = hed_random_bernoulli(s, 1 - p, hed_array_dtype(x), &(hed_random){ .generator = &g });
  return p < 1 ? hed_multiply(x, hed_multiply_scalar(keep, 1 / (1 - p))) : hed_multiply(x, keep);
}

hed_array *hed__nn_out(hed_array *kept)
{
  hed_array *out = hed_astype(kept, hed_array_dtype(kept));
  hed_release(kept);
  return out;
}

uint64_t hed__nn_hash(const char *name)
{
  uint64_t h = 14695981039346656037u; /* FNV-1a */
  for (const char *c = name; *c; c++)
    h = (h ^ (unsigned char)*c) * 1099511628211u;
  return h;
}

/* ---- lists ---- */

hed__nn_spec *hed__nn_add(hed__nn_specs *s, const char *name, hed_shape shape, int how, double low, double high)
{
  hed__nn_spec *one = &s->s[s->n++];
  *one = (hed__nn_spec){ .shape = shape, .how = how, .low = low, .high = high };
  (void)snprintf(one->name, sizeof one->name, "%s", name);
  return one;
}

void hed__nn_add_gates(const hed_nn_cell *c, hed__nn_specs *s, int64_t gates, int64_t hidden)
{
  const double l = 1 / sqrt((double)c->units);
  (void)hed__nn_add(s, "weight_ih", HED_SHAPE(gates * c->units, c->input), HED__NN_UNIFORM, -l, l);
  (void)hed__nn_add(s, "weight_hh", HED_SHAPE(gates * c->units, hidden), HED__NN_UNIFORM, -l, l);
  if (c->no_bias)
    return;
  (void)hed__nn_add(s, "bias_ih", HED_SHAPE(gates * c->units), HED__NN_UNIFORM, -l, l);
  (void)hed__nn_add(s, "bias_hh", HED_SHAPE(gates * c->units), HED__NN_UNIFORM, -l, l);
}

/* N arrays that were kept to the caller's scope, or none of them. */
hed_status hed__nn_hand_on(int n, hed_array **kept, hed_array **out, hed_status status)
{
  for (int k = 0; k < n; k++) {
    if (status == HED_OK && !(out[k] = hed__nn_out(kept[k])))
      status = hed_error();
    else if (status != HED_OK)
      hed_release(kept[k]);
  }
  for (int k = 0; k < n && status != HED_OK; k++) {
    hed_release(out[k]);
    out[k] = NULL;
  }
  return status;
}
