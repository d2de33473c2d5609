// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory: every allocation of what trains, and of the library below it, fails once, in turn. Each time the function must say
 * HED_E_NOMEM and leave no file; leaks are for valgrind and AddressSanitizer to find.
 */
#include "failing.h"
#include <heddle/kits/nn_data.h>
#include <heddle/kits/nn_init.h>
#include <heddle/kits/nn_loss.h>
#include <heddle/kits/nn_metrics.h>
#include <heddle/kits/nn_train.h>
#include <heddle/kits/nn_wiring.h>

typedef struct entry {
  const char *name;
  hed_status (*call)(void);
  const char *makes;
} entry;

static char folder[] = "nn-nomem-XXXXXX", optimizer_file[64], wiring_file[64], state_file[64], written[64], picture[64];
static hed_array *x, *y, *square, *whole, *mask, *w, *b; /* operands, made once */
static hed_nn_optimizer *optimizer;
static hed_nn_wiring *wiring;
static hed_nn_scaler scaler;
static hed_nn_pca pca;

static hed_status made(hed_array *a)
{
  hed_release(a);
  return a ? HED_OK : hed_error();
}

/* N results, of which each is there, or none. */
static hed_status all_made(hed_status status, int n, hed_array **a)
{
  int there = 0;
  for (int k = 0; k < n; k++) {
    there += a[k] != NULL;
    hed_release(a[k]);
  }
  if (there != (status == HED_OK ? n : 0))
    fail("%d results of %d with status %d", there, n, (int)status);
  return status;
}

/* ---- parts ---- */

static hed_status do_initial(void) { return made(hed_nn_initial(HED_SHAPE(3, 4), HED_FLOAT32, HED_NN_INIT_GLOROT_NORMAL, NULL, 1)); }
static hed_status do_orthogonal(void) { return made(hed_nn_initial(HED_SHAPE(3, 4), HED_FLOAT32, HED_NN_INIT_ORTHOGONAL, NULL, 1)); }
static hed_status do_truncated(void) { return made(hed_nn_initial(HED_SHAPE(4), HED_FLOAT32, HED_NN_INIT_TRUNCATED_NORMAL, NULL, 1)); }
static hed_status do_kl(void) { return made(hed_nn_kl_divergence(x, y, &(hed_nn_loss_options){ .weights = b, .mask = mask })); }
static hed_status do_hinge(void) { return made(hed_nn_hinge(x, y, NULL)); }
static hed_status do_cosine(void) { return made(hed_nn_cosine(x, y, NULL, NULL)); }
static hed_status do_triplet(void) { return made(hed_nn_triplet(x, y, x, NULL)); }
static hed_status do_quantile(void) { return made(hed_nn_quantile(x, y, NULL)); }
static hed_status do_reduce(void) { return made(hed_nn_reduce_loss(x, &(hed_nn_loss_options){ .reduction = HED_REDUCTION_SUM })); }
static hed_status do_hardtanh(void) { return made(hed_nn_hardtanh(x, 0, 0)); }
static hed_status do_softsign(void) { return made(hed_nn_softsign(x)); }
static hed_status do_hardsigmoid(void) { return made(hed_nn_hardsigmoid(x)); }
static hed_status do_mish(void) { return made(hed_nn_mish(x)); }

/* ---- optimisers ---- */

static hed_status square_loss(void *arg, int n, const hed_array *const *p, int m, hed_array **loss)
{
  (void)arg, (void)n, (void)m;
  HED_SCOPE *loss = hed_keep(hed_sum(hed_square(p[0]), NULL));
  return *loss ? HED_OK : hed_error();
}

