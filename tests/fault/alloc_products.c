// SPDX-License-Identifier: BSD-3-Clause
/* Products of several arrays and norms with every allocation failing in turn: see fault.h. L5.
 */
#include "fault.h"

static hed_array *x, *cube, *vector, *bits, *words, *weights; /* operands, made once */

static const hed_array *const *twice(void)
{
  static const hed_array *list[2];
  list[0] = list[1] = x;
  return list;
}

static result do_dot(void) { return given(hed_dot(cube, vector)); }
static result do_dot_into(void)
{
  hed_array *out = hed_empty(HED_SHAPE(3, 3, 3, 3), HED_FLOAT32);
  hed_status s = out ? hed_dot_into(out, cube, cube) : hed_error();
  hed_release(out);
  return status(s);
}
static result do_inner(void) { return given(hed_inner(cube, x)); }
static result do_vdot(void) { return given(hed_vdot(x, x)); }
static result do_vecdot(void) { return given(hed_vecdot(cube, vector, -1)); }
static result do_outer(void) { return given(hed_outer(2, twice())); }
static result do_batched_outer(void) { return given(hed_batched_outer(2, twice())); }
static result do_cross(void) { return given(hed_cross(x, vector, -1)); }
static result do_matrix_trace(void) { return given(hed_matrix_trace(cube, 1, 0, 2)); }
static result do_kron(void) { return given(hed_kron(x, cube)); }
static result do_kronecker(void) { return given(hed_kronecker(2, twice(), NULL)); }
static result do_khatri_rao(void)
{
  return given(hed_khatri_rao(2, twice(), &(hed_khatri_rao_options){ .weights = vector }));
}
static result do_mode_dot(void) { return given(hed_mode_dot(cube, x, 1, false)); }
static result do_multi_mode_dot(void) { return given(hed_multi_mode_dot(cube, 2, twice(), NULL)); }
static result do_mttkrp(void)
{
  return given(hed_unfolding_dot_khatri_rao(cube, vector, 3, (const hed_array *const[]){ x, x, x }, 1));
}
static result do_multi_dot(void) { return given(hed_multi_dot(3, (const hed_array *const[]){ vector, x, x })); }
static result do_tensordot_n(void) { return given(hed_tensordot_n(cube, cube, 2)); }
static result do_tensordot_into(void)
{
  hed_array *out = hed_empty(HED_SHAPE(3, 3), HED_FLOAT32);
  hed_status s = out ? hed_tensordot_into(out, x, x, &HED_AXES(0), &HED_AXES(0)) : hed_error();
  hed_release(out);
  return status(s);
}
static result do_tensordot_batched(void)
{
  return given(hed_tensordot_batched(cube, cube, &(hed_tensordot_options){ .a_batch = HED_AXES(1), .b_batch = HED_AXES(0) }));
}
static result do_einsum(void) { return given(hed_einsum("ab,bc,cd->ad", 3, (const hed_array *const[]){ x, x, x })); }
static result do_einsum_into(void)
{
  hed_array *out = hed_empty(HED_SHAPE(3), HED_FLOAT32);
  hed_status s = out ? hed_einsum_into(out, "ab,bc,cd->d", 3, (const hed_array *const[]){ x, x, x }) : hed_error();
  hed_release(out);
  return status(s);
}
static result do_einsum_path(void)
{
  hed_einsum_order_info info = { .struct_size = sizeof info };
  return status(hed_einsum_path("ab,cb,cd->ad", 3, (const hed_array *const[]){ x, x, x }, NULL, &info));
}
static result svd_parts(hed_status s, hed_array *u, hed_array *values, hed_array *vh)
{
  if (s != HED_OK && (u || values || vh))
    fail("results with an error");
  hed_release(u);
  hed_release(values);
  hed_release(vh);
  return status(s);
}
static result do_svd_interface(void)
{
  hed_svd_options o = { .n = 2, .flip = HED_SVD_FLIP_U, .non_negative = HED_SVD_NNDSVDA, .mask = x, .mask_iterations = 1 };
  hed_array *u = NULL, *s = NULL, *vh = NULL;
  hed_status done = hed_svd_interface(x, &o, &u, &s, &vh);
  return svd_parts(done, u, s, vh);
}
static result do_symeig_svd(void)
{
  hed_array *u = NULL, *s = NULL, *vh = NULL;
  hed_status done = hed_symeig_svd(x, 2, &u, &s, &vh);
  return svd_parts(done, u, s, vh);
}
static result do_randomized_svd(void)
{
  hed_array *u = NULL, *s = NULL, *vh = NULL;
  hed_status done = hed_randomized_svd(x, 1, &(hed_random){ .seed = 1, .seeded = true }, &u, &s, &vh);
  return svd_parts(done, u, s, vh);
}
static result do_svd_flip(void)
{
  hed_array *u = NULL, *vh = NULL;
  hed_status done = hed_svd_flip(x, x, true, &u, &vh);
  return svd_parts(done, u, NULL, vh);
}
static result do_svd_thresholding(void) { return given(hed_svd_thresholding(x, 1)); }
static result do_procrustes(void) { return given(hed_procrustes(x)); }
static result do_vector_norm(void) { return given(hed_vector_norm(cube, 2, &(hed_reduce){ .axes = HED_AXES(1) })); }
static result do_norm(void) { return given(hed_norm(cube, 3, NULL)); }
static result do_matrix_norm(void) { return given(hed_matrix_norm(cube, HED_NORM_NUCLEAR, NULL, true)); }

static result do_polar_unitary(void) { return given(hed_polar_unitary(cube)); }
static result do_isotonic(void) { return given(hed_isotonic(cube, vector, 0, true)); }
static result do_phasor(void) { return given(hed_phasor(cube, vector)); }
static result do_pack_bits(void) { return given(hed_pack_bits(bits)); }
static result do_unpack_bits(void) { return given(hed_unpack_bits(words, 70)); }
static result do_hamming_matrix(void) { return given(hed_hamming_matrix(words, words)); }
static result do_majority_bits(void) { return given(hed_majority_bits(words, NULL)); }
static result do_weighted_majority_bits(void) { return given(hed_weighted_majority_bits(words, weights, NULL)); }

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(dot), E(dot_into), E(inner), E(vdot), E(vecdot), E(outer), E(batched_outer), E(cross), E(matrix_trace), E(kron),
  E(kronecker), E(khatri_rao), E(mode_dot), E(multi_mode_dot), E(mttkrp), E(multi_dot), E(tensordot_n), E(tensordot_into),
  E(tensordot_batched), E(einsum), E(einsum_into), E(einsum_path), E(svd_interface), E(symeig_svd),
  E(randomized_svd), E(svd_flip), E(svd_thresholding), E(procrustes), E(vector_norm), E(norm), E(matrix_norm),
  E(polar_unitary), E(isotonic), E(phasor), E(pack_bits), E(unpack_bits), E(hamming_matrix), E(majority_bits),
  E(weighted_majority_bits),
#undef E
};

int main(void)
{
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  hed_array *flat = hed_arange(0, 27, 1, HED_FLOAT32);
  cube = hed_reshape(flat, HED_SHAPE(3, 3, 3));
  hed_release(flat);
  x = hed_index(cube, 0, 1);
  vector = hed_index(x, 0, 2);
  bits = hed_ones(HED_SHAPE(2, 70), HED_INT16);
  words = hed_pack_bits(bits);
  weights = hed_ones(HED_SHAPE(3, 2), HED_INT32);
  if (!cube || !x || !vector || !words || !weights)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], NULL);
  return done();
}
