// SPDX-License-Identifier: BSD-3-Clause
/*
 * table_formats.c: particle tables of RELION (STAR) and Dynamo.
 *
 * Layer: L4, match kit. With F = Rz(phi) Ry(theta) Rz(psi) the matrix that takes the template to the particle, RELION's angles
 * describe its transpose, Rz(rot) Ry(tilt) Rz(psi'), so rot = 180 - psi, tilt = theta, psi' = 180 - phi. Dynamo's F is
 * Rz(-tdrot) Rx(-tilt) Rz(-narot), so tdrot = 90 - phi, tilt = theta, narot = -90 - psi.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include <heddle/kits/rotation.h>
#include <heddle/kits/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 128, TBL_COLUMNS = 41 };
static const uint64_t most_bytes = UINT64_C(1) << 30;

/* (-180, 180] */
static double wrapped(double degrees)
{
  const double d = fmod(degrees, 360);
  return d > 180 ? d - 360 : d <= -180 ? d + 360 : d + 0.0;
}

static double voxel_of(const hed_table_frame *frame, int axis)
{
  return frame && frame->voxel[axis] > 0 ? frame->voxel[axis] : 1;
}

static hed_status check(const char *op, const char *path, const hed_table *t, const hed_table_frame *frame)
{
  if (!path || !t || (!t->row && t->n > 0))
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "the table" : "path");
  if (frame && frame->tomogram && strpbrk(frame->tomogram, " \t\r\n\"'#"))
    return hed_fail(HED_E_INVAL, "%s: the tomogram's name '%.40s' has blanks, quotes or #", op, frame->tomogram);
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    for (int a = 0; a < 3; a++)
      if (!isfinite(r->position[a]) || !isfinite(r->euler[a]) || !isfinite(r->score))
        return hed_fail(HED_E_INVAL, "%s: row %zu for '%s' is not finite", op, i, path);
  }
  return HED_OK;
}

static void write_relion(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  static const char *const names[] = { "rlnTomoName", "rlnCoordinateX", "rlnCoordinateY", "rlnCoordinateZ", "rlnAngleRot",
                                       "rlnAngleTilt", "rlnAnglePsi", "rlnLCCmax", "rlnOpticsGroup" };
  const char *tomogram = frame && frame->tomogram ? frame->tomogram : "tomogram";
  hed_file_print(f, "\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n_rlnImagePixelSize #3\n");
  hed_file_print(f, "1\topticsGroup1\t%.9g\n\n", voxel_of(frame, 2));
  hed_file_print(f, "\ndata_particles\n\nloop_\n");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    hed_file_print(f, "_%s #%zu\n", names[i], i + 1);
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    hed_file_print(f, "%s\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t1\n", tomogram, r->position[2], r->position[1], r->position[0],
                   wrapped(180 - r->euler[2]), r->euler[1], wrapped(180 - r->euler[0]), r->score);
  }
  hed_file_print(f, "\n");
}

static void write_dynamo(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    double v[TBL_COLUMNS + 1] = { 0 }; /* counted from 1, as Dynamo does */
    v[1] = (double)(i + 1);
    v[2] = v[3] = 1;
    v[7] = wrapped(90 - r->euler[0]);
    v[8] = r->euler[1];
    v[9] = wrapped(-90 - r->euler[2]);
    v[10] = r->score;
    v[20] = v[22] = 1;
    for (int a = 0; a < 3; a++)
      v[24 + a] = r->position[2 - a] + 1;
    v[36] = voxel_of(frame, 2);
    for (int c = 1; c <= TBL_COLUMNS; c++)
      hed_file_print(f, "%s%.9g", c > 1 ? " " : "", v[c]);
    hed_file_print(f, "\n");
  }
}