static hed_status do_create(void)
{
  hed_nn_optimizer *s = NULL;
  hed_status status = hed_nn_optimizer_create(1, &w, &(hed_nn_optimizer_options){ .rule = HED_NN_AMSGRAD }, &s);
  if (status == HED_OK)
    status = hed_nn_optimizer_add(s, 1, &b, NULL);
  hed_nn_optimizer_release(s);
  return status;
}
static hed_status do_step(void) { return hed_nn_optimizer_step(optimizer, 1, (const hed_array *const *)&x); }
static hed_status do_rate(void) { return made(hed_nn_optimizer_rate(optimizer, 0)); }
static hed_status do_steps(void) { return made(hed_nn_optimizer_steps(optimizer)); }
static hed_status do_state(void) { return made(hed_nn_optimizer_state(optimizer, 2)); }
static hed_status do_save(void) { return hed_nn_optimizer_save(optimizer, written); }
static hed_status do_load(void) { return hed_nn_optimizer_load(optimizer, optimizer_file); }
static hed_status do_lbfgs(void)
{
  hed_nn_lbfgs *s = NULL;
  hed_status status = hed_fill(w, 2);
  if (status == HED_OK)
    status = hed_nn_lbfgs_create(1, &w, &(hed_nn_lbfgs_options){ .max_iterations = 3, .line_search = true }, &s);
  if (status == HED_OK)
    status = hed_nn_lbfgs_step(s, square_loss, NULL, NULL);
  hed_nn_lbfgs_release(s);
  return status;
}
static hed_status do_clip_norm(void)
{
  hed_array *norm = NULL;
  return all_made(hed_nn_clip_norm(1, &b, 1e9, &norm), 1, &norm);
}
static hed_status do_norm(void) { return made(hed_nn_norm(1, (const hed_array *const *)&x)); }
static hed_status do_finite(void) { return made(hed_nn_all_finite(1, (const hed_array *const *)&x)); }
static hed_status do_accumulate(void) { return hed_nn_accumulate(1, &b, (const hed_array *const *)&b, 1e-9); }
static hed_status do_average(void) { return hed_nn_average(1, &b, (const hed_array *const *)&b, 0.5); }
static hed_status do_equal(void) { return hed_nn_average_equal(1, &b, (const hed_array *const *)&b, 3); }
static hed_status do_scale(void)
{
  hed_nn_scale s = { .scale = 1 };
  bool step;
  return hed_nn_scale_update(&s, 1, &b, &step);
}

/* ---- wirings ---- */

static hed_status wired(hed_status status, hed_nn_wiring *made_)
{
  if (status != HED_OK && made_)
    fail("a wiring with an error");
  hed_nn_wiring_release(made_);
  return status;
}
#define WIRED(call) do { hed_nn_wiring *out = NULL; const hed_status status = (call); return wired(status, out); } while (0)
static hed_status do_empty(void) { WIRED(hed_nn_wiring_create(3, 2, 1, &out)); }
static hed_status do_full(void) { WIRED(hed_nn_wiring_full(3, 2, 1, false, 0, &out)); }
static hed_status do_random(void) { WIRED(hed_nn_wiring_random(3, 2, 1, 0.5, 0, &out)); }
static hed_status do_ncp(void) { WIRED(hed_nn_wiring_ncp(&(hed_nn_ncp){ 2, 3, 2, 1, 1, 1, 1, 1 }, 0, &out)); }
static hed_status do_auto(void) { WIRED(hed_nn_wiring_auto(9, 2, 1, 0.5, 0, &out)); }
static hed_status do_circuit(void) { WIRED(hed_nn_wiring_circuit(HED_NN_SIGNAL, 2, (int64_t[]){ 2, 3 }, 1, 0, &out)); }
static hed_status do_wiring_load(void) { WIRED(hed_nn_wiring_load(wiring_file, &out)); }
static hed_status do_wiring_save(void) { return hed_nn_wiring_save(wiring, written); }
static hed_status do_adjacency(void) { return made(hed_nn_wiring_adjacency(wiring)); }
static hed_status do_sensory(void) { return made(hed_nn_wiring_sensory(wiring)); }
static hed_status do_mask(void) { return made(hed_nn_wiring_mask(wiring, HED_FLOAT32)); }
static hed_status do_sensory_mask(void) { return made(hed_nn_wiring_sensory_mask(wiring, HED_FLOAT32)); }
static hed_status do_types(void) { return made(hed_nn_wiring_types(wiring)); }
static hed_status do_layers(void) { return made(hed_nn_wiring_layers(wiring)); }
static hed_status do_layer(void) { return made(hed_nn_wiring_layer(wiring, 1)); }

