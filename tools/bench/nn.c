// SPDX-License-Identifier: BSD-3-Clause
/* Cells over time with their gradients, and a step of an optimiser, by the nn kit: rows of suite "jobs".
 *
 * Layer: L5. The value is the mean square of all outputs, the gradient that by all parameters. The floor is the flops of the
 * products (of LTC: of its sigmoids, 16 each, and what is made of them), or the bytes of a step.
 */
#include "bench.h"
#include <heddle/grad.h>
#include <heddle/kits/nn_cells.h>
#include <heddle/kits/nn_optimize.h>
#include <stdio.h>

enum { BATCH = 32, STEPS = 100, UNITS = 128, LIQUID = 64, UNFOLDS = 6, BACKBONE = 128, NUMBERS = 10000000, COMPARED = 3 };

typedef struct job {
  const char *name, *size;
  hed_nn_cell cell;
  int64_t steps; /* 0: one step by itself */
  double flops;
} job;

/* Of products with M x N weights: there, and back to operand and weight. */
#define PRODUCT(m, n) (6.0 * (m) * (n))
#define RECURRENT(gates) (BATCH * (PRODUCT(UNITS, (gates) * UNITS) * 2 - 2.0 * UNITS * (gates) * UNITS))

static const job cells[] = {
  { "nn_lstm_sequence", "32x100x128", { .kind = HED_NN_LSTM, .input = UNITS, .units = UNITS }, STEPS, STEPS * RECURRENT(4) },
  { "nn_gru_sequence", "32x100x128", { .kind = HED_NN_GRU, .input = UNITS, .units = UNITS }, STEPS, STEPS * RECURRENT(3) },
  { "nn_lstm_step", "32x128", { .kind = HED_NN_LSTM, .input = UNITS, .units = UNITS }, 0, RECURRENT(4) - BATCH * 8.0 * UNITS * UNITS },
  { "nn_ltc_sequence", "32x100x64", { .kind = HED_NN_LTC, .input = LIQUID, .units = LIQUID }, STEPS,
    48.0 * BATCH * STEPS * UNFOLDS * LIQUID * LIQUID },
  { "nn_cfc_sequence", "32x100x64", { .kind = HED_NN_CFC, .input = LIQUID, .units = LIQUID }, STEPS,
    BATCH * STEPS * (PRODUCT(2 * LIQUID, BACKBONE) + PRODUCT(BACKBONE, 4 * LIQUID) - 2.0 * LIQUID * BACKBONE) },
};

/* What a row has. */
typedef struct own {
  hed_nn_params *p;
  hed_nn_optimizer *optimizer;
} own;

static void drop(bench_work *w)
{
  own *o = w->own;
  hed_nn_params_release(o->p);
  hed_nn_optimizer_release(o->optimizer);
  free(o);
}

/* ---- cells ---- */

static hed_array *all_outputs(const bench_work *w, const hed_nn_params *p)
{
  const job *j = w->spec->what;
  return j->steps ? hed_nn_sequence(&j->cell, NULL, p, "", w->a[0], NULL)
                  : hed_nn_cell_step(&j->cell, p, "", w->a[0], NULL, NULL, NULL);
}

/* Both are the caller's. */
static hed_status value_and_gradient(const bench_work *w, hed_array **value, hed_nn_params **gradient)
{
  const own *o = w->own;
  hed_nn_params *v = NULL;
  hed_status status = HED_OK;
  HED_RECORD HED_SCOPE_OR(status = hed_error()) {
    status = hed_nn_params_variables(o->p, &v);
    const hed_array *y = status == HED_OK ? all_outputs(w, v) : NULL;
    const hed_array *loss = y ? hed_mean(hed_square(y), NULL) : NULL;
    status = loss ? hed_nn_params_grad(loss, v, gradient) : hed_error();
    if (status == HED_OK && !(*value = hed_keep(hed_stop_gradient(loss))))
      status = hed_error();
  }
  hed_nn_params_release(v);
  return status;
}

static hed_status run_cell(bench_work *w, int64_t n)
{
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    hed_array *value = NULL;
    hed_nn_params *gradient = NULL;
    status = value_and_gradient(w, &value, &gradient);
    hed_release(value);
    hed_nn_params_release(gradient);
  }
  return status;
}

/* All of Q, and X, in one file. */
static hed_status store_tree(hed_nn_params *q, const char *name, const hed_array *x, const char *folder)
{
  char path[4096];
  const hed_status status = hed_nn_params_set(q, name, x);
  (void)snprintf(path, sizeof path, "%s/row.npz", folder);
  return status == HED_OK ? hed_nn_params_save(q, path) : status;
}

