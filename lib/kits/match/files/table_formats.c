// SPDX-License-Identifier: BSD-3-Clause
/* The columns of each format, and a row from the words of a line.
 *
 * Layer: L4, match kit. RELION's angles describe the transpose, Rz(rot) Ry(tilt) Rz(psi') = F^T, so rot = 180 - psi, tilt = theta,
 * psi' = 180 - phi; pyTME's are the same. STOPGAP's F is Rz(psi') Rx(the) Rz(phi'), so psi' = phi + 90, the = theta, phi' = psi - 90.
 * Dynamo's is Rz(-tdrot) Rx(-tilt) Rz(-narot), so tdrot = 90 - phi, tilt = theta, narot = -90 - psi.
 */
#include "kits/match/files/table_formats.h"
#include "kits/match/files/fileio.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hed__column tsv[] = {
  { "id", HED__ID, HED__WRITTEN, 0, 0, NULL }, { "z", HED__Z, HED__NEEDED, 0, 0, NULL }, { "y", HED__Y, HED__NEEDED, 0, 0, NULL },
  { "x", HED__X, HED__NEEDED, 0, 0, NULL }, { "z_angstrom", HED__Z_ANGSTROM, HED__WRITTEN, 0, 0, NULL },
  { "y_angstrom", HED__Y_ANGSTROM, HED__WRITTEN, 0, 0, NULL }, { "x_angstrom", HED__X_ANGSTROM, HED__WRITTEN, 0, 0, NULL },
  { "phi", HED__PHI, HED__WRITTEN, 0, 0, NULL }, { "theta", HED__THETA, HED__WRITTEN, 0, 0, NULL },
  { "psi", HED__PSI, HED__WRITTEN, 0, 0, NULL }, { "score", HED__SCORE, HED__WRITTEN, 0, 0, NULL },
  { "tomogram", HED__TOMOGRAM, HED__AS_SAID, 0, 0, NULL }, { 0 }
};

#define RELION_ANGLES                                                                                                             \
  { "rlnAngleRot", HED__PSI, HED__WRITTEN, -1, 180, NULL }, { "rlnAngleTilt", HED__THETA, HED__WRITTEN, 0, 0, NULL },             \
  { "rlnAnglePsi", HED__PHI, HED__WRITTEN, -1, 180, NULL }, { "rlnLCCmax", HED__SCORE, HED__WRITTEN, 0, 0, NULL },                \
  { "rlnOpticsGroup", HED__TEXT, HED__DEFAULT, 0, 0, "1" },                                                                       \
  { "rlnTomoSubtomogramRot", HED__BOX_PSI, HED__ONCE_READ, -1, 180, NULL },                                                       \
  { "rlnTomoSubtomogramTilt", HED__BOX_THETA, HED__ONCE_READ, 0, 0, NULL },                                                       \
  { "rlnTomoSubtomogramPsi", HED__BOX_PHI, HED__ONCE_READ, -1, 180, NULL },                                                       \
  { "rlnOriginXAngst", HED__X_SHIFT_ANGSTROM, HED__ONCE_READ, -1, 0, NULL },                                                      \
  { "rlnOriginYAngst", HED__Y_SHIFT_ANGSTROM, HED__ONCE_READ, -1, 0, NULL },                                                      \
  { "rlnOriginZAngst", HED__Z_SHIFT_ANGSTROM, HED__ONCE_READ, -1, 0, NULL },                                                      \
  { "rlnOriginX", HED__X_SHIFT, HED__ONCE_READ, -1, 0, NULL }, { "rlnOriginY", HED__Y_SHIFT, HED__ONCE_READ, -1, 0, NULL },       \
  { "rlnOriginZ", HED__Z_SHIFT, HED__ONCE_READ, -1, 0, NULL },                                                                    \
  { "rlnAutopickFigureOfMerit", HED__SCORE, HED__ONCE_READ, 0, 0, NULL },                                                         \
  { "pytmeScore", HED__SCORE, HED__ONCE_READ, 0, 0, NULL }, { "rlnMicrographName", HED__TOMOGRAM, HED__KEPT, 0, 0, NULL },        \
  { "rlnTomoTiltSeriesPixelSize", HED__VOXEL, HED__KEPT, 0, 0, NULL }