/* ---- metrics ---- */

static hed_status do_confusion(void) { return made(hed_nn_confusion(whole, whole, 0, NULL)); }
static hed_status do_scores(void)
{
  hed_nn_class_scores s;
  return hed_nn_scores(square, HED_NN_MACRO, &s);
}
static hed_status do_by_class(void) { return made(hed_nn_scores_by_class(square)); }
static hed_status do_roc(void)
{
  hed_array *a[3];
  return all_made(hed_nn_roc(mask, b, NULL, &a[0], &a[1], &a[2], NULL), 3, a);
}
static hed_status do_precision(void)
{
  hed_array *a[3];
  return all_made(hed_nn_precision_recall(mask, b, NULL, &a[0], &a[1], &a[2], NULL), 3, a);
}
static hed_status do_regression(void)
{
  hed_nn_errors e;
  return hed_nn_regression(x, y, &e);
}
static hed_status do_mase(void)
{
  double v;
  return hed_nn_mase(x, y, x, 1, &v);
}

/* ---- data ---- */

static hed_status do_windows(void)
{
  hed_array *a[2];
  return all_made(hed_nn_windows(x, &(hed_nn_window){ .length = 2, .horizon = 1 }, &a[0], &a[1]), 2, a);
}
static hed_status do_split(void)
{
  hed_array *a[3];
  return all_made(hed_nn_split(x, 0.4, 0.3, &a[0], &a[1], &a[2]), 3, a);
}
static hed_status do_order(void) { return made(hed_nn_order(5, 1)); }
static hed_status do_pad(void)
{
  hed_array *a[3];
  return all_made(hed_nn_pad_sequences(2, (const hed_array *const[]){ x, y }, 5, 0, &a[0], &a[1], &a[2]), 3, a);
}
static hed_status do_missing(void)
{
  hed_array *a[2];
  return all_made(hed_nn_missing(x, 0, &a[0], &a[1]), 2, a);
}
static hed_status do_fit_scaler(void)
{
  hed_nn_scaler s;
  const hed_status status = hed_nn_scaler_fit(x, HED_NN_ROBUST, &s);
  hed_nn_scaler_clear(&s);
  return status;
}
static hed_status do_apply(void) { return made(hed_nn_scaler_apply(&scaler, x)); }
static hed_status do_invert(void) { return made(hed_nn_scaler_invert(&scaler, x)); }
static hed_status do_fit_pca(void)
{
  hed_nn_pca p;
  const hed_status status = hed_nn_pca_fit(x, 2, &p);
  hed_nn_pca_clear(&p);
  return status;
}
static hed_status do_pca(void) { return made(hed_nn_pca_apply(&pca, x)); }
static hed_status do_pca_back(void)
{
  hed_array *scores = hed_nn_pca_apply(&pca, x);
  const hed_status status = scores ? made(hed_nn_pca_invert(&pca, scores)) : hed_error();
  hed_release(scores);
  return status;
}
static hed_status do_lags(void) { return made(hed_nn_lags(x, 2, (int64_t[]){ 0, 1 })); }
static hed_status do_rolling(void) { return made(hed_nn_rolling(x, 2, HED_NN_ROLLING_STD)); }
static hed_status do_centroid(void) { return made(hed_nn_spectral_centroid(x, 1)); }
static hed_status do_power(void) { return made(hed_nn_band_power(x, 1, 0, 1)); }
static hed_status do_crossings(void) { return made(hed_nn_zero_crossings(x)); }
static hed_status do_rms(void) { return made(hed_nn_rms(x)); }
static hed_status do_one_hot(void) { return made(hed_nn_one_hot(whole, 5, HED_FLOAT32)); }
static hed_status do_temporal(void) { return made(hed_nn_temporal(b, 1, (double[]){ 3 })); }
static hed_status do_pwm(void) { return made(hed_nn_pwm(y, 3, HED_FLOAT32)); }
static hed_status do_harmonics(void) { return made(hed_nn_harmonics(x, b, b, b)); }
static hed_status do_harmonics_fit(void)
{
  hed_array *a[2];
  return all_made(hed_nn_harmonics_fit(b, b, b, &a[0], &a[1]), 2, a);
}

