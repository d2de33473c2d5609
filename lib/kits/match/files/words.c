// SPDX-License-Identifier: BSD-3-Clause
/* Lines of words, loops of STAR files, tags of XML files.
 *
 * Layer: L4, match kit. Of STAR what the field's programs write: one row a line, values with or without quotes; text blocks
 * between semicolons are refused. Of XML tags with attributes; entities and CDATA are not looked into.
 */
#include "kits/match/files/words.h"
#include "kits/match/files/fileio.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool hed__word_is(const hed__word *w, const char *text)
{
  return w->n == strlen(text) && memcmp(w->s, text, w->n) == 0;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static hed_status too_many(const hed__text *t)
{
  return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has more than %d fields", t->op, t->path, t->line, HED__MOST_WORDS);
}

/* Words between separators; blanks round them do not count. */
static hed_status split_at(const hed__text *t, const char *s, const char *end, hed__word *w, int *n)
{
  const char *first = s;
  while (first < end && is_blank(*first))
    first++;
  if (first == end || *first == '#')
    return HED_OK;
  for (;;) {
    const char *stop = s;
    while (stop < end && (*stop == '\0' || !strchr(t->separators, *stop)))
      stop++;
    const char *from = s, *to = stop;
    while (from < to && is_blank(*from))
      from++;
    while (to > from && is_blank(to[-1]))
      to--;
    if (*n == HED__MOST_WORDS)
      return too_many(t);
    w[(*n)++] = (hed__word){ from, (size_t)(to - from), t->line };
    if (stop == end)
      return HED_OK;
    s = stop + 1;
  }
}

static hed_status split(const hed__text *t, const char *s, const char *end, hed__word *w, int *n)
{
  *n = 0;
  if (t->separators)
    return split_at(t, s, end, w, n);
  while (s < end) {
    while (s < end && is_blank(*s))
      s++;
    if (s == end || *s == '#')
      return HED_OK;
    if (*n == HED__MOST_WORDS)
      return too_many(t);
    const char quote = *s == '"' || *s == '\'' ? *s : '\0';
    const char *from = s + (quote != '\0'), *stop = from;
    while (stop < end && (quote ? *stop != quote : !is_blank(*stop)))
      stop++;
    if (quote && stop == end)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a quote does not end", t->op, t->path, t->line);
    w[(*n)++] = (hed__word){ from, (size_t)(stop - from), t->line };
    s = stop + (quote != '\0');
  }
  return HED_OK;
}

bool hed__next_words(hed__text *t, hed__word *w, int *n, hed_status *status)
{
  *status = HED_OK;
  *n = 0;
  while (t->p < t->end) {
    const char *newline = memchr(t->p, '\n', (size_t)(t->end - t->p)), *stop = newline ? newline : t->end;
    t->line++;
    *status = split(t, t->p, stop, w, n);
    t->p = newline ? newline + 1 : t->end;
    if (*status != HED_OK || *n > 0)
      return *status == HED_OK;
  }
  return false;
}

hed_status hed__word_number(const hed__text *t, const hed__word *w, const char *what, double *v)
{
  char shown[40];
  if (hed__parse_number(w->s, w->n, v))
    return HED_OK;
  return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is '%s', no number", t->op, t->path, w->line, what,
                  hed__printable(w->s, w->n, shown, sizeof shown));
}

/* ---- STAR ---- */

/* Room for one more of N elements of a size. */
static bool grow(void **array, size_t n, size_t size)
{
  if ((n & (n - 1)) != 0)
    return true;
  void *more = realloc(*array, (n ? 2 * n : 1) * size);
  if (more)
    *array = more;
  return more != NULL;
}

static hed_status no_memory(const hed__text *t)
{
  return hed_fail(HED_E_NOMEM, "%s: no memory for the values of '%s'", t->op, t->path);
}

static hed_status add_loop(hed__star *s, const char *block, hed__star_loop **out)
{
  void *all = s->loop;
  if (!grow(&all, s->n, sizeof *s->loop))
    return no_memory(s->text);
  s->loop = all;
  s->loop[s->n] = (hed__star_loop){ .line = s->text->line };
  snprintf(s->loop[s->n].block, sizeof s->loop[s->n].block, "%s", block);
  *out = &s->loop[s->n++];
  return HED_OK;
}

static hed_status add_name(const hed__text *t, hed__star_loop *l, const hed__word *w)
{
  void *all = l->name;
  if (l->columns == HED__MOST_WORDS)
    return too_many(t);
  if (!grow(&all, l->columns, sizeof *l->name))
    return no_memory(t);
  l->name = all;
  l->name[l->columns++] = (hed__word){ w->s + 1, w->n - 1, w->line };
  return HED_OK;
}

static hed_status add_cell(const hed__text *t, hed__star_loop *l, size_t n, const hed__word *w)
{
  void *all = l->cell;
  if (!grow(&all, n, sizeof *l->cell))
    return no_memory(t);
  l->cell = all;
  l->cell[n] = *w;
  return HED_OK;
}

static bool begins(const hed__word *w, const char *text)
{
  return w->n >= strlen(text) && memcmp(w->s, text, strlen(text)) == 0;
}

