// SPDX-License-Identifier: BSD-3-Clause
/* The loss of a batch and its gradients.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/train/fit.h"
#include <math.h>

typedef struct question {
  const hed__nn_run *r;
  const hed_nn_at *at;
  hed_array *const *batch;
  double scale;
} question;

static hed_status answer(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  const question *q = arg;
  hed_array *loss = NULL;
  (void)m;
  hed_status status = q->r->f(q->r->arg, q->at, n, x, q->r->m, (const hed_array *const *)q->batch, &loss);
  if (status == HED_OK && !loss)
    status = hed_error() != HED_OK ? hed_error() : hed_fail(HED_E_INVAL, "hed_nn_fit: the loss is NULL");
  if (status == HED_OK && hed_array_size(loss) != 1)
    status = hed_fail(HED_E_SHAPE, "hed_nn_fit: the loss has %lld elements, one number is needed", (long long)hed_array_size(loss));
  if (status == HED_OK && q->scale != 1) {
    /* which 16 bits would not hold */
    hed_array *wide = hed_dtype_size(hed_array_dtype(loss)) == 2 ? hed_astype(loss, HED_FLOAT32) : hed_retain(loss);
    hed_array *scaled = wide ? hed_multiply_scalar(wide, q->scale) : NULL;
    hed_release(wide);
    hed_release(loss);
    loss = scaled;
    status = loss ? HED_OK : hed_error();
  }
  if (status != HED_OK) {
    hed_release(loss);
    loss = NULL;
  }
  y[0] = loss;
  return status;
}

void hed__nn_release_all(int n, hed_array **x)
{
  for (int k = 0; x && k < n; k++) {
    hed_release(x[k]);
    x[k] = NULL;
  }
}

hed_status hed__nn_value(const hed__nn_run *r, const hed_nn_at *at, const hed_array *const *params, hed_array *const *batch,
                         double scale, hed_array **g, double *loss)
{
  question q = { r, at, batch, scale };
  hed_array *y = NULL;
  hed_status status = at->training ? hed_value_and_grad(answer, &q, r->n, params, &y, g) : answer(&q, r->n, params, 1, &y);
  for (int k = 0; status == HED_OK && at->training && k < r->n; k++)
    (void)hed_keep(g[k]);
  if (status == HED_OK)
    status = hed_item(y, loss);
  hed_release(hed_keep(y));
  return status;
}

hed_status hed__nn_not_finite(hed__nn_run *r, const hed_nn_at *at, double loss)
{
  for (int k = 0; k < r->n; k++) {
    double finite = 1;
    HED_SCOPE_OR(return hed_error()) {
      hed_array *all = hed_nn_all_finite(1, (const hed_array *const *)&r->g[k]);
      if (!all || hed_item(all, &finite) != HED_OK)
        return hed_error();
    }
    if (finite == 0)
      return hed_fail(HED_E_RANGE, "hed_nn_fit: the loss is %g in step %lld (epoch %lld, batch %lld); parameter %d is the first whose "
                      "gradient is not finite", loss, (long long)at->step, (long long)at->epoch, (long long)at->batch, k);
  }
  return hed_fail(HED_E_RANGE, "hed_nn_fit: the loss is %g in step %lld (epoch %lld, batch %lld); all gradients are finite", loss,
                  (long long)at->step, (long long)at->epoch, (long long)at->batch);
}