static hed_status take_number(void *arg, int64_t k, int m, hed_array **batch)
{
  (void)arg, (void)m;
  return (batch[0] = hed_full_int(HED_SHAPE(2), k, HED_INT64)) ? HED_OK : hed_error();
}

/* All batches of what was made with STATUS. */
static hed_status read_all(hed_status status, hed_nn_reader *const *made_)
{
  hed_nn_reader *r = *made_;
  bool more = true;
  while (status == HED_OK && more) {
    hed_array *a = NULL;
    status = hed_nn_reader_next(r, &a, &more);
    hed_release(a);
  }
  hed_nn_reader_release(r);
  return status;
}
static hed_status do_reader(void)
{
  hed_nn_reader *r = NULL;
  return read_all(hed_nn_reader_create(take_number, NULL, 3, 1, NULL, &r), &r);
}
static hed_status do_reader_of(void)
{
  hed_nn_reader *r = NULL;
  const hed_nn_reading o = { .batch = 2, .order = whole };
  return read_all(hed_nn_reader_of(1, (const hed_array *const[]){ x }, &o, &r), &r);
}

/* ---- training ---- */

static hed_status batch_loss(void *arg, const hed_nn_at *at, int n, const hed_array *const *p, int m, const hed_array *const *batch,
                             hed_array **loss)
{
  (void)arg, (void)at, (void)n, (void)m;
  HED_SCOPE *loss = hed_keep(hed_mean(hed_square(hed_subtract(hed_index(p[0], 0, 0), batch[0])), NULL));
  return *loss ? HED_OK : hed_error();
}

static hed_status fit(const char *state, const char *workers)
{
  hed_nn_history h;
  const int never = 0;
  const hed_nn_fit_options o = { .epochs = 2, .batch = 2, .accumulate = 2, .validation = (const hed_array *const[]){ x },
                                .clip_norm = 1,
                                 .clip_value = 1, .cancel = &never, .state = state, .workers = workers,
                                 .ahead = workers ? 2 : 0 };
  const hed_status status = hed_nn_fit(batch_loss, NULL, 1, &w, optimizer, 1, (const hed_array *const[]){ x }, &o, &h);
  hed_nn_history_clear(&h);
  return status;
}
static hed_status do_fit(void) { return fit(NULL, NULL); }
static hed_status do_team(void) { return fit(NULL, "reference*2"); }
static hed_status do_go_on(void) { return fit(state_file, NULL); }
static hed_status do_history(void)
{
  const hed_nn_history h = { .epochs = 4, .loss = b, .validation = b, .rate = b };
  return hed_nn_history_save(&h, picture);
}
static hed_status do_draw(void) { return hed_nn_wiring_draw(wiring, picture); }
static hed_status do_hebb(void) { return hed_nn_hebb(square, square, square, 0); }
static hed_status do_oja(void) { return hed_nn_oja(square, square, square, 0); }
static hed_status do_contrastive(void) { return hed_nn_contrastive_hebb(square, square, square, square, square, 0); }

