// SPDX-License-Identifier: BSD-3-Clause
/* Particle tables: what goes before and after a format's reader or writer.
 *
 * Layer: L4, match kit. What is kept of a file is one block of text, into which columns, rows and blocks point.
 */
#include "kits/match/files/table.h"
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include "kits/match/files/table_formats.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t most_bytes = UINT64_C(1) << 30;
static const hed_table_frame no_frame;

/* FORMAT is what was found for ASKED, of which LEAST is the first that is possible. */
static hed_status check(const char *op, const char *path, const hed__format *format, int asked, int least,
                        const hed_table_frame *frame)
{
  if (!format)
    return hed_fail(HED_E_INVAL, "%s: '%s': format is %d; %d to %d, of hed_table_format, are expected", op, path, asked, least,
                    HED_TABLE_CHIMERAX);
  if (frame->tomogram && strpbrk(frame->tomogram, " \t\r\n\"'#"))
    return hed_fail(HED_E_INVAL, "%s: the tomogram's name '%.40s' has blanks, quotes or #", op, frame->tomogram);
  for (int a = 0; a < 3; a++)
    if (!(frame->voxel[a] >= 0) || !(frame->binning >= 0) || !isfinite(frame->origin[a]) || frame->extent[a] < 0 ||
        frame->unbinned[a] < 0)
      return hed_fail(HED_E_INVAL, "%s: frame for '%s': along axis %d a voxel of %g, an extent of %lld, a binning of %g", op, path, a,
                      frame->voxel[a], (long long)frame->extent[a], frame->binning);
  return HED_OK;
}

/* ---- reading ---- */

static hed_status read_text(const char *op, const char *path, const hed__format *format, const hed_table_frame *frame, char *text,
                            size_t n, hed_table *out)
{
  hed__text words = { .op = op, .path = path, .p = text, .end = text + n };
  hed_table t = { 0 };
  /* kept words with their ends, quotes, blocks: less than four times the file; names of columns that have numbers */
  hed__rows r = { .text = &words, .format = format, .frame = frame, .t = &t, .texts = { .room = 4 * n + 8192 } };
  hed__c_locale locale = { 0 };
  hed_status status;
  t.text = r.texts.s = malloc(r.texts.room);
  if (!t.text)
    return hed_fail(HED_E_NOMEM, "%s: no memory for the values of '%s'", op, path);
  if ((status = hed__c_locale_enter(&locale, op)) == HED_OK) {
    status = hed__table_read_layout(&r);
    hed__c_locale_leave(&locale);
  }
  for (int a = 0; a < 3 && r.voxels_differ; a++)
    t.voxel[a] = 0;
  if (status == HED_OK)
    *out = t;
  else
    hed_table_clear(&t);
  return status;
}

static hed_status read_file(const char *op, const char *path, int format, const hed_table_frame *frame, hed_table *out)
{
  char *text = NULL;
  size_t n = 0;
  if (out)
    *out = (hed_table){ 0 };
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  const hed__format *f = hed__table_format(format == HED_TABLE_BY_CONTENT ? HED_TABLE_TSV : format);
  hed_status status = check(op, path, f, format, HED_TABLE_BY_CONTENT, frame ? frame : &no_frame);
  if (status == HED_OK)
    status = hed__file_load(op, path, most_bytes, &text, &n);
  if (status == HED_OK && format == HED_TABLE_BY_CONTENT && !(f = hed__table_sniff(text, n)))
    status = hed_fail(HED_E_FORMAT, "%s: '%s' begins as no table does", op, path);
  if (status == HED_OK)
    status = read_text(op, path, f, frame, text, n, out);
  free(text);
  return status;
}

hed_status hed_table_read(const char *path, hed_table *out)
{
  return read_file("hed_table_read", path, HED_TABLE_TSV, NULL, out);
}

hed_status hed_table_read_as(const char *path, int format, const hed_table_frame *frame, hed_table *out)
{
  return read_file("hed_table_read_as", path, format, frame, out);
}

/* ---- writing ---- */

static const hed__column *column_of(const hed__format *f, hed__role role)
{
  for (const hed__column *c = f->column; c->name; c++)
    if (c->role == role && c->use <= HED__AS_SAID)
      return c;
  return NULL;
}

static hed_status all_finite(const char *op, const char *path, const hed_table *t, const hed__format *f)
{
  static const char *const names[] = { "z", "y", "x", "z_angstrom", "y_angstrom", "x_angstrom", "phi", "theta", "psi", "score" };
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    const double v[] = { r->position[0], r->position[1], r->position[2], r->angstrom[0], r->angstrom[1], r->angstrom[2],
                         r->euler[0],    r->euler[1],    r->euler[2],    r->score };
    for (int k = 0; k < 10; k++)
      if (!isfinite(v[k]) && (f->as_is || k < 3 || k > 5))
        return hed_fail(HED_E_INVAL, "%s: row %zu for '%s' has %s = %g", op, i, path, names[k], v[k]);
  }
  return HED_OK;
}

