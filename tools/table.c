// SPDX-License-Identifier: BSD-3-Clause
/* See table.h.
 *
 * Layer: L5.
 */
#include "table.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void number_table_clear(number_table *t)
{
  for (int64_t i = 0; t->class_of && i < t->rows; i++)
    free(t->class_of[i]);
  free(t->class_of);
  free(t->x);
  *t = (number_table){ 0 };
}

static hed_status no_memory(int64_t rows) { return hed_fail(HED_E_NOMEM, "no memory for %lld rows", (long long)rows); }

/* ---- arrays ---- */

static hed_status read_labels(const char *path, number_table *t)
{
  hed_array *labels = hed_load_npy(path);
  if (!labels)
    return hed_error();
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(labels));
  hed_status status = HED_OK;
  if ((kind != HED_KIND_INT && kind != HED_KIND_UINT) || hed_array_ndim(labels) != 1 || hed_array_size(labels) != t->rows)
    status = hed_fail(HED_E_SHAPE, "'%s' has %lld elements of %s; as many whole numbers as rows, %lld, are expected", path,
                      (long long)hed_array_size(labels), hed_dtype_name(hed_array_dtype(labels)), (long long)t->rows);
  double *v = status == HED_OK ? malloc((size_t)(t->rows + 1) * sizeof *v) : NULL;
  t->class_of = v ? calloc((size_t)t->rows + 1, sizeof *t->class_of) : NULL;
  if (status == HED_OK)
    status = t->class_of ? hed_tolist(labels, v, t->rows) : no_memory(t->rows);
  for (int64_t i = 0; i < t->rows && status == HED_OK; i++)
    if (asprintf(&t->class_of[i], "%.0f", v[i]) < 0) {
      t->class_of[i] = NULL;
      status = no_memory(t->rows);
    }
  free(v);
  hed_release(labels);
  return status;
}

static hed_status read_array(const char *path, const char *labels, number_table *t)
{
  hed_array *x = hed_load_npy(path);
  if (!x)
    return hed_error();
  const hed_shape s = hed_array_shape(x);
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  hed_status status = HED_OK;
  if (s.ndim != 2 || s.dim[0] < 1 || s.dim[1] < 1 || kind == HED_KIND_COMPLEX)
    status = hed_fail(HED_E_SHAPE, "'%s' has %d axes of %s; rows of real numbers are expected", path, (int)s.ndim,
                      hed_dtype_name(hed_array_dtype(x)));
  if (status == HED_OK) {
    t->rows = s.dim[0];
    t->columns = s.dim[1];
    t->x = malloc((size_t)(t->rows * t->columns) * sizeof *t->x);
    status = t->x ? hed_tolist(x, t->x, t->rows * t->columns) : no_memory(t->rows);
  }
  hed_release(x);
  return status == HED_OK && labels ? read_labels(labels, t) : status;
}

/* ---- text ---- */

/* Fields of LINE, cut in place. */
static int64_t count_fields(const char *line)
{
  int64_t n = 1;
  for (const char *p = line; *p; p++)
    n += *p == ',';
  return n;
}

static bool is_number(const char *text, double *out)
{
  char *end;
  *out = strtod(text, &end);
  while (*end == ' ' || *end == '\t')
    end++;
  return end != text && *end == '\0';
}

enum { FIRST_ROOM = 1 << 14 /* numbers, of tables with few columns */ };

typedef struct reading {
  const char *path;
  int64_t line, room, columns; /* COLUMNS: numbers that are asked for, or what number_table_read() says */
  bool classes, names; /* NAMES: of the first line */
  number_table *t;
} reading;

static bool is_value(const reading *r, const char *text, double *out)
{
  const bool gaps = r->columns == TABLE_WITH_GAPS;
  if (gaps && text[strspn(text, " \t")] == '\0') {
    *out = NAN;
    return true;
  }
  return is_number(text, out) && (isfinite(*out) || (gaps && isnan(*out)));
}

static hed_status grow(reading *r)
{
  number_table *t = r->t;
  if (t->rows < r->room)
    return HED_OK;
  const int64_t first = FIRST_ROOM / t->columns, room = r->room ? 2 * r->room : first > 0 ? first : 1;
  double *x = realloc(t->x, (size_t)(room * t->columns) * sizeof *x);
  if (x)
    t->x = x;
  char **class_of = x && r->classes ? realloc(t->class_of, (size_t)room * sizeof *class_of) : NULL;
  if (class_of)
    t->class_of = class_of;
  if (!x || (r->classes && !class_of))
    return no_memory(room);
  r->room = room;
  return HED_OK;
}

/* Whether a number ends where no field does, and more follows. */
static bool wants_commas(const char *text)
{
  char *end;
  (void)strtod(text, &end);
  const char *next = end + strspn(end, " \t");
  return end != text && (*end == ';' || *end == '\t' || (*end == ' ' && *next && strchr("+-.0123456789", *next)));
}

