// SPDX-License-Identifier: BSD-3-Clause
/* Optimisers against ten steps of PyTorch, as programs, in 16 bits, over files; schedules, clipping, averages, scales of losses. */
#include "arrays.h"
#include "train.h"
#include "data/nn_optimizers.h"
#include <heddle/grad.h>
#include <heddle/kits/nn_optimize.h>
#include <heddle/program.h>
#include <unistd.h>

static const char *path_of(const char *name)
{
  static char path[128];
  (void)snprintf(path, sizeof path, "nn_optimize.%ld.%s", (long)getpid(), name);
  return path;
}

/* ---- what is minimised ---- */

static hed_array *squares(const hed_array *x) { return hed_square(x); }

static hed_status valley(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  HED_SCOPE {
    const hed_array *w = x[0], *b = x[1];
    hed_array *deep = hed_sum(squares(squares(hed_subtract_scalar(w, 0.3))), NULL);
    hed_array *both = squares(hed_sum(hed_multiply(hed_index(w, 0, 0), hed_index(w, 0, 1)), NULL));
    hed_array *bowl = hed_sum(hed_multiply(squares(b), hed_astype(VECTOR(1, 3, 0.5, 2), hed_array_dtype(b))), NULL);
    hed_array *wave = hed_add(hed_sin(hed_multiply(hed_index(b, 0, 0), hed_index(hed_index(w, 0, 0), 0, 0))),
                              hed_cos(hed_sum(b, NULL)));
    y[0] = hed_keep(hed_add(hed_add(deep, both), hed_add(bowl, wave)));
  }
  return y[0] ? HED_OK : hed_error();
}

static void begin(hed_array **p, hed_dtype t)
{
  double w[6], b[4];
  for (int k = 0; k < 6; k++)
    w[k] = 0.5 + 0.25 * k - 0.1 * k * k;
  for (int k = 0; k < 4; k++)
    b[k] = 1 - 0.4 * k;
  p[0] = hed_from_doubles(w, HED_SHAPE(2, 3), t);
  p[1] = hed_from_doubles(b, HED_SHAPE(4), t);
}

/* One step: gradients of the parameters X, and the optimiser ARG. */
static hed_status one_step(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  hed_array *g[2] = { NULL, NULL };
  (void)m;
  hed_status status = hed_value_and_grad(valley, NULL, n, x, &y[0], g);
  if (status == HED_OK)
    status = hed_nn_optimizer_step(arg, n, (const hed_array *const *)g);
  RELEASE(g[0], g[1]);
  return status;
}

static hed_status step_of(hed_nn_optimizer *s, hed_array *const *p)
{
  hed_array *y = NULL;
  const hed_status status = one_step(s, 2, (const hed_array *const *)p, 1, &y);
  hed_release(y);
  return status;
}

static const struct trial {
  const char *name;
  hed_nn_optimizer_options o;
} trials[] = {
  { "sgd", { .rate = 0.02 } },
  { "momentum", { .rate = 0.02, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.05 } },
  { "nesterov", { .rate = 0.02, .momentum = 0.8, .nesterov = true } },
  { "adam", { .rule = HED_NN_ADAM, .rate = 0.05, .beta1 = 0.8, .beta2 = 0.99, .eps = 1e-6, .weight_decay = 0.1 } },
  { "adamw", { .rule = HED_NN_ADAMW, .rate = 0.05 } },
  { "amsgrad", { .rule = HED_NN_AMSGRAD, .rate = 0.05, .beta1 = 0.5, .beta2 = 0.6 } },
  { "rmsprop", { .rule = HED_NN_RMSPROP, .rate = 0.02, .alpha = 0.9 } },
  { "centered", { .rule = HED_NN_RMSPROP, .rate = 0.02, .alpha = 0.9, .centered = true, .momentum = 0.5, .weight_decay = 0.01 } },
  { "adagrad", { .rule = HED_NN_ADAGRAD, .rate = 0.1, .rate_decay = 0.05, .initial = 0.2 } },
  { "maximize", { .rule = HED_NN_ADAM, .rate = 0.01, .maximize = true } },
};
enum { TRIALS = sizeof trials / sizeof *trials };

static const double *stored(const char *name)
{
  for (size_t k = 0; k < sizeof nn_optimizers / sizeof *nn_optimizers; k++)
    if (strcmp(name, nn_optimizers[k].name) == 0)
      return nn_optimizers[k].end;
  bail("no stored values of %s", name);
  return NULL;
}

