// SPDX-License-Identifier: BSD-3-Clause
/* How tables stand in files: names and words between tabs or commas, loops of STAR files, lines of numbers, tags.
 *
 * Layer: L4, match kit. Of a STAR file the loop that has the places is taken; the others are kept as text.
 */
#include "kits/match/files/table_formats.h"
#include "kits/match/files/fileio.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Names on the first line. */
static hed_status read_named(hed__rows *r, const char *separators)
{
  hed__word w[HED__MOST_WORDS];
  hed_status status;
  int n;
  r->text->separators = separators;
  if (!hed__next_words(r->text, w, &n, &status))
    return status != HED_OK ? status : hed_fail(HED_E_FORMAT, "%s: '%s' is empty: no line of column names", r->text->op,
                                                r->text->path);
  for (int own = 0; own < 2 && r->format->layout == HED__TABS; own++) { /* pyTME's names in the place of Heddle's, or the reverse */
    const hed__format *other = hed__table_format(own ? HED_TABLE_TSV : HED_TABLE_PYTME);
    bool here = false, there = false;
    for (int i = 0; i < n; i++) {
      const hed__column *a = hed__column_named(r->format, &w[i]), *b = hed__column_named(other, &w[i]);
      here = here || (a && a->role >= HED__PHI && a->role <= HED__PSI);
      there = there || (b && b->role >= HED__PHI && b->role <= HED__PSI);
    }
    r->format = there && !here ? other : r->format;
  }
  status = hed__rows_begin(r, w, n);
  while (status == HED_OK && hed__next_words(r->text, w, &n, &status))
    status = hed__rows_add(r, w, n);
  return status;
}

/* Columns of a Dynamo table that are in every row what a writer fills in. */
static hed_status plain_columns(hed__rows *r)
{
  hed__text text = *r->text;
  hed__word w[HED__MOST_WORDS];
  hed_status status;
  int n;
  const char *filled[HED__MOST_WORDS];
  for (int i = 0; i < HED__MOST_WORDS; i++) {
    char name[16];
    snprintf(name, sizeof name, "dynamo%d", i + 1);
    const hed__column *c = hed__column_named(r->format, &(hed__word){ name, strlen(name), 0 });
    filled[i] = c && c->text ? c->text : "0";
    r->plain[i] = true;
  }
  while (hed__next_words(&text, w, &n, &status))
    for (int i = 0; i < n; i++)
      r->plain[i] = r->plain[i] && hed__word_is(&w[i], filled[i]);
  return status;
}

/* The number of a line's words says what they are; of points, object and contour stand before the places. */
static hed_status read_numbers(hed__rows *r)
{
  static const char *const points[] = { "object", "contour", "x", "y", "z" };
  char names[HED__MOST_WORDS][12];
  const bool tbl = r->format->layout == HED__TBL;
  hed__word w[HED__MOST_WORDS], name[HED__MOST_WORDS];
  hed_status status;
  int n, columns = 0;
  if (tbl && (status = plain_columns(r)) != HED_OK)
    return status;
  while (hed__next_words(r->text, w, &n, &status)) {
    if (tbl ? n < 26 : n < 3 || n > 5)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d columns; %s", r->text->op, r->text->path, r->text->line, n,
                      tbl ? "a table has 26 and more" : "places have x, y and z, object and contour before them at most");
    for (int i = 0; i < n && !columns; i++) {
      snprintf(names[i], sizeof names[i], "dynamo%d", i + 1);
      const char *s = tbl ? names[i] : points[5 - n + i];
      name[i] = (hed__word){ s, strlen(s), r->text->line };
    }
    status = columns ? HED_OK : hed__rows_begin(r, name, n);
    columns = n;
    if (status != HED_OK || (status = hed__rows_add(r, w, n)) != HED_OK)
      return status;
  }
  return status;
}