static const hed__column relion[] = {
  { "rlnTomoName", HED__TOMOGRAM, HED__WRITTEN, 0, 0, NULL }, { "rlnCoordinateX", HED__X, HED__NEEDED, 0, 0, NULL },
  { "rlnCoordinateY", HED__Y, HED__NEEDED, 0, 0, NULL }, { "rlnCoordinateZ", HED__Z, HED__NEEDED, 0, 0, NULL }, RELION_ANGLES,
  { "rlnImagePixelSize", HED__VOXEL, HED__KEPT, 0, 0, NULL }, { "rlnPixelSize", HED__VOXEL, HED__KEPT, 0, 0, NULL },
  { "rlnDetectorPixelSize", HED__VOXEL, HED__KEPT, 0, 0, NULL }, { 0 }
};

static const hed__column relion5[] = {
  { "rlnTomoName", HED__TOMOGRAM, HED__WRITTEN, 0, 0, NULL }, { "rlnCenteredCoordinateXAngst", HED__X, HED__NEEDED, 0, 0, NULL },
  { "rlnCenteredCoordinateYAngst", HED__Y, HED__NEEDED, 0, 0, NULL },
  { "rlnCenteredCoordinateZAngst", HED__Z, HED__NEEDED, 0, 0, NULL }, RELION_ANGLES, { 0 }
};

static const hed__column stopgap[] = {
  { "motl_idx", HED__ID, HED__WRITTEN, 0, 0, NULL }, { "tomo_num", HED__NUMBER, HED__WRITTEN, 0, 0, NULL },
  { "object", HED__TEXT, HED__DEFAULT, 0, 0, "1" }, { "subtomo_num", HED__INDEX, HED__DEFAULT, 1, 1, NULL },
  { "halfset", HED__TEXT, HED__DEFAULT, 0, 0, "A" }, { "orig_x", HED__X, HED__NEEDED, 1, 1, NULL },
  { "orig_y", HED__Y, HED__NEEDED, 1, 1, NULL }, { "orig_z", HED__Z, HED__NEEDED, 1, 1, NULL },
  { "score", HED__SCORE, HED__WRITTEN, 0, 0, NULL }, { "x_shift", HED__X_SHIFT, HED__WRITTEN, 0, 0, NULL },
  { "y_shift", HED__Y_SHIFT, HED__WRITTEN, 0, 0, NULL }, { "z_shift", HED__Z_SHIFT, HED__WRITTEN, 0, 0, NULL },
  { "phi", HED__PSI, HED__WRITTEN, 1, -90, NULL }, { "psi", HED__PHI, HED__WRITTEN, 1, 90, NULL },
  { "the", HED__THETA, HED__WRITTEN, 0, 0, NULL }, { "class", HED__TEXT, HED__DEFAULT, 0, 0, "1" }, { 0 }
};

/* Numbers of columns, behind the name that they have in other programs' tables. */
static const hed__column dynamo[] = {
  { "dynamo1", HED__ID, HED__WRITTEN, 0, 0, NULL }, { "dynamo2", HED__TEXT, HED__DEFAULT, 0, 0, "1" },
  { "dynamo3", HED__TEXT, HED__DEFAULT, 0, 0, "1" }, { "dynamo4", HED__X_SHIFT, HED__WRITTEN, 0, 0, NULL },
  { "dynamo5", HED__Y_SHIFT, HED__WRITTEN, 0, 0, NULL }, { "dynamo6", HED__Z_SHIFT, HED__WRITTEN, 0, 0, NULL },
  { "dynamo7", HED__PHI, HED__WRITTEN, -1, 90, NULL }, { "dynamo8", HED__THETA, HED__WRITTEN, 0, 0, NULL },
  { "dynamo9", HED__PSI, HED__WRITTEN, -1, -90, NULL }, { "dynamo10", HED__SCORE, HED__WRITTEN, 0, 0, NULL },
  { "dynamo20", HED__NUMBER, HED__WRITTEN, 0, 0, NULL }, { "dynamo22", HED__TEXT, HED__DEFAULT, 0, 0, "1" },
  { "dynamo24", HED__X, HED__NEEDED, 1, 1, NULL }, { "dynamo25", HED__Y, HED__NEEDED, 1, 1, NULL },
  { "dynamo26", HED__Z, HED__NEEDED, 1, 1, NULL }, { "dynamo36", HED__VOXEL, HED__WRITTEN, 0, 0, NULL }, { 0 }
};