/* Characters that a layout's words must not have; STAR's are quoted. */
static const char *const ends[] = { [HED__TABS] = "\t\r\n", [HED__STAR] = "\t\r\n", [HED__TBL] = " \t\r\n", [HED__POINTS] = " \t\r\n",
                                    [HED__COMMAS] = ",\r\n", [HED__TAGS] = "\"<>\r\n" };

static hed_status check_word(const char *op, const char *path, const hed__format *f, const hed__word *w, const char *what, size_t row)
{
  char shown[40];
  bool bad = f->layout == HED__STAR && memchr(w->s, '"', w->n) && memchr(w->s, '\'', w->n);
  for (size_t i = 0; i < w->n; i++)
    bad = bad || strchr(ends[f->layout], w->s[i]);
  return !bad ? HED_OK
              : hed_fail(HED_E_INVAL, "%s: row %zu for '%s' has %s '%s', which a table of %s cannot have", op, row, path, what,
                         hed__printable(w->s, w->n, shown, sizeof shown), f->name);
}

/* What is kept can stand in a file of format F. */
static hed_status check_kept(const char *op, const char *path, const hed_table *t, const hed__format *f)
{
  hed__word name[HED__MOST_WORDS], w[HED__MOST_WORDS];
  char shown[40];
  const int n = hed__split_tabs(t->columns, name, HED__MOST_WORDS);
  hed_status status = HED_OK;
  if (n > HED__MOST_WORDS)
    return hed_fail(HED_E_INVAL, "%s: %d columns are kept for '%s'; at most %d can be", op, n, path, HED__MOST_WORDS);
  const char *bad = f->layout == HED__TABS || f->layout == HED__COMMAS ? ends[f->layout] : " \t\r\n\"'<>=#";
  for (int k = 0; k < n; k++)
    for (size_t i = 0; i < name[k].n || i == 0; i++)
      if (name[k].n == 0 || (hed__writes_kept(f, &name[k]) && strchr(bad, name[k].s[i])))
        return hed_fail(HED_E_INVAL, "%s: '%s' cannot have a column '%s'", op, path,
                        hed__printable(name[k].s, name[k].n, shown, sizeof shown));
  for (size_t i = 0; i < t->n && status == HED_OK; i++) {
    const hed_table_row *r = &t->row[i];
    const int words = hed__split_tabs(r->more, w, HED__MOST_WORDS);
    if (words != n)
      return hed_fail(HED_E_INVAL, "%s: row %zu for '%s' keeps %d words of %d columns", op, i, path, words, n);
    for (int k = 0; k < n && status == HED_OK; k++)
      if (hed__writes_kept(f, &name[k]))
        status = check_word(op, path, f, &w[k], hed__printable(name[k].s, name[k].n, shown, sizeof shown), i);
    if (status == HED_OK && r->tomogram && column_of(f, HED__TOMOGRAM))
      status = check_word(op, path, f, &(hed__word){ r->tomogram, strlen(r->tomogram), 0 }, "a tomogram", i);
  }
  return status;
}

/* A name that is a number is that; else tomograms count in the order of their first rows. */
static bool is_number(const char *s)
{
  const size_t n = strlen(s);
  return n > 0 && n < 10 && strspn(s, "0123456789") == n;
}

static bool same_tomogram(const hed_table_row *a, const hed_table_row *b)
{
  return a->tomogram == b->tomogram || (a->tomogram && b->tomogram && strcmp(a->tomogram, b->tomogram) == 0);
}

static void number(const hed_table *t, int64_t *numbers)
{
  bool all = true;
  int64_t n = 0;
  for (size_t i = 0; i < t->n && all; i++)
    all = !t->row[i].tomogram || is_number(t->row[i].tomogram);
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    if (all) {
      numbers[i] = r->tomogram ? strtol(r->tomogram, NULL, 10) : 1;
    } else if (i && same_tomogram(r, r - 1)) {
      numbers[i] = numbers[i - 1];
    } else {
      size_t k = 0;
      while (k < i && !same_tomogram(r, &t->row[k]))
        k++;
      numbers[i] = k < i ? numbers[k] : ++n;
    }
  }
}