/* Quotes where a word of a STAR file needs them. */
static const char *quote_of(const char *s, size_t n)
{
  bool needed = n == 0 || strchr("_#\"'", *s) || (n >= 5 && memcmp(s, "data_", 5) == 0) || (n == 5 && memcmp(s, "loop_", 5) == 0);
  for (size_t i = 0; i < n; i++)
    needed = needed || strchr(" \t\r", s[i]);
  return !needed ? "" : memchr(s, '"', n) ? "'" : "\"";
}

static void put(char *to, size_t room, size_t *at, const char *s, size_t n)
{
  if (*at + n < room)
    memcpy(to + *at, s, n);
  *at += n;
}

/* The loops beside the particles', as a STAR file. */
static hed_status keep_blocks(hed__rows *r, const hed__star *s, const hed__star_loop *taken)
{
  hed__texts *x = &r->texts;
  size_t at = x->n;
  const char *block = NULL;
  for (size_t i = 0; i < s->n; i++) {
    const hed__star_loop *l = &s->loop[i];
    if (l == taken || !l->columns)
      continue;
    if (!block || strcmp(block, l->block) != 0) {
      put(x->s, x->room, &at, "\ndata_", 6);
      put(x->s, x->room, &at, l->block, strlen(l->block));
      put(x->s, x->room, &at, "\n", 1);
    }
    block = l->block;
    put(x->s, x->room, &at, "\nloop_\n", 7);
    for (size_t c = 0; c < l->columns; c++) {
      put(x->s, x->room, &at, "_", 1);
      put(x->s, x->room, &at, l->name[c].s, l->name[c].n);
      put(x->s, x->room, &at, "\n", 1);
    }
    for (size_t c = 0; c < l->columns * l->rows; c++) {
      const hed__word *w = &l->cell[c];
      const char *q = quote_of(w->s, w->n);
      put(x->s, x->room, &at, q, strlen(q));
      put(x->s, x->room, &at, w->s, w->n);
      put(x->s, x->room, &at, q, strlen(q));
      put(x->s, x->room, &at, (c + 1) % l->columns ? "\t" : "\n", 1);
    }
  }
  if (at == x->n)
    return HED_OK;
  if (at >= x->room)
    return hed_fail(HED_E_NOMEM, "%s: no memory for the blocks of '%s'", r->text->op, r->text->path);
  if (memchr(x->s + x->n, '\0', at - x->n))
    return hed_fail(HED_E_FORMAT, "%s: '%s': a value has a byte of 0 in it", r->text->op, r->text->path);
  x->s[at] = '\0';
  r->t->blocks = x->s + x->n;
  x->n = at + 1;
  return HED_OK;
}

/* The size of voxels that the optics' groups say; that of the first row's where a row says which. */
static hed_status voxel_of_optics(hed__rows *r, const hed__star *s, const hed__star_loop *l)
{
  for (const hed__column *c = r->format->column; c->name && r->voxel == 0; c++) {
    const hed__star_loop *o = c->role == HED__VOXEL ? hed__star_find(s, c->name) : NULL;
    const int group = o ? hed__star_column(o, "rlnOpticsGroup") : -1, mine = hed__star_column(l, "rlnOpticsGroup");
    size_t row = 0;
    if (!o || o == l || !o->rows)
      continue;
    for (size_t k = 0; group >= 0 && mine >= 0 && l->rows && k < o->rows; k++) {
      const hed__word *a = &o->cell[k * o->columns + (size_t)group], *b = &l->cell[mine];
      row = a->n == b->n && memcmp(a->s, b->s, a->n) == 0 ? k : row;
    }
    const hed_status status = hed__star_value(s, o, row, c->name, 0, &r->voxel);
    if (status != HED_OK)
      return status;
    if (!(r->voxel > 0))
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is %g", r->text->op, r->text->path, o->line, c->name, r->voxel);
  }
  return HED_OK;
}

