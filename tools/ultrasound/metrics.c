// SPDX-License-Identifier: BSD-3-Clause
/* The metrics of `heddle ultrasound`, a row each.
 *
 * Layer: L5.
 */
#include "job.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(us_job *j, const char *metric, const char *region, double value, const char *unit)
{
  us_row *r = &j->row[j->n_rows];
  if (j->n_rows == US_ROWS)
    return;
  j->n_rows++;
  snprintf(r->metric, sizeof r->metric, "%s", metric);
  snprintf(r->region, sizeof r->region, "%s", region);
  r->value = value;
  r->unit = unit;
}

static hed_status add_item(us_job *j, const char *metric, const char *region, const hed_array *x, const char *unit)
{
  double value;
  const hed_status status = x ? hed_item(x, &value) : hed_error();
  if (status == HED_OK)
    add(j, metric, region, value, unit);
  return status;
}

/* The mean of a map over each region, or all of it. */
static hed_status means(us_job *j, const char *metric, const hed_array *map, const char *unit)
{
  const hed_shape s = hed_array_shape(map);
  const bool fits = !j->convert && s.ndim == 2 && s.dim[0] == j->grid.nz && s.dim[1] == j->grid.nx;
      /* not when the image was converted */
  hed_status status = map ? HED_OK : hed_error();
  for (int i = 0; i < j->n_regions && fits && status == HED_OK; i++)
    status = add_item(j, metric, j->region[i].name, hed_mean(hed_compress(map, j->region[i].mask), NULL), unit);
  if (status == HED_OK && (j->n_regions == 0 || !fits))
    status = add_item(j, metric, "all", hed_mean(map, NULL), unit);
  return status;
}

typedef struct metric metric;
struct metric {
  const char *name;
  enum { BEFORE, SERIES, PAIR, LINE_OR_PAIR, IMAGE, ANY, TARGET } needs;
  hed_status (*fn)(us_job *j, const metric *m);
};

static hed_status coherence(us_job *j, const metric *m)
{
  const hed_us_coherence opt = { .axis = HED_AXES(j->channel_axis), .m0 = (int32_t)j->m0 };
  hed_array *map = strcmp(m->name, "coherence_factor") == 0 ? hed_us_coherence_factor(j->before, &opt)
                 : strcmp(m->name, "generalized_coherence_factor") == 0 ? hed_us_generalized_coherence_factor(j->before, &opt)
                 : strcmp(m->name, "sign_coherence_factor") == 0 ? hed_us_sign_coherence_factor(j->before, &opt)
                                                               : hed_us_phase_coherence_factor(j->before, &opt);
  if (!j->map)
    j->map = map;
  return means(j, m->name, map, "");
}

static hed_status tsnr(us_job *j, const metric *m)
{
  return means(j, m->name, hed_us_tsnr(j->series, &(hed_us_time){ .axis = HED_AXES(j->frame_axis), .db = true }), "dB");
}

/* The first region against each of the others. */
static hed_status pairs(us_job *j, const metric *m)
{
  hed_status status = HED_OK;
  for (int i = 1; i < j->n_regions && status == HED_OK; i++) {
    const hed_us_region opt = { .inside_mask = j->region[0].mask, .outside_mask = j->region[i].mask, .bins = j->bins };
    hed_us_region db = opt;
    char names[80];
    db.db = true;
    snprintf(names, sizeof names, "%s/%s", j->region[0].name, j->region[i].name);
    const bool contrast = strcmp(m->name, "contrast") == 0, cnr = strcmp(m->name, "cnr") == 0;
    hed_array *r = contrast ? hed_us_contrast(j->image, j->image, &db) : cnr ? hed_us_cnr(j->image, j->image, &opt)
                                                                         : hed_us_gcnr(j->image, j->image, &opt);
    status = add_item(j, m->name, names, r, contrast ? "dB" : "");
  }
  return status;
}

static hed_status rf_snr(us_job *j, const metric *m)
{
  hed_us_ranges at;
  if (hed_array_ndim(j->rf) == 2) {
    hed_us_region opt = { .inside_mask = j->region[0].mask, .outside_mask = j->region[1].mask };
    char names[80];
    snprintf(names, sizeof names, "%s/%s", j->region[0].name, j->region[1].name);
    return add_item(j, m->name, names, hed_us_rf_snr(j->rf, j->rf, &opt), "dB");
  }
  const hed_status status = hed_us_find_signal_and_noise(j->rf, NULL, &at);
  if (status != HED_OK)
    return status;
  char names[80];
  snprintf(names, sizeof names, "[%lld,%lld)/[%lld,%lld)", (long long)at.signal[0], (long long)at.signal[1],
      (long long)at.noise[0],
           (long long)at.noise[1]);
  return add_item(j, m->name, names, hed_us_rf_snr(hed_slice(j->rf, 1, &HED_RANGE(at.signal[0], at.signal[1], 1)),
                                                   hed_slice(j->rf, 1, &HED_RANGE(at.noise[0], at.noise[1], 1)), NULL), "dB");
}

