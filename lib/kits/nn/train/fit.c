// SPDX-License-Identifier: BSD-3-Clause
/* The loop: epochs, steps, validation, early stopping.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/train/fit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char op[] = "hed_nn_fit";

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *hed_nn_stop_name(int stop)
{
  static const char *const names[] = { "none", "epochs", "patience", "progress", "cancelled", "loss" };
  return stop >= HED_NN_STOP_NONE && stop <= HED_NN_STOP_LOSS ? names[stop] : NULL;
}

void hed_nn_history_clear(hed_nn_history *h)
{
  if (!h)
    return;
  hed_release(h->loss);
  hed_release(h->validation);
  hed_release(h->rate);
  *h = (hed_nn_history){ .epochs = 0 };
}

/* ---- what comes in ---- */

static hed_status check_options(const hed_nn_fit_options *o)
{
  if (o->epochs < 0 || o->batch < 0 || o->accumulate < 0 || o->patience < 0 || o->epochs > INT32_MAX)
    return hed_fail(HED_E_INVAL, "%s: epochs, batch, accumulate and patience are %lld, %lld, %lld and %lld, and may not be below 0",
                    op,
                    (long long)o->epochs, (long long)o->batch, (long long)o->accumulate, (long long)o->patience);
  if (o->ahead < 0)
    return hed_fail(HED_E_INVAL, "%s: ahead is %d, below 0", op, (int)o->ahead);
  if (!(o->min_delta >= 0) || !(o->clip_norm >= 0) || !(o->clip_value >= 0))
    return hed_fail(HED_E_INVAL, "%s: min_delta, clip_norm and clip_value are %g, %g and %g, and may not be below 0", op, o->min_delta,
                    o->clip_norm, o->clip_value);
  return HED_OK;
}

static hed_status begin(hed__nn_run *r, const hed_nn_fit_options *o)
{
  hed_status status = check_options(o);
  if (status == HED_OK && (!r->f || r->m < 1 || !r->data || (r->n > 0 && !r->params) || r->n != hed_nn_optimizer_count(r->s)))
    status = hed_fail(HED_E_INVAL, "%s: %s is missing, or n, %d, is not the optimiser's, %d", op,
                      !r->f ? "the loss" : r->m < 1 || !r->data ? "data" : "something", r->n, hed_nn_optimizer_count(r->s));
  if (status == HED_OK)
    status = hed__train_samples(op, "data", r->m, r->data, &r->samples);
  if (status == HED_OK && o->validation)
    status = hed__train_samples(op, "validation", r->m, o->validation, &r->checks);
  if (status != HED_OK)
    return status;
  r->o = *o;
  r->o.epochs = o->epochs ? o->epochs : 10;
  r->o.batch = o->batch ? o->batch : 32;
  r->o.accumulate = o->accumulate ? o->accumulate : 1;
  if (r->o.drop_last && r->samples < r->o.batch)
    return hed_fail(HED_E_INVAL, "%s: batch is %lld, there are %lld samples, and a last batch is left out", op, (long long)r->o.batch,
                    (long long)r->samples);
  r->keeps_best = o->validation || o->patience > 0;
  r->best = INFINITY;
  while (hed__nn_state_of(r->s, r->states, NULL))
    r->states++;
  r->loss = hed__train_room(op, r->o.epochs, sizeof(double));
  r->validation = hed__train_room(op, r->o.epochs, sizeof(double));
  r->rate = hed__train_room(op, r->o.epochs, sizeof(double));
  r->g = hed__train_room(op, r->n, sizeof *r->g);
  r->sum = hed__train_room(op, r->n, sizeof *r->sum);
  r->batch = hed__train_room(op, r->m, sizeof *r->batch);
  status = r->loss && r->validation && r->rate && r->g && r->sum && r->batch ? HED_OK : hed_error();
  return status == HED_OK && o->workers ? hed__nn_team_open(r, o->workers) : status;
}

static void end(hed__nn_run *r)
{
  hed__nn_team_close(r->team);
  hed__nn_release_all(r->n, r->g);
  hed__nn_release_all(r->n, r->sum);
  hed__nn_copy_clear(&r->best_params);
  hed__nn_copy_clear(&r->last);
  free(r->loss);
  free(r->validation);
  free(r->rate);
  free(r->g);
  free(r->sum);
  free(r->batch);
}

