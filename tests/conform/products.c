// SPDX-License-Identifier: BSD-3-Clause
/* Jobs of the conformance test: products of several arrays and norms. Operands of products are whole numbers, so that
 * every order of summation gives the same. */
#include "conform.h"

#include <math.h>

static hed_array *of(run *r, int k, hed_shape s) { return operand_of(r, k, r->dtype, s, r->c->low, r->c->high); }

void job_dot(run *r)
{
  hed_array *(*f)(const hed_array *, const hed_array *) = r->op == HED_OP_DOT ? hed_dot : hed_inner;
  bool dot = r->op == HED_OP_DOT;
  put(r, f(of(r, 0, HED_SHAPE(5)), of(r, 1, HED_SHAPE(5))));
  put(r, f(of(r, 0, HED_SHAPE(3, 5)), of(r, 1, dot ? HED_SHAPE(5, 4) : HED_SHAPE(4, 5))));
  put(r, f(of(r, 2, HED_SHAPE(2, 3, 5)), of(r, 3, dot ? HED_SHAPE(2, 5, 4) : HED_SHAPE(2, 4, 5))));
  put(r, f(of(r, 2, HED_SHAPE(2, 3, 5)), of(r, 1, HED_SHAPE(5))));
  put(r, f(of(r, 2, HED_SHAPE(2, 3)), of(r, 1, HED_SHAPE0)));
  put(r, f(of(r, 2, HED_SHAPE(2, 0)), of(r, 1, dot ? HED_SHAPE(0, 3) : HED_SHAPE(3, 0))));
  if (dot) {
    hed_array *out = hed_flip(hed_empty(HED_SHAPE(2, 3, 2, 4), r->dtype), NULL);
    put_status(r, hed_dot_into(out, of(r, 2, HED_SHAPE(2, 3, 5)), of(r, 3, HED_SHAPE(2, 5, 4))), out);
    out = hed_transpose(hed_empty(HED_SHAPE(4, 3), r->dtype), NULL);
    put_status(r, hed_dot_into(out, of(r, 0, HED_SHAPE(3, 5)), of(r, 1, HED_SHAPE(5, 4))), out);
  }
}

void job_vdot(run *r)
{
  put(r, hed_vdot(of(r, 0, HED_SHAPE(3, 4)), of(r, 1, HED_SHAPE(2, 6))));
  put(r, hed_vdot(of(r, 0, HED_SHAPE0), of(r, 1, HED_SHAPE(1))));
}

void job_vecdot(run *r)
{
  put(r, hed_vecdot(of(r, 0, HED_SHAPE(3, 4)), of(r, 1, HED_SHAPE(3, 4)), -1));
  put(r, hed_vecdot(of(r, 0, HED_SHAPE(2, 3, 4)), of(r, 1, HED_SHAPE(3, 1)), -2));
  put(r, hed_vecdot(of(r, 0, HED_SHAPE(2, 3, 4)), of(r, 1, HED_SHAPE(2, 1, 4)), 0));
}

void job_outer(run *r)
{
  const hed_array *const x[3] = { of(r, 0, HED_SHAPE(3, 2)), of(r, 1, HED_SHAPE(3)), of(r, 2, HED_SHAPE(3, 2)) };
  hed_array *(*f)(int, const hed_array *const *) = r->op == HED_OP_OUTER ? hed_outer : hed_batched_outer;
  for (int n = 1; n <= 3; n++)
    put(r, f(n, x));
}

void job_cross(run *r)
{
  put(r, hed_cross(of(r, 0, HED_SHAPE(4, 3)), of(r, 1, HED_SHAPE(4, 3)), -1));
  put(r, hed_cross(of(r, 0, HED_SHAPE(4, 3)), of(r, 1, HED_SHAPE(3)), -1));
  put(r, hed_cross(of(r, 0, HED_SHAPE(3, 4)), of(r, 1, HED_SHAPE(2, 4)), 0));
  put(r, hed_cross(of(r, 0, HED_SHAPE(4, 2)), of(r, 1, HED_SHAPE(4, 3)), 1));
  put(r, hed_cross(of(r, 0, HED_SHAPE(4, 2)), of(r, 1, HED_SHAPE(4, 2)), 1));
}

void job_trace(run *r)
{
  hed_array *x = of(r, 0, HED_SHAPE(2, 4, 3));
  for (int k = -2; k <= 2; k++)
    put(r, hed_matrix_trace(x, k, -2, -1));
  put(r, hed_matrix_trace(x, 0, 2, 0));
}

void job_kron(run *r)
{
  const hed_array *const x[3] = { of(r, 0, HED_SHAPE(2, 3)), of(r, 1, HED_SHAPE(3, 1)), of(r, 2, HED_SHAPE(2, 2)) };
  if (r->op == HED_OP_KRON) {
    put(r, hed_kron(x[0], x[2]));
    put(r, hed_kron(x[1], of(r, 3, HED_SHAPE(2, 1, 3))));
    put(r, hed_kron(of(r, 4, HED_SHAPE0), x[0]));
    return;
  }
  put(r, hed_kronecker(3, x, NULL));
  put(r, hed_kronecker(3, x, &(hed_list_options){ .skip = HED_AXES(1), .reverse = true }));
}

