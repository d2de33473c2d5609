// SPDX-License-Identifier: BSD-3-Clause
/* Tilt series in STAR files, and in tables whose columns have names.
 *
 * Layer: L4, match kit. RELION 5: a tilt series has a row per tilt (rlnTomoNominalStageTiltAngle); a list of tomograms names such
 * a file. Warp's .tomostar: wrpAngleTilt, of the other sign than here. STOPGAP's wedge list: defocus in micrometres.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include "kits/match/files/tilts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

hed_status hed__tilts_array(const hed__text *text, const hed_tilts *t, double **array)
{
  if ((*array = calloc(t->n + 1, sizeof **array)))
    return HED_OK;
  return hed_fail(HED_E_NOMEM, "%s: no memory for %zu tilts of '%s'", text->op, t->n, text->path);
}

/* A column, times FACTOR, into an array that is made; nothing where there is no such column. */
static hed_status take(const hed__star *s, const hed__star_loop *l, const hed_tilts *t, const char *name, double factor,
     double **array)
{
  hed_status status = HED_OK;
  if (hed__star_column(l, name) < 0 || *array)
    return HED_OK;
  status = hed__tilts_array(s->text, t, array);
  for (size_t i = 0; i < t->n && status == HED_OK; i++) {
    status = hed__star_value(s, l, i, name, 0, &(*array)[i]);
    (*array)[i] *= factor;
  }
  return status;
}

static hed_status number(const hed__star *s, const hed__star_loop *l, const char *name, double *v)
{
  double x = *v;
  const hed_status status = l->rows ? hed__star_value(s, l, 0, name, *v, &x) : HED_OK;
  *v = x;
  return status;
}

/* What holds for a whole series. */
static hed_status constants(const hed__star *s, const hed__star_loop *l, hed_tilts *t)
{
  double hand = t->handedness;
  hed_status status = number(s, l, "rlnVoltage", &t->kilovolt);
  if (status == HED_OK)
    status = number(s, l, "rlnSphericalAberration", &t->cs_mm);
  if (status == HED_OK)
    status = number(s, l, "rlnAmplitudeContrast", &t->amplitude_contrast);
  if (status == HED_OK)
    status = number(s, l, "rlnTomoHand", &hand);
  t->handedness = hand < 0 ? -1 : hand > 0 ? 1 : 0;
  return status;
}

static hed_status relion_series(const hed__star *s, const hed__star_loop *l, hed_tilts *t)
{
  t->n = l->rows;
  hed_status status = take(s, l, t, "rlnTomoNominalStageTiltAngle", 1, &t->angle);
  if (status == HED_OK)
    status = take(s, l, t, "rlnMicrographPreExposure", 1, &t->dose);
  if (status == HED_OK)
    status = take(s, l, t, "rlnDefocusU", 1, &t->defocus_u);
  if (status == HED_OK)
    status = take(s, l, t, "rlnDefocusV", 1, &t->defocus_v);
  if (status == HED_OK)
    status = take(s, l, t, "rlnDefocusAngle", 1, &t->astigmatism);
  if (status == HED_OK)
    status = take(s, l, t, "rlnPhaseShift", pi / 180, &t->phase_shift);
  return status == HED_OK ? constants(s, l, t) : status;
}

/* The series that the only tomogram of a list names: a path from here, or from where the list lies. */
static hed_status relion_list(const hed__star *s, const hed__star_loop *l, hed_tilts *t)
{
  const hed__text *text = s->text;
  char path[4096];
  char *more = NULL;
  size_t n = 0;
  if (l->rows != 1)
    return hed_fail(HED_E_FORMAT, "%s: '%s' lists %zu tomograms; the file of one's tilt series is expected", text->op, text->path,
                    l->rows);
  const hed__word *w = &l->cell[hed__star_column(l, "rlnTomoTiltSeriesStarFile")];
  const char *slash = strrchr(text->path, '/');
  hed_status status = constants(s, l, t);
  snprintf(path, sizeof path, "%.*s", (int)(w->n < 4000 ? w->n : 4000), w->s);
  if (status == HED_OK && (status = hed__file_load(text->op, path, UINT64_C(1) << 26, &more, &n)) == HED_E_IO && slash) {
    hed_error_clear();
    snprintf(path, sizeof path, "%.*s/%.*s", (int)(slash - text->path < 2000 ? slash - text->path : 2000), text->path,
             (int)(w->n < 2000 ? w->n : 2000), w->s);
    status = hed__file_load(text->op, path, UINT64_C(1) << 26, &more, &n);
  }
  if (status != HED_OK)
    return status;
  hed__text inner = { .op = text->op, .path = path, .p = more, .end = more + n };
  hed__star series;
  if ((status = hed__star_read(&inner, &series)) == HED_OK) {
    const hed__star_loop *rows = hed__star_find(&series, "rlnTomoNominalStageTiltAngle");
    status = rows ? relion_series(&series, rows, t)
                  : hed_fail(HED_E_FORMAT, "%s: '%s' has no rlnTomoNominalStageTiltAngle", text->op, path);
    hed__star_clear(&series);
  }
  free(more);
  return status;
}

