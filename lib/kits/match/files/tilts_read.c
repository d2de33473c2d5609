// SPDX-License-Identifier: BSD-3-Clause
/* hed_tilts_read: which kind of file it is, and the kinds that are lines of numbers. The others: tilts.h.
 *
 * Layer: L4, match kit. IMOD's .tlt and .rawtlt: an angle a line. AreTomo's .tlt: angle, order of acquisition (from 0 or 1) and
 * dose of the exposure. IMOD's .defocus, versions 2 and 3: first and last view, first and last angle, defocus in nm and, in
 * version 3, a second one and the angle of astigmatism. SerialEM's .mdoc: blocks [ZValue = N] of KEY = VALUE lines.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include "kits/match/files/tilts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char op[] = "hed_tilts_read";
enum { MOST_TILTS = 100000, MOST_FIELDS = 16 };
static const uint64_t most_bytes = UINT64_C(1) << 26;

/* Lines of a file; a line without its end and its comment (#). */
typedef struct reader {
  const char *path, *p, *end;
  const char *s; /* the line */
  size_t n, line;
} reader;

static bool next_line(reader *r)
{
  while (r->p < r->end) {
    const char *newline = memchr(r->p, '\n', (size_t)(r->end - r->p)), *stop = newline ? newline : r->end;
    const char *comment = memchr(r->p, '#', (size_t)(stop - r->p));
    r->s = r->p;
    r->p = newline ? newline + 1 : r->end;
    r->line++;
    stop = comment ? comment : stop;
    while (r->s < stop && strchr(" \t\r", *r->s))
      r->s++;
    while (stop > r->s && strchr(" \t\r", stop[-1]))
      stop--;
    r->n = (size_t)(stop - r->s);
    if (r->n > 0)
      return true;
  }
  return false;
}

/* The numbers of a line; -1 after a sentence. */
static int fields(const reader *r, double v[MOST_FIELDS])
{
  int n = 0;
  char shown[40];
  for (const char *s = r->s, *end = r->s + r->n; s < end;) {
    size_t k = 0;
    while (s + k < end && !strchr(" \t,", s[k]))
      k++;
    if (n == MOST_FIELDS || !hed__parse_number(s, k, &v[n])) {
      (void)hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: '%s' is no number%s", op, r->path, r->line,
                     hed__printable(s, k, shown, sizeof shown), n == MOST_FIELDS ? ", or one too many" : "");
      return -1;
    }
    n++;
    s += k;
    while (s < end && strchr(" \t,", *s))
      s++;
  }
  return n;
}

