// SPDX-License-Identifier: BSD-3-Clause
/* Options that a command does not have, and those that were probably meant. For every command at one place, before argp
 * reads the words: it knows no more of them than that they are wrong.
 *
 * Layer: L5.
 */
#include "tool.h"
#include <ctype.h>
#include <string.h>

enum { OPTIONS_MOST = 200, NAMED_MOST = 4, PART_LEAST = 3 };

typedef struct known {
  int n;
  const struct argp_option *option[OPTIONS_MOST];
  char names[4096]; /* "a, b, ", those that --help tells of */
} known;

static void add(known *k, const struct argp_option *o)
{
  const size_t n = strlen(k->names);
  if (k->n == OPTIONS_MOST)
    return;
  k->option[k->n++] = o;
  if (o->name && !(o->flags & OPTION_HIDDEN))
    snprintf(k->names + n, sizeof k->names - n, "%s, ", o->name);
}

static void add_all(known *k, const struct argp *argp)
{
  for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
    add(k, o);
  for (const struct argp_child *c = argp->children; c && c->argp; c++)
    add_all(k, c->argp);
}

/* What argp has by itself. */
static const struct argp_option own[] = {
  { "help", '?', NULL, 0, "", 0 },
  { NULL, 'h', NULL, 0, "", 0 },
  { "usage", 256, NULL, 0, "", 0 },
  { "version", 'V', NULL, 0, "", 0 },
  { "program-name", 256, "NAME", OPTION_HIDDEN, "", 0 },
  { "HANG", 256, "SECS", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, "", 0 },
  { 0 }
};

/* The option of that name, of N letters, or one that begins so: an abbreviation. */
static const struct argp_option *find_long(const known *k, const char *name, size_t n)
{
  const struct argp_option *found = NULL;
  for (int i = 0; i < k->n; i++)
    if (k->option[i]->name && strncmp(k->option[i]->name, name, n) == 0) {
      found = k->option[i];
      if (found->name[n] == '\0')
        break;
    }
  return found;
}

static const struct argp_option *find_short(const known *k, char letter)
{
  for (int i = 0; i < k->n; i++)
    if (k->option[i]->key == letter && isgraph((unsigned char)letter))
      return k->option[i];
  return NULL;
}

/* How many words between hyphens two names share. */
static int shared_parts(const char *a, const char *b)
{
  int shared = 0;
  for (; *a; a += strcspn(a, "-"), a += *a == '-') {
    const size_t n = strcspn(a, "-");
    for (const char *p = b; n >= PART_LEAST && *p; p += strcspn(p, "-"), p += *p == '-')
      shared += strcspn(p, "-") == n && strncmp(p, a, n) == 0;
  }
  return shared;
}

static void name_option(char *text, size_t size, int i, const char *name, size_t n)
{
  const size_t end = strlen(text);
  snprintf(text + end, size - end, "%s'--%.*s'", i ? " or " : "; did you mean ", (int)n, name);
}

/* An option whose beginning is near to the N letters of NAME, an abbreviation; 0 where there is none. */
static int misspelt_beginning(const known *k, const char *name, char *text, size_t size)
{
  const size_t n = strlen(name);
  int found = 0;
  char begin[64];
  for (int i = 0; i < k->n && n >= 4 && found < NAMED_MOST; i++) {
    const char *whole = k->option[i]->name;
    if (!whole || k->option[i]->flags & OPTION_HIDDEN || strlen(whole) <= n || n >= sizeof begin)
      continue;
    snprintf(begin, sizeof begin, "%.*s", (int)n, whole);
    if (hed_nearest(name, begin, NULL))
      name_option(text, size, found++, whole, strlen(whole));
  }
  return found;
}

/* "; did you mean '--a' or '--b'", or nothing: the nearest by letters, then by the letters of its beginning, then those that share
 * words. TEXT of SIZE bytes. */
static void meant(const known *k, const char *name, char *text, size_t size)
{
  size_t n;
  int best = 1, found = 0;
  *text = '\0';
  const char *near = hed_nearest(name, k->names, &n);
  if (near) {
    name_option(text, size, 0, near, n);
    return;
  }
  if (misspelt_beginning(k, name, text, size))
    return;
  for (int i = 0; i < k->n; i++) {
    const char *other = k->option[i]->name;
    const int parts = other && !(k->option[i]->flags & OPTION_HIDDEN) ? shared_parts(name, other) : 0;
    if (parts > best) {
      best = parts;
      found = 0;
      *text = '\0';
    }
    if (parts == best && found < NAMED_MOST)
      name_option(text, size, found++, other, strlen(other));
  }
}

/* The sentence about a WORD of the command line, behind HYPHENS of which the name begins; false: nothing is known of it. */
static bool say(const known *k, const char *word, size_t hyphens, bool always)
{
  char name[64], text[300];
  const size_t n = strcspn(word, "=");
  snprintf(name, sizeof name, "%.*s", (int)(n - hyphens), word + hyphens);
  meant(k, name, text, sizeof text);
  const struct argp_option *same = hyphens == 1 ? find_long(k, name, strlen(name)) : NULL;
  if (same)
    snprintf(text, sizeof text, "; did you mean '--%s'", same->name);
  if (!always && !*text)
    return false;
  (void)tool_fail(0, "there is no option '%.*s'%s%s", (int)n, word, text, *text ? "?" : "");
  return true;
}

bool tool_unknown_option(const struct argp *argp, int argc, char **argv, bool in_order)
{
  known k = { 0 };
  const struct argp_option *o;
  add_all(&k, argp);
  add_all(&k, &(struct argp){ .options = own });
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *word = argv[i];
    if (word[0] != '-' || !word[1]) {
      if (in_order)
        return false;
      continue;
    }
    if (word[1] == '-') {
      o = find_long(&k, word + 2, strcspn(word + 2, "="));
      if (!o)
        return say(&k, word, 2, true);
      i += o->arg && !(o->flags & OPTION_ARG_OPTIONAL) && !strchr(word, '=');
      continue;
    }
    for (const char *c = word + 1; *c; c++) {
      o = find_short(&k, *c);
      if (!o) /* letters of which one is unknown, or a name behind one hyphen; argp says the former */
        return word[2] && say(&k, word, 1, false);
      if (!o->arg)
        continue;
      i += !c[1] && !(o->flags & OPTION_ARG_OPTIONAL);
      break;
    }
  }
  return false;
}