static void ends_at(hed_array *const *p, const double *want, double tolerance, const char *what)
{
  hed_array *all = hed_concatenate(2, (const hed_array *const[]){ hed_ravel(p[0]), p[1] }, 0);
  ok(train_far(all, want, 10) <= train_within(tolerance), "%s: %s ends where it did there", hed_get_backend(), what);
}

static void trajectories(const char *backend)
{
  for (int k = 0; k < TRIALS; k++)
    HED_SCOPE {
      hed_array *p[2];
      hed_nn_optimizer *s = NULL;
      begin(p, train_type());
      is_int(hed_nn_optimizer_create(2, p, &trials[k].o, &s), HED_OK, "%s: %s", backend, trials[k].name);
      for (int step = 0; step < 10; step++)
        if (step_of(s, p) != HED_OK)
          fail("step %d: %s", step, hed_error_text());
      ends_at(p, stored(trials[k].name), 1e-10, trials[k].name);
      is_int((int)train_item(hed_nn_optimizer_steps(s)), 10, "ten steps are counted");
      hed_nn_optimizer_release(s);
    }
}

/* Sign steps, in plain C. */
static void lion(const char *backend)
{
  double w[3] = { 1, -2, 0.25 }, m[3] = { 0 };
  hed_array *p = VECTOR(1, -2, 0.25);
  hed_nn_optimizer *s = NULL;
  const hed_nn_optimizer_options o = { .rule = HED_NN_LION, .rate = 0.05, .weight_decay = 0.1 };
  is_int(hed_nn_optimizer_create(1, &p, &o, &s), HED_OK, "%s: lion", backend);
  for (int step = 0; step < 10; step++) {
    hed_array *g = hed_subtract(hed_multiply_scalar(p, 3), VECTOR(1, 1, -1));
    if (hed_nn_optimizer_step(s, 1, (const hed_array *const[]){ g }) != HED_OK)
      fail("step: %s", hed_error_text());
    for (int k = 0; k < 3; k++) {
      const double d = 3 * w[k] - (k < 2 ? 1 : -1), c = 0.9 * m[k] + (1 - 0.9) * d;
      w[k] = w[k] * (1 - 0.05 * 0.1) - 0.05 * ((c > 0) - (c < 0));
      m[k] = 0.99 * m[k] + (1 - 0.99) * d;
    }
  }
  ok(train_far(p, w, 3) <= train_within(1e-12), "%s: as in plain C", backend);
  hed_nn_optimizer_release(s);
}

/* The same bits by calls and by a program, also after the rate was changed in between. */
static void programs(const char *backend)
{
  for (int k = 0; k < TRIALS; k++)
    HED_SCOPE {
      hed_array *p[2], *q[2], *z = NULL;
      hed_nn_optimizer *s = NULL, *t = NULL;
      hed_program *program = NULL;
      begin(p, train_type());
      begin(q, train_type());
      if (hed_nn_optimizer_create(2, p, &trials[k].o, &s) != HED_OK || hed_nn_optimizer_create(2, q, &trials[k].o, &t) != HED_OK)
        bail("%s", hed_error_text());
      is_int(hed_program_create(one_step, t, 2, (const hed_array *const *)q, 1, &z, NULL, &program), HED_OK, "%s: %s as a program",
             backend, trials[k].name);
      hed_release(z);
      is_int(step_of(s, p), HED_OK, "and as calls");
      for (int step = 1; step < 8; step++) {
        if (step == 4)
          is_int(hed_nn_optimizer_set_rate(s, 0, 0.003) | hed_nn_optimizer_set_rate(t, -1, 0.003), HED_OK, "another rate");
        is_int(step_of(s, p), HED_OK, "a step");
        is_int(hed_program_run(program, 2, (const hed_array *const *)q, 1, &z), HED_OK, "a run: %s", hed_error_text());
        hed_release(z);
      }
      ok(same_array(p[0], q[0]) && same_array(p[1], q[1]), "%s: %s has the same bits", backend, trials[k].name);
      hed_program_release(program);
      hed_nn_optimizer_release(s);
      hed_nn_optimizer_release(t);
    }
}

/* ---- L-BFGS ---- */

