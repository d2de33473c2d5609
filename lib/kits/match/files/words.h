// SPDX-License-Identifier: BSD-3-Clause
/* A text file as lines of words, a STAR file as loops, an XML file as tags.
 *
 * Layer: L4, match kit, internal. Nothing is copied: words point into the text, which has to stay. Messages name file and line.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_WORDS_H
#define HEDDLE_KITS_MATCH_FILES_WORDS_H
#include <heddle.h>

typedef struct hed__word { const char *s; size_t n, line; } hed__word;

typedef struct hed__text {
  const char *op, *path, *p, *end;
  const char *separators; /* between words; NULL: blanks. Words between others may be empty */
  size_t line;
} hed__text;

enum { HED__MOST_WORDS = 256 };

bool hed__word_is(const hed__word *w, const char *text);
/* The next line that has words, a comment (#) left out, quotes taken off; false at the end or, with *STATUS, after a sentence. */
bool hed__next_words(hed__text *t, hed__word *w, int *n, hed_status *status);
/* WHAT names the value in the sentence. */
hed_status hed__word_number(const hed__text *t, const hed__word *w, const char *what, double *v);

/* ---- STAR ---- */

/* A loop, or the single values of a block, as rows. */
typedef struct hed__star_loop {
  char block[48];
  size_t columns, rows, line; /* where it begins */
  hed__word *name, *cell;     /* names without the underscore; rows x columns */
} hed__star_loop;

typedef struct hed__star { hed__text *text; size_t n; hed__star_loop *loop; } hed__star;

hed_status hed__star_read(hed__text *t, hed__star *out);
void hed__star_clear(hed__star *s);
/* The first loop that has a column NAME; NULL: none. */
const hed__star_loop *hed__star_find(const hed__star *s, const char *name);
/* -1: it has none. */
int hed__star_column(const hed__star_loop *l, const char *name);
/* Value of a row, OTHERWISE where there is no such column. */
hed_status hed__star_value(const hed__star *s, const hed__star_loop *l, size_t row, const char *name, double otherwise, double *v);

/* ---- XML: tags and their attributes; what is between tags is left to the caller ---- */

typedef struct hed__tag {
  hed__word name;
  bool closing;                /* </name>                          */
  const char *attributes, *end; /* what is behind the name          */
  const char *content;         /* behind the tag, up to the next < */
  size_t n_content;
} hed__tag;

bool hed__next_tag(hed__text *t, hed__tag *tag, hed_status *status);
/* The attribute behind *AT, at first TAG->attributes, which moves behind it; false: there are no more. */
bool hed__next_attribute(const hed__tag *tag, const char **at, hed__word *name, hed__word *value);
/* The value of an attribute; false: there is none. */
bool hed__attribute(const hed__tag *tag, const char *name, hed__word *value);

#endif
