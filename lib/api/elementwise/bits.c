// SPDX-License-Identifier: BSD-3-Clause
/* Words of packed bits: pack_bits, unpack_bits, hamming_matrix, majority_bits, weighted_majority_bits. L3.
 *
 * Each checks its operands, makes its result and launches its kernel on views; nothing is converted.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

enum { WORD_BITS = 64 };

/* X, called ARG, has at least LEAST axes and, where it is words, their dtype. */
static hed_status check(int op, const hed_array *x, const char *arg, int least, bool words)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, arg))
    return hed_error();
  if (words && x->view.dtype != HED_ID_UINT64)
    return hed_fail(HED_E_DTYPE, "%s: %s is of dtype %s, packed bits are uint64", name, arg, hed__dtypes[x->view.dtype]->name);
  if (x->view.ndim < least) {
    const hed_shape s = hed__shape_of(x);
    return hed_fail(HED_E_SHAPE, "%s: %s of shape %s has %d axes, at least %d are needed", name, arg, HED__TEXT(&s), (int)s.ndim,
                    least);
  }
  return HED_OK;
}

typedef struct job {
  int op, n_in, id, compute;     /* id: of the result */
  const hed_array *in[3];
  hed_shape shape;               /* of the result */
  bool ties;                     /* the last operand is broadcast to it */
  bool kept;                     /* the kernel's result has an axis of extent 1 before the last */
} job;

/* V with an axis of extent 1 before its last one. */
static hed_view with_row(const hed_view *v)
{
  hed_view r = *v;
  const int32_t last = v->ndim - 1;
  r.dim[v->ndim] = v->dim[last];
  r.stride[v->ndim] = v->stride[last];
  r.dim[last] = 1;
  r.stride[last] = 0;
  r.ndim++;
  return r;
}

static hed_array *run(const job *j)
{
  const char *name = hed__op_rows[j->op].name;
  hed__exec ex;
  hed_array *out = NULL;
  hed_status status = hed__check_shape(name, "the result's shape", &j->shape, j->id);
  if (status != HED_OK || (status = hed__plan(&ex, j->op, j->n_in, j->in)) != HED_OK)
    return NULL;
  const int id = hed__infer_on(name, j->id, ex.device);
  if (id < 0 || !(out = hed__array_new(ex.device, id, j->shape.ndim, j->shape.dim)))
    status = id < 0 ? (hed_status)id : hed_error();
  if (status == HED_OK && hed__view_size(&out->view) > 0) {
    const hed_view row = j->kept ? with_row(&out->view) : out->view, *views[3] = { NULL, NULL, NULL }, *out_view = &row;
    hed_view ties;
    for (int k = 0; k < j->n_in; k++)
      views[k] = &ex.in[k]->view;
    if (j->ties) {
      if (!hed__broadcast_view(views[j->n_in - 1], j->shape.ndim, j->shape.dim, &ties))
        status = hed_fail(HED_E_INTERNAL, "%s: operands do not broadcast", name);
      if (j->kept)
        ties = with_row(&ties);
      views[j->n_in - 1] = &ties;
    }
    if (status == HED_OK)
      status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = j->n_in, .out = &out, .out_view = &out_view, .in_view = views,
                                             .compute = j->compute });
  }
  hed__exec_end(&ex);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

hed_array *HED_BODY(pack_bits)(const hed_array *x)
{
  static const char *const arg = "x";
  job j = { .op = HED_OP_PACK_BITS, .n_in = 1, .id = HED_ID_UINT64, .in = { x } };
  if (check(j.op, x, arg, 1, false) != HED_OK || (j.compute = hed__infer_operands(j.op, 1, &x, &arg)) < 0)
    return NULL;
  j.shape = hed__shape_of(x);
  int64_t *n = &j.shape.dim[j.shape.ndim - 1];
  *n = *n / WORD_BITS + (*n % WORD_BITS != 0);
  return run(&j);
}

hed_array *HED_BODY(unpack_bits)(const hed_array *words, int64_t n)
{
  job j = { .op = HED_OP_UNPACK_BITS, .n_in = 1, .id = HED_ID_BOOL, .compute = HED_ID_UINT64, .in = { words } };
  if (check(j.op, words, "words", 1, true) != HED_OK)
    return NULL;
  j.shape = hed__shape_of(words);
  int64_t *last = &j.shape.dim[j.shape.ndim - 1];
  if (n < 0 || n / WORD_BITS + (n % WORD_BITS != 0) > *last) {
    hed_fail(HED_E_INVAL, "unpack_bits: n is %lld, a row of %lld words has 0 to %lld bits", (long long)n, (long long)*last,
             (long long)*last * WORD_BITS);
    return NULL;
  }
  *last = n;
  return run(&j);
}

