// SPDX-License-Identifier: BSD-3-Clause
/* Scattered light out of the fluorescence that `heddle decompose' is given, and tables of numbers.
 *
 * Layer: L5.
 */
#include "job.h"
#include "tools/table.h"
#include <stdlib.h>
#include <string.h>

static const char names[] = "rayleigh,rayleigh_second,raman,raman_second";

void decompose_parse_scatter(decompose_job *j, struct argp_state *state, const char *text)
{
  static const char option[] = "--scatter";
  double *const width[] = { &j->scatter.rayleigh, &j->scatter.rayleigh_second, &j->scatter.raman, &j->scatter.raman_second };
  char *copy = strdup(text), *rest = copy, *one;
  if (!copy)
    argp_error(state, "%s: no memory", option);
  while (copy && (one = strsep(&rest, ","))) {
    char *colon = strchr(one, ':');
    if (colon)
      *colon = '\0';
    double *w = width[tool_word(state, option, one, names)];
    if (!colon)
      argp_error(state, "%s: '%s' is not BAND:NM", option, one);
    if (*w > 0)
      argp_error(state, "%s: %s is named twice", option, one);
    *w = tool_number(state, option, colon ? colon + 1 : "", 1e-6, 1e4);
  }
  free(copy);
}

void decompose_parse_wavelengths(decompose_wavelengths *w, struct argp_state *state, const char *option, const char *text)
{
  char axis[8];
  const char *colon = strchr(text, ':');
  if (!colon || !colon[1] || (size_t)(colon - text) >= sizeof axis) {
    argp_error(state, "%s: '%s' is not AXIS:FILE", option, text);
    return;
  }
  snprintf(axis, sizeof axis, "%.*s", (int)(colon - text), text);
  w->axis = (int)tool_integer(state, option, axis, 0, HED_MAX_NDIM - 1);
  w->path = colon + 1;
}

static bool any_band(const hed_eem_options *o)
{
  return o->rayleigh > 0 || o->rayleigh_second > 0 || o->raman > 0 || o->raman_second > 0;
}

void decompose_check_scatter(const decompose_job *j, struct argp_state *state)
{
  const bool bands = any_band(&j->scatter);
  if (bands != (j->emission.path != NULL) || bands != (j->excitation.path != NULL))
    argp_error(state, "--scatter, --emission and --excitation go together");
  if (!bands && (j->fill_given || j->scatter.raman_shift > 0))
    argp_error(state, "--scatter-fill and --raman-shift go with --scatter");
  if (bands && (j->kind == KIND_COMPARE || j->kind == KIND_PARAFAC2 || decompose_is_list(j->path)))
    argp_error(state, "--scatter goes with one tensor of all elements, not with --compare, --parafac2 and a .tns file");
  if (bands && j->scatter.fill == HED_EEM_MASK && (j->kind == KIND_TT || j->kind == KIND_ROBUST))
    argp_error(state, "--%s needs all elements: --scatter-fill zero or interpolate", decompose_names[j->kind]);
  if (j->fold.ndim && !decompose_is_table(j->path))
    argp_error(state, "--shape goes with a .csv table, not with '%s'", j->path);
}

hed_array *decompose_read_table(const char *path)
{
  number_table t;
  hed_array *x = NULL;
  if (number_table_read(path, NULL, TABLE_WITH_GAPS, &t) == HED_OK)
    x = hed_from_doubles(t.x, HED_SHAPE(t.rows, t.columns), HED_FLOAT64);
  number_table_clear(&t);
  return x;
}

hed_status decompose_remove_scatter(decompose_job *j)
{
  hed_array *out = NULL;
  if (!any_band(&j->scatter))
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *em = decompose_wavelengths_of(j, &j->emission), *ex = em ? decompose_wavelengths_of(j, &j->excitation) : NULL;
    out = ex ? hed_keep(hed_eem_remove_scatter(j->x, em, j->emission.axis, ex, j->excitation.axis, &j->scatter)) : NULL;
  }
  if (!out)
    return hed_error();
  hed_release(j->x);
  j->x = out;
  j->missing_nan = j->missing_nan || j->scatter.fill == HED_EEM_MASK;
  return HED_OK;
}