static void lbfgs(const char *backend)
{
  static const struct {
    const char *name;
    hed_nn_lbfgs_options o;
  } rows[] = { { "lbfgs", { .rate = 0.1, .max_iterations = 4 } }, { "wolfe", { .max_iterations = 4, .line_search = true } },
               { "far", { .rate = 8, .max_iterations = 4, .line_search = true } },
               { "history", { .rate = 0.5, .max_iterations = 6, .history = 3, .line_search = true } } };
  for (int k = 0; k < 4; k++)
    HED_SCOPE {
      hed_array *p[2];
      hed_nn_lbfgs *s = NULL;
      double first = 0, loss = 0;
      begin(p, train_type());
      is_int(hed_nn_lbfgs_create(2, p, &rows[k].o, &s), HED_OK, "%s: %s", backend, rows[k].name);
      for (int step = 0; step < 3; step++)
        is_int(hed_nn_lbfgs_step(s, valley, NULL, step ? &loss : &first), HED_OK, "a step");
      ok(loss < first, "the loss falls, from %g to %g", first, loss);
      ends_at(p, stored(rows[k].name), 1e-10, rows[k].name);
      hed_nn_lbfgs_release(s);
    }
}

/* ---- groups, state, masters ---- */

static void groups(const char *backend)
{
  hed_array *p[2];
  hed_nn_optimizer *s = NULL, *t = NULL;
  const char *name = NULL;
  begin(p, HED_FLOAT32);
  hed_array *before = hed_copy(p[1]);
  is_int(hed_nn_optimizer_create(1, p, &(hed_nn_optimizer_options){ .rule = HED_NN_ADAM }, &s), HED_OK, "%s: a group", backend);
  is_int(hed_nn_optimizer_add(s, 1, p + 1, NULL), HED_OK, "another");
  is_int(hed_nn_optimizer_groups(s), 2, "two");
  is_int(hed_nn_optimizer_count(s), 2, "parameters");
  is_int(hed_nn_optimizer_set_rate(s, 1, 0), HED_OK, "one stands still");
  is_int(step_of(s, p), HED_OK, "a step");
  ok(same_array(p[1], before), "and stays");
  int n = 0;
  bool moments = false;
  for (; (name = hed_nn_optimizer_state_name(s, n)) != NULL; n++)
    moments = moments || strcmp(name, "0.exp_avg_sq") == 0;
  is_int(n, 5, "steps, two rates, two moments");
  ok(moments, "by their names");
  ok(train_item(hed_nn_optimizer_state(s, 0)) == 1 && hed_array_shares(hed_nn_optimizer_state(s, 1), hed_nn_optimizer_rate(s, 0)),
     "as arrays");
  NONE(hed_nn_optimizer_state(s, 5), HED_E_INDEX, "no array 5", "and no more");
  const char *path = path_of("npz");
  const hed_status saved = hed_nn_optimizer_save(s, path);
  if (saved == HED_E_UNAVAILABLE)
    skip(1, "no archives");
  else {
    hed_array *q[2];
    begin(q, HED_FLOAT32);
    is_int(saved, HED_OK, "into a file");
    if (hed_nn_optimizer_create(1, q, &(hed_nn_optimizer_options){ .rule = HED_NN_ADAM }, &t) != HED_OK ||
        hed_nn_optimizer_add(t, 1, q + 1, &(hed_nn_optimizer_options){ .momentum = 0.5 }) != HED_OK)
      bail("%s", hed_error_text());
    BAD(hed_nn_optimizer_load(t, path), HED_E_FORMAT, "1.momentum_buffer is missing", "another optimiser's file");
    ok(train_item(hed_nn_optimizer_steps(t)) == 0, "changes nothing");
    hed_nn_optimizer_release(t);
    if (hed_nn_optimizer_create(1, q, &(hed_nn_optimizer_options){ .rule = HED_NN_ADAM }, &t) != HED_OK ||
        hed_nn_optimizer_add(t, 1, q + 1, NULL) != HED_OK)
      bail("%s", hed_error_text());
    is_int(hed_nn_optimizer_load(t, path), HED_OK, "and back");
    is_int(hed_copy_into(q[0], p[0]), HED_OK, "with the same weights");
    is_int(step_of(s, p) | step_of(t, q), HED_OK, "steps");
    ok(same_array(p[0], q[0]) && same_array(p[1], q[1]), "%s: go on with the same bits", backend);
    (void)remove(path);
  }
  hed_nn_optimizer_release(s);
  hed_nn_optimizer_release(t);
}

