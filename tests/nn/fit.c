// SPDX-License-Identifier: BSD-3-Clause
/* The loop of training: what it learns, when it stops, that a run which is cut goes on with the same bits; rules without gradients. */
#include "train.h"
#include <heddle/kits/nn_init.h>
#include <heddle/kits/nn_loss.h>
#include <heddle/kits/nn_train.h>
#include <unistd.h>

static const char *path_of(const char *name)
{
  static char path[128];
  (void)snprintf(path, sizeof path, "nn_fit.%ld.%s", (long)getpid(), name);
  return path;
}

/* ---- a line with noise in the network: y = tanh(x W + b) v, of which some inputs are dropped ---- */

static hed_status network(void *arg, const hed_nn_at *at, int n, const hed_array *const *w, int m, const hed_array *const *batch,
                          hed_array **loss)
{
  const double poison = arg ? *(const double *)arg : 0;
  (void)n, (void)m;
  HED_SCOPE {
    const hed_array *x = batch[0];
    if (at->training) /* drawn from the stream of the epoch */
      x = hed_multiply(x, hed_random_bernoulli(hed_array_shape(x), 0.95, hed_array_dtype(x), NULL));
    hed_array *y = hed_matmul(hed_tanh(hed_add(hed_matmul(x, w[0]), w[1])), w[2]);
    hed_array *l = hed_mse(hed_reshape(y, hed_array_shape(batch[1])), batch[1], NULL);
    if (at->training) /* the number of the step is part of the state */
      l = hed_multiply_scalar(l, 1 + 0.001 * (double)(at->step % 5));
    if (poison != 0 && at->step == 7)
      l = hed_multiply(l, hed_sum(hed_multiply_scalar(w[1], poison), NULL));
    *loss = hed_keep(l);
  }
  return *loss ? HED_OK : hed_error();
}

static void begin(hed_array **w, hed_dtype t)
{
  w[0] = hed_nn_initial(HED_SHAPE(2, 8), t, HED_NN_INIT_GLOROT_UNIFORM, NULL, 1);
  w[1] = hed_nn_initial(HED_SHAPE(8), t, HED_NN_INIT_ZEROS, NULL, 0);
  w[2] = hed_nn_initial(HED_SHAPE(8, 1), t, HED_NN_INIT_GLOROT_UNIFORM, NULL, 2);
}

/* N samples of sin(a) b. */
static void samples(hed_array **data, int64_t n, uint64_t seed, hed_dtype t)
{
  data[0] = hed_astype(hed_random_uniform(HED_SHAPE(n, 2), HED_FLOAT32,
                                          &(hed_random){ .seed = seed, .seeded = true, .low = -1, .high = 1 }), t);
  data[1] = hed_multiply(hed_sin(hed_index(data[0], 1, 0)), hed_index(data[0], 1, 1));
}

static hed_nn_optimizer *adam(hed_array *const *w)
{
  hed_nn_optimizer *s = NULL;
  if (hed_nn_optimizer_create(3, w, &(hed_nn_optimizer_options){ .rule = HED_NN_ADAM, .rate = 0.02 }, &s) != HED_OK)
    bail("%s", hed_error_text());
  return s;
}
#define DATA(x) ((const hed_array *const *)(x))