hed_status hed_table_write_as(const char *path, const hed_table *t, int format, const hed_table_frame *frame)
{
  static const char op[] = "hed_table_write_as";
  hed__c_locale locale = { 0 };
  hed_file *f;
  if (format == HED_TABLE_TSV)
    return hed_table_write(path, t, NULL);
  if (format != HED_TABLE_RELION && format != HED_TABLE_DYNAMO)
    return hed_fail(HED_E_INVAL, "%s: format %d is none of hed_table_format", op, format);
  hed_status status = check(op, path, t, frame);
  if (status != HED_OK || (status = hed__c_locale_enter(&locale, op)) != HED_OK)
    return status;
  if ((status = hed_file_create(op, path, &f)) == HED_OK) {
    (format == HED_TABLE_RELION ? write_relion : write_dynamo)(f, t, frame);
    status = hed_file_close(f, HED_OK);
  }
  hed__c_locale_leave(&locale);
  return status;
}

/* ---- reading ---- */

/* A line's words; quotes keep blanks. */
typedef struct words { int n; const char *s[MOST_FIELDS]; size_t length[MOST_FIELDS]; } words;

typedef struct reader {
  const char *op, *path, *p, *end;
  size_t line;
  const hed_table_frame *frame;
} reader;

static hed_status split(const reader *r, const char *s, const char *end, words *w)
{
  w->n = 0;
  while (s < end) {
    while (s < end && strchr(" \t\r", *s))
      s++;
    if (s == end || *s == '#')
      return HED_OK;
    if (w->n == MOST_FIELDS)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has more than %d fields", r->op, r->path, r->line, MOST_FIELDS);
    const char quote = *s == '"' || *s == '\'' ? *s : '\0';
    const char *from = s + (quote != '\0'), *stop = from;
    while (stop < end && (quote ? *stop != quote : !strchr(" \t\r", *stop)))
      stop++;
    if (quote && stop == end)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a quote does not end", r->op, r->path, r->line);
    w->s[w->n] = from;
    w->length[w->n++] = (size_t)(stop - from);
    s = stop + (quote != '\0');
  }
  return HED_OK;
}

/* The next line that has words; false at the end or, with *STATUS, after a sentence. */
static bool next_words(reader *r, words *w, hed_status *status)
{
  *status = HED_OK;
  while (r->p < r->end) {
    const char *newline = memchr(r->p, '\n', (size_t)(r->end - r->p)), *stop = newline ? newline : r->end;
    r->line++;
    *status = split(r, r->p, stop, w);
    r->p = newline ? newline + 1 : r->end;
    if (*status != HED_OK || w->n > 0)
      return *status == HED_OK;
  }
  return false;
}

static bool is(const words *w, int i, const char *word)
{
  return w->length[i] == strlen(word) && memcmp(w->s[i], word, w->length[i]) == 0;
}

static hed_status number(const reader *r, const words *w, int i, const char *what, double *v)
{
  char shown[40];
  if (hed__parse_number(w->s[i], w->length[i], v))
    return HED_OK;
  return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is '%s', no number", r->op, r->path, r->line, what,
                  hed__printable(w->s[i], w->length[i], shown, sizeof shown));
}