static hed_status write_file(const char *op, const char *path, const hed_table *t, int format, const hed_table_frame *given,
                             const char *comment)
{
  const hed__format *f = hed__table_format(format);
  hed_table_frame frame = given ? *given : no_frame;
  hed__c_locale locale = { 0 };
  int64_t *numbers = NULL;
  hed_file *out;
  if (!path || !t || (!t->row && t->n > 0))
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "the table" : "path");
  hed_status status = check(op, path, f, format, HED_TABLE_TSV, &frame);
  for (int a = 0; a < 3 && status == HED_OK; a++) {
    frame.voxel[a] = frame.voxel[a] > 0 ? frame.voxel[a] : t->voxel[a];
    if (f->places == HED__CENTRED && frame.extent[a] < 1 && frame.unbinned[a] < 1)
      status = hed_fail(HED_E_INVAL, "%s: '%s': RELION 5 counts from the tomogram's middle, and its extents are not given", op, path);
  }
  if (status == HED_OK)
    status = all_finite(op, path, t, f);
  if (status == HED_OK)
    status = check_kept(op, path, t, f);
  if (status == HED_OK && column_of(f, HED__NUMBER)) {
    if (!(numbers = malloc((t->n + 1) * sizeof *numbers)))
      return hed_fail(HED_E_NOMEM, "%s: no memory for the %zu tomograms of '%s'", op, t->n, path);
    number(t, numbers);
  }
  if (status == HED_OK && (status = hed__c_locale_enter(&locale, op)) == HED_OK) {
    if ((status = hed_file_create(op, path, &out)) == HED_OK)
      status = hed_file_close(out, hed__table_write_layout(out, t, f, &frame, comment, numbers));
    hed__c_locale_leave(&locale);
  }
  free(numbers);
  return status;
}

hed_status hed_table_write(const char *path, const hed_table *t, const char *comment)
{
  static const char op[] = "hed_table_write";
  if (path && comment && strpbrk(comment, "\r\n"))
    return hed_fail(HED_E_INVAL, "%s: the comment for '%s' has a line break", op, path);
  return write_file(op, path, t, HED_TABLE_TSV, NULL, comment);
}

hed_status hed_table_write_as(const char *path, const hed_table *t, int format, const hed_table_frame *frame)
{
  return write_file("hed_table_write_as", path, t, format, frame, NULL);
}

/* ---- what is lost, and copies ---- */

typedef struct list { char *s; size_t n, room; int count; } list;

static void add(list *l, const char *s, size_t n)
{
  const int took = l->room > l->n ? snprintf(l->s + l->n, l->room - l->n, "%s%.*s", l->count ? ", " : "", (int)n, s) : 0;
  l->n += took > 0 ? (size_t)took : 0;
  l->count++;
}

int hed_table_omits(const hed_table *t, int format, char *text, size_t room)
{
  const hed__format *f = hed__table_format(format);
  list l = { .s = text, .room = room };
  hed__word name[HED__MOST_WORDS];
  bool angles = false, scores = false, names = false;
  if (room)
    *text = '\0';
  if (!t || !f)
    return 0;
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    angles = angles || r->euler[0] != 0 || r->euler[1] != 0 || r->euler[2] != 0;
    scores = scores || r->score != 0;
    names = names || (r->tomogram && !(column_of(f, HED__NUMBER) && is_number(r->tomogram)));
  }
  if (angles && !column_of(f, HED__PHI))
    add(&l, "angles", 6);
  if (scores && !column_of(f, HED__SCORE))
    add(&l, "scores", 6);
  if (names && !column_of(f, HED__TOMOGRAM))
    add(&l, "names of tomograms", 18);
  const int n = hed__split_tabs(t->columns, name, HED__MOST_WORDS);
  for (int k = 0; k < n && k < HED__MOST_WORDS; k++)
    if (!hed__writes_kept(f, &name[k]))
      add(&l, name[k].s, name[k].n);
  if (t->blocks && !f->pixel)
    add(&l, "other blocks of the STAR file", 29);
  return l.count;
}

/* S as it is in a block of text, whose end moves. */
static const char *copied(char **end, const char *s)
{
  if (!s)
    return NULL;
  const size_t n = strlen(s) + 1;
  char *at = memcpy(*end, s, n);
  *end += n;
  return at;
}

static size_t length(const char *s)
{
  return s ? strlen(s) + 1 : 0;
}

hed_status hed__table_carry(const char *op, const hed_table *from, hed_table *out)
{
  size_t n = length(from->columns) + length(from->missing) + length(from->blocks) + 1;
  for (size_t i = 0; i < from->n; i++)
    n += length(from->row[i].more) + length(from->row[i].tomogram);
  char *end = malloc(n);
  if (!end)
    return hed_fail(HED_E_NOMEM, "%s: no memory for what %zu rows say", op, from->n);
  *end = '\0'; /* of none of these a text, too */
  out->text = end;
  out->columns = copied(&end, from->columns);
  out->missing = copied(&end, from->missing);
  out->blocks = copied(&end, from->blocks);
  memcpy(out->voxel, from->voxel, sizeof out->voxel);
  for (size_t i = 0; i < from->n; i++) {
    out->row[i].more = copied(&end, from->row[i].more);
    out->row[i].tomogram = copied(&end, from->row[i].tomogram);
  }
  return HED_OK;
}

void hed_table_clear(hed_table *t)
{
  if (!t)
    return;
  free(t->row);
  free((void *)(uintptr_t)t->text);
  memset(t, 0, sizeof *t);
}
