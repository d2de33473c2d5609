// SPDX-License-Identifier: BSD-3-Clause
/* What a PARAFAC2 tensor is: checks, slices, norms, files.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/parafac2.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void hed_parafac2_clear(hed_parafac2 *p)
{
  if (!p)
    return;
  for (int i = 0; p->projection && i < p->n_slices; i++)
    hed_release(p->projection[i]);
  free(p->projection);
  hed_release(p->weights);
  hed_release(p->a);
  hed_release(p->b);
  hed_release(p->c);
  *p = (hed_parafac2){ 0 };
}

static hed_status part_fits(const char *op, const char *what, const char *part, const hed_array *x, int64_t rows, int64_t columns)
{
  char text[160];
  const hed_shape s = hed_array_shape(x);
  if (!x)
    return hed__tensor_missing(op, "%s of %s", part, what);
  if (s.ndim != 2 || s.dim[0] < 1 || s.dim[1] != columns || (rows > 0 && s.dim[0] != rows))
    return hed_fail(HED_E_SHAPE, "%s: %s of %s has shape %s; (%lld, %lld) is expected%s", op, part, what,
                    hed__shape_words(s, text), (long long)rows, (long long)columns, rows ? "" : ", 0 being any number");
  return HED_OK;
}

hed_status hed__parafac2_check(const char *op, const char *what, const hed_parafac2 *p)
{
  char part[40];
  if (!p || p->n_slices < 1 || p->rank < 1 || !p->projection)
    return hed_fail(HED_E_INVAL, "%s: %s %s", op, what, !p ? "is NULL" : p->rank < 1 ? "has a rank below 1" : "has no slices");
  hed_status status = part_fits(op, what, "a", p->a, p->n_slices, p->rank);
  if (status == HED_OK)
    status = part_fits(op, what, "b", p->b, p->rank, p->rank);
  if (status == HED_OK)
    status = part_fits(op, what, "c", p->c, 0, p->rank);
  for (int i = 0; status == HED_OK && i < p->n_slices; i++) {
    snprintf(part, sizeof part, "projection %d", i);
    status = part_fits(op, what, part, p->projection[i], 0, p->rank);
  }
  const hed_shape w = hed_array_shape(p->weights);
  if (status == HED_OK && p->weights && (w.ndim != 1 || w.dim[0] != p->rank))
    status = hed_fail(HED_E_SHAPE, "%s: the weights of %s are %lld; %lld are expected", op, what,
                      (long long)hed_array_size(p->weights),
                      (long long)p->rank);
  return status;
}

hed_status hed_parafac2_check(const hed_parafac2 *p) { return hed__parafac2_check("hed_parafac2_check", "p", p); }

hed_status hed_parafac2_random(int32_t n, const int64_t *rows, int64_t columns, int64_t rank, hed_dtype t, bool normal,
                               const hed_random *random, hed_parafac2 *out)
{
  static const char op[] = "hed_parafac2_random";
  hed_parafac2 made = { .n_slices = n, .rank = rank };
  hed_generator g, child[4];
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_parafac2){ 0 };
  if (!rows || n < 1 || columns < 1 || rank < 1)
    return hed_fail(HED_E_INVAL, "%s: %d slices of %lld columns, rank %lld%s; all are 1 or more", op, (int)n, (long long)columns,
                    (long long)rank, rows ? "" : ", and rows is NULL");
  for (int i = 0; i < n; i++)
    if (rows[i] < 1)
      return hed_fail(HED_E_INVAL, "%s: slice %d of %lld rows; 1 or more are expected", op, i, (long long)rows[i]);
  hed_status status = hed_check_random_state(random, &g);
  if (status == HED_OK)
    status = hed_generator_split(&g, 4, child);
  if (status == HED_OK && !(made.projection = calloc((size_t)n, sizeof(hed_array *))))
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %d slices", op, (int)n);
  HED_SCOPE_OR(status = hed_error()) {
    const hed_shape shapes[] = { HED_SHAPE(n, rank), HED_SHAPE(rank, rank), HED_SHAPE(columns, rank) };
    hed_array **const parts[] = { &made.a, &made.b, &made.c };
    for (int k = 0; k < 3 && status == HED_OK; k++)
      status = (*parts[k] = hed_keep(hed__random_values(shapes[k], t, normal, &(hed_random){ .generator = &child[k] }))) ? HED_OK
                                                                                                                        : hed_error();
    for (int i = 0; i < n && status == HED_OK; i++) {
      hed_array *noise = hed__random_values(HED_SHAPE(rows[i], rank), t, true, &(hed_random){ .generator = &child[3] });
      made.projection[i] = noise ? hed_keep(hed_polar_unitary(noise)) : NULL;
      status = made.projection[i] ? HED_OK : hed_error();
    }
  }
  if (status == HED_OK)
    *out = made;
  else
    hed_parafac2_clear(&made);
  return status;
}

static hed_status slice_fits(const char *op, const hed_parafac2 *p, int32_t i)
{
  const hed_status status = hed__parafac2_check(op, "p", p);
  if (status == HED_OK && (i < 0 || i >= p->n_slices))
    return hed_fail(HED_E_INDEX, "%s: slice %d of %d", op, (int)i, (int)p->n_slices);
  return status;
}

hed_array *hed_parafac2_evolving(const hed_parafac2 *p, int32_t i)
{
  return slice_fits("hed_parafac2_evolving", p, i) == HED_OK ? hed_matmul(p->projection[i], p->b) : NULL;
}

/* Row I of A times the weights, in the caller's scope. */
static hed_array *row_of(const hed_parafac2 *p, int32_t i)
{
  hed_array *row = hed_index(p->a, 0, i);
  return p->weights ? hed_multiply(row, p->weights) : row;
}

