// SPDX-License-Identifier: BSD-3-Clause
/* What stands along the modes of a tensor that `heddle decompose` is given: values and their unit.
 *
 * Layer: L5. Wavelengths of --emission and --excitation are such values too, in nm and with a name.
 */
#include "job.h"
#include "tools/emit.h"
#include "tools/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char option[] = "--axis";

/* Printable text, in UTF-8, of at most so many bytes: it stands in pictures and in the first line of tables. */
enum { UNIT_BYTES = 40 };

static bool is_unit(const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  while (*s >= ' ' && *s != 0x7f && emit_utf8_length(s) > 0)
    s += emit_utf8_length(s);
  return *s == '\0' && strlen(text) <= UNIT_BYTES;
}

void decompose_parse_axis(decompose_job *j, struct argp_state *state, const char *text)
{
  char mode[8];
  const char *equals = strchr(text, '=');
  if (!equals || !equals[1] || (size_t)(equals - text) >= sizeof mode) {
    argp_error(state, "%s: '%s' is not MODE=FILE[:UNIT]", option, text);
    return;
  }
  snprintf(mode, sizeof mode, "%.*s", (int)(equals - text), text);
  const long long k = tool_integer(state, option, mode, 0, HED_MAX_NDIM - 1);
  decompose_axis *a = &j->axis[k];
  if (a->path)
    argp_error(state, "%s: mode %lld is named twice", option, k);
  const char *colon = strrchr(equals, ':'); /* units have slashes: the last colon stands before one */
  a->unit = colon ? colon + 1 : "";
  a->path = colon ? strndup(equals + 1, (size_t)(colon - equals - 1)) : strdup(equals + 1);
  if (!a->path)
    argp_error(state, "%s: no memory", option);
  if (a->path && !*a->path)
    argp_error(state, "%s: '%s' is not MODE=FILE[:UNIT]", option, text);
  if (!is_unit(a->unit))
    argp_error(state, "%s: the unit of mode %lld is no printable text of at most %d bytes", option, k, UNIT_BYTES);
}

void decompose_check_axes(const decompose_job *j, struct argp_state *state)
{
  const decompose_wavelengths *const both[] = { &j->emission, &j->excitation };
  for (int i = 0; i < 2; i++)
    if (both[i]->path && j->axis[both[i]->axis].path)
      argp_error(state, "%s: --%s says what stands along mode %d", option, i ? "excitation" : "emission", both[i]->axis);
}

int decompose_order(const decompose_job *j)
{
  return j->kind == KIND_PARAFAC2 ? 3 : j->x ? hed_array_ndim(j->x) : j->coo.shape.ndim;
}

int64_t decompose_extent(const decompose_job *j, int k)
{
  if (j->kind != KIND_PARAFAC2)
    return j->x ? hed_array_shape(j->x).dim[k] : j->coo.shape.dim[k];
  const int64_t first = k == 0 || j->n_slices < 1 || hed_array_ndim(j->slice[0]) != 2 ? j->n_slices
                                                                                      : hed_array_shape(j->slice[0]).dim[k - 1];
  for (int i = 1; k == 1 && i < j->n_slices; i++)
    if (hed_array_ndim(j->slice[i]) == 2 && hed_array_shape(j->slice[i]).dim[0] != first)
      return -1;
  return first;
}

/* Real numbers of a file in their order, along one axis. */
static hed_status read_values(const char *path, decompose_axis *a)
{
  const char *dot = strrchr(path, '.');
  number_table t = { 0 };
  hed_status status = HED_OK;
  if (!dot || strcmp(dot, ".npy") != 0) {
    status = number_table_read(path, NULL, TABLE_WITHOUT_CLASSES, &t);
    if (status == HED_OK && t.rows > 1 && t.columns > 1) {
      status = hed_fail(HED_E_SHAPE, "'%s' has %lld rows of %lld numbers; one a line, or one line of them, is expected", path,
                        (long long)t.rows, (long long)t.columns);
      number_table_clear(&t);
    }
    a->value = t.x;
    a->n = t.rows * t.columns;
    return status;
  }
  hed_array *x = decompose_load_npy(path);
  if (!x)
    return hed_error();
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  a->n = hed_array_size(x);
  for (int k = 0; k < hed_array_ndim(x); k++)
    if (hed_array_shape(x).dim[k] != a->n && hed_array_shape(x).dim[k] != 1)
      status = hed_fail(HED_E_SHAPE, "'%s' has %lld values along %d axes; one axis is expected", path, (long long)a->n,
                        hed_array_ndim(x));
  if (status == HED_OK && (a->n < 1 || kind == HED_KIND_COMPLEX || kind == HED_KIND_BOOL))
    status = hed_fail(HED_E_FORMAT, "'%s' has %lld values of %s; real numbers are expected", path, (long long)a->n,
                      hed_dtype_name(hed_array_dtype(x)));
  if (status == HED_OK && !(a->value = decompose_numbers(x)))
    status = hed_error() != HED_OK ? hed_error() : hed_fail(HED_E_NOMEM, "no memory for %lld values", (long long)a->n);
  for (int64_t i = 0; i < a->n && status == HED_OK; i++)
    if (!isfinite(a->value[i]))
      status = hed_fail(HED_E_INVAL, "'%s': value %lld is %g, not finite", path, (long long)i, a->value[i]);
  hed_release(x);
  return status;
}

