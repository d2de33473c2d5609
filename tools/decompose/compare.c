// SPDX-License-Identifier: BSD-3-Clause
/* `heddle decompose --compare': how alike the components of two decompositions are that were written.
 *
 * Layer: L5. Cosines of columns, mode by mode; of two sums of products their product too, which signs and orders of columns do not
 * change.
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
  bool is_cp;
  hed_cp cp;
  hed_tucker tucker;
} stored;

typedef struct tables {
  hed_array *all, *mode[HED_MAX_NDIM]; /* ALL: of two CP tensors; a mode without a factor has none */
  int order;
} tables;

static int order_of(const stored *s) { return s->is_cp ? s->cp.order : s->tucker.order; }
static const hed_array *factor_of(const stored *s, int k) { return s->is_cp ? s->cp.factor[k] : s->tucker.factor[k]; }

/* What the archive says that it is, into TEXT; "" where it says nothing. */
static hed_status format_of(const char *path, char *text, size_t room)
{
  hed_npz *z = NULL;
  hed_status status = hed_npz_open(path, &z);
  memset(text, 0, room);
  HED_SCOPE_OR(status = hed_error()) {
    bool says = false;
    for (int i = 0; status == HED_OK && i < hed_npz_count(z); i++)
      says |= strcmp(hed_npz_name(z, i), "format") == 0;
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
  *s = (stored){ .path = path, .is_cp = strcmp(format, "cp") == 0 };
  if (status == HED_OK && !s->is_cp && strcmp(format, "tucker") != 0)
    return hed_fail(HED_E_FORMAT, "'%s' holds no decomposition by --cp or --tucker, which --compare takes", path);
  if (status != HED_OK)
    return status;
  return s->is_cp ? hed_cp_load(path, &s->cp) : hed_tucker_load(path, &s->tucker);
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
    if (n != m)
      return hed_fail(HED_E_SHAPE, "mode %d of '%s' has %lld slices, of '%s' %lld", k, a->path, n, b->path, m);
    t->mode[k] = hed_congruence_table(x, y);
    status = t->mode[k] ? HED_OK : hed_error();
  }
  if (status == HED_OK && a->is_cp && b->is_cp)
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
    printf("%9lld  %9lld  %10.4f ", (long long)r + 1, (long long)most + 1, v[r * s.dim[1] + most]);
    for (int k = 0; modes && k < modes->order; k++)
      printf(" %7.4f", of[k][r * s.dim[1] + most]);
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
    printf("mode %d%s\n", k, t->mode[k] ? "" : ": no factor");
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
  return status == HED_OK ? code : tool_fail_status(status);
}
