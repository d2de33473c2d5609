// SPDX-License-Identifier: BSD-3-Clause
/*
 * table_plain.c: tables that are lines of numbers: Dynamo's, pyTME's, and places alone.
 *
 * Layer: L4, match kit. Dynamo's F is Rz(-tdrot) Rx(-tilt) Rz(-narot), so tdrot = 90 - phi, tilt = theta, narot = -90 - psi.
 * pyTME's angles are RELION's.
 */
#include "kits/match/files/table_as.h"
#include <stdio.h>
#include <string.h>

enum { TBL_COLUMNS = 41 };
static const double nothing[3] = { 0, 0, 0 };

static void write_dynamo(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    double v[TBL_COLUMNS + 1] = { 0 }; /* counted from 1, as Dynamo does */
    v[1] = (double)(i + 1);
    v[2] = v[3] = 1;
    v[7] = hed__wrapped(90 - r->euler[0]);
    v[8] = r->euler[1];
    v[9] = hed__wrapped(-90 - r->euler[2]);
    v[10] = r->score;
    v[20] = v[22] = 1;
    for (int a = 0; a < 3; a++)
      v[24 + a] = r->position[2 - a] + 1;
    v[36] = hed__frame_voxel(frame, 2);
    for (int c = 1; c <= TBL_COLUMNS; c++)
      hed_file_print(f, "%s%.9g", c > 1 ? " " : "", v[c]);
    hed_file_print(f, "\n");
  }
}

static hed_status read_dynamo(hed__text *text, const hed_table_frame *frame, hed_table *t)
{
  static const int taken[] = { 4, 5, 6, 7, 8, 9, 10, 24, 25, 26 };
  hed__word w[HED__MOST_WORDS];
  hed_status status;
  int n;
  while (hed__next_words(text, w, &n, &status)) {
    double v[32] = { 0 };
    char what[16];
    if (n < 26)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d columns; a table has 26 and more", text->op, text->path, text->line, n);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
      snprintf(what, sizeof what, "column %d", taken[i]);
      if ((status = hed__word_number(text, &w[taken[i] - 1], what, &v[taken[i]])) != HED_OK)
        return status;
    }
    const double xyz[3] = { v[24] + v[4] - 1, v[25] + v[5] - 1, v[26] + v[6] - 1 };
    if ((status = hed__table_add(text, frame, t, xyz, (double[3]){ 90 - v[7], v[8], -90 - v[9] }, v[10])) != HED_OK)
      return status;
  }
  return status;
}

static const char *const pytme_names[] = { "x", "y", "z", "euler_x", "euler_y", "euler_z", "score" };
enum { PYTME = sizeof pytme_names / sizeof pytme_names[0] };

static void write_pytme(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  (void)frame;
  for (int i = 0; i < PYTME; i++)
    hed_file_print(f, "%s\t", pytme_names[i]);
  hed_file_print(f, "detail\n");
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    hed_file_print(f, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t-1\n", r->position[2], r->position[1], r->position[0],
                   hed__wrapped(180 - r->euler[2]), r->euler[1], hed__wrapped(180 - r->euler[0]), r->score);
  }
}

static hed_status read_pytme(hed__text *text, const hed_table_frame *frame, hed_table *t)
{
  hed__word w[HED__MOST_WORDS];
  int at[PYTME], n, columns;
  hed_status status;
  text->separators = "\t";
  if (!hed__next_words(text, w, &columns, &status))
    return status != HED_OK ? status : hed_fail(HED_E_FORMAT, "%s: '%s' is empty", text->op, text->path);
  for (int i = 0; i < PYTME; i++) {
    at[i] = -1;
    for (int c = 0; c < columns && at[i] < 0; c++)
      if (hed__word_is(&w[c], pytme_names[i]))
        at[i] = c;
    if (at[i] < 0 && i < 3)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has no column '%s'", text->op, text->path, text->line, pytme_names[i]);
  }
  while (hed__next_words(text, w, &n, &status)) {
    double v[PYTME] = { 0 };
    if (n != columns)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields instead of %d", text->op, text->path, text->line, n, columns);
    for (int i = 0; i < PYTME; i++)
      if (at[i] >= 0 && (status = hed__word_number(text, &w[at[i]], pytme_names[i], &v[i])) != HED_OK)
        return status;
    if ((status = hed__table_add(text, frame, t, v, (double[3]){ 180 - v[5], v[4], 180 - v[3] }, v[6])) != HED_OK)
      return status;
  }
  return status;
}

static void write_coordinates(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  (void)frame;
  for (size_t i = 0; i < t->n; i++)
    hed_file_print(f, "%.9g %.9g %.9g\n", t->row[i].position[2], t->row[i].position[1], t->row[i].position[0]);
}

