// SPDX-License-Identifier: BSD-3-Clause
/* Parts of networks: initialisers by key, losses and activations against PyTorch 2.15 (float64), wirings over many seeds. */
#include "train.h"
#include <heddle/grad.h>
#include <heddle/kits/nn_init.h>
#include <heddle/kits/nn_loss.h>
#include <heddle/kits/nn_wiring.h>
#include <unistd.h>

/* ---- initialisers ---- */

static double low_of(const hed_array *x) { return train_item(hed_min(x, NULL)); }
static double high_of(const hed_array *x) { return train_item(hed_max(x, NULL)); }
static double std_of(const hed_array *x) { return train_item(hed_std(x, NULL)); }

/* Wide enough for the spread to be known to a hundredth. */
static const hed_shape wide = { 2, { 200, 300 } };

static hed_array *drawn(hed_nn_init kind, const hed_nn_init_options *o) { return hed_nn_initial(wide, HED_FLOAT32, kind, o, 7); }

static void spans(const char *backend)
{
  const struct {
    hed_nn_init kind;
    hed_nn_init_options o;
    double low, high;
  } rows[] = { { HED_NN_INIT_UNIFORM, { .gain = 0 }, -0.05, 0.05 }, { HED_NN_INIT_UNIFORM, { .low = 2, .high = 3 }, 2, 3 },
               { HED_NN_INIT_LTC_GLEAK, { .gain = 0 }, 0.001, 1 }, { HED_NN_INIT_LTC_VLEAK, { .gain = 0 }, -0.2, 0.2 },
               { HED_NN_INIT_LTC_CM, { .gain = 0 }, 0.4, 0.6 }, { HED_NN_INIT_LTC_W, { .gain = 0 }, 0.001, 1 },
               { HED_NN_INIT_LTC_SIGMA, { .gain = 0 }, 3, 8 }, { HED_NN_INIT_LTC_MU, { .gain = 0 }, 0.3, 0.8 },
               { HED_NN_INIT_GLOROT_UNIFORM, { .gain = 0 }, -sqrt(6 / 500.), sqrt(6 / 500.) },
               { HED_NN_INIT_HE_UNIFORM, { .out_first = true }, -sqrt(6 / 300.), sqrt(6 / 300.) },
               { HED_NN_INIT_LECUN_UNIFORM, { .gain = 2 }, -2 * sqrt(3 / 200.), 2 * sqrt(3 / 200.) },
               { HED_NN_INIT_TRUNCATED_NORMAL, { .mean = 1, .std = 0.5 }, 0, 2 },
               { HED_NN_INIT_TRUNCATED_NORMAL, { .std = 1, .low = -0.5, .high = 0.25 }, -0.5, 0.25 } };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const double low = rows[k].low, high = rows[k].high, near = 0.01 * (high - low);
    hed_array *x = drawn(rows[k].kind, &rows[k].o);
    const double least = low_of(x), most = high_of(x);
    ok(least >= low - 1e-6 && least < low + near && most <= high + 1e-6 && most > high - near, "%s: %s spans [%g, %g], has [%g, %g]",
       backend, hed_nn_init_name(rows[k].kind), low, high, least, most);
  }
}

static void spreads(const char *backend)
{
  const struct {
    hed_nn_init kind;
    hed_nn_init_options o;
    double std;
  } rows[] = { { HED_NN_INIT_NORMAL, { .std = 3 }, 3 }, { HED_NN_INIT_GLOROT_NORMAL, { .gain = 0 }, sqrt(2 / 500.) },
               { HED_NN_INIT_HE_NORMAL, { .gain = 0 }, sqrt(2 / 200.) },
                   { HED_NN_INIT_LECUN_NORMAL, { .out_first = true }, sqrt(1 / 300.) },
               { HED_NN_INIT_BINOMIAL, { .p = 0.2 }, 0.4 } };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    is_near(std_of(drawn(rows[k].kind, &rows[k].o)), rows[k].std, 0.01, 0, "%s: %s", backend, hed_nn_init_name(rows[k].kind));
  is_near(std_of(hed_nn_initial(HED_SHAPE(64, 50, 3, 3), HED_FLOAT32, HED_NN_INIT_HE_NORMAL,
                                &(hed_nn_init_options){ .out_first = true }, 1)), sqrt(2 / 450.), 0.02, 0, "a field multiplies fans");
}