static void learns(const char *backend)
{
  hed_array *w[3], *data[2], *held[2];
  hed_nn_history h;
  begin(w, HED_FLOAT32);
  samples(data, 100, 3, HED_FLOAT32);
  samples(held, 37, 4, HED_FLOAT32);
  hed_nn_optimizer *s = adam(w);
  const hed_nn_fit_options o = { .epochs = 30, .batch = 16, .validation = DATA(held), .key = 9, .clip_norm = 5 };
  is_int(hed_nn_fit(network, NULL, 3, w, s, 2, DATA(data), &o, &h), HED_OK, "%s: a run: %s", backend, hed_error_text());
  is_int(h.epochs, 30, "thirty epochs");
  is_int((int)train_item(hed_nn_optimizer_steps(s)), 210, "of seven steps");
  ok(h.stopped == HED_NN_STOP_EPOCHS && strcmp(hed_nn_stop_name((int)h.stopped), "epochs") == 0, "to the end");
  is_int(hed_array_size(h.loss), 30, "a history");
  const double first = train_item(hed_index(h.loss, 0, 0)), best = train_item(hed_min(h.validation, NULL));
  ok(best < first / 10, "%s: the loss falls from %g to %g", backend, first, best);
  is_near(h.best, best, 0, 0, "the best is told");
  hed_array *left = NULL;
  is_int(network(NULL, &(hed_nn_at){ .training = false }, 3, DATA(w), 2, DATA(held), &left), HED_OK, "and the weights");
  is_near(train_item(left), best, 1e-4, 0, "%s: are those of the best epoch", backend);
  hed_release(left);
  hed_nn_history_clear(&h);
  hed_nn_optimizer_release(s);
}

/* ---- cut and gone on with ---- */

static int stop_at(void *arg, const hed_nn_epoch *now)
{
  return now->epoch >= *(const int64_t *)arg;
}

static void resumed(const char *backend)
{
  hed_array *w[3], *data[2], *held[2];
  hed_nn_history whole, part;
  const hed_nn_schedule falling = { .kind = HED_NN_PLATEAU, .rate = 0.02, .patience = 1, .factor = 0.5 };
  const char *path = path_of("npz");
  samples(data, 50, 3, HED_FLOAT32);
  samples(held, 20, 4, HED_FLOAT32);
  begin(w, HED_FLOAT32);
  hed_nn_optimizer *s = adam(w);
  hed_nn_fit_options o = { .epochs = 6, .batch = 16, .validation = DATA(held), .key = 5, .accumulate = 3, .schedule = &falling };
  is_int(hed_nn_fit(network, NULL, 3, w, s, 2, DATA(data), &o, &whole), HED_OK, "%s: a whole run", backend);
  hed_nn_optimizer_release(s);
  for (int64_t cut = 1; cut < 6; cut++)
    HED_SCOPE {
      hed_array *v[3];
      begin(v, HED_FLOAT32);
      s = adam(v);
      hed_nn_fit_options first = o;
      first.state = path;
      first.progress = stop_at;
      first.progress_arg = &cut;
      const hed_status status = hed_nn_fit(network, NULL, 3, v, s, 2, DATA(data), &first, &part);
      hed_nn_optimizer_release(s);
      if (status == HED_E_UNAVAILABLE) {
        skip(1, "no archives");
        break;
      }
      is_int(status, HED_OK, "%s: %d epochs: %s", backend, (int)cut, hed_error_text());
      ok(part.stopped == HED_NN_STOP_PROGRESS && part.epochs == cut, "then it is stopped");
      hed_nn_history_clear(&part);
      hed_array *u[3] = { hed_zeros_like(v[0]), hed_zeros_like(v[1]), hed_zeros_like(v[2]) }; /* another process */
      s = adam(u);
      first.progress = NULL;
      is_int(hed_nn_fit(network, NULL, 3, u, s, 2, DATA(data), &first, &part), HED_OK, "and gone on with: %s", hed_error_text());
      ok(same_array(u[0], w[0]) && same_array(u[1], w[1]) && same_array(u[2], w[2]), "%s: cut after %d, the same weights", backend,
         (int)cut);
      ok(same_array(part.loss, whole.loss) && same_array(part.validation, whole.validation) && same_array(part.rate, whole.rate),
         "and history");
      hed_nn_history_clear(&part);
      first.batch = 8;
      BAD(hed_nn_fit(network, NULL, 3, u, s, 2, DATA(data), &first, NULL), HED_E_FORMAT, "batch is 16, now 8", "another run's state");
      hed_nn_optimizer_release(s);
      (void)remove(path);
    }
  hed_nn_history_clear(&whole);
}