void job_khatri_rao(run *r)
{
  const hed_array *const x[3] = { of(r, 0, HED_SHAPE(2, 3)), of(r, 1, HED_SHAPE(4, 3)), of(r, 2, HED_SHAPE(2, 3)) };
  put(r, hed_khatri_rao(3, x, NULL));
  put(r, hed_khatri_rao(3, x, &(hed_khatri_rao_options){ .skip = HED_AXES(-1), .weights = of(r, 3, HED_SHAPE(3)),
                                                         .mask = of(r, 4, HED_SHAPE(2, 4)) }));
}

void job_tensordot_batched(run *r)
{
  hed_array *a = of(r, 0, HED_SHAPE(3, 2, 4, 5)), *b = of(r, 1, HED_SHAPE(4, 6, 2, 3));
  put(r, hed_tensordot_batched(a, b, NULL));
  put(r, hed_tensordot_batched(a, b, &(hed_tensordot_options){ .a_axes = HED_AXES(2, 0), .b_axes = HED_AXES(0, 3) }));
  put(r, hed_tensordot_batched(a, b, &(hed_tensordot_options){ .a_axes = HED_AXES(2), .b_axes = HED_AXES(0),
                                                               .a_batch = HED_AXES(1), .b_batch = HED_AXES(-2) }));
  put(r, hed_tensordot_batched(a, b, &(hed_tensordot_options){ .a_batch = HED_AXES(2, 1), .b_batch = HED_AXES(0, 2) }));
}

void job_mode_dot(run *r)
{
  hed_array *x = of(r, 0, HED_SHAPE(2, 3, 4));
  const hed_array *const m[3] = { of(r, 1, HED_SHAPE(5, 2)), of(r, 2, HED_SHAPE(3)), of(r, 3, HED_SHAPE(2, 4)) };
  if (r->op == HED_OP_MODE_DOT) {
    put(r, hed_mode_dot(x, m[0], 0, false));
    put(r, hed_mode_dot(x, m[1], 1, false));
    put(r, hed_mode_dot(x, of(r, 4, HED_SHAPE(4, 2)), -1, true));
    return;
  }
  put(r, hed_multi_mode_dot(x, 3, m, NULL));
  put(r, hed_multi_mode_dot(x, 3, m, &(hed_multi_mode_options){ .skip = HED_AXES(1) }));
}

void job_mttkrp(run *r)
{
  hed_array *x = of(r, 0, HED_SHAPE(2, 3, 4));
  const hed_array *const f[3] = { of(r, 1, HED_SHAPE(2, 5)), of(r, 2, HED_SHAPE(3, 5)), of(r, 3, HED_SHAPE(4, 5)) };
  for (int mode = 0; mode < 3; mode++)
    put(r, hed_unfolding_dot_khatri_rao(x, mode == 1 ? of(r, 4, HED_SHAPE(5)) : NULL, 3, f, mode));
}

void job_multi_dot(run *r)
{
  const hed_array *const x[4] = { of(r, 0, HED_SHAPE(2)), of(r, 1, HED_SHAPE(2, 5)), of(r, 2, HED_SHAPE(5, 3)),
                                  of(r, 3, HED_SHAPE(3, 2)) };
  put(r, hed_multi_dot(4, x));
  put(r, hed_multi_dot(3, x + 1));
}

void job_vector_norm(run *r)
{
  static const double orders[] = { 2, 1, 0, 3, -1.5, INFINITY, -INFINITY };
  hed_array *x = operand(r, 0);
  for (int k = 0; k < 7; k++) {
    put(r, hed_vector_norm(x, orders[k], NULL));
    put(r, hed_vector_norm(x, orders[k], &(hed_reduce){ .axes = HED_AXES(0) }));
    put(r, hed_vector_norm(x, orders[k], &(hed_reduce){ .axes = HED_AXES(2, 0), .keepdims = true }));
  }
  hed_array *lanes = hed_vector_norm(x, 2, &(hed_reduce){ .axes = HED_AXES(1) });
  if (lanes) {
    hed_array *out = hed_flip(hed_empty_like(lanes), NULL);
    put_status(r, hed_vector_norm_into(out, x, 2, &(hed_reduce){ .axes = HED_AXES(1) }), out);
  }
}

void job_norm_of(run *r)
{
  put(r, hed_norm(operand(r, 0), 2, NULL));
  put(r, hed_norm(operand(r, 0), INFINITY, &(hed_reduce){ .axes = HED_AXES(1) }));
}

void job_matrix_norm(run *r)
{
  hed_array *x = of(r, 0, HED_SHAPE(3, 4, 5));
  bool half = r->dtype == HED_FLOAT16 || r->dtype == HED_BFLOAT16; /* svd has none */
  for (int kind = 0; kind <= HED_NORM_MINUS_INF; kind++)
    if (!half || (kind != HED_NORM_NUCLEAR && kind != HED_NORM_TWO && kind != HED_NORM_MINUS_TWO)) {
      /* the smallest singular value is known to some units of the largest */
      const double size = kind == HED_NORM_MINUS_TWO ? largest(hed_matrix_norm(x, HED_NORM_TWO, NULL, false)) : 0;
      const double turned = size > 0 ? largest(hed_matrix_norm(x, HED_NORM_TWO, &HED_AXES(1, 0), true)) : 0;
      put_errors(r, hed_matrix_norm(x, (hed_matrix_norm_kind)kind, NULL, false), size);
      put_errors(r, hed_matrix_norm(x, (hed_matrix_norm_kind)kind, &HED_AXES(1, 0), true), turned);
    }
}
