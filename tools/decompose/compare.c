// SPDX-License-Identifier: BSD-3-Clause
/* `heddle decompose --compare': how alike the components of two decompositions are that were written.
 *
 * Layer: L5. Cosines of columns, mode by mode; of two sums of products, or two PARAFAC2, those of components too, which signs and
 * orders of columns do not change.
 */
#include "job.h"
#include "tools/emit.h"
#include <heddle/kits/tensor_validate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A decomposition by its factors. */
typedef struct stored {
  const char *path;
  decompose_kind kind;
  hed_cp cp;
  hed_tucker tucker;
  hed_parafac2 parafac2;
} stored;

typedef struct tables {
  hed_array *all, *mode[HED_MAX_NDIM]; /* ALL: of two CP tensors or two PARAFAC2; a mode without a factor has none */
  int order;
} tables;

static int order_of(const stored *s)
{
  return s->kind == KIND_PARAFAC2 ? 3 : s->kind == KIND_CP ? s->cp.order : s->tucker.order;
}

static const hed_array *factor_of(const stored *s, int k)
{
  if (s->kind == KIND_PARAFAC2)
    return k == 0 ? s->parafac2.a : k == 2 ? s->parafac2.c : NULL;
  return s->kind == KIND_CP ? s->cp.factor[k] : s->tucker.factor[k];
}

/* What the archive says that it is, into TEXT; "" where it says nothing; PARAFAC2's has projections. */
static hed_status format_of(const char *path, char *text, size_t room)
{
  hed_npz *z = NULL;
  hed_status status = hed_npz_open(path, &z);
  memset(text, 0, room);
  HED_SCOPE_OR(status = hed_error()) {
    bool says = false;
    for (int i = 0; status == HED_OK && i < hed_npz_count(z); i++) {
      says |= strcmp(hed_npz_name(z, i), "format") == 0;
      if (strcmp(hed_npz_name(z, i), "projection0") == 0)
        snprintf(text, room, "%s", decompose_names[KIND_PARAFAC2]);
    }
    const hed_array *x = says ? hed_npz_load(z, "format") : NULL;
    if (x && hed_array_dtype(x) == HED_UINT8 && hed_array_nbytes(x) < room)
      status = hed_to_host(x, text, hed_array_nbytes(x));
    else if (says && !x)
      status = hed_error();
  }
  hed_npz_close(z);
  return status;
}

static hed_status read_stored(const char *path, stored *s)
{
  char format[24];
  hed_status status = format_of(path, format, sizeof format);
  *s = (stored){ .path = path };
  const decompose_kind kinds[] = { KIND_CP, KIND_TUCKER, KIND_PARAFAC2 };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(format, decompose_names[kinds[i]]) == 0)
      s->kind = kinds[i];
  if (status == HED_OK && s->kind == KIND_NONE)
    return hed_fail(HED_E_FORMAT, "'%s' holds no decomposition by --cp, --tucker or --parafac2, which --compare takes", path);
  if (status != HED_OK)
    return status;
  return s->kind == KIND_CP ? hed_cp_load(path, &s->cp) : s->kind == KIND_TUCKER ? hed_tucker_load(path, &s->tucker)
                                                                                 : hed_parafac2_load(path, &s->parafac2);
}

/* The profiles of slice I, times what stands in A. */
static hed_array *scaled_profiles(const hed_parafac2 *p, int32_t i)
{
  hed_array *row = hed_index(p->a, 0, i);
  return row ? hed_multiply(hed_parafac2_evolving(p, i), row) : NULL;
}

/* SUM += X^H Y. */
static hed_array *add_products(hed_array *sum, const hed_array *x, const hed_array *y)
{
  hed_array *product = x && y ? hed_matmul(hed_conj(hed_transpose(x, NULL)), y) : NULL;
  return product && sum ? hed_add(sum, product) : product;
}

/* Cosines of the profiles times A, the rows of all slices behind each other: what the signs of single slices do not change. Times
 * the cosines of C they are the cosines of whole components. NULL without an error: slices have other rows. */
static hed_array *profiles_table(const hed_parafac2 *a, const hed_parafac2 *b)
{
  hed_array *table = NULL;
  for (int32_t i = 0; i < a->n_slices; i++)
    if (hed_array_shape(a->projection[i]).dim[0] != hed_array_shape(b->projection[i]).dim[0])
      return NULL;
  HED_SCOPE_OR(return NULL) {
    hed_array *xy = NULL, *xx = NULL, *yy = NULL;
    for (int32_t i = 0; i < a->n_slices; i++) {
      const hed_array *x = scaled_profiles(a, i), *y = scaled_profiles(b, i);
      xy = add_products(xy, x, y);
      xx = add_products(xx, x, x);
      yy = add_products(yy, y, y);
      if (!xy || !xx || !yy)
        return NULL;
    }
    const hed_array *const squares[] = { hed_abs(hed_diagonal(xx, 0, 0, 1)), hed_abs(hed_diagonal(yy, 0, 0, 1)) };
    hed_array *norms = hed_sqrt(hed_outer(2, squares));
    hed_array *none = norms ? hed_equal_scalar(norms, 0) : NULL; /* columns of zeros have cosine 0, as in other tables */
    table = none ? hed_keep(hed_divide(xy, hed_where(none, hed_ones_like(norms), norms))) : NULL;
  }
  return table;
}

