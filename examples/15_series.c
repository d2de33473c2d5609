// SPDX-License-Identifier: BSD-3-Clause
/* A cell of closed-form continuous time learns from series whose steps come at irregular times how fast each of them turns, is
 * saved, and read again.
 *
 *   ./15_series [SPEC]
 */
#include <heddle.h>
#include <heddle/kits/nn_layers.h>
#include <stdio.h>

enum { SERIES = 64, STEPS = 20, UNITS = 16, EPOCHS = 150 };

static const hed_nn_cell cell = { .kind = HED_NN_CFC, .input = 1, .units = UNITS, .backbone_units = 32 };

static hed_array *uniform(hed_shape s, double low, double high, uint64_t seed)
{
  return hed_random_uniform(s, HED_FLOAT32, &(hed_random){ .seed = seed, .seeded = true, .low = low, .high = high });
}

/* The rate of each series, from X (series, steps, 1) after the times DT (series, steps). */
static hed_array *rates(const hed_nn_params *p, const hed_array *x, const hed_array *dt)
{
  const hed_nn_sequence_options o = { .dt = dt, .last_only = true };
  return hed_nn_linear(p, "out", hed_nn_sequence(&cell, &o, p, "net", x, NULL));
}

/* A step of Adam's rule; *LOSS is that before it. */
static hed_status step(hed_nn_params *p, hed_nn_params *first, hed_nn_params *second, const hed_array *const *data, int epoch,
                       double *loss)
{
  hed_nn_params *v = NULL, *g = NULL;
  hed_status status = HED_OK;
  HED_RECORD HED_SCOPE {
    status = hed_nn_params_variables(p, &v);
    const hed_array *y = hed_mse(rates(v, data[0], data[1]), data[2], NULL);
    if (status == HED_OK && (status = hed_nn_params_grad(y, v, &g)) == HED_OK)
      status = hed_item(y, loss);
  }
  const double rate = 0.01 / (1 - 1.0 / (1 << (epoch < 20 ? epoch + 1 : 20)));
  for (int64_t k = 0; k < hed_nn_params_count(g) && status == HED_OK; k++)
    HED_SCOPE {
      hed_array *w = hed_nn_params_at(p, k), *m = hed_nn_params_at(first, k), *s = hed_nn_params_at(second, k);
      const hed_array *d = hed_nn_params_at(g, k);
      status = hed_lerp_into(m, m, d, hed_scalar(0.5));
      if (status == HED_OK)
        status = hed_lerp_into(s, s, hed_square(d), hed_scalar(0.1));
      if (status == HED_OK)
        status = hed_subtract_into(w, w, hed_multiply_scalar(hed_divide(m, hed_add_scalar(hed_sqrt(s), 1e-6)), rate));
    }
  hed_nn_params_release(v);
  hed_nn_params_release(g);
  return status;
}

static hed_status zeros(const hed_nn_params *p, hed_nn_params **out)
{
  hed_status status = hed_nn_params_copy(p, NULL, out);
  for (int64_t k = 0; k < hed_nn_params_count(*out) && status == HED_OK; k++)
    status = hed_fill(hed_nn_params_at(*out, k), 0);
  return status;
}

static hed_status learn(hed_nn_params *p, const hed_array *const *data)
{
  hed_nn_params *first = NULL, *second = NULL;
  double loss = 0;
  hed_status status = zeros(p, &first);
  if (status == HED_OK)
    status = zeros(p, &second);
  for (int epoch = 0; epoch < EPOCHS && status == HED_OK; epoch++) {
    status = step(p, first, second, data, epoch, &loss);
    if (epoch % 30 == 0)
      printf("epoch %3d: loss %.4f\n", epoch, loss);
  }
  hed_nn_params_release(first);
  hed_nn_params_release(second);
  return status;
}

int main(int argc, char **argv)
{
  hed_nn_params *p = NULL, *saved = NULL;
  hed_status status = HED_OK;
  double error = 0;
  HED_BACKEND_CONTEXT_OR(argc > 1 ? argv[1] : "cpu", goto failed) HED_SCOPE {
    const hed_random r = { .seed = 1, .seeded = true };
    const hed_array *rate = uniform(HED_SHAPE(SERIES, 1), 0.5, 2, 2), *dt = uniform(HED_SHAPE(SERIES, STEPS), 0.1, 0.7, 3);
    const hed_array *times = hed_cumsum(dt, &(hed_scan){ .axis = HED_AXES(1) });
    const hed_array *x = hed_expand_dims(hed_sin(hed_multiply(times, rate)), -1), *data[3] = { x, dt, rate };
    status = hed_nn_params_create(&p);
    if (status == HED_OK)
      status = hed_nn_sequence_init(&cell, NULL, p, "net", HED_FLOAT32, &r);
    if (status == HED_OK)
      status = hed_nn_linear_init(p, "out", UNITS, 1, true, HED_FLOAT32, &r);
    if (status == HED_OK)
      status = learn(p, data);
    if (status == HED_OK && (status = hed_nn_params_save(p, "series.safetensors")) == HED_OK)
      status = hed_nn_params_load("series.safetensors", &saved);
    if (status == HED_OK)
      status = hed_item(hed_mean_absolute_error(rates(saved, x, dt), rate, NULL), &error);
  }
  hed_nn_params_release(saved);
  hed_nn_params_release(p);
  if (status == HED_OK) {
    printf("rates from 0.5 to 2 are off by %.2f\n", error);
    return 0;
  }
failed:
  fprintf(stderr, "%s\n", hed_error_text());
  return 1;
}