static hed_status warp_series(const hed__star *s, const hed__star_loop *l, hed_tilts *t)
{
  t->n = l->rows;
  const hed_status status = take(s, l, t, "wrpAngleTilt", -1, &t->angle);
  return status == HED_OK ? take(s, l, t, "wrpDose", 1, &t->dose) : status;
}

static hed_status stopgap_series(const hed__star *s, const hed__star_loop *l, hed_tilts *t)
{
  const double micrometres = 1e4;
  double first = 0, other;
  hed_status status = HED_OK;
  t->n = l->rows;
  for (size_t i = 0; i < l->rows && status == HED_OK; i++) {
    status = hed__star_value(s, l, i, "tomo_num", 0, i ? &other : &first);
    if (status == HED_OK && i && (other > first || other < first))
      status = hed_fail(HED_E_FORMAT, "%s: '%s' has tomograms %g and %g; a wedge list of one is expected", s->text->op, s->text->path,
                        first, other);
  }
  if (status == HED_OK)
    status = take(s, l, t, "tilt_angle", 1, &t->angle);
  if (status == HED_OK)
    status = take(s, l, t, "exposure", 1, &t->dose);
  if (status == HED_OK)
    status = take(s, l, t, "defocus1", micrometres, &t->defocus_u);
  if (status == HED_OK)
    status = take(s, l, t, "defocus2", micrometres, &t->defocus_v);
  if (status == HED_OK)
    status = take(s, l, t, "defocus", micrometres, &t->defocus_u);
  if (status == HED_OK)
    status = take(s, l, t, "astig_ang", 1, &t->astigmatism);
  if (status == HED_OK)
    status = take(s, l, t, "pshift", pi / 180, &t->phase_shift);
  if (status == HED_OK)
    status = number(s, l, "voltage", &t->kilovolt);
  if (status == HED_OK)
    status = number(s, l, "cs", &t->cs_mm);
  return status == HED_OK ? number(s, l, "amp_contrast", &t->amplitude_contrast) : status;
}

hed_status hed__tilts_star(hed__text *text, hed_tilts *t)
{
  static const struct { const char *column; hed_status (*read)(const hed__star *, const hed__star_loop *, hed_tilts *); } kinds[] = {
    { "rlnTomoNominalStageTiltAngle", relion_series }, { "rlnTomoTiltSeriesStarFile", relion_list }, { "wrpAngleTilt", warp_series },
    { "tilt_angle", stopgap_series },
  };
  const hed__star_loop *l = NULL;
  hed__star s;
  hed_status status = hed__star_read(text, &s);
  if (status != HED_OK)
    return status;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !l; i++)
    if ((l = hed__star_find(&s, kinds[i].column)) != NULL)
      status = kinds[i].read(&s, l, t);
  if (!l)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no rlnTomoNominalStageTiltAngle, wrpAngleTilt or tilt_angle", text->op, text->path);
  hed__star_clear(&s);
  return status;
}

hed_status hed__tilts_named(hed__text *text, hed_tilts *t)
{
  struct { const char *name; double **array; } const columns[] = {
    { "angles", &t->angle }, { "dose", &t->dose }, { "defocus_u", &t->defocus_u }, { "defocus_v", &t->defocus_v },
    { "astigmatism", &t->astigmatism }, { "phase_shift", &t->phase_shift }, { "weights", &t->weight },
  };
  enum { COLUMNS = sizeof columns / sizeof columns[0] };
  hed__word w[HED__MOST_WORDS];
  char shown[40];
  int n, names, column[HED__MOST_WORDS];
  hed_status status;
  if (!hed__next_words(text, w, &names, &status))
    return status;
  for (int i = 0; i < names; i++) {
    column[i] = -1;
    for (int c = 0; c < COLUMNS; c++)
      if (hed__word_is(&w[i], columns[c].name))
        column[i] = c;
    if (column[i] < 0)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: '%s' is no column of a tilt series (angles, weights, dose, defocus_u, "
                      "defocus_v, astigmatism, phase_shift) nor a number", text->op, text->path, text->line,
                      hed__printable(w[i].s, w[i].n, shown, sizeof shown));
  }
  const hed__text start = *text;
  while (hed__next_words(text, w, &n, &status))
    t->n++;
  for (int i = 0; i < names && status == HED_OK; i++)
    if (!*columns[column[i]].array)
      status = hed__tilts_array(text, t, columns[column[i]].array);
  *text = start;
  for (size_t k = 0; status == HED_OK && hed__next_words(text, w, &n, &status); k++) {
    if (n != names)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields instead of %d", text->op, text->path, text->line, n, names);
    for (int i = 0; i < n && status == HED_OK; i++)
      status = hed__word_number(text, &w[i], columns[column[i]].name, &(*columns[column[i]].array)[k]);
  }
  return status;
}
