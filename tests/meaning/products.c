// SPDX-License-Identifier: BSD-3-Clause
/* Meanings of products and norms in which other systems differ: doc/meaning.texi, "Products and norms". */
#include "api.h"
#include <math.h>

static void run(const char *backend)
{
  diag("on %s", backend);
  /* dot does not conjugate, vdot and vecdot do */
  const double z[6] = { 1, 2, 3, 0, 0, -1 };
  hed_array *c = hed_from_host(z, HED_SHAPE(3), HED_COMPLEX128);
  double v[2];
  hed_array *d = hed_dot(c, c), *i = hed_inner(c, c), *e = hed_vdot(c, c), *f = hed_vecdot(c, c, -1);
  hed_item_complex(d, v);
  ok(v[0] == 5 && v[1] == 4, "dot of complex vectors: %g%+gi", v[0], v[1]);
  hed_item_complex(i, v);
  ok(v[0] == 5 && v[1] == 4, "inner of complex vectors: %g%+gi", v[0], v[1]);
  hed_item_complex(e, v);
  ok(v[0] == 15 && v[1] == 0, "vdot conjugates: %g%+gi", v[0], v[1]);
  hed_item_complex(f, v);
  ok(v[0] == 15 && v[1] == 0, "vecdot conjugates: %g%+gi", v[0], v[1]);
  RELEASE(d, i, e, f, c);

  /* norm is of the flattened array, never spectral */
  hed_array *m = api_array(HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(3, 0, 0, 4));
  api_is(hed_norm(m, 2, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(5), "norm of a matrix, order 2");
  api_is(hed_norm(m, 1, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(7), "norm of a matrix, order 1");
  api_is(hed_norm(m, INFINITY, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(4), "norm of a matrix, order infinity");
  hed_array *spectral = hed_matrix_norm(m, HED_NORM_TWO, NULL, false);
  hed_item(spectral, v);
  is_near(v[0], 4, 1e-14, 0, "the spectral norm");
  hed_release(spectral);

  /* skip is a position in the list as given, whatever the modes */
  hed_array *x = hed_ones(HED_SHAPE(2, 3), HED_FLOAT64), *p = hed_full(HED_SHAPE(3), 10, HED_FLOAT64);
  hed_array *q = hed_ones(HED_SHAPE(2), HED_FLOAT64);
  const hed_array *const list[2] = { p, q }; /* for the modes 1 and 0 */
  api_is(hed_multi_mode_dot(x, 2, list, &(hed_multi_mode_options){ .modes = HED_AXES(1, 0), .skip = HED_AXES(0) }),
         HED_SHAPE(3), HED_FLOAT64, API_LIST(2, 2, 2), "multi_mode_dot without array 0, which belongs to mode 1");

  /* one matrix */
  hed_array *w = API_VECTOR(HED_FLOAT64, 1, -1), *k = hed_khatri_rao(1, (const hed_array *const[]){ m }, NULL);
  ok(k != NULL && k != m, "khatri_rao of one matrix is a new array");
  hed_fill(k, 0);
  api_is(hed_copy(m), HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(3, 0, 0, 4), "which shares nothing with it");
  api_is(hed_khatri_rao(1, (const hed_array *const[]){ m }, &(hed_khatri_rao_options){ .weights = w }), HED_SHAPE(2, 2),
         HED_FLOAT64, API_LIST(3, 0, 0, -4), "weights apply to one matrix too");
  RELEASE(k, w);

  /* partial_svd is truncated_svd: more than there are is a larger basis, without a warning */
  hed_array *y = hed_arange(1, 7, 1, HED_INT16), *ints = hed_reshape(y, HED_SHAPE(2, 3)), *u = NULL, *sv = NULL, *vh = NULL;
  is_int(hed_partial_svd(ints, 9, &u, &sv, &vh), HED_OK, "partial_svd is there");
  ok(hed_array_shape(u).dim[1] == 2 && hed_array_size(sv) == 2 && hed_array_shape(vh).dim[0] == 3, "at most max(m, n) vectors");
  hed_array *largest = hed_index(sv, 0, 0);
  hed_item(largest, v);
  is_near(v[0], 9.508032000695724, 1e-6, 0, "its largest singular value");
  for (int j = 0; j < 6; j++)
    hed_release((hed_array *[]){ y, ints, u, sv, vh, largest }[j]);
  hed_array *kr = hed_kr(2, (const hed_array *const[]){ m, m }, NULL);
  api_is(kr, HED_SHAPE(4, 2), HED_FLOAT64, API_LIST(9, 0, 0, 0, 0, 0, 0, 16), "kr is khatri_rao");

  /* outer keeps axes */
  api_is(hed_outer(2, (const hed_array *const[]){ m, q }), HED_SHAPE(2, 2, 2), HED_FLOAT64,
         API_LIST(3, 3, 0, 0, 0, 0, 4, 4), "outer of a matrix and a vector has three axes");

  /* einsum without "->": labels that occur once, in the order of their characters, capitals first */
  hed_array *t = hed_zeros(HED_SHAPE(2, 3, 4), HED_FLOAT32), *r = hed_einsum("bAa", 1, (const hed_array *const[]){ t });
  hed_shape s = hed_array_shape(r);
  ok(s.ndim == 3 && s.dim[0] == 3 && s.dim[1] == 4 && s.dim[2] == 2, "implicit order of einsum");
  RELEASE(r, t, x, p, q, m);
}

int main(void)
{
  api_each_backend(run);
  return done();
}
