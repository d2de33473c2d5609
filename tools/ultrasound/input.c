// SPDX-License-Identifier: BSD-3-Clause
/* From a file to channels, frames, an image and regions.
 *
 * Layer: L5.
 */
#include "job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t axis_number(long long k, int32_t ndim)
{
  return k >= -ndim && k < ndim ? (int32_t)((k + ndim) % ndim) : -1;
}

/* First value and distance of an axis in the file, which must be evenly spaced to a thousandth. */
static int even(const us_job *j, const hed_array *axis, const char *name, double *first, double *step)
{
  const int64_t n = hed_array_size(axis);
  double ends[2] = { 0 }, off = 0;
  if (n < 1 || hed_item(hed_index(axis, 0, 0), &ends[0]) != HED_OK || hed_item(hed_index(axis, 0, n - 1), &ends[1]) != HED_OK)
    return tool_fail(STATUS_INPUT, "'%s': no values along the axis %s of its scan", j->file, name);
  *first = ends[0];
  *step = n > 1 ? (ends[1] - ends[0]) / (double)(n - 1) : 1;
  hed_array *line = hed_linspace(ends[0], ends[1], n, hed_array_dtype(axis));
  const hed_status status = hed_item(hed_max(hed_abs(hed_subtract(axis, line)), NULL), &off);
  if (status != HED_OK)
    return tool_fail_status(status);
  if (*step > 0 && off < 1e-3 * *step)
    return 0;
  return tool_fail(STATUS_INPUT, "'%s': the axis %s of its scan does not rise evenly", j->file, name);
}

/* Raw channels of UFF are shown as they came: samples by channels of the first wave and frame. */
static hed_array *first_wave(const hed_array *x)
{
  const hed_array *y = x;
  while (hed_array_ndim(y) > 2)
    y = hed_index(y, 0, 0);
  return hed_array_ndim(y) == 2 ? hed_transpose(y, NULL) : hed_reshape(y, hed_array_shape(y));
}

/* Channels and frames as the options, or the file, say. */
static int divide(us_job *j)
{
  const hed_array *x = j->data.data;
  const int32_t ndim = hed_array_ndim(x);
  int32_t channels = -1, frames = -1;
  if (j->data.content == HED_US_CHANNELS && !j->channels_given && !j->frames_given) {
    j->rf = first_wave(x);
    return j->rf ? 0 : tool_fail_status(hed_error());
  }
  if (j->channels_given && (channels = axis_number(j->channels, ndim)) < 0)
    return tool_fail(STATUS_USAGE, "--axis %lld: the data has %d axes", j->channels, (int)ndim);
  if (j->frames_given && (frames = axis_number(j->frames, ndim)) < 0)
    return tool_fail(STATUS_USAGE, "--frames %lld: the data has %d axes", j->frames, (int)ndim);
  if (channels >= 0 && channels == frames)
    return tool_fail(STATUS_USAGE, "--axis and --frames are both axis %d", (int)channels);
  if (frames < 0 && j->data.content == HED_US_IMAGE && ndim == 3)
    frames = 0;
  const int64_t count = frames >= 0 ? hed_array_shape(x).dim[frames] : 1;
  if (j->frame >= count)
    return tool_fail(STATUS_USAGE, "--frame %lld: there are %lld", j->frame, (long long)count);
  hed_array *one = frames >= 0 ? hed_index(x, frames, j->frame) : hed_reshape(x, hed_array_shape(x)), *all = NULL;
  const hed_reduce sum = { .axes = HED_AXES(channels) };
  if (channels >= 0) {
    j->channel_axis = channels - (frames >= 0 && frames < channels);
    j->before = one;
    one = hed_sum(one, &(hed_reduce){ .axes = HED_AXES(j->channel_axis) });
    if (frames >= 0)
      all = hed_sum(x, &sum);
  } else if (frames >= 0)
    all = hed_reshape(x, hed_array_shape(x));
  j->series = all;
  j->frame_axis = frames - (channels >= 0 && channels < frames);
  j->rf = one;
  if (!one || (frames >= 0 && !all))
    return tool_fail_status(hed_error());
  if (hed_array_ndim(one) < 1 || hed_array_ndim(one) > 2)
    return tool_fail(STATUS_INPUT, "'%s': %d axes are left; --axis and --frames have to leave one or two", j->file,
        (int)hed_array_ndim(one));
  return 0;
}

/* Where elements of the image are. */
static int place(us_job *j)
{
  const hed_shape s = hed_array_shape(j->rf);
  const hed_us_data *d = &j->data;
  int code = 0;
  j->grid = (hed_us_grid){ s.dim[0], s.ndim == 2 ? s.dim[1] : 1, j->origin[0], j->origin[1], j->spacing[0], j->spacing[1] };
  j->unit = j->spacing_given ? "m" : "elements";
  if (j->spacing_given)
    return 0;
  if (d->z && d->x) {
    j->unit = "m";
    code = even(j, d->z, "z", &j->grid.z0, &j->grid.dz);
    return code ? code : even(j, d->x, "x", &j->grid.x0, &j->grid.dx);
  }
  if (d->rho && d->theta && !j->sector_given) {
    double step;
    j->sector_given = true;
    code = even(j, d->rho, "depth", &j->sector[0], &step);
    j->sector[1] = j->sector[0] + step * (double)(hed_array_size(d->rho) - 1);
    if (code == 0)
      code = even(j, d->theta, "azimuth", &j->sector[2], &step);
    j->sector[3] = j->sector[2] + step * (double)(hed_array_size(d->theta) - 1);
    j->sector[2] *= 57.29577951308232;
    j->sector[3] *= 57.29577951308232;
  }
  return code;
}