static hed_array *slice_of(const hed_parafac2 *p, int32_t i)
{
  return hed_matmul(hed_multiply(hed_matmul(p->projection[i], p->b), row_of(p, i)), hed__tensor_conj(hed_matrix_transpose(p->c)));
}

hed_array *hed_parafac2_slice(const hed_parafac2 *p, int32_t i)
{
  hed_array *out = NULL;
  if (slice_fits("hed_parafac2_slice", p, i) != HED_OK)
    return NULL;
  HED_SCOPE
    out = hed_keep(slice_of(p, i));
  return hed__tensor_given(out);
}

hed_array *hed_parafac2_full(const hed_parafac2 *p)
{
  if (hed__parafac2_check("hed_parafac2_full", "p", p) != HED_OK)
    return NULL;
  int64_t rows = 0;
  for (int i = 0; i < p->n_slices; i++)
    rows = hed_array_shape(p->projection[i]).dim[0] > rows ? hed_array_shape(p->projection[i]).dim[0] : rows;
  hed_array *out = hed_zeros(HED_SHAPE(p->n_slices, rows, hed_array_shape(p->c).dim[0]), hed_array_dtype(p->c));
  for (int i = 0; out && i < p->n_slices; i++)
    HED_SCOPE {
      hed_array *one = slice_of(p, i);
      if (!one || HED_SET(out, one, HED_AT(i), HED_SLICE(0, hed_array_shape(one).dim[0], 1)) != HED_OK) {
        hed_release(hed_keep(out));
        out = NULL;
      }
    }
  return out;
}