static const hed__column pytme[] = {
  { "x", HED__X, HED__NEEDED, 0, 0, NULL }, { "y", HED__Y, HED__NEEDED, 0, 0, NULL }, { "z", HED__Z, HED__NEEDED, 0, 0, NULL },
  { "euler_x", HED__PSI, HED__WRITTEN, -1, 180, NULL }, { "euler_y", HED__THETA, HED__WRITTEN, 0, 0, NULL },
  { "euler_z", HED__PHI, HED__WRITTEN, -1, 180, NULL }, { "score", HED__SCORE, HED__WRITTEN, 0, 0, NULL },
  { "detail", HED__TEXT, HED__DEFAULT, 0, 0, "-1" }, { "tomogram", HED__TOMOGRAM, HED__AS_SAID, 0, 0, NULL }, { 0 }
};

static const hed__column points[] = {
  { "object", HED__TEXT, HED__IF_KEPT, 0, 0, NULL }, { "contour", HED__TEXT, HED__IF_KEPT, 0, 0, NULL },
  { "x", HED__X, HED__NEEDED, 0, 0, NULL }, { "y", HED__Y, HED__NEEDED, 0, 0, NULL }, { "z", HED__Z, HED__NEEDED, 0, 0, NULL }, { 0 }
};

static const hed__column napari[] = {
  { "index", HED__INDEX, HED__WRITTEN, 0, 0, NULL }, { "axis-0", HED__Z, HED__NEEDED, 0, 0, NULL },
  { "axis-1", HED__Y, HED__NEEDED, 0, 0, NULL }, { "axis-2", HED__X, HED__NEEDED, 0, 0, NULL }, { 0 }
};

/* Markers are in the units of the map: angstrom. */
static const hed__column chimerax[] = {
  { "id", HED__ID, HED__WRITTEN, 0, 0, NULL }, { "x", HED__X, HED__NEEDED, 0, 0, NULL }, { "y", HED__Y, HED__NEEDED, 0, 0, NULL },
  { "z", HED__Z, HED__NEEDED, 0, 0, NULL }, { "r", HED__TEXT, HED__DEFAULT, 0, 0, "1" }, { "g", HED__TEXT, HED__DEFAULT, 0, 0, "0.7" },
  { "b", HED__TEXT, HED__DEFAULT, 0, 0, "0" }, { "radius", HED__RADIUS, HED__DEFAULT, 0, 0, NULL }, { 0 }
};

/* In the order of hed_table_format. */
static const hed__format formats[] = {
  { "tsv", NULL, HED__TABS, HED__VOXELS, NULL, true, tsv },
  { "star", "particles", HED__STAR, HED__VOXELS, "rlnImagePixelSize", false, relion },
  { "tbl", NULL, HED__TBL, HED__VOXELS, NULL, false, dynamo },
  { "relion5", "particles", HED__STAR, HED__CENTRED, "rlnTomoTiltSeriesPixelSize", false, relion5 },
  { "stopgap", "stopgap_motivelist", HED__STAR, HED__VOXELS, NULL, false, stopgap },
  { "pytme", NULL, HED__TABS, HED__VOXELS, NULL, false, pytme },
  { "coords", NULL, HED__POINTS, HED__VOXELS, NULL, false, points },
  { "napari", NULL, HED__COMMAS, HED__VOXELS, NULL, false, napari },
  { "cmm", NULL, HED__TAGS, HED__ANGSTROM, NULL, false, chimerax },
};

const hed__format *hed__table_format(int format)
{
  return format >= 0 && format < (int)(sizeof formats / sizeof formats[0]) ? &formats[format] : NULL;
}

const char *hed_table_format_name(int format)
{
  const hed__format *f = hed__table_format(format);
  return f ? f->name : NULL;
}

const hed__column *hed__column_named(const hed__format *f, const hed__word *name)
{
  for (const hed__column *c = f->column; c->name; c++)
    if (hed__word_is(name, c->name))
      return c;
  return NULL;
}