static const hed__star_loop *loop_of(const hed__star *s, const hed__format *f)
{
  const hed__star_loop *l = NULL;
  for (const hed__column *c = f->column; c->name && !l; c++)
    l = c->use == HED__NEEDED ? hed__star_find(s, c->name) : NULL;
  return l;
}

static hed_status read_rows(hed__rows *r, const hed__star *s, const hed__star_loop *l)
{
  static const hed_table_frame none;
  const hed_table_frame *frame = r->frame ? r->frame : &none;
  for (int a = 0; a < 3 && r->format->places == HED__CENTRED; a++)
    if (frame->extent[a] < 1 && frame->unbinned[a] < 1)
      return hed_fail(HED_E_INVAL, "%s: '%s' counts from the tomogram's middle, and its extents are not given", r->text->op,
                      r->text->path);
  if (l->columns > HED__MOST_WORDS)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %zu columns", r->text->op, r->text->path, l->line, l->columns);
  r->text->line = l->line;
  hed_status status = hed__rows_begin(r, l->name, (int)l->columns);
  if (status == HED_OK)
    status = voxel_of_optics(r, s, l);
  for (size_t k = 0; k < l->rows && status == HED_OK; k++) {
    r->text->line = l->cell[k * l->columns].line;
    status = hed__rows_add(r, &l->cell[k * l->columns], (int)l->columns);
  }
  return status == HED_OK ? keep_blocks(r, s, l) : status;
}

static hed_status read_star(hed__rows *r)
{
  static const int kinds[] = { HED_TABLE_RELION, HED_TABLE_RELION5, HED_TABLE_STOPGAP };
  const hed__star_loop *l;
  hed__star s;
  hed_status status = hed__star_read(r->text, &s);
  if (status != HED_OK)
    return status;
  l = loop_of(&s, r->format);
  for (int i = 0; i < 3 && !l; i++)
    if ((l = loop_of(&s, hed__table_format(kinds[i]))) != NULL)
      r->format = hed__table_format(kinds[i]);
  status = l ? read_rows(r, &s, l)
             : hed_fail(HED_E_FORMAT, "%s: '%s' has no loop with rlnCoordinateX, Y and Z, those of RELION 5 or orig_x, y and z",
                        r->text->op, r->text->path);
  hed__star_clear(&s);
  return status;
}

/* Names are those of all markers; what one has not is an empty word. */
static hed_status read_tags(hed__rows *r)
{
  hed__text again = *r->text;
  hed__word name[HED__MOST_WORDS], w[HED__MOST_WORDS], value;
  hed__tag tag;
  hed_status status;
  bool any = false;
  int n = 0;
  for (int pass = 0; pass < 2; pass++, *r->text = again) {
    hed__text *text = r->text;
    while (hed__next_tag(text, &tag, &status)) {
      any = any || hed__word_is(&tag.name, "marker_set");
      if (tag.closing || !hed__word_is(&tag.name, "marker"))
        continue;
      const char *s = tag.attributes;
      for (hed__word one; pass == 0 && hed__next_attribute(&tag, &s, &one, &value);) {
        int k = 0;
        while (k < n && !(name[k].n == one.n && memcmp(name[k].s, one.s, one.n) == 0))
          k++;
        if (k == HED__MOST_WORDS)
          return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: more than %d attributes", text->op, text->path, tag.name.line, k);
        name[k] = one;
        n += k == n;
      }
      for (int k = 0; pass == 1 && k < n; k++) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)name[k].n, name[k].s);
        w[k] = name[k].n < sizeof key && hed__attribute(&tag, key, &value) ? value : (hed__word){ "", 0, tag.name.line };
      }
      text->line = tag.name.line;
      if (pass == 1 && (status = hed__rows_add(r, w, n)) != HED_OK)
        return status;
    }
    if (status != HED_OK)
      return status;
    if (!any)
      return hed_fail(HED_E_FORMAT, "%s: '%s' has no marker_set", text->op, text->path);
    if (pass == 0 && n && (status = hed__rows_begin(r, name, n)) != HED_OK)
      return status;
  }
  return HED_OK;
}