/* sum over r, s of conj(x_r) y_s (B_x^H P_x^H P_y B_y)_rs conj((C_x^H C_y)_rs), slice by slice. */
static hed_status inner(const hed_parafac2 *x, const hed_parafac2 *y, double out[2])
{
  hed_status status = HED_OK;
  out[0] = out[1] = 0;
  for (int i = 0; status == HED_OK && i < x->n_slices; i++)
    HED_SCOPE_OR(return hed_error()) {
      const hed_dtype t = hed__tensor_wide(hed_array_dtype(x->c)), u = hed__tensor_wide(hed_array_dtype(y->c));
      hed_array *ex = hed_astype(hed_matmul(x->projection[i], x->b), t), *ey = hed_astype(hed_matmul(y->projection[i], y->b), u);
      hed_array *rows = hed_matmul(hed__tensor_conj(hed_matrix_transpose(ex)), ey);
      hed_array *columns = hed_matmul(hed_matrix_transpose(hed_astype(x->c, t)), hed__tensor_conj(hed_astype(y->c, u)));
      hed_array *weights = hed_multiply(hed_expand_dims(hed__tensor_conj(row_of(x, i)), 1), hed_expand_dims(row_of(y, i), 0));
      hed_array *sum = hed_sum(hed_multiply(hed_multiply(rows, columns), weights), NULL);
      double one[2];
      status = sum ? hed_item_complex(sum, one) : hed_error();
      if (status == HED_OK) {
        out[0] += one[0];
        out[1] += one[1];
      }
    }
  return status;
}

hed_status hed_parafac2_inner(const hed_parafac2 *x, const hed_parafac2 *y, double out[2])
{
  static const char op[] = "hed_parafac2_inner";
  hed_status status = hed__parafac2_check(op, "x", x);
  if (status == HED_OK)
    status = hed__parafac2_check(op, "y", y);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (status == HED_OK && x->n_slices != y->n_slices)
    status = hed_fail(HED_E_SHAPE, "%s: x has %d slices, y %d", op, (int)x->n_slices, (int)y->n_slices);
  if (status == HED_OK && hed_array_shape(x->c).dim[0] != hed_array_shape(y->c).dim[0])
    status = hed_fail(HED_E_SHAPE, "%s: slices of x have %lld columns, those of y %lld", op, (long long)hed_array_shape(x->c).dim[0],
                      (long long)hed_array_shape(y->c).dim[0]);
  for (int i = 0; status == HED_OK && i < x->n_slices; i++) {
    const int64_t m = hed_array_shape(x->projection[i]).dim[0], n = hed_array_shape(y->projection[i]).dim[0];
    if (m != n)
      status = hed_fail(HED_E_SHAPE, "%s: slice %d of x has %lld rows, that of y %lld", op, i, (long long)m, (long long)n);
  }
  return status == HED_OK ? inner(x, y, out) : status;
}

hed_status hed_parafac2_norm(const hed_parafac2 *p, double *out)
{
  double square[2];
  hed_status status = hed__parafac2_check("hed_parafac2_norm", "p", p);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "hed_parafac2_norm: out is NULL");
  if (status == HED_OK)
    status = inner(p, p, square);
  if (status == HED_OK)
    *out = sqrt(fmax(square[0], 0));
  return status;
}

hed_status hed__unit_columns(const hed_array *x, hed_array **unit, hed_array **norms)
{
  *norms = hed_vector_norm(x, 2, &(hed_reduce){ .axes = HED_AXES(0) });
  hed_array *positive = hed_greater_scalar(*norms, 0);
  *unit = hed_divide(x, hed_where_scalar(positive, *norms, 1));
  return *unit && *norms ? HED_OK : hed_error();
}

hed_status hed_parafac2_normalise(hed_parafac2 *p)
{
  hed_status status = hed__parafac2_check("hed_parafac2_normalise", "p", p);
  hed_array **const part[] = { p ? &p->a : NULL, p ? &p->b : NULL, p ? &p->c : NULL };
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *made[3], *norm, *weights = p->weights ? hed__tensor_same(p->weights) : NULL;
    for (int i = 0; status == HED_OK && i < 3; i++) {
      status = hed__unit_columns(*part[i], &made[i], &norm);
      weights = status != HED_OK ? NULL : weights ? hed_multiply(weights, norm) : norm;
    }
    if (!weights || status != HED_OK)
      return hed_error();
    for (int i = 0; i < 3; i++) {
      hed_release(*part[i]);
      *part[i] = hed_keep(made[i]);
    }
    hed_release(p->weights);
    p->weights = hed_keep(weights);
  }
  return status;
}