static bool is_cancelled(const hed__nn_run *r) { return r->o.cancel && __atomic_load_n(r->o.cancel, __ATOMIC_RELAXED); }

/* ---- an epoch ---- */

/* The gradients of WHICH of COUNT batches join those of before. */
static hed_status join(hed__nn_run *r, int64_t which, int64_t count)
{
  if (count == 1)
    return HED_OK;
  hed_status status = HED_OK;
  for (int k = 0; k < r->n && status == HED_OK && which == 0; k++) {
    hed_release(r->sum[k]);
    status = (r->sum[k] = hed_keep(hed_zeros_like(r->g[k]))) ? HED_OK : hed_error();
  }
  if (status == HED_OK)
    status = hed_nn_accumulate(r->n, r->sum, (const hed_array *const *)r->g, 1 / (double)count);
  return status;
}

static hed_status change(hed__nn_run *r, hed_array *const *g)
{
  bool step = true;
  hed_status status = r->o.scale ? hed_nn_scale_update(r->o.scale, r->n, g, &step) : HED_OK;
  if (status == HED_OK && step && r->o.clip_value > 0)
    status = hed_nn_clip_value(r->n, g, r->o.clip_value);
  if (status == HED_OK && step && r->o.clip_norm > 0)
    status = hed_nn_clip_norm(r->n, g, r->o.clip_norm, NULL);
  return status == HED_OK && step ? hed_nn_optimizer_step(r->s, r->n, (const hed_array *const *)g) : status;
}

static hed_status is_to_go_on(const hed__nn_run *r)
{
  return is_cancelled(r) ? hed_fail(HED_E_CANCELLED, "%s: cancelled after %lld epochs", op, (long long)r->epoch) : HED_OK;
}

static hed_nn_reader *reader_of(const hed__nn_run *r, const hed_array *const *data, const hed_array *order, bool drop_last)
{
  hed_nn_reader *reader = NULL;
  const hed_nn_reading how = { .ahead = r->o.ahead > 0 ? r->o.ahead : -1, .cancel = r->o.cancel, .batch = r->o.batch, .order = order,
                               .to = r->n > 0 ? hed__train_home(r->params[0]) : NULL, .drop_last = drop_last };
  (void)hed_nn_reader_of(r->m, data, &how, &reader);
  return reader;
}

/* The next batch into R->batch, arrays of the caller's scope; *COUNT of its samples. */
static hed_status next_batch(hed__nn_run *r, hed_nn_reader *reader, int64_t *count)
{
  bool more = false;
  hed_status status = is_to_go_on(r);
  if (status == HED_OK)
    status = hed_nn_reader_next(reader, r->batch, &more);
  *count = status == HED_OK ? hed_array_shape(r->batch[0]).dim[0] : 0;
  return status == HED_E_CANCELLED && is_cancelled(r) ? is_to_go_on(r) : status;
}

/* The loss of R->batch, of COUNT samples, and with AT's training its gradients in R->g. */
static hed_status ask(hed__nn_run *r, const hed_nn_at *at, int64_t count, double *loss)
{
  const double scale = !at->training || !r->o.scale ? 1 : r->o.scale->scale > 0 ? r->o.scale->scale : 65536;
  hed__nn_release_all(r->n, r->g);
  const hed_status status = r->team ? hed__nn_team_ask(r, at, count, scale, loss)
                                    : hed__nn_value(r, at, (const hed_array *const *)r->params, r->batch, scale, r->g, loss);
  *loss /= scale;
  return status;
}

/* Batch K of an epoch; GROUP: how many the step has that it belongs to. */
static hed_status one_batch(hed__nn_run *r, hed_nn_reader *reader, int64_t k, int64_t group, double *sum)
{
  const hed_nn_at at = { r->epoch, k, r->step, true, 0, hed_fold_key(hed_fold_key(r->o.key, (uint64_t)r->epoch), (uint64_t)k) };
  const int64_t which = k % r->o.accumulate;
  int64_t count = 0;
  double loss = NAN;
  hed_status status = HED_OK;
  HED_PROFILE_RANGE("batch") HED_SCOPE_OR(status = hed_error()) {
    status = next_batch(r, reader, &count);
    if (status == HED_OK)
      status = ask(r, &at, count, &loss);
    if (status == HED_OK && !isfinite(loss))
      status = hed__nn_not_finite(r, &at, loss);
    if (status == HED_OK)
      status = join(r, which, group);
    if (status == HED_OK && which == group - 1)
      status = change(r, group == 1 ? r->g : r->sum);
  }
  *sum += loss * (double)count;
  r->step++;
  return status;
}