static hed_status store_cell(bench_work *w, const char *folder)
{
  const own *o = w->own;
  hed_array *value = NULL;
  hed_nn_params *gradient = NULL, *q = NULL;
  hed_status status = value_and_gradient(w, &value, &gradient);
  if (status == HED_OK)
    status = hed_nn_params_create(&q);
  if (status == HED_OK)
    status = hed_nn_params_merge(q, "p", o->p);
  if (status == HED_OK)
    status = hed_nn_params_merge(q, "gradient", gradient);
  if (status == HED_OK)
    status = hed_nn_params_set(q, "value", value);
  if (status == HED_OK)
    status = store_tree(q, "x", w->a[0], folder);
  hed_release(value);
  hed_nn_params_release(gradient);
  hed_nn_params_release(q);
  return status;
}

static hed_status begin(bench_work *w)
{
  own *o = calloc(1, sizeof *o);
  if (!o)
    return hed_fail(HED_E_NOMEM, "no memory");
  w->own = o;
  w->drop = drop;
  return HED_OK;
}

static hed_status prepare_cell(bench_work *w)
{
  const job *j = w->spec->what;
  const hed_random seed = { .seed = 4, .seeded = true };
  hed_status status = begin(w);
  own *o = w->own;
  if (status == HED_OK)
    status = hed_nn_params_create(&o->p);
  if (status == HED_OK)
    status = j->steps ? hed_nn_sequence_init(&j->cell, NULL, o->p, "", w->spec->dtype, &seed)
                      : hed_nn_cell_init(&j->cell, o->p, "", w->spec->dtype, &seed);
  if (status != HED_OK)
    return status;
  w->a[0] = bench_normal(w->spec, j->steps ? HED_SHAPE(BATCH, j->steps, j->cell.input) : HED_SHAPE(BATCH, j->cell.input));
  status = bench_have(w, 1);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[0]);
  w->run = run_cell;
  w->store = store_cell;
  w->read = (double)hed_array_nbytes(w->a[0]);
  w->written = 0;
  w->flops = j->flops;
  return bench_floor_stream(w);
}

/* ---- a step of Adam ---- */

BENCH_STATUS(run_adam, hed_nn_optimizer_step(((own *)w->own)->optimizer, 1, (const hed_array *const[]){ w->a[1] }))

static const hed_nn_optimizer_options adam = { .rule = HED_NN_ADAM };

/* The parameter before and after some first steps. */
static hed_status store_adam(bench_work *w, const char *folder)
{
  hed_nn_optimizer *s = NULL;
  hed_nn_params *q = NULL;
  hed_array *before = hed_keep(hed_copy(w->a[0])), *after = hed_keep(hed_copy(w->a[0]));
  hed_status status = before && after ? hed_nn_optimizer_create(1, &after, &adam, &s) : hed_error();
  for (int k = 0; k < COMPARED && status == HED_OK; k++)
    status = hed_nn_optimizer_step(s, 1, (const hed_array *const[]){ w->a[1] });
  if (status == HED_OK)
    status = hed_nn_params_create(&q);
  if (status == HED_OK)
    status = hed_nn_params_set(q, "p.w", before);
  if (status == HED_OK)
    status = hed_nn_params_set(q, "x", w->a[1]);
  if (status == HED_OK)
    status = store_tree(q, "after", after, folder);
  hed_release(before);
  hed_release(after);
  hed_nn_params_release(q);
  hed_nn_optimizer_release(s);
  return status;
}

static hed_status prepare_adam(bench_work *w)
{
  hed_status status = begin(w);
  w->a[0] = bench_values(w->spec, HED_SHAPE(NUMBERS));
  w->a[1] = bench_normal(w->spec, HED_SHAPE(NUMBERS));
  if (status == HED_OK)
    status = bench_have(w, 2);
  if (status == HED_OK)
    status = hed_nn_optimizer_create(1, w->a, &adam, &((own *)w->own)->optimizer);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[0]);
  w->run = run_adam;
  w->store = store_adam;
  w->read = 16.0 * NUMBERS; /* gradient, parameter, both means */
  w->written = 12.0 * NUMBERS;
  w->flops = 0;
  return bench_floor_stream(w);
}

void bench_list_nn(bench *b)
{
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    bench_spec s = { .suite = "jobs", .name = cells[i].name, .what = &cells[i], .prepare = prepare_cell, .dtype = HED_FLOAT32 };
    snprintf(s.size, sizeof s.size, "%s", cells[i].size);
    bench_add(b, &s, false);
  }
  bench_add(b, &(bench_spec){ .suite = "jobs", .name = "nn_adam", .size = "1e7", .prepare = prepare_adam, .dtype = HED_FLOAT32 },
            false);
}
