// SPDX-License-Identifier: BSD-3-Clause
/* Copies of a run in memory, and its state in an .npz archive, which takes the old one's place as a whole.
 *
 * Layer: L4, nn kit.
 */
#include "base/invariant.h"
#include "kits/nn/entries.h"
#include "kits/nn/train/fit.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char op[] = "hed_nn_fit";

/* ---- in memory ---- */

static hed_array *array_of(const hed__nn_run *r, int k)
{
  HED__ASSERT(k >= 0);
  return k < r->n ? r->params[k] : hed__nn_state_of(r->s, k - r->n, NULL);
}

hed_status hed__nn_take(const hed__nn_run *r, bool all, hed__nn_copy *c)
{
  const int n = r->n + (all ? r->states : 0);
  hed_status status = HED_OK;
  if (!c->x && !(c->x = hed__train_room(op, n, sizeof *c->x)))
    return hed_error();
  c->n = n;
  for (int k = 0; k < n && status == HED_OK; k++) {
    if (c->x[k])
      status = hed_copy_into(c->x[k], array_of(r, k));
    else
      status = (c->x[k] = hed_keep(hed_copy(array_of(r, k)))) ? HED_OK : hed_error();
  }
  return status;
}

hed_status hed__nn_put_back(const hed__nn_run *r, bool all, const hed__nn_copy *c)
{
  hed_status status = HED_OK;
  for (int k = 0; c->x && k < r->n + (all ? r->states : 0) && status == HED_OK; k++)
    status = hed_copy_into(array_of(r, k), c->x[k]);
  return status;
}

void hed__nn_copy_clear(hed__nn_copy *c)
{
  if (c->x)
    hed__nn_release_all(c->n, c->x);
  free(c->x);
  *c = (hed__nn_copy){ 0, NULL };
}

/* ---- in a file ---- */

enum { NUMBERS = 10, SETUP = 6, NAME = 64 };

/* What the archive has, in one list: names are made in TEXT. */
typedef struct listing {
  int n;
  char (*text)[NAME];
  const char **names;
  hed_array **x;
} listing;

static void unlist(listing *l)
{
  free(l->text);
  free(l->names);
  free(l->x);
}

static void add(listing *l, const char *group, const char *name, int k, hed_array *x)
{
  if (name)
    (void)snprintf(l->text[l->n], NAME, "%s.%s", group, name);
  else if (k >= 0)
    (void)snprintf(l->text[l->n], NAME, "%s.%d", group, k);
  else
    (void)snprintf(l->text[l->n], NAME, "%s", group);
  l->names[l->n] = l->text[l->n];
  l->x[l->n++] = x;
}

static hed_status list(const hed__nn_run *r, const hed__nn_copy *best, listing *l)
{
  const int most = 2 * r->n + r->states + 8;
  *l = (listing){ 0, hed__train_room(op, most, NAME), hed__train_room(op, most, sizeof(char *)),
                  hed__train_room(op, most, sizeof(hed_array *)) };
  if (!l->text || !l->names || !l->x)
    return hed_error();
  for (int k = 0; k < r->n; k++)
    add(l, "parameter", NULL, k, r->params[k]);
  for (int k = 0; r->keeps_best && k < r->n; k++)
    add(l, "best", NULL, k, best->x ? best->x[k] : r->params[k]);
  for (int k = 0; k < r->states; k++) {
    const char *name = "";
    hed_array *x = hed__nn_state_of(r->s, k, &name);
    add(l, "optimizer", name, -1, x);
  }
  return HED_OK;
}

static void setup_of(const hed__nn_run *r, int64_t out[SETUP])
{
  const int64_t setup[SETUP] = { 1, r->samples, r->o.batch, r->o.accumulate, (int64_t)r->o.key, r->keeps_best };
  for (int k = 0; k < SETUP; k++)
    out[k] = setup[k];
}

static void numbers_of(const hed__nn_run *r, double out[NUMBERS])
{
  static const hed_nn_scale none;
  const hed_nn_scale *s = r->o.scale ? r->o.scale : &none;
  const double numbers[NUMBERS] = { r->best, (double)r->best_epoch, (double)r->bad, r->plateau.begun, r->plateau.best,
                                    (double)r->plateau.bad, (double)r->plateau.cuts, s->scale, (double)s->good, (double)s->skipped };
  for (int k = 0; k < NUMBERS; k++)
    out[k] = numbers[k];
}

static void from_numbers(hed__nn_run *r, const double x[NUMBERS])
{
  r->best = x[0];
  r->best_epoch = (int64_t)x[1];
  r->bad = (int64_t)x[2];
  r->plateau = (hed_nn_plateau){ x[3] != 0, x[4], (int64_t)x[5], (int64_t)x[6] };
  if (r->o.scale) {
    r->o.scale->scale = x[7];
    r->o.scale->good = (int64_t)x[8];
    r->o.scale->skipped = (int64_t)x[9];
  }
}

