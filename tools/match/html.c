// SPDX-License-Identifier: BSD-3-Clause
/* The report of a search, one page that needs nothing beside it.
 *
 * Layer: L5. report.html is the page; here is what its script draws: sections as grey values, a histogram, and the summary.
 */
#include "job.h"
#include "tools/match/report_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 24, EDGE = 400, BINS = 140, THICK = 2 };

/* Extents, padded to three in front, and how many voxels are one of the page's along y and x. */
typedef struct frame { int64_t n[3], factor, width, height; bool volume; } frame;

static frame frame_of(const match_job *j)
{
  const hed_shape s = hed_array_shape(j->target.data);
  frame f = { .n = { 1, 1, 1 }, .volume = s.ndim == 3 };
  for (int i = 0; i < s.ndim; i++)
    f.n[3 - s.ndim + i] = s.dim[i];
  const int64_t edge = f.n[1] > f.n[2] ? f.n[1] : f.n[2];
  f.factor = (edge + EDGE - 1) / EDGE;
  f.height = (f.n[1] + f.factor - 1) / f.factor;
  f.width = (f.n[2] + f.factor - 1) / f.factor;
  return f;
}

static int by_value(const void *a, const void *b)
{
  const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return (p > q) - (p < q);
}

/* Sections through hits, as many as there may be, evenly among theirs; without hits evenly. */
static int choose_sections(const match_job *j, const frame *f, int64_t z[SECTIONS])
{
  int64_t *all = calloc(j->found.n + 1, sizeof *all);
  size_t n = 0, distinct = 0;
  int count = 0;
  for (size_t i = 0; all && i < j->found.n; i++)
    all[n++] = (int64_t)fmin(fmax(round(j->found.row[i].position[0]), 0), (double)(f->n[0] - 1));
  if (n)
    qsort(all, n, sizeof *all, by_value);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || all[i] != all[distinct - 1])
      all[distinct++] = all[i];
  for (int k = 0; k < SECTIONS && (size_t)k < distinct; k++)
    z[count++] = all[distinct <= SECTIONS ? (size_t)k : (size_t)k * (distinct - 1) / (SECTIONS - 1)];
  for (int k = 0; !distinct && k < SECTIONS && k < f->n[0]; k++)
    z[count++] = f->n[0] <= SECTIONS ? k : k * (f->n[0] - 1) / (SECTIONS - 1);
  free(all);
  return count;
}

static char *base64(const uint8_t *v, size_t n)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *out = malloc((n + 2) / 3 * 4 + 1), *to = out;
  for (size_t i = 0; out && i < n; i += 3) {
    const uint32_t three = (uint32_t)v[i] << 16 | (uint32_t)(i + 1 < n ? v[i + 1] : 0) << 8 | (i + 2 < n ? v[i + 2] : 0);
    for (int k = 0; k < 4; k++)
      *to++ = i + (size_t)k > n ? '=' : digits[three >> (18 - 6 * k) & 63];
  }
  if (out)
    *to = '\0';
  return out;
}

/* A section of V, the mean of up to five, in voxels of the page. */
static void average(const float *v, const frame *f, int64_t z, int64_t thick, float *out)
{
  const int64_t from = z - thick > 0 ? z - thick : 0, to = z + thick < f->n[0] - 1 ? z + thick : f->n[0] - 1;
  for (int64_t y = 0; y < f->height; y++)
    for (int64_t x = 0; x < f->width; x++) {
      double sum = 0;
      int64_t count = 0;
      for (int64_t k = from; k <= to; k++)
        for (int64_t b = y * f->factor; b < (y + 1) * f->factor && b < f->n[1]; b++)
          for (int64_t a = x * f->factor; a < (x + 1) * f->factor && a < f->n[2]; a++, count++)
            sum += v[(k * f->n[1] + b) * f->n[2] + a];
      out[y * f->width + x] = (float)(sum / (double)count);
    }
}

/* Grey values of V between LOW and HIGH. */
static void emit_grey(emit *e, const char *key, const float *v, size_t n, double low, double high, uint8_t *room)
{
  for (size_t i = 0; i < n; i++)
    room[i] = (uint8_t)(255 * fmin(fmax(high > low ? ((double)v[i] - low) / (high - low) : 0, 0), 1));
  char *text = base64(room, n);
  e->failed = e->failed || !text;
  emit_string(e, key, text ? text : "");
  free(text);
}

/* Three deviations about the mean. */
static void contrast(const float *v, size_t n, double *low, double *high)
{
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    sum += v[i];
  for (size_t i = 0; i < n; i++)
    squares += pow(v[i] - sum / (double)n, 2);
  const double mean = sum / (double)n, deviation = sqrt(squares / (double)n);
  *low = mean - 3 * deviation;
  *high = mean + 3 * deviation;
}