/* The last three numbers of a line: IMOD's point text may have object and contour before them. */
static hed_status read_coordinates(hed__text *text, const hed_table_frame *frame, hed_table *t)
{
  hed__word w[HED__MOST_WORDS];
  hed_status status;
  double xyz[3];
  int n;
  while (hed__next_words(text, w, &n, &status)) {
    if (n < 3 || n > 5)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d columns; places have x, y and z, object and contour before them at "
                      "most", text->op, text->path, text->line, n);
    for (int i = 0; i < 3; i++)
      if ((status = hed__word_number(text, &w[n - 3 + i], i == 0 ? "x" : i == 1 ? "y" : "z", &xyz[i])) != HED_OK)
        return status;
    if ((status = hed__table_add(text, frame, t, xyz, nothing, 0)) != HED_OK)
      return status;
  }
  return status;
}

static void write_napari(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  (void)frame;
  hed_file_print(f, "index,axis-0,axis-1,axis-2\n");
  for (size_t i = 0; i < t->n; i++)
    hed_file_print(f, "%zu,%.9g,%.9g,%.9g\n", i, t->row[i].position[0], t->row[i].position[1], t->row[i].position[2]);
}

static hed_status read_napari(hed__text *text, const hed_table_frame *frame, hed_table *t)
{
  static const char *const names[] = { "axis-2", "axis-1", "axis-0" };
  hed__word w[HED__MOST_WORDS];
  double xyz[3];
  int n;
  hed_status status;
  text->separators = ",";
  if (!hed__next_words(text, w, &n, &status))
    return status != HED_OK ? status : hed_fail(HED_E_FORMAT, "%s: '%s' is empty", text->op, text->path);
  if (n < 4 || !hed__word_is(&w[0], "index") || !hed__word_is(&w[1], "axis-0") || !hed__word_is(&w[3], "axis-2"))
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu does not begin with index,axis-0,axis-1,axis-2", text->op, text->path,
         text->line);
  while (hed__next_words(text, w, &n, &status)) {
    if (n < 4)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields instead of 4", text->op, text->path, text->line, n);
    for (int i = 0; i < 3; i++)
      if ((status = hed__word_number(text, &w[3 - i], names[i], &xyz[i])) != HED_OK)
        return status;
    if ((status = hed__table_add(text, frame, t, xyz, nothing, 0)) != HED_OK)
      return status;
  }
  return status;
}

/* Markers are in the units of the map: angstrom. */
static void write_chimerax(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  hed_file_print(f, "<marker_set name=\"particles\">\n");
  for (size_t i = 0; i < t->n; i++) {
    double a[3];
    for (int k = 0; k < 3; k++)
      a[k] = (frame ? frame->origin[k] : 0) + hed__frame_voxel(frame, k) * t->row[i].position[k];
    hed_file_print(f, "<marker id=\"%zu\" x=\"%.9g\" y=\"%.9g\" z=\"%.9g\" r=\"1\" g=\"0.7\" b=\"0\" radius=\"%.9g\"/>\n", i + 1, a[2],
                   a[1], a[0], 2 * hed__frame_voxel(frame, 2));
  }
  hed_file_print(f, "</marker_set>\n");
}

static hed_status read_chimerax(hed__text *text, const hed_table_frame *frame, hed_table *t)
{
  static const char *const names[] = { "x", "y", "z" };
  hed__tag tag;
  hed__word value;
  hed_status status;
  bool any = false;
  while (hed__next_tag(text, &tag, &status)) {
    double xyz[3];
    any = any || hed__word_is(&tag.name, "marker_set");
    if (tag.closing || !hed__word_is(&tag.name, "marker"))
      continue;
    for (int i = 0; i < 3; i++) {
      if (!hed__attribute(&tag, names[i], &value))
        return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a marker without %s", text->op, text->path, tag.name.line, names[i]);
      if ((status = hed__word_number(text, &value, names[i], &xyz[i])) != HED_OK)
        return status;
      xyz[i] = (xyz[i] - (frame ? frame->origin[2 - i] : 0)) / hed__frame_voxel(frame, 2 - i);
    }
    if ((status = hed__table_add(text, frame, t, xyz, nothing, 0)) != HED_OK)
      return status;
  }
  return status == HED_OK && !any ? hed_fail(HED_E_FORMAT, "%s: '%s' has no marker_set", text->op, text->path) : status;
}

const hed__table_kind hed__table_dynamo = { write_dynamo, read_dynamo };
const hed__table_kind hed__table_pytme = { write_pytme, read_pytme };
const hed__table_kind hed__table_coordinates = { write_coordinates, read_coordinates };
const hed__table_kind hed__table_napari = { write_napari, read_napari };
const hed__table_kind hed__table_chimerax = { write_chimerax, read_chimerax };
