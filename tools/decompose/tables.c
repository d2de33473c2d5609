// SPDX-License-Identifier: BSD-3-Clause
/* Scores and loadings of `heddle decompose` as text with commas, a table for each mode; a core; a scan.
 *
 * Layer: L5. Sizes of components stand in the scores, mode 0, so that sums of products of the tables are the fit.
 */
#include "job.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a matrix on the host. */
typedef struct columns {
  double *v; /* (rows, n) */
  int64_t rows, n;
  bool single; /* of float32 or less */
} columns;

static bool is_single(const hed_array *x) { return hed_array_dtype(x) != HED_FLOAT64; }

static hed_status columns_of(const hed_array *m, const hed_array *weights, columns *c)
{
  const hed_shape s = hed_array_shape(m);
  *c = (columns){ .v = decompose_numbers(m), .rows = s.dim[0], .n = s.dim[1], .single = is_single(m) };
  double *w = weights ? decompose_numbers(weights) : NULL;
  const bool failed = !c->v || (weights && !w);
  for (int64_t i = 0; !failed && w && i < c->rows * c->n; i++)
    c->v[i] *= w[i % c->n];
  free(w);
  if (!failed)
    return HED_OK;
  free(c->v);
  c->v = NULL;
  return hed_fail(HED_E_NOMEM, "no memory for %lld numbers", (long long)(s.dim[0] * s.dim[1]));
}

/* A failure is kept and ends all that follows. */
typedef struct writing {
  hed_file *file;
  hed_status status;
} writing;