/* Steps below half an ulp of the parameter add up in its master. */
static void masters(const char *backend)
{
  hed_array *p = hed_ones(HED_SHAPE(3), HED_BFLOAT16), *g = hed_ones(HED_SHAPE(3), HED_BFLOAT16);
  hed_nn_optimizer *s = NULL;
  is_int(hed_nn_optimizer_create(1, &p, &(hed_nn_optimizer_options){ .rate = 0.0005 }, &s), HED_OK, "%s: 16 bits", backend);
  for (int k = 0; k < 100; k++)
    if (hed_nn_optimizer_step(s, 1, (const hed_array *const[]){ g }) != HED_OK)
      fail("step: %s", hed_error_text());
  ok(FAR(hed_astype(p, HED_FLOAT32), 0.94921875, 0.94921875, 0.94921875) == 0, "%s: small steps count", backend);
  hed_nn_optimizer_release(s);
}

/* ---- schedules ---- */

static double rate_at(const hed_nn_schedule *s, int64_t k)
{
  double r = NAN;
  if (hed_nn_schedule_rate(s, k, 0, NULL, &r) != HED_OK)
    diag("%s", hed_error_text());
  return r;
}

static void schedules(void)
{
  static const double losses[] = { 5, 4, 4, 4, 4, 3, 3, 3, 3, 3 }, cut[] = { 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25 };
  const hed_nn_schedule step = { .kind = HED_NN_STEP, .rate = 1, .every = 3, .factor = 0.5 },
                        cosine = { .kind = HED_NN_COSINE, .rate = 2, .length = 4, .least = 1, .warm_up = 3 },
                        plateau = { .kind = HED_NN_PLATEAU, .rate = 1, .factor = 0.5, .patience = 2, .least = 0.01 };
  hed_nn_plateau p = { .begun = false };
  double r;
  is_near(rate_at(&(hed_nn_schedule){ .rate = 0.3 }, 1000), 0.3, 0, 0, "a constant");
  is_near(rate_at(&step, 2), 1, 0, 0, "steps");
  is_near(rate_at(&step, 6), 0.25, 1e-15, 0, "of a half");
  is_near(rate_at(&cosine, 0), 0.5, 1e-15, 0, "a warm-up");
  is_near(rate_at(&cosine, 3), 2, 1e-15, 0, "up to the rate");
  is_near(rate_at(&cosine, 5), 1.5, 1e-15, 0, "half way down a cosine");
  is_near(rate_at(&cosine, 99), 1, 0, 0, "to the least");
  for (int k = 0; k < 10; k++) {
    is_int(hed_nn_schedule_rate(&plateau, k, losses[k], &p, &r), HED_OK, "a loss");
    is_near(r, cut[k], 1e-15, 0, "plateau: rate %d", k);
  }
  BAD(hed_nn_schedule_rate(&plateau, 0, 0, NULL, &r), HED_E_INVAL, "plateau", "a plateau without memory");
  BAD(hed_nn_schedule_rate(&step, -1, 0, NULL, &r), HED_E_INVAL, "-1", "before the beginning");
}

/* ---- lists of gradients ---- */