hed_status hed__table_read_layout(hed__rows *r)
{
  switch (r->format->layout) {
  case HED__TABS: return read_named(r, "\t");
  case HED__COMMAS: return read_named(r, ",");
  case HED__STAR: return read_star(r);
  case HED__TAGS: return read_tags(r);
  default: return read_numbers(r);
  }
}

/* By the first line that says something; of STAR files and tables between tabs the readers look closer. */
const hed__format *hed__table_sniff(const char *text, size_t n)
{
  hed__text t = { .op = "", .path = "", .p = text, .end = text + n };
  hed__word w[HED__MOST_WORDS];
  hed_status status;
  double number;
  int words, format = HED_TABLE_TSV;
  if (!hed__next_words(&t, w, &words, &status))
    return NULL;
  const char *line = w[0].s;
  if (*line == '<')
    format = HED_TABLE_CHIMERAX;
  else if (*line == '_' || hed__word_is(&w[0], "loop_") || (w[0].n >= 5 && memcmp(line, "data_", 5) == 0))
    format = HED_TABLE_RELION;
  else if (hed__parse_number(line, w[0].n, &number))
    format = words >= 26 ? HED_TABLE_DYNAMO : words >= 3 && words <= 5 ? HED_TABLE_COORDINATES : -1;
  else if (memchr(line, ',', w[words - 1].s - line + w[words - 1].n))
    format = HED_TABLE_NAPARI;
  return hed__table_format(format);
}

/* ---- writing ---- */

int hed__split_tabs(const char *s, hed__word *w, int room)
{
  int n = 0;
  for (const char *end; s; s = *end ? end + 1 : NULL, n++) {
    end = s + strcspn(s, "\t");
    if (n < room)
      w[n] = (hed__word){ s, (size_t)(end - s), 0 };
  }
  return n;
}

typedef struct out { hed_file *f; const hed__format *to; const hed_table *t; const hed_table_frame *frame; } out;

/* A column of a file: the format's, one that is kept, or the one for the other. */
typedef struct plan {
  int n, kept[2 * HED__MOST_WORDS];
  const hed__column *column[2 * HED__MOST_WORDS];
  hed__word name[2 * HED__MOST_WORDS];
} plan;

static void plan_columns(const out *o, plan *p)
{
  hed__word kept[HED__MOST_WORDS];
  const int n = hed__split_tabs(o->t->columns, kept, HED__MOST_WORDS);
  bool named = false, used[HED__MOST_WORDS] = { false };
  for (size_t i = 0; i < o->t->n && !named; i++)
    named = o->t->row[i].tomogram != NULL;
  for (const hed__column *c = o->to->column; c->name; c++) {
    int at = -1;
    const bool shift = c->role >= HED__Z_SHIFT && c->role <= HED__X_SHIFT; /* of places: there are none but those that are kept */
    for (int k = 0; k < n && (c->use >= HED__DEFAULT || shift); k++)
      at = hed__word_is(&kept[k], c->name) ? k : at;
    if (c->use == HED__ONCE_READ || c->use == HED__KEPT || (c->use == HED__AS_SAID && !named) || (c->use == HED__IF_KEPT && at < 0))
      continue;
    if (at >= 0)
      used[at] = true;
    p->column[p->n] = c;
    p->kept[p->n] = at;
    p->name[p->n++] = (hed__word){ c->name, strlen(c->name), 0 };
  }
  for (int k = 0; k < n; k++)
    if (!used[k] && hed__writes_kept(o->to, &kept[k])) {
      p->column[p->n] = NULL;
      p->kept[p->n] = k;
      p->name[p->n++] = kept[k];
    }
}