hed_array *HED_BODY(hamming_matrix)(const hed_array *a, const hed_array *b)
{
  job j = { .op = HED_OP_HAMMING_MATRIX, .n_in = 2, .id = HED_ID_INT32, .compute = HED_ID_UINT64, .in = { a, b } };
  if (check(j.op, a, "a", 2, true) != HED_OK || check(j.op, b, "b", 2, true) != HED_OK)
    return NULL;
  const hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b);
  if (sa.ndim != 2 || sb.ndim != 2 || sa.dim[1] != sb.dim[1]) {
    hed_fail(HED_E_SHAPE, "hamming_matrix: shapes %s of a and %s of b do not fit: rows of as many words are needed",
             HED__TEXT(&sa), HED__TEXT(&sb));
    return NULL;
  }
  if (sa.dim[1] > INT32_MAX / WORD_BITS) {
    hed_fail(HED_E_SHAPE, "hamming_matrix: rows of %lld words, at most %d can be counted", (long long)sa.dim[1],
             INT32_MAX / WORD_BITS);
    return NULL;
  }
  j.shape = HED_SHAPE(sa.dim[0], sb.dim[0]);
  return run(&j);
}

static bool ties_fit(const job *j, const hed_array *ties)
{
  const hed_shape t = hed__shape_of(ties);
  hed_shape both;
  if (hed__broadcast(&j->shape, &t, &both) && hed__shape_equal(both.ndim, both.dim, j->shape.ndim, j->shape.dim))
    return true;
  hed_fail(HED_E_SHAPE, "%s: ties of shape %s do not broadcast to %s, the result's", hed__op_rows[j->op].name, HED__TEXT(&t),
           HED__TEXT(&j->shape));
  return false;
}

hed_array *HED_BODY(majority_bits)(const hed_array *x, const hed_array *ties)
{
  job j = { .op = HED_OP_MAJORITY_BITS, .n_in = ties ? 2 : 1, .id = HED_ID_UINT64, .compute = HED_ID_UINT64, .in = { x, ties },
            .ties = ties != NULL, .kept = true };
  if (check(j.op, x, "x", 2, true) != HED_OK || (ties && check(j.op, ties, "ties", 0, true) != HED_OK))
    return NULL;
  const hed_shape s = hed__shape_of(x);
  j.shape = s;
  j.shape.dim[--j.shape.ndim - 1] = s.dim[s.ndim - 1];
  if (s.dim[s.ndim - 2] == 0) {
    hed_fail(HED_E_SHAPE, "majority_bits: x of shape %s has no rows", HED__TEXT(&s));
    return NULL;
  }
  return ties && !ties_fit(&j, ties) ? NULL : run(&j);
}

hed_array *HED_BODY(weighted_majority_bits)(const hed_array *x, const hed_array *weights, const hed_array *ties)
{
  job j = { .op = HED_OP_WEIGHTED_MAJORITY_BITS, .n_in = ties ? 3 : 2, .id = HED_ID_UINT64, .compute = HED_ID_UINT64,
            .in = { x, weights, ties }, .ties = ties != NULL };
  if (check(j.op, x, "x", 2, true) != HED_OK || check(j.op, weights, "weights", 2, false) != HED_OK ||
      (ties && check(j.op, ties, "ties", 0, true) != HED_OK))
    return NULL;
  const hed_shape s = hed__shape_of(x), w = hed__shape_of(weights);
  if (weights->view.dtype != HED_ID_INT32) {
    hed_fail(HED_E_DTYPE, "weighted_majority_bits: weights are of dtype %s, not int32", hed__dtypes[weights->view.dtype]->name);
    return NULL;
  }
  if (s.ndim != 2 || w.ndim != 2 || w.dim[1] != s.dim[0]) {
    hed_fail(HED_E_SHAPE, "weighted_majority_bits: shapes %s of weights and %s of x do not fit: a weight for each row is needed",
             HED__TEXT(&w), HED__TEXT(&s));
    return NULL;
  }
  j.shape = HED_SHAPE(w.dim[0], s.dim[1]);
  return ties && !ties_fit(&j, ties) ? NULL : run(&j);
}