static void initialisers(const char *backend)
{
  hed_nn_init kind = HED_NN_INIT_ZEROS;
  spans(backend);
  spreads(backend);
  for (int tall = 0; tall < 2; tall++) {
    hed_array *q = hed_nn_initial(tall ? HED_SHAPE(7, 4) : HED_SHAPE(4, 7), train_type(), HED_NN_INIT_ORTHOGONAL,
                                  &(hed_nn_init_options){ .gain = 3 }, 5);
    hed_array *t = hed_matrix_transpose(q), *square = tall ? hed_matmul(t, q) : hed_matmul(q, t);
    hed_array *off = hed_abs(hed_subtract(square, hed_multiply_scalar(hed_identity(4, train_type()), 9)));
    ok(high_of(off) < (train_type() == HED_FLOAT64 ? 1e-13 : 1e-4), "%s: orthogonal, gain 3", backend);
  }
  ok(FAR(hed_nn_initial(HED_SHAPE(2, 3), HED_FLOAT32, HED_NN_INIT_IDENTITY, &(hed_nn_init_options){ .gain = 2 }, 0), 2, 0, 0, 0, 2,
         0) == 0,
     "an identity");
  ok(FAR(hed_nn_initial(HED_SHAPE(2), HED_FLOAT32, HED_NN_INIT_CONSTANT, &(hed_nn_init_options){ .value = -3 }, 0), -3, -3) == 0 &&
     FAR(hed_nn_initial(HED_SHAPE(2), HED_FLOAT32, HED_NN_INIT_ONES, NULL, 0), 1, 1) == 0, "constants");
  hed_array *a = drawn(HED_NN_INIT_NORMAL, NULL), *b = NULL, *c = hed_nn_initial(wide, HED_FLOAT32, HED_NN_INIT_NORMAL, NULL, 8);
  HED_BACKEND_CONTEXT("reference") b = drawn(HED_NN_INIT_NORMAL, NULL);
  ok(same_array(a, b), "%s: the same bits of a key everywhere", backend);
  ok(!same_array(a, c), "others of another");
  for (int k = 0; k < HED_NN_INITS; k++)
    ok(hed_nn_init_by_name(hed_nn_init_name(k), &kind) == HED_OK && (int)kind == k, "%s has a name", hed_nn_init_name(k));
  BAD(hed_nn_init_by_name("kaiming", &kind), HED_E_NOTFOUND, "he_normal", "an unknown name lists the known");
  NONE(hed_nn_initial(HED_SHAPE(3), HED_FLOAT32, HED_NN_INIT_ORTHOGONAL, NULL, 0), HED_E_SHAPE, "1 axes",
       "a vector is not orthogonal");
  NONE(hed_nn_initial(wide, HED_INT32, HED_NN_INIT_ONES, NULL, 0), HED_E_DTYPE, "int32", "integers");
  NONE(hed_nn_initial(wide, HED_FLOAT32, HED_NN_INIT_NORMAL, &(hed_nn_init_options){ .std = -1 }, 0), HED_E_INVAL, "std is -1",
       "a spread");
  NONE(hed_nn_initial(wide, HED_FLOAT32, HED_NN_INIT_BINOMIAL, &(hed_nn_init_options){ .p = 2 }, 0), HED_E_INVAL, "p is 2",
       "a chance");
}

/* ---- losses ---- */

static hed_array *waved(double a, double b)
{
  double v[6];
  for (int k = 0; k < 6; k++)
    v[k] = sin(a * (k + 1)) + b;
  return train_array(HED_SHAPE(2, 3), v);
}

static hed_array *kl(const hed_array *const *x)
{
  return hed_nn_kl_divergence(hed_log_softmax(x[0], -1), hed_softmax(hed_stop_gradient(x[1]), -1), NULL);
}
static hed_array *kl_log(const hed_array *const *x)
{
  return hed_nn_kl_divergence(hed_log_softmax(x[0], -1), hed_log_softmax(hed_stop_gradient(x[1]), -1),
                              &(hed_nn_loss_options){ .log_target = true });
}
static hed_array *hinge(const hed_array *const *x)
{
  return hed_nn_hinge(x[0], train_array(HED_SHAPE(2, 3), (double[]){ 1, -1, 1, -1, -1, 1 }), NULL);
}
static hed_array *cosine(const hed_array *const *x)
{
  return hed_nn_cosine(x[0], x[1], VECTOR(1, -1), &(hed_nn_loss_options){ .margin = -0.5 });
}
static hed_array *triplet(const hed_array *const *x) { return hed_nn_triplet(x[0], x[1], x[2], NULL); }
static hed_array *quantile(const hed_array *const *x)
{
  return hed_nn_quantile(x[0], hed_stop_gradient(x[1]), &(hed_nn_loss_options){ .quantile = 0.9 });
}

