// SPDX-License-Identifier: BSD-3-Clause
/*
 * table.c: particle tables as tab-separated text.
 *
 * Layer: L4, match kit. One list of columns serves reading and writing; a value of column k
 * is the k-th double of a row behind its id.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include <heddle/kits/table.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 11, MOST_FIELDS = 256 };
static const char *const names[COLUMNS] = {
    "id", "z", "y", "x", "z_angstrom", "y_angstrom", "x_angstrom", "phi", "theta", "psi",
    "score"};
static const uint64_t most_bytes = UINT64_C(1) << 30;

/* Column 0 is the id, which is not among the doubles. */
static double *value_of(hed_table_row *row, int column) {
  if (column <= 3)
    return &row->position[column - 1];
  if (column <= 6)
    return &row->angstrom[column - 4];
  return column <= 9 ? &row->euler[column - 7] : &row->score;
}

hed_status hed_table_write(const char *path, const hed_table *t, const char *comment) {
  static const char op[] = "hed_table_write";
  hed__c_locale locale = {0};
  hed_file *out;
  hed_status status;

  if (!path || !t || (!t->row && t->n > 0))
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "the table" : "path");
  if (comment && strpbrk(comment, "\r\n"))
    return hed_fail(HED_E_INVAL, "%s: the comment for '%s' has a line break", op, path);
  for (size_t i = 0; i < t->n; i++)
    for (int c = 1; c < COLUMNS; c++)
      if (!isfinite(*value_of(&t->row[i], c)))
        return hed_fail(HED_E_INVAL, "%s: row %zu for '%s' has %s = %g", op, i, path,
                        names[c], *value_of(&t->row[i], c));
  if ((status = hed__c_locale_enter(&locale, op)) != HED_OK)
    return status;
  if ((status = hed_file_create(op, path, &out)) != HED_OK)
    goto done;
  if (comment)
    hed_file_print(out, "# %s\n", comment);
  for (int c = 0; c < COLUMNS; c++)
    hed_file_print(out, "%s%s", c ? "\t" : "", names[c]);
  for (size_t i = 0; i < t->n; i++) {
    hed_file_print(out, "\n%" PRId64, t->row[i].id);
    for (int c = 1; c < COLUMNS; c++) /* + 0.0: no "-0" */
      hed_file_print(out, "\t%.9g", *value_of(&t->row[i], c) + 0.0);
  }
  hed_file_print(out, "\n");
  status = hed_file_close(out, HED_OK);
done:
  hed__c_locale_leave(&locale);
  return status;
}

/* What reading needs to know while it walks over the text. */
typedef struct reader {
  const char *op, *path;
  int field_of[COLUMNS]; /* which field of a line holds a column; -1: none */
  int fields;            /* how many a line has                            */
  size_t line;
} reader;

/* Splits a line at tabs; returns the number of fields, of which the first `room` are
 * stored. */
static int split(const char *s, const char *end, const char **start, size_t *length,
                 int room) {
  int n = 0;
  for (;;) {
    const char *tab = memchr(s, '\t', (size_t)(end - s));
    const char *stop = tab ? tab : end;
    if (n < room) {
      start[n] = s;
      length[n] = (size_t)(stop - s);
    }
    if (n < INT32_MAX)
      n++;
    if (!tab)
      return n;
    s = tab + 1;
  }
}

static hed_status read_names(reader *r, const char *s, const char *end) {
  const char *start[MOST_FIELDS];
  size_t length[MOST_FIELDS];
  char shown[40];

  r->fields = split(s, end, start, length, MOST_FIELDS);
  if (r->fields > MOST_FIELDS)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d columns; at most %d are read",
                    r->op, r->path, r->line, r->fields, MOST_FIELDS);
  for (int c = 0; c < COLUMNS; c++) {
    r->field_of[c] = -1;
    for (int f = 0; f < r->fields; f++)
      if (length[f] == strlen(names[c]) && memcmp(start[f], names[c], length[f]) == 0) {
        if (r->field_of[c] >= 0)
          return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu names column '%s' twice", r->op,
                          r->path, r->line, names[c]);
        r->field_of[c] = f;
      }
  }
  for (int c = 1; c <= 3; c++)
    if (r->field_of[c] < 0)
      return hed_fail(HED_E_FORMAT,
                      "%s: '%s' has no column '%s' (tab-separated names are expected on its "
                      "first line, which starts with '%s')", r->op, r->path, names[c],
                      hed__printable(s, (size_t)(end - s), shown, sizeof shown));
  return HED_OK;
}