static const entry entries[] = {
#define ROW(name) { #name, do_##name, NULL }
  ROW(initial), ROW(orthogonal), ROW(truncated), ROW(kl), ROW(hinge), ROW(cosine), ROW(triplet), ROW(quantile), ROW(reduce),
  ROW(hardtanh), ROW(softsign), ROW(hardsigmoid), ROW(mish), ROW(create), ROW(step), ROW(rate), ROW(steps),
  ROW(state), { "save", do_save, written },
  ROW(load), ROW(lbfgs), ROW(clip_norm), ROW(norm), ROW(finite), ROW(accumulate), ROW(average), ROW(equal),
  ROW(scale), ROW(empty), ROW(full), ROW(random), ROW(ncp), ROW(auto), ROW(circuit), ROW(wiring_load),
  { "wiring_save", do_wiring_save, written }, ROW(adjacency), ROW(sensory), ROW(mask), ROW(sensory_mask), ROW(types), ROW(layers),
  ROW(layer), ROW(confusion), ROW(scores), ROW(by_class), ROW(roc), ROW(precision), ROW(regression), ROW(mase), ROW(windows),
  ROW(split), ROW(order), ROW(pad), ROW(missing), ROW(fit_scaler), ROW(apply), ROW(invert), ROW(fit_pca), ROW(pca), ROW(pca_back),
  ROW(lags), ROW(rolling), ROW(centroid), ROW(power), ROW(crossings), ROW(rms), ROW(one_hot), ROW(temporal), ROW(pwm),
  ROW(harmonics), ROW(harmonics_fit), ROW(reader), ROW(reader_of), ROW(fit), ROW(team), ROW(go_on), ROW(hebb),
  ROW(oja), ROW(contrastive),
  { "history", do_history, picture }, { "draw", do_draw, picture },
};

static hed_status operands(void)
{
  const double values[] = { 0.5, 1, 0.25, 0.75, 0.125, 1, 0.5, 0.25, 0, 1, 0.75, 0.5 }, ones[] = { 1, 0, 1, 0 };
  x = hed_from_doubles(values, HED_SHAPE(4, 3), HED_FLOAT32);
  y = hed_from_doubles(values + 0, HED_SHAPE(4, 3), HED_FLOAT32);
  w = hed_from_doubles(values, HED_SHAPE(4, 3), HED_FLOAT32);
  b = hed_from_doubles(values, HED_SHAPE(4), HED_FLOAT32);
  square = hed_from_doubles(values, HED_SHAPE(3, 3), HED_FLOAT32);
  whole = hed_from_doubles((double[]){ 0, 1, 2, 1 }, HED_SHAPE(4), HED_INT64);
  mask = hed_from_doubles(ones, HED_SHAPE(4), HED_BOOL);
  hed_status status = mask ? hed_nn_optimizer_create(1, &w, &(hed_nn_optimizer_options){ .rule = HED_NN_ADAM },
                                                     &optimizer) : hed_error();
  if (status == HED_OK)
    status = hed_nn_wiring_auto(9, 2, 1, 0.5, 0, &wiring);
  if (status == HED_OK)
    status = hed_nn_scaler_fit(x, HED_NN_STANDARDISE, &scaler);
  return status == HED_OK ? hed_nn_pca_fit(x, 2, &pca) : status;
}

int main(void)
{
  if (hed_set_default_backend("reference;threads=1") != HED_OK || !mkdtemp(folder) || operands() != HED_OK)
    bail("no operands: %s", hed_error_text());
  (void)snprintf(optimizer_file, sizeof optimizer_file, "%s/optimizer.npz", folder);
  (void)snprintf(wiring_file, sizeof wiring_file, "%s/wiring.npz", folder);
  (void)snprintf(state_file, sizeof state_file, "%s/state.npz", folder);
  (void)snprintf(written, sizeof written, "%s/written.npz", folder);
  (void)snprintf(picture, sizeof picture, "%s/picture.svg", folder);
  const bool files = hed_nn_wiring_save(wiring, wiring_file) == HED_OK;
  if (files && (hed_nn_optimizer_save(optimizer, optimizer_file) != HED_OK || fit(state_file, NULL) != HED_OK))
    bail("no files: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
    const bool file = entries[k].makes == written || entries[k].call == do_load || entries[k].call == do_wiring_load ||
        entries[k].call == do_go_on;
    if (file && !files)
      skip(1, "%s: no archives", entries[k].name);
    else
      every_allocation(entries[k].name, entries[k].call, entries[k].makes);
  }
  (void)unlink(optimizer_file), (void)unlink(wiring_file), (void)unlink(state_file);
  ok(rmdir(folder) == 0, "no file is left over");
  hed_nn_optimizer_release(optimizer);
  hed_nn_wiring_release(wiring);
  hed_nn_scaler_clear(&scaler);
  hed_nn_pca_clear(&pca);
  hed_array *const all[] = { x, y, w, b, square, whole, mask };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
  return done();
}