static hed_status no_number(const reading *r, int64_t column, const char *text)
{
  char shown[41];
  snprintf(shown, sizeof shown, "%s", text);
  for (char *c = shown; *c; c++)
    *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
  return hed_fail(HED_E_FORMAT, "'%s', line %lld, column %lld: '%s' is no finite number%s", r->path, (long long)r->line,
                  (long long)column + 1, shown, wants_commas(text) ? "; between fields are commas" : "");
}

/* A line of names: its first field that is not empty is no number, and no broken one. */
static bool is_names(const reading *r, const char *line)
{
  char field[64];
  double ignored;
  const char *at = line + strspn(line, " \t,");
  snprintf(field, sizeof field, "%.*s", (int)strcspn(at, ","), at);
  return *at && !is_number(field, &ignored) && !is_value(r, field, &ignored) && !strchr("+-.0123456789", *at);
}

static hed_status take_row(reading *r, char *line)
{
  number_table *t = r->t;
  const int64_t fields = count_fields(line);
  if (t->rows == 0 && t->columns == 0) {
    const char *last = strrchr(line, ',');
    double ignored;
    r->classes = r->columns == TABLE_OF_NUMBERS ? last && !is_number(last + 1, &ignored)
                                                 : r->columns == 0 || (r->columns > 0 && fields == r->columns + 1);
    t->columns = r->classes ? fields - 1 : fields;
    if (t->columns < 1)
      return hed_fail(HED_E_FORMAT, "'%s', line %lld: one field, where numbers and a class are expected", r->path, (long long)r->line);
  }
  if (fields != t->columns + r->classes)
    return hed_fail(HED_E_FORMAT, "'%s', line %lld: %lld field%s, not %lld as before%s", r->path, (long long)r->line,
                    (long long)fields, fields == 1 ? "" : "s", (long long)(t->columns + r->classes),
                    fields == 1 && wants_commas(line) ? "; between fields are commas" : "");
  hed_status status = grow(r);
  char *at = line;
  for (int64_t k = 0; k < t->columns && status == HED_OK; k++) {
    char *comma = strchr(at, ',');
    if (comma)
      *comma = '\0';
    if (!is_value(r, at, &t->x[t->rows * t->columns + k]))
      status = no_number(r, k, at);
    at = comma ? comma + 1 : at;
  }
  if (status == HED_OK && r->classes && *at == '\0')
    status = hed_fail(HED_E_FORMAT, "'%s', line %lld: the class is empty", r->path, (long long)r->line);
  if (status == HED_OK && r->classes && !(t->class_of[t->rows] = strdup(at)))
    status = no_memory(t->rows);
  t->rows += status == HED_OK;
  return status;
}

static hed_status read_text(const char *path, int64_t columns, number_table *t)
{
  FILE *f = fopen(path, "r");
  reading r = { .path = path, .columns = columns, .t = t };
  struct stat st;
  hed_status status = f && fstat(fileno(f), &st) == 0 ? HED_OK : hed_fail(HED_E_IO, "cannot open '%s': %s", path, strerror(errno));
  if (status == HED_OK && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))) /* one without an end has lines without */
    status = hed_fail(HED_E_IO, "cannot open '%s': it is a device", path);
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  while (status == HED_OK && (n = getline(&line, &room, f)) >= 0) {
    r.line++;
    if (strlen(line) != (size_t)n)
      status = hed_fail(HED_E_FORMAT, "'%s', line %lld: a byte 0 at %zu, which is no text", path, (long long)r.line, strlen(line) + 1);
    if (r.line == 1 && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) /* the mark that text is UTF-8 */
      memmove(line, line + 3, (size_t)(n -= 3) + 1);
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
      line[--n] = '\0';
    if (status == HED_OK && n > 0 && !(r.line == 1 && (r.names = is_names(&r, line))))
      status = take_row(&r, line);
  }
  if (status == HED_OK && ferror(f))
    status = hed_fail(HED_E_IO, "cannot read '%s': %s", path, strerror(errno));
  if (status == HED_OK && t->rows == 0)
    status = r.names ? hed_fail(HED_E_FORMAT, "'%s', line 1 has names, and no rows of numbers follow", path)
                     : hed_fail(HED_E_FORMAT, "'%s' has no rows", path);
  free(line);
  if (f)
    fclose(f);
  return status;
}

hed_status number_table_read(const char *path, const char *labels, int64_t columns, number_table *out)
{
  const char *dot = strrchr(path, '.');
  *out = (number_table){ 0 };
  hed_status status = dot && strcmp(dot, ".npy") == 0 ? read_array(path, labels, out) : read_text(path, columns, out);
  if (status == HED_OK && columns > 0 && out->columns != columns)
    status = hed_fail(HED_E_SHAPE, "'%s' has %lld numbers in a row; %lld are expected", path, (long long)out->columns,
                      (long long)columns);
  if (status != HED_OK)
    number_table_clear(out);
  return status;
}