/* Room for one tilt more in an array of T's. */
static hed_status append(const reader *r, double **array, size_t n, double value)
{
  if (n >= MOST_TILTS)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: more than %d tilts", op, r->path, r->line, MOST_TILTS);
  if ((n & (n - 1)) == 0) {
    double *more = realloc(*array, (n ? 2 * n : 1) * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu tilts of '%s'", op, n + 1, r->path);
    *array = more;
  }
  (*array)[n] = value;
  return HED_OK;
}

static hed_status check_angle(const reader *r, double angle)
{
  if (fabs(angle) < 90)
    return HED_OK;
  return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a tilt of %g degrees, not between -90 and 90", op, r->path, r->line, angle);
}

/* Of exposures in the order of their acquisition, what the specimen has got with each. */
static hed_status accumulate(const reader *r, hed_tilts *t, const double *order, const double *exposure)
{
  if (!(t->dose = calloc(t->n, sizeof *t->dose)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu tilts of '%s'", op, t->n, r->path);
  for (size_t i = 0; i < t->n; i++)
    for (size_t k = 0; k < t->n; k++)
      if (k == i || order[k] < order[i])
        t->dose[i] += exposure[k];
  return HED_OK;
}

/* One column of angles, or three of angle, order and exposure. */
static hed_status read_columns(reader *r, hed_tilts *t)
{
  double v[MOST_FIELDS], *order = NULL, *exposure = NULL;
  int columns = 0;
  hed_status status = HED_OK;
  while (status == HED_OK && next_line(r)) {
    const int n = fields(r, v);
    if (n < 0)
      status = hed_error();
    else if ((n != 1 && n != 3) || (columns && n != columns))
      status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d columns; %s", op, r->path, r->line, n,
                        columns ? "those before it had others" : "angles have 1, angle, order and exposure 3");
    columns = n;
    if (status == HED_OK && (status = check_angle(r, v[0])) == HED_OK)
      status = append(r, &t->angle, t->n, v[0]);
    if (status == HED_OK && n == 3 && !(v[2] >= 0))
      status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: an exposure of %g", op, r->path, r->line, v[2]);
    if (status == HED_OK && n == 3 && (status = append(r, &order, t->n, v[1])) == HED_OK)
      status = append(r, &exposure, t->n, v[2]);
    t->n += status == HED_OK;
  }
  if (status == HED_OK && columns == 3)
    status = accumulate(r, t, order, exposure);
  free(order);
  free(exposure);
  return status;
}

/* IMOD's defocus file; a line for each view or for a range of them, of which the angles' mean is taken. */
static hed_status read_defocus(reader *r, hed_tilts *t, const double first[MOST_FIELDS], int n_first)
{
  double v[MOST_FIELDS];
  const int version = n_first >= 6 && first[5] == 2 ? 2 : 3, want = version == 2 ? 5 : 7;
  bool have = version == 2;
  memcpy(v, first, sizeof v);
  for (int n = n_first; have || next_line(r); have = false) {
    if (!have && (n = fields(r, v)) < 0)
      return hed_error();
    if (n < want)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields; version %d has %d", op, r->path, r->line, n, version, want);
    hed_status status = check_angle(r, (v[2] + v[3]) / 2);
    if (status == HED_OK)
      status = append(r, &t->angle, t->n, (v[2] + v[3]) / 2);
    if (status == HED_OK)
      status = append(r, &t->defocus_u, t->n, 10 * v[4]);
    if (status == HED_OK && version == 3 && (status = append(r, &t->defocus_v, t->n, 10 * v[5])) == HED_OK)
      status = append(r, &t->astigmatism, t->n, v[6]);
    if (status != HED_OK)
      return status;
    t->n++;
  }
  return HED_OK;
}

/* "KEY = VALUE" */
static bool is_key(const reader *r, const char *key, const char **value, size_t *n)
{
  const size_t k = strlen(key);
  const char *s = r->s + k, *end = r->s + r->n;
  if (r->n <= k || strncmp(r->s, key, k) != 0)
    return false;
  while (s < end && strchr(" \t", *s))
    s++;
  if (s == end || *s != '=')
    return false;
  for (s++; s < end && strchr(" \t", *s); s++)
    continue;
  *value = s;
  *n = (size_t)(end - s);
  return true;
}

static hed_status number_of(const reader *r, const char *key, const char *value, size_t n, double *out)
{
  char shown[40];
  while (n > 0 && value[n - 1] == ']')
    n--;
  if (hed__parse_number(value, n, out))
    return HED_OK;
  return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is '%s', no number", op, r->path, r->line, key,
                  hed__printable(value, n, shown, sizeof shown));
}

/* Sections in the order of acquisition as SerialEM saves them, or sorted by angle with the order in DateTime, which is not
 * looked at: ZValue counts. */
static hed_status read_mdoc(reader *r, hed_tilts *t)
{
  double *order = NULL, *exposure = NULL, v;
  size_t doses = 0, sections = 0, defoci = 0;
  const char *value;
  size_t n;
  hed_status status = HED_OK;
  do {
    if (is_key(r, "[ZValue", &value, &n)) {
      if (sections > t->n)
        status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: the section before has no TiltAngle", op, r->path, r->line);
      if (status == HED_OK && (status = number_of(r, "ZValue", value, n, &v)) == HED_OK)
        status = append(r, &order, sections, v);
      sections++;
    } else if (sections > 0 && is_key(r, "TiltAngle", &value, &n)) {
      if (t->n >= sections)
        status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a second TiltAngle of a section", op, r->path, r->line);
      if (status == HED_OK && (status = number_of(r, "TiltAngle", value, n, &v)) == HED_OK && (status = check_angle(r, v)) == HED_OK)
        status = append(r, &t->angle, t->n, v);
      t->n += status == HED_OK;
    } else if (sections > 0 && is_key(r, "ExposureDose", &value, &n)) {
      if (doses >= sections)
        status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a second ExposureDose of a section", op, r->path, r->line);
      if (status == HED_OK && (status = number_of(r, "ExposureDose", value, n, &v)) == HED_OK)
        status = append(r, &exposure, doses, v);
      doses += status == HED_OK;
    } else if (sections > 0 && is_key(r, "Defocus", &value, &n)) {
      if (defoci >= sections)
        status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a second Defocus of a section", op, r->path, r->line);
      if (status == HED_OK && (status = number_of(r, "Defocus", value, n, &v)) == HED_OK)
        status = append(r, &t->defocus_u, defoci, -1e4 * v); /* micrometres, underfocus below 0 */
      defoci += status == HED_OK;
    } else if (sections == 0 && is_key(r, "Voltage", &value, &n)) {
      status = number_of(r, "Voltage", value, n, &t->kilovolt);
    }
  } while (status == HED_OK && next_line(r));
  if (status == HED_OK && sections != t->n)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has %zu sections and %zu tilt angles", op, r->path, sections, t->n);
  if (status == HED_OK && doses > 0 && doses != t->n)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has %zu sections and %zu doses", op, r->path, sections, doses);
  if (status == HED_OK && defoci > 0 && defoci != t->n)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has %zu sections and %zu defoci", op, r->path, sections, defoci);
  if (status == HED_OK && doses > 0)
    status = accumulate(r, t, order, exposure);
  free(order);
  free(exposure);
  return status;
}

/* CTFFIND's columns have no names but in the comments before them. */
static bool is_ctffind(const reader *r)
{
  const size_t n = r->end - r->p < 2000 ? (size_t)(r->end - r->p) : 2000;
  return n > 0 && *r->p == '#' && memmem(r->p, n, "defocus 1", 9);
}

static hed_status check_all(const hed__text *text, const hed_tilts *t)
{
  const double *const arrays[] = { t->angle, t->dose, t->defocus_u, t->defocus_v, t->astigmatism, t->phase_shift, t->weight };
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
    for (size_t i = 0; arrays[k] && i < t->n; i++)
      if ((k == 0 && !(fabs(arrays[k][i]) < 90)) || ((k == 1 || k == 6) && !(arrays[k][i] >= 0)))
        return hed_fail(HED_E_FORMAT, "%s: '%s': tilt %zu has %s of %g", text->op, text->path, i + 1,
                        k == 0 ? "an angle" : k == 1 ? "a dose" : "a weight", arrays[k][i]);
  return HED_OK;
}

/* By what the first line is. */
static hed_status read_any(reader *r, hed_tilts *t)
{
  double v[MOST_FIELDS];
  const reader start = *r;
  hed__text text = { .op = op, .path = r->path, .p = r->p, .end = r->end };
  hed_status (*read)(hed__text *, hed_tilts *) = is_ctffind(r) ? hed__tilts_ctffind : NULL;
  if (!next_line(r))
    return hed_fail(HED_E_FORMAT, "%s: '%s' is empty", op, r->path);
  if (*r->s == '<')
    read = hed__tilts_warp;
  else if (!read && (r->n >= 5 && memcmp(r->s, "data_", 5) == 0))
    read = hed__tilts_star;
  else if (!read && ((*r->s >= 'a' && *r->s <= 'z') || *r->s == '_') && !memchr(r->s, '=', r->n))
    read = hed__tilts_named;
  if (read) {
    const hed_status status = read(&text, t);
    return status == HED_OK ? check_all(&text, t) : status;
  }
  if (*r->s == '[' || memchr(r->s, '=', r->n))
    return read_mdoc(r, t);
  const int n = fields(r, v);
  if (n < 0)
    return hed_error();
  if (n >= 6)
    return v[5] == 2 || n == 6 ? read_defocus(r, t, v, n)
                               : hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %d fields, the sixth %g; a defocus file of version 2 "
                                          "or 3 is expected", op, r->path, r->line, n, v[5]);
  *r = start;
  return read_columns(r, t);
}