static const struct {
  const char *name;
  hed_array *(*f)(const hed_array *const *x);
  double value;
  int n;
  double g[3][6];
} losses[] = {
  { "kl", kl, 0.43838710248785856, 1,
    { { -0.13619491543603016, 0.018125772085214875, 0.11806914335081528, 0.23000772634063948, -0.0022626647406512046,
        -0.22774506159998825 } } },
  { "kl of logarithms", kl_log, 0.43838710248785889, 1,
    { { -0.13619491543603016, 0.018125772085214847, 0.11806914335081528, 0.23000772634063946, -0.0022626647406512046,
        -0.22774506159998825 } } },
  { "hinge", hinge, 1.0556338951636282, 1, { { -1 / 6., 1 / 6., -1 / 6., 1 / 6., 1 / 6., -1 / 6. } } },
  { "cosine", cosine, 0.48594170431660466, 2,
    { { -0.18909624293792499, -0.074022625221280142, 0.22952082361202794, 0, 0, 0 },
      { -0.18084156798518161, -0.27138898597728645, -0.25198826803384194, 0, 0, 0 } } },
  { "triplet", triplet, 1.5093241878108554, 3,
    { { 0.10982263471202017, -0.26137772689590844, 0.28476165448538759, 0.60975601768794596, -0.18141535044849882,
        0.049770945360099739 },
      { 0.0048232463728051077, -0.19202439559464479, -0.46163120322497547, -0.3450421812896895, 0.060422045377355772,
        0.35678434601768871 },
      { -0.11464588108482528, 0.45340212249055323, 0.17686954873958788, -0.26471383639825641, 0.12099330507114306,
        -0.40655529137778845 } } },
  { "quantile", quantile, 0.34729386959303454, 1, { { -0.15, 1 / 60., 1 / 60., 1 / 60., -0.15, -0.15 } } },
};

static void of_losses(const char *backend)
{
  for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
    HED_SCOPE {
      hed_array *data[3] = { waved(0.7, 0.1), waved(1.3, -0.2), waved(2.1, 0.3) }, *x[3], *g[3] = { NULL };
      HED_RECORD {
        for (int j = 0; j < 3; j++)
          x[j] = hed_variable(data[j]);
        hed_array *y = losses[k].f((const hed_array *const *)x);
        is_near(train_item(y), losses[k].value, train_within(1e-12), 0, "%s: %s", backend, losses[k].name);
        is_int(hed_grad(y, losses[k].n, (const hed_array *const *)x, g, NULL), HED_OK, "has a gradient: %s", hed_error_text());
      }
      for (int j = 0; j < losses[k].n; j++) {
        ok(train_far(g[j], losses[k].g[j], 6) < train_within(1e-12), "%s: %s, gradient %d", backend, losses[k].name, j);
        hed_release(g[j]);
      }
    }
}

