// SPDX-License-Identifier: BSD-3-Clause
/* A table of kinds, each a distribution whose width follows from the fans.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include "kits/member.h"
#include <heddle/kits/nn_init.h>
#include <math.h>

typedef enum draw { FIXED, SPAN, SPREAD, OTHER } draw;

static const struct row {
  const char *name;
  draw how;         /* FIXED: VALUE; SPAN: uniform; SPREAD: normal                             */
  double low, high; /* of SPAN without fans                                                   */
  double in, out;   /* with fans: width^2 is NUMBER / (in fan_in + out fan_out)                */
  double number;
} rows[HED_NN_INITS] = {
  { "zeros", FIXED, 0, 0, 0, 0, 0 },
  { "ones", FIXED, 0, 0, 0, 0, 1 },
  { "constant", FIXED, 0, 0, 0, 0, 0 },
  { "uniform", SPAN, -0.05, 0.05, 0, 0, 0 },
  { "normal", SPREAD, 0, 0, 0, 0, 0 },
  { "glorot_uniform", SPAN, 0, 0, 1, 1, 6 },
  { "glorot_normal", SPREAD, 0, 0, 1, 1, 2 },
  { "he_uniform", SPAN, 0, 0, 1, 0, 6 },
  { "he_normal", SPREAD, 0, 0, 1, 0, 2 },
  { "lecun_uniform", SPAN, 0, 0, 1, 0, 3 },
  { "lecun_normal", SPREAD, 0, 0, 1, 0, 1 },
  { "orthogonal", OTHER, 0, 0, 0, 0, 0 },
  { "truncated_normal", OTHER, 0, 0, 0, 0, 0 },
  { "binomial", OTHER, 0, 0, 0, 0, 0 },
  { "identity", OTHER, 0, 0, 0, 0, 0 },
  { "ltc_gleak", SPAN, 0.001, 1, 0, 0, 0 },
  { "ltc_vleak", SPAN, -0.2, 0.2, 0, 0, 0 },
  { "ltc_cm", SPAN, 0.4, 0.6, 0, 0, 0 },
  { "ltc_w", SPAN, 0.001, 1, 0, 0, 0 },
  { "ltc_sigma", SPAN, 3, 8, 0, 0, 0 },
  { "ltc_mu", SPAN, 0.3, 0.8, 0, 0, 0 },
};

const char *hed_nn_init_name(int kind) { return kind >= 0 && kind < HED_NN_INITS ? rows[kind].name : NULL; }

hed_status hed_nn_init_by_name(const char *name, hed_nn_init *out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_nn_init_by_name: out is NULL");
  const int k = hed__train_named("hed_nn_init_by_name", "initialiser", name, HED_NN_INITS, hed_nn_init_name);
  if (k >= 0)
    *out = (hed_nn_init)k;
  return k >= 0 ? HED_OK : hed_error();
}

static void fans(hed_shape s, bool out_first, double *in, double *out)
{
  double field = 1;
  if (s.ndim < 2) {
    *in = *out = s.ndim == 1 ? (double)s.dim[0] : 1;
    return;
  }
  for (int k = out_first ? 2 : 0; k < (out_first ? s.ndim : s.ndim - 2); k++)
    field *= (double)s.dim[k];
  *in = field * (double)(out_first ? s.dim[1] : s.dim[s.ndim - 2]);
  *out = field * (double)(out_first ? s.dim[0] : s.dim[s.ndim - 1]);
}

static hed_status check(hed_shape s, hed_dtype t, int kind, const hed_nn_init_options *o)
{
  const double number[] = { o->value, o->low, o->high, o->mean, o->std, o->gain, o->p };
  const char *const named[] = { "value", "low", "high", "mean", "std", "gain", "p" };
  if (hed__expect_member("hed_nn_initial", "kind", kind, 0, HED_NN_INITS - 1, "hed_nn_init") != HED_OK)
    return hed_error();
  if (!t || hed_dtype_kind(t) != HED_KIND_FLOAT)
    return hed_fail(HED_E_DTYPE, "hed_nn_initial: the dtype is %s, not a real float type", t ? hed_dtype_name(t) : "NULL");
  for (int k = 0; k < 7; k++)
    if (!isfinite(number[k]))
      return hed_fail(HED_E_INVAL, "hed_nn_initial: %s is %g, not finite", named[k], number[k]);
  if (o->gain < 0)
    return hed_fail(HED_E_INVAL, "hed_nn_initial: gain is %g, below 0", o->gain);
  if (o->std < 0)
    return hed_fail(HED_E_INVAL, "hed_nn_initial: std is %g, below 0", o->std);
  if ((o->low != 0 || o->high != 0) && !(o->low < o->high))
    return hed_fail(HED_E_INVAL, "hed_nn_initial: low is %g, not below high, %g", o->low, o->high);
  if (o->p < 0 || o->p > 1)
    return hed_fail(HED_E_INVAL, "hed_nn_initial: p is %g, not in [0, 1]", o->p);
  if ((kind == HED_NN_INIT_ORTHOGONAL && s.ndim < 2) || (kind == HED_NN_INIT_IDENTITY && s.ndim != 2))
    return hed_fail(HED_E_SHAPE, "hed_nn_initial: %s is for %s, the shape has %d axes", rows[kind].name,
                    kind == HED_NN_INIT_IDENTITY ? "matrices" : "two axes at least", (int)s.ndim);
  return HED_OK;
}

