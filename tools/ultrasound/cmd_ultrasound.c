// SPDX-License-Identifier: BSD-3-Clause
/* `heddle ultrasound`: metrics and pictures of channel data and images.
 *
 * Layer: L5. job.h says what is where.
 */
#include "tools/emit.h"
#include "tools/picture/plot.h"
#include "job.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEY_METRIC = 256, KEY_ROI, KEY_AXIS, KEY_FRAMES, KEY_FRAME, KEY_OBJECT, KEY_SPACING, KEY_ORIGIN, KEY_ENVELOPE, KEY_BMODE,
       KEY_RANGE, KEY_CONVERT, KEY_SECTOR, KEY_BINS, KEY_M0, KEY_JSON, KEY_FORCE, KEY_PICTURES };

static const struct argp_option options[] = {
  { "metric", KEY_METRIC, "NAME,..", 0, "Which metrics (all that the data allows)", 0 },
  { "roi", KEY_ROI, "NAME=WHERE", 0,
      "A region: circle:Z,X,R, ring:Z,X,R0,R1, rect:Z0,Z1,X0,X1 or a .npy mask; repeat it. Contrast is "
    "the first against each other one", 0 },
  { "axis", KEY_AXIS, "K", 0, "Channels are axis K: coherence, and their sum is the image", 0 },
  { "frames", KEY_FRAMES, "K", 0, "Frames are axis K", 0 },
  { "frame", KEY_FRAME, "N", 0, "The frame that is looked at (0)", 0 },
  { "object", KEY_OBJECT, "PATH", 0, "Which object of an HDF5 file (the first of UFF, else the first array)", 0 },
  { "spacing", KEY_SPACING, "DZ,DX", 0, "Metres between rows and columns (the file's, else elements)", 0 },
  { "origin", KEY_ORIGIN, "Z,X", 0, "Where the first element is, with --spacing (0,0)", 0 },
  { "envelope", KEY_ENVELOPE, NULL, 0, "Real data are radio frequency: take the envelope along the first axis", 0 },
  { "output", 'o', "PREFIX", 0, "Write pictures, and the map of coherence as .npy, under names that begin so", 0 },
  { "bmode", KEY_BMODE, "FILE", 0, "Write the B-mode picture alone, as .png, .svg or .pdf", 0 },
  { "dynamic-range", KEY_RANGE, "DB", 0, "Decibels that pictures show (60)", 0 },
  { "scan-convert", KEY_CONVERT, NULL, 0, "Rows are distances and columns angles: make an image of the sector", 0 },
  { "sector", KEY_SECTOR, "R0,R1,A0,A1", 0,
      "Metres of the first and last row, degrees of the first and last column (the file's)", 0 },
  { "bins", KEY_BINS, "N", 0, "Bins of gCNR (100)", 0 },
  { "m0", KEY_M0, "N", 0, "Frequencies of the generalized coherence factor (1)", 0 },
  { "json", KEY_JSON, NULL, 0, "Rows as JSON (heddle.ultrasound/1)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace files that exist", 0 },
  { "pictures", KEY_PICTURES, "png|svg|pdf", 0, "What pictures of --output are written as (png)", 0 },
  { 0 }
};

/* N finite numbers separated by commas. */
static void list(struct argp_state *state, const char *option, const char *text, int n, double *out)
{
  int used = 0;
  bool good = true;
  for (int i = 0; i < n && good; i++) {
    int length = 0;
    good = sscanf(text + used, i + 1 < n ? "%lf,%n" : "%lf%n", &out[i], &length) == 1 && length > 0 && isfinite(out[i]);
    used += length;
  }
  if (!good || text[used])
    argp_error(state, "%s: '%s' is not %d numbers separated by commas", option, text, n);
}

static void metric_list(struct argp_state *state, us_job *j, const char *text)
{
  if (strcmp(text, "all") == 0)
    return;
  for (const char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
    const int n = (int)strcspn(p, ",");
    bool known = false;
    for (int i = 0; us_metric_name(i); i++)
      known = known || (strlen(us_metric_name(i)) == (size_t)n && strncmp(p, us_metric_name(i), (size_t)n) == 0);
    if (!known) {
      char names[320] = "all", word[64];
      for (int i = 0; us_metric_name(i); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ",%s", us_metric_name(i));
      snprintf(word, sizeof word, "%.*s", n, p);
      tool_none(state, "--metric", word, names);
    }
  }
  j->metrics = text;
}