static hed_status tenengrad(us_job *j, const metric *m)
{
  hed_status status = HED_OK;
  for (int i = 0; i < j->n_regions && status == HED_OK; i++)
    status = add_item(j, m->name, j->region[i].name,
                      hed_us_tenengrad(j->image, &(hed_us_sharpness){ .roi = j->region[i].mask, .reduce = HED_US_MEAN }), "");
  return j->n_regions ? status : add_item(j, m->name, "all", hed_us_tenengrad(j->image,
      &(hed_us_sharpness){ .reduce = HED_US_MEAN }), "");
}

/* Series run along the samples, which lead. */
static hed_status clip_ratio(us_job *j, const metric *m)
{
  const hed_us_clip opt = { .method = HED_US_CLIP_MAX_AMPLITUDE, .axis = HED_AXES(0), .min_contiguous = 3, .runs_only = true };
  return add_item(j, m->name, "all", hed_us_clip_ratio(j->rf, &opt), "");
}

/* One row for each axis, of the target in each region. */
static hed_status target(us_job *j, const metric *m)
{
  static const char *const axes[2] = { "z", "x" };
  const double spacing[2] = { j->grid.dz, j->grid.dx };
  const bool width = strcmp(m->name, "fwhm") == 0;
  hed_status status = HED_OK;
  for (int i = 0; i < (j->n_regions ? j->n_regions : 1) && status == HED_OK; i++) {
    double v[2];
    const hed_us_psf opt = { .roi = j->n_regions ? j->region[i].mask : NULL, .axes = HED_AXES(0, 1), .spacing = spacing };
    status = width ? hed_us_fwhm(j->image, &opt, v) : hed_us_sll(j->image, &opt, v);
    for (int k = 0; k < 2 && status == HED_OK; k++) {
      char name[48];
      snprintf(name, sizeof name, "%s_%s", m->name, axes[k]);
      add(j, name, j->n_regions ? j->region[i].name : "all", v[k], width ? j->unit : "dB");
    }
  }
  return status;
}

static const metric metrics[] = {
  { "coherence_factor", BEFORE, coherence }, { "generalized_coherence_factor", BEFORE, coherence },
  { "sign_coherence_factor", BEFORE, coherence }, { "phase_coherence_factor", BEFORE, coherence },
  { "cnr", PAIR, pairs }, { "gcnr", PAIR, pairs }, { "contrast", PAIR, pairs },
  { "rf_snr", LINE_OR_PAIR, rf_snr }, { "tsnr", SERIES, tsnr },
  { "tenengrad", IMAGE, tenengrad }, { "clip_ratio", ANY, clip_ratio },
  { "fwhm", TARGET, target }, { "sll", TARGET, target },
};
enum { METRICS = sizeof metrics / sizeof *metrics };

const char *us_metric_name(int i)
{
  return i >= 0 && i < METRICS ? metrics[i].name : NULL;
}

/* What the data lacks for a metric; NULL: nothing. */
static const char *lack(const us_job *j, const metric *m)
{
  const bool line = hed_array_ndim(j->rf) == 1, same = !j->convert; /* regions are of the image's shape */
  switch (m->needs) {
  case BEFORE: return j->before ? NULL : "channels, which --axis names";
  case SERIES: return !j->series ? "frames, which --frames names" : NULL;
  case PAIR: return j->image && j->n_regions > 1 ? NULL : "an image and two regions, which --roi names";
  case LINE_OR_PAIR: return line || (same &&
      j->n_regions > 1) ? NULL : "a line, or two regions of an image that is not converted";
  case IMAGE: return j->image ? NULL : "an image";
  case TARGET: return j->image && j->grid.nz > 1 && j->grid.nx > 1 ? NULL : "an image of more than one row and column";
  default: return NULL;
  }
}

static bool asked(const char *list, const char *name)
{
  const size_t n = strlen(name);
  for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
    if (strcspn(p, ",") == n && strncmp(p, name, n) == 0)
      return true;
  return false;
}

/* Without a list all that the data allows: widths only without regions, as these are rarely around one target each. */
int us_job_measure(us_job *j)
{
  for (int i = 0; i < METRICS; i++) {
    const metric *m = &metrics[i];
    const char *missing = lack(j, m);
    if (j->metrics ? !asked(j->metrics, m->name) : missing || (m->needs == TARGET && j->n_regions))
      continue;
    if (missing)
      return tool_fail(STATUS_USAGE, "%s needs %s", m->name, missing);
    hed_error_clear();
    const hed_status status = m->fn(j, m);
    if (status == HED_E_INVAL && !j->metrics)
      (void)tool_fail(0, "no %s: %s", m->name, tool_reason());
    else if (status != HED_OK)
      return tool_fail_status(status);
    if (__atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED))
      return tool_fail(STATUS_INTERRUPTED, "interrupted; nothing was written");
  }
  return 0;
}