/* ---- files ---- */

enum { NAME = 24, OTHERS = 4 };
static const char *const other_names[OTHERS] = { "a", "b", "c", "weights" };

hed_status hed_parafac2_save(const char *path, const hed_parafac2 *p)
{
  static const char op[] = "hed_parafac2_save";
  hed_status status = hed__parafac2_check(op, "p", p);
  if (status == HED_OK && !path)
    status = hed_fail(HED_E_INVAL, "%s: path is NULL", op);
  if (status != HED_OK)
    return status;
  const size_t most = (size_t)p->n_slices + OTHERS;
  char(*name)[NAME] = malloc(most * NAME);
  const char **names = malloc(most * sizeof *names);
  const hed_array **arrays = malloc(most * sizeof *arrays), *others[OTHERS] = { p->a, p->b, p->c, p->weights };
  if (!name || !names || !arrays) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %zu names", op, most);
  } else {
    int n = 0;
    for (int i = 0; i < OTHERS; i++)
      if (others[i]) {
        names[n] = other_names[i];
        arrays[n++] = others[i];
      }
    for (int i = 0; i < p->n_slices; i++) {
      snprintf(name[i], NAME, "projection%d", i);
      names[n] = name[i];
      arrays[n++] = p->projection[i];
    }
    status = hed_save_npz(path, n, names, arrays, false);
  }
  free(name);
  free(names);
  free(arrays);
  return status;
}

static bool has(const hed_npz *z, const char *name)
{
  bool found = false;
  for (int k = 0; k < hed_npz_count(z) && !found; k++) {
    const char *s = hed_npz_name(z, k);
    found = true;
    for (int i = 0; found && (s[i] || name[i]); i++)
      found = s[i] == name[i];
  }
  return found;
}

static hed_status load_part(const char *path, hed_npz *z, const char *name, hed_array **out)
{
  if (!has(z, name))
    return hed_fail(HED_E_FORMAT, "hed_parafac2_load: '%s' holds no %s", path, name);
  *out = hed_keep(hed_npz_load(z, name));
  return *out ? HED_OK : hed_error();
}

hed_status hed_parafac2_load(const char *path, hed_parafac2 *out)
{
  hed_npz *z = NULL;
  hed_parafac2 p = { 0 };
  char name[NAME];
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "hed_parafac2_load: %s is NULL", path ? "out" : "path");
  *out = p;
  hed_status status = hed_npz_open(path, &z);
  hed_array **const part[OTHERS] = { &p.a, &p.b, &p.c, &p.weights };
  for (int i = 0; status == HED_OK && i < OTHERS; i++)
    if (i < OTHERS - 1 || has(z, other_names[i]))
      status = load_part(path, z, other_names[i], part[i]);
  const int slices = status == HED_OK ? hed_npz_count(z) - 3 - (p.weights != NULL) : 0;
  if (status == HED_OK && !(p.projection = calloc((size_t)slices + 1, sizeof *p.projection)))
    status = hed_fail(HED_E_NOMEM, "hed_parafac2_load: no memory for %d projections", slices);
  for (; status == HED_OK && p.n_slices < slices; p.n_slices++) {
    snprintf(name, NAME, "projection%d", (int)p.n_slices);
    status = load_part(path, z, name, &p.projection[p.n_slices]);
  }
  hed_npz_close(z);
  const hed_shape a = hed_array_shape(p.a);
  p.rank = status == HED_OK && a.ndim == 2 ? a.dim[1] : 0;
  if (status == HED_OK && hed__parafac2_check("hed_parafac2_load", path, &p) != HED_OK) {
    char why[400];
    snprintf(why, sizeof why, "%s", hed_error_text());
    status = hed_fail(HED_E_FORMAT, "%s", why);
  }
  if (status != HED_OK)
    hed_parafac2_clear(&p);
  *out = p;
  return status;
}