static void region(struct argp_state *state, us_job *j, const char *text)
{
  const char *equals = strchr(text, '=');
  us_region *r = &j->region[j->n_regions];
  const size_t n = equals ? (size_t)(equals - text) : 0;
  if (n == 0 || n >= sizeof r->name || !equals[1])
    argp_error(state, "--roi: '%s' is not NAME=WHERE", text);
  if (j->n_regions == US_REGIONS)
    argp_error(state, "--roi: more than %d regions", US_REGIONS);
  snprintf(r->name, sizeof r->name, "%.*s", (int)n, text);
  r->text = equals + 1;
  for (int i = 0; i < j->n_regions; i++)
    if (strcmp(j->region[i].name, r->name) == 0)
      argp_error(state, "--roi: two regions are called '%s'", r->name);
  j->n_regions++;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  us_job *j = state->input;
  switch (key) {
  case KEY_METRIC: metric_list(state, j, arg); return 0;
  case KEY_ROI: region(state, j, arg); return 0;
  case KEY_AXIS: j->channels = tool_integer(state, "--axis", arg, -HED_MAX_NDIM, HED_MAX_NDIM - 1); j->channels_given = true;
      return 0;
  case KEY_FRAMES: j->frames = tool_integer(state, "--frames", arg, -HED_MAX_NDIM, HED_MAX_NDIM - 1); j->frames_given = true;
      return 0;
  case KEY_FRAME: j->frame = tool_integer(state, "--frame", arg, 0, INT64_MAX); return 0;
  case KEY_OBJECT: j->object = arg; return 0;
  case KEY_SPACING:
    list(state, "--spacing", arg, 2, j->spacing);
    if (!(j->spacing[0] > 0 && j->spacing[1] > 0))
      argp_error(state, "--spacing: %s is not above 0", arg);
    j->spacing_given = true;
    return 0;
  case KEY_ORIGIN: list(state, "--origin", arg, 2, j->origin); return 0;
  case KEY_ENVELOPE: j->envelope = true; return 0;
  case 'o': j->prefix = arg; return 0;
  case KEY_BMODE: j->bmode = arg; return 0;
  case KEY_RANGE: j->dynamic_range = tool_number(state, "--dynamic-range", arg, 1, 400); return 0;
  case KEY_CONVERT: j->convert = true; return 0;
  case KEY_SECTOR: list(state, "--sector", arg, 4, j->sector); j->sector_given = true; return 0;
  case KEY_BINS: j->bins = tool_integer(state, "--bins", arg, 1, 1000000); return 0;
  case KEY_M0: j->m0 = tool_integer(state, "--m0", arg, 1, INT32_MAX); return 0;
  case KEY_JSON: j->json = true; return 0;
  case KEY_FORCE: j->force = true; return 0;
  case KEY_PICTURES: j->pictures = tool_word(state, "--pictures", arg, "png,svg,pdf"); return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 0)
      argp_error(state, "unexpected argument '%s'", arg);
    j->file = arg;
    return 0;
  case ARGP_KEY_END:
    if (!j->file)
      argp_error(state, "FILE is expected");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static int report(const us_job *j, const outputs *o, const char *backend)
{
  if (!j->json) {
    printf("%-30s  %-22s  %12s  %s\n", "metric", "region", "value", "unit");
    for (int i = 0; i < j->n_rows; i++)
      printf("%-30s  %-22s  %12.6g  %s\n", j->row[i].metric, j->row[i].region, j->row[i].value, j->row[i].unit);
    for (int i = 0; i < o->n; i++)
      printf("%s\n", o->final[i]);
    return 0;
  }
  const hed_shape s = hed_array_shape(j->data.data);
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.ultrasound/1");
  emit_string(&e, "version", hed_version());
  emit_string(&e, "backend", backend);
  emit_string(&e, "file", j->file);
  emit_string(&e, "object", j->data.name);
  emit_string(&e, "dtype", hed_dtype_name(hed_array_dtype(j->data.data)));
  emit_array(&e, "shape");
  for (int i = 0; i < s.ndim; i++)
    emit_int(&e, NULL, s.dim[i]);
  emit_array_end(&e);
  emit_array(&e, "rows");
  for (int i = 0; i < j->n_rows; i++) {
    emit_object(&e, NULL);
    emit_string(&e, "metric", j->row[i].metric);
    emit_string(&e, "region", j->row[i].region);
    emit_number(&e, "value", j->row[i].value);
    emit_string(&e, "unit", j->row[i].unit);
    emit_object_end(&e);
  }
  emit_array_end(&e);
  emit_array(&e, "files");
  for (int i = 0; i < o->n; i++)
    emit_string(&e, NULL, o->final[i]);
  emit_array_end(&e);
  emit_object_end(&e);
  return tool_emit(&e);
}

static int run_job(us_job *j, outputs *o, const char *backend)
{
  int code = us_job_read(j);
  if (code == 0)
    code = us_job_announce(j, o);
  if (code == 0)
    code = us_job_measure(j);
  if (code == 0 && j->prefix && !plot_available())
    (void)tool_fail(0, "no pictures: built without Cairo");
  if (code == 0 && o->n > 0) {
    hed_status status = outputs_open(o);
    if (status == HED_OK)
      status = us_job_write(j, o);
    code = status == HED_OK ? outputs_commit(o) : tool_fail_status(status);
  }
  return code ? code : report(j, o, backend);
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "FILE",
    .doc = "Metrics and pictures of ultrasound: channel data, images, series of frames, lines of radio-frequency data.\v"
           "FILE is .npy, or HDF5 (UFF too) where its library is there. Of an image rows are depth. Places are in metres with "
           "--spacing or a file that says them, else in elements."
  };
  us_job j = { .dynamic_range = 60, .spacing = { 1, 1 } };
  outputs o = { 0 };
  int code = tool_parse(&argp, argc, argv, &j);
  if (code)
    return code;
  tool_catch_signals();
  o.force = j.force;
  o.pictures = j.pictures;
  const char *backend = tool_backend(&code);
  if (!backend)
    return code;
  code = STATUS_MEMORY;
  HED_SCOPE_OR(code = tool_fail_status(hed_error())) {
    code = run_job(&j, &o, backend);
  }
  hed_us_data_clear(&j.data);
  outputs_close(&o);
  return code;
}

const tool_command cmd_ultrasound = { "ultrasound", "metrics and pictures of ultrasound", run_command };