/* Masked elements count for nothing, whatever they are, and get no gradient. */
static void weighted(const char *backend)
{
  hed_array *x = VECTOR(1, NAN, 3, 8), *target = VECTOR(0, 0, 1, 4), *g = NULL;
  hed_array *mask = hed_astype(VECTOR(1, 0, 1, 1), HED_BOOL), *weights = VECTOR(1, 5, 2, 0.5);
  const hed_nn_loss_options o = { .weights = weights, .mask = mask, .quantile = 0.25 };
  HED_RECORD {
    hed_array *v = hed_variable(x), *y = hed_nn_quantile(v, target, &o);
    is_near(train_item(y), (0.75 + 2 * 1.5 + 0.5 * 3) / 3.5, 1e-6, 0, "%s: a weighted mean", backend);
    is_int(hed_grad(y, 1, (const hed_array *const[]){ v }, &g, NULL), HED_OK, "its gradient");
  }
  ok(FAR(g, 0.75 / 3.5, 0, 1.5 / 3.5, 0.375 / 3.5) < 1e-6, "%s: is 0 where the mask is", backend);
  hed_release(g);
  is_near(train_item(hed_nn_quantile(x, target, &(hed_nn_loss_options){ .mask = mask, .reduction = HED_REDUCTION_SUM })),
          0.5 + 1 + 2, 1e-6, 0, "a sum");
  is_near(train_item(hed_nn_reduce_loss(x, &(hed_nn_loss_options){ .mask = hed_zeros(HED_SHAPE(4), HED_BOOL) })), 0, 0, 0,
          "%s: the mean of nothing is 0", backend);
  ok(FAR(hed_nn_reduce_loss(x, &(hed_nn_loss_options){ .mask = mask, .reduction = HED_REDUCTION_NONE }), 1, 0, 3, 8) == 0,
     "one by one");
  is_near(train_item(hed_nn_reduce_loss(hed_mse(VECTOR(1, 2), VECTOR(3, 5), &(hed_loss){ .reduction = HED_REDUCTION_NONE }),
                                        &(hed_nn_loss_options){ .weights = VECTOR(3, 1) })), 5.25, 1e-6, 0, "a loss of the table");
  NONE(hed_nn_hinge(x, target, &(hed_nn_loss_options){ .weights = VECTOR(1, 2, 3) }), HED_E_SHAPE, "(3)", "weights that do not fit");
  NONE(hed_nn_hinge(x, target, &(hed_nn_loss_options){ .mask = x }), HED_E_DTYPE, "not bool", "a mask that is none");
  NONE(hed_nn_quantile(x, target, &(hed_nn_loss_options){ .quantile = 1 }), HED_E_INVAL, "quantile is 1", "no quantile");
}

static void activations(const char *backend)
{
  static const struct {
    const char *name;
    hed_array *(*f)(const hed_array *x);
    double y[6], g[6];
  } rows[] = {
    { "softsign", hed_nn_softsign, { -0.8, -0.6, -0.28571428571428575, 0.23076923076923075, 0.47368421052631582, 0.77777777777777779 },
      { 0.04, 0.16, 0.51020408163265307, 0.59171597633136086, 0.27700831024930739, 0.049382716049382713 } },
    { "hardsigmoid", hed_nn_hardsigmoid, { 0, 0.25, 0.43333333333333335, 0.55, 0.65, 1 }, { 0, 1 / 6., 1 / 6., 1 / 6., 1 / 6., 0 } },
    { "mish", hed_nn_mish, { -0.07259174079202535, -0.29809974216680674, -0.18891648239351463, 0.20800137234811503,
                            0.76120592895251538,
        3.4939907151175196 },
      { -0.053773209793480332, -0.064097815892258686, 0.34757279902910421, 0.7828272995511304, 1.0279182005317524,
       1.0099393249951327 } },
  };
  hed_array *data = VECTOR(-4, -1.5, -0.4, 0.3, 0.9, 3.5), *g = NULL;
  for (int k = 0; k < 3; k++) {
    HED_RECORD {
      hed_array *x = hed_variable(data), *y = rows[k].f(x);
      ok(train_far(y, rows[k].y, 6) < train_within(1e-13), "%s: %s", backend, rows[k].name);
      is_int(hed_grad(hed_sum(y, NULL), 1, (const hed_array *const[]){ x }, &g, NULL), HED_OK, "its gradient");
    }
    ok(train_far(g, rows[k].g, 6) < train_within(1e-13), "%s: slope of %s", backend, rows[k].name);
    hed_release(g);
  }
  ok(FAR(hed_nn_hardtanh(data, 0, 0), -1, -1, -0.4, 0.3, 0.9, 1) <= train_within(0), "%s: hardtanh", backend);
  NONE(hed_nn_hardtanh(data, 2, 1), HED_E_INVAL, "low is 2", "limits that cross");
}

/* ---- wirings ---- */

typedef struct seen {
  int64_t n, inputs, positive, synapses;
  int8_t *a, *s, *type;
} seen;

static int8_t *bytes(hed_array *x)
{
  int8_t *out = malloc(hed_array_nbytes(x) + 1);
  if (!x || !out || hed_to_host(x, out, hed_array_nbytes(x)) != HED_OK)
    bail("%s", hed_error_text());
  return out;
}