static int image_of(us_job *j)
{
  if (hed_array_ndim(j->rf) != 2)
    return 0;
  const bool complex = hed_dtype_kind(hed_array_dtype(j->rf)) == HED_KIND_COMPLEX;
  j->image = j->envelope || complex || j->data.content == HED_US_CHANNELS ? hed_us_envelope(j->rf, NULL) : hed_abs(j->rf);
  if (!j->image)
    return tool_fail_status(hed_error());
  if (!j->convert)
    return 0;
  if (!j->sector_given)
    return tool_fail(STATUS_USAGE, "--scan-convert: '%s' does not say its sector; --sector does", j->file);
  const double degree = 1 / 57.29577951308232;
  const hed_us_sector sector = { .rho = { j->sector[0], j->sector[1] }, .theta = { j->sector[2] * degree, j->sector[3] * degree },
                                 .fill_given = true };
  j->image = hed_us_scan_convert(j->image, &sector, &j->grid);
  j->unit = "m";
  return j->image ? 0 : tool_fail_status(hed_error());
}

/* N numbers separated by commas. */
static bool numbers(const char *text, int n, double *out)
{
  for (int i = 0; i < n; i++) {
    char *end;
    out[i] = strtod(text, &end);
    if (end == text || !isfinite(out[i]) || *end != (i + 1 < n ? ',' : '\0'))
      return false;
    text = end + 1;
  }
  return true;
}

static hed_array *places(int64_t n, double first, double step)
{
  return hed_add_scalar(hed_multiply_scalar(hed_arange_int(0, n, 1, HED_REAL), step), first);
}

static int region_of(const us_job *j, us_region *r)
{
  const hed_us_grid *g = &j->grid;
  double v[4];
  hed_array *z = places(g->nz, g->z0, g->dz), *x = places(g->nx, g->x0, g->dx);
  const char *colon = strchr(r->text, ':');
  const size_t kind = colon ? (size_t)(colon - r->text) : 0;
  if (kind == 6 && strncmp(r->text, "circle", kind) == 0 && numbers(colon + 1, 3, v))
    r->mask = hed_us_region_circle(z, x, v[0], v[1], v[2]);
  else if (kind == 4 && strncmp(r->text, "ring", kind) == 0 && numbers(colon + 1, 4, v))
    r->mask = hed_us_region_ring(z, x, v[0], v[1], v[2], v[3]);
  else if (kind == 4 && strncmp(r->text, "rect", kind) == 0 && numbers(colon + 1, 4, v))
    r->mask = hed_us_region_rectangle(z, x, v[0], v[1], v[2], v[3]);
  else if (!colon) {
    hed_array *file = hed_load_npy(r->text);
    r->mask = file ? hed_not_equal_scalar(file, 0) : NULL;
  } else
    return tool_fail(STATUS_USAGE, "--roi %s=%s: expected circle:Z,X,R, ring:Z,X,R0,R1, rect:Z0,Z1,X0,X1 or a file", r->name,
        r->text);
  if (!r->mask)
    return tool_fail_status(hed_error());
  const hed_shape m = hed_array_shape(r->mask);
  int64_t n;
  if (m.ndim != 2 || m.dim[0] != g->nz || m.dim[1] != g->nx)
    return tool_fail(STATUS_INPUT, "--roi %s: '%s' is not of the image's %lld x %lld elements", r->name, r->text,
        (long long)g->nz,
                     (long long)g->nx);
  if (hed_item_int(hed_count_nonzero(r->mask, NULL), &n) != HED_OK)
    return tool_fail_status(hed_error());
  return n > 0 ? 0 : tool_fail(STATUS_INPUT, "--roi %s: no element lies in it; the image is z %g to %g, x %g to %g (%s)",
      r->name, g->z0, g->z0 + g->dz * (double)(g->nz - 1), g->x0, g->x0 + g->dx * (double)(g->nx - 1), j->unit);
}

int us_job_read(us_job *j)
{
  const hed_status status = hed_us_read(j->file, j->object, &j->data);
  int code = status == HED_OK ? 0 : tool_fail_status(status);
  if (code == 0 && hed_array_size(j->data.data) == 0)
    code = tool_fail(STATUS_INPUT, "'%s': no elements", j->file);
  if (code == 0)
    code = divide(j);
  if (code == 0)
    code = place(j);
  if (code == 0)
    code = image_of(j);
  if (code == 0 && j->n_regions > 0 && !j->image)
    code = tool_fail(STATUS_USAGE, "--roi: '%s' is a line, not an image", j->file);
  for (int i = 0; i < j->n_regions && code == 0; i++)
    code = region_of(j, &j->region[i]);
  return code;
}