/* Q of a normal matrix, with the signs of R's diagonal, which makes it Haar distributed. */
static hed_array *orthogonal(hed_shape s, hed_dtype t, double gain, const hed_random *r)
{
  int64_t rows_ = s.dim[0], columns = 1;
  for (int k = 1; k < s.ndim; k++)
    columns *= s.dim[k];
  if (rows_ == 0 || columns == 0)
    return hed_zeros(s, t);
  const bool wide = rows_ < columns;
  const hed_dtype in = t == HED_FLOAT64 ? t : HED_FLOAT32;
  hed_array *q = NULL, *upper = NULL;
  hed_array *x = hed_random_normal(wide ? HED_SHAPE(columns, rows_) : HED_SHAPE(rows_, columns), in, r);
  if (!x || hed_qr(x, HED_QR_REDUCED, &q, &upper) != HED_OK)
    return NULL;
  hed_array *d = hed_diagonal(upper, 0, 0, 1);
  hed_array *sign = hed_where_scalar(hed_less_scalar(d, 0), hed_full_like(d, -gain), gain);
  q = hed_multiply(q, sign);
  return hed_astype(hed_reshape(wide ? hed_matrix_transpose(q) : q, s), t);
}

static hed_array *made(hed_shape s, hed_dtype t, int kind, const hed_nn_init_options *o, uint64_t key)
{
  const struct row *w = &rows[kind];
  const double gain = o->gain != 0 ? o->gain : 1, std = o->std > 0 ? o->std : 0.05;
  const bool given = o->low != 0 || o->high != 0;
  hed_random r = { .seed = key, .seeded = true };
  double in = 1, out = 1;
  fans(s, o->out_first, &in, &out);
  const double spread = w->in > 0 ? gain * sqrt(w->number / fmax(w->in * in + w->out * out, 1)) : std;
  switch (w->how) {
  case FIXED:
    return hed_full(s, kind == HED_NN_INIT_CONSTANT ? o->value : w->number, t);
  case SPAN:
    r.low = w->in > 0 ? -spread : kind == HED_NN_INIT_UNIFORM && given ? o->low : w->low;
    r.high = w->in > 0 ? spread : kind == HED_NN_INIT_UNIFORM && given ? o->high : w->high;
    return hed_random_uniform(s, t, &r);
  case SPREAD:
    r.mean = w->in > 0 ? 0 : o->mean;
    r.std = spread;
    return hed_random_normal(s, t, &r);
  default:
    break;
  }
  if (kind == HED_NN_INIT_ORTHOGONAL)
    return orthogonal(s, t, gain, &r);
  if (kind == HED_NN_INIT_BINOMIAL)
    return hed_random_bernoulli(s, o->p > 0 ? o->p : 0.5, t, &r);
  if (kind == HED_NN_INIT_IDENTITY)
    return hed_multiply_scalar(hed_eye(s.dim[0], s.dim[1], 0, t), gain);
  r.mean = o->mean;
  r.std = std;
  return hed_random_truncated_normal(s, given ? o->low : o->mean - 2 * std, given ? o->high : o->mean + 2 * std, t, &r);
}

hed_array *hed_nn_initial(hed_shape shape, hed_dtype t, hed_nn_init kind, const hed_nn_init_options *o, uint64_t key)
{
  static const hed_nn_init_options none;
  hed_array *out = NULL;
  if (check(shape, t, (int)kind, o ? o : &none) != HED_OK)
    return NULL;
  HED_SCOPE out = hed_keep(made(shape, t, (int)kind, o ? o : &none, key));
  return hed__train_out(out);
}