/* Direction, and an origin where there is no room for all digits of the values. */
static void look_at(decompose_axis *a)
{
  bool up = true, down = true;
  double least = a->value[0], most = least;
  for (int64_t i = 1; i < a->n; i++) {
    up = up && a->value[i] > a->value[i - 1];
    down = down && a->value[i] < a->value[i - 1];
    least = fmin(least, a->value[i]);
    most = fmax(most, a->value[i]);
  }
  a->direction = up ? 1 : down ? -1 : 0;
  a->origin = most > least && most - least < 1e-5 * fmax(fabs(least), fabs(most)) ? least : 0;
}

hed_array *decompose_wavelengths_of(const decompose_job *j, const decompose_wavelengths *w)
{
  const decompose_axis *a = &j->axis[w->axis];
  return hed_from_doubles(a->value, HED_SHAPE(a->n), HED_FLOAT64);
}

/* The values of --emission or --excitation, unless the mode has some. */
static hed_status take_wavelengths(decompose_job *j, const decompose_wavelengths *w, const char *name)
{
  decompose_axis *a = &j->axis[w->axis];
  if (!w->path || a->path)
    return HED_OK;
  a->name = name;
  a->unit = "nm";
  return (a->path = strdup(w->path)) ? HED_OK : hed_fail(HED_E_NOMEM, "no memory for a name");
}

hed_status decompose_read_axes(decompose_job *j)
{
  hed_status status = take_wavelengths(j, &j->emission, "emission");
  const int order = decompose_order(j);
  if (status == HED_OK)
    status = take_wavelengths(j, &j->excitation, "excitation");
  for (int k = 0; k < HED_MAX_NDIM && status == HED_OK; k++) {
    decompose_axis *a = &j->axis[k];
    const char *said = !a->name ? "axis" : a->name;
    if (!a->path)
      continue;
    if (k >= order)
      return hed_fail(HED_E_AXIS, "--%s: mode %d of '%s', a tensor of order %d: its modes are 0 to %d", said, k, j->path, order,
                      order - 1);
    const int64_t n = decompose_extent(j, k);
    if (n < 0)
      return hed_fail(HED_E_SHAPE, "--%s: mode %d of '%s' has other numbers of rows from slice to slice", said, k, j->path);
    status = read_values(a->path, a);
    if (status == HED_OK && a->n != n)
      return hed_fail(HED_E_SHAPE, "--%s: '%s' has %lld values; mode %d of '%s' has %lld slices", said, a->path, (long long)a->n, k,
                      j->path, (long long)n);
    if (status == HED_OK)
      look_at(a);
  }
  return status;
}

void decompose_axis_title(const decompose_job *j, int k, bool picture, char *text, size_t room)
{
  const decompose_axis *a = &j->axis[k];
  char name[16], origin[32] = "";
  if (a->name)
    snprintf(name, sizeof name, "%s", a->name);
  else
    snprintf(name, sizeof name, "mode %d", k);
  if (picture && a->origin != 0)
    snprintf(origin, sizeof origin, " %c %.15g", a->origin < 0 ? '+' : '-', fabs(a->origin));
  if (!a->value)
    snprintf(text, room, "%s: index", name);
  else
    snprintf(text, room, *a->unit ? "%s%s (%s)" : "%s%s", name, origin, a->unit);
}

void decompose_print_axes(const decompose_job *j)
{
  static const char *const words[] = { "falling", "neither rising nor falling: points, and maps by index", "rising" };
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    const decompose_axis *a = &j->axis[k];
    if (a->value)
      printf("axis %d: %lld values, %.12g to %.12g%s%s, %s\n", k, (long long)a->n, a->value[0], a->value[a->n - 1],
             *a->unit ? " " : "", a->unit, words[a->direction + 1]);
  }
}

void decompose_emit_axes(const decompose_job *j, emit *e)
{
  static const char *const words[] = { "falling", "none", "rising" };
  emit_array(e, "axes");
  for (int k = 0; k < HED_MAX_NDIM; k++)
    if (j->axis[k].value) {
      emit_object(e, NULL);
      emit_int(e, "mode", k);
      emit_string(e, "file", j->axis[k].path);
      emit_string(e, "unit", j->axis[k].unit);
      emit_string(e, "direction", words[j->axis[k].direction + 1]);
      emit_object_end(e);
    }
  emit_array_end(e);
}

void decompose_axes_clear(decompose_job *j)
{
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    free(j->axis[k].path);
    free(j->axis[k].value);
  }
}