HED_PRINTF(2, 3) static void put(writing *w, const char *format, ...)
{
  char text[400];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (w->status == HED_OK)
    w->status = hed_file_write(w->file, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* A name as a field: in quotes where it has to be. */
static void put_name(writing *w, const char *name)
{
  const bool quoted = strpbrk(name, ",\"") != NULL;
  put(w, "%s", quoted ? "\"" : "");
  for (; *name; name++)
    put(w, "%s%c", *name == '"' ? "\"" : "", *name);
  put(w, "%s", quoted ? "\"" : "");
}

static void put_title(writing *w, const decompose_job *j, int k)
{
  char title[80];
  decompose_axis_title(j, k, false, title, sizeof title);
  put_name(w, title);
}

/* As few digits as tell V from its neighbours: float64's, or float32's of SINGLE. */
static void put_number(writing *w, double v, bool single)
{
  char text[40];
  for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
      break;
  }
  put(w, "%s", text);
}

/* What stands at slice I of mode K: its value, or its number. */
static void put_place(writing *w, const decompose_job *j, int k, int64_t i)
{
  if (j->axis[k].value)
    put_number(w, j->axis[k].value[i], false);
  else
    put(w, "%lld", (long long)i);
}

static void put_components(writing *w, int64_t n, const char *more)
{
  for (int64_t r = 0; r < n; r++)
    put(w, ",component %lld", (long long)r + 1);
  put(w, "%s\n", more);
}

static void put_row(writing *w, const columns *c, int64_t i)
{
  for (int64_t r = 0; r < c->n; r++) {
    put(w, ",");
    put_number(w, c->v[i * c->n + r], c->single);
  }
}

/* ---- tables ---- */

static hed_status put_mode(writing *w, const decompose_job *j, int k)
{
  columns c;
  double *leverage = NULL, *residual = NULL;
  const decompose_checks *checks = &j->checks;
  hed_status status = columns_of(decompose_factor(j, k), k ? NULL : decompose_weights(j), &c);
  if (status != HED_OK)
    return status;
  if (checks->leverage[k] && !(leverage = decompose_numbers(checks->leverage[k])))
    status = hed_error();
  if (status == HED_OK && checks->residuals[k] && !(residual = decompose_numbers(checks->residuals[k])))
    status = hed_error();
  if (status == HED_OK) {
    put_title(w, j, k);
    put_components(w, c.n, leverage && residual ? ",leverage,residual" : "");
  }
  for (int64_t i = 0; i < c.rows && status == HED_OK && w->status == HED_OK; i++) {
    put_place(w, j, k, i);
    put_row(w, &c, i);
    for (int of = 0; of < 2 && leverage && residual; of++) {
      put(w, ",");
      put_number(w, of ? residual[i] : leverage[i], false);
    }
    put(w, "\n");
  }
  free(c.v);
  free(leverage);
  free(residual);
  return status == HED_OK ? w->status : status;
}

/* The factors that evolve, one slice's rows behind those of another. */
static hed_status put_evolving(writing *w, const decompose_job *j)
{
  hed_status status = HED_OK;
  put_title(w, j, 0);
  put(w, ",");
  put_title(w, j, 1);
  put_components(w, j->parafac2.rank, "");
  for (int32_t s = 0; s < j->parafac2.n_slices && status == HED_OK && w->status == HED_OK; s++) {
    columns c = { 0 };
    hed_array *one = hed_parafac2_evolving(&j->parafac2, s);
    status = one ? columns_of(one, NULL, &c) : hed_error();
    for (int64_t i = 0; i < c.rows && status == HED_OK && w->status == HED_OK; i++) {
      put_place(w, j, 0, s);
      put(w, ",");
      put_place(w, j, 1, i);
      put_row(w, &c, i);
      put(w, "\n");
    }
    free(c.v);
    hed_release(one);
  }
  return status == HED_OK ? w->status : status;
}

/* Each element with its place, counted from 1 as components are. */
static hed_status put_core(writing *w, const decompose_job *j)
{
  const hed_array *core = j->tucker.core;
  const hed_shape s = hed_array_shape(core);
  double *v = decompose_numbers(core);
  if (!v)
    return hed_fail(HED_E_NOMEM, "no memory for a core of %lld numbers", (long long)hed_array_size(core));
  for (int k = 0; k < s.ndim; k++)
    put(w, "mode %d,", k);
  put(w, "core\n");
  for (int64_t i = 0; i < hed_array_size(core) && w->status == HED_OK; i++) {
    int64_t below = hed_array_size(core);
    for (int k = 0; k < s.ndim; k++) {
      below /= s.dim[k];
      put(w, "%lld,", (long long)(i / below % s.dim[k]) + 1);
    }
    put_number(w, v[i], is_single(core));
    put(w, "\n");
  }
  free(v);
  return w->status;
}

static hed_status put_scan(writing *w, const decompose_job *j)
{
  put(w, "rank,error,explained,core consistency\n");
  for (int i = 0; i < j->scanned; i++) {
    const double v[] = { j->scan_error[i], decompose_explained(j->scan_error[i]), j->scan_consistency[i] };
    put(w, "%lld", j->scan_low + i);
    for (int of = 0; of < 3; of++) {
      put(w, ",");
      put_number(w, v[of], false);
    }
    put(w, "\n");
  }
  return w->status;
}

/* ---- files ---- */

static bool has_core(const decompose_job *j) { return j->kind == KIND_TUCKER; }

hed_status decompose_check_tables(const decompose_job *j)
{
  const hed_array *one = j->kind == KIND_PARAFAC2 && j->n_slices > 0 ? j->slice[0] : j->x;
  if (j->csv && one && hed_dtype_kind(hed_array_dtype(one)) == HED_KIND_COMPLEX)
    return hed_fail(HED_E_DTYPE, "--csv: '%s' is %s; tables are of real numbers", j->path, hed_dtype_name(hed_array_dtype(one)));
  return HED_OK;
}

int decompose_plan_tables(const decompose_job *j, outputs *o)
{
  char suffix[24];
  int code = 0;
  for (int k = 0; j->csv && k < decompose_order(j) && code == 0; k++) {
    snprintf(suffix, sizeof suffix, "_mode%d.csv", k);
    code = outputs_add(o, j->prefix, suffix);
  }
  if (j->csv && code == 0 && (has_core(j) || j->scan_high))
    code = outputs_add(o, j->prefix, has_core(j) ? "_core.csv" : "_scan.csv");
  return code;
}

hed_status decompose_write_tables(const decompose_job *j, outputs *o, int first)
{
  const int order = decompose_order(j);
  hed_status status = HED_OK;
  for (int i = first; i < o->n && status == HED_OK; i++) {
    writing w = { .file = o->file[i] };
    const int k = i - first;
    if (k == order)
      status = has_core(j) ? put_core(&w, j) : put_scan(&w, j);
    else
      status = k == 1 && j->kind == KIND_PARAFAC2 ? put_evolving(&w, j) : put_mode(&w, j, k);
  }
  return status;
}