static hed_status emit_sections(emit *e, const match_job *j)
{
  const frame f = frame_of(j);
  const size_t n = (size_t)(f.width * f.height), all = (size_t)hed_array_size(j->result.scores);
  int64_t z[SECTIONS];
  const int count = choose_sections(j, &f, z);
  hed_array *single = hed_astype(j->target.data, HED_FLOAT32), *host = single ? hed_copy(single) : NULL;
  const float *target = host ? hed_array_data(host) : NULL, *scores = hed_array_data(j->result.scores);
  float *section = malloc(n * sizeof *section);
  uint8_t *grey = malloc(n);
  double low, high, top = -INFINITY, bottom = INFINITY;
  const hed_status status = target && section && grey ? HED_OK
                            : !target ? hed_error() : hed_fail(HED_E_NOMEM, "no memory for sections");
  for (size_t i = 0; i < all; i++) {
    top = fmax(top, scores[i]);
    bottom = fmin(bottom, scores[i]);
  }
  emit_array(e, "sections");
  for (int k = 0; k < count && status == HED_OK; k++) {
    emit_object(e, NULL);
    emit_int(e, "z", z[k]);
    average(target, &f, z[k], THICK, section);
    contrast(section, n, &low, &high);
    emit_grey(e, "target", section, n, low, high, grey);
    average(scores, &f, z[k], 0, section);
    emit_grey(e, "scores", section, n, fmax(bottom, 0), top, grey);
    emit_object_end(e);
  }
  emit_array_end(e);
  emit_int(e, "width", f.width);
  emit_int(e, "height", f.height);
  emit_int(e, "factor", f.factor);
  emit_bool(e, "volume", f.volume);
  hed_release(host);
  hed_release(single);
  free(section);
  free(grey);
  return status;
}

/* How many of the background's scores are expected above S, by the cut-off that so many false positives have. */
static double expected_above(const hed_match_result *r, double centre, double s)
{
  const double n = (double)r->n_scores;
  double low = log(1e-6), high = log(n / 2);
  if (!(r->sigma_robust > 0) || s <= centre)
    return n;
  for (int i = 0; i < 50; i++) {
    const double middle = (low + high) / 2;
    const bool above = hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, n, exp(middle)) + centre > s;
    *(above ? &low : &high) = middle;
  }
  return exp(low);
}

static void emit_histogram(emit *e, const match_job *j)
{
  const hed_match_result *r = j->strategy == MATCH_COARSE ? &j->stages.coarse : &j->result;
  const double cut = r == &j->result ? j->threshold : r->cutoff, centre = r->cutoff -
    hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, r->n_false_positives);
  const float *v = hed_array_data(r->scores);
  const int64_t n = hed_array_size(r->scores);
  double low = INFINITY, high = cut, counts[BINS] = { 0 };
  for (int64_t i = 0; i < n; i++)
    if (isfinite(v[i])) {
      low = fmin(low, v[i]);
      high = fmax(high, v[i]);
    }
  low = low < high ? low : high - 1;
  for (int64_t i = 0; i < n; i++)
    if (isfinite(v[i])) {
      const int bin = (int)((v[i] - low) / (high - low) * BINS);
      counts[bin < BINS ? bin : BINS - 1]++;
    }
  const double step = (high - low) / BINS;
  emit_object(e, "histogram");
  emit_number(e, "low", low);
  emit_number(e, "high", high);
  emit_number(e, "cutoff", cut);
  emit_number(e, "n_scores", (double)r->n_scores);
  emit_array(e, "counts");
  for (int i = 0; i < BINS; i++)
    emit_number(e, NULL, counts[i]);
  emit_array_end(e);
  emit_array(e, "expected");
  for (int i = 0; i < BINS; i++)
    emit_number(e, NULL, expected_above(r, centre, low + step * i) - expected_above(r, centre, low + step * (i + 1)));
  emit_array_end(e);
  emit_object_end(e);
}

/* '<' stands in strings alone, where it must not end the page's element. */
static bool print_data(FILE *f, const char *text, size_t n)
{
  for (size_t from = 0, to; from < n; from = to + 1) {
    for (to = from; to < n && text[to] != '<'; to++)
      ;
    if (fwrite(text + from, 1, to - from, f) != to - from || (to < n && fputs("\\u003c", f) < 0))
      return false;
  }
  return true;
}

hed_status match_html_write(const match_job *j, const char *path, const char *summary)
{
  const hed_shape t = hed_array_shape(j->tmpl.data);
  const char *slash = strrchr(j->target_path, '/');
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "name", j->tomogram ? j->tomogram : slash ? slash + 1 : j->target_path);
  emit_string(&e, "command", j->command);
  emit_number(&e, "radius", (double)t.dim[t.ndim - 1] / 2);
  emit_bool(&e, "stage", j->strategy == MATCH_COARSE);
  hed_status status = emit_sections(&e, j);
  emit_histogram(&e, j);
  emit_json(&e, "run", summary);
  emit_object_end(&e);
  FILE *f = NULL;
  bool written = status == HED_OK && emit_end(&e);
  if (status == HED_OK && !written)
    status = hed_fail(HED_E_NOMEM, "no memory for the report");
  if (status == HED_OK && !(f = fopen(path, "w")))
    status = hed_fail(HED_E_IO, "cannot write '%s'", path);
  for (size_t i = 0; f && written && i < sizeof report_page / sizeof report_page[0]; i++)
    written = strcmp(report_page[i], "@DATA@\n") == 0 ? print_data(f, e.text, e.n) : fputs(report_page[i], f) >= 0;
  if (f && (fclose(f) != 0 || !written))
    status = hed_fail(HED_E_IO, "cannot write '%s'", path);
  emit_drop(&e);
  return status;
}
