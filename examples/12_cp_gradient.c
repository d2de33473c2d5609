// SPDX-License-Identifier: BSD-3-Clause
/* A CP decomposition by gradients: what recording the tensor's own functions gives is what the formula written by hand gives, and
 * with it the factors of a tensor are found.
 *
 *   cc 12_cp_gradient.c $(pkg-config --cflags --libs heddle-kits) -lm && ./a.out [SPEC]
 */
#include <heddle/kits/tensor.h>
#include <math.h>
#include <stdio.h>

enum { MODES = 3, RANK = 3, STEPS = 1500 };

/* Half the squared distance of the data, ARG, from the tensor whose factors are X. */
static hed_status distance(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  hed_cp cp = { .order = n, .rank = RANK };
  (void)m;
  for (int k = 0; k < n; k++)
    cp.factor[k] = (hed_array *)x[k];
  HED_SCOPE_OR(return hed_error())
    y[0] = hed_keep(hed_multiply_scalar(hed_sum(hed_square(hed_subtract(hed_cp_full(&cp), arg)), NULL), 0.5));
  return y[0] ? HED_OK : hed_error();
}

/* The largest difference between G and the derivatives by formula, over the largest of these. */
static hed_status beside_formula(const hed_cp *cp, const hed_array *data, hed_array *const *g, double *worst)
{
  hed_array *by_hand[MODES];
  hed_status status = hed_cp_gradient(cp, data, NULL, by_hand);
  if (status != HED_OK)
    return status;
  for (int k = 0; k < MODES && status == HED_OK; k++) {
    double apart = 0, size = 0;
    status = hed_item(hed_max(hed_abs(hed_subtract(g[k], by_hand[k])), NULL), &apart);
    if (status == HED_OK)
      status = hed_item(hed_max(hed_abs(by_hand[k]), NULL), &size);
    *worst = fmax(*worst, apart / size);
  }
  for (int k = 0; k < MODES; k++)
    hed_release(by_hand[k]);
  return status;
}

/* A step of Adam (D. P. Kingma, J. Ba, ICLR 2015), of about RATE whatever the size of the gradient G is. */
static hed_status adam(hed_array *x, hed_array *mean, hed_array *square, const hed_array *g, int step, double rate)
{
  const double b1 = 0.9, b2 = 0.999;
  hed_status status = hed_add_into(mean, hed_multiply_scalar(mean, b1), hed_multiply_scalar(g, 1 - b1));
  if (status == HED_OK)
    status = hed_add_into(square, hed_multiply_scalar(square, b2), hed_multiply_scalar(hed_square(g), 1 - b2));
  if (status != HED_OK)
    return status;
  const hed_array *root = hed_sqrt(hed_multiply_scalar(square, 1 / (1 - pow(b2, step))));
  return hed_subtract_into(x, x, hed_divide(hed_multiply_scalar(mean, rate / (1 - pow(b1, step))), hed_add_scalar(root, 1e-12)));
}

/* The factors of CP become those of DATA; *WORST: gradient and formula apart, at the first step. */
static hed_status fit(hed_cp *cp, hed_array *data, double *worst)
{
  hed_array *mean[MODES], *square[MODES];
  hed_status status = HED_OK;
  for (int k = 0; k < MODES; k++) {
    mean[k] = hed_zeros_like(cp->factor[k]);
    square[k] = hed_zeros_like(cp->factor[k]);
  }
  for (int step = 1; step <= STEPS && status == HED_OK; step++)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *g[MODES], *y = NULL;
      status = hed_value_and_grad(distance, data, MODES, (const hed_array *const *)cp->factor, &y, g);
      if (status == HED_OK && step == 1)
        status = beside_formula(cp, data, g, worst);
      for (int k = 0; k < MODES && status == HED_OK; k++)
        status = adam(cp->factor[k], mean[k], square[k], g[k], step, 0.1 * (1 - (double)step / (STEPS + 1)));
      for (int k = 0; k < MODES && y; k++)
        hed_release(g[k]);
      hed_release(y);
    }
  return status;
}

int main(int argc, char **argv)
{
  double before = 0, after = 0, worst = 0;
  hed_cp truth = { 0 }, cp = { 0 };
  hed_status status = HED_OK;
  HED_BACKEND_CONTEXT_OR(argc > 1 ? argv[1] : "cpu", goto failed) HED_SCOPE {
    const hed_shape shape = HED_SHAPE(8, 7, 6);
    status = hed_cp_random(shape, RANK, HED_FLOAT64, true, &(hed_random){ .seed = 1, .seeded = true }, &truth);
    if (status == HED_OK)
      status = hed_cp_random(shape, RANK, HED_FLOAT64, true, &(hed_random){ .seed = 2, .seeded = true }, &cp);
    hed_array *data = status == HED_OK ? hed_cp_full(&truth) : NULL;
    if (data && (status = hed_cp_error(&cp, data, NULL, &before)) == HED_OK && (status = fit(&cp, data, &worst)) == HED_OK)
      status = hed_cp_error(&cp, data, NULL, &after);
    hed_cp_clear(&truth);
    hed_cp_clear(&cp);
    if (!data || status != HED_OK)
      goto failed;
    printf("gradient beside the formula: %.1e apart\nerror %.3f, after %d steps %.1e\n", worst, before, STEPS, after);
  }
  return 0;
failed:
  fprintf(stderr, "%s\n", hed_error_text());
  return 1;
}
