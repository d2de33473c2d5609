// SPDX-License-Identifier: BSD-3-Clause
/* Tables of particles, every column of every format of columns.def: read from files that are made here, absent, in another
 * place, said otherwise, beside columns that nobody knows; written; read from one format and written in another; and each
 * file by each other format's reader.  Either what a file says comes out, or it is refused with the column's name.
 */
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum layout { TABS, STAR, NUMBERED, COMMAS, TAGS } layout;
typedef enum what {
  ID, X, Y, Z, X_ANGSTROM, Y_ANGSTROM, Z_ANGSTROM, PHI, THETA, PSI, SCORE, X_SHIFT, Y_SHIFT, Z_SHIFT, TEXT
} what;
enum { OPTIONAL, NEEDED, ROWS = 3, MOST = 24, FORMATS = HED_TABLE_CHIMERAX + 1 };

/* A column in a file; TEXT has the words of the first row and of the others. */
typedef struct column {
  int format;
  const char *name;
  what what;
  double scale, offset;
  int need; /* of ANOTHER its group */
  const char *instead, *text[2];
} column;

static const struct { int format; layout layout; const char *name; } tables[FORMATS] = {
#define TABLE(format, layout) [HED_TABLE_##format] = { HED_TABLE_##format, layout, #format },
#define COLUMN(...)
#define ANOTHER(...)
#define KEPT(...)
#define PIXEL(...)
#include "columns.def"
#undef TABLE
#undef COLUMN
#undef ANOTHER
#undef KEPT
#undef PIXEL
};
#define TABLE(...)
#define COLUMN(format, name, what, scale, offset, need) \
  { HED_TABLE_##format, name, what, scale, offset, need, NULL, { NULL, NULL } },
#define ANOTHER(...)
#define KEPT(...)
#define PIXEL(...)
static const column plain[] = {
#include "columns.def"
};
#undef COLUMN
#undef ANOTHER
#define COLUMN(...)
#define ANOTHER(format, name, instead, what, scale, offset, group) \
  { HED_TABLE_##format, name, what, scale, offset, group, instead, { NULL, NULL } },
static const column others[] = {
#include "columns.def"
};
#undef ANOTHER
#undef KEPT
#define ANOTHER(...)
#define KEPT(format, name, first, second) { HED_TABLE_##format, name, TEXT, 0, 0, OPTIONAL, NULL, { first, second } },
static const column kept[] = {
#include "columns.def"
};
#undef KEPT
#undef PIXEL
#define KEPT(...)
#define PIXEL(format, name) { HED_TABLE_##format, name, TEXT, 0, 0, OPTIONAL, NULL, { "7.5", "7.5" } },
static const column pixels[] = {
#include "columns.def"
};
#undef PIXEL
#define PIXEL(...)
#define COUNT(list) (sizeof(list) / sizeof *(list))

static const hed_table_frame frame = { .voxel = { 4, 4, 4 }, .origin = { 8, 0, -8 }, .extent = { 200, 301, 400 }, .binning = 2 };

/* What row K is, whatever file it stands in. */
static double truth(size_t k, what w)
{
  static const double of[] = { [X] = 11.25, [Y] = 40.5, [Z] = 71, [PHI] = -100, [THETA] = 30, [PSI] = 75, [SCORE] = 0.5 };
  static const double step[] = { [X] = 7.5, [Y] = -3, [Z] = 2.25, [PHI] = 60.5, [THETA] = 45, [PSI] = -50, [SCORE] = -0.125 };
  switch (w) {
  case ID: return (double)k + 1;
  case X_ANGSTROM: return 4 * truth(k, X) - 8;
  case Y_ANGSTROM: return 4 * truth(k, Y);
  case Z_ANGSTROM: return 4 * truth(k, Z) + 8;
  case X_SHIFT: return 0.5 + (double)k;
  case Y_SHIFT: return -1.25 - (double)k;
  case Z_SHIFT: return 0.75 * ((double)k + 1);
  default: return of[w] + step[w] * (double)k;
  }
}

static double value_of(const hed_table_row *r, what w)
{
  switch (w) {
  case ID: return (double)r->id;
  case X: case Y: case Z: return r->position[Z - w];
  case X_ANGSTROM: case Y_ANGSTROM: case Z_ANGSTROM: return r->angstrom[Z_ANGSTROM - w];
  case PHI: case THETA: case PSI: return r->euler[w - PHI];
  case X_SHIFT: case Y_SHIFT: case Z_SHIFT: return r->position[Z_SHIFT - w];
  default: return r->score;
  }
}

/* What a shift says is the place with it. */
static what told(what w)
{
  return w == X_SHIFT || w == Y_SHIFT || w == Z_SHIFT ? X + (w - X_SHIFT) : w;
}

static bool same(double got, double want, what w)
{
  const double d = w == PHI || w == PSI ? remainder(got - want, 360) : got - want;
  return fabs(d) <= 1e-5;
}

/* ---- files ---- */

typedef struct file { int format, n; const column *column[MOST]; } file;

static file all_of(int format)
{
  file f = { .format = format };
  for (size_t i = 0; i < COUNT(plain); i++)
    if (plain[i].format == format)
      f.column[f.n++] = &plain[i];
  return f;
}

static int place_of(const file *f, const char *name)
{
  for (int i = 0; i < f->n; i++)
    if (name && strcmp(f->column[i]->name, name) == 0)
      return i;
  return -1;
}

static file without(file f, const char *name)
{
  const int at = place_of(&f, name);
  if (at >= 0) {
    memmove(&f.column[at], &f.column[at + 1], (size_t)(f.n - at - 1) * sizeof f.column[0]);
    f.n--;
  }
  return f;
}

static file with(file f, const column *c, bool first)
{
  f = without(f, c->instead);
  memmove(&f.column[first], &f.column[0], first ? (size_t)f.n * sizeof f.column[0] : 0);
  f.column[first ? 0 : f.n] = c;
  f.n++;
  return f;
}

/* The text of column C in row K of F: places are without the shifts that F has. */
static void cell(const file *f, const column *c, size_t k, char *s, size_t room)
{
  double v = c->what == TEXT ? 0 : truth(k, c->what);
  for (int i = 0; i < f->n && (c->what == X || c->what == Y || c->what == Z); i++)
    if (f->column[i]->what != TEXT && f->column[i]->what != c->what && told(f->column[i]->what) == c->what)
      v -= truth(k, f->column[i]->what);
  if (c->what == TEXT)
    snprintf(s, room, "%s", c->text[k > 0]);
  else
    snprintf(s, room, "%.9g", c->scale * v + c->offset);
}

static const char *make(const file *f)
{
  static const char *const ends[] = { [TABS] = "\t", [STAR] = "  ", [NUMBERED] = " ", [COMMAS] = ",", [TAGS] = " " };
  const layout l = tables[f->format].layout;
  const char *path = kit_path("made");
  const column *pixel = NULL;
  FILE *out = fopen(path, "w");
  char s[64];
  if (!out)
    bail("%s", path);
  for (int i = 0; i < f->n; i++)
    for (size_t k = 0; k < COUNT(pixels); k++)
      if (f->column[i] == &pixels[k])
        pixel = f->column[i];
  if (l == STAR && pixel)
    fprintf(out, "data_optics\n\nloop_\n_rlnOpticsGroup #1\n_%s #2\n1 %s\n\n", pixel->name, pixel->text[0]);
  if (l == STAR)
    fprintf(out, "# made by a test\n\ndata_%s\n\nloop_\n", f->format == HED_TABLE_STOPGAP ? "stopgap_motivelist" : "particles");
  fputs(l == COMMAS ? "index," : l == TAGS ? "<marker_set name=\"made\">\n" : "", out);
  for (int i = 0; i < f->n; i++)
    if (l == STAR && f->column[i] != pixel)
      fprintf(out, "_%s\n", f->column[i]->name);
    else if (l == TABS || l == COMMAS)
      fprintf(out, "%s%s", f->column[i]->name, i + 1 < f->n ? ends[l] : "\n");
  for (size_t k = 0; k < ROWS; k++) {
    int written = 0;
    fprintf(out, l == COMMAS ? "%zu," : l == TAGS ? "<marker id=\"%zu\" " : "", k);
    for (int i = 0; l != NUMBERED && i < f->n; i++) {
      cell(f, f->column[i], k, s, sizeof s);
      if (l == TAGS)
        fprintf(out, "%s=\"%s\" ", f->column[i]->name, s);
      else if (f->column[i] != pixel)
        fprintf(out, "%s%s", s, i + 1 < f->n ? ends[l] : "");
    }
    for (int number = 1; l == NUMBERED && written < f->n; number++) {
      const char *zero = "0";
      char name[16];
      snprintf(name, sizeof name, "%d", number);
      const int at = place_of(f, name);
      if (at >= 0)
        cell(f, f->column[at], k, s, sizeof s);
      fprintf(out, "%s%s", number > 1 ? " " : "", at >= 0 ? s : zero);
      written += at >= 0;
    }
    fputs(l == TAGS ? "/>\n" : "\n", out);
  }
  fputs(l == TAGS ? "</marker_set>\n" : "", out);
  fclose(out);
  return path;
}

static const char *line_after(const char *s)
{
  s = strchr(s, '\n');
  return s ? s + 1 : NULL;
}

/* Word NUMBER of a line, counted from 0, into WORD. */
static bool word_of(const char *line, const char *ends, int number, char *word, size_t room)
{
  const size_t length = strcspn(line, "\n");
  for (const char *s = line; s <= line + length;) {
    const size_t n = strcspn(s, ends), left = (size_t)(line + length - s), m = n < left ? n : left;
    if (m == 0 && ends[0] == ' ') {
      s++;
      continue;
    }
    if (number-- == 0)
      return snprintf(word, room, "%.*s", (int)m, s) >= 0;
    s += m + 1;
  }
  return false;
}

/* Column NAME of row K of a file at PATH: its text. */
static bool found(int format, const char *path, const char *name, size_t k, char *word, size_t room)
{
  const layout l = tables[format].layout;
  size_t size;
  char *text = (char *)kit_read(path, &size), look[64];
  const char *line = text, *ends = l == TABS ? "\t" : l == COMMAS ? "," : " \t";
  bool any = false;
  int number = -1;
  if (!text)
    return false;
  if (l == STAR) {
    snprintf(look, sizeof look, "\n_%s", name);
    const char *at = strstr(text, look);
    while (at && !strchr(" \n", at[strlen(look)]))
      at = strstr(at + 1, look);
    const char *loop = text, *next;
    while (at && (next = strstr(loop, "loop_\n")) && next < at)
      loop = next + 6;
    for (line = loop; at && line && *line == '_'; line = line_after(line))
      number += line <= at + 1;
  } else if (l == TAGS) {
    snprintf(look, sizeof look, " %s=\"", name);
    for (size_t i = 0; line && i <= k; i++)
      line = (line = strstr(line, "<marker ")) ? line + 8 : NULL;
    const char *at = line ? strstr(line - 1, look) : NULL, *stop = line ? strchr(line, '>') : NULL;
    any = at && stop && at < stop && snprintf(word, room, "%.*s", (int)strcspn(at + strlen(look), "\""), at + strlen(look)) > 0;
  } else if (l == NUMBERED) {
    number = atoi(name) - 1;
  } else {
    for (int i = 0; word_of(line, ends, i, word, room); i++)
      if (strcmp(word, name) == 0)
        number = i;
    line = line_after(line);
  }
  for (size_t i = 0; number >= 0 && line && i < k; i++)
    line = line_after(line);
  if (number >= 0 && line)
    any = word_of(line, ends, number, word, room);
  free(text);
  return any;
}

/* ---- points ---- */

/* The format is told from the content. */
static bool reads(const file *f, const hed_table_frame *by, hed_table *t)
{
  return hed_table_read_as(make(f), HED_TABLE_BY_CONTENT, by, t) == HED_OK && t->n == ROWS;
}

/* Whether T has what F says of W in every row; else what is wrong. */
static bool has(const hed_table *t, what w, char *why, size_t room)
{
  for (size_t k = 0; k < t->n; k++)
    if (!same(value_of(&t->row[k], told(w)), truth(k, told(w)), told(w))) {
      snprintf(why, room, "row %zu: %.9g for %.9g", k, value_of(&t->row[k], told(w)), truth(k, told(w)));
      return false;
    }
  return t->n == ROWS;
}

static void right(const hed_table *t, const column *c, const char *how)
{
  char why[96] = "";
  if (!ok(has(t, c->what, why, sizeof why), "%s: %s %s", tables[c->format].name, c->name, how))
    diag("%s %s", why, t->n ? "" : hed_error_text());
}

/* All that the columns of F say is in T. */
static bool everything(const file *f, const hed_table *t, char *why, size_t room)
{
  bool good = true;
  for (int i = 0; i < f->n; i++)
    good = good && (f->column[i]->what == TEXT || has(t, f->column[i]->what, why, room));
  return good;
}

static void read_and_written(int format)
{
  const file f = all_of(format);
  const char *path = kit_path("written");
  hed_table t = { 0 };
  char why[96] = "", s[64] = "";
  ok(reads(&f, &frame, &t), "%s: read", tables[format].name);
  for (int i = 0; i < f.n; i++)
    right(&t, f.column[i], "is read");
  ok(t.n == ROWS && hed_table_write_as(path, &t, format, &frame) == HED_OK, "%s: written", tables[format].name);
  for (int i = 0; i < f.n; i++) {
    const column *c = f.column[i];
    bool good = true;
    for (size_t k = 0; k < ROWS; k++)
      good = good && found(format, path, c->name, k, s, sizeof s) &&
             same(strtod(s, NULL), c->scale * truth(k, c->what) + c->offset, c->what);
    if (!ok(good, "%s: %s is written", tables[format].name, c->name))
      diag("the last was '%s'", s);
  }
  hed_table_clear(&t);
  for (int i = 0; i < f.n && tables[format].layout != NUMBERED; i++) {
    const file g = with(without(f, f.column[i]->name), f.column[i], true);
    if (!ok(reads(&g, &frame, &t) && everything(&g, &t, why, sizeof why), "%s: %s in the first place", tables[format].name,
            f.column[i]->name))
      diag("%s %s", why, t.n ? "" : hed_error_text());
    hed_table_clear(&t);
  }
}

/* Without a column that is needed a file is refused by the column's name, or its number of columns; another's is one number. */
static void absent(int format)
{
  const file f = all_of(format);
  for (int i = 0; i < f.n; i++) {
    const column *c = f.column[i];
    const bool numbered = tables[format].layout == NUMBERED;
    file g = without(f, c->name);
    hed_table t = { 0 };
    char why[96] = "";
    if (numbered && c->need == NEEDED) { /* and all behind it */
      g.n = i;
      const hed_status s = hed_table_read_as(make(&g), format, &frame, &t);
      ok(i == 0 ? t.n == 0 : s == HED_E_FORMAT && strstr(hed_error_text(), "columns"), "%s: %s is missed", tables[format].name,
         c->name);
    } else if (c->need == NEEDED) {
      is_int(hed_table_read_as(make(&g), format, &frame, &t), HED_E_FORMAT, "%s: %s is missed", tables[format].name, c->name);
      has_str(hed_error_text(), c->name, "by its name");
    } else {
      bool good = reads(&g, &frame, &t);
      for (int k = 0; k < f.n && c->what == THETA; k++) /* turns about one axis then, of which the sum counts */
        g = f.column[k]->what == PHI || f.column[k]->what == PSI ? without(g, f.column[k]->name) : g;
      good = good && everything(&g, &t, why, sizeof why);
      for (size_t k = 0; good && k < ROWS && c->what != ID; k++)
        good = value_of(&t.row[k], c->what) == value_of(&t.row[0], c->what);
      if (!ok(good, "%s: without %s the others stay", tables[format].name, c->name))
        diag("%s", why);
    }
    hed_table_clear(&t);
    hed_error_clear();
  }
}

/* What a format says in another column or another unit: those of a group together. */
static void otherwise(const column *c)
{
  file f = all_of(c->format);
  hed_table t = { 0 };
  for (size_t i = 0; i < COUNT(others); i++)
    if (others[i].format == c->format && others[i].need == c->need)
      f = with(f, &others[i], false);
  (void)reads(&f, &frame, &t);
  right(&t, c, "is read");
  hed_table_clear(&t);
}

/* A column that a reader need not understand is written again. */
static void keeps(const column *c)
{
  const file f = with(all_of(c->format), c, false);
  const char *path = kit_path("again");
  hed_table t = { 0 };
  char s[64] = "", why[96] = "";
  const bool read = reads(&f, &frame, &t);
  if (c->what == TEXT && read)
    ok(everything(&f, &t, why, sizeof why), "%s: the others beside %s%s", tables[c->format].name, c->name, why);
  bool good = read && hed_table_write_as(path, &t, c->format, &frame) == HED_OK;
  for (size_t k = 0; read && k < ROWS; k++)
    good = good && found(c->format, path, c->name, k, s, sizeof s) && strcmp(s, c->text[k > 0]) == 0;
  ok(good, "%s: %s is written again", tables[c->format].name, c->name);
  hed_table_clear(&t);
}

static void sizes(const column *c)
{
  const hed_table_frame unsized = { .extent = { 200, 301, 400 } };
  const file f = with(all_of(c->format), c, false);
  hed_table t = { 0 };
  (void)reads(&f, &unsized, &t);
  ok(t.n == ROWS && same(t.row[1].angstrom[2], 7.5 * t.row[1].position[2], X), "%s: voxels of %s", tables[c->format].name, c->name);
  hed_table_clear(&t);
}

/* A file of one format, written in another and read from there: what both know. */
static void across(int from, int to)
{
  const file f = all_of(from), g = all_of(to);
  const char *path = kit_path("across");
  hed_table t = { 0 }, u = { 0 };
  char why[96] = "";
  bool good = reads(&f, &frame, &t) && hed_table_write_as(path, &t, to, &frame) == HED_OK &&
              hed_table_read_as(path, to, &frame, &u) == HED_OK;
  for (int i = 0; i < f.n; i++)
    for (int k = 0; k < g.n; k++)
      good = good && (f.column[i]->what != g.column[k]->what || has(&u, f.column[i]->what, why, sizeof why));
  if (!ok(good, "%s, written as %s", tables[from].name, tables[to].name))
    diag("%s %s", why, u.n ? "" : hed_error_text());
  hed_table_clear(&t);
  hed_table_clear(&u);
}

/* A file of one format by another's reader: refused, or taken for what it is. */
static void mixed_up(int format, int reader)
{
  const file f = all_of(format);
  hed_table t = { 0 };
  char why[96] = "";
  const hed_status s = hed_table_read_as(make(&f), reader, &frame, &t);
  if (!ok(s != HED_OK || everything(&f, &t, why, sizeof why), "%s, read as %s", tables[format].name, tables[reader].name))
    diag("%s", why);
  hed_table_clear(&t);
  hed_error_clear();
}

int main(void)
{
  kit_folder();
  for (int i = 0; i < FORMATS; i++) {
    if (!tables[i].name)
      bail("format %d is not in columns.def", i);
    read_and_written(i);
    absent(i);
    for (int k = 0; k < FORMATS; k++) {
      across(i, k);
      if (k != i)
        mixed_up(i, k);
    }
  }
  for (size_t i = 0; i < COUNT(others); i++)
    otherwise(&others[i]);
  for (size_t i = 0; i < COUNT(kept); i++)
    keeps(&kept[i]);
  for (size_t i = 0; i < COUNT(pixels); i++)
    sizes(&pixels[i]);
  return done();
}