double hed__frame_voxel(const hed_table_frame *frame, int axis)
{
  return frame->voxel[axis] > 0 ? frame->voxel[axis] : 1;
}

/* Angstrom from the first voxel's centre to the middle of the unbinned tomogram. */
static double middle(const hed_table_frame *frame, int axis)
{
  const double binning = frame->binning > 0 ? frame->binning : 1;
  const double unbinned = frame->unbinned[axis] > 0 ? (double)frame->unbinned[axis] : binning * (double)frame->extent[axis];
  return (unbinned / 2 - (frame->half_less_one ? 1 : 0)) * hed__frame_voxel(frame, axis) / binning;
}

/* ---- reading ---- */

const char *hed__texts_add(hed__rows *r, const char *s, size_t n)
{
  hed__texts *x = &r->texts;
  if (memchr(s, '\0', n) || memchr(s, '\t', n)) {
    (void)hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a value has a %s in it", r->text->op, r->text->path, r->text->line,
                   memchr(s, '\0', n) ? "byte of 0" : "tab");
    return NULL;
  }
  if (x->room - x->n < n + 1) {
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for the values of '%s'", r->text->op, r->text->path);
    return NULL;
  }
  char *at = memcpy(x->s + x->n, s, n);
  at[n] = '\0';
  x->n += n + 1;
  return at;
}

/* S goes on after the last text. */
static bool more_text(hed__rows *r, const char **all, const char *s, size_t n)
{
  if (*all)
    r->texts.s[r->texts.n - 1] = '\t';
  const char *at = hed__texts_add(r, s, n);
  *all = *all ? *all : at;
  return at != NULL;
}

/* Files of RELION may have the places of both its versions: those that are not taken say nothing more. */
static bool other_place(const hed__rows *r, const hed__word *name)
{
  const hed__column *c = r->format->column == relion5 ? hed__column_named(&formats[HED_TABLE_RELION], name)
                       : r->format->column == relion ? hed__column_named(&formats[HED_TABLE_RELION5], name) : NULL;
  return c && c->use == HED__NEEDED;
}

/* Columns of angles and scores that the file has not, nor the same under another name. */
static hed_status miss(hed__rows *r)
{
  char all[160] = "";
  bool any_angle = false;
  for (const hed__column *c = r->format->column; c->name; c++) {
    const bool angle = c->role >= HED__PHI && c->role <= HED__PSI;
    any_angle = any_angle || angle;
    if (c->use == HED__WRITTEN && (angle || c->role == HED__SCORE) && !r->has[c->role] &&
        !(angle && r->has[HED__BOX_PHI + (c->role - HED__PHI)]))
      snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "", c->name);
  }
  if (!any_angle)
    snprintf(all, sizeof all, "angles, score");
  return !*all || (r->t->missing = hed__texts_add(r, all, strlen(all))) ? HED_OK : hed_error();
}

hed_status hed__rows_begin(hed__rows *r, const hed__word *name, int n)
{
  const hed__text *text = r->text;
  char shown[40];
  r->n = n;
  for (int i = 0; i < n; i++) {
    r->column[i] = NULL;
    for (int k = 0; k < i; k++)
      if (name[k].n == name[i].n && memcmp(name[k].s, name[i].s, name[i].n) == 0)
        return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu names column '%s' twice", text->op, text->path, text->line,
                        hed__printable(name[i].s, name[i].n, shown, sizeof shown));
    r->kept[i] = !r->plain[i] && !other_place(r, &name[i]);
  }
  for (const hed__column *c = r->format->column; c->name; c++) {
    int at = -1;
    for (int i = 0; i < n && at < 0; i++)
      at = hed__word_is(&name[i], c->name) ? i : -1;
    const bool taken = at >= 0 && c->role != HED__TEXT && c->use != HED__DEFAULT && !r->has[c->role];
    if (c->use == HED__NEEDED && !taken)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has no column '%s'; it starts with '%s'", text->op, text->path, text->line,
                      c->name, n ? hed__printable(name[0].s, name[0].n, shown, sizeof shown) : "");
    if (taken) {
      r->column[at] = c;
      r->has[c->role] = true;
      r->kept[at] = c->use == HED__KEPT;
    }
  }
  for (int a = 0; a < 3; a++)
    if (r->has[HED__Z_SHIFT + a] && r->has[HED__Z_SHIFT_ANGSTROM + a])
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has origins along %c in voxels and in angstrom", text->op, text->path,
                      text->line, "zyx"[a]);
  for (int i = 0; i < n; i++)
    if (r->kept[i] && !more_text(r, &r->t->columns, name[i].s, name[i].n))
      return hed_error();
  return miss(r);
}

