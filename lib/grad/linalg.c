// SPDX-License-Identifier: BSD-3-Clause
/* Rules of products and factorisations. L3. H is the adjoint, so that they are right for real and complex matrices. */
#include "core/record/body.h"
#include "grad/back.h"

static hed_array *conj_of(const hed_array *x)
{
  return x && hed__id_kind(x->view.dtype) == HED_KIND_COMPLEX ? hed_conj(x) : (hed_array *)(uintptr_t)x;
}

static hed_array *adjoint(const hed_array *x) { return hed_matrix_transpose(conj_of(x)); }

/* D summed over the batch that was broadcast. */
static hed_status give(hed__back *b, int32_t k, hed_array *d)
{
  return hed__made(b->d[k] = d ? hed__sum_to(d, b->of[k]) : NULL);
}

/* Vectors count as matrices of one row or one column, in the cotangent too. */
hed_status hed__back_matmul(hed__back *b)
{
  const bool row = b->of[0]->ndim == 1, column = b->of[1]->ndim == 1;
  const hed_array *g = b->g[0];
  hed_status status = HED_OK;
  g = row && column ? hed_reshape(g, HED_SHAPE(1, 1)) : row ? hed_expand_dims(g, -2) : column ? hed_expand_dims(g, -1) : g;
  if (b->wanted[0]) {
    const hed_array *other = column ? hed_expand_dims(conj_of(b->in[1]), 0) : adjoint(b->in[1]);
    hed_array *d = hed_matmul(g, other);
    status = give(b, 0, row && d ? hed_squeeze(d, &HED_AXES(-2)) : d);
  }
  if (b->wanted[1] && status == HED_OK) {
    const hed_array *other = row ? hed_expand_dims(conj_of(b->in[0]), 1) : adjoint(b->in[0]);
    hed_array *d = hed_matmul(other, g);
    status = give(b, 1, column && d ? hed_squeeze(d, &HED_AXES(-1)) : d);
  }
  return status;
}

/* The conjugate of the first operand is multiplied: a: conj(g) b, b: g a. */
static hed_status conjugate_product(hed__back *b, const hed_array *g)
{
  for (int k = 0; k < 2; k++)
    if (b->wanted[k]) {
      const hed_array *other = b->in[1 - k];
      if (b->step->op == HED_OP_VDOT) /* of as many elements, in any shape */
        other = hed_reshape(other, hed__entry_shape(b->of[k]));
      hed_array *d = hed_multiply(k ? g : conj_of(g), other);
      if (give(b, k, d) != HED_OK)
        return hed_error();
    }
  return HED_OK;
}

hed_status hed__back_vdot(hed__back *b) { return conjugate_product(b, b->g[0]); }

hed_status hed__back_vecdot(hed__back *b)
{
  const hed__args_vecdot *a = b->step->args;
  return conjugate_product(b, hed_expand_dims(b->g[0], a->axis));
}

/* z = a^-H g; b: z, a: -z y^H. */
hed_status hed__back_solve(hed__back *b)
{
  const bool vector = b->of[1]->ndim == 1;
  const hed_array *z = hed_solve(adjoint(b->in[0]), vector ? hed_expand_dims(b->g[0], -1) : b->g[0]);
  hed_status status = HED_OK;
  if (b->wanted[0]) {
    const hed_array *right = vector ? hed_expand_dims(conj_of(b->out[0]), -2) : adjoint(b->out[0]);
    status = give(b, 0, hed_negative(hed_matmul(z, right)));
  }
  if (b->wanted[1] && status == HED_OK)
    status = give(b, 1, vector ? hed_squeeze(z, &HED_AXES(-1)) : (hed_array *)(uintptr_t)z);
  return status;
}

hed_status hed__back_inv(hed__back *b)
{
  const hed_array *y = adjoint(b->out[0]);
  return give(b, 0, hed_negative(hed_matmul(hed_matmul(y, b->g[0]), y)));
}

/* (g_l + i Im(conj(sign) g_s)) a^-H */
hed_status hed__back_slogdet(hed__back *b)
{
  const hed_array *g = b->g[1];
  if (b->g[0] && hed__is_complex(b->of[0])) {
    const hed_array *turned = hed_multiply_complex(hed_imag(hed_multiply(hed_conj(b->out[0]), b->g[0])), 0, 1);
    g = g ? hed_add(turned, g) : turned;
  }
  if (!g)
    return HED_OK;
  g = hed_expand_dims(hed_expand_dims(g, -1), -1);
  return give(b, 0, hed_multiply_nonzero(g, hed_inv(adjoint(b->in[0]))));
}

/* T = tril(l^H g) with half the real diagonal; s = l^-H T l^-1; its Hermitian part. */
hed_status hed__back_cholesky(hed__back *b)
{
  const hed__args_cholesky *a = b->step->args;
  const hed_array *l = a->upper ? adjoint(b->out[0]) : b->out[0], *g = a->upper ? adjoint(b->g[0]) : b->g[0];
  if (!l || !g)
    return hed_error();
  const int64_t n = l->view.dim[l->view.ndim - 1];
  const hed_array *t = hed_tril(hed_matmul(adjoint(l), g), 0), *eye = hed_eye(n, n, 0, HED_BOOL);
  t = hed_where(eye, hed_multiply_scalar(hed_real(t), 0.5), t);
  const hed_triangular form = { .form = HED_ADJOINT };
  const hed_array *left = hed_solve_triangular(l, t, &form);
  const hed_array *s = adjoint(hed_solve_triangular(l, adjoint(left), &form));
  return give(b, 0, hed_multiply_scalar(hed_add(s, adjoint(s)), 0.5));
}
