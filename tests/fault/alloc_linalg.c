// SPDX-License-Identifier: BSD-3-Clause
/* Factorisations and solvers with every allocation failing in turn: see fault.h. L5.
 */
#include "fault.h"

static hed_array *a, *b, *tall, *target, *column, *level; /* operands, made once */

/* N results that must all be there, or none with an error. */
static result several(const char *name, hed_status s, int n, hed_array *const *x)
{
  for (int k = 0; k < n; k++) {
    if ((s == HED_OK) != (x[k] != NULL))
      fail("%s: result %d with status %d", name, k, (int)s);
    hed_release(x[k]);
  }
  return status(s);
}

static result do_solve(void) { return given(hed_solve(a, b)); }
static result do_solve_into(void) { return status(hed_solve_into(column, a, b)); }
static result do_triangular(void) { return given(hed_solve_triangular(a, b, &(hed_triangular){ .upper = true })); }
static result do_triangular_into(void) { return status(hed_solve_triangular_into(column, a, b, NULL)); }
static result do_inv(void) { return given(hed_inv(a)); }
static result do_inv_into(void) { return status(hed_inv_into(target, a)); }
static result do_det(void) { return given(hed_det(a)); }
static result do_cholesky(void) { return given(hed_cholesky(a, true)); }
static result do_cholesky_into(void) { return status(hed_cholesky_into(target, a, false)); }
static result do_eigvalsh(void) { return given(hed_eigvalsh(a, false)); }
static result do_eigvals(void) { return given(hed_eigvals(a)); }
static result do_svdvals(void) { return given(hed_svdvals(tall)); }
static result do_pinv(void) { return given(hed_pinv(tall, -1)); }
static result do_rank(void) { return given(hed_matrix_rank(tall, -1)); }
static result do_pinv_each(void) { return given(hed_pinv_each(tall, level)); }
static result do_rank_each(void) { return given(hed_matrix_rank_each(tall, level)); }
static result do_cond(void) { return given(hed_cond(tall, HED_COND_2)); }
static result do_cond_1(void) { return given(hed_cond(a, HED_COND_1)); }
static result do_power(void) { return given(hed_matrix_power(a, 5)); }
static result do_inverse_power(void) { return given(hed_matrix_power(a, -2)); }
static result do_no_power(void) { return given(hed_matrix_power(a, 0)); }
static result do_expm(void) { return given(hed_expm(a)); }
static result do_orthogonal(void)
{
  return given(hed_orthogonal(HED_SHAPE(2, 3), 1, HED_FLOAT32, &(hed_random){ .seeded = true }));
}
static result do_orthogonalize(void) { return given(hed_orthogonalize_nonsquare(tall)); }
static result do_basis(void) { return given(hed_complete_orthogonal_basis(tall)); }
static result do_slogdet(void)
{
  hed_array *x[2] = { NULL };
  hed_status s = hed_slogdet(a, &x[0], &x[1]);
  return several("slogdet", s, 2, x);
}
static result do_lu(void)
{
  hed_array *x[3] = { NULL };
  hed_status s = hed_lu(tall, &x[0], &x[1], &x[2]);
  return several("lu", s, 3, x);
}
static result do_qr(void)
{
  hed_array *x[2] = { NULL };
  hed_status s = hed_qr(tall, HED_QR_COMPLETE, &x[0], &x[1]);
  return several("qr", s, 2, x);
}
static result do_eigh(void)
{
  hed_array *x[2] = { NULL };
  hed_status s = hed_eigh(a, false, &x[0], &x[1]);
  return several("eigh", s, 2, x);
}
static result do_eig(void)
{
  hed_array *x[2] = { NULL };
  hed_status s = hed_eig(a, &x[0], &x[1]);
  return several("eig", s, 2, x);
}
static result do_truncated_svd(void)
{
  hed_array *x[3] = { NULL };
  hed_status s = hed_truncated_svd(a, 2, &x[0], &x[1], &x[2]);
  return several("truncated_svd", s, 3, x);
}
static result do_lstsq(void)
{
  hed_array *x[4] = { NULL };
  hed_status s = hed_lstsq(tall, tall, -1, &x[0], &x[1], &x[2], &x[3]);
  return several("lstsq", s, 4, x);
}
/* In a scope of the caller's the result must be in it. */
static result do_scoped(void)
{
  hed_scope s;
  result r = FAILED;
  if (hed_scope_begin(&s) != HED_OK)
    return FAILED;
  if (hed_det(a))
    r = DONE;
  hed_scope_end(&s);
  return r;
}

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(solve), E(solve_into), E(triangular), E(triangular_into), E(inv), E(inv_into), E(det), E(slogdet), E(lu), E(cholesky),
  E(cholesky_into), E(qr), E(eigh), E(eigvalsh), E(eig), E(eigvals), E(svdvals), E(lstsq), E(truncated_svd), E(pinv), E(rank),
  E(pinv_each),
  E(rank_each), E(cond),
  E(cond_1), E(power), E(inverse_power), E(no_power), E(expm), E(orthogonal), E(orthogonalize), E(basis), E(scoped),
#undef E
};

int main(void)
{
  static const float data[9] = { 40, 1, 2, 1, 50, 3, 2, 3, 60 };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  a = hed_from_host(data, HED_SHAPE(3, 3), HED_FLOAT32);
  b = hed_ones(HED_SHAPE(3), HED_FLOAT32);
  tall = hed_slice(a, 2, (hed_slice_range[]){ HED_ALL, HED_RANGE(0, 2, 1) });
  target = hed_zeros(HED_SHAPE(3, 3), HED_FLOAT32);
  column = hed_zeros(HED_SHAPE(3), HED_FLOAT32);
  level = hed_full(HED_SHAPE0, 0.5, HED_FLOAT32);
  if (!a || !b || !tall || !target || !column || !level)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], NULL);
  return done();
}
