// SPDX-License-Identifier: BSD-3-Clause
/* Rules of products and factorisations. L3. H is the adjoint, so that they are right for real and complex matrices. */
#include "core/record/body.h"
#include "grad/back.h"

hed_array *hed__adjoint(const hed_array *d) { return hed_matrix_transpose(hed__conj_of(d)); }

hed_status hed__give(hed__back *b, int32_t k, hed_array *d)
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
    const hed_array *other = column ? hed_expand_dims(hed__conj_of(b->in[1]), 0) : hed__adjoint(b->in[1]);
    hed_array *d = hed_matmul(g, other);
    status = hed__give(b, 0, row && d ? hed_squeeze(d, &HED_AXES(-2)) : d);
  }
  if (b->wanted[1] && status == HED_OK) {
    const hed_array *other = row ? hed_expand_dims(hed__conj_of(b->in[0]), 1) : hed__adjoint(b->in[0]);
    hed_array *d = hed_matmul(other, g);
    status = hed__give(b, 1, column && d ? hed_squeeze(d, &HED_AXES(-1)) : d);
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
      hed_array *d = hed_multiply(k ? g : hed__conj_of(g), other);
      if (hed__give(b, k, d) != HED_OK)
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
  const hed_array *z = hed_solve(hed__adjoint(b->in[0]), vector ? hed_expand_dims(b->g[0], -1) : b->g[0]);
  hed_status status = HED_OK;
  if (b->wanted[0]) {
    const hed_array *right = vector ? hed_expand_dims(hed__conj_of(b->out[0]), -2) : hed__adjoint(b->out[0]);
    status = hed__give(b, 0, hed_negative(hed_matmul(z, right)));
  }
  if (b->wanted[1] && status == HED_OK)
    status = hed__give(b, 1, vector ? hed_squeeze(z, &HED_AXES(-1)) : (hed_array *)(uintptr_t)z);
  return status;
}

hed_status hed__back_inv(hed__back *b)
{
  const hed_array *y = hed__adjoint(b->out[0]);
  return hed__give(b, 0, hed_negative(hed_matmul(hed_matmul(y, b->g[0]), y)));
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
  return hed__give(b, 0, hed_multiply_nonzero(g, hed_inv(hed__adjoint(b->in[0]))));
}

/* T = tril(l^H g) with half the real diagonal; s = l^-H T l^-1; its Hermitian part. */
hed_status hed__back_cholesky(hed__back *b)
{
  const hed__args_cholesky *a = b->step->args;
  const hed_array *l = a->upper ? hed__adjoint(b->out[0]) : b->out[0], *g = a->upper ? hed__adjoint(b->g[0]) : b->g[0];
  if (!l || !g)
    return hed_error();
  const int64_t n = l->view.dim[l->view.ndim - 1];
  const hed_array *t = hed_tril(hed_matmul(hed__adjoint(l), g), 0), *eye = hed_eye(n, n, 0, HED_BOOL);
  t = hed_where(eye, hed_multiply_scalar(hed_real(t), 0.5), t);
  const hed_triangular form = { .form = HED_ADJOINT };
  const hed_array *left = hed_solve_triangular(l, t, &form);
  const hed_array *s = hed__adjoint(hed_solve_triangular(l, hed__adjoint(left), &form));
  return hed__give(b, 0, hed_multiply_scalar(hed_add(s, hed__adjoint(s)), 0.5));
}
