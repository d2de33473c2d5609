// SPDX-License-Identifier: BSD-3-Clause
/* A small network learns the exclusive or, by gradients of its loss that the backend of the context computes.
 *
 *   ./10_gradients [SPEC]
 */
#include <heddle.h>
#include <stdio.h>

enum { STEPS = 400, HIDDEN = 8 };

static hed_array *output(const hed_array *x, hed_array *const *p)
{
  const hed_array *hidden = hed_tanh(hed_add(hed_matmul(x, p[0]), p[1]));
  return hed_sigmoid(hed_add(hed_matmul(hidden, p[2]), p[3]));
}

/* A step of gradient descent; *LOSS is that before it. */
static hed_status step(const hed_array *x, const hed_array *target, hed_array **p, double *loss)
{
  hed_status status = HED_OK;
  HED_RECORD HED_SCOPE_OR(return hed_error()) {
    hed_array *v[4], *g[4] = { NULL };
    for (int k = 0; k < 4; k++)
      v[k] = hed_variable(p[k]);
    hed_array *y = hed_binary_crossentropy(output(x, v), target, NULL);
    if ((status = hed_grad(y, 4, (const hed_array *const *)v, g, NULL)) != HED_OK || (status = hed_item(y, loss)) != HED_OK)
      return status;
    HED_UNRECORDED
      for (int k = 0; k < 4 && status == HED_OK; k++) {
        status = hed_subtract_into(p[k], p[k], hed_multiply_scalar(g[k], 0.7));
        hed_release(g[k]);
      }
  }
  return status;
}

int main(int argc, char **argv)
{
  double loss = 0, y[4];
  hed_status status = HED_OK;
  HED_BACKEND_CONTEXT_OR(argc > 1 ? argv[1] : "cpu", goto failed) HED_SCOPE {
    hed_array *x = hed_from_doubles((const double[]){ 0, 0, 0, 1, 1, 0, 1, 1 }, HED_SHAPE(4, 2), HED_FLOAT32);
    hed_array *target = hed_from_doubles((const double[]){ 0, 1, 1, 0 }, HED_SHAPE(4, 1), HED_FLOAT32);
    hed_array *p[4] = { hed_random_normal(HED_SHAPE(2, HIDDEN), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true }),
                        hed_zeros(HED_SHAPE(HIDDEN), HED_FLOAT32),
                        hed_random_normal(HED_SHAPE(HIDDEN, 1), HED_FLOAT32, &(hed_random){ .seed = 2, .seeded = true }),
                        hed_zeros(HED_SHAPE(1), HED_FLOAT32) };
    for (int k = 0; k < STEPS && status == HED_OK; k++) {
      status = step(x, target, p, &loss);
      if (k % 100 == 0)
        printf("step %3d: loss %.4f\n", k, loss);
    }
    if (status == HED_OK)
      status = hed_tolist(output(x, p), y, 4);
    if (status == HED_OK)
      printf("0 0: %.2f, 0 1: %.2f, 1 0: %.2f, 1 1: %.2f\n", y[0], y[1], y[2], y[3]);
  }
  if (status == HED_OK)
    return 0;
failed:
  fprintf(stderr, "%s\n", hed_error_text());
  return 1;
}
