// SPDX-License-Identifier: BSD-3-Clause
/* What decompositions hold beside the tensor, by a meter of the host's memory: no unfolding is copied, and the manual's bounds. */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/tensor_robust.h>
#include <heddle/kits/tensor_sparse.h>
#include <heddle/kits/tensor_train.h>

static hed_array *x, *simple; /* random numbers; what has rank 3 */
static const hed_sweeps few = { .max = 3, .tol = -1 };

static hed_status cp(void)
{
  hed_cp c;
  const hed_status status = hed_cp_als(x, 4, &(hed_cp_options){ .sweeps = few }, &c, NULL);
  hed_cp_clear(&c);
  return status;
}

/* Errors that are small come from differences. */
static hed_status near_fit(void)
{
  hed_cp c;
  const hed_status status = hed_cp_als(simple, 4, &(hed_cp_options){ .sweeps = few }, &c, NULL);
  hed_cp_clear(&c);
  return status;
}

static hed_status mixed(void)
{
  hed_cp c;
  const hed_cp_options o = { .sweeps = { .max = 6, .tol = -1 }, .acceleration = HED_ACCELERATE_ANDERSON };
  const hed_status status = hed_cp_als(x, 4, &o, &c, NULL);
  hed_cp_clear(&c);
  return status;
}

static hed_status hals(void)
{
  hed_cp c;
  const hed_status status = hed_cp_nn_hals(x, 4, &(hed_cp_hals_options){ .cp = { .sweeps = few } }, &c, NULL);
  hed_cp_clear(&c);
  return status;
}

static hed_status hosvd(void)
{
  hed_tucker t;
  const hed_status status = hed_tucker_hosvd(x, &HED_SHAPE(4, 4, 4, 4), 0, &t, NULL);
  hed_tucker_clear(&t);
  return status;
}

/* All ranks are full, and the tolerance is beyond Gram matrices. The core is as large as X, and twice at a step from mode to mode. */
static hed_status exact(void)
{
  hed_tucker t;
  const hed_status status = hed_tucker_hosvd(x, NULL, 1e-7, &t, NULL);
  hed_tucker_clear(&t);
  return status;
}

static hed_status hooi(void)
{
  hed_tucker t;
  const hed_status status = hed_tucker_hooi(x, &HED_SHAPE(4, 4, 4, 4), &(hed_tucker_options){ .sweeps = few }, &t, NULL);
  hed_tucker_clear(&t);
  return status;
}

static hed_status train(void)
{
  hed_tt t;
  const hed_status status = hed_tt_svd(x, &HED_SHAPE(4), 0, &t, NULL);
  hed_tt_clear(&t);
  return status;
}

static hed_status imputed(void)
{
  hed_cp c;
  hed_array *mask = hed_less_scalar(x, 1);
  const hed_cp_options o = { .sweeps = few, .mask = mask, .missing = HED_MISSING_IMPUTE };
  const hed_status status = hed_cp_als(x, 4, &o, &c, NULL);
  hed_cp_clear(&c);
  hed_release(mask);
  return status;
}

static hed_status robust(void)
{
  hed_array *low = NULL, *sparse = NULL;
  const hed_status status = hed_robust_pca(x, &(hed_robust_options){ .sweeps = { .max = 5, .tol = -1 } }, &low, &sparse, NULL);
  RELEASE(low, sparse);
  return status;
}

int main(void)
{
  /* the most, in tensors of X's size and pieces of 4 MiB */
  static const struct { const char *what; hed_status (*call)(void); double most; int pieces; } each[] = {
    { "hed_cp_als", cp, 0.1, 1 }, { "hed_cp_als near an exact fit", near_fit, 0.1, 2 }, { "hed_cp_als with mixtures", mixed, 1.1, 1 },
    { "hed_cp_nn_hals", hals, 1.1, 1 }, { "hed_tucker_hosvd", hosvd, 0.3, 0 }, { "hed_tucker_hosvd within 1e-7", exact, 4, 2 },
    { "hed_tucker_hooi", hooi, 0.3, 0 }, { "hed_tt_svd", train, 0.35, 0 }, { "hed_cp_als with gaps", imputed, 2.6, 5 },
    { "hed_robust_pca", robust, 11.5, 0 },
  };
  if (hed_set_default_backend("cpu;threads=1") != HED_OK)
    bail("%s", hed_error_text());
  x = hed_random_normal(HED_SHAPE(40, 44, 36, 20), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
  simple = tensor_wave(HED_SHAPE(40, 44, 36, 20), 1.7, HED_FLOAT32);
  const double size = (double)hed_array_nbytes(x);
  for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
    hed_memory_meter m;
    hed_memory_reading r = { .struct_size = sizeof r };
    if (hed_memory_meter_begin("cpu", &m) != HED_OK)
      bail("%s", hed_error_text());
    const hed_status status = each[i].call();
    const hed_status read = hed_memory_meter_read(&m, &r);
    hed_memory_meter_end(&m);
    const double beside = (double)(r.peak - r.start) / size;
    const double most = each[i].most + each[i].pieces * 4194304 / size;
    ok(status == HED_OK && read == HED_OK && beside > 0 && beside < most, "%s: %.3f of the tensor beside it", each[i].what, beside);
    is_int((long long)r.now, (long long)r.start, "and nothing after it");
  }
  RELEASE(x, simple);
  done_testing();
  return done();
}