/* Patience that is used up in part is part of the state, too. */
static void patient(const char *backend)
{
  hed_array *w[3], *data[2];
  hed_nn_history h;
  int64_t cut = 2;
  samples(data, 20, 3, HED_FLOAT32);
  begin(w, HED_FLOAT32);
  hed_nn_optimizer *s = adam(w);
  hed_nn_fit_options o = { .epochs = 9, .patience = 3, .min_delta = 100, .state = path_of("npz"), .progress = stop_at,
                           .progress_arg = &cut };
  const hed_status status = hed_nn_fit(network, NULL, 3, w, s, 2, DATA(data), &o, NULL);
  if (status == HED_E_UNAVAILABLE)
    skip(1, "no archives");
  else {
    is_int(status, HED_OK, "%s: two epochs", backend);
    o.progress = NULL;
    is_int(hed_nn_fit(network, NULL, 3, w, s, 2, DATA(data), &o, &h), HED_OK, "gone on with");
    ok(h.epochs == 4 && h.stopped == HED_NN_STOP_PATIENCE, "%s: end after %d", backend, (int)h.epochs);
    hed_nn_history_clear(&h);
  }
  (void)remove(o.state);
  hed_nn_optimizer_release(s);
}

/* What is drawn differs from epoch to epoch, and so do the keys. */
static double drawn[4];
static uint64_t keys[4];
static hed_status drawing(void *arg, const hed_nn_at *at, int n, const hed_array *const *w, int m, const hed_array *const *batch,
                          hed_array **loss)
{
  drawn[at->step] = train_item(hed_random_uniform(HED_SHAPE(1), HED_FLOAT32, NULL));
  keys[at->step] = at->key;
  return network(arg, at, n, w, m, batch, loss);
}

static void draws(const char *backend)
{
  hed_array *w[3], *data[2];
  samples(data, 20, 3, HED_FLOAT32);
  begin(w, HED_FLOAT32);
  hed_nn_optimizer *s = adam(w);
  is_int(hed_nn_fit(drawing, NULL, 3, w, s, 2, DATA(data), &(hed_nn_fit_options){ .epochs = 2, .batch = 10 }, NULL), HED_OK, "draws");
  bool differ = true;
  for (int k = 0; k < 4; k++)
    for (int j = 0; j < k; j++)
      differ = differ && drawn[j] != drawn[k] && keys[j] != keys[k];
  ok(differ, "%s: differ from batch to batch and from epoch to epoch", backend);
  hed_nn_optimizer_release(s);
}

/* ---- why it stops ---- */

static void stops(const char *backend)
{
  hed_array *w[3], *data[2], *before[3];
  hed_nn_history h;
  samples(data, 40, 3, HED_FLOAT32);
  begin(w, HED_FLOAT32);
  hed_nn_optimizer *s = adam(w);
  /* nothing can become better by a half each time for long */
  is_int(hed_nn_fit(network, NULL, 3, w, s, 2, DATA(data),
                    &(hed_nn_fit_options){ .epochs = 50, .batch = 20, .patience = 3, .min_delta = 0.5 }, &h), HED_OK, "%s: patience",
                        backend);
  ok(h.stopped == HED_NN_STOP_PATIENCE && h.epochs == h.best_epoch + 3, "%s: ends it after %d epochs", backend, (int)h.epochs);
  hed_nn_history_clear(&h);
  double poison = NAN;
  for (int k = 0; k < 3; k++)
    before[k] = hed_copy(w[k]);
  BAD(hed_nn_fit(network, &poison, 3, w, s, 2, DATA(data), &(hed_nn_fit_options){ .epochs = 9, .batch = 20, .key = 1 }, &h),
      HED_E_RANGE,
      "in step 7 (epoch 3, batch 1); parameter 0 is the first", "a loss that is no number");
  ok(h.epochs == 3 && h.stopped == HED_NN_STOP_LOSS, "%s: three epochs were whole", backend);
  ok(train_item(hed_all(hed_isfinite(w[1]), NULL)) == 1, "the weights are");
  hed_nn_history_clear(&h);
  const int cancel = 1;
  for (int k = 0; k < 3; k++)
    before[k] = hed_copy(w[k]);
  BAD(hed_nn_fit(network, NULL, 3, w, s, 2, DATA(data), &(hed_nn_fit_options){ .cancel = &cancel }, &h), HED_E_CANCELLED, "0 epochs",
      "cancelled");
  ok(h.epochs == 0 && same_array(before[0], w[0]), "%s: and nothing changed", backend);
  hed_nn_history_clear(&h);
  hed_nn_optimizer_release(s);
}