/* The words that are kept and the tomogram's name. */
static hed_status take_texts(hed__rows *r, const hed__word *w, hed_table_row *row)
{
  for (int i = 0; i < r->n; i++)
    if (r->kept[i] && !more_text(r, &row->more, w[i].s, w[i].n))
      return hed_error();
  for (int i = 0; i < r->n; i++) {
    const hed__column *c = r->column[i];
    const bool number = c && c->role == HED__NUMBER;
    if (!c || (c->role != HED__TOMOGRAM && !number) || w[i].n == 0 || (number && hed__word_is(&w[i], "0")))
      continue;
    const hed_table_row *last = r->t->n ? &r->t->row[r->t->n - 1] : NULL;
    const bool again = last && last->tomogram && hed__word_is(&w[i], last->tomogram);
    if (!(row->tomogram = again ? last->tomogram : hed__texts_add(r, w[i].s, w[i].n)))
      return hed_error();
  }
  return HED_OK;
}

static hed_status take_numbers(const hed__rows *r, const hed__word *w, double v[HED__ROLES])
{
  char shown[40];
  for (int i = 0; i < r->n; i++) {
    const hed__column *c = r->column[i];
    if (!c || c->role == HED__TOMOGRAM || c->role == HED__NUMBER)
      continue;
    const hed_status status = hed__word_number(r->text, &w[i], c->name, &v[c->role]);
    if (status != HED_OK)
      return status;
    /* 2^53: ids beyond are not exact as doubles */
    if (c->role == HED__ID && !(v[HED__ID] == rint(v[HED__ID]) && fabs(v[HED__ID]) <= 9007199254740992.0))
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is '%s', not a whole number", r->text->op, r->text->path, w[i].line,
                      c->name, hed__printable(w[i].s, w[i].n, shown, sizeof shown));
    if (c->role == HED__VOXEL && !(v[HED__VOXEL] >= 0))
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is %g", r->text->op, r->text->path, w[i].line, c->name, v[HED__VOXEL]);
    v[c->role] = (v[c->role] - c->offset) / (c->scale != 0 ? c->scale : 1);
  }
  return HED_OK;
}

static void orient(const hed__rows *r, double v[HED__ROLES], hed_table_row *row)
{
  double box[9], own[9], all[9] = { 0 }, shift[3] = { v[HED__Z_SHIFT], v[HED__Y_SHIFT], v[HED__X_SHIFT] };
  memcpy(row->euler, &v[HED__PHI], sizeof row->euler);
  if (r->format->as_is)
    return;
  hed_rotation_from_euler(row->euler, own);
  memcpy(all, own, sizeof all);
  if (r->has[HED__BOX_PHI] || r->has[HED__BOX_THETA] || r->has[HED__BOX_PSI]) {
    hed_rotation_from_euler(&v[HED__BOX_PHI], box);
    memset(all, 0, sizeof all);
    for (int i = 0; i < 9; i++)
      for (int k = 0; k < 3; k++)
        all[i] += box[i / 3 * 3 + k] * own[3 * k + i % 3];
    for (int i = 0; i < 3; i++)
      v[HED__Z_SHIFT + i] = box[3 * i] * shift[0] + box[3 * i + 1] * shift[1] + box[3 * i + 2] * shift[2];
  }
  hed_rotation_to_euler(all, row->euler);
}

/* Places in voxels and angstrom; shifts are added. */
static void place(const hed__rows *r, const double v[HED__ROLES], const hed_table_frame *frame, hed_table_row *row)
{
  for (int a = 0; a < 3; a++) {
    const double voxel = hed__frame_voxel(frame, a), p = v[HED__Z + a];
    row->position[a] = (r->format->places == HED__CENTRED ? (p + middle(frame, a)) / voxel
                      : r->format->places == HED__ANGSTROM ? (p - frame->origin[a]) / voxel : p) + v[HED__Z_SHIFT + a];
    row->angstrom[a] = r->format->as_is ? v[HED__Z_ANGSTROM + a] : frame->origin[a] + voxel * row->position[a];
  }
}