static hed_status train(hed__nn_run *r, double *loss)
{
  const int64_t group = r->o.accumulate;
  hed_status status = HED_OK;
  double sum = 0;
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *order = NULL;
    if (!r->o.keep_order) {
      const uint64_t key = hed_fold_key(hed_fold_key(r->o.key, 0), (uint64_t)r->epoch);
      order = hed_random_permutation(r->samples, &(hed_random){ .seed = key, .seeded = true });
    }
    hed_nn_reader *reader = order || r->o.keep_order ? reader_of(r, r->data, order, r->o.drop_last) : NULL;
    const int64_t batches = hed_nn_reader_count(reader);
    status = reader ? HED_OK : hed_error();
    for (int64_t k = 0; k < batches && status == HED_OK; k++) {
      const int64_t left = batches - k / group * group;
      status = one_batch(r, reader, k, left < group ? left : group, &sum);
    }
    hed_nn_reader_release(reader);
    const int64_t seen = batches * r->o.batch;
    *loss = sum / (double)(seen < r->samples ? seen : r->samples);
  }
  return status;
}

static hed_status validate(hed__nn_run *r, double *loss)
{
  hed_status status = HED_OK;
  double sum = 0;
  hed_nn_reader *reader = reader_of(r, r->o.validation, NULL, false);
  if (!reader)
    return hed_error();
  for (int64_t k = 0; k < hed_nn_reader_count(reader) && status == HED_OK; k++)
    HED_SCOPE_OR(status = hed_error()) {
      const uint64_t key = hed_fold_key(hed_fold_key(r->o.key, ~(uint64_t)r->epoch), (uint64_t)k);
      const hed_nn_at here = { r->epoch, k, r->step, false, 0, key };
      int64_t count = 0;
      double one = 0;
      status = next_batch(r, reader, &count);
      if (status == HED_OK)
        status = ask(r, &here, count, &one);
      sum += one * (double)count;
    }
  hed_nn_reader_release(reader);
  *loss = sum / (double)r->checks;
  return status;
}

static hed_status set_rate(hed__nn_run *r)
{
  double rate = 0;
  hed_status status = HED_OK;
  if (r->o.schedule) {
    const double newest = r->epoch == 0 ? INFINITY : r->o.validation ? r->validation[r->epoch - 1] : r->loss[r->epoch - 1];
    status = hed_nn_schedule_rate(r->o.schedule, r->epoch, newest, &r->plateau, &rate);
    if (status == HED_OK)
      status = hed_nn_optimizer_set_rate(r->s, -1, rate);
  }
  r->rate[r->epoch] = NAN;
  return status == HED_OK && hed_nn_optimizer_groups(r->s) > 0 ? hed_item(r->s->g[0].rate, &r->rate[r->epoch]) : status;
}

/* What a run that is cancelled goes back to. */
static hed_status mark(hed__nn_run *r)
{
  if (r->o.scale)
    r->last_scale = *r->o.scale;
  return hed__nn_take(r, true, &r->last);
}

/* One epoch as a whole; then R has one more. */
static hed_status epoch(hed__nn_run *r)
{
  hed_generator draws = { hed_fold_key(hed_fold_key(r->o.key, 1), (uint64_t)r->epoch), 0 };
  hed_frame frame = { 0 };
  double loss = NAN, validation = NAN;
  hed_context *c = hed_context_current();
  hed_status status = c ? hed_context_push_stream(c, &draws, &frame) : hed_error();
  hed_context_release(c);
  if (status != HED_OK)
    return status;
  HED_PROFILE_RANGE("epoch") {
    status = set_rate(r);
    if (status == HED_OK)
      status = train(r, &loss);
    if (status == HED_OK && r->o.validation)
      HED_PROFILE_RANGE("validation")
        status = validate(r, &validation);
  }
  (void)hed_context_pop(frame);
  if (status != HED_OK)
    return status;
  const double judged = r->o.validation ? validation : loss;
  r->loss[r->epoch] = loss;
  r->validation[r->epoch++] = validation;
  const bool better = judged < r->best - r->o.min_delta || r->best_epoch == 0;
  r->bad = better ? 0 : r->bad + 1;
  if (better) {
    r->best = judged;
    r->best_epoch = r->epoch;
    if (r->keeps_best)
      status = hed__nn_take(r, false, &r->best_params);
  }
  if (status == HED_OK && r->o.cancel)
    status = mark(r);
  return status == HED_OK && r->o.state ? hed__nn_save(r) : status;
}

