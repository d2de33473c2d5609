// SPDX-License-Identifier: BSD-3-Clause
/* Atoms of an mmCIF file.
 *
 * Layer: L4, match kit. A tokenizer for CIF 1.1 (names, values bare, quoted or in text
 * blocks between lines that start with ';', comments) and a reader of the atom_site
 * category, as a loop or as single items. Of several data blocks the first one with atoms
 * counts; of several models the one of the first row.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/model_internal.h"
#include <string.h>
#include <strings.h>

typedef enum kind { END, TAG, VALUE, LOOP, BLOCK, OTHER, BAD } kind;

typedef struct token {
  kind kind;
  bool bare; /* a value without quotes: '.' and '?' have their meaning */
  const char *s;
  size_t n;
} token;

typedef struct scanner {
  hed__model_reader *r;
  const char *p;
  hed_status status; /* set with BAD */
} scanner;

static bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool at_line_start(const scanner *s) {
  return s->p == s->r->text || s->p[-1] == '\n';
}

static void skip_blanks(scanner *s) {
  for (; s->p < s->r->end; s->p++) {
    if (*s->p == '#') {
      const char *nl = memchr(s->p, '\n', (size_t)(s->r->end - s->p));
      if (!nl) {
        s->p = s->r->end;
        return;
      }
      s->p = nl;
    }
    if (*s->p == '\n')
      s->r->line++;
    else if (!blank(*s->p))
      return;
  }
}

static token bad(scanner *s, const char *what) {
  s->status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s", s->r->op, s->r->name,
                       s->r->line, what);
  return (token){.kind = BAD};
}

/* A text block runs to the next line that starts with ';'. */
static token text_block(scanner *s) {
  token t = {VALUE, false, s->p + 1, 0};
  size_t line = s->r->line;
  for (const char *p = s->p + 1; p < s->r->end; p++) {
    if (*p != '\n')
      continue;
    line++;
    if (p + 1 < s->r->end && p[1] == ';') {
      t.n = (size_t)(p - t.s);
      s->p = p + 2;
      s->r->line = line;
      return t;
    }
  }
  return bad(s, "a text block starts here and never ends");
}

/* A quote ends the value only where a blank follows: 'a dog's life' is one value. */
static token quoted(scanner *s) {
  char quote = *s->p;
  token t = {VALUE, false, s->p + 1, 0};
  for (const char *p = s->p + 1; p < s->r->end && *p != '\n'; p++)
    if (*p == quote && (p + 1 == s->r->end || blank(p[1]))) {
      t.n = (size_t)(p - t.s);
      s->p = p + 1;
      return t;
    }
  return bad(s, "a quoted value does not end on its line");
}

static bool word_is(const token *t, const char *word) {
  return t->n == strlen(word) && strncasecmp(t->s, word, t->n) == 0;
}

static bool word_starts(const token *t, const char *word) {
  size_t k = strlen(word);
  return t->n >= k && strncasecmp(t->s, word, k) == 0;
}

static token next(scanner *s) {
  skip_blanks(s);
  if (s->p >= s->r->end)
    return (token){.kind = END};
  if (*s->p == ';' && at_line_start(s))
    return text_block(s);
  if (*s->p == '\'' || *s->p == '"')
    return quoted(s);
  token t = {VALUE, true, s->p, 0};
  while (s->p < s->r->end && !blank(*s->p))
    s->p++;
  t.n = (size_t)(s->p - t.s);
  if (*t.s == '_')
    t.kind = TAG;
  else if (word_is(&t, "loop_"))
    t.kind = LOOP;
  else if (word_starts(&t, "data_"))
    t.kind = BLOCK;
  else if (word_starts(&t, "save_") || word_is(&t, "global_") || word_is(&t, "stop_"))
    t.kind = OTHER;
  return t;
}