static seen look(const hed_nn_wiring *w)
{
  seen s = { hed_nn_wiring_units(w), hed_nn_wiring_inputs(w), 0, 0, NULL, NULL, NULL };
  s.a = bytes(hed_nn_wiring_adjacency(w));
  s.s = bytes(hed_nn_wiring_sensory(w));
  s.type = bytes(hed_nn_wiring_types(w));
  for (int64_t k = 0; k < s.n * s.n; k++) {
    s.synapses += s.a[k] != 0;
    s.positive += s.a[k] > 0;
  }
  return s;
}

static void forget(seen *s)
{
  free(s->a);
  free(s->s);
  free(s->type);
}

/* What every circuit policy keeps: layers in order, fans, nobody alone. */
static bool is_policy(const seen *s, const hed_nn_ncp *o)
{
  static const int8_t next[] = { HED_NN_COMMAND, HED_NN_MOTOR, -1 };
  bool good = true;
  for (int64_t from = 0; from < s->n; from++) {
    const int8_t type = s->type[from];
    int64_t out = 0, in = 0, sensory = 0;
    good = good && type == (from < o->motor ? HED_NN_MOTOR : from < o->motor + o->command ? HED_NN_COMMAND : HED_NN_INTER);
    for (int64_t to = 0; to < s->n; to++) {
      const bool there = s->a[from * s->n + to] != 0;
      const bool within = type == HED_NN_COMMAND && s->type[to] == HED_NN_COMMAND;
      good = good && (!there || within || s->type[to] == next[type]);
      out += there && !within;
      in += s->a[to * s->n + from] != 0 && s->type[to] != type;
    }
    for (int64_t k = 0; k < s->inputs; k++)
      sensory += s->s[k * s->n + from] != 0;
    good = good && (type == HED_NN_MOTOR ? in >= o->motor_fanin && out == 0 : out >= 1) &&
        (type != HED_NN_INTER || out >= o->inter_fanout);
    good = good && (type == HED_NN_INTER ? in == 0 && sensory >= 1 : in >= 1 && sensory == 0);
  }
  for (int64_t k = 0; k < s->inputs; k++) {
    int64_t out = 0;
    for (int64_t to = 0; to < s->n; to++)
      out += s->s[k * s->n + to] != 0;
    good = good && out >= o->sensory_fanout;
  }
  return good;
}

static void policies(void)
{
  int wrong = 0, same = 0;
  double positive = 0, synapses = 0;
  int8_t *before = NULL;
  size_t size = 0;
  for (uint64_t seed = 0; seed < 1000; seed++)
    HED_SCOPE {
      const int64_t k = (int64_t)seed;
      const hed_nn_ncp o = { .inputs = 1 + k % 9, .inter = 2 + k % 13, .command = 1 + k % 7, .motor = 1 + k % 4,
                             .sensory_fanout = 1 + k % 2, .inter_fanout = 1, .recurrent = k % 11, .motor_fanin = 1 };
      hed_nn_wiring *w = NULL, *again = NULL, *other = NULL;
      if (hed_nn_wiring_ncp(&o, seed, &w) != HED_OK || hed_nn_wiring_ncp(&o, seed, &again) != HED_OK ||
          hed_nn_wiring_auto(40, 5, 3, 0.5, seed, &other) != HED_OK)
        bail("%s", hed_error_text());
      seen s = look(w), t = look(again), u = look(other);
      /* what ncps 1.0.1 makes of 40 units, 3 outputs and 0.5 */
      const hed_nn_ncp of_auto = { 5, 23, 14, 3, 11, 7, 14, 7 };
      wrong += !is_policy(&s, &o) || !is_policy(&u, &of_auto) || memcmp(s.a, t.a, (size_t)(s.n * s.n)) != 0;
      same += before && size == (size_t)(u.n * u.n) && memcmp(before, u.a, size) == 0;
      size = (size_t)(u.n * u.n);
      free(before);
      before = malloc(size);
      if (before)
        memcpy(before, u.a, size);
      positive += (double)u.positive;
      synapses += (double)u.synapses;
      forget(&s);
      forget(&t);
      forget(&u);
      hed_nn_wiring_release(w);
      hed_nn_wiring_release(again);
      hed_nn_wiring_release(other);
    }
  free(before);
  is_int(wrong, 0, "a thousand seeds, and no neuron alone");
  is_int(same, 0, "nor two alike");
  is_near(positive / synapses, 0.5, 0.01, 0, "half of the synapses are excitatory");
}