hed_status hed__nn_save(const hed__nn_run *r)
{
  listing l;
  int64_t setup[SETUP];
  double numbers[NUMBERS];
  hed_status status = list(r, &r->best_params, &l);
  setup_of(r, setup);
  numbers_of(r, numbers);
  if (status == HED_OK)
    HED_BACKEND_CONTEXT_OR("reference", status = hed_error()) HED_SCOPE_OR(status = hed_error()) {
      const hed_shape epochs = HED_SHAPE(r->epoch);
      add(&l, "setup", NULL, -1, hed_from_host(setup, HED_SHAPE(SETUP), HED_INT64));
      add(&l, "numbers", NULL, -1, hed_from_host(numbers, HED_SHAPE(NUMBERS), HED_FLOAT64));
      add(&l, "step", NULL, -1, hed_from_host(&r->step, HED_SHAPE0, HED_INT64));
      add(&l, "loss", NULL, -1, hed_from_host(r->loss, epochs, HED_FLOAT64));
      add(&l, "validation", NULL, -1, hed_from_host(r->validation, epochs, HED_FLOAT64));
      add(&l, "rate", NULL, -1, hed_from_host(r->rate, epochs, HED_FLOAT64));
      for (int k = 0; k < l.n && status == HED_OK; k++)
        status = l.x[k] ? HED_OK : hed_error();
      if (status == HED_OK)
        status = hed_save_npz(r->o.state, l.n, l.names, (const hed_array *const *)l.x, false);
    }
  unlist(&l);
  return status;
}

/* The run's own words for what a state was made with. */
static hed_status check_setup(const hed__nn_run *r, const int64_t has[SETUP])
{
  static const char *const what[SETUP] = { "version", "samples", "batch", "accumulate", "key", "keeping the best" };
  int64_t wants[SETUP];
  setup_of(r, wants);
  for (int k = 0; k < SETUP; k++)
    if (has[k] != wants[k])
      return hed_fail(HED_E_FORMAT, "%s: %s: %s is %lld, now %lld", op, r->o.state, what[k], (long long)has[k], (long long)wants[k]);
  return HED_OK;
}

/* How many epochs the archive says, at most those that are wanted; what it is of has to be this run. */
static hed_status epochs_in(hed__nn_run *r, int64_t *epochs)
{
  int64_t setup[SETUP];
  hed_status status = HED_OK;
  HED_BACKEND_CONTEXT_OR("reference", return hed_error()) HED_SCOPE_OR(return hed_error()) {
    hed_array *s = hed_load_npz(r->o.state, "setup"), *x = s ? hed_load_npz(r->o.state, "loss") : NULL;
    if (!x)
      return hed_error();
    if (hed_array_dtype(s) != HED_INT64 || hed_array_size(s) != SETUP || hed_array_ndim(x) != 1)
      return hed_fail(HED_E_FORMAT, "%s: %s: setup or loss have another form", op, r->o.state);
    status = hed_to_host(s, setup, sizeof setup);
    *epochs = hed_array_size(x);
  }
  if (status == HED_OK)
    status = check_setup(r, setup);
  return status == HED_OK && *epochs > r->o.epochs
             ? hed_fail(HED_E_INVAL, "%s: %s has %lld epochs, %lld are wanted", op, r->o.state, (long long)*epochs,
                        (long long)r->o.epochs) : status;
}

static hed_status read_into(hed__nn_run *r, int64_t epochs)
{
  listing l;
  double numbers[NUMBERS];
  hed_status status = r->keeps_best ? hed__nn_take(r, false, &r->best_params) : HED_OK;
  if (status != HED_OK)
    return status;
  status = list(r, &r->best_params, &l);
  if (status == HED_OK)
    HED_BACKEND_CONTEXT_OR("reference", status = hed_error()) HED_SCOPE_OR(status = hed_error()) {
      hed_array *x[6] = { hed_zeros(HED_SHAPE(SETUP), HED_INT64), hed_zeros(HED_SHAPE(NUMBERS), HED_FLOAT64),
                         hed_zeros(HED_SHAPE0, HED_INT64),
                          hed_zeros(HED_SHAPE(epochs), HED_FLOAT64), hed_zeros(HED_SHAPE(epochs), HED_FLOAT64),
                          hed_zeros(HED_SHAPE(epochs), HED_FLOAT64) };
      static const char *const names[6] = { "setup", "numbers", "step", "loss", "validation", "rate" };
      for (int k = 0; k < 6 && status == HED_OK; k++) {
        status = x[k] ? HED_OK : hed_error();
        add(&l, names[k], NULL, -1, x[k]);
      }
      if (status == HED_OK)
        status = hed__train_read(op, r->o.state, l.n, l.names, l.x);
      double *const to[3] = { r->loss, r->validation, r->rate };
      for (int k = 0; k < 3 && status == HED_OK; k++)
        status = hed_to_host(x[3 + k], to[k], (size_t)epochs * sizeof(double));
      if (status == HED_OK)
        status = hed_to_host(x[1], numbers, sizeof numbers);
      if (status == HED_OK)
        status = hed_item_int(x[2], &r->step);
    }
  unlist(&l);
  if (status == HED_OK)
    from_numbers(r, numbers);
  return status;
}

hed_status hed__nn_load(hed__nn_run *r, bool *found)
{
  int64_t epochs = 0;
  *found = access(r->o.state, F_OK) == 0;
  hed_status status = *found ? epochs_in(r, &epochs) : HED_OK;
  if (status == HED_OK && *found)
    status = read_into(r, epochs);
  if (status == HED_OK && *found)
    r->epoch = epochs;
  return status;
}