/* The word of column I of row K; TEXT has its room. */
static hed__word word_of(const out *o, const plan *p, int i, size_t k, const hed__word *more, const int64_t *numbers, char text[64])
{
  const hed_table_row *r = &o->t->row[k];
  const hed__column *c = p->column[i];
  const char *s = text;
  if (p->kept[i] >= 0)
    return more[p->kept[i]];
  if (c->role == HED__TEXT)
    s = c->text;
  else if (c->role == HED__TOMOGRAM)
    s = r->tomogram ? r->tomogram : o->frame->tomogram ? o->frame->tomogram : "tomogram";
  else if (c->role == HED__ID || c->role == HED__NUMBER)
    snprintf(text, 64, "%" PRId64, c->role == HED__ID ? r->id : numbers[k]);
  else if (c->role == HED__INDEX)
    snprintf(text, 64, "%.0f", (double)k + c->offset);
  else
    snprintf(text, 64, "%.9g", hed__written(c, o->to, r, o->frame));
  return (hed__word){ s, strlen(s), 0 };
}

/* A loop that was kept; the size of voxels is set in that of the optics, or added. */
static void write_loop(const out *o, const hed__star_loop *l, bool head)
{
  static const char *const sizes[] = { "rlnImagePixelSize", "rlnTomoTiltSeriesPixelSize" };
  const bool optics = o->to->pixel && strcmp(l->block, "optics") == 0, centred = o->to->places == HED__CENTRED;
  const double voxel = hed__frame_voxel(o->frame, 2) / (centred && o->frame->binning > 0 ? o->frame->binning : 1);
  const bool set = optics && !(centred && o->frame->binning == 0) && o->frame->voxel[2] != o->t->voxel[2];
  const bool add = optics && hed__star_column(l, o->to->pixel) < 0;
  hed_file_print(o->f, head ? "\ndata_%s\n\nloop_\n" : "\nloop_\n", l->block);
  for (size_t c = 0; c < l->columns; c++)
    hed_file_print(o->f, "_%.*s\n", (int)l->name[c].n, l->name[c].s);
  if (add)
    hed_file_print(o->f, "_%s\n", o->to->pixel);
  for (size_t c = 0; c < l->columns * l->rows; c++) {
    const hed__word *w = &l->cell[c], *name = &l->name[c % l->columns];
    const char *q = quote_of(w->s, w->n);
    if (set && (hed__word_is(name, sizes[1]) || (!centred && hed__word_is(name, sizes[0]))))
      hed_file_print(o->f, "%.9g", voxel);
    else
      hed_file_print(o->f, "%s%.*s%s", q, (int)w->n, w->s, q);
    if ((c + 1) % l->columns)
      hed_file_print(o->f, "\t");
    else if (add)
      hed_file_print(o->f, "\t%.9g\n", voxel);
    else
      hed_file_print(o->f, "\n");
  }
}

static hed_status write_blocks(const out *o)
{
  const char *blocks = o->t->blocks ? o->t->blocks : "", *last = NULL;
  hed__text text = { .op = "hed_table_write_as", .path = "", .p = blocks, .end = blocks + strlen(blocks) };
  hed__star s;
  bool optics = false;
  const hed_status status = hed__star_read(&text, &s);
  if (status != HED_OK)
    return status;
  for (size_t i = 0; i < s.n && o->to->pixel; i++) {
    write_loop(o, &s.loop[i], !last || strcmp(last, s.loop[i].block) != 0);
    last = s.loop[i].block;
    optics = optics || strcmp(last, "optics") == 0;
  }
  if (!optics && o->to->pixel)
    hed_file_print(o->f, "\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n_%s #3\n1\topticsGroup1\t%.9g\n\n",
                   o->to->pixel, hed__frame_voxel(o->frame, 2) / (o->to->places == HED__CENTRED && o->frame->binning > 0
                                                                      ? o->frame->binning : 1));
  hed__star_clear(&s);
  return HED_OK;
}