static hed_status read_row(const reader *r, const char *s, const char *end,
                           hed_table_row *row) {
  const char *start[MOST_FIELDS];
  size_t length[MOST_FIELDS];
  char shown[40];
  int n = split(s, end, start, length, MOST_FIELDS);

  if (n != r->fields)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields instead of %d", r->op,
                    r->path, r->line, n, r->fields);
  for (int c = 0; c < COLUMNS; c++) {
    int f = r->field_of[c];
    double v = 0;
    if (f < 0)
      continue;
    /* 2^53: ids beyond are not exact as doubles */
    if (!hed__parse_number(start[f], length[f], &v) ||
        (c == 0 && !(v == rint(v) && fabs(v) <= 9007199254740992.0)))
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has '%s' as %s, not a%s number",
                      r->op, r->path, r->line,
                      hed__printable(start[f], length[f], shown, sizeof shown), names[c],
                      c == 0 ? " whole" : "");
    if (c == 0)
      row->id = (int64_t)v;
    else
      *value_of(row, c) = v;
  }
  return HED_OK;
}

static hed_status read_lines(reader *r, const char *s, const char *stop, hed_table *t) {
  hed_status status;
  size_t room = 0;
  bool named = false;

  for (r->line = 1; s < stop; r->line++) {
    const char *newline = memchr(s, '\n', (size_t)(stop - s));
    const char *end = newline ? newline : stop, *next = newline ? newline + 1 : stop;
    if (end > s && end[-1] == '\r')
      end--;
    if (end == s || *s == '#') {
      s = next;
      continue;
    }
    if (!named) {
      if ((status = read_names(r, s, end)) != HED_OK)
        return status;
      named = true;
    } else {
      if (t->n == room) {
        size_t more = room ? 2 * room : 64;
        hed_table_row *grown = realloc(t->row, more * sizeof *grown);
        if (!grown)
          return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rows of '%s'", r->op, more,
                          r->path);
        t->row = grown;
        room = more;
      }
      t->row[t->n] = (hed_table_row){.id = (int64_t)t->n + 1};
      if ((status = read_row(r, s, end, &t->row[t->n])) != HED_OK)
        return status;
      t->n++;
    }
    s = next;
  }
  if (!named)
    return hed_fail(HED_E_FORMAT, "%s: '%s' has no line of column names", r->op, r->path);
  return HED_OK;
}

hed_status hed_table_read(const char *path, hed_table *out) {
  reader r = {.op = "hed_table_read", .path = path};
  hed__c_locale locale = {0};
  hed_table t = {0};
  hed_status status;
  char *text = NULL;
  size_t n = 0;

  if (out)
    memset(out, 0, sizeof *out);
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", r.op, path ? "out" : "path");
  if ((status = hed__file_load(r.op, path, most_bytes, &text, &n)) != HED_OK)
    return status;
  if ((status = hed__c_locale_enter(&locale, r.op)) != HED_OK)
    goto done;
  status = read_lines(&r, text, text + n, &t);
  hed__c_locale_leave(&locale);
  if (status == HED_OK) {
    *out = t;
    memset(&t, 0, sizeof t);
  }
done:
  hed_table_clear(&t);
  free(text);
  return status;
}

void hed_table_clear(hed_table *t) {
  if (!t)
    return;
  free(t->row);
  memset(t, 0, sizeof *t);
}