hed_status hed_tilts_join(hed_tilts *t, hed_tilts *more)
{
  if (!t || !more)
    return hed_fail(HED_E_INVAL, "hed_tilts_join: an argument is NULL");
  if (t->n != more->n)
    return hed_fail(HED_E_INVAL, "hed_tilts_join: one has %zu tilts, the other %zu", t->n, more->n);
  double **const arrays[] = { &t->angle, &t->dose, &t->defocus_u, &t->defocus_v, &t->astigmatism, &t->phase_shift };
  double **const others[] = { &more->angle, &more->dose, &more->defocus_u, &more->defocus_v, &more->astigmatism, &more->phase_shift };
  const bool defocus = !t->defocus_u; /* of one source, with all that belongs to it */
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    if (i < 2 ? !*arrays[i] : defocus) {
      free(*arrays[i]);
      *arrays[i] = *others[i];
      *others[i] = NULL;
    }
  if (!t->weight) {
    t->weight = more->weight;
    more->weight = NULL;
  }
  if (!t->use) {
    t->use = more->use;
    more->use = NULL;
  }
  t->kilovolt = t->kilovolt > 0 ? t->kilovolt : more->kilovolt;
  t->cs_mm = t->cs_mm > 0 ? t->cs_mm : more->cs_mm;
  t->amplitude_contrast = t->amplitude_contrast > 0 ? t->amplitude_contrast : more->amplitude_contrast;
  t->handedness = t->handedness ? t->handedness : more->handedness;
  hed_tilts_clear(more);
  return HED_OK;
}

hed_status hed_tilts_read(const char *path, hed_tilts *out)
{
  hed__c_locale locale = { 0 };
  hed_tilts t = { 0 };
  char *text = NULL;
  size_t n = 0;
  if (out)
    *out = (hed_tilts){ 0 };
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  hed_status status = hed__file_load(op, path, most_bytes, &text, &n);
  if (status == HED_OK && (status = hed__c_locale_enter(&locale, op)) == HED_OK) {
    reader r = { .path = path, .p = text, .end = text + n };
    status = read_any(&r, &t);
    hed__c_locale_leave(&locale);
  }
  free(text);
  if (status == HED_OK && t.n == 0)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no tilts", op, path);
  if (status == HED_OK)
    *out = t;
  else
    hed_tilts_clear(&t);
  return status;
}