static hed_status compare(const stored *a, const stored *b, tables *t)
{
  hed_status status = HED_OK;
  t->order = order_of(a);
  if (order_of(b) != t->order)
    return hed_fail(HED_E_SHAPE, "'%s' has %d modes, '%s' %d", a->path, t->order, b->path, order_of(b));
  for (int k = 0; k < t->order && status == HED_OK; k++) {
    const hed_array *x = factor_of(a, k), *y = factor_of(b, k);
    const long long n = x ? hed_array_shape(x).dim[0] : -1, m = y ? hed_array_shape(y).dim[0] : -1;
    if (!x || !y)
      continue;
    if (n != m && k == 0 && a->kind == KIND_PARAFAC2 && b->kind == KIND_PARAFAC2)
      continue; /* of other samples, whose columns can be compared */
    if (n != m)
      return hed_fail(HED_E_SHAPE, "mode %d of '%s' has %lld slices, of '%s' %lld", k, a->path, n, b->path, m);
    t->mode[k] = hed_congruence_table(x, y);
    status = t->mode[k] ? HED_OK : hed_error();
  }
  if (status == HED_OK && t->mode[0] && a->kind == KIND_PARAFAC2 && b->kind == KIND_PARAFAC2) {
    hed_error_clear();
    t->mode[1] = profiles_table(&a->parafac2, &b->parafac2);
    if (t->mode[1])
      t->all = hed_multiply(t->mode[1], t->mode[2]);
    status = hed_error();
  }
  if (status == HED_OK && a->kind == KIND_CP && b->kind == KIND_CP)
    status = (t->all = hed_cp_congruence_table(&a->cp, &b->cp)) ? HED_OK : hed_error();
  return status;
}

/* ---- what is said ---- */

/* For each row of X the column that is most like it; with MODES the cosines of the two in each mode. */
static hed_status print_table(const char *what, const hed_array *x, const tables *modes)
{
  const hed_shape s = hed_array_shape(x);
  double *v = decompose_numbers(x), *of[HED_MAX_NDIM] = { NULL };
  hed_status status = v ? HED_OK : hed_fail(HED_E_NOMEM, "no memory for a table");
  for (int k = 0; modes && k < modes->order && status == HED_OK; k++)
    if (!(of[k] = decompose_numbers(modes->mode[k])))
      status = hed_fail(HED_E_NOMEM, "no memory for a table");
  if (status == HED_OK)
    printf("%-9s  most like  congruence%s\n", what, modes ? "  by mode" : "");
  for (int64_t r = 0; r < s.dim[0] && status == HED_OK; r++) {
    int64_t most = 0;
    for (int64_t c = 1; c < s.dim[1]; c++)
      most = fabs(v[r * s.dim[1] + c]) > fabs(v[r * s.dim[1] + most]) ? c : most;
    printf("%9lld  %9lld  %10.4f", (long long)r + 1, (long long)most + 1, v[r * s.dim[1] + most]);
    for (int k = 0; modes && k < modes->order; k++)
      printf("%s%7.4f", k ? " " : "  ", of[k][r * s.dim[1] + most]);
    printf("\n");
  }
  for (int k = 0; k < HED_MAX_NDIM; k++)
    free(of[k]);
  free(v);
  return status;
}

static hed_status report_text(const tables *t)
{
  hed_status status = HED_OK;
  if (t->all)
    return print_table("component", t->all, t);
  for (int k = 0; k < t->order && status == HED_OK; k++) {
    printf("mode %d%s\n", k, t->mode[k] ? "" : ": nothing to compare");
    if (t->mode[k])
      status = print_table("column", t->mode[k], NULL);
  }
  return status;
}

static int report_json(const decompose_job *j, const tables *t)
{
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.decompose/1");
  emit_string(&e, "input", j->path);
  emit_string(&e, "kind", decompose_names[j->kind]);
  emit_string(&e, "other", j->compare_path);
  if (t->all)
    decompose_emit_numbers(&e, "congruence", t->all);
  else
    emit_string(&e, "congruence", NULL);
  decompose_emit_modes(&e, "modes", t->mode, t->order);
  emit_object_end(&e);
  return tool_emit(&e);
}

int decompose_compare(const decompose_job *j)
{
  stored a = { 0 }, b = { 0 };
  tables t = { 0 };
  int code = 0;
  hed_status status = read_stored(j->path, &a);
  if (status == HED_OK)
    status = read_stored(j->compare_path, &b);
  if (status == HED_OK)
    status = compare(&a, &b, &t);
  if (status == HED_OK && j->json)
    code = report_json(j, &t);
  else if (status == HED_OK)
    status = report_text(&t);
  hed_release(t.all);
  for (int k = 0; k < HED_MAX_NDIM; k++)
    hed_release(t.mode[k]);
  hed_cp_clear(&a.cp);
  hed_cp_clear(&b.cp);
  hed_tucker_clear(&a.tucker);
  hed_tucker_clear(&b.tucker);
  hed_parafac2_clear(&a.parafac2);
  hed_parafac2_clear(&b.parafac2);
  return status == HED_OK ? code : tool_fail_status(status);
}