/* The items of atom_site that are used; alternatives stand next to each other. */
enum {
  X, Y, Z, SYMBOL, OCCUPANCY, B_ISO, ALT, MODEL, AUTH_ASYM, LABEL_ASYM, AUTH_SEQ, LABEL_SEQ,
  INSERTION, AUTH_ATOM, LABEL_ATOM, ITEMS
};
static const char *const items[ITEMS] = {
    "Cartn_x", "Cartn_y", "Cartn_z", "type_symbol", "occupancy", "B_iso_or_equiv",
    "label_alt_id", "pdbx_PDB_model_num", "auth_asym_id", "label_asym_id", "auth_seq_id",
    "label_seq_id", "pdbx_PDB_ins_code", "auth_atom_id", "label_atom_id"};

/* Which item a tag names; -1: another item of atom_site, -2: another category. */
static int item_of(const token *t) {
  static const char category[] = "_atom_site.";
  size_t k = sizeof category - 1;
  if (!word_starts(t, category))
    return -2;
  for (int i = 0; i < ITEMS; i++)
    if (t->n - k == strlen(items[i]) && strncasecmp(t->s + k, items[i], t->n - k) == 0)
      return i;
  return -1;
}

typedef struct site_reader {
  hed__altloc alt;
  char model[24];
  bool has_model;
} site_reader;

static bool given(const token *t) {
  return t->kind == VALUE && t->n > 0 &&
         !(t->bare && t->n == 1 && (*t->s == '.' || *t->s == '?'));
}

/* A number, which may carry its uncertainty: 1.234(5). */
static hed_status number(const hed__model_reader *r, const token *t, int item, double *v) {
  char shown[24];
  size_t n = t->n;
  if (n > 3 && t->s[n - 1] == ')') {
    size_t k = n - 2;
    while (k > 0 && t->s[k] >= '0' && t->s[k] <= '9')
      k--;
    if (t->s[k] == '(' && k < n - 2)
      n = k;
  }
  if (t->kind == VALUE && hed__parse_number(t->s, n, v))
    return HED_OK;
  return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: '%s' is no number for %s", r->op,
                  r->name, r->line, hed__printable(t->s, t->n, shown, sizeof shown),
                  items[item]);
}

/* Appends a value to the residue's identity; long ones are cut, which costs nothing but
 * the choice between locations. */
static void append(char *buf, size_t room, size_t *n, const token *t) {
  for (size_t i = 0; i < t->n && *n + 1 < room; i++)
    buf[(*n)++] = t->s[i];
  if (*n < room)
    buf[(*n)++] = '\n';
}

static hed_status element_of(const hed__model_reader *r, const token v[ITEMS], int *z) {
  char shown[24];
  const token *t = &v[SYMBOL];
  *z = -1;
  if (given(t)) {
    *z = hed__element(t->s, t->n);
  } else {
    t = given(&v[LABEL_ATOM]) ? &v[LABEL_ATOM] : &v[AUTH_ATOM];
    if (given(t))
      *z = hed__element(t->s, 1);
  }
  if (*z >= 0)
    return HED_OK;
  return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: '%s' is no element", r->op, r->name,
                  r->line, t->s ? hed__printable(t->s, t->n, shown, sizeof shown) : "?");
}

static hed_status read_site(hed__model_reader *r, site_reader *site, const token v[ITEMS]) {
  hed__atom a = {.occupancy = 1, .b = 0};
  hed_status status;
  char residue[sizeof site->alt.residue];
  size_t n = 0;
  int z = -1;

  if (v[MODEL].kind == VALUE) {
    size_t k = v[MODEL].n < sizeof site->model ? v[MODEL].n : sizeof site->model;
    char model[sizeof site->model] = {0};
    memcpy(model, v[MODEL].s, k);
    if (!site->has_model)
      memcpy(site->model, model, sizeof model);
    site->has_model = true;
    if (memcmp(model, site->model, sizeof model) != 0)
      return HED_OK;
  }
  if ((status = number(r, &v[X], X, &a.x)) != HED_OK ||
      (status = number(r, &v[Y], Y, &a.y)) != HED_OK ||
      (status = number(r, &v[Z], Z, &a.z)) != HED_OK)
    return status;
  if (given(&v[OCCUPANCY]) &&
      (status = number(r, &v[OCCUPANCY], OCCUPANCY, &a.occupancy)) != HED_OK)
    return status;
  if (given(&v[B_ISO]) && (status = number(r, &v[B_ISO], B_ISO, &a.b)) != HED_OK)
    return status;
  append(residue, sizeof residue, &n, &v[v[AUTH_ASYM].s ? AUTH_ASYM : LABEL_ASYM]);
  append(residue, sizeof residue, &n, &v[v[AUTH_SEQ].s ? AUTH_SEQ : LABEL_SEQ]);
  append(residue, sizeof residue, &n, &v[INSERTION]);
  if (!hed__altloc_take(&site->alt, residue, n, v[ALT].s, given(&v[ALT]) ? v[ALT].n : 0))
    return HED_OK;
  if ((status = element_of(r, v, &z)) != HED_OK)
    return status;
  a.atomic_number = (uint8_t)z;
  return hed__model_add(r, &a);
}