static bool ends(const hed__nn_run *r, hed_nn_stop *why)
{
  if (r->epoch >= r->o.epochs)
    *why = HED_NN_STOP_EPOCHS;
  else if (r->o.patience > 0 && r->bad >= r->o.patience)
    *why = HED_NN_STOP_PATIENCE;
  return *why != HED_NN_STOP_NONE;
}

static hed_status loop(hed__nn_run *r, hed_nn_stop *why)
{
  bool found = false;
  hed_status status = r->o.state ? hed__nn_load(r, &found) : HED_OK;
  if (status == HED_OK && r->o.cancel)
    status = mark(r);
  while (status == HED_OK && !ends(r, why)) {
    status = epoch(r);
    const int64_t k = r->epoch - 1;
    if (status != HED_OK || !r->o.progress)
      continue;
    const hed_nn_epoch told = { r->epoch, r->loss[k], r->validation[k], r->rate[k], r->best_epoch == r->epoch, now() - r->began };
    if (r->o.progress(r->o.progress_arg, &told)) {
      *why = HED_NN_STOP_PROGRESS;
      break;
    }
  }
  if (status == HED_E_CANCELLED)
    *why = HED_NN_STOP_CANCELLED;
  else if (status == HED_E_RANGE)
    *why = HED_NN_STOP_LOSS;
  return status;
}

static hed_status tell(const hed__nn_run *r, hed_nn_stop why, hed_nn_history *out)
{
  hed_status status = HED_OK;
  *out = (hed_nn_history){ .epochs = r->epoch, .best_epoch = r->best_epoch, .best = r->best_epoch ? r->best : NAN, .stopped = why,
                           .skipped = r->o.scale ? r->o.scale->skipped : 0, .seconds = now() - r->began };
  HED_BACKEND_CONTEXT_OR("reference", return hed_error()) {
    const hed_shape epochs = HED_SHAPE(r->epoch);
    out->loss = hed_keep(hed_from_host(r->loss, epochs, HED_FLOAT64));
    out->validation = hed_keep(hed_from_host(r->validation, epochs, HED_FLOAT64));
    out->rate = hed_keep(hed_from_host(r->rate, epochs, HED_FLOAT64));
    status = out->loss && out->validation && out->rate ? HED_OK : hed_error();
  }
  if (status != HED_OK)
    hed_nn_history_clear(out);
  return status;
}

/* Parameters as the caller is to have them; the sentence of STATUS stays. */
static hed_status settle(hed__nn_run *r, hed_status status)
{
  char text[512];
  (void)strncpy(text, hed_error_text(), sizeof text - 1);
  text[sizeof text - 1] = '\0';
  hed_status put = HED_OK;
  if (status == HED_E_CANCELLED) {
    put = hed__nn_put_back(r, true, &r->last);
    if (r->o.scale && r->last.x)
      *r->o.scale = r->last_scale;
  } else if ((status == HED_OK || status == HED_E_RANGE) && r->keeps_best && r->best_epoch > 0) {
    put = hed__nn_put_back(r, false, &r->best_params);
  }
  return put != HED_OK ? put : status == HED_OK ? HED_OK : hed_fail(status, "%s", text);
}

hed_status hed_nn_fit(hed_nn_loss_function f, void *arg, int n, hed_array *const *params, hed_nn_optimizer *s, int m,
                      const hed_array *const *data, const hed_nn_fit_options *o, hed_nn_history *out)
{
  static const hed_nn_fit_options none;
  hed__nn_run r = { .f = f, .arg = arg, .n = n, .m = m, .params = params, .s = s, .data = data, .began = now() };
  hed_nn_stop why = HED_NN_STOP_NONE;
  if (out)
    *out = (hed_nn_history){ .epochs = 0 };
  hed_status status = begin(&r, o ? o : &none);
  if (status == HED_OK) {
    status = settle(&r, loop(&r, &why));
    if (out) {
      char text[512];
      (void)strncpy(text, hed_error_text(), sizeof text - 1);
      text[sizeof text - 1] = '\0';
      const hed_status told = tell(&r, why, out);
      status = status != HED_OK ? hed_fail(status, "%s", text) : told;
    }
  }
  end(&r);
  return status;
}