hed_status hed__rows_add(hed__rows *r, const hed__word *w, int n)
{
  static const hed_table_frame none;
  hed_table *t = r->t;
  hed_table_frame frame = r->frame ? *r->frame : none;
  double v[HED__ROLES] = { 0 };
  hed_status status;
  if (n != r->n)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields instead of %d", r->text->op, r->text->path, r->text->line, n, r->n);
  if ((t->n & (t->n - 1)) == 0) {
    hed_table_row *more = realloc(t->row, (t->n ? 2 * t->n : 1) * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rows of '%s'", r->text->op, t->n + 1, r->text->path);
    t->row = more;
  }
  v[HED__ID] = (double)t->n + 1;
  v[HED__VOXEL] = r->voxel;
  hed_table_row row = { 0 };
  for (const hed__column *c = r->format->column; c->name; c++) /* what is not there is 0 in the file's terms */
    if ((c->role >= HED__PHI && c->role <= HED__PSI) || (c->role >= HED__BOX_PHI && c->role <= HED__BOX_PSI))
      v[c->role] = -c->offset / (c->scale != 0 ? c->scale : 1);
  if ((status = take_numbers(r, w, v)) != HED_OK || (status = take_texts(r, w, &row)) != HED_OK)
    return status;
  const bool centred = r->format->places == HED__CENTRED;
  const double said = centred && frame.voxel[0] > 0 ? 0 : (centred && frame.binning > 0 ? frame.binning : 1) * v[HED__VOXEL];
  r->voxels_differ = r->voxels_differ || (t->n > 0 && said != t->voxel[0]);
  for (int a = 0; a < 3; a++) {
    t->voxel[a] = t->n > 0 ? t->voxel[a] : said;
    frame.voxel[a] = frame.voxel[a] > 0 ? frame.voxel[a] : said;
    v[HED__Z_SHIFT + a] += v[HED__Z_SHIFT_ANGSTROM + a] / hed__frame_voxel(&frame, a);
  }
  row.id = (int64_t)v[HED__ID];
  row.score = v[HED__SCORE];
  orient(r, v, &row);
  place(r, v, &frame, &row);
  t->row[t->n++] = row;
  return HED_OK;
}

/* ---- writing ---- */

/* (-180, 180] */
static double wrapped(double degrees)
{
  const double d = fmod(degrees, 360);
  return d > 180 ? d - 360 : d <= -180 ? d + 360 : d;
}

double hed__written(const hed__column *c, const hed__format *f, const hed_table_row *r, const hed_table_frame *frame)
{
  const int a = (int)c->role - HED__Z;
  double v = 0;
  if (c->role >= HED__Z && c->role <= HED__X) {
    const double voxel = hed__frame_voxel(frame, a);
    v = f->places == HED__CENTRED ? voxel * r->position[a] - middle(frame, a)
      : f->places == HED__ANGSTROM ? frame->origin[a] + voxel * r->position[a] : r->position[a];
  } else if (c->role >= HED__Z_ANGSTROM && c->role <= HED__X_ANGSTROM) {
    v = r->angstrom[c->role - HED__Z_ANGSTROM];
  } else if (c->role >= HED__PHI && c->role <= HED__PSI) {
    v = r->euler[c->role - HED__PHI];
  } else if (c->role == HED__SCORE) {
    v = r->score;
  } else if (c->role == HED__VOXEL || c->role == HED__RADIUS) {
    v = (c->role == HED__RADIUS ? 2 : 1) * hed__frame_voxel(frame, 2);
  }
  v = (c->scale != 0 ? c->scale : 1) * v + c->offset;
  return (!f->as_is && (c->role == HED__PHI || c->role == HED__PSI) ? wrapped(v) : v) + 0.0; /* no "-0" */
}

bool hed__writes_kept(const hed__format *f, const hed__word *name)
{
  const hed__column *c = hed__column_named(f, name);
  if (c)
    return c->use >= HED__ONCE_READ;
  return f->layout == HED__TBL ? name->n > 6 && memcmp(name->s, "dynamo", 6) == 0 : f->layout != HED__POINTS;
}
