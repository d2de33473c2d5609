// SPDX-License-Identifier: BSD-3-Clause
/* A network learns the next value of a wave from the sixteen before it; the loop is hed_nn_fit().
 * WORKERS, "cpu*4", divide each batch among them; their gradients are added up in their order.
 *
 *   ./16_training [SPEC [WORKERS]]
 */
#include <heddle.h>
#include <heddle/kits/nn_data.h>
#include <heddle/kits/nn_init.h>
#include <heddle/kits/nn_train.h>
#include <stdio.h>

enum { PAST = 16, HIDDEN = 24, STEPS = 600, PARAMS = 4 };

/* The mean square of what a batch of windows and next values is missed by. */
static hed_status loss(void *arg, const hed_nn_at *at, int n, const hed_array *const *p, int m, const hed_array *const *batch,
                       hed_array **out)
{
  (void)arg, (void)at, (void)n, (void)m;
  HED_SCOPE {
    const hed_array *hidden = hed_tanh(hed_add(hed_matmul(batch[0], p[0]), p[1]));
    *out = hed_keep(hed_mse(hed_add(hed_matmul(hidden, p[2]), p[3]), batch[1], NULL));
  }
  return *out ? HED_OK : hed_error();
}

static int tell(void *arg, const hed_nn_epoch *now)
{
  (void)arg;
  if (now->epoch % 10 == 0)
    printf("epoch %2d: loss %.4f, of what was not trained on %.4f\n", (int)now->epoch, now->loss, now->validation);
  return 0;
}

int main(int argc, char **argv)
{
  hed_nn_optimizer *s = NULL;
  hed_nn_history h = { .epochs = 0 };
  hed_status status = HED_OK;
  HED_BACKEND_CONTEXT_OR(argc > 1 ? argv[1] : "cpu", goto failed) HED_SCOPE {
    hed_array *time = hed_multiply_scalar(hed_arange(0, STEPS, 1, HED_FLOAT32), 0.15), *train, *held, *x[2], *v[2];
    hed_array *wave = hed_add(hed_sin(time), hed_multiply_scalar(hed_sin(hed_multiply_scalar(time, 2.3)), 0.5));
    const hed_nn_window window = { .length = PAST, .horizon = 1 };
    hed_array *p[PARAMS] = { hed_nn_initial(HED_SHAPE(PAST, HIDDEN), HED_FLOAT32, HED_NN_INIT_GLOROT_UNIFORM, NULL, 1),
                             hed_zeros(HED_SHAPE(HIDDEN), HED_FLOAT32),
                             hed_nn_initial(HED_SHAPE(HIDDEN, 1), HED_FLOAT32, HED_NN_INIT_GLOROT_UNIFORM, NULL, 2),
                             hed_zeros(HED_SHAPE(1), HED_FLOAT32) };
    if (hed_nn_split(wave, 0.8, 0, &train, NULL, &held) == HED_OK && hed_nn_windows(train, &window, &x[0], &x[1]) == HED_OK &&
        hed_nn_windows(held, &window, &v[0], &v[1]) == HED_OK)
      status = hed_nn_optimizer_create(PARAMS, p, &(hed_nn_optimizer_options){ .rule = HED_NN_ADAM, .rate = 0.005 }, &s);
    else
      status = hed_error();
    if (status == HED_OK)
      status = hed_nn_fit(loss, NULL, PARAMS, p, s, 2, (const hed_array *const *)x,
                          &(hed_nn_fit_options){ .epochs = 40, .validation = (const hed_array *const *)v, .patience = 10,
                                                 .workers = argc > 2 ? argv[2] : NULL, .progress = tell }, &h);
    if (status == HED_OK)
      printf("best: epoch %d, %.5f\n", (int)h.best_epoch, h.best);
  }
  hed_nn_history_clear(&h);
  hed_nn_optimizer_release(s);
  if (status == HED_OK)
    return 0;
failed:
  fprintf(stderr, "%s\n", hed_error_text());
  return 1;
}