/* A loop behind loop_, and the words that end it. */
static hed_status read_loop(hed__star *s, const char *block, hed__word *w, int *n, bool *more)
{
  hed__text *t = s->text;
  hed__star_loop *l;
  hed_status status = add_loop(s, block, &l);
  if (status != HED_OK)
    return status;
  while ((*more = hed__next_words(t, w, n, &status)) && *w[0].s == '_')
    if ((status = add_name(t, l, &w[0])) != HED_OK)
      return status;
  for (; *more && !hed__word_is(&w[0], "loop_") && !begins(&w[0], "_") && !begins(&w[0], "data_");
       *more = hed__next_words(t, w, n, &status)) {
    if ((size_t)*n != l->columns)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields instead of %zu", t->op, t->path, t->line, *n, l->columns);
    for (int i = 0; i < *n; i++)
      if ((status = add_cell(t, l, l->rows * l->columns + (size_t)i, &w[i])) != HED_OK)
        return status;
    l->rows++;
  }
  return status;
}

hed_status hed__star_read(hed__text *t, hed__star *out)
{
  hed__word w[HED__MOST_WORDS];
  char block[48] = "";
  int n;
  hed_status status;
  *out = (hed__star){ .text = t };
  hed__star_loop *singles = NULL;
  size_t number = 0; /* singles' own, as the list moves when it grows */
  bool more = hed__next_words(t, w, &n, &status);
  while (more && status == HED_OK) {
    singles = number ? &out->loop[number - 1] : NULL;
    if (hed__word_is(&w[0], "loop_")) {
      status = read_loop(out, block, w, &n, &more);
      continue;
    }
    if (begins(&w[0], "data_")) {
      snprintf(block, sizeof block, "%.*s", (int)(w[0].n < 40 ? w[0].n - 5 : 35), w[0].s + 5);
      number = 0;
    } else if (begins(&w[0], "_") && n == 2) {
      if (!singles && (status = add_loop(out, block, &singles)) == HED_OK) {
        number = out->n;
        singles->rows = 1;
      }
      if (status == HED_OK && (status = add_name(t, singles, &w[0])) == HED_OK)
        status = add_cell(t, singles, singles->columns - 1, &w[1]);
    }
    if (status == HED_OK)
      more = hed__next_words(t, w, &n, &status);
  }
  if (status != HED_OK)
    hed__star_clear(out);
  return status;
}

void hed__star_clear(hed__star *s)
{
  for (size_t i = 0; i < s->n; i++) {
    free(s->loop[i].name);
    free(s->loop[i].cell);
  }
  free(s->loop);
  *s = (hed__star){ 0 };
}

int hed__star_column(const hed__star_loop *l, const char *name)
{
  for (size_t i = 0; i < l->columns; i++)
    if (hed__word_is(&l->name[i], name))
      return (int)i;
  return -1;
}

const hed__star_loop *hed__star_find(const hed__star *s, const char *name)
{
  for (size_t i = 0; i < s->n; i++)
    if (hed__star_column(&s->loop[i], name) >= 0)
      return &s->loop[i];
  return NULL;
}

hed_status hed__star_value(const hed__star *s, const hed__star_loop *l, size_t row, const char *name, double otherwise, double *v)
{
  const int c = hed__star_column(l, name);
  *v = otherwise;
  return c < 0 ? HED_OK : hed__word_number(s->text, &l->cell[row * l->columns + (size_t)c], name, v);
}

/* ---- XML ---- */

static void count_lines(hed__text *t, const char *to)
{
  for (const char *s = t->p; (s = memchr(s, '\n', (size_t)(to - s))) != NULL; s++)
    t->line++;
  t->p = to;
}

bool hed__next_tag(hed__text *t, hed__tag *tag, hed_status *status)
{
  *status = HED_OK;
  for (;;) {
    const char *open = t->p < t->end ? memchr(t->p, '<', (size_t)(t->end - t->p)) : NULL;
    if (!open)
      return false;
    count_lines(t, open);
    const char *close = memchr(open, '>', (size_t)(t->end - open));
    if (!close) {
      *status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a tag does not end", t->op, t->path, t->line + 1);
      return false;
    }
    const size_t line = t->line + 1;
    count_lines(t, close + 1);
    if (open[1] == '?' || open[1] == '!')
      continue;
    const char *s = open + 1;
    *tag = (hed__tag){ .closing = *s == '/', .end = close };
    s += tag->closing;
    const char *from = s;
    while (s < close && !is_blank(*s) && *s != '\n' && *s != '/')
      s++;
    tag->name = (hed__word){ from, (size_t)(s - from), line };
    tag->attributes = s;
    const char *next = memchr(close, '<', (size_t)(t->end - close));
    tag->content = close + 1;
    tag->n_content = (size_t)((next ? next : t->end) - tag->content);
    return true;
  }
}

bool hed__next_attribute(const hed__tag *tag, const char **at, hed__word *name, hed__word *value)
{
  for (const char *s = *at, *equals; s < tag->end && (equals = memchr(s, '=', (size_t)(tag->end - s))) != NULL; s = equals + 1) {
    const char *from = equals;
    while (from > *at && !is_blank(from[-1]) && from[-1] != '\n')
      from--;
    if (from == equals || equals + 1 >= tag->end || (equals[1] != '"' && equals[1] != '\''))
      continue;
    const char *to = equals + 2 < tag->end ? memchr(equals + 2, equals[1], (size_t)(tag->end - equals - 2)) : NULL;
    if (!to)
      return false;
    *name = (hed__word){ from, (size_t)(equals - from), tag->name.line };
    *value = (hed__word){ equals + 2, (size_t)(to - equals - 2), tag->name.line };
    *at = to + 1;
    return true;
  }
  return false;
}

bool hed__attribute(const hed__tag *tag, const char *name, hed__word *value)
{
  const char *at = tag->attributes;
  hed__word one;
  while (hed__next_attribute(tag, &at, &one, value))
    if (hed__word_is(&one, name))
      return true;
  return false;
}