static void lists(const char *backend)
{
  hed_array *g[3] = { VECTOR(3, -4), NULL, VECTOR(12) }, *norm = NULL, *sum[1] = { VECTOR(1, 1) };
  bool step = true;
  hed_nn_scale scale = { .scale = 8, .every = 2 };
  is_near(train_item(hed_nn_norm(3, (const hed_array *const *)g)), 13, train_within(1e-15), 0, "%s: a norm", backend);
  is_int(hed_nn_clip_norm(3, g, 6.5, &norm), HED_OK, "cut");
  is_near(train_item(norm), 13, train_within(1e-15), 0, "from 13");
  ok(FAR(g[0], 1.5, -2) < 2e-7 && FAR(g[2], 6) < 1e-6, "%s: to 6.5", backend);
  is_int(hed_nn_clip_norm(3, g, 100, NULL), HED_OK, "not cut");
  ok(FAR(g[0], 1.5, -2) < 2e-7, "where it is short");
  is_int(hed_nn_clip_value(3, g, 1.75), HED_OK, "values");
  ok(FAR(g[0], 1.5, -1.75) < 2e-7 && FAR(g[2], 1.75) == 0, "%s: are limited", backend);
  is_int(hed_nn_accumulate(1, sum, (const hed_array *const[]){ VECTOR(4, 8) }, 0.25), HED_OK, "a sum");
  ok(FAR(sum[0], 2, 3) == 0, "with weights");
  is_int(hed_nn_average(1, sum, (const hed_array *const[]){ VECTOR(4, 4) }, 0.75), HED_OK, "a moving average");
  ok(FAR(sum[0], 2.5, 3.25) == 0, "moves");
  hed_array *mean[1] = { VECTOR(9, 9) };
  for (int k = 0; k < 4; k++)
    is_int(hed_nn_average_equal(1, mean, (const hed_array *const[]){ VECTOR(k, 2 * k) }, k), HED_OK, "one of four");
  ok(FAR(mean[0], 1.5, 3) < train_within(1e-15), "%s: an equal average", backend);
  hed_array *good[1] = { VECTOR(8, 16) }, *bad[1] = { VECTOR(1, INFINITY) };
  is_int(hed_nn_scale_update(&scale, 1, good, &step), HED_OK, "a scaled gradient");
  ok(step && FAR(good[0], 1, 2) == 0 && scale.scale == 8, "%s: is brought back", backend);
  is_int(hed_nn_scale_update(&scale, 1, bad, &step), HED_OK, "one that overflowed");
  ok(!step && scale.scale == 4 && scale.skipped == 1, "%s: is left out", backend);
  for (int k = 0; k < 2; k++)
    is_int(hed_nn_scale_update(&scale, 1, good, &step), HED_OK, "a good one");
  ok(step && scale.scale == 8 && scale.skipped == 1, "%s: after two good ones the scale grows", backend);
  BAD(hed_nn_clip_norm(3, g, 0, NULL), HED_E_INVAL, "limit is 0", "no limit");
  BAD(hed_nn_average(1, sum, (const hed_array *const[]){ VECTOR(1) }, 0.5), HED_E_SHAPE, "(2)", "another shape");
}

static void mistakes(void)
{
  hed_array *p[2];
  hed_nn_optimizer *s = NULL;
  hed_nn_lbfgs *b = NULL;
  begin(p, train_type());
  BAD(hed_nn_optimizer_create(2, p, &(hed_nn_optimizer_options){ .rule = 7 }, &s), HED_E_INVAL, "rule is 7", "no such rule");
  BAD(hed_nn_optimizer_create(2, p, &(hed_nn_optimizer_options){ .nesterov = true }, &s), HED_E_INVAL, "nesterov", "no momentum");
  BAD(hed_nn_optimizer_create(2, p, &(hed_nn_optimizer_options){ .beta1 = 1 }, &s), HED_E_INVAL, "beta1 is 1", "a mean that stays");
  BAD(hed_nn_optimizer_create(1, (hed_array *[]){ hed_zeros(HED_SHAPE(2), HED_INT32) }, NULL, &s), HED_E_DTYPE, "int32", "integers");
  BAD(hed_nn_optimizer_create(1, (hed_array *[]){ hed_read_only(p[0]) }, NULL, &s), HED_E_INVAL, "read-only", "not to be written");
  ok(!s, "no optimiser");
  is_int(hed_nn_optimizer_create(2, p, NULL, &s), HED_OK, "one");
  BAD(hed_nn_optimizer_step(s, 1, (const hed_array *const *)p), HED_E_INVAL, "1 gradients", "one gradient for two");
  BAD(hed_nn_optimizer_step(s, 2, (const hed_array *const[]){ p[0], p[0] }), HED_E_SHAPE, "gradient 1 has shape (2, 3)", "shapes");
  ok(train_item(hed_nn_optimizer_steps(s)) == 0, "nothing was counted");
  NONE(hed_nn_optimizer_rate(s, 1), HED_E_INDEX, "group is 1", "one group");
  BAD(hed_nn_optimizer_set_rate(s, 0, NAN), HED_E_INVAL, "nan", "a rate that is no number");
  BAD(hed_nn_lbfgs_create(2, (hed_array *[]){ p[0], hed_astype(p[1], HED_FLOAT16) }, NULL, &b), HED_E_DTYPE, "float16", "two types");
  hed_nn_optimizer_release(s);
}

int main(void)
{
  train_on_each(trajectories);
  train_on_each(lion);
  train_on_each(programs);
  train_on_each(lbfgs);
  train_on_each(groups);
  train_on_each(masters);
  train_on_each(lists);
  HED_SCOPE schedules();
  HED_SCOPE mistakes();
  return done();
}
