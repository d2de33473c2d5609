// SPDX-License-Identifier: BSD-3-Clause
/* Noisy vectors in the light of a codebook.
 *
 * Layer: L4, vsa kit.
 */
#include "kits/vsa/items.h"
#include "kits/member.h"

static hed_array *nearest(const hed_vsa *v, const hed_array *codebook, const hed_array *x)
{
  hed_array *best = NULL, *at = NULL;
  if (hed__vsa_nearest(v, x, codebook, 1, &best, &at) != HED_OK)
    return NULL;
  hed_array *out = hed_take(codebook, hed_index(at, 1, 0), 0);
  hed_release(best);
  hed_release(at);
  return out;
}

/* Are all elements of A and B equal, or nearly so where they are not whole numbers? */
static hed_status settled(const hed_vsa *v, const hed_array *a, const hed_array *b, bool *out)
{
  const hed_kind kind = hed_dtype_kind(v->dtype);
  const bool exact = kind != HED_KIND_FLOAT && kind != HED_KIND_COMPLEX;
  return hed_allclose(a, b, &(hed_tolerance){ .rtol = exact ? 1e-30 : 1e-12, .atol = exact ? 1e-30 : 1e-6 }, out);
}

static hed_array *hopfield(const hed_vsa *v, const hed_array *codebook, const hed_array *x, const hed_vsa_cleanup_options *opt)
{
  const double beta = opt->beta != 0 ? opt->beta : 20;
  const int64_t most = opt->max_iterations ? opt->max_iterations : 50;
  hed_array *numbers = hed__vsa_numbers(v, codebook), *at = hed_keep(hed_copy(x));
  bool same = false;
  for (int64_t k = 0; at && !same && k < most; k++) {
    hed_array *next = NULL;
    HED_SCOPE {
      hed_array *s = hed__vsa_signed(v, hed_vsa_similarity_matrix(v, at, codebook));
      hed_array *weights = hed_softmax(hed_multiply_scalar(s, beta), -1);
      next = hed_keep(hed__vsa_mixed(v, weights, numbers));
      if (next && settled(v, at, next, &same) != HED_OK) {
        hed_release(next);
        next = NULL;
      }
    }
    hed_release(at);
    at = next;
  }
  return at;
}

hed_array *hed_vsa_cleanup(const hed_vsa *v, const hed_array *codebook, const hed_array *x,
                           const hed_vsa_cleanup_options *opt)
{
  const hed_vsa_cleanup_options o = opt ? *opt : (hed_vsa_cleanup_options){ 0 };
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, "hed_vsa_cleanup", "codebook", codebook) || !hed__vsa_fits(v, "hed_vsa_cleanup", "x", x))
    return NULL;
  if (hed__vsa_batch(v, codebook) != 1 || hed_array_shape(codebook).dim[0] < 1) {
    (void)hed_fail(HED_E_SHAPE, "hed_vsa_cleanup: codebook has %d axes before its vectors and %lld vectors; it wants one, and some",
                   (int)hed__vsa_batch(v, codebook), (long long)hed__vsa_count(hed__vsa_batch_shape(v, codebook)));
    return NULL;
  }
  if (hed__expect_member("hed_vsa_cleanup", "kind", o.kind, HED_VSA_NEAREST, HED_VSA_HOPFIELD, "hed_vsa_cleanup_kind") != HED_OK)
    return NULL;
  if (o.max_iterations < 0 || !isfinite(o.beta) || o.beta < 0) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_cleanup: beta is %g, max_iterations %lld; finite and 0 or more are needed", o.beta,
                   (long long)o.max_iterations);
    return NULL;
  }
  const hed_shape batch = hed__vsa_batch_shape(v, x);
  HED_SCOPE {
    hed_array *rows = hed_reshape(x, hed__vsa_joined(HED_SHAPE(hed__vsa_count(batch)), v->shape));
    hed_array *clean = !rows ? NULL : o.kind == HED_VSA_HOPFIELD ? hopfield(v, codebook, rows, &o) : nearest(v, codebook, rows);
    out = hed_keep(hed_reshape(clean, hed__vsa_joined(batch, v->shape)));
    if (o.kind == HED_VSA_HOPFIELD)
      hed_release(clean);
  }
  return hed__vsa_out(out);
}