static void plain(void)
{
  hed_nn_wiring *w = NULL;
  is_int(hed_nn_wiring_full(30, 20, 4, true, 1, &w), HED_OK, "every synapse");
  is_int(hed_nn_wiring_synapses(w), 870, "but to itself");
  is_int(hed_nn_wiring_sensory_synapses(w), 600, "and from inputs");
  seen s = look(w);
  is_near((double)s.positive / (double)s.synapses, 2 / 3., 0.1, 0, "two of three excitatory");
  forget(&s);
  hed_nn_wiring_release(w);
  is_int(hed_nn_wiring_random(20, 6, 5, 0.7, 1, &w), HED_OK, "some");
  ok(hed_nn_wiring_synapses(w) == 120 && hed_nn_wiring_sensory_synapses(w) == 36, "as many as ncps has");
  is_int(hed_nn_wiring_outputs(w), 5, "outputs");
  hed_nn_wiring_release(w);
  int counts[5] = { 0 };
  for (uint64_t seed = 0; seed < 1000; seed++) /* one of four places, uniformly */
    HED_SCOPE {
      if (hed_nn_wiring_random(2, 0, 1, 0.75, seed, &w) != HED_OK)
        bail("%s", hed_error_text());
      seen t = look(w);
      for (int k = 0; k < 4; k++)
        counts[k] += t.a[k] != 0;
      forget(&t);
      hed_nn_wiring_release(w);
    }
  ok(counts[0] + counts[1] + counts[2] + counts[3] == 1000 && counts[0] > 200 && counts[1] > 200 && counts[2] > 200 && counts[3] > 200,
     "all places are as likely: %d, %d, %d, %d", counts[0], counts[1], counts[2], counts[3]);
}

static void own(const char *backend)
{
  char path[64];
  hed_nn_wiring *w = NULL, *back = NULL;
  (void)snprintf(path, sizeof path, "nn_parts.%ld.npz", (long)getpid());
  is_int(hed_nn_wiring_create(3, 2, 1, &w), HED_OK, "%s: an empty one", backend);
  is_int(hed_nn_wiring_add(w, 2, 0, -1) | hed_nn_wiring_add(w, 1, 1, 1) | hed_nn_wiring_add_sensory(w, 1, 2, -1) |
         hed_nn_wiring_place(w, 1, HED_NN_COMMAND, 4), HED_OK, "with synapses");
  ok(FAR(hed_nn_wiring_adjacency(w), 0, 0, 0, 0, 1, 0, -1, 0, 0) == 0 && FAR(hed_nn_wiring_sensory(w), 0, 0, 0, 0, 0, -1) == 0,
     "%s: are where they were put", backend);
  ok(FAR(hed_nn_wiring_mask(w, HED_FLOAT32), 0, 0, 0, 0, 1, 0, 1, 0, 0) == 0 &&
     FAR(hed_nn_wiring_sensory_mask(w, HED_FLOAT32), 0, 0, 0, 0, 0, 1) == 0, "masks");
  ok(FAR(hed_nn_wiring_types(w), 2, 1, 0) == 0 && FAR(hed_nn_wiring_layers(w), 0, 4, 0) == 0 &&
     FAR(hed_nn_wiring_layer(w, 0), 0, 2) == 0,
     "types and layers");
  const hed_status saved = hed_nn_wiring_save(w, path);
  if (saved == HED_E_UNAVAILABLE)
    skip(1, "no archives");
  else {
    is_int(saved, HED_OK, "into a file");
    is_int(hed_nn_wiring_load(path, &back), HED_OK, "and back");
    ok(same_array(hed_nn_wiring_adjacency(w), hed_nn_wiring_adjacency(back)) && same_array(hed_nn_wiring_layers(w),
       hed_nn_wiring_layers(back)) && hed_nn_wiring_outputs(back) == 1, "%s: the same", backend);
    hed_nn_wiring_release(back);
    const char *const names[] = { "adjacency", "sensory", "types", "layers", "outputs" };
    const hed_array *const bad[] = { hed_full_int(HED_SHAPE(3, 3), 2, HED_INT8), hed_zeros(HED_SHAPE(2, 3), HED_INT8),
                                     hed_zeros(HED_SHAPE(3), HED_INT8), hed_zeros(HED_SHAPE(3), HED_INT64),
                                         hed_zeros(HED_SHAPE0, HED_INT64) };
    is_int(hed_save_npz(path, 5, names, bad, false), HED_OK, "a file that lies");
    BAD(hed_nn_wiring_load(path, &back), HED_E_FORMAT, "adjacency", "is found out");
    ok(!back, "no wiring");
    (void)remove(path);
  }
  BAD(hed_nn_wiring_add(w, 3, 0, 1), HED_E_INDEX, "from is 3, there are 3", "no such neuron");
  BAD(hed_nn_wiring_add(w, 0, 0, 2), HED_E_INVAL, "polarity is 2", "no polarity");
  hed_nn_wiring_release(w);
  BAD(hed_nn_wiring_auto(10, 3, 8, 0.5, 0, &w), HED_E_INVAL, "outputs is 8", "too many outputs");
  BAD(hed_nn_wiring_auto(10, 3, 2, 1, 0, &w), HED_E_INVAL, "not in (0, 1)", "nothing left");
  BAD(hed_nn_wiring_auto(10, 3, 2, 0, 0, &w), HED_E_INVAL, "not in (0, 1)", "nothing sparse");
  is_int(hed_nn_wiring_auto(10, 3, 2, 0.95, 0, &w), HED_OK, "but 0.95 is");
  hed_nn_wiring_release(w);
  BAD(hed_nn_wiring_ncp(&(hed_nn_ncp){ 2, 4, 3, 1, 5, 1, 0, 1 }, 0, &w), HED_E_INVAL, "sensory_fanout is 5, there are 4", "a fan");
}