/* Cancelled in the middle of an epoch: the last whole one stays. */
static int pulled;
static hed_status pulling(void *arg, const hed_nn_at *at, int n, const hed_array *const *w, int m, const hed_array *const *batch,
                          hed_array **loss)
{
  if (at->epoch == 2 && at->batch == 1)
    pulled = 1;
  return network(arg, at, n, w, m, batch, loss);
}

static void whole_epochs(const char *backend)
{
  hed_array *w[3], *v[3], *data[2];
  hed_nn_history h, two;
  samples(data, 40, 3, HED_FLOAT32);
  begin(w, HED_FLOAT32);
  begin(v, HED_FLOAT32);
  hed_nn_optimizer *s = adam(w), *t = adam(v);
  hed_nn_scale scale = { .scale = 4 };
  pulled = 0;
  BAD(hed_nn_fit(pulling, NULL, 3, w, s, 2, DATA(data), &(hed_nn_fit_options){ .batch = 10, .cancel = &pulled, .scale = &scale }, &h),
      HED_E_CANCELLED, "2 epochs", "cancelled in the third");
  is_int(scale.good, 8, "eight steps were good");
  is_int(hed_nn_fit(network, NULL, 3, v, t, 2, DATA(data), &(hed_nn_fit_options){ .batch = 10, .epochs = 2 }, &two), HED_OK,
         "two epochs");
  ok(same_array(w[0], v[0]) && same_array(w[2], v[2]) && same_array(hed_nn_optimizer_steps(s), hed_nn_optimizer_steps(t)) &&
     same_array(h.loss, two.loss), "%s: are what is there", backend);
  hed_nn_history_clear(&h);
  hed_nn_history_clear(&two);
  hed_nn_optimizer_release(s);
  hed_nn_optimizer_release(t);
}

/* Four batches to a step are one batch of four times the size; a scaled loss gives the same as one that is not. */
static void equal_steps(const char *backend)
{
  hed_array *w[3][3], *data[2];
  hed_nn_optimizer *s[3];
  hed_nn_scale scale = { .scale = 1024 };
  samples(data, 64, 3, HED_FLOAT32);
  const hed_nn_fit_options o[3] = { { .epochs = 3, .batch = 64, .keep_order = true },
                                   { .epochs = 3, .batch = 16, .accumulate = 4, .keep_order = true },
                                    { .epochs = 3, .batch = 64, .keep_order = true, .scale = &scale } };
  for (int k = 0; k < 3; k++) {
    begin(w[k], HED_FLOAT32);
    if (hed_nn_optimizer_create(3, w[k], &(hed_nn_optimizer_options){ .rate = 0.1 }, &s[k]) != HED_OK)
      bail("%s", hed_error_text());
    double none = 0; /* the draws of one batch and of four are not the same */
    (void)none;
    is_int(hed_nn_fit(network, NULL, 3, w[k], s[k], 2, DATA(data), &o[k], NULL), HED_OK, "%s: run %d", backend, k);
    is_int((int)train_item(hed_nn_optimizer_steps(s[k])), 3, "three steps");
    hed_nn_optimizer_release(s[k]);
  }
  hed_array *off = hed_max(hed_abs(hed_subtract(w[0][0], w[2][0])), NULL);
  ok(train_item(off) == 0, "%s: a power of two as the scale changes nothing", backend);
  ok(train_item(hed_max(hed_abs(hed_subtract(w[0][0], w[1][0])), NULL)) < 0.02, "nor do four parts but for what is dropped");
}