/* A row at the end of T, its angles brought into their ranges. */
static hed_status add_row(const reader *r, hed_table *t, const double xyz[3], const double euler[3], double score)
{
  double matrix[9];
  if ((t->n & (t->n - 1)) == 0) {
    hed_table_row *more = realloc(t->row, (t->n ? 2 * t->n : 1) * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rows of '%s'", r->op, t->n + 1, r->path);
    t->row = more;
  }
  hed_table_row row = { .id = (int64_t)t->n + 1, .score = score };
  for (int a = 0; a < 3; a++) {
    row.position[a] = xyz[2 - a];
    row.angstrom[a] = (r->frame ? r->frame->origin[a] : 0) + voxel_of(r->frame, a) * row.position[a];
  }
  hed_rotation_from_euler(euler, matrix);
  hed_rotation_to_euler(matrix, row.euler);
  t->row[t->n++] = row;
  return HED_OK;
}

/* What is taken of a STAR loop; the first three must be there. */
static const char *const star_names[] = { "_rlnCoordinateX", "_rlnCoordinateY", "_rlnCoordinateZ", "_rlnAngleRot", "_rlnAngleTilt",
                                          "_rlnAnglePsi", "_rlnLCCmax" };
enum { STAR_NAMES = sizeof star_names / sizeof star_names[0] };

/* A loop from behind loop_, and what follows it in W; *FOUND: it was of particles. */
static hed_status read_loop(reader *r, hed_table *t, words *w, bool *more, bool *found)
{
  int column[STAR_NAMES], columns = 0;
  hed_status status;
  for (int i = 0; i < STAR_NAMES; i++)
    column[i] = -1;
  while ((*more = next_words(r, w, &status)) && *w->s[0] == '_') {
    for (int i = 0; i < STAR_NAMES; i++)
      if (is(w, 0, star_names[i]))
        column[i] = columns;
    columns++;
  }
  const bool ours = column[0] >= 0 || column[1] >= 0 || column[2] >= 0;
  for (int i = 0; ours && i < 3; i++)
    if (column[i] < 0)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: the loop has no %s", r->op, r->path, r->line, star_names[i] + 1);
  for (; *more && !is(w, 0, "loop_") && *w->s[0] != '_' && strncmp(w->s[0], "data_", 5) != 0; *more = next_words(r, w, &status)) {
    double v[STAR_NAMES] = { 0 };
    if (!ours)
      continue;
    if (w->n != columns)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields instead of %d", r->op, r->path, r->line, w->n, columns);
    for (int i = 0; i < STAR_NAMES; i++)
      if (column[i] >= 0 && (status = number(r, w, column[i], star_names[i] + 1, &v[i])) != HED_OK)
        return status;
    if ((status = add_row(r, t, v, (double[3]){ 180 - v[5], v[4], 180 - v[3] }, v[6])) != HED_OK)
      return status;
  }
  *found = *found || ours;
  return status;
}

static hed_status read_relion(reader *r, hed_table *t)
{
  words w;
  hed_status status;
  bool found = false, more = next_words(r, &w, &status);
  while (more && status == HED_OK)
    if (is(&w, 0, "loop_"))
      status = read_loop(r, t, &w, &more, &found);
    else
      more = next_words(r, &w, &status);
  if (status == HED_OK && !found)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no loop with rlnCoordinateX, Y and Z", r->op, r->path);
  return status;
}

static hed_status read_dynamo(reader *r, hed_table *t)
{
  static const int taken[] = { 4, 5, 6, 7, 8, 9, 10, 24, 25, 26 };
  words w;
  hed_status status;
  while (next_words(r, &w, &status)) {
    double v[32] = { 0 };
    char what[16];
    if (w.n < 26)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d columns; a table has 26 and more", r->op, r->path, r->line, w.n);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
      snprintf(what, sizeof what, "column %d", taken[i]);
      if ((status = number(r, &w, taken[i] - 1, what, &v[taken[i]])) != HED_OK)
        return status;
    }
    const double xyz[3] = { v[24] + v[4] - 1, v[25] + v[5] - 1, v[26] + v[6] - 1 };
    if ((status = add_row(r, t, xyz, (double[3]){ 90 - v[7], v[8], -90 - v[9] }, v[10])) != HED_OK)
      return status;
  }
  return status;
}

hed_status hed_table_read_as(const char *path, int format, const hed_table_frame *frame, hed_table *out)
{
  static const char op[] = "hed_table_read_as";
  hed__c_locale locale = { 0 };
  hed_table t = { 0 };
  char *text = NULL;
  size_t n = 0;
  if (format == HED_TABLE_TSV)
    return hed_table_read(path, out);
  if (out)
    *out = (hed_table){ 0 };
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  if (format != HED_TABLE_RELION && format != HED_TABLE_DYNAMO)
    return hed_fail(HED_E_INVAL, "%s: format %d is none of hed_table_format", op, format);
  hed_status status = hed__file_load(op, path, most_bytes, &text, &n);
  if (status == HED_OK && (status = hed__c_locale_enter(&locale, op)) == HED_OK) {
    reader r = { .op = op, .path = path, .p = text, .end = text + n, .frame = frame };
    status = format == HED_TABLE_RELION ? read_relion(&r, &t) : read_dynamo(&r, &t);
    hed__c_locale_leave(&locale);
  }
  free(text);
  if (status == HED_OK)
    *out = t;
  else
    hed_table_clear(&t);
  return status;
}