static hed_status check_items(const hed__model_reader *r, const bool have[ITEMS]) {
  for (int i = X; i <= Z; i++)
    if (!have[i])
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: atom_site has no %s", r->op,
                      r->name, r->line, items[i]);
  if (!have[SYMBOL] && !have[AUTH_ATOM] && !have[LABEL_ATOM])
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' line %zu: atom_site has neither type_symbol nor atom names",
                    r->op, r->name, r->line);
  return HED_OK;
}

/* A loop, from behind loop_; *t becomes the token behind it. */
static hed_status read_loop(scanner *s, token *t) {
  enum { MOST = 512 };
  signed char item[MOST];
  token row[ITEMS] = {{0}};
  bool have[ITEMS] = {false}, ours = false;
  site_reader site = {.has_model = false};
  hed_status status;
  size_t columns = 0, values = 0;

  for (*t = next(s); t->kind == TAG; *t = next(s)) {
    int i = item_of(t);
    ours = ours || i > -2;
    if (columns < MOST)
      item[columns] = (signed char)i;
    if (i >= 0)
      have[i] = true;
    columns++;
  }
  if (ours && columns > MOST)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: atom_site has %zu columns", s->r->op,
                    s->r->name, s->r->line, columns);
  if (ours && (status = check_items(s->r, have)) != HED_OK)
    return status;
  for (; t->kind == VALUE; *t = next(s)) {
    if (columns == 0)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a loop without names", s->r->op,
                      s->r->name, s->r->line);
    values++;
    if (!ours)
      continue;
    size_t c = (values - 1) % columns;
    if (item[c] >= 0)
      row[(int)item[c]] = *t;
    if (c + 1 == columns && (status = read_site(s->r, &site, row)) != HED_OK)
      return status;
  }
  if (t->kind == BAD)
    return s->status;
  if (ours && values % columns != 0)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' line %zu: the atom_site loop ends inside a row: %zu values "
                    "in %zu columns", s->r->op, s->r->name, s->r->line, values, columns);
  return HED_OK;
}

hed_status hed__cif_read(hed__model_reader *r) {
  scanner s = {.r = r, .p = r->text, .status = HED_OK};
  token single[ITEMS] = {{0}};
  bool have[ITEMS] = {false}, any = false;
  site_reader site = {.has_model = false};
  hed_status status;

  r->line = 1;
  for (token t = next(&s); t.kind != END;) {
    if (t.kind == BAD)
      return s.status;
    if (t.kind == BLOCK && (r->model->n > 0 || any))
      break;
    if (t.kind == LOOP) {
      if ((status = read_loop(&s, &t)) != HED_OK)
        return status;
      continue;
    }
    if (t.kind == TAG) {
      int i = item_of(&t);
      token v = next(&s);
      if (v.kind == BAD)
        return s.status;
      if (v.kind != VALUE) {
        t = v;
        continue;
      }
      any = any || i > -2;
      if (i >= 0) {
        single[i] = v;
        have[i] = true;
      }
    }
    t = next(&s);
  }
  if (!any || r->model->n > 0)
    return HED_OK;
  if ((status = check_items(r, have)) != HED_OK)
    return status;
  return read_site(r, &site, single);
}