static void circuits(void)
{
  static const struct {
    hed_nn_circuit kind;
    int64_t units, outputs, synapses; /* 0: drawn */
  } rows[] = {
    { HED_NN_LANGUAGE, 256, 64, 2 * 64 * 16 + 64 * 64 + 64 + 32 }, { HED_NN_ROBOTICS, 72, 8, 0 }, { HED_NN_SIGNAL, 65, 1, 0 },
    { HED_NN_FREQUENCY, 128, 4, 0 }, { HED_NN_VISION, 8 * 8 * 3 + 4 * 4 * 8 + 2 * 2 * 16, 16, 0 },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    HED_SCOPE {
      hed_nn_wiring *w = NULL;
      is_int(hed_nn_wiring_circuit(rows[k].kind, 0, NULL, 5, 9, &w), HED_OK, "circuit %d: %s", (int)k, hed_error_text());
      is_int(hed_nn_wiring_units(w), rows[k].units, "units");
      is_int(hed_nn_wiring_outputs(w), rows[k].outputs, "outputs");
      ok(hed_nn_wiring_synapses(w) > 0 && (!rows[k].synapses || hed_nn_wiring_synapses(w) == rows[k].synapses), "%lld synapses",
         (long long)hed_nn_wiring_synapses(w));
      seen s = look(w);
      int alone = 0;
      for (int64_t j = 0; j < rows[k].outputs; j++) {
        int in = 0;
        for (int64_t i = 0; i < s.n; i++)
          in += s.a[i * s.n + j] != 0;
        alone += in == 0;
      }
      is_int(alone, 0, "every output is reached");
      forget(&s);
      hed_nn_wiring_release(w);
    }
  hed_nn_wiring *w = NULL;
  BAD(hed_nn_wiring_circuit(HED_NN_LANGUAGE, 2, (int64_t[]){ 10, 3 }, 0, 0, &w), HED_E_INVAL, "hidden is 10",
      "heads that do not divide");
  BAD(hed_nn_wiring_circuit((hed_nn_circuit)9, 0, NULL, 0, 0, &w), HED_E_INVAL, "kind is 9", "no such circuit");
}

int main(void)
{
  train_on_each(initialisers);
  train_on_each(of_losses);
  train_on_each(weighted);
  train_on_each(activations);
  train_on_each(own);
  HED_SCOPE policies();
  HED_SCOPE plain();
  HED_SCOPE circuits();
  return done();
}