static void mistakes(void)
{
  hed_array *w[3], *data[2];
  samples(data, 40, 3, HED_FLOAT32);
  begin(w, HED_FLOAT32);
  hed_nn_optimizer *s = adam(w);
  const hed_array *const uneven[] = { data[0], hed_zeros(HED_SHAPE(39), HED_FLOAT32) };
  BAD(hed_nn_fit(network, NULL, 3, w, s, 2, uneven, NULL, NULL), HED_E_SHAPE, "39 samples, the first one 40", "samples");
  BAD(hed_nn_fit(network, NULL, 2, w, s, 2, DATA(data), NULL, NULL), HED_E_INVAL, "n, 2", "parameters");
  BAD(hed_nn_fit(NULL, NULL, 3, w, s, 2, DATA(data), NULL, NULL), HED_E_INVAL, "the loss", "no loss");
  BAD(hed_nn_fit(network, NULL, 3, w, s, 2, DATA(data), &(hed_nn_fit_options){ .batch = -1 }, NULL), HED_E_INVAL, "-1", "batch");
  BAD(hed_nn_fit(network, NULL, 3, w, s, 2, DATA(data), &(hed_nn_fit_options){ .batch = 41, .drop_last = true }, NULL), HED_E_INVAL,
      "41",
      "nothing is left");
  hed_nn_optimizer_release(s);
}

/* ---- without gradients ---- */

static void hebbian(const char *backend)
{
  hed_array *w = train_array(HED_SHAPE(2, 1), (double[]){ 1, 0 }), *x = train_array(HED_SHAPE(2, 2), (double[]){ 1, 2, 3, 4 }),
            *y = train_array(HED_SHAPE(2, 1), (double[]){ 1, -1 });
  is_int(hed_nn_hebb(w, x, y, 0.5), HED_OK, "%s: Hebb", backend);
  ok(FAR(w, 0.5, -0.5) < 1e-6, "what is active together");
  is_int(hed_nn_contrastive_hebb(w, x, y, x, y, 3), HED_OK, "contrastive");
  ok(FAR(w, 0.5, -0.5) < 1e-6, "phases that are alike change nothing");
  /* Oja: the direction of the largest variance, of length 1 */
  hed_array *data = hed_multiply(hed_random_normal(HED_SHAPE(400, 2), train_type(), &(hed_random){ .seed = 1, .seeded = true }),
                                 VECTOR(3, 0.5));
  hed_array *turned = hed_matmul(data, train_array(HED_SHAPE(2, 2), (double[]){ 0.6, 0.8, -0.8, 0.6 }));
  for (int k = 0; k < 200; k++)
    if (hed_nn_oja(w, turned, hed_matmul(turned, w), 0.02) != HED_OK)
      fail("%s", hed_error_text());
  double v[2] = { 0 };
  is_int(hed_tolist(w, v, 2), HED_OK, "Oja");
  is_near(fabs(v[0]), 0.6, 0.05, 0, "%s: the principal direction", backend);
  is_near(hypot(v[0], v[1]), 1, 0.01, 0, "of length 1");
  BAD(hed_nn_hebb(w, y, x, 1), HED_E_SHAPE, "w is (2, 1), x (2, 1)", "the other way round");
}

int main(void)
{
  train_on_each(learns);
  train_on_each(resumed);
  train_on_each(patient);
  train_on_each(draws);
  train_on_each(stops);
  train_on_each(whole_epochs);
  train_on_each(equal_steps);
  train_on_each(hebbian);
  HED_SCOPE mistakes();
  return done();
}
