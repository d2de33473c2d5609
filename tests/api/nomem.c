// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every operation with the n-th allocation failing, for every n: the call fails with a sentence, and nothing is left.
 */
#include "api.h"
#include <stdio.h>
#include <unistd.h>

/* Exported for tests under private names; see lib/base/alloc.h. */
extern void hed_test_fail_alloc_at(uint64_t n);
extern int64_t hed_test_alloc_live(void);

static hed_array *f, *g, *i, *z, *idx, *rot, *zeros;
static char path[64];
static const double turn[4] = { 0, -1, 1, 0 };

/* Releases the result; true when there was one. */
static bool got(hed_array *x)
{
  hed_release(x);
  return x != NULL;
}

#define CASES(X)                                                                                                   \
  X(add, got(hed_add(f, g)))                                                                                       \
  X(add_mixed, got(hed_add(f, i)))                                                                                 \
  X(add_scalar, got(hed_add_scalar(f, 2)))                                                                         \
  X(scalar, got(hed_scalar(2)))                                                                                    \
  X(where, got(hed_where(i, f, g)))                                                                                \
  X(clip, got(hed_clip(f, 0, 1)))                                                                                  \
  X(sum, got(hed_sum(f, &(hed_reduce){ .axes = HED_AXES(0) })))                                                    \
  X(var, got(hed_var(z, NULL)))                                                                                    \
  X(zeros, got(hed_zeros(HED_SHAPE(3), HED_FLOAT32)))                                                              \
  X(arange, got(hed_arange(0, 3, 1, HED_INT32)))                                                                   \
  X(linspace, got(hed_linspace(0, 3, 5, HED_FLOAT32)))                                                             \
  X(eye, got(hed_eye(3, 3, 0, HED_FLOAT32)))                                                                       \
  X(astype, got(hed_astype(f, HED_INT8)))                                                                          \
  X(copy, got(hed_copy(f)))                                                                                        \
  X(reshape, got(hed_reshape(g, HED_SHAPE(16))))                                                                   \
  X(slice, got(hed_slice(f, 1, (hed_slice_range[]){ { 0, 2, 1 } })))                                               \
  X(concatenate, got(hed_concatenate(3, (const hed_array *[]){ f, i, g }, 0)))                                     \
  X(stack, got(hed_stack(2, (const hed_array *[]){ f, g }, 1)))                                                    \
  X(roll, got(hed_roll(g, &HED_AXES(1), NULL)))                                                                    \
  X(pad, got(hed_pad(f, HED_SHAPE(1, 1), HED_SHAPE(1, 1), 3)))                                                     \
  X(topleft_pad, got(hed_topleft_pad(f, HED_SHAPE(2, 6), 3)))                                                      \
  X(nonzero, got(hed_nonzero(f)))                                                                                  \
  X(take, got(hed_take(f, idx, 0)))                                                                                \
  X(sort, got(hed_sort(f, NULL)))                                                                                  \
  X(argsort, got(hed_argsort(f, NULL)))                                                                            \
  X(topk, (a = b = NULL, hed_topk(f, 2, NULL, &a, &b) == HED_OK) ? got(a) & got(b) : false)                        \
  X(matmul, got(hed_matmul(f, i)))                                                                                 \
  X(tensordot, got(hed_tensordot(f, g, &HED_AXES(0), &HED_AXES(1))))                                               \
  X(einsum, got(hed_einsum("ij,jk,ii->ki", 3, (const hed_array *[]){ f, g, i })))                                  \
  X(svd, (a = b = c = NULL, hed_svd(f, true, &a, &b, &c) == HED_OK) ? got(a) & got(b) & got(c) : false)            \
  X(fftn, got(hed_fftn(f, &(hed_fft){ .s = HED_SHAPE(6) })))                                                       \
  X(rfftn, got(hed_rfftn(i, NULL)))                                                                                \
  X(irfftn, got(hed_irfftn(z, NULL)))                                                                              \
  X(random, got(hed_random_normal(HED_SHAPE(9), HED_FLOAT32, NULL)))                                               \
  X(rigid, (a = b = NULL, hed_rigid_transform(f, g, turn, &(hed_rigid){ .center_of_mass = true }, &a, &b)          \
            == HED_OK) ? got(a) & got(b) : false)                                                                  \
  X(maximum_filter, got(hed_maximum_filter(f, 3, 0)))                                                              \
  X(peaks, got(hed_max_filter_coordinates(zeros, 3, &(hed_peaks){ .exclude_plateaus = true })))                    \
  X(norm_scores, got(hed_norm_scores(f, f, f, 3, 1e-6)))                                                           \
  X(max_score, hed_max_score_over_rotations(g, f, rot, 3) == HED_OK)                                               \
  X(add_into, hed_add_into(f, f, g) == HED_OK)                                                                     \
  X(scalar_into, hed_add_scalar_into(f, g, 1) == HED_OK)                                                           \
  X(sum_into, hed_sum_into(idx, i, &(hed_reduce){ .axes = HED_AXES(0) }) == HED_OK)                                \
  X(save_npy, hed_save_npy(path, g) == HED_OK)                                                                     \
  X(load_npy, got(hed_load_npy(path)))

static void sweep(const char *backend)
{
  f = api_iota(HED_SHAPE(4, 4), HED_FLOAT32);
  hed_array *h = hed_copy(f), *t = hed_flip(h, NULL);
  g = hed_transpose(t, NULL);
  hed_release(h);
  hed_release(t);
  i = api_iota(HED_SHAPE(4, 4), HED_INT16);
  z = hed_astype(f, HED_COMPLEX64);
  idx = api_array(HED_SHAPE(4), HED_INT64, API_LIST(0, 1, -1, 2));
  rot = hed_zeros(HED_SHAPE(4, 4), HED_INT32);
  zeros = hed_zeros(HED_SHAPE(3, 3), HED_FLOAT32);
  hed_array *a, *b, *c;
  (void)a, (void)b, (void)c;
#define RUN(name, call)                                                                                            \
  {                                                                                                                \
    bool done_ = false, good = (call), said = true;                                                                \
    int64_t live = hed_test_alloc_live();                                                                          \
    uint64_t n = 1;                                                                                                \
    for (; n < 200 && !done_; n++) {                                                                               \
      hed_error_clear();                                                                                           \
      hed_test_fail_alloc_at(n);                                                                                   \
      done_ = (call);                                                                                              \
      hed_test_fail_alloc_at(0);                                                                                   \
      said = said && (done_ || (hed_error() == HED_E_NOMEM && hed_error_text()[0]));                               \
      if (!said)                                                                                                   \
        diag("allocation %d: status %d '%s'", (int)n, hed_error(), hed_error_text());                              \
    }                                                                                                              \
    hed_error_clear();                                                                                             \
    ok(good && done_, "%s: %s works when memory lasts, after %d failures", backend, #name, (int)n - 2);            \
    ok(said, "%s: %s says that memory is out", backend, #name);                                                    \
    is_int(hed_test_alloc_live(), live, "%s: %s leaves nothing behind", backend, #name);                           \
  }
  CASES(RUN)
  hed_release(f);
  hed_release(g);
  hed_release(i);
  hed_release(z);
  hed_release(idx);
  hed_release(rot);
  hed_release(zeros);
}

int main(void)
{
  snprintf(path, sizeof path, "/tmp/heddle-nomem-%ld.npy", (long)getpid());
  api_each_backend(sweep);
  unlink(path);
  done_testing();
  return done();
}
