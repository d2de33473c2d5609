// SPDX-License-Identifier: BSD-3-Clause
/* Failing operands of every function of the nn kit that takes arrays; see failing_kits.h. */
#include "failing_kits.h"
#include <heddle/kits/nn_data.h>
#include <heddle/kits/nn_layers.h>
#include <heddle/kits/nn_loss.h>
#include <heddle/kits/nn_metrics.h>
#include <heddle/kits/nn_rbm.h>
#include <heddle/kits/nn_train.h>

/* ---- parameters ---- */

static hed_nn_params *tree(int n, const char *const *names, const hed_array *const *x)
{
  hed_nn_params *p = NULL;
  hed_status status = hed_nn_params_create(&p);
  for (int k = 0; k < n && status == HED_OK; k++)
    status = x[k] ? hed_nn_params_set(p, names[k], x[k]) : HED_OK;
  if (status != HED_OK)
    bail("no parameters: %s", hed_error_text());
  return p;
}
#define NAMES(...) ((const char *const[]){ __VA_ARGS__ })
#define COUNT(...) ((int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)))
#define TREE(names, ...) tree((int)(sizeof(LIST(__VA_ARGS__)) / sizeof(hed_array *)), names, LIST(__VA_ARGS__))

/* What P has, which is released. */
static void put_tree(hed_status status, hed_nn_params *p, int n, const char *const *names)
{
  for (int k = 0; k < n; k++)
    put_of(status, status == HED_OK ? hed_nn_params_get(p, names[k]) : NULL);
  hed_nn_params_release(p);
}

/* ---- rows ---- */

static const hed_random dice = { .seed = 5, .seeded = true };
static const hed_nn_cell gru = { .kind = HED_NN_GRU, .input = 2, .units = 3 };

/* Parameters of GRU below "m", "m.weight_ih" and "m.weight_hh" (with END) operands K and K + 1. */
static hed_nn_params *gru_tree(int k, const char *end)
{
  char name[4][32];
  static const char *const what[4] = { "weight_ih", "weight_hh", "bias_ih", "bias_hh" };
  for (int i = 0; i < 4; i++)
    (void)snprintf(name[i], sizeof name[i], "m.%s%s", what[i], end);
  hed_array *zero = hed_zeros(HED_SHAPE(9), HED_FLOAT32);
  return TREE(NAMES(name[0], name[1], name[2], name[3]), F(k, -1, 1, 9, 2), F(k + 1, -1, 1, 9, 3), zero, zero);
}

/* The gradient of a LOSS by X, operand K, which the loss takes as v. */
#define GRADIENT(k, low, high, loss)                                      \
  hed_array *g = NULL;                                                    \
  hed_status status = HED_OK;                                             \
  const hed_array *x = F(k, low, high, 4, 3);                             \
  HED_RECORD {                                                            \
    hed_array *const v = hed_variable(x);                                 \
    const hed_array *y = v ? loss : NULL;                                 \
    status = y ? hed_grad(y, 1, LIST(v), &g, NULL) : hed_error();         \
  }                                                                       \
  put_of(status, g);                                                      \
  hed_release(g)

static hed_status squares(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  y[0] = hed_sum(hed_square(hed_add_scalar(x[0], 1)), NULL);
  return y[0] ? HED_OK : hed_error();
}

static hed_status product(void *arg, const hed_nn_at *at, int n, const hed_array *const *params, int m, const hed_array *const *batch,
                          hed_array **loss)
{
  (void)arg, (void)at, (void)n, (void)m;
  HED_SCOPE *loss = hed_keep(hed_mse(hed_matmul(batch[0], params[0]), batch[1], NULL));
  return *loss ? HED_OK : hed_error();
}

#define NN_ROW(name, part, ...) static void row_##name##_##part(void) { __VA_ARGS__; }
#include "failing.def"
#undef NN_ROW

static const failing_row all[] = {
#define NN_ROW(name, part, ...) { "hed_nn_" #name, #part, row_##name##_##part },
#include "failing.def"
};

int main(int argc, char **argv)
{
  return failing_main("nn", sizeof all / sizeof *all, all, argc > 1 ? argv[1] : "faulty");
}