/* Dynamo's columns stand where their number says; the others are 0. */
static void write_tbl(const out *o, const plan *p, size_t k, const hed__word *more, const int64_t *numbers)
{
  enum { COLUMNS = 41 };
  int from[HED__MOST_WORDS], most = COLUMNS;
  for (int i = 0; i < HED__MOST_WORDS; i++)
    from[i] = -1;
  for (int i = 0; i < p->n; i++) {
    int number = 0;
    if (sscanf(p->name[i].s, "dynamo%d", &number) != 1 || number < 1 || number > HED__MOST_WORDS)
      continue;
    from[number - 1] = i;
    most = number > most ? number : most;
  }
  for (int i = 0; i < most; i++) {
    char text[64];
    const hed__word w = from[i] < 0 ? (hed__word){ "0", 1, 0 } : word_of(o, p, from[i], k, more, numbers, text);
    hed_file_print(o->f, "%s%.*s", i ? " " : "", w.n ? (int)w.n : 1, w.n ? w.s : "0");
  }
}

static hed_status write_names(const out *o, const plan *p, const char *comment)
{
  const hed__layout l = o->to->layout;
  hed_status status = HED_OK;
  if (comment)
    hed_file_print(o->f, "# %s\n", comment);
  if (l == HED__TAGS)
    hed_file_print(o->f, "<marker_set name=\"particles\">");
  if (l == HED__STAR) {
    status = write_blocks(o);
    hed_file_print(o->f, "\ndata_%s\n\nloop_\n", o->to->block);
  }
  for (int i = 0; i < p->n; i++) {
    if (l == HED__STAR && o->to->pixel)
      hed_file_print(o->f, "_%.*s #%d\n", (int)p->name[i].n, p->name[i].s, i + 1);
    else if (l == HED__STAR)
      hed_file_print(o->f, "_%.*s\n", (int)p->name[i].n, p->name[i].s);
    else if (l == HED__TABS || l == HED__COMMAS)
      hed_file_print(o->f, "%s%.*s", !i ? "" : l == HED__TABS ? "\t" : ",", (int)p->name[i].n, p->name[i].s);
  }
  return status;
}

hed_status hed__table_write_layout(hed_file *f, const hed_table *t, const hed__format *to, const hed_table_frame *frame,
                             const char *comment, const int64_t *numbers)
{
  const out o = { f, to, t, frame };
  const hed__layout l = to->layout;
  const bool first = l == HED__STAR || l == HED__TBL || l == HED__POINTS; /* their lines end behind the row */
  plan *const p = calloc(1, sizeof *p);
  if (!p)
    return hed_fail(HED_E_NOMEM, "hed_table_write_as: no memory for a plan of columns");
  plan_columns(&o, p);
  const hed_status status = write_names(&o, p, comment);
  for (size_t k = 0; k < t->n && status == HED_OK; k++) {
    hed__word more[HED__MOST_WORDS];
    (void)hed__split_tabs(t->row[k].more, more, HED__MOST_WORDS);
    hed_file_print(f, first ? "" : "\n");
    if (l == HED__TBL)
      write_tbl(&o, p, k, more, numbers);
    else if (l == HED__TAGS)
      hed_file_print(f, "<marker ");
    for (int i = 0; i < p->n && l != HED__TBL; i++) {
      char text[64];
      const hed__word w = word_of(&o, p, i, k, more, numbers, text);
      const char *q = l == HED__STAR ? quote_of(w.s, w.n) : "";
      if (l == HED__TAGS)
        hed_file_print(f, "%s%.*s=\"%.*s\"", i ? " " : "", (int)p->name[i].n, p->name[i].s, (int)w.n, w.s);
      else
        hed_file_print(f, "%s%s%.*s%s", !i ? "" : l == HED__COMMAS ? "," : l == HED__POINTS ? " " : "\t", q, (int)w.n, w.s, q);
    }
    hed_file_print(f, l == HED__TAGS ? "/>" : first ? "\n" : "");
  }
  hed_file_print(f, l == HED__TAGS ? "\n</marker_set>\n" : l == HED__STAR || !first ? "\n" : "");
  free(p);
  return status;
}
